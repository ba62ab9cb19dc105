//! Work on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// What a function makes of each item, in the order of the items.
pub fn map<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(items.len());
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, next, of) = (sender.clone(), &next, &of);
            scope.spawn(move || {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(n) else { return };
                    if sender.send((n, of(item))).is_err() {
                        return;
                    }
                }
            });
        }
    });
    drop(sender);
    let mut all: Vec<(usize, R)> = receiver.into_iter().collect();
    all.sort_by_key(|(n, _)| *n);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1000).collect();
        let doubled = super::map(&items, |n| 2 * n);
        assert!(doubled.iter().zip(&items).all(|(d, n)| *d == 2 * n) && doubled.len() == 1000);
        assert!(super::map(&[], |n: &u32| *n).is_empty());
    }
}
