//! The buffer protocol, through a NumPy array into which the elements are read.

use std::ffi::c_int;

use numpy::PyUntypedArray;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

/// The base class of `zerostride.Array`: a read-only buffer of its elements.
#[pyclass(subclass, frozen, module = "zerostride._core")]
pub struct Buffered;

#[pymethods]
impl Buffered {
    #[new]
    fn new() -> Self {
        Self
    }

    /// # Safety
    /// `view` must be one that the interpreter wants filled.
    #[expect(unsafe_code, reason = "the interpreter's buffer protocol")]
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if flags & ffi::PyBUF_WRITABLE != 0 {
            return Err(PyBufferError::new_err(
                "the elements are on the device; a buffer of them is read-only",
            ));
        }
        let array = slf.call_method0("numpy")?;
        // A subclass may give anything, itself among it, of which there would be no end.
        if array.cast_exact::<PyUntypedArray>().is_err() {
            return Err(PyBufferError::new_err("numpy() returned no NumPy array"));
        }
        // What is written there would reach no device. The array itself may be somebody's.
        let array = array.call_method0("view")?;
        array.getattr("flags")?.setattr("writeable", false)?;
        // SAFETY: `array` is an object, `view` the interpreter's. The view keeps the array.
        match unsafe { ffi::PyObject_GetBuffer(array.as_ptr(), view, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }

    /// Views hold the NumPy array and release it. This method makes NumPy's `frombuffer` hold a view: NumPy assumes that
    /// objects without the method own the memory.
    ///
    /// # Safety
    /// It touches nothing.
    #[expect(unsafe_code, reason = "the interpreter's buffer protocol")]
    unsafe fn __releasebuffer__(&self, _view: *mut ffi::Py_buffer) {}
}
