use crate::dtype::DType;
use crate::error::Error;
use crate::expr::{Expr, Graph, GraphKind};
use crate::host::HostTensor;
use crate::reference::run;
use crate::rule::Rule;
use crate::shape::Shape;
use crate::view::{Index, View};

/// 0, 1, 2 and so on, as i32.
fn count(shape: impl Into<Shape>) -> HostTensor {
    let shape = shape.into();
    let len = shape.len().unwrap() as i32;
    let bytes = (0..len).flat_map(i32::to_le_bytes).collect();
    HostTensor::new(DType::I32, shape, bytes).unwrap()
}

fn whole(x: &HostTensor) -> Vec<i64> {
    let bits = x.storage_bits().unwrap();
    bits.into_iter()
        .map(|b| i64::from(b as u32 as i32))
        .collect()
}

#[test]
fn a_sum_to_a_shape_is_the_adjoint_of_the_broadcast_from_it() {
    let target = |t: &[usize]| Shape::from(t.to_vec());
    type Case = (Rule, &'static [usize], &'static [usize]);
    let explicit = Rule::Explicit {
        target: target(&[2, 3, 4]),
        axes: vec![0, 2],
    };
    let cases: [Case; 14] = [
        (Rule::None, &[2, 3], &[2, 3]),
        (Rule::Numpy, &[2, 3], &[3]),
        (Rule::Numpy, &[2, 3], &[2, 1]),
        (Rule::Numpy, &[2, 3], &[]),
        (Rule::Numpy, &[2, 3, 4], &[1, 3, 1]),
        (Rule::Numpy, &[0, 3], &[3]),
        (Rule::Numpy, &[0, 3], &[0, 1]),
        (Rule::Unidirectional, &[2, 3], &[1, 3]),
        (Rule::Pdpd { axis: 0 }, &[2, 3], &[2]),
        (Rule::Pdpd { axis: 1 }, &[2, 3, 4], &[3, 1]),
        (
            Rule::To {
                target: target(&[2, 3]),
            },
            &[2, 3],
            &[3],
        ),
        (
            Rule::Bidirectional {
                target: target(&[2, 1]),
            },
            &[2, 3],
            &[1, 3],
        ),
        (explicit.clone(), &[2, 3, 4], &[2, 4]),
        (explicit, &[2, 3, 4], &[1, 4]),
    ];
    for (rule, from, to) in cases {
        let name = format!("{rule} {from:?} {to:?}");
        let [x, small] = [from, to].map(|s| count(s.to_vec()));
        let sum = Expr::slot(0).sum_to(to.to_vec()).with_rule(rule.clone());
        let sum = run(&sum, std::slice::from_ref(&x)).unwrap();
        assert_eq!(sum.layout.shape().extents(), to, "{name}");
        // Which element of the small one each of the large ones is.
        let single = matches!(
            rule,
            Rule::To { .. } | Rule::Bidirectional { .. } | Rule::Explicit { .. }
        );
        let large = match single {
            true => Expr::slot(1).broadcast(rule),
            false => (Expr::slot(0).mul(Expr::literal(0)))
                .add(Expr::slot(1))
                .with_rule(rule),
        };
        let places = whole(&run(&large, &[x.clone(), small.clone()]).unwrap());
        let mut wanted = vec![0; whole(&small).len()];
        for (place, x) in places.iter().zip(whole(&x)) {
            wanted[*place as usize] += x;
        }
        assert_eq!(whole(&sum), wanted, "{name}");
    }
}

#[test]
fn a_sum_to_a_shape_that_is_not_broadcast_so_is_refused() {
    let x = [count([2, 3])];
    let sum = |to: &[usize], rule: Rule| {
        run(&Expr::slot(0).sum_to(to.to_vec()).with_rule(rule), &x).unwrap_err()
    };
    assert!(matches!(sum(&[2], Rule::Numpy), Error::Extents { .. }));
    let larger = sum(&[4, 2, 3], Rule::Numpy).to_string();
    assert_eq!(larger, "sum_to: the shape is [2, 3], it must be [4, 2, 3]");
    assert!(matches!(
        sum(&[1, 2, 3], Rule::Unidirectional),
        Error::Rank { .. }
    ));
    let other = Rule::To {
        target: [3, 3].into(),
    };
    assert!(matches!(sum(&[3], other), Error::Argument { .. }));
    let bools = HostTensor::new(DType::Bool, [2], vec![0; 2]).unwrap();
    assert!(run(&Expr::slot(0).sum_to([]), &[bools]).is_err());
    assert!(run(&Expr::literal(1).sum_to([]), &x).is_err());
}

#[test]
fn halves_are_summed_in_f32_and_rounded_once() {
    // 2048 + 1 + 1 is 2048 in f16 if it is rounded at each step.
    let bytes = [0x6800u16, 0x3c00, 0x3c00]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    let x = HostTensor::new(DType::F16, [3], bytes).unwrap();
    let sum = run(&Expr::slot(0).sum_to([1]), &[x]).unwrap();
    assert_eq!(sum.bytes, 0x6801u16.to_le_bytes());
}

/// The kinds of nodes that the gradient of a view has.
fn kinds(view: View) -> Vec<GraphKind> {
    let x = Expr::slot(0);
    let gradient = x.view(view).pullback(&Expr::slot(1), &[x]).swap_remove(0);
    let shapes = [Shape::from([2, 3, 1]), Shape::scalar()];
    let promoted = gradient
        .promoted(Default::default(), |_| Ok(DType::F32))
        .unwrap();
    let graph = Graph::new(&[promoted], |i| Ok((DType::F32, shapes[i].clone()))).unwrap();
    graph.nodes.into_iter().map(|n| n.kind).collect()
}

#[test]
fn the_adjoint_of_a_view_of_every_element_is_a_view() {
    let is_placed = |view: View| {
        kinds(view)
            .iter()
            .any(|k| matches!(k, GraphKind::Placed(_)))
    };
    let range = |a, b, step| Index::Range(a, b, step);
    for view in [
        View::Transpose,
        View::Permute(vec![2, 0, 1]),
        View::Flip(None),
        View::Squeeze(None),
        View::Unsqueeze(vec![1]),
        View::Rot90 {
            turns: 1,
            axes: [0, 1],
        },
        View::Slice(vec![
            Index::NewAxis,
            range(None, None, -1),
            Index::ALL,
            Index::At(0),
        ]),
        View::Slice(vec![range(Some(0), Some(9), 1)]),
    ] {
        assert!(!is_placed(view.clone()), "{view:?}");
    }
    for view in [
        View::Slice(vec![Index::At(0)]),
        View::Slice(vec![range(Some(1), None, 1)]),
        View::Slice(vec![Index::ALL, range(None, None, 2)]),
    ] {
        assert!(is_placed(view.clone()), "{view:?}");
    }
    // Of no element it is 0.
    assert!(!is_placed(View::Slice(vec![range(Some(2), None, 1)])));
}

#[test]
fn what_is_placed_is_0_elsewhere_in_parts_too() {
    let x = Expr::slot(0);
    let view = View::Slice(vec![Index::Range(Some(3), Some(0), -2)]);
    let gradient = x
        .view(view)
        .pullback(&Expr::literal(5), &[x])
        .swap_remove(0);
    let slot = |_| Ok((DType::F32, Shape::from([5])));
    let promoted = gradient
        .promoted(Default::default(), |_| Ok(DType::F32))
        .unwrap();
    let graph = Graph::new(&[promoted], slot).unwrap();
    let input = HostTensor::new(DType::F32, [5], vec![0; 20]).unwrap();
    let found: Vec<f32> = run(&gradient, &[input])
        .unwrap()
        .storage_bits()
        .unwrap()
        .into_iter()
        .map(|b| f32::from_bits(b as u32))
        .collect();
    assert_eq!(found, [0.0, 5.0, 0.0, 5.0, 0.0]);
    let part = graph.restricted(&[1], &[2]);
    assert_eq!(part.nodes[part.roots[0]].shape, Shape::from([2]));
    assert!(
        part.nodes
            .iter()
            .any(|n| matches!(n.kind, GraphKind::Placed(_)))
    );
}
