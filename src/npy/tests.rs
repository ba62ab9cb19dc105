mod archives;
mod faults;
mod hostile;
mod sources;
#[cfg(unix)]
mod targets;

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::host::HostTensor;
use crate::shape::Shape;

/// NumPy's name of an element type, little-endian.
fn descr(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "|b1",
        DType::U8 => "|u1",
        DType::I8 => "|i1",
        DType::U16 => "<u2",
        DType::I16 => "<i2",
        DType::U32 => "<u4",
        DType::I32 => "<i4",
        DType::U64 => "<u8",
        DType::I64 => "<i8",
        DType::F16 => "<f2",
        DType::Bf16 => "<V2",
        DType::F32 => "<f4",
        DType::F64 => "<f8",
    }
}

/// A file of this version, dict and data.
fn file(version: u8, dict: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let len = dict.len() as u32;
    bytes.extend(&len.to_le_bytes()[..if version == 1 { 2 } else { 4 }]);
    bytes.extend(dict.as_bytes());
    bytes.extend(data);
    bytes
}

fn dict(descr: &str, fortran: bool, shape: &str) -> String {
    let fortran = if fortran { "True" } else { "False" };
    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}  \n")
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn read(path: &Path, dtype: Option<DType>) -> Result<HostTensor> {
    NpyFile::open(path, dtype)?.read_all()
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 37 + 11) as u8).collect()
}

#[test]
fn every_dtype_comes_back_as_it_was_written() {
    let folder = Folder::new();
    for dtype in DType::ALL {
        for shape in [
            Shape::new([2, 3]),
            Shape::scalar(),
            Shape::new([5]),
            Shape::new([3, 0, 2]),
            Shape::new([1, 1]),
        ] {
            let data = bytes(shape.len().unwrap() * dtype.size());
            let path = folder.path("a.npy");
            write(&path, dtype, &shape, &data).unwrap();
            let array = read(&path, Some(dtype)).unwrap();
            assert_eq!(
                (array.dtype, array.layout.shape(), &array.bytes),
                (dtype, &shape, &data)
            );
            assert!(array.layout.is_contiguous(), "{dtype} {shape}");
        }
    }
    assert_eq!(folder.names(), ["a.npy"], "no temporary file is left");
}

#[test]
fn header_is_numpys_and_the_data_are_aligned() {
    let folder = Folder::new();
    let cases = [
        (
            DType::F32,
            Shape::new([178, 13]),
            "{'descr': '<f4', 'fortran_order': False, 'shape': (178, 13), }",
        ),
        (
            DType::Bool,
            Shape::new([13]),
            "{'descr': '|b1', 'fortran_order': False, 'shape': (13,), }",
        ),
        (
            DType::Bf16,
            Shape::scalar(),
            "{'descr': '<V2', 'fortran_order': False, 'shape': (), }",
        ),
    ];
    for (dtype, shape, dict) in cases {
        let path = folder.path("a.npy");
        write(
            &path,
            dtype,
            &shape,
            &bytes(shape.len().unwrap() * dtype.size()),
        )
        .unwrap();
        let found = fs::read(&path).unwrap();
        assert_eq!(&found[..8], b"\x93NUMPY\x01\x00");
        assert!(
            found[10..].starts_with(dict.as_bytes()),
            "{}",
            String::from_utf8_lossy(&found[10..128])
        );
        let header = NpyFile::open(&path, Some(dtype)).unwrap().header().clone();
        assert_eq!((header.data_offset, found[127]), (128, b'\n'));
    }
}

#[test]
fn both_byte_orders_give_the_same_elements() {
    let folder = Folder::new();
    for dtype in DType::ALL {
        let data = bytes(6 * dtype.size());
        let mut swapped = data.clone();
        swapped.chunks_mut(dtype.size()).for_each(<[u8]>::reverse);
        let big = descr(dtype).replace(['<', '|'], ">");
        for (name, stored) in [(descr(dtype), &data), (&big, &swapped)] {
            let path = folder.put("a.npy", &file(1, &dict(name, false, "(2, 3)"), stored));
            assert_eq!(read(&path, Some(dtype)).unwrap().bytes, data, "{name}");
            let mut part = vec![0; 2 * dtype.size()];
            NpyFile::open(&path, Some(dtype))
                .unwrap()
                .read_at(3..5, &mut part)
                .unwrap();
            assert_eq!(part, data[3 * dtype.size()..5 * dtype.size()], "{name}");
        }
    }
}

#[test]
fn fortran_order_is_described_by_strides() {
    let folder = Folder::new();
    let path = folder.put(
        "a.npy",
        &file(1, &dict("|u1", true, "(2, 3)"), &[0, 10, 1, 11, 2, 12]),
    );
    let array = read(&path, None).unwrap();
    assert_eq!(array.layout.strides(), [1, 2]);
    let found: Vec<_> = array.layout.offsets().map(|i| array.bytes[i]).collect();
    assert_eq!(found, [0, 1, 2, 10, 11, 12]);
    for shape in ["()", "(0, 3)", "(1,)"] {
        let len = usize::from(!shape.contains('0'));
        let path = folder.put("b.npy", &file(1, &dict("|u1", true, shape), &bytes(len)));
        assert_eq!(read(&path, None).unwrap().layout.len(), len, "{shape}");
    }
}

#[test]
fn all_versions_and_spellings_of_the_header_are_read() {
    let folder = Folder::new();
    let data = bytes(24);
    let accepted = [
        dict("<f4", false, "(2, 3)"),
        "{'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}".into(),
        "{ \"descr\" : \"<f4\" ,\n\"fortran_order\":False,\t\"shape\":(2,3,)}\n\n".into(),
        "{'descr':'<f4','fortran_order':False,'shape':( 2L , 3L )}".into(),
    ];
    for version in [1, 2, 3] {
        for dict in &accepted {
            let path = folder.put("a.npy", &file(version, dict, &data));
            let array = read(&path, None).unwrap();
            assert_eq!(
                (array.dtype, array.layout.shape()),
                (DType::F32, &Shape::new([2, 3])),
                "{version} {dict}"
            );
        }
    }
}

#[test]
fn a_range_outside_the_array_is_an_error() {
    let folder = Folder::new();
    let path = folder.put("a.npy", &file(1, &dict("<f4", false, "(2, 3)"), &bytes(24)));
    let npy = NpyFile::open(path, None).unwrap();
    assert!(npy.read_at(6..6, &mut []).is_ok());
    #[allow(clippy::reversed_empty_ranges, reason = "the fault that is tested")]
    for (range, room) in [
        (0..7, 28),
        (5..usize::MAX, 4),
        (3..2, 0),
        (0..2, 7),
        (0..2, 9),
    ] {
        let err = npy.read_at(range.clone(), &mut vec![0; room]).unwrap_err();
        assert!(
            matches!(err, Error::Argument { .. }),
            "{range:?} {room}: {err}"
        );
    }
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_an_error() {
    let folder = Folder::new();
    let path = folder.put("a.npy", &file(1, &dict("<f4", false, "(2, 3)"), &bytes(24)));
    let npy = NpyFile::open(&path, None).unwrap();
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(70)
        .unwrap();
    assert!(matches!(npy.read_all(), Err(Error::Format { .. })));
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let folder = Folder::new();
    let path = folder.put("a.npy", b"old");
    let shape = Shape::new([2]);
    assert!(matches!(
        write(&path, DType::F32, &shape, &[0; 7]),
        Err(Error::Argument { .. })
    ));
    let many = Shape::from(vec![1; 40_000]);
    assert!(matches!(
        write(&path, DType::U8, &many, &[0]),
        Err(Error::Format { .. })
    ));
    let failed = crate::files::fill(&path, |out| {
        std::io::Write::write_all(out, b"half").unwrap();
        Err(Error::argument("test", "stop"))
    });
    assert!(failed.is_err());
    assert!(matches!(
        write(folder.path("none/a.npy"), DType::U8, &shape, &[1, 2]),
        Err(Error::Io { .. })
    ));
    assert!(matches!(
        write(folder.0.path(), DType::U8, &shape, &[1, 2]),
        Err(Error::Format { .. })
    ));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(folder.names(), ["a.npy"]);
}

#[cfg(unix)]
#[test]
fn devices_are_not_replaced_and_links_stay_links() {
    let folder = Folder::new();
    let shape = Shape::new([2]);
    assert!(matches!(
        write("/dev/null", DType::U8, &shape, &[1, 2]),
        Err(Error::Format { .. })
    ));
    let path = folder.put("a.npy", b"old");
    std::os::unix::fs::symlink(&path, folder.path("link.npy")).unwrap();
    write(folder.path("link.npy"), DType::U8, &shape, &[1, 2]).unwrap();
    assert!(
        fs::symlink_metadata(folder.path("link.npy"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(read(&path, None).unwrap().bytes, [1, 2]);
    use std::os::unix::fs::PermissionsExt;
    let (mode, plain) = (
        fs::metadata(&path).unwrap(),
        fs::metadata(folder.put("plain", b"")).unwrap(),
    );
    assert_eq!(
        mode.permissions().mode(),
        plain.permissions().mode(),
        "the file is as readable as any other"
    );
}
