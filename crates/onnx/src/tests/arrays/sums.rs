//! Operators that multiply, normalise and weigh arrays.

use super::*;

#[test]
fn products_are_sums_of_products() {
    let bytes = |shape: &[usize], data: &[f64]| tensor(U8, shape, data);
    let equation = |s: &str| [("equation", text(s))];
    let vector = || row(&[1.0, 0.0, 2.0]);
    check(&[
        array("MatMul", &[], &[six(), vector()], &[row(&[7.0, 16.0])]),
        array(
            "MatMulInteger",
            &[],
            &[
                bytes(&[1, 2], &[3.0, 255.0]),
                bytes(&[2, 1], &[2.0, 1.0]),
                bytes(&[], &[1.0]),
            ],
            &[tensor(I32, &[1, 1], &[258.0])],
        ),
        array(
            "Einsum",
            &equation("ij,j->i"),
            &[six(), vector()],
            &[row(&[7.0, 16.0])],
        ),
        array(
            "Einsum",
            &equation("ij->j"),
            &[six()],
            &[row(&[5.0, 7.0, 9.0])],
        ),
        array(
            "Einsum",
            &equation("ij, kj -> ki"),
            &[six(), six()],
            &[floats(&[2, 2], &[14.0, 32.0, 32.0, 77.0])],
        ),
        array(
            "Einsum",
            &equation("ii"),
            &[floats(&[2, 2], &[1.0, 2.0, 3.0, 4.0])],
            &[floats(&[], &[5.0])],
        ),
        array(
            "Einsum",
            &equation("...j,j"),
            &[six(), vector()],
            &[row(&[7.0, 16.0])],
        ),
        array(
            "Einsum",
            &equation("i,j,i->ij"),
            &[row(&[1.0, 2.0]), row(&[3.0]), row(&[5.0, 7.0])],
            &[floats(&[2, 1], &[15.0, 42.0])],
        ),
        array(
            "QLinearMatMul",
            &[],
            &[
                bytes(&[1, 2], &[12.0, 8.0]),
                floats(&[], &[0.5]),
                bytes(&[], &[10.0]),
                bytes(&[2, 1], &[3.0, 1.0]),
                floats(&[], &[2.0]),
                bytes(&[], &[0.0]),
                floats(&[], &[0.5]),
                bytes(&[], &[7.0]),
            ],
            &[bytes(&[1, 1], &[15.0])],
        ),
    ]);
}

#[test]
fn normalised_elements_have_their_mean_and_spread() {
    let image = || floats(&[1, 2, 2], &[1.0, 3.0, 10.0, 20.0]);
    let exact = [("epsilon", Attr::Float(0.0))];
    let two = || row(&[2.0, 1.0]);
    let zero = || row(&[0.0, 1.0]);
    check(&[
        array(
            "LayerNormalization",
            &exact,
            &[floats(&[1, 2], &[1.0, 3.0]), two(), zero()],
            &[
                floats(&[1, 2], &[-2.0, 2.0]),
                floats(&[1, 1], &[2.0]),
                floats(&[1, 1], &[1.0]),
            ],
        ),
        array(
            "RMSNormalization",
            &exact,
            &[floats(&[1, 2], &[7.0, 1.0]), two()],
            &[floats(&[1, 2], &[2.8, 0.2])],
        ),
        array(
            "InstanceNormalization",
            &exact,
            &[image(), two(), zero()],
            &[floats(&[1, 2, 2], &[-2.0, 2.0, 0.0, 2.0])],
        ),
        array(
            "GroupNormalization",
            &[exact[0].clone(), ("num_groups", Attr::Int(2))],
            &[image(), two(), zero()],
            &[floats(&[1, 2, 2], &[-2.0, 2.0, 0.0, 2.0])],
        ),
        array(
            "BatchNormalization",
            &exact,
            &[image(), two(), zero(), row(&[1.0, 10.0]), row(&[4.0, 25.0])],
            &[floats(&[1, 2, 2], &[0.0, 2.0, 1.0, 3.0])],
        ),
        array(
            "LpNormalization",
            &[],
            &[floats(&[2, 2], &[3.0, 4.0, 0.0, 0.0])],
            &[floats(&[2, 2], &[0.6, 0.8, 0.0, 0.0])],
        ),
        array(
            "LpNormalization",
            &[("p", Attr::Int(1))],
            &[row(&[1.0, 3.0])],
            &[row(&[0.25, 0.75])],
        ),
        array(
            "GlobalAveragePool",
            &[],
            &[image()],
            &[floats(&[1, 2, 1], &[2.0, 15.0])],
        ),
        array(
            "GlobalMaxPool",
            &[],
            &[image()],
            &[floats(&[1, 2, 1], &[3.0, 20.0])],
        ),
        array(
            "GlobalLpPool",
            &[("p", Attr::Int(1))],
            &[image()],
            &[floats(&[1, 2, 1], &[4.0, 30.0])],
        ),
        array(
            "LRN",
            &[
                ("size", Attr::Int(3)),
                ("alpha", Attr::Float(3.0)),
                ("beta", Attr::Float(1.0)),
            ],
            &[floats(&[1, 2, 1], &[1.0, 2.0])],
            &[floats(&[1, 2, 1], &[1.0 / 6.0, 2.0 / 6.0])],
        ),
        array(
            "DynamicQuantizeLinear",
            &[],
            &[row(&[0.0, 255.0, 51.0])],
            &[
                tensor(U8, &[3], &[0.0, 255.0, 51.0]),
                floats(&[], &[1.0]),
                tensor(U8, &[], &[0.0]),
            ],
        ),
        array(
            "QuantizeLinear",
            &[("block_size", Attr::Int(2)), ("axis", Attr::Int(0))],
            &[row(&[2.0, 4.0, 9.0]), row(&[2.0, 3.0])],
            &[tensor(U8, &[3], &[1.0, 2.0, 3.0])],
        ),
    ]);
}

#[test]
fn losses_weigh_and_ignore_classes() {
    let scores = || floats(&[2, 2], &[-1.0, -2.0, -3.0, -4.0]);
    let loss = |attrs: &[(&'static str, Attr)], rest: &[HostTensor], expected: HostTensor| {
        let operands = [&[scores(), ints(&[1.0, 0.0])], rest].concat();
        array("NegativeLogLikelihoodLoss", attrs, &operands, &[expected])
    };
    check(&[
        loss(&[], &[], floats(&[], &[2.5])),
        loss(&[("reduction", text("none"))], &[], row(&[2.0, 3.0])),
        loss(
            &[("reduction", text("sum"))],
            &[row(&[1.0, 3.0])],
            floats(&[], &[9.0]),
        ),
        loss(&[], &[row(&[1.0, 3.0])], floats(&[], &[2.25])),
        loss(&[("ignore_index", Attr::Int(1))], &[], floats(&[], &[3.0])),
    ]);
}
