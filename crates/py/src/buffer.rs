//! The buffer protocol, by the NumPy array that an array is read into.

use std::ffi::c_int;

use numpy::PyUntypedArray;
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
        // A subclass may give anything, itself among it, of which there would be no end.
        if array.cast_exact::<PyUntypedArray>().is_err() {
            return Err(PyBufferError::new_err("numpy() gave no NumPy array"));
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

    /// Views hold the NumPy array, and release that. It is there so that NumPy's `frombuffer` holds a view: of objects
    /// that have none it takes the memory to be theirs.
    ///
    /// # Safety
    /// It touches nothing.
    #[expect(unsafe_code, reason = "the interpreter's buffer protocol")]
    unsafe fn __releasebuffer__(&self, _view: *mut ffi::Py_buffer) {}
}
