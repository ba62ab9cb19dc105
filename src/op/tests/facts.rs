//! Facts of a row against what its own forms compute.

use super::*;
use crate::expr::Expr;
use crate::host::HostTensor;
use crate::reference;

/// What an operator gives for i64 operands, one tuple a result.
fn computed(op: Op, operands: &[Vec<i64>]) -> Vec<i64> {
    let expr = Expr::step(
        op,
        (0..op.operands().len()).map(Expr::slot).collect::<Vec<_>>(),
    );
    let columns: Vec<HostTensor> = (0..op.operands().len())
        .map(|i| {
            let bytes = operands.iter().flat_map(|tuple| tuple[i].to_le_bytes());
            HostTensor::new(DType::I64, [operands.len()], bytes.collect()).unwrap()
        })
        .collect();
    let found = reference::run(&expr, &columns).unwrap();
    let size = found.dtype.size();
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |x, &b| x << 8 | i64::from(b));
    found.bytes.chunks_exact(size).map(word).collect()
}

/// All tuples of samples.
fn tuples(samples: &[i64], count: usize) -> Vec<Vec<i64>> {
    (0..count).fold(vec![vec![]], |all, _| {
        let longer = |tuple: &Vec<i64>, x: i64| [&tuple[..], &[x]].concat();
        all.iter()
            .flat_map(|tuple| samples.iter().map(|&x| longer(tuple, x)))
            .collect()
    })
}

#[test]
fn whole_numbers_alone_give_what_the_row_gives_for_integers() {
    let samples = [-9, -3, -2, -1, 0, 1, 2, 3, 5, 7, 40];
    for op in Op::table().filter(|op| op.accepts().contains(DType::I64)) {
        let number: fn(&Numbers, &[i64]) -> Option<i128> = |numbers, tuple| {
            let at = |i: usize| i128::from(tuple[i]);
            match numbers {
                Numbers::One(f) => f(at(0)),
                Numbers::Two(f) => f(at(0), at(1)),
                Numbers::Three(f) => f(at(0), at(1), at(2)),
                _ => None,
            }
        };
        let numbers = op.facts().numbers;
        if !matches!(
            numbers,
            Numbers::One(_) | Numbers::Two(_) | Numbers::Three(_)
        ) {
            continue;
        }
        let tuples = tuples(&samples, op.operands().len());
        let mut compared = 0;
        for (tuple, found) in tuples.iter().zip(computed(op, &tuples)) {
            // What Python computes as a float, or what wraps, is no number of the type.
            let wanted = number(&numbers, tuple).and_then(|x| i64::try_from(x).ok());
            if let Some(wanted) = wanted {
                assert_eq!(found, wanted, "{op} of {tuple:?}");
                compared += 1;
            }
        }
        assert!(compared >= samples.len() / 2, "{op}: {compared} compared");
    }
}

#[test]
fn integers_of_ordered_rows_rise_or_fall_from_end_to_end() {
    let samples = [
        i64::MIN,
        i64::MIN + 1,
        -2,
        -1,
        0,
        1,
        2,
        i64::MAX - 1,
        i64::MAX,
    ];
    for op in Op::table().filter(|op| op.curve() == Curve::Ordered) {
        let count = op.operands().len();
        if !op.accepts().contains(DType::I64) || op.is_select() || op.fold_step().is_some() {
            continue;
        }
        let tuples = tuples(&samples, count);
        let found = computed(op, &tuples);
        for i in 0..count {
            // The results along operand `i`, the others as they are.
            let step = samples.len().pow((count - 1 - i) as u32);
            for start in 0..tuples.len() {
                if tuples[start][i] != samples[0] {
                    continue;
                }
                let line: Vec<i64> = (0..samples.len())
                    .map(|k| found[start + k * step])
                    .collect();
                let falls = line.iter().rev().is_sorted();
                assert!(line.is_sorted() || falls, "{op}, operand {i}: {line:?}");
            }
        }
    }
}
