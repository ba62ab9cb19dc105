//! Kernels as compilers understand them that take floats for real numbers: what changes bits beyond what is promised lacks a
//! barrier. The probe is rewritten too, so that the kernels are those that a context makes which has found such a compiler.

use crate::common::{COMPILERS, DRAWS, HOSTILE, few, own_context, run_under, thorough};

/// Tests of promises about floats that compilers may break: values of functions and reductions, steps in one kernel.
const ALL: [&str; 11] = [
    "cases::",
    "sweeps::",
    "fusion::",
    "reductions::",
    "scans::",
    "quotients::",
    "floats::",
    "gradients::",
    "halves::",
    "ops::",
    "epilogue::",
];

/// What a change runs of them, with the compiler that does the most.
const SOME: [&str; 9] = [
    "cases::cases_pass_on_the_adapter",
    "sweeps::functions_of_f32",
    "sweeps::power::",
    "ops::every_operator",
    "fusion::two_steps_of_f32",
    "fusion::steps_of_halves",
    "fusion::steps_of_doubles",
    "fusion::steps_on_converted",
    "epilogue::random",
];

#[test]
fn promises_hold_where_a_compiler_takes_floats_for_real_numbers() {
    // What is rounded once is computed in doubles.
    if !own_context().limits().float64 {
        return;
    }
    if !thorough() {
        let (some, least) = if few() {
            (&SOME[5..6], 1)
        } else {
            (&SOME[..], 10)
        };
        return run_under(&[[HOSTILE, COMPILERS[0].0]], some, least);
    }
    // A third of the cases, drawn anew each night: each compiler compiles all kernels anew.
    for (compiler, _) in COMPILERS {
        run_under(&[[HOSTILE, compiler], [DRAWS, "few"]], &ALL, 40);
    }
}
