//! Tier 3: an adapter against the reference.

mod common;
mod cut;
mod device;
mod faults;
mod guards;
mod in_place;
mod mapping;
mod ops;
mod portable;
mod product;
mod reads;
mod rules;
mod smoke;
mod wide;
mod wrap;
