//! Results as a table and as JSON.

use serde_json::{Value, json};
use zerostride::{Context, Error, ScheduleName};

use super::clocks::Clocks;
use super::data::Checked;

/// Runs of one contestant, in nanoseconds, in the order they were made.
#[derive(Clone, Debug)]
pub struct Times(Vec<f64>);

impl Times {
    pub fn new(runs: Vec<f64>) -> Self {
        Self(runs)
    }

    pub fn median(&self) -> f64 {
        quantile(&self.0, 0.5)
    }

    pub fn min(&self) -> f64 {
        quantile(&self.0, 0.0)
    }

    pub fn runs(&self) -> usize {
        self.0.len()
    }

    /// The distance of the quartiles as a share of the median.
    pub fn spread(&self) -> f64 {
        (quantile(&self.0, 0.75) - quantile(&self.0, 0.25)) / self.median()
    }

    /// How many times as long as the other's: the median over the runs of the same round, so that a
    /// busy moment of the machine meets both.
    pub fn over(&self, other: &Self) -> f64 {
        let ratios: Vec<f64> = self.0.iter().zip(&other.0).map(|(a, b)| a / b).collect();
        quantile(&ratios, 0.5)
    }
}

fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let at = q * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

/// What was measured of a workload.
#[derive(Clone, Debug)]
pub struct Row {
    pub workload: String,
    pub shapes: String,
    /// log2 of the number of elements asked for; 0 if the workload has one size.
    pub log2: u32,
    /// Elements of the output.
    pub elements: u64,
    /// Each operand once and the output once, times the calls.
    pub bytes: u64,
    /// Calls before one wait.
    pub calls: usize,
    /// Dispatches a run, by which its time is divided.
    pub repeats: usize,
    /// Copies of the operands that the runs go through.
    pub sets: usize,
    pub times: Times,
    /// Those of the adapter's copy.
    pub copy: Option<Times>,
    /// Those of the copy by a kernel.
    pub copy_kernel: Option<Times>,
    /// Bytes that either copy reads and writes.
    pub copied: u64,
    /// Those of an empty dispatch.
    pub floor: Option<Times>,
    pub handwritten: Option<Times>,
    /// Those of the sum of two tensors of the result's shape.
    pub same: Option<Times>,
    /// The device's clocks in the rounds, if they were metered.
    pub clocks: Option<Clocks>,
    /// The hand-written kernel's name.
    pub kernel: Option<&'static str>,
    /// Kernels of this crate that were compiled for it; 0 if an earlier workload's serves.
    pub pipelines: u64,
    /// Dispatches of the plan.
    pub passes: usize,
    pub checked: Checked,
    pub timer: &'static str,
    /// The schedule that its plan was made to have.
    pub schedule: Option<ScheduleName>,
}

impl Row {
    pub fn gbps(&self) -> f64 {
        self.bytes as f64 / self.times.median()
    }

    /// Bytes per second as a share of the adapter's copy's: 1 is as fast as the copy, less is slower.
    pub fn ratio_to_copy(&self) -> Option<f64> {
        self.copy.as_ref().map(|copy| self.share_of(copy))
    }

    /// The same of the copy by a kernel.
    pub fn ratio_to_copy_kernel(&self) -> Option<f64> {
        self.copy_kernel.as_ref().map(|copy| self.share_of(copy))
    }

    fn share_of(&self, copy: &Times) -> f64 {
        self.bytes as f64 / self.copied as f64 / self.times.over(copy)
    }

    /// How many times as long as the hand-written kernel: 1 is as fast, more is slower.
    pub fn ratio_to_handwritten(&self) -> Option<f64> {
        self.handwritten.as_ref().map(|h| self.times.over(h))
    }

    /// How many times as long as the sum of two tensors of the result's shape.
    pub fn ratio_to_same(&self) -> Option<f64> {
        self.same.as_ref().map(|same| self.times.over(same))
    }

    pub fn json(&self, context: &Context) -> Value {
        let mut object = adapter(context);
        let more = json!({
            "workload": self.workload,
            "shapes": self.shapes,
            "log2": self.log2,
            "elements": self.elements,
            "median_ns": self.times.median().round(),
            "min_ns": self.times.min().round(),
            "spread": rounded(self.times.spread()),
            "runs": self.times.runs(),
            "calls": self.calls,
            "repeats": self.repeats,
            "input_sets": self.sets,
            "bytes_moved": self.bytes,
            "gbps": rounded(self.gbps()),
            "copy_ns": self.copy.as_ref().map(|t| t.median().round()),
            "ratio_to_copy": self.ratio_to_copy().map(rounded),
            "copy_kernel_ns": self.copy_kernel.as_ref().map(|t| t.median().round()),
            "ratio_to_copy_kernel": self.ratio_to_copy_kernel().map(rounded),
            "floor_ns": self.floor.as_ref().map(|t| t.median().round()),
            "handwritten": self.kernel,
            "handwritten_ns": self.handwritten.as_ref().map(|t| t.median().round()),
            "ratio_to_handwritten": self.ratio_to_handwritten().map(rounded),
            "same_ns": self.same.as_ref().map(|t| t.median().round()),
            "ratio_to_same": self.ratio_to_same().map(rounded),
            "pipelines": self.pipelines,
            "passes": self.passes,
            "timer": self.timer,
            "schedule": self.schedule.map(|name| name.to_string()),
            "verified": true,
            "verified_elements": self.checked.compared,
        });
        merge(&mut object, more);
        merge(&mut object, of_clocks(self.clocks.as_ref()));
        object
    }

    /// One line of a table with names of this width.
    pub fn line(&self, width: usize) -> String {
        let share = |x: Option<f64>| x.map_or("-".into(), |x| format!("{:.0} %", 100.0 * x));
        let times = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.2} x"));
        let checked = if self.checked.compared == self.checked.elements {
            "all".to_string()
        } else {
            format!("{} of {}", self.checked.compared, self.checked.elements)
        };
        let checked = match self.clocks {
            Some(clocks) if clocks.are_low => {
                format!(
                    "{checked}; clocks were low ({:.0} MHz): not to be published",
                    clocks.mhz
                )
            }
            _ => checked,
        };
        let ms = self.times.median() / 1e6;
        let all = [
            self.workload.as_str(),
            &if ms < 1.0 {
                format!("{ms:.4}")
            } else {
                format!("{ms:.2}")
            },
            &share(Some(self.times.spread())),
            &format!("{:.1}", self.gbps()),
            &share(self.ratio_to_copy_kernel().or(self.ratio_to_copy())),
            &times(self.ratio_to_handwritten().or(self.ratio_to_same())),
            &checked,
        ];
        columns(width, all)
    }
}

/// What a row says of the clocks: nothing if they were not metered.
fn of_clocks(clocks: Option<&Clocks>) -> Value {
    match clocks {
        None => {
            json!({ "clock_mhz": null, "clock_spread": null, "rounds_dropped": null, "clocks": null })
        }
        Some(clocks) => json!({
            "clock_mhz": clocks.mhz.round(),
            "clock_spread": rounded(clocks.spread),
            "rounds_dropped": clocks.dropped,
            "clocks": if clocks.are_low { "low" } else { "steady" },
        }),
    }
}

/// The line above a table with names of this width and times over those of another contestant.
pub fn head(width: usize, other: &str) -> String {
    columns(
        width,
        [
            "workload",
            "median ms",
            "spread",
            "GB/s",
            "of copy",
            other,
            "verified",
        ],
    )
}

fn columns(width: usize, [name, ms, spread, gbps, copy, other, checked]: [&str; 7]) -> String {
    format!("{name:<width$} {ms:>10} {spread:>7} {gbps:>8} {copy:>8} {other:>8}  {checked}")
}

/// The line of a workload that could not be run.
pub fn failure(
    context: &Context,
    workload: &str,
    log2: u32,
    schedule: Option<ScheduleName>,
    error: &Error,
) -> Value {
    let mut object = adapter(context);
    merge(
        &mut object,
        json!({
            "workload": workload,
            "log2": log2,
            "schedule": schedule.map(|name| name.to_string()),
            "error": error.to_string(),
        }),
    );
    object
}

fn adapter(context: &Context) -> Value {
    let info = context.adapter_info();
    json!({
        "adapter": info.name,
        "driver": format!("{} {}", info.driver, info.driver_info).trim(),
        "backend": format!("{:?}", info.backend),
        "software": context.limits().software,
        "floats": context.limits().describe_floats(),
    })
}

fn merge(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

fn rounded(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_at_low_clocks_say_so_and_those_without_a_meter_say_nothing() {
        let of = |are_low| Clocks {
            mhz: 612.4,
            spread: 0.123456,
            dropped: 9,
            are_low,
        };
        let low = of_clocks(Some(&of(true)));
        assert_eq!(
            (&low["clocks"], &low["clock_mhz"]),
            (&"low".into(), &612.0.into())
        );
        assert_eq!(
            (&low["clock_spread"], &low["rounds_dropped"]),
            (&0.1235.into(), &9.into())
        );
        assert_eq!(of_clocks(Some(&of(false)))["clocks"], "steady");
        assert!(of_clocks(None)["clocks"].is_null());
    }
}
