//! Operators and functions of numbers alone are Python's and NumPy's on f64, under every name.

use super::*;
use crate::expr::Promotion;
use crate::text::{functions, hints};

/// Functions whose second operand is an element type.
const TYPED: &[&str] = &["astype", "bit_cast", "cast"];

/// Every function of numbers with the operands it takes: floats if it takes them, else whole
/// numbers.
fn calls(numbers: [&str; 3]) -> Vec<(&'static str, Vec<String>)> {
    let no_views =
        hints::callable().filter(|name| functions::named(name).is_none() && !TYPED.contains(name));
    let count = |name: &str| match names::function(name) {
        Some(op) if op.fold_step().is_some() => 3,
        Some(op) => op.operands().len(),
        None => 1,
    };
    no_views
        .filter(|n| *n != "where")
        .filter(|n| names::function(n).is_none_or(|op| !op.takes_dtype()))
        .map(|name| {
            (
                name,
                numbers[..count(name)]
                    .iter()
                    .map(|n| (*n).to_owned())
                    .collect(),
            )
        })
        .collect()
}

/// The type that `x + call` has for an array of a type.
fn joined(x: &str, call: &str) -> Result<DType> {
    let types = inputs();
    let sum =
        lowered(&format!("{x} + {call}"))?.promoted(Promotion::F32, |&i| Ok(types[i].1.dtype))?;
    let slot = |i: usize| Ok((types[i].1.dtype, types[i].1.layout.shape().clone()));
    let graph = crate::expr::Graph::new(&[sum], slot)?;
    Ok(graph.nodes[graph.roots[0]].dtype)
}

fn takes_floats(name: &str) -> bool {
    names::function(name).is_none_or(|op| {
        op.accepts().contains(DType::F64) || op.accepts() == crate::dtype::DTypes::BOOL
    })
}

#[test]
fn functions_of_numbers_take_the_type_of_what_they_meet() {
    let mut failures = Vec::new();
    let mut check = |x: &str, name: &str, args: &[String], wanted: DType| {
        let call = format!("{name}({})", args.join(", "));
        match joined(x, &call) {
            Ok(dtype) if dtype == wanted => {}
            other => failures.push(format!("{x} + {call}: {other:?}")),
        }
    };
    for (name, args) in calls(["1.5", "2.5", "0.5"])
        .iter()
        .filter(|(name, _)| takes_floats(name))
    {
        check("h", name, args, DType::F16);
    }
    for (name, args) in calls(["5", "3", "2"]) {
        check("h", name, &args, DType::F16);
    }
    // What takes whole numbers gives one, and answers are whole.
    for (name, args) in calls(["5", "3", "2"]) {
        let op = names::function(name).unwrap_or(crate::op::Op::MUL);
        if op.accepts().contains(DType::I32) && op != crate::op::Op::DIV
            || op.accepts() == crate::dtype::DTypes::BOOL
        {
            check("i", name, &args, DType::I32);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn functions_of_numbers_are_computed_in_f64() {
    let f64s = |t: &HostTensor| -> f64 {
        match t.dtype {
            DType::Bool => f64::from(t.bytes[0]),
            _ => f64::from_le_bytes(t.bytes[..8].try_into().unwrap()),
        }
    };
    let one = HostTensor::new(DType::F64, [], 1f64.to_le_bytes().to_vec()).unwrap();
    let run = |source: &str| {
        let expr = parse(source)?.bind(&["one"], &Rule::Numpy)?;
        reference::run(&expr, std::slice::from_ref(&one))
    };
    let mut failures = Vec::new();
    for numbers in [
        ["0.1", "0.3", "0.7"],
        ["-1.5", "2.25", "-0.5"],
        ["1e-50", "-1e39", "0.0"],
        ["inf", "nan", "1.0"],
    ] {
        for (name, args) in calls(numbers).iter().filter(|(name, _)| takes_floats(name)) {
            // A product with 1 keeps the number, so that its bits are seen.
            let folded = run(&format!("one * {name}({})", args.join(", ")));
            let is_logic =
                names::function(name).is_some_and(|op| op.accepts() == crate::dtype::DTypes::BOOL);
            let cast = |a: &String| {
                if is_logic {
                    format!("({a} != 0)")
                } else {
                    format!("f64({a})")
                }
            };
            let typed: Vec<String> = args.iter().map(cast).collect();
            let computed = run(&format!("{name}({})", typed.join(", ")));
            match (folded, computed) {
                (Ok(a), Ok(b))
                    if f64s(&a).to_bits() == f64s(&b).to_bits()
                        || f64s(&a).is_nan() && f64s(&b).is_nan() => {}
                other => failures.push(format!("{name}({}): {other:?}", args.join(", "))),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn numbers_compare_as_they_compute() {
    use DType::{Bool, F32};
    let cases = [
        ("0.1 + 0.2 == 0.3", false),
        ("0.1 + 0.2 != 0.3", true),
        ("1e-50 > 0", true),
        ("1e39 == inf", false),
        ("1e39 < inf", true),
        ("2 ** 53 + 1 == 2.0 ** 53", false),
        ("2 ** 100 > 2 ** 99", true),
        ("16777217 == 16777216.0", false),
        ("nan == nan", false),
        ("nan != nan", true),
        ("equal(0.1 + 0.2, 0.3)", false),
        ("np.greater(1e-50, 0)", true),
        ("~(1 < 2)", false),
        ("(1 < 2) & (0.1 + 0.2 == 0.3)", false),
        ("isnan(inf - inf)", true),
        ("isinf(1e39)", false),
        ("logical_not(1e-50)", false),
        ("where(0.1 + 0.2 == 0.3, 1, 2) == 2", true),
        ("7 / 2 == 3.5", true),
    ];
    for (source, answer) in cases {
        for promotion in [Promotion::F32, Promotion::Numpy] {
            let expr = lowered(source)
                .unwrap()
                .promoted(promotion, |_| Ok(F32))
                .unwrap();
            let found = reference::run(&expr, &[]).unwrap();
            assert_eq!(
                (found.dtype, found.bytes),
                (Bool, vec![u8::from(answer)]),
                "{source} {promotion:?}"
            );
        }
        let chosen = numbers(&eval(&format!("where({source}, row, -row)")).unwrap());
        let sign = if answer { 1.0 } else { -1.0 };
        assert_eq!(chosen, [10.0, 20.0, 30.0].map(|x| x * sign), "{source}");
    }
}
