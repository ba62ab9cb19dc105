//! Doubles by integers, as adapters without 64-bit floats compute them: the bits of those that the adapter's own make, and
//! the reference's for what is rounded once.

use zerostride::inspect::FloatFact;
use zerostride::{DType, Expr, HostTensor, Op, Options, text};

use crate::common::{Random, all, check_with, context, elements, on_context, thinned, ulps};

/// Zeros, ends of the subnormal and of the normal numbers, whole numbers and their neighbours, infinities and NaNs: 64.
fn special() -> Vec<u64> {
    let magnitudes = [
        0.0,
        5e-324,
        1e-323,
        f64::from_bits(0x000f_ffff_ffff_ffff),
        f64::MIN_POSITIVE,
        f64::from_bits(0x0010_0000_0000_0001),
        1e-300,
        1e-160,
        f64::EPSILON / 4.0,
        f64::EPSILON / 2.0,
        f64::EPSILON,
        1e-5,
        0.1,
        0.5 - f64::EPSILON / 4.0,
        0.5,
        1.0 - f64::EPSILON / 2.0,
        1.0,
        1.0 + f64::EPSILON,
        1.5,
        2.0,
        std::f64::consts::PI,
        10.0,
        709.75,
        745.25,
        4_503_599_627_370_495.5,
        9_007_199_254_740_991.0,
        9_007_199_254_740_994.0,
        1e22,
        f64::MAX / 2.0,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    let signed = magnitudes
        .iter()
        .flat_map(|x| [x.to_bits(), (-x).to_bits()]);
    signed.collect()
}

/// A number of any exponent, near 1, whole, or near another.
fn number(random: &mut Random, near: u64) -> u64 {
    let bits = random.next();
    let (sign, fraction) = (bits & (1 << 63), bits & ((1 << 52) - 1));
    let exponent = |first: u64, count: u64| sign | fraction | (first + bits % count) << 52;
    match random.below(7) {
        0 => bits,
        1 => exponent(1015, 16),
        2 => exponent(960, 130),
        3 => exponent(0, 60),
        4 => (bits.cast_signed() as f64 / 1024.0).trunc().to_bits(),
        5 => near.wrapping_add(random.next() % 9).wrapping_sub(4) ^ sign,
        _ => (near & !(0x7ff << 52)) | ((near >> 52 & 0x7ff) + bits % 120).min(2046) << 52,
    }
}

/// Operands of every pair of special numbers, then drawn ones.
fn operands(random: &mut Random, count: usize, drawn: usize) -> Vec<HostTensor> {
    let special = special();
    let mut columns = vec![Vec::new(); count];
    for &x in &special {
        for &y in &special {
            for (k, column) in columns.iter_mut().enumerate() {
                column.push([x, y, x ^ (1 << 63)][k % 3]);
            }
        }
    }
    for _ in 0..drawn {
        let mut near = random.next();
        for column in &mut columns {
            near = number(random, near);
            column.push(near);
        }
    }
    let host = |bits: Vec<u64>| {
        let bytes = bits.iter().flat_map(|x| x.to_le_bytes()).collect();
        HostTensor::new(DType::F64, [bits.len()], bytes).unwrap()
    };
    columns.into_iter().map(host).collect()
}

/// The ways by integers that differ: with 64-bit integers in shaders, and without.
fn by_integers() -> Vec<(&'static str, Options)> {
    let native = context().options();
    let words = native.with_limits(native.limits.with_int64(false).with_float64(false));
    let mut ways = vec![("by words", words)];
    if native.limits.int64 {
        let integers = native.with_limits(native.limits.with_float64(false));
        ways.push(("by integers", integers));
    }
    ways
}

/// Where two runs differ by more than these units in the last place; two NaNs are alike.
fn differing(found: &HostTensor, wanted: &HostTensor, most: f64) -> Option<(usize, u64, u64)> {
    let both = elements(found).into_iter().zip(elements(wanted));
    let mut both = both.enumerate().map(|(i, (a, b))| (i, a, b));
    both.find(|(_, a, b)| ulps(wanted.dtype, *a, *b) > most)
}

/// Fails where an expression by integers differs from the adapter's doubles; where it has none nothing is compared. A compiler
/// that takes floats for real numbers may move the last bits of functions.
fn same(
    what: &str,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    function: bool,
) -> Result<(), String> {
    let native = context().options();
    let rewrites = !native.limits.arithmetic.has(FloatFact::Doubles);
    let most = if function && rewrites { 4.0 } else { 0.0 };
    if !native.limits.float64 {
        return Ok(());
    }
    let run = |options: &Options| {
        on_context(&context(), expr, inputs, options).map_err(|e| format!("{what}: {e}"))
    };
    let wanted = run(&native)?;
    for (way, options) in by_integers() {
        let found = run(&options)?;
        if let Some((i, a, b)) = differing(&found, &wanted, most) {
            let at: Vec<String> = inputs
                .iter()
                .map(|x| {
                    elements(x)
                        .get(i)
                        .map_or(String::new(), |x| format!("{x:#018x}"))
                })
                .collect();
            return Err(format!(
                "{what} {way}, element {i} of {at:?}: {a:#018x}, not {b:#018x}"
            ));
        }
    }
    Ok(())
}

/// Points of each function, in rounds of at most a million: some thousands, or as many as `ZEROSTRIDE_POINTS` says.
fn rounds(few: usize, times: usize) -> impl Iterator<Item = usize> {
    const MOST: usize = 1_000_000;
    let points = std::env::var("ZEROSTRIDE_POINTS").map_or(few, |points| {
        let points: usize = points.parse().expect("ZEROSTRIDE_POINTS is a number");
        points * times
    });
    (0..points.div_ceil(MOST)).map(move |round| (points - round * MOST).min(MOST))
}

/// Operators on f64 that are a step each, with functions or without.
fn steps(functions: bool) -> Vec<Op> {
    let is_step = |op: &Op| op.accepts().contains(DType::F64) && op.fold_step().is_none();
    let steps = Op::table().filter(|op| is_step(op) && !op.takes_dtype() && !op.is_select());
    steps
        .filter(|op| op.needs_f64(DType::F64) == functions)
        .collect()
}

#[test]
fn every_function_is_as_by_the_adapter_s_doubles() {
    let mut random = Random::new("doubles by integers");
    let mut reports = Vec::new();
    for op in thinned(&mut random, steps(true)) {
        let count = match op.operands().len() {
            1 => 1,
            more => more.max(2),
        };
        let expr = Expr::step(op, (0..count).map(Expr::slot).collect::<Vec<_>>());
        for points in rounds(20_000, 1) {
            let inputs = operands(&mut random, count, points);
            reports.push(same(op.name(), &expr, &inputs, true));
        }
    }
    all(reports);
}

#[test]
fn what_is_rounded_once_has_the_reference_s_bits() {
    let mut random = Random::new("doubles rounded once");
    let [x, y] = [0, 1].map(Expr::slot);
    let mut exprs: Vec<(&str, Expr<usize>)> = steps(false)
        .into_iter()
        .map(|op| {
            let operands = [x.clone(), y.clone(), x.clone()];
            let count = op.operands().len().clamp(1, 3);
            (op.name(), Expr::step(op, &operands[..count]))
        })
        .collect();
    // No step is merged with another.
    exprs.push(("x * y + x", &(&x * &y) + &x));
    exprs.push(("x - x", &(&x + &y) - &(&y + &x)));
    let mut reports = Vec::new();
    for (what, expr) in exprs {
        for points in rounds(20_000, 1) {
            let inputs = operands(&mut random, 2, points);
            for (way, options) in by_integers() {
                let what = format!("{what} {way}");
                reports.push(check_with(&what, &expr, &inputs, 0.0, &options));
            }
        }
    }
    all(reports);
}

#[test]
fn casts_from_and_to_every_type_have_the_reference_s_bits() {
    let mut random = Random::new("casts of doubles");
    let mut reports = Vec::new();
    for dtype in DType::ALL {
        for points in rounds(20_000, 10) {
            let doubles = operands(&mut random, 1, points);
            let others: Vec<u8> = (0..points)
                .flat_map(|_| {
                    // Integers of every length, floats of every exponent.
                    let (bits, unused) = (random.next(), random.below(64) as u32);
                    let bits = if dtype.is_float() {
                        bits
                    } else {
                        bits >> unused
                    };
                    let bits = if dtype == DType::Bool { bits & 1 } else { bits };
                    bits.to_le_bytes()[..dtype.size()].to_vec()
                })
                .collect();
            let others = [HostTensor::new(dtype, [points], others).unwrap()];
            for (way, options) in by_integers() {
                let [to, from] = [dtype, DType::F64].map(|to| Expr::slot(0).cast(to));
                let what = format!("f64 as {dtype} {way}");
                reports.push(check_with(&what, &to, &doubles, 0.0, &options));
                let what = format!("{dtype} as f64 {way}");
                reports.push(check_with(&what, &from, &others, 0.0, &options));
            }
        }
    }
    all(reports);
}

#[test]
fn folds_scans_and_products_have_the_bits_of_the_adapter_s_doubles() {
    let mut random = Random::new("folds of doubles by integers");
    let texts = [
        "x.sum(0)",
        "x.sum(1)",
        "x.sum()",
        "x.prod(1)",
        "x.max(0)",
        "x.argmin(1)",
        "x.mean(0)",
        "(x * y).std(1)",
        "x.var(0, correction=1)",
        "x.cumsum(1)",
        "x.cumsum(0)",
        "x @ y.T",
        "(x @ y.T + 1).tanh()",
        "exp(x) / sum(exp(x), 1, keepdims=True)",
        "tanh(x).mean(0) * y",
        "sort(x, 1)",
        "x[::-1, 1:] * 0.1 + y[0, 1:]",
        "where(x > y, x, y).astype(f32).astype(f64) + u",
        "norm(x)",
    ];
    let mut reports = Vec::new();
    for text in thinned(&mut random, texts) {
        let value = |random: &mut Random| (random.next().cast_signed() as f64 / 2e18).to_bits();
        let mut matrix = |extents: [usize; 2]| {
            let bytes = (0..extents[0] * extents[1])
                .flat_map(|_| value(&mut random).to_le_bytes())
                .collect();
            HostTensor::new(DType::F64, extents, bytes).unwrap()
        };
        let inputs = [[37, 130], [37, 130], [1, 1]].map(&mut matrix);
        let names = ["x", "y", "u"];
        let known = |i: usize| (inputs[i].dtype, inputs[i].layout.shape().clone());
        let parsed = text::parse(text).unwrap();
        let used: Vec<&str> = names.into_iter().collect();
        let expr = parsed
            .bind_to(&used, known, &zerostride::Rule::Numpy)
            .unwrap_or_else(|e| panic!("{text}: {e}"));
        reports.push(same(text, &expr, &inputs, false));
    }
    all(reports);
}
