//! The buffer protocol, by the NumPy array that an array is read into.

use std::ffi::c_int;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

/// What `zerostride.Array` is derived from: a buffer of its elements, read-only.
#[pyclass(subclass, frozen, module = "zerostride._core")]
pub struct Buffered;

#[pymethods]
impl Buffered {
    #[new]
    fn new() -> Self {
        Self
    }

    /// # Safety
    /// `view` is one that the interpreter wants filled.
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
        // SAFETY: `array` is an object, `view` the interpreter's. The view keeps the array.
        match unsafe { ffi::PyObject_GetBuffer(array.as_ptr(), view, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}
