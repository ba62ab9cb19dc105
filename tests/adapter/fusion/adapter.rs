//! The same programs on the adapter in one kernel and step by step.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use zerostride::{DType, Expr, HostTensor, Op, Plan, Rule, Tensor};

use super::programs::{Arg, Form, Program};
use crate::common::{Random, context};

/// Programs that one kernel computes, each selected by its number.
const TOGETHER: usize = 32;
/// Programs whose steps are computed together, one by one.
const BATCH: usize = 4000;

/// A test's turn on the adapter: under OpenGL wgpu's threads wait for one another, and panic where
/// a kernel takes long to compile, so that one test runs at a time.
pub fn turn() -> Option<MutexGuard<'static, ()>> {
    static TURN: Mutex<()> = Mutex::new(());
    let alone = context().adapter_info().backend == zerostride::wgpu::Backend::Gl;
    alone.then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Numbers that break rules of real numbers, as f64.
const SPECIAL: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    3.25,
    -0.1,
    1e-3,
    -7e4,
    6e4,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MAX,
    -f64::MIN_POSITIVE,
];

/// The bits of a special number in a type: the largest and the smallest are the type's own.
fn special(dtype: DType, x: f64) -> u64 {
    let [largest, smallest] = match dtype {
        DType::F16 => [0x7bff, 0x8400],
        DType::Bf16 => [0x7f7f, 0x8080],
        DType::F64 => [f64::MAX.to_bits(), (-f64::MIN_POSITIVE).to_bits()],
        _ => [
            u64::from(f32::MAX.to_bits()),
            u64::from((-f32::MIN_POSITIVE).to_bits()),
        ],
    };
    match dtype {
        _ if x == f64::MAX => largest,
        _ if x == -f64::MIN_POSITIVE => smallest,
        DType::F16 => half::f16::from_f64(x).to_bits().into(),
        DType::Bf16 => half::bf16::from_f64(x).to_bits().into(),
        DType::F64 => x.to_bits(),
        _ => (x as f32).to_bits().into(),
    }
}

/// Bits of elements as bytes.
fn bytes(dtype: DType, bits: impl Iterator<Item = u64>) -> Vec<u8> {
    bits.flat_map(|b| b.to_le_bytes().into_iter().take(dtype.size()))
        .collect()
}

/// The bits of a tensor's elements; of NaN there is one.
pub fn read(tensor: &Tensor) -> Vec<u64> {
    let bytes = tensor.read_bytes_blocking().expect("a result is read");
    let word = |c: &[u8]| c.iter().rev().fold(0, |x, &b| x << 8 | u64::from(b));
    bytes
        .chunks_exact(tensor.dtype().size())
        .map(word)
        .map(|bits| one_nan(tensor.dtype(), bits))
        .collect()
}

fn one_nan(dtype: DType, bits: u64) -> u64 {
    let [magnitude, infinity] = match dtype {
        DType::F16 => [0x7fff, 0x7c00],
        DType::Bf16 => [0x7fff, 0x7f80],
        DType::F64 => [u64::MAX >> 1, 0x7ff0_0000_0000_0000],
        _ => [0x7fff_ffff, 0x7f80_0000],
    };
    if bits & magnitude > infinity {
        infinity + 1
    } else {
        bits
    }
}

/// The operands of programs, and the condition of selections.
pub struct Inputs {
    /// The type that the steps compute in.
    dtype: DType,
    /// The type of the arrays, which programs convert first if it is another.
    from: DType,
    /// Bits of elements of the arrays.
    x: Vec<u64>,
    y: Vec<u64>,
    condition: Vec<u64>,
}

impl Inputs {
    /// Every pair of special numbers.
    pub fn special(dtype: DType) -> Self {
        let bits = |i: usize| special(dtype, SPECIAL[i]);
        let all = 0..SPECIAL.len() * SPECIAL.len();
        let x = all.clone().map(|i| bits(i / SPECIAL.len())).collect();
        let y = all.map(|i| bits(i % SPECIAL.len())).collect();
        Self::new(dtype, dtype, x, y)
    }

    /// Integers of this type and of every length, for steps on what they are as floats.
    pub fn integers(random: &mut Random, from: DType, dtype: DType) -> Self {
        let size = 8 * from.size();
        let mut bits = || {
            let one = || random.next() >> (64 - size + random.below(size));
            std::iter::repeat_with(one).take(200).collect()
        };
        let (x, y) = (bits(), bits());
        Self::new(dtype, from, x, y)
    }

    fn new(dtype: DType, from: DType, x: Vec<u64>, y: Vec<u64>) -> Self {
        let condition = (0..x.len()).map(|i| ((i * 7 / 3) % 2) as u64).collect();
        Self {
            dtype,
            from,
            x,
            y,
            condition,
        }
    }

    /// The operands in the type of the steps, by dispatches of their own where that is another.
    fn converted(&self) -> [Vec<u64>; 2] {
        [&self.x, &self.y].map(|bits| match self.from == self.dtype {
            true => bits.clone(),
            false => {
                let tensor = tensor(self.from, std::iter::once(bits));
                read(&alone(Op::CAST, &[tensor], Some(self.dtype)))
            }
        })
    }

    fn len(&self) -> usize {
        self.x.len()
    }
}

/// Two tensors whose elements are every pair of special numbers.
pub fn special_numbers(dtype: DType) -> [Tensor; 2] {
    let inputs = Inputs::special(dtype);
    [&inputs.x, &inputs.y].map(|bits| tensor(dtype, std::iter::once(bits)))
}

/// A tensor of rows of bits.
fn tensor<'a>(dtype: DType, rows: impl Iterator<Item = &'a Vec<u64>>) -> Tensor {
    let bits: Vec<u64> = rows.flatten().copied().collect();
    context()
        .tensor_from_bytes(dtype, [bits.len()], &bytes(dtype, bits.iter().copied()))
        .expect("a tensor is made")
}

/// The values of programs whose steps are dispatches of their own: the same step of all programs is
/// one.
fn step_by_step(inputs: &Inputs, programs: &[Program]) -> Vec<Vec<u64>> {
    let dtype = inputs.dtype;
    let mut values = vec![inputs.converted().to_vec(); programs.len()];
    for step in 0..programs[0].0.len() {
        let mut by_form: BTreeMap<String, (Form, Vec<usize>)> = BTreeMap::new();
        for (p, program) in programs.iter().enumerate() {
            let form = program.0[step].0;
            by_form
                .entry(format!("{form:?}"))
                .or_insert_with(|| (form, Vec::new()))
                .1
                .push(p);
        }
        for (form, of) in by_form.values() {
            let operands: Vec<Tensor> = (0..form.operands())
                .map(|n| {
                    tensor(
                        dtype,
                        of.iter().map(|&p| &values[p][programs[p].0[step].1[n]]),
                    )
                })
                .collect();
            let condition = tensor(DType::Bool, of.iter().map(|_| &inputs.condition));
            let found = read(&form.value(dtype, &condition, &operands, &alone));
            for (&p, row) in of.iter().zip(found.chunks_exact(inputs.len())) {
                values[p].push(row.to_vec());
            }
        }
    }
    values
        .into_iter()
        .map(|mut all| all.swap_remove(all.len() - 1))
        .collect()
}

/// An operator by itself, a dispatch of its own.
pub fn alone(op: Op, args: &[Tensor], to: Option<DType>) -> Tensor {
    let done = match to {
        Some(to) if op == Op::CAST => args[0].cast(to),
        Some(to) => args[0].bit_cast(to),
        None => Tensor::apply(op, &args.iter().collect::<Vec<_>>(), Rule::Numpy),
    };
    done.unwrap_or_else(|e| panic!("{op}: {e}"))
}

/// The values of programs that one kernel computes, a row each; of as many kernels as they need.
fn in_one_kernel(inputs: &Inputs, programs: &[Program]) -> Vec<Vec<u64>> {
    let dtype = inputs.dtype;
    let rows = programs.len();
    let shape = [rows, inputs.len()];
    let tiled = |dtype: DType, bits: &[u64]| {
        let all = (0..rows).flat_map(|_| bits.iter().copied());
        HostTensor::new(dtype, shape, bytes(dtype, all)).expect("a tensor is made")
    };
    let numbers = HostTensor::new(DType::U32, [rows, 1], bytes(DType::U32, 0..rows as u64))
        .expect("a tensor is made");
    let host = [
        tiled(inputs.from, &inputs.x),
        tiled(inputs.from, &inputs.y),
        tiled(DType::Bool, &inputs.condition),
        numbers,
    ];
    let tensors = host.map(|t| context().tensor_from_host(&t).expect("a tensor is made"));
    let [x, y, condition, number] = [0, 1, 2, 3].map(Expr::<usize>::slot);
    let [x, y] = [x, y].map(|operand| match inputs.from == dtype {
        true => operand,
        false => operand.cast(dtype),
    });
    let value = |p: &Program| p.expr(dtype, &condition, [x.clone(), y.clone()]);
    let mut selected = value(&programs[0]);
    for (n, program) in programs.iter().enumerate().skip(1) {
        let is = number.equal(Expr::scalar(n as u32));
        selected = Expr::step(Op::WHERE, [is, value(program), selected]);
    }
    let slots = tensors.each_ref().map(Tensor::slot);
    let plan = Plan::new(&selected, &slots, &context().options()).expect("a plan is made");
    // The code by which integers compute f64, or round quotients and halves, may be too long for one kernel of 32 programs.
    if plan.pass_count() > 1 && rows > 1 {
        let halves = programs.chunks(rows.div_ceil(2));
        return halves
            .flat_map(|half| in_one_kernel(inputs, half))
            .collect();
    }
    assert_eq!(plan.pass_count(), 1, "{plan}");
    let found = context()
        .run(&plan, &tensors.each_ref())
        .expect("a plan runs")
        .swap_remove(0);
    read(&found)
        .chunks_exact(inputs.len())
        .map(<[u64]>::to_vec)
        .collect()
}

/// The programs whose value in one kernel is not that of their steps one by one, with the first
/// element that differs.
pub fn compare(inputs: &Inputs, programs: &[Program]) -> Vec<String> {
    let _turn = turn();
    let mut differing = Vec::new();
    for (n, batch) in programs.chunks(BATCH).enumerate() {
        if n > 0 {
            eprintln!(
                "{} of {} compared, {} differ",
                n * BATCH,
                programs.len(),
                differing.len()
            );
        }
        // The loops of a remainder make a kernel of many programs long to compile. A conversion that several programs
        // read is one value, which a compiler merges with none of them.
        let alone = |p: &Program| p.has(Form::Mod) || inputs.from != inputs.dtype;
        let kind = |p: &Program| (p.0.len(), if alone(p) { 1 } else { TOGETHER });
        let mut kinds: BTreeMap<(usize, usize), Vec<Program>> = BTreeMap::new();
        batch
            .iter()
            .for_each(|p| kinds.entry(kind(p)).or_default().push(p.clone()));
        for ((_, together), programs) in &kinds {
            let wanted = step_by_step(inputs, programs);
            let found = programs
                .chunks(*together)
                .flat_map(|some| in_one_kernel(inputs, some));
            for ((program, found), wanted) in programs.iter().zip(found).zip(wanted) {
                differing.extend(difference(inputs, program, &found, &wanted));
            }
        }
    }
    differing
}

fn difference(inputs: &Inputs, program: &Program, found: &[u64], wanted: &[u64]) -> Option<String> {
    let i = found.iter().zip(wanted).position(|(a, b)| a != b)?;
    let operand = |arg: Arg| if arg == 0 { inputs.x[i] } else { inputs.y[i] };
    let [x, y] = [operand(0), operand(1)];
    Some(format!(
        "{program} of {x:#x}, {y:#x}: {:#x} in one kernel, {:#x} step by step",
        found[i], wanted[i]
    ))
}
