//! Plans that are kept, by what they were made for.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zerostride::{Literal, Plan};

/// Plans by what they were made for. Of numbers that is their kind, unless a plan depends on their
/// values: then there is one for each.
pub struct Plans<K> {
    kept: Mutex<Option<HashMap<K, Arc<Plan>>>>,
    most: usize,
}

impl<K: Eq + Hash> Plans<K> {
    /// At most so many.
    pub const fn new(most: usize) -> Self {
        Self {
            kept: Mutex::new(None),
            most,
        }
    }

    /// The plan that is kept for these numbers under a key, or the one that `make` makes. The key is
    /// asked for with the kinds of the numbers (`false`) and with their values (`true`).
    pub fn get<E>(
        &self,
        numbers: &[Literal],
        key: impl Fn(bool) -> K,
        make: impl FnOnce() -> Result<Plan, E>,
    ) -> Result<Arc<Plan>, E> {
        let any = key(false);
        let known = |key: &K| {
            let kept = self.kept();
            let found = kept.as_ref()?.get(key);
            found.filter(|plan| plan.is_for(numbers)).cloned()
        };
        if let Some(plan) = known(&any) {
            return Ok(plan);
        }
        if !numbers.is_empty()
            && let Some(plan) = known(&key(true))
        {
            return Ok(plan);
        }
        let plan = Arc::new(make()?);
        let mut kept = self.kept();
        let kept = kept.get_or_insert_default();
        if kept.len() >= self.most {
            kept.clear();
        }
        let key = match kept.contains_key(&any) {
            true => key(true),
            false => any,
        };
        kept.insert(key, Arc::clone(&plan));
        Ok(plan)
    }

    fn kept(&self) -> MutexGuard<'_, Option<HashMap<K, Arc<Plan>>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
