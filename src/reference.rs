//! The oracle: runs an expression on slices with the operators' CPU functions. Simple, slow,
//! obviously right.

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Expr, Graph, GraphKind, GraphNode, Promotion, Relaid};
use crate::host::HostTensor;
use crate::layout::Layout;
use crate::op::{Folding, Op, Operands, Types, Value, cast_cpu, fold_in_order, scan_in_order};
use crate::shape::Shape;

/// Runs one expression. Each leaf is an index into `inputs`.
///
/// # Errors
/// - [`Error::Argument`] if a leaf has no input, or an argument of a step does not fit
/// - [`Error::Buffer`] for an input whose bytes end early
/// - [`Error::Arity`], [`Error::DType`], [`Error::MixedDTypes`], [`Error::Unsupported`] if a step
///   does not take this number of operands, or operands of these types
/// - [`Error::Extents`], [`Error::Rank`], [`Error::Axis`], [`Error::View`] if shapes do not fit
///   under a rule or view
/// - [`Error::TooManyElements`] if a value has more elements than `usize` counts
/// - [`Error::At`] around any of these if the step has a column
pub fn run(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<HostTensor> {
    let graph = graph(expr, inputs)?;
    // How often each node is still needed, so that values can be dropped.
    let mut uses = vec![0usize; graph.nodes.len()];
    graph
        .nodes
        .iter()
        .flat_map(|n| &n.args)
        .for_each(|(a, _)| uses[*a] += 1);
    uses[graph.roots[0]] += 1;

    let mut made = Nodes {
        graph: &graph,
        inputs,
        values: Vec::with_capacity(graph.nodes.len()),
    };
    for node in &graph.nodes {
        let values = made.compute(node)?;
        made.values.push(values);
        for (a, _) in &node.args {
            uses[*a] -= 1;
            if uses[*a] == 0 {
                made.values[*a] = Vec::new();
            }
        }
    }

    let root = &graph.nodes[graph.roots[0]];
    let size = root.dtype.size();
    let bytes = made.values[graph.roots[0]]
        .iter()
        .flat_map(|b| b.to_le_bytes().into_iter().take(size))
        .collect();
    HostTensor::new(root.dtype, root.shape.clone(), bytes)
}

/// The total number of elements of all values that [`run`] computes.
///
/// # Errors
/// Those of [`run`] that come before it computes.
pub fn elements(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<usize> {
    let mut nodes = graph(expr, inputs)?.nodes.into_iter();
    nodes.try_fold(
        0usize,
        |sum, node| Ok(sum.saturating_add(node.shape.len()?)),
    )
}

fn graph(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<Graph> {
    let input = |i: usize| input(inputs, i);
    let slot = |i| input(i).map(|t| (t.dtype, t.layout.shape().clone()));
    let expr = &Expr::without_calls(std::slice::from_ref(expr), &slot)?.swap_remove(0);
    let promoted = expr.promoted(Promotion::F32, |&i| Ok(input(i)?.dtype))?;
    Graph::new(&[promoted], slot)
}

fn input(inputs: &[HostTensor], i: usize) -> Result<&HostTensor> {
    inputs.get(i).ok_or_else(|| {
        let reason = format!("slot {i} has no input, {} were given", inputs.len());
        Error::argument("reference", reason)
    })
}

/// The nodes of a graph that are computed.
struct Nodes<'a> {
    graph: &'a Graph,
    inputs: &'a [HostTensor],
    /// The storage bits of their elements in row-major order.
    values: Vec<Vec<u64>>,
}

impl Nodes<'_> {
    /// The elements of a node whose operands are computed.
    fn compute(&self, node: &GraphNode) -> Result<Vec<u64>> {
        match &node.kind {
            GraphKind::Slot(i) => input(self.inputs, *i)?.storage_bits(),
            GraphKind::Scalar(x) => Ok(vec![x.bits]),
            GraphKind::Alias | GraphKind::Relaid(Relaid::RowMajor) => self.read(node, 0),
            GraphKind::Relaid(how) => {
                let (of, values) = self.operand(node, 0);
                let layout = how.layout(&Layout::contiguous(&of.shape)?, &node.shape)?;
                Ok(layout.offsets().map(|at| values[at]).collect())
            }
            GraphKind::Product => self.product(node),
            GraphKind::Reduce { op, axes } => {
                let (of, values) = self.operand(node, 0);
                reduce(*op, of, axes, values)
            }
            GraphKind::Scan {
                op,
                axis,
                exclusive,
                reverse,
            } => {
                let begin = exclusive.then(|| op.of_nothing(node.dtype));
                let (_, values) = self.operand(node, 0);
                scan(*op, node, (*axis, *reverse), begin, values)
            }
            GraphKind::Position { axes } => positions(&node.shape, axes),
            GraphKind::Numbers => positions(&node.shape, &[0]),
            GraphKind::Taken { axis } => self.taken(node, *axis),
            GraphKind::Searched { right } => self.searched(node, *right),
            GraphKind::Placed(maps) => {
                let mut out = vec![0; node.shape.len()?];
                for (k, map) in maps.iter().enumerate() {
                    let to = Layout::contiguous(&node.shape)?.through(map);
                    let elements = self.read(node, k)?;
                    to.offsets().zip(elements).for_each(|(at, x)| out[at] = x);
                }
                Ok(out)
            }
            GraphKind::Step(op) => self.step(node, *op),
        }
    }

    /// An operand of a node, and its elements.
    fn operand(&self, node: &GraphNode, k: usize) -> (&GraphNode, &[u64]) {
        let (arg, _) = node.args[k];
        (&self.graph.nodes[arg], &self.values[arg])
    }

    /// The elements of an operand that a node reads, in its order.
    fn read(&self, node: &GraphNode, k: usize) -> Result<Vec<u64>> {
        let (of, values) = self.operand(node, k);
        let layout = Layout::contiguous(&of.shape)?.through(&node.args[k].1);
        Ok(layout.offsets().map(|at| values[at]).collect())
    }

    fn product(&self, node: &GraphNode) -> Result<Vec<u64>> {
        let factor = |k: usize| -> Result<Vec<Value>> {
            let dtype = self.operand(node, k).0.dtype;
            let elements = self.read(node, k)?.into_iter();
            Ok(elements.map(|bits| Value::decode(dtype, bits)).collect())
        };
        let (a, b) = (factor(0)?, factor(1)?);
        let (extents, rank) = (node.shape.extents(), node.shape.rank());
        let (rows, columns) = (extents[rank - 2], extents[rank - 1]);
        let depth = self.operand(node, 0).0.shape.extents()[rank - 1];
        let zero = Value::decode(node.dtype, 0);
        let element = |at: usize| {
            let (row, column) = (at / columns, at % columns);
            // The batch before this one has as many rows of the second factor.
            let first = row / rows * depth;
            let terms = (0..depth).map(|k| (a[row * depth + k], b[(first + k) * columns + column]));
            let sum = terms.fold(zero, |sum, (x, y)| sum.plus_product(x, y));
            sum.encode(node.dtype)
        };
        Ok((0..node.shape.len()?).map(element).collect())
    }

    fn searched(&self, node: &GraphNode, right: bool) -> Result<Vec<u64>> {
        let [(_, row), (_, values)] = [0, 1].map(|k| self.operand(node, k));
        let place = |value: &u64| {
            let stands_before = |own: &u64| own < value || right && own == value;
            row.partition_point(stands_before) as u64
        };
        Ok(values.iter().map(place).collect())
    }

    fn taken(&self, node: &GraphNode, axis: usize) -> Result<Vec<u64>> {
        let [(of, values), (by, indices)] = [0, 1].map(|k| self.operand(node, k));
        let (extent, behind) = (of.shape.extents()[axis], &of.shape.extents()[axis + 1..]);
        let inner: usize = behind.iter().product();
        let count = by.shape.len()?;
        let element = |at: usize| {
            let (rest, within) = (at / inner.max(1), at % inner.max(1));
            let (outer, which) = (rest / count.max(1), rest % count.max(1));
            let place = indices[which] as usize;
            values[(outer * extent + place) * inner + within]
        };
        Ok((0..node.shape.len()?).map(element).collect())
    }

    fn step(&self, node: &GraphNode, op: Op) -> Result<Vec<u64>> {
        let reads =
            (0..node.args.len()).map(|k| Ok((self.operand(node, k).0.dtype, self.read(node, k)?)));
        let reads: Vec<(DType, Vec<u64>)> = reads.collect::<Result<_>>()?;
        let mut operands = Vec::with_capacity(reads.len());
        let element = |at: usize| {
            operands.clear();
            operands.extend(reads.iter().map(|(dtype, bits)| (*dtype, bits[at])));
            apply(op, node.dtype, &operands)
        };
        (0..node.shape.len()?).map(element).collect()
    }
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
