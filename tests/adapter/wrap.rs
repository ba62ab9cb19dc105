//! Buffers of the caller: any length and element offset, bytes around them unchanged.

use zerostride::{
    DType, Error, Expr, HostTensor, Layout, Plan, Shape, Slot, Tensor, reference, wgpu,
};

use crate::common::{Random, all, context, new_encoder, raw_buffer, read_raw};

/// One type of each width.
pub const WIDTHS: [DType; 3] = [DType::U8, DType::I16, DType::F32];
pub const LENGTHS: [usize; 6] = [1, 3, 5, 7, 4, 8];
const BYTE_OFFSETS: [usize; 4] = [0, 4, 36, 256];

/// A tensor inside a buffer of the test's own, with bytes of others around it.
pub struct Wrapped {
    pub tensor: Tensor,
    pub buffer: wgpu::Buffer,
    before: Vec<u8>,
    start: usize,
    pub host: HostTensor,
}

impl Wrapped {
    /// `shape` elements from element `first` on; `after` words follow the last that the elements
    /// touch.
    pub fn new(
        random: &mut Random,
        dtype: DType,
        shape: &[usize],
        first: usize,
        after: usize,
    ) -> Self {
        let context = context();
        let host = random.host(dtype, shape, false);
        let start = first * dtype.size();
        let size = (start + host.bytes.len()).next_multiple_of(4) + 4 * after;
        let mut before = random.bytes(DType::U8, size, false);
        before[start..start + host.bytes.len()].copy_from_slice(&host.bytes);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let buffer = raw_buffer(&context, &before, usage);
        let shape = Shape::new(shape);
        let layout = Layout::new(
            &shape,
            Layout::contiguous(&shape).unwrap().strides().to_vec(),
            first,
        )
        .unwrap();
        let tensor = context.wrap(&buffer, dtype, layout).unwrap();
        Self {
            tensor,
            buffer,
            before,
            start,
            host,
        }
    }

    /// Other elements of the same buffer.
    pub fn elsewhere(self, tensor: Tensor) -> Self {
        Self {
            start: tensor.layout().offset() * tensor.dtype().size(),
            tensor,
            ..self
        }
    }

    /// Whether the buffer holds `elements` and is otherwise as before.
    pub fn holds(&self, what: &str, elements: &HostTensor) -> Result<(), String> {
        let mut expected = self.before.clone();
        expected[self.start..self.start + elements.bytes.len()].copy_from_slice(&elements.bytes);
        let found = read_raw(&context(), &self.buffer);
        match found.iter().zip(&expected).position(|(a, b)| a != b) {
            None => Ok(()),
            Some(at) => Err(format!(
                "{what}: byte {at} is {:#x} instead of {:#x} (elements are bytes {}..{} of {})",
                found[at],
                expected[at],
                self.start,
                self.start + elements.bytes.len(),
                expected.len()
            )),
        }
    }
}

/// Encodes one expression into the test's encoder and submits it.
pub fn encode(expr: &Expr<usize>, inputs: &[&Tensor], output: &Tensor) -> Result<(), Error> {
    let context = context();
    let slots: Vec<Slot> = inputs.iter().map(|t| t.slot()).collect();
    let plan = Plan::many(
        std::slice::from_ref(expr),
        &slots,
        &[output.slot()],
        &context.options(),
    )?;
    let mut encoder = new_encoder(&context);
    context.encode(&mut encoder, &plan, inputs, &[output])?;
    context.queue().submit([encoder.finish()]);
    Ok(())
}

/// The element offsets that a type can have at a byte offset: every element of the word there.
pub fn firsts(dtype: DType) -> Vec<usize> {
    let size = dtype.size();
    BYTE_OFFSETS
        .iter()
        .flat_map(|b| (0..4 / size).map(move |e| b / size + e))
        .collect()
}

pub fn difference() -> Expr<usize> {
    Expr::slot(0).sub(Expr::slot(1))
}

#[test]
fn wrapped_inputs_of_any_length_and_offset_are_read() {
    let mut random = Random::new("wrapped inputs");
    let context = context();
    let mut reports = Vec::new();
    for dtype in WIDTHS {
        for len in LENGTHS {
            for first in firsts(dtype) {
                for after in [0, 3] {
                    let what = format!("{dtype}[{len}] at {first}, {after} words after");
                    let x = Wrapped::new(&mut random, dtype, &[len], first, after);
                    let y = random.host(dtype, &[len], false);
                    let own = context.tensor_from_host(&y).unwrap();
                    let out = context.empty(dtype, [len]).unwrap();
                    let expected = reference::run(&difference(), &[x.host.clone(), y]).unwrap();
                    reports.push(match encode(&difference(), &[&x.tensor, &own], &out) {
                        Err(e) => Err(format!("{what}: {e}")),
                        Ok(()) if out.read_bytes_blocking().unwrap() == expected.bytes => {
                            x.holds(&what, &x.host)
                        }
                        Ok(()) => Err(format!("{what}: wrong elements")),
                    });
                }
            }
        }
    }
    all(reports);
}

#[test]
fn wrapped_outputs_of_any_length_and_offset_leave_their_surroundings() {
    let mut random = Random::new("wrapped outputs");
    let context = context();
    let mut reports = Vec::new();
    for dtype in WIDTHS {
        for len in LENGTHS {
            for first in firsts(dtype) {
                for after in [0, 3] {
                    let what = format!("{dtype}[{len}] at {first}, {after} words after");
                    let out = Wrapped::new(&mut random, dtype, &[len], first, after);
                    let inputs = [
                        random.host(dtype, &[len], false),
                        random.host(dtype, &[1], false),
                    ];
                    let own = inputs
                        .each_ref()
                        .map(|t| context.tensor_from_host(t).unwrap());
                    let expected = reference::run(&difference(), &inputs).unwrap();
                    reports.push(match encode(&difference(), &own.each_ref(), &out.tensor) {
                        Err(e) => Err(format!("{what}: {e}")),
                        Ok(()) => out.holds(&what, &expected),
                    });
                }
            }
        }
    }
    all(reports);
}

#[test]
fn wrapped_outputs_of_every_mapping_leave_their_surroundings() {
    let mut random = Random::new("wrapped mappings");
    let mut reports = Vec::new();
    for dtype in WIDTHS {
        for (a, b) in [
            ([3, 4], [1, 4]),
            ([3, 5], [1, 5]),
            ([5, 7], [5, 1]),
            ([2, 64], [2, 1]),
            ([33, 1], [1, 3]),
        ] {
            for (n, first) in firsts(dtype).into_iter().enumerate() {
                let what = format!("{dtype} {a:?} {b:?} at {first}");
                let x = Wrapped::new(&mut random, dtype, &a, first, n % 2);
                let y = Wrapped::new(&mut random, dtype, &b, n % 5, 0);
                let expected =
                    reference::run(&difference(), &[x.host.clone(), y.host.clone()]).unwrap();
                let out = Wrapped::new(
                    &mut random,
                    dtype,
                    expected.layout.shape().extents(),
                    first,
                    n % 3,
                );
                reports.push(
                    match encode(&difference(), &[&x.tensor, &y.tensor], &out.tensor) {
                        Err(e) => Err(format!("{what}: {e}")),
                        Ok(()) => out.holds(&what, &expected),
                    },
                );
            }
        }
    }
    all(reports);
}

#[test]
fn results_of_another_width_go_to_wrapped_outputs() {
    let mut random = Random::new("wrapped widths");
    let context = context();
    let mut reports = Vec::new();
    for (from, to) in [
        (DType::F32, DType::U8),
        (DType::U8, DType::F32),
        (DType::I16, DType::I8),
        (DType::I8, DType::F16),
    ] {
        for len in LENGTHS {
            for first in firsts(to) {
                let what = format!("{from} to {to}[{len}] at {first}");
                let x = random.host(from, &[len], false);
                let out = Wrapped::new(&mut random, to, &[len], first, 1);
                let cast = Expr::slot(0).cast(to);
                let expected = reference::run(&cast, std::slice::from_ref(&x)).unwrap();
                reports.push(
                    match encode(
                        &cast,
                        &[&context.tensor_from_host(&x).unwrap()],
                        &out.tensor,
                    ) {
                        Err(e) => Err(format!("{what}: {e}")),
                        Ok(()) => out.holds(&what, &expected),
                    },
                );
            }
        }
    }
    all(reports);
}

#[test]
fn a_tensor_of_a_buffer_without_copy_usage_is_read() {
    let context = context();
    let buffer = raw_buffer(
        &context,
        &[1, 2, 3, 4, 5, 6, 7, 8],
        wgpu::BufferUsages::STORAGE,
    );
    let x = context
        .wrap(&buffer, DType::U8, Layout::new([5], vec![1], 2).unwrap())
        .unwrap();
    assert_eq!(x.read_blocking::<u8>().unwrap(), [3, 4, 5, 6, 7]);
}

#[test]
fn a_piece_of_a_tensor_of_the_crate_as_output_leaves_the_rest() {
    let mut random = Random::new("pieces as outputs");
    let context = context();
    let mut reports = Vec::new();
    for dtype in WIDTHS {
        for len in LENGTHS {
            for (before, behind) in [(0, 1), (0, 2), (0, 4), (0, 300), (1, 0), (1, 1), (64, 3)] {
                let what = format!("{dtype}[{len}], {before} before it, {behind} behind");
                let whole = random.host(dtype, &[before + len + behind], false);
                let x = random.host(dtype, &[len], false);
                let tensor = context.tensor_from_host(&whole).unwrap();
                let piece = tensor
                    .slice((before as isize..(before + len) as isize,))
                    .unwrap();
                let from = context.tensor_from_host(&x).unwrap();
                reports.push(
                    encode(&Expr::slot(0).neg(), &[&from], &piece)
                        .map_err(|e| format!("{what}: {e}"))
                        .and_then(|()| {
                            let computed =
                                reference::run(&Expr::slot(0).neg(), std::slice::from_ref(&x))
                                    .unwrap();
                            let mut expected = whole.bytes.clone();
                            let first = before * dtype.size();
                            expected[first..first + computed.bytes.len()]
                                .copy_from_slice(&computed.bytes);
                            let found = tensor.read_bytes_blocking().unwrap();
                            match found.iter().zip(&expected).position(|(a, b)| a != b) {
                                None => Ok(()),
                                Some(at) => Err(format!("{what}: byte {at} differs")),
                            }
                        }),
                );
            }
        }
    }
    all(reports);
}
