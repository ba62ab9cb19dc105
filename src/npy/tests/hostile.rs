//! Text of files and paths in errors: nothing that a terminal obeys comes out.

use super::*;

/// Escape, bell, line end, tab, a C1 control in Latin-1 and in UTF-8, delete, right-to-left
/// override, line separator.
const HOSTILE: &str = "\u{1b}]0;t\u{7}\u{1b}[31m\t\u{9b}2J\u{85}\u{7f}\u{202e}\u{2066}\u{2028}";

#[track_caller]
fn is_one_plain_line(error: &Error) {
    let text = error.to_string();
    let obeyed = |c: char| {
        c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}')
    };
    assert!(!text.contains(obeyed), "{text:?}");
    assert!(
        text.contains(r"\u{1b}"),
        "what is hidden is spelled out: {text}"
    );
}

#[test]
fn headers_are_spelled_out() {
    let folder = Folder::new();
    for dict in [
        format!("{{'descr': '{HOSTILE}', 'fortran_order': False, 'shape': (1,), }}"),
        format!("{{'{HOSTILE}': 1, }}"),
        format!("{{'descr': '{HOSTILE}', 'descr': '<f4', }}"),
        format!("{{'descr': '|O{HOSTILE}', 'fortran_order': False, 'shape': (1,), }}"),
    ] {
        let path = folder.put("a.npy", &file(3, &dict, &[0; 4]));
        for dtype in [None, Some(DType::Bf16)] {
            let error = read(&path, dtype).unwrap_err();
            if !error.to_string().contains("occurs twice") {
                is_one_plain_line(&error);
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn paths_are_spelled_out() {
    let folder = Folder::new();
    let name = format!("{HOSTILE}\n.npy");
    let path = folder.put(&name, b"junk");
    is_one_plain_line(&read(&path, None).unwrap_err());
    let good = folder.put(&name, &file(1, &dict("<f4", false, "(2, 3)"), &bytes(24)));
    is_one_plain_line(
        &NpyFile::open(&good, None)
            .unwrap()
            .read_at(5..9, &mut [])
            .unwrap_err(),
    );
    let missing = folder.path(&format!("none{HOSTILE}/a.npy"));
    is_one_plain_line(&read(&missing, None).unwrap_err());
    is_one_plain_line(&write(&missing, DType::U8, &Shape::new([1]), &[1]).unwrap_err());
    is_one_plain_line(&write(&good, DType::U8, &Shape::new([1]), &[1, 2]).unwrap_err());
    is_one_plain_line(&format!("x={name}:{HOSTILE}").parse::<Source>().unwrap_err());
    // The fields have it as it is.
    assert!(matches!(read(&missing, None), Err(Error::Io { path, .. }) if path == missing));
}

#[test]
fn names_of_an_archives_members_are_spelled_out() {
    use std::io::Write as _;
    let folder = Folder::new();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let member = format!("{HOSTILE}.npy");
    for name in [&member, "b.npy"] {
        zip.start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(b"junk").unwrap();
    }
    let path = folder.put("a.npz", &zip.finish().unwrap().into_inner());
    let read = |name: Option<&str>| Archive::open(&path).unwrap().read(name, None).unwrap_err();
    for name in [None, Some("none"), Some(HOSTILE), Some(&member)] {
        is_one_plain_line(&read(name));
    }
    let shape = Shape::new([1]);
    let twice: [(&str, DType, &Shape, &[u8]); 2] = [(HOSTILE, DType::U8, &shape, &[1]); 2];
    is_one_plain_line(&write_npz(&path, &twice).unwrap_err());
}
