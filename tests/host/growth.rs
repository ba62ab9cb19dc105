//! Plans of long expressions take time in proportion to their length.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use zerostride::{DType, Expr, Options, Plan, Slot};

/// How long this thread has run: what else runs on the machine takes no part of it, where the system counts it.
fn now() -> Duration {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = counted.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| BEGUN.elapsed(), Duration::from_nanos)
}

/// How long planning takes: of so many plans that they take several ticks of the system's count.
fn planned(expr: &Expr<usize>) -> Duration {
    let slots = [Slot::new(DType::F32, [64, 64]).unwrap()];
    let started = now();
    let timed = (1u32..).find_map(|plans| {
        Plan::new(expr, &slots, &Options::default()).unwrap();
        let all = now() - started;
        (all > Duration::from_millis(60)).then(|| all / plans)
    });
    timed.unwrap()
}

fn grows(name: &str, step: impl Fn(&Expr<usize>) -> Expr<usize>) -> Result<(), String> {
    let chain = |n: usize| (0..n).fold(Expr::slot(0), |x, _| step(&x));
    let chains = [chain(200), chain(1600)];
    let mut shortest = [Duration::MAX; 2];
    // Other work on the machine empties its caches, so each is the shortest of more and more tries.
    for _ in 0..10 {
        for (shortest, chain) in shortest.iter_mut().zip(&chains) {
            *shortest = planned(chain).min(*shortest);
        }
        // Eight times as much, not 64.
        if shortest[1] < 40 * shortest[0] {
            return Ok(());
        }
    }
    let times = shortest[1].as_secs_f64() / shortest[0].as_secs_f64();
    Err(format!(
        "{name}: 1600 steps take {times:.0} times as long as 200"
    ))
}

#[test]
fn plans_of_chains_of_passes_grow_with_their_length() {
    let x = || Expr::<usize>::slot(0);
    let found = [
        grows("cumsum", |y| y.cumsum(0)),
        grows("roll", |y| {
            let [front, back] = [y.slice(1..), y.slice(..1)];
            Expr::concat([front, back], 0) + x()
        }),
        grows("row sums", |y| {
            y.clone() - y.sum(zerostride::Axes::from(1).keepdims())
        }),
        grows("pad", |y| {
            let rows = Expr::concat([x().slice(..1), y.clone(), x().slice(..1)], 0);
            rows.slice(1..65) + x()
        }),
        grows("sums", |y| y.clone() + x()),
        grows("products", |y| y.matmul(x()) + x()),
    ];
    let wrong: Vec<String> = found.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
