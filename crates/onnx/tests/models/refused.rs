//! Broken models: one clear error each, before anything runs.

use crate::build::{Built, array, float, int, ints, model, of, tensor, text};

#[test]
fn each_broken_model_has_its_error() {
    let cases: Vec<(&str, Built, &[&str])> = vec![
        (
            "unknown operator",
            of("Frobnicate x -> y"),
            &[
                "node \"the_frobnicate\"",
                "Frobnicate of the domain ai.onnx",
                "which is not known",
            ],
        ),
        (
            "operator of another domain",
            of("com.microsoft::FusedGemm x x -> y"),
            &["the operator FusedGemm of the domain com.microsoft"],
        ),
        (
            "a convolution",
            of("Conv x x -> y"),
            &["the operator Conv of the domain ai.onnx, a convolution"],
        ),
        (
            "wrong type",
            of("BitwiseAnd x x -> y"),
            &["node \"the_bitwiseand\" (BitwiseAnd)", "operand 0 is f32"],
        ),
        (
            "shapes that do not align",
            of("MatMul x x -> y"),
            &["node \"the_matmul\" (MatMul)", "[2, 3]"],
        ),
        (
            "missing input",
            of("Add x z -> y"),
            &[
                "node \"the_add\" (Add)",
                "\"z\" is neither an input nor made by a node",
            ],
        ),
        (
            "too few operands",
            of("Add x -> y"),
            &["node \"the_add\" (Add)", "takes 2 operands"],
        ),
        (
            "cycle",
            model(21)
                .input("x f32 2")
                .output("y f32 2")
                .node("Add x b -> a", &[])
                .node("Relu a -> b", &[])
                .node("Neg b -> y", &[]),
            &["\"b\" is made by node \"the_relu\"", "without cycles"],
        ),
        (
            "a node that reads itself",
            of("Add x y -> y"),
            &["\"y\" is made by node \"the_add\"", "without cycles"],
        ),
        (
            "a name made twice",
            of("Relu x -> y").node("Neg x -> y", &[]),
            &["node \"the_neg\" (Neg)", "\"y\" is made twice"],
        ),
        (
            "an input's name made again",
            of("Relu x -> x"),
            &["\"x\" is made twice"],
        ),
        (
            "duplicate input",
            of("Relu x -> y").input("x f32 2 3"),
            &["the input \"x\" is empty or given twice"],
        ),
        (
            "duplicate initializer",
            of("Relu x -> y")
                .constant("c", &[1], &[0f32])
                .constant("c", &[1], &[0f32]),
            &["initializer \"c\" is empty or given twice"],
        ),
        (
            "output that nothing makes",
            of("Relu x -> z"),
            &["nothing makes the output \"y\""],
        ),
        (
            "axis out of range",
            model(21)
                .input("x f32 2 3")
                .output("y f32 2 3")
                .node("Softmax x -> y", &[int("axis", 2)]),
            &[
                "node \"the_softmax\" (Softmax)",
                "axis 2 is out of range for rank 2",
            ],
        ),
        (
            "unknown attribute",
            model(21)
                .input("x f32 2 3")
                .output("y f32 2 3")
                .node("Relu x -> y", &[int("colour", 2)]),
            &["unknown attribute `colour`"],
        ),
        (
            "attribute of another type",
            model(21)
                .input("x f32 2 3")
                .output("y f32 2 3")
                .node("Softmax x -> y", &[text("axis", "last")]),
            &["attribute axis must be a whole number"],
        ),
        (
            "attribute given twice",
            model(21)
                .input("x f32 2 3")
                .output("y f32 2 3")
                .node("Softmax x -> y", &[int("axis", 0), int("axis", 1)]),
            &["axis is given twice"],
        ),
        (
            "newer operation set",
            model(99)
                .input("x f32 1")
                .output("y f32 1")
                .node("Relu x -> y", &[]),
            &["opset 99; 1 to 28 are supported"],
        ),
        (
            "older operation set",
            model(7)
                .input("x f32 1")
                .output("y f32 1")
                .node("Gelu x -> y", &[]),
            &["Gelu of opset 7; opset 20 and newer are supported"],
        ),
        (
            "more outputs than there are",
            of("Relu x -> y z").output("z f32 2 3"),
            &["node \"the_relu\" (Relu)", "outputs: 2 named, 1 supported"],
        ),
        (
            "absurd extents",
            model(21)
                .output("y f32 1")
                .constant("s", &[3], &[i64::MAX, i64::MAX, 2])
                .node("ConstantOfShape s -> y", &[]),
            &["node \"the_constantofshape\"", "more elements"],
        ),
        (
            "negative extents",
            model(21)
                .output("y f32 1")
                .constant("s", &[1], &[-5i64])
                .node("ConstantOfShape s -> y", &[]),
            &["0 or more, not -5"],
        ),
        (
            "a tile of absurd size",
            model(21)
                .input("x f32 2 3")
                .output("y f32 2 3")
                .constant("r", &[2], &[i64::MAX, i64::MAX])
                .node("Tile x r -> y", &[]),
            &["node \"the_tile\" (Tile)"],
        ),
        (
            "a split that does not add up",
            model(21)
                .input("x f32 2 3")
                .output("y f32 2 3")
                .output("z f32 2 3")
                .constant("s", &[2], &[1i64, 7])
                .node("Split x s -> y z", &[int("axis", 1)]),
            &["parts of [1, 7] do not add up to an extent of 3"],
        ),
        (
            "a permutation of other axes",
            model(21)
                .input("x f32 2 3")
                .output("y f32 2 3")
                .node("Transpose x -> y", &[ints("perm", &[0, 0])]),
            &["node \"the_transpose\" (Transpose)", "axis 0"],
        ),
        (
            "a constant without a value",
            model(21).output("y f32 2").node("Constant -> y", &[]),
            &["one attribute must give its value"],
        ),
        (
            "a constant of texts",
            model(21)
                .output("y f32 2")
                .node("Constant -> y", &[text("value_string", "a")]),
            &["Constant of value_string"],
        ),
        (
            "an equation that is none",
            model(21)
                .input("x f32 2 3")
                .output("y f32 2 3")
                .node("Einsum x -> y", &[text("equation", "ijk->i")]),
            &["`ijk` does not name 2 axes"],
        ),
        (
            "a range without end",
            model(21)
                .output("y f32 2")
                .constant("a", &[], &[0f32])
                .constant("b", &[], &[1f32])
                .node("Range a b a -> y", &[]),
            &["a step that is not 0"],
        ),
        (
            "a mask of dropped elements",
            model(21)
                .input("x f32 2")
                .output("y f32 2")
                .constant("r", &[], &[0.5f32])
                .constant("t", &[], &[true])
                .node("Dropout x r t -> y", &[]),
            &["Dropout in training"],
        ),
        (
            "an output twice",
            of("Relu x -> y").output("y f32 2 3"),
            &["the output \"y\" is given twice"],
        ),
        (
            "no outputs",
            model(21).input("x f32 2").node("Relu x -> y", &[]),
            &["its graph has no outputs"],
        ),
        (
            "an axis behind the last that Flatten has",
            model(21)
                .input("x f32 2 3")
                .output("y f32 2 3")
                .node("Flatten x -> y", &[int("axis", 3)]),
            &["axis 3 is out of range for rank 2", "from -2 to 2"],
        ),
        (
            "too great a depth",
            model(21)
                .input("x i64 2")
                .output("y f32 2 3")
                .constant("d", &[], &[1i64 << 31])
                .constant("v", &[2], &[0f32, 1.0])
                .node("OneHot x d v -> y", &[]),
            &["depth must be one number from 0 to 2^31 - 1"],
        ),
        (
            "a block of absurd size",
            model(21)
                .input("x f32 1 4 2 2")
                .output("y f32 1 1 4 4")
                .node("DepthToSpace x -> y", &[int("blocksize", 1 << 40)]),
            &["blocksize must be a number from 1 to 65535"],
        ),
        (
            "pads of another count",
            model(21)
                .input("x f32 2 3")
                .output("y f32 2 3")
                .constant("p", &[3], &[1i64, 1, 1])
                .node("Pad x p -> y", &[]),
            &["the pads must be two numbers for each of 2 axes, not 3"],
        ),
        (
            "a fraction of an extent",
            model(21)
                .output("y f32 2")
                .constant("s", &[1], &[-2i64])
                .node("ConstantOfShape s -> y", &[]),
            &["operand 0 needs numbers of 0 or more, not -2"],
        ),
        (
            "a cycle of nodes without names",
            {
                let mut built = model(21)
                    .input("x f32 2")
                    .output("y f32 2")
                    .node("Add x y -> a", &[])
                    .node("Relu a -> y", &[]);
                for node in &mut built.graph().node {
                    node.name.clear();
                }
                built
            },
            &["node 0 (Add)", "\"y\" is made by node 1 (Relu), which"],
        ),
        (
            "a reshape to more axes than values have",
            model(21)
                .input("x f32 1")
                .output("y f32 ?")
                .constant("s", &[1025], &[1i64; 1025])
                .node("Reshape x s -> y", &[]),
            &[
                "node \"the_reshape\"",
                "more than 1024 axes; this one has 1025",
            ],
        ),
        (
            "an initializer of more axes",
            of("Relu x -> y").constant("c", &[1; 60_000], &[1f32]),
            &[
                "initializer \"c\"",
                "more than 1024 axes; this one has 60000",
            ],
        ),
        (
            "an input of more axes",
            model(21)
                .input(&format!("x f32{}", " 1".repeat(1025)))
                .output("y f32 ?")
                .node("Relu x -> y", &[]),
            &["input \"x\"", "more than 1024 axes; this one has 1025"],
        ),
        (
            "alpha that is a text",
            model(21)
                .input("x f32 2")
                .output("y f32 2")
                .node("Elu x -> y", &[float("gamma", 1.0)]),
            &["unknown attribute `gamma`"],
        ),
        (
            "an array where a number is due",
            model(21)
                .input("x f32 2")
                .output("y f32 2")
                .node("Elu x -> y", &[array("alpha", tensor("", &[1], &[1f32]))]),
            &["attribute alpha must be numeric"],
        ),
    ];
    let mut wrong = Vec::new();
    for (what, built, words) in &cases {
        let error = built.error();
        if !words.iter().all(|word| error.contains(word)) {
            wrong.push(format!("{what}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
