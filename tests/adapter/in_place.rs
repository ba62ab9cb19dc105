//! An input and the output in one buffer: the same elements, other elements, and overlaps.

use zerostride::{DType, Error, Expr, Layout, reference, wgpu};

use crate::common::{Random, all, context, raw_buffer};
use crate::wrap::{LENGTHS, WIDTHS, Wrapped, difference, encode, firsts};

#[test]
fn the_same_view_on_both_sides_is_computed_in_place() {
    let mut random = Random::new("in place");
    let context = context();
    let mut reports = Vec::new();
    for dtype in WIDTHS {
        for len in LENGTHS {
            for first in firsts(dtype) {
                for after in [0, 2] {
                    let what = format!("{dtype}[{len}] at {first}, {after} words after");
                    let x = Wrapped::new(&mut random, dtype, &[len], first, after);
                    let y = random.host(dtype, &[len], false);
                    let own = context.tensor_from_host(&y).unwrap();
                    let expected = reference::run(&difference(), &[x.host.clone(), y]).unwrap();
                    reports.push(match encode(&difference(), &[&x.tensor, &own], &x.tensor) {
                        Err(e) => Err(format!("{what}: {e}")),
                        Ok(()) => x.holds(&what, &expected),
                    });
                }
            }
        }
        for shape in [vec![7], vec![64], vec![3, 8], vec![3, 5]] {
            let what = format!("{dtype} {shape:?} of the crate");
            let hosts = [
                random.host(dtype, &shape, false),
                random.host(dtype, &shape[shape.len() - 1..], false),
            ];
            let [x, y] = hosts
                .each_ref()
                .map(|t| context.tensor_from_host(t).unwrap());
            let expected = reference::run(&difference(), &hosts).unwrap();
            reports.push(match encode(&difference(), &[&x, &y], &x) {
                Err(e) => Err(format!("{what}: {e}")),
                Ok(()) if x.read_bytes_blocking().unwrap() == expected.bytes => Ok(()),
                Ok(()) => Err(format!("{what}: wrong elements")),
            });
        }
    }
    all(reports);
}

#[test]
fn in_place_rows_and_odd_shapes_agree_at_odd_offsets() {
    let mut random = Random::new("in place mappings");
    let mut reports = Vec::new();
    for dtype in WIDTHS {
        for shape in [[3, 8], [3, 5], [5, 64]] {
            for first in [0, 1, 2, 3, 4] {
                let what = format!("{dtype} {shape:?} at {first}");
                let x = Wrapped::new(&mut random, dtype, &shape, first, 1);
                let y = Wrapped::new(&mut random, dtype, &[shape[0], 1], 0, 0);
                let expected =
                    reference::run(&difference(), &[x.host.clone(), y.host.clone()]).unwrap();
                reports.push(
                    match encode(&difference(), &[&x.tensor, &y.tensor], &x.tensor) {
                        Err(e) => Err(format!("{what}: {e}")),
                        Ok(()) => x.holds(&what, &expected),
                    },
                );
            }
        }
    }
    all(reports);
}

#[test]
fn two_ranges_of_one_buffer_are_input_and_output() {
    let mut random = Random::new("two ranges");
    let context = context();
    let mut reports = Vec::new();
    for dtype in WIDTHS {
        for len in LENGTHS {
            for gap in [0, 1, 3, 256] {
                let what = format!("{dtype}[{len}], {gap} elements between");
                let from = Wrapped::new(&mut random, dtype, &[len], 1, 600);
                let layout = Layout::new([len], vec![1], 1 + len + gap).unwrap();
                let out = context.wrap(&from.buffer, dtype, layout).unwrap();
                let expected =
                    reference::run(&Expr::slot(0).neg(), std::slice::from_ref(&from.host)).unwrap();
                reports.push(match encode(&Expr::slot(0).neg(), &[&from.tensor], &out) {
                    Err(e) => Err(format!("{what}: {e}")),
                    Ok(()) => from.elsewhere(out).holds(&what, &expected),
                });
            }
        }
    }
    all(reports);
}

#[test]
fn a_partial_overlap_is_an_error() {
    let context = context();
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    for dtype in WIDTHS {
        let buffer = raw_buffer(&context, &[0; 256], usage);
        let view = |shape: &[usize], strides: &[isize], first| {
            context
                .wrap(
                    &buffer,
                    dtype,
                    Layout::new(shape, strides.to_vec(), first).unwrap(),
                )
                .unwrap()
        };
        let out = view(&[8], &[1], 8);
        for (shape, strides, first) in [
            (vec![8], vec![1], 9),
            (vec![8], vec![1], 7),
            (vec![8], vec![1], 1),
            (vec![8], vec![1], 15),
            (vec![8], vec![-1], 15),
            (vec![8], vec![2], 0),
            (vec![1], vec![1], 8),
        ] {
            let x = view(&shape, &strides, first);
            let found = encode(
                &Expr::slot(0).add(Expr::slot(1)),
                &[&x, &context.empty(dtype, [8]).unwrap()],
                &out,
            );
            assert!(
                matches!(
                    found,
                    Err(Error::Overlap {
                        input: 0,
                        output: 0
                    })
                ),
                "{dtype} {shape:?} {strides:?} {first}: {found:?}"
            );
        }
        // The same buffer as the same view and as another one.
        let found = encode(
            &Expr::slot(0).add(Expr::slot(1)),
            &[&out, &view(&[8], &[-1], 15)],
            &out,
        );
        assert!(
            matches!(
                found,
                Err(Error::Overlap {
                    input: 1,
                    output: 0
                })
            ),
            "{found:?}"
        );
    }
}

#[test]
fn a_donated_tensor_gives_its_buffer_where_no_element_is_needed_again() {
    let context = crate::common::plain_context();
    let mut random = Random::new("donation");
    let pooled = |expr: Expr<zerostride::Tensor>, expected: &zerostride::HostTensor| {
        context.trim();
        let found = expr.eval_donating().unwrap();
        assert_eq!(found.read_bytes_blocking().unwrap(), expected.bytes);
        context.pooled_bytes()
    };
    let x = random.host(DType::F32, &[12, 20], false);
    let row = random.host(DType::F32, &[20], false);
    let upload = |h: &zerostride::HostTensor| context.tensor_from_host(h).unwrap();
    let sum = reference::run(&(Expr::slot(0) + Expr::slot(1)), &[x.clone(), row.clone()]).unwrap();
    let held_row = upload(&row);
    let plus_row = |t: Expr<_>| t + held_row.expr();
    // The only holder: its buffer is the result's, so nothing is freed.
    assert_eq!(pooled(plus_row(Expr::from(upload(&x))), &sum), 0);
    // Another holder keeps its elements.
    let kept = upload(&x);
    assert_eq!(pooled(plus_row(kept.expr()), &sum), 0);
    assert_eq!(kept.read_bytes_blocking().unwrap(), x.bytes);
    // The caller may hold the buffer of an exported tensor.
    let seen = upload(&x);
    let raw = seen.buffer().unwrap();
    pooled(plus_row(Expr::from(seen)), &sum);
    assert_eq!(
        crate::common::read_raw(&context, &raw)[..x.bytes.len()],
        x.bytes
    );
    // Elements that are read elsewhere, or more than once in another order, are not written over.
    let square = random.host(DType::F32, &[16, 16], false);
    let turned = reference::run(
        &(Expr::slot(0).transpose() + Expr::slot(0)),
        std::slice::from_ref(&square),
    )
    .unwrap();
    let given = Expr::from(upload(&square));
    assert!(
        pooled(given.transpose() + given, &turned) > 0,
        "the operand's buffer is free after the sum"
    );
    // Types as wide, and narrower ones.
    let wide = reference::run(&Expr::slot(0).cast(DType::I32), std::slice::from_ref(&x)).unwrap();
    let cast = |t: Expr<zerostride::Tensor>| t.cast(DType::I32);
    assert_eq!(pooled(cast(Expr::from(upload(&x))), &wide), 0);
    let narrow = reference::run(&Expr::slot(0).is_nan(), std::slice::from_ref(&x)).unwrap();
    let test = |t: Expr<zerostride::Tensor>| t.is_nan();
    assert!(
        pooled(test(Expr::from(upload(&x))), &narrow) > 0,
        "the operand's buffer is free after the test"
    );
}
