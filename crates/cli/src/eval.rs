//! `eval`: an expression over arrays from files.

mod args;
mod report;
mod streamed;
mod task;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::time::Instant;

use zerostride::{DType, Error, Expr, HostTensor, Options, Plan, Promotion, Slot, Tensor};

pub use args::Args;
use report::{Computed, Said};
use streamed::{Streamed, streamed};
use task::{Arrays, Task};

use crate::expression::Expression;
use crate::failure::{self, Failure};
use crate::input::{self, Input, Value};
use crate::kernel::may_have;
use crate::target::{Target, Targets};
use crate::{context, output, plot, verify};

pub fn run(args: &Args) -> Result<(), Failure> {
    input::check_unique(args.inputs.iter().map(|i| i.name.as_str()))?;
    let (numbers, arrays) = split(args);
    arrays.check_stdin()?;

    let names = &arrays.names;
    let expression = Expression::new(&args.expr, &numbers, names, &args.rule)?;
    let (mut read, mut known) = (None, Vec::new());
    let streams = args.is_streamed() || arrays.may_be_streamed()?;
    if expression.asks_for_shapes() {
        if streams {
            for array in arrays.open()? {
                known.push((array.dtype(), array.layout()?.shape().clone()));
            }
        } else {
            arrays.check_sizes()?;
            let inputs = arrays.read()?;
            let of = |t: &HostTensor| (t.dtype, t.layout.shape().clone());
            known.extend(inputs.iter().map(of));
            read = Some(inputs);
        }
    }
    let exprs = expression.results(names, |i| known[i].clone(), &args.rule)?;
    let task = Task {
        arrays: &arrays,
        expression: &expression,
        exprs: &exprs,
    };
    results(&task, read, streams)
}

/// Splits a command line into its numbers, as text, and its arrays.
fn split(args: &Args) -> (Vec<(&str, String)>, Arrays<'_>) {
    let mut numbers = Vec::new();
    let mut arrays = Arrays {
        args,
        names: Vec::new(),
        sources: Vec::new(),
    };
    for Input { name, value } in &args.inputs {
        match value {
            Value::Number(number) => numbers.push((name.as_str(), number.clone())),
            Value::Array(source) => {
                arrays.names.push(name);
                arrays.sources.push(source);
            }
        }
    }
    (numbers, arrays)
}

/// Computes the results, writes and prints them. `read`: the arrays if they were read already; `streams`: whether to
/// compute from file to file, if the expression supports it.
fn results(task: &Task<'_>, read: Option<Vec<HostTensor>>, streams: bool) -> Result<(), Failure> {
    let args = task.arrays.args;
    let targets = Targets(&args.output);
    targets.check()?;
    let taken = targets.results(task.exprs.len())?;
    if args.json && targets.take_stdout() {
        return Err(Failure::Usage(
            "--json and -o - both write to standard output; name a file with -o".into(),
        ));
    }
    if let Some(path) = &args.plot {
        output::check_folder(path)?;
    }
    if streams {
        match streamed(task)? {
            Streamed::Done => return Ok(()),
            Streamed::Refused(reason) => task.say_that_all_is_read(&reason),
        }
    }
    let inputs = match read {
        Some(inputs) => inputs,
        None => {
            task.arrays.check_sizes()?;
            task.arrays.read()?
        }
    };
    let dtypes: Vec<DType> = inputs.iter().map(|t| t.dtype).collect();
    let failed = |e: Error| task.failure(e);
    let ranks = check(task.exprs, &inputs, args.options().promotion).map_err(failed)?;
    targets.check_ranks(&ranks)?;
    if args.plot.is_some() {
        plot::check_ranks(&ranks)?;
    }
    task.say_what_is_rounded(&dtypes).map_err(failed)?;
    let computed = compute(args, task.exprs, &inputs).map_err(failed)?;
    let reports = match args.verify {
        true => verified(task, &inputs, &computed)?,
        false => Vec::new(),
    };
    tell(task, &computed, reports, taken)
}

/// Compares the results with the reference.
fn verified(
    task: &Task<'_>,
    inputs: &[HostTensor],
    computed: &Computed,
) -> Result<Vec<verify::Report>, Failure> {
    let options = task.arrays.args.options();
    let how = (options.accuracy, options.promotion);
    let each = task.exprs.iter().zip(&computed.results);
    each.map(|(expr, result)| match task.exprs.len() {
        1 => verify::verify(expr, inputs, &computed.plan, how, result),
        _ => {
            let plan = verify::alone(expr, inputs, options.promotion)?;
            verify::verify(expr, inputs, &plan, how, result)
        }
    })
    .collect()
}

/// Writes the results to their targets and prints the messages about them.
fn tell(
    task: &Task<'_>,
    computed: &Computed,
    reports: Vec<verify::Report>,
    taken: Vec<(&Target, Range<usize>)>,
) -> Result<(), Failure> {
    let args = task.arrays.args;
    // A result that is wrong is not written.
    let is_right = reports.iter().all(verify::Report::within);
    let written = if is_right { taken } else { Vec::new() };
    for (target, range) in &written {
        let results: Vec<&HostTensor> = computed.results[range.clone()].iter().collect();
        target.write(&results)?;
    }
    if let Some(path) = args.plot.as_deref() {
        plot::draw(path, &computed.results[0], &args.expr)?;
    }
    let said = Said {
        args,
        names: &task.arrays.names,
        computed,
        reports: &reports,
        written: &written,
    };
    match (args.quiet, args.json, Targets(&args.output).take_stdout()) {
        (true, ..) => {}
        (_, true, _) => output::json(&said.json())?,
        // What goes there is the result and nothing else.
        (_, _, true) => failure::say(&said.text(false)),
        _ => output::text(&said.text(true))?,
    }
    match reports.into_iter().find(|r| !r.within()) {
        Some(report) => Err(report.failure()),
        None => Ok(()),
    }
}

/// Checks types and shapes before an adapter is requested. Returns the ranks of the results; none
/// if only the adapter can tell whether they are too large. Sizes and features are not checked.
fn check(
    exprs: &[Expr<usize>],
    inputs: &[HostTensor],
    promotion: Promotion,
) -> Result<Vec<usize>, Error> {
    let options = Options::default()
        .with_promotion(promotion)
        .with_limits(input::NO_LIMITS);
    match Plan::many(exprs, &input::slots(inputs), &[], &options) {
        Ok(plan) => Ok(plan.outputs().map(|(_, shape)| shape.rank()).collect()),
        Err(Error::TooLarge { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn compute(args: &Args, exprs: &[Expr<usize>], inputs: &[HostTensor]) -> Result<Computed, Error> {
    let context = args.context()?;
    let started = Instant::now();
    let tensors: Vec<Tensor> = inputs
        .iter()
        .map(|t| context.tensor_from_host(t))
        .collect::<Result<_, _>>()?;
    let slots: Vec<Slot> = tensors.iter().map(Tensor::slot).collect();
    let options = args.options().with_limits(context.limits());
    let plan = context.plan(exprs, &slots, &[], &options)?;
    may_have(&plan, options.schedule)?;
    let outputs = context.run(&plan, &tensors.iter().collect::<Vec<_>>())?;
    let results = outputs
        .iter()
        .map(Tensor::to_host_blocking)
        .collect::<Result<_, _>>()?;
    let wall_ms = started.elapsed().as_secs_f64() * 1e3;
    context::keep_kernels(&context);
    let (adapter, floats) = context::adapter(&context);
    Ok(Computed {
        results,
        plan,
        adapter,
        floats,
        wall_ms,
    })
}
