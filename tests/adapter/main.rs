//! Tier 3: an adapter against the reference.

mod common;
mod smoke;
