//! Of which elements words were computed. A [`Source`] is a set of elements, or one for each byte of
//! a word: narrow elements share words, and are told apart by shifts and masks.

use std::collections::HashMap;

/// A set of elements; 0 is the empty one.
pub type Source = u32;

#[derive(Clone, Copy)]
enum Node {
    Union([Source; 2]),
    /// A set for each byte of a word.
    Bytes([Source; 4]),
}

/// All sets that were made. Those of one element have the first numbers.
pub(crate) struct Sources {
    single: u32,
    /// The others.
    nodes: Vec<Node>,
    /// Of each of those, the last search that met it, and how many there were.
    met: Vec<u32>,
    searches: u32,
    /// What was shifted, by how many bits, where bytes are cut.
    shifts: HashMap<Source, (Source, i32)>,
}

impl Sources {
    /// Sets of so many elements, each of which is one by its number, counted from 1.
    pub fn new(single: u32) -> Self {
        Self {
            single,
            nodes: Vec::new(),
            met: Vec::new(),
            searches: 0,
            shifts: HashMap::new(),
        }
    }

    fn node(&self, set: Source) -> Option<Node> {
        let made = set.checked_sub(self.single + 1)?;
        Some(self.nodes[made as usize])
    }

    fn made(&mut self, node: Node) -> Source {
        self.nodes.push(node);
        self.single + self.nodes.len() as u32
    }

    /// The sets of a word's bytes.
    pub fn bytes(&self, set: Source) -> [Source; 4] {
        match self.node(set) {
            Some(Node::Bytes(bytes)) => bytes,
            _ => [set; 4],
        }
    }

    /// A word with these sets.
    pub fn of_bytes(&mut self, bytes: [Source; 4]) -> Source {
        match bytes.iter().all(|&b| b == bytes[0]) {
            true => bytes[0],
            false => self.made(Node::Bytes(bytes)),
        }
    }

    /// The set of a word whose every byte depends on every byte.
    pub fn whole(&mut self, set: Source) -> Source {
        match self.node(set) {
            Some(Node::Bytes([a, b, c, d])) => {
                let (low, high) = (self.union(a, b), self.union(c, d));
                self.union(low, high)
            }
            _ => set,
        }
    }

    /// The elements of two sets, byte by byte.
    pub fn union(&mut self, a: Source, b: Source) -> Source {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        match (self.node(a), self.node(b)) {
            (Some(Node::Bytes(_)), _) | (_, Some(Node::Bytes(_))) => {
                let (a, b) = (self.bytes(a), self.bytes(b));
                let bytes = [0, 1, 2, 3].map(|k| self.union(a[k], b[k]));
                self.of_bytes(bytes)
            }
            (Some(Node::Union(parts)), _) if parts.contains(&b) => a,
            (_, Some(Node::Union(parts))) if parts.contains(&a) => b,
            _ => self.made(Node::Union([a, b])),
        }
    }

    /// What is left of a word where a mask has bits.
    pub fn masked(&mut self, set: Source, mask: u64) -> Source {
        if set == 0 || mask & 0xffff_ffff == 0xffff_ffff {
            return set;
        }
        let bytes = self.bytes(set);
        let kept = |k: usize| {
            if mask >> (8 * k) & 0xff == 0 {
                0
            } else {
                bytes[k]
            }
        };
        self.of_bytes([0, 1, 2, 3].map(kept))
    }

    /// A word of 32 bits that is shifted to the left by so many of them, to the right if they are
    /// negative. Two shifts in one direction are one.
    pub fn shifted(&mut self, set: Source, by: i32) -> Source {
        if set == 0 || by == 0 {
            return set;
        }
        let (set, by) = match self.shifts.get(&set) {
            Some(&(before, first)) if first.signum() == by.signum() => (before, first + by),
            _ => (set, by),
        };
        let bytes = self.bytes(set);
        let (low, part) = (by.div_euclid(8), by.rem_euclid(8) != 0);
        let at = |k: i32| {
            let byte = usize::try_from(k).ok().and_then(|k| bytes.get(k));
            byte.copied().unwrap_or(0)
        };
        let mut moved = [0, 1, 2, 3].map(|k| at(k - low));
        if !part {
            return self.of_bytes(moved);
        }
        for (byte, k) in moved.iter_mut().zip(0..) {
            *byte = self.union(*byte, at(k - low - 1));
        }
        let made = self.made(Node::Bytes(moved));
        self.shifts.insert(made, (set, by));
        made
    }

    /// Two words put together. One whose low bytes are empty begins where the other ends: computed
    /// values do not fill the words in which they are put beside others.
    pub fn packed(&mut self, a: Source, b: Source) -> Source {
        let words = [self.bytes(a), self.bytes(b)];
        let begins = words.map(|bytes| {
            let first = bytes.iter().position(|&byte| byte != 0).unwrap_or(0);
            if bytes[first..].contains(&0) {
                0
            } else {
                first
            }
        });
        let [low, high] = if begins[0] > begins[1] {
            [1, 0]
        } else {
            [0, 1]
        };
        match begins[high] {
            0 => self.union(a, b),
            first => {
                self.of_bytes([0, 1, 2, 3].map(|k| words[if k < first { low } else { high }][k]))
            }
        }
    }

    /// Their elements, in order.
    pub fn elements(&mut self, sets: &[Source]) -> Vec<u32> {
        self.searches += 1;
        self.met.resize(self.nodes.len(), 0);
        let (mut open, mut found) = (sets.to_vec(), Vec::new());
        while let Some(set) = open.pop() {
            let Some(made) = set.checked_sub(self.single + 1) else {
                found.extend((set > 0).then_some(set));
                continue;
            };
            let met = std::mem::replace(&mut self.met[made as usize], self.searches);
            if met == self.searches {
                continue;
            }
            match self.nodes[made as usize] {
                Node::Union(parts) => open.extend(parts),
                Node::Bytes(parts) => open.extend(parts),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
