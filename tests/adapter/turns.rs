//! Rows, columns, products and joins that are longer than the 65,535 turns which llvmpipe lets the
//! loops of an invocation take, against sums that the host knows.

use zerostride::{CustomOp, DType, Expr, HostTensor, Tensor};

use crate::common::{Random, all, context, one_if_few, thinned};

/// Small whole numbers that repeat after `period` elements, so that sums are known without adding
/// them up, and every place where a loop might end is told from its neighbours.
fn repeating(dtype: DType, shape: [usize; 2], period: usize) -> (Tensor, Vec<u8>) {
    let len = shape[0] * shape[1];
    let numbers: Vec<u8> = (0..len).map(|i| (i % period) as u8).collect();
    let bytes = match dtype {
        DType::U8 => numbers.clone(),
        DType::F32 => numbers
            .iter()
            .flat_map(|&n| f32::from(n).to_le_bytes())
            .collect(),
        _ => unreachable!(),
    };
    let host = HostTensor::new(dtype, shape, bytes).unwrap();
    (context().tensor_from_host(&host).unwrap(), numbers)
}

fn evaluated(text: &str, x: &Tensor) -> Vec<f64> {
    let text = format!("astype({text}, f32)");
    let found = context().eval_text(&text, [("x", x)]).unwrap();
    let found = found.read_blocking::<f32>().unwrap();
    found.into_iter().map(f64::from).collect()
}

/// The first place in which two lists differ by more than rounding.
fn same(what: &str, found: &[f64], expected: &[f64]) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!(
            "{what}: {} elements, not {}",
            found.len(),
            expected.len()
        ));
    }
    let differs = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-6 * b.abs().max(1.0);
    match found.iter().zip(expected).position(differs) {
        None => Ok(()),
        Some(at) => Err(format!(
            "{what}: element {at} is {}, not {}",
            found[at], expected[at]
        )),
    }
}

#[test]
fn columns_of_more_rows_than_a_loop_may_take_are_summed_whole() {
    let mut random = Random::new("tall columns");
    let mut reports = Vec::new();
    // 64 columns and more are folded by an invocation a quad.
    let tables = [
        (DType::U8, [450_001, 64]),
        (DType::F32, [434_177, 64]),
        (DType::U8, [2_100_000, 65]),
        (DType::F32, [3_000_000, 3]),
        (DType::U8, [70_000, 257]),
    ];
    for (dtype, shape) in thinned(&mut random, tables) {
        let (x, numbers) = repeating(dtype, shape, 7);
        let [rows, columns] = shape;
        let mut sums = vec![0f64; columns];
        for row in numbers.chunks(columns) {
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, &n)| *sum += f64::from(n));
        }
        let last: Vec<f64> = numbers[(rows - 1) * columns..]
            .iter()
            .map(|&n| n.into())
            .collect();
        let means: Vec<f64> = sums.iter().map(|sum| sum / rows as f64).collect();
        let what = |text: &str| format!("{text} of {dtype} {shape:?}");
        for (text, expected) in [
            ("x.sum(0)", &sums),
            ("x.mean(0)", &means),
            (
                "(x - x.mean(0))[-1]",
                &last.iter().zip(&means).map(|(x, m)| x - m).collect(),
            ),
            ("count_nonzero(x >= 0, axis=0)", &vec![rows as f64; columns]),
            // The last of a column's largest elements, told by its number.
            (
                "argmax(where(arange(x.shape[0])[:, None] == x.shape[0] - 1, 100, 0 * x), 0)",
                &vec![(rows - 1) as f64; columns],
            ),
            ("x.sum()", &vec![sums.iter().sum()]),
            ("x.T.sum(1)", &sums),
        ] {
            reports.push(same(&what(text), &evaluated(text, &x), expected));
        }
    }
    all(reports);
}

#[test]
fn products_that_sum_over_more_than_a_loop_may_take_are_whole() {
    let mut random = Random::new("long products");
    let mut reports = Vec::new();
    // Of the widest a product is one of tiles.
    let tables = [[58_300, 10], [1 << 20, 3], [70_000, 24]];
    for [rows, columns] in thinned(&mut random, tables) {
        let (x, numbers) = repeating(DType::F32, [rows, columns], 3);
        let mut expected = vec![0f64; columns * columns];
        for row in numbers.chunks(columns) {
            for (i, a) in row.iter().enumerate() {
                for (j, b) in row.iter().enumerate() {
                    expected[i * columns + j] += f64::from(*a) * f64::from(*b);
                }
            }
        }
        let what = |text: &str| format!("{text} of {rows} x {columns}");
        reports.push(same(&what("x.T @ x"), &evaluated("x.T @ x", &x), &expected));
        let twice: Vec<f64> = [&expected[..], &expected].concat();
        let batches = "stack((x.T, x.T)) @ stack((x, x))";
        reports.push(same(&what(batches), &evaluated(batches, &x), &twice));
    }
    all(reports);
}

#[test]
fn long_products_are_summed_in_chunks() {
    // 0.1 * 0.1 in sequence would be 1e-3 off after so many terms, 1e-2 after a million.
    let context = context();
    let shapes = [[24, 200_000], [2, 1_000_000]];
    for [rows, terms] in one_if_few(&mut Random::new("long products"), &shapes) {
        let x = context.full(DType::F32, [rows, terms], 0.1f32).unwrap();
        for value in evaluated("x @ x.T", &x) {
            let expected = terms as f64 * f64::from(0.1f32) * f64::from(0.1f32);
            assert!(
                (value / expected - 1.0).abs() < 2e-4,
                "{value}, not {expected}"
            );
        }
    }
}

#[test]
fn one_row_of_millions_is_joined_moved_and_numbered_whole() {
    let mut reports = Vec::new();
    let len = 4_300_003;
    for dtype in one_if_few(&mut Random::new("a long row"), &[DType::F32, DType::U8]) {
        let (x, numbers) = repeating(dtype, [1, len], 251);
        let numbers: Vec<f64> = numbers.into_iter().map(f64::from).collect();
        let turned = [&numbers[len - 100..], &numbers[..len - 100]].concat();
        let padded = [&[9.0; 3], &numbers[..], &[9.0; 3]].concat();
        let twice = [&numbers[..], &numbers].concat();
        let behind = [&numbers[..], &[5.0]].concat();
        for (text, expected) in [
            ("concatenate((x[0], x[0]))", &twice),
            ("append(x[0], 5)", &behind),
            ("hstack((x, x))", &twice),
            ("vstack((x[0], x[0]))", &twice),
            ("roll(x[0], 100)", &turned),
            ("pad(x[0], 3, constant_values=9)", &padded),
        ] {
            let what = format!("{text} of {dtype}");
            reports.push(same(&what, &evaluated(text, &x), expected));
        }
    }
    let x = context().zeros(DType::F32, [1]).unwrap();
    let counted: Vec<f64> = (0..len).map(|n| (n % 65_536) as f64).collect();
    for (text, expected) in [
        ("arange(4300003) % 65536", &counted),
        (
            "(arange(4300003) % 65536)[::-1]",
            &counted.iter().rev().copied().collect(),
        ),
        (
            "linspace(0, 4300002, 4300003)[-3:] - 4300000",
            &vec![0.0, 1.0, 2.0],
        ),
        (
            "(arange(4300003)[:, None] * ones((1, 2), i64))[-1] - 4300000",
            &vec![2.0, 2.0],
        ),
    ] {
        reports.push(same(text, &evaluated(text, &x), expected));
    }
    all(reports);
}

#[test]
fn loops_of_steps_are_counted_with_those_of_a_fold() {
    let mut random = Random::new("turns of steps");
    let mut reports = Vec::new();
    // A remainder takes up to 15 turns a quad, a power of whole numbers 32.
    let shape = [200_000, 65];
    let (x, numbers) = repeating(DType::U8, shape, 200 + random.below(50));
    let mut sums = vec![0f64; shape[1]];
    for row in numbers.chunks(shape[1]) {
        sums.iter_mut()
            .zip(row)
            .for_each(|(sum, &n)| *sum += f64::from(n % 7));
    }
    let text = "fmod(astype(x, f32) + 3.5e37 * 0, 7).sum(0)";
    reports.push(same(text, &evaluated(text, &x), &sums));
    let powers = "(astype(x % 2, u32) ** (astype(x, u32) + 2000000000)).sum(0)";
    let mut odd = vec![0f64; shape[1]];
    for row in numbers.chunks(shape[1]) {
        odd.iter_mut()
            .zip(row)
            .for_each(|(sum, &n)| *sum += f64::from(n % 2));
    }
    reports.push(same(powers, &evaluated(powers, &x), &odd));
    all(reports);
}

#[test]
fn rows_of_whole_steps_are_joined_and_numbered_whole() {
    let mut reports = Vec::new();
    for len in [
        64,
        128,
        192,
        256,
        512,
        640,
        1000,
        1024,
        2048,
        4096,
        65_536,
        1 << 17,
    ] {
        let (x, numbers) = repeating(DType::F32, [8, len], 251);
        let numbers: Vec<f64> = numbers.into_iter().map(f64::from).collect();
        let row = |r: usize| &numbers[r * len..(r + 1) * len];
        let turned: Vec<f64> = (0..len)
            .flat_map(|c| (0..8).map(move |r| (r, c)))
            .map(|(r, c)| row(r)[c])
            .collect();
        let down = [&numbers[..], &numbers].concat();
        let across: Vec<f64> = (0..8).flat_map(|r| [row(r), row(r)].concat()).collect();
        let beside: Vec<f64> = turned.chunks(8).flat_map(|c| [c, c].concat()).collect();
        let numbered: Vec<f64> = (0..8).flat_map(|_| 0..len).map(|n| n as f64).collect();
        let down_numbered: Vec<f64> = (0..len).flat_map(|n| [n as f64; 8]).collect();
        for (text, expected) in [
            ("concatenate((x, x))", &down),
            ("concatenate((x, x), 1)", &across),
            ("concatenate((x.T, x.T), 1)", &beside),
            (
                "concatenate((x.T, x.T), 1).T",
                &[
                    across
                        .chunks(2 * len)
                        .map(|r| &r[..len])
                        .collect::<Vec<_>>()
                        .concat(),
                    across
                        .chunks(2 * len)
                        .map(|r| &r[..len])
                        .collect::<Vec<_>>()
                        .concat(),
                ]
                .concat(),
            ),
            ("0 * x + arange(x.shape[1])", &numbered),
            ("0 * x.T + arange(x.shape[1])[:, None]", &down_numbered),
        ] {
            let what = format!("{text} of 8 x {len}");
            reports.push(same(&what, &evaluated(text, &x), expected));
        }
    }
    all(reports);
}

#[test]
fn several_steps_with_loops_are_folded_whole() {
    let context = context();
    let x = context.full(DType::U32, [31_250, 64], 1u32).unwrap();
    let y = context
        .full(DType::U32, [31_250, 64], 4_000_000_001u32)
        .unwrap();
    let mut random = Random::new("several steps with loops");
    for steps in thinned(&mut random, 1..=8) {
        let text = (0..steps).fold("x".to_owned(), |text, _| format!("({text} ** y)"));
        for (of, expected) in [
            (".sum()", 2_000_000.0),
            (".sum(0)[5]", 31_250.0),
            (".sum(1)[7]", 64.0),
        ] {
            let source = format!("astype({text}{of}, f32)");
            let found = context.eval_text(&source, [("x", &x), ("y", &y)]).unwrap();
            assert_eq!(
                found.item_blocking::<f32>().unwrap(),
                expected,
                "{steps} steps{of}"
            );
        }
    }
}

/// What a text is of a table of so many columns, as the host computes it.
type Known = fn(&[f64], usize) -> Vec<f64>;

/// Nodes along the rows and the columns of a table of whole numbers below 7.
const NODES: [(&str, Known); 11] = [
    ("cumsum(x, 0)", |x, columns| {
        let mut found = x.to_vec();
        (columns..x.len()).for_each(|i| found[i] += found[i - columns]);
        found
    }),
    ("cumsum(x, 1)", |x, columns| {
        let mut found = x.to_vec();
        let is_later = |i: &usize| !i.is_multiple_of(columns);
        (0..x.len())
            .filter(is_later)
            .for_each(|i| found[i] += found[i - 1]);
        found
    }),
    ("take(x, arange(x.shape[0])[::-1], 0)", |x, columns| {
        x.chunks(columns).rev().flatten().copied().collect()
    }),
    ("searchsorted(arange(7).astype(f32), x)", |x, _| x.to_vec()),
    ("sliding_window_view(x, 2, 0).sum(-1)", |x, columns| {
        x.iter().zip(&x[columns..]).map(|(a, b)| a + b).collect()
    }),
    ("diff(x, axis=0)", |x, columns| {
        x.iter().zip(&x[columns..]).map(|(a, b)| b - a).collect()
    }),
    ("sort(x, 1)", |x, columns| {
        let mut found = x.to_vec();
        let rows = found.chunks_mut(columns);
        rows.for_each(|row| row.sort_by(f64::total_cmp));
        found
    }),
    ("x.max(0)", |x, columns| down(x, columns, f64::max)),
    ("x.min(0)", |x, columns| down(x, columns, f64::min)),
    ("any(x == 6, 0)", |x, columns| {
        let found = down(x, columns, f64::max);
        found.iter().map(|&most| f64::from(most == 6.0)).collect()
    }),
    // A tenth, as numbers below 1 are compared by their difference.
    ("x.var(0) / 10", |x, columns| {
        let squares: Vec<f64> = x.iter().map(|x| x * x).collect();
        let [sums, squares] = [x, &squares].map(|of| down(of, columns, |a, b| a + b));
        let rows = (x.len() / columns) as f64;
        let variance = |(sum, square): (f64, f64)| square / rows - (sum / rows).powi(2);
        sums.into_iter()
            .zip(squares)
            .map(|of| variance(of) / 10.0)
            .collect()
    }),
];

/// The rows of a table folded to one.
fn down(x: &[f64], columns: usize, fold: fn(f64, f64) -> f64) -> Vec<f64> {
    let mut found = x[..columns].to_vec();
    for row in x[columns..].chunks(columns) {
        let pairs = found.iter_mut().zip(row);
        pairs.for_each(|(a, &b)| *a = fold(*a, b));
    }
    found
}

#[test]
fn every_kind_of_node_is_whole_on_tall_tables() {
    let mut random = Random::new("nodes of tall tables");
    let mut reports = Vec::new();
    let tables = [[4_300_003, 1], [434_177, 16], [70_000, 257]];
    for [rows, columns] in thinned(&mut random, tables) {
        let (x, numbers) = repeating(DType::F32, [rows, columns], 7);
        let numbers: Vec<f64> = numbers.into_iter().map(f64::from).collect();
        for (text, known) in thinned(&mut random, NODES) {
            let what = format!("{text} of {rows} x {columns}");
            reports.push(same(&what, &evaluated(text, &x), &known(&numbers, columns)));
        }
    }
    all(reports);
}

#[test]
fn gradients_and_operators_of_the_users_are_whole_on_a_tall_table() {
    let (x, numbers) = repeating(DType::F32, [434_177, 16], 7);
    let numbers: Vec<f64> = numbers.into_iter().map(f64::from).collect();
    let x = x.expr();
    let gradient = x.mul(&x).sum(..).gradient([&x]).remove(0);
    let twice = CustomOp::new("twice", ["a"]).form("a + a", |[a]: [f32; 1]| a + a);
    let folded = Expr::promoting(twice.build().unwrap(), [x.clone()]).sum(0);
    let read = |expr: &Expr<Tensor>| {
        let found = expr.eval().unwrap().read_blocking::<f32>().unwrap();
        found.into_iter().map(f64::from).collect::<Vec<_>>()
    };
    let doubled: Vec<f64> = numbers.iter().map(|x| 2.0 * x).collect();
    all([
        same("a gradient", &read(&gradient), &doubled),
        same("twice", &read(&folded), &down(&doubled, 16, |a, b| a + b)),
    ]);
}
