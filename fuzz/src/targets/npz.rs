//! Bytes as a `.npz` archive: no panic, and no more is read than a member's header says.

use zerostride::DType;
use zerostride::npy::{Archive, Source};

/// One input.
pub fn run(bytes: &[u8]) {
    let path = super::super::file(bytes, "npz");
    let Ok(mut archive) = Archive::open(&path) else {
        return;
    };
    let names = archive.names().unwrap_or_default();
    let _ = archive.read(None, None);
    for name in names.iter().take(8) {
        for dtype in [None, Some(DType::Bf16)] {
            if let Ok(array) = archive.read(Some(name), dtype) {
                assert_eq!(array.layout.len() * array.dtype.size(), array.bytes.len());
            }
        }
    }
    let named = format!(
        "x={}:{}",
        path.display(),
        names.first().map_or("y", String::as_str)
    );
    if let Ok(source) = named.parse::<Source>() {
        let _ = source.read();
    }
}
