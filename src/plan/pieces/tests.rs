//! Pieces cover what is folded, need what they say, and their plans keep to their laws.

use proptest::prelude::*;

use super::super::boxes::Cut;
use super::super::limits::Limits;
use super::*;
use crate::expr::{Axes, Expr};
use crate::op::Op;
use crate::view::{Index, View};

fn pieces(expr: &Expr<usize>, shapes: &[&[usize]], limits: Limits) -> Pieces {
    let slot = |shape: &&[usize]| Slot::new(DType::F32, *shape).unwrap();
    let slots: Vec<Slot> = shapes.iter().map(slot).collect();
    let options = Options::default().with_limits(limits);
    let partition = Partition::new(expr, &slots, &options).unwrap();
    let last = *partition.graph().reductions().last().unwrap();
    Pieces::new(&partition, last).unwrap()
}

#[test]
fn axes_become_one_where_no_operand_tells_them_apart() {
    let [x, y] = [0, 1].map(Expr::slot);
    let limits = Limits::WEBGPU;
    let shapes: [&[usize]; 2] = [&[30, 40, 50], &[50]];
    let space = |expr: &Expr<usize>| pieces(expr, &shapes, limits).space().clone();
    let all = Shape::from([60_000]);
    assert_eq!(space(&x.sum(..)), all);
    assert_eq!(space(&x.mul(x.abs()).mean(..)), all);
    assert_eq!(space(&x.sub(x.sum(..)).max(..)), all);
    assert_eq!(space(&x.argmax(..)), all);
    assert_eq!(space(&x.mul(&y).sum(..)), Shape::from([1200, 50]));
    assert_eq!(space(&x.sum([0, 1])), Shape::from([1200, 50]));
    assert_eq!(space(&x.sum([0, 2])), Shape::from([30, 40, 50]));
    assert_eq!(space(&x.transpose().sum(..)), Shape::from([50, 40, 30]));
    let rows = x.sum(2).mul(x.max(2));
    assert_eq!(space(&rows.max(..)), Shape::from([1200]));
}

#[test]
fn a_piece_reads_its_box_and_no_more() {
    let x = Expr::slot(0);
    let of = pieces(&x.sum(0), &[&[10_000, 300]], Limits::WEBGPU);
    let rows = Window {
        start: vec![100],
        extents: vec![40],
    };
    let piece = of.piece(&rows, &(4096..8192), Some(1), None).unwrap();
    let found = &piece.boxes[0];
    assert_eq!((found.start, found.run), (4096 * 300 + 100, 40));
    assert_eq!(found.outer, [(300, 4096)]);
    let needs = of.needs(&[40], 4096).unwrap();
    assert_eq!(needs.inputs, [(4096 * 40 * 4, 4096)]);
    assert_eq!(piece.plan.outputs[0].layout.len(), 40 * LANES);
}

#[test]
fn the_largest_pieces_take_no_more_turns_than_they_may() {
    let x = Expr::slot(0);
    let slow = Expr::step(Op::FMOD, [x.clone(), x.clone()]);
    let shapes = [
        [450_000, 64],
        [2_100_000, 64],
        [10_000_000, 3],
        [300, 1_000_000],
        [2, 1 << 27],
    ];
    let limits = Limits::WEBGPU.with_max_binding(1 << 31);
    for (limits, shape) in [limits, limits.with_software(true)]
        .into_iter()
        .flat_map(|l| shapes.map(|s| (l, s)))
    {
        for expr in [
            x.sum(0),
            x.sum(1),
            x.sum(..),
            x.argmax(0),
            slow.sum(0),
            slow.max(..),
        ] {
            let of = pieces(&expr, &[&shape], limits);
            // Their lanes fit a binding.
            let kept = of.kept();
            let few = kept.extents().iter().map(|&extent| extent.min(64));
            let rows = Window {
                start: vec![0; few.len()],
                extents: few.collect(),
            };
            let levels = of.most_levels();
            let elements = 0..chunk(levels).min(of.count());
            let piece = of.piece(&rows, &elements, Some(levels), None);
            let audited = piece.unwrap().plan.audit();
            assert_eq!(audited, Ok(()), "{expr:?} of {shape:?}, {levels} levels");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn plans_of_pieces_write_all_lanes_and_need_no_more_than_was_said(
        extents in prop::collection::vec(1usize..7, 1..4),
        long in (0usize..4, prop::sample::select(vec![1usize, 3, 255, 257, 700, 5000])),
        reduced in prop::collection::vec(any::<bool>(), 3),
        levels in 0u32..2,
        chunks in 1usize..3,
        form in 0usize..4,
        elements in prop::sample::select(vec![1u64 << 13, 1 << 28]),
        most in 1usize..50,
    ) {
        let mut extents = extents;
        let rank = extents.len();
        extents[long.0 % rank] = long.1;
        let axes: Vec<isize> = (0..rank)
            .filter(|&a| reduced[a] && extents[a] > 1)
            .map(|a| a as isize)
            .collect();
        prop_assume!(!axes.is_empty() && extents.iter().product::<usize>() < 20_000);
        let row = vec![*extents.last().unwrap()];
        let [x, y] = [0, 1].map(Expr::slot);
        let reversed: Vec<Index> = (0..rank).map(|_| Index::Range(None, None, -1)).collect();
        let expr = match form {
            0 => x.sum(Axes::new(axes)),
            1 => x.mul(&y).sum(Axes::new(axes)),
            2 => x.view(View::Slice(reversed)).argmax(Axes::new(axes)),
            _ => x.mul(&y).max(Axes::new(axes)),
        };
        let limits = Limits::WEBGPU.with_max_elements(elements);
        let of = pieces(&expr, &[&extents, &row], limits);
        let (kept, count) = (of.kept().extents().to_vec(), of.count());
        let fits = |window: &[usize]| window.iter().product::<usize>() <= most;
        let cut = Cut::new(&kept, &fits).unwrap();
        let each = chunk(levels) * chunks;
        let needs = of.needs(&cut.largest(&kept), each.min(count)).unwrap();
        for rows in cut.windows(&kept) {
            for start in (0..count).step_by(each) {
                let own = start..(start + each).min(count);
                let levels = Some(levels).filter(|_| own.len() < count);
                let piece = of.piece(&rows, &own, levels, None).unwrap();
                prop_assert_eq!(piece.plan.audit(), Ok(()));
                for ((found, slot), (bytes, _)) in piece.boxes.iter().zip(&of.slots).zip(&needs.inputs) {
                    prop_assert!((found.len() * slot.dtype.size()) as u64 <= *bytes);
                }
            }
        }
    }
}
