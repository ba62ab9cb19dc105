//! `onnx run` and `onnx explain`.

use std::fs;

use prost::Message as _;
use zerostride_onnx::proto::{
    DimensionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};

use crate::Folder;

/// A value of f32, whose extents are numbers or names.
fn value(name: &str, extents: &[&str]) -> ValueInfoProto {
    let dim = |extent: &&str| DimensionProto {
        dim_value: extent.parse().ok(),
        dim_param: extent.parse::<i64>().is_err().then(|| (*extent).into()),
    };
    ValueInfoProto {
        name: name.into(),
        r#type: Some(TypeProto {
            tensor_type: Some(TensorTypeProto {
                elem_type: 1,
                shape: Some(TensorShapeProto {
                    dim: extents.iter().map(dim).collect(),
                }),
            }),
            ..Default::default()
        }),
    }
}

fn node(op_type: &str, name: &str, input: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: op_type.into(),
        name: name.into(),
        input: input.iter().map(|n| (*n).into()).collect(),
        output: vec![output.into()],
        ..Default::default()
    }
}

/// `y/2 = relu(x.1 * k)`, and its shape.
fn save(folder: &Folder, operator: &str) {
    let model = ModelProto {
        ir_version: 10,
        opset_import: vec![OperatorSetIdProto {
            domain: String::new(),
            version: 21,
        }],
        graph: Some(GraphProto {
            node: vec![
                node("Mul", "times", &["x.1", "k"], "m"),
                node(operator, "at least 0", &["m"], "y/2"),
                node("Shape", "", &["m"], "s"),
            ],
            initializer: vec![TensorProto {
                name: "k".into(),
                dims: vec![3],
                data_type: 1,
                float_data: vec![1.0, -1.0, 2.0],
                ..Default::default()
            }],
            input: vec![value("x.1", &["rows", "3"])],
            output: vec![
                value("y/2", &["rows", "3"]),
                ValueInfoProto {
                    name: "s".into(),
                    r#type: None,
                },
            ],
            ..Default::default()
        }),
        ..Default::default()
    };
    fs::write(folder.path("m.onnx"), model.encode_to_vec()).unwrap();
}

#[test]
fn a_model_runs_on_arrays_from_files() {
    let folder = Folder::new();
    save(&folder, "Relu");
    let text = folder.ok(&["onnx", "run", "m.onnx", "x.1=x.npy"]);
    assert!(text.contains("y/2: f32 [2, 3]\n"), "{text}");
    assert!(text.contains("s: i64 [2]\n[2 3]\n"), "{text}");
    let text = folder.ok(&["onnx", "run", "m.onnx", "x.1=x.npy", "-o", "out/deep"]);
    assert!(text.contains("written to out/deep/y_2.npy"), "{text}");
    let (shape, y) = folder.load::<f32>("out/deep/y_2.npy");
    assert_eq!(
        (shape, y),
        (vec![2, 3], vec![1.0, 0.0, 6.0, 4.0, 0.0, 12.0])
    );
    let (_, s) = folder.load::<i64>("out/deep/s.npy");
    assert_eq!(s, [2, 3]);
    let quiet = folder.ok(&[
        "onnx",
        "run",
        "m.onnx",
        "x.1=[[1,2,3]]:f32",
        "-o",
        "out",
        "-q",
    ]);
    assert_eq!(quiet, "");
    assert_eq!(folder.load::<f32>("out/y_2.npy").0, [1, 3]);
}

#[test]
fn text_has_the_type_that_the_model_declares() {
    let folder = Folder::new();
    save(&folder, "Relu");
    fs::write(folder.path("x.csv"), "1,2,3\n4,5,6\n").unwrap();
    for (source, shape) in [
        ("[[1,2,3]]", [1, 3]),
        ("[[0.1,2,3]]", [1, 3]),
        ("x.csv", [2, 3]),
        ("x.csv:0,1,2", [2, 3]),
    ] {
        let x = format!("x.1={source}");
        let quiet = folder.ok(&["onnx", "run", "m.onnx", &x, "-o", "out", "-q"]);
        assert_eq!(quiet, "");
        assert_eq!(folder.load::<f32>("out/y_2.npy").0, shape, "{source}");
    }
    assert_eq!(folder.ok(&["onnx", "run", "m.onnx", "x.1=x.csv", "-q"]), "");
}

#[test]
fn a_model_is_explained_without_an_adapter() {
    let folder = Folder::new();
    save(&folder, "Relu");
    let text = folder.ok(&["onnx", "explain", "m.onnx", "x.1=f32[8,3]"]);
    for words in [
        "input x.1: f32[rows,3]\n",
        "output y/2\n",
        "3 nodes in all\n",
        "node \"times\" (Mul): f32[8, 3], pass 0\n",
        "node 2 (Shape): i64[2], known\n",
        "plan: 1 pass",
        "x.1 ",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let text = folder.ok(&["onnx", "explain", "m.onnx"]);
    assert!(
        text.contains("give numbers for them: 'x.1=f32[rows,3]'"),
        "{text}"
    );
    folder.fails(
        1,
        &["it has no input \"z\"; its inputs are x.1"],
        &["onnx", "explain", "m.onnx", "z=f32[2]"],
    );
}

#[test]
fn what_a_model_does_not_take_is_said_before_it_runs() {
    let folder = Folder::new();
    save(&folder, "Relu");
    let run = |args: &[&str], code: i32, words: &[&str]| {
        folder.fails(code, words, &[&["onnx", "run", "m.onnx"], args].concat());
    };
    run(&[], 1, &["the input \"x.1\" is not given"]);
    run(
        &["x.1=two.npy"],
        1,
        &["input \"x.1\": it is declared as [rows, 3], not [2]"],
    );
    run(&["x.1=[[1,2,3]]:i64"], 1, &["declared as f32, not i64"]);
    run(&["x.1=[[1,2,x]]"], 2, &["`x` is no number"]);
    run(&["x.1=f32[2,a]"], 2, &["`a` is not an extent; write NAME="]);
    run(&["x.1=f33[2,3]"], 2, &["f33"]);
    run(&["x.1=f32[2,3"], 2, &["`f32[2,3` is not a shape; write"]);
    run(
        &["x.1=-", "z=-:csv"],
        2,
        &["`x.1` and `z` are both standard input"],
    );
    run(&["z=x.npy", "x.1=x.npy"], 1, &["it has no input \"z\""]);
    run(&["x.1=f32[2,3]"], 2, &["needs its elements"]);
    run(&["x.1"], 2, &["write NAME=FILE.npy"]);
    save(&folder, "Conv");
    run(
        &["x.1=x.npy"],
        1,
        &["unsupported: node \"at least 0\" (Conv)", "a convolution"],
    );
    fs::write(folder.path("m.onnx"), b"no model").unwrap();
    run(&["x.1=x.npy"], 1, &["the file is no ONNX model"]);
    folder.fails(1, &["none.onnx"], &["onnx", "run", "none.onnx"]);
}
