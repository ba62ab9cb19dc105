//! What compilers make of float arithmetic that naga says nothing of.

/// What a compiler makes of arithmetic on a type of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Merges {
    /// It takes floats for real numbers: it cancels terms and changes the order of sums.
    pub reassociates: bool,
    /// It leaves a product unrounded that is added.
    pub contracts: bool,
}

impl Merges {
    /// What is to be feared of a compiler that nothing is known of.
    pub const UNKNOWN: Self = Self {
        reassociates: true,
        contracts: true,
    };

    /// Nothing.
    pub const NONE: Self = Self {
        reassociates: false,
        contracts: false,
    };

    pub const fn any(self) -> bool {
        self.reassociates || self.contracts
    }

    /// Whether this much is to be feared where that is.
    pub fn fits(self, adapter: Self) -> bool {
        (self.reassociates || !adapter.reassociates) && (self.contracts || !adapter.contracts)
    }
}
