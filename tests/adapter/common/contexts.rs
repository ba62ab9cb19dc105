//! A context for each test that runs at the same time.
//!
//! A software adapter compiles the kernels of a device on one thread and computes them there: with one context for all
//! tests the other cores would wait.

use std::cell::OnceCell;
use std::sync::{Mutex, PoisonError};

use zerostride::{Context, wgpu};
use zerostride_hostile::{CONTRACTS, KEEPS_FMA, REAL_NUMBERS, rewritten};

use super::watchdog::watched;

/// The environment variable under which all tests run with what every browser has: WebGPU's default
/// limits, no feature.
pub const PORTABLE: &str = "ZEROSTRIDE_PORTABLE";

/// The environment variable under which all tests run as if the adapter's compiler took floats for real numbers: one of
/// the names in [`COMPILERS`].
pub const HOSTILE: &str = "ZEROSTRIDE_HOSTILE";

/// What a compiler makes of a kernel.
pub type Rewrite = fn(&str) -> String;

/// Compilers that rewrite floats, by name.
pub const COMPILERS: [(&str, Rewrite); 3] = [
    ("real-numbers", |text| rewritten(text, REAL_NUMBERS)),
    ("real-numbers-but-fma", |text| rewritten(text, KEEPS_FMA)),
    ("contracts", |text| rewritten(text, CONTRACTS)),
];

/// The way by HLSL, by the name that the same variable gives it.
#[cfg(feature = "translate")]
const BY_HLSL: (&str, Rewrite) = ("dxc", super::dxc::through_dxc);
#[cfg(not(feature = "translate"))]
const BY_HLSL: (&str, Rewrite) = ("dxc", |_| panic!("it takes the feature translate"));

/// The contexts so far, and how many threads use each.
static SHARED: Mutex<Vec<(Context, usize)>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: OnceCell<Lease> = const { OnceCell::new() };
}

/// A thread's use of a context.
struct Lease {
    context: Context,
    place: usize,
}

impl Lease {
    fn new() -> Self {
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let least = (0..shared.len()).min_by_key(|&i| shared[i].1);
        let place = match least {
            Some(i) if shared[i].1 == 0 || shared.len() >= most => i,
            _ => {
                shared.push((open(), 0));
                shared.len() - 1
            }
        };
        shared[place].1 += 1;
        let context = shared[place].0.clone();
        Self { context, place }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared[self.place].1 -= 1;
        leave_count(shared.iter().map(|(context, _)| context));
    }
}

/// Leaves the number of pipelines so far where the checks compare it with its budget: a first dispatch takes tens of
/// milliseconds on some adapters.
fn leave_count<'a>(contexts: impl Iterator<Item = &'a Context> + Clone) {
    let count: u64 = contexts.clone().map(Context::pipelines_compiled).sum();
    let seconds: f64 = contexts.map(|c| c.compile_time().as_secs_f64()).sum();
    let line = format!("adapter tests: {count} pipelines, {seconds:.1} s for their creation\n");
    leave("pipelines.txt", &line);
}

/// Leaves a line for whoever runs the tests.
fn leave(file: &str, line: &str) {
    // Cargo names the folder at compile time alone; whoever runs a packed program names another.
    let folder = std::env::var_os("CARGO_TARGET_TMPDIR");
    let folder = folder.unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").into());
    // A later test that ends writes it again.
    let _ = std::fs::write(std::path::Path::new(&folder).join(file), line);
}

/// The context of this thread's test, on the adapter that `ZEROSTRIDE_ADAPTER` names; its buffers are poisoned. A
/// thread that a test starts takes the test's own along. No adapter is a failure.
pub fn context() -> Context {
    watched();
    OWN.with(|own| own.get_or_init(Lease::new).context.clone())
}

fn open() -> Context {
    let mut builder = Context::builder().from_env().poisons_buffers(true);
    if std::env::var_os(PORTABLE).is_some() {
        builder = builder
            .features(wgpu::Features::empty())
            .limits(wgpu::Limits::default());
    }
    if let Ok(name) = std::env::var(HOSTILE) {
        let mut known = COMPILERS.iter().chain([&BY_HLSL]);
        let named = known.find(|(known, _)| *known == name);
        let (_, rewrite) = named.unwrap_or_else(|| panic!("{HOSTILE} names {name}"));
        builder = builder.rewrites_kernels(*rewrite);
        if name == BY_HLSL.0 {
            // naga writes neither f64 nor immediate data so that DXC's SPIR-V has them where wgpu does.
            builder = builder.features(wgpu::Features::SHADER_INT64);
        }
    }
    let context = builder
        .request_blocking()
        .expect("an adapter is needed for these tests");
    let floats = context.limits().describe_floats().join(", ");
    let line = format!("adapter: {:?}: {floats}\n", context.adapter_info());
    eprint!("{line}");
    leave("adapter.txt", &line);
    context
}
