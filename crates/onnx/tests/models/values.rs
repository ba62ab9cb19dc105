//! Values of models that are no tensors, or not those that are declared.

use zerostride_onnx::proto::{NodeProto, SparseTensorProto, TypeProto};

use crate::build::{model, node, of, tensor};

#[test]
fn initializers_that_do_not_fit_are_refused() {
    let mut wrong = Vec::new();
    type Change = fn(&mut zerostride_onnx::proto::TensorProto);
    let cases: [(&str, Change); 10] = [
        ("takes 8 bytes, but the tensor has 4", |t| {
            t.raw_data = Some(vec![0; 4])
        }),
        ("in two fields, raw_data and float_data", |t| {
            t.float_data = vec![1.0]
        }),
        ("must be 0 or more, not -2", |t| t.dims = vec![-2]),
        ("the element type string", |t| t.data_type = 8),
        ("the element type float8e4m3fn", |t| t.data_type = 17),
        ("the element type int4", |t| t.data_type = 22),
        ("99 is no TensorProto.DataType", |t| t.data_type = 99),
        ("elements of f32 cannot be in int64_data", |t| {
            t.raw_data = None;
            t.int64_data = vec![1, 2];
        }),
        ("more elements", |t| t.dims = vec![i64::MAX, i64::MAX]),
        ("300 does not fit u8", |t| {
            (t.raw_data, t.data_type) = (None, 2);
            t.int32_data = vec![300, 1];
        }),
    ];
    for (words, change) in cases {
        let mut built = of("Relu x -> y").constant("c", &[2], &[1f32, 2.0]);
        change(&mut built.graph().initializer[0]);
        let error = built.error();
        if !(error.contains(words) && error.contains("initializer \"c\"")) {
            wrong.push(format!("{words}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn values_that_are_no_tensors_are_refused_by_name() {
    let mut built = of("Relu x -> y");
    built.graph().input[0].r#type = Some(TypeProto {
        sequence_type: Some(Default::default()),
        ..Default::default()
    });
    assert_eq!(built.error(), "unsupported: input \"x\": sequences");
    let mut built = of("Relu x -> y");
    built.graph().sparse_initializer = vec![SparseTensorProto {
        values: Some(tensor("s", &[1], &[1f32])),
    }];
    assert_eq!(
        built.error(),
        "unsupported: initializer \"s\": sparse tensors"
    );
    let mut built = of("Relu x -> y");
    built.graph().node[0] = NodeProto {
        name: "a\u{1b}[2J".into(),
        ..node("If x -> y", &[])
    };
    let error = built.error();
    assert!(error.contains("which runs graphs of its own"), "{error}");
    assert!(!error.contains('\u{1b}'), "{error}");
}

#[test]
fn an_output_of_another_shape_than_declared_is_noted() {
    let notes = |declared: &str| {
        let built = model(21)
            .input("x f32 2 3")
            .output(declared)
            .node("Relu x -> y", &[]);
        built.load().unwrap().bind(&[]).unwrap().notes().to_vec()
    };
    for fits in ["y f32 2 3", "y f32 A B", "y f32 ? 3"] {
        assert_eq!(notes(fits), [""; 0], "{fits}");
    }
    for (declared, shown) in [
        ("y f32 3 2", "[3, 2]"),
        ("y f32 A", "[A]"),
        ("y f32 A 2", "[A, 2]"),
    ] {
        let expected = format!("output \"y\" is declared as {shown}, but is [2, 3]");
        assert_eq!(notes(declared), [expected]);
    }
}

#[test]
fn a_file_without_a_graph_is_refused() {
    let mut built = of("Relu x -> y");
    built.0.ir_version = -1;
    assert!(
        built
            .error()
            .contains("its ir_version must be 1 or more, not -1")
    );
    let mut built = model(14);
    built.0.graph = None;
    assert!(built.error().contains("the file has no graph"));
    let mut built = of("Relu x -> y");
    built.0.opset_import.clear();
    assert!(
        built
            .error()
            .contains("the model imports no version of the domain ai.onnx")
    );
    let mut built = of("Relu x -> y");
    built.graph().input[0].r#type = None;
    assert!(built.error().contains("its type is missing"));
}
