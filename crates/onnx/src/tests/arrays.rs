//! Operators that move, gather and make arrays, by example, on the host.

mod sums;

use super::*;

/// An operator of the newest set, its attributes and operands, and its results.
struct Array<'a> {
    name: &'a str,
    attrs: Vec<(&'a str, Attr)>,
    operands: Vec<Option<HostTensor>>,
    results: Vec<HostTensor>,
}

fn floats(shape: &[usize], data: &[f64]) -> HostTensor {
    tensor(F32, shape, data)
}

fn whole(shape: &[usize], data: &[f64]) -> HostTensor {
    tensor(I64, shape, data)
}

fn axes(data: &[i64]) -> Attr {
    Attr::Ints(data.to_vec())
}

fn text(s: &str) -> Attr {
    Attr::Str(s.into())
}

fn array<'a>(
    name: &'a str,
    attrs: &[(&'a str, Attr)],
    operands: &[HostTensor],
    results: &[HostTensor],
) -> Array<'a> {
    Array {
        name,
        attrs: attrs.to_vec(),
        operands: operands.iter().cloned().map(Some).collect(),
        results: results.to_vec(),
    }
}

/// The results of an operator on the host, all operands known.
fn made(case: &Array<'_>) -> Result<Vec<HostTensor>> {
    let operands: Vec<Option<Operand>> = case
        .operands
        .iter()
        .enumerate()
        .map(|(i, host)| {
            let host = host.as_ref()?;
            let shape = host.layout.shape().clone();
            let operand = Operand::new(Expr::slot(i), host.dtype, shape);
            Some(operand.with_known(host.clone()))
        })
        .collect();
    let attrs: Attrs = case
        .attrs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let call = Call::new(Onnx, case.name, &operands)
        .attrs(&attrs)
        .results(case.results.len());
    let hosts: Vec<HostTensor> = case
        .operands
        .iter()
        .map(|host| host.clone().unwrap_or_else(|| floats(&[0], &[])))
        .collect();
    match crate::made(&call)? {
        Made::Known(host) => Ok(vec![host]),
        Made::Exprs(exprs) => exprs.iter().map(|e| reference::run(e, &hosts)).collect(),
    }
}

fn check(cases: &[Array<'_>]) {
    let mut failures = Vec::new();
    for case in cases {
        let (name, attrs) = (case.name, &case.attrs);
        match made(case) {
            Ok(found) if found.len() < case.results.len() => {
                failures.push(format!("{name}: {} results", found.len()));
            }
            Ok(found) => {
                for (found, expected) in found.iter().zip(&case.results) {
                    if found != expected {
                        failures.push(format!("{name} {attrs:?}: {found:?}, not {expected:?}"));
                    }
                }
            }
            Err(error) => failures.push(format!("{name} {attrs:?}: {error}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn six() -> HostTensor {
    floats(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
}

fn row(data: &[f64]) -> HostTensor {
    floats(&[data.len()], data)
}

fn ints(data: &[f64]) -> HostTensor {
    whole(&[data.len()], data)
}

#[test]
fn views_and_joins_move_elements() {
    check(&[
        array(
            "Reshape",
            &[],
            &[six(), ints(&[0.0, -1.0, 1.0])],
            &[floats(&[2, 3, 1], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])],
        ),
        array(
            "Flatten",
            &[("axis", Attr::Int(-2))],
            &[six()],
            &[floats(&[1, 6], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])],
        ),
        array(
            "Transpose",
            &[],
            &[six()],
            &[floats(&[3, 2], &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0])],
        ),
        array(
            "Unsqueeze",
            &[],
            &[row(&[1.0, 2.0]), ints(&[-1.0])],
            &[floats(&[2, 1], &[1.0, 2.0])],
        ),
        array(
            "Squeeze",
            &[],
            &[floats(&[1, 2, 1], &[1.0, 2.0])],
            &[row(&[1.0, 2.0])],
        ),
        array(
            "Slice",
            &[],
            &[
                six(),
                ints(&[-1.0]),
                ints(&[-100.0]),
                ints(&[1.0]),
                ints(&[-2.0]),
            ],
            &[floats(&[2, 2], &[3.0, 1.0, 6.0, 4.0])],
        ),
        array(
            "Concat",
            &[("axis", Attr::Int(-1))],
            &[six(), floats(&[2, 1], &[7.0, 8.0])],
            &[floats(&[2, 4], &[1.0, 2.0, 3.0, 7.0, 4.0, 5.0, 6.0, 8.0])],
        ),
        array(
            "Split",
            &[("axis", Attr::Int(1)), ("num_outputs", Attr::Int(2))],
            &[six()],
            &[
                floats(&[2, 2], &[1.0, 2.0, 4.0, 5.0]),
                floats(&[2, 1], &[3.0, 6.0]),
            ],
        ),
        array(
            "Tile",
            &[],
            &[row(&[1.0, 2.0]), ints(&[2.0])],
            &[row(&[1.0, 2.0, 1.0, 2.0])],
        ),
        array(
            "DepthToSpace",
            &[("blocksize", Attr::Int(2))],
            &[floats(&[1, 4, 1, 1], &[1.0, 2.0, 3.0, 4.0])],
            &[floats(&[1, 1, 2, 2], &[1.0, 2.0, 3.0, 4.0])],
        ),
        array(
            "SpaceToDepth",
            &[("blocksize", Attr::Int(2))],
            &[floats(&[1, 1, 2, 2], &[1.0, 2.0, 3.0, 4.0])],
            &[floats(&[1, 4, 1, 1], &[1.0, 2.0, 3.0, 4.0])],
        ),
        array(
            "Trilu",
            &[("upper", Attr::Int(0))],
            &[six()],
            &[floats(&[2, 3], &[1.0, 0.0, 0.0, 4.0, 5.0, 0.0])],
        ),
        array(
            "CenterCropPad",
            &[],
            &[row(&[1.0, 2.0, 3.0]), ints(&[6.0])],
            &[row(&[0.0, 1.0, 2.0, 3.0, 0.0, 0.0])],
        ),
        array(
            "CenterCropPad",
            &[],
            &[row(&[1.0, 2.0, 3.0, 4.0]), ints(&[1.0])],
            &[row(&[2.0])],
        ),
    ]);
}

#[test]
fn pads_repeat_what_their_mode_says() {
    let x = || row(&[1.0, 2.0, 3.0]);
    let pad = |mode: &str, ends: [f64; 2], expected: &[f64]| {
        array(
            "Pad",
            &[("mode", text(mode))],
            &[x(), ints(&ends)],
            &[row(expected)],
        )
    };
    check(&[
        pad("constant", [1.0, 2.0], &[0.0, 1.0, 2.0, 3.0, 0.0, 0.0]),
        pad("constant", [-1.0, 1.0], &[2.0, 3.0, 0.0]),
        pad("edge", [2.0, 1.0], &[1.0, 1.0, 1.0, 2.0, 3.0, 3.0]),
        pad("reflect", [2.0, 2.0], &[3.0, 2.0, 1.0, 2.0, 3.0, 2.0, 1.0]),
        pad(
            "reflect",
            [5.0, 0.0],
            &[2.0, 1.0, 2.0, 3.0, 2.0, 1.0, 2.0, 3.0],
        ),
        pad(
            "wrap",
            [4.0, 1.0],
            &[3.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0],
        ),
    ]);
}

#[test]
fn arrays_are_made_of_numbers() {
    check(&[
        array(
            "Shape",
            &[("start", Attr::Int(-1))],
            &[six()],
            &[ints(&[3.0])],
        ),
        array("Size", &[], &[six()], &[whole(&[], &[6.0])]),
        array(
            "Constant",
            &[("value_ints", axes(&[1, -2]))],
            &[],
            &[ints(&[1.0, -2.0])],
        ),
        array(
            "Constant",
            &[("value_floats", Attr::Floats(vec![0.5]))],
            &[],
            &[row(&[0.5])],
        ),
        array("ConstantOfShape", &[], &[ints(&[2.0])], &[row(&[0.0, 0.0])]),
        array(
            "Range",
            &[],
            &[whole(&[], &[10.0]), whole(&[], &[4.0]), whole(&[], &[-3.0])],
            &[ints(&[10.0, 7.0])],
        ),
        array(
            "Range",
            &[],
            &[
                floats(&[], &[1.0]),
                floats(&[], &[2.0]),
                floats(&[], &[0.5]),
            ],
            &[row(&[1.0, 1.5])],
        ),
        array(
            "EyeLike",
            &[("k", Attr::Int(1))],
            &[six()],
            &[floats(&[2, 3], &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0])],
        ),
        array(
            "OneHot",
            &[],
            &[
                ints(&[1.0, -1.0, 9.0]),
                whole(&[], &[3.0]),
                row(&[2.0, 5.0]),
            ],
            &[floats(
                &[3, 3],
                &[2.0, 5.0, 2.0, 2.0, 2.0, 5.0, 2.0, 2.0, 2.0],
            )],
        ),
        array(
            "Dropout",
            &[],
            &[row(&[1.0, 2.0])],
            &[row(&[1.0, 2.0]), tensor(Bool, &[2], &[1.0, 1.0])],
        ),
        array(
            "Compress",
            &[("axis", Attr::Int(1))],
            &[six(), tensor(Bool, &[3], &[1.0, 0.0, 1.0])],
            &[floats(&[2, 2], &[1.0, 3.0, 4.0, 6.0])],
        ),
    ]);
}

#[test]
fn elements_are_taken_put_and_ordered() {
    let reduction = |how: &str| ("reduction", text(how));
    check(&[
        array(
            "Gather",
            &[("axis", Attr::Int(1))],
            &[six(), ints(&[-1.0, 0.0])],
            &[floats(&[2, 2], &[3.0, 1.0, 6.0, 4.0])],
        ),
        array(
            "GatherElements",
            &[("axis", Attr::Int(1))],
            &[six(), whole(&[2, 1], &[-1.0, 1.0])],
            &[floats(&[2, 1], &[3.0, 5.0])],
        ),
        array(
            "GatherND",
            &[],
            &[six(), whole(&[2, 2], &[0.0, 1.0, -1.0, -1.0])],
            &[row(&[2.0, 6.0])],
        ),
        array(
            "GatherND",
            &[("batch_dims", Attr::Int(1))],
            &[six(), whole(&[2, 1], &[0.0, 2.0])],
            &[row(&[1.0, 6.0])],
        ),
        // Of updates that meet, the last one stays.
        array(
            "ScatterElements",
            &[("axis", Attr::Int(1))],
            &[
                six(),
                whole(&[1, 2], &[2.0, 2.0]),
                floats(&[1, 2], &[7.0, 8.0]),
            ],
            &[floats(&[2, 3], &[1.0, 2.0, 8.0, 4.0, 5.0, 6.0])],
        ),
        array(
            "ScatterElements",
            &[("axis", Attr::Int(1)), reduction("add")],
            &[
                six(),
                whole(&[1, 2], &[2.0, -1.0]),
                floats(&[1, 2], &[7.0, 8.0]),
            ],
            &[floats(&[2, 3], &[1.0, 2.0, 18.0, 4.0, 5.0, 6.0])],
        ),
        array(
            "ScatterND",
            &[],
            &[
                six(),
                whole(&[1, 1], &[1.0]),
                floats(&[1, 3], &[7.0, 8.0, 9.0]),
            ],
            &[floats(&[2, 3], &[1.0, 2.0, 3.0, 7.0, 8.0, 9.0])],
        ),
        array(
            "ScatterND",
            &[reduction("max")],
            &[
                row(&[1.0, 9.0]),
                whole(&[2, 1], &[0.0, 1.0]),
                row(&[5.0, 5.0]),
            ],
            &[row(&[5.0, 9.0])],
        ),
        array(
            "TensorScatter",
            &[("axis", Attr::Int(1)), ("mode", text("circular"))],
            &[
                six(),
                floats(&[2, 2], &[7.0, 8.0, 9.0, 10.0]),
                ints(&[0.0, 2.0]),
            ],
            &[floats(&[2, 3], &[7.0, 8.0, 3.0, 10.0, 5.0, 9.0])],
        ),
        array(
            "ReverseSequence",
            &[("time_axis", Attr::Int(1)), ("batch_axis", Attr::Int(0))],
            &[six(), ints(&[2.0, 3.0])],
            &[floats(&[2, 3], &[2.0, 1.0, 3.0, 6.0, 5.0, 4.0])],
        ),
        // Of equal elements the first.
        array(
            "TopK",
            &[],
            &[row(&[1.0, 3.0, 2.0, 3.0]), ints(&[3.0])],
            &[row(&[3.0, 3.0, 2.0]), ints(&[1.0, 3.0, 2.0])],
        ),
        array(
            "TopK",
            &[("largest", Attr::Int(0))],
            &[row(&[1.0, 3.0, 2.0, 1.0]), ints(&[2.0])],
            &[row(&[1.0, 1.0]), ints(&[0.0, 3.0])],
        ),
    ]);
}
