//! What the adapter tests share: contexts, random data, comparison with the reference.

mod compare;
mod contexts;
#[cfg(feature = "translate")]
mod dxc;
mod random;
mod watchdog;

pub use compare::{SOFTMAX, all, check, check_with, compare, elements, ulps};
pub use contexts::{COMPILERS, HOSTILE, PORTABLE, context};
pub use random::Random;
use watchdog::watched;
pub use watchdog::{PATIENCE, lives};

use std::io::{BufRead as _, BufReader, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;

use zerostride::{Context, DType, Expr, HostTensor, Options, Plan, Result, Tensor, wgpu};

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

/// How much of what could be tried is tried, as `ZEROSTRIDE_DRAWS` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Draws {
    /// `few`, of tests that compile many kernels a third: plain `cargo test`, where the variable is not set.
    Few,
    /// `more`, in the check of each change: every case, but variants of a case in turn.
    More,
    /// `all`, in the nightly check: every combination, and more of what is random.
    All,
}

/// The environment variable that says so.
pub const DRAWS: &str = "ZEROSTRIDE_DRAWS";

fn draws() -> Draws {
    match std::env::var(DRAWS).as_deref() {
        Err(_) | Ok("few") => Draws::Few,
        Ok("more") => Draws::More,
        Ok("all") => Draws::All,
        Ok(other) => panic!("{DRAWS} is `{other}`; it may be `few`, `more` or `all`"),
    }
}

/// Whether a third is tried of what compiles many kernels.
pub fn few() -> bool {
    draws() == Draws::Few
}

/// Whether every combination is tried.
pub fn thorough() -> bool {
    draws() == Draws::All
}

/// Which cases are tried of a test that takes long because most are a kernel of their own: one of each three, drawn, where
/// plain `cargo test` runs, else all.
pub struct Thinned {
    random: Random,
    /// Cases so far, and which of the last three is tried.
    seen: usize,
    drawn: usize,
}

impl Thinned {
    pub fn new(random: &mut Random) -> Self {
        let random = random.fork();
        Self {
            random,
            seen: 0,
            drawn: 0,
        }
    }

    /// Whether the next case is tried.
    pub fn takes(&mut self) -> bool {
        let place = self.seen % 3;
        if place == 0 {
            self.drawn = self.random.below(3);
        }
        self.seen += 1;
        !few() || place == self.drawn
    }
}

/// Of so many random cases a third where plain `cargo test` runs, `more` in the check of each change, `all` in the nightly one.
pub fn count(more: usize, all: usize) -> usize {
    match draws() {
        Draws::Few => more.div_ceil(3),
        Draws::More => more,
        Draws::All => all,
    }
}

/// All cases, or one of them where plain `cargo test` runs.
pub fn one_if_few<T: Clone>(random: &mut Random, cases: &[T]) -> Vec<T> {
    match few() {
        true => vec![random.pick(cases).clone()],
        false => cases.to_vec(),
    }
}

/// Those of the cases that are tried.
pub fn thinned<T>(random: &mut Random, cases: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut some = Thinned::new(random);
    cases.into_iter().filter(|_| some.takes()).collect()
}

/// Of two kinds of machines, whose schedules a case is tried on: both in the nightly check, else one that follows from the
/// case's name.
pub fn machines(case: &str) -> Vec<usize> {
    let sum: usize = case.bytes().map(usize::from).sum();
    if thorough() {
        vec![0, 1]
    } else {
        vec![sum % 2]
    }
}

/// Of several variants of each case, such as shapes: all in the nightly check, else one, the next for the next case. The
/// first is drawn.
pub struct Turns(usize);

impl Turns {
    pub fn new(random: &mut Random) -> Self {
        Self(random.below(1 << 16))
    }

    pub fn of<T: Clone>(&mut self, variants: &[T]) -> Vec<T> {
        if thorough() {
            return variants.to_vec();
        }
        self.0 += 1;
        vec![variants[self.0 % variants.len()].clone()]
    }
}

/// A context of its own on the same adapter, whose buffers are poisoned.
pub fn own_context() -> Context {
    opened(true)
}

/// The same for tests that destroy, count or measure: its buffers are not poisoned.
pub fn plain_context() -> Context {
    opened(false)
}

fn opened(poisoned: bool) -> Context {
    watched();
    Context::builder()
        .from_env()
        .poisons_buffers(poisoned)
        .request_blocking()
        .expect("an adapter is needed for these tests")
}

/// A context on the same adapter with these optional features at most.
pub fn own_context_with(features: wgpu::Features) -> Context {
    watched();
    let context = Context::builder()
        .from_env()
        .poisons_buffers(false)
        .features(features)
        .request_blocking();
    context.expect("an adapter is needed for these tests")
}

/// The adapter of all tests.
pub fn adapter() -> wgpu::Adapter {
    /// One for all tests, as drivers end processes that make and drop many. Devices of one under OpenGL share a context.
    static INSTANCE: OnceLock<wgpu::Instance> = OnceLock::new();
    let wanted = context().adapter_info().clone();
    let backends = wgpu::Backends::from(wanted.backend);
    let new = || {
        wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        })
    };
    let instance = match wanted.backend {
        wgpu::Backend::Gl => new(),
        _ => INSTANCE.get_or_init(new).clone(),
    };
    let adapters = pollster::block_on(instance.enumerate_adapters(backends));
    let mut same = adapters
        .into_iter()
        .filter(|a| a.get_info().name == wanted.name);
    same.next().expect("the adapter is still there")
}

/// A device that the test makes itself with wgpu's default limits, on the same adapter.
pub fn own_device() -> (wgpu::Device, wgpu::Queue) {
    pollster::block_on(adapter().request_device(&wgpu::DeviceDescriptor::default()))
        .expect("a device with default limits")
}

/// Runs a test's body on a thread of its own and fails where it has not ended after a minute.
pub fn within_a_minute<T: Send + 'static>(body: impl FnOnce() -> T + Send + 'static) -> T {
    watched();
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
    let (status, text) = in_a_process(&["--exact", test], &[[NAME, test]]);
    eprintln!("{text}");
    assert!(status.success() && text.contains("1 passed"), "{status}");
}

/// Runs tests of this program in a process of their own with environment variables: how it ended, and what it printed.
pub fn in_a_process(tests: &[&str], variables: &[[&str; 2]]) -> (ExitStatus, String) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    let variables = variables.iter().map(|&[name, value]| (name, value));
    child.args(tests).arg("--nocapture").envs(variables);
    let mut child = child
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let errors = child.stderr.take().unwrap();
    let errors = std::thread::spawn(|| printed(errors));
    let mut text = printed(child.stdout.take().unwrap());
    text += &errors.join().unwrap();
    (child.wait().unwrap(), text)
}

/// What a process prints up to its end; while it prints, nothing hangs.
fn printed(pipe: impl Read) -> String {
    let (mut text, mut pipe) = (Vec::new(), BufReader::new(pipe));
    while pipe.read_until(b'\n', &mut text).unwrap() > 0 {
        lives();
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Runs tests of this program in a process of their own with environment variables; at least so many have to pass, and
/// none may be ignored.
pub fn run_under(variables: &[[&str; 2]], tests: &[&str], least: usize) {
    let (status, text) = in_a_process(tests, variables);
    let summary = text
        .lines()
        .rfind(|line| line.starts_with("test result: "))
        .unwrap_or_default();
    assert!(status.success(), "{variables:?}: {text}");
    let passed: usize = summary
        .split(' ')
        .nth(3)
        .and_then(|n| n.parse().ok())
        .unwrap_or_default();
    assert!(
        passed >= least && summary.contains(" 0 ignored"),
        "{variables:?}: {summary}"
    );
}

/// Bytes of this process that are in memory.
#[cfg(target_os = "linux")]
pub fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
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
    let bytes = out.read_bytes_blocking()?;
    lives();
    HostTensor::new(out.dtype(), out.shape(), bytes)
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
