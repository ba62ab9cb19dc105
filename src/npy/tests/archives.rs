use super::*;
use std::io::Write;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

fn zip(members: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn at(folder: &Folder, suffix: &str) -> Result<Array> {
    format!("{}{suffix}", folder.path("a.npz").display()).parse::<Source>()?.read()
}

#[test]
fn arrays_come_back_by_name() {
    let folder = Folder::new();
    let (row, none, one) = (Shape::new([3]), Shape::new([0, 2]), Shape::scalar());
    let (a, c) = (bytes(12), bytes(2));
    let arrays: [(&str, DType, &Shape, &[u8]); 3] =
        [("x", DType::F32, &row, &a), ("../y", DType::U8, &none, &[]), ("z.w", DType::Bf16, &one, &c)];
    write_npz(folder.path("a.npz"), &arrays).unwrap();
    assert_eq!(folder.names(), ["a.npz"]);
    assert_eq!(at(&folder, ":x").unwrap().bytes, a);
    assert_eq!(at(&folder, ":x.npy:f32").unwrap().dtype, DType::F32);
    assert_eq!(at(&folder, ":../y").unwrap().layout.shape(), &none);
    assert_eq!(at(&folder, ":z.w:bf16").unwrap().bytes, c);
    assert_eq!(Archive::open(folder.path("a.npz")).unwrap().names().unwrap(), ["x", "../y", "z.w"]);
    let err = at(&folder, "").unwrap_err().to_string();
    assert!(err.contains("name one array") && err.contains("x, ../y, z.w"), "{err}");
    let err = at(&folder, ":q").unwrap_err().to_string();
    assert!(err.contains("no array `q`"), "{err}");
}

#[test]
fn deflated_and_fortran_members_are_read() {
    let folder = Folder::new();
    let member = file(2, &dict(">i2", true, "(2, 2)"), &[0, 1, 0, 2, 0, 3, 0, 4]);
    folder.put("a.npz", &zip(&[("x.npy", &member)], CompressionMethod::Deflated));
    let array = at(&folder, "").unwrap();
    assert_eq!((array.layout.strides(), &array.bytes[..]), (&[1isize, 2][..], &[1, 0, 2, 0, 3, 0, 4, 0][..]));
}

#[test]
fn names_must_differ_and_bytes_must_fit() {
    let folder = Folder::new();
    let shape = Shape::new([2]);
    let x: (&str, DType, &Shape, &[u8]) = ("x", DType::U8, &shape, &[1, 2]);
    for arrays in [vec![x, x], vec![("", x.1, x.2, x.3)], vec![("y", DType::U16, x.2, x.3)]] {
        assert!(matches!(write_npz(folder.path("a.npz"), &arrays), Err(Error::Argument { .. })));
    }
    assert!(folder.names().is_empty());
}

#[test]
fn faulty_archives_are_errors() {
    let folder = Folder::new();
    let good = file(1, &dict("<f4", false, "(50, 3)"), &bytes(600));
    let stored = zip(&[("x.npy", &good)], CompressionMethod::Stored);
    let mut flipped = stored.clone();
    flipped[300] ^= 1;
    // The declared size, which the central directory holds 24 bytes after its mark.
    let mut bomb =
        zip(&[("x.npy", &file(1, &dict("|u1", false, "(4000000000,)"), &[0; 64]))], CompressionMethod::Deflated);
    let mark = bomb.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    let claims = (file(1, &dict("|u1", false, "(4000000000,)"), &[]).len() as u32 + 4_000_000_000).to_le_bytes();
    bomb[mark + 24..mark + 28].copy_from_slice(&claims);
    let cases = [
        ("no archive", b"hello".to_vec(), ""),
        ("empty", zip(&[], CompressionMethod::Stored), "it is empty"),
        ("short member", zip(&[("x.npy", &good[..good.len() - 1])], CompressionMethod::Stored), "truncated"),
        ("long member", zip(&[("x.npy", &[&good[..], &[0]].concat())], CompressionMethod::Stored), "1 bytes follow"),
        ("no array", zip(&[("x.txt", b"some text")], CompressionMethod::Stored), "NumPy's mark"),
        ("checksum", flipped, "damaged"),
        ("cut", stored[..stored.len() - 40].to_vec(), ""),
        ("bomb", bomb, "cannot hold"),
    ];
    for (name, bytes, says) in cases {
        folder.put("a.npz", &bytes);
        let err = at(&folder, "").unwrap_err();
        assert!(matches!(err, Error::Format { .. }) && err.to_string().contains(says), "{name}: {err:?}");
    }
}

proptest! {
    #[test]
    fn mutated_archives_never_panic(at in any::<prop::sample::Index>(), with in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let good = file(1, &dict("<f4", false, "(2, 3)"), &bytes(24));
        let mut bytes = zip(&[("x.npy", &good), ("y.npy", &good)], CompressionMethod::Deflated);
        let len = bytes.len();
        bytes[at.index(len)] = with;
        bytes.truncate(len - cut.index(len) / 8);
        let mut npz = tempfile::NamedTempFile::new().unwrap();
        npz.write_all(&bytes).unwrap();
        if let Ok(mut archive) = Archive::open(npz.path()) {
            let _ = archive.read(Some("x"), None);
            let _ = archive.read(None, None);
        }
    }
}
