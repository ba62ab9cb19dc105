//! Expressions that differ in numbers and tensors alone, computed by plans that are kept: the bits of plans of their own.

use zerostride::{DType, Expr, HostTensor, Plan, Rule, Slot, Tensor, text};

use crate::common::{Random, all, context, count};

/// Expressions; each `#` is a number.
const TEXTS: [&str; 24] = [
    "x * # + #",
    "x - # * y",
    "where(x > #, x, #)",
    "x ** #",
    "# ** x",
    "clip(x, #, #)",
    "x % #",
    "x // #",
    "round(x * #, 1)",
    "(x + #) * (# + #)",
    "(x + #) * (x + #)",
    "log(abs(x) + #)",
    "hypot(x, #) - #",
    "concatenate((x, full((2, 5), #))) * y",
    "pad(x, 1, constant_values=#)",
    "roll(x + #, 3)",
    "arange(5) * # + x",
    "full_like(x, #) + x",
    "(x * #).sum(axis=1) - #",
    "x.max() * # + x.min()",
    "cumsum(x * #, 0)",
    "(x == #) | (y != #)",
    "array([#, 1, #, 2, 3]) + x",
    "maximum(x, #).mean(0)",
];

/// A number as it is written, small ones mostly.
fn number(random: &mut Random) -> String {
    match random.below(8) {
        0 => ["True", "False"][random.below(2)].into(),
        1 => ["inf", "nan", "(-0.0)", "0.0", "1e-40", "1e30"][random.below(6)].into(),
        2..5 => format!("({})", random.below(7) as isize - 2),
        5 => ["300", "70000", "(-129)", "2147483648"][random.below(4)].into(),
        _ => format!("({}.{})", random.below(9) as isize - 4, random.below(100)),
    }
}

/// What a text gives by a plan that is kept, or why not.
fn kept(text: &str, tensors: &[Tensor; 2]) -> Result<Vec<u8>, String> {
    let given = [("x", &tensors[0]), ("y", &tensors[1])];
    let found = context()
        .eval_text(text, given)
        .map_err(|e| e.to_string())?;
    found.read_bytes_blocking().map_err(|e| e.to_string())
}

/// The same by a plan of its own, with the numbers that are written.
fn own(text: &str, tensors: &[Tensor; 2]) -> Result<Vec<u8>, String> {
    let known = |i: usize| (tensors[i].dtype(), tensors[i].shape().clone());
    let run = || -> zerostride::Result<Vec<u8>> {
        let parsed = text::parse(text)?;
        let expr: Expr<usize> = parsed.bind_to(&["x", "y"], known, &Rule::Numpy)?;
        let slots: Vec<Slot> = tensors.iter().map(Tensor::slot).collect();
        let plan = Plan::new(&expr, &slots, &context().options())?;
        let found = context().run(&plan, &tensors.each_ref())?.remove(0);
        found.read_bytes_blocking()
    };
    run().map_err(|e| e.to_string())
}

#[test]
fn kept_plans_have_the_bits_of_plans_of_their_own() {
    let mut random = Random::new("kept plans");
    let mut reports = Vec::new();
    let mut computed = 0;
    for dtype in [DType::F32, DType::I32, DType::U8, DType::F16] {
        let host = |random: &mut Random| random.host(dtype, &[3, 5], false);
        let tensors: [[Tensor; 2]; 3] = std::array::from_fn(|_| {
            [host(&mut random), host(&mut random)]
                .map(|x: HostTensor| context().tensor_from_host(&x).unwrap())
        });
        for template in TEXTS {
            for _ in 0..count(6, 30) {
                let mut written = template.to_owned();
                while written.contains('#') {
                    // One that stands twice is one.
                    let x = number(&mut random);
                    let times = 1 + random.below(2);
                    written = written.replacen('#', &x, times);
                }
                let both = &tensors[random.below(3)];
                let (found, expected) = (kept(&written, both), own(&written, both));
                computed += usize::from(expected.is_ok());
                let same = match (&found, &expected) {
                    (Ok(a), Ok(b)) => a == b,
                    (Err(a), Err(b)) => a == b,
                    _ => false,
                };
                let differs = || format!("{written} of {dtype}: {found:?}, not {expected:?}");
                reports.push(same.then_some(()).ok_or_else(differs));
            }
        }
    }
    assert!(
        computed * 2 > reports.len(),
        "{computed} of {}",
        reports.len()
    );
    all(reports);
}

/// Threads that compute alike expressions share plans, and none sees the numbers of another.
#[test]
fn threads_share_kept_plans_and_keep_their_numbers() {
    let x = context().tensor(&[1.0f32, 2.0, 3.0, 4.0], [4]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let x = &x;
            scope.spawn(move || {
                for round in 0..50 {
                    let [a, b] = [thread as f32 * 100.0, round as f32];
                    let found = (x * a + b).eval().unwrap().read_blocking::<f32>().unwrap();
                    assert_eq!(found, [1.0, 2.0, 3.0, 4.0].map(|x: f32| x * a + b));
                }
            });
        }
    });
}
