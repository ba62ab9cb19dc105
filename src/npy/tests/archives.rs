use super::*;
use std::io::Write;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

fn zip(members: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(
            *name,
            SimpleFileOptions::default().compression_method(method),
        )
        .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn at(folder: &Folder, suffix: &str) -> Result<HostTensor> {
    format!("{}{suffix}", folder.path("a.npz").display())
        .parse::<Source>()?
        .read()
}

#[test]
fn arrays_come_back_by_name() {
    let folder = Folder::new();
    let (row, none, one) = (Shape::new([3]), Shape::new([0, 2]), Shape::scalar());
    let (a, c) = (bytes(12), bytes(2));
    let arrays: [(&str, DType, &Shape, &[u8]); 3] = [
        ("x", DType::F32, &row, &a),
        ("../y", DType::U8, &none, &[]),
        ("z.w", DType::Bf16, &one, &c),
    ];
    write_npz(folder.path("a.npz"), &arrays).unwrap();
    assert_eq!(folder.names(), ["a.npz"]);
    assert_eq!(at(&folder, ":x").unwrap().bytes, a);
    assert_eq!(at(&folder, ":x.npy:f32").unwrap().dtype, DType::F32);
    assert_eq!(at(&folder, ":../y").unwrap().layout.shape(), &none);
    assert_eq!(at(&folder, ":z.w:bf16").unwrap().bytes, c);
    assert_eq!(
        Archive::open(folder.path("a.npz"))
            .unwrap()
            .names()
            .unwrap(),
        ["x", "../y", "z.w"]
    );
    let err = at(&folder, "").unwrap_err().to_string();
    assert!(
        err.contains("name one array") && err.contains("x, ../y, z.w"),
        "{err}"
    );
    let err = at(&folder, ":q").unwrap_err().to_string();
    assert!(err.contains("no array `q`"), "{err}");
}

#[test]
fn the_member_of_just_the_name_comes_first() {
    let folder = Folder::new();
    let of = |byte: u8| file(1, &dict("|u1", false, "()"), &[byte]);
    let (a, b, c, d) = (of(1), of(2), of(3), of(4));
    let members: [(&str, &[u8]); 5] = [
        ("a.npy", &a),
        ("a", &b),
        ("c", &c),
        ("d.npy", &d),
        ("d.npy.npy", &a),
    ];
    folder.put("a.npz", &zip(&members, CompressionMethod::Stored));
    // As NumPy has it, but for the last.
    for (name, byte) in [
        (":a", 2),
        (":a.npy", 1),
        (":c", 3),
        (":d", 4),
        (":d.npy", 4),
        (":d.npy.npy", 1),
        (":c.npy", 3),
    ] {
        assert_eq!(at(&folder, name).unwrap().bytes, [byte], "{name}");
    }
    // Each is named so that it is found.
    let names = Archive::open(folder.path("a.npz"))
        .unwrap()
        .names()
        .unwrap();
    assert_eq!(names, ["a.npy", "a", "c", "d", "d.npy.npy"]);
    for (name, (_, member)) in names.iter().zip(members) {
        assert_eq!(
            at(&folder, &format!(":{name}")).unwrap().bytes,
            member[member.len() - 1..],
            "{name}"
        );
    }
}

#[test]
fn deflated_and_fortran_members_are_read() {
    let folder = Folder::new();
    let member = file(2, &dict(">i2", true, "(2, 2)"), &[0, 1, 0, 2, 0, 3, 0, 4]);
    folder.put(
        "a.npz",
        &zip(&[("x.npy", &member)], CompressionMethod::Deflated),
    );
    let array = at(&folder, "").unwrap();
    assert_eq!(
        (array.layout.strides(), &array.bytes[..]),
        (&[1isize, 2][..], &[1, 0, 2, 0, 3, 0, 4, 0][..])
    );
}

#[test]
fn names_must_differ_and_bytes_must_fit() {
    let folder = Folder::new();
    let shape = Shape::new([2]);
    let x: (&str, DType, &Shape, &[u8]) = ("x", DType::U8, &shape, &[1, 2]);
    for arrays in [
        vec![x, x],
        vec![("", x.1, x.2, x.3)],
        vec![("y", DType::U16, x.2, x.3)],
    ] {
        assert!(matches!(
            write_npz(folder.path("a.npz"), &arrays),
            Err(Error::Argument { .. })
        ));
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
    let mut bomb = zip(
        &[(
            "x.npy",
            &file(1, &dict("|u1", false, "(4000000000,)"), &[0; 64]),
        )],
        CompressionMethod::Deflated,
    );
    let mark = bomb.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    let claims = (file(1, &dict("|u1", false, "(4000000000,)"), &[]).len() as u32 + 4_000_000_000)
        .to_le_bytes();
    bomb[mark + 24..mark + 28].copy_from_slice(&claims);
    let cases = [
        ("no archive", b"hello".to_vec(), ""),
        ("empty", zip(&[], CompressionMethod::Stored), "it is empty"),
        (
            "short member",
            zip(
                &[("x.npy", &good[..good.len() - 1])],
                CompressionMethod::Stored,
            ),
            "truncated",
        ),
        (
            "long member",
            zip(
                &[("x.npy", &[&good[..], &[0]].concat())],
                CompressionMethod::Stored,
            ),
            "1 byte follows the array",
        ),
        (
            "no array",
            zip(&[("x.txt", b"some text")], CompressionMethod::Stored),
            "magic bytes",
        ),
        ("checksum", flipped, "damaged"),
        ("cut", stored[..stored.len() - 40].to_vec(), ""),
        ("bomb", bomb, "cannot hold"),
    ];
    for (name, bytes, says) in cases {
        folder.put("a.npz", &bytes);
        let err = at(&folder, "").unwrap_err();
        assert!(
            matches!(err, Error::Format { .. }) && err.to_string().contains(says),
            "{name}: {err:?}"
        );
    }
}

/// Replaces every occurrence, of the same length.
fn patched(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    let places: Vec<_> = (0..bytes.len() - from.len())
        .filter(|&at| bytes[at..].starts_with(from))
        .collect();
    assert!(
        places.len() >= 2,
        "a name stands before the member and in the table of contents"
    );
    places
        .into_iter()
        .for_each(|at| bytes[at..at + to.len()].copy_from_slice(to));
    bytes
}

#[test]
fn a_member_that_never_ends_is_read_no_further_than_its_header_says() {
    let folder = Folder::new();
    // A small array in front of 256 MiB of zeros, which deflate to a quarter of a megabyte.
    let header = file(1, &dict("|u1", false, "(3,)"), &[1, 2, 3]);
    let honest = zip(
        &[("x.npy", &[&header[..], &vec![0; 256 << 20]].concat())],
        CompressionMethod::Deflated,
    );
    assert!(honest.len() < 1 << 20);
    let mut lying = honest.clone();
    let mark = lying.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    lying[mark + 24..mark + 28].copy_from_slice(&(header.len() as u32).to_le_bytes());
    for (name, bytes) in [("honest", honest), ("lying", lying)] {
        folder.put("a.npz", &bytes);
        let started = std::time::Instant::now();
        let found = at(&folder, "");
        assert!(
            matches!(found, Err(Error::Format { .. })),
            "{name}: {found:?}"
        );
        assert!(
            started.elapsed().as_millis() < 500,
            "{name}: {:?}",
            started.elapsed()
        );
    }
}

#[test]
fn members_that_are_one_inside_another_are_refused_or_read_as_they_are() {
    let folder = Folder::new();
    let good = file(1, &dict("|u1", false, "(3,)"), &[1, 2, 3]);
    let inner = zip(&[("x.npy", &good)], CompressionMethod::Stored);
    folder.put(
        "a.npz",
        &zip(
            &[("a.npz", &inner), ("y.npy", &good)],
            CompressionMethod::Stored,
        ),
    );
    assert_eq!(at(&folder, ":y").unwrap().bytes, [1, 2, 3]);
    let found = at(&folder, ":a.npz");
    assert!(
        matches!(&found, Err(Error::Format { reason, .. }) if reason.contains("magic bytes")),
        "{found:?}"
    );
}

#[test]
fn names_of_members_are_never_paths_and_need_not_be_utf8() {
    let folder = Folder::new();
    let good = file(1, &dict("|u1", false, "(3,)"), &[1, 2, 3]);
    let names = [
        "../../zerostride-outside.npy",
        "/etc/y.npy",
        "C:\\z.npy",
        "a/../w.npy",
        "..npy",
    ];
    let members: Vec<(&str, &[u8])> = names.iter().map(|n| (*n, &good[..])).collect();
    folder.put("a.npz", &zip(&members, CompressionMethod::Stored));
    for name in names {
        let read = Archive::open(folder.path("a.npz"))
            .and_then(|mut archive| archive.read(Some(name), None));
        assert!(
            read.as_ref().is_ok_and(|array| array.bytes == [1, 2, 3]),
            "{name}: {read:?}"
        );
    }
    // Reading wrote nothing anywhere near.
    assert_eq!(folder.names(), ["a.npz"]);
    assert!(
        !folder
            .0
            .path()
            .parent()
            .unwrap()
            .join("zerostride-outside.npy")
            .exists()
    );
    let plain = zip(
        &[("name.npy", &good), ("y.npy", &good)],
        CompressionMethod::Stored,
    );
    folder.put("a.npz", &patched(plain.clone(), b"name", b"n\xff\xc3("));
    match at(&folder, ":y") {
        Ok(array) => assert_eq!(array.bytes, [1, 2, 3]),
        Err(error) => assert!(matches!(error, Error::Format { .. }), "{error:?}"),
    }
    // The flag that says that names are UTF-8, set on one that is not.
    let mut flagged = patched(plain, b"name", b"n\xff\xc3(");
    let marks: Vec<usize> = (0..flagged.len() - 4)
        .filter(|&i| flagged[i..].starts_with(b"PK"))
        .collect();
    for at in marks {
        match flagged[at + 2..at + 4] {
            [3, 4] => flagged[at + 7] |= 8,
            [1, 2] => flagged[at + 9] |= 8,
            _ => {}
        }
    }
    folder.put("a.npz", &flagged);
    match at(&folder, ":y") {
        Ok(array) => assert_eq!(array.bytes, [1, 2, 3]),
        Err(error) => assert!(matches!(error, Error::Format { .. }), "{error:?}"),
    }
    assert!(matches!(at(&folder, ":../x"), Err(Error::Format { .. })));
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
