//! Initializers in every encoding, in the model and in files beside it.

use std::fs;
use std::path::Path;

use zerostride::{Element, bf16, f16};
use zerostride_onnx::Model;
use zerostride_onnx::proto::{StringStringEntryProto, TensorProto};

use crate::build::{Built, elements, model, tensor, words};

/// A model whose output is one initializer.
fn of(initializer: TensorProto) -> Built {
    let mut built = model(21).output("c f32 2");
    built.graph().output[0].r#type = None;
    built.graph().initializer.push(initializer);
    built
}

fn check<T: Element + PartialEq + std::fmt::Debug>(expected: &[T], set: impl Fn(&mut TensorProto)) {
    let raw = tensor("c", &[expected.len() as i64], expected);
    let found = of(raw.clone()).run(&[]).unwrap();
    assert_eq!(elements::<T>(&found[0]), expected, "raw {}", T::DTYPE);
    let mut typed = TensorProto {
        raw_data: None,
        ..raw
    };
    set(&mut typed);
    let found = of(typed).run(&[]).unwrap();
    assert_eq!(elements::<T>(&found[0]), expected, "typed {}", T::DTYPE);
}

#[test]
fn elements_are_the_same_in_every_encoding() {
    check(&[1.5f32, -0.0], |t| t.float_data = vec![1.5, -0.0]);
    check(&[1e300f64, -2.5], |t| t.double_data = vec![1e300, -2.5]);
    check(&[i64::MIN, 7], |t| t.int64_data = vec![i64::MIN, 7]);
    check(&[u64::MAX, 7], |t| t.uint64_data = vec![u64::MAX, 7]);
    check(&[u32::MAX, 7], |t| t.uint64_data = vec![u32::MAX.into(), 7]);
    check(&[i32::MIN, 7], |t| t.int32_data = vec![i32::MIN, 7]);
    check(&[255u8, 0], |t| t.int32_data = vec![255, 0]);
    check(&[-128i8, 127], |t| t.int32_data = vec![-128, 127]);
    check(&[65535u16, 1], |t| t.int32_data = vec![65535, 1]);
    check(&[-32768i16, 1], |t| t.int32_data = vec![-32768, 1]);
    check(&[true, false], |t| t.int32_data = vec![1, 0]);
    check(&[f16::ONE, f16::NEG_ONE], |t| {
        t.int32_data = vec![0x3c00, 0xbc00]
    });
    check(&[bf16::ONE, bf16::NEG_ONE], |t| {
        t.int32_data = vec![0x3f80, 0xbf80]
    });
    let none: [f32; 0] = [];
    check(&none, |_| {});
}

/// An initializer of two f32 in a file.
fn external(entries: &[(&str, &str)]) -> TensorProto {
    let entry = |(key, value): &(&str, &str)| StringStringEntryProto {
        key: (*key).into(),
        value: (*value).into(),
    };
    TensorProto {
        raw_data: None,
        data_location: 1,
        external_data: entries.iter().map(entry).collect(),
        ..tensor("c", &[2], &[0f32, 0.0])
    }
}

fn open(folder: &Path, entries: &[(&str, &str)]) -> Result<Model, zerostride::Error> {
    let path = folder.join("model.onnx");
    fs::write(&path, of(external(entries)).bytes()).unwrap();
    Model::open(path)
}

#[test]
fn external_data_is_read_from_the_folder_alone() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("model");
    fs::create_dir_all(folder.join("weights")).unwrap();
    fs::write(
        folder.join("weights/w.bin"),
        f32::to_bytes(&[9.0, 1.5, -2.0]),
    )
    .unwrap();
    fs::write(outer.path().join("secret.bin"), f32::to_bytes(&[6.0, 6.0])).unwrap();
    let model = open(
        &folder,
        &[
            ("location", "weights/w.bin"),
            ("offset", "4"),
            ("length", "8"),
        ],
    );
    let context = crate::build::context();
    let found = model.unwrap().session(&context).run(&[]).unwrap();
    assert_eq!(found[0].1.read_blocking::<f32>().unwrap(), [1.5, -2.0]);

    let secret = outer.path().join("secret.bin");
    let mut cases: Vec<(Vec<(&str, &str)>, &str)> = vec![
        (
            vec![("location", "../secret.bin")],
            "leads out of the model's folder",
        ),
        (
            vec![("location", secret.to_str().unwrap())],
            "leads out of the model's folder",
        ),
        (
            vec![("location", "weights/../../secret.bin")],
            "leads out of the model's folder",
        ),
        (vec![("location", "")], "leads out of the model's folder"),
        (vec![], "its location is missing"),
        (vec![("location", "none.bin")], "none.bin"),
        (vec![("location", "weights")], "is no file"),
        (
            vec![("location", "weights/w.bin")],
            "its elements take 8 bytes, but 12 are named",
        ),
        (
            vec![
                ("location", "weights/w.bin"),
                ("offset", "8"),
                ("length", "8"),
            ],
            "is too short for 8 bytes from byte 8 on: it has 4",
        ),
        (
            vec![
                ("location", "weights/w.bin"),
                ("length", "18446744073709551615"),
            ],
            "its elements take 8 bytes",
        ),
        (
            vec![("location", "weights/w.bin"), ("offset", "-1")],
            "offset must be a number of bytes, not `-1`",
        ),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, folder.join("link.bin")).unwrap();
        cases.push((
            vec![("location", "link.bin")],
            "leads out of the model's folder",
        ));
        // Who opens a pipe for reading waits for one who writes.
        let pipe = std::process::Command::new("mkfifo")
            .arg(folder.join("pipe"))
            .status();
        assert!(pipe.unwrap().success());
        cases.push((vec![("location", "pipe")], "is no file"));
    }
    for (entries, expected) in cases {
        let error = words(open(&folder, &entries));
        assert!(error.contains(expected), "{entries:?}: {error}");
    }
    let mut twice = of(external(&[("location", "weights/w.bin"), ("length", "8")]));
    twice.graph().initializer[0].raw_data = Some(vec![0; 8]);
    let path = folder.join("model.onnx");
    fs::write(&path, twice.bytes()).unwrap();
    let error = words(Model::open(path));
    assert!(error.contains("in a file and in raw_data"), "{error}");
    let error = of(external(&[("location", "weights/w.bin")])).error();
    assert!(error.contains("load the model by its path"), "{error}");
}
