//! OpenVINO's Broadcast.

use super::*;

#[test]
fn broadcast_has_four_modes() {
    let x = |shape: &[usize], data: &[f64]| Some(tensor(U8, shape, data));
    let ints = |v: &[i64]| Attr::Ints(v.to_vec());
    let go = |mode: &str, target: &[i64], more: &[(&str, Attr)], x: Option<HostTensor>| {
        let mut attrs = vec![
            ("mode", Attr::Str(mode.into())),
            ("target_shape", ints(target)),
        ];
        attrs.extend_from_slice(more);
        run(OpenVino, "Broadcast", None, &attrs, &[x], &Rule::Numpy)
            .map(|t| (t.layout.shape().clone(), t.bytes))
    };
    let is = |found: Result<(Shape, Vec<u8>)>, shape: &[usize], bytes: &[u8]| {
        assert_eq!(found.unwrap(), (Shape::from(shape), bytes.to_vec()));
    };
    is(
        go("numpy", &[2, 2], &[], x(&[2], &[1.0, 2.0])),
        &[2, 2],
        &[1, 2, 1, 2],
    );
    assert!(go("numpy", &[1], &[], x(&[2], &[1.0, 2.0])).is_err());
    is(
        go("bidirectional", &[1], &[], x(&[2], &[1.0, 2.0])),
        &[2],
        &[1, 2],
    );
    is(
        go(
            "explicit",
            &[2, 2],
            &[("axes_mapping", ints(&[0]))],
            x(&[2], &[1.0, 2.0]),
        ),
        &[2, 2],
        &[1, 1, 2, 2],
    );
    is(
        go(
            "explicit",
            &[2],
            &[("axes_mapping", ints(&[]))],
            x(&[], &[1.0]),
        ),
        &[2],
        &[1, 1],
    );
    assert!(go("explicit", &[2, 2], &[], x(&[2], &[1.0, 2.0])).is_err());
    assert!(
        go(
            "explicit",
            &[2, 2],
            &[("axes_mapping", ints(&[2]))],
            x(&[2], &[1.0, 2.0])
        )
        .is_err()
    );
    assert!(
        go(
            "explicit",
            &[2, 2],
            &[("axes_mapping", ints(&[1, 0]))],
            x(&[2, 2], &[1.0; 4])
        )
        .is_err()
    );
    assert!(
        go(
            "numpy",
            &[2, 2],
            &[("axes_mapping", ints(&[0]))],
            x(&[2], &[1.0, 2.0])
        )
        .is_err()
    );
    is(
        go(
            "pdpd",
            &[2, 2],
            &[("axis", Attr::Int(0))],
            x(&[2], &[1.0, 2.0]),
        ),
        &[2, 2],
        &[1, 1, 2, 2],
    );
    is(
        go("pdpd", &[2, 2], &[], x(&[2], &[1.0, 2.0])),
        &[2, 2],
        &[1, 2, 1, 2],
    );
    is(
        go(
            "pdpd",
            &[2, 2],
            &[("axis", Attr::Int(1))],
            x(&[2, 1], &[1.0, 2.0]),
        ),
        &[2, 2],
        &[1, 2, 1, 2],
    );
    assert!(
        go(
            "pdpd",
            &[2, 2],
            &[("axis", Attr::Int(2))],
            x(&[2], &[1.0, 2.0])
        )
        .is_err()
    );
    assert!(go("other", &[2, 2], &[], x(&[2], &[1.0, 2.0])).is_err());
    assert!(go("numpy", &[-1], &[], x(&[2], &[1.0, 2.0])).is_err());
}
