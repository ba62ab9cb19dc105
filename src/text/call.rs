//! Calls: operators by name, and casts, as functions and as methods.

use super::arguments::Arguments;
use super::ast::{Ast, TextNode};
use super::lexer::{Token, syntax};
use super::parser::Parser;
use super::{advice, functions, hints, names, reductions, value};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Composed, Literal};
use crate::op::{Arity, Op};
use crate::view::View;

impl Parser {
    /// The call of a function, its bracket passed.
    pub fn call(&mut self, name: &str, column: usize) -> Result<usize> {
        self.called
            .extend(hints::spelled(name).map(|name| (column, name)));
        if let Some(reduction) = reductions::named(name) {
            let x = self.first_operand(name)?;
            return self.reduction(reduction, column, x);
        }
        if let Some(function) = functions::named(name) {
            return self.composed(function, column, None);
        }
        if names::SPECIAL.contains(&name) {
            let x = self.expression(0)?;
            self.expect(",")?;
            let dtype = self.dtype()?;
            return self.cast(x, dtype, name == "bit_cast", column);
        }
        let dtype = name.parse::<DType>().ok().or_else(|| value::casting(name));
        if let (None, Some(dtype)) = (self.function(name), dtype) {
            let x = self.expression(0)?;
            return self.cast(x, dtype, false, column);
        }
        let op = self.operator(name, column)?;
        let arguments = self.arguments(name, Arguments::default())?;
        self.apply(name, op, column, arguments)
    }

    /// The operator of a name, none of the special functions.
    fn operator(&self, name: &str, column: usize) -> Result<Option<Op>> {
        match self.function(name) {
            None if !names::SPECIAL.contains(&name) => Err(Error::UnknownName {
                column,
                name: name.into(),
                hint: self.function_hint(name),
            }),
            op => Ok(op),
        }
    }

    /// A cast, or the bits as another type, up to the closing bracket, which is passed.
    fn cast(&mut self, x: usize, dtype: DType, of_bits: bool, column: usize) -> Result<usize> {
        self.eat(",");
        self.expect(")")?;
        let ast = match of_bits {
            true => Ast::BitCast(x, dtype),
            false => Ast::Cast(x, dtype),
        };
        Ok(self.push(column, ast))
    }

    /// What a view or a reduction is taken of, and the comma behind it.
    pub fn first_operand(&mut self, name: &str) -> Result<usize> {
        if self.is_named() {
            let reason = format!("the array that {name} takes stands first, without a name");
            return Err(syntax(self.column(), reason));
        }
        let x = self.expression(0)?;
        self.separator()?;
        Ok(x)
    }

    /// `.T`, `.astype(..)`, or a function written behind its first operand.
    pub fn method(&mut self, x: usize) -> Result<usize> {
        self.advance();
        let column = self.column();
        let Token::Name(name) = self.token().clone() else {
            return Err(self.unexpected("the name of a method"));
        };
        self.advance();
        match name.as_str() {
            "T" => return Ok(self.push(column, Ast::View(x, View::Transpose))),
            // Every array is real.
            "real" => return Ok(x),
            "shape" | "size" | "ndim" if *self.token() != Token::Symbol("(") => {
                return self.of_shape(x, &name, column);
            }
            "mT" => return Ok(self.push(column, Ast::View(x, View::SwapAxes(-2, -1)))),
            _ => {}
        }
        let module = self.no_module(x, &name);
        if !self.eat("(") {
            return Err(module.unwrap_or_else(|| no_method(name, column)));
        }
        self.called
            .extend(hints::spelled(&name).map(|name| (column, name)));
        if matches!(name.as_str(), "astype" | "view" | "bit_cast") {
            return self.cast_method(x, &name, column);
        }
        let made = if let Some(reduction) = reductions::named(&name) {
            self.reduction(reduction, column, x)
        } else if let Some(function) = functions::named(&name) {
            self.composed(function, column, Some(x))
        } else {
            let op = self.operator(&name, column)?;
            let first = Arguments {
                operands: vec![Some(x)],
                ..Arguments::default()
            };
            let arguments = self.arguments(&name, first)?;
            self.apply(&name, op, column, arguments)
        };
        made.map_err(|error| module.unwrap_or(error))
    }

    /// The error of an operand in front of a function that is no array but a module of Python's.
    fn no_module(&self, x: usize, function: &str) -> Option<Error> {
        let TextNode {
            ast: Ast::Name(module),
            column,
            ..
        } = &self.nodes[x]
        else {
            return None;
        };
        // `scipy.special.erf` too.
        let inner = match (self.token(), self.ahead(1)) {
            (Token::Symbol("."), Token::Name(inner)) => hints::module_hint(module, inner),
            _ => None,
        };
        Some(Error::UnknownName {
            column: *column,
            name: module.clone(),
            hint: hints::module_hint(module, function).or(inner)?,
        })
    }

    /// `.astype(..)` and `.view(..)`, the bracket passed.
    fn cast_method(&mut self, x: usize, name: &str, column: usize) -> Result<usize> {
        if name == "view" && matches!(self.token(), Token::Int(_) | Token::Symbol("-" | "(")) {
            let reason = "view takes an element type, x.view(u32); other extents are x.reshape(-1)";
            return Err(syntax(self.column(), reason));
        }
        let dtype = self.dtype()?;
        if name == "astype" {
            self.how_to_cast()?;
        }
        self.cast(x, dtype, name != "astype", column)
    }

    /// What astype takes behind the type and what changes nothing: `copy=False`, `casting='unsafe'`.
    fn how_to_cast(&mut self) -> Result<()> {
        while *self.token() == Token::Symbol(",") && *self.ahead(2) == Token::Symbol("=") {
            self.advance();
            let (column, key) = (self.column(), self.token().clone());
            self.advance();
            self.advance();
            let harmless = match (&key, self.token()) {
                (Token::Name(key), Token::Name(truth)) if key == "copy" || key == "subok" => {
                    truth == "True" || truth == "False"
                }
                (Token::Name(key), Token::Text(order)) if key == "order" => {
                    order == "C" || order == "K"
                }
                (Token::Name(key), Token::Text(rule)) if key == "casting" => rule == "unsafe",
                _ => false,
            };
            if !harmless {
                let reason = "astype takes the type alone, and casts as NumPy's casting='unsafe': x.astype(f32)";
                return Err(syntax(column, reason));
            }
            self.advance();
        }
        Ok(())
    }

    /// The step of a call.
    fn apply(
        &mut self,
        name: &str,
        op: Option<Op>,
        column: usize,
        mut found: Arguments,
    ) -> Result<usize> {
        let rule = found.rule(name)?;
        if name == "clip" {
            match (found.operands.len(), found.bounds) {
                (1, bounds) => found.operands.extend(bounds),
                (2, [None, high]) => found.operands.push(high),
                (_, [None, None]) => {}
                _ => {
                    return Err(syntax(
                        column,
                        "clip has a bound twice, by place and by name",
                    ));
                }
            }
        }
        let arity = |expected: &str, count: usize| {
            Error::Arity {
                op: name.into(),
                expected: expected.into(),
                found: count,
            }
            .at(column)
        };
        let op = match (name, found.operands.as_slice()) {
            ("clip", [Some(_), Some(_), Some(_)]) => Op::CLIP,
            ("clip", [Some(_), Some(_), None]) => Op::MAXIMUM,
            ("clip", [Some(_), None, Some(_)]) => Op::MINIMUM,
            ("clip", _) => {
                let reason = "clip takes an operand, a lower and an upper bound, and one of the bounds \
                              may be None";
                return Err(syntax(column, reason));
            }
            ("where", [Some(_)]) if found.named.is_empty() => {
                let reason = "where takes three operands, where(mask, a, b); the places of a mask are no array of a \
                              known shape";
                return Err(syntax(column, reason));
            }
            _ => op.ok_or_else(|| syntax(column, format!("{name} cannot be called like this")))?,
        };
        let mut args: Vec<usize> = found.operands.into_iter().flatten().collect();
        let given = args.len() + found.named.len();
        self.complete(name, op, column, &mut args, &found.named)?;
        match op.arity() {
            Arity::Variadic if args.is_empty() => return Err(arity("2 or more", 0)),
            Arity::Exactly(n) if n != args.len() => {
                let fewest = n - op.defaults().len();
                let expected = if fewest < n {
                    format!("{fewest} to {n}")
                } else {
                    n.to_string()
                };
                return Err(arity(&expected, given));
            }
            _ => {}
        }
        if let (1, Some((_, column))) = (given, found.axis) {
            let reason =
                format!("axis= says where the second operand's axes sit, and {name} has only one");
            return Err(syntax(column, reason));
        }
        let of_numbers = args.iter().all(|&a| self.of_numbers[a]);
        let step = self.push(column, Ast::Step { op, args, rule });
        // Python's own functions give numbers as Python has them.
        Ok(match of_numbers && !matches!(name, "abs" | "pow") {
            true => self.push(column, Ast::Composed(Composed::Called, vec![step])),
            false => step,
        })
    }

    /// Adds the operands that are given by name, and the defaults of those left out.
    fn complete(
        &mut self,
        name: &str,
        op: Op,
        column: usize,
        args: &mut Vec<usize>,
        named: &[(String, usize, usize)],
    ) -> Result<()> {
        if let Some((key, _, column)) = named
            .iter()
            .find(|(key, ..)| op.operands().iter().take(args.len()).any(|o| o == key))
        {
            return Err(syntax(
                *column,
                format!("{name} has {key} twice, by place and by name"),
            ));
        }
        let first = op.operands().len() - op.defaults().len();
        for (i, operand) in op.operands().iter().enumerate().skip(args.len()) {
            match named.iter().find(|(key, ..)| key == operand) {
                Some((_, node, _)) => args.push(*node),
                None if i >= first => {
                    let number = Ast::Number(Literal::Float(op.defaults()[i - first]));
                    let number = self.push(column, number);
                    args.push(number);
                }
                None if named.is_empty() => return Ok(()),
                None => {
                    return Err(syntax(
                        column,
                        format!("{name} lacks its operand {operand}"),
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The error of a method that is not called, or is none.
fn no_method(name: String, column: usize) -> Error {
    let hint = match (advice::instead(&name), name.as_str()) {
        (Some(instead), _) => instead,
        (None, "view" | "astype" | "bit_cast") => {
            format!("; it takes an element type: .{name}(u32)")
        }
        _ => "; the methods are .T, .mT, .astype(..), .view(..), and views and functions with their brackets".into(),
    };
    Error::UnknownName { column, name, hint }
}
