//! Several tensors on one wgpu buffer: what is recorded and what is encoded keep their order by the
//! buffer, whichever tensor they name.

use zerostride::{Context, DType, Expr, Layout, Plan, Tensor, wgpu};

use crate::common::{Random, new_encoder, own_context, raw_buffer, read_raw};

const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC);
const LEN: usize = 64;

fn wrap(context: &Context, raw: &wgpu::Buffer) -> Tensor {
    context
        .wrap(raw, DType::I32, Layout::contiguous([LEN]).unwrap())
        .unwrap()
}

fn filled(context: &Context, value: i32) -> wgpu::Buffer {
    raw_buffer(context, bytemuck::cast_slice(&[value; LEN]), STORAGE)
}

/// Writes twice the elements of `from` into `to` by an encoder of the caller's, which is submitted
/// at once.
fn write_double(context: &Context, from: &Tensor, to: &Tensor) {
    let double = Expr::slot(0) + Expr::slot(0);
    let plan = Plan::many(&[double], &[from.slot()], &[to.slot()], &context.options()).unwrap();
    let mut encoder = new_encoder(context);
    context.encode(&mut encoder, &plan, &[from], &[to]).unwrap();
    context.queue().submit([encoder.finish()]);
}

#[test]
fn work_recorded_on_one_wrap_is_done_before_another_wrap_is_written() {
    let context = own_context();
    let raw = filled(&context, 1);
    let (a, b) = (wrap(&context, &raw), wrap(&context, &raw));
    let before = a.add(&a).unwrap();
    write_double(&context, &context.tensor(&[100; LEN], [LEN]).unwrap(), &b);
    assert_eq!(before.read_blocking::<i32>().unwrap(), [2; LEN]);
    assert_eq!(a.read_blocking::<i32>().unwrap(), [200; LEN]);
}

#[test]
fn work_recorded_on_a_wrap_that_was_dropped_is_done_before_the_next_one_is_written() {
    let context = own_context();
    let raw = filled(&context, 1);
    let a = wrap(&context, &raw);
    let before = a.add(&a).unwrap();
    drop(a);
    write_double(
        &context,
        &context.tensor(&[100; LEN], [LEN]).unwrap(),
        &wrap(&context, &raw),
    );
    assert_eq!(before.read_blocking::<i32>().unwrap(), [2; LEN]);
}

#[test]
fn work_recorded_on_a_tensor_is_done_before_a_wrap_of_its_buffer_is_written() {
    let context = own_context();
    for keep in [true, false] {
        let own = context.tensor(&[1i32; LEN], [LEN]).unwrap();
        let raw = own.buffer().unwrap();
        let before = own.add(&own).unwrap();
        let kept = keep.then_some(own);
        write_double(
            &context,
            &context.tensor(&[100; LEN], [LEN]).unwrap(),
            &wrap(&context, &raw),
        );
        assert_eq!(
            before.read_blocking::<i32>().unwrap(),
            [2; LEN],
            "kept: {keep}"
        );
        if let Some(own) = kept {
            assert_eq!(own.read_blocking::<i32>().unwrap(), [200; LEN]);
        }
    }
}

#[test]
fn work_recorded_on_a_wrap_is_done_before_the_tensor_of_its_buffer_is_written() {
    let context = own_context();
    let own = context.tensor(&[1i32; LEN], [LEN]).unwrap();
    let alias = wrap(&context, &own.buffer().unwrap());
    let before = alias.add(&alias).unwrap();
    write_double(&context, &context.tensor(&[100; LEN], [LEN]).unwrap(), &own);
    assert_eq!(before.read_blocking::<i32>().unwrap(), [2; LEN]);
}

#[test]
fn a_tensor_whose_buffer_is_wrapped_is_not_computed_over() {
    let context = own_context();
    let own = context.tensor(&[1i32; LEN], [LEN]).unwrap();
    let alias = wrap(&context, &own.buffer().unwrap());
    // The wrap is held, the tensor alone is given away.
    let doubled = (Expr::from(own) * 2).eval_donating().unwrap();
    assert_eq!(doubled.read_blocking::<i32>().unwrap(), [2; LEN]);
    assert_eq!(alias.read_blocking::<i32>().unwrap(), [1; LEN]);
    // Neither a result nor an upload comes to lie in it.
    let others: Vec<_> = (0..40)
        .map(|n| context.tensor(&[n; LEN], [LEN]).unwrap().neg().unwrap())
        .collect();
    assert_eq!(alias.read_blocking::<i32>().unwrap(), [1; LEN]);
    drop(others);
}

#[test]
fn operands_that_nothing_recorded_touches_submit_nothing() {
    let context = own_context();
    let watched = filled(&context, 1);
    let recorded = wrap(&context, &watched).neg().unwrap();
    let (from, to) = (filled(&context, 2), filled(&context, 0));
    write_double(&context, &wrap(&context, &from), &wrap(&context, &to));
    // A write takes effect before everything that is not submitted, so the recorded work sees it.
    context
        .queue()
        .write_buffer(&watched, 0, bytemuck::cast_slice(&[3i32; LEN]));
    assert_eq!(recorded.read_blocking::<i32>().unwrap(), [-3; LEN]);
    assert_eq!(
        read_raw(&context, &to),
        bytemuck::cast_slice::<i32, u8>(&[4; LEN])
    );
}

#[test]
fn random_programs_on_aliases_of_few_buffers_keep_their_order() {
    let context = own_context();
    let mut random = Random::new("aliases");
    let own = context.tensor(&[0i32; LEN], [LEN]).unwrap();
    let raws: Vec<wgpu::Buffer> = vec![
        filled(&context, 1),
        filled(&context, 2),
        own.buffer().unwrap(),
    ];
    drop(own);
    let mut values = [1i32, 2, 0];
    let mut results: Vec<(Tensor, i32)> = Vec::new();
    for _ in 0..2000 {
        let [n, m] = [(); 2].map(|()| random.below(raws.len()));
        match random.below(4) {
            // Two wraps of it, both dropped at once.
            0 | 1 => {
                let sum = wrap(&context, &raws[n])
                    .add(wrap(&context, &raws[m]))
                    .unwrap();
                results.push((sum, values[n].wrapping_add(values[m])));
            }
            2 if n != m => {
                write_double(
                    &context,
                    &wrap(&context, &raws[n]),
                    &wrap(&context, &raws[m]),
                );
                values[m] = values[n].wrapping_mul(2);
            }
            3 if !results.is_empty() => {
                let (result, value) = results.swap_remove(random.below(results.len()));
                if random.below(2) == 0 {
                    write_double(&context, &result, &wrap(&context, &raws[n]));
                    values[n] = value.wrapping_mul(2);
                } else {
                    assert_eq!(result.read_blocking::<i32>().unwrap(), [value; LEN]);
                }
            }
            _ => {}
        }
    }
    for (result, value) in results {
        assert_eq!(result.read_blocking::<i32>().unwrap(), [value; LEN]);
    }
}
