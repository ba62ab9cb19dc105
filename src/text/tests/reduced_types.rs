//! The types of reductions' results: those that are asked for, and NumPy's.

use super::*;
use crate::expr::Promotion;
use DType::*;

#[test]
fn a_type_that_is_asked_for_is_computed_in_and_returned() {
    check(&[
        Case("sum(x, dtype=f64)", F64, &[], &[21.0]),
        Case("x.sum(1, dtype='float16')", F16, &[2], &[6.0, 15.0]),
        Case("np.sum(u, dtype=np.uint8)", U8, &[], &[44.0]),
        Case("i.sum(dtype=i32)", I32, &[], &[4.0]),
        Case("u.prod(dtype=u8)", U8, &[], &[32.0]),
        Case("sum(x, 0, f64)", F64, &[3], &[5.0, 7.0, 9.0]),
        Case("x.sum(dtype=None)", F32, &[], &[21.0]),
        Case("i.sum(dtype=bool)", Bool, &[], &[1.0]),
        Case("mean(i, dtype=f64)", F64, &[], &[1.3333333]),
        Case("x.mean(0, dtype=f16)", F16, &[3], &[2.5, 3.5, 4.5]),
        Case("var(i, dtype=np.float64)", F64, &[], &[42.888889]),
        Case("nansum(n, dtype=f64)", F64, &[], &[4.0]),
        Case("nansum(n, dtype=i32)", I32, &[], &[4.0]),
        Case("nanmean(n, 0, dtype=f64)", F64, &[3], &[1.0, f64::NAN, 3.0]),
        Case("nanvar(n, dtype=f64)", F64, &[], &[1.0]),
        Case("nanstd(i, dtype=f16)", F16, &[], &[6.55078125]),
        Case("x.sum(0, None, None, True)", F32, &[1, 3], &[5.0, 7.0, 9.0]),
        Case("x.max(0, None, True)", F32, &[1, 3], &[4.0, 5.0, 6.0]),
        Case(
            "x.std(0, None, None, 1, True)",
            F32,
            &[1, 3],
            &[2.1213202, 2.1213202, 2.1213202],
        ),
    ]);
}

#[test]
fn under_numpys_promotion_results_have_numpys_types() {
    let cases = [
        ("i.mean()", F64),
        ("b.mean()", F64),
        ("u.std()", F64),
        ("h.mean()", F16),
        ("x.var()", F32),
        ("d.mean()", F64),
        ("i.sum()", I64),
        ("u.sum()", U64),
        ("t.max()", I16),
        ("ptp(t)", I16),
        ("nanmean(n)", F32),
        ("nanmean(h)", F16),
        ("nanmean(i)", F64),
        ("nanvar(n)", F32),
        ("nanstd(h)", F16),
        ("nanvar(i)", F64),
        ("nanstd(t)", F64),
        ("nansum(n)", F32),
        ("nansum(u)", U64),
        ("norm(x)", F32),
        ("norm(i)", F64),
        ("norm(i, ord=1, axis=0)", F64),
        ("norm(x, ord=1, axis=0)", F32),
        ("vector_norm(t)", F64),
        ("i - i.mean()", F64),
        ("x - x.sum(0)", F32),
        ("i + i.argmax()", I64),
    ];
    let inputs = inputs();
    let found = |source: &str| -> Result<DType> {
        let expr = lowered(source)?.promoted(Promotion::Numpy, |&i| Ok(inputs[i].1.dtype))?;
        let slot = |i: usize| Ok((inputs[i].1.dtype, inputs[i].1.layout.shape().clone()));
        let graph = crate::expr::Graph::new(&[expr], slot)?;
        Ok(graph.nodes[graph.roots[0]].dtype)
    };
    let failures: Vec<String> = cases
        .iter()
        .map(|(source, wanted)| (source, wanted, found(source)))
        .filter(|(_, wanted, found)| found.as_ref().ok() != Some(wanted))
        .map(|(source, _, found)| format!("{source}: {found:?}"))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
