//! Files are written whole or not at all: the process is killed while it writes, and the disk is
//! full.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::Folder;

/// The command under a shell's `prelude`, which may set limits or send its output elsewhere.
fn under(folder: &Folder, prelude: &str, args: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            &format!("{prelude}; exec \"$0\" \"$@\""),
            env!("CARGO_BIN_EXE_zerostride"),
        ])
        .args(args);
    command
        .current_dir(folder.path(""))
        .env("NODEVICE_SELECT", "1")
        .output()
        .unwrap()
}

/// Temporary files that a killed run left.
fn leftovers(folder: &Folder) -> Vec<String> {
    folder
        .files()
        .into_iter()
        .filter(|name| name.starts_with(".zerostride-"))
        .collect()
}

#[test]
fn a_run_that_is_killed_while_it_writes_leaves_no_broken_file_and_blocks_no_other() {
    const LEN: usize = 12 << 20;
    let folder = Folder::new();
    folder.save("long.npy", &[LEN], &vec![3u8; LEN]);
    folder.save("out.npy", &[2], &[7.0f32, 8.0]);
    let old = fs::read(folder.path("out.npy")).unwrap();
    let args = ["eval", "x.astype(f32)", "x=long.npy", "-o", "out.npy"];
    let mut killed = 0;
    for round in 0..6 {
        let before = leftovers(&folder).len();
        let mut run = Command::new(env!("CARGO_BIN_EXE_zerostride"))
            .args(args)
            .current_dir(folder.path(""))
            .env("NODEVICE_SELECT", "1")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let started = Instant::now();
        while leftovers(&folder).len() == before && run.try_wait().unwrap().is_none() {
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "nothing was written"
            );
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_micros(300 * round));
        run.kill().unwrap();
        let status = run.wait().unwrap();
        killed += usize::from(status.signal().is_some() && leftovers(&folder).len() > before);
        let found = fs::read(folder.path("out.npy")).unwrap();
        assert!(
            found == old || found.len() == 128 + 4 * LEN,
            "{} bytes of a file were left",
            found.len()
        );
        fs::write(folder.path("out.npy"), &old).unwrap();
    }
    assert!(killed > 0, "no run was killed while it wrote");
    // What they left is in nobody's way.
    folder.ok(&args);
    let (shape, elements) = folder.load::<f32>("out.npy");
    assert!(shape == [LEN] && elements.iter().all(|&x| x == 3.0));
}

#[test]
fn a_full_disk_is_an_error_that_leaves_the_old_file() {
    let folder = Folder::new();
    folder.save("long.npy", &[1 << 20], &vec![3u8; 1 << 20]);
    for name in ["out.npy", "out.npz"] {
        fs::write(folder.path(name), "old").unwrap();
        let before = folder.files();
        // The limit on a file's size fails in `write`, as a full disk does.
        let run = under(
            &folder,
            "trap '' XFSZ; ulimit -f 1000",
            &["eval", "x.astype(f32)", "x=long.npy", "-o", name],
        );
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{stderr}");
        assert!(
            stderr.starts_with(&format!("zerostride: error: {name}: File too large")),
            "{stderr}"
        );
        assert_eq!(fs::read(folder.path(name)).unwrap(), b"old");
        assert_eq!(folder.files(), before);
        // A process that the system kills for it leaves the old file too, and no other run is
        // blocked.
        let run = under(
            &folder,
            "ulimit -f 1000",
            &["eval", "x.astype(f32)", "x=long.npy", "-o", name],
        );
        assert!(run.status.signal().is_some(), "{run:?}");
        assert_eq!(fs::read(folder.path(name)).unwrap(), b"old");
        folder.ok(&["eval", "x.astype(f32)", "x=long.npy", "-o", name]);
        assert!(fs::metadata(folder.path(name)).unwrap().len() > 4 << 20);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_is_an_error() {
    let folder = Folder::new();
    for args in [
        &["eval", "x + 1", "x=x.npy"][..],
        &["kernel", "x + 1", "x=f32[3]"],
        &["ops"],
    ] {
        let run = under(&folder, "exec >/dev/full", args);
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(
            run.status.code() == Some(1) && stderr.contains("zerostride: error: stdout: "),
            "{args:?}: {run:?}"
        );
    }
}

#[test]
fn names_that_are_not_utf8_are_refused_without_a_panic() {
    let folder = Folder::new();
    for bytes in [
        &b"x=\xff.npy"[..],
        b"\xffx=x.npy",
        b"x=x.npz:\xc3\x28",
        b"-o\xff.npy",
        b"x\xe2\x82",
    ] {
        let run = Command::new(env!("CARGO_BIN_EXE_zerostride"))
            .args(["eval", "x + 1", "x=x.npy"].map(OsStr::new))
            .arg(OsStr::from_bytes(bytes))
            .current_dir(folder.path(""))
            .env("NODEVICE_SELECT", "1")
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{stderr}");
        assert!(
            stderr.contains("zerostride: error: invalid UTF-8"),
            "{stderr}"
        );
    }
}

#[test]
fn links_are_followed_and_modes_kept_however_a_file_is_written() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let at = |name: &str| folder.path(name);
    fs::create_dir(at("there")).unwrap();
    symlink("self.npy", at("self.npy")).unwrap();
    symlink("none/out.npy", at("far.npy")).unwrap();
    let eval = ["eval", "x + 1", "x=x.npy", "-o"];
    let ways: [&[&str]; 3] = [&[], &["--memory", "1MiB"], &["--part", "1/1"]];
    for more in ways {
        let link = at("link.npy");
        symlink("there/real.npy", &link).unwrap();
        // Where the file is not there yet, and where it is and is private.
        for mode in [None, Some(0o600)] {
            if let Some(mode) = mode {
                fs::set_permissions(at("there/real.npy"), fs::Permissions::from_mode(mode))
                    .unwrap();
            }
            folder.ok(&[&eval[..], &["link.npy"], more].concat());
            assert!(
                fs::symlink_metadata(&link).unwrap().is_symlink(),
                "{more:?}"
            );
            assert_eq!(
                folder.load::<f32>("there/real.npy").1,
                [2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
                "{more:?}"
            );
            let found = fs::metadata(at("there/real.npy"))
                .unwrap()
                .permissions()
                .mode()
                & 0o777;
            assert_eq!(found, mode.unwrap_or(found), "{more:?}");
        }
        assert_eq!(fs::read_dir(at("there")).unwrap().count(), 1, "{more:?}");
        fs::remove_file(at("there/real.npy")).unwrap();
        fs::remove_file(link).unwrap();
        folder.fails(
            1,
            &["self.npy: its links lead in a circle"],
            &[&eval[..], &["self.npy"], more].concat(),
        );
        folder.fails(
            1,
            &["far.npy: the folder none does not exist"],
            &[&eval[..], &["far.npy"], more].concat(),
        );
    }
    // What the shell's mask takes away stays away from a new file.
    let run = under(&folder, "umask 077", &[&eval[..], &["new.npy"]].concat());
    assert!(run.status.success(), "{run:?}");
    assert_eq!(
        fs::metadata(at("new.npy")).unwrap().permissions().mode() & 0o777,
        0o600
    );
    // So is a kernel's text.
    symlink("there/kernel.wgsl", at("kernel.wgsl")).unwrap();
    folder.ok(&["kernel", "x + 1", "x=f32[3]", "-o", "kernel.wgsl"]);
    assert!(
        fs::read_to_string(at("there/kernel.wgsl"))
            .unwrap()
            .contains("@compute")
    );
}
