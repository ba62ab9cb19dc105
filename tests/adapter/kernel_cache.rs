//! Compiled kernels kept in a folder.

use std::path::{Path, PathBuf};

use zerostride::{Context, Error};

#[allow(unsafe_code, reason = "the tests' own folder")]
fn context(folder: &Path) -> Result<Context, Error> {
    // SAFETY: what these tests write beside `save_kernels` lacks its checksum.
    unsafe { Context::builder().from_env().kernel_cache(folder) }.request_blocking()
}

/// Computes something on a context with this folder, and saves; the file that was written.
fn run(folder: &Path) -> Option<PathBuf> {
    let context = context(folder).unwrap();
    let x = context.tensor(&[1.0f32, 2.0, 3.0], [3]).unwrap();
    let y = context.tensor(&[0.5f32; 2], [2, 1]).unwrap();
    let z = ((x.expr() + y.expr()) * 2.0)
        .eval()
        .unwrap()
        .read_blocking::<f32>()
        .unwrap();
    assert_eq!(z, [3.0, 5.0, 7.0, 3.0, 5.0, 7.0]);
    context.save_kernels().unwrap();
    assert!(!context.save_kernels().unwrap(), "the file holds them");
    context.kernel_cache_file().map(Path::to_owned)
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
    for damaged in [
        &[][..],
        b"something else",
        &whole[..whole.len() - 1],
        &changed,
    ] {
        std::fs::write(&file, damaged).unwrap();
        run(&folder);
        assert_ne!(std::fs::read(&file).unwrap(), damaged, "it was replaced");
    }
    // Several threads save at once, each something new.
    let context = context(&folder).unwrap();
    std::thread::scope(|scope| {
        for n in 0..4u8 {
            let context = &context;
            scope.spawn(move || {
                let x = context.tensor(&[n; 5], [5]).unwrap();
                let op = [zerostride::Tensor::neg, zerostride::Tensor::abs][usize::from(n % 2)];
                op(&x).unwrap().read_bytes_blocking().unwrap();
                context.save_kernels().unwrap();
            });
        }
    });
    run(&folder);
    let files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    assert_eq!(files, [file], "nothing else is left behind");
}

#[test]
fn a_folder_that_cannot_be_one_is_an_error_when_kernels_are_saved() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("a file");
    std::fs::write(&file, "not a folder").unwrap();
    let context = context(&file).unwrap();
    context
        .tensor(&[1u8], [1])
        .unwrap()
        .neg()
        .unwrap()
        .read_bytes_blocking()
        .unwrap();
    // Where nothing is kept nothing is written.
    match context.save_kernels() {
        Err(Error::Io { path, .. }) => assert!(path.starts_with(&file), "{}", path.display()),
        Ok(saved) => assert!(!saved && context.kernel_cache_file().is_none()),
        Err(other) => panic!("{other}"),
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_read() {
    let home = tempfile::tempdir().unwrap();
    let Some(file) = run(home.path()) else { return };
    std::fs::remove_file(&file).unwrap();
    // Endless to read.
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    assert_eq!(run(home.path()).unwrap(), file);
    assert!(
        std::fs::symlink_metadata(&file).unwrap().is_file(),
        "it was replaced"
    );
}
