//! How a pass writes its output.

/// How a pass writes its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Store {
    /// Whole quads.
    Wide,
    /// Word by word; a word shared with foreign bytes is read, merged and written.
    Words {
        /// Elements by which quads are shifted so that they begin on a word.
        shift: u32,
    },
    /// Narrow elements into words that several invocations write parts of, which they change
    /// atomically.
    Shared {
        /// Whether the elements of a quad are neighbours in memory.
        quads: bool,
    },
}

impl Store {
    /// Whether it is shared.
    pub fn is_shared(self) -> bool {
        matches!(self, Self::Shared { .. })
    }

    /// Whether it stores a quad's elements to where their neighbours are words.
    pub fn shares_quads(self) -> bool {
        self == Self::Shared { quads: true }
    }

    /// Elements by which quads are shifted.
    pub fn shift(self) -> u32 {
        match self {
            Self::Wide | Self::Shared { .. } => 0,
            Self::Words { shift } => shift,
        }
    }
}
