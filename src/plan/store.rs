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
}

impl Store {
    /// Elements by which quads are shifted.
    pub fn shift(self) -> u32 {
        match self {
            Self::Wide => 0,
            Self::Words { shift } => shift,
        }
    }
}
