//! What an adapter, its driver or the caller can refuse: each is an error, and the context works
//! on.

use std::process::Command;

use zerostride::{Context, DType, Error, Expr, Layout, Plan, Software, Tensor, wgpu};

use crate::common::{
    alone, context, new_encoder, own_context_with, plain_context, raw_buffer, within_a_minute,
};

const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC);

/// Whether a context still computes.
fn works(context: &Context) {
    let x = context.tensor(&[1.0f32, 2.0, 3.0], [3]).unwrap();
    assert_eq!(
        x.neg().unwrap().read_blocking::<f32>().unwrap(),
        [-1.0, -2.0, -3.0]
    );
}

#[test]
fn an_adapter_that_is_not_there_is_an_error_with_those_that_are() {
    let info = context().adapter_info().clone();
    let is_software = info.device_type == wgpu::DeviceType::Cpu || info.name.contains("llvmpipe");
    let other = if is_software {
        Software::Refused
    } else {
        Software::Required
    };
    let named = || Context::builder().adapter(&info.name);
    for (what, builder, says) in [
        (
            "name",
            Context::builder().adapter("nosuch"),
            "none is named `nosuch`; these are there: ",
        ),
        ("kind", named().software(other), "none is named"),
        (
            "backend",
            named().backends(wgpu::Backends::empty()),
            "install",
        ),
    ] {
        let found = builder.request_blocking();
        assert!(
            matches!(&found, Err(Error::NoAdapter { reason }) if reason.contains(says)),
            "{what}: {found:?}"
        );
    }
}

#[test]
fn limits_that_the_adapter_lacks_are_refused_with_the_device() {
    let limits = wgpu::Limits {
        max_storage_buffers_per_shader_stage: u32::MAX,
        ..wgpu::Limits::default()
    };
    let found = Context::builder()
        .from_env()
        .limits(limits)
        .request_blocking();
    assert!(
        matches!(
            &found,
            Err(Error::Wgpu {
                what: "request_device",
                ..
            })
        ),
        "{found:?}"
    );
    assert!(
        found
            .unwrap_err()
            .to_string()
            .contains("max_storage_buffers_per_shader_stage")
    );
}

#[test]
fn features_that_the_adapter_lacks_are_left_out_and_missed_by_name() {
    works(&own_context_with(wgpu::Features::all()));
    let context = own_context_with(wgpu::Features::empty());
    assert!(!context.limits().int64 && !context.limits().float64);
    let x = context.tensor(&[1.0f64, 2.0], [2]).unwrap();
    assert_eq!(
        x.add(&x).unwrap().read_blocking::<f64>().unwrap(),
        [2.0, 4.0]
    );
    // Integers of 64 bits need no feature either, and doubles are moved without one.
    let n = context.tensor(&[1i64 << 40, -3], [2]).unwrap();
    assert_eq!(n.mul(&n).unwrap().read_blocking::<i64>().unwrap(), [0, 9]);
    assert_eq!(
        x.neg().unwrap().read_blocking::<f64>().unwrap(),
        [-1.0, -2.0]
    );
}

#[test]
fn a_plan_for_features_that_the_adapter_lacks_is_refused() {
    let context = own_context_with(wgpu::Features::empty());
    let x = context.tensor(&[1.0f64, 2.0], [2]).unwrap();
    let mut options = context.options();
    (options.limits.int64, options.limits.float64) = (true, true);
    let plan = Plan::new(&Expr::slot(0).add(Expr::slot(0)), &[x.slot()], &options).unwrap();
    let found = context.run(&plan, &[&x]);
    assert!(matches!(found, Err(Error::Argument { .. })), "{found:?}");
    works(&context);
}

/// Leaves this process `more` bytes of address space above what it has.
#[cfg(target_os = "linux")]
fn confine(more: u64) {
    let pages: u64 = std::fs::read_to_string("/proc/self/statm")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let limit = pages * 4096 + more;
    let process = std::process::id().to_string();
    let done = Command::new("prlimit")
        .args(["--pid", &process, &format!("--as={limit}:")])
        .status()
        .unwrap();
    assert!(done.success(), "prlimit, which every Linux has, failed");
}

#[cfg(target_os = "linux")]
#[test]
fn running_out_of_memory_is_an_error_wherever_the_driver_says_so() {
    alone(
        "faults::running_out_of_memory_is_an_error_wherever_the_driver_says_so",
        || {
            const PART: usize = 96 << 20;
            let context = plain_context();
            works(&context);
            let beyond = context.device().limits().max_buffer_size as usize + 1;
            assert!(matches!(
                context.empty(DType::U8, [beyond]),
                Err(Error::BufferTooLarge { .. })
            ));
            let info = context.adapter_info();
            if info.backend == wgpu::Backend::Gl || info.device_type != wgpu::DeviceType::Cpu {
                // OpenGL allocates when a buffer is used, and wgpu does not ask it how that went. A GPU has memory of
                // its own, which the process cannot be confined to less of.
                return;
            }
            let room = vec![7u8; PART];
            confine(12 * PART as u64);
            let mut held: Vec<Tensor> = Vec::new();
            drop(context.empty(DType::U8, [1 << 20]).unwrap());
            assert!(context.pooled_bytes() > 0);
            let found = loop {
                match context.empty(DType::U8, [PART]) {
                    Ok(tensor) if held.len() < 64 => held.push(tensor),
                    Ok(_) => panic!("no allocation failed"),
                    Err(error) => break error,
                }
            };
            assert!(
                matches!(&found, Error::OutOfMemory { bytes, .. } if *bytes >= PART as u64),
                "{found:?}"
            );
            assert!(!held.is_empty());
            // It was tried again without what the pool kept.
            assert_eq!(context.pooled_bytes(), 0);
            // An upload, a result and the staging buffer of all bytes find no room either, and a
            // read none on the host.
            let is_out = |what: &str, outcome: Result<(), Error>| {
                assert!(
                    matches!(&outcome, Err(Error::OutOfMemory { bytes, .. }) if *bytes > 0),
                    "{what}: {outcome:?}"
                );
            };
            is_out(
                "upload",
                context
                    .tensor_from_bytes(DType::U8, [PART], &room)
                    .map(drop),
            );
            is_out("result", held[0].neg().map(drop));
            is_out("read", held[0].start_read_bytes().map(drop));
            confine(1 << 20);
            for found in [
                held[0].read_bytes_blocking(),
                pollster::block_on(held[0].read_bytes()),
            ] {
                assert!(
                    matches!(&found, Err(Error::HostMemory { bytes: PART })),
                    "{found:?}"
                );
            }
            // With ever more room, a read fails for want of memory on the host, perhaps of staging
            // buffers, then not at all: it needs no second copy of all bytes.
            held.truncate(1);
            context.trim();
            let mut met = Vec::new();
            for room in 2..64 {
                confine(room * (4 << 20));
                let found = match held[0].read_bytes_blocking() {
                    Err(Error::OutOfMemory { .. }) => "device",
                    Err(Error::HostMemory { bytes: PART }) => "host",
                    Ok(_) => "none",
                    Err(other) => panic!("{other:?}"),
                };
                met.push(found);
                assert!(room * (4 << 20) < PART as u64 * 3 / 2, "{met:?}");
                if found == "none" {
                    break;
                }
            }
            met.dedup();
            met.retain(|found| *found != "device");
            assert_eq!(met, ["host", "none"]);
            confine(12 * PART as u64);
            // What is given back can be had again.
            works(&context);
            let again = context.tensor_from_bytes(DType::U8, [PART], &room).unwrap();
            assert_eq!(again.read_bytes_blocking().unwrap(), room);
        },
    );
}

#[test]
fn a_mapped_buffer_refuses_its_batch_and_nothing_else() {
    within_a_minute(|| {
        let context = plain_context();
        let kept = context.tensor(&[1.0f32, 2.0], [2]).unwrap();
        let before = kept.neg().unwrap();
        context.flush().unwrap();
        let mapped = context.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: STORAGE,
            mapped_at_creation: true,
        });
        let x = context
            .wrap(&mapped, DType::F32, Layout::contiguous([4]).unwrap())
            .unwrap();
        let beside = kept.add(&kept).unwrap();
        let found = x.neg().and_then(|y| y.read_blocking::<f32>());
        assert!(
            matches!(&found, Err(Error::Wgpu { reason, .. }) if reason.contains("mapped")),
            "{found:?}"
        );
        // What was recorded in the same batch was not computed, and says so; what was submitted
        // before was.
        let found = beside.read_blocking::<f32>();
        assert!(matches!(found, Err(Error::Wgpu { .. })), "{found:?}");
        assert!(matches!(beside.neg(), Err(Error::Wgpu { .. })));
        assert_eq!(before.read_blocking::<f32>().unwrap(), [-1.0, -2.0]);
        mapped.unmap();
        assert_eq!(
            x.add(kept.slice([zerostride::Index::At(0)]).unwrap())
                .unwrap()
                .read_blocking::<f32>()
                .unwrap(),
            [1.0; 4]
        );
        works(&context);
    });
}

#[test]
fn a_destroyed_buffer_is_an_error() {
    within_a_minute(|| {
        let context = plain_context();
        let raw = raw_buffer(&context, &[0; 16], STORAGE);
        let x = context
            .wrap(&raw, DType::F32, Layout::contiguous([4]).unwrap())
            .unwrap();
        let recorded = x.neg().unwrap();
        raw.destroy();
        let found = recorded.read_blocking::<f32>();
        assert!(matches!(found, Err(Error::Wgpu { .. })), "{found:?}");
        for found in [
            x.read_blocking::<f32>().map(drop),
            x.neg().and_then(|y| y.read_blocking::<f32>()).map(drop),
        ] {
            assert!(matches!(found, Err(Error::Wgpu { .. })), "{found:?}");
        }
        works(&context);
    });
}

/// Two devices of one instance: wgpu tells what belongs to which. Between instances it cannot.
fn two_devices() -> [(wgpu::Device, wgpu::Queue); 2] {
    let wanted = context().adapter_info().clone();
    let backends = wgpu::Backends::from(wanted.backend);
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    [0; 2].map(|_| {
        let adapters = pollster::block_on(instance.enumerate_adapters(backends));
        let adapter = adapters
            .iter()
            .find(|a| a.get_info().name == wanted.name)
            .expect("the adapter is still there");
        pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default())).unwrap()
    })
}

#[test]
fn a_buffer_of_another_device_is_an_error() {
    within_a_minute(|| {
        let [context, other] =
            two_devices().map(|(device, queue)| Context::from_wgpu(&device, &queue));
        let theirs = raw_buffer(&other, &[0; 16], STORAGE);
        let x = context
            .wrap(&theirs, DType::F32, Layout::contiguous([4]).unwrap())
            .unwrap();
        let found = [
            x.neg().and_then(|y| y.read_blocking::<f32>()),
            x.read_blocking::<f32>(),
        ];
        for found in found {
            assert!(
                matches!(&found, Err(Error::Wgpu { reason, .. }) if reason.contains("evice")),
                "{found:?}"
            );
        }
        works(&context);
        works(&other);
    });
}

#[test]
fn an_encoder_of_another_device_is_no_panic() {
    within_a_minute(|| {
        let [context, other] =
            two_devices().map(|(device, queue)| Context::from_wgpu(&device, &queue));
        let x = context.tensor(&[1.0f32, 2.0], [2]).unwrap();
        let out = context.empty(DType::F32, [2]).unwrap();
        let plan = Plan::new(&Expr::slot(0).neg(), &[x.slot()], &context.options()).unwrap();
        // wgpu reports what was recorded wrongly when the encoder is finished, to the encoder's
        // device.
        let scope = other
            .device()
            .push_error_scope(wgpu::ErrorFilter::Validation);
        let mut theirs = new_encoder(&other);
        let found = context.encode(&mut theirs, &plan, &[&x], &[&out]);
        let finished = theirs.finish();
        let reported = pollster::block_on(scope.pop());
        assert!(found.is_err() || reported.is_some(), "nothing complained");
        drop(finished);
        works(&context);
        works(&other);
    });
}
