//! Plans of long expressions take time in proportion to their length.

use std::time::{Duration, Instant};

use zerostride::{DType, Expr, Options, Plan, Slot};

/// The shortest of some times that planning takes.
fn planned(expr: &Expr<usize>) -> Duration {
    let slots = [Slot::new(DType::F32, [64, 64]).unwrap()];
    let times = (0..3).map(|_| {
        let started = Instant::now();
        Plan::new(expr, &slots, &Options::default()).unwrap();
        started.elapsed()
    });
    times.min().unwrap()
}

fn grows(name: &str, step: impl Fn(&Expr<usize>) -> Expr<usize>) -> Result<(), String> {
    let chain = |n: usize| (0..n).fold(Expr::slot(0), |x, _| step(&x));
    let chains = [chain(200), chain(1600)];
    let mut shortest = [Duration::MAX; 2];
    // Other work on the machine only adds to a time, so each is the shortest of more and more tries.
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
