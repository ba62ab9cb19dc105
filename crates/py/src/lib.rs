//! The extension module `zerostride._core`: lazy arrays, programs and the way to NumPy's memory.
//! The public package in `python/zerostride` is built on it.

mod buffer;
mod context;
mod errors;
mod files;
mod formula;
mod gradient;
mod host;
mod lazy;
mod number;
mod onnx;
mod origin;
mod part;
mod plans;
mod program;
mod rounding;
mod stream;
mod traced;
mod wait;

use pyo3::prelude::*;

/// Lazy arrays and programs over them; the package `zerostride` is built on these.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::buffer::Buffered;
    #[pymodule_export]
    use super::context::{adapter, adapters, forked, is_wide, set_wide};
    #[pymodule_export]
    use super::files::load;
    #[pymodule_export]
    use super::formula::{apply, infer};
    #[pymodule_export]
    use super::gradient::gradient;
    #[pymodule_export]
    use super::lazy::{Lazy, compute, is_tracing, trace, upload};
    #[pymodule_export]
    use super::onnx::OnnxModel;
    #[pymodule_export]
    use super::program::{Program, language};
    #[pymodule_export]
    use super::stream::stream;
    #[pymodule_export]
    use super::traced::Traced;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        zerostride::text::advise(zerostride::text::Advice {
            instead: zerostride_advice::instead,
            module: zerostride_advice::module,
            method_of: zerostride_advice::method_of,
        });
        module.add("Error", module.py().get_type::<super::errors::Error>())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
