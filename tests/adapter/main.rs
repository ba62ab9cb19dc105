//! Tier 3: an adapter against the reference.

mod aliases;
mod callbacks;
mod cases;
mod columns;
mod common;
#[path = "../conformance/mod.rs"]
mod conformance;
mod custom;
mod cut;
mod device;
mod doubles;
mod epilogue;
mod faults;
mod filled;
mod floats;
mod fused;
mod fusion;
mod gradients;
mod grids;
mod grouped;
mod guards;
mod halves;
mod hostile;
mod in_place;
mod joined;
mod kept;
mod kernel_cache;
mod mapping;
#[cfg(target_os = "linux")]
mod memory;
mod moved;
#[path = "../conformance/habits.rs"]
mod numpy_habits;
mod operands;
mod operators;
mod ops;
mod order;
mod pairs;
mod partition;
mod parts;
mod portable;
mod product;
mod product_batches;
mod quotients;
mod ranks;
mod reads;
mod reductions;
mod rules;
mod scans;
mod schedules;
mod searched;
mod shared;
mod smoke;
mod sorted;
mod staged;
#[cfg(feature = "files")]
mod stream;
#[cfg(feature = "files")]
mod stream_folds;
#[path = "../conformance/suite.rs"]
mod suite;
mod sweeps;
mod take;
mod tall;
mod texts;
mod threads;
#[cfg(feature = "translate")]
mod translate;
mod turns;
mod wide;
mod window;
mod windows;
mod wrap;
