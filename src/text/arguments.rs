//! Calls of operators: positional and named operands, and keyword arguments.

use super::ast::Ast;
use super::lexer::{Token, syntax};
use super::parameters::by_place;
use super::parser::Parser;
use crate::error::{Error, Result};
use crate::expr::{Composed, Literal};
use crate::op::{Arity, Op};
use crate::rule::Rule;

/// The operands and keywords of an operator's call.
#[derive(Default)]
struct Arguments {
    /// By their places; an operand that is given as `None` is `Some(None)`.
    operands: Vec<Option<Option<usize>>>,
    /// Whether one of them is given by name.
    by_name: bool,
    /// `axis=`, with its column.
    axis: Option<(i64, usize)>,
    /// `rule=`, with its column.
    rule: Option<(String, usize)>,
}

/// The names of clip's operands.
const CLIP: [&[&str]; 3] = [
    &["a", "x"],
    &["min", "a_min", "lo"],
    &["max", "a_max", "hi"],
];

impl Arguments {
    /// Puts an operand in its place; returns whether the place was free.
    fn put(&mut self, place: usize, operand: Option<usize>) -> bool {
        if self.operands.len() <= place {
            self.operands.resize(place + 1, None);
        }
        self.operands[place].replace(operand).is_none()
    }

    /// The rule that the keywords name.
    fn rule(&self, name: &str) -> Result<Option<Rule>> {
        let axis = self.axis.map(|(axis, _)| axis);
        let Some((text, column)) = &self.rule else {
            return Ok(axis.map(|axis| Rule::Pdpd { axis }));
        };
        match (Rule::spelled(text), self.axis) {
            (Some(Rule::Pdpd { axis: own }), _) => Ok(Some(Rule::Pdpd {
                axis: axis.unwrap_or(own),
            })),
            (Some(_), Some((_, column))) => {
                let reason = format!("{name}: axis= belongs to rule='pdpd'");
                Err(syntax(column, reason))
            }
            (Some(rule), None) => Ok(Some(rule)),
            (None, _) => {
                let known = Rule::spellings().join(", ");
                let reason = format!("`{text}` is not a rule; use one of {known}");
                Err(syntax(*column, reason))
            }
        }
    }
}

impl Parser {
    /// The step of an operator's call, up to the closing bracket, which is passed. A method's first
    /// operand stands in front.
    pub fn operation(
        &mut self,
        name: &str,
        op: Op,
        column: usize,
        first: Option<usize>,
    ) -> Result<usize> {
        let found = self.arguments(name, op, first)?;
        let rule = found.rule(name)?.or_else(|| self.rule.clone());
        let mut operands: Vec<_> = found.operands.iter().map(|o| o.flatten()).collect();
        let given = operands.iter().flatten().count();
        let op = match (name, operands.as_slice()) {
            ("clip", [Some(_), Some(_), Some(_)]) => Op::CLIP,
            ("clip", [Some(_), Some(_)] | [Some(_), Some(_), None]) => Op::MAXIMUM,
            ("clip", [Some(_), None, Some(_)]) => Op::MINIMUM,
            ("clip", _) => {
                let reason = "clip takes an operand, a lower and an upper bound, and one of the bounds \
                              may be None";
                return Err(syntax(column, reason));
            }
            ("where", [Some(_)]) => {
                let reason = "where takes three operands, where(mask, a, b); shapes cannot depend on a mask's \
                              elements";
                return Err(syntax(column, reason));
            }
            _ => op,
        };
        if name != "clip" {
            self.complete(name, op, column, &mut operands, found.by_name)?;
        }
        let args: Vec<usize> = operands.into_iter().flatten().collect();
        if let (1, Some((_, column))) = (given, found.axis) {
            let reason =
                format!("axis= places the second operand's axes, but {name} takes one operand");
            return Err(syntax(column, reason));
        }
        let of_numbers = !self.is_within && args.iter().all(|&a| self.of_numbers[a]);
        let step = self.push(column, Ast::Step { op, args, rule });
        // Python's own functions give numbers as Python has them.
        Ok(match of_numbers && !matches!(name, "abs" | "pow") {
            true => self.push(column, Ast::Composed(Composed::Called, vec![step])),
            false => step,
        })
    }

    /// Adds the defaults of operands that are left out.
    fn complete(
        &mut self,
        name: &str,
        op: Op,
        column: usize,
        operands: &mut Vec<Option<usize>>,
        by_name: bool,
    ) -> Result<()> {
        let found = operands.iter().flatten().count();
        let arity = |expected: String| {
            let op = name.into();
            Err(Error::Arity {
                op,
                expected,
                found,
            }
            .at(column))
        };
        let Arity::Exactly(n) = op.arity() else {
            return match found {
                0 => arity("2 or more".into()),
                _ => Ok(()),
            };
        };
        let first = n - op.defaults().len();
        operands.resize(n.max(operands.len()), None);
        for (operand, &x) in operands[first..].iter_mut().zip(op.defaults()) {
            operand.get_or_insert_with(|| self.push(column, Ast::Number(Literal::Float(x))));
        }
        match operands.iter().position(Option::is_none) {
            None if operands.len() == n => Ok(()),
            Some(i) if by_name => {
                let reason = format!("{name} lacks its operand {}", op.operands()[i]);
                Err(syntax(column, reason))
            }
            _ if first < n => arity(format!("{first} to {n}")),
            _ => arity(n.to_string()),
        }
    }

    /// Operands and keywords up to the closing bracket, which is passed.
    fn arguments(&mut self, name: &str, op: Op, first: Option<usize>) -> Result<Arguments> {
        let clip = name == "clip";
        let mut found = Arguments::default();
        let mut next = 0;
        if first.is_some() {
            found.put(0, first);
            next = 1;
        }
        while !self.eat(")") {
            let column = self.column();
            let (mut place, mut written) = (next, None);
            if self.is_named()
                && let Token::Name(key) = self.token().clone()
            {
                let named = match clip {
                    true => CLIP.iter().position(|names| names.contains(&key.as_str())),
                    false => op.operands().iter().position(|operand| *operand == key),
                };
                self.advance();
                self.advance();
                match (named, key.as_str()) {
                    (Some(named), _) => place = named,
                    (None, "axis") if found.axis.is_none() => {
                        found.axis = Some((self.integer("an axis")? as i64, column));
                        self.separator()?;
                        continue;
                    }
                    (None, "rule") if found.rule.is_none() => {
                        let (Token::Text(rule) | Token::Name(rule)) = self.token().clone() else {
                            return Err(self.unexpected("the name of a rule"));
                        };
                        self.advance();
                        found.rule = Some((rule, column));
                        self.separator()?;
                        continue;
                    }
                    (None, "axis" | "rule") => {
                        return Err(syntax(column, format!("{name} has {key}= twice")));
                    }
                    (None, "x1" | "x2") => return Err(by_place(name, &key, column)),
                    (None, key) => return Err(syntax(column, no_keyword(name, op, key))),
                }
                found.by_name = true;
                written = Some(key);
            } else {
                next += 1;
            }
            let operand = match clip && self.eat("None") {
                true => None,
                false => Some(self.expression(0)?),
            };
            if !found.put(place, operand) {
                let key = written.unwrap_or_else(|| op.operands()[place].into());
                let reason = format!("{name} has {key}= twice");
                return Err(syntax(column, reason));
            }
            self.separator()?;
        }
        Ok(found)
    }
}

/// The error of a keyword that an operator does not have.
fn no_keyword(name: &str, op: Op, key: &str) -> String {
    let instead = match key {
        "dtype" => format!("cast the result or the operands: {name}(..).astype(f32)"),
        "where" => format!("write where(mask, {name}(..), x)"),
        "keepdims" | "out" | "initial" => {
            "it works element by element and returns a new array".into()
        }
        _ if name == "clip" => "it takes a=, min= and max=".into(),
        _ => {
            let own = op
                .operands()
                .iter()
                .skip(op.operands().len() - op.defaults().len());
            let own: String = own.map(|operand| format!("{operand}=, ")).collect();
            format!("it takes {own}axis= and rule=")
        }
    };
    format!("{name} has no {key}=; {instead}")
}
