//! Units of 16 bytes, which plans for GPUs load and store: pairs of 64-bit elements, and words of
//! narrow ones in odd rows.

use zerostride::{
    DType, Expr, HostTensor, Index, Options, Plan, ScheduleName, Slot, View, reference,
};

use crate::common::{Random, all, check, check_with, context, new_encoder};
use crate::mapping::{options, transposed, viewed};
use crate::wrap::Wrapped;

fn gpu() -> Options {
    options(|l| l.software = false)
}

fn slots(inputs: &[HostTensor]) -> Vec<Slot> {
    let slot = |h: &HostTensor| {
        Slot::new(h.dtype, [1])
            .unwrap()
            .with_layout(h.layout.clone())
    };
    inputs.iter().map(slot).collect()
}

/// Whether a plan stores pairs.
fn has_pairs(expr: &Expr<usize>, inputs: &[HostTensor], options: &Options) -> bool {
    let plan = Plan::new(expr, &slots(inputs), options).unwrap();
    plan.to_string().contains("whole pairs")
}

#[test]
fn pairs_of_every_type_agree_for_every_mapping_and_load() {
    let mut random = Random::new("pairs");
    let mut reports = Vec::new();
    let two = Expr::slot(0).maximum(Expr::slot(1));
    for (dtype, first) in [(DType::I64, 0), (DType::U64, 1), (DType::F64, 2)] {
        let mut t = |shape: &[usize]| random.host(dtype, shape, true);
        let permuted =
            |host: HostTensor, axes: &[usize]| viewed(host, &View::Permute(axes.to_vec()));
        let along = |host: HostTensor, range: Index| {
            viewed(host, &View::Slice(vec![Index::Ellipsis, range]))
        };
        let reversed = Index::Range(None, None, -1);
        let later = Index::Range(Some(1), None, 1);
        let cases = [
            vec![t(&[1037]), t(&[1037])],
            vec![t(&[1]), t(&[1])],
            vec![t(&[3]), t(&[])],
            vec![t(&[4098]), t(&[1])],
            vec![along(t(&[1040]), later), along(t(&[1039]), reversed)],
            vec![t(&[37, 22]), t(&[22])],
            vec![t(&[37, 22]), t(&[37, 1])],
            vec![t(&[3, 2058]), t(&[3, 1])],
            vec![t(&[37, 1]), t(&[18])],
            vec![t(&[9, 12, 34]), t(&[9, 1, 34])],
            vec![t(&[37, 65]), t(&[65])],
            vec![t(&[37, 65]), t(&[37, 1])],
            vec![t(&[50, 3]), t(&[3])],
            vec![t(&[3, 1, 5, 1, 6]), t(&[2, 1, 4, 6])],
            vec![transposed(t(&[34, 22])), t(&[22, 34])],
            vec![permuted(t(&[18, 3, 10]), &[2, 1, 0]), t(&[3, 18])],
            vec![permuted(t(&[5, 40, 2]), &[0, 2, 1]), t(&[5, 2, 40])],
            vec![transposed(t(&[6, 4])), transposed(t(&[6, 4]))],
        ];
        // Each has a kernel of its own; three types share them.
        for inputs in cases.into_iter().skip(first).step_by(3) {
            let shapes: Vec<String> = inputs
                .iter()
                .map(|h| format!("{} {:?}", h.layout.shape(), h.layout.strides()))
                .collect();
            let what = format!("{dtype} {}", shapes.join(", "));
            assert!(has_pairs(&two, &inputs, &gpu()), "{what}");
            reports.push(check_with(&what, &two, &inputs, 0.0, &gpu()));
        }
    }
    all(reports);
}

#[test]
fn every_schedule_of_pairs_agrees() {
    let mut random = Random::new("schedules of pairs");
    let mut reports = Vec::new();
    let two = Expr::slot(0).sub(Expr::slot(1));
    let mut tried = 0;
    for shapes in [
        [&[1037][..], &[1037]],
        [&[37, 22], &[22]],
        [&[9, 12, 38], &[9, 1, 38]],
        [&[37, 65], &[37, 1]],
    ] {
        let inputs = shapes.map(|s| random.host(DType::I64, s, true));
        for &name in ScheduleName::ALL {
            let options = gpu().with_schedule(Some(name));
            let plan = Plan::new(&two, &slots(&inputs), &options)
                .unwrap()
                .to_string();
            if plan.contains(&format!("  * {name} ")) && plan.contains("whole pairs") {
                let what = format!("{shapes:?} as {name}");
                reports.push(check_with(&what, &two, &inputs, 0.0, &options));
                tried += 1;
            }
        }
    }
    assert!(tried > 10, "{tried} schedules");
    all(reports);
}

#[test]
fn pairs_of_narrower_operands_agree() {
    let mut random = Random::new("narrow pairs");
    let mut reports = Vec::new();
    let [x, y] = [0, 1].map(Expr::slot);
    for (dtype, shapes) in [
        (DType::U8, [[1, 1037], [1, 1037]]),
        (DType::I8, [[37, 22], [37, 1]]),
        (DType::I16, [[37, 22], [1, 22]]),
        (DType::I32, [[37, 65], [37, 65]]),
        (DType::U32, [[37, 1], [37, 22]]),
        (DType::Bool, [[37, 65], [37, 1]]),
    ] {
        let inputs = [
            random.host(dtype, &shapes[0], true),
            random.host(DType::I64, &shapes[1], true),
        ];
        let difference = x.cast(DType::I64).sub(&y);
        assert!(has_pairs(&difference, &inputs, &gpu()), "{dtype}");
        reports.push(check_with(
            &format!("{dtype}"),
            &difference,
            &inputs,
            0.0,
            &gpu(),
        ));
    }
    all(reports);
}

#[test]
fn windows_of_pairs_agree() {
    let mut random = Random::new("windows of pairs");
    let mut reports = Vec::new();
    let two = Expr::slot(0).sub(Expr::slot(1));
    for shapes in [
        [&[2049][..], &[2049]],
        [&[41, 50], &[50]],
        [&[41, 51], &[41, 1]],
    ] {
        let inputs = shapes.map(|s| random.host(DType::U64, s, true));
        let mut options = gpu();
        options.limits.max_elements = 500;
        let plan = Plan::new(&two, &slots(&inputs), &options).unwrap();
        assert!(plan.pass_count() > 3, "{plan}");
        assert!(plan.to_string().contains("whole pairs"), "{plan}");
        reports.push(check_with(
            &format!("{shapes:?}"),
            &two,
            &inputs,
            0.0,
            &options,
        ));
    }
    all(reports);
}

#[test]
fn foreign_buffers_of_pairs_keep_their_surroundings_and_may_be_computed_in() {
    let mut random = Random::new("foreign pairs");
    let mut reports = Vec::new();
    let two = Expr::slot(0).sub(Expr::slot(1));
    let shapes: [&[usize]; 6] = [&[7], &[6], &[520], &[5, 6], &[5, 7], &[2, 3]];
    for (n, shape) in shapes.into_iter().enumerate() {
        for first in [0, 1, 2, 33] {
            let input = Wrapped::new(&mut random, DType::I64, shape, first, n % 3);
            let other = Wrapped::new(
                &mut random,
                DType::I64,
                &shape[shape.len() - 1..],
                first / 2,
                0,
            );
            let output = Wrapped::new(&mut random, DType::I64, shape, first, 2 * (n % 2));
            let expected = reference::run(&two, &[input.host.clone(), other.host.clone()]).unwrap();
            // Elsewhere, then where the first operand is.
            for (to, place) in [(&output, "elsewhere"), (&input, "in place")] {
                let what = format!("{shape:?} from {first}, {place}");
                let inputs = [&input.tensor, &other.tensor];
                let slots = inputs.map(|t| t.slot());
                let plan = Plan::many(
                    std::slice::from_ref(&two),
                    &slots,
                    &[to.tensor.slot()],
                    &gpu(),
                )
                .unwrap();
                let context = context();
                let mut encoder = new_encoder(&context);
                context
                    .encode(&mut encoder, &plan, &inputs, &[&to.tensor])
                    .unwrap();
                context.queue().submit([encoder.finish()]);
                reports.push(to.holds(&what, &expected));
            }
        }
    }
    all(reports);
}

#[test]
fn words_of_every_narrow_type_agree_in_odd_rows() {
    let mut random = Random::new("words in odd rows");
    let mut reports = Vec::new();
    let two = Expr::slot(0).sub(Expr::slot(1));
    let along = |host: HostTensor, from: isize, to: isize| {
        let items = vec![Index::Ellipsis, Index::Range(Some(from), Some(to), 1)];
        viewed(host, &View::Slice(items))
    };
    for (dtype, first) in [
        (DType::U8, 0),
        (DType::F16, 1),
        (DType::I8, 2),
        (DType::I16, 3),
    ] {
        let mut t = |shape: &[usize]| random.host(dtype, shape, true);
        let cases = [
            vec![t(&[63, 257]), t(&[257])],
            vec![t(&[63, 257]), t(&[63, 1])],
            vec![t(&[61, 17]), t(&[61, 1])],
            vec![t(&[61, 17]), t(&[17])],
            vec![t(&[41, 19]), t(&[41, 1])],
            vec![t(&[41, 1]), t(&[23])],
            vec![t(&[9, 5, 35]), t(&[9, 1, 35])],
            vec![t(&[29, 3, 33]), t(&[3, 33])],
            vec![t(&[29, 3, 33]), t(&[3, 1])],
            vec![along(t(&[63, 37]), 1, 34), t(&[63, 1])],
            vec![along(t(&[63, 36]), 2, 35), along(t(&[40]), 3, 36)],
            vec![t(&[3, 18]), t(&[18])],
        ];
        for inputs in cases.into_iter().skip(first).step_by(2) {
            let shapes: Vec<String> = inputs
                .iter()
                .map(|h| format!("{} {:?}", h.layout.shape(), h.layout.strides()))
                .collect();
            let what = format!("{dtype} {}", shapes.join(", "));
            let plan = Plan::new(&two, &slots(&inputs), &gpu())
                .unwrap()
                .to_string();
            // Halves of which no row follows the one before are not worth it.
            let in_words = dtype.size() == 1 || inputs.iter().all(|h| h.layout.is_contiguous());
            assert_eq!(plan.contains("elements a word"), in_words, "{what}: {plan}");
            assert!(plan.contains("mapping general"), "{what}: {plan}");
            reports.push(check_with(&what, &two, &inputs, 0.0, &gpu()));
        }
    }
    all(reports);
}

#[test]
fn whole_words_that_repeat_along_odd_rows_agree() {
    let mut random = Random::new("whole words in odd rows");
    let two = Expr::slot(0).sub(Expr::slot(1));
    let mut reports = Vec::new();
    for (dtype, own) in [(DType::I16, 2), (DType::U8, 4), (DType::F16, 2)] {
        for rows in [5, 7] {
            let mut t = |shape: &[usize]| random.host(dtype, shape, true);
            let inputs = [t(&[6, rows, own]), t(&[6, 1, own])];
            let what = format!("{dtype}, {rows} rows");
            reports.push(check(&what, &two, &inputs, 0.0));
            reports.push(check_with(&what, &two, &inputs, 0.0, &gpu()));
        }
    }
    all(reports);
}

#[test]
fn foreign_buffers_of_odd_rows_keep_their_surroundings() {
    let mut random = Random::new("foreign odd rows");
    let mut reports = Vec::new();
    let two = Expr::slot(0).sub(Expr::slot(1));
    let mut in_words = 0;
    for (shape, row) in [
        ([64, 33], [1, 33]),
        ([64, 33], [64, 1]),
        ([63, 33], [1, 33]),
    ] {
        for first in [0, 16, 36] {
            let input = Wrapped::new(&mut random, DType::U8, &shape, first, 0);
            let other = Wrapped::new(&mut random, DType::U8, &row, first / 12, 0);
            let output = Wrapped::new(&mut random, DType::U8, &shape, first, 1);
            let expected = reference::run(&two, &[input.host.clone(), other.host.clone()]).unwrap();
            for (to, place) in [(&output, "elsewhere"), (&input, "in place")] {
                let what = format!("{shape:?} and {row:?} from {first}, {place}");
                let inputs = [&input.tensor, &other.tensor];
                let slots = inputs.map(|t| t.slot());
                let of = std::slice::from_ref(&two);
                let plan = Plan::many(of, &slots, &[to.tensor.slot()], &gpu()).unwrap();
                in_words += usize::from(plan.to_string().contains("elements a word"));
                let context = context();
                let mut encoder = new_encoder(&context);
                context
                    .encode(&mut encoder, &plan, &inputs, &[&to.tensor])
                    .unwrap();
                context.queue().submit([encoder.finish()]);
                reports.push(to.holds(&what, &expected));
            }
        }
    }
    // Where all words are the output's own.
    assert_eq!(in_words, 8);
    all(reports);
}
