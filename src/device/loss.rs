//! What the callbacks of an own device leave behind.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::error::{Error, Result};

/// Whether a device is lost, and the first error that no scope caught.
#[derive(Debug, Default)]
pub(super) struct Loss {
    lost: Mutex<Option<String>>,
    error: Mutex<Option<String>>,
}

impl Loss {
    /// Sets the callbacks of a device that is the crate's own.
    pub fn watch(device: &wgpu::Device) -> Arc<Self> {
        let loss = Arc::new(Self::default());
        let on_loss = Arc::clone(&loss);
        device.set_device_lost_callback(move |reason, message| {
            *on_loss.lost.lock() = Some(format!("{reason:?}: {message}"));
        });
        let on_error = Arc::clone(&loss);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            on_error
                .error
                .lock()
                .get_or_insert_with(|| error.to_string());
        }));
        loss
    }

    /// Reports the loss, or an error that was not reported yet.
    ///
    /// # Errors
    /// [`Error::DeviceLost`]; [`Error::Wgpu`] for an error that an earlier call left.
    pub fn check(&self) -> Result<()> {
        if let Some(reason) = self.lost.lock().clone() {
            return Err(Error::DeviceLost { reason });
        }
        match self.error.lock().take() {
            Some(reason) => Err(Error::wgpu("an earlier call", reason)),
            None => Ok(()),
        }
    }
}
