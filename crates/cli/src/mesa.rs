//! What Mesa's drivers read of the environment.

#![allow(
    unsafe_code,
    reason = "a variable of the process's own environment is set before there is a second thread"
)]

use std::env;
use std::path::Path;

/// Where there is no desktop, leaves out Mesa's Vulkan layer that orders the devices as the desktop
/// has them: it asks for one all the same, and complains twice on stderr. With a desktop, or if
/// the user chooses a device by it, it stays. To be called first.
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
