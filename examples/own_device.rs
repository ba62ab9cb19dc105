//! Broadcast arithmetic on buffers, device and encoder of the caller: only the caller submits
//! work.
//!
//! `cargo run --example own_device`

use std::error::Error;

use zerostride::{Context, DType, Expr, Layout, Plan, wgpu};

fn main() -> Result<(), Box<dyn Error>> {
    // The application's own wgpu objects.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter =
        pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) =
        pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
    let usage =
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let buffer = |bytes: u64| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage,
            mapped_at_creation: false,
        })
    };
    let (pixels, gain, result) = (buffer(6 * 4), buffer(3 * 4), buffer(6 * 4));
    queue.write_buffer(
        &pixels,
        0,
        bytemuck::cast_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]),
    );
    queue.write_buffer(&gain, 0, bytemuck::cast_slice(&[10.0f32, 100.0, 1000.0]));

    // Wrapped, not copied.
    let context = Context::from_wgpu(&device, &queue);
    let a = context.wrap(&pixels, DType::F32, Layout::contiguous([2, 3])?)?;
    let b = context.wrap(&gain, DType::F32, Layout::contiguous([3])?)?;
    let out = context.wrap(&result, DType::F32, Layout::contiguous([2, 3])?)?;

    // Planned once, encoded as often as wanted.
    let expr = Expr::slot(0) * Expr::slot(1);
    let plan = Plan::many(
        &[expr],
        &[a.slot(), b.slot()],
        &[out.slot()],
        &context.options(),
    )?;
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    context.encode(&mut encoder, &plan, &[&a, &b], &[&out])?;
    queue.submit([encoder.finish()]);

    println!("{:?}", out.read_blocking::<f32>()?);
    Ok(())
}
