//! What computed arrays were made of, for gradients: reading an array does not end them. It is forgotten of the oldest, and
//! where it would keep much memory that nobody else holds.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use zerostride::Tensor;

use crate::part::{Ancestors, Forgotten, Graph, Leaf, Origin, Part};

/// Of so many computed arrays it is known what they were made of, and of up to twice as many.
const MOST: usize = 128;
/// So many bytes of operands are kept that nobody else holds.
const MOST_BYTES: usize = 64 << 20;
/// A formula on fewer bytes may keep all of them.
const FEW_BYTES: usize = MOST_BYTES / (2 * MOST);
/// A formula of more nodes is not kept.
pub const MOST_NODES: usize = 1024;
/// Of so many arrays it is known that one was made of them.
const MOST_ANCESTORS: usize = 256;

impl Leaf {
    /// Forgets what it was made of, but for its ancestors. What was kept is returned, to be dropped where no lock is held.
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

    /// The number of the step that it was made by, if there was one, and which result of that it is.
    pub fn step(&self) -> Option<(u64, usize)> {
        match self.origin() {
            Origin::Made(Part::Step(step, which)) => Some((step.number, which)),
            Origin::Forgotten(forgotten) => forgotten.step,
            Origin::Made(_) | Origin::None => None,
        }
    }

    /// The number of its step if it was made by one, else its own: what is older has nothing of it.
    pub fn since(&self) -> u64 {
        self.step().map_or(self.number, |(number, _)| number)
    }

    /// Whether what it was made of, which is forgotten, may have been another array.
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

/// The operands of a formula that are no steps, each as often as it stands there.
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

/// The arrays of a formula, each as often as it stands there.
pub fn leaves(part: &Part) -> Vec<Arc<Leaf>> {
    let leaf = |part| match part {
        Part::Leaf(leaf) => Some(leaf),
        _ => None,
    };
    operands(part).into_iter().filter_map(leaf).collect()
}

/// A computed array of which it is known what it was made of.
struct Kept {
    leaf: Weak<Leaf>,
    /// Its operands, each as often as it stands in the formula, unless they are of few bytes.
    operands: Vec<Weak<Leaf>>,
    /// Bytes of what is not among them: who else holds that is not known.
    others: usize,
    /// Bytes of all.
    bytes: usize,
}

static KEPT: Mutex<VecDeque<Kept>> = Mutex::new(VecDeque::new());
/// Bytes of them.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// The elements of an array that was computed of a part, which is kept for gradients if it is not long.
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

/// Bytes that are held by formulas alone.
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

/// To be called before memory is asked for: forgets the oldest while more is kept by formulas alone than may be.
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
