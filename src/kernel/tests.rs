//! Every kernel text that the tests can reach: naga parses, validates and translates it, and its
//! bindings are those of the binding list, in every language. No device is needed. If
//! ZEROSTRIDE_KERNELS names a folder, the texts are written there for other compilers: into `web`
//! those that any WebGPU device takes (`scripts/check-tint.sh`), into `native` those with 64-bit types
//! or immediate data (`scripts/compilers.sh` takes both). If ZEROSTRIDE_TRANSLATIONS names one, the
//! translations of all are written there (`scripts/check-translations.sh`).

mod digest;
mod folds;
mod grammar;
mod numbered;
mod pairs;
#[cfg(feature = "translate")]
mod places;
mod probed;
mod staged;
mod texts;

use super::*;
use crate::dtype::DType;
use crate::expr::Expr;
use crate::layout::Layout;
use crate::op::Op;
use crate::plan::{Accuracy, Arithmetic, FloatFact, Limits, Merges, Options, Plan, Slot};
use crate::view::{Index, View};
use texts::Texts;

fn slot(dtype: DType, shape: &[usize]) -> Slot {
    Slot::new(dtype, shape).unwrap()
}

/// The same limits where more is known of the adapter's arithmetic.
fn knowing(limits: Limits, facts: &[FloatFact]) -> Limits {
    let known = facts.iter();
    limits.with_arithmetic(known.fold(limits.arithmetic, |known, &fact| known.with(fact, true)))
}

/// Limits without any optional feature, and with 64-bit types.
fn features() -> [Limits; 2] {
    [
        Limits::WEBGPU,
        Limits::WEBGPU
            .with_int64(true)
            .with_float64(true)
            .with_arithmetic(Arithmetic::UNKNOWN.with(FloatFact::Subnormals, true))
            .with_max_immediates(128),
    ]
}

#[test]
fn every_op_on_every_type_is_valid_in_every_language() {
    let mut texts = Texts::default();
    for (accuracy, limits) in [Accuracy::Precise, Accuracy::Fast]
        .into_iter()
        .flat_map(|a| features().map(|l| (a, l)))
    {
        let options = Options::default()
            .with_accuracy(accuracy)
            .with_limits(limits);
        for op in Op::table().filter(|o| !o.takes_dtype()) {
            for dtype in op.accepts().iter() {
                let count = if op.fold_step().is_some() {
                    3
                } else {
                    op.operands().len()
                };
                let operand = |i: usize| {
                    if i == 0 && op.is_select() {
                        DType::Bool
                    } else {
                        dtype
                    }
                };
                let slots: Vec<Slot> = (0..count).map(|i| slot(operand(i), &[8])).collect();
                let expr = Expr::step(op, (0..count).map(Expr::slot).collect::<Vec<_>>());
                texts.add(
                    &format!("{op} {dtype} {accuracy:?}"),
                    &expr,
                    &slots,
                    &options,
                    false,
                );
            }
        }
    }
    texts.check("operators", 250);
}

#[test]
fn every_cast_is_valid_in_every_language() {
    let mut texts = Texts::default();
    for (from, to) in DType::ALL
        .into_iter()
        .flat_map(|from| DType::ALL.map(|to| (from, to)))
    {
        for limits in features() {
            let options = Options::default().with_limits(limits);
            let what = format!("{from} to {to}");
            texts.add(
                &what,
                &Expr::slot(0).cast(to),
                &[slot(from, &[8])],
                &options,
                false,
            );
            if from.size() == to.size() {
                texts.add(
                    &what,
                    &Expr::slot(0).bit_cast(to),
                    &[slot(from, &[8])],
                    &options,
                    false,
                );
            }
        }
    }
    texts.check("casts", 80);
}

#[test]
fn every_mapping_access_width_and_store_is_valid_in_every_language() {
    let mut texts = Texts {
        grouped: true,
        ..Texts::default()
    };
    let reversed = |axis: usize, shape: &[usize]| {
        let mut items = vec![Index::ALL; axis];
        items.push(Index::Range(None, None, -1));
        Layout::contiguous(shape)
            .unwrap()
            .view(&View::Slice(items))
            .unwrap()
    };
    for dtype in [
        DType::Bool,
        DType::U8,
        DType::I8,
        DType::U16,
        DType::I16,
        DType::F16,
        DType::Bf16,
        DType::I32,
        DType::U32,
        DType::F32,
    ] {
        for software in [false, true] {
            let options = Options::default().with_limits(Limits::WEBGPU.with_software(software));
            for rank in 1..=6usize {
                for inner in [8usize, 64, 7] {
                    let mut shape = vec![3; rank];
                    shape[rank - 1] = inner;
                    let whole = slot(dtype, &shape);
                    let view = |layout: Layout| Slot {
                        layout,
                        ..whole.clone()
                    };
                    let mut alternate = shape.clone();
                    alternate.iter_mut().step_by(2).for_each(|e| *e = 1);
                    let row = slot(dtype, &[inner]);
                    let column = slot(dtype, &{
                        let mut c = shape.clone();
                        c[rank - 1] = 1;
                        c
                    });
                    let others = [
                        ("linear", whole.clone()),
                        ("row", row),
                        ("column", column),
                        ("scalar", slot(dtype, &[])),
                        ("alternating", slot(dtype, &alternate)),
                        ("reversed", view(reversed(rank - 1, &shape))),
                        ("upside down", view(reversed(0, &shape))),
                        (
                            "offset",
                            Slot::wrapped(
                                dtype,
                                Layout::new(shape.clone(), whole.layout.strides().to_vec(), 4)
                                    .unwrap(),
                                1 << 20,
                            ),
                        ),
                        (
                            "odd offset",
                            Slot::wrapped(
                                dtype,
                                Layout::new(shape.clone(), whole.layout.strides().to_vec(), 1)
                                    .unwrap(),
                                1 << 20,
                            ),
                        ),
                    ];
                    let expr = Expr::slot(0).maximum(Expr::slot(1));
                    let expr = if dtype == DType::Bool {
                        Expr::slot(0).logical_or(Expr::slot(1))
                    } else {
                        expr
                    };
                    for (name, other) in others {
                        let what = format!("{dtype} rank {rank} inner {inner} {name}");
                        let slots = [whole.clone(), other.clone()];
                        texts.add(&what, &expr, &slots, &options, false);
                        texts.add(&format!("{what} in place"), &expr, &slots, &options, true);
                        if rank <= 2 {
                            for offset in [0, 1, 2, 4] {
                                let strides = whole.layout.strides().to_vec();
                                let out = Slot::wrapped(
                                    dtype,
                                    Layout::new(shape.clone(), strides, offset).unwrap(),
                                    1 << 20,
                                );
                                let plan = Plan::many(
                                    std::slice::from_ref(&expr),
                                    &slots,
                                    &[out],
                                    &options,
                                )
                                .unwrap();
                                for pass in &plan.passes {
                                    let key = KernelKey::new(pass, &[]);
                                    texts
                                        .by_text
                                        .entry(key.wgsl())
                                        .or_insert_with(|| (format!("{what} to {offset}"), key));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    texts.check("loads and stores", 500);
}

#[test]
fn every_product_is_valid_in_every_language() {
    let mut texts = Texts::default();
    for limits in features() {
        for dtype in crate::expr::FACTORS.iter() {
            let options = Options::default().with_limits(limits);
            let slots = [slot(dtype, &[5, 7]), slot(dtype, &[7, 9])];
            texts.add(
                &format!("{dtype}"),
                &Expr::slot(0).matmul(Expr::slot(1)),
                &slots,
                &options,
                false,
            );
            let batches = [slot(dtype, &[3, 1, 5, 7]), slot(dtype, &[2, 7, 9])];
            let product = Expr::slot(0).matmul(Expr::slot(1));
            texts.add(
                &format!("{dtype} batches"),
                &product,
                &batches,
                &options,
                false,
            );
            let whole = slot(dtype, &[7, 9]);
            let part = [
                slot(dtype, &[5, 7]),
                Slot {
                    layout: Layout::new([7, 9], vec![-9, 1], 60).unwrap(),
                    ..whole
                },
            ];
            texts.add(
                &format!("{dtype} at 60"),
                &Expr::slot(0).matmul(Expr::slot(1)),
                &part,
                &options,
                false,
            );
        }
    }
    epilogues(&mut texts);
    texts.check("products", 44);
}

/// Products with steps behind them, of every type and to every size of element.
fn epilogues(texts: &mut Texts) {
    let product = Expr::slot(0).matmul(Expr::slot(1));
    let [row, full] = [2, 3].map(Expr::slot);
    for limits in features() {
        let options = Options::default().with_limits(limits);
        for dtype in [DType::F32, DType::F16, DType::U32, DType::I64, DType::F64] {
            let sum = product.mul(&row).add(&full);
            for (to, rank) in [(dtype, 2), (DType::U8, 3), (DType::F16, 2), (DType::I64, 3)] {
                let slots = [&[3, 5, 7][..], &[3, 7, 9], &[9], &[3, 5, 9]];
                let slots =
                    slots.map(|shape| slot(dtype, &shape[shape.len().saturating_sub(rank)..]));
                let what = format!("{dtype} with steps to {to} of rank {rank}");
                texts.add(&what, &sum.cast(to), &slots, &options, false);
            }
        }
    }
}

#[test]
fn what_is_taken_is_valid_in_every_language() {
    let mut texts = Texts::default();
    for limits in features() {
        for dtype in [
            DType::Bool,
            DType::U8,
            DType::F16,
            DType::F32,
            DType::I64,
            DType::F64,
        ] {
            let options = Options::default().with_limits(limits);
            let slots = [slot(dtype, &[5, 7, 3]), slot(DType::U32, &[2, 4])];
            let taken = Expr::slot(0).take(Expr::slot(1), 1);
            texts.add(&format!("{dtype}"), &taken, &slots, &options, false);
        }
    }
    texts.check("taken", 6);
}

#[test]
fn what_is_searched_is_valid_in_every_language() {
    let mut texts = Texts::default();
    for limits in features() {
        for dtype in [DType::U32, DType::U64] {
            let options = Options::default().with_limits(limits);
            let slots = [slot(dtype, &[9]), slot(dtype, &[5, 7])];
            for right in [false, true] {
                let found = Expr::slot(0).searchsorted(Expr::slot(1), right);
                texts.add(&format!("{dtype} {right}"), &found, &slots, &options, false);
            }
        }
    }
    texts.check("searched", 4);
}

#[test]
fn what_is_joined_is_valid_in_every_language() {
    let mut texts = Texts::default();
    let [x, y] = [0, 1].map(Expr::slot);
    let from = |low, high| x.slice([Index::ALL, Index::Range(low, high, 1)]);
    let exprs = [
        ("rows", Expr::concat([&x, &y], 0)),
        ("columns", Expr::concat([&x, &y, &x], 1)),
        ("stacked", Expr::stack([&x, &y], -1)),
        (
            "rolled",
            Expr::concat([from(Some(3), None), from(None, Some(3))], 1),
        ),
        (
            "backwards",
            Expr::concat([&y, &x.slice([Index::Range(None, None, -1)])], 0),
        ),
    ];
    for limits in features() {
        for dtype in [DType::Bool, DType::F16, DType::F32, DType::I64] {
            let options = Options::default().with_limits(limits);
            for (what, expr) in &exprs {
                for shape in [[5, 7], [8, 64]] {
                    let slots = [slot(dtype, &shape), slot(dtype, &shape)];
                    texts.add(&format!("{what} {dtype}"), expr, &slots, &options, false);
                }
            }
        }
    }
    texts.check("joined", 60);
}

#[test]
fn a_new_shape_or_number_is_no_new_kernel() {
    let key = |shape: &[usize], number: f32| {
        let expr = Expr::slot(0).add(Expr::slot(1)).mul(Expr::scalar(number));
        let slots = [slot(DType::F32, shape), slot(DType::F32, &shape[1..])];
        KernelKey::new(
            &Plan::new(&expr, &slots, &Options::default())
                .unwrap()
                .passes[0],
            &[],
        )
    };
    assert_eq!(key(&[100, 1024], 2.0), key(&[7, 4096], 3.0));
    // Rows that fill no workgroup.
    assert_eq!(key(&[100, 64], 2.0), key(&[3, 516], 3.0));
    assert_ne!(key(&[100, 1024], 2.0), key(&[100, 1023], 2.0));
}

#[test]
fn elements_that_are_only_moved_have_a_kernel_by_their_size() {
    use DType::{Bf16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    let moved = |dtype: DType| {
        let plan = Plan::new(
            &Expr::slot(0).transpose(),
            &[slot(dtype, &[5, 7])],
            &Options::default(),
        )
        .unwrap();
        KernelKey::new(&plan.passes[0], &[])
    };
    for (size, of_size) in [
        (1, &[Bool, I8, U8][..]),
        (2, &[I16, U16, F16, Bf16]),
        (4, &[I32, U32, F32]),
        (8, &[I64, U64, F64]),
    ] {
        for &dtype in of_size {
            assert_eq!(moved(dtype), moved(of_size[0]), "{dtype} of {size} bytes");
        }
    }
    assert_ne!(moved(U8), moved(U16));
}

#[test]
fn uniform_loads_come_before_invocations_without_work_return() {
    let [x, y, z] = [0, 1, 2].map(Expr::<usize>::slot);
    let inputs = [slot(DType::F32, &[1000, 3]), slot(DType::F32, &[3])];
    let inputs = [&inputs[..], &[slot(DType::F32, &[])]].concat();
    for software in [false, true] {
        let options = Options::default().with_limits(Limits::WEBGPU.with_software(software));
        let plan = Plan::new(&x.add(&y).mul(&z), &inputs, &options).unwrap();
        let text = &plan.kernels()[0];
        let main = &text[text.find("fn main").unwrap()..];
        let at = |what: &str| main.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
        let last = at("get1(").max(at("get2("));
        assert!(last < at("return;") && last < at("in0["), "{text}");
    }
}
