//! Compiled kernels kept in a folder.

use std::path::{Path, PathBuf};

use zerostride::{Context, Error};

fn context(folder: &Path) -> Result<Context, Error> {
    Context::builder().from_env().kernel_cache(folder).request_blocking()
}

/// Computes something on a context with this folder, and saves; the file that was written.
fn run(folder: &Path) -> Option<PathBuf> {
    let context = context(folder).unwrap();
    let x = context.tensor(&[1.0f32, 2.0, 3.0], [3]).unwrap();
    let y = context.tensor(&[0.5f32; 2], [2, 1]).unwrap();
    let z = ((x.expr() + y.expr()) * 2.0).eval().unwrap().read_blocking::<f32>().unwrap();
    assert_eq!(z, [3.0, 5.0, 7.0, 3.0, 5.0, 7.0]);
    let saved = context.save_kernels().unwrap();
    assert!(!context.save_kernels().unwrap(), "nothing was compiled since");
    let file = context.kernel_cache().map(Path::to_owned);
    assert_eq!(saved, file.is_some());
    file
}

#[test]
fn kernels_are_kept_and_a_damaged_file_counts_as_none() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("made").join("by the first");
    let Some(file) = run(&folder) else {
        assert!(!folder.exists(), "nothing is kept, and nothing written");
        return;
    };
    let whole = std::fs::read(&file).unwrap();
    assert_eq!(run(&folder).unwrap(), file, "one file an adapter");
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    for damaged in [&[][..], b"something else", &whole[..whole.len() - 1], &changed] {
        std::fs::write(&file, damaged).unwrap();
        run(&folder);
        assert_eq!(std::fs::read(&file).unwrap()[..8], whole[..8], "it was replaced");
    }
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files, [file], "nothing else is left behind");
}

#[test]
fn a_folder_that_cannot_be_one_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("a file");
    std::fs::write(&file, "not a folder").unwrap();
    // Where nothing is kept nothing is read.
    match context(&file) {
        Err(Error::Io { path, .. }) => assert!(path.starts_with(&file), "{}", path.display()),
        Ok(context) => assert_eq!(context.kernel_cache(), None),
        Err(other) => panic!("{other}"),
    }
}
