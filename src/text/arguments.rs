//! Calls of operators.

use super::ast::Ast;
use super::function::{Function, Passed};
use super::lexer::syntax;
use super::parser::Parser;
use crate::error::{Error, Result};
use crate::expr::{Composed, Literal};
use crate::op::{Arity, Op};
use crate::rule::Rule;

impl Parser {
    /// The step of an operator's call, up to the closing bracket, which is passed. A method's first
    /// operand stands in front.
    pub fn operation(
        &mut self,
        name: &'static str,
        op: Op,
        column: usize,
        first: Option<usize>,
    ) -> Result<usize> {
        let function = Function::of(op, name);
        let given = self.passed(&function, column, first)?;
        // Operands with names, then more of them, the axis and the rule.
        let more = function.places - 1;
        let [axis, rule] = [more + 1, more + 2];
        let found = found_rule(name, &given, [axis, rule])?;
        let operands = (0..more).map(|i| given.node(i));
        let mut operands: Vec<_> = operands
            .chain(given.nodes(more).into_iter().map(Some))
            .collect();
        let count = operands.iter().flatten().count();
        let op = match (name, operands.as_slice()) {
            ("clip", [Some(_), Some(_), Some(_)]) => Op::CLIP,
            ("clip", [Some(_), Some(_), None]) => Op::MAXIMUM,
            ("clip", [Some(_), None, Some(_)]) => Op::MINIMUM,
            ("clip", _) => {
                let reason = "clip takes an operand, a lower and an upper bound, and one of the bounds \
                              may be None";
                return Err(syntax(column, reason));
            }
            ("where", [Some(_), None, None]) => {
                let reason = "where takes three operands, where(mask, a, b); shapes cannot depend on a mask's \
                              elements";
                return Err(syntax(column, reason));
            }
            _ => {
                self.complete(name, op, column, &mut operands)?;
                op
            }
        };
        let args: Vec<usize> = operands.into_iter().flatten().collect();
        if count == 1 && given.ints(axis).is_some() {
            let reason =
                format!("axis= places the second operand's axes, but {name} takes one operand");
            return Err(syntax(given.columns[axis], reason));
        }
        let of_numbers = !self.is_within && args.iter().all(|&a| self.of_numbers[a]);
        let rule = found.or_else(|| self.rule.clone());
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
        operands: &mut [Option<usize>],
    ) -> Result<()> {
        let found = operands.iter().flatten().count();
        let (most, defaults) = (operands.len(), op.defaults());
        let expected = match op.arity() {
            Arity::Exactly(n) => {
                let first = n - defaults.len();
                for (operand, &x) in operands[first..].iter_mut().zip(defaults) {
                    operand.get_or_insert_with(|| self.literal(column, Literal::Float(x)));
                }
                match (most == n && !operands.contains(&None), first == n) {
                    (true, _) => return Ok(()),
                    (false, true) => n.to_string(),
                    (false, false) => format!("{first} to {n}"),
                }
            }
            Arity::Variadic if found > 0 => return Ok(()),
            Arity::Variadic => "2 or more".into(),
        };
        let op = name.into();
        Err(Error::Arity {
            op,
            expected,
            found,
        }
        .at(column))
    }
}

/// The rule that a call of an operator names by `axis=` and `rule=`, the parameters of these numbers.
fn found_rule(name: &str, given: &Passed, [axis, rule]: [usize; 2]) -> Result<Option<Rule>> {
    let own = given.whole(axis).map(|axis| axis as i64);
    let Some(text) = given.text(rule) else {
        return Ok(own.map(|axis| Rule::Pdpd { axis }));
    };
    match (Rule::spelled(text), own) {
        (Some(Rule::Pdpd { axis }), _) => Ok(Some(Rule::Pdpd {
            axis: own.unwrap_or(axis),
        })),
        (Some(_), Some(_)) => {
            let reason = format!("{name}: axis= belongs to rule='pdpd'");
            Err(syntax(given.columns[axis], reason))
        }
        (Some(rule), None) => Ok(Some(rule)),
        (None, _) => {
            let known = Rule::spellings().join(", ");
            let reason = format!("`{text}` is not a rule; use one of {known}");
            Err(syntax(given.columns[rule], reason))
        }
    }
}
