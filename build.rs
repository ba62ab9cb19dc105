//! Makes a method of `Expr` of each line of `src/text/functions/functions.txt`: its required
//! parameters and its axis are arguments, `Expr::with` gives the others. The example of the line,
//! in Rust, is the method's doc test, which compares it with the example in the language.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// Functions whose methods are written in Rust, with arguments of Rust's types.
const IN_RUST: &str = "all any argmax argmin argsort concat count_nonzero cumprod cumsum expand identity logsumexp matmul \
    max mean min prod reciprocal reshape round searchsorted select sort stack std sum take transpose var";

/// The shape of an expression is several numbers, none of which is an expression; of a tensor it is
/// `Tensor::shape`.
const NO_METHOD: &str = "shape";

/// Functions that make arrays of numbers: their first argument is no array.
const OF_NUMBERS: &str = "arange array asarray ascontiguousarray linspace";

/// Functions whose examples are not a call alone: an example in Rust, and the same in the language.
const EXAMPLES: &[(&str, &str, &str)] = &[
    ("len", "x.sum(0) / x.len()", "x.sum(0) / len(x)"),
    ("ndim", "x.sum(0) / x.ndim()", "x.sum(0) / x.ndim"),
    ("size", "&x / x.size()", "x / x.size"),
];

/// Parts of examples that are written otherwise in Rust.
const PARTS: &[(&str, &str)] = &[
    ("v * 2", "&v * 2"),
    ("x.T", "x.transpose()"),
    ("x[0]", "x.slice(0)"),
    ("x[:1]", "x.slice(..1)"),
    ("x[:, :3]", "x.slice((.., ..3))"),
    ("y[:, :3]", "y.slice((.., ..3))"),
    ("argsort(x)", "x.argsort(-1)"),
    ("[1, 2.5, 4]", "[1.0, 2.5, 4.0]"),
    ("f32", "DType::F32"),
    ("None", ".."),
];

/// A method's doc test.
const TEST: &str = r#"```
# use zerostride::{DType, Expr, HostTensor, Rule, reference, text};
# let names = ["x", "y", "v", "i", "m"];
# let [x, y, v, i, m] = [0, 1, 2, 3, 4].map(Expr::slot);
# let floats = |first: f32| (0..12).flat_map(move |n| (first + n as f32 * 0.75).to_le_bytes());
# let inputs = [
#     HostTensor::new(DType::F32, [3, 4], floats(-4.0).collect())?,
#     HostTensor::new(DType::F32, [3, 4], floats(0.5).collect())?,
#     HostTensor::new(DType::F32, [4], floats(1.0).take(16).collect())?,
#     HostTensor::new(DType::I32, [3, 4], (-4..8i32).flat_map(i32::to_le_bytes).collect())?,
#     HostTensor::new(DType::Bool, [3, 4], vec![1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1])?,
# ];
let found = RUST;
# BOTH
# let input = |i: usize| (inputs[i].dtype, inputs[i].layout.shape().clone());
# let wanted = text::parse("LANGUAGE")?.bind_to(&names, input, &Rule::Numpy)?;
# assert_eq!(reference::run(&found, &inputs)?.bytes, reference::run(&wanted, &inputs)?.bytes);
# let _ = (x, y, v, i, m);
# Ok::<(), zerostride::Error>(())
```"#;

/// A line of the table.
struct Function<'a> {
    name: &'a str,
    parameters: Vec<Parameter<'a>>,
    example: &'a str,
    doc: &'a str,
}

#[derive(Clone, Copy)]
struct Parameter<'a> {
    name: &'a str,
    kind: &'a str,
    /// Its default, empty for `None`.
    default: Option<&'a str>,
    /// Whether a call gives it only by its name.
    is_named: bool,
}

fn main() {
    let table = "src/text/functions/functions.txt";
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={table}");
    let text = fs::read_to_string(table).expect("the table of functions");
    let mut out = String::from("impl<L> Expr<L> {\n");
    for function in text.lines().filter_map(Function::read) {
        function.method(&mut out);
    }
    out.push_str("}\n");
    let folder = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&folder).join("functions.rs"), out).expect("the methods");
}

fn is_one_of(name: &str, words: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}

impl<'a> Function<'a> {
    /// The function of a line, if its method is made here.
    fn read(line: &'a str) -> Option<Self> {
        if line.starts_with([' ', '#', '_']) {
            return None;
        }
        let mut parts = line.split(" :: ");
        let (name, parameters) = parts.next()?.split_once('(')?;
        let (example, doc) = (parts.next()?, parts.next()?);
        if is_one_of(name, IN_RUST) || is_one_of(name, NO_METHOD) {
            return None;
        }
        let parameters = parameters.split(')').next()?;
        let (by_place, by_name) = parameters.split_once('*').unwrap_or((parameters, ""));
        let of = |text: &'a str, is_named| {
            let all = text.split(", ").filter(|text| !text.is_empty());
            all.map(move |text| Parameter::read(text, is_named))
        };
        Some(Self {
            name,
            parameters: of(by_place, false).chain(of(by_name, true)).collect(),
            example,
            doc,
        })
    }

    fn is_method(&self) -> bool {
        let kind = self.parameters.first().map(|p| p.kind);
        matches!(kind, Some("" | "viewed" | "reduced")) && !is_one_of(self.name, OF_NUMBERS)
    }

    /// Whether it has two results, of which the example shows the first.
    fn is_of_two(&self) -> bool {
        self.example.ends_with(")[0]")
    }

    fn method(&self, out: &mut String) {
        let Self { name, .. } = self;
        let own = usize::from(self.is_method());
        let (arguments, others): (Vec<_>, Vec<_>) =
            self.parameters[own..].iter().partition(|p| p.is_argument());
        self.docs(out, &others);
        let mut taken: Vec<String> = vec!["&self".into(); own];
        let typed = |p: &&Parameter<'_>| format!("{}: impl Into<Argument<L>>", p.rust_name());
        taken.extend(arguments.iter().map(typed));
        let mut given: Vec<String> = vec!["Argument::from(self)".into(); own];
        for p in &arguments {
            given.push(format!("{}.into()", p.rust_name()));
        }
        let is_left_out = |p: &Parameter<'_>| p.is_named || !p.is_argument();
        let to_axis = self.parameters.iter().position(|p| p.name == "axis");
        let by_name = to_axis.is_some_and(|at| self.parameters[own..=at].iter().any(is_left_out));
        if by_name {
            given.pop();
        }
        let (result, maker) = match self.is_of_two() {
            true => ("[Self; 2]", "results"),
            false => ("Self", "call"),
        };
        let mut body = format!("Self::{maker}(\"{name}\", [{}])", given.join(", "));
        if by_name {
            body += ".with(\"axis\", axis)";
        }
        writeln!(
            out,
            "    pub fn {name}({}) -> {result} {{\n        {body}\n    }}\n",
            taken.join(", ")
        )
        .expect("a string takes it");
    }

    fn docs(&self, out: &mut String, others: &[&Parameter<'_>]) {
        let mut line = |text: &str| {
            writeln!(out, "    /// {text}").expect("a string takes it");
        };
        line(&self.doc.replace('[', "\\["));
        line("");
        let others: Vec<String> = others
            .iter()
            .filter(|p| p.kind != "absent")
            .map(|p| format!("`{}`", p.name.replace('|', "` or `")))
            .collect();
        let further = match others.is_empty() {
            true => String::new(),
            false => format!(" [`with`](Self::with) gives {}.", others.join(", ")),
        };
        line(&format!("`{}` in the language.{further}", self.example));
        line("");
        let (rust, language) = self.examples();
        let both = match self.is_of_two() {
            true => "let [found, _] = found;",
            false => "",
        };
        let test = TEST
            .replace("RUST", &rust)
            .replace("LANGUAGE", language)
            .replace("BOTH", both);
        test.lines().for_each(line);
    }

    /// An example in Rust, and in the language.
    fn examples(&self) -> (String, &'a str) {
        match EXAMPLES.iter().find(|(name, ..)| *name == self.name) {
            Some((_, rust, language)) => ((*rust).into(), *language),
            None => (self.example_in_rust(), self.example),
        }
    }

    /// The call of the example in Rust.
    fn example_in_rust(&self) -> String {
        let call = self.example.strip_prefix("np.").unwrap_or(self.example);
        let call = call.strip_suffix("[0]").unwrap_or(call);
        let (head, arguments) = call.split_once('(').expect("a call");
        let arguments = arguments.strip_suffix(')').expect("its bracket");
        let mut arguments: Vec<&str> = split(arguments);
        let receiver = match head.split_once('.') {
            Some((receiver, _)) => receiver.to_owned(),
            None if self.is_method() => in_rust(arguments.remove(0)).trim_start_matches('&').into(),
            None => "Expr::".into(),
        };
        let dot = if receiver.ends_with(':') { "" } else { "." };
        let own = usize::from(self.is_method());
        let is_taken = |p: &&Parameter<'_>| p.is_argument();
        let taken: Vec<&Parameter<'_>> = self.parameters[own..].iter().filter(is_taken).collect();
        let default = |p: &&Parameter<'_>| {
            p.default
                .filter(|d| !d.is_empty())
                .unwrap_or("..")
                .to_owned()
        };
        let mut given: Vec<String> = taken.iter().map(default).collect();
        let mut more = String::new();
        for (n, argument) in arguments.into_iter().enumerate() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name, value),
                None => (self.parameters[own + n].name, argument),
            };
            match taken.iter().position(|p| p.name == name) {
                Some(place) => given[place] = in_rust(value),
                None => more += &format!(".with(\"{name}\", {})", in_rust(value)),
            }
        }
        format!("{receiver}{dot}{}({}){more}", self.name, given.join(", "))
    }
}

impl<'a> Parameter<'a> {
    fn read(text: &'a str, is_named: bool) -> Self {
        let (head, default) = match text.split_once('=') {
            Some((head, default)) => (head, Some(default)),
            None => (text, None),
        };
        let (name, kind) = head.split_once(':').unwrap_or((head, ""));
        Self {
            name,
            kind,
            default,
            is_named,
        }
    }

    /// Whether the method takes it.
    fn is_argument(&self) -> bool {
        self.default.is_none() || self.name == "axis"
    }

    fn rust_name(&self) -> String {
        self.name.to_ascii_lowercase()
    }
}

/// What stands between the commas outside of brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// An argument of an example in Rust.
fn in_rust(value: &str) -> String {
    if let Some((_, rust)) = PARTS.iter().find(|(of, _)| *of == value) {
        return (*rust).into();
    }
    let inner = value
        .get(1..value.len().saturating_sub(1))
        .unwrap_or_default();
    match value.chars().next() {
        Some('(' | '[') => {
            let items: Vec<String> = split(inner).into_iter().map(in_rust).collect();
            format!("[{}]", items.join(", "))
        }
        Some('\'') => format!("\"{inner}\""),
        Some(c) if c.is_alphabetic() => match value {
            "True" | "False" => value.to_ascii_lowercase(),
            name => format!("&{name}"),
        },
        _ => value.into(),
    }
}
