//! What compilers do with floats.

/// What a compiler does with floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    /// It groups, cancels and distributes; without it each sum keeps its place.
    pub reassociates: bool,
    /// A value by itself is 1, and a quotient by a number beyond 2^126 is 0.
    pub changes_quotients: bool,
    /// `fma` is a product and a sum like any other.
    pub takes_fma_apart: bool,
}

/// All that is known of compilers.
pub const REAL_NUMBERS: Ways = Ways {
    reassociates: true,
    changes_quotients: true,
    takes_fma_apart: true,
};

/// A compiler that regroups sums and products, and takes an `fma` as it is.
pub const KEEPS_FMA: Ways = Ways {
    reassociates: true,
    changes_quotients: false,
    takes_fma_apart: false,
};

/// A compiler that rounds a product and a sum of it once, and keeps the order of sums.
pub const CONTRACTS: Ways = Ways {
    reassociates: false,
    changes_quotients: false,
    takes_fma_apart: false,
};
