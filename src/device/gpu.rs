//! `Gpu`: a wgpu device and its queue, with what is known of them.

#[cfg(not(target_family = "wasm"))]
use std::pin::pin;
use std::sync::{Arc, OnceLock};
#[cfg(not(target_family = "wasm"))]
use std::task::{self, Poll, Waker};

use super::adapter::is_software;
#[cfg(target_family = "wasm")]
use super::error_scopes::ErrorScopes;
#[cfg(not(target_family = "wasm"))]
use super::error_scopes::caught;
use super::loss::Loss;
use super::submission::{Submission, Waiter};
use super::turns::Turns;
use super::unlocked::Unlocked;
use crate::error::{Error, Result};
use crate::plan::{Arithmetic, Limits, Plan};

/// A device and its queue: error scopes, loss, submissions and waiting for them.
#[derive(Debug)]
pub(crate) struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub info: wgpu::AdapterInfo,
    /// Bytes of the largest buffer.
    pub max_buffer_size: u64,
    pub plan_limits: Limits,
    /// Set by the callbacks of an own device; a caller's device has its own callbacks.
    loss: Option<Arc<Loss>>,
    /// What tests make of each text before the device gets it.
    rewrite: Option<fn(&str) -> String>,
    /// Whether f32 arithmetic flushes subnormals, once the device was asked; the first answer stays.
    pub flushes: OnceLock<bool>,
    /// Of calls into the device.
    pub turns: Turns,
    pub waiter: Waiter,
    /// What calls so far created, once the browser has said whether it did.
    #[cfg(target_family = "wasm")]
    pub error_scopes: ErrorScopes,
}

impl Gpu {
    pub fn new(device: wgpu::Device, queue: wgpu::Queue, loss: Option<Arc<Loss>>) -> Self {
        let (info, limits) = (device.adapter_info(), device.limits());
        let plan_limits = plan_limits(&info, &limits, device.features());
        let backend = info.backend;
        let waiter = Waiter::new(device.clone(), backend, plan_limits.software);
        Self {
            device,
            queue,
            info,
            max_buffer_size: limits.max_buffer_size,
            plan_limits,
            loss,
            rewrite: None,
            flushes: OnceLock::new(),
            waiter,
            turns: Turns::of(backend),
            #[cfg(target_family = "wasm")]
            error_scopes: Default::default(),
        }
    }

    /// The same if the device said before any plan was made what it does with floats.
    pub fn with_arithmetic(mut self, found: Option<Arithmetic>, rounds_doubles: bool) -> Self {
        self.plan_limits.float64 &= rounds_doubles;
        if let Some(arithmetic) = found {
            self.plan_limits.arithmetic = arithmetic;
            self.flushes = OnceLock::from(!arithmetic.subnormals);
        }
        self
    }

    /// The same with texts that go through a function first.
    pub fn with_rewrite(mut self, rewrite: Option<fn(&str) -> String>) -> Self {
        self.rewrite = rewrite;
        self
    }

    /// A buffer that is not mapped. To be called between error scopes.
    pub fn create_buffer(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    /// The module of a WGSL text. To be called between error scopes.
    pub fn shader_module(&self, label: &str, text: &str) -> wgpu::ShaderModule {
        let text = match self.rewrite {
            Some(rewrite) => rewrite(text).into(),
            None => text.into(),
        };
        self.device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(label),
                source: wgpu::ShaderSource::Wgsl(text),
            })
    }

    /// The begin of a public call: the device is asked whether it is lost.
    ///
    /// # Errors
    /// - [`Error::DeviceLost`]
    /// - [`Error::Wgpu`] for an error that an earlier call left
    pub fn enter(&self) -> Result<Unlocked> {
        let unlocked = Unlocked::at_entry();
        self.check(&unlocked)?;
        Ok(unlocked)
    }

    /// [`enter`](Self::enter) of a call that polls the device itself: it is not asked here.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] if that is known.
    #[cfg(not(target_family = "wasm"))]
    pub fn enter_to_poll(&self) -> Result<Unlocked> {
        self.check_loss()?;
        Ok(Unlocked::at_entry())
    }

    /// Whether the device is known to be lost.
    ///
    /// # Errors
    /// [`Error::DeviceLost`]
    #[cfg(not(target_family = "wasm"))]
    pub fn check_loss(&self) -> Result<()> {
        self.loss.as_ref().map_or(Ok(()), |loss| loss.check())
    }

    /// Asks the device whether it is lost.
    ///
    /// # Errors
    /// [`Error::DeviceLost`]; [`Error::Wgpu`] for an error that an earlier call left.
    pub fn check(&self, _: &Unlocked) -> Result<()> {
        let Some(loss) = &self.loss else {
            return Ok(());
        };
        // A poll of a device that is known to be lost may panic.
        loss.check()?;
        // The lost callback fires at a poll only.
        let turn = self.turns.poll();
        let polled = self.device.poll(wgpu::PollType::Poll);
        drop(turn);
        loss.check()?;
        polled.map(drop).map_err(|e| Error::wgpu("poll", e))
    }

    /// Whether a plan's limits are the adapter's.
    ///
    /// # Errors
    /// [`Error::Argument`] if the adapter has less.
    pub fn check_plan(&self, plan: &Plan) -> Result<()> {
        if plan.limits.fit(&self.plan_limits) {
            return Ok(());
        }
        let reason =
            "it was made for limits that this adapter does not have; plan with Context::options";
        Err(Error::argument("plan", reason))
    }

    /// Runs creation calls between error scopes, on this thread. In browsers the error comes later:
    /// a read gives it.
    pub fn caught<T>(&self, what: &'static str, create: impl FnOnce() -> T) -> Result<T> {
        self.caught_in(what, None, create)
    }

    /// [`caught`](Self::caught) of a batch's submission.
    #[cfg(not(target_family = "wasm"))]
    fn caught_in<T>(
        &self,
        what: &'static str,
        _batch: Option<u64>,
        create: impl FnOnce() -> T,
    ) -> Result<T> {
        let turn = self.turns.call();
        let (made, scopes) = self.between_scopes(create);
        drop(turn);
        let errors = scopes.map(|scope| answered(scope.pop()));
        match errors.into_iter().flatten().next() {
            None => Ok(made),
            Some(error) => Err(caught(what, error)),
        }
    }

    /// [`caught`](Self::caught) of a batch's submission.
    #[cfg(target_family = "wasm")]
    fn caught_in<T>(
        &self,
        what: &'static str,
        batch: Option<u64>,
        create: impl FnOnce() -> T,
    ) -> Result<T> {
        let (made, scopes) = self.between_scopes(create);
        self.error_scopes.expect(what, batch, scopes);
        Ok(made)
    }

    /// What was created, and the scopes around it, innermost first.
    fn between_scopes<T>(&self, create: impl FnOnce() -> T) -> (T, [wgpu::ErrorScopeGuard; 3]) {
        let device = &self.device;
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        (create(), [validation, internal, memory])
    }

    /// [`caught`](Self::caught), and if that fails because the device is lost, says so.
    pub fn scoped<T>(
        &self,
        unlocked: &Unlocked,
        what: &'static str,
        create: impl FnOnce() -> T,
    ) -> Result<T> {
        self.caught(what, create)
            .map_err(|error| self.lost_or(unlocked, error))
    }

    /// The loss of the device, if that is why wgpu refused something.
    pub fn lost_or(&self, unlocked: &Unlocked, error: Error) -> Error {
        match error {
            Error::Wgpu { .. } => self.check(unlocked).err().unwrap_or(error),
            other => other,
        }
    }

    /// The same of a buffer that was destroyed with its device: another thread's poll may have taken the callback of the
    /// loss, and be about to call it.
    pub fn lost_soon_or(&self, unlocked: &Unlocked, error: Error) -> Error {
        #[cfg(not(target_family = "wasm"))]
        for _ in 0..32 {
            if let Err(lost) = self.check(unlocked) {
                return lost;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        self.lost_or(unlocked, error)
    }

    /// Hands an encoder to the queue; without one, what was uploaded. wgpu may run callbacks of the
    /// caller's in here, after it took the work.
    pub fn submit(&self, batch: u64, encoder: Option<wgpu::CommandEncoder>) -> Result<Submission> {
        let index = self.caught_in("submit", Some(batch), || {
            self.queue.submit(encoder.map(wgpu::CommandEncoder::finish))
        })?;
        Ok(self.waiter.submission(&self.queue, index))
    }
}

/// What an error scope says: it is known at once where the device is no browser's, and nothing is
/// made to wait with.
#[cfg(not(target_family = "wasm"))]
fn answered<T>(said: impl Future<Output = T>) -> T {
    let mut said = pin!(said);
    match said
        .as_mut()
        .poll(&mut task::Context::from_waker(Waker::noop()))
    {
        Poll::Ready(said) => said,
        Poll::Pending => pollster::block_on(said),
    }
}

/// The limits that plans for a device are made with, before it is known what it does with
/// floats.
fn plan_limits(
    info: &wgpu::AdapterInfo,
    limits: &wgpu::Limits,
    features: wgpu::Features,
) -> Limits {
    let int64 = features.contains(wgpu::Features::SHADER_INT64);
    Limits {
        max_binding: limits.max_storage_buffer_binding_size / 16 * 16,
        max_storage_buffers: storage_buffers(limits),
        offset_alignment: limits.min_storage_buffer_offset_alignment,
        max_workgroups: limits.max_compute_workgroups_per_dimension,
        max_invocations: limits
            .max_compute_invocations_per_workgroup
            .min(limits.max_compute_workgroup_size_x),
        max_workgroup_height: limits.max_compute_workgroup_size_y,
        max_workgroup_storage: limits.max_compute_workgroup_storage_size,
        max_immediates: if features.contains(wgpu::Features::IMMEDIATES) {
            limits.max_immediate_size
        } else {
            0
        },
        max_elements: Limits::MAX_ELEMENTS,
        software: is_software(info),
        int64,
        // Doubles reach the shader's registers through 64-bit integers.
        float64: int64 && features.contains(wgpu::Features::SHADER_F64),
        arithmetic: Arithmetic::UNKNOWN,
    }
}

/// Storage buffers that a kernel may have beside its two uniform ones, which some limits count with
/// them.
fn storage_buffers(limits: &wgpu::Limits) -> u32 {
    let all = limits.max_buffers_and_acceleration_structures_per_shader_stage;
    limits
        .max_storage_buffers_per_shader_stage
        .min(all.saturating_sub(2))
}
