//! What the adapter tests share: one context, random data, comparison with the reference.

use std::sync::OnceLock;

use zerostride::reference;
use zerostride::{Context, DType, Error, Expr, HostTensor, Options, Plan, Result, Tensor, wgpu};

/// The byte that outputs are filled with before they are written.
pub const POISON: u8 = 0xcd;

/// The types that kernels exist for.
pub const COMPUTABLE: [DType; 10] = [
    DType::Bool,
    DType::U8,
    DType::I8,
    DType::U16,
    DType::I16,
    DType::U32,
    DType::I32,
    DType::F16,
    DType::Bf16,
    DType::F32,
];

/// The environment variable under which all tests run with what every browser has: WebGPU's default
/// limits, no feature.
pub const PORTABLE: &str = "ZEROSTRIDE_PORTABLE";

/// The context of all tests, on the adapter that `ZEROSTRIDE_ADAPTER` names. No adapter is a
/// failure.
pub fn context() -> Context {
    static CONTEXT: OnceLock<Context> = OnceLock::new();
    CONTEXT
        .get_or_init(|| {
            let mut builder = Context::builder().from_env();
            if std::env::var_os(PORTABLE).is_some() {
                builder = builder
                    .features(wgpu::Features::empty())
                    .limits(wgpu::Limits::default());
            }
            let context = builder
                .request_blocking()
                .expect("an adapter is needed for these tests");
            eprintln!("adapter: {:?}", context.adapter_info());
            context
        })
        .clone()
}

/// A context of its own on the same adapter, for tests that destroy, count or measure.
pub fn own_context() -> Context {
    Context::builder()
        .from_env()
        .request_blocking()
        .expect("an adapter is needed for these tests")
}

/// A context on the same adapter with these optional features at most.
pub fn own_context_with(features: wgpu::Features) -> Context {
    let context = Context::builder()
        .from_env()
        .features(features)
        .request_blocking();
    context.expect("an adapter is needed for these tests")
}

/// A device that the test makes itself with wgpu's default limits, on the same adapter.
pub fn own_device() -> (wgpu::Device, wgpu::Queue) {
    let wanted = context().adapter_info().clone();
    let backends = wgpu::Backends::from(wanted.backend);
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapters = pollster::block_on(instance.enumerate_adapters(backends));
    let adapter = adapters
        .iter()
        .find(|a| a.get_info().name == wanted.name)
        .expect("the adapter is still there");
    pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))
        .expect("a device with default limits")
}

/// Runs a test's body on a thread of its own and fails where it has not ended after a minute.
pub fn within_a_minute<T: Send + 'static>(body: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || send.send(body()));
    match receive.recv_timeout(std::time::Duration::from_secs(60)) {
        Ok(value) => value,
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(_) => panic!("nothing was sent"),
        },
    }
}

/// Runs a test's body in a process of its own, where what it does to the process disturbs no other
/// test.
pub fn alone(test: &str, body: impl FnOnce()) {
    const NAME: &str = "ZEROSTRIDE_ALONE";
    if std::env::var(NAME).is_ok_and(|name| name == test) {
        return body();
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let run = child
        .args(["--exact", test, "--nocapture"])
        .env(NAME, test)
        .output()
        .unwrap();
    let text = [run.stdout, run.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .concat();
    eprintln!("{text}");
    assert!(
        run.status.success() && text.contains("1 passed"),
        "{}",
        run.status
    );
}

/// Bytes of this process that are in memory.
#[cfg(target_os = "linux")]
pub fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// A small random number generator (xorshift64*), seeded from `ZEROSTRIDE_SEED` or the clock; the
/// seed is printed.
pub struct Random(u64);

impl Random {
    pub fn new(test: &str) -> Self {
        let seed = std::env::var("ZEROSTRIDE_SEED")
            .ok()
            .and_then(|s| s.parse().ok())
            .unwrap_or_else(|| {
                std::time::SystemTime::now()
                    .duration_since(std::time::UNIX_EPOCH)
                    .map_or(1, |d| d.as_nanos() as u64)
            });
        eprintln!("{test}: ZEROSTRIDE_SEED={seed}");
        Self(seed | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Elements of a type: small values, and where asked the special ones. Floats are normal
    /// numbers, so that an adapter that flushes subnormals agrees with the reference.
    pub fn bytes(&mut self, dtype: DType, len: usize, special: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(len * dtype.size());
        for _ in 0..len {
            let r = self.next();
            let bits: u64 = match dtype {
                DType::Bool => r >> 63,
                DType::F32 if special && r.is_multiple_of(16) => [
                    0,
                    0x8000_0000,
                    0x7f80_0000,
                    0xff80_0000,
                    0x7fc0_0000,
                    0x3f80_0000,
                ][(r >> 8) as usize % 6],
                DType::F16 if special && r.is_multiple_of(16) => {
                    [0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x3c00][(r >> 8) as usize % 6]
                }
                DType::Bf16 if special && r.is_multiple_of(16) => {
                    [0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0x3f80][(r >> 8) as usize % 6]
                }
                DType::F32 => u64::from((((r >> 40) as f32 / 16_777_216.0 - 0.5) * 20.0).to_bits()),
                DType::F16 => u64::from(
                    half::f16::from_f32(((r >> 40) as f32 / 16_777_216.0 - 0.5) * 20.0).to_bits(),
                ),
                DType::Bf16 => u64::from(
                    half::bf16::from_f32(((r >> 40) as f32 / 16_777_216.0 - 0.5) * 20.0).to_bits(),
                ),
                _ if special && r.is_multiple_of(8) => [
                    0,
                    u64::MAX,
                    1,
                    1 << (8 * dtype.size() - 1),
                    (1 << (8 * dtype.size() - 1)) - 1,
                ][(r >> 8) as usize % 5],
                _ => r >> 20,
            };
            out.extend_from_slice(&bits.to_le_bytes()[..dtype.size()]);
        }
        out
    }

    pub fn host(&mut self, dtype: DType, shape: &[usize], special: bool) -> HostTensor {
        let len = shape.iter().product();
        HostTensor::new(dtype, shape, self.bytes(dtype, len, special)).unwrap()
    }
}

/// Runs an expression on the context of all tests.
pub fn on_adapter(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<HostTensor> {
    on_context(&context(), expr, inputs, &context().options())
}

/// Plans and encodes an expression into the test's own encoder; the output is filled with
/// [`POISON`] before.
pub fn on_context(
    context: &Context,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    options: &Options,
) -> Result<HostTensor> {
    let tensors: Vec<Tensor> = inputs
        .iter()
        .map(|t| context.tensor_from_host(t))
        .collect::<Result<_>>()?;
    let slots: Vec<_> = tensors.iter().map(Tensor::slot).collect();
    let plan = Plan::new(expr, &slots, options)?;
    let out = encoded(context, &plan, &tensors.iter().collect::<Vec<_>>())?;
    HostTensor::new(out.dtype(), out.shape(), out.read_bytes_blocking()?)
}

/// Encodes a plan of one output into the test's own encoder and submits it.
pub fn encoded(context: &Context, plan: &Plan, inputs: &[&Tensor]) -> Result<Tensor> {
    let (dtype, shape) = plan.outputs().next().expect("a plan has an output");
    let out = context.empty(dtype, shape)?;
    let buffer = out.buffer()?;
    context
        .queue()
        .write_buffer(&buffer, 0, &vec![POISON; buffer.size() as usize]);
    let mut encoder = new_encoder(context);
    context.encode(&mut encoder, plan, inputs, &[&out])?;
    context.queue().submit([encoder.finish()]);
    Ok(out)
}

pub fn new_encoder(context: &Context) -> wgpu::CommandEncoder {
    context
        .device()
        .create_command_encoder(&wgpu::CommandEncoderDescriptor {
            label: Some("test"),
        })
}

/// A buffer of the test's own with these bytes, a multiple of four.
pub fn raw_buffer(context: &Context, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let buffer = context.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("test"),
        size: bytes.len() as u64,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    context.queue().write_buffer(&buffer, 0, bytes);
    buffer
}

/// All bytes of a buffer of the test's own, read without the crate.
pub fn read_raw(context: &Context, buffer: &wgpu::Buffer) -> Vec<u8> {
    let staging = context.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("test read"),
        size: buffer.size(),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = new_encoder(context);
    encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
    context.queue().submit([encoder.finish()]);
    staging.map_async(wgpu::MapMode::Read, .., |outcome| {
        outcome.expect("the staging buffer maps")
    });
    context
        .device()
        .poll(wgpu::PollType::wait_indefinitely())
        .expect("the device answers");
    staging
        .get_mapped_range(..)
        .expect("the staging buffer is mapped")
        .to_vec()
}

/// The distance of two floats of a type in units in the last place; 0 for two NaN, infinite for
/// one.
pub fn ulps(dtype: DType, a: u64, b: u64) -> f64 {
    let (bits, infinity) = match dtype {
        DType::F16 => (16, 0x7c00u64),
        DType::Bf16 => (16, 0x7f80),
        DType::F64 => (64, 0x7ff0_0000_0000_0000),
        _ => (32, 0x7f80_0000),
    };
    let sign = 1u64 << (bits - 1);
    let (ma, mb) = (a & (sign - 1), b & (sign - 1));
    if ma > infinity || mb > infinity {
        return if ma > infinity && mb > infinity {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let line = |x: u64, m: u64| {
        if x & sign != 0 {
            -i128::from(m)
        } else {
            i128::from(m)
        }
    };
    (line(a, ma) - line(b, mb)).unsigned_abs() as f64
}

/// The storage bits of a tensor's elements, which lie in row-major order.
pub fn elements(t: &HostTensor) -> Vec<u64> {
    let size = t.dtype.size();
    t.bytes
        .chunks_exact(size)
        .map(|c| c.iter().rev().fold(0, |x, &b| x << 8 | u64::from(b)))
        .collect()
}

/// Whether storage bits are a float that adapters which flush subnormals give as zero.
fn flushable(dtype: DType, bits: u64) -> bool {
    let magnitude = match dtype {
        DType::F32 => bits & 0x7fff_ffff,
        DType::Bf16 => (bits & 0x7fff) << 16,
        _ => return false,
    };
    magnitude < 0x0080_0000
}

/// Compares an adapter's result with the reference's: floats within `bound` ULP, everything else in
/// bits. A bound of 0 asks for the sign of zeros too; the bits of a NaN are free, and where the
/// reference has a subnormal f32 or bf16 any subnormal or zero will do.
pub fn compare(
    what: &str,
    found: &HostTensor,
    expected: &HostTensor,
    bound: f64,
) -> std::result::Result<(), String> {
    if found.dtype != expected.dtype || found.layout.shape() != expected.layout.shape() {
        return Err(format!(
            "{what}: {}{} instead of {}{}",
            found.dtype,
            found.layout.shape(),
            expected.dtype,
            expected.layout.shape()
        ));
    }
    let dtype = found.dtype;
    let off = |a: u64, b: u64| {
        if a == b
            || (flushable(dtype, a) && flushable(dtype, b) && b << (64 - 8 * dtype.size() + 1) != 0)
        {
            return 0.0;
        }
        match dtype.is_float() {
            true if bound == 0.0
                && ulps(dtype, a, b) == 0.0
                && (a ^ b) >> (8 * dtype.size() - 1) != 0 =>
            {
                if is_nan(dtype, a) {
                    0.0
                } else {
                    0.5
                }
            }
            true => ulps(dtype, a, b),
            false => f64::INFINITY,
        }
    };
    let differences: Vec<_> = elements(found)
        .into_iter()
        .zip(elements(expected))
        .enumerate()
        .map(|(i, (a, b))| (i, a, b, off(a, b)))
        .filter(|(.., off)| *off > bound)
        .collect();
    let Some((i, a, b, first)) = differences.first() else {
        return Ok(());
    };
    let worst = differences.iter().map(|(.., off)| *off).fold(0.0, f64::max);
    Err(format!(
        "{what}: {} of {} elements differ, worst {worst} ULP (bound {bound}); element {i} is {a:#x}, the reference has \
         {b:#x} ({first} ULP)",
        differences.len(),
        found.layout.len(),
    ))
}

fn is_nan(dtype: DType, bits: u64) -> bool {
    ulps(dtype, bits, bits ^ (1 << (8 * dtype.size() - 1))) == 0.0
        && ulps(dtype, bits, 0) == f64::INFINITY
}

/// Runs both sides and compares them.
pub fn check(
    what: &str,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    bound: f64,
) -> std::result::Result<(), String> {
    check_with(what, expr, inputs, bound, &context().options())
}

/// Runs both sides and compares them, the plan made with options of the test's.
pub fn check_with(
    what: &str,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    bound: f64,
    options: &Options,
) -> std::result::Result<(), String> {
    let expected = reference::run(expr, inputs).map_err(|e| format!("{what}: reference: {e}"))?;
    let found =
        on_context(&context(), expr, inputs, options).map_err(|e: Error| format!("{what}: {e}"))?;
    compare(what, &found, &expected, bound)
}

/// Pipelines that the tests may compile on an adapter: a first dispatch takes tens of milliseconds
/// on some.
const MOST_PIPELINES: u64 = 3000;

/// Leaves the number of pipelines so far where the whole check prints it, and fails where they are
/// too many.
fn count_pipelines() {
    let context = context();
    let (count, time) = (context.pipelines_compiled(), context.compile_time());
    let info = context.adapter_info();
    let line = format!(
        "{} ({:?}): {count} pipelines, {:.1} s for their creation\n",
        info.name,
        info.backend,
        time.as_secs_f64()
    );
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/pipelines.txt"), line)
        .expect("the target folder is there");
    assert!(count <= MOST_PIPELINES, "{count} pipelines");
}

/// Fails with the reports of a table of cases: all are counted, the first are shown.
pub fn all(reports: impl IntoIterator<Item = std::result::Result<(), String>>) {
    const SHOWN: usize = 24;
    let failures: Vec<String> = reports
        .into_iter()
        .filter_map(std::result::Result::err)
        .collect();
    count_pipelines();
    let shown = failures
        .iter()
        .take(SHOWN)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    assert!(
        failures.is_empty(),
        "{} failures, the first of them:\n{shown}",
        failures.len()
    );
}
