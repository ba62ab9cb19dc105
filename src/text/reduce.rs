//! Calls of reductions and scans, as functions, behind `np.` and as methods: `sum(x, axis=0)`,
//! `np.max(x, -1, keepdims=True)`, `x.mean()`.

use super::ast::Ast;
use super::lexer::{Token, syntax};
use super::names;
use super::parameters::{Ahead, Parameters};
use super::parser::Parser;
use super::reductions::{Makes, Named};
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Along, Axes, Composed, Literal, Reduction, Results, Scan};
use crate::op::Op;
use crate::rule::Rule;

/// What a call gives.
#[derive(Default)]
struct Given {
    /// `None` for all.
    axes: Option<Vec<isize>>,
    keepdims: bool,
    dtype: Option<DType>,
    ddof: Option<usize>,
    /// Which norm, with its column.
    ord: Option<(Ord, usize)>,
    /// What each element counts.
    weights: Option<usize>,
    /// Where elements are taken, and what is taken beside them.
    mask: Option<usize>,
    initial: Option<usize>,
}

/// Which norm: of sums of absolute values, of squares, or an extreme absolute value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ord {
    One,
    Two,
    Extreme(Reduction),
}

impl Given {
    fn axes(&self) -> Axes {
        let axes = self.axes.clone().map_or(Axes::ALL, Axes::new);
        match self.keepdims {
            true => axes.keepdims(),
            false => axes,
        }
    }

    /// A variance, or its root, with the `ddof` that is given.
    fn spread(&self, reduction: Reduction) -> Reduction {
        match (reduction, self.ddof) {
            (Reduction::Var { .. }, Some(ddof)) => Reduction::Var { ddof },
            (Reduction::Std { .. }, Some(ddof)) => Reduction::Std { ddof },
            (other, _) => other,
        }
    }
}

impl Parser {
    /// The reduction of the node `x` whose parameters follow, up to the closing bracket, which is
    /// passed.
    pub fn reduction(&mut self, named: &'static Named, column: usize, x: usize) -> Result<usize> {
        let given = self.given_to(named)?;
        if let Makes::Norm = named.makes {
            // Of a vector it is known which norm it is.
            let is_vector = match (given.ord, &given.axes) {
                (Some(_), None) => self.extents(x)?.is_none_or(|extents| extents.len() == 1),
                _ => false,
            };
            if !is_vector {
                check_norm(&given, column)?;
            }
        }
        let reduced = |parser: &mut Self, x: usize, reduction: Reduction, results: Results| {
            parser.reduced(column, x, reduction, &given, results)
        };
        let reduce = |parser: &mut Self, x: usize, reduction: Reduction| {
            parser.reduced(column, x, reduction, &given, Results::Numpy)
        };
        let scanned = |parser: &mut Self, x: usize, scan: Scan| {
            let axis = given.axes.as_deref().and_then(|axes| axes.first());
            let along = axis.map_or(Along::ALL, |&axis| Along::axis(axis));
            let ast = Ast::Scan { of: x, scan, along };
            parser.push(column, ast)
        };
        // Without an axis all elements are one row, which an input is where it lies.
        let flat = |parser: &mut Self, x: usize| match (&given.axes, parser.values[x]) {
            (None, None) => parser.push(column, Ast::Reshape(x, vec![-1])),
            _ => x,
        };
        let step = |parser: &mut Self, op: Op, args: &[usize]| parser.under_numpy(column, op, args);
        let number = |parser: &mut Self, x: i128| parser.literal(column, Literal::Int(x));
        let float = |parser: &mut Self, x: f64| parser.literal(column, Literal::Float(x));
        let full = |parser: &mut Self, value: usize, like: usize| {
            parser.push(column, Ast::Composed(Composed::Full, vec![value, like]))
        };
        let where_float = |parser: &mut Self, args: [usize; 3]| {
            parser.push(column, Ast::Composed(Composed::WhereFloat, args.to_vec()))
        };
        let cast = |parser: &mut Self, x: usize| match given.dtype {
            Some(dtype) => parser.push(column, Ast::Cast(x, dtype)),
            None => x,
        };
        Ok(match named.makes {
            Makes::One(_) if given.weights.is_some() => {
                let weights = given.weights.unwrap_or(x);
                let weights = self.weights_of(x, weights, given.axes.as_deref(), column)?;
                let one = float(self, 1.0);
                let parts = [x, weights].map(|x| step(self, Op::MUL, &[x, one]));
                let products = step(self, Op::MUL, &parts);
                let sums = [products, parts[1]].map(|x| reduce(self, x, Reduction::Sum));
                step(self, Op::DIV, &sums)
            }
            Makes::One(reduction) if given.mask.is_some() && named.is_mean() => {
                let mask = given.mask.unwrap_or(x);
                // As of the elements that are not NaN, but that one of those taken may be.
                let x = cast(self, x);
                let nan = float(self, f64::NAN);
                let kept = self.kept(column, mask, x, nan);
                let made = reduced(self, kept, given.spread(reduction), Results::WithoutNan);
                let is_nan = step(self, Op::IS_NAN, &[x]);
                let is_nan = step(self, Op::AND, &[is_nan, mask]);
                let is_nan = reduce(self, is_nan, Reduction::Any);
                where_float(self, [is_nan, nan, made])
            }
            Makes::One(reduction) => {
                let mut x = cast(self, x);
                let (neutral, join) = match reduction {
                    Reduction::Sum => (Literal::Int(0), Op::ADD),
                    Reduction::Prod => (Literal::Int(1), Op::MUL),
                    Reduction::Max => (Literal::Bool(false), Op::MAXIMUM),
                    Reduction::Min => (Literal::Bool(false), Op::MINIMUM),
                    all => (Literal::Bool(all == Reduction::All), Op::AND),
                };
                let is_extreme = matches!(reduction, Reduction::Max | Reduction::Min);
                if let Some(mask) = given.mask {
                    let neutral = match given.initial {
                        // As one of the array's own type.
                        Some(initial) if is_extreme => full(self, initial, x),
                        None if is_extreme => {
                            let name = named.name;
                            let reason = format!(
                                "{name} of some elements needs initial=, for there may be none"
                            );
                            return Err(syntax(column, reason));
                        }
                        _ => self.literal(column, neutral),
                    };
                    x = self.kept(column, mask, x, neutral);
                }
                let initial = given.initial;
                if let Some(initial) = initial.filter(|_| is_extreme)
                    && self.is_empty_along(x, given.axes.as_deref())?
                {
                    // In the shape of the result, which a product of no elements has.
                    let like = reduced(self, x, Reduction::Prod, Results::Kept);
                    return Ok(full(self, initial, like));
                }
                let mut made = reduce(self, x, given.spread(reduction));
                if let Some(mut initial) = initial {
                    if is_extreme {
                        initial = full(self, initial, made);
                    }
                    made = step(self, join, &[made, initial]);
                }
                // Sums of small integers are wider than the type that was asked for.
                cast(self, made)
            }
            Makes::WithoutNan(reduction, neutral) => {
                let is_nan = step(self, Op::IS_NAN, &[x]);
                let neutral = number(self, neutral);
                let x = step(self, Op::WHERE, &[is_nan, neutral, x]);
                let x = cast(self, x);
                let made = reduce(self, x, reduction);
                cast(self, made)
            }
            Makes::ExtremeWithoutNan(reduction, never) => {
                let is_nan = step(self, Op::IS_NAN, &[x]);
                let kept = float(self, never);
                let kept = where_float(self, [is_nan, kept, x]);
                let made = reduce(self, kept, reduction);
                let none = reduce(self, is_nan, Reduction::All);
                let nan = float(self, f64::NAN);
                where_float(self, [none, nan, made])
            }
            Makes::PlaceWithoutNan(reduction, never) => {
                let is_nan = step(self, Op::IS_NAN, &[x]);
                let kept = float(self, never);
                let kept = where_float(self, [is_nan, kept, x]);
                reduce(self, kept, reduction)
            }
            Makes::FloatWithoutNan(reduction) => {
                let x = cast(self, x);
                reduced(self, x, given.spread(reduction), Results::WithoutNan)
            }
            Makes::Scan(scan) => {
                let x = flat(self, x);
                let x = cast(self, x);
                let made = scanned(self, x, scan);
                cast(self, made)
            }
            Makes::ScanWithoutNan(scan, neutral) => {
                let x = flat(self, x);
                let is_nan = step(self, Op::IS_NAN, &[x]);
                let neutral = number(self, neutral);
                let x = step(self, Op::WHERE, &[is_nan, neutral, x]);
                let x = cast(self, x);
                let made = scanned(self, x, scan);
                cast(self, made)
            }
            Makes::Range => {
                let ends = [Reduction::Max, Reduction::Min].map(|end| reduce(self, x, end));
                step(self, Op::SUB, &ends)
            }
            Makes::Norm | Makes::VectorNorm => match given.ord {
                // Also of whole numbers a norm is a float.
                Some((Ord::One, _)) => reduced(self, x, Reduction::L1, Results::Float),
                Some((Ord::Extreme(extreme), _)) => {
                    let one = float(self, 1.0);
                    let x = step(self, Op::MUL, &[x, one]);
                    let x = step(self, Op::ABS, &[x]);
                    reduce(self, x, extreme)
                }
                _ => reduce(self, x, Reduction::L2),
            },
        })
    }

    /// What the parameters of a reduction are given, up to the closing bracket.
    fn given_to(&mut self, named: &'static Named) -> Result<Given> {
        let mut given = Given::default();
        let names = named.parameters.iter().copied();
        let mut parameters = Parameters::new(named.name, names, named.hidden());
        while !self.eat(")") {
            let ahead = self.parameter_ahead(&mut parameters)?;
            self.give(named, &ahead, &mut given)?;
            self.separator()?;
        }
        Ok(given)
    }

    /// The value of a parameter.
    fn give(&mut self, named: &Named, ahead: &Ahead, given: &mut Given) -> Result<()> {
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
            "axis" => given.axes = self.axes(named, ahead.by_name)?,
            "keepdims" => given.keepdims = self.truth("keepdims")?,
            "ddof" | "correction" if given.ddof.is_some() => {
                let reason = format!("{name} has ddof= and correction=, which are the same");
                return Err(syntax(ahead.column, reason));
            }
            "ddof" | "correction" => {
                let fail = |_| syntax(column, format!("{} is 0 or more", ahead.name));
                let ddof = self.integer(ahead.name)?;
                given.ddof = Some(usize::try_from(ddof).map_err(fail)?);
            }
            _ if self.eat_none() => {}
            "dtype" => {
                let dtype = self.dtype_name()?;
                if !dtype.is_float() && !named.is_sum() {
                    let reason =
                        format!("the result of {name} is a float; write {name}(x.astype({dtype}))");
                    return Err(syntax(column, reason));
                }
                given.dtype = Some(dtype);
            }
            "ord" => given.ord = self.ord()?.map(|ord| (ord, column)),
            "weights" => given.weights = Some(self.expression(0)?),
            "where" if named.takes_mask() => given.mask = Some(self.expression(0)?),
            "initial" if named.takes_initial() => given.initial = Some(self.expression(0)?),
            absent => return Err(syntax(ahead.column, named.without(absent))),
        }
        Ok(())
    }

    /// `None`, a whole number, or several in brackets.
    fn axes(&mut self, named: &Named, by_name: bool) -> Result<Option<Vec<isize>>> {
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
                let reason = "ord is 1, 2, inf or -inf, and those of matrices are not there";
                Err(syntax(column, reason))
            }
        }
    }

    #[inline(never)]
    fn reduced(
        &mut self,
        column: usize,
        of: usize,
        reduction: Reduction,
        given: &Given,
        results: Results,
    ) -> usize {
        let ast = Ast::Reduce {
            of,
            reduction,
            axes: given.axes(),
            results,
        };
        self.push(column, ast)
    }

    #[inline(never)]
    fn under_numpy(&mut self, column: usize, op: Op, args: &[usize]) -> usize {
        let ast = Ast::Step {
            op,
            args: args.to_vec(),
            rule: Some(Rule::Numpy),
        };
        self.push(column, ast)
    }
}

/// Refuses norms that NumPy has of matrices or not at all.
fn check_norm(given: &Given, column: usize) -> Result<()> {
    let axes = given.axes.as_ref().map(Vec::len);
    match (given.ord, axes) {
        (Some((_, column)), None | Some(2)) => Err(syntax(
            column,
            "of a matrix this is another norm in NumPy; name one axis, or write vector_norm(x, ord=1)",
        )),
        (_, None | Some(1)) | (None, Some(2)) => Ok(()),
        _ => Err(syntax(
            column,
            "norm takes one axis, two or None; vector_norm takes any number of them",
        )),
    }
}
