//! A bounded cache that forgets what was used longest ago.

use std::collections::HashMap;
use std::hash::Hash;

use parking_lot::Mutex;

use super::turns::Turns;

/// At most `bound` values by key. When it is full, the half that was used longest ago goes.
#[derive(Debug)]
pub(crate) struct Cache<K, V> {
    state: Mutex<State<K, V>>,
    bound: usize,
    /// In which values are forgotten.
    turns: Turns,
}

#[derive(Debug)]
struct State<K, V> {
    values: HashMap<K, (u64, V)>,
    clock: u64,
}

impl<K: Hash + Eq + Clone, V: Clone> Cache<K, V> {
    /// Of values that use no device.
    pub fn new(bound: usize) -> Self {
        Self::of_device(bound, Turns::NONE)
    }

    pub fn of_device(bound: usize, turns: Turns) -> Self {
        Self {
            state: Mutex::new(State {
                values: HashMap::new(),
                clock: 0,
            }),
            bound,
            turns,
        }
    }

    /// The value of a key, made by `make` if it is not there. Two threads may make it at once;
    /// one is kept.
    pub fn get<E>(&self, key: &K, make: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        {
            let mut state = self.state.lock();
            state.clock += 1;
            let now = state.clock;
            if let Some((used, value)) = state.values.get_mut(key) {
                *used = now;
                return Ok(value.clone());
            }
        }
        let made = make()?;
        let mut forgotten = Vec::new();
        let mut state = self.state.lock();
        if state.values.len() >= self.bound {
            let mut times: Vec<u64> = state.values.values().map(|(used, _)| *used).collect();
            times.sort_unstable();
            let middle = times[self.bound / 2];
            forgotten = state
                .values
                .extract_if(|_, (used, _)| *used <= middle)
                .collect();
        }
        let now = state.clock;
        let (_, value) = state.values.entry(key.clone()).or_insert((now, made));
        let value = value.clone();
        drop(state);
        if !forgotten.is_empty() {
            let _turn = self.turns.call();
            drop(forgotten);
        }
        Ok(value)
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.state.lock().values.clear();
    }

    /// How many values are kept.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.state.lock().values.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_bounded_and_keeps_what_is_used() {
        let cache: Cache<u32, u32> = Cache::new(8);
        for i in 0..1000 {
            let found: Result<u32, ()> = cache.get(&i, || Ok(i * 2));
            assert_eq!(found, Ok(i * 2));
            let again: Result<u32, ()> = cache.get(&0, || Ok(99));
            assert_eq!(again, Ok(0), "the key in use was forgotten");
            assert!(cache.len() <= 8);
        }
    }
}
