//! Plans with a fault put in: the audit finds it.

mod kernels;

use super::*;
use crate::dtype::DType;
use crate::expr::Expr;
use crate::layout::Layout;
use crate::plan::rank::unrolled;
use crate::plan::schedule::{Along, Schedule, Spread, Threads};
use crate::plan::table::TableShape;
use crate::plan::{Limits, Options, Slot};
use crate::view::{Index, View};

/// What is wrong, and how a pass comes to it.
type Change = (&'static str, fn(&mut Pass));

impl Pass {
    fn table_shape(&self) -> TableShape {
        TableShape::new(&self.work, self.inputs.len(), unrolled(self.extents.len()))
    }
}

/// A plan of every mapping: flat, rows and general, with held, vector, splat and gathered
/// inputs.
fn plans() -> Vec<Plan> {
    let sum = Expr::slot(0).add(Expr::slot(1));
    let shapes: [[&[usize]; 2]; 6] = [
        [&[67], &[1]],
        [&[5, 16], &[16]],
        [&[5, 16], &[5, 1]],
        [&[3, 5, 7], &[5, 1]],
        [&[5, 1], &[2]],
        [&[3, 1, 16], &[8, 16]],
    ];
    let slot = |shape: &&[usize]| Slot::new(DType::F32, *shape).unwrap();
    shapes
        .iter()
        .map(|pair| Plan::new(&sum, &pair.each_ref().map(slot), &Options::default()).unwrap())
        .collect()
}

#[test]
fn plans_keep_to_their_laws() {
    for plan in plans() {
        plan.audit().unwrap();
    }
    let out = Slot::wrapped(DType::U8, Layout::new([13], vec![1], 7).unwrap(), 20);
    let slot = Slot::new(DType::U8, [13]).unwrap();
    Plan::many(&[Expr::slot(0).neg()], &[slot], &[out], &Options::default())
        .unwrap()
        .audit()
        .unwrap();
}

#[test]
fn windows_begin_on_quads_whatever_the_alignment() {
    let sum = Expr::slot(0).add(Expr::slot(1));
    let slots = [[2, 66, 1], [2, 66, 192]].map(|shape| Slot::new(DType::I64, shape).unwrap());
    for alignment in [1, 4, 8, 16, 32, 256] {
        let limits = Limits::WEBGPU
            .with_offset_alignment(alignment)
            .with_max_elements(1000);
        let plan = Plan::new(&sum, &slots, &Options::default().with_limits(limits)).unwrap();
        assert!(plan.pass_count() > 20);
        plan.audit()
            .unwrap_or_else(|e| panic!("aligned to {alignment}: {e}"));
    }
}

#[test]
fn every_mapping_and_access_keeps_to_its_laws() {
    let [x, y] = [0, 1].map(Expr::slot);
    let later = |e: &Expr<usize>| e.slice([Index::Ellipsis, Index::Range(Some(1), None, 1)]);
    let rows_later = |e: &Expr<usize>| e.slice([Index::Range(Some(1), None, 1)]);
    let reversed = |e: &Expr<usize>| e.slice([Index::Range(None, None, -1)]);
    let swapped = |e: &Expr<usize>| e.view(View::Permute(vec![0, 2, 1]));
    let cases: Vec<(Expr<usize>, Vec<usize>, Vec<usize>)> = vec![
        (x.transpose().add(&y), vec![16, 8], vec![8, 16]),
        (x.transpose().add(&y), vec![20, 12], vec![12, 1]),
        (swapped(&x).add(&y), vec![3, 12, 8], vec![3, 8, 12]),
        (swapped(&x).add(&y), vec![5, 20, 24], vec![24, 20]),
        (x.transpose().add(&y), vec![16, 3, 8], vec![8, 3, 16]),
        (swapped(&x).add(&y), vec![5, 16, 3], vec![3, 1]),
        (swapped(&x).add(&y), vec![5, 40, 2], vec![5, 2, 40]),
        (x.transpose().add(&y), vec![36, 3], vec![36]),
        (x.transpose().add(&y), vec![36, 2], vec![2, 36]),
        (x.add(&y), vec![37, 3], vec![3]),
        (x.add(&y), vec![2, 12], vec![12]),
        (x.add(&y), vec![7, 24], vec![24]),
        (x.add(&y), vec![3, 6, 12], vec![3, 1, 12]),
        (x.add(&y), vec![3, 1, 20], vec![12, 20]),
        (x.add(&y), vec![2, 1, 3, 1, 12], vec![2, 1, 4, 12]),
        (x.add(&y), vec![2, 3, 4, 64], vec![2, 1, 4, 1]),
        (x.add(&y), vec![5, 4, 2, 12], vec![4, 1, 12]),
        (x.add(&y), vec![3, 820], vec![820]),
        (x.add(&y), vec![3, 3300], vec![3, 1]),
        (x.add(&y), vec![3, 1, 2, 1, 1, 4], vec![2, 1, 2, 8, 4]),
        (x.add(&y), vec![3, 1, 2, 1, 1, 8], vec![2, 1, 2, 8, 8]),
        (x.add(&y), vec![41, 2], vec![2]),
        (x.add(&y), vec![63, 5], vec![5]),
        (x.add(&y), vec![63, 5], vec![63, 1]),
        (x.add(&y), vec![63, 1], vec![7]),
        (x.add(&y), vec![29, 1, 6], vec![3, 1]),
        (x.add(&y), vec![13, 3, 4, 7], vec![3, 1, 7]),
        (
            x.add(&y),
            vec![1, 31, 2, 1, 2, 1, 2, 1, 2, 1, 5],
            vec![31, 1, 3, 1, 3, 1, 3, 1, 3, 1],
        ),
        (x.transpose().add(&y), vec![7, 259], vec![259, 7]),
        (x.transpose().add(&y), vec![6, 257], vec![257, 1]),
        (x.transpose().add(&y), vec![8, 257], vec![257, 8]),
        (x.transpose().add(&y), vec![8, 258], vec![8]),
        (reversed(&x).add(&y), vec![63, 5], vec![63, 1]),
        (x.add(reversed(&y)), vec![63, 5], vec![63, 1]),
        (
            x.add(y.slice([Index::ALL, Index::Range(Some(0), Some(1), 1)])),
            vec![63, 5],
            vec![63, 200],
        ),
        (x.add(reversed(&y)), vec![33, 6], vec![33, 1]),
        (reversed(&x.transpose()).add(&y), vec![5, 259], vec![5]),
        (x.add(&y), vec![33, 3, 4], vec![33, 1, 4]),
        (x.add(&y), vec![33, 3, 4], vec![3, 1]),
        (
            x.add(y.slice([Index::Ellipsis, Index::Range(None, None, 2)])),
            vec![33, 3, 4],
            vec![3, 8],
        ),
        (x.add(&y), vec![39, 5, 20], vec![39, 1, 20]),
        (x.add(&y), vec![29, 3, 5, 8], vec![3, 1, 8]),
        (
            x.add(&y),
            vec![1, 17, 3, 1, 3, 1, 3, 1, 3, 1, 4],
            vec![17, 1, 1, 2, 1, 2, 1, 2, 1, 2, 4],
        ),
        (x.transpose().add(&y), vec![5, 3, 301], vec![301, 1, 5]),
        (x.add(&y), vec![5, 1, 7, 9], vec![3, 1, 9]),
        (
            x.add(&y),
            vec![4, 1, 4, 1, 4, 1, 4, 1],
            vec![1, 4, 1, 4, 1, 4, 1, 4],
        ),
        (x.add(&y), vec![2, 1, 8, 1, 8], vec![8, 1, 8]),
        (x.add(&y), vec![2, 1, 6, 1, 4], vec![3, 1, 2, 4]),
        (
            x.add(&y),
            vec![2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 5],
            vec![3, 1, 3, 1, 3, 1, 3, 1, 3, 5],
        ),
        (later(&x).add(&y), vec![68], vec![67]),
        (later(&x).add(&y), vec![17], vec![5, 16]),
        (later(&x).add(&y), vec![6, 17], vec![6, 16]),
        (rows_later(&x).add(&y), vec![6, 7], vec![7]),
        (rows_later(&x).add(&y), vec![70, 5], vec![69, 1]),
        (rows_later(&x).add(&y), vec![40, 3, 6], vec![3, 1]),
    ];
    for (n, (expr, a, b)) in cases.into_iter().enumerate() {
        for (dtype, software) in [DType::U8, DType::F16, DType::F32, DType::I64]
            .map(|d| [(d, true), (d, false)])
            .concat()
        {
            let slots = [&a, &b].map(|s| Slot::new(dtype, s.as_slice()).unwrap());
            let limits = Limits::WEBGPU
                .with_software(software)
                .with_max_invocations(4);
            let plan = Plan::new(&expr, &slots, &Options::default().with_limits(limits)).unwrap();
            plan.audit()
                .unwrap_or_else(|e| panic!("case {n}, {dtype}, software {software}: {e}"));
            for text in plan.kernels() {
                crate::kernel::validate(&text)
                    .unwrap_or_else(|e| panic!("case {n}, {dtype}: {e}\n{text}"));
            }
        }
    }
}

#[test]
fn a_wrong_word_range_or_grid_is_found() {
    for (n, plan) in plans().into_iter().enumerate() {
        let changes: [Change; 6] = [
            ("a range that is too short", |p| {
                p.inputs[0].range.size -= 16
            }),
            ("a range beyond its buffer", |p| {
                p.inputs[1].range.size += 64
            }),
            ("an offset within a binding's alignment", |p| {
                p.output.range.start += 4
            }),
            ("no grid", |p| p.grid[0] = 0),
            ("a wrong number of elements", |p| p.table[0] += 1),
            ("a wrong offset", |p| {
                let at = p.table_shape().offsets * 4 + 1;
                p.table[at] += 4;
                p.inputs[1].offset += 4;
            }),
        ];
        for (what, change) in changes {
            let mut wrong = plan.clone();
            change(&mut wrong.passes[0]);
            assert!(wrong.audit().is_err(), "plan {n}: {what} was not found");
        }
    }
    // The quads from one section to the next, and the rows.
    let slots = [[63, 5], [63, 1]].map(|s| Slot::new(DType::F32, s).unwrap());
    let apart = Plan::new(
        &Expr::slot(0).add(Expr::slot(1)),
        &slots,
        &Options::default(),
    )
    .unwrap();
    apart.audit().unwrap();
    let steps = apart.passes[0].table_shape().steps.unwrap();
    for word in [5, steps * 4 + 1] {
        let mut wrong = apart.clone();
        wrong.passes[0].table[word] += 1;
        assert!(
            wrong.audit().is_err(),
            "word {word} of quads that are apart"
        );
    }
    // The rows from one to the next, and the quads of a band.
    let rows = [[33, 3, 4], [33, 1, 4]].map(|s| Slot::new(DType::F32, s).unwrap());
    let rows = Plan::new(
        &Expr::slot(0).add(Expr::slot(1)),
        &rows,
        &Options::default(),
    )
    .unwrap();
    let bands = [[5, 259], [259, 5]].map(|s| Slot::new(DType::F32, s).unwrap());
    let bands = Plan::new(
        &Expr::slot(0).transpose().add(Expr::slot(1)),
        &bands,
        &Options::default(),
    )
    .unwrap();
    for (plan, word) in [(&rows, 4), (&bands, 5)] {
        plan.audit().unwrap();
        let mut wrong = plan.clone();
        wrong.passes[0].table[word] += 1;
        assert!(wrong.audit().is_err(), "word {word} of {plan}");
    }
    // The invocations of a row, and what divides by them.
    for (shapes, uniform) in [
        ([[3, 820], [1, 820]], true),
        ([[63, 84], [1, 84]], false),
        ([[9, 84], [9, 1]], false),
    ] {
        let slots = shapes.map(|s| Slot::new(DType::F32, s).unwrap());
        let plan = Plan::new(
            &Expr::slot(0).add(Expr::slot(1)),
            &slots,
            &Options::default(),
        )
        .unwrap();
        plan.audit().unwrap();
        assert_eq!(
            plan.passes[0].work.schedule().unwrap().threads == Threads::RowPerWorkgroup,
            uniform
        );
        let word = plan.passes[0].table_shape().axis(0) * 4;
        for word in if uniform {
            word..word + 1
        } else {
            word..word + 3
        } {
            let mut wrong = plan.clone();
            wrong.passes[0].table[word] = wrong.passes[0].table[word] / 2 + 1;
            assert!(wrong.audit().is_err(), "word {word} of {plan}");
        }
    }
    // A workgroup that several rows share.
    let mut wrong = rows;
    let schedule = *wrong.passes[0].work.schedule().unwrap();
    wrong.passes[0].work = Work::Map(Schedule {
        threads: Threads::RowPerWorkgroup,
        ..schedule
    });
    assert!(wrong.audit().is_err(), "rows of {wrong}");
    // The extent, multiplier or stride of a decomposed axis.
    let general = &plans()[3];
    for word in [0, 1, 5] {
        let mut wrong = general.clone();
        let pass = &mut wrong.passes[0];
        let row = pass.table_shape().axis(1);
        pass.table[row * 4 + word] = 0;
        assert!(wrong.audit().is_err(), "word {word} of the second axis");
    }
}

#[test]
fn short_outermost_axes_have_no_section_that_is_longer() {
    for rows in 1..12 {
        for columns in [3, 5, 6, 7, 8, 10] {
            for dtype in [DType::F32, DType::U64] {
                for &name in crate::plan::ScheduleName::ALL {
                    let slots = [[rows, columns], [rows, 1]].map(|s| Slot::new(dtype, s).unwrap());
                    let options = Options::default().with_schedule(Some(name));
                    let sum = Expr::slot(0).add(Expr::slot(1));
                    Plan::new(&sum, &slots, &options).unwrap().audit().unwrap();
                }
            }
        }
    }
}

#[test]
fn crossed_axes_keep_to_their_laws() {
    let shapes: [[&[usize]; 2]; 10] = [
        [&[8, 1, 12], &[1, 4, 12]],
        [&[8, 1, 12], &[1, 6, 12]],
        [&[2, 1, 4], &[1, 2, 4]],
        [&[8, 1, 12], &[1, 12, 1]],
        [&[3, 8, 1, 8], &[3, 1, 8, 8]],
        [&[3, 8, 1, 8], &[1, 12, 8]],
        [&[4, 1, 3, 1, 20], &[1, 4, 1, 8, 20]],
        [&[4, 1, 3, 1, 20], &[4, 1, 2, 1]],
        [&[8, 5, 1, 4], &[1, 1, 4, 4]],
        [&[4, 1, 4, 1, 4, 1, 2, 1, 4], &[4, 1, 4, 1, 2, 1, 2, 4]],
    ];
    let (mut found, mut kept) = (0, 0);
    for shapes in shapes {
        for dtype in [DType::U8, DType::F32, DType::I64] {
            let slots = shapes.map(|s| Slot::new(dtype, s).unwrap());
            let limits = Limits::WEBGPU.with_software(false).with_max_invocations(4);
            let options = Options::default()
                .with_limits(limits)
                .with_schedule(Some(crate::plan::ScheduleName::Cross));
            let sum = Expr::slot(0).add(Expr::slot(1));
            let plan = Plan::new(&sum, &slots, &options).unwrap();
            plan.audit()
                .unwrap_or_else(|e| panic!("{shapes:?}, {dtype}: {e}"));
            for text in plan.kernels() {
                crate::kernel::validate(&text)
                    .unwrap_or_else(|e| panic!("{shapes:?}, {dtype}: {e}\n{text}"));
            }
            // A word of a step along either axis.
            let Some(schedule) = plan.passes[0].work.schedule().copied() else {
                continue;
            };
            if !matches!(schedule.spread, Spread::Axis { .. }) {
                kept += 1;
                continue;
            }
            found += 1;
            for owned in schedule.owned() {
                let mut wrong = plan.clone();
                let pass = &mut wrong.passes[0];
                let row = pass.table_shape().axis(owned.axis) * 4;
                pass.table[row + 3] += owned.quads;
                let down = schedule.down.map(|down| down.along);
                let is_down = down == Some(Along::Axis(owned.axis as u32));
                assert!(
                    owned.whole && is_down || wrong.audit().is_err(),
                    "a step of {wrong}"
                );
            }
        }
    }
    assert!(found >= 20 && kept <= 10, "{found} crossed, {kept} not");
}
