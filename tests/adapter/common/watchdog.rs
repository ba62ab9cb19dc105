//! Ends the process where tests hang: libtest joins the thread of a test that ended before it says so, so that one whose
//! end hangs in a driver silences all others.

use std::io::Write as _;
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// The tests that run, and when the last one ended.
static OPEN: Mutex<Option<(Vec<String>, Instant)>> = Mutex::new(None);

thread_local! {
    static WATCHED: Watched = Watched::begin();
}

/// Watches the test of this thread until the thread has ended: what the thread keeps from then on is dropped before.
pub fn watched() {
    WATCHED.with(|_| ());
}

/// Says that the tests do not hang: the process of one of them goes on, or a result of a long one was read.
pub fn lives() {
    change(|_| ());
}

/// A test that runs.
struct Watched(String);

impl Watched {
    fn begin() -> Self {
        static WATCHDOG: Once = Once::new();
        WATCHDOG.call_once(|| {
            std::thread::spawn(watch);
        });
        let name = std::thread::current()
            .name()
            .unwrap_or("a thread of a test")
            .to_owned();
        change(|open| open.push(name.clone()));
        Self(name)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        change(|open| {
            if let Some(place) = open.iter().position(|name| *name == self.0) {
                open.swap_remove(place);
            }
        });
    }
}

fn change(to: impl FnOnce(&mut Vec<String>)) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let (tests, last) = open.get_or_insert_with(|| (Vec::new(), Instant::now()));
    to(tests);
    *last = Instant::now();
}

/// The environment variable with the seconds for which no test may begin, end or read a result, and the process of none print.
pub const PATIENCE: &str = "ZEROSTRIDE_PATIENCE";

/// How long no test may begin, end or read a result: two minutes, ten where one runs at a time or draws more, three hours where the number
/// of points is given.
fn patience() -> Duration {
    if let Ok(seconds) = std::env::var(PATIENCE) {
        return Duration::from_secs(seconds.parse().expect("seconds"));
    }
    let alone = std::env::var("RUST_TEST_THREADS").is_ok_and(|threads| threads == "1");
    let more = super::thorough() || std::env::var_os("ZEROSTRIDE_CASES").is_some();
    if std::env::var_os("ZEROSTRIDE_POINTS").is_some() {
        return Duration::from_secs(10_800);
    }
    Duration::from_secs(if alone || more { 600 } else { 120 })
}

fn watch() {
    let patience = patience();
    loop {
        std::thread::sleep(patience.min(Duration::from_secs(5)));
        let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((tests, last)) = &*open else {
            continue;
        };
        if !tests.is_empty() && last.elapsed() > patience {
            // Past the capture of the test harness, which this thread inherits.
            let _ = writeln!(
                std::io::stderr(),
                "no test ended or read a result for {patience:?}; these are open: {}",
                tests.join(", ")
            );
            std::process::abort();
        }
    }
}
