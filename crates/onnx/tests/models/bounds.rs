//! Long names, long lists and many nodes.

use zerostride::Options;
use zerostride_onnx::proto::FunctionProto;

use crate::build::{Built, import, int, ints, model, node, of, text};

#[test]
fn messages_hold_no_more_than_a_line_of_a_name_or_list() {
    let long = "n".repeat(1_000_000);
    let named = |name: &str, node_name: &str| {
        let mut built = of(&format!("Add {name} x -> y"));
        built.graph().node[0].name = node_name.into();
        built
    };
    let many = vec![7i64; 4000];
    let cases = [
        named(&long, "a"),
        named("missing", &long),
        of(&format!("{long} x -> y")),
        of(&format!("{long}::Relu x -> y")),
        of("Relu x -> y").output(&format!("{long} f32 1")),
        of("Relu x -> y").input(&format!("{long} f32 rows")),
        model(21)
            .input("x f32 2 3")
            .output("y f32 2 3")
            .node("Relu x -> y", &[int(&long, 2)]),
        model(21)
            .input("x f32 2 3")
            .output("y f32 2 3")
            .node("Softmax x -> y", &[ints("axis", &many)]),
        model(21)
            .input("x f32 2 3")
            .output("y f32 2 3")
            .node("Softmax x -> y", &[text("axis", &long)]),
        model(21)
            .input("x f32 2 3")
            .output("y f32 2 3")
            .constant("s", &[4000], &many)
            .node("Split x s -> y", &[]),
        model(21)
            .input("x f32 2 3")
            .output("y f32 2 3")
            .constant("s", &[4000], &many)
            .node("Reshape x s -> y", &[]),
        model(21)
            .input("x f32 2 3")
            .output("y f32 2 3")
            .constant("s", &[4000], &many)
            .node("Tile x s -> y", &[]),
        of("Relu x -> z").node("Gelu z -> y", &[text("approximate", &long)]),
        of("Relu x -> z").node("Einsum z -> y", &[text("equation", &long)]),
    ];
    for (n, built) in cases.iter().enumerate() {
        let error = built.error();
        assert!(
            error.len() < 500,
            "case {n}: {} bytes: {error:.500}",
            error.len()
        );
    }
}

#[test]
fn the_label_of_a_call_is_cut_before_the_node_s_own() {
    let mut built = of("own::Outer x -> y");
    built.graph().node[0].name = "n".repeat(200);
    built.0.opset_import.push(import("own", 1));
    built.0.functions.push(FunctionProto {
        name: "Outer".into(),
        domain: "own".into(),
        input: vec!["a".into()],
        output: vec!["b".into()],
        node: vec![node("BitwiseNot a -> b", &[])],
        opset_import: vec![import("", 21)],
        ..Default::default()
    });
    let error = built.error();
    let label = "nnn..., node \"the_bitwisenot\" (BitwiseNot)";
    assert!(error.contains(label), "{error}");
    assert!(error.len() < 400, "{error}");
}

#[test]
fn a_model_of_many_nodes_takes_time_in_proportion() {
    let chain = |count: usize| {
        let mut built = model(14).input("v0 f32 8").output("last f32 8");
        for i in 0..count {
            let to = if i + 1 == count {
                "last".to_owned()
            } else {
                format!("v{}", i + 1)
            };
            built = built.node(&format!("Neg v{i} -> {to}"), &[]);
        }
        built
    };
    let time = |built: &Built| {
        let begun = std::time::Instant::now();
        let bound = built.load().unwrap().bind(&[]).unwrap();
        assert!(!bound.nodes().is_empty());
        begun.elapsed().as_secs_f64()
    };
    let [few, many] = [chain(2000), chain(20_000)];
    time(&few);
    let (few, many) = (time(&few), time(&many));
    assert!(many < 40.0 * few + 0.5, "{few} s and {many} s");
}

#[test]
fn a_node_of_many_operands_takes_time_in_proportion() {
    let time = |count: usize| {
        let names: Vec<String> = (0..count).map(|i| format!("x{i}")).collect();
        let mut built = model(24).output("y f32 ?");
        for name in &names {
            built = built.input(&format!("{name} f32 1"));
        }
        let built = built.node(
            &format!("Concat {} -> y", names.join(" ")),
            &[int("axis", 0)],
        );
        let bound = built.load().unwrap().bind(&[]).unwrap();
        let begun = std::time::Instant::now();
        bound.explain(&Options::default()).unwrap();
        begun.elapsed().as_secs_f64()
    };
    time(500);
    let (few, many) = (time(500), time(8000));
    assert!(many < 48.0 * few + 0.5, "{few} s and {many} s");
}
