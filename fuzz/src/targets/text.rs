//! Bytes as the text of an expression: parsed, bound, promoted, planned and run by the reference
//! without a panic.

use zerostride::{DType, Error, HostTensor, Options, Plan, Promotion, Rule, Slot, reference, text};

const RULES: [Rule; 3] = [Rule::Numpy, Rule::None, Rule::Unidirectional];

/// The inputs that a text may name.
const INPUTS: [(&str, DType, &[usize]); 8] = [
    ("x", DType::F32, &[2, 3]),
    ("row", DType::F32, &[3]),
    ("col", DType::F16, &[2, 1]),
    ("s", DType::F64, &[]),
    ("i", DType::I32, &[2, 3]),
    ("b", DType::Bool, &[3]),
    ("u", DType::U8, &[1, 3]),
    ("l", DType::I64, &[2, 2]),
];

/// The column that an error names, counted from 1.
fn column(error: &Error) -> Option<usize> {
    match error {
        Error::Syntax { column, .. }
        | Error::UnknownName { column, .. }
        | Error::At { column, .. } => Some(*column),
        _ => None,
    }
}

/// One input.
pub fn run(bytes: &[u8]) {
    let Some((&first, bytes)) = bytes.split_first() else {
        return;
    };
    let Ok(source) = std::str::from_utf8(bytes) else {
        return;
    };
    let inside = |error: Error| {
        let _ = error.to_string();
        if let Some(column) = column(&error) {
            assert!(
                column >= 1 && column <= source.chars().count() + 1,
                "column {column}: {error}"
            );
        }
        let _ = text::with_hint(error).to_string();
    };
    let parsed = match text::parse(source) {
        Ok(parsed) => parsed,
        Err(error) => return inside(error),
    };
    let names = INPUTS.map(|(name, ..)| name);
    let expr = match parsed.bind(&names, &RULES[usize::from(first) % 3]) {
        Ok(expr) => expr,
        Err(error) => return inside(error),
    };
    let slots = INPUTS.map(|(_, dtype, shape)| Slot::new(dtype, shape).expect("small"));
    let promotion = if first & 128 == 0 {
        Promotion::F32
    } else {
        Promotion::Numpy
    };
    let mut options = Options::default().with_promotion(promotion);
    (options.limits.int64, options.limits.float64) = (first & 64 != 0, first & 64 != 0);
    let plan = match Plan::new(&expr, &slots, &options) {
        Ok(plan) => plan,
        Err(error) => return inside(error),
    };
    let _ = plan.to_string();
    super::super::audit(&plan);
    let (dtype, shape) = plan.outputs().next().expect("one output");
    if shape.len().is_ok_and(|n| n < 4096)
        && promotion == Promotion::F32
        && parsed.names().len() < 50
    {
        let hosts = INPUTS.map(|(_, dtype, shape)| {
            let bytes = (0..shape.iter().product::<usize>() * dtype.size())
                .map(|n| n as u8 % 2)
                .collect();
            HostTensor::new(dtype, shape, bytes).expect("small")
        });
        let result = reference::run(&expr, &hosts).expect("what can be planned can be run");
        assert_eq!((result.dtype, result.layout.shape()), (dtype, shape));
    }
}
