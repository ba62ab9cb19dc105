//! The sweep from an expression to its variables.

use std::collections::{HashMap, HashSet};

use super::Wanted;
use super::flow::passing;
use super::local::{self, StepGradient};
use crate::dtype::{DType, DTypes};
use crate::error::{Error, Result};
use crate::expr::common::{Typed, not_accepted};
use crate::expr::types::dtypes;
use crate::expr::{Expr, Scalar};

/// The gradients that a promotion has made: those of one expression are made together.
pub(in crate::expr) struct Gradients<L> {
    made: HashMap<(Vec<usize>, Wanted), Vec<Typed<L>>>,
}

impl<L> Default for Gradients<L> {
    fn default() -> Self {
        Self {
            made: HashMap::new(),
        }
    }
}

impl<L: Clone> Gradients<L> {
    /// The gradient that is wanted of promoted operands.
    ///
    /// # Errors
    /// [`Error::DType`] for what is no float, [`Error::Argument`] for numbers alone and for a
    /// variable that the expression lacks,
    /// [`Error::Unsupported`] for an operator without a derivative.
    pub fn of(
        &mut self,
        wanted: &Wanted,
        args: &[&Typed<L>],
        dtype: &impl Fn(&L) -> Result<DType>,
    ) -> Result<Typed<L>> {
        if cfg!(not(feature = "complete")) {
            return Err(Error::unsupported(
                "gradients, without the feature `complete`",
            ));
        }
        if let Some(refused) = wanted.refused {
            return Err(refused.error(wanted.which));
        }
        let addresses = args.iter().map(|(x, _)| x.address()).collect();
        let all = Wanted {
            which: 0,
            ..wanted.clone()
        };
        let key = (addresses, all);
        if !self.made.contains_key(&key) {
            let made = gradients(wanted, args, dtype)?;
            self.made.insert(key.clone(), made);
        }
        let made = self.made.get(&key).and_then(|all| all.get(wanted.which));
        made.cloned()
            .ok_or_else(|| Error::argument("gradient", "the variable does not exist"))
    }
}

/// A float and its type.
fn float<L>(operand: usize, (x, dtype): &Typed<L>) -> Result<(Expr<L>, DType)> {
    match *dtype {
        Some(dtype) if dtype.is_float() => Ok((x.clone(), dtype)),
        Some(dtype) => Err(not_accepted("gradient", operand, dtype, DTypes::FLOATS)),
        None => Err(Error::argument("gradient", "a number alone has no type")),
    }
}

fn number<L>(dtype: DType, x: f64) -> Expr<L> {
    Expr::scalar(Scalar::of(dtype, x))
}

/// The gradients of operand 0 by each group of the last operands.
fn gradients<L: Clone>(
    wanted: &Wanted,
    args: &[&Typed<L>],
    dtype: &impl Fn(&L) -> Result<DType>,
) -> Result<Vec<Typed<L>>> {
    let Some((root, mut rest)) = args.split_first() else {
        return Err(Error::argument("gradient", "it needs an expression"));
    };
    let (root, root_dtype) = float(0, root)?;
    let mut start = number(root_dtype, 1.0);
    if wanted.is_given
        && let Some(((given, has), others)) = rest.split_first()
    {
        rest = others;
        start = match (given.as_literal(), has) {
            (Some(x), None) => Expr::scalar(x.to_scalar(root_dtype)?),
            (_, Some(has)) if *has == root_dtype => given.clone(),
            _ => given.cast(root_dtype),
        };
    }
    let variables: HashSet<usize> = rest.iter().map(|(x, _)| x.address()).collect();
    let adjoints = sweep(&root, start.onto(&root), &variables, dtype)?;
    let mut first = args.len() - rest.len();
    let mut made = Vec::with_capacity(wanted.groups.len());
    for &count in wanted.groups.iter() {
        let Some(group @ [variable, ..]) = args.get(first..first + count) else {
            return Err(Error::argument("gradient", "it lacks operands"));
        };
        let (x, dtype) = float(first, variable)?;
        // Inputs that were nodes apart may have become one.
        let mut seen = HashSet::new();
        let nodes = group.iter().map(|(x, _)| x.address());
        let nodes = nodes.filter(|node| seen.insert(*node));
        let found = nodes.filter_map(|node| adjoints.get(&node));
        let sum = found.cloned().reduce(|sum, part| sum.add(&part));
        let sum = sum.unwrap_or_else(|| number(dtype, 0.0).onto(&x));
        made.push((sum, Some(dtype)));
        first += count;
    }
    Ok(made)
}

/// The adjoints of the variables that a root depends on.
fn sweep<L: Clone>(
    root: &Expr<L>,
    start: Expr<L>,
    variables: &HashSet<usize>,
    dtype: &impl Fn(&L) -> Result<DType>,
) -> Result<HashMap<usize, Expr<L>>> {
    let order = Expr::post_order(std::slice::from_ref(root));
    let dtypes = dtypes(&order, dtype)?;
    let mut depends: HashSet<usize> = HashSet::new();
    for node in &order {
        let mut through = passing(node).iter();
        let on = through.any(|arg| depends.contains(&arg.address()));
        if dtypes[&node.address()].is_float() && (on || variables.contains(&node.address())) {
            depends.insert(node.address());
        }
    }
    let mut open: HashMap<usize, Vec<Expr<L>>> = HashMap::new();
    open.insert(root.address(), vec![start]);
    let mut found = HashMap::new();
    for expr in order.into_iter().rev() {
        let address = expr.address();
        let parts = open.remove(&address).into_iter().flatten();
        let Some(gradient) = parts.reduce(|sum, part| sum.add(&part)) else {
            continue;
        };
        if variables.contains(&address) {
            found.insert(address, gradient.clone());
        }
        let through = passing(expr).iter();
        let wants: Vec<bool> = through.map(|a| depends.contains(&a.address())).collect();
        if !wants.contains(&true) {
            continue;
        }
        let node = StepGradient {
            expr,
            gradient,
            dtype: dtypes[&address],
            args: expr.args().iter().map(|a| dtypes[&a.address()]).collect(),
        };
        let parts = local::pulled_back(&node, &wants).map_err(|e| expr.origin().of(e))?;
        for (arg, part) in expr.args().iter().zip(parts) {
            if let Some(part) = part {
                open.entry(arg.address()).or_default().push(part);
            }
        }
    }
    Ok(found)
}
