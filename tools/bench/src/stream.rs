//! The device's time for a plan, beside a hand-written kernel and copies of as many bytes.

use std::path::Path;

use zerostride::{Context, Error, Expr, Plan, Result, ScheduleName, Tensor, wgpu};
use zerostride_bench::workload::{Case, Operand, Workload};

use super::contest::{Arena, Who, Work};
use super::copy::Copier;
use super::data;
use super::device::{Raw, Timer, fill, wait};
use super::report::Row;

/// Bytes that all input sets of a workload together touch at least on a GPU, so that no cache holds
/// them.
const SETS_BYTES: u64 = 1 << 30;
/// Bytes that a run of a small workload touches, by repeating its dispatch.
const RUN_BYTES: u64 = 16 << 20;
/// Repetitions of a dispatch in a run.
const MAX_REPEATS: u64 = 64;

/// What all workloads of a run share.
pub struct Bench<'a> {
    pub context: &'a Context,
    pub timer: &'a Timer,
    pub arena: &'a Arena<'a>,
    pub runs: usize,
    /// A folder with other texts of hand-written kernels.
    pub kernels: Option<&'a Path>,
    /// The schedule of kernels that may have it.
    pub schedule: Option<ScheduleName>,
}

/// A workload whose results were right: all that is kept of it until it is timed.
pub struct Verified {
    name: String,
    log2: u32,
    case: Case,
    plan: Plan,
    raw: Option<Raw>,
    kernel: Option<&'static str>,
    pipelines: u64,
    checked: data::Checked,
}

/// One copy of the operands and the result.
struct Set {
    /// Whole tensors.
    operands: Vec<Tensor>,
    /// What the plan sees of them.
    inputs: Vec<Tensor>,
    output: Tensor,
    bindings: Option<Vec<wgpu::BindGroup>>,
}

impl Bench<'_> {
    /// Runs a workload once and compares its results with the reference.
    pub fn verify(&self, workload: &Workload, log2: u32) -> Result<Verified> {
        let context = self.context;
        let case = (workload.build)(log2);
        let compiled = context.pipelines_compiled();
        let plan = self.plan(&case, self.schedule)?;
        if let Some(name) = self.schedule.filter(|&name| !plan.may_have(name)) {
            let what = format!("its plan may not have the schedule {name}");
            return Err(Error::Unsupported { what });
        }
        // A kernel by hand takes each buffer as one binding; what is larger has no such contestant.
        let (dtype, shape) = output(&plan)?;
        let sizes = case
            .operands
            .iter()
            .map(|o| o.elements() * o.dtype.size())
            .chain([shape.len()? * dtype.size()]);
        let fits = sizes
            .max()
            .is_none_or(|bytes| bytes as u64 <= context.limits().max_binding);
        let kernel = case.by_hand(context.limits().software).filter(|_| fits);
        let raw = kernel
            .map(|k| Raw::new(context, k, self.kernels))
            .transpose()?;
        let kernel = kernel.map(|k| k.name);
        let set = self.uploaded(&case, &plan, raw.as_ref())?;
        let checked = self.check(&workload.name, &case, &plan, &set, raw.as_ref())?;
        Ok(Verified {
            name: workload.name.clone(),
            log2,
            pipelines: context.pipelines_compiled() - compiled,
            case,
            plan,
            raw,
            kernel,
            checked,
        })
    }

    /// Times a workload.
    pub fn stream(&self, verified: &Verified) -> Result<Row> {
        let context = self.context;
        let Verified {
            case, plan, raw, ..
        } = verified;
        let (dtype, shape) = output(plan)?;
        let bytes = least_bytes(case, plan)?;
        let sets = &self.sets(verified, bytes)?;
        let same = case
            .beside_same
            .then(|| self.same(dtype, shape))
            .transpose()?;
        let copier = Copier::new(context, bytes / 2, sets.len())?;
        let repeats = (RUN_BYTES / bytes).clamp(1, MAX_REPEATS) as usize;
        let mut contestants: Vec<(Who, Work<'_>)> = vec![
            (Who::Plan, planned(context, plan, sets)),
            (
                Who::Copy,
                Work::Commands(Box::new(|encoder, set| copier.record(encoder, set))),
            ),
            (
                Who::CopyKernel,
                Work::Dispatch(Box::new(|pass, set| copier.dispatch(context, pass, set))),
            ),
            (Who::Empty, self.arena.empty()),
        ];
        if let Some(raw) = raw {
            let work = Work::Dispatch(Box::new(|pass, set| {
                sets[set]
                    .bindings
                    .iter()
                    .for_each(|b| raw.dispatch(pass, b));
                Ok(())
            }));
            contestants.push((Who::Handwritten, work));
        }
        if let Some((plan, set)) = &same {
            let set = std::slice::from_ref(set);
            contestants.push((Who::Same, planned(context, plan, set)));
        }
        let outcome = self
            .arena
            .alternate(&mut contestants, sets.len(), repeats, self.runs)?;
        drop(contestants);
        context.check()?;

        let times = outcome.of(Who::Plan).ok_or_else(|| Error::Argument {
            op: verified.name.clone(),
            reason: "its plan was not timed".into(),
        })?;
        Ok(Row {
            workload: verified.name.clone(),
            shapes: format!("{} -> {dtype}{shape}", case.shapes()),
            log2: verified.log2,
            elements: shape.len()? as u64,
            bytes,
            calls: 1,
            repeats,
            sets: sets.len(),
            times,
            copy: outcome.of(Who::Copy),
            copy_kernel: outcome.of(Who::CopyKernel),
            copied: 2 * copier.bytes(),
            floor: outcome.of(Who::Empty),
            handwritten: outcome.of(Who::Handwritten),
            same: outcome.of(Who::Same),
            clocks: outcome.clocks,
            kernel: verified.kernel,
            pipelines: verified.pipelines,
            passes: plan.pass_count(),
            checked: verified.checked,
            timer: self.timer.name(),
            schedule: self.schedule,
        })
    }

    fn plan(&self, case: &Case, schedule: Option<ScheduleName>) -> Result<Plan> {
        let options = self.context.options().with_accuracy(case.accuracy);
        let options = options.with_schedule(schedule);
        Plan::new(&case.expr, &case.slots()?, &options)
    }

    /// The sum of two tensors of this shape.
    fn same(&self, dtype: zerostride::DType, shape: &zerostride::Shape) -> Result<(Plan, Set)> {
        let operands = vec![Operand::new(dtype, shape.extents()); 2];
        let case = Case::new(operands, Expr::slot(0).add(Expr::slot(1)));
        let plan = self.plan(&case, None)?;
        let set = self.uploaded(&case, &plan, None)?;
        Ok((plan, set))
    }

    /// So many input sets that no cache holds them, as far as there is memory: the first is uploaded, the others are
    /// copied from it on the device.
    fn sets(&self, verified: &Verified, bytes: u64) -> Result<Vec<Set>> {
        let Verified {
            case, plan, raw, ..
        } = verified;
        let wanted = match self.context.limits().software {
            true => 1,
            false => SETS_BYTES.div_ceil(bytes).clamp(1, 8),
        };
        let mut sets = vec![self.uploaded(case, plan, raw.as_ref())?];
        while (sets.len() as u64) < wanted {
            match self.copied(case, &sets[0], raw.as_ref()) {
                Ok(set) => sets.push(set),
                Err(Error::OutOfMemory { .. }) => break,
                Err(e) => return Err(e),
            }
        }
        wait(self.context)?;
        Ok(sets)
    }

    /// Uploads the operands and an output full of poison.
    fn uploaded(&self, case: &Case, plan: &Plan, raw: Option<&Raw>) -> Result<Set> {
        let context = self.context;
        let mut operands = Vec::with_capacity(case.operands.len());
        for (k, operand) in case.operands.iter().enumerate() {
            let bytes = data::bytes(operand, k);
            operands.push(context.tensor_from_bytes(
                operand.dtype,
                operand.extents.as_slice(),
                &bytes,
            )?);
        }
        let (dtype, shape) = output(plan)?;
        let poison = vec![data::POISON; shape.len()? * dtype.size()];
        let output = context.tensor_from_bytes(dtype, shape, &poison)?;
        let set = self.set(case, operands, output, raw)?;
        wait(context)?;
        Ok(set)
    }

    /// Another set with the operands of one; its output is written before anything is timed.
    fn copied(&self, case: &Case, first: &Set, raw: Option<&Raw>) -> Result<Set> {
        let context = self.context;
        let twin = |tensor: &Tensor| context.empty(tensor.dtype(), tensor.shape());
        let operands = first.operands.iter().map(twin).collect::<Result<_>>()?;
        let set = self.set(case, operands, twin(&first.output)?, raw)?;
        let mut encoder = context
            .device()
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (from, to) in first.operands.iter().zip(&set.operands) {
            let bytes = ((from.len() * from.dtype().size()) as u64).next_multiple_of(4);
            encoder.copy_buffer_to_buffer(&from.buffer()?, 0, &to.buffer()?, 0, bytes);
        }
        context.queue().submit([encoder.finish()]);
        Ok(set)
    }

    /// A set of these operands.
    fn set(
        &self,
        case: &Case,
        operands: Vec<Tensor>,
        output: Tensor,
        raw: Option<&Raw>,
    ) -> Result<Set> {
        let mut buffers = Vec::with_capacity(operands.len() + 1);
        for tensor in operands.iter().chain([&output]) {
            let bytes = (tensor.len() * tensor.dtype().size()) as u64;
            buffers.push((tensor.buffer()?, bytes));
        }
        let view = |(whole, operand): (&Tensor, &Operand)| match &operand.view {
            Some(view) => whole.view(view),
            None => Ok(whole.clone()),
        };
        let bindings = raw.map(|raw| raw.bind(self.context, &buffers));
        Ok(Set {
            inputs: operands
                .iter()
                .zip(&case.operands)
                .map(view)
                .collect::<Result<_>>()?,
            operands,
            output,
            bindings: bindings.transpose()?,
        })
    }

    /// Runs the plan, then the hand-written kernel, each into poison, and compares with the
    /// reference.
    fn check(
        &self,
        name: &str,
        case: &Case,
        plan: &Plan,
        set: &Set,
        raw: Option<&Raw>,
    ) -> Result<data::Checked> {
        let context = self.context;
        let (dtype, shape) = output(plan)?;
        let run = |mut work: Work<'_>| {
            let mut encoder = context
                .device()
                .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            work.record(&mut encoder, &mut std::iter::once(0))?;
            context.queue().submit([encoder.finish()]);
            set.output.read_bytes_blocking()
        };
        let found = run(planned(context, plan, std::slice::from_ref(set)))?;
        let checked = data::check(name, case, shape.extents(), dtype, &found)?;
        if let (Some(raw), Some(bindings)) = (raw, &set.bindings) {
            fill(context, &set.output.buffer()?, data::POISON)?;
            let by_hand = run(Work::Dispatch(Box::new(|pass, _| {
                raw.dispatch(pass, bindings);
                Ok(())
            })))?;
            let what = format!("{name}, hand-written");
            data::check(&what, case, shape.extents(), dtype, &by_hand)?;
            if case.has_cpu_kernel(context.limits().software) && by_hand != found {
                return Err(Error::Argument {
                    op: what,
                    reason: "its bits are not those of the plan".into(),
                });
            }
        }
        Ok(checked)
    }
}

/// A plan on each of these sets in turn.
fn planned<'a>(context: &'a Context, plan: &'a Plan, sets: &'a [Set]) -> Work<'a> {
    Work::Dispatch(Box::new(move |pass, place| {
        let set = &sets[place % sets.len()];
        let inputs: Vec<&Tensor> = set.inputs.iter().collect();
        context.encode_in_pass(pass, plan, &inputs, &[&set.output])
    }))
}

fn output(plan: &Plan) -> Result<(zerostride::DType, &zerostride::Shape)> {
    plan.outputs().next().ok_or_else(|| Error::Argument {
        op: "bench".into(),
        reason: "the plan has no output".into(),
    })
}

/// Each operand once and the output once, whatever the plan's passes move.
fn least_bytes(case: &Case, plan: &Plan) -> Result<u64> {
    let (dtype, shape) = output(plan)?;
    let read: usize = case
        .operands
        .iter()
        .map(|o| o.elements() * o.dtype.size())
        .sum();
    Ok((read + shape.len()? * dtype.size()) as u64)
}
