//! Every error has its column and says what to do.

use super::*;

/// A source, the column of its error, and words of its message.
struct Broken(&'static str, usize, &'static str);

#[test]
fn errors_point_at_the_column_and_say_what_to_do() {
    let cases = [
        Broken("", 1, "empty"),
        Broken("  ", 1, "empty"),
        Broken("x +", 4, "ends where an operand"),
        Broken("x + * 2", 5, "`*` was found"),
        Broken("(x + 1", 7, "`)`"),
        Broken("x + 1)", 6, "the end was expected"),
        Broken("x row", 3, "without an operator"),
        Broken("2x", 2, "product is written with *"),
        Broken("2 x", 3, "product is written with *"),
        Broken("x(2)", 1, "not a function"),
        Broken("(x)(2)", 4, "only a function can be called"),
        Broken("x and row", 3, "write &"),
        Broken("x or row", 3, "write |"),
        Broken("not x", 1, "write ~"),
        Broken("x > 0 and b", 7, "write &"),
        Broken("x if b else row", 3, "where(condition"),
        Broken("1 < x < 3", 7, "do not chain"),
        Broken("x == row != 3", 10, "do not chain"),
        Broken("y = x", 1, "the text must end with an expression"),
        Broken("x && b", 3, "write &"),
        Broken("!x", 1, "written ~"),
        Broken("x ^ 2.5", 3, "written **"),
        Broken("x ^ 2", 3, "written **"),
        Broken("x > 0 & row > 1", 13, "do not chain"),
        Broken("x & row", 3, "(a > 0) & (b > 0)"),
        Broken("s.astype(f31)", 10, "not an element type"),
        Broken("x.astype(2)", 10, "an element type was expected"),
        Broken("x.strides", 3, "x.shape, x.size or x.ndim"),
        Broken("math.exp(x)", 1, "write exp, alone or after np."),
        Broken("x + math.pi", 5, "write pi"),
        Broken("tile(x, row)", 9, "reps must be a whole number"),
        Broken("foo(x)", 1, "not a function of the expression language"),
        Broken("x.foo()", 3, "not a function of the expression language"),
        Broken("concatenate(x, x)", 13, "takes arrays in brackets"),
        Broken(
            "swapaxes(x, 0)",
            1,
            "lacks axis2=; it takes axis1= and axis2=",
        ),
        Broken("flip(x, 0, 1)", 12, "given too much; it takes axis="),
        Broken("flip(x, k=1)", 9, "has no k=; it takes axis="),
        Broken("x.reshape(4)", 3, "6 elements cannot be reshaped"),
        Broken("x.reshape(-1, -1)", 11, "one may be -1"),
        Broken(
            "x.ravel(order='K')",
            15,
            "'C', the last axis fastest, or 'F'",
        ),
        Broken("x[(0, row)]", 7, "is no index"),
        Broken("x[1 + 0.5]", 3, "an index must be a whole number"),
        Broken("x[1 / 1]", 3, "an index must be a whole number"),
        Broken("x.astype('f4', casting='safe')", 16, "x.astype(f32)"),
        Broken("x.view(-1)", 8, "x.reshape(-1)"),
        Broken("x.fillna(0)", 3, "write nan_to_num"),
        Broken("torch.cat([x, row])", 7, "write concatenate"),
        Broken("np.Inf", 4, "write inf"),
        Broken("np.PI", 4, "write pi"),
        Broken("np.NaN", 4, "write nan"),
        Broken("vander(row)", 1, "write x[:, None] **"),
        Broken("clip(x, top=3)", 9, "it takes a=, x=, min=, a_min=, lo=,"),
        Broken("reshape(3, 1)", 1, "a number has no axes"),
        Broken("exq(x)", 1, "did you mean `exp`"),
        Broken("exp(x, row)", 1, "takes 1 operand, 2 were"),
        Broken("shl(i, x)", 1, "operand 1 is f32"),
        Broken("shl(b, x)", 1, "operand 1 is f32"),
        Broken("where(b, x)", 1, "takes 3 operands"),
        Broken("exp(x, axis=0)", 8, "takes one operand"),
        Broken("add(x, row, axis=x)", 18, "whole number"),
        Broken("add(x, row, rule='foo')", 13, "none, numpy, uni, pdpd"),
        Broken(
            "add(x, row, rule='none', axis=1)",
            26,
            "belongs to rule='pdpd'",
        ),
        Broken("add(x, row, keepdims=True)", 13, "has no keepdims="),
        Broken("x + rows", 5, "did you mean `row`?"),
        // A name that two tables have, and the names of one distance in order.
        Broken("rould(x)", 1, "; did you mean `round`?"),
        Broken("sim(x)", 1, "; did you mean `sin` or `sum`?"),
        Broken("x + zzzzzz", 5, "the inputs are x, row"),
        Broken("x + exp", 5, "needs operands: exp(...)"),
        Broken("x[b]", 3, "where(mask"),
        Broken("x[]", 3, "no index"),
        Broken("x[0", 4, "`]`"),
        Broken("x[1.5]", 3, "no index"),
        Broken("x[::0]", 5, "must not be 0"),
        Broken("x[0, 0, 0]", 2, "3 indices were given for 2 axes"),
        Broken("x[2]", 2, "out of range"),
        Broken("x.transpose(0, 2)", 13, "each axis once"),
        Broken("broadcast_to(x, (2, -3))", 17, "0 or more"),
        Broken("(x, row) + x", 3, "tuple"),
        Broken("[] + x", 1, "zeros(0)"),
        Broken("x + 'a'", 5, "quotes are only"),
        Broken("x + 'a", 5, "closing"),
        Broken("1j * x", 2, "complex"),
        Broken("0x * x", 1, "digits"),
        Broken("x * 007", 5, "begin with 0"),
        Broken("x $ 2", 3, "`$`"),
        Broken("x × 2", 3, "write *"),
        Broken("größe + x", 1, "unknown name `größe`"),
        Broken("x + ü", 5, "unknown name"),
        Broken("None + x", 1, "index"),
        Broken("clip(x)", 1, "lower and an upper"),
        Broken("clip(x)", 1, "one of the bounds may be None"),
        Broken("clip(x, None, None)", 1, "one of the bounds may be None"),
        Broken("clip(x, 1, min=0)", 12, "clip has min= twice"),
        Broken("clip(x, None, min=1)", 15, "clip has min= twice"),
        Broken(
            "clip(x, min=1, a_min=2)",
            16,
            "min= and a_min=, which are the same",
        ),
        Broken("add(x, axis=1)", 1, "takes 2 operands"),
        Broken("add(x, row, x)", 1, "takes 2 operands"),
        Broken("add(x, axis=None)", 1, "takes 2 operands"),
        Broken("add(x, row, axis=1, axis=0)", 21, "add has axis= twice"),
        Broken("add(x, row, out=x)", 13, "returns a new array"),
        Broken("add(x, row, where=b)", 13, "where(mask, add(..), x)"),
        Broken("add(x, row, dtype=f64)", 13, "add(..).astype(f32)"),
        Broken("add(x, row, rule=1)", 18, "name of a rule"),
        Broken("add_n(axis=0)", 1, "2 or more"),
        Broken("concatenate((x, x), out='unsafe')", 21, "has no out="),
        Broken("x.astype(f16, casting=True)", 15, "x.astype(f32)"),
        Broken("x.astype(f16, foo=3)", 15, "it takes dtype="),
        Broken("vecdot((x, row), x)", 10, "tuple"),
        Broken("x.flatten(3)", 11, "order must be a word in quotes"),
        Broken(
            "x.transpose(9)",
            13,
            "each axis once: of 1 axes, from -1 to 0",
        ),
        Broken("x + two", 3, "axis 1 has extents 3 and 2"),
        Broken("u + 300", 3, "out of range"),
        Broken("full(2, 300, dtype=u8)", 1, "300 is out of range for u8"),
        Broken("full(2, -1, 'u4')", 1, "-1 is out of range for u32"),
        Broken("array([1, 300], dtype=np.uint8)", 1, "300 is out of range"),
        Broken("asarray([[1], [-129]], i8)", 1, "-129 is out of range"),
        Broken(
            "x * 99999999999999999999999999999999999999999999",
            5,
            "larger than any integer",
        ),
    ];
    let mut failures = Vec::new();
    for Broken(source, column, words) in cases {
        let Err(error) = eval(source) else {
            failures.push(format!("{source}: no error"));
            continue;
        };
        let found = match &error {
            Error::Syntax { column, .. }
            | Error::UnknownName { column, .. }
            | Error::At { column, .. } => *column,
            _ => 0,
        };
        if found != column || !error.to_string().contains(words) {
            failures.push(format!(
                "{source}: expected column {column} and `{words}`: {error}"
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
