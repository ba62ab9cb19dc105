use super::*;

struct Fault {
    name: &'static str,
    file: Vec<u8>,
    dtype: Option<DType>,
    says: &'static str,
}

fn faults() -> Vec<Fault> {
    let case = |name, file, says| Fault {
        name,
        file,
        dtype: None,
        says,
    };
    let of = |text: &str, says| case("header", file(1, text, &[0; 24]), says);
    let shape = |text: &str, says| of(&dict("<f4", false, text), says);
    let descr = |text: &str, says| of(&dict(text, false, "(2, 3)"), says);
    let good = file(1, &dict("<f4", false, "(2, 3)"), &[0; 24]);
    let mut long = b"\x93NUMPY\x02\x00".to_vec();
    long.extend(u32::MAX.to_le_bytes());
    vec![
        case("empty", vec![], "ends inside its header"),
        case("magic", b"hello, this is no array".to_vec(), "magic bytes"),
        case("zip", b"PK\x03\x04 and so on".to_vec(), "name it .npz"),
        case(
            "version",
            file(4, &dict("<f4", false, "()"), &[0; 4]),
            "version 4.0",
        ),
        case(
            "shorter than the magic",
            b"hello".to_vec(),
            "not a .npy file",
        ),
        case(
            "cut in the magic",
            good[..5].to_vec(),
            "ends inside its header",
        ),
        case(
            "cut in the length",
            good[..9].to_vec(),
            "ends inside its header",
        ),
        case(
            "cut in the dict",
            good[..40].to_vec(),
            "ends inside its header",
        ),
        case(
            "cut in the data",
            good[..good.len() - 10].to_vec(),
            "takes 24 bytes after the header, 96 in all; the file has 86",
        ),
        case("no data", good[..good.len() - 24].to_vec(), "truncated"),
        case(
            "more data",
            [&good[..], &[0; 3]].concat(),
            "3 bytes follow the array",
        ),
        case("long header", long, "at most 65535"),
        shape("(1000000000000000000,)", "takes 4000000000000000000 bytes"),
        shape(
            "(1000000000, 1000000000, 1000)",
            "more bytes than can be counted",
        ),
        shape(
            "(1099511627776, 1099511627776)",
            "more bytes than can be counted",
        ),
        shape(
            "(1099511627776, 1099511627776, 0)",
            "more bytes than can be counted",
        ),
        shape("(4611686018427387904,)", "more bytes than can be counted"),
        shape("(99999999999999999999,)", "more than can be counted"),
        shape("(9223372036854775808, 0)", "more than can be counted"),
        shape("(-2, 3)", "negative extent"),
        shape("(2 3)", "expected `,`"),
        shape("(6)", "written (n,)"),
        shape("(,)", "an extent"),
        shape("(2, 3", "an extent"),
        shape("[2, 3]", "expected `(`"),
        shape("(2.0, 3)", "expected `,`"),
        shape("(2, 0x3)", "not a decimal number"),
        shape("(2, L)", "an extent"),
        shape("None", "expected `(`"),
        descr("|O", "Python objects"),
        descr("<c8", "<c8"),
        descr("<U5", "<U5"),
        descr("<M8[ns]", "<M8[ns]"),
        descr("<f3", "<f3"),
        descr("|f4", "|f4"),
        descr("", "the elements are "),
        descr("<V2", ":bf16"),
        descr("|V4", "|V4"),
        of(
            "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
            "structured",
        ),
        of(
            "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}",
            "True or False",
        ),
        of(
            "{'descr': '<f4', 'fortran_order': False}",
            "lacks the key `shape`",
        ),
        of(
            "{'fortran_order': False, 'shape': (2, 3)}",
            "lacks the key `descr`",
        ),
        of("{}", "lacks the key"),
        of(
            "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
            "occurs twice",
        ),
        of(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}",
            "unknown key `x`",
        ),
        of(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
            "only padding",
        ),
        of(
            "{'descr': '<f\\'4', 'fortran_order': False, 'shape': (2, 3)}",
            "escape",
        ),
        of("{'descr': '<f4", "does not end"),
        of("{'descr' '<f4'}", "expected `:`"),
        of("", "expected `{`"),
        of("\0\0\0", "the byte 0x00"),
        Fault {
            name: "other dtype",
            file: good.clone(),
            dtype: Some(DType::I32),
            says: "the elements are f32, not i32",
        },
        Fault {
            name: "void as f16",
            file: file(1, &dict("<V2", false, "(12,)"), &[0; 24]),
            dtype: Some(DType::F16),
            says: "not as f16",
        },
    ]
}

#[test]
fn every_fault_of_a_file_is_named() {
    let folder = Folder::new();
    let mut wrong = Vec::new();
    for fault in faults() {
        let path = folder.put("fault.npy", &fault.file);
        match read(&path, fault.dtype) {
            Err(Error::Format { path: at, reason })
                if at == path && reason.contains(fault.says) => {}
            other => wrong.push(format!("{}, `{}`: {other:?}", fault.name, fault.says)),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(matches!(
        read(&folder.path("none.npy"), None),
        Err(Error::Io { .. })
    ));
    assert!(matches!(
        read(folder.0.path(), None),
        Err(Error::Format { .. })
    ));
}

#[test]
fn every_truncation_of_a_file_is_an_error() {
    let folder = Folder::new();
    for version in [1, 2, 3] {
        let good = file(version, &dict("<f4", false, "(2, 3)"), &[0; 24]);
        for len in 0..good.len() {
            let path = folder.put("cut.npy", &good[..len]);
            let found = read(&path, None);
            assert!(
                matches!(found, Err(Error::Format { .. })),
                "version {version}, {len} bytes: {found:?}"
            );
        }
        assert!(read(&folder.put("whole.npy", &good), None).is_ok());
    }
}

#[test]
fn absurd_headers_take_no_memory() {
    let folder = Folder::new();
    // 10^18 elements are refused by the file's length before room for them is asked for.
    let header = file(1, &dict("|u1", false, "(1000000000000000000,)"), &[0; 24]);
    let found = NpyFile::open(folder.put("a.npy", &header), None);
    assert!(
        matches!(&found, Err(Error::Format { reason, .. }) if reason.contains("truncated")),
        "{found:?}"
    );
    // So many axes that the header is full of them.
    let ones = format!("({})", "1, ".repeat(20_000));
    let deep = read(
        &folder.put("b.npy", &file(2, &dict("|u1", false, &ones), &[9])),
        None,
    )
    .unwrap();
    assert_eq!(
        (deep.layout.shape().rank(), deep.layout.len(), deep.bytes),
        (20_000, 1, vec![9])
    );
    let twos = format!("({})", "2, ".repeat(20_000));
    let found = read(
        &folder.put("b.npy", &file(2, &dict("|u1", false, &twos), &[9])),
        None,
    );
    assert!(
        matches!(&found, Err(Error::Format { reason, .. }) if reason.contains("be counted")),
        "{found:?}"
    );
}

#[cfg(unix)]
#[test]
fn names_of_files_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let path = folder
        .0
        .path()
        .join(std::ffi::OsStr::from_bytes(b"\xff\xc3(.npy"));
    write(&path, DType::U8, &Shape::new([2]), &[1, 2]).unwrap();
    assert_eq!(read(&path, None).unwrap().bytes, [1, 2]);
    fs::write(&path, b"no array").unwrap();
    let found = read(&path, None);
    assert!(
        matches!(&found, Err(Error::Format { path: at, .. }) if *at == path),
        "{found:?}"
    );
    assert!(found.unwrap_err().to_string().contains("magic bytes"));
    // Nor do the bytes of a header.
    for text in [
        &b"{'descr': '\xff4', 'fortran_order': False, 'shape': (2,)}"[..],
        b"{'\xc3(': 1}",
        b"\xff\xfe",
    ] {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text);
        let found = read(&folder.put("b.npy", &bytes), None);
        assert!(matches!(found, Err(Error::Format { .. })), "{found:?}");
    }
}

#[test]
fn types_without_a_byte_order_are_this_machine_s() {
    let folder = Folder::new();
    let numbers = [1.5f32, -2.0];
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
    for (text, data, dtype) in [
        ("f4", &bytes[..], DType::F32),
        ("=f4", &bytes[..], DType::F32),
        ("?", &[1, 0], DType::Bool),
        ("b1", &[1, 0], DType::Bool),
        ("u1", &[1, 0], DType::U8),
    ] {
        let path = folder.0.path().join("x.npy");
        fs::write(&path, file(1, &dict(text, false, "(2,)"), data)).unwrap();
        let found = read(&path, None).unwrap();
        assert_eq!((found.dtype, &found.bytes[..]), (dtype, data), "{text}");
    }
}
