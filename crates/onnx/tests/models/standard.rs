//! Rules of the standard that are easily misread.

use zerostride::{DType, Limits, Options, Slot};
use zerostride_onnx::Given;

use crate::build::{Built, check_near, elements, float, host, int, model, text};

/// A model of f32 inputs `a`, `b` .. of these shapes.
fn of(shapes: &[&[usize]]) -> Built {
    let mut built = model(24);
    for (name, shape) in ["a", "b", "c"].iter().zip(shapes) {
        let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
        built = built.input(&format!("{name} f32 {}", extents.join(" ")));
    }
    built
}

fn counted(shape: &[usize]) -> Vec<f32> {
    let len = shape.iter().product::<usize>();
    (0..len).map(|i| (i % 7) as f32 - 2.0).collect()
}

fn einsum(equation: &str, shapes: [&[usize]; 2]) -> (Vec<usize>, Vec<f32>, bool) {
    let built = of(&shapes)
        .output("y f32 ? ? ?")
        .node("Einsum a b -> y", &[text("equation", equation)]);
    let [a, b] = shapes.map(|shape| host(shape, &counted(shape)));
    let plan = built.load().unwrap().bind(&[]).unwrap();
    let plan = plan.plan(&Options::default()).unwrap().to_string();
    let y = built.run(&[("a", a), ("b", b)]).unwrap().remove(0);
    let shape = y.layout.shape().extents().to_vec();
    (shape, elements(&y), plan.contains("product over"))
}

#[test]
fn batches_of_a_sum_of_products_broadcast() {
    for (equation, a, b, places) in [
        ("...ij,...jk->...ik", [1, 2, 3], [5, 3, 4], "bij"),
        ("...ij,...jk->...ik", [5, 2, 3], [1, 3, 4], "bij"),
        ("bij,bjk->bik", [1, 2, 3], [1, 3, 4], "bij"),
        ("ij...,jk...->ik...", [2, 3, 1], [3, 4, 5], "ijb"),
    ] {
        let (shape, found, is_product) = einsum(equation, [&a, &b]);
        let last = places == "ijb";
        let batches = if last { a[2].max(b[2]) } else { a[0].max(b[0]) };
        let [x, y] = [counted(&a), counted(&b)];
        let at = |all: &[f32], of: [usize; 3], batch: usize, row: usize, column: usize| {
            let batch = batch.min(if last { of[2] } else { of[0] } - 1);
            match last {
                true => all[(row * of[1] + column) * of[2] + batch],
                false => all[(batch * of[1] + row) * of[2] + column],
            }
        };
        let mut expected = vec![0f64; batches * 8];
        for batch in 0..batches {
            for (i, k) in (0..2).flat_map(|i| (0..4).map(move |k| (i, k))) {
                let sum: f32 = (0..3)
                    .map(|j| at(&x, a, batch, i, j) * at(&y, b, batch, j, k))
                    .sum();
                let place = match last {
                    true => (i * 4 + k) * batches + batch,
                    false => (batch * 2 + i) * 4 + k,
                };
                expected[place] = f64::from(sum);
            }
        }
        let wanted = if last {
            vec![2, 4, batches]
        } else {
            vec![batches, 2, 4]
        };
        assert_eq!(shape, wanted, "{equation}");
        let found: Vec<f64> = found.into_iter().map(f64::from).collect();
        assert_eq!(found, expected, "{equation} of {a:?} and {b:?}");
        assert!(is_product, "{equation} of {a:?} and {b:?}");
    }
    // What is summed over broadcasts too.
    let (shape, found, _) = einsum("ij,jk->ik", [&[2, 1], &[3, 2]]);
    assert_eq!((shape, found), (vec![2, 2], vec![0.0, -6.0, 0.0, -3.0]));
}

#[test]
fn masks_of_attention_are_broadcast_or_filled_up_by_opset() {
    let attend = |opset: i64, mask: &[f32]| {
        let built = model(opset)
            .input("q f32 1 1 2 2")
            .input("k f32 1 1 3 2")
            .input("v f32 1 1 3 2")
            .input(&format!("m f32 1 1 2 {}", mask.len() / 2))
            .output("y f32 1 1 2 2")
            .node("Attention q k v m -> y", &[]);
        built.run(&[
            ("q", host(&[1, 1, 2, 2], &[0f32; 4])),
            ("k", host(&[1, 1, 3, 2], &[0f32; 6])),
            ("v", host(&[1, 1, 3, 2], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0])),
            ("m", host(&[1, 1, 2, mask.len() / 2], mask)),
        ])
    };
    let y = attend(23, &[0.5, 0.5]).unwrap();
    check_near(&y[0], &[1, 1, 2, 2], &[3.0, 4.0, 3.0, 4.0]);
    let y = attend(24, &[0.5, 0.5]).unwrap();
    check_near(&y[0], &[1, 1, 2, 2], &[1.0, 2.0, 1.0, 2.0]);
    let y = attend(24, &[0.0; 4]).unwrap();
    check_near(&y[0], &[1, 1, 2, 2], &[2.0, 3.0, 2.0, 3.0]);
    let error = attend(23, &[0.0; 4]).unwrap_err().to_string();
    assert!(error.contains("does not fit 3 keys"), "{error}");
}

#[test]
fn extents_that_overflow_are_errors() {
    for (built, words) in [
        (
            of(&[&[1, 1 << 40, 0, 0]])
                .output("y f32 ?")
                .node("SpaceToDepth a -> y", &[int("blocksize", 65535)]),
            "is too large for blocks",
        ),
        (
            of(&[&[1, 0, 1 << 50, 1]])
                .output("y f32 ?")
                .node("DepthToSpace a -> y", &[int("blocksize", 65535)]),
            "is too large for blocks",
        ),
        (
            of(&[&[1, 0, 1 << 50, 1]]).output("y f32 ?").node(
                "DepthToSpace a -> y",
                &[int("blocksize", 65535), text("mode", "CRD")],
            ),
            "is too large for blocks",
        ),
        (
            of(&[&[0, 1 << 40, 1 << 40]])
                .output("y f32 ?")
                .node("Relu a -> y", &[]),
            "input \"a\"",
        ),
    ] {
        let error = built.error();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn constants_that_take_much_are_computed_on_the_device() {
    let ones = vec![1f32; 700];
    let bound = |equation: &str| {
        let mut built = model(24).output("y f32");
        let names = ["a", "b", "c"];
        let count = equation.split("->").next().unwrap().split(',').count();
        let all: Vec<&str> = (0..count).map(|i| names[i % 3]).collect();
        for name in &all[..count.min(3)] {
            built = built.constant(name, &[700], &ones);
        }
        let node = format!("Einsum {} -> y", all.join(" "));
        let built = built.node(&node, &[text("equation", equation)]);
        built.load().unwrap().bind(&[]).unwrap()
    };
    assert!(bound("i->").nodes()[0].is_known);
    assert!(!bound("i,j,k,i,j,k->").nodes()[0].is_known);
    assert!(!bound("i,j,i,j->").nodes()[0].is_known);
    // A shape may not depend on that.
    let built = model(24)
        .output("y f32 ?")
        .constant("a", &[700], &ones)
        .node("Einsum a a a a -> n", &[text("equation", "i,j,i,j->")])
        .node("Cast n -> w", &[int("to", 7)])
        .node("Unsqueeze w zero -> s", &[])
        .constant("zero", &[1], &[0i64])
        .node("ConstantOfShape s -> y", &[]);
    let error = built.error();
    assert!(error.contains("than the host computes"), "{error}");
}

#[test]
fn more_than_may_be_known_is_said_alike() {
    let many = vec![true; 5000];
    let compress = |built: Built| built.output("y f32 ?").node("Compress a c -> y", &[]);
    let constant = compress(of(&[&[5000]]).constant("c", &[5000], &many));
    let input = compress(of(&[&[5000]]).input("c bool 5000"));
    let given = [("c", Given::Elements(host(&[5000], &many)))];
    let errors = [
        constant.error(),
        input.load().unwrap().bind(&given).unwrap_err().to_string(),
    ];
    for error in errors {
        assert!(
            error.contains("depends on more than 4096 elements"),
            "{error}"
        );
    }
}

#[test]
fn operands_have_the_types_and_shapes_that_the_standard_names() {
    let mut wrong = Vec::new();
    for (inputs, call, words) in [
        (
            "a f32 2 2|i f32 2 2",
            "GatherElements a i -> y",
            "operand 1 is f32",
        ),
        ("a f32 2 2|i u8 2", "Gather a i -> y", "operand 1 is u8"),
        (
            "a f32 2 2|i f32 2 2",
            "GatherND a i -> y",
            "operand 1 is f32",
        ),
        (
            "a i32 2|i i64 1 1|u f32 1",
            "ScatterND a i u -> y",
            "i32 and f32",
        ),
        (
            "a f32 2|i i64 1|u f64 1",
            "ScatterElements a i u -> y",
            "f32 and f64",
        ),
        (
            "a f16 2 4|s f32 4",
            "LayerNormalization a s -> y",
            "f16 and f32",
        ),
        (
            "a f32 2 4|s i32 4",
            "LayerNormalization a s -> y",
            "f32 and i32",
        ),
        (
            "a f32 1 4|s f32 5 4",
            "LayerNormalization a s -> y",
            "[5, 4]",
        ),
        ("a f32 1 4|s f32 5 4", "RMSNormalization a s -> y", "[5, 4]"),
        (
            "a f32 2 1 4|s f32 3|b f32 3",
            "InstanceNormalization a s b -> y",
            "must have shape [1]",
        ),
        (
            "a f32 2 1 4|s f32 3|b f32 3|m f32 3|v f32 3",
            "BatchNormalization a s b m v -> y",
            "must have shape [1]",
        ),
        (
            "q f32 1 1 2 4|k f32 5 1 2 4|v f32 5 1 2 4",
            "Attention q k v -> y",
            "do not fit",
        ),
        (
            "q f32 1 1 2 4|k f32 1 1 2 4|v f32 1 1 2 4|m f32 7 1 2 2",
            "Attention q k v m -> y",
            "[7, 1, 2, 2]",
        ),
        (
            "q f32 1 1 2 4|k f16 1 1 2 4|v f32 1 1 2 4",
            "Attention q k v -> y",
            "f32 and f16",
        ),
        (
            "x f32 1 1 1 4|c f32 3 5 2|s f32 3 5 2",
            "RotaryEmbedding x c s -> y",
            "[3, 5, 2]",
        ),
        (
            "a u8 1 2|b u8 2 2|z u8 3",
            "MatMulInteger a b z -> y",
            "[3, 1]",
        ),
        (
            "c f32 2 2 1|u f32 1 1 1",
            "TensorScatter c u -> y",
            "do not fit a cache",
        ),
        (
            "x f32 2 3|t f32 2",
            "NegativeLogLikelihoodLoss x t -> y",
            "operand 1 is f32",
        ),
    ] {
        let mut built = model(24).output("y f32 ?");
        for input in inputs.split('|') {
            built = built.input(input);
        }
        let error = built.node(call, &[]).error();
        if !error.contains(words) {
            wrong.push(format!("{call} of {inputs}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn indices_beyond_the_ends_stay_on_their_axis() {
    let square: Vec<f32> = (1..10).map(|i| i as f32).collect();
    let built = of(&[&[3, 3]])
        .constant("i", &[4, 2], &[0i64, 5, -4, 0, 1, 1, -1, -1])
        .output("y f32 4")
        .node("GatherND a i -> y", &[]);
    let y = built.run(&[("a", host(&[3, 3], &square))]).unwrap();
    assert_eq!(elements::<f32>(&y[0]), [3.0, 1.0, 5.0, 9.0]);
    for reduction in ["none", "add"] {
        let built = of(&[&[2, 3]])
            .constant("i", &[3, 2], &[0i64, 4, -3, 1, 1, 1])
            .constant("u", &[3], &[10f32, 20.0, 30.0])
            .output("y f32 2 3")
            .node("ScatterND a i u -> y", &[text("reduction", reduction)]);
        let y = built.run(&[("a", host(&[2, 3], &[0f32; 6]))]).unwrap();
        assert_eq!(elements::<f32>(&y[0]), [0.0, 0.0, 0.0, 0.0, 30.0, 0.0]);
    }
}

#[test]
fn triangles_may_lie_far_from_the_diagonal() {
    for (k, upper, kept) in [
        (i64::MAX, 1, 0.0f32),
        (i64::MIN, 1, 1.0),
        (i64::MAX, 0, 1.0),
        (i64::MIN, 0, 0.0),
    ] {
        let built = of(&[&[2, 2]])
            .constant("k", &[], &[k])
            .output("y f32 2 2")
            .node("Trilu a k -> y", &[int("upper", upper)]);
        let y = built.run(&[("a", host(&[2, 2], &[1f32; 4]))]).unwrap();
        assert_eq!(elements::<f32>(&y[0]), [kept; 4], "{k} {upper}");
    }
}

#[test]
fn a_grid_of_one_place_is_its_middle() {
    let built = of(&[&[1, 2, 3]])
        .constant("s", &[4], &[1i64, 1, 1, 2])
        .output("y f32 1 1 2 2")
        .node("AffineGrid a s -> y", &[int("align_corners", 1)]);
    let y = built
        .run(&[("a", host(&[1, 2, 3], &[1f32, 0.0, 0.0, 0.0, 1.0, 0.0]))])
        .unwrap();
    check_near(&y[0], &[1, 1, 2, 2], &[-1.0, 0.0, 1.0, 0.0]);
}

#[test]
fn old_operation_sets_have_their_attributes_and_defaults() {
    let old = crate::build::ints("consumed_inputs", &[0]);
    for call in ["Elu", "Selu", "HardSigmoid"] {
        let built = model(1)
            .input("a f32 1")
            .output("y f32 1")
            .node(&format!("{call} a -> y"), std::slice::from_ref(&old));
        built.load().unwrap().bind(&[]).unwrap();
    }
    let selu = |opset: i64| {
        let built = model(opset)
            .input("a f32 1")
            .output("y f32 1")
            .node("Selu a -> y", &[]);
        let y = built.run(&[("a", host(&[1], &[1f32]))]).unwrap();
        elements::<f32>(&y[0])[0]
    };
    assert_eq!(selu(1), 1.0507);
    assert_eq!(selu(6), 1.050_701);
    let built = model(5)
        .input("a f32 1")
        .output("y f32 1")
        .node("Selu a -> y", &[float("gamma", 2.0)]);
    let y = built.run(&[("a", host(&[1], &[3f32]))]).unwrap();
    assert_eq!(elements::<f32>(&y[0]), [6.0]);
}

#[test]
fn reductions_of_any_length_have_plans() {
    let limits = Limits::WEBGPU
        .with_max_binding(u32::MAX.into())
        .with_max_elements(u64::MAX);
    let options = Options::default().with_limits(limits);
    for call in ["ReduceSum", "ReduceMean", "Softmax", "LpNormalization"] {
        for shape in [[4usize, 1 << 32], [2, 1 << 40]] {
            let built = of(&[&shape])
                .output("y f32 ?")
                .node(&format!("{call} a -> y"), &[]);
            let slot = Slot::new(DType::F32, shape).unwrap();
            let bound = built.load().unwrap();
            let bound = bound.bind(&[("a", Given::Slot(slot))]).unwrap();
            // A plan, or an error that says why it has none.
            if let Err(error) = bound.plan(&options) {
                assert!(!error.to_string().is_empty());
            }
        }
    }
}

#[test]
fn a_slice_backwards_starts_at_an_element() {
    let slice = |extent: usize, start: i64, end: i64| {
        let built = of(&[&[extent]])
            .constant("s", &[1], &[start])
            .constant("e", &[1], &[end])
            .constant("d", &[1], &[0i64])
            .constant("k", &[1], &[-1i64])
            .output("y f32 ?")
            .node("Slice a s e d k -> y", &[]);
        let x: Vec<f32> = (0..extent).map(|i| i as f32).collect();
        elements::<f32>(&built.run(&[("a", host(&[extent], &x))]).unwrap()[0])
    };
    assert_eq!(slice(1, -2, -1000), [0.0]);
    assert_eq!(slice(3, i64::MIN, i64::MIN), [0.0]);
    assert_eq!(slice(3, -3, i64::MIN), [0.0]);
    assert_eq!(slice(3, 99, i64::MIN), [2.0, 1.0, 0.0]);
    assert_eq!(slice(3, -1, -3), [2.0, 1.0]);
    assert_eq!(slice(3, -9, -1), []);
    assert_eq!(slice(0, -9, i64::MIN), []);
}
