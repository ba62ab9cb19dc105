//! Elements at other places, more often, or on a diagonal; and products of parts. Their shapes are
//! known when they are made.

use super::super::ast::{Ast, Made};
use super::super::composed::{At, Function, Given, Kind, Make, Parameter};
use super::super::lexer::syntax;
use super::super::parser::Parser;
use super::shape::{count, signed};
use super::{needed, optional};
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Axes, Composed, Join, Reduction, Results};
use crate::message::shown;
use crate::op::Op;
use crate::view::{Index, View};

const A: &[Parameter] = &[needed("a", Kind::Operand)];
const AB: &[Parameter] = &[needed("a", Kind::Operand), needed("b", Kind::Operand)];
const DIAGONAL: &[Parameter] = &[
    needed("a", Kind::Operand),
    optional("offset", Kind::Whole),
    optional("axis1", Kind::Whole),
    optional("axis2", Kind::Whole),
];

const fn function(
    name: &'static str,
    parameters: &'static [Parameter],
    example: &'static str,
    doc: &'static str,
    make: fn(&mut Parser, &Given) -> Result<usize>,
) -> Function {
    Function {
        name,
        parameters,
        doc: shown(doc),
        example: shown(example),
        make: Make::Given(make),
    }
}

pub(super) static TABLE: &[Function] = &[
    function(
        "atleast_1d",
        A,
        "atleast_1d(x)",
        "The array, a number as one axis of one element.",
        |parser, given| at_least(parser, given, 1),
    ),
    function(
        "atleast_2d",
        A,
        "atleast_2d(v)",
        "The array, one axis as a row.",
        |parser, given| at_least(parser, given, 2),
    ),
    function(
        "atleast_3d",
        A,
        "atleast_3d(x)",
        "The array with an axis behind those of a matrix.",
        |parser, given| at_least(parser, given, 3),
    ),
    function(
        "cross",
        AB,
        "cross(x[:, :3], y[:, :3])",
        "Vector products of the three elements along the last axis.",
        cross,
    ),
    function(
        "diag",
        &[needed("v", Kind::Operand), optional("k", Kind::Whole)],
        "diag(v)",
        "Of one axis the matrix with it on the diagonal k, of a matrix its diagonal k.",
        |parser, given| {
            let x = given.operand(0)?;
            let k = given.whole(1).unwrap_or(0);
            match parser.extents(x)?.as_deref() {
                Some(&[n]) => At::of(parser, given).on_diagonal(x, n, k),
                Some(extents) if extents.len() != 2 => {
                    Err(syntax(given.column, "diag takes one axis or a matrix"))
                }
                _ => diagonal(parser, given, k, [0, 1]),
            }
        },
    ),
    function(
        "diagonal",
        DIAGONAL,
        "diagonal(x)",
        "The elements on a diagonal of two axes, along a new last axis.",
        |parser, given| {
            let [k, first, second] = of_diagonal(given);
            diagonal(parser, given, k, [first, second])
        },
    ),
    function(
        "dot",
        AB,
        "dot(x, v)",
        "Product of vectors or matrices, a @ b; of a number and an array a * b.",
        |parser, given| {
            let (a, b) = (given.operand(0)?, given.operand(1)?);
            product(parser, given, a, b)
        },
    ),
    function(
        "inner",
        AB,
        "inner(x, y)",
        "Sums of products along the last axes of both, a @ b.T.",
        |parser, given| {
            let (a, b) = (given.operand(0)?, given.operand(1)?);
            let turned = match parser.extents(b)?.map(|extents| extents.len()) {
                Some(2) => parser.push(given.column, Ast::View(b, View::Transpose)),
                _ => b,
            };
            product(parser, given, a, turned)
        },
    ),
    function(
        "kron",
        AB,
        "kron(x, y)",
        "Each element of the first times all of the second.",
        kron,
    ),
    function(
        "pad",
        &[
            needed("array", Kind::Operand),
            needed("pad_width", Kind::Operand),
            optional("mode", Kind::Text),
            optional("constant_values", Kind::Operand),
        ],
        "pad(x, ((1, 1), (0, 2)))",
        "So many elements before and behind each axis: a constant, or mode='edge', 'reflect', 'symmetric' or 'wrap'.",
        pad,
    ),
    function(
        "roll",
        &[
            needed("a", Kind::Operand),
            needed("shift", Kind::Wholes),
            optional("axis", Kind::Wholes),
        ],
        "roll(x, 1, axis=0)",
        "The elements further on along axes, those beyond the end first; without an axis, of all elements as one axis.",
        roll,
    ),
    function(
        "tile",
        &[needed("A", Kind::Operand), needed("reps", Kind::Wholes)],
        "tile(x, (1, 2))",
        "The array so many times along each axis.",
        |parser, given| {
            let x = given.operand(0)?;
            let Some(mut extents) = parser.extents(x)? else {
                return Ok(x);
            };
            let times = given.wholes(1).iter().map(|&n| usize::try_from(n));
            let mut times: Vec<usize> = times
                .collect::<Result<_, _>>()
                .map_err(|_| syntax(given.column, "reps are 0 or more"))?;
            let rank = extents.len().max(times.len());
            extents.splice(0..0, vec![1; rank - extents.len()]);
            times.splice(0..0, vec![1; rank - times.len()]);
            let counts: Vec<_> = times.into_iter().map(|n| [n, 1]).collect();
            Ok(At::of(parser, given).repeated(x, &extents, &counts))
        },
    ),
    function(
        "trace",
        DIAGONAL,
        "trace(x)",
        "The sum of a diagonal.",
        |parser, given| {
            let [k, first, second] = of_diagonal(given);
            let of = diagonal(parser, given, k, [first, second])?;
            let sum = Ast::Reduce {
                of,
                reduction: Reduction::Sum,
                axes: Axes::new([-1]),
                results: Results::Numpy,
            };
            Ok(parser.push(given.column, sum))
        },
    ),
    function(
        "vdot",
        AB,
        "vdot(x, y)",
        "The sum of all products of elements.",
        |parser, given| {
            let (a, b) = (given.operand(0)?, given.operand(1)?);
            let mut at = At::of(parser, given);
            let [a, b] = [a, b].map(|x| at.reshaped(x, vec![-1]));
            Ok(at.composed(Composed::Matmul, &[a, b]))
        },
    ),
];

fn at_least(parser: &mut Parser, given: &Given, least: usize) -> Result<usize> {
    let x = given.operand(0)?;
    let Some(extents) = parser.extents(x)? else {
        return Ok(x);
    };
    let new: &[isize] = match (extents.len(), least) {
        (0, 1) => &[0],
        (0, 2) => &[0, 1],
        (0, _) => &[0, 1, 2],
        (1, 2) => &[0],
        (1, 3) => &[0, 2],
        (2, 3) => &[2],
        _ => return Ok(x),
    };
    Ok(parser.push(given.column, Ast::View(x, View::Unsqueeze(new.to_vec()))))
}

fn cross(parser: &mut Parser, given: &Given) -> Result<usize> {
    let vectors = [given.operand(0)?, given.operand(1)?];
    for x in vectors {
        if parser.extents(x)?.is_some_and(|e| e.last() != Some(&3)) {
            return Err(syntax(
                given.column,
                "cross takes three elements along the last axis",
            ));
        }
    }
    let mut at = At::of(parser, given);
    let element = |at: &mut At<'_>, x, i: isize| {
        let index = vec![Index::Ellipsis, Index::At(i % 3)];
        at.push(Ast::View(x, View::Slice(index)))
    };
    let mut parts = Vec::new();
    for i in 0..3isize {
        let products = [(i + 1, i + 2), (i + 2, i + 1)].map(|(i, j)| {
            let factors = [
                element(&mut at, vectors[0], i),
                element(&mut at, vectors[1], j),
            ];
            at.op(Op::MUL, &factors)
        });
        parts.push(at.op(Op::SUB, &products));
    }
    Ok(at.push(Ast::Joined(Join::Stack(-1), parts)))
}

/// The diagonal's number and its axes.
fn of_diagonal(given: &Given) -> [isize; 3] {
    [(1, 0), (2, 0), (3, 1)].map(|(i, default)| given.whole(i).unwrap_or(default))
}

/// A diagonal: in row-major order its elements have equal distances.
fn diagonal(parser: &mut Parser, given: &Given, k: isize, axes: [isize; 2]) -> Result<usize> {
    let x = given.operand(0)?;
    let Some(mut extents) = parser.extents(x)? else {
        return Ok(x);
    };
    let mut at = At::of(parser, given);
    let rank = extents.len();
    let [first, second] = [at.axis(axes[0], rank)?, at.axis(axes[1], rank)?];
    if first == second {
        return Err(syntax(given.column, "a diagonal has two axes that differ"));
    }
    let (rows, columns) = (extents[first], extents[second]);
    extents.remove(first.max(second));
    extents.remove(first.min(second));
    let turned = View::MoveAxis {
        from: axes.to_vec(),
        to: vec![-2, -1],
    };
    let turned = at.push(Ast::View(x, turned));
    extents.push(rows.saturating_mul(columns));
    let line = at.reshaped(turned, signed(&extents));
    let skipped = k.unsigned_abs();
    let (count, start) = match k {
        0.. => (rows.min(columns.saturating_sub(skipped)), skipped),
        _ => (
            columns.min(rows.saturating_sub(skipped)),
            skipped.saturating_mul(columns),
        ),
    };
    let step = columns + 1;
    let [start, stop] = match count {
        0 => [0, 0],
        n => [
            start,
            start
                .saturating_add((n - 1).saturating_mul(step))
                .saturating_add(1),
        ],
    };
    let [start, stop, step] = [start, stop, step].map(usize::cast_signed);
    let part = Index::Range(Some(start), Some(stop), step);
    Ok(at.push(Ast::View(line, View::Slice(vec![Index::Ellipsis, part]))))
}

/// A product as NumPy's `dot` has it, where that is one of matrices.
fn product(parser: &mut Parser, given: &Given, a: usize, b: usize) -> Result<usize> {
    let ranks = [parser.extents(a)?, parser.extents(b)?].map(|e| e.map_or(1, |e| e.len()));
    let mut at = At::of(parser, given);
    match ranks {
        [0, _] | [_, 0] => {
            let factors = [a, b].map(|x| at.composed(Composed::Typed, &[x]));
            Ok(at.op(Op::MUL, &factors))
        }
        [_, 1 | 2] => Ok(at.composed(Composed::Matmul, &[a, b])),
        _ => {
            let reason = "its second operand has one axis or two; batches are multiplied by a @ b";
            Err(syntax(given.column, reason))
        }
    }
}

fn kron(parser: &mut Parser, given: &Given) -> Result<usize> {
    let (a, b) = (given.operand(0)?, given.operand(1)?);
    let (Some(mut own), Some(mut other)) = (parser.extents(a)?, parser.extents(b)?) else {
        return Ok(parser.step(given.column, Op::MUL, vec![a, b]));
    };
    let rank = own.len().max(other.len());
    own.splice(0..0, vec![1; rank - own.len()]);
    other.splice(0..0, vec![1; rank - other.len()]);
    let mut at = At::of(parser, given);
    let apart = |extents: &[usize], own_first: bool| {
        let pair = |&n: &usize| if own_first { [n, 1] } else { [1, n] };
        signed(&extents.iter().flat_map(pair).collect::<Vec<_>>())
    };
    let a = at.reshaped(a, apart(&own, true));
    let b = at.reshaped(b, apart(&other, false));
    let products = at.op(Op::MUL, &[a, b]);
    let extents = own.iter().zip(&other).map(|(a, b)| a.saturating_mul(*b));
    Ok(at.reshaped(products, signed(&extents.collect::<Vec<_>>())))
}

fn roll(parser: &mut Parser, given: &Given) -> Result<usize> {
    let mut x = given.operand(0)?;
    let (shifts, axes) = (given.wholes(1), given.wholes(2));
    let Some(extents) = parser.extents(x)? else {
        return Ok(x);
    };
    let mut at = At::of(parser, given);
    if axes.is_empty() {
        let flat = at.reshaped(x, vec![-1]);
        let shift = shifts.iter().fold(0, |sum: isize, &s| sum.wrapping_add(s));
        let rolled = at.rolled(flat, 0, count(&extents), shift);
        return Ok(at.reshaped(rolled, signed(&extents)));
    }
    let count = shifts.len().max(axes.len());
    if shifts.is_empty()
        || [shifts.len(), axes.len()]
            .iter()
            .any(|&n| n != count && n != 1)
    {
        return Err(syntax(given.column, "roll takes one shift for each axis"));
    }
    for i in 0..count {
        let axis = at.axis(axes[i % axes.len()], extents.len())?;
        x = at.rolled(x, axis, extents[axis], shifts[i % shifts.len()]);
    }
    Ok(x)
}

fn pad(parser: &mut Parser, given: &Given) -> Result<usize> {
    let mut x = given.operand(0)?;
    let mode = given.text(2).unwrap_or("constant");
    let value = match given.node(3) {
        Some(value) => value,
        None => parser.literal(given.column, 0),
    };
    let Some(mut extents) = parser.extents(x)? else {
        return Ok(x);
    };
    let widths = widths(parser, given, extents.len())?;
    let mut at = At::of(parser, given);
    for (axis, counts) in widths.into_iter().enumerate() {
        let n = extents[axis];
        let most = match mode {
            "constant" | "edge" if n > 0 => usize::MAX,
            "constant" | "edge" => 0,
            "reflect" => n.saturating_sub(1),
            "symmetric" | "wrap" => n,
            _ => {
                let reason = "mode is 'constant', 'edge', 'reflect', 'symmetric' or 'wrap'";
                return Err(syntax(given.column, reason));
            }
        };
        if counts.iter().any(|&count| count > most) {
            let reason =
                format!("mode='{mode}' adds at most {most} elements along axis {axis} of {n}");
            return Err(syntax(given.column, reason));
        }
        let mut parts = Vec::new();
        for (side, count) in counts.into_iter().enumerate() {
            // The part of the array that is repeated or turned.
            let [first, last, count_] = [0, n, count].map(usize::cast_signed);
            let back = |from: isize| {
                let stop = from - count_;
                Index::Range(Some(from), (stop >= 0).then_some(stop), -1)
            };
            let part = match (mode, side) {
                ("reflect", 0) => back(count_),
                ("reflect", _) => back(last - 2),
                ("symmetric", 0) => back(count_ - 1),
                ("symmetric", _) => back(last - 1),
                ("wrap", 0) => Index::Range(Some(last - count_), None, 1),
                ("wrap", _) => Index::Range(None, Some(count_), 1),
                (_, 0) => Index::Range(Some(first), Some(1), 1),
                _ => Index::Range(Some(last - 1), None, 1),
            };
            if side == 1 {
                parts.push(x);
            }
            if count == 0 {
                continue;
            }
            let mut added = at.along(x, axis, part);
            if let "constant" | "edge" = mode {
                let mut target = extents.clone();
                target[axis] = count;
                added = at.broadcast(added, target);
            }
            if mode == "constant" {
                added = at.composed(Composed::Full, &[value, added]);
            }
            parts.push(added);
        }
        extents[axis] = n.saturating_add(counts[0]).saturating_add(counts[1]);
        if parts.len() > 1 {
            x = at.push(Ast::Joined(Join::Along(axis.cast_signed()), parts));
        }
    }
    Ok(x)
}

/// How many elements a `pad_width` adds before and behind each axis.
fn widths(parser: &Parser, given: &Given, rank: usize) -> Result<Vec<[usize; 2]>> {
    let pair = |node: usize| -> Option<[usize; 2]> {
        let numbers = parser.whole_numbers(node)?;
        let numbers: Option<Vec<usize>> =
            numbers.iter().map(|&n| usize::try_from(n).ok()).collect();
        match numbers?.as_slice() {
            [both] => Some([*both; 2]),
            [before, behind] => Some([*before, *behind]),
            _ => None,
        }
    };
    let node = given.operand(1)?;
    let found = match (pair(node), &parser.nodes[node].ast) {
        (Some(all), _) => Some(vec![all; rank]),
        (None, Ast::Tuple(items) | Ast::List(items)) => {
            let pairs: Option<Vec<_>> = items.iter().map(|&item| pair(item)).collect();
            match pairs.as_deref() {
                Some(&[all]) => Some(vec![all; rank]),
                Some(pairs) if pairs.len() == rank => Some(pairs.to_vec()),
                _ => None,
            }
        }
        _ => None,
    };
    found.ok_or_else(|| {
        let reason = "pad_width is a whole number of 0 or more, (before, behind), or such a pair for each axis";
        syntax(given.column, reason)
    })
}

impl At<'_> {
    /// A part of an array along one axis.
    fn along(&mut self, x: usize, axis: usize, part: Index) -> usize {
        let mut index = vec![Index::Range(None, None, 1); axis];
        index.push(part);
        self.push(Ast::View(x, View::Slice(index)))
    }

    fn rolled(&mut self, x: usize, axis: usize, n: usize, shift: isize) -> usize {
        let first = match n.cast_signed() {
            0 => 0,
            n => n - shift.rem_euclid(n),
        };
        if first == 0 || first == n.cast_signed() {
            return x;
        }
        let parts = [(Some(first), None), (None, Some(first))];
        let parts = parts.map(|(start, stop)| self.along(x, axis, Index::Range(start, stop, 1)));
        self.push(Ast::Joined(Join::Along(axis.cast_signed()), parts.to_vec()))
    }

    /// The matrix with these elements on a diagonal, 0 elsewhere.
    fn on_diagonal(&mut self, x: usize, n: usize, k: isize) -> Result<usize> {
        if n == 0 {
            return Err(syntax(self.column, "diag takes one element or more"));
        }
        let zero = self.parser.literal(self.column, 0);
        let zeros = self.composed(Composed::Full, &[zero, x]);
        let zero = self.along(zeros, 0, Index::Range(None, Some(1), 1));
        let more = k.unsigned_abs();
        let mut line = x;
        if more > 0 {
            let rest = self.broadcast(zero, vec![more]);
            line = self.push(Ast::Joined(Join::Along(0), vec![x, rest]));
        }
        // Above the middle each row has its element, below it each column.
        let index = match k {
            0.. => vec![Index::Ellipsis, Index::NewAxis],
            _ => vec![Index::NewAxis, Index::Ellipsis],
        };
        let line = self.push(Ast::View(line, View::Slice(index)));
        let size = n.saturating_add(more);
        let eye = Made::Eye([size, size], k, Some(DType::Bool));
        let kept = self.push(Ast::Made(eye));
        Ok(self.op(Op::WHERE, &[kept, line, zero]))
    }
}
