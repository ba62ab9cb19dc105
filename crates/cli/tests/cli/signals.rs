//! Signals that ask the command to end, at many moments: no temporary file is left, and an earlier
//! file is whole.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub use nix::sys::signal::Signal;
use nix::sys::signal::kill;
use nix::unistd::Pid;

use crate::Folder;

pub fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id().try_into().unwrap()), signal).unwrap();
}

fn start(folder: &Folder, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zerostride"));
    command
        .args(args)
        .current_dir(folder.path(""))
        .env("NODEVICE_SELECT", "1");
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn temporary(folder: &Folder) -> Vec<String> {
    folder
        .files()
        .into_iter()
        .filter(|name| name.starts_with(".zerostride-"))
        .collect()
}

/// Waits until something is written, or the run has ended; whether it goes on.
fn wait_for_writing(folder: &Folder, child: &mut Child) -> bool {
    let started = Instant::now();
    while temporary(folder).is_empty() {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "nothing was written"
        );
        std::thread::sleep(Duration::from_micros(100));
    }
    true
}

/// Runs a command that writes `output` and stops it so long after it began to write, once or twice.
fn stop(folder: &Folder, args: &[&str], output: &str, signals: &[Signal], after: Duration) -> bool {
    fs::write(folder.path(output), "earlier").unwrap();
    let mut child = start(folder, args);
    if wait_for_writing(folder, &mut child) {
        std::thread::sleep(after);
        for signal in signals {
            // One that has ended since then waits to be asked how.
            send(&child, *signal);
        }
    }
    let status = child.wait().unwrap();
    let what = format!("{args:?} {signals:?} after {after:?}: {status}");
    assert_eq!(temporary(folder), [""; 0], "{what}");
    let found = fs::read(folder.path(output)).unwrap();
    assert!(
        found == b"earlier" || found.len() > 1 << 20,
        "{what}: {} bytes",
        found.len()
    );
    assert!([Some(0), Some(130)].contains(&status.code()), "{what}");
    status.code() == Some(130)
}

#[test]
fn a_signal_while_a_result_is_written_leaves_nothing_behind() {
    const LEN: usize = 12 << 20;
    let folder = Folder::new();
    folder.save("long.npy", &[LEN], &vec![3u8; LEN]);
    let [int, term, hup] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];
    let mut stopped = [0; 3];
    for (i, (output, more)) in [
        ("out.npy", &[][..]),
        ("out.npz", &[]),
        ("out.npy", &["--memory", "1MiB"]),
    ]
    .into_iter()
    .enumerate()
    {
        let args = [&["eval", "x.astype(f32)", "x=long.npy", "-o", output], more].concat();
        for (n, signals) in [
            &[int][..],
            &[term],
            &[hup],
            &[int, int],
            &[term, int],
            &[term],
        ]
        .into_iter()
        .enumerate()
        {
            let after = Duration::from_micros([0, 300, 1500, 5000, 10_000, 20_000][n]);
            stopped[i] += usize::from(stop(&folder, &args, output, signals, after));
        }
    }
    assert!(
        stopped.iter().all(|&n| n > 0),
        "of 6 runs each so many were stopped while they wrote: {stopped:?}"
    );
}

#[test]
fn a_signal_at_any_other_moment_leaves_nothing_behind() {
    let folder = Folder::new();
    folder.save("long.npy", &[1 << 20], &vec![3u8; 1 << 20]);
    fs::write(folder.path("out.npy"), "earlier").unwrap();
    for (n, signal) in (0..12).zip([Signal::SIGINT, Signal::SIGTERM].into_iter().cycle()) {
        let mut child = start(
            &folder,
            &[
                "eval",
                "x.astype(f32) * 2",
                "x=long.npy",
                "-o",
                "out.npy",
                "--verify",
            ],
        );
        std::thread::sleep(Duration::from_millis(25 * n));
        if child.try_wait().unwrap().is_none() {
            send(&child, signal);
        }
        let status = child.wait().unwrap();
        let ended =
            status.signal() == Some(signal as i32) || [Some(0), Some(130)].contains(&status.code());
        assert!(ended, "{signal} {n}: {status}");
        assert_eq!(temporary(&folder), [""; 0], "{signal} {n}: {status}");
        let found = fs::read(folder.path("out.npy")).unwrap();
        assert!(
            found == b"earlier" || found.len() == 128 + (4 << 20),
            "{} bytes",
            found.len()
        );
    }
}

#[test]
fn a_signal_that_is_ignored_from_the_start_ends_nothing() {
    const LEN: usize = 4 << 20;
    let folder = Folder::new();
    folder.save("long.npy", &[LEN], &vec![3u8; LEN]);
    let command = env!("CARGO_BIN_EXE_zerostride");
    for more in ["", "--memory 1MiB"] {
        fs::write(folder.path("out.npy"), "earlier").unwrap();
        // As nohup does it.
        let script = format!(
            "trap '' HUP; exec '{command}' eval 'x.astype(f32)' x=long.npy -o out.npy {more}"
        );
        let mut sh = Command::new("sh");
        sh.args(["-c", &script])
            .current_dir(folder.path(""))
            .env("NODEVICE_SELECT", "1");
        let mut child = sh
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for_writing(&folder, &mut child);
        for _ in 0..4 {
            send(&child, Signal::SIGHUP);
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(child.wait().unwrap().code(), Some(0), "{more}");
        assert!(fs::metadata(folder.path("out.npy")).unwrap().len() > 4 * LEN as u64);
    }
}
