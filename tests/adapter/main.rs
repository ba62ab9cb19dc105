//! Tier 3: an adapter against the reference.

mod common;
mod mapping;
mod ops;
mod smoke;
mod wrap;
