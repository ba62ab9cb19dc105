//! The origins of computed arrays, which gradients need after a read. The oldest origins are forgotten, and those that would
//! keep much memory alive that nothing else holds.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use zerostride::Tensor;

use crate::part::{Ancestors, Forgotten, Graph, Leaf, Origin, Part};

/// The latest computed arrays, of this number and up to twice as many, keep their origins.
const MOST: usize = 128;
/// The largest number of bytes of operands that only origins keep alive.
const MOST_BYTES: usize = 64 << 20;
/// A formula on fewer bytes counts as if it kept all of them alive.
const FEW_BYTES: usize = MOST_BYTES / (2 * MOST);
/// A formula of more nodes is not kept.
pub const MOST_NODES: usize = 1024;
/// The largest number of ancestors that are remembered of an array.
const MOST_ANCESTORS: usize = 256;

impl Leaf {
    /// Forgets its origin except for its ancestors. Returns the part that was kept, to be dropped while no lock is held.
    fn forget(&self) -> Option<Part> {
        let Origin::Made(part) = self.origin() else {
            return None;
        };
        let forgotten = Origin::Forgotten(Forgotten {
            step: self.step(),
            ancestors: ancestors(&part),
        });
        match std::mem::replace(&mut *self.locked(), forgotten) {
            Origin::Made(part) => Some(part),
            _ => None,
        }
    }

    /// The number of the step that computed it, if one did, and the index of the result.
    pub fn step(&self) -> Option<(u64, usize)> {
        match self.origin() {
            Origin::Made(Part::Step(step, which)) => Some((step.number, which)),
            Origin::Forgotten(forgotten) => forgotten.step,
            Origin::Made(_) | Origin::None => None,
        }
    }

    /// The number of the step that computed it, else its own: older parts do not contain it.
    pub fn since(&self) -> u64 {
        self.step().map_or(self.number, |(number, _)| number)
    }

    /// Whether its forgotten origin may contain another array.
    pub fn may_be_of(&self, forgotten: &Forgotten, other: &Part) -> bool {
        // What stood in its formula is older than it.
        let leaf = match other {
            Part::Leaf(leaf) => leaf,
            Part::Step(step, _) => return step.number < self.number,
            Part::Number(_) | Part::Gradient(_) => return true,
        };
        let is_it = |ancestor: &Weak<Leaf>| std::ptr::eq(ancestor.as_ptr(), Arc::as_ptr(leaf));
        let was_step = leaf.since() != leaf.number && leaf.since() < self.number;
        was_step
            || match &forgotten.ancestors {
                Some(ancestors) => ancestors.iter().any(is_it),
                None => leaf.number < self.number,
            }
    }
}

/// The arrays from which a part was computed, except those that no longer exist.
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
                Origin::Forgotten(forgotten) => {
                    let is_there = |leaf: &&Weak<Leaf>| leaf.strong_count() > 0;
                    let more = forgotten.ancestors?;
                    let more = more.iter().filter(is_there);
                    found.extend(more.map(|leaf| (leaf.as_ptr(), leaf.clone())));
                }
            }
        }
    }
    Some(found.into_values().collect())
}

/// The operands of a formula that are not steps, each as often as it occurs.
fn operands(part: &Part) -> Vec<Part> {
    let graph = Graph::new([part]);
    let below = graph.steps.iter().flat_map(|step| &step.operands);
    let is_step = |part: &&Part| matches!(part, Part::Step(..));
    below
        .chain([part])
        .filter(|x| !is_step(x))
        .cloned()
        .collect()
}

/// The arrays of a formula, each as often as it occurs.
pub fn leaves(part: &Part) -> Vec<Arc<Leaf>> {
    let leaf = |part| match part {
        Part::Leaf(leaf) => Some(leaf),
        _ => None,
    };
    operands(part).into_iter().filter_map(leaf).collect()
}

/// A computed array whose origin is kept.
struct Kept {
    leaf: Weak<Leaf>,
    /// Its operands, each as often as it occurs in the formula, unless they have few bytes.
    operands: Vec<Weak<Leaf>>,
    /// Bytes of operands that are not listed: whether anything else holds these is not known.
    others: usize,
    /// Bytes of all operands.
    bytes: usize,
}

static KEPT: Mutex<VecDeque<Kept>> = Mutex::new(VecDeque::new());
/// Bytes of the operands of all of them.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Wraps the elements that were computed from a part. The part is kept for gradients if it is short.
pub fn computed(tensor: Tensor, part: Part, is_short: bool) -> Arc<Leaf> {
    let leaf = Arc::new(Leaf::new(Arc::new(tensor)));
    let new = Kept::new(&leaf, &part);
    *leaf.locked() = Origin::Made(part);
    // Dropped where no lock is held.
    let mut dropped = Vec::new();
    if !is_short {
        dropped.extend(leaf.forget());
        return leaf;
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.push_back(new);
    if kept.len() > 2 * MOST {
        kept.retain(|kept| kept.leaf.strong_count() > 0);
    }
    if kept.len() > 2 * MOST {
        // Half of them at once, so that they are seldom counted.
        let oldest: Vec<Kept> = kept.drain(..MOST).collect();
        dropped.extend(oldest.iter().filter_map(Kept::forget));
    }
    counted(&kept);
    drop(kept);
    drop(dropped);
    leaf
}

fn counted(kept: &VecDeque<Kept>) {
    let bytes = kept.iter().map(|kept| kept.bytes);
    BYTES.store(bytes.fold(0, usize::saturating_add), Ordering::Relaxed);
}

impl Kept {
    fn new(leaf: &Arc<Leaf>, part: &Part) -> Self {
        let mut kept = Self {
            leaf: Arc::downgrade(leaf),
            operands: Vec::new(),
            others: part.bytes(),
            bytes: part.bytes(),
        };
        if kept.others > FEW_BYTES {
            (kept.others, kept.bytes) = (0, 0);
            for operand in operands(part) {
                match &operand {
                    Part::Leaf(leaf) => kept.operands.push(Arc::downgrade(leaf)),
                    _ => kept.others = kept.others.saturating_add(operand.bytes()),
                }
                kept.bytes = kept.bytes.saturating_add(operand.bytes());
            }
        }
        kept
    }

    fn forget(&self) -> Option<Part> {
        self.leaf.upgrade()?.forget()
    }
}

/// Bytes of operands that only formulas keep alive.
fn held_alone(kept: &VecDeque<Kept>) -> usize {
    let mut held: HashMap<*const Leaf, (usize, &Weak<Leaf>)> = HashMap::new();
    for leaf in kept.iter().flat_map(|kept| &kept.operands) {
        held.entry(leaf.as_ptr()).or_insert((0, leaf)).0 += 1;
    }
    let alone = held
        .values()
        .filter(|(count, leaf)| leaf.strong_count() <= *count);
    let bytes = alone
        .filter_map(|(_, leaf)| leaf.upgrade())
        .map(|leaf| leaf.bytes());
    let others = kept.iter().map(|kept| kept.others);
    bytes.chain(others).fold(0, usize::saturating_add)
}

/// Must be called before memory is allocated: forgets the oldest origins while formulas alone keep too many bytes alive.
pub fn trim() {
    if BYTES.load(Ordering::Relaxed) <= MOST_BYTES {
        return;
    }
    let mut dropped = Vec::new();
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.retain(|kept| kept.leaf.strong_count() > 0);
    while held_alone(&kept) > MOST_BYTES
        && let Some(oldest) = kept.pop_front()
    {
        dropped.extend(oldest.forget());
    }
    counted(&kept);
    drop(kept);
    drop(dropped);
}
