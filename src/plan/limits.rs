//! What a plan must know of an adapter, without naming wgpu.

use super::arithmetic::Arithmetic;
use super::boxes::ALIGNED;
use super::schedule::{GPU, Profile, SOFTWARE};
use crate::dtype::DType;
use crate::error::Error;
use crate::expr::Graph;
use crate::op::{Native64, Op};

/// Steps one kernel may have, where a costly one counts as several.
pub(crate) const MAX_STEPS: usize = 512;
/// Indices one kernel may work with: tests of which piece an element lies in, and numbers of elements.
/// An element loads of each piece.
pub(crate) const MAX_INDICES: usize = 16;
/// Elements a pass may write: indices stay below 2^31, so that magic division is exact.
pub(super) const MAX_LEN: usize = 1 << 31;
/// Length of the code of an operator on doubles that integers compute, in sums, in a kernel that folds.
pub(super) const DOUBLE_WEIGHT: usize = 512;
/// By how many sums code is longer in which integers round a quotient, compute a product of 64 bits, and round to f16 and bf16.
/// SwiftShader cannot compile kernels that are much longer than [`MAX_STEPS`] allows.
const QUOTIENT_WEIGHT: usize = 15;
const PRODUCT_WEIGHT: usize = 3;
const HALF_WEIGHT: usize = 4;
const BFLOAT_WEIGHT: usize = 1;
/// Elements a dispatch of costly steps computes, as a fraction of what others compute.
const DENSE_FRACTION: usize = 16;

/// The limits of an adapter, and what is known of its arithmetic: what decides how an expression is cut and mapped.
///
/// ```
/// use zerostride::Limits;
///
/// let limits = Limits::WEBGPU.with_software(true).with_max_elements(1 << 20);
/// assert!(limits.software && limits.max_storage_buffers == 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes one storage binding may hold.
    pub max_binding: u64,
    /// Storage buffers a compute stage may use, the output among them.
    pub max_storage_buffers: u32,
    /// Bytes a binding's offset is a multiple of.
    pub offset_alignment: u32,
    /// Workgroups a dispatch may have along each axis of its grid.
    pub max_workgroups: u32,
    /// Invocations a workgroup may have, in all and along x.
    pub max_invocations: u32,
    /// Invocations a workgroup may have along y: those of matrix products have 16.
    pub max_workgroup_height: u32,
    /// Bytes of memory a workgroup may share.
    pub max_workgroup_storage: u32,
    /// Bytes of immediate data a dispatch may have: an expression's numbers go there if they
    /// fit, so that a new number makes no new buffer. 0 if shaders have none.
    pub max_immediates: u32,
    /// Elements one dispatch computes at most, so that none takes so long that a watchdog ends it;
    /// a sixteenth of them if steps are costly. Larger results are computed window by window.
    pub max_elements: u64,
    /// Whether the adapter is a CPU: it likes consecutive quads in one invocation, a GPU likes
    /// neighbouring invocations to load neighbouring quads.
    pub software: bool,
    /// Whether shaders have 64-bit integers. Without them u64 and i64 are pairs of words, as exact
    /// and slower.
    pub int64: bool,
    /// Whether shaders have 64-bit floats and integers. Without them integers compute f64, with the
    /// same bits and slower.
    pub float64: bool,
    /// What is known of arithmetic on floats.
    pub arithmetic: Arithmetic,
}

impl Limits {
    /// What [`max_elements`](Self::max_elements) is if nothing else is asked for.
    pub const MAX_ELEMENTS: u64 = 1 << 28;

    /// WebGPU's default limits: what every browser gives.
    pub const WEBGPU: Self = Self {
        max_binding: 128 << 20,
        max_storage_buffers: 8,
        offset_alignment: 256,
        max_workgroups: 65_535,
        max_invocations: 256,
        max_workgroup_height: 256,
        max_workgroup_storage: 16_384,
        max_immediates: 0,
        max_elements: Self::MAX_ELEMENTS,
        software: false,
        int64: false,
        float64: false,
        arithmetic: Arithmetic::UNKNOWN,
    };

    /// What shaders do with floats, in words: what a context found where it tried them.
    ///
    /// ```
    /// use zerostride::Limits;
    ///
    /// let said = Limits::WEBGPU.describe_floats().join(", ");
    /// assert!(said.contains("may reorder sums") && said.ends_with("integers compute f64"));
    /// ```
    pub fn describe_floats(&self) -> [&'static str; 7] {
        let mut said = self.arithmetic.describe();
        if !self.float64 {
            said[6] = "integers compute f64";
        }
        said
    }

    /// Invocations of a workgroup: as many as there may be, a power of two, 256 at most.
    pub(super) fn width(&self) -> u32 {
        1 << self.max_invocations.clamp(1, 256).ilog2()
    }

    /// What the machine pays for what.
    pub(super) fn profile(&self) -> &'static Profile {
        if self.software { &SOFTWARE } else { &GPU }
    }

    /// How many times as long as a sum a step's code is.
    pub(super) fn step_weight(&self, op: Op, operand: DType, result: DType) -> usize {
        let (known, form) = (&self.arithmetic, op.form(operand));
        let divides = form.is_some_and(|form| form.wgsl.contains("rounded_div("));
        let divides = divides && !known.quotients && !known.fused_quotients;
        let multiplies = op == Op::MUL && matches!(operand, DType::U64 | DType::I64);
        let rounds = |to: DType| result == to && op.facts().renormalize;
        let by_integers = [
            (divides, QUOTIENT_WEIGHT),
            (multiplies && !self.int64, PRODUCT_WEIGHT),
            (rounds(DType::F16) && !known.halves, HALF_WEIGHT),
            (rounds(DType::Bf16), BFLOAT_WEIGHT),
        ];
        let more = by_integers.map(|(is, weight)| if is { weight } else { 0 });
        op.weight(operand, self.native64()) + more.iter().sum::<usize>()
    }

    /// The number of steps that a node counts as of those that a kernel may have. Two quads of halves are computed in turn.
    pub(super) fn weight_of(&self, graph: &Graph, node: usize) -> usize {
        let halves = matches!(graph.nodes[node].dtype, DType::F16 | DType::Bf16);
        let step = graph.operator(node);
        step.map_or(1, |(op, from, to)| self.step_weight(op, from, to)) << u32::from(halves)
    }

    /// Which 64-bit types shaders have.
    pub(crate) fn native64(&self) -> Native64 {
        Native64 {
            integers: self.int64,
            floats: self.float64,
        }
    }

    /// Turns that the loops of a kernel's steps may take for a quad: an invocation computes up to 32.
    pub(super) fn step_turns(&self) -> usize {
        self.profile().turns / 32
    }

    /// The same for a quad of what is folded: of the smallest part of a row an invocation folds up to
    /// 256 quads, and takes some turns for itself.
    pub(super) fn folded_turns(&self) -> usize {
        self.profile().turns / 273
    }

    /// Elements one dispatch may compute. `dense`: its steps cost much more than its loads.
    pub(super) fn elements(&self, dense: bool) -> usize {
        let limit = usize::try_from(self.max_elements).unwrap_or(usize::MAX);
        let limit = if dense { limit / DENSE_FRACTION } else { limit };
        limit.clamp(1, MAX_LEN - ALIGNED)
    }

    /// What is said of an operand that takes a larger binding than there is.
    pub(super) fn too_large(&self, operand: impl Into<String>, bytes: u64) -> Error {
        Error::TooLarge {
            operand: operand.into(),
            bytes,
            limit: self.max_binding,
        }
    }

    /// Whether a plan made for `self` runs under these limits.
    pub(crate) fn fit(&self, adapter: &Self) -> bool {
        let alignment = adapter.offset_alignment.max(1);
        self.max_binding <= adapter.max_binding
            && self.max_storage_buffers <= adapter.max_storage_buffers
            && self.offset_alignment.is_multiple_of(alignment)
            && self.max_workgroups <= adapter.max_workgroups
            && self.max_invocations <= adapter.max_invocations
            && self.max_workgroup_height <= adapter.max_workgroup_height
            && self.max_workgroup_storage <= adapter.max_workgroup_storage
            && self.max_immediates <= adapter.max_immediates
            && (adapter.int64 || !self.int64)
            && (adapter.float64 || !self.float64)
            && self.arithmetic.fits(&adapter.arithmetic)
    }
}

macro_rules! setters {
    ($($with:ident $field:ident: $of:ty,)*) => {
        impl Limits {
            $(
                #[doc = concat!("The same with this [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                #[must_use]
                pub const fn $with(self, $field: $of) -> Self {
                    Self { $field, ..self }
                }
            )*
        }
    };
}

setters! {
    with_max_binding max_binding: u64,
    with_max_storage_buffers max_storage_buffers: u32,
    with_offset_alignment offset_alignment: u32,
    with_max_workgroups max_workgroups: u32,
    with_max_invocations max_invocations: u32,
    with_max_workgroup_height max_workgroup_height: u32,
    with_max_workgroup_storage max_workgroup_storage: u32,
    with_max_immediates max_immediates: u32,
    with_max_elements max_elements: u64,
    with_software software: bool,
    with_int64 int64: bool,
    with_float64 float64: bool,
    with_arithmetic arithmetic: Arithmetic,
}

impl Default for Limits {
    fn default() -> Self {
        Self::WEBGPU
    }
}
