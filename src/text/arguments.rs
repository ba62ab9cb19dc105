//! The arguments of a call: operands by place and by name, and keywords.

use std::collections::HashSet;

use super::lexer::{Token, syntax};
use super::parameters::by_place;
use super::parser::Parser;
use crate::error::Result;
use crate::rule::Rule;

/// The operands and keywords of an operator's call.
#[derive(Default)]
pub struct Arguments {
    /// `None` if `None` was written, for an omitted bound.
    pub operands: Vec<Option<usize>>,
    /// `axis=`, with its column.
    pub axis: Option<(i64, usize)>,
    /// `rule=`, with its column.
    pub rule: Option<(String, usize)>,
    /// The keywords that were given.
    pub keywords: HashSet<String>,
    /// The bounds of clip by name.
    pub bounds: [Option<usize>; 2],
    /// Other operands by name, with their columns.
    pub named: Vec<(String, usize, usize)>,
}

impl Arguments {
    /// The rule that a call's keywords name.
    pub fn rule(&self, name: &str) -> Result<Option<Rule>> {
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
                let reason = format!("`{text}` is not a rule; these are: {known}");
                Err(syntax(*column, reason))
            }
        }
    }
}

impl Parser {
    /// Operands and keywords up to the closing bracket, which is passed.
    pub fn arguments(&mut self, name: &str, mut found: Arguments) -> Result<Arguments> {
        let clip = name == "clip";
        let row = self.function(name).filter(|_| !clip);
        while !self.eat(")") {
            let column = self.column();
            if let (Token::Name(key), Token::Symbol("=")) = (self.token().clone(), self.ahead(1)) {
                self.advance();
                self.advance();
                if !found.keywords.insert(key.clone()) {
                    return Err(syntax(column, format!("{name} has {key}= twice")));
                }
                match key.as_str() {
                    "axis" => found.axis = Some((self.integer("an axis")? as i64, column)),
                    "rule" => match self.token().clone() {
                        Token::Text(rule) | Token::Name(rule) => {
                            self.advance();
                            found.rule = Some((rule, column));
                        }
                        _ => return Err(self.unexpected("the name of a rule")),
                    },
                    key if row.is_some_and(|op| op.operands().contains(&key)) => {
                        let operand = self.expression(0)?;
                        found.named.push((key.into(), operand, column));
                    }
                    "a" if clip && found.operands.is_empty() => {
                        found.operands.push(Some(self.expression(0)?));
                    }
                    "x1" | "x2" => {
                        return Err(by_place(name, &key, column));
                    }
                    "min" | "a_min" | "lo" if clip => found.bounds[0] = self.bound()?,
                    "max" | "a_max" | "hi" if clip => found.bounds[1] = self.bound()?,
                    "keepdims" | "out" | "where" | "dtype" | "initial" => {
                        let instead = match key.as_str() {
                            "dtype" => {
                                format!("cast the result or the operands: {name}(..).astype(f32)")
                            }
                            "where" => format!("write where(mask, {name}(..), x)"),
                            _ => "it works element by element and returns a new array".into(),
                        };
                        let reason = format!("{name} has no {key}=; {instead}");
                        return Err(syntax(column, reason));
                    }
                    _ => {
                        let own = row.map_or(&[][..], |op| {
                            &op.operands()[op.operands().len() - op.defaults().len()..]
                        });
                        let own: String =
                            own.iter().map(|operand| format!("{operand}=, ")).collect();
                        return Err(syntax(
                            column,
                            match clip {
                                true => format!("clip has no {key}=; it takes a=, min= and max="),
                                false => {
                                    format!("{name} has no {key}=; it takes {own}axis= and rule=")
                                }
                            },
                        ));
                    }
                }
            } else {
                let operand = if clip {
                    self.bound()?
                } else {
                    Some(self.expression(0)?)
                };
                found.operands.push(operand);
            }
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(found)
    }

    /// An operand, or `None`.
    fn bound(&mut self) -> Result<Option<usize>> {
        if matches!(self.token(), Token::Name(n) if n == "None") {
            self.advance();
            return Ok(None);
        }
        self.expression(0).map(Some)
    }
}
