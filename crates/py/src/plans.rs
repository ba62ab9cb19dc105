//! A cache of plans.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zerostride::{Literal, Plan};

/// A plan, and the warning at each place where it is run.
pub struct Made {
    pub plan: Plan,
    pub note: Option<String>,
}

impl From<Plan> for Made {
    fn from(plan: Plan) -> Self {
        Self { plan, note: None }
    }
}

/// A cache of plans by key. A key has the kinds of numbers, or their values if a plan depends on
/// these.
pub struct Plans<K> {
    kept: Mutex<Option<HashMap<K, Arc<Made>>>>,
    most: usize,
}

impl<K: Eq + Hash> Plans<K> {
    /// A cache of at most this many plans.
    pub const fn new(most: usize) -> Self {
        Self {
            kept: Mutex::new(None),
            most,
        }
    }

    /// The plan in the cache for these numbers, or the one that `make` returns. `key(false)` has the
    /// kinds of the numbers, `key(true)` their values.
    pub fn get<E>(
        &self,
        numbers: &[Literal],
        key: impl Fn(bool) -> K,
        make: impl FnOnce() -> Result<Made, E>,
    ) -> Result<Arc<Made>, E> {
        let any = key(false);
        let known = |key: &K| {
            let kept = self.kept();
            let found = kept.as_ref()?.get(key);
            found.filter(|made| made.plan.is_for(numbers)).cloned()
        };
        if let Some(made) = known(&any) {
            return Ok(made);
        }
        if !numbers.is_empty()
            && let Some(made) = known(&key(true))
        {
            return Ok(made);
        }
        let made = Arc::new(make()?);
        let mut kept = self.kept();
        let kept = kept.get_or_insert_default();
        if kept.len() >= self.most {
            kept.clear();
        }
        let key = match kept.contains_key(&any) {
            true => key(true),
            false => any,
        };
        kept.insert(key, Arc::clone(&made));
        Ok(made)
    }

    fn kept(&self) -> MutexGuard<'_, Option<HashMap<K, Arc<Made>>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
