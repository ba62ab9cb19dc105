//! What computed arrays were made of, for gradients: reading an array does not end them. It is forgotten of the oldest, and
//! where it would keep much memory that nobody else holds.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use zerostride::Tensor;

use crate::step::{Graph, Part};

/// Of so many computed arrays it is known what they were made of; of so many whose operands are large.
const MOST: usize = 128;
const MOST_LARGE: usize = 16;
/// Bytes of an operand that is large.
const LARGE: usize = 1 << 16;
/// So many bytes of operands are kept that nobody else holds.
const MOST_BYTES: usize = 64 << 20;
/// A formula of more nodes is not kept.
pub const MOST_NODES: usize = 1024;
/// Of so many arrays it is known that one was made of them.
const MOST_ANCESTORS: usize = 256;

/// Numbers of leaves and steps, in the order in which they were made.
pub fn number() -> u64 {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// An array's elements on the device.
pub struct Leaf {
    pub tensor: Arc<Tensor>,
    number: u64,
    origin: Mutex<Origin>,
}

/// What elements were made of.
#[derive(Clone)]
pub enum Origin {
    /// They came from the host, or in a way that gradients do not go.
    None,
    Made(Part),
    Forgotten(Ancestors),
}

/// The arrays that one was made of, as far as they are still there; `None` if they are not known.
pub type Ancestors = Option<Arc<[Weak<Leaf>]>>;

impl Leaf {
    pub fn new(tensor: Arc<Tensor>) -> Self {
        Self {
            tensor,
            number: number(),
            origin: Mutex::new(Origin::None),
        }
    }

    pub fn bytes(&self) -> usize {
        let len = self.tensor.shape().extents().iter().product::<usize>();
        len * self.tensor.dtype().size()
    }

    pub fn origin(&self) -> Origin {
        self.locked().clone()
    }

    fn locked(&self) -> MutexGuard<'_, Origin> {
        self.origin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets what it was made of, but for its ancestors. What was kept is returned, to be dropped where no lock is held.
    fn forget(&self) -> Option<Part> {
        let Origin::Made(part) = self.origin() else {
            return None;
        };
        let forgotten = Origin::Forgotten(ancestors(&part));
        match std::mem::replace(&mut *self.locked(), forgotten) {
            Origin::Made(part) => Some(part),
            _ => None,
        }
    }

    /// Whether what it was made of, which is forgotten, may have been another array.
    pub fn may_be_of(&self, ancestors: &Ancestors, other: &Part) -> bool {
        // What stood in its formula is older than it.
        let leaf = match other {
            Part::Leaf(leaf) => leaf,
            Part::Step(step, _) => return step.number < self.number,
            Part::Number(_) | Part::Expr(_) => return true,
        };
        if let Origin::Made(Part::Step(step, _)) = leaf.origin()
            && step.number < self.number
        {
            return true;
        }
        let is_it = |ancestor: &Weak<Leaf>| std::ptr::eq(ancestor.as_ptr(), Arc::as_ptr(leaf));
        match ancestors {
            Some(ancestors) => ancestors.iter().any(is_it),
            None => leaf.number < self.number,
        }
    }
}

/// The arrays of which a part was made, without those that are gone.
fn ancestors(part: &Part) -> Ancestors {
    let mut found: HashMap<*const Leaf, Weak<Leaf>> = HashMap::new();
    let mut parts = vec![part.clone()];
    while let Some(part) = parts.pop() {
        for leaf in leaves(&part) {
            if found.len() > MOST_ANCESTORS {
                return None;
            }
            if found
                .insert(Arc::as_ptr(&leaf), Arc::downgrade(&leaf))
                .is_some()
            {
                continue;
            }
            match leaf.origin() {
                Origin::None => {}
                Origin::Made(part) => parts.push(part),
                Origin::Forgotten(None) => return None,
                Origin::Forgotten(Some(more)) => {
                    let is_there = |leaf: &&Weak<Leaf>| leaf.strong_count() > 0;
                    let more = more.iter().filter(is_there);
                    found.extend(more.map(|leaf| (leaf.as_ptr(), leaf.clone())));
                }
            }
        }
    }
    Some(found.into_values().collect())
}

/// The leaves of a formula, each as often as it stands there.
fn leaves(part: &Part) -> Vec<Arc<Leaf>> {
    let leaf = |part: &Part| match part {
        Part::Leaf(leaf) => Some(Arc::clone(leaf)),
        _ => None,
    };
    let graph = Graph::new([part]);
    let below = graph.steps.iter().flat_map(|step| &step.operands);
    below.chain([part]).filter_map(leaf).collect()
}

/// A computed array of which it is known what it was made of.
struct Kept {
    leaf: Weak<Leaf>,
    /// Its large operands, each as often as it stands in the formula.
    large: Vec<Weak<Leaf>>,
}

static KEPT: Mutex<VecDeque<Kept>> = Mutex::new(VecDeque::new());
/// How many of them have large operands.
static LARGE_ONES: AtomicUsize = AtomicUsize::new(0);

/// The elements of an array that was computed of a part, which is kept for gradients if it is not long.
pub fn computed(tensor: Tensor, part: Part, is_short: bool) -> Arc<Leaf> {
    let leaf = Arc::new(Leaf::new(Arc::new(tensor)));
    let mut large = Vec::new();
    if part.largest() >= LARGE {
        large = leaves(&part);
        large.retain(|leaf| leaf.bytes() >= LARGE);
    }
    *leaf.locked() = Origin::Made(part);
    let mut dropped = Vec::new();
    if !is_short {
        dropped.extend(leaf.forget());
        return leaf;
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.push_back(Kept {
        leaf: Arc::downgrade(&leaf),
        large: large.iter().map(Arc::downgrade).collect(),
    });
    if kept.len() > 2 * MOST || !large.is_empty() {
        kept.retain(|kept| kept.leaf.strong_count() > 0);
    }
    while kept.len() > 2 * MOST {
        // Half of them at once, so that they are seldom counted.
        let oldest: Vec<Kept> = kept.drain(..MOST).collect();
        dropped.extend(oldest.iter().filter_map(Kept::forget));
    }
    if !large.is_empty() {
        let count = kept.iter().filter(|kept| !kept.large.is_empty()).count();
        let many = count.saturating_sub(MOST_LARGE);
        dropped.extend(forget_large(&mut kept, many));
    }
    leaf
}

impl Kept {
    fn forget(&self) -> Option<Part> {
        self.leaf.upgrade()?.forget()
    }
}

/// Forgets of so many of the oldest with large operands what they were made of.
fn forget_large(kept: &mut VecDeque<Kept>, count: usize) -> Vec<Part> {
    let mut left = count;
    let mut dropped = Vec::new();
    kept.retain(|kept| {
        let goes = !kept.large.is_empty() && left > 0;
        if goes {
            left -= 1;
            dropped.extend(kept.forget());
        }
        !goes
    });
    let large = kept.iter().filter(|kept| !kept.large.is_empty()).count();
    LARGE_ONES.store(large, Ordering::Relaxed);
    dropped
}

/// To be called before memory is asked for: forgets the oldest while more is kept by formulas alone than may be.
pub fn trim() {
    if LARGE_ONES.load(Ordering::Relaxed) == 0 {
        return;
    }
    let mut dropped = Vec::new();
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.retain(|kept| kept.leaf.strong_count() > 0);
    loop {
        let mut held: HashMap<*const Leaf, (usize, &Weak<Leaf>)> = HashMap::new();
        for leaf in kept.iter().flat_map(|kept| &kept.large) {
            held.entry(leaf.as_ptr()).or_insert((0, leaf)).0 += 1;
        }
        let alone = held
            .values()
            .filter(|(count, leaf)| leaf.strong_count() <= *count);
        let bytes = alone
            .filter_map(|(_, leaf)| leaf.upgrade())
            .map(|leaf| leaf.bytes());
        let is_much = bytes.sum::<usize>() > MOST_BYTES;
        let before = kept.len();
        dropped.extend(forget_large(&mut kept, usize::from(is_much)));
        if !is_much || kept.len() == before {
            break;
        }
    }
    drop(kept);
    drop(dropped);
}
