//! Matrix products, and sums of products by an equation.

use crate::call::{Call, Operand};
use zerostride::{Axes, DType, DTypes, Error, Expr, Reduction, Result, Rule, View};

use super::moves::{place, signed};
use super::norm::to;
use crate::quantize::saturated;

/// A matrix product in the operands' type.
pub fn product(a: &Expr<usize>, b: &Expr<usize>, dtype: DType) -> Expr<usize> {
    let product = a.matmul(b);
    match dtype.size() {
        2 => product.cast(dtype),
        _ => product,
    }
}

pub fn matmul(call: &Call<'_>) -> Result<Expr<usize>> {
    Ok(product(&call.x(0)?, &call.x(1)?, call.operand(0)?.dtype))
}

/// Whole numbers minus their zero point, as i32. A zero point of one axis applies to the rows of a
/// left matrix, or to the columns of a right one.
fn centred(call: &Call<'_>, i: usize, zero: usize, is_left: bool) -> Result<Expr<usize>> {
    let x = call.operand(i)?;
    let own = x.expr.cast(DType::I32);
    let Some(zero) = call.optional(zero) else {
        return Ok(own);
    };
    if zero.dtype != x.dtype {
        return Err(Error::MixedDTypes {
            op: call.name.into(),
            dtypes: vec![x.dtype, zero.dtype],
        });
    }
    Ok(own
        .sub(sided(zero, is_left).cast(DType::I32))
        .with_rule(Rule::Unidirectional))
}

/// A parameter of one number, of one for each row, or of one for each column.
fn sided(x: &Operand, is_left: bool) -> Expr<usize> {
    match (x.shape.extents(), is_left) {
        ([1], _) => x.expr.reshape([]),
        ([_], true) => x.expr.view(View::Unsqueeze(vec![-1])),
        _ => x.expr.clone(),
    }
}

pub fn matmul_integer(call: &Call<'_>) -> Result<Expr<usize>> {
    let [a, b] = [centred(call, 0, 2, true)?, centred(call, 1, 3, false)?];
    Ok(a.matmul(b))
}

/// The product of quantised matrices, quantised again.
pub fn quantised_matmul(call: &Call<'_>) -> Result<Expr<usize>> {
    let [a, b] = [centred(call, 0, 2, true)?, centred(call, 3, 5, false)?];
    let scale = |i: usize, is_left| -> Result<Expr<usize>> {
        let x = call.operand(i)?;
        Ok(to(&sided(x, is_left), x.dtype, DType::F32))
    };
    let [of_a, of_b, of_y] = [scale(1, true)?, scale(4, false)?, scale(6, true)?];
    let exact = a.matmul(b).cast(DType::F32);
    let scaled = exact.mul(of_a.mul(of_b).div(of_y));
    let zero = call.operand(7)?;
    let moved = scaled.add(sided(zero, true).cast(DType::F32));
    saturated(call, &moved.round(), zero.dtype)
}

/// The types of matrix products.
const MULTIPLIED: DTypes =
    DTypes::of(&[DType::U32, DType::U64, DType::I32, DType::I64]).or(DTypes::FLOATS);

/// An operand with a letter and an extent for each of its axes. Extents of 1 broadcast.
struct Term {
    expr: Expr<usize>,
    letters: Vec<u32>,
    extents: Extents,
}

impl Term {
    /// Its extents for these letters; 1 for a letter that it lacks.
    fn sizes(&self, letters: &[u32]) -> Vec<usize> {
        let own = |l: &u32| self.extents.get(l).copied().unwrap_or(1);
        letters.iter().map(own).collect()
    }

    /// Its elements on the axes of these letters.
    fn aligned(&self, letters: &[u32]) -> Expr<usize> {
        let place = |l: &u32| self.letters.iter().position(|own| own == l);
        let order = letters.iter().filter_map(place).collect();
        self.expr.view(View::Permute(order))
    }
}

/// Letters' extents.
type Extents = std::collections::BTreeMap<u32, usize>;

/// The first letter for axes that `...` stands for, beyond all characters.
const ELLIPSIS: u32 = 0x11_0000;

pub fn einsum(call: &Call<'_>) -> Result<Expr<usize>> {
    let text = call.text("equation")?;
    let text = text.ok_or_else(|| call.fail("the attribute equation is missing"))?;
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, output) = match text.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (&*text, None),
    };
    let inputs: Vec<&str> = inputs.split(',').collect();
    if inputs.len() != call.operands.len() {
        let found = call.operands.len();
        return Err(call.fail(format!("the equation `{text}` must have {found} operands")));
    }
    let mut extents = Extents::new();
    let mut terms = Vec::with_capacity(inputs.len());
    let mut named = Vec::new();
    for (i, input) in inputs.iter().enumerate() {
        let letters = letters(call, input, Some(call.operand(i)?.shape.rank()))?;
        named.extend_from_slice(&letters);
        terms.push(term(call, i, letters, &mut extents)?);
    }
    let output = result(call, output, &named)?;
    if let Some(unknown) = output.iter().find(|l| !extents.contains_key(l)) {
        let letter = char::from_u32(*unknown).unwrap_or('.');
        return Err(call.fail(format!("no operand has the axis {letter}")));
    }
    let dtype = call.operand(0)?.dtype;
    let mut terms = terms.into_iter();
    let mut all = terms
        .next()
        .ok_or_else(|| call.fail("it has no operands"))?;
    let mut rest: Vec<Term> = terms.collect();
    while !rest.is_empty() {
        let next = rest.remove(0);
        let needed = |l: &u32| output.contains(l) || rest.iter().any(|t| t.letters.contains(l));
        all = joined([all, next], dtype, needed);
    }
    let all = summed(all, |l| output.contains(l));
    // Each letter of the result once, in its order.
    let mut order = Vec::with_capacity(output.len());
    for letter in &output {
        let at = all.letters.iter().position(|l| l == letter);
        order.push(at.ok_or_else(|| call.fail(format!("`{text}` repeats an axis of the result")))?);
    }
    if order.len() != all.letters.len() {
        return Err(call.fail(format!("`{text}` repeats an axis of the result")));
    }
    Ok(all.expr.view(View::Permute(order)))
}

/// The letters of a part of the equation, with those that `...` needs for this rank.
fn letters(call: &Call<'_>, text: &str, rank: Option<usize>) -> Result<Vec<u32>> {
    let (before, after) = match text.split_once("...") {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    };
    let named = text.replacen("...", "", 1);
    if let Some(other) = named.chars().find(|c| !c.is_ascii_alphabetic()) {
        return Err(call.fail(format!("`{other}` cannot name an axis of an equation")));
    }
    let rest = match (rank, after) {
        (Some(rank), Some(_)) => rank.checked_sub(named.len()),
        (Some(rank), None) => (rank == named.len()).then_some(0),
        (None, _) => Some(0),
    };
    let rest = rest.ok_or_else(|| {
        call.fail(format!(
            "`{text}` does not name {} axes",
            rank.unwrap_or_default()
        ))
    })?;
    let mut all: Vec<u32> = before.chars().map(u32::from).collect();
    // They are aligned from the last.
    all.extend((0..rest as u32).rev().map(|k| ELLIPSIS + k));
    all.extend(after.unwrap_or_default().chars().map(u32::from));
    Ok(all)
}

/// The term of an operand and the letters of its axes, with each letter once.
fn term(call: &Call<'_>, i: usize, mut letters: Vec<u32>, extents: &mut Extents) -> Result<Term> {
    let x = call.operand(i)?;
    for (&letter, &extent) in letters.iter().zip(x.shape.extents()) {
        let known = extents.entry(letter).or_insert(extent);
        match (*known, extent) {
            (1, _) => *known = extent,
            (a, b) if a == b || b == 1 => {}
            (a, b) => {
                let letter = char::from_u32(letter).unwrap_or('.');
                return Err(call.fail(format!("the axis {letter} has extents {a} and {b}")));
            }
        }
    }
    let own = letters
        .iter()
        .copied()
        .zip(x.shape.extents().iter().copied());
    let own: Extents = own.collect();
    // An axis that is named twice: the elements of which both places are one, the others 0.
    let mut expr = x.expr.clone();
    let mut a = 0;
    while a < letters.len() {
        if let Some(b) = (a + 1..letters.len()).find(|&b| letters[b] == letters[a]) {
            let [row, column] = [a, b].map(|axis| expr.position(place(axis)));
            let zero = crate::elements::filled(zerostride::Scalar::of(x.dtype, 0.0), []);
            expr = row.equal(column).select(&expr, zero);
            expr = expr.reduce_as_is(Reduction::Sum, place(b));
            letters.remove(b);
        } else {
            a += 1;
        }
    }
    Ok(Term {
        expr,
        letters,
        extents: own,
    })
}

/// The letters of the result. Without a text, these are the letters that occur once in `all`, which
/// has those of all operands, in alphabetical order.
fn result(call: &Call<'_>, text: Option<&str>, all: &[u32]) -> Result<Vec<u32>> {
    let is_rest = |l: &&u32| **l >= ELLIPSIS;
    let mut ellipsis: Vec<u32> = all.iter().filter(is_rest).copied().collect();
    ellipsis.sort_unstable_by(|a, b| b.cmp(a));
    ellipsis.dedup();
    if let Some(text) = text {
        let count = text.replacen("...", "", 1).len();
        let rank = text.contains("...").then_some(count + ellipsis.len());
        return letters(call, text, rank);
    }
    let mut once: Vec<u32> = all
        .iter()
        .filter(|l| **l < ELLIPSIS && all.iter().filter(|other| other == l).count() == 1)
        .copied()
        .collect();
    once.sort_unstable();
    ellipsis.extend(once);
    Ok(ellipsis)
}

/// Sums a term along the axes that nothing needs.
fn summed(term: Term, needed: impl Fn(&u32) -> bool) -> Term {
    let (mut axes, mut letters) = (Vec::new(), Vec::new());
    for (axis, letter) in term.letters.iter().enumerate() {
        match needed(letter) {
            true => letters.push(*letter),
            false => axes.push(place(axis)),
        }
    }
    let expr = match axes.is_empty() {
        true => term.expr,
        false => term.expr.reduce_as_is(Reduction::Sum, Axes::new(axes)),
    };
    Term {
        expr,
        letters,
        extents: term.extents,
    }
}

/// The product of two terms, summed along the axes that they share and nothing else needs: a matrix
/// product, batched along the other axes that they share.
fn joined([left, right]: [Term; 2], dtype: DType, needed: impl Fn(&u32) -> bool) -> Term {
    let [of_left, of_right] = [left.letters.clone(), right.letters.clone()];
    let left = summed(left, |l| needed(l) || of_right.contains(l));
    let right = summed(right, |l| needed(l) || of_left.contains(l));
    let is_shared = |l: &&u32| right.letters.contains(l);
    let shared: Vec<u32> = left.letters.iter().filter(is_shared).copied().collect();
    let (batch, inner): (Vec<u32>, Vec<u32>) = shared.iter().copied().partition(&needed);
    let alone = |term: &Term| {
        let rest = term.letters.iter().filter(|l| !shared.contains(l));
        rest.copied().collect::<Vec<u32>>()
    };
    let (rows, columns) = (alone(&left), alone(&right));
    let letters = [&batch[..], &rows, &columns].concat();
    let extent = |l: &u32| {
        let [a, b] = [&left, &right].map(|term| term.sizes(&[*l])[0]);
        (*l, if a == 1 { b } else { a })
    };
    let all = [&letters[..], &inner].concat();
    let extents: Extents = all.iter().map(extent).collect();
    let is_summed_alike = left.sizes(&inner) == right.sizes(&inner);
    if inner.is_empty() || !MULTIPLIED.contains(dtype) || !is_summed_alike {
        // Elementwise: each on all axes, then summed.
        let on = |term: &Term| {
            let is_new = |k: &usize| !term.letters.contains(&all[*k]);
            let new = (0..all.len()).filter(is_new).map(place).collect();
            term.aligned(&all).view(View::Unsqueeze(new))
        };
        let product = Term {
            expr: on(&left).mul(on(&right)),
            letters: all.clone(),
            extents,
        };
        return summed(product, |l| !inner.contains(l));
    }
    let shaped = |term: &Term, [first, second]: [&[u32]; 2]| {
        let count = |all: &[u32]| term.sizes(all).iter().product::<usize>();
        let groups = [count(first), count(second)];
        let target = [&term.sizes(&batch)[..], &groups].concat();
        let aligned = term.aligned(&[&batch, first, second].concat());
        aligned.reshape(signed(&target))
    };
    let a = shaped(&left, [&rows, &inner]);
    let b = shaped(&right, [&inner, &columns]);
    let target: Vec<usize> = letters.iter().map(|l| extents[l]).collect();
    Term {
        expr: product(&a, &b, dtype).reshape(signed(&target)),
        letters,
        extents,
    }
}
