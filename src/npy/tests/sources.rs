//! Arrays as they are named on a command line.

use super::*;

#[test]
fn sources_are_parsed() {
    let source = |name: Option<&str>, path: &str, member: Option<&str>, dtype| Source {
        name: name.map(Into::into),
        path: path.into(),
        member: member.map(Into::into),
        dtype,
    };
    let cases = [
        ("x.npy", source(None, "x.npy", None, None)),
        ("a=x.npy", source(Some("a"), "x.npy", None, None)),
        ("a=d/b=c.npy", source(Some("a"), "d/b=c.npy", None, None)),
        ("d/b=c.npy", source(None, "d/b=c.npy", None, None)),
        (
            "a=x.npy:bf16",
            source(Some("a"), "x.npy", None, Some(DType::Bf16)),
        ),
        (
            "x.dat:float32",
            source(None, "x.dat", None, Some(DType::F32)),
        ),
        ("x.NPZ", source(None, "x.NPZ", None, None)),
        ("x.npz:w", source(None, "x.npz", Some("w"), None)),
        ("x.npz:a/../w", source(None, "x.npz", Some("a/../w"), None)),
        (
            "w=x.npz:w:bf16",
            source(Some("w"), "x.npz", Some("w"), Some(DType::Bf16)),
        ),
        ("x.npz:bf16", source(None, "x.npz", None, Some(DType::Bf16))),
        (
            "x.npz:f32.npy",
            source(None, "x.npz", Some("f32.npy"), None),
        ),
        (r"C:\x.npy", source(None, r"C:\x.npy", None, None)),
        (
            r"C:\x.npy:f32",
            source(None, r"C:\x.npy", None, Some(DType::F32)),
        ),
        ("d.npy:e/x", source(None, "d.npy:e/x", None, None)),
    ];
    for (text, expected) in cases {
        assert_eq!(text.parse::<Source>().unwrap(), expected, "{text}");
    }
    for text in ["", "a=", "x.npy:bf17", "x.npy:", "x.npz:w:f33", ":f32"] {
        assert!(
            matches!(text.parse::<Source>(), Err(Error::Argument { .. })),
            "{text}"
        );
    }
}

#[test]
fn a_source_may_repeat_the_dtype_but_not_change_it() {
    let folder = Folder::new();
    let path = folder.path("a.npy");
    write(&path, DType::F32, &Shape::new([2]), &bytes(8)).unwrap();
    let at = |suffix: &str| {
        format!("x={}{suffix}", path.display())
            .parse::<Source>()
            .unwrap()
            .read()
    };
    assert_eq!(at("").unwrap(), at(":f32").unwrap());
    assert!(matches!(at(":f16"), Err(Error::Format { .. })));
    assert!(matches!(at(":bf16"), Err(Error::Format { .. })));
}

proptest! {
    #[test]
    fn random_bytes_never_panic(noise in prop::collection::vec(any::<u8>(), 0..200), version in 1u8..4) {
        let _ = Header::read(&noise[..], Path::new("x"), None);
        let text = String::from_utf8_lossy(&noise).into_owned();
        let _ = Header::read(&file(version, &text, &[])[..], Path::new("x"), Some(DType::Bf16));
        let _ = text.parse::<Source>();
    }

    #[test]
    fn mutated_files_never_panic(at in 0usize..110, with in any::<u8>(), cut in 0usize..120, swap in 0usize..100) {
        let mut bytes = file(1, &dict("<f4", false, "(2, 3)"), &[7; 24]);
        let len = bytes.len();
        bytes[at % len] = with;
        bytes.swap(swap % len, at % len);
        bytes.truncate(cut.max(1));
        let mut npy = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut npy, &bytes).unwrap();
        if let Ok(array) = read(npy.path(), None) {
            prop_assert_eq!(array.bytes.len(), array.layout.len() * array.dtype.size());
        }
    }

    #[test]
    fn dicts_of_python_like_tokens_never_panic(tokens in prop::collection::vec(0usize..16, 0..20)) {
        let words = ["{", "}", "(", ")", ",", ":", "'descr'", "'fortran_order'", "'shape'", "'<f4'", "True", "False",
            "7", "-", " ", "18446744073709551615"];
        let text: String = tokens.iter().map(|&t| words[t]).collect();
        let _ = Header::read(&file(1, &text, &[])[..], Path::new("x"), None);
    }

    #[test]
    fn any_shape_comes_back(extents in prop::collection::vec(0usize..1 << 40, 0..9)) {
        let shape = Shape::from(extents);
        let header = super::header::encode(Path::new("x"), DType::U8, &shape).unwrap();
        prop_assert_eq!(header.len() % 64, 0);
        match Header::read(&header[..], Path::new("x"), None) {
            Ok(found) => prop_assert_eq!(found.shape, shape),
            Err(e) => prop_assert!(shape.len().is_err(), "{}", e),
        }
    }
}
