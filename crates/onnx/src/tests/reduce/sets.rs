//! Differences between operation sets.

use super::*;

#[test]
fn axes_are_an_attribute_in_old_operation_sets_and_an_operand_in_new_ones() {
    let x = read("f32 2,2: 1 2 3 4");
    let attr = [("axes", Attr::Ints(vec![0]))];
    let operand = Some((I64, &[1][..], &[0][..]));
    for (name, since, sums) in [
        ("ReduceSum", 13, "f32 1,2: 4 6"),
        ("ReduceMean", 18, "f32 1,2: 2 3"),
        ("ReduceProd", 18, "f32 1,2: 3 8"),
        ("ReduceMax", 18, "f32 1,2: 3 4"),
        ("ReduceMin", 18, "f32 1,2: 1 2"),
        ("ReduceL1", 18, "f32 1,2: 4 6"),
        ("ReduceL2", 18, "f32 1,2: 3.1622777 4.4721360"),
        ("ReduceLogSum", 18, "f32 1,2: 1.3862944 1.7917595"),
        ("ReduceLogSumExp", 18, "f32 1,2: 3.1269280 4.1269280"),
        ("ReduceSumSquare", 18, "f32 1,2: 10 20"),
    ] {
        let run = |opset, attrs: &[(&str, Attr)], axes| call((Onnx, name, opset), attrs, &x, axes);
        let sums = read(sums);
        let is = |found: Result<HostTensor>| match found {
            Ok(found) => assert!(is_close(&found, &sums), "{name}: {found:?}"),
            Err(e) => panic!("{name}: {e}"),
        };
        let refused = |found: Result<HostTensor>| {
            assert!(
                matches!(found, Err(Error::Argument { .. })),
                "{name}: {found:?}"
            );
        };
        for opset in [1, 11, since - 1] {
            is(run(Some(opset), &attr, None));
            refused(run(Some(opset), &[], operand));
            refused(run(Some(opset), &int("noop_with_empty_axes", 0), None));
        }
        for opset in [since, 28] {
            is(run(Some(opset), &[], operand));
            refused(run(Some(opset), &attr, None));
        }
        // Where no operation set is named, either is understood.
        is(run(None, &attr, None));
        refused(run(None, &attr, operand));
    }
}

/// An operator's name, an operation set, and the element types that it has there.
type Types = (String, Option<u32>, Vec<DType>);

/// Every row takes the types that its schema lists, gives what it takes, and refuses all others.
fn check_types(standard: Standard, rows: &[Types]) {
    for (name, opset, accepted) in rows {
        for dtype in DType::ALL {
            let x = tensor(dtype, &[2, 2], &[1.0, 0.0, 1.0, 1.0]);
            let axes = (standard == OpenVino).then_some((I64, &[1][..], &[1][..]));
            let result = if name.starts_with("Arg") { I64 } else { dtype };
            match call((standard, name, *opset), &[], &x, axes) {
                Ok(found) if accepted.contains(&dtype) => assert_eq!(found.dtype, result, "{name}"),
                Err(Error::DType { operand: 0, .. }) if !accepted.contains(&dtype) => {}
                found => panic!("{name} {opset:?} {dtype}: {found:?}"),
            }
        }
    }
}

#[test]
fn element_types_are_those_of_onnxs_schemas() {
    use DType::{Bf16, F64, I8, I16, U16, U64};
    let with = |more: &[DType]| [&[U32, U64, I32, I64, F16, F32, F64], more].concat();
    let floats = || vec![F16, Bf16, F32, F64];
    let mut rows: Vec<Types> = Vec::new();
    let mut row = |name: &str, opset, types| rows.push((name.into(), opset, types));
    for name in [
        "Sum",
        "Mean",
        "Prod",
        "L1",
        "L2",
        "SumSquare",
        "LogSum",
        "LogSumExp",
    ] {
        let name = format!("Reduce{name}");
        row(&name, Some(27), with(&[Bf16]));
        row(&name, Some(13), with(&[Bf16]));
        row(&name, Some(12), with(&[]));
        let is_log = name.contains("Log");
        row(&name, None, if is_log { floats() } else { with(&[Bf16]) });
    }
    for name in ["ReduceMax", "ReduceMin"] {
        row(name, None, with(&[Bf16, U8, I8, Bool]));
        row(name, Some(20), with(&[Bf16, U8, I8, Bool]));
        row(name, Some(19), with(&[Bf16, U8, I8]));
        row(name, Some(12), with(&[U8, I8]));
        row(name, Some(11), with(&[]));
    }
    for name in ["ArgMax", "ArgMin"] {
        row(name, None, with(&[Bf16, U8, I8, U16, I16]));
        row(name, Some(12), with(&[U8, I8, U16, I16]));
    }
    for name in ["Softmax", "LogSoftmax"] {
        row(name, None, floats());
        row(name, Some(12), vec![F16, F32, F64]);
    }
    check_types(Onnx, &rows);
}

#[test]
fn element_types_are_those_of_openvinos_texts() {
    let numeric: Vec<DType> = DTypes::NUMERIC.iter().collect();
    let mut rows: Vec<Types> = Vec::new();
    for name in ["Sum", "Mean", "Prod", "Max", "Min", "L1", "L2"] {
        rows.push((format!("Reduce{name}"), None, numeric.clone()));
    }
    for name in ["And", "Or"] {
        rows.push((format!("ReduceLogical{name}"), None, vec![Bool]));
    }
    check_types(OpenVino, &rows);
    let norm = call((OpenVino, "ReduceL1", Some(3)), &[], &read("f32 : 1"), None);
    assert!(matches!(norm, Err(Error::Unsupported { .. })), "{norm:?}");
}
