//! The adapter's side of a sweep, its judgement, and the report.

use std::io::Write as _;
use std::ops::Range;
use std::sync::OnceLock;

use zerostride::{DType, Expr, Tensor};

use crate::common::context;

use super::format::{F32, Format};
use super::oracle::{Oracle, Row};

/// The adapter, for the report.
pub fn adapter() -> String {
    let context = context();
    let info = context.adapter_info();
    format!(
        "{} ({:?}, {} {})",
        info.name, info.backend, info.driver, info.driver_info
    )
}

/// A tensor of these bits.
pub fn tensor(dtype: DType, bits: &[u32]) -> Tensor {
    let size = dtype.size();
    let made = match size {
        4 => context().tensor_from_bytes(dtype, [bits.len()], bytemuck::cast_slice(bits)),
        _ => {
            let bytes: Vec<u8> = bits
                .iter()
                .flat_map(|b| b.to_le_bytes().into_iter().take(size))
                .collect();
            context().tensor_from_bytes(dtype, [bits.len()], &bytes)
        }
    };
    made.expect("a tensor is made")
}

/// The bits that the adapter gives for an expression.
pub fn evaluate(expr: &Expr<Tensor>) -> Vec<u32> {
    let found = context()
        .eval(expr)
        .unwrap_or_else(|e| panic!("{expr:?}: {e}"));
    let bytes = found
        .read_bytes_blocking()
        .unwrap_or_else(|e| panic!("{expr:?}: {e}"));
    let word = |element: &[u8]| {
        element
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u32::from(byte))
    };
    match found.dtype().size() {
        4 => bytemuck::pod_collect_to_vec(&bytes),
        size => bytes.chunks_exact(size).map(word).collect(),
    }
}

/// Whether the adapter takes subnormal f32 for zeros, or makes zeros of them.
pub fn flushes() -> bool {
    static FLUSHES: OnceLock<bool> = OnceLock::new();
    *FLUSHES.get_or_init(|| {
        let least = tensor(DType::F32, &[0x0080_0000; 4]).expr();
        let subnormal = tensor(DType::F32, &[1, 0x8000_0001, 0x007f_ffff, 0x0040_0000]).expr();
        let constants = [0f32, 0.5, 1.0].map(|x| tensor(DType::F32, &[x.to_bits(); 4]).expr());
        let [zero, half, one] = &constants;
        let kept = [
            subnormal.add(zero),
            subnormal.mul(one),
            least.mul(half),
            subnormal.add(&subnormal),
        ];
        kept.iter()
            .any(|expr| evaluate(expr).iter().any(|bits| bits << 1 == 0))
    })
}

/// What a result is worth.
#[derive(Debug)]
pub struct Verdict {
    /// In ULP of the result's type.
    pub error: f64,
    /// Whether it is the nearest number.
    pub nearest: bool,
    /// Whether it is right for an adapter that flushes subnormals and for no other.
    pub flushed: bool,
}

impl Verdict {
    pub fn exact(right: bool) -> Self {
        Self {
            error: if right { 0.0 } else { f64::INFINITY },
            nearest: right,
            flushed: false,
        }
    }
}

/// A row on arguments of a type.
pub struct Subject<'a> {
    row: &'a Row,
    from: Format,
    parameters: Vec<f64>,
    flushes: bool,
    /// In ULP.
    pub bound: f64,
}

impl<'a> Subject<'a> {
    pub fn new(row: &'a Row, from: Format) -> Self {
        let parameter = |&p: &f64| from.value(from.nearest(p));
        let bound = match row.oracle {
            Oracle::Number { bound, .. } if from == F32 => bound,
            // A half is rounded from the f32, which is nearer to the number than halves are to each
            // other.
            Oracle::Number { bound, .. } => bound.min(1.0),
            Oracle::Bits(_) | Oracle::Test(_) => 0.0,
        };
        Self {
            row,
            from,
            parameters: row.parameters.iter().map(parameter).collect(),
            flushes: flushes(),
            bound,
        }
    }

    /// Judges the common case, which takes the time of a sweep: a normal f32 that is found within
    /// its bound. `None` for every other.
    #[inline]
    pub fn judge_normal(&self, argument: u32, found: u32) -> Option<Verdict> {
        let Oracle::Number { exact, .. } = self.row.oracle else {
            return None;
        };
        if self.from != F32 || self.row.scale.is_some() {
            return None;
        }
        let y = exact(f32::from_bits(argument).into(), &self.parameters);
        let exponent = y.to_bits() >> 52 & 0x7ff;
        if !(1023 - 126..=1023 + 127).contains(&exponent) {
            return None;
        }
        let unit = f64::from_bits((2 * 1023 + 23 - exponent) << 52);
        let error = (y - f64::from(f32::from_bits(found))).abs() * unit;
        let nearest = (y as f32).to_bits() == found;
        (error <= self.bound).then_some(Verdict {
            error,
            nearest,
            flushed: false,
        })
    }

    /// Judges the result for an argument.
    pub fn judge(&self, argument: u32, found: u32) -> Verdict {
        let x = self.from.value(argument);
        match self.row.oracle {
            Oracle::Bits(expected) => Verdict::exact(found == expected(argument, self.from.sign())),
            Oracle::Test(expected) => Verdict::exact(found == u32::from(expected(x))),
            Oracle::Number { exact, .. } => {
                let error = |y: f64| match self.row.scale.filter(|_| self.from == F32) {
                    Some(scale) => self.from.error_in(scale, y, found),
                    None => self.from.error(y, found),
                };
                let y = exact(x, &self.parameters);
                let off = error(y);
                let flushed = self.flushes
                    && off > 0.5
                    && (self.from.is_flushed(y, found)
                        || (self.from.is_flushable(x) && off > self.bound)
                            && (error(exact(0f64.copysign(x), &self.parameters)) <= self.bound
                                || (self.row.keeps && found == argument)));
                let nearest = found == self.from.nearest(y) || (y.is_nan() && off == 0.0);
                Verdict {
                    error: off,
                    nearest,
                    flushed,
                }
            }
        }
    }
}

fn hex(arguments: &[u32]) -> String {
    arguments
        .iter()
        .map(|bits| format!("{bits:#x}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Failures of a function that are shown.
const SHOWN: usize = 6;

/// The count of a function's results on one type.
#[derive(Default)]
pub struct Tally {
    count: u64,
    worst: f64,
    at: Vec<u32>,
    not_nearest: u64,
    flushed: u64,
    failed: u64,
    failures: Vec<String>,
}

impl Tally {
    /// Counts a result.
    #[inline]
    pub fn add(&mut self, arguments: &[u32], found: u32, verdict: &Verdict, bound: f64) {
        self.count += 1;
        if verdict.flushed {
            self.flushed += 1;
            return;
        }
        self.not_nearest += u64::from(!verdict.nearest);
        if verdict.error > self.worst {
            (self.worst, self.at) = (verdict.error, arguments.to_vec());
        }
        if verdict.error > bound {
            self.failed += 1;
            if self.failures.len() < SHOWN {
                self.failures.push(format!(
                    "{} gives {found:#x}, {:.3} ULP off",
                    hex(arguments),
                    verdict.error
                ));
            }
        }
    }

    /// Counts another's results too.
    pub fn join(&mut self, other: Self) {
        if other.worst > self.worst {
            (self.worst, self.at) = (other.worst, other.at);
        }
        self.count += other.count;
        self.not_nearest += other.not_nearest;
        self.flushed += other.flushed;
        self.failed += other.failed;
        self.failures.extend(other.failures);
        self.failures.truncate(SHOWN);
    }

    /// Counts results on two threads.
    pub fn of(len: usize, count: impl Fn(Range<usize>) -> Self + Sync) -> Self {
        std::thread::scope(|scope| {
            let upper = scope.spawn(|| count(len / 2..len));
            let mut tally = count(0..len / 2);
            tally.join(upper.join().expect("the oracle does not panic"));
            tally
        })
    }

    /// A row of the report.
    pub fn row(&self, name: &str, what: &str) -> String {
        let Self {
            count,
            worst,
            not_nearest,
            flushed,
            ..
        } = self;
        format!(
            "| {name} | {what} | {worst:.3} | {} | {not_nearest} | {flushed} | {count} |",
            hex(&self.at)
        )
    }

    /// What failed, if anything did.
    pub fn failure(&self, name: &str, what: &str, bound: f64) -> Option<String> {
        let first = self.failures.join("; ");
        (self.failed > 0).then(|| {
            format!(
                "{name} {what}: {} of {} beyond {bound} ULP: {first}",
                self.failed, self.count
            )
        })
    }
}

/// Prints a report past the capture of the test harness, and fails with what failed.
pub fn report(title: &str, rows: &[(String, Option<String>)]) {
    let head = "| function | type | worst ULP | at | not the nearest | flushed | of |\n|---|---|---|---|---|---|---|";
    let mut text = format!("\n{title} on {}\n\n{head}\n", adapter());
    for (row, _) in rows {
        text.push_str(row);
        text.push('\n');
    }
    // Where nobody reads it, there is nobody to tell.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    let failures: Vec<&str> = rows
        .iter()
        .filter_map(|(_, failure)| failure.as_deref())
        .collect();
    assert!(
        failures.is_empty(),
        "{} are beyond their bounds:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
