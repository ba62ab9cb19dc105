//! Tiles that go through a workgroup's memory, which plans for GPUs have.

use zerostride::{DType, Expr, HostTensor, Index, Options, Plan, ScheduleName, Slot, View};

use crate::common::{Random, all, check_with, context, new_encoder, on_context};
use crate::mapping::{options, transposed, viewed};

fn staged() -> Options {
    options(|l| l.software = false).with_schedule(Some(ScheduleName::Staged))
}

/// Whether a plan has such tiles.
fn is_staged(expr: &Expr<usize>, inputs: &[HostTensor]) -> bool {
    let slot = |h: &HostTensor| {
        Slot::new(h.dtype, [1])
            .unwrap()
            .with_layout(h.layout.clone())
    };
    let slots: Vec<Slot> = inputs.iter().map(slot).collect();
    let plan = Plan::new(expr, &slots, &staged()).unwrap();
    plan.to_string().contains("mapping staged")
}

#[test]
fn staged_tiles_agree_for_every_width_and_load() {
    let mut random = Random::new("staged");
    let mut reports = Vec::new();
    let [x, y, z] = [0, 1, 2].map(Expr::slot);
    let two = x.sub(&y);
    for (dtype, every) in [(DType::F32, 1), (DType::U64, 2)] {
        let mut t = |shape: &[usize]| random.host(dtype, shape, true);
        let permuted =
            |host: HostTensor, axes: &[usize]| viewed(host, &View::Permute(axes.to_vec()));
        let reversed =
            |host: HostTensor| viewed(host, &View::Slice(vec![Index::Range(None, None, -1)]));
        let cases = [
            vec![transposed(t(&[129, 67])), t(&[67, 129])],
            vec![transposed(t(&[64, 128])), t(&[64])],
            vec![t(&[67, 1]), transposed(t(&[65, 67]))],
            vec![transposed(t(&[70, 66])), t(&[])],
            vec![transposed(t(&[67, 66])), transposed(t(&[67, 66]))],
            vec![reversed(transposed(t(&[67, 66]))), reversed(t(&[66, 67]))],
            vec![permuted(t(&[3, 65, 67]), &[0, 2, 1]), t(&[67, 65])],
            vec![permuted(t(&[65, 3, 70]), &[2, 1, 0]), t(&[3, 65])],
            vec![permuted(t(&[2, 67, 3, 5]), &[3, 0, 2, 1]), t(&[2, 1, 67])],
            vec![transposed(t(&[1, 300])), transposed(t(&[65, 300]))],
        ];
        for inputs in cases.into_iter().step_by(every) {
            let shapes: Vec<String> = inputs
                .iter()
                .map(|h| format!("{} {:?}", h.layout.shape(), h.layout.strides()))
                .collect();
            let what = format!("{dtype} {}", shapes.join(", "));
            assert!(is_staged(&two, &inputs), "{what}");
            reports.push(check_with(&what, &two, &inputs, 0.0, &staged()));
        }
    }
    // Of several widths, two of which go through tiles of their own.
    let mut t = |dtype, shape: &[usize]| random.host(dtype, shape, true);
    let wide = x
        .cast(DType::I64)
        .add(&y)
        .cast(DType::I32)
        .add(z.cast(DType::I32));
    let inputs = [
        transposed(t(DType::U8, &[67, 66])),
        transposed(t(DType::I64, &[67, 66])),
        t(DType::I16, &[66, 67]),
    ];
    if context().limits().max_workgroup_storage >= 48 << 10 {
        assert!(is_staged(&wide, &inputs));
    }
    reports.push(check_with("several widths", &wide, &inputs, 0.0, &staged()));
    let inputs = [transposed(t(DType::F16, &[67, 66])), t(DType::U8, &[67])];
    let mixed = x.cast(DType::F32).mul(y.cast(DType::F32));
    assert!(is_staged(&mixed, &inputs));
    reports.push(check_with(
        "halves and bytes",
        &mixed,
        &inputs,
        0.0,
        &staged(),
    ));
    all(reports);
}

#[test]
fn staged_tiles_fold_into_the_grid() {
    let mut random = Random::new("staged grids");
    let inputs = [
        viewed(
            random.host(DType::U32, &[5, 70, 130], true),
            &View::Permute(vec![0, 2, 1]),
        ),
        random.host(DType::U32, &[5, 130, 70], true),
    ];
    let mut options = staged();
    options.limits.max_workgroups = 4;
    let two = Expr::slot(0).sub(Expr::slot(1));
    let slot = |h: &HostTensor| {
        Slot::new(h.dtype, [1])
            .unwrap()
            .with_layout(h.layout.clone())
    };
    let plan = Plan::new(&two, &inputs.each_ref().map(slot), &options).unwrap();
    assert!(plan.to_string().contains("grid 4 x 4 x 2"), "{plan}");
    all([check_with("folded", &two, &inputs, 0.0, &options)]);
}

#[test]
fn what_is_written_in_place_is_read_there() {
    let context = context();
    let mut random = Random::new("staged in place");
    let [x, y] = [[67, 130], [130, 67]].map(|shape| random.host(DType::I32, &shape, true));
    let [a, b] = [&x, &y].map(|host| context.tensor_from_host(host).unwrap());
    let sum = Expr::slot(0).transpose().sub(Expr::slot(1));
    let slots = [a.slot(), b.slot()];
    let plan = Plan::many(std::slice::from_ref(&sum), &slots, &[b.slot()], &staged()).unwrap();
    assert!(plan.to_string().contains("mapping staged"), "{plan}");
    let expected = on_context(&context, &sum, &[x, y], &context.options()).unwrap();
    let mut encoder = new_encoder(&context);
    context
        .encode(&mut encoder, &plan, &[&a, &b], &[&b])
        .unwrap();
    context.queue().submit([encoder.finish()]);
    let bits = b.read_blocking::<i32>().unwrap();
    let bytes: Vec<u8> = bits.iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(bytes, expected.bytes);
}
