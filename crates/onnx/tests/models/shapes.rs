//! Shapes that nodes compute.

use zerostride::{DType, Options, Slot};
use zerostride_onnx::Given;

use crate::build::{array, context, elements, host, int, model, tensor, words};

/// The last two axes as one, as exporters write it.
fn flattened() -> crate::build::Built {
    model(15)
        .input("x f32 B C H")
        .output("y f32 B D")
        .constant("zero", &[], &[0i64])
        .constant("last", &[1], &[-1i64])
        .constant("axis", &[1], &[0i64])
        .node("Shape x -> shape", &[])
        .node("Gather shape zero -> batch", &[])
        .node("Unsqueeze batch axis -> first", &[])
        .node("Concat first last -> target", &[int("axis", 0)])
        .node("Mul x x -> squares", &[])
        .node("Reshape squares target -> y", &[])
}

#[test]
fn shape_arithmetic_is_known_on_the_host() {
    let model = flattened().load().unwrap();
    let slot = Slot::new(DType::F32, [2, 3, 4]).unwrap();
    let bound = model.bind(&[("x", Given::Slot(slot))]).unwrap();
    let known: Vec<bool> = bound.nodes().iter().map(|n| n.is_known).collect();
    assert_eq!(known, [true, true, true, true, false, false]);
    let plan = bound.plan(&Options::default()).unwrap();
    let outputs: Vec<_> = plan.outputs().map(|(_, s)| s.extents().to_vec()).collect();
    assert_eq!(outputs, [[2, 12]]);
}

#[test]
fn symbolic_extents_take_their_numbers_from_each_run() {
    let context = context();
    let mut session = flattened().load().unwrap().session(&context);
    for shape in [[2, 3, 4], [1, 1, 5], [4, 2, 2], [2, 3, 4]] {
        let x = context.ones(DType::F32, shape).unwrap();
        let found = session.run(&[("x", &x)]).unwrap();
        let flat = [shape[0], shape[1] * shape[2]];
        assert_eq!(found[0].1.shape().extents(), flat);
    }
}

#[test]
fn a_shape_that_is_an_input_is_read_from_it() {
    let built = model(14)
        .input("x f32 6")
        .input("shape i64 2")
        .output("y f32 ? ?")
        .node(
            "Constant -> one",
            &[array("value", tensor("", &[1], &[1i64]))],
        )
        .node("Mul shape one -> same", &[])
        .node("Reshape x same -> y", &[]);
    let context = context();
    let mut session = built.load().unwrap().session(&context);
    let x = context.arange(DType::F32, 0.0, 6.0, 1.0).unwrap();
    for shape in [[2i64, 3], [3, 2], [-1, 6], [2, 3]] {
        let given = context.tensor(&shape, [2]).unwrap();
        let found = session.run(&[("x", &x), ("shape", &given)]).unwrap();
        let expected = if shape[0] < 0 {
            [1, 6]
        } else {
            shape.map(|e| e as usize)
        };
        assert_eq!(found[0].1.shape().extents(), expected);
        assert_eq!(found[0].1.read_blocking::<f32>().unwrap()[5], 5.0);
    }
    let bad = context.tensor(&[4i64, 2], [2]).unwrap();
    let error = words(session.run(&[("x", &x), ("shape", &bad)]));
    assert!(error.contains("node \"the_reshape\" (Reshape)"), "{error}");
    assert!(error.contains("cannot reshape [6] to [4, 2]"), "{error}");
    let slots = [
        ("x", Given::Slot(Slot::new(DType::F32, [6]).unwrap())),
        ("shape", Given::Slot(Slot::new(DType::I64, [2]).unwrap())),
    ];
    let error = words(built.load().unwrap().bind(&slots));
    assert!(
        error.contains("depends on the elements of the input \"shape\""),
        "{error}"
    );
    let slots = [
        ("x", Given::Slot(Slot::new(DType::F32, [6]).unwrap())),
        ("shape", Given::Elements(host(&[2], &[3i64, 2]))),
    ];
    assert!(built.load().unwrap().bind(&slots).is_ok());
}

#[test]
fn ranges_and_fills_of_computed_lengths_stay_on_the_device() {
    let built = model(14)
        .input("x f32 N")
        .output("y i64 M")
        .constant("zero", &[], &[0i64])
        .constant("step", &[], &[2i64])
        .node("Size x -> n", &[])
        .node("Mul n step -> end", &[])
        .node("Range zero end step -> r", &[])
        .node("Unsqueeze n axis -> m", &[])
        .constant("axis", &[1], &[0i64])
        .node(
            "ConstantOfShape m -> f",
            &[array("value", tensor("", &[1], &[5i64]))],
        )
        .node("Add r f -> y", &[]);
    let found = built.run(&[("x", host(&[3], &[0.0f32; 3]))]).unwrap();
    assert_eq!(elements::<i64>(&found[0]), [5, 7, 9]);
    // Large ones are no constants.
    let slot = Slot::new(DType::F32, [1 << 20]).unwrap();
    let bound = built
        .load()
        .unwrap()
        .bind(&[("x", Given::Slot(slot))])
        .unwrap();
    let plan = bound.plan(&Options::default()).unwrap();
    assert_eq!((plan.pass_count(), plan.bytes_moved()), (1, 8 << 20));
}

#[test]
fn extents_of_one_name_are_given_once() {
    let model = model(21)
        .input("x f32 N D")
        .input("y f32 N D")
        .input("w f32 D M")
        .output("z f32 N M")
        .node("Add x y -> s", &[])
        .node("MatMul s w -> z", &[])
        .load()
        .unwrap();
    let given = |shape: &[usize]| Given::Slot(Slot::new(DType::F32, shape.to_vec()).unwrap());
    let missing = |inputs: &[(&str, Given)]| -> Vec<String> {
        let missing = model.missing(inputs).unwrap();
        missing.iter().map(|i| i.name.clone()).collect()
    };
    assert_eq!(missing(&[]), ["x", "y", "w"]);
    assert_eq!(missing(&[("y", given(&[4, 3]))]), ["w"]);
    let both = [("y", given(&[4, 3])), ("w", given(&[3, 2]))];
    assert_eq!(missing(&both), [""; 0]);
    let plan = model
        .bind(&both)
        .unwrap()
        .plan(&Options::default())
        .unwrap();
    let outputs: Vec<_> = plan.outputs().map(|(_, s)| s.extents().to_vec()).collect();
    assert_eq!(outputs, [[4, 2]]);
    for (inputs, words) in [
        (
            vec![("v", given(&[4]))],
            "it has no input \"v\"; its inputs are x, y, w",
        ),
        (
            vec![("x", given(&[4, 3])), ("x", given(&[4, 3]))],
            "\"x\" is given twice",
        ),
        (
            vec![("x", given(&[4, 3])), ("w", given(&[4, 2]))],
            "D is 3 already, not 4",
        ),
    ] {
        for error in [
            model.missing(&inputs).map(|_| ()).unwrap_err(),
            model.bind(&inputs).map(|_| ()).unwrap_err(),
        ] {
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
