//! The device's time for a plan, beside a hand-written kernel and a copy of as many bytes.

use std::path::Path;
use std::time::{Duration, Instant};

use zerostride::{Context, Error, Expr, Plan, Result, ScheduleName, Tensor, wgpu};
use zerostride_bench::workload::{Case, Operand, Workload};

use super::data;
use super::device::{Copier, Raw, Timer, fill, wait};
use super::report::{Row, Times};

/// Bytes that all input sets of a workload together touch at least on a GPU, so that no cache holds
/// them.
const SETS_BYTES: u64 = 1 << 30;
/// Bytes that a run of a small workload touches, by repeating its dispatch.
const RUN_BYTES: u64 = 16 << 20;
/// Repetitions of a dispatch in a run.
const MAX_REPEATS: u64 = 64;
/// How long a workload is timed beyond the least number of runs, and the most runs.
const PATIENCE: (Duration, usize) = (Duration::from_millis(500), 99);
/// How long a workload is warmed up, and the most rounds.
const WARM: (Duration, usize) = (Duration::from_millis(200), 50);

/// What all workloads of a run share.
pub struct Bench<'a> {
    pub context: &'a Context,
    pub timer: &'a Timer,
    pub runs: usize,
    /// A folder with other texts of hand-written kernels.
    pub kernels: Option<&'a Path>,
    /// The schedule of kernels that may have it.
    pub schedule: Option<ScheduleName>,
}

/// One copy of the operands and the result.
struct Set {
    inputs: Vec<Tensor>,
    output: Tensor,
    bindings: Option<Vec<wgpu::BindGroup>>,
}

/// Records one contestant's work on an input set.
type Contestant<'a> = Box<dyn FnMut(&mut wgpu::CommandEncoder, usize) -> Result<()> + 'a>;

impl Bench<'_> {
    /// Checks and times a workload.
    pub fn stream(&self, workload: &Workload, log2: u32) -> Result<Row> {
        let context = self.context;
        let case = (workload.build)(log2);
        let compiled = context.pipelines_compiled();
        let plan = self.plan(&case, self.schedule)?;
        if let Some(name) = self.schedule.filter(|&name| !plan.may_have(name)) {
            let what = format!("its plan may not have the schedule {name}");
            return Err(zerostride::Error::Unsupported { what });
        }
        let bytes = least_bytes(&case, &plan)?;
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
        let wanted = if context.limits().software {
            1
        } else {
            SETS_BYTES.div_ceil(bytes).clamp(1, 8)
        };
        let mut sets = vec![self.set(&case, &plan, raw.as_ref())?];
        while (sets.len() as u64) < wanted {
            match self.set(&case, &plan, raw.as_ref()) {
                Ok(set) => sets.push(set),
                Err(Error::OutOfMemory { .. }) => break,
                Err(e) => return Err(e),
            }
        }
        let checked = self.check(&workload.name, &case, &plan, &sets[0], raw.as_ref())?;

        let same = if case.beside_same {
            Some(self.same(dtype, shape)?)
        } else {
            None
        };
        let copier = Copier::new(context, bytes / 2, sets.len())?;
        let repeats = (RUN_BYTES / bytes).clamp(1, MAX_REPEATS) as usize;
        let sets = &sets;
        let mut contestants: Vec<Contestant<'_>> = vec![
            Box::new(|encoder, set| encode(context, encoder, &plan, &sets[set])),
            Box::new(|encoder, set| {
                copier.record(encoder, set);
                Ok(())
            }),
        ];
        if let Some(raw) = &raw {
            contestants.push(Box::new(|encoder, set| {
                sets[set]
                    .bindings
                    .iter()
                    .for_each(|b| raw.record(encoder, b, 1));
                Ok(())
            }));
        }
        if let Some((plan, set)) = &same {
            contestants.push(Box::new(|encoder, _| encode(context, encoder, plan, set)));
        }
        let times = self.alternate(&mut contestants, sets.len(), repeats)?;
        drop(contestants);
        context.check()?;

        Ok(Row {
            workload: workload.name.clone(),
            shapes: format!("{} -> {dtype}{shape}", case.shapes()),
            log2,
            elements: shape.len()? as u64,
            bytes,
            calls: 1,
            repeats,
            sets: sets.len(),
            times: times[0].clone(),
            copy: Some(times[1].clone()),
            handwritten: raw.as_ref().map(|_| times[2].clone()),
            same: same.as_ref().and_then(|_| times.last().cloned()),
            kernel: kernel.map(|k| k.name),
            pipelines: context.pipelines_compiled() - compiled,
            passes: plan.pass_count(),
            checked,
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
        let set = self.set(&case, &plan, None)?;
        Ok((plan, set))
    }

    /// Uploads the operands and an output full of poison.
    fn set(&self, case: &Case, plan: &Plan, raw: Option<&Raw>) -> Result<Set> {
        let context = self.context;
        let mut inputs = Vec::with_capacity(case.operands.len());
        let mut buffers = Vec::with_capacity(case.operands.len() + 1);
        for (k, operand) in case.operands.iter().enumerate() {
            let bytes = data::bytes(operand.dtype, k, operand.elements());
            let whole =
                context.tensor_from_bytes(operand.dtype, operand.extents.as_slice(), &bytes)?;
            buffers.push((whole.buffer()?, bytes.len() as u64));
            inputs.push(match &operand.view {
                Some(view) => whole.view(view)?,
                None => whole,
            });
        }
        let (dtype, shape) = output(plan)?;
        let poison = vec![data::POISON; shape.len()? * dtype.size()];
        let output = context.tensor_from_bytes(dtype, shape, &poison)?;
        buffers.push((output.buffer()?, poison.len() as u64));
        wait(context)?;
        let bindings = raw.map(|raw| raw.bind(context, &buffers)).transpose()?;
        Ok(Set {
            inputs,
            output,
            bindings,
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
        let run = |record: &dyn Fn(&mut wgpu::CommandEncoder) -> Result<()>| {
            let mut encoder = context
                .device()
                .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            record(&mut encoder)?;
            context.queue().submit([encoder.finish()]);
            set.output.read_bytes_blocking()
        };
        let found = run(&|encoder| encode(context, encoder, plan, set))?;
        let checked = data::check(name, case, shape.extents(), dtype, &found)?;
        if let (Some(raw), Some(bindings)) = (raw, &set.bindings) {
            fill(context, &set.output.buffer()?, data::POISON)?;
            let by_hand = run(&|encoder| {
                raw.record(encoder, bindings, 1);
                Ok(())
            })?;
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

    /// Times the contestants in turn, each round beginning with another, so that none runs twice in
    /// a row.
    fn alternate(
        &self,
        contestants: &mut [Contestant<'_>],
        sets: usize,
        repeats: usize,
    ) -> Result<Vec<Times>> {
        let count = contestants.len();
        let mut one = |c: usize, round: usize| -> Result<f64> {
            let total = self.timer.time(&mut |encoder| {
                (0..repeats).try_for_each(|k| contestants[c](encoder, (round * repeats + k) % sets))
            })?;
            Ok(total / repeats as f64)
        };
        let start = Instant::now();
        let mut round = 0;
        while round < sets.max(2) || (start.elapsed() < WARM.0 && round < WARM.1) {
            (0..count).try_for_each(|c| one(c, round).map(drop))?;
            round += 1;
        }
        let mut times = vec![Vec::new(); count];
        let start = Instant::now();
        let mut round = 0;
        while round < self.runs || (start.elapsed() < PATIENCE.0 && round < PATIENCE.1) {
            for c in (0..count).map(|c| (round + c) % count) {
                times[c].push(one(c, round)?);
            }
            round += 1;
        }
        Ok(times.into_iter().map(Times::new).collect())
    }
}

fn encode(
    context: &Context,
    encoder: &mut wgpu::CommandEncoder,
    plan: &Plan,
    set: &Set,
) -> Result<()> {
    context.encode(
        encoder,
        plan,
        &set.inputs.iter().collect::<Vec<_>>(),
        &[&set.output],
    )
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
