//! Kernels in the adapter's own language, run by the test itself: bound as the list of places says,
//! with the words that the dispatches list, and nothing of the crate's device.

mod raw;

use zerostride::{DType, Expr, HostTensor, Limits, Options, Plan, Slot, reference, wgpu};

use crate::common::{self, Random};
use raw::{device, languages, run};

#[test]
fn a_translated_kernel_bound_as_its_list_says_gives_what_the_reference_gives() {
    let (backend, device, queue) = device();
    let affine = Expr::slot(0).mul(Expr::slot(1)).add(Expr::scalar(0.5f32));
    let of_halves = Expr::slot(0)
        .mul(Expr::slot(1))
        .add(Expr::scalar(zerostride::f16::from_f32(0.5)));
    let sum = (1..6).fold(Expr::slot(0), |sum, i| sum.add(Expr::slot(i)));
    let few = Limits::WEBGPU;
    // A grid that may be 4 workgroups wide goes on along y and z.
    let small = few.with_max_workgroups(4).with_max_invocations(64);
    let cases = [
        (
            "rows",
            affine.clone(),
            DType::F32,
            vec![vec![8, 1, 4], vec![3, 1]],
            few,
            false,
        ),
        (
            "odd rows, y and z",
            affine.clone(),
            DType::F32,
            vec![vec![7, 1, 701], vec![5, 1]],
            small,
            true,
        ),
        (
            "rows, y and z",
            affine.clone(),
            DType::F32,
            vec![vec![6, 1, 1024], vec![5, 1]],
            small,
            true,
        ),
        (
            "column",
            of_halves,
            DType::F16,
            vec![vec![180, 1], vec![301]],
            small,
            true,
        ),
        (
            "tiles",
            Expr::slot(0).transpose().add(Expr::slot(1)),
            DType::F32,
            vec![vec![128, 200], vec![128]],
            small,
            true,
        ),
        (
            "bytes",
            Expr::slot(0).maximum(Expr::slot(1)),
            DType::U8,
            vec![vec![44, 1, 257], vec![13, 1]],
            small,
            true,
        ),
        (
            "64 bits",
            Expr::slot(0).mul(Expr::slot(1)),
            DType::I64,
            vec![vec![70, 129], vec![70, 1]],
            small,
            true,
        ),
        (
            "passes",
            sum,
            DType::I32,
            vec![vec![5, 7]; 6],
            few.with_max_storage_buffers(4),
            false,
        ),
        (
            "product",
            Expr::slot(0).matmul(Expr::slot(1)),
            DType::I32,
            vec![vec![70, 33], vec![33, 90]],
            few,
            false,
        ),
    ];
    let has_immediates =
        device.features().contains(wgpu::Features::IMMEDIATES) && backend == wgpu::Backend::Vulkan;
    let mut random = Random::new("translate");
    let mut reports = Vec::new();
    for (what, expr, dtype, shapes, limits, folds) in cases {
        let inputs: Vec<HostTensor> = shapes
            .iter()
            .map(|shape| random.host(dtype, shape, false))
            .collect();
        let slots: Vec<Slot> = shapes
            .iter()
            .map(|shape| Slot::new(dtype, shape.as_slice()).unwrap())
            .collect();
        let expected = reference::run(&expr, &inputs).unwrap();
        for max_immediates in if has_immediates {
            vec![0, 128]
        } else {
            vec![0]
        } {
            let limits = limits.with_max_immediates(max_immediates);
            let plan = Plan::new(&expr, &slots, &Options::default().with_limits(limits)).unwrap();
            let [_, y, z] = plan.dispatches()[0].grid;
            if folds && (y == 1 || z == 1) {
                reports.push(Err(format!("{what}: the grid is one row or layer\n{plan}")));
            }
            for language in languages(backend) {
                let found = run((&device, &queue), language, &plan, &inputs);
                let what =
                    format!("{what} in {language}, {max_immediates} bytes of immediate data");
                reports.push(common::compare(&what, &found, &expected, 0.0));
            }
        }
    }
    common::all(reports);
}
