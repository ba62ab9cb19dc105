//! Guards around every buffer, on every mapping, access, store and storage width: what lies between
//! and around the elements of an input is poison that must not reach a result, and what lies around
//! an output must stay.

use std::collections::BTreeSet;

use zerostride::{
    Along, Axes, DType, Expr, HostTensor, Index, Layout, Limits, Options, Plan, Slot, Tensor, View,
    reference, wgpu,
};

use crate::common::{
    Random, Thinned, all, context, few, new_encoder, raw_buffer, read_raw, thinned,
};

/// One type of each width; NaN is the poison of floats.
const WIDTHS: [DType; 4] = [DType::U8, DType::F16, DType::F32, DType::I64];

/// Elements of poison: a NaN, or bits that change any sum or difference.
fn poison(dtype: DType, elements: usize) -> Vec<u8> {
    let one: &[u8] = match dtype {
        DType::U8 => &[0x5b],
        DType::F16 => &[0xad, 0x7e],
        DType::F32 => &[0xad, 0xde, 0xc0, 0x7f],
        _ => &[0xad, 0xde, 0x5b, 0x37, 0xad, 0xde, 0x5b, 0x37],
    };
    one.repeat(elements)
}

/// A tensor in a buffer of the test's own, with poison wherever it has no element.
struct Guarded {
    tensor: Tensor,
    buffer: wgpu::Buffer,
    bytes: Vec<u8>,
    host: HostTensor,
}

impl Guarded {
    /// The elements of `host` moved by `first` elements, in a buffer that goes on for `after`
    /// words.
    fn new(host: HostTensor, first: usize, after: usize) -> Self {
        let size = host.dtype.size();
        let end = host.layout.reach().map_or(0, |r| r.end() + 1) + first;
        let bytes = (end * size).next_multiple_of(4) + 4 * after;
        let mut all = poison(host.dtype, bytes.div_ceil(size));
        all.truncate(bytes);
        for at in host.layout.offsets() {
            all[(at + first) * size..][..size].copy_from_slice(&host.bytes[at * size..][..size]);
        }
        let buffer = raw_buffer(
            &context(),
            &all,
            wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        );
        let layout = &host.layout;
        let moved = Layout::new(
            layout.shape(),
            layout.strides().to_vec(),
            layout.offset() + first,
        )
        .unwrap();
        let tensor = context().wrap(&buffer, host.dtype, moved).unwrap();
        Self {
            tensor,
            buffer,
            bytes: all,
            host,
        }
    }

    /// Whether the buffer holds these elements, in row-major order, and is otherwise as it was.
    fn holds(&self, what: &str, elements: &HostTensor) -> Result<(), String> {
        let size = elements.dtype.size();
        let mut expected = self.bytes.clone();
        let start = self.tensor.layout().offset() * size;
        expected[start..start + elements.bytes.len()].copy_from_slice(&elements.bytes);
        let found = read_raw(&context(), &self.buffer);
        match found.iter().zip(&expected).position(|(a, b)| a != b) {
            None => Ok(()),
            Some(at) => {
                let place = if (start..start + elements.bytes.len()).contains(&at) {
                    "result"
                } else {
                    "guard"
                };
                Err(format!(
                    "{what}: {place}: byte {at} is {:#x} instead of {:#x}",
                    found[at], expected[at]
                ))
            }
        }
    }
}

fn viewed(mut host: HostTensor, items: &[Index]) -> HostTensor {
    host.layout = host.layout.view(&View::Slice(items.to_vec())).unwrap();
    host
}

fn transposed(mut host: HostTensor) -> HostTensor {
    host.layout = host.layout.view(&View::Transpose).unwrap();
    host
}

fn sliced(host: HostTensor, start: Option<isize>, stop: Option<isize>, step: isize) -> HostTensor {
    viewed(host, &[Index::Ellipsis, Index::Range(start, stop, step)])
}

fn chain(n: usize) -> Expr<usize> {
    (1..n).fold(Expr::slot(0), |sum, i| sum.sub(Expr::slot(i)))
}

/// Mapping, access or store, and width, of every pass of a plan, as the plan says it.
fn covered(plan: &Plan, seen: &mut BTreeSet<(String, String, usize)>) {
    for pass in plan.to_string().split("pass ").skip(1) {
        let mapping = pass
            .split("  mapping ")
            .nth(1)
            .and_then(|m| m.split(' ').next())
            .unwrap()
            .to_string();
        for line in pass.lines().filter(|l| l.contains("  shape [")) {
            let dtype: DType = line
                .split("  ")
                .filter(|w| !w.is_empty())
                .nth(1)
                .unwrap()
                .trim()
                .parse()
                .unwrap();
            let way = line.rsplit("]  ").next().unwrap();
            let way = if way.contains("bytes from") {
                way.split(',').next().unwrap()
            } else {
                way
            };
            let way = if way.contains("shifted") {
                "shifted"
            } else {
                way
            };
            seen.insert((mapping.clone(), way.to_string(), dtype.size()));
        }
    }
}

/// Runs an expression under these limits with every operand guarded; `firsts` are the element
/// offsets of the inputs and of the output.
fn check(
    what: &str,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    firsts: (usize, usize),
    after: usize,
    seen: &mut BTreeSet<(String, String, usize)>,
    limits: Limits,
) -> Result<(), String> {
    let context = context();
    let what = format!(
        "{what}, inputs at {}, output at {}, {after} words after",
        firsts.0, firsts.1
    );
    let expected = reference::run(expr, inputs).map_err(|e| format!("{what}: {e}"))?;
    let operands: Vec<Guarded> = inputs
        .iter()
        .map(|h| Guarded::new(h.clone(), firsts.0, after))
        .collect();
    let mut blank = expected.clone();
    blank.bytes = poison(expected.dtype, expected.layout.len());
    let out = Guarded::new(blank, firsts.1, after);
    let tensors: Vec<&Tensor> = operands.iter().map(|g| &g.tensor).collect();
    let slots: Vec<Slot> = tensors.iter().map(|t| t.slot()).collect();
    let mut kernels = Vec::new();
    for software in [false, true] {
        let mut options: Options = context.options().with_limits(limits);
        options.limits.software = software;
        let plan = Plan::many(
            std::slice::from_ref(expr),
            &slots,
            &[out.tensor.slot()],
            &options,
        )
        .map_err(|e| format!("{what}: {e}"))?;
        covered(&plan, seen);
        // The other spread of one quad an invocation is no other kernel.
        if kernels == plan.kernels() {
            continue;
        }
        kernels = plan.kernels();
        let mut encoder = new_encoder(&context);
        context
            .encode(&mut encoder, &plan, &tensors, &[&out.tensor])
            .map_err(|e| format!("{what}: {e}"))?;
        context.queue().submit([encoder.finish()]);
        out.holds(&what, &expected)?;
        context.queue().write_buffer(&out.buffer, 0, &out.bytes);
    }
    for (i, operand) in operands.iter().enumerate() {
        let mut row = operand.host.clone();
        row.bytes = Vec::new();
        operand.holds(&format!("{what}: input {i}"), &row)?;
    }
    Ok(())
}

#[test]
fn guards_hold_on_every_mapping_access_store_and_width() {
    let mut random = Random::new("guards");
    let mut reports = Vec::new();
    let mut seen = BTreeSet::new();
    let mut some = Thinned::new(&mut random);
    for dtype in WIDTHS {
        let mut t = |shape: &[usize]| random.host(dtype, shape, false);
        let cases = [
            vec![t(&[64]), t(&[64])],
            vec![t(&[67]), t(&[])],
            vec![t(&[5]), sliced(t(&[5]), None, None, -1)],
            vec![sliced(t(&[140]), None, Some(133), 2), t(&[67])],
            vec![t(&[1]), sliced(t(&[66]), Some(1), None, 1)],
            vec![t(&[5, 16]), t(&[16])],
            vec![t(&[5, 16]), t(&[5, 1])],
            vec![sliced(t(&[5, 20]), None, Some(16), 1), t(&[16])],
            vec![t(&[16]), t(&[5, 1]), t(&[5, 16])],
            vec![t(&[8, 16]), transposed(t(&[16, 8]))],
            vec![t(&[1, 16]), sliced(t(&[5, 16]), None, None, -1)],
            vec![sliced(t(&[5, 17]), Some(1), None, 1), t(&[5, 16])],
            vec![viewed(t(&[5, 3, 8]), &[Index::ALL, Index::At(1)]), t(&[8])],
            vec![t(&[5, 7]), t(&[7])],
            vec![t(&[4, 7]), t(&[4, 1])],
            vec![t(&[5, 1]), sliced(t(&[7]), None, None, -1)],
            vec![t(&[5, 7]), t(&[7]), t(&[])],
            vec![transposed(t(&[7, 5])), t(&[5, 7])],
            vec![sliced(t(&[5, 15]), None, None, -2), t(&[5, 1])],
            vec![transposed(t(&[16, 8])), t(&[8, 16])],
            vec![t(&[35, 3]), t(&[3])],
            vec![t(&[33, 3]), t(&[3])],
        ];
        for (n, inputs) in cases.iter().enumerate().filter(|_| some.takes()) {
            let shapes: Vec<_> = inputs
                .iter()
                .map(|h| h.layout.shape().to_string())
                .collect();
            let what = format!("{dtype} case {n} {}", shapes.join(" "));
            let firsts = [
                (0, 0),
                (4, 8),
                (1, 1),
                (2, 2),
                (3, 5),
                (64, 3),
                (8, 4),
                (7, 256),
            ];
            // A quarter of them with each case, since most are a kernel of their own.
            for firsts in firsts.into_iter().skip(n % 4).step_by(4) {
                let after = (n + firsts.0) % 4;
                reports.push(check(
                    &what,
                    &chain(inputs.len()),
                    inputs,
                    firsts,
                    after,
                    &mut seen,
                    context().limits(),
                ));
            }
        }
    }
    all(reports);
    if few() {
        return;
    }
    let mut missing = Vec::new();
    for dtype in WIDTHS {
        let size = dtype.size();
        for (mapping, ways) in [
            (
                "flat",
                &["linear", "splat", "gather", "whole quads", "word by word"][..],
            ),
            (
                "rows",
                &[
                    "linear",
                    "vector",
                    "splat",
                    "gather",
                    "whole quads",
                    "word by word",
                ],
            ),
            (
                "general",
                &["linear", "splat", "gather", "whole quads", "word by word"],
            ),
        ] {
            for way in ways {
                // A quad of bytes is a word: rows of whole quads begin on one or are moved there by
                // another pass.
                let exists = (size, mapping, *way) != (1, "rows", "word by word");
                if exists && !seen.contains(&(mapping.into(), (*way).into(), size)) {
                    missing.push(format!("{mapping} {way} of {size} bytes"));
                }
            }
        }
        if size < 4 && !seen.contains(&("flat".into(), "shifted".into(), size)) {
            missing.push(format!("flat shifted of {size} bytes"));
        }
    }
    assert!(missing.is_empty(), "not covered: {missing:?}");
}

#[test]
fn guards_hold_around_casts_of_every_pair_of_widths() {
    let mut random = Random::new("guards of casts");
    let mut some = Thinned::new(&mut random);
    let mut reports = Vec::new();
    let mut seen = BTreeSet::new();
    for from in WIDTHS {
        for to in WIDTHS {
            for shape in [&[13][..], &[3, 8], &[3, 5]] {
                for firsts in [(0, 0), (1, 3), (5, 1), (4, 4), (2, 2)] {
                    if !some.takes() {
                        continue;
                    }
                    // Values that every type has.
                    let len: usize = shape.iter().product();
                    let small = HostTensor::new(
                        DType::U8,
                        shape,
                        (0..len).map(|_| random.below(100) as u8).collect(),
                    );
                    let host =
                        reference::run(&Expr::slot(0).cast(from), &[small.unwrap()]).unwrap();
                    let what = format!("{from} to {to} {shape:?}");
                    reports.push(check(
                        &what,
                        &Expr::slot(0).cast(to),
                        &[host],
                        firsts,
                        1,
                        &mut seen,
                        context().limits(),
                    ));
                }
            }
        }
    }
    all(reports);
}

#[test]
fn guards_hold_around_the_matrices_of_a_product() {
    let mut random = Random::new("guards of products");
    let mut some = Thinned::new(&mut random);
    let mut reports = Vec::new();
    let mut seen = BTreeSet::new();
    for dtype in [DType::F32, DType::I64] {
        for (rows, depth, columns) in [
            (5, 7, 9),
            (64, 64, 64),
            (65, 3, 66),
            (2, 17, 2),
            (8, 16, 12),
            (130, 5, 3),
        ] {
            let mut matrix = |shape: [usize; 2]| {
                let bytes = (0..shape[0] * shape[1])
                    .map(|_| random.below(5) as u8)
                    .collect();
                let small = HostTensor::new(DType::U8, shape, bytes).unwrap();
                reference::run(&Expr::slot(0).cast(dtype), &[small]).unwrap()
            };
            let plain = [matrix([rows, depth]), matrix([depth, columns])];
            let turned = [
                transposed(matrix([depth, rows])),
                sliced(matrix([depth, columns]), None, None, -1),
            ];
            for inputs in [plain, turned] {
                for firsts in [(0, 0), (1, 1), (4, 3), (7, 64)] {
                    if !some.takes() {
                        continue;
                    }
                    let what = format!("{dtype} {rows} x {depth} x {columns}");
                    let product = Expr::slot(0).matmul(Expr::slot(1));
                    reports.push(check(
                        &what,
                        &product,
                        &inputs,
                        firsts,
                        firsts.0 % 3,
                        &mut seen,
                        context().limits(),
                    ));
                }
            }
        }
    }
    all(reports);
    assert!(
        seen.iter().all(|(mapping, ..)| mapping == "product"),
        "{seen:?}"
    );
}

/// Rows of narrow results share words: with each other, and with what lies before and after all.
#[test]
fn guards_hold_around_narrow_results_of_reductions() {
    let mut random = Random::new("guards of narrow reductions");
    let mut reports = Vec::new();
    let mut seen = BTreeSet::new();
    let x = Expr::slot(0);
    let less = |axis: isize| x.sub(x.max(Axes::from(axis).keepdims()));
    let largest = |axis: isize| x.max(Axes::from(axis));
    let sums = |axis: isize, dtype| x.cumsum(Along::axis(axis).reverse()).cast(dtype);
    let (bytes, halves) = (DType::U8, DType::F16);
    let cases = [
        // Of few rows, of rows that are held, and of rows that are not.
        (bytes, [9, 33], less(1)),
        (halves, [3, 257], less(1)),
        (halves, [2, 3001], less(1)),
        (halves, [2, 9001], less(1)),
        (bytes, [9, 33], less(0)),
        (halves, [3, 257], less(0)),
        (bytes, [9, 33], largest(1)),
        (halves, [3, 257], largest(0)),
        (bytes, [9, 33], less(1).any(1)),
        (bytes, [9, 33], less(1).any(0)),
        (bytes, [9, 33], sums(0, bytes)),
        (bytes, [9, 33], sums(1, bytes)),
        (halves, [3, 257], sums(1, halves)),
    ];
    let limits = context().limits();
    for (dtype, shape, expr) in thinned(&mut random, &cases) {
        let input = [random.host(*dtype, shape, false)];
        let what = format!("{expr:?} of {dtype} {shape:?}");
        reports.push(check(&what, expr, &input, (1, 3), 1, &mut seen, limits));
    }
    // Workgroups that a grid of several rows has too many begin behind the last row.
    let few = limits.with_max_workgroups(3);
    let input = [random.host(DType::U8, &[447, 2], false)];
    for firsts in [(0, 0), (0, 3)] {
        let what = "few workgroups";
        let report = check(what, &less(1), &input, firsts, 1, &mut seen, few);
        reports.push(report);
    }
    all(reports);
}
