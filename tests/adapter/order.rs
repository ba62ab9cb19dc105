//! Order of uploads, recorded work and the caller's encoders.

use std::cell::RefCell;
use std::rc::Rc;

use zerostride::{Context, DType, Error, Expr, Layout, Options, Plan, Slot, Tensor, wgpu};

use crate::common::{Random, new_encoder, own_context, own_device, raw_buffer, read_raw};

const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC);

/// A tensor and what it must hold.
#[derive(Clone)]
struct Known {
    tensor: Tensor,
    model: Rc<RefCell<Vec<i32>>>,
}

/// An encoder that is not submitted yet: its result is computed from what its inputs hold when it
/// is.
struct Waiting {
    encoder: wgpu::CommandEncoder,
    inputs: Vec<Known>,
    output: Tensor,
}

/// The expression of the interleavings: of two operands one pass, of five two passes with a
/// temporary between.
fn mixed(n: usize) -> Expr<usize> {
    (1..n).fold(Expr::slot(0), |x, i| {
        x.mul(Expr::literal(3)).sub(Expr::slot(i))
    })
}

fn mixed_model(inputs: &[Known]) -> Vec<i32> {
    let at = |x: &Known, k: usize| x.model.borrow()[k];
    let len = inputs[0].model.borrow().len();
    (0..len)
        .map(|k| {
            inputs[1..].iter().fold(at(&inputs[0], k), |x, y| {
                x.wrapping_mul(3).wrapping_sub(at(y, k))
            })
        })
        .collect()
}

/// Options under which five inputs take two passes.
fn few_bindings(context: &Context) -> Options {
    Options::default().with_limits(context.limits().with_max_storage_buffers(4))
}

fn plan_for(context: &Context, inputs: &[Known], outputs: &[Slot]) -> Plan {
    let slots: Vec<Slot> = inputs.iter().map(|x| x.tensor.slot()).collect();
    Plan::many(
        &[mixed(inputs.len())],
        &slots,
        outputs,
        &few_bindings(context),
    )
    .unwrap()
}

fn tensors(known: &[Known]) -> Vec<&Tensor> {
    known.iter().map(|x| &x.tensor).collect()
}

/// All live tensors of the interleavings; every one has the same length.
struct World {
    context: Context,
    random: Random,
    live: Vec<Known>,
    waiting: Vec<Waiting>,
}

const LEN: usize = 5;

impl World {
    fn some(&mut self, n: usize) -> Vec<Known> {
        (0..n)
            .map(|_| self.random.pick(&self.live).clone())
            .collect()
    }

    fn keep(&mut self, tensor: Tensor, model: Vec<i32>) {
        self.live.push(Known {
            tensor,
            model: Rc::new(RefCell::new(model)),
        });
    }

    fn upload(&mut self) {
        let data: Vec<i32> = (0..LEN).map(|_| self.random.next() as i32).collect();
        let tensor = self.context.tensor(&data, [LEN]).unwrap();
        self.keep(tensor, data);
    }

    fn run(&mut self, n: usize) {
        let inputs = self.some(n);
        let out = self
            .context
            .run(&plan_for(&self.context, &inputs, &[]), &tensors(&inputs))
            .unwrap();
        self.keep(out[0].clone(), mixed_model(&inputs));
    }

    fn encode(&mut self, n: usize) {
        let inputs = self.some(n);
        let output = if self.random.below(2) == 0 {
            self.context.empty(DType::I32, [LEN]).unwrap()
        } else {
            let buffer = raw_buffer(&self.context, &[0xcd; 32], STORAGE);
            self.context
                .wrap(&buffer, DType::I32, Layout::new([LEN], vec![1], 2).unwrap())
                .unwrap()
        };
        let mut encoder = new_encoder(&self.context);
        let plan = plan_for(&self.context, &inputs, &[output.slot()]);
        self.context
            .encode(&mut encoder, &plan, &tensors(&inputs), &[&output])
            .unwrap();
        self.waiting.push(Waiting {
            encoder,
            inputs,
            output,
        });
    }

    fn submit(&mut self) {
        if !self.waiting.is_empty() {
            let at = self.random.below(self.waiting.len());
            let Waiting {
                encoder,
                inputs,
                output,
            } = self.waiting.swap_remove(at);
            self.context.queue().submit([encoder.finish()]);
            let model = mixed_model(&inputs);
            self.keep(output, model);
        }
    }

    /// Overwrites a tensor with a function of it, in an encoder that is submitted at once.
    fn in_place(&mut self) {
        let inputs = self.some(2);
        let mut encoder = new_encoder(&self.context);
        let plan = plan_for(&self.context, &inputs, &[inputs[0].tensor.slot()]);
        self.context
            .encode(&mut encoder, &plan, &tensors(&inputs), &[&inputs[0].tensor])
            .unwrap();
        self.context.queue().submit([encoder.finish()]);
        let model = mixed_model(&inputs);
        *inputs[0].model.borrow_mut() = model;
    }

    fn check(&mut self, step: usize) {
        let x = self.some(1).remove(0);
        assert_eq!(
            x.tensor.read_blocking::<i32>().unwrap(),
            *x.model.borrow(),
            "at step {step}"
        );
    }
}

#[test]
fn random_interleavings_keep_the_order_of_a_host_model() {
    let context = own_context();
    let mut world = World {
        context,
        random: Random::new("interleavings"),
        live: Vec::new(),
        waiting: Vec::new(),
    };
    for step in 0..6000 {
        if world.live.len() < 4 {
            world.upload();
        }
        match world.random.below(16) {
            0..3 => world.upload(),
            3..6 => world.run(2),
            6 => world.run(5),
            7..11 if world.live.len() > 6 => {
                let at = world.random.below(world.live.len());
                drop(world.live.swap_remove(at));
            }
            11 => world.encode(2),
            12 => world.encode(5),
            13 => world.submit(),
            14 if step % 3 == 0 => world.in_place(),
            14 if step % 3 == 1 => world.context.flush().unwrap(),
            15 => world.check(step),
            _ => {}
        }
        if world.waiting.len() > 6 {
            world.submit();
        }
    }
    while !world.waiting.is_empty() {
        world.submit();
    }
    for (n, x) in world.live.iter().enumerate() {
        assert_eq!(
            x.tensor.read_blocking::<i32>().unwrap(),
            *x.model.borrow(),
            "tensor {n} at the end"
        );
    }
}

#[test]
fn an_upload_does_not_overtake_recorded_work_on_a_freed_buffer() {
    let context = own_context();
    for round in 0..50 {
        let x = context.tensor(&[round; 64], [64]).unwrap();
        let y = x.neg().unwrap();
        drop(x);
        let z = context.tensor(&[7i32; 64], [64]).unwrap();
        assert_eq!(y.read_blocking::<i32>().unwrap(), [-round; 64]);
        assert_eq!(z.read_blocking::<i32>().unwrap(), [7; 64]);
    }
}

#[test]
fn temporaries_of_an_encoded_plan_do_not_overtake_recorded_work() {
    let context = own_context();
    let wrapped = |value: i32| {
        let bytes: Vec<u8> = [value; 64].iter().flat_map(|x| x.to_le_bytes()).collect();
        context
            .wrap(
                &raw_buffer(&context, &bytes, STORAGE),
                DType::I32,
                Layout::contiguous([64]).unwrap(),
            )
            .unwrap()
    };
    let inputs = [1, 2, 3, 4, 5].map(wrapped);
    let out = wrapped(0);
    let slots = inputs.each_ref().map(Tensor::slot);
    let plan = Plan::many(&[mixed(5)], &slots, &[out.slot()], &few_bindings(&context)).unwrap();
    assert!(plan.pass_count() > 1);

    let x = context.tensor(&[10i32; 64], [64]).unwrap();
    let y = x.neg().unwrap();
    drop(x);
    // The buffer of `x` is free, but the recorded work that reads it is not submitted.
    let mut encoder = new_encoder(&context);
    context
        .encode(&mut encoder, &plan, &inputs.each_ref(), &[&out])
        .unwrap();
    context.queue().submit([encoder.finish()]);
    assert_eq!(y.read_blocking::<i32>().unwrap(), [-10; 64]);
}

#[test]
fn inputs_moved_aside_do_not_overtake_recorded_work() {
    let context = own_context();
    let bytes: Vec<u8> = (0..128i32).flat_map(i32::to_le_bytes).collect();
    let buffer = raw_buffer(&context, &bytes, STORAGE);
    let half = |first| {
        context
            .wrap(
                &buffer,
                DType::I32,
                Layout::new([64], vec![1], first).unwrap(),
            )
            .unwrap()
    };
    let (a, b) = (half(0), half(64));
    let plan = Plan::many(
        &[Expr::slot(0).neg()],
        &[a.slot()],
        &[b.slot()],
        &context.options(),
    )
    .unwrap();

    let x = context.tensor(&[10i32; 64], [64]).unwrap();
    let y = x.neg().unwrap();
    drop(x);
    let mut encoder = new_encoder(&context);
    // In a pass nothing can be copied.
    let mut pass = encoder.begin_compute_pass(&Default::default());
    let refused = context.encode_in_pass(&mut pass, &plan, &[&a], &[&b]);
    assert!(matches!(refused, Err(Error::Buffer { .. })), "{refused:?}");
    drop(pass);
    context.encode(&mut encoder, &plan, &[&a], &[&b]).unwrap();
    context.queue().submit([encoder.finish()]);
    assert_eq!(y.read_blocking::<i32>().unwrap(), [-10; 64]);
    assert_eq!(
        b.read_blocking::<i32>().unwrap(),
        std::array::from_fn::<i32, 64, _>(|i| -(i as i32))
    );
}

#[test]
fn encode_keeps_the_order_of_the_callers_commands() {
    let (device, queue) = own_device();
    let context = Context::from_wgpu(&device, &queue);
    let layout = Layout::contiguous([4]).unwrap();
    let bytes = |x: [u32; 4]| bytemuck::cast_slice(&x).to_vec();
    let [a, b, out, late] = [[1, 2, 3, 4], [5, 6, 7, 8], [0; 4], [0; 4]]
        .map(|x| raw_buffer(&context, &bytes(x), STORAGE));
    let wrap = |buffer| context.wrap(buffer, DType::U32, layout.clone()).unwrap();
    let (x, first, second) = (wrap(&a), wrap(&out), wrap(&late));
    let plan = Plan::many(
        &[Expr::slot(0).mul(Expr::literal(10))],
        &[x.slot()],
        &[first.slot()],
        &context.options(),
    )
    .unwrap();
    let mut encoder = new_encoder(&context);
    context
        .encode(&mut encoder, &plan, &[&x], &[&first])
        .unwrap();
    encoder.copy_buffer_to_buffer(&b, 0, &a, 0, 16);
    context
        .encode(&mut encoder, &plan, &[&x], &[&second])
        .unwrap();
    encoder.clear_buffer(&a, 0, None);
    // Nothing runs before the caller submits.
    assert_eq!(read_raw(&context, &out), bytes([0; 4]));
    queue.submit([encoder.finish()]);
    assert_eq!(read_raw(&context, &out), bytes([10, 20, 30, 40]));
    assert_eq!(read_raw(&context, &late), bytes([50, 60, 70, 80]));
    assert_eq!(read_raw(&context, &a), bytes([0; 4]));
}

#[test]
fn encode_with_wrapped_operands_submits_nothing() {
    let (device, queue) = own_device();
    let context = Context::from_wgpu(&device, &queue);
    let wrap = |buffer: &wgpu::Buffer| {
        context
            .wrap(buffer, DType::U8, Layout::contiguous([8]).unwrap())
            .unwrap()
    };
    let watched = raw_buffer(&context, &[1; 8], STORAGE);
    let (a, out) = (
        raw_buffer(&context, &[2; 8], STORAGE),
        raw_buffer(&context, &[0; 8], STORAGE),
    );
    let recorded = wrap(&watched).neg().unwrap();
    let plan = Plan::many(
        &[Expr::slot(0).neg()],
        &[wrap(&a).slot()],
        &[wrap(&out).slot()],
        &context.options(),
    )
    .unwrap();
    let mut encoder = new_encoder(&context);
    context
        .encode(&mut encoder, &plan, &[&wrap(&a)], &[&wrap(&out)])
        .unwrap();
    // A write takes effect before everything that is not submitted, so the recorded work sees it.
    queue.write_buffer(&watched, 0, &[3; 8]);
    assert_eq!(recorded.read_blocking::<u8>().unwrap(), [253; 8]);
    queue.submit([encoder.finish()]);
    assert_eq!(read_raw(&context, &out), [254; 8]);
}

#[test]
fn plans_share_a_pass_of_the_callers_with_its_own_dispatches() {
    let (device, queue) = own_device();
    let context = Context::from_wgpu(&device, &queue);
    let n = 1000;
    let x = context.tensor(&vec![1i32; n], [n]).unwrap();
    let plan = Plan::new(
        &(Expr::slot(0) + Expr::slot(0)),
        &[x.slot()],
        &context.options(),
    )
    .unwrap();
    let sum = Plan::new(&Expr::slot(0).cumsum(0), &[x.slot()], &context.options()).unwrap();
    let [y, z] = [(); 2].map(|()| context.empty(DType::I32, [n]).unwrap());
    let out = context.empty(DType::I64, [n]).unwrap();
    // Work that was recorded before is submitted first.
    let x = x.add(&x).unwrap();
    let mut encoder = new_encoder(&context);
    let mut pass = encoder.begin_compute_pass(&Default::default());
    context
        .encode_in_pass(&mut pass, &plan, &[&x], &[&y])
        .unwrap();
    context
        .encode_in_pass(&mut pass, &plan, &[&y], &[&z])
        .unwrap();
    context
        .encode_in_pass(&mut pass, &sum, &[&z], &[&out])
        .unwrap();
    drop(pass);
    queue.submit([encoder.finish()]);
    let wanted: Vec<i64> = (1..=n as i64).map(|i| 8 * i).collect();
    assert_eq!(out.read_blocking::<i64>().unwrap(), wanted);
    let other = own_context();
    let mut encoder = new_encoder(&other);
    let mut pass = encoder.begin_compute_pass(&Default::default());
    let refused = other.encode_in_pass(&mut pass, &plan, &[&x], &[&y]);
    assert!(
        matches!(refused, Err(Error::OtherContext { .. })),
        "{refused:?}"
    );
}
