//! Fusion changes no bit: expressions of two and three steps in one kernel against the same steps
//! one by one, on special values. A compiler that takes floats for real numbers merges steps of one
//! kernel that it never sees together otherwise.
//!
//! All of two steps on f32 are run, a third of them where plain `cargo test` runs. Of the others some are drawn, of three
//! steps mostly such whose last step is a difference that may cancel; `ZEROSTRIDE_DRAWS=all` draws five times as many.
//! `ZEROSTRIDE_FUSION=all` runs all 141,969 of three steps on f32 too, which takes hours.
//! `ZEROSTRIDE_SEED` repeats a draw.

mod adapter;
mod programs;
mod rows;

use adapter::{Inputs, compare};
use programs::{Form, Program, all_of_three, all_of_two};
use zerostride::DType;

use crate::common::{Random, count, thinned};

/// Programs of three steps that are drawn for a type.
fn draws() -> usize {
    count(40, 200)
}

/// Whether the environment asks for every expression of three steps on f32.
fn every() -> bool {
    std::env::var("ZEROSTRIDE_FUSION").is_ok_and(|v| v == "all")
}

/// Some of these, each at most once, and few with remainders, which take by far the longest.
fn drawn(random: &mut Random, programs: Vec<Program>, count: usize) -> Vec<Program> {
    let (remainders, others): (Vec<_>, Vec<_>) =
        programs.into_iter().partition(|p| p.has(Form::Mod));
    let mut some = picked(random, others, count);
    some.extend(picked(random, remainders, count / 10));
    some
}

/// So many of these, each at most once.
fn picked(random: &mut Random, mut programs: Vec<Program>, count: usize) -> Vec<Program> {
    for i in 0..count.min(programs.len()) {
        let j = i + random.below(programs.len() - i);
        programs.swap(i, j);
    }
    programs.truncate(count);
    programs
}

/// Compares programs on special numbers of a type and fails with those that differ.
fn check(dtype: DType, programs: &[Program]) {
    check_on(&Inputs::special(dtype), &dtype.to_string(), programs);
}

fn check_on(inputs: &Inputs, what: &str, programs: &[Program]) {
    let differing = compare(inputs, programs);
    eprintln!(
        "{what}: {} expressions in one kernel and step by step",
        programs.len()
    );
    let shown: Vec<_> = differing.iter().take(24).cloned().collect();
    assert!(
        differing.is_empty(),
        "{} of {} differ:\n{}",
        differing.len(),
        programs.len(),
        shown.join("\n")
    );
}

#[test]
fn two_steps_of_f32_are_as_one_by_one() {
    let mut random = Random::new("two steps of f32");
    check(DType::F32, &thinned(&mut random, all_of_two()));
}

#[test]
fn three_steps_of_f32_are_as_one_by_one() {
    let mut all = all_of_three();
    if every() {
        // What takes the longest comes last.
        all.sort_by_key(|p| p.has(Form::Mod));
        return check(DType::F32, &all);
    }
    // A difference of two computed values, or of an operand and a value computed of it by two
    // steps, is where terms cancel.
    let (differences, others): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|p| p.last() == Form::Sub && p.is_even());
    let mut random = Random::new("three steps of f32");
    let mut programs = drawn(&mut random, differences, 3 * draws());
    programs.extend(drawn(&mut random, others, draws()));
    check(DType::F32, &programs);
}

#[test]
fn steps_of_halves_are_as_one_by_one() {
    let mut random = Random::new("steps of halves");
    for dtype in [DType::F16, DType::Bf16] {
        let mut programs = drawn(&mut random, all_of_two(), draws() / 2);
        programs.extend(drawn(&mut random, all_of_three(), draws()));
        check(dtype, &programs);
    }
}

#[test]
fn steps_on_converted_integers_are_as_one_by_one() {
    let mut random = Random::new("steps on converted integers");
    let conversions = [
        (DType::U32, DType::F32),
        (DType::I32, DType::F32),
        (DType::U64, DType::F32),
        (DType::I64, DType::F32),
        (DType::U64, DType::F64),
        (DType::I64, DType::F64),
        (DType::U32, DType::F16),
    ];
    // Other steps in a kernel bring barriers that these do without.
    let arithmetic = |p: &Program| p.0.iter().all(|(form, _)| form.is_arithmetic());
    let arithmetic: Vec<_> = all_of_two().into_iter().filter(arithmetic).collect();
    for (from, to) in conversions {
        let programs = drawn(&mut random, arithmetic.clone(), draws() / 2);
        let inputs = Inputs::integers(&mut random, from, to);
        check_on(&inputs, &format!("{from} as {to}"), &programs);
    }
}

#[test]
fn steps_of_doubles_are_as_one_by_one() {
    let mut random = Random::new("steps of doubles");
    let mut programs = drawn(&mut random, all_of_two(), draws() / 2);
    programs.extend(drawn(&mut random, all_of_three(), draws()));
    check(DType::F64, &programs);
}
