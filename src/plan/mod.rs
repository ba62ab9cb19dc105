//! `Plan`: everything that is decided before a device is touched.
//!
//! An expression over slots of known type and layout becomes passes. Each pass is one dispatch,
//! with its canonical axes, the access of each input, the mapping from invocations to elements, the
//! grid and the words of its uniform table. A plan prints itself and needs no GPU.

#[cfg(any(test, fuzzing))]
mod audit;
mod binding;
mod boxes;
mod canonical;
mod cut;
mod explain;
mod grid;
mod limits;
mod lower;
mod magic;
mod mapping;
mod partition;
mod pass;
mod product;
mod rows;
mod swar;
mod table;
mod temporaries;
mod unroll;
mod window;

#[cfg(feature = "stream")]
pub(crate) use boxes::{Cut, Window};
pub use explain::{Operand, StepInfo};
pub use limits::Limits;
pub(crate) use mapping::{Access, Kind as MappingKind, Mapping, Spread, Store, Unroll};
pub use partition::{Part, Partition};
pub(crate) use pass::{Arg, Input, Output, Pass, Range, Source, Step, Target, Temporary};
use swar::Swar;
pub(crate) use swar::unit;
pub(crate) use table::{MAX_UNROLLED, TableShape, unrolled};
pub(crate) use window::{Group, Place, Role};

use std::sync::atomic::{AtomicU64, Ordering};

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Expr, Graph, GraphKind, Promotion};
use crate::layout::Layout;
use crate::shape::Shape;
use crate::view::Map;

/// Elements one invocation owns at a time: a quad of bytes is one word, of halves two, of words a
/// `vec4`.
pub(crate) const QUAD: usize = 4;
/// Inputs a pass may have, so that its uniform table stays small on every adapter.
const MAX_INPUTS: usize = 32;
/// Elements a pass may write: indices stay below 2^31, where magic division is exact.
const MAX_LEN: usize = 1 << 31;

/// How far beyond its elements a buffer may be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Room {
    /// Whole quads, of words where elements are narrower (16 or 32 bytes), may be read and, in an
    /// output, overwritten past the last element: buffers this crate allocates.
    Padding,
    /// The buffer has this many bytes, and nothing but the elements may be written.
    Bytes(u64),
}

/// What a plan knows of an input or output: its type and where its elements lie.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// Element type.
    pub dtype: DType,
    /// Shape, strides and offset, in elements from the buffer's start.
    pub layout: Layout,
    /// How far beyond the elements the buffer may be touched.
    pub room: Room,
}

impl Slot {
    /// Elements in row-major order from the start of a buffer of this crate.
    ///
    /// # Errors
    /// [`Error::TooManyElements`].
    pub fn new(dtype: DType, shape: impl Into<Shape>) -> Result<Self> {
        Ok(Self {
            dtype,
            layout: Layout::contiguous(shape)?,
            room: Room::Padding,
        })
    }

    /// Elements anywhere in a buffer of `bytes` bytes.
    pub fn wrapped(dtype: DType, layout: Layout, bytes: u64) -> Self {
        Self {
            dtype,
            layout,
            room: Room::Bytes(bytes),
        }
    }

    /// Elements that are touched at once: quads, of words where elements are narrower.
    pub(crate) fn quad(&self) -> usize {
        QUAD * binding::elements_a_word(self.dtype) as usize
    }

    /// Bytes of whole quads up to the last element.
    pub(crate) fn quad_bytes(&self) -> u64 {
        let end = self.layout.reach().map_or(0, |r| r.end().saturating_add(1));
        let end = end
            .checked_next_multiple_of(self.quad())
            .unwrap_or(usize::MAX);
        (end as u64).saturating_mul(self.dtype.size() as u64)
    }
}

/// What an expression is compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Accuracy {
    /// Own functions with a stated bound in ULP.
    #[default]
    Precise,
    /// The adapter's builtins, which are faster and may be far off.
    Fast,
}

/// Choices that are not the expression's: accuracy, promotion and limits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Own functions or the adapter's.
    pub accuracy: Accuracy,
    /// Which float type arises from integers.
    pub promotion: Promotion,
    /// The adapter's limits.
    pub limits: Limits,
}

/// Tells plans apart, so that what a device keeps for one is found without looking at all of it.
/// Clones share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PlanId(u64);

impl PlanId {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// An expression, ready to be encoded as often as wanted with buffers of the same types and
/// layouts.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) id: PlanId,
    pub(crate) slots: Vec<Slot>,
    pub(crate) outputs: Vec<Slot>,
    pub(crate) temporaries: Vec<Temporary>,
    pub(crate) passes: Vec<Pass>,
    /// The results that are computed window by window.
    pub(crate) groups: Vec<Group>,
    /// The limits it was made for.
    pub(crate) limits: Limits,
}

impl Plan {
    /// Plans one expression whose leaves are the numbers of `slots`; the output is a buffer of this
    /// crate.
    ///
    /// # Errors
    /// Those of promotion, typing, rules and views; [`Error::TooLarge`] where an operand needs a
    /// larger binding than the limits allow.
    pub fn new(expr: &Expr<usize>, slots: &[Slot], options: &Options) -> Result<Self> {
        Self::many(std::slice::from_ref(expr), slots, &[], options)
    }

    /// Plans several expressions over the same slots. `outputs` names where the first of them are
    /// written; the others go to buffers of this crate.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`Error::Buffer`] for an output whose type, shape or order does not
    /// fit.
    pub fn many(
        exprs: &[Expr<usize>],
        slots: &[Slot],
        outputs: &[Slot],
        options: &Options,
    ) -> Result<Self> {
        if outputs.len() > exprs.len() {
            let reason = format!(
                "{} outputs were given for {} expressions",
                outputs.len(),
                exprs.len()
            );
            return Err(Error::argument("plan", reason));
        }
        let graph = Self::graph(exprs, slots, options)?;
        let layouts: Vec<Layout> = slots.iter().map(|s| s.layout.clone()).collect();
        Self::of_graph(&graph, slots, &layouts, outputs, options)
    }

    /// The typed graph of expressions.
    fn graph(exprs: &[Expr<usize>], slots: &[Slot], options: &Options) -> Result<Graph> {
        let slot = |i: usize| {
            slots.get(i).ok_or_else(|| {
                Error::argument(
                    "plan",
                    format!("slot {i} is not there, {} were given", slots.len()),
                )
            })
        };
        let promoted = Expr::promote_all(exprs, options.promotion, |&i| Ok(slot(i)?.dtype))?;
        let graph = Graph::new(&promoted, |i| {
            slot(i).map(|s| (s.dtype, s.layout.shape().clone()))
        })?;
        graph.check_f64(options.limits.float64)?;
        Ok(graph)
    }

    /// Plans a graph. `layouts` says where the inputs' elements lie in the buffers of `slots`, on
    /// the graph's axes.
    fn of_graph(
        graph: &Graph,
        slots: &[Slot],
        layouts: &[Layout],
        outputs: &[Slot],
        options: &Options,
    ) -> Result<Self> {
        let limits = &options.limits;
        if limits.max_storage_buffers < 4 {
            let reason = format!(
                "max_storage_buffers is {}; a step of three operands and its result take 4",
                limits.max_storage_buffers
            );
            return Err(Error::argument("limits", reason));
        }
        let max_inputs = (limits.max_storage_buffers as usize - 1).min(MAX_INPUTS);
        let mut places = lower::Bound::inputs(graph, layouts);
        let cut = cut::cuts(graph, &places, max_inputs)?;
        places.cuts = cut.iter().enumerate().map(|(t, &n)| (n, t)).collect();

        let mut plan = Self {
            id: PlanId::new(),
            slots: slots.to_vec(),
            outputs: Vec::new(),
            temporaries: Vec::new(),
            passes: Vec::new(),
            groups: Vec::new(),
            limits: *limits,
        };
        // Those of the cuts come first: windows add more.
        for &n in &cut {
            let node = &graph.nodes[n];
            plan.temporaries.push(Temporary {
                dtype: node.dtype,
                len: node.shape.len()?,
            });
        }
        for (t, &n) in cut.iter().enumerate() {
            let node = &graph.nodes[n];
            let slot = Slot::new(node.dtype, node.shape.clone())?;
            let target = Target::Temporary(t);
            match node.kind {
                GraphKind::Product => {
                    plan.push_product((graph, n), &places, target, &slot, options)?
                }
                GraphKind::Reshape => {
                    // Its elements lie as those of what it is a reshape of.
                    let (arg, _) = node.args[0];
                    let slot = Slot::new(node.dtype, graph.nodes[arg].shape.clone())?;
                    plan.push(lower::lower(graph, arg, &places)?, target, &slot, options)?;
                }
                _ => plan.push(lower::lower(graph, n, &places)?, target, &slot, options)?,
            }
        }
        for (k, &n) in graph.roots.iter().enumerate() {
            let node = &graph.nodes[n];
            let slot = match outputs.get(k) {
                Some(slot) => slot.clone(),
                None => Slot::new(node.dtype, node.shape.clone())?,
            };
            check_output(k, &slot, node.dtype, &node.shape)?;
            match product::whole(graph, n) {
                Some(p) => {
                    plan.push_product((graph, p), &places, Target::Output(k), &slot, options)?
                }
                None => plan.push(
                    lower::lower(graph, n, &places)?,
                    Target::Output(k),
                    &slot,
                    options,
                )?,
            }
            plan.outputs.push(slot);
        }
        plan.share_temporaries();
        Ok(plan)
    }

    /// Adds the pass of a body, or one a window where an operand does not fit a binding or one
    /// dispatch would be too long.
    fn push(
        &mut self,
        body: lower::Body,
        target: Target,
        slot: &Slot,
        options: &Options,
    ) -> Result<()> {
        if slot.layout.len() > options.limits.elements(body.is_dense()) {
            return self.push_windows(&body, target, slot, options);
        }
        let temporaries = self.temporaries.len();
        match self.push_whole(&body, target, slot, options) {
            Err(Error::TooLarge { .. }) => {
                self.temporaries.truncate(temporaries);
                self.push_windows(&body, target, slot, options)
            }
            done => done,
        }
    }

    /// Adds the pass of a body; two where the output begins inside a word and the elements must be
    /// shifted.
    fn push_whole(
        &mut self,
        body: &lower::Body,
        target: Target,
        slot: &Slot,
        options: &Options,
    ) -> Result<()> {
        let shape = slot.layout.shape().clone();
        if let Some(pass) = self.pass(body, target, slot, &shape, options)? {
            self.passes.push(pass);
            return Ok(());
        }
        let t = self.temporaries.len();
        self.temporaries.push(Temporary {
            dtype: slot.dtype,
            len: slot.layout.len(),
        });
        let whole = Slot::new(slot.dtype, shape.clone())?;
        let first = self.pass(body, Target::Temporary(t), &whole, &shape, options)?;
        let layout = whole.layout.through(&Map::identity(&shape));
        let inputs = vec![(Source::Temporary(t), slot.dtype, layout)];
        let moved = lower::Body {
            inputs,
            result: Some(Arg::Input(0)),
            ..lower::Body::default()
        };
        let second = self.pass(&moved, target, slot, &shape, options)?;
        self.passes.extend(first.into_iter().chain(second));
        Ok(())
    }

    /// The pass of a body, or `None` where its output needs a shifted copy.
    fn pass(
        &self,
        body: &lower::Body,
        target: Target,
        slot: &Slot,
        shape: &Shape,
        options: &Options,
    ) -> Result<Option<Pass>> {
        let room = |source: &Source| match source {
            Source::Slot(i) => self.slots[*i].room,
            Source::Temporary(_) => Room::Padding,
        };
        let inputs: Vec<_> = body
            .inputs
            .iter()
            .map(|(s, d, l)| (*s, *d, l.clone(), room(s)))
            .collect();
        let packed = Swar::new(body, &inputs, slot);
        let (seen, out, on) = match &packed {
            Some(packed) => (&packed.inputs, &packed.slot, &packed.shape),
            None => (&inputs, slot, shape),
        };
        let Some(mut mapped) =
            mapping::map(seen, target, out, on, body.is_dense(), &options.limits)?
        else {
            return Ok(None);
        };
        if let Some(packed) = packed {
            packed.restore(&mut mapped, &inputs, slot);
        }
        let result = body
            .result
            .ok_or_else(|| Error::argument("plan", "the expression has no result"))?;
        let native = options.limits.int64 && body.steps.iter().any(Step::is_wide);
        Ok(Some(Pass::new(
            mapped,
            shape.clone(),
            body.clone(),
            result,
            options,
            native,
        )))
    }

    /// Type and shape of each output.
    pub fn outputs(&self) -> impl Iterator<Item = (DType, &Shape)> {
        self.outputs.iter().map(|s| (s.dtype, s.layout.shape()))
    }

    /// The number of dispatches.
    pub fn passes(&self) -> usize {
        self.passes.iter().filter(|p| !p.shape.is_empty()).count()
    }

    /// Bytes read and written: each input of each pass once, in the elements it reaches, and each
    /// output once.
    pub fn bytes_moved(&self) -> u64 {
        self.passes.iter().map(Pass::bytes_moved).sum()
    }
}

fn check_output(k: usize, slot: &Slot, dtype: DType, shape: &Shape) -> Result<()> {
    let fail = |reason: String| {
        Err(Error::Buffer {
            operand: format!("output {k}"),
            reason,
        })
    };
    if slot.dtype != dtype {
        return fail(format!(
            "it is {}, the expression gives {dtype}",
            slot.dtype
        ));
    }
    if slot.layout.shape() != shape {
        return fail(format!(
            "it has shape {}, the expression gives {shape}",
            slot.layout.shape()
        ));
    }
    if !slot.layout.is_contiguous() {
        return fail(format!(
            "its strides {:?} are not row-major; write to a contiguous tensor",
            slot.layout.strides()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
