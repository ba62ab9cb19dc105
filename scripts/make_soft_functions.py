#!/usr/bin/env python3
"""Makes shaders/soft_functions.wgsl: the functions of shaders/double_*.wgsl, which are written for shaders with 64-bit floats,
on the arithmetic of shaders/soft_double.wgsl. Both are the same steps in the same order, so their results have the same bits.

    scripts/make_soft_functions.py             writes it
    scripts/make_soft_functions.py --check     fails if it differs from what is there
    scripts/make_soft_functions.py --turns     prints the turns of their loops, for src/op/soft.rs

A function of vec4<f64> becomes one of a single element as two words, `soft_exp` of `double_exp`. What an operator's row names
also gets a function of the old name for four elements, which takes them one after another, so that a kernel has the code once.
Steps `p = p * z + constant` in a row become a loop over a table. Barriers are left out: no compiler rewrites integers.
"""

import pathlib
import re
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHADERS = ROOT / "shaders"
FILES = ["double_native", "double_round", "double_exp_log", "double_trig", "double_hyper", "double_pow", "double_special"]
MADE = SHADERS / "soft_functions.wgsl"

# Functions that soft_double.wgsl has.
OWN = {"double_whole": "soft_from_whole", "double_exponent": "soft_exponent"} | {
    f"double_{name}": f"soft_{name}"
    for name in ("add", "sub", "mul", "div", "sqrt", "floor", "ceil", "is_nan", "magnitude")
}
LEFT_OUT = {"native_f64", "pair_f64", "double_hold", "double_zero_bits", *OWN}
# The words of a double, of a 64-bit integer.
WORDS = {"f64", "u64", "i64"}
TOKEN = re.compile(
    r"\s*(?://[^\n]*\n\s*)*(?:(?P<number>0x[0-9a-f]+(?:lu|li|u)?|\d+\.?\d*(?:e[-+]?\d+)?(?:lf|lu|li|u)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<op>->|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|[-+*/%&|^~!<>=(){}\[\],;:.]))"
)
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!=", "<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
COMPARED = {
    "f64": {"==": "soft_equal({a}, {b})", "<": "soft_less({a}, {b})", ">": "soft_less({b}, {a})",
            "<=": "soft_less_equal({a}, {b})", ">=": "soft_less_equal({b}, {a})"},
    "u64": {"==": "whole_equal({a}, {b})", "!=": "!whole_equal({a}, {b})", "<": "whole_less({a}, {b})",
            ">": "whole_less({b}, {a})", "<=": "!whole_less({b}, {a})", ">=": "!whole_less({a}, {b})"},
}  # fmt: skip
COMPUTED = {
    "f64": {"+": "soft_add", "-": "soft_sub", "*": "soft_mul", "/": "soft_div"},
    "u64": {"+": "whole_add", "-": "whole_sub", "*": "whole_mul", "<<": "whole_shl", ">>": "whole_shr"},
    "i64": {"+": "whole_add", "-": "whole_sub", "*": "whole_mul", "<<": "whole_shl", ">>": "whole_shr_signed"},
}
CONVERTED = {
    ("u32", "f64"): "soft_from_u32({x})", ("i32", "f64"): "soft_from_i32({x})", ("f64", "u32"): "soft_to_u32({x})",
    ("u64", "u32"): "({x}).x", ("i64", "i32"): "bitcast<i32>(({x}).x)", ("u32", "u64"): "vec2<u32>({x}, 0u)",
    ("u32", "i32"): "bitcast<i32>({x})", ("i32", "u32"): "bitcast<u32>({x})",
}  # fmt: skip


def tokens(text):
    found, at = [], 0
    text = text.rstrip() + "\n"
    while match := TOKEN.match(text, at):
        found.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    left = re.sub(r"//[^\n]*\n", "", text[at:]).strip()
    if left:
        raise SystemExit(f"make_soft_functions: cannot read {left[:60]!r}")
    return found


def words(bits):
    return f"vec2<u32>({bits & 0xFFFFFFFF:#x}u, {bits >> 32:#x}u)"


def bits_of(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def scalar(kind):
    """The type of one element, as it is written."""
    return "vec2<u32>" if kind in WORDS else RENAMED.get(kind, kind)


def renamed(name):
    return OWN.get(name) or name.replace("double_", "soft_", 1)


RENAMED = {}


class Source:
    """Reads WGSL and writes the functions of one element."""

    def __init__(self):
        self.tokens, self.at = [], 0
        self.structs, self.functions, self.constants = {}, {}, {}
        self.made, self.tables, self.wanted = [], 0, set()

    def read(self, text):
        self.tokens, self.at = tokens(text), 0
        while self.at < len(self.tokens):
            {"struct": self.structure, "const": self.constant, "fn": self.function}[self.next()]()

    # Tokens.

    def peek(self, k=0):
        return self.tokens[self.at + k][1] if self.at + k < len(self.tokens) else ""

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1][1]

    def expect(self, *wanted):
        for token in wanted:
            if token == ">" and self.peek() == ">>":
                self.tokens[self.at] = ("op", ">")
                continue
            if (found := self.next()) != token:
                raise SystemExit(f"make_soft_functions: {found!r} where {token!r} was expected")

    def accept(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    # Items.

    def type(self):
        name = self.next()
        if name == "vec4":
            self.expect("<")
            name = self.next()
            self.expect(">")
        return name

    def fields(self, end):
        found = []
        while not self.accept(end):
            name = self.next()
            self.expect(":")
            found.append((name, self.type()))
            self.accept(",")
        return found

    def structure(self):
        name = self.next()
        self.expect("{")
        self.structs[name] = self.fields("}")
        RENAMED[name] = "Soft" + "".join(part.title() for part in name.split("_")[1:]).replace("Parts", "Taken")
        fields = "".join(f"    {field}: {scalar(kind)},\n" for field, kind in self.structs[name])
        self.made.append((RENAMED[name], f"struct {RENAMED[name]} {{\n{fields}}}\n"))

    def constant(self):
        name = self.next()
        self.expect(":", "f64", "=")
        kind, text = self.expression({})
        self.expect(";")
        self.constants[name] = (kind, text)

    def function(self):
        name = self.next()
        self.expect("(")
        parameters = self.fields(")")
        self.expect("->")
        result = self.type()
        self.functions[name] = (parameters, result)
        self.expect("{")
        if name in LEFT_OUT:
            depth = 1
            while depth:
                depth += {"{": 1, "}": -1}.get(self.next(), 0)
            return
        before = []
        body = self.block(dict(parameters), 1, before)
        listed = ", ".join(f"{p}: {scalar(kind)}" for p, kind in parameters)
        head = f"fn {renamed(name)}({listed}) -> {scalar(result)} {{\n"
        self.made.append((renamed(name), "".join(before) + head + body + "}\n"))

    # Statements.

    def block(self, known, depth, tables):
        """The statements up to a closing brace."""
        lines, indent = [], "    " * depth
        while not self.accept("}"):
            if run := self.polynomial(known):
                variable, by, numbers = run
                self.tables += 1
                name = f"SOFT_{self.tables}"
                listed = ", ".join(numbers)
                tables.append(f"const {name} = array<vec2<u32>, {len(numbers)}>({listed});\n")
                lines += [
                    f"{indent}var terms{self.tables} = {name};",
                    f"{indent}for (var i = 0u; i < {len(numbers)}u; i++) {{",
                    f"{indent}    {variable} = soft_add(soft_mul({variable}, {by}), terms{self.tables}[i]);",
                    f"{indent}}}",
                ]
                continue
            lines += self.statement(known, depth, tables)
        return "".join(line + "\n" for line in lines)

    def polynomial(self, known):
        """Three or more of `p = p * z + constant;`: p, z and the constants."""
        numbers, start, variable, by = [], self.at, None, None
        while True:
            run = [self.peek(k) for k in range(8)]
            p, _, again, _, z, sign, number, end = run
            is_one = (run[1], run[3], end) == ("=", "*", ";") and p == again and sign in "+-" and number.endswith("lf")
            if not is_one or known.get(p) != "f64" or known.get(z) != "f64" or (variable and (p, z) != (variable, by)):
                break
            variable, by = p, z
            numbers.append(words(bits_of(float(sign + number[:-2]))))
            self.at += 8
        if len(numbers) < 3:
            self.at = start
            return None
        return variable, by, numbers

    def statement(self, known, depth, tables):
        indent = "    " * depth
        word = self.next()
        if word in ("let", "var"):
            name = self.next()
            self.expect("=")
            kind, text = self.expression(known)
            self.expect(";")
            if kind == "zero":
                known[name] = kind
                return []
            known[name] = kind
            return [f"{indent}{word} {name} = {text};"]
        if word == "return":
            _, text = self.expression(known)
            self.expect(";")
            return [f"{indent}return {text};"]
        if word == "break":
            self.expect(";")
            return [f"{indent}break;"]
        if word == "if":
            self.expect("(")
            _, text = self.expression(known)
            self.expect(")", "{")
            return [f"{indent}if {text} {{", self.block(dict(known), depth + 1, tables).rstrip("\n"), f"{indent}}}"]
        if word == "for":
            self.expect("(", "var")
            name = self.next()
            self.expect("=")
            first = self.next()
            self.expect(";", name, "<")
            last = self.next()
            self.expect(";", name)
            while not self.accept(")"):
                self.next()
            self.expect("{")
            inside = dict(known) | {name: "u32"}
            first, last = (number.rstrip("u") + "u" for number in (first, last))
            head = f"{indent}for (var {name} = {first}; {name} < {last}; {name}++) {{"
            return [head, self.block(inside, depth + 1, tables).rstrip("\n"), f"{indent}}}"]
        self.expect("=")
        _, text = self.expression(known)
        self.expect(";")
        return [f"{indent}{word} = {text};"]

    # Expressions: a type and a text.

    def expression(self, known, level=0):
        if level == len(LEVELS):
            return self.unary(known)
        kind, text = self.expression(known, level + 1)
        while self.peek() in LEVELS[level]:
            op = self.next()
            kind, text = self.binary(op, (kind, text), self.expression(known, level + 1))
        return kind, text

    def binary(self, op, left, right):
        (kind, a), (other, b) = left, right
        if op in COMPARED["f64"] or op == "!=":
            if kind in WORDS:
                return "bool", COMPARED["u64" if kind == "u64" else kind][op].format(a=a, b=b)
            return "bool", f"({a} {op} {b})"
        if op in ("&", "|", "^") and kind in WORDS:
            return kind, f"({a} {op} {b})"
        if kind in COMPUTED and op in COMPUTED[kind]:
            return kind, f"{COMPUTED[kind][op]}({a}, {b})"
        if kind in WORDS:
            raise SystemExit(f"make_soft_functions: {op} of {kind} and {other}")
        return kind, f"({a} {op} {b})"

    def unary(self, known):
        op = self.peek()
        if op in ("-", "!", "~"):
            self.next()
            if op == "-" and re.fullmatch(r"[\d.]+(?:e[-+]?\d+)?lf", self.peek()):
                return "f64", words(bits_of(-float(self.next()[:-2])))
            kind, text = self.unary(known)
            return kind, f"soft_neg({text})" if op == "-" and kind == "f64" else f"{op}{text}"
        kind, text = self.primary(known)
        while self.accept("."):
            field = self.next()
            kind, text = dict(self.structs[kind])[field], f"{text}.{field}"
        return kind, text

    def primary(self, known):
        group, token = self.tokens[self.at]
        self.at += 1
        if token == "(":
            found = self.expression(known)
            self.expect(")")
            return found
        if group == "number":
            return self.number(token)
        if token == "bitcast":
            self.expect("<")
            to = self.type()
            self.expect(">", "(")
            kind, text = self.expression(known)
            self.expect(")")
            return to, text if kind in WORDS and to in WORDS else f"bitcast<{to}>({text})"
        if token == "vec4":
            self.at -= 1
            to = self.type()
            self.expect("(")
            kind, text = self.expression(known)
            self.expect(")")
            return to, text if kind == to else CONVERTED[kind, to].format(x=text)
        if self.peek() == "(":
            return self.call(token, known)
        if token in self.constants:
            return self.constants[token]
        return known[token], token

    @staticmethod
    def number(token):
        if token.endswith("lf"):
            return "f64", words(bits_of(float(token[:-2])))
        if token.endswith(("lu", "li")):
            return token[-1] + "64", words(int(token[:-2], 0))
        return ("u32" if token.endswith("u") else "i32"), token

    def call(self, name, known):
        self.expect("(")
        arguments = []
        while not self.accept(")"):
            arguments.append(self.expression(known))
            self.accept(",")
        kinds = [kind for kind, _ in arguments]
        texts = [text for _, text in arguments]
        listed = ", ".join(texts)
        if name == "double_hold":
            return arguments[0]
        if name == "double_zero_bits":
            return "zero", ""
        if name in ("all", "any"):
            return arguments[0]
        if name in self.structs:
            return name, f"{RENAMED[name]}({listed})"
        if name == "is_nan_f64" or name == "pair_f64":
            return ("bool", f"soft_is_nan({listed})") if name == "is_nan_f64" else ("f64", listed)
        if name in self.functions:
            taken = [text for text, kind in zip(texts, kinds) if kind != "zero"]
            return self.functions[name][1], f"{renamed(name)}({', '.join(taken)})"
        builtin = {"abs": "soft_magnitude", "min": "soft_min", "max": "soft_max", "floor": "soft_floor", "ceil": "soft_ceil",
                   "sqrt": "soft_sqrt"}  # fmt: skip
        if kinds[0] == "f64" and name in builtin:
            return "f64", f"{builtin[name]}({listed})"
        if kinds[0] == "i64" and name == "max":
            return "i64", f"whole_max_signed({listed})"
        if name in ("select", "min", "max", "abs"):
            return kinds[0], f"{name}({listed})"
        raise SystemExit(f"make_soft_functions: {name} of {kinds}")


def body_of(text):
    _, _, found = text.partition("\nfn " if not text.startswith("fn ") else "fn ")
    return found.partition("{")[2]


def turns(name, items):
    """The turns of a function's loops and of those that it calls, at most."""
    found, factors = 0, [1]
    for line in body_of(items.get(name, "")).splitlines():
        if loop := re.search(r"for \(var \w+ = 0u; \w+ < (\d+)u;", line):
            found += factors[-1] * int(loop.group(1))
            factors.append(factors[-1] * int(loop.group(1)))
            continue
        found += factors[-1] * sum(turns(called, items) for called in re.findall(r"\b(soft_\w+)\(", line))
        if line.rstrip().endswith("{"):
            factors.append(factors[-1])
        if line.strip() == "}":
            factors.pop()
    return found


def steps(name, items):
    """How many sums, products, quotients and roots it is made of."""
    if name in ("soft_add", "soft_mul", "soft_div", "soft_sqrt"):
        return 1
    called = re.findall(r"\b(soft_\w+)\(", body_of(items.get(name, "")))
    return sum(steps(one, items) for one in called)


def four(name, parameters, items):
    """The function of four elements: one after another where its code is long or has loops."""
    listed = ", ".join(f"{p}: Pair" for p, _ in parameters)
    one = renamed(name)

    def of(lane):
        return ", ".join(f"vec2<u32>({p}.lo{lane}, {p}.hi{lane})" for p, _ in parameters)

    if turns(one, items) == 0 and steps(one, items) == 0:
        lines = "".join(f"    let {k} = {one}({of('.' + k)});\n" for k in "xyzw")
        made = "Pair(vec4<u32>(x.x, y.x, z.x, w.x), vec4<u32>(x.y, y.y, z.y, w.y))"
        lines = re.sub(r"let (\w) =", r"let one_\1 =", lines)
        made = re.sub(r"\b([xyzw])\.", r"one_\1.", made)
        return f"fn {name}({listed}) -> Pair {{\n{lines}    return {made};\n}}\n"
    return f"""fn {name}({listed}) -> Pair {{
    var made = {parameters[0][0]};
    for (var lane = 0u; lane < 4u; lane++) {{
        let one = {one}({of("[lane]")});
        made.lo[lane] = one.x;
        made.hi[lane] = one.y;
    }}
    return made;
}}
"""


def make():
    source = Source()
    for file in FILES:
        text = (SHADERS / f"{file}.wgsl").read_text()
        # Signatures first: a function may use a later one.
        source.tokens, source.at = tokens(text), 0
        while source.at < len(source.tokens):
            if source.next() == "fn":
                name = source.next()
                source.expect("(")
                parameters = source.fields(")")
                source.expect("->")
                source.functions[name] = (parameters, source.type())
    for file in FILES:
        source.read((SHADERS / f"{file}.wgsl").read_text())
    rows = "".join(path.read_text() for path in sorted((ROOT / "src/op").glob("*.rs")))
    named = sorted(set(re.findall(r'native: "(double_\w+)\(', rows)) | {"double_add", "double_mul"})
    core = (SHADERS / "soft_double.wgsl").read_text()
    own = {name: text for text, name in re.findall(r"^(fn (\w+).*?^}\n)", core, re.M | re.S)}
    items = dict(source.made)
    if both := own.keys() & items.keys():
        sys.exit(f"make_soft_functions: soft_double.wgsl has functions of these names: {both}")
    # What the rows need.
    wanted, open_ = set(), [renamed(name) for name in named]
    while open_:
        name = open_.pop()
        if name in items and name not in wanted:
            wanted.add(name)
            open_ += re.findall(r"\b[Ss]oft\w+", items[name])
    parts = [text for name, text in items.items() if name in wanted]
    all_items = own | items
    fours = [four(name, source.functions[name][0], all_items) for name in named]
    parts += fours
    head = "// Made by scripts/make_soft_functions.py of the functions in double_*.wgsl, which say what they compute.\n\n"
    loops = [(name, 4 * (1 + turns(renamed(name), all_items))) for name, text in zip(named, fours) if "lane++" in text]
    return head + "\n".join(parts), loops


if __name__ == "__main__":
    text, loops = make()
    if "--turns" in sys.argv:
        # For src/op/soft.rs.
        print("".join(f'    ("{name}", {count}),\n' for name, count in loops), end="")
    elif "--check" in sys.argv:
        if MADE.read_text() != text:
            sys.exit(f"{MADE.relative_to(ROOT)} is not what scripts/make_soft_functions.py makes")
    else:
        MADE.write_text(text)
