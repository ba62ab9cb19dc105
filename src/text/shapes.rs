//! Shapes that a text asks for: `x.sum(0) / len(x)`, `x.reshape(x.shape[0], -1)`. They count as
//! numbers written there, so the text is parsed again once its inputs are known.

use super::ast::Ast;
use super::lexer::syntax;
use super::parser::Parser;
use super::program::{Known, Parsed, Program};
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Expr, Literal};
use crate::rule::Rule;
use crate::shape::Shape;
use crate::view::Index;

/// The number of extents of a shape that is not known.
const AXES: usize = 32;

impl Parsed {
    /// The expression for inputs of these names as slots 0, 1, ...; `input` gives the element type
    /// and shape of each by its number. [`bind`](Self::bind) needs no shapes, but refuses texts
    /// that ask for them, as `x.sum(0) / len(x)`.
    ///
    /// ```
    /// use zerostride::{DType, Rule, text};
    ///
    /// let parsed = text::parse("x.reshape(x.shape[0], -1).sum(1) / x.size")?;
    /// let cube = |_| (DType::F32, [2, 3, 4].into());
    /// let expr = parsed.bind_to(parsed.names(), cube, &Rule::Numpy)?;
    /// // Without inputs their shapes are not known.
    /// assert!(parsed.bind(parsed.names(), &Rule::Numpy).is_err());
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`bind`](Self::bind); for the parts of the text whose shapes it asks for, those of
    /// [`Expr::infer`](crate::Expr::infer).
    pub fn bind_to(
        &self,
        names: &[impl AsRef<str>],
        input: impl Fn(usize) -> (DType, Shape),
        default_rule: &Rule,
    ) -> Result<Expr<usize>> {
        super::lower::only(self.0.bind_to(names, input, default_rule)?)
    }
}

impl Program {
    /// Whether the text asks for shapes, so that [`bind_to`](Self::bind_to) binds it and
    /// [`bind`](Self::bind) does not.
    #[doc(hidden)]
    pub fn asks_for_shapes(&self) -> bool {
        self.asking.is_some()
    }

    /// The results for inputs of these names, element types and shapes; see [`Parsed::bind_to`].
    ///
    /// # Errors
    /// Those of [`Parsed::bind_to`].
    pub fn bind_to(
        &self,
        names: &[impl AsRef<str>],
        input: impl Fn(usize) -> (DType, Shape),
        default_rule: &Rule,
    ) -> Result<Vec<Expr<usize>>> {
        let Some(asking) = self.asking.as_ref() else {
            return self.bind(names, default_rule);
        };
        let known = Known {
            names: names.iter().map(|name| name.as_ref().into()).collect(),
            types: (0..names.len()).map(input).collect(),
            rule: default_rule.clone(),
        };
        let (program, _) = super::read(&asking.source, &asking.own, Some(known))?;
        program.bind(names, default_rule)
    }
}

impl Parser {
    /// The `shape`, `size`, `ndim` or `len` of a node.
    pub fn of_shape(&mut self, x: usize, what: &str, column: usize) -> Result<usize> {
        let extent = self.extent;
        let unknown = || vec![extent; if what == "shape" { AXES } else { 2 }];
        let extents = self.extents(x)?.unwrap_or_else(unknown);
        let number = match (what, extents.as_slice()) {
            ("shape", extents) => {
                let number = |&extent: &usize| self.whole(column, extent);
                let extents = extents.iter().map(number).collect();
                return Ok(self.push(column, Ast::Tuple(extents)));
            }
            ("ndim", extents) => extents.len(),
            ("size", _) => Shape::from(extents).len()?,
            (_, [first, ..]) => *first,
            (_, []) => return Err(syntax(column, "a number has no len")),
        };
        Ok(self.whole(column, number))
    }

    /// The extents of a node, if the inputs are known.
    pub fn extents(&mut self, x: usize) -> Result<Option<Vec<usize>>> {
        self.asked.push(x);
        let Some(known) = &self.known else {
            self.asks.get_or_insert(self.nodes[x].column);
            return Ok(None);
        };
        let program = Program {
            nodes: std::mem::take(&mut self.nodes),
            roots: vec![x],
            names: Vec::new(),
            asking: None,
        };
        let extents = known.extents(&program);
        self.nodes = program.nodes;
        extents.map(Some)
    }

    fn whole(&mut self, column: usize, x: usize) -> usize {
        self.literal(column, Literal::Int(x as i128))
    }

    /// One of several values, or some of them, up to the closing bracket.
    pub fn part(&mut self, column: usize, parts: &[usize]) -> Result<usize> {
        let count = parts.len().cast_signed();
        let index = self.item()?;
        self.expect("]")?;
        let from_zero = |i: isize| if i < 0 { i + count } else { i };
        let bound = |end: Option<isize>, default| {
            end.map_or(default, from_zero)
                .clamp(0, count)
                .unsigned_abs()
        };
        let found = match index {
            Index::At(i) => {
                let part = usize::try_from(from_zero(i))
                    .ok()
                    .and_then(|i| parts.get(i));
                part.copied()
            }
            Index::Range(start, stop, 1) => {
                let some = parts
                    .get(bound(start, 0)..bound(stop, count))
                    .unwrap_or(&[]);
                Some(self.push(column, Ast::Tuple(some.to_vec())))
            }
            Index::Range(..) => {
                let reason = "a slice of several values must have no step";
                return Err(syntax(column, reason));
            }
            _ => None,
        };
        let reason = || match count.unsigned_abs() {
            AXES => format!("an array has at most {AXES} extents, numbered from 0"),
            count => format!("there are {count} values, numbered from 0"),
        };
        found.ok_or_else(|| syntax(column, reason()))
    }
}

impl Known {
    /// The extents of a program's result.
    fn extents(&self, program: &Program) -> Result<Vec<usize>> {
        let expr = super::lower::only(program.bind(&self.names, &self.rule)?)?;
        let (_, shape) = expr.type_and_shape(&|i| Ok(self.types[i].clone()))?;
        Ok(shape.extents().to_vec())
    }
}
