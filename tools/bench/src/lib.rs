//! The workloads: expressions with their operands, and the kernels by hand that compute the same. The benchmark times
//! them; `zerostride-compilers` and `zerostride-traffic` look at their kernels without a GPU.

pub mod broadcasts;
pub mod catalog;
pub mod gpu;
pub mod operand;
pub mod parallel;
pub mod workload;
