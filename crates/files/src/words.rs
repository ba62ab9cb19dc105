//! The names of settings in errors.

/// The names that errors use for settings of tables.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// [`Header::Yes`](crate::Header::Yes).
    pub header: &'static str,
    /// [`Header::No`](crate::Header::No).
    pub no_header: &'static str,
    /// [`Settings::empty_is_nan`](crate::Settings::empty_is_nan).
    pub empty: &'static str,
    /// [`Settings::between`](crate::Settings::between).
    pub between: &'static str,
    /// [`Between::Space`](crate::Between::Space).
    pub space: &'static str,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            header: "Header::Yes",
            no_header: "Header::No",
            empty: "Settings::empty_is_nan",
            between: "Settings::between",
            space: "Between::Space",
        }
    }
}
