//! Environment variables of Mesa's drivers.

#![allow(
    unsafe_code,
    reason = "a variable of the process's own environment is set before there is a second thread"
)]

use std::env;
use std::path::Path;

/// Disables Mesa's Vulkan layer that orders devices as the desktop does, if there is no desktop:
/// the layer would complain twice on stderr. Keeps the layer if the user chooses a device by it.
/// Must be called first.
pub fn leave_out_desktop() {
    let has_desktop =
        env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).is_absolute());
    let users = ["NODEVICE_SELECT", "MESA_VK_DEVICE_SELECT", "DRI_PRIME"];
    if cfg!(unix) && !has_desktop && users.iter().all(|name| env::var_os(name).is_none()) {
        // SAFETY: `main` calls it before anything else, so no other thread is there to read the
        // environment.
        unsafe { env::set_var("NODEVICE_SELECT", "1") };
    }
}
