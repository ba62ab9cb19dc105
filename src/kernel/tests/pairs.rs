//! Units of 16 bytes in kernels for GPUs, pairs of 64-bit elements and words of narrow ones in odd
//! rows: the laws of their plans, and their texts.

use super::*;
use crate::plan::ScheduleName;

/// A name, an expression of two operands, and their shapes.
type Case = (&'static str, Expr<usize>, [Vec<usize>; 2]);

/// Every mapping and load.
fn cases() -> Vec<Case> {
    let [x, y] = [0, 1].map(Expr::slot);
    let permuted = |e: &Expr<usize>, axes: &[usize]| e.view(View::Permute(axes.to_vec()));
    let later = |e: &Expr<usize>| e.slice([Index::Ellipsis, Index::Range(Some(1), None, 1)]);
    let reversed = |e: &Expr<usize>| e.slice([Index::Ellipsis, Index::Range(None, None, -1)]);
    let two = x.sub(&y);
    vec![
        ("line", two.clone(), [vec![1037], vec![1037]]),
        ("one element", two.clone(), [vec![1038], vec![1]]),
        ("later", later(&x).sub(&y), [vec![1039], vec![1038]]),
        (
            "reversed",
            x.sub(reversed(&y)),
            [vec![13, 22], vec![13, 22]],
        ),
        ("rows", two.clone(), [vec![37, 22], vec![22]]),
        ("columns", two.clone(), [vec![37, 22], vec![37, 1]]),
        ("short rows", two.clone(), [vec![37, 2], vec![2]]),
        ("both broadcast", two.clone(), [vec![37, 1], vec![18]]),
        ("middle", two.clone(), [vec![9, 12, 34], vec![9, 1, 34]]),
        ("odd rows", two.clone(), [vec![37, 65], vec![65]]),
        ("odd columns", two.clone(), [vec![37, 65], vec![37, 1]]),
        ("odd middle", two.clone(), [vec![9, 5, 7], vec![5, 1]]),
        ("three channels", two.clone(), [vec![50, 3], vec![3]]),
        ("five axes", two, [vec![3, 1, 5, 1, 6], vec![2, 1, 4, 6]]),
        (
            "ten axes",
            x.sub(&y),
            [
                vec![1, 31, 2, 1, 2, 1, 2, 1, 2, 1, 5],
                vec![31, 1, 3, 1, 3, 1, 3, 1, 3, 1],
            ],
        ),
        ("tile", x.transpose().sub(&y), [vec![34, 22], vec![22, 34]]),
        (
            "tile of few",
            permuted(&x, &[0, 2, 1]).sub(&y),
            [vec![5, 2, 2], vec![2, 2]],
        ),
        (
            "tile of an outer axis",
            permuted(&x, &[2, 1, 0]).sub(&y),
            [vec![18, 3, 10], vec![3, 18]],
        ),
        (
            "two channels",
            permuted(&x, &[0, 2, 1]).sub(&y),
            [vec![5, 40, 2], vec![5, 2, 40]],
        ),
        (
            "three channels apart",
            permuted(&x, &[0, 2, 1]).sub(&y),
            [vec![5, 40, 3], vec![3, 1]],
        ),
        (
            "odd transposed",
            x.transpose().sub(&y),
            [vec![35, 257], vec![257, 35]],
        ),
    ]
}

/// Checks a case for each schedule whose plan says this, and returns how many do.
fn checked(
    texts: &mut Texts,
    says: &str,
    what: &str,
    expr: &Expr<usize>,
    slots: &[Slot],
    limits: Limits,
) -> usize {
    let mut found = 0;
    for &name in ScheduleName::ALL {
        let options = Options::default()
            .with_limits(limits)
            .with_schedule(Some(name));
        let plan = Plan::new(expr, slots, &options).unwrap();
        plan.audit()
            .unwrap_or_else(|e| panic!("{what} as {name}: {e}"));
        let text = plan.to_string();
        if !text.contains(&format!("  * {name} ")) || !text.contains(says) {
            continue;
        }
        found += 1;
        for in_place in [false, true] {
            let what = format!("{what} as {name}");
            texts.add(&what, expr, slots, &options, in_place);
        }
    }
    found
}

#[test]
fn pairs_keep_to_their_laws_and_are_valid_in_every_language() {
    let mut texts = Texts {
        grouped: true,
        ..Texts::default()
    };
    for (n, (what, expr, shapes)) in cases().into_iter().enumerate() {
        let dtype = [DType::I64, DType::U64][n % 2];
        let slots = shapes.each_ref().map(|shape| slot(dtype, shape));
        let limits = Limits::WEBGPU.with_max_invocations(64);
        let found = checked(&mut texts, "whole pairs", what, &expr, &slots, limits);
        assert!(found > 0, "{what} has no pairs");
    }
    // Narrower operands have pairs of their own.
    let [x, y] = [0, 1].map(Expr::slot);
    for dtype in [DType::Bool, DType::I8, DType::F16, DType::I32] {
        for shapes in [
            [vec![1037], vec![1037]],
            [vec![37, 22], vec![37, 1]],
            [vec![22, 34], vec![34, 22]],
        ] {
            let cast = match shapes[0] == [22, 34] {
                true => x.transpose().cast(DType::I64),
                false => x.cast(DType::I64),
            };
            for expr in [cast.sub(&y), y.sub(&cast)] {
                let slots = [slot(dtype, &shapes[0]), slot(DType::I64, &shapes[1])];
                let what = format!("{dtype} and {:?}", shapes[1]);
                let found = checked(
                    &mut texts,
                    "whole pairs",
                    &what,
                    &expr,
                    &slots,
                    Limits::WEBGPU,
                );
                assert!(found > 0, "{what} has no pairs");
            }
        }
    }
    texts.check("pairs", 60);
}

#[test]
fn a_foreign_buffer_of_whole_pairs_is_stored_in_pairs_and_no_further() {
    let layout = |len: usize, first: usize| Layout::new([len], vec![1], first).unwrap();
    for (len, first, whole) in [
        (6, 0, true),
        (6, 2, true),
        (6, 4, true),
        (7, 0, false),
        (6, 1, false),
        (8, 3, false),
    ] {
        let bytes = 8 * (len + first) as u64;
        let own = Slot::wrapped(DType::I64, layout(len, first), bytes);
        let slots = [own.clone(), slot(DType::I64, &[len])];
        let difference = Expr::slot(0).sub(Expr::slot(1));
        let plan = Plan::many(&[difference], &slots, &[own], &Options::default()).unwrap();
        plan.audit().unwrap();
        let text = plan.to_string();
        assert_eq!(
            text.contains("whole pairs"),
            whole,
            "{len} from {first}: {text}"
        );
        // What is read ends with the binding too.
        let loads = if whole { "linear" } else { "gather" };
        assert!(text.contains(loads), "{len} from {first}: {text}");
    }
}

#[test]
fn words_in_odd_rows_keep_to_their_laws_and_are_valid_in_every_language() {
    let mut texts = Texts {
        grouped: true,
        ..Texts::default()
    };
    let [x, y] = [0, 1].map(Expr::slot);
    let upto = |e: &Expr<usize>| e.slice([Index::Ellipsis, Index::Range(Some(1), Some(34), 1)]);
    let two = x.sub(&y);
    let cases: Vec<Case> = vec![
        ("rows", two.clone(), [vec![63, 33], vec![33]]),
        ("columns", two.clone(), [vec![63, 33], vec![63, 1]]),
        ("both broadcast", two.clone(), [vec![63, 1], vec![33]]),
        ("whole words", two.clone(), [vec![63, 20], vec![20]]),
        ("short columns", two.clone(), [vec![7, 17], vec![7, 1]]),
        ("middle", two.clone(), [vec![9, 5, 35], vec![9, 1, 35]]),
        ("inner", two.clone(), [vec![29, 3, 33], vec![3, 33]]),
        ("inner columns", two.clone(), [vec![29, 3, 33], vec![3, 1]]),
        ("a wider pitch", upto(&x).sub(&y), [vec![63, 37], vec![33]]),
        (
            "ten axes",
            two,
            [
                vec![1, 31, 2, 1, 2, 1, 2, 1, 2, 1, 17],
                vec![31, 1, 3, 1, 3, 1, 3, 1, 3, 1],
            ],
        ),
        ("in parts", x.mul(&y), [vec![63, 33], vec![63, 1]]),
        ("a row in parts", x.mul(&y), [vec![63, 33], vec![33]]),
    ];
    for (what, expr, shapes) in cases {
        // Halves of which no row is whole cost more in pieces of words than one by one.
        let dtypes: &[DType] = match what {
            "a wider pitch" => &[DType::U8],
            _ => &[DType::U8, DType::F16],
        };
        for &dtype in dtypes {
            let slots = shapes.each_ref().map(|shape| slot(dtype, shape));
            let limits = Limits::WEBGPU.with_max_invocations(64);
            let what = format!("{what} {dtype}");
            let says = "elements a word";
            let found = checked(&mut texts, says, &what, &expr, &slots, limits);
            assert!(found > 0, "{what} is not in words");
        }
    }
    texts.check("words in odd rows", 40);
}

#[test]
fn whole_words_that_repeat_along_odd_rows_are_selected_by_lane() {
    let mut texts = Texts::default();
    let two = Expr::slot(0).sub(Expr::slot(1));
    for (dtype, own) in [(DType::I16, 2), (DType::F16, 2), (DType::U8, 4)] {
        for software in [false, true] {
            for rows in [5, 7, 63] {
                let options =
                    Options::default().with_limits(Limits::WEBGPU.with_software(software));
                let shapes: [&[usize]; 2] = [&[6, rows, own], &[6, 1, own]];
                let slots = shapes.map(|shape| slot(dtype, shape));
                let plan = Plan::new(&two, &slots, &options).unwrap();
                plan.audit().unwrap();
                texts.add("whole words", &two, &slots, &options, false);
            }
        }
    }
    texts.check("whole words in odd rows", 2);
}
