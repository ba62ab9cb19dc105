//! Calls of reductions and scans, as functions, behind `np.` and as methods: `sum(x, axis=0)`,
//! `np.max(x, -1, keepdims=True)`, `x.mean()`.

use super::ast::Ast;
use super::lexer::{Token, syntax};
use super::names;
use super::parameters::{Ahead, Parameters};
use super::parser::Parser;
use super::reduced::{Ord, ReductionCall, ReductionOptions};
use super::reductions::NamedReduction;
use crate::error::Result;
use crate::expr::{Literal, Reduction};

impl Parser {
    /// The reduction of the node `x` whose parameters follow, up to the closing bracket, which is
    /// passed.
    pub fn reduction(
        &mut self,
        named: &'static NamedReduction,
        column: usize,
        x: usize,
    ) -> Result<usize> {
        let options = self.options(named)?;
        let mut call = ReductionCall {
            parser: self,
            named,
            column,
            options,
        };
        call.of(x)
    }

    /// What the parameters of a reduction are given, up to the closing bracket.
    fn options(&mut self, named: &'static NamedReduction) -> Result<ReductionOptions> {
        let mut options = ReductionOptions::default();
        let names = named.parameters.iter().copied();
        let mut parameters = Parameters::new(named.name, names, named.hidden().to_vec());
        while !self.eat(")") {
            let ahead = self.parameter_ahead(&mut parameters)?;
            self.give(named, &ahead, &mut options)?;
            self.separator()?;
        }
        Ok(options)
    }

    /// The value of a parameter.
    fn give(
        &mut self,
        named: &NamedReduction,
        ahead: &Ahead,
        options: &mut ReductionOptions,
    ) -> Result<()> {
        let (name, column) = (named.name, self.column());
        let is_number = matches!(self.token(), Token::Int(_) | Token::Symbol("-"));
        match ahead.name {
            "dtype" | "out" if is_number && !ahead.by_name => {
                let reason = match named.takes_one_axis() {
                    true => format!("{name} takes one axis, or None for all"),
                    false => format!("several axes stand in brackets: {name}(x, axis=(0, 1))"),
                };
                return Err(syntax(column, reason));
            }
            "axis" => options.axes = self.axes(named, ahead.by_name)?,
            "keepdims" => options.keepdims = self.truth("keepdims")?,
            "ddof" | "correction" if options.ddof.is_some() => {
                let reason = format!("{name} has ddof= and correction=, which are the same");
                return Err(syntax(ahead.column, reason));
            }
            "ddof" | "correction" => {
                let fail = |_| syntax(column, format!("{} is 0 or more", ahead.name));
                let ddof = self.integer(ahead.name)?;
                options.ddof = Some(usize::try_from(ddof).map_err(fail)?);
            }
            _ if self.eat_none() => {}
            "dtype" => {
                let dtype = self.dtype_name()?;
                if !dtype.is_float() && !named.is_sum() {
                    let reason =
                        format!("the result of {name} is a float; write {name}(x.astype({dtype}))");
                    return Err(syntax(column, reason));
                }
                options.dtype = Some(dtype);
            }
            "ord" => options.ord = self.ord()?.map(|ord| (ord, column)),
            "weights" => options.weights = Some(self.expression(0)?),
            "where" if named.takes_mask() => options.mask = Some(self.expression(0)?),
            "initial" if named.takes_initial() => options.initial = Some(self.expression(0)?),
            absent => return Err(syntax(ahead.column, named.without(absent))),
        }
        Ok(())
    }

    /// `None`, a whole number, or several in brackets.
    fn axes(&mut self, named: &NamedReduction, by_name: bool) -> Result<Option<Vec<isize>>> {
        if self.eat_none() {
            return Ok(None);
        }
        let column = self.column();
        let is_bracket = matches!(self.token(), Token::Symbol("(" | "["));
        let found = self.wholes("an axis", Self::several)?;
        let is_whole = matches!(self.token(), Token::Symbol("," | ")") | Token::End);
        match found {
            Ok(_) if !is_whole => Err(self.unexpected("`,` or `)`")),
            Ok((_, true)) if named.takes_one_axis() => {
                let reason = format!("{} takes one axis, or None for all", named.name);
                Err(syntax(column, reason))
            }
            Ok((axes, _)) => Ok(Some(axes)),
            // What else it is says what was meant.
            Err((x, error))
                if is_bracket && matches!(self.nodes[x].ast, Ast::Tuple(_) | Ast::List(_)) =>
            {
                Err(error)
            }
            Err(_) if by_name => Err(syntax(
                column,
                "an axis is a whole number, several stand in brackets, all are None",
            )),
            Err(_) => Err(syntax(column, named.no_axis())),
        }
    }

    /// `True` or `False`.
    pub fn truth(&mut self, name: &str) -> Result<bool> {
        let truth = match self.token() {
            Token::Name(n) if n == "True" => true,
            Token::Name(n) if n == "False" => false,
            _ => return Err(syntax(self.column(), format!("{name} is True or False"))),
        };
        self.advance();
        Ok(truth)
    }

    /// Which norm; none for that of Frobenius, which is the default.
    fn ord(&mut self) -> Result<Option<Ord>> {
        let column = self.column();
        if *self.token() == Token::Text("fro".into()) {
            self.advance();
            return Ok(None);
        }
        let extreme = match self.eat("-") {
            true => Reduction::Min,
            false => Reduction::Max,
        };
        let node = self.expression(0)?;
        let is_infinite = match &self.nodes[node].ast {
            Ast::Name(name) => names::constant(name) == Some(Literal::Float(f64::INFINITY)),
            _ => false,
        };
        match self.values[node] {
            _ if is_infinite => Ok(Some(Ord::Extreme(extreme))),
            Some(Literal::Int(1)) if extreme == Reduction::Max => Ok(Some(Ord::One)),
            Some(Literal::Int(2)) if extreme == Reduction::Max => Ok(Some(Ord::Two)),
            _ => {
                let reason = "ord is 1, 2, inf or -inf; norms of matrices are not supported";
                Err(syntax(column, reason))
            }
        }
    }
}
