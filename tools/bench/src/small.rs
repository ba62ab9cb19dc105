//! What a call costs on tensors too small to matter, beside a bare wgpu loop with everything
//! prepared.

use std::time::Instant;

use zerostride::{Error, Plan, Result, Tensor, wgpu};
use zerostride_bench::workload::{Kind, Workload};

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
        let tensors: Vec<Tensor> = (0..)
            .zip(&case.operands)
            .map(|(k, o)| {
                context.tensor_from_bytes(o.dtype, o.extents.as_slice(), &data::bytes(o, k))
            })
            .collect::<Result<_>>()?;
        let [a, b] = tensors.as_slice() else {
            return Err(Error::Argument {
                op: workload.name.clone(),
                reason: "it takes two operands".into(),
            });
        };
        let plan = Plan::new(&case.expr, &[a.slot(), b.slot()], &context.options())?;
        let found = a.add(b)?;
        let checked = data::check(
            &workload.name,
            &case,
            found.shape().extents(),
            found.dtype(),
            &found.read_bytes_blocking()?,
        )?;

        let kernel = case.handwritten.as_ref();
        let raw = kernel
            .map(|k| Raw::new(context, k, self.kernels))
            .transpose()?;
        let raw = raw.ok_or_else(|| Error::Argument {
            op: workload.name.clone(),
            reason: "no kernel".into(),
        })?;
        let sized = |t: &Tensor| -> zerostride::Result<_> {
            Ok((t.buffer()?, (t.len() * t.dtype().size()) as u64))
        };
        let output =
            context.tensor_from_bytes(found.dtype(), found.shape(), &[data::POISON; 48])?;
        let bindings = raw.bind(context, &[sized(a)?, sized(b)?, sized(&output)?])?;

        let calls = match workload.kind {
            Kind::Stream | Kind::Cold => 1,
            Kind::Calls(n) | Kind::Runs(n) => n,
        };
        let own = || -> Result<f64> {
            let start = Instant::now();
            for _ in 0..calls {
                match workload.kind {
                    Kind::Runs(_) => drop(context.run(&plan, &[a, b])?),
                    Kind::Stream | Kind::Cold | Kind::Calls(_) => drop(a.add(b)?),
                }
            }
            context.flush()?;
            wait(context)?;
            Ok(start.elapsed().as_nanos() as f64)
        };
        let bare = || -> Result<f64> {
            let start = Instant::now();
            let mut encoder = context
                .device()
                .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            raw.record(&mut encoder, &bindings, calls);
            context.queue().submit([encoder.finish()]);
            wait(context)?;
            Ok(start.elapsed().as_nanos() as f64)
        };
        // Steadier than the large ones' few runs: these take microseconds.
        let rounds = self.runs.max(if calls == 1 { 201 } else { 21 });
        for _ in 0..rounds / 4 {
            own()?;
            bare()?;
        }
        let (mut owns, mut bares) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            if round % 2 == 0 {
                owns.push(own()?);
                bares.push(bare()?);
            } else {
                bares.push(bare()?);
                owns.push(own()?);
            }
        }
        data::check(
            &format!("{}, hand-written", workload.name),
            &case,
            output.shape().extents(),
            output.dtype(),
            &output.read_bytes_blocking()?,
        )?;
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
            kernel: kernel.map(|k| k.name),
            pipelines: context.pipelines_compiled() - compiled,
            passes: plan.pass_count(),
            checked,
            timer: "wall",
            schedule: None,
        })
    }
}
