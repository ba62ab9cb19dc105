//! Every mapping, access and storage width, folded grids, and random views and expressions.

use zerostride::{DType, Expr, HostTensor, Index, Limits, Options, Plan, ScheduleName, Slot, View};

use crate::common::{Random, all, check_with, context, thinned};

/// One type of each width.
pub const WIDTHS: [DType; 4] = [DType::U8, DType::F16, DType::I32, DType::U64];

pub fn options(change: impl FnOnce(&mut Limits)) -> Options {
    let mut options = context().options();
    change(&mut options.limits);
    options
}

pub fn chain(n: usize) -> Expr<usize> {
    (1..n).fold(Expr::slot(0), |sum, i| sum.sub(Expr::slot(i)))
}

/// A tensor looked at through a view; the elements stay where they are.
pub fn viewed(mut host: HostTensor, view: &View) -> HostTensor {
    host.layout = host.layout.view(view).unwrap();
    host
}

fn reversed(host: HostTensor) -> HostTensor {
    viewed(
        host,
        &View::Slice(vec![Index::Ellipsis, Index::Range(None, None, -1)]),
    )
}

pub fn transposed(host: HostTensor) -> HostTensor {
    viewed(host, &View::Transpose)
}

/// Without its first elements along the inner axis.
fn from(first: isize, host: HostTensor) -> HostTensor {
    viewed(
        host,
        &View::Slice(vec![Index::Ellipsis, Index::Range(Some(first), None, 1)]),
    )
}

/// A part of its inner axis.
fn part(range: std::ops::Range<isize>, host: HostTensor) -> HostTensor {
    viewed(
        host,
        &View::Slice(vec![
            Index::Ellipsis,
            Index::Range(Some(range.start), Some(range.end), 1),
        ]),
    )
}

/// The last two axes in the other order.
fn swapped(host: HostTensor) -> HostTensor {
    viewed(host, &View::Permute(vec![0, 2, 1]))
}

/// Without its first element along the inner axis.
fn later(host: HostTensor) -> HostTensor {
    viewed(
        host,
        &View::Slice(vec![Index::Ellipsis, Index::Range(Some(1), None, 1)]),
    )
}

#[test]
fn every_mapping_reads_every_access_of_every_width() {
    let mut random = Random::new("accesses");
    let mut reports = Vec::new();
    for dtype in WIDTHS {
        let mut t = |shape: &[usize]| random.host(dtype, shape, true);
        // Eight bytes are gathered.
        let [periodic, of_two, misaligned, hoisted_misaligned] = if dtype.size() == 8 {
            [
                "hoisted gather",
                "hoisted gather",
                "gather",
                "hoisted gather",
            ]
        } else {
            [
                "periodic",
                "hoisted periodic",
                "misaligned",
                "hoisted misaligned",
            ]
        };
        // Mapping, accesses as the plan names them, inputs.
        let mut cases: Vec<(&str, Vec<&str>, Vec<HostTensor>)> = vec![
            ("flat", vec!["linear", "linear"], vec![t(&[67]), t(&[67])]),
            ("flat", vec!["linear", "splat"], vec![t(&[67]), t(&[])]),
            (
                "flat",
                vec!["linear", "gather"],
                vec![t(&[67]), reversed(t(&[67]))],
            ),
            (
                "flat",
                vec![misaligned, "linear"],
                vec![later(t(&[68])), t(&[67])],
            ),
            (
                "flat",
                vec![misaligned, misaligned],
                vec![from(2, t(&[69])), from(3, t(&[70]))],
            ),
            (
                "flat",
                vec![misaligned, "linear"],
                vec![from(3, t(&[8])), t(&[5])],
            ),
            (
                "flat",
                vec!["splat", misaligned],
                vec![t(&[1]), later(t(&[66]))],
            ),
            (
                "rows",
                vec!["linear", "hoisted vector"],
                vec![t(&[5, 16]), t(&[16])],
            ),
            (
                "rows",
                vec!["linear", "vector", "vector"],
                vec![t(&[3, 5, 16]), t(&[5, 16]), t(&[3, 1, 16])],
            ),
            (
                "rows",
                vec!["linear", "vector", "hoisted vector"],
                vec![t(&[3, 8, 16]), t(&[8, 16]), t(&[3, 1, 16])],
            ),
            (
                "rows",
                vec!["linear", "splat"],
                vec![t(&[5, 16]), t(&[5, 1])],
            ),
            (
                "rows",
                vec!["hoisted vector", "vector"],
                vec![t(&[3, 1, 2, 1, 1, 4]), t(&[2, 1, 2, 8, 4])],
            ),
            (
                "rows",
                vec!["hoisted vector", "splat"],
                vec![t(&[16]), t(&[5, 1])],
            ),
            (
                "rows",
                vec!["linear", "gather"],
                vec![t(&[7, 16]), transposed(t(&[16, 7]))],
            ),
            (
                "tile",
                vec!["linear", "transposed"],
                vec![t(&[8, 16]), transposed(t(&[16, 8]))],
            ),
            (
                "tile",
                vec!["transposed", "hoisted vector"],
                vec![transposed(t(&[16, 8])), t(&[16])],
            ),
            (
                "tile",
                vec!["transposed", "splat"],
                vec![transposed(t(&[20, 8])), t(&[8, 1])],
            ),
            (
                "tile",
                vec!["transposed", "splat", "gather"],
                vec![transposed(t(&[20, 8])), t(&[]), reversed(t(&[8, 20]))],
            ),
            (
                "tile",
                vec!["transposed", "linear"],
                vec![swapped(t(&[3, 12, 8])), t(&[3, 8, 12])],
            ),
            (
                "tile",
                vec!["transposed", "gather"],
                vec![transposed(t(&[16, 3, 8])), swapped(t(&[8, 16, 3]))],
            ),
            (
                "tile",
                vec!["transposed", "linear"],
                vec![swapped(t(&[3, 12, 8])), t(&[3, 8, 12])],
            ),
            (
                "tile",
                vec!["transposed", "linear"],
                vec![transposed(t(&[12, 4])), t(&[4, 12])],
            ),
            (
                "rows",
                vec!["gather", "linear"],
                vec![swapped(t(&[16, 12, 4])), t(&[16, 4, 12])],
            ),
            (
                "rows",
                vec!["interleaved", "linear"],
                vec![swapped(t(&[5, 16, 3])), t(&[5, 3, 16])],
            ),
            (
                "rows",
                vec!["interleaved", "splat"],
                vec![transposed(t(&[36, 2])), t(&[2, 1])],
            ),
            (
                "tile",
                vec!["transposed", "transposed"],
                vec![transposed(t(&[16, 8])), transposed(t(&[16, 8]))],
            ),
            (
                "rows",
                vec!["hoisted vector", "gather"],
                vec![t(&[1, 16]), reversed(t(&[5, 16]))],
            ),
            (
                "rows",
                vec!["gather", "linear"],
                vec![later(t(&[5, 17])), t(&[5, 16])],
            ),
            (
                "rows",
                vec![hoisted_misaligned, "splat", "hoisted vector"],
                vec![later(t(&[17])), t(&[5, 1]), t(&[16])],
            ),
            (
                "rows",
                vec!["linear", misaligned],
                vec![t(&[5, 16]), part(3..19, t(&[5, 20]))],
            ),
            (
                "general",
                vec!["linear", "gather"],
                vec![t(&[5, 7]), t(&[7])],
            ),
            (
                "general",
                vec!["linear", "straddling"],
                vec![t(&[5, 7]), t(&[5, 1])],
            ),
            (
                "general",
                vec!["straddling", "gather"],
                vec![t(&[5, 1]), reversed(t(&[7]))],
            ),
            (
                "strided along the outermost axis",
                vec!["straddling", "hoisted gather"],
                vec![t(&[63, 1]), reversed(t(&[7]))],
            ),
            (
                "strided along the outermost axis",
                vec!["gather", "hoisted straddling"],
                vec![reversed(t(&[29, 3, 6])), t(&[3, 1])],
            ),
            (
                "strided along the outermost axis",
                vec!["linear", "hoisted gather", "splat"],
                vec![t(&[31, 5]), t(&[5]), t(&[])],
            ),
            (
                "strided along the outermost axis",
                vec!["linear", "vector"],
                vec![t(&[33, 5, 4]), t(&[33, 1, 4])],
            ),
            (
                "3 quads an invocation",
                vec!["linear", "hoisted vector"],
                vec![t(&[33, 3, 4]), t(&[33, 1, 4])],
            ),
            (
                "blocked along the outermost axis",
                vec!["gather", "linear"],
                vec![transposed(t(&[5, 259])), t(&[259, 5])],
            ),
            (
                "blocked along the outermost axis",
                vec!["gather", "hoisted gather"],
                vec![transposed(t(&[6, 257])), t(&[6])],
            ),
            (
                "blocked along the outermost axis",
                vec!["gather", "linear"],
                vec![transposed(t(&[8, 257])), t(&[257, 8])],
            ),
            (
                "general",
                vec!["linear", "gather", "splat"],
                vec![t(&[5, 7]), t(&[7]), t(&[])],
            ),
            (
                "general",
                vec!["gather", "linear"],
                vec![transposed(t(&[7, 5])), t(&[5, 7])],
            ),
            (
                "general",
                vec!["linear", periodic],
                vec![t(&[35, 3]), t(&[3])],
            ),
            (
                "general",
                vec!["linear", of_two],
                vec![t(&[35, 2]), reversed(t(&[2]))],
            ),
            (
                "general",
                vec![misaligned, "gather"],
                vec![
                    viewed(
                        t(&[6, 7]),
                        &View::Slice(vec![Index::Range(Some(1), None, 1)]),
                    ),
                    t(&[7]),
                ],
            ),
            (
                "general",
                vec!["gather", periodic, "splat"],
                vec![reversed(t(&[5, 7, 3])), later(t(&[4])), t(&[])],
            ),
        ];
        // Of narrow types these rows are other numbers of words.
        if dtype.size() >= 4 {
            let inputs = vec![t(&[19, 5, 20]), t(&[5, 20]), t(&[5, 1])];
            cases.push((
                "strided along the outermost axis",
                vec!["linear", "hoisted vector", "splat"],
                inputs,
            ));
            cases.push((
                "of one row",
                vec!["linear", "splat"],
                vec![t(&[3, 3300]), t(&[3, 1])],
            ));
            cases.push((
                "of one row",
                vec!["linear", "hoisted vector", "splat"],
                vec![t(&[5, 1000]), t(&[1000]), t(&[5, 1])],
            ));
        }
        for (mapping, accesses, inputs) in thinned(&mut random, cases) {
            let what = format!("{dtype} {mapping} {accesses:?}");
            let slots: Vec<Slot> = inputs
                .iter()
                .map(|h| Slot::new(dtype, [1]).unwrap().with_layout(h.layout.clone()))
                .collect();
            let plan = |schedule| {
                // GPUs have other units of these elements, which have tests of their own.
                let limits = Limits::WEBGPU.with_software(dtype.size() != 4);
                let options = Options::default()
                    .with_limits(limits)
                    .with_schedule(schedule);
                Plan::new(&chain(inputs.len()), &slots, &options)
                    .unwrap()
                    .to_string()
            };
            let named = |schedule: &Option<ScheduleName>| {
                let plan = plan(*schedule);
                let has = |access: &&str| plan.contains(&format!("  {access},"));
                plan.contains(mapping) && accesses.iter().all(has)
            };
            // The schedule that is chosen, or else one that may be.
            let mut schedules =
                std::iter::once(None).chain(ScheduleName::ALL.iter().copied().map(Some));
            let Some(schedule) = schedules.find(named) else {
                panic!("{what} is not what is tested:\n{}", plan(None));
            };
            let own = context().options().with_schedule(schedule);
            reports.push(check_with(&what, &chain(inputs.len()), &inputs, 0.0, &own));
            if dtype.size() != 4 {
                continue;
            }
            let interleaved = options(|l| l.software = !l.software).with_schedule(schedule);
            // Of one quad an invocation it is no other kernel.
            let kernels = |options| {
                let expr = chain(inputs.len());
                Plan::new(&expr, &slots, options).unwrap().kernels()
            };
            if kernels(&own) == kernels(&interleaved) {
                continue;
            }
            let what = format!("{what}, the other spread");
            reports.push(check_with(
                &what,
                &chain(inputs.len()),
                &inputs,
                0.0,
                &interleaved,
            ));
        }
    }
    all(reports);
}
