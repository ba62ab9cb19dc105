//! Results of models.

use zerostride::{Options, f16};

use crate::build::{
    array, check_near, context, elements, float, host, import, int, ints, model, node, refers,
    tensor, text, value,
};
use zerostride_onnx::proto::FunctionProto;

/// The error function, by its series.
fn erf(x: f64) -> f64 {
    let mut term = x;
    let mut sum = x;
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

#[test]
fn a_perceptron_with_gelu_is_what_its_matrices_say() {
    let w1: Vec<f32> = (0..12).map(|i| (i % 5) as f32 * 0.25 - 0.5).collect();
    let w2: Vec<f32> = (0..8).map(|i| (i % 3) as f32 - 0.75).collect();
    let built = model(20)
        .input("x f32 N 3")
        .output("y f32 N 2")
        .constant("w1", &[3, 4], &w1)
        .constant("b1", &[4], &[0.1f32, -0.2, 0.3, 0.0])
        .constant("w2", &[2, 4], &w2)
        .node("MatMul x w1 -> m", &[])
        .node("Add m b1 -> a", &[])
        .node("Gelu a -> g", &[])
        .node("Gemm g w2 -> y", &[int("transB", 1), float("alpha", 2.0)]);
    let x: Vec<f32> = (0..6).map(|i| i as f32 * 0.5 - 1.0).collect();
    let mut expected = Vec::new();
    for row in x.chunks(3) {
        let hidden: Vec<f64> = (0..4)
            .map(|j| {
                let sum: f64 = (0..3)
                    .map(|k| f64::from(row[k]) * f64::from(w1[k * 4 + j]))
                    .sum();
                let a = sum + [0.1, -0.2, 0.3, 0.0][j];
                0.5 * a * (1.0 + erf(a / 2f64.sqrt()))
            })
            .collect();
        for j in 0..2 {
            let sum: f64 = (0..4).map(|k| hidden[k] * f64::from(w2[j * 4 + k])).sum();
            expected.push(2.0 * sum);
        }
    }
    let found = built.run(&[("x", host(&[2, 3], &x))]).unwrap();
    check_near(&found[0], &[2, 2], &expected);
}

#[test]
fn whole_numbers_of_64_bits_are_exact() {
    let built = model(14)
        .input("x i64 3")
        .output("y i64 3")
        .constant("k", &[], &[3i64])
        .node("Mul x k -> y", &[]);
    let x = [1i64 << 40, -(1 << 50) - 1, 7];
    let found = built.run(&[("x", host(&[3], &x))]).unwrap();
    assert_eq!(elements::<i64>(&found[0]), x.map(|x| 3 * x));
}

#[test]
fn inputs_and_outputs_that_are_optional_may_be_left_out() {
    let built = model(17)
        .input("x f32 2 2")
        .output("y f32 2 2")
        .output("inverse f32 2 1")
        .constant("top", &[], &[2.0f32])
        .constant("one", &[2], &[1.0f32, 1.0])
        .node("Clip x _ top -> c", &[])
        .node(
            "LayerNormalization c one -> y _ inverse",
            &[float("epsilon", 0.0)],
        );
    let x = host(&[2, 2], &[0.0f32, 9.0, -1.0, 1.0]);
    let found = built.run(&[("x", x)]).unwrap();
    check_near(&found[0], &[2, 2], &[-1.0, 1.0, -1.0, 1.0]);
    check_near(&found[1], &[2, 1], &[1.0, 1.0]);
}

#[test]
fn an_initializer_stands_for_an_input_that_is_not_given() {
    let built = model(14)
        .input("x f32 2")
        .input("k f32 1")
        .output("y f32 2")
        .constant("k", &[1], &[10.0f32])
        .node("Mul x k -> y", &[]);
    let x = || host(&[2], &[1.0f32, 2.0]);
    let found = built.run(&[("x", x())]).unwrap();
    assert_eq!(elements::<f32>(&found[0]), [10.0, 20.0]);
    let k = host(&[1], &[-1.0f32]);
    let found = built.run(&[("x", x()), ("k", k)]).unwrap();
    assert_eq!(elements::<f32>(&found[0]), [-1.0, -2.0]);
}

#[test]
fn outputs_may_be_inputs_and_constants() {
    let built = model(14)
        .input("x f32 2")
        .output("x f32 2")
        .output("c f16 2")
        .output("s i64 1")
        .output("same f32 2")
        .constant("c", &[2], &[f16::ONE, f16::NEG_ONE])
        .node("Shape x -> s", &[])
        .node("Identity x -> same", &[]);
    let found = built.run(&[("x", host(&[2], &[1.0f32, 2.0]))]).unwrap();
    assert_eq!(elements::<f32>(&found[0]), [1.0, 2.0]);
    assert_eq!(elements::<f16>(&found[1]), [f16::ONE, f16::NEG_ONE]);
    assert_eq!(elements::<i64>(&found[2]), [2]);
    assert_eq!(found[0], found[3]);
}

/// A function of a domain of its own.
fn function(name: &str, inputs: &[&str], outputs: &[&str]) -> FunctionProto {
    let names = |all: &[&str]| all.iter().map(|n| (*n).to_owned()).collect();
    FunctionProto {
        name: name.into(),
        domain: "own".into(),
        input: names(inputs),
        output: names(outputs),
        opset_import: vec![import("", 14), import("own", 1)],
        ..Default::default()
    }
}

#[test]
fn functions_of_a_model_become_their_nodes() {
    let mut leaky = function("Leaky", &["a"], &["r"]);
    leaky.attribute = vec!["slope".into()];
    leaky.node = vec![node("LeakyRelu a -> r", &[refers("alpha", "slope", 1)])];
    let mut twice = function("Twice", &["a", "bias"], &["r"]);
    twice.attribute_proto = vec![float("by", 0.5)];
    twice.node = vec![
        node("own::Leaky a -> once", &[refers("slope", "by", 1)]),
        node("own::Leaky once -> r", &[refers("slope", "by", 1)]),
    ];
    let mut built = model(14)
        .input("x f32 2")
        .output("y f32 2")
        .output("z f32 2")
        .output("w f32 2")
        .node("own::Twice x -> y", &[])
        .node("own::Twice x -> z", &[float("by", 0.25)])
        .node("own::Leaky x -> w", &[]);
    built.0.opset_import.push(import("own", 1));
    built.0.functions = vec![leaky, twice];
    assert_eq!(built.load().unwrap().node_count(), 5);
    let found = built.run(&[("x", host(&[2], &[-4.0f32, 3.0]))]).unwrap();
    let found: Vec<Vec<f32>> = found.iter().map(elements).collect();
    // The operator's own default where a call gives nothing.
    assert_eq!(found, [[-1.0, 3.0], [-0.25, 3.0], [-0.04, 3.0]]);
}

#[test]
fn functions_that_call_themselves_are_refused() {
    let mut one = function("One", &["a"], &["r"]);
    one.node = vec![node("own::Two a -> r", &[])];
    let mut two = function("Two", &["a"], &["r"]);
    two.node = vec![node("own::One a -> r", &[])];
    let mut built = model(14)
        .input("x f32 2")
        .output("y f32 2")
        .node("own::One x -> y", &[]);
    built.0.functions = vec![one, two];
    let error = built.error();
    assert!(error.contains("calls itself"), "{error}");
    assert!(error.contains("the_one"), "{error}");
}

#[test]
fn functions_that_grow_beyond_all_bounds_are_refused() {
    let mut functions = Vec::new();
    for level in 0..30 {
        let mut f = function(&format!("F{level}"), &["a"], &["r"]);
        let next = match level {
            29 => "Relu".to_owned(),
            _ => format!("own::F{}", level + 1),
        };
        f.node = vec![
            node(&format!("{next} a -> b"), &[]),
            node(&format!("{next} b -> r"), &[]),
        ];
        functions.push(f);
    }
    let mut built = model(14)
        .input("x f32 2")
        .output("y f32 2")
        .node("own::F0 x -> y", &[]);
    built.0.functions = functions;
    assert!(built.error().contains("nodes"), "{}", built.error());
}

#[test]
fn attention_is_what_it_is_made_of() {
    let built = model(24)
        .input("q f32 1 2 S 4")
        .input("k f32 1 2 S 4")
        .input("v f32 1 2 S 4")
        .input("pk f32 1 2 P 4")
        .input("pv f32 1 2 P 4")
        .output("y f32 1 2 S 4")
        .output("keys f32 1 2 T 4")
        .output("made f32 1 2 S 4")
        .constant("root", &[], &[0.5f32])
        .constant("mask", &[2, 5], &{
            let mut mask = [0.0f32; 10];
            mask[4] = f32::NEG_INFINITY;
            mask
        })
        .node("Attention q k v _ pk pv -> y keys", &[int("is_causal", 1)])
        .node("Concat pk k -> kk", &[int("axis", 2)])
        .node("Concat pv v -> vv", &[int("axis", 2)])
        .node("Transpose kk -> kt", &[ints("perm", &[0, 1, 3, 2])])
        .node("MatMul q kt -> scores", &[])
        .node("Mul scores root -> scaled", &[])
        .node("Add scaled mask -> masked", &[])
        .node("Softmax masked -> shares", &[int("axis", -1)])
        .node("MatMul shares vv -> made", &[]);
    let numbers = |count: usize, by: f32| -> Vec<f32> {
        (0..count)
            .map(|i| ((i * 7 + 3) % 11) as f32 * by - 0.4)
            .collect()
    };
    let inputs = [
        ("q", host(&[1, 2, 2, 4], &numbers(16, 0.1))),
        ("k", host(&[1, 2, 2, 4], &numbers(16, 0.2))),
        ("v", host(&[1, 2, 2, 4], &numbers(16, 0.3))),
        ("pk", host(&[1, 2, 3, 4], &numbers(24, 0.15))),
        ("pv", host(&[1, 2, 3, 4], &numbers(24, 0.25))),
    ];
    let found = built.run(&inputs).unwrap();
    let made: Vec<f64> = elements::<f32>(&found[2])
        .iter()
        .map(|&x| x.into())
        .collect();
    check_near(&found[0], &[1, 2, 2, 4], &made);
    assert_eq!(found[1].layout.shape().extents(), [1, 2, 5, 4]);
}

#[test]
fn old_operation_sets_have_their_own_meaning() {
    // Before opset 13 all axes from the named one on are one.
    let x = || host(&[1, 2, 2], &[0.0f32; 4]);
    let old = model(11)
        .input("x f32 1 2 2")
        .output("y f32 1 2 2")
        .output("s f32 1 2 1")
        .output("p f32 1 2 3")
        .output("l f32 1 1 2")
        .node("Softmax x -> y", &[])
        .node("ReduceSum x -> s", &[ints("axes", &[2])])
        .constant("pads", &[6], &[0i64, 0, 1, 0, 0, 0])
        .constant("seven", &[], &[7.0f32])
        .node("Pad x pads seven -> p", &[])
        .constant("from", &[1], &[-1i64])
        .constant("to", &[1], &[i64::MAX])
        .constant("along", &[1], &[1i64])
        .node("Slice x from to along -> l", &[]);
    let found = old.run(&[("x", x())]).unwrap();
    assert_eq!(elements::<f32>(&found[0]), [0.25; 4]);
    assert_eq!(elements::<f32>(&found[1]), [0.0; 2]);
    assert_eq!(elements::<f32>(&found[2]), [7.0, 0.0, 0.0, 7.0, 0.0, 0.0]);
    let new = model(13)
        .input("x f32 1 2 2")
        .output("y f32 1 2 2")
        .output("d f32 2 2")
        .constant("first", &[1], &[0i64])
        .node("Softmax x -> y", &[])
        .node("Squeeze x first -> d", &[]);
    let found = new.run(&[("x", x())]).unwrap();
    assert_eq!(elements::<f32>(&found[0]), [0.5; 4]);
    let error = model(13)
        .input("x f32 1 2 2")
        .output("s f32 1 2 1")
        .node("ReduceSum x -> s", &[ints("axes", &[2])])
        .error();
    assert!(error.contains("axes must be operand 1"), "{error}");
    let oldest = model(9)
        .input("x f32 2 2")
        .output("l f32 1 2")
        .output("p f32 2 3")
        .output("c f32 2 2")
        .output("d f32 2 2")
        .node("Slice x -> l", &[ints("starts", &[1]), ints("ends", &[9])])
        .node(
            "Pad x -> p",
            &[ints("pads", &[0, 0, 0, 1]), text("mode", "edge")],
        )
        .node("Clip x -> c", &[float("max", 2.5)])
        .node("Dropout x -> d", &[float("ratio", 0.9)]);
    let x = host(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0]);
    let found = oldest.run(&[("x", x)]).unwrap();
    let found: Vec<Vec<f32>> = found.iter().map(elements).collect();
    assert_eq!(found[0], [3.0, 4.0]);
    assert_eq!(found[1], [1.0, 2.0, 2.0, 3.0, 4.0, 4.0]);
    assert_eq!(found[2], [1.0, 2.0, 2.5, 2.5]);
    assert_eq!(found[3], [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_chain_of_choices_and_gathers_is_exact() {
    // As a tree: where a column is below its threshold the left leaf, else the right one.
    let built = model(16)
        .input("x f32 N 3")
        .output("y f32 N")
        .constant("columns", &[2], &[2i64, 0])
        .constant("thresholds", &[2], &[0.5f32, -1.0])
        .constant("left", &[2], &[10.0f32, 1.0])
        .constant("right", &[2], &[20.0f32, 2.0])
        .constant("one", &[1], &[1i64])
        .node("Gather x columns -> chosen", &[int("axis", 1)])
        .node("Less chosen thresholds -> below", &[])
        .node("Where below left right -> leaves", &[])
        .node("ReduceSum leaves one -> y", &[int("keepdims", 0)]);
    let x = host(&[2, 3], &[0.0f32, 9.0, 0.25, -2.0, 9.0, 0.75]);
    let found = built.run(&[("x", x)]).unwrap();
    assert_eq!(elements::<f32>(&found[0]), [12.0, 21.0]);
}

#[test]
fn steps_in_a_row_are_one_pass_and_constants_are_numbers() {
    let built = model(14)
        .input("x f32 64")
        .output("y f32 64")
        .node(
            "Constant -> two",
            &[array("value", tensor("", &[1], &[2.0f32]))],
        )
        .node("Constant -> half", &[float("value_float", 0.25)])
        .node("Add half half -> k", &[])
        .node("Mul x two -> a", &[])
        .node("Tanh a -> b", &[])
        .node("Add b k -> c", &[])
        .node("Relu c -> y", &[]);
    let bound = built.load().unwrap().bind(&[]).unwrap();
    let plan = bound.plan(&Options::default()).unwrap();
    assert_eq!(plan.pass_count(), 1);
    assert_eq!(plan.bytes_moved(), 2 * 64 * 4, "no constant is read");
    assert_eq!(bound.nodes().iter().filter(|n| n.is_known).count(), 3);
    let text = bound.explain(&Options::default()).unwrap();
    assert!(
        text.contains("node \"the_tanh\" (Tanh): f32[64], pass 0\n"),
        "{text}"
    );
    let memory = "memory: 512 bytes at the peak: 256 of inputs, 0 of constants, 256 of outputs";
    assert!(text.contains(memory), "{text}");
    assert!(
        text.contains("node \"the_add\" (Add): f32[], known\n"),
        "{text}"
    );
}

#[test]
fn another_run_with_the_same_shapes_compiles_nothing() {
    let built = model(14)
        .input("x f32 N 4")
        .output("y f32 N 1")
        .constant("w", &[4, 1], &[1.0f32, 2.0, 3.0, 4.0])
        .node("MatMul x w -> m", &[])
        .node("Exp m -> y", &[]);
    let context = context();
    let mut session = built.load().unwrap().session(&context);
    let ones = context.ones(zerostride::DType::F32, [3, 4]).unwrap();
    let first = session.run(&[("x", &ones)]).unwrap();
    let compiled = context.pipelines_compiled();
    let second = session.run(&[("x", &ones)]).unwrap();
    assert_eq!(context.pipelines_compiled(), compiled);
    let read = |outputs: &[(String, zerostride::Tensor)]| outputs[0].1.to_host_blocking().unwrap();
    assert_eq!(read(&first), read(&second));
    let five = context.ones(zerostride::DType::F32, [5, 4]).unwrap();
    let third = session.run(&[("x", &five)]).unwrap();
    assert_eq!(third[0].1.shape().extents(), [5, 1]);
}

#[test]
fn what_is_declared_holds() {
    let built = model(14)
        .input("a f32 N 2")
        .input("b f32 N 2")
        .output("y f32 N 2")
        .node("Add a b -> y", &[]);
    let run = |a: &[usize], b: &[usize]| {
        let ones = |shape: &[usize]| host(shape, &vec![1.0f32; shape.iter().product()]);
        crate::build::words(built.run(&[("a", ones(a)), ("b", ones(b))]))
    };
    assert!(run(&[2, 2], &[1, 2]).contains("N is 2 already, not 1"));
    assert!(run(&[2, 3], &[2, 3]).contains("declared as [N, 2], not [2, 3]"));
    assert!(run(&[2], &[2]).contains("declared as [N, 2], not [2]"));
    let whole = host(&[1, 2], &[1i32, 2]);
    let error = crate::build::words(built.run(&[("a", whole.clone()), ("b", whole)]));
    assert!(error.contains("declared as f32, not i32"), "{error}");
    let mut other = built.clone();
    other.graph().output[0] = value("y i64 N 2");
    let ones = || host(&[1, 2], &[1.0f32, 1.0]);
    let error = crate::build::words(other.run(&[("a", ones()), ("b", ones())]));
    assert!(error.contains("declared as i64, but is f32"), "{error}");
}

#[test]
fn explain_says_which_pass_computes_a_node() {
    let built = model(17)
        .input("x f32 64 32")
        .output("y f32 64 16")
        .constant(
            "w",
            &[32, 16],
            &(0..512).map(|i| i as f32).collect::<Vec<_>>(),
        )
        .node("Exp x -> a", &[])
        .node("MatMul a w -> b", &[])
        .node("Relu b -> c", &[])
        .node("Softmax c -> y", &[]);
    let bound = built.load().unwrap().bind(&[]).unwrap();
    let text = bound.explain(&Options::default()).unwrap();
    let passes = |node: &str| {
        let line = text.lines().find(|line| line.contains(node)).unwrap();
        line.split_once("], ").unwrap().1.to_owned()
    };
    assert_eq!(passes("(Exp)"), "pass 0", "{text}");
    assert_eq!(passes("(MatMul)"), "pass 1", "{text}");
    assert!(passes("(Softmax)").starts_with("pass"), "{text}");
    assert!(!passes("(Softmax)").contains('0'), "{text}");
}
