//! What a file is written to: links, modes, and what a signal may leave.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;
use crate::files;

fn save(path: &Path) -> Result<()> {
    write(path, DType::U8, &Shape::new([2]), &[1, 2])
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).unwrap().is_symlink()
}

#[test]
fn a_link_is_followed_to_a_file_that_is_not_there_yet() {
    let folder = Folder::new();
    let at = |name: &str| folder.path(name);
    fs::create_dir(at("there")).unwrap();
    symlink("there/real.npy", at("link.npy")).unwrap();
    symlink("../link.npy", at("there/back.npy")).unwrap();
    symlink(at("there/back.npy"), at("chain.npy")).unwrap();
    save(&at("chain.npy")).unwrap();
    for link in ["link.npy", "chain.npy", "there/back.npy"] {
        assert!(is_link(&at(link)), "{link}");
        assert_eq!(read(&at(link), None).unwrap().bytes, [1, 2], "{link}");
    }
    assert!(!is_link(&at("there/real.npy")));
    // Written again, in place of the file that is there now.
    save(&at("chain.npy")).unwrap();
    assert_eq!(folder.names(), ["chain.npy", "link.npy", "there"]);
    assert_eq!(fs::read_dir(at("there")).unwrap().count(), 2);
    assert_eq!(
        files::destination(at("link.npy")).unwrap(),
        at("there/real.npy")
    );
    assert_eq!(files::destination(at("none.npy")).unwrap(), at("none.npy"));
}

#[test]
fn links_that_lead_nowhere_are_errors_that_leave_nothing() {
    let folder = Folder::new();
    let at = |name: &str| folder.path(name);
    symlink("self.npy", at("self.npy")).unwrap();
    symlink("b.npy", at("a.npy")).unwrap();
    symlink("a.npy", at("b.npy")).unwrap();
    symlink("none/x.npy", at("far.npy")).unwrap();
    for name in ["self.npy", "a.npy"] {
        let err = save(&at(name)).unwrap_err();
        assert!(
            matches!(err, Error::Io { .. }) && err.to_string().contains("in a circle"),
            "{err}"
        );
    }
    assert!(matches!(save(&at("far.npy")), Err(Error::Io { .. })));
    assert_eq!(folder.names(), ["a.npy", "b.npy", "far.npy", "self.npy"]);
}

#[test]
fn a_replaced_file_keeps_its_mode() {
    let folder = Folder::new();
    for mode in [0o600, 0o640, 0o666, 0o400, 0o604] {
        let path = folder.put("a.npy", b"old");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        // The system's administrator may write any file.
        if fs::File::options().write(true).open(&path).is_err() {
            assert!(matches!(save(&path), Err(Error::Io { .. })), "{mode:o}");
            assert_eq!(fs::read(&path).unwrap(), b"old");
            fs::remove_file(&path).unwrap();
            continue;
        }
        let temporary = files::Temporary::beside(&path).unwrap();
        // From the start, before anything is in it.
        assert_eq!(
            temporary.as_file().metadata().unwrap().mode() & 0o7777,
            mode,
            "{mode:o}"
        );
        drop(temporary);
        save(&path).unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().mode() & 0o7777,
            mode,
            "{mode:o}"
        );
        fs::remove_file(&path).unwrap();
    }
    let plain = fs::metadata(folder.put("plain", b"")).unwrap();
    save(&folder.path("new.npy")).unwrap();
    assert_eq!(
        fs::metadata(folder.path("new.npy")).unwrap().mode(),
        plain.mode()
    );
}

/// A running program must not be written, whoever asks.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_must_not_be_written_is_not_replaced() {
    const RUNNING: &str = "ZEROSTRIDE_RUNNING";
    if std::env::var_os(RUNNING).is_some() {
        std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
        return;
    }
    let folder = Folder::new();
    let path = folder.path("a.npy");
    fs::copy(std::env::current_exe().unwrap(), &path).unwrap();
    let earlier = fs::metadata(&path).unwrap().len();
    let mut program = std::process::Command::new(&path);
    program.args([
        "--exact",
        "npy::tests::targets::a_file_that_must_not_be_written_is_not_replaced",
    ]);
    program
        .env(RUNNING, "1")
        .stdin(std::process::Stdio::piped());
    program.stdout(std::process::Stdio::null());
    // A process that another thread starts now may still hold the copy open.
    let mut running = loop {
        match program.spawn() {
            Err(e) if e.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            started => break started.unwrap(),
        }
    };
    let saved = save(&path);
    drop(running.stdin.take());
    assert!(running.wait().unwrap().success());
    assert!(matches!(saved, Err(Error::Io { .. })), "{saved:?}");
    assert_eq!(fs::metadata(&path).unwrap().len(), earlier);
    assert_eq!(folder.names(), ["a.npy"]);
    save(&path).unwrap();
}

/// In a process of its own, since what it removes is that of the whole process.
#[test]
fn what_is_unfinished_is_removed_when_a_process_is_asked_to_end() {
    const FOLDER: &str = "ZEROSTRIDE_UNFINISHED";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let folder = PathBuf::from(folder);
        let finished = files::Temporary::beside(&folder.join("done.npy")).unwrap();
        finished.finish().unwrap();
        let left =
            ["a.npy", "b.npy"].map(|name| files::Temporary::beside(&folder.join(name)).unwrap());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        let _removed = files::remove_unfinished();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        std::mem::forget(left);
        std::process::exit(42);
    }
    let folder = Folder::new();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args([
        "--exact",
        "npy::tests::targets::what_is_unfinished_is_removed_when_a_process_is_asked_to_end",
    ]);
    let done = child.env(FOLDER, folder.0.path()).output().unwrap();
    assert_eq!(done.status.code(), Some(42), "{done:?}");
    assert_eq!(folder.names(), ["done.npy"]);
}
