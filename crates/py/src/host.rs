//! Conversion of NumPy's memory to tensors and back.

use numpy::{PyArray1, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use zerostride::{Context, DType, Layout, Tensor};

use crate::errors::raised;
use crate::wait::taken;

/// A view that spans up to this many times its own bytes is uploaded with its gaps. NumPy copies
/// others first.
const MOST_GAPS: usize = 2;

/// The element type that has this name in the crate.
pub fn dtype(name: &str) -> PyResult<DType> {
    // Other names take longer.
    let known = DType::ALL.into_iter().find(|dtype| dtype.name() == name);
    known
        .map_or_else(|| name.parse(), Ok)
        .map_err(|_| PyTypeError::new_err(format!("{name} is not an element type")))
}

/// The element type of a NumPy array in the machine's byte order, if the crate supports it.
pub fn native(array: &Bound<'_, PyUntypedArray>) -> Option<DType> {
    let dtype = array.dtype();
    if dtype.is_native_byteorder() == Some(false) {
        return None;
    }
    Some(match (dtype.kind(), dtype.itemsize()) {
        (b'b', 1) => DType::Bool,
        (b'u', 1) => DType::U8,
        (b'u', 2) => DType::U16,
        (b'u', 4) => DType::U32,
        (b'u', 8) => DType::U64,
        (b'i', 1) => DType::I8,
        (b'i', 2) => DType::I16,
        (b'i', 4) => DType::I32,
        (b'i', 8) => DType::I64,
        (b'f', 2) => DType::F16,
        (b'f', 4) => DType::F32,
        (b'f', 8) => DType::F64,
        _ => return None,
    })
}

/// Whether an array has a [native](native) type.
pub fn is_plain(array: &Bound<'_, PyUntypedArray>) -> bool {
    native(array).is_some()
}

/// Uploads an array whose bytes are elements of this type. Its layout is kept: reversed, transposed
/// and broadcast arrays are not copied first.
pub fn tensor(
    context: &Context,
    array: &Bound<'_, PyUntypedArray>,
    dtype: DType,
) -> PyResult<Tensor> {
    let py = array.py();
    let placed = placed(array, dtype)?;
    let (layout, memory) = (placed.layout.clone(), placed.memory());
    py.detach(|| context.tensor_with_layout(dtype, layout, memory))
        .map_err(|error| raised(py, error, None))
}

/// An array, or a copy of it, with the layout of its elements.
pub struct Placed<'py> {
    array: Bound<'py, PyUntypedArray>,
    low: usize,
    bytes: usize,
    pub layout: Layout,
}

impl Placed<'_> {
    /// The bytes that its elements span; other threads may write them meanwhile, as NumPy allows.
    pub fn memory(&self) -> &[u8] {
        memory(&self.array, self.low, self.bytes)
    }
}

/// An array whose bytes are elements of this type, or a copy of it if no layout describes it.
pub fn placed<'py>(array: &Bound<'py, PyUntypedArray>, dtype: DType) -> PyResult<Placed<'py>> {
    let py = array.py();
    let found = place(array, dtype).map(|place| (array.clone(), place));
    let (array, Place { low, bytes, layout }) = match found {
        Some(found) => found,
        None => {
            let copy = array.call_method1("copy", ("C",))?;
            let copy = copy.cast_into::<PyUntypedArray>()?;
            let place = place(&copy, dtype).ok_or_else(|| {
                PyTypeError::new_err(format!("the array's elements are not {dtype}"))
            })?;
            (copy, place)
        }
    };
    let layout = layout.map_err(|error| raised(py, error, None))?;
    Ok(Placed {
        array,
        low,
        bytes,
        layout,
    })
}

/// Where an array's elements lie.
struct Place {
    /// Bytes from its first byte to the element at index 0.
    low: usize,
    bytes: usize,
    layout: zerostride::Result<Layout>,
}

/// The place of an array's elements, if they have the type's size, strides that are multiples of
/// it, and no large gaps.
fn place(array: &Bound<'_, PyUntypedArray>, dtype: DType) -> Option<Place> {
    let size = dtype.size();
    // A subclass may say that it has another type than its memory.
    if array.dtype().itemsize() != size {
        return None;
    }
    let (shape, strides) = (array.shape(), array.strides());
    if shape.contains(&0) {
        let layout = Layout::contiguous(shape);
        return Some(Place {
            low: 0,
            bytes: 0,
            layout,
        });
    }
    let (mut low, mut high, mut elements) = (0usize, 0usize, size);
    let mut steps = Vec::with_capacity(shape.len());
    for (&extent, &stride) in shape.iter().zip(strides) {
        // Of one element NumPy gives any stride.
        let stride = if extent == 1 { 0 } else { stride };
        if stride % size as isize != 0 {
            return None;
        }
        let reach = stride.unsigned_abs().checked_mul(extent - 1)?;
        match stride < 0 {
            true => low += reach,
            false => high += reach,
        }
        if stride != 0 {
            elements = elements.checked_mul(extent)?;
        }
        steps.push(stride / size as isize);
    }
    let bytes = low + high + size;
    if bytes / MOST_GAPS > elements {
        return None;
    }
    let layout = Layout::new(shape, steps, low / size);
    Some(Place { low, bytes, layout })
}

/// The bytes from `low` before the element at index 0. By its extents and strides NumPy guarantees
/// that they are the array's.
#[expect(unsafe_code, reason = "NumPy's memory is known by its address")]
fn memory<'a>(array: &'a Bound<'_, PyUntypedArray>, low: usize, bytes: usize) -> &'a [u8] {
    if bytes == 0 {
        return &[];
    }
    // SAFETY: `place` counted `low` and `bytes` from the extents and strides; `array` keeps the
    // memory alive as long as it is borrowed.
    unsafe {
        let first = (*array.as_array_ptr()).fields.data.cast::<u8>().sub(low);
        std::slice::from_raw_parts(first, bytes)
    }
}

/// Reads the elements' bytes in row-major order, as an array of bytes.
pub fn read<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyArray1<u8>>> {
    Ok(PyArray1::from_vec(py, taken(py, tensor)?))
}
