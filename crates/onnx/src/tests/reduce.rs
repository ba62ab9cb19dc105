//! Reductions and softmax by example.

mod refused;
mod sets;

use super::*;

/// A call with one operand and, if they are given, axes as constants of a type and shape.
fn call(
    (standard, name, opset): (Standard, &str, Option<u32>),
    attrs: &[(&str, Attr)],
    x: &HostTensor,
    axes: Option<(DType, &[usize], &[i64])>,
) -> Result<HostTensor> {
    let operand =
        |slot, t: &HostTensor| Operand::new(Expr::slot(slot), t.dtype, t.layout.shape().extents());
    let mut tensors = vec![x.clone()];
    let mut operands = vec![Some(operand(0, x))];
    if let Some((dtype, shape, list)) = axes {
        let data: Vec<f64> = list.iter().map(|&axis| axis as f64).collect();
        let axes = tensor(dtype, shape, &data);
        operands.push(Some(operand(1, &axes).with_elements(list)));
        tensors.push(axes);
    }
    let attrs: Attrs = attrs
        .iter()
        .map(|(k, v)| ((*k).to_owned(), v.clone()))
        .collect();
    let call = Call::new(standard, name, &operands)
        .opset(opset)
        .attrs(&attrs);
    reference::run(&build(&call)?, &tensors)
}

/// A call of the newest operation set with axes of the type that every standard takes.
fn newest(
    standard: Standard,
    name: &str,
    attrs: &[(&str, Attr)],
    x: &HostTensor,
    axes: Option<&[i64]>,
) -> Result<HostTensor> {
    let shape = [axes.map_or(0, <[_]>::len)];
    let axes = axes.map(|axes| (I64, &shape[..], axes));
    call((standard, name, None), attrs, x, axes)
}

fn int(name: &str, x: i64) -> [(&str, Attr); 1] {
    [(name, Attr::Int(x))]
}

/// A tensor written as `f32 2,1: 3 -inf`.
fn read(text: &str) -> HostTensor {
    let (head, data) = text.split_once(':').unwrap();
    let (dtype, shape) = head.split_once(' ').unwrap();
    let shape: Vec<usize> = numbers(&shape.replace(',', " "));
    tensor(dtype.parse().unwrap(), &shape, &numbers(data))
}

fn numbers<T: std::str::FromStr<Err: fmt::Debug>>(text: &str) -> Vec<T> {
    text.split_whitespace()
        .map(|x| x.parse().unwrap())
        .collect()
}

/// Runs the operators of a table. Its columns are a name with attributes, the operand, the axes,
/// and the result; `x` stands for a tensor of that name, `none` for axes that are left out.
fn check(standard: Standard, tensors: &[(&str, &str)], table: &str) {
    let tensor = |text: &str| {
        let named = tensors.iter().find(|(name, _)| *name == text);
        read(named.map_or(text, |(_, tensor)| tensor))
    };
    let mut failures = Vec::new();
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let [name, x, axes, expected] = columns[..] else {
            panic!("{line}");
        };
        let mut words = name.split(' ');
        let name = words.next().unwrap();
        let attrs: Vec<(&str, Attr)> = words
            .map(|word| {
                let (key, value) = word.split_once('=').unwrap();
                let text = |_| Attr::Str(value.into());
                (key, value.parse().map_or_else(text, Attr::Int))
            })
            .collect();
        let axes = (axes != "none").then(|| numbers::<i64>(axes));
        let expected = tensor(expected);
        match newest(standard, name, &attrs, &tensor(x), axes.as_deref()) {
            Ok(found) if is_close(&found, &expected) => {}
            found => failures.push(format!("{line}: {found:?}, expected {expected:?}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Whether type, shape and elements are equal; f32 may differ by 1 part in a million.
fn is_close(found: &HostTensor, expected: &HostTensor) -> bool {
    if found == expected || found.dtype != F32 || expected.dtype != F32 {
        return found == expected;
    }
    let numbers = |t: &HostTensor| -> Vec<f32> {
        let number = |b: &[u8]| f32::from_le_bytes(b.try_into().unwrap());
        t.bytes.chunks(4).map(number).collect()
    };
    let close =
        |(a, b): (f32, f32)| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-6 * b.abs();
    found.layout.shape() == expected.layout.shape()
        && numbers(found).into_iter().zip(numbers(expected)).all(close)
}

#[test]
fn scans_and_hardmax_follow_their_texts() {
    let tensors = [
        ("x", "f32 2,3: 1 -2 3 4 5 -6"),
        ("i", "i32 2,3: 1 -2 3 4 5 -6"),
    ];
    let table = "
        CumSum | x | 1 | f32 2,3: 1 -1 2 4 9 3
        CumSum | i | -2 | i32 2,3: 1 -2 3 5 3 -3
        CumSum exclusive=1 | x | 1 | f32 2,3: 0 1 -1 0 4 9
        CumSum reverse=1 | x | 1 | f32 2,3: 2 1 3 3 -1 -6
        CumSum exclusive=1 reverse=1 | x | 0 | f32 2,3: 4 5 -6 0 0 0
        CumSum | f16 4: 2048 1 1 2 | 0 | f16 4: 2048 2048 2050 2052
        CumSum | u32 2: 4294967295 2 | 0 | u32 2: 4294967295 1
        CumProd | i | 1 | i32 2,3: 1 -2 -6 4 20 -120
        CumProd exclusive=1 | x | 1 | f32 2,3: 1 1 -2 1 4 20
        Hardmax | x | none | f32 2,3: 0 0 1 0 1 0
        Hardmax axis=0 | x | none | f32 2,3: 0 0 1 1 1 0
        Hardmax | f16 1,4: 1 7 7 nan | none | f16 1,4: 0 0 0 1
        Hardmax | f32 2,0: | none | f32 2,0:
    ";
    check(Onnx, &tensors, table);
    let table = "
        CumSum | x | 1 | f32 2,3: 1 -1 2 4 9 3
        CumSum | i | none | i32 2,3: 1 -2 3 5 3 -3
        CumSum exclusive=true reverse=false | x | 1 | f32 2,3: 0 1 -1 0 4 9
        CumSum reverse=true | u8 3: 200 100 7 | 0 | u8 3: 51 107 7
    ";
    check(OpenVino, &tensors, table);
}

#[test]
fn every_reduction_of_onnx_follows_its_text() {
    let tensors = [
        ("x", "f32 2,3: 1 -2 3 4 5 -6"),
        ("i", "i32 2,3: 1 -2 3 4 5 -6"),
        ("y", "f32 2,2: 1 2 3 4"),
    ];
    // Means and roots of whole numbers are truncated. 2048 + 1 has no place in f16, but the sum is
    // rounded once.
    let table = "
        ReduceSum | x | 1 | f32 2,1: 2 3
        ReduceSum keepdims=0 | i | -2 | i32 3: 5 3 -3
        ReduceSum keepdims=0 | f16 3: 2048 1 1 | none | f16 : 2050
        ReduceSum | bf16 2,2: 1 2 3 4 | 0 1 | bf16 1,1: 10
        ReduceMean | x | -2 | f32 1,3: 2.5 1.5 -1.5
        ReduceMean | i | 1 | i32 2,1: 0 1
        ReduceMean | i64 2: -4 -1 | none | i64 1: -2
        ReduceProd | x | 1 | f32 2,1: -6 -120
        ReduceProd keepdims=0 | u32 3: 65536 65537 3 | none | u32 : 196608
        ReduceMax | x | 1 | f32 2,1: 3 5
        ReduceMax keepdims=0 | f32 3: 1 nan inf | none | f32 : nan
        ReduceMax | u8 3: 7 255 0 | none | u8 1: 255
        ReduceMax | bool 2,2: 0 0 0 1 | 1 | bool 2,1: 0 1
        ReduceMin | x | 0 | f32 1,3: 1 -2 -6
        ReduceMin keepdims=0 | i8 3: 7 -128 0 | 0 | i8 : -128
        ReduceMin | bool 2,2: 1 1 0 1 | 1 | bool 2,1: 1 0
        ReduceL1 | x | 1 | f32 2,1: 6 15
        ReduceL1 | i | 1 | i32 2,1: 6 15
        ReduceL2 keepdims=0 | f32 2: 3 -4 | none | f32 : 5
        ReduceL2 | i | 1 | i32 2,1: 3 8
        ReduceLogSum | y | 1 | f32 2,1: 1.0986123 1.9459101
        ReduceLogSumExp | y | 1 | f32 2,1: 2.3132617 4.3132617
        ReduceLogSumExp keepdims=0 | f32 2: 1000 1000 | none | f32 : 1000.6931
        ReduceLogSumExp keepdims=0 | f32 2: -inf inf | none | f32 : inf
        ReduceLogSumExp keepdims=0 | f32 2: -inf -inf | none | f32 : -inf
        ReduceSumSquare | x | 1 | f32 2,1: 14 77
        ReduceSumSquare keepdims=0 | u32 2: 65536 3 | none | u32 : 9
    ";
    check(Onnx, &tensors, table);
}

#[test]
fn every_reduction_of_openvino_follows_its_text() {
    let tensors = [
        ("x", "f32 2,3: 1 -2 3 4 5 -6"),
        ("u", "u8 2,3: 1 2 3 4 5 250"),
        ("b", "bool 2,2: 1 0 1 1"),
    ];
    // The last ones have no axes to reduce.
    let table = "
        ReduceSum | x | 1 | f32 2: 2 3
        ReduceSum keep_dims=true | u | 1 | u8 2,1: 6 3
        ReduceMean | x | -1 | f32 2: 0.6666667 1
        ReduceProd | x | -1 0 | f32 : 720
        ReduceMax keep_dims=1 | x | -1 0 | f32 1,1: 5
        ReduceMin keep_dims=false | u | 1 | u8 2: 1 4
        ReduceL1 | x | 1 | f32 2: 6 15
        ReduceL2 keep_dims=true | f32 2,2: 3 4 -5 12 | 1 | f32 2,1: 5 13
        ReduceLogicalAnd | b | 1 | bool 2: 0 1
        ReduceLogicalOr keep_dims=true | bool 2,2: 0 0 0 1 | 1 | bool 2,1: 0 1
        ReduceSum | x | | x
        ReduceL1 keep_dims=true | x | | x
        ReduceLogicalAnd | b | | b
    ";
    check(OpenVino, &tensors, table);
    let x = read("f32 2,3: 1 -2 3 4 5 -6");
    for dtype in [DType::I8, U8, I32, I64, DType::U64] {
        let scalar = Some((dtype, &[][..], &[1][..]));
        let sums = call((OpenVino, "ReduceSum", None), &[], &x, scalar);
        assert_eq!(sums.unwrap(), read("f32 2: 2 3"), "{dtype}");
    }
}

#[test]
fn axes_that_are_left_out_are_all_or_none() {
    // What is done to each element still is where none are reduced.
    let table = "
        ReduceSum | x | none | f32 1,1: 6
        ReduceSum noop_with_empty_axes=0 | x | | f32 1,1: 6
        ReduceSum keepdims=0 | x | | f32 : 6
        ReduceSum | f32 : 3 | none | f32 : 3
        ReduceSum noop_with_empty_axes=1 | x | 0 | f32 1,2: 4 2
        ReduceSum noop_with_empty_axes=1 | x | none | x
        ReduceMean noop_with_empty_axes=1 | x | | x
        ReduceProd noop_with_empty_axes=1 keepdims=0 | x | | x
        ReduceMax noop_with_empty_axes=1 | x | | x
        ReduceMin noop_with_empty_axes=1 | x | | x
        ReduceL1 noop_with_empty_axes=1 | x | | f32 2,2: 1 2 3 4
        ReduceL2 noop_with_empty_axes=1 keepdims=0 | x | | f32 2,2: 1 2 3 4
        ReduceSumSquare noop_with_empty_axes=1 | x | | f32 2,2: 1 4 9 16
        ReduceLogSumExp noop_with_empty_axes=1 | x | | x
        ReduceLogSum noop_with_empty_axes=1 | f32 2: 1 2 | | f32 2: 0 0.6931472
    ";
    check(Onnx, &[("x", "f32 2,2: 1 -2 3 4")], table);
}

#[test]
fn no_elements_give_what_onnx_says() {
    // The last one has no element to give.
    let table = "
        ReduceSum | x | 1 | f32 2,1,2: 0 0 0 0
        ReduceL1 keepdims=0 | x | 1 | f32 2,2: 0 0 0 0
        ReduceL2 | x | 1 | f32 2,1,2: 0 0 0 0
        ReduceSumSquare | x | 1 | f32 2,1,2: 0 0 0 0
        ReduceProd | x | 1 | f32 2,1,2: 1 1 1 1
        ReduceMean | x | 1 | f32 2,1,2: nan nan nan nan
        ReduceLogSum | x | 1 | f32 2,1,2: -inf -inf -inf -inf
        ReduceLogSumExp keepdims=0 | x | 1 | f32 2,2: -inf -inf -inf -inf
        ReduceMax keepdims=0 | x | none | f32 : -inf
        ReduceMin | x | 1 | f32 2,1,2: inf inf inf inf
        ReduceMax keepdims=0 | i32 2,0: | 1 | i32 2: -2147483648 -2147483648
        ReduceMin keepdims=0 | i32 2,0: | 1 | i32 2: 2147483647 2147483647
        ReduceMax | bool 0: | none | bool 1: 0
        ReduceMin | bool 0: | none | bool 1: 1
        ReduceMax | x | 0 | f32 1,0,2:
    ";
    check(Onnx, &[("x", "f32 2,0,2:")], table);
    let lowest = newest(Onnx, "ReduceMax", &[], &read("i64 0:"), None).unwrap();
    assert_eq!(lowest.bytes, i64::MIN.to_le_bytes());
    let largest = newest(Onnx, "ReduceMin", &[], &read("u64 0:"), None).unwrap();
    assert_eq!(largest.bytes, u64::MAX.to_le_bytes());
    let undefined = newest(OpenVino, "ReduceMax", &[], &read("f32 2,0:"), Some(&[1]));
    assert!(matches!(undefined, Err(Error::Argument { .. })));
}

#[test]
fn arg_max_and_arg_min_number_elements_along_one_axis() {
    let table = "
        ArgMax | x | none | i64 1,3: 0 0 0
        ArgMax axis=1 | x | none | i64 2,1: 1 0
        ArgMax axis=-1 select_last_index=1 | x | none | i64 2,1: 2 0
        ArgMax axis=1 keepdims=0 | x | none | i64 2: 1 0
        ArgMin | x | none | i64 1,3: 1 1 1
        ArgMin axis=1 keepdims=0 | x | none | i64 2: 0 1
        ArgMin axis=1 select_last_index=1 | x | none | i64 2,1: 0 2
        ArgMax | u8 3: 9 200 200 | none | i64 1: 1
        ArgMin | i64 2: 5 -5 | none | i64 1: 1
        ArgMax axis=1 select_last_index=1 | f64 1,3: 2 2 1 | none | i64 1,1: 1
    ";
    check(Onnx, &[("x", "f32 2,3: 1 3 3 0 -1 -1")], table);
}

#[test]
fn softmax_is_along_one_axis_and_before_opset_13_along_the_rest() {
    // Logarithms of 1, 3, 2, 2, 4, 12, 1 and 7.
    let x = "f32 2,2,2: 0 1.0986123 0.6931472 0.6931472 1.3862944 2.4849067 0 1.9459101";
    let [rows, columns, logs] = [
        "f32 2,2,2: 0.25 0.75 0.5 0.5 0.25 0.75 0.125 0.875",
        "f32 2,2,2: 0.3333333 0.6 0.6666667 0.4 0.8 0.6315789 0.2 0.3684211",
        "f32 2,2,2: -1.3862944 -0.2876821 -0.6931472 -0.6931472 -1.3862944 -0.2876821 -2.0794415 \
         -0.1335314",
    ];
    let tensors = [
        ("x", x),
        ("rows", rows),
        ("columns", columns),
        ("logs", logs),
    ];
    let table = "
        Softmax | x | none | rows
        Softmax axis=1 | x | none | columns
        LogSoftmax | x | none | logs
        Softmax | f32 2: 1000 1000 | none | f32 2: 0.5 0.5
        Softmax | f32 2: -inf 0 | none | f32 2: 0 1
        LogSoftmax | f32 2: -inf 0 | none | f32 2: -inf 0
        Softmax | f16 4: 1 1 1 1 | none | f16 4: 0.25 0.25 0.25 0.25
        Softmax | f32 2,0: | none | f32 2,0:
    ";
    check(Onnx, &tensors, table);
    check(
        OpenVino,
        &tensors,
        "SoftMax | x | none | columns\n LogSoftmax axis=2 | x | none | logs",
    );
    let rest = read("f32 2,2,2: 0.125 0.375 0.25 0.25 0.1666667 0.5 0.0416667 0.2916667");
    for attrs in [&[][..], &int("axis", -2)] {
        let old = call((Onnx, "Softmax", Some(11)), attrs, &read(x), None);
        assert!(is_close(&old.unwrap(), &rest));
    }
}
