//! Running expressions and plans on tensors.

use std::sync::Arc;

use super::Tensor;
use crate::device::{Buffer, Context, Operands};
use crate::error::{Error, Result};
#[cfg(feature = "complete")]
use crate::expr::Kin;
use crate::expr::{Expr, ExprKey, Literal};
use crate::layout::Layout;
use crate::plan::{Options, Plan, Room, Slot};

/// Expressions as they are run.
struct Planned {
    plan: Arc<Plan>,
    tensors: Vec<Tensor>,
    numbers: Vec<Literal>,
}

impl Expr<Tensor> {
    /// Computes this expression, on the context of its tensors.
    ///
    /// # Errors
    /// - [`Error::Argument`] if the expression contains no tensor
    /// - [`Error::DType`], [`Error::MixedDTypes`] and [`Error::Unsupported`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::Extents`], [`Error::Rank`], [`Error::Axis`], [`Error::View`] for shapes that do
    ///   not align under a rule or fit a view
    /// - [`Error::Argument`], [`Error::Arity`] for arguments of an operator that do not fit
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn eval(&self) -> Result<Tensor> {
        self.context("eval")?.eval(self)
    }

    /// Computes this expression and drops it: the result may be computed in the buffer of a tensor
    /// that nothing else refers to ("donation"), if it has the same layout and elements of the same
    /// size. So a state that is replaced step by step takes one buffer, not two.
    ///
    /// ```
    /// # use zerostride::{Context, Expr, Tensor};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let mut x: Tensor = context.tensor(&[1.0f32; 1000], [10, 100])?;
    /// for _ in 0..3 {
    ///     x = (Expr::from(x) * 0.5 + 1.0).eval_donating()?;
    /// }
    /// assert_eq!(x.read_blocking::<f32>()?[0], 1.875);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The tensors are dropped on an error too.
    /// - [`Error::Argument`] if the expression contains no tensor
    /// - [`Error::DType`], [`Error::MixedDTypes`] and [`Error::Unsupported`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::Extents`], [`Error::Rank`], [`Error::Axis`], [`Error::View`] for shapes that do
    ///   not align under a rule or fit a view
    /// - [`Error::Argument`], [`Error::Arity`] for arguments of an operator that do not fit
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn eval_donating(self) -> Result<Tensor> {
        let context = self.context("eval_donating")?;
        let planned = context.planned(std::slice::from_ref(&self), &context.options())?;
        drop(self);
        let mut all = context.run_donating(&planned.plan, planned.tensors, &planned.numbers)?;
        Ok(all.swap_remove(0))
    }

    /// Replaces tensors by numbered slots, and returns the tensor of each slot too: arguments for
    /// [`Context::plan`] and [`Context::run`], so that a plan can be kept and run on other tensors.
    /// Tensors of the same elements share a slot.
    ///
    /// ```
    /// # use zerostride::{Context, Expr, Slot, Tensor};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x = context.tensor(&[1.0f32, 2.0, 3.0], [3])?;
    /// let (exprs, tensors) = Expr::numbered(&[&x * &x + 1.0]);
    /// let slots: Vec<Slot> = tensors.iter().map(Tensor::slot).collect();
    /// let plan = context.plan(&exprs, &slots, &[], &context.options())?;
    /// let y = context.tensor(&[4.0f32, 5.0, 6.0], [3])?;
    /// assert_eq!(context.run(&plan, &[&y])?[0].read_blocking::<f32>()?, [17.0, 26.0, 37.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn numbered(exprs: &[Self]) -> (Vec<Expr<usize>>, Vec<Tensor>) {
        let mut tensors: Vec<Tensor> = Vec::new();
        let slots = Self::map_leaves(exprs, |tensor| Ok(place(&mut tensors, tensor)));
        (slots.expect("no leaf is refused"), tensors)
    }

    /// The context of its tensors.
    fn context(&self, called: &str) -> Result<Context> {
        let leaf = Self::post_order(std::slice::from_ref(self))
            .into_iter()
            .find_map(Self::as_leaf);
        let none = || Error::argument(called, "the expression names no tensor; use Context::eval");
        leaf.map(|tensor| tensor.context().clone()).ok_or_else(none)
    }
}

impl Context {
    /// Computes an expression, as one kernel if the adapter has enough bindings. The work is
    /// recorded, and submitted with a later read or [`flush`](Self::flush).
    ///
    /// # Errors
    /// - [`Error::DType`], [`Error::MixedDTypes`] and [`Error::Unsupported`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::Extents`], [`Error::Rank`], [`Error::Axis`], [`Error::View`] for shapes that do
    ///   not align under a rule or fit a view
    /// - [`Error::Argument`], [`Error::Arity`] for arguments of an operator that do not fit
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn eval(&self, expr: &Expr<Tensor>) -> Result<Tensor> {
        let mut all = self.eval_with(std::slice::from_ref(expr), &self.options())?;
        Ok(all.swap_remove(0))
    }

    /// Computes several expressions, which may share subexpressions, with the caller's options.
    ///
    /// # Errors
    /// - [`Error::DType`], [`Error::MixedDTypes`] and [`Error::Unsupported`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::Extents`], [`Error::Rank`], [`Error::Axis`], [`Error::View`] for shapes that do
    ///   not align under a rule or fit a view
    /// - [`Error::Argument`], [`Error::Arity`] for arguments of an operator that do not fit
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn eval_with(&self, exprs: &[Expr<Tensor>], options: &Options) -> Result<Vec<Tensor>> {
        let planned = self.planned(exprs, options)?;
        let tensors: Vec<&Tensor> = planned.tensors.iter().collect();
        let outputs = self.outputs(&planned.plan)?;
        self.check_inputs(&planned.plan, &tensors)?;
        self.run_into(&planned.plan, &tensors, outputs, &planned.numbers)
    }

    /// Plans expressions. The plan is kept for expressions that differ only in tensors of the same
    /// types and layouts and in numbers of the same kinds.
    fn planned(&self, exprs: &[Expr<Tensor>], options: &Options) -> Result<Planned> {
        let mut tensors: Vec<Tensor> = Vec::new();
        let (exprs, numbers) = Expr::giving(exprs, &mut |tensor| place(&mut tensors, tensor));
        let known = (tensors.iter().map(Tensor::slot).collect(), options);
        let make = |slots: &[Slot]| self.plan(&exprs, slots, &[], options);
        Ok(Planned {
            plan: self
                .plans()
                .get(ExprKey::new(&exprs), &numbers, known, make)?,
            tensors,
            numbers,
        })
    }

    /// [`Plan::many`] for this context: its errors name the adapter.
    ///
    /// # Errors
    /// - [`Error::Buffer`] for an output whose type, shape or order does not fit
    /// - [`Error::DType`], [`Error::MixedDTypes`] and [`Error::Unsupported`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::Extents`], [`Error::Rank`], [`Error::Axis`], [`Error::View`] for shapes that do
    ///   not align under a rule or fit a view
    /// - [`Error::Argument`], [`Error::Arity`] for arguments of an operator that do not fit
    /// - [`Error::TooManyElements`], [`Error::TooLarge`] for arrays that are too large to count
    ///   or bind
    pub fn plan(
        &self,
        exprs: &[Expr<usize>],
        slots: &[Slot],
        outputs: &[Slot],
        options: &Options,
    ) -> Result<Plan> {
        Plan::many(exprs, slots, outputs, options)
    }

    /// Runs a plan on inputs of the planned types and layouts; the outputs are new tensors.
    ///
    /// # Errors
    /// - [`Error::Argument`] for a number of operands other than the plan's, or a plan for limits that
    ///   the adapter does not have
    /// - [`Error::Buffer`] if an operand does not match its slot in the plan
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::TooManyElements`], [`Error::BufferTooLarge`] for more elements than can be
    ///   counted or allocated
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn run(&self, plan: &Plan, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let outputs = self.outputs(plan)?;
        self.check_inputs(plan, inputs)?;
        self.run_into(plan, inputs, outputs, &[])
    }

    /// Like [`run`](Self::run), with these numbers in place of those that [`Expr::given`] names.
    ///
    /// # Errors
    /// - [`Error::Argument`] if the plan [does not fit](Plan::is_for) these numbers; those of
    ///   [`run`](Self::run)
    pub fn run_given(
        &self,
        plan: &Plan,
        inputs: &[&Tensor],
        numbers: &[Literal],
    ) -> Result<Vec<Tensor>> {
        if !plan.is_for(numbers) {
            let reason = "it does not fit these numbers; plan again with them";
            return Err(Error::argument("plan", reason));
        }
        self.check_inputs(plan, inputs)?;
        let outputs = self.outputs(plan)?;
        self.run_into(plan, inputs, outputs, numbers)
    }

    /// New tensors for a plan's outputs.
    fn outputs(&self, plan: &Plan) -> Result<Vec<Tensor>> {
        plan.outputs()
            .map(|(dtype, shape)| self.empty(dtype, shape))
            .collect()
    }

    /// Records a plan on inputs that were checked.
    fn run_into(
        &self,
        plan: &Plan,
        inputs: &[&Tensor],
        outputs: Vec<Tensor>,
        numbers: &[Literal],
    ) -> Result<Vec<Tensor>> {
        let all: Vec<&Tensor> = outputs.iter().collect();
        self.check_outputs(plan, &all)?;
        let operands = Operands {
            inputs: &buffers(inputs),
            outputs: &buffers(&all),
            numbers,
        };
        self.recorder().record(plan, operands)?;
        Ok(outputs)
    }

    /// Like [`run`](Self::run), but takes the inputs: an output may be computed in the buffer of an
    /// input that nothing else refers to, that has the same layout and elements of the same size,
    /// and no element of which the plan reads after it was overwritten. Any other input is freed.
    fn run_donating(
        &self,
        plan: &Plan,
        mut inputs: Vec<Tensor>,
        numbers: &[Literal],
    ) -> Result<Vec<Tensor>> {
        self.check()?;
        self.check_inputs(plan, &inputs.iter().collect::<Vec<_>>())?;
        let mut outputs: Vec<Tensor> = Vec::with_capacity(plan.outputs.len());
        for (k, slot) in plan.outputs.iter().enumerate() {
            let mut fits = |i: &usize| {
                let x = &mut inputs[*i];
                let whole = x.slot().room == Room::Padding
                    && (x.dtype.size(), &x.layout) == (slot.dtype.size(), &slot.layout)
                    && slot.quad_bytes() <= x.buffer.bytes;
                // Held here alone, so that no other thread can export it any more.
                let own = Arc::get_mut(&mut x.buffer).is_some_and(|buffer| !buffer.is_exported());
                whole && own && plan.may_overwrite(*i, k)
            };
            let donor = (0..plan.slots.len()).find(&mut fits);
            outputs.push(match donor {
                // Held twice now, it is given to no other output.
                Some(i) => Tensor {
                    dtype: slot.dtype,
                    ..inputs[i].clone()
                },
                None => self.empty(slot.dtype, slot.layout.shape())?,
            });
        }
        self.run_into(plan, &inputs.iter().collect::<Vec<_>>(), outputs, numbers)
    }

    pub(super) fn check_inputs(&self, plan: &Plan, inputs: &[&Tensor]) -> Result<()> {
        self.check_operands("input", &plan.slots, inputs)
    }

    pub(super) fn check_operands(
        &self,
        role: &str,
        slots: &[Slot],
        tensors: &[&Tensor],
    ) -> Result<()> {
        if slots.len() != tensors.len() {
            let (planned, given) = (slots.len(), tensors.len());
            let reason = format!("it has {planned} {role}s, {given} were given");
            return Err(Error::argument("plan", reason));
        }
        for (i, (slot, tensor)) in slots.iter().zip(tensors).enumerate() {
            let name = format!("{role} {i}");
            if !tensor.context.is(self) {
                return Err(Error::OtherContext { what: name });
            }
            if tensor.dtype != slot.dtype || tensor.layout != slot.layout {
                let reason = format!(
                    "it is {}, the plan has {}",
                    describe(tensor.dtype, &tensor.layout),
                    describe(slot.dtype, &slot.layout)
                );
                return Err(Error::buffer(name, reason));
            }
            let needed = match slot.room {
                Room::Padding => slot.quad_bytes(),
                Room::Bytes(bytes) => bytes,
            };
            if needed > tensor.buffer.bytes {
                let reason = format!(
                    "the plan touches {needed} bytes, its buffer has {}; plan with its Tensor::slot",
                    tensor.buffer.bytes
                );
                return Err(Error::buffer(name, reason));
            }
        }
        Ok(())
    }
}

/// The index of a tensor's elements in a list, to which it is appended if they are not in it.
fn place(tensors: &mut Vec<Tensor>, tensor: &Tensor) -> usize {
    let known = tensors.iter().position(|t| same(t, tensor));
    known.unwrap_or_else(|| {
        tensors.push(tensor.clone());
        tensors.len() - 1
    })
}

/// Whether two tensors are the same elements.
pub(super) fn same(a: &Tensor, b: &Tensor) -> bool {
    Arc::ptr_eq(&a.buffer, &b.buffer) && a.dtype == b.dtype && a.layout == b.layout
}

/// How two tensors are related as variables of a gradient.
#[cfg(feature = "complete")]
pub(super) fn kin(a: &Tensor, b: &Tensor) -> Kin {
    // The caller may have wrapped a buffer twice.
    if a.buffer.raw != b.buffer.raw {
        Kin::Apart
    } else if a.dtype == b.dtype && a.layout == b.layout {
        Kin::Same
    } else if a.layout.meets(&b.layout, [a.dtype.size(), b.dtype.size()]) {
        Kin::Overlapping
    } else {
        Kin::Apart
    }
}

fn describe(dtype: crate::dtype::DType, layout: &Layout) -> String {
    format!(
        "{dtype}{} with strides {:?} at {}",
        layout.shape(),
        layout.strides(),
        layout.offset()
    )
}

pub(super) fn buffers(tensors: &[&Tensor]) -> Vec<Arc<Buffer>> {
    tensors.iter().map(|t| Arc::clone(&t.buffer)).collect()
}
