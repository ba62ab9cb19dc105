//! What a call costs on tensors too small to matter, beside a bare wgpu loop with everything
//! prepared.

use std::time::Instant;

use zerostride::{Error, Plan, Result, Tensor, wgpu};
use zerostride_bench::workload::{Case, Kind, Operand, Workload};

use super::data;
use super::device::{Raw, wait};
use super::report::{Row, Times};
use super::stream::Bench;

impl Bench<'_> {
    /// Checks and times `a + b`, called as the workload's kind says.
    pub fn small(&self, workload: &Workload) -> Result<Row> {
        let context = self.context;
        let case = (workload.build)(0);
        let compiled = context.pipelines_compiled();
        let tensors = self.tensors(&case)?;
        let lacks = |reason: &str| Error::Argument {
            op: workload.name.clone(),
            reason: reason.into(),
        };
        let [a, b] = tensors.as_slice() else {
            return Err(lacks("it takes two operands"));
        };
        let plan = Plan::new(&case.expr, &[a.slot(), b.slot()], &context.options())?;
        let found = a.add(b)?;
        let check = |what: &str, t: &Tensor| {
            let bytes = t.read_bytes_blocking()?;
            data::check(what, &case, t.shape().extents(), t.dtype(), &bytes)
        };
        let checked = check(&workload.name, &found)?;

        let kernel = case.handwritten.as_ref();
        let kernel = kernel.ok_or_else(|| lacks("no kernel"))?;
        let raw = Raw::new(context, kernel, self.kernels)?;
        let poison = [data::POISON; 48];
        let output = context.tensor_from_bytes(found.dtype(), found.shape(), &poison)?;
        let sized =
            |t: &Tensor| -> Result<_> { Ok((t.buffer()?, (t.len() * t.dtype().size()) as u64)) };
        let bindings = raw.bind(context, &[sized(a)?, sized(b)?, sized(&output)?])?;

        let calls = match workload.kind {
            Kind::Stream | Kind::Cold => 1,
            Kind::Calls(n) | Kind::Runs(n) => n,
        };
        let own = || -> Result<()> {
            for _ in 0..calls {
                match workload.kind {
                    Kind::Runs(_) => drop(context.run(&plan, &[a, b])?),
                    Kind::Stream | Kind::Cold | Kind::Calls(_) => drop(a.add(b)?),
                }
            }
            context.flush()
        };
        let bare = || {
            let mut encoder = context
                .device()
                .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            raw.record(&mut encoder, &bindings, calls);
            context.queue().submit([encoder.finish()]);
            Ok(())
        };
        // Steadier than the large ones' few runs: these take microseconds.
        let rounds = self.runs.max(if calls == 1 { 201 } else { 21 });
        let [owns, bares] = self.in_turns(rounds, own, bare)?;
        check(&format!("{}, hand-written", workload.name), &output)?;
        Ok(Row {
            workload: workload.name.clone(),
            shapes: format!("{} -> {}{}", case.shapes(), found.dtype(), found.shape()),
            log2: 0,
            elements: found.len() as u64,
            bytes: plan.bytes_moved() * calls as u64,
            calls,
            repeats: 1,
            sets: 1,
            times: Times::new(owns),
            copy: None,
            copy_kernel: None,
            copied: 0,
            floor: None,
            clocks: None,
            handwritten: Some(Times::new(bares)),
            same: None,
            kernel: Some(kernel.name),
            pipelines: context.pipelines_compiled() - compiled,
            passes: plan.pass_count(),
            checked,
            timer: "wall",
            schedule: None,
        })
    }
    /// The operands on the device.
    fn tensors(&self, case: &Case) -> Result<Vec<Tensor>> {
        let operands = (0..).zip(&case.operands);
        let tensor = |(k, o): (usize, &Operand)| {
            let bytes = data::bytes(o, k);
            let extents = o.extents.as_slice();
            self.context.tensor_from_bytes(o.dtype, extents, &bytes)
        };
        operands.map(tensor).collect()
    }

    /// The nanoseconds of both until the device is done, one after the other in either order.
    fn in_turns(
        &self,
        rounds: usize,
        own: impl Fn() -> Result<()>,
        bare: impl Fn() -> Result<()>,
    ) -> Result<[Vec<f64>; 2]> {
        let timed = |submit: &dyn Fn() -> Result<()>| -> Result<f64> {
            let start = Instant::now();
            submit()?;
            wait(self.context)?;
            Ok(start.elapsed().as_nanos() as f64)
        };
        for _ in 0..rounds / 4 {
            timed(&own)?;
            timed(&bare)?;
        }
        let (mut owns, mut bares) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            if round % 2 == 0 {
                owns.push(timed(&own)?);
                bares.push(timed(&bare)?);
            } else {
                bares.push(timed(&bare)?);
                owns.push(timed(&own)?);
            }
        }
        Ok([owns, bares])
    }
}
