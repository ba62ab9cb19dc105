//! What a first result costs: a process that starts, opens the adapter, compiles one kernel and
//! reads what it gives.

use std::process::{Command, Stdio};
use std::time::Instant;

use zerostride::{Context, Error, Result};
use zerostride_bench::workload::Workload;

use super::data::Checked;
use super::report::{Row, Times};
use super::stream::Bench;

/// What the child is started with.
pub const OPTION: &str = "--cold-child";

/// The child: one sum of two small tensors, read back. Where the environment names a folder for
/// kernels, they are kept.
///
/// # Errors
/// Those of the adapter and of the folder; [`Error::Argument`] if the sum is wrong.
pub fn child(context: &Context) -> Result<()> {
    let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0], [4])?;
    match x.add(&x)?.read_blocking::<f32>()?.as_slice() {
        [2.0, 4.0, 6.0, 8.0] => context.save_kernels().map(drop),
        other => Err(Error::Argument {
            op: "cold_start".into(),
            reason: format!("the sum is {other:?}"),
        }),
    }
}

impl Bench<'_> {
    /// Times whole processes of this program.
    pub fn cold(&self, workload: &Workload, adapter: &str) -> Result<Row> {
        let failed = |reason: String| Error::Argument {
            op: workload.name.clone(),
            reason,
        };
        let program = std::env::current_exe()
            .map_err(|e| failed(format!("this program is not found: {e}")))?;
        let mut times = Vec::new();
        for _ in 0..self.runs {
            let mut command = Command::new(&program);
            command
                .args([OPTION, "--adapter", adapter])
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let started = Instant::now();
            let status = command
                .status()
                .map_err(|e| failed(format!("a process does not start: {e}")))?;
            times.push(started.elapsed().as_nanos() as f64);
            if !status.success() {
                return Err(failed(format!("a process ended with {status}")));
            }
        }
        Ok(Row {
            workload: workload.name.clone(),
            shapes: "f32[4] + f32[4] -> f32[4]".into(),
            log2: 0,
            elements: 4,
            bytes: 32,
            calls: 1,
            repeats: 1,
            sets: 1,
            times: Times::new(times),
            copy: None,
            copy_kernel: None,
            copied: 0,
            floor: None,
            clocks: None,
            handwritten: None,
            same: None,
            kernel: None,
            pipelines: 1,
            passes: 1,
            checked: Checked {
                compared: 4,
                elements: 4,
            },
            timer: "wall",
            schedule: None,
        })
    }
}
