//! Rules, views and layouts of any extents: no panic, no wrap, and the laws that everything later
//! rests on.

use super::super::{Source, positions};
use zerostride::inspect::Map;
use zerostride::{Layout, Rule, Shape};

/// Elements that are followed one by one.
const MOST: usize = 3000;

fn layout(source: &mut Source<'_>) -> Option<Layout> {
    let shape = source.shape();
    match source.below(3) {
        0 => {
            let strides = (0..shape.rank()).map(|_| source.signed()).collect();
            let offset = source.extent();
            Layout::new(shape, strides, offset).ok()
        }
        _ => Layout::contiguous(shape).ok(),
    }
}

/// The laws of one layout.
fn check(layout: &Layout) {
    let len = layout.shape().len().expect("a layout can be counted");
    assert_eq!(len, layout.len());
    assert_eq!(layout.is_empty(), len == 0);
    let reach = layout.reach();
    assert_eq!(reach.is_none(), len == 0);
    let Some(expected) = positions(layout, MOST) else {
        return;
    };
    assert_eq!(layout.offsets().collect::<Vec<_>>(), expected);
    if let Some(reach) = reach {
        let (low, high) = (expected.iter().min(), expected.iter().max());
        assert_eq!((Some(reach.start()), Some(reach.end())), (low, high));
    }
    let rows: Vec<usize> = (layout.offset()..).take(len).collect();
    if len > 0 {
        assert_eq!(layout.is_contiguous(), expected == rows);
    }
}

/// Two layouts of the same elements; where there are none, the offset says nothing.
fn same(a: &Layout, b: &Layout) {
    assert_eq!((a.shape(), a.strides()), (b.shape(), b.strides()));
    assert!(a.is_empty() || a.offset() == b.offset(), "{a:?} and {b:?}");
}

fn views(source: &mut Source<'_>, start: &Layout) {
    let mut layout = start.clone();
    let mut through: Option<Map> = None;
    for _ in 0..source.below(6) {
        let view = source.view();
        let Ok(map) = view.map(layout.shape()) else {
            continue;
        };
        let next = layout.view(&view).expect("its map fits");
        check(&next);
        // A view reaches nothing that its source does not.
        if let (Some(all), Some(some)) = (layout.reach(), next.reach()) {
            assert!(all.start() <= some.start() && some.end() <= all.end());
        }
        // Views of views are one map.
        let both = through
            .as_ref()
            .map_or(map.clone(), |first| map.then(first));
        same(&start.through(&both), &next);
        through = Some(both);
        layout = next;
    }
    let shape = source.shape();
    if let Ok(reshaped) = layout.reshape(shape) {
        check(&reshaped);
        if let (Some(a), Some(b)) = (positions(&layout, MOST), positions(&reshaped, MOST)) {
            assert_eq!(a, b);
        }
    }
}

fn rules(source: &mut Source<'_>) {
    let layouts: Vec<Layout> = (0..1 + source.below(4))
        .filter_map(|_| layout(source))
        .collect();
    let shapes: Vec<&Shape> = layouts.iter().map(Layout::shape).collect();
    let (rule, target) = (source.rule(), source.below(4));
    let Ok(alignment) = rule.align_onto("fuzz", &shapes, target) else {
        return;
    };
    let common = &alignment.shape;
    common.len().expect("a result can be counted");
    assert_eq!(alignment.axes.len(), shapes.len());
    for (i, layout) in layouts.iter().enumerate() {
        let seen = alignment.layout(i, layout);
        assert_eq!(seen.shape(), common);
        check(&seen);
        // Every element of the result reads an element of the operand.
        if let (Some(all), Some(some)) = (layout.reach(), seen.reach()) {
            assert!(all.start() <= some.start() && some.end() <= all.end());
        }
        // Broadcasting what was broadcast changes nothing.
        let once = Rule::To {
            target: common.clone(),
        }
        .align(&[common])
        .expect("a shape fits onto itself");
        same(&once.layout(0, &seen), &seen);
    }
    match rule {
        Rule::Numpy => {
            let turned: Vec<&Shape> = shapes.iter().rev().copied().collect();
            assert_eq!(
                &Rule::Numpy
                    .align(&turned)
                    .expect("the rule is symmetric")
                    .shape,
                common
            );
            for shape in &shapes {
                let onto = Rule::Unidirectional
                    .align(&[common, shape])
                    .expect("an operand fits into the result");
                assert_eq!(&onto.shape, common);
            }
        }
        Rule::None => assert!(shapes.iter().all(|s| *s == common)),
        Rule::Unidirectional | Rule::Pdpd { .. } => assert_eq!(shapes[target], common),
        Rule::To { target } | Rule::Explicit { target, .. } => assert_eq!(&target, common),
        Rule::Bidirectional { target } => {
            let both = Rule::Numpy
                .align(&[shapes[0], &target])
                .expect("it is NumPy's with the target");
            assert_eq!(&both.shape, common);
        }
        _ => panic!("{} has no law here", rule.name()),
    }
}

/// One input.
pub fn run(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    if source.below(2) == 0 {
        let Some(layout) = layout(&mut source) else {
            return;
        };
        check(&layout);
        views(&mut source, &layout);
    } else {
        rules(&mut source);
    }
}
