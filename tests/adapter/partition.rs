//! Parts of an expression, computed apart and put together.

use zerostride::{
    Axes, Context, DType, Expr, HostTensor, Index, Options, Part, Partition, Plan, Slot, View,
};

use crate::common::{Random, Thinned, context, own_context};

/// A part on a context that is given nothing but the bytes that the part needs.
fn run(context: &Context, part: &Part, inputs: &[HostTensor]) -> Vec<u8> {
    let tensors: Vec<_> = (inputs.iter().enumerate())
        .map(|(i, host)| {
            let bytes = &host.bytes[part.bytes(i, host.dtype)];
            context
                .tensor_from_bytes(host.dtype, [part.inputs[i].len()], bytes)
                .unwrap()
        })
        .collect();
    let found = context
        .run(&part.plan, &tensors.iter().collect::<Vec<_>>())
        .unwrap()
        .remove(0);
    assert_eq!(
        (found.shape(), found.len()),
        (&part.shape, part.elements.len())
    );
    found.read_bytes_blocking().unwrap()
}

fn slots(inputs: &[HostTensor]) -> Vec<Slot> {
    inputs
        .iter()
        .map(|h| Slot::wrapped(h.dtype, h.layout.clone(), h.bytes.len() as u64 + 64))
        .collect()
}

/// The whole result.
fn whole(
    context: &Context,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    options: &Options,
) -> Vec<u8> {
    let tensors: Vec<_> = inputs
        .iter()
        .map(|h| context.tensor_from_host(h).unwrap())
        .collect();
    let slots: Vec<_> = tensors.iter().map(|t| t.slot()).collect();
    let plan = Plan::new(expr, &slots, options).unwrap();
    context
        .run(&plan, &tensors.iter().collect::<Vec<_>>())
        .unwrap()
        .remove(0)
        .read_bytes_blocking()
        .unwrap()
}

/// The bytes of all parts, one behind another.
pub fn together(
    contexts: &[Context],
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    n: usize,
    options: &Options,
) -> Vec<u8> {
    let partition = Partition::new(expr, &slots(inputs), options).unwrap();
    let parts = partition.parts(n).unwrap();
    assert_eq!(parts.len(), n);
    let mut at = 0;
    let mut bytes = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        assert_eq!(
            part.elements.start,
            if part.elements.is_empty() {
                part.elements.start
            } else {
                at
            }
        );
        at += part.elements.len();
        bytes.extend(run(&contexts[k % contexts.len()], part, inputs));
    }
    bytes
}

#[test]
fn parts_put_together_are_the_whole_bit_for_bit() {
    let mut random = Random::new("parts");
    let [x, y, z] = [0, 1, 2].map(Expr::slot);
    let back = Index::Range(None, None, -1);
    let exprs: Vec<(&str, Expr<usize>)> = vec![
        ("no step", x.clone()),
        ("a view alone", x.slice([back])),
        ("same", x.add(&y).mul(&z)),
        ("called", x.fmax(&y) / x.size() + z.flip(1)),
        ("reversed leaf", x.slice([back]).add(&y)),
        ("reversed step", x.add(&y).slice([back]).sub(&z)),
        (
            "every other row of a step",
            x.mul(&y).slice([Index::Range(Some(1), None, 2)]).exp(),
        ),
        ("transposed", x.transpose().exp().neg()),
        ("used twice", x.sin().add(x.sin().slice([back]))),
        (
            "outer",
            x.slice([Index::ALL, Index::At(0)])
                .slice([Index::ALL, Index::NewAxis])
                .maximum(x.slice([Index::At(0)])),
        ),
        (
            "long",
            (0..270).fold(x.clone(), |sum, _| sum.mul(&y).add(&z)),
        ),
        ("product", x.matmul(y.transpose()).add(Expr::scalar(1.0f32))),
        ("a product alone", x.add(&z).matmul(y.transpose())),
        (
            "products of batches",
            x.slice([Index::NewAxis])
                .matmul(y.slice([Index::ALL, Index::ALL, Index::NewAxis])),
        ),
        ("a product with a vector", x.matmul(y.slice([Index::At(0)]))),
        (
            "reshaped input",
            x.reshape([-1])
                .exp()
                .reshape([1, -1])
                .add(Expr::scalar(1.0f32)),
        ),
        (
            "reshaped transposed input",
            x.transpose().reshape([-1]).mul(y.reshape([-1])),
        ),
        (
            "reshaped step",
            x.add(&y)
                .transpose()
                .reshape([-1])
                .slice([back])
                .sub(z.reshape([-1])),
        ),
        (
            "reshape of a reshape",
            x.mul(&y)
                .reshape([-1])
                .slice([back])
                .reshape([1, -1, 1])
                .neg()
                .reshape([-1]),
        ),
        (
            "reshaped product",
            x.matmul(y.transpose()).transpose().reshape([-1, 1]),
        ),
        (
            "product of reshapes",
            x.reshape([-1, 1])
                .slice([Index::Range(None, Some(9), 1)])
                .matmul(y.add(&z).reshape([1, -1])),
        ),
        ("a scalar", x.slice([Index::At(0), Index::At(0)])),
        ("sums of rows", x.mul(&y).sum(1)),
        (
            "less the means of columns",
            x.sub(x.mean(Axes::from(0).keepdims())).exp(),
        ),
        (
            "every other sum of rows",
            x.sum(1).slice([Index::Range(Some(1), None, 2)]),
        ),
        ("sums of a reshaped input", x.reshape([1, -1]).sum(0)),
        ("positions", x.slice([back]).argmax(1)),
        ("a sum of sums", x.sum(1).sub(x.max(..))),
        ("sums of a product", x.matmul(y.transpose()).max(1)),
        ("nothing", x.slice([Index::Range(Some(3), Some(3), 1)])),
    ];
    let contexts = [context()];
    let mut some = Thinned::new(&mut random);
    for (name, expr) in &exprs {
        for (rows, columns) in [(37, 41), (5, 64), (300, 3)] {
            if !some.takes() {
                continue;
            }
            let inputs = [0, 1, 2].map(|_| random.host(DType::F32, &[rows, columns], false));
            let options = context().options();
            let expected = whole(&context(), expr, &inputs, &options);
            for n in [3, 50] {
                let found = together(&contexts, expr, &inputs, n, &options);
                assert!(
                    found == expected,
                    "{name} of [{rows}, {columns}] in {n} parts"
                );
            }
        }
    }
}

#[test]
fn parts_of_views_of_narrow_types_agree() {
    let mut random = Random::new("narrow parts");
    for dtype in [DType::U8, DType::F16, DType::I64] {
        for _ in 0..10 {
            let shape: Vec<usize> = (0..1 + random.below(3))
                .map(|_| 1 + random.below(30))
                .collect();
            let mut a = random.host(
                dtype,
                &shape.iter().rev().copied().collect::<Vec<_>>(),
                false,
            );
            a.layout = a.layout.view(&View::Transpose).unwrap();
            let mut b = random.host(dtype, &shape[shape.len() - 1..], false);
            b.layout = b
                .layout
                .view(&View::Slice(vec![Index::Range(None, None, -1)]))
                .unwrap();
            let inputs = [a, b, random.host(dtype, &shape, false)];
            let expr = Expr::slot(0).maximum(Expr::slot(1)).minimum(Expr::slot(2));
            let options = context().options();
            let n = 1 + random.below(9);
            let found = together(&[context()], &expr, &inputs, n, &options);
            assert_eq!(
                found,
                whole(&context(), &expr, &inputs, &options),
                "{dtype} {shape:?} in {n} parts"
            );
        }
    }
}

#[test]
fn what_a_part_needs_is_no_more_than_its_rows() {
    let shape = [1000, 50];
    let slots = [
        Slot::new(DType::F32, shape).unwrap(),
        Slot::new(DType::F32, [50]).unwrap(),
    ];
    let row = Expr::slot(1).exp();
    let expr = (0..2000).fold(Expr::slot(0), |sum, _| sum.neg()).add(&row);
    let partition = Partition::new(&expr, &slots, &Options::default()).unwrap();
    for (k, part) in partition.parts(4).unwrap().iter().enumerate() {
        assert_eq!(part.inputs, [k * 12_500..(k + 1) * 12_500, 0..50]);
        // Steps that get a pass of their own too are computed for the part alone.
        let text = part.plan.to_string();
        assert!(
            part.plan.pass_count() > 3 && !text.contains("[1000") && text.contains("[ 250"),
            "{text}"
        );
    }
    assert!(partition.part(4, 4).is_err() && partition.parts(0).is_err());
}

#[test]
fn two_contexts_share_the_windows_of_one_array() {
    let contexts = [context(), own_context()];
    let mut random = Random::new("two contexts");
    let inputs = [
        random.host(DType::F32, &[1001, 333], false),
        random.host(DType::F32, &[333], false),
    ];
    let expr = Expr::slot(0)
        .mul(Expr::slot(1))
        .sin()
        .add(Expr::slot(0).slice([Index::Range(None, None, -1)]));
    // Each part is itself computed window by window.
    let mut options = context().options();
    options.limits.max_binding = 64 << 10;
    options.limits.max_elements = 10_000;
    let expected = whole(&contexts[0], &expr, &inputs, &contexts[0].options());
    assert!(together(&contexts, &expr, &inputs, 6, &options) == expected);
    // At the same time, from two threads.
    let partition = Partition::new(&expr, &slots(&inputs), &options).unwrap();
    let parts = partition.parts(6).unwrap();
    let halves: Vec<Vec<Vec<u8>>> = std::thread::scope(|scope| {
        let half = |t: usize| {
            let (parts, inputs, context) = (&parts, &inputs, &contexts[t]);
            scope.spawn(move || {
                parts[t * 3..t * 3 + 3]
                    .iter()
                    .map(|p| run(context, p, inputs))
                    .collect()
            })
        };
        [half(0), half(1)]
            .into_iter()
            .map(|h| h.join().unwrap())
            .collect()
    });
    assert!(halves.concat().concat() == expected);
}
