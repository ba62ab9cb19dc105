//! 64-bit types: every op and every cast against the reference, bit for bit.

use zerostride::{Arity, DType, Expr, HostTensor, Op, Options, Plan, Slot, reference};

use crate::common::{Random, all, check, check_with, context, on_adapter};

const WIDE: [DType; 3] = [DType::U64, DType::I64, DType::F64];

/// Whole numbers of every size, with their neighbours, as the bits of a type.
fn bits(random: &mut Random, dtype: DType, len: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..len {
        let r = random.next();
        let shape = random.next() % 8;
        let around = (1u64 << (random.next() % 64))
            .wrapping_add(r % 3)
            .wrapping_sub(1);
        let x = match shape {
            0 => around,
            1 => around.wrapping_neg(),
            2 => r % 7,
            3 => (r % 7).wrapping_neg(),
            4 => r >> (random.next() % 64),
            _ => r,
        };
        // A double is a whole number, a fraction of one, or any bits but a subnormal's.
        let x = match (dtype, shape) {
            (DType::F64, 0..=3) => (x.cast_signed() as f64).to_bits(),
            (DType::F64, 4) => (x.cast_signed() as f64 / 1024.0).to_bits(),
            (DType::F64, 5) => ((x.cast_signed() as f32) as f64 * 1e-30).to_bits(),
            _ => x,
        };
        out.extend_from_slice(&x.to_le_bytes());
    }
    out
}

/// The ways 64-bit elements are computed: as pairs of words everywhere, and natively where the
/// adapter can.
fn paths() -> Vec<(&'static str, Options)> {
    let native = context().options();
    let pairs = native.with_limits(native.limits.with_int64(false).with_float64(false));
    let mut paths = vec![("pairs", pairs)];
    if native.limits.int64 {
        paths.push(("native", native));
    }
    paths
}

/// The ways that differ in an expression's kernels.
fn paths_of(expr: &Expr<usize>, inputs: &[HostTensor]) -> Vec<(&'static str, Options)> {
    let slots: Vec<Slot> = inputs
        .iter()
        .map(|h| Slot::new(h.dtype, h.layout.shape().extents()).unwrap())
        .collect();
    let mut paths = paths();
    let kernels =
        |(_, options): &(_, Options)| Plan::new(expr, &slots, options).map(|p| p.kernels());
    paths.dedup_by(|a, b| matches!((kernels(a), kernels(b)), (Ok(a), Ok(b)) if a == b));
    paths
}

/// ULP that f64 results may be off: the sum of what the adapter's and the reference's own functions
/// may.
fn bound(op: Op, dtype: DType) -> f64 {
    let exact = [
        "add",
        "sub",
        "mul",
        "div",
        "sqrt",
        "mod",
        "fmod",
        "prelu",
        "floor",
        "ceil",
        "round",
        "trunc",
        "round_away",
    ];
    let moves = [
        "reciprocal",
        "leaky_relu",
        "thresholded_relu",
        "add_n",
        "mean_n",
    ];
    let rounds = op.needs_f64(dtype) && !exact.contains(&op.name()) && !moves.contains(&op.name());
    if rounds { 8.0 } else { 0.0 }
}

fn host(random: &mut Random, dtype: DType, len: usize) -> HostTensor {
    let bytes = if WIDE.contains(&dtype) {
        bits(random, dtype, len)
    } else {
        random.bytes(dtype, len, true)
    };
    HostTensor::new(dtype, [len], bytes).unwrap()
}

#[test]
fn every_op_on_64_bits_is_exact() {
    let mut random = Random::new("64-bit ops");
    let mut reports = Vec::new();
    for op in Op::table().filter(|o| !o.takes_dtype()) {
        let count = if op.arity() == Arity::Variadic {
            3
        } else {
            op.operands().len()
        };
        let step = op.fold_step().unwrap_or(op);
        for dtype in WIDE.into_iter().filter(|d| op.accepts().contains(*d)) {
            let operand = |i: usize| {
                if i == 0 && op.is_select() {
                    DType::Bool
                } else {
                    dtype
                }
            };
            let inputs: Vec<_> = (0..count)
                .map(|i| host(&mut random, operand(i), 1003))
                .collect();
            let expr = Expr::step(op, (0..count).map(Expr::slot).collect::<Vec<_>>());
            for (path, options) in paths_of(&expr, &inputs) {
                // Where no shader has doubles, functions by integers take SwiftShader ten seconds each to compile.
                let long = step.needs_f64(dtype) && !context().limits().float64;
                if long && random.below(6) > 0 {
                    continue;
                }
                let what = format!("{op} {dtype} ({path})");
                let most = bound(step, dtype);
                reports.push(check_with(&what, &expr, &inputs, most, &options));
            }
        }
    }
    assert!(reports.len() > 50, "only {} combinations", reports.len());
    all(reports);
}

#[test]
fn one_and_what_has_no_power_are_one_beside_signalling_nans() {
    let signalling = [0x7ff0_0000_0000_0001u64, 0xfff1_dfe4_fd60_1409];
    let one = 1f64.to_bits();
    let of = |bits: [u64; 4]| {
        let bytes = bits.iter().flat_map(|b| b.to_le_bytes()).collect();
        HostTensor::new(DType::F64, [4], bytes).unwrap()
    };
    let x = of([signalling[0], signalling[1], one, one]);
    let y = of([0, (-0f64).to_bits(), signalling[0], signalling[1]]);
    let power = Expr::step(Op::POW, [Expr::slot(0), Expr::slot(1)]);
    let inputs = [x, y];
    assert_eq!(
        reference::run(&power, &inputs).unwrap().bytes,
        of([one; 4]).bytes
    );
    let found = paths_of(&power, &inputs)
        .into_iter()
        .map(|(path, options)| {
            check_with(&format!("pow ({path})"), &power, &inputs, 0.0, &options)
        });
    all(found.collect::<Vec<_>>());
}

#[test]
fn every_cast_with_64_bits_is_exact() {
    let mut random = Random::new("64-bit casts");
    let mut reports = Vec::new();
    for from in DType::ALL {
        for to in DType::ALL {
            if WIDE.contains(&from) || WIDE.contains(&to) {
                let input = host(&mut random, from, 1003);
                let inputs = std::slice::from_ref(&input);
                for (path, options) in paths_of(&Expr::slot(0).cast(to), inputs) {
                    let what = format!("{from} to {to} ({path})");
                    reports.push(check_with(
                        &what,
                        &Expr::slot(0).cast(to),
                        inputs,
                        0.0,
                        &options,
                    ));
                }
            }
        }
    }
    all(reports);
}

#[test]
fn views_and_broadcasts_of_64_bits_keep_their_bits() {
    let mut random = Random::new("64-bit views");
    let mut reports = Vec::new();
    for dtype in WIDE {
        for (a, b) in [
            (vec![4, 8], vec![8]),
            (vec![5, 7], vec![7]),
            (vec![5, 7], vec![5, 1]),
            (vec![3, 1, 5], vec![4, 1]),
            (vec![9], vec![]),
        ] {
            let make = |random: &mut Random, shape: &[usize]| {
                let len = shape.iter().product();
                let bytes = bits(random, dtype, len);
                HostTensor::new(dtype, shape, bytes).unwrap()
            };
            let inputs = [make(&mut random, &a), make(&mut random, &b)];
            let expr = Expr::slot(0)
                .less(Expr::slot(1))
                .where_(Expr::slot(1), Expr::slot(0))
                .transpose();
            reports.push(check(&format!("{dtype} {a:?} {b:?}"), &expr, &inputs, 0.0));
        }
    }
    all(reports);
}

#[test]
fn bits_are_cast_between_types_of_one_size() {
    let mut random = Random::new("bit casts");
    let mut reports = Vec::new();
    for from in DType::ALL {
        for to in DType::ALL.into_iter().filter(|to| to.size() == from.size()) {
            let input = host(&mut random, from, 1003);
            let cast = Expr::slot(0).bit_cast(to);
            let found = on_adapter(&cast, std::slice::from_ref(&input)).unwrap();
            reports.push(match found.bytes == input.bytes {
                true => Ok(()),
                false => Err(format!("{from} to {to} changes bits")),
            });
            // A step behind it sees the other type.
            if to != DType::Bool {
                let whole = cast.equal(&cast).where_(&cast, Expr::literal(0));
                reports.push(check(&format!("{from} as {to}"), &whole, &[input], 0.0));
            }
        }
    }
    all(reports);
}

#[test]
fn the_plan_says_which_path_it_takes() {
    let slots = [Slot::new(DType::I64, [4]).unwrap(); 1];
    for (path, options) in paths() {
        let plan = Plan::new(&Expr::slot(0).mul(Expr::slot(0)), &slots, &options)
            .unwrap()
            .to_string();
        let wanted = if path == "native" {
            "64-bit elements as the adapter's own"
        } else {
            "64-bit elements as pairs"
        };
        assert!(plan.contains(wanted), "{plan}");
    }
    let slots = [Slot::new(DType::F64, [4]).unwrap(); 1];
    for (_, options) in paths() {
        let plan = Plan::new(&Expr::slot(0).mul(Expr::slot(0)), &slots, &options).unwrap();
        assert_eq!(
            plan.to_string().contains("f64 computed by integers"),
            !options.limits.float64
        );
    }
}
