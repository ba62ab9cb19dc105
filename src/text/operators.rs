//! The operators between two operands, with Python's precedence.

use crate::op::Op;

/// An operator between two operands: it takes a left operand that binds at least as tightly as
/// `left`, and a right one that binds at least as tightly as `right`.
pub(super) struct Infix {
    /// `None` for the matrix product.
    pub op: Option<Op>,
    pub left: u8,
    pub right: u8,
}

/// Unary `+`, `-` and `~` bind more tightly than `*` and less than `**`.
pub(super) const UNARY: u8 = 15;
/// Comparisons bind least.
pub(super) const COMPARISON: u8 = 1;

/// The operator of a symbol.
pub(super) fn infix(symbol: &str) -> Option<Infix> {
    let (op, left, right) = match symbol {
        "<" => (Op::LESS, COMPARISON, 2),
        "<=" => (Op::LESS_OR_EQUAL, COMPARISON, 2),
        ">" => (Op::GREATER, COMPARISON, 2),
        ">=" => (Op::GREATER_OR_EQUAL, COMPARISON, 2),
        "==" => (Op::EQUAL, COMPARISON, 2),
        "!=" => (Op::NOT_EQUAL, COMPARISON, 2),
        "|" => (Op::BIT_OR, 3, 4),
        "^" => (Op::BIT_XOR, 5, 6),
        "&" => (Op::BIT_AND, 7, 8),
        "<<" => (Op::SHL, 9, 10),
        ">>" => (Op::SHR, 9, 10),
        "+" => (Op::ADD, 11, 12),
        "-" => (Op::SUB, 11, 12),
        "*" => (Op::MUL, 13, 14),
        "/" => (Op::DIV, 13, 14),
        "//" => (Op::FLOOR_DIV, 13, 14),
        "%" => (Op::MOD, 13, 14),
        "**" => (Op::POW, 17, 16),
        "@" => {
            return Some(Infix {
                op: None,
                left: 13,
                right: 14,
            });
        }
        _ => return None,
    };
    let op = Some(op);
    Some(Infix { op, left, right })
}

/// What to write instead of a symbol that is no operator here.
pub(super) fn symbol_hint(symbol: &str) -> Option<&'static str> {
    Some(match symbol {
        "=" => "`=` is allowed only after a name that starts a statement; compare with ==",
        ":=" => "`:=` is not supported; give a value a name in a statement: y = x + 1; y * 2",
        "<>" => "write !=",
        "&&" => "write & and brackets: (a > 0) & (b > 0)",
        "||" => "write | and brackets: (a > 0) | (b > 0)",
        "!" => "`not` is written ~",
        "?" => "write where(condition, a, b)",
        _ => return None,
    })
}

/// What to write instead of `+=` and the like.
pub(super) fn in_place(symbol: &str) -> String {
    format!("`{symbol}=` is not supported; give the new value a name of its own: x1 = x {symbol} y")
}
