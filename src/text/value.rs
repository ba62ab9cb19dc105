//! Arguments that are not expressions: element types and whole numbers.

use super::ast::Ast;
use super::lexer::{Token, syntax};
use super::parser::Parser;
use crate::dtype::{DType, UnknownDType};
use crate::error::{Error, Result};
use crate::expr::Literal;

/// The element type of a function of NumPy's that casts, but has another name here: `np.double(x)`.
pub(super) fn casting(name: &str) -> Option<DType> {
    match name {
        // They are Python's own as well, which give no arrays.
        "int" | "float" => None,
        _ => numpy_dtype(name, false).ok().flatten(),
    }
}

/// The element type of a name that NumPy or Python has, but not this crate; in quotes NumPy's
/// digits count bytes, `'i8'` is 64 bits.
fn numpy_dtype(name: &str, quoted: bool) -> Result<Option<DType>, String> {
    let known = match name {
        "int" | "int_" | "intp" | "long" | "longlong" => DType::I64,
        "uint" | "uintp" | "ulong" | "ulonglong" => DType::U64,
        "float" | "float_" | "double" => DType::F64,
        "single" => DType::F32,
        "half" => DType::F16,
        "byte" => DType::I8,
        "ubyte" => DType::U8,
        "short" => DType::I16,
        "ushort" => DType::U16,
        "intc" => DType::I32,
        "uintc" => DType::U32,
        "complex" | "complex64" | "complex128" | "cdouble" | "csingle" => {
            return Err("complex numbers are not supported".into());
        }
        "longdouble" | "float128" => return Err("the widest float is f64".into()),
        "str" | "object" | "bytes" | "datetime64" | "timedelta64" => {
            return Err(format!(
                "{name} is not supported as an element type; use bool, an integer or a float"
            ));
        }
        _ if quoted => return coded(name),
        _ => return Ok(None),
    };
    Ok(Some(known))
}

/// The element type of NumPy's code of a letter and a number of bytes, or of a letter.
fn coded(name: &str) -> Result<Option<DType>, String> {
    let (order, code) = match name.chars().next() {
        Some(order @ ('<' | '>' | '=' | '|')) => (order, &name[1..]),
        _ => ('=', name),
    };
    let dtype = match code {
        "?" | "b1" => DType::Bool,
        "u1" | "B" => DType::U8,
        "i1" | "b" => DType::I8,
        "u2" | "H" => DType::U16,
        "i2" | "h" => DType::I16,
        "u4" | "I" => DType::U32,
        "i4" | "i" => DType::I32,
        "u8" | "L" | "Q" => DType::U64,
        "i8" | "l" | "q" => DType::I64,
        "f2" | "e" => DType::F16,
        "f4" | "f" => DType::F32,
        "f8" | "d" => DType::F64,
        _ => return Ok(None),
    };
    if order == '>' && dtype.size() > 1 {
        return Err(format!(
            "the big-endian byte order is not supported; write '{code}'"
        ));
    }
    Ok(Some(dtype))
}

fn typed(name: &str, quoted: bool) -> Result<DType, String> {
    let parsed = || {
        name.parse()
            .map_err(|unknown: UnknownDType| unknown.to_string())
    };
    numpy_dtype(name, quoted)?.map_or_else(parsed, Ok)
}

/// The element type of a name of this crate's, of NumPy's or of Python's, as `f32`, `np.float32` and
/// `float`.
///
/// # Errors
/// What is wrong with it.
#[doc(hidden)]
pub fn dtype(name: &str) -> Result<DType, String> {
    let of_module = name.strip_prefix("np.").or(name.strip_prefix("numpy."));
    typed(of_module.unwrap_or(name), false)
}

impl Parser {
    /// An element type, quoted or not, with or without `np.`.
    pub fn dtype_name(&mut self) -> Result<DType> {
        self.eat_before(&["np", "numpy"], ".");
        if self.eat_before(&["dtype"], "(") {
            let dtype = self.dtype_name()?;
            self.expect(")")?;
            return Ok(dtype);
        }
        let column = self.column();
        let (name, quoted) = match self.token().clone() {
            Token::Name(name) => (name, false),
            Token::Text(name) => (name, true),
            _ => return Err(self.unexpected("an element type")),
        };
        self.advance();
        typed(&name, quoted).map_err(|reason| syntax(column, reason))
    }

    /// `True` or `False`.
    pub fn truth(&mut self, name: &str) -> Result<bool> {
        let truth = self.eat("True");
        if !truth && !self.eat("False") {
            let reason = format!("{name} must be True or False");
            return Err(syntax(self.column(), reason));
        }
        Ok(truth)
    }

    /// The whole number that stands here, or that a name here was given.
    fn whole_here(&self) -> Option<i128> {
        match self.token() {
            Token::Int(x) => Some(*x),
            Token::Name(name) => match self.values[*self.bound.get(name)?] {
                Some(Literal::Int(x)) => Some(x),
                _ => None,
            },
            _ => None,
        }
    }

    /// A whole number, written or computed of numbers alone: `1 + 1`, `x.shape[0] // 2`.
    pub fn integer(&mut self, what: &str) -> Result<isize> {
        let column = self.column();
        match self.wholes(what, Self::written)? {
            Ok((numbers, false)) if numbers.len() == 1 => Ok(numbers[0]),
            Ok(_) => Err(syntax(column, format!("{what} must be a whole number"))),
            Err((_, error)) => Err(error),
        }
    }

    /// `(2, 3)`, `[2, 3]`, `2` or `x.shape`, and whether it is a tuple or list: `(2)` is none, `(2,)`
    /// is one.
    pub fn integers(&mut self, what: &str) -> Result<(Vec<isize>, bool)> {
        self.wholes(what, Self::several)?
            .map_err(|(_, error)| error)
    }

    /// Whole numbers as they are written, or what an expression gives; else its node and what is
    /// wrong with it. Nothing is parsed twice but literals, so that no depth multiplies the work.
    pub(super) fn wholes(
        &mut self,
        what: &str,
        written: fn(&mut Self, &str) -> Result<Several>,
    ) -> Result<Result<Several, (usize, Error)>> {
        let (column, start) = (self.column(), self.place());
        let written = written(self, what);
        if written.is_ok() && self.is_behind() {
            return written.map(Ok);
        }
        self.back_to(start);
        let node = match (self.expression(0), &written) {
            (Ok(node), _) => node,
            // Where an operand lacks, a whole number does.
            (Err(Error::Syntax { column: at, .. }), Err(error)) if at <= column => {
                return Err(error.clone());
            }
            (Err(error), _) => return Err(error),
        };
        let is_list = self.parts_of(node).is_some();
        Ok(match self.whole_numbers(node) {
            Some(numbers) => Ok((numbers, is_list)),
            None if matches!(self.values[node], Some(Literal::Int(_))) => {
                return Err(syntax(column, format!("{what} is out of range")));
            }
            None => {
                let error = || syntax(column, format!("{what} must be a whole number"));
                Err((node, written.err().unwrap_or_else(error)))
            }
        })
    }

    /// The items of a tuple or list.
    pub fn parts_of(&self, node: usize) -> Option<&[usize]> {
        match &self.nodes[node].ast {
            Ast::Tuple(items) | Ast::List(items) => Some(items),
            _ => None,
        }
    }

    /// The whole numbers that a node is, if it is one or several of them.
    pub fn whole_numbers(&self, node: usize) -> Option<Vec<isize>> {
        let items = self.parts_of(node).unwrap_or(std::slice::from_ref(&node));
        let number = |&item: &usize| match self.values[item] {
            Some(Literal::Int(x)) => isize::try_from(x).ok(),
            _ => None,
        };
        items.iter().map(number).collect()
    }

    /// Whether what stands here ends an expression.
    fn is_behind(&self) -> bool {
        matches!(
            self.token(),
            Token::Symbol(":" | "," | "]" | ")") | Token::Line | Token::End
        )
    }

    /// A whole number with or without signs and brackets, as a number bound on the command line has
    /// them: `-(-1)`.
    fn written(&mut self, what: &str) -> Result<Several> {
        let column = self.column();
        let (mut sign, mut open) = (1, 0usize);
        loop {
            match self.token() {
                Token::Symbol("-") => sign = -sign,
                Token::Symbol("+") => {}
                Token::Symbol("(") => open += 1,
                _ => break,
            }
            self.advance();
        }
        let Some(x) = self.whole_here() else {
            let found = self.token().show();
            let reason = format!("{found} was found, but {what} must be a whole number");
            return Err(syntax(self.column(), reason));
        };
        self.advance();
        for _ in 0..open {
            self.expect(")")?;
        }
        let number = isize::try_from(sign * x);
        let number = number.map_err(|_| syntax(column, format!("{what} is out of range")))?;
        Ok((vec![number], false))
    }

    /// `(2, 3)`, `[2, 3]` or `2`.
    pub(super) fn several(&mut self, what: &str) -> Result<Several> {
        let close = match self.token() {
            Token::Symbol("(") => ")",
            Token::Symbol("[") => "]",
            _ => return self.written(what),
        };
        self.advance();
        let (mut out, mut has_comma) = (Vec::new(), false);
        while !self.eat(close) {
            out.extend(self.written(what)?.0);
            if !self.eat(",") {
                self.expect(close)?;
                break;
            }
            has_comma = true;
        }
        let is_list = has_comma || close == "]" || out.is_empty();
        Ok((out, is_list))
    }
}

/// Whole numbers, and whether they stand in a tuple or list.
pub(super) type Several = (Vec<isize>, bool);
