//! The oracle: runs an expression on slices with the op rows' CPU functions. Simple, slow,
//! obviously right.

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Expr, Graph, GraphKind, GraphNode, Promotion};
use crate::host::HostTensor;
use crate::layout::Layout;
use crate::op::{Folding, Op, Operands, Types, Value, cast_cpu, fold_in_order, scan_in_order};
use crate::shape::Shape;

/// Runs one expression. Leaves are the numbers of `inputs`.
///
/// # Errors
/// - [`Error::Argument`] if a leaf has no input, or an argument of a step does not fit
/// - [`Error::Buffer`] for an input whose bytes end early
/// - [`Error::Arity`], [`Error::DType`], [`Error::MixedDTypes`], [`Error::Unsupported`] if a step
///   does not take so many operands, or operands of these types
/// - [`Error::Extents`], [`Error::Rank`], [`Error::Axis`], [`Error::View`] if shapes do not fit
///   under a rule or view
/// - [`Error::TooManyElements`] if a value has more elements than `usize` counts
/// - [`Error::At`] around any of these if the step has a column
pub fn run(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<HostTensor> {
    let input = |i: usize| {
        inputs.get(i).ok_or_else(|| {
            Error::argument(
                "reference",
                format!("slot {i} has no input, {} were given", inputs.len()),
            )
        })
    };
    let promoted = expr.promoted(Promotion::F32, |&i| Ok(input(i)?.dtype))?;
    let graph = Graph::new(&[promoted], |i| {
        input(i).map(|t| (t.dtype, t.layout.shape().clone()))
    })?;

    // How often each node is still needed, so that values can be dropped.
    let mut uses = vec![0usize; graph.nodes.len()];
    graph
        .nodes
        .iter()
        .flat_map(|n| &n.args)
        .for_each(|(a, _)| uses[*a] += 1);
    uses[graph.roots[0]] += 1;

    let mut values: Vec<Vec<u64>> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let places: Vec<Layout> = node
            .args
            .iter()
            .map(|(a, map)| Ok(Layout::contiguous(&graph.nodes[*a].shape)?.through(map)))
            .collect::<Result<_>>()?;
        let mut walks: Vec<_> = places.iter().map(Layout::offsets).collect();
        let len = node.shape.len()?;
        let mut out = Vec::with_capacity(len);
        match &node.kind {
            GraphKind::Slot(i) => out = input(*i)?.storage_bits()?,
            GraphKind::Scalar(x) => out.push(x.bits),
            GraphKind::Alias | GraphKind::Reshape => {
                out.extend(walks.swap_remove(0).map(|at| values[node.args[0].0][at]))
            }
            GraphKind::Product => {
                let operands = [0, 1].map(|k| &graph.nodes[node.args[k].0]);
                let [a, b] = [0, 1].map(|k| {
                    let read = |at| Value::decode(operands[k].dtype, values[node.args[k].0][at]);
                    places[k].offsets().map(read).collect::<Vec<_>>()
                });
                let (extents, rank) = (node.shape.extents(), node.shape.rank());
                let (rows, columns) = (extents[rank - 2], extents[rank - 1]);
                let depth = operands[0].shape.extents()[rank - 1];
                let zero = Value::decode(node.dtype, 0);
                for at in 0..len {
                    let (row, column) = (at / columns, at % columns);
                    // The batch before this one has as many rows of the second factor.
                    let first = row / rows * depth;
                    let terms =
                        (0..depth).map(|k| (a[row * depth + k], b[(first + k) * columns + column]));
                    let sum = terms.fold(zero, |sum, (x, y)| sum.plus_product(x, y));
                    out.push(sum.encode(node.dtype));
                }
            }
            GraphKind::Reduce { op, axes } => {
                let (arg, _) = &node.args[0];
                out = reduce(*op, &graph.nodes[*arg], axes, &values[*arg])?;
            }
            GraphKind::Scan {
                op,
                axis,
                exclusive,
                reverse,
            } => {
                let begin = exclusive.then(|| op.of_nothing(node.dtype));
                out = scan(*op, node, (*axis, *reverse), begin, &values[node.args[0].0])?;
            }
            GraphKind::Position { axes } => out = positions(&node.shape, axes)?,
            GraphKind::Taken { axis } => {
                let [x, positions] = [0, 1].map(|k: usize| node.args[k].0);
                let of = graph.nodes[x].shape.extents();
                let (extent, inner) = (of[*axis], of[axis + 1..].iter().product::<usize>());
                let by = graph.nodes[positions].shape.len()?;
                for at in 0..len {
                    let (rest, within) = (at / inner.max(1), at % inner.max(1));
                    let (outer, which) = (rest / by.max(1), rest % by.max(1));
                    let place = values[positions][which] as usize;
                    out.push(values[x][(outer * extent + place) * inner + within]);
                }
            }
            GraphKind::Placed(maps) => {
                out = vec![0; len];
                for ((map, walk), (arg, _)) in maps.iter().zip(walks).zip(&node.args) {
                    let to = Layout::contiguous(&node.shape)?.through(map);
                    let elements = walk.map(|at| values[*arg][at]);
                    to.offsets().zip(elements).for_each(|(at, x)| out[at] = x);
                }
            }
            GraphKind::Numbers => out = (0..len as u64).collect(),
            GraphKind::Step(op) => {
                let mut operands = Vec::with_capacity(node.args.len());
                for _ in 0..len {
                    operands.clear();
                    for ((a, _), walk) in node.args.iter().zip(&mut walks) {
                        let at = walk.next().unwrap_or_default();
                        operands.push((graph.nodes[*a].dtype, values[*a][at]));
                    }
                    out.push(apply(*op, node.dtype, &operands)?);
                }
            }
        }
        values.push(out);
        for (a, _) in &node.args {
            uses[*a] -= 1;
            if uses[*a] == 0 {
                values[*a] = Vec::new();
            }
        }
    }

    let root = &graph.nodes[graph.roots[0]];
    let size = root.dtype.size();
    let bytes = values[graph.roots[0]]
        .iter()
        .flat_map(|b| b.to_le_bytes().into_iter().take(size))
        .collect();
    HostTensor::new(root.dtype, root.shape.clone(), bytes)
}

/// The layout of row-major elements with some axes behind all others, and the shape of those.
fn turned(shape: &Shape, axes: &[usize]) -> Result<(Layout, usize)> {
    let own = (0..shape.rank()).filter(|axis| !axes.contains(axis));
    let order: Vec<usize> = own.chain(axes.iter().copied()).collect();
    let strides = shape.row_major();
    let extents: Vec<usize> = order.iter().map(|&axis| shape.extents()[axis]).collect();
    let count = axes.iter().map(|&axis| shape.extents()[axis]).product();
    let turned = order.iter().map(|&axis| strides[axis]).collect();
    Ok((Layout::new(extents, turned, 0)?, count))
}

/// The elements of a node folded along axes.
fn reduce(op: Folding, of: &GraphNode, axes: &[usize], values: &[u64]) -> Result<Vec<u64>> {
    let (layout, count) = turned(&of.shape, axes)?;
    let elements: Vec<u64> = layout.offsets().map(|at| values[at]).collect();
    let mut failed = None;
    let mut join = |a, b| {
        apply(op.row(), of.dtype, &[(of.dtype, a), (of.dtype, b)]).unwrap_or_else(|e| {
            failed = Some(e);
            0
        })
    };
    let folded = elements
        .chunks(count.max(1))
        .filter_map(|row| fold_in_order(row, &mut join))
        .collect();
    failed.map_or(Ok(folded), Err)
}

/// The elements of a node scanned along an axis; `reverse`: from the last.
fn scan(
    op: Folding,
    node: &GraphNode,
    (axis, reverse): (usize, bool),
    begin: Option<u64>,
    values: &[u64],
) -> Result<Vec<u64>> {
    let (layout, count) = turned(&node.shape, &[axis])?;
    let places: Vec<usize> = layout.offsets().collect();
    let mut out = vec![0; values.len()];
    let mut failed = None;
    for row in places.chunks(count.max(1)) {
        let mut row = row.to_vec();
        if reverse {
            row.reverse();
        }
        let elements: Vec<u64> = row.iter().map(|&at| values[at]).collect();
        let scanned = scan_in_order(&elements, begin, |a, b| {
            let operands = [(node.dtype, a), (node.dtype, b)];
            apply(op.row(), node.dtype, &operands).unwrap_or_else(|e| {
                failed = Some(e);
                0
            })
        });
        row.into_iter().zip(scanned).for_each(|(at, x)| out[at] = x);
    }
    failed.map_or(Ok(out), Err)
}

/// The number of each element along axes.
fn positions(shape: &Shape, axes: &[usize]) -> Result<Vec<u64>> {
    let (layout, count) = turned(shape, axes)?;
    let mut out = vec![0; shape.len()?];
    for (n, at) in layout.offsets().enumerate() {
        out[at] = (n % count) as u64;
    }
    Ok(out)
}

/// One element of one step, in storage bits.
fn apply(op: Op, result: DType, operands: &[(DType, u64)]) -> Result<u64> {
    match op.types() {
        Types::Cast => {
            let (dtype, bits) = operands[0];
            return Ok(cast_cpu(Value::decode(dtype, bits), result).encode(result));
        }
        Types::BitCast => return Ok(operands[0].1),
        Types::Same(_) | Types::Test(_) | Types::Select(_) => {}
    }
    let (data, _) = operands[operands.len() - 1];
    let form = op
        .form(data)
        .ok_or_else(|| Error::unsupported(format!("{op} on {data}")))?;
    let values: Vec<Value> = operands
        .iter()
        .map(|&(dtype, bits)| match form.read {
            Operands::Storage => Value::Bits(bits),
            Operands::Values | Operands::FloatBits | Operands::Native => Value::decode(dtype, bits),
        })
        .collect();
    Ok((form.cpu)(&values).encode(result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

    fn f32s(shape: impl Into<Shape>, data: &[f32]) -> HostTensor {
        HostTensor::new(DType::F32, shape, bytemuck::cast_slice(data).to_vec()).unwrap()
    }

    #[test]
    fn rows_and_columns_make_a_table() {
        let sum = run(
            &Expr::slot(0).add(Expr::slot(1)),
            &[f32s([2, 1], &[10.0, 20.0]), f32s([3], &[1.0, 2.0, 3.0])],
        )
        .unwrap();
        assert_eq!(sum, f32s([2, 3], &[11.0, 12.0, 13.0, 21.0, 22.0, 23.0]));
    }

    #[test]
    fn narrow_integers_wrap_after_each_step() {
        let x = |v: u8| HostTensor::new(DType::U8, [1], vec![v]).unwrap();
        let sum = Expr::slot(0).add(Expr::slot(1));
        let half = Expr::step(Op::DIV, [sum, Expr::literal(2)]);
        assert_eq!(run(&half, &[x(200), x(100)]).unwrap().bytes, [22]);
    }

    #[test]
    fn mean_divides_by_the_number_of_operands() {
        let x = f32s([2], &[1.0, 4.0]);
        let mean = run(
            &Expr::mean_n(&[Expr::slot(0), Expr::slot(0), Expr::slot(1)]),
            &[x, f32s([1], &[7.0])],
        )
        .unwrap();
        assert_eq!(mean, f32s([2], &[3.0, 5.0]));
    }
}
