//! Bytes as a `.npy` file: no panic, no large allocation, and what is read is written and read back
//! the same.

use zerostride::DType;
use zerostride::npy::{Header, NpyFile, write};

/// One input.
pub fn run(bytes: &[u8]) {
    let Some((&first, bytes)) = bytes.split_first() else {
        return;
    };
    let dtype = [None, Some(DType::Bf16), Some(DType::F32)][usize::from(first) % 3];
    let path = super::super::file(bytes, "npy");
    let header = Header::read(bytes, &path, dtype);
    let Ok(file) = NpyFile::open(&path, dtype) else {
        return;
    };
    assert_eq!(file.header(), header.as_ref().expect("the file was opened"));
    let array = file.read_all().expect("the length was compared");
    assert_eq!(array.bytes.len() as u64, file.header().byte_len());
    assert_eq!(array.layout.len() * array.dtype.size(), array.bytes.len());
    if let Some(reach) = array.layout.reach() {
        assert!((reach.end() + 1) * array.dtype.size() <= array.bytes.len());
    }
    // A part is the same part of the whole.
    let (len, size) = (array.layout.len(), array.dtype.size());
    let part = len / 3..len - len / 4;
    let mut out = vec![0; part.len() * size];
    file.read_at(part.clone(), &mut out)
        .expect("the range lies within");
    assert_eq!(out, array.bytes[part.start * size..part.end * size]);
    if array.layout.is_contiguous() && array.layout.shape().rank() < 1000 {
        let shape = array.layout.shape().clone();
        write(&path, array.dtype, &shape, &array.bytes).expect("what was read can be written");
        let again = NpyFile::open(&path, Some(array.dtype))
            .and_then(|f| f.read_all())
            .expect("and read again");
        assert_eq!(again, array);
    }
}
