//! The pass of a matrix product.

use std::collections::BTreeMap;

use super::cut::resolve;
use super::mapping::{Access, Kind, Mapped, Mapping, Spread, Store, bind, operand_name, target_name};
use super::{Input, Limits, MAX_LEN, Output, QUAD, Room, Slot, Source, Target};
use crate::error::{Error, Result};
use crate::expr::{Graph, GraphKind, normal};
use crate::layout::Layout;
use crate::view::Map;

/// Rows and columns of the result that a workgroup computes.
pub(crate) const TILE: usize = 64;
/// Invocations of a workgroup along each axis; each computes four rows of a quad.
pub(crate) const SIDE: u32 = 16;

/// The product that a root is, where it is the whole of one.
pub(crate) fn whole(graph: &Graph, root: usize) -> Option<usize> {
    let identity = Map::identity(&graph.nodes[root].shape);
    let (source, map) = resolve(graph, root, identity.clone());
    (matches!(graph.nodes[source].kind, GraphKind::Product) && normal(map) == normal(identity)).then_some(source)
}

/// Maps the product `node`: the canonical axes are its rows, its columns and the axis that is summed over.
pub(crate) fn map(
    (graph, node): (&Graph, usize),
    slots: &[Slot],
    (layouts, numbers): (&[Layout], &BTreeMap<usize, usize>),
    target: Target,
    slot: &Slot,
    limits: &Limits,
) -> Result<Mapped> {
    let node = &graph.nodes[node];
    let mut inputs = Vec::with_capacity(2);
    for (k, (arg, map)) in node.args.iter().enumerate() {
        let (source, map) = resolve(graph, *arg, map.clone());
        let from = &graph.nodes[source];
        let (source, layout, room) = match (&from.kind, numbers.get(&source)) {
            (GraphKind::Slot(i), _) => (Source::Slot(*i), layouts[*i].through(&map), slots[*i].room),
            (_, Some(&t)) => (Source::Temporary(t), Layout::contiguous(&from.shape)?.through(&map), Room::Quads),
            _ => return Err(Error::argument("matmul", "a factor was given no buffer")),
        };
        let (range, offset, _) = bind(&operand_name(source), from.dtype, &layout, room, limits)?;
        let [outer, inner] = [0, 1].map(|axis| layout.strides()[axis]);
        let strides = if k == 0 { vec![outer, 0, inner] } else { vec![0, inner, outer] };
        inputs.push(Input {
            source,
            dtype: from.dtype,
            layout,
            strides,
            access: Access::Gather,
            range,
            offset,
            lanes: 1,
        });
    }
    let (range, offset, _) = bind(&target_name(target), slot.dtype, &slot.layout, slot.room, limits)?;
    let output = Output { target, dtype: slot.dtype, store: Store::Words { shift: 0 }, range, offset, lanes: 1 };
    let [rows, columns] = [0, 1].map(|axis| node.shape.extents()[axis]);
    let depth = inputs[0].layout.shape().extents()[1];
    if let Some(extent) = [rows, columns, depth].into_iter().find(|&e| e >= MAX_LEN) {
        let reason = format!("an extent of {extent} is beyond the largest, {}; split the matrices", MAX_LEN - 1);
        return Err(Error::argument("matmul", reason));
    }
    let memory = 2 * SIDE * SIDE * QUAD as u32 * slot.dtype.size() as u32;
    if memory > limits.max_workgroup_storage {
        let has = limits.max_workgroup_storage;
        let reason = format!("it needs {memory} bytes of workgroup memory for {}, the adapter has {has}", slot.dtype);
        return Err(Error::argument("matmul", reason));
    }
    let spread = if limits.software { Spread::Consecutive } else { Spread::Interleaved };
    let workgroup = [SIDE, SIDE];
    let mapping =
        Mapping { kind: Kind::Product, workgroup, quads: 4, rows: 1, along: 0, powers: false, spread, folded: false };
    Ok(Mapped { inputs, output, extents: vec![rows, columns, depth], mapping, grid: grid(rows, columns, limits)? })
}

/// A workgroup a tile; rows of tiles beyond what a grid is high go on in the next layer.
fn grid(rows: usize, columns: usize, limits: &Limits) -> Result<[u32; 3]> {
    let max = limits.max_workgroups.max(1) as usize;
    let (across, down) = (columns.div_ceil(TILE), rows.div_ceil(TILE));
    let layers = down.div_ceil(max);
    if SIDE * SIDE > limits.max_invocations || SIDE > limits.max_workgroup_height {
        let reason = format!("it needs workgroups of {SIDE} x {SIDE} invocations, which the adapter does not have");
        return Err(Error::argument("matmul", reason));
    }
    if across > max || layers > max {
        let reason = format!("{rows} x {columns} elements need more workgroups than the adapter's {max} along an axis");
        return Err(Error::argument("matmul", format!("{reason}; split the matrices")));
    }
    Ok([across as u32, down.div_ceil(layers.max(1)) as u32, layers as u32])
}
