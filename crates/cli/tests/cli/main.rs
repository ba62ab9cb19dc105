//! The command, run as a user would run it. An adapter is needed.

mod commands;
mod eval;
mod failures;
#[cfg(unix)]
mod habits;
mod hostile;
mod inputs;
mod kernel;
mod onnx;
mod outputs;
mod pages;
mod promotion;
mod reductions;
mod reports;
#[cfg(unix)]
mod signals;
mod stream;
mod tables;
mod types;
mod writing;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;
use zerostride::{Element, npy};

/// A folder with the arrays that the tests name.
struct Folder(TempDir);

/// What a run of the command left.
#[derive(Debug)]
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.save("x.npy", &[2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
        folder.save("row.npy", &[3], &[10.0f32, 20.0, 30.0]);
        folder.save("two.npy", &[2], &[100.0f32, 200.0]);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn save<T: Element>(&self, name: &str, shape: &[usize], elements: &[T]) {
        npy::write(
            self.path(name),
            T::DTYPE,
            &shape.into(),
            &T::to_bytes(elements),
        )
        .unwrap();
    }

    fn load<T: Element>(&self, name: &str) -> (Vec<usize>, Vec<T>) {
        let array = self
            .path(name)
            .to_str()
            .unwrap()
            .parse::<npy::Source>()
            .unwrap()
            .read()
            .unwrap();
        assert_eq!(array.dtype, T::DTYPE, "{name}");
        (
            array.layout.shape().extents().to_vec(),
            T::from_bytes(&array.bytes),
        )
    }

    fn files(&self) -> Vec<String> {
        let name = |e: std::io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<_> = fs::read_dir(self.0.path()).unwrap().map(name).collect();
        names.sort();
        names
    }

    fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, &[])
    }

    fn run_with(&self, args: &[&str], env: &[(&str, &str)]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zerostride"));
        // Mesa's layer that selects a device writes to stderr where there is no desktop.
        command
            .args(args)
            .current_dir(self.0.path())
            .env("NODEVICE_SELECT", "1")
            .envs(env.iter().copied());
        let out = command.output().unwrap();
        Run {
            code: out.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&out.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
        }
    }

    /// Runs with these bytes on standard input.
    fn piped(&self, args: &[&str], stdin: &[u8]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_zerostride"))
            .args(args)
            .current_dir(self.0.path())
            .env("NODEVICE_SELECT", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let bytes = stdin.to_vec();
        // What refuses its input does not read all of it.
        let writer = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
        let out = child.wait_with_output().unwrap();
        writer.join().unwrap();
        out
    }

    /// Runs what must succeed.
    fn ok(&self, args: &[&str]) -> String {
        let run = self.run(args);
        assert!(
            run.code == 0 && !run.stderr.contains("zerostride: error"),
            "{args:?}: {run:?}"
        );
        run.stdout
    }

    /// Runs what must fail with this code and these words on stderr, with nothing on stdout and no
    /// file changed.
    fn fails(&self, code: i32, words: &[&str], args: &[&str]) {
        let before = self.files();
        let run = self.run(args);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (code, ""),
            "{args:?}: {run:?}"
        );
        assert!(
            run.stderr.contains("zerostride: error: "),
            "{args:?}: {run:?}"
        );
        assert!(!run.stderr.contains("panicked"), "{args:?}: {run:?}");
        for word in words {
            assert!(
                run.stderr.contains(word),
                "{args:?}: `{word}` is not in {run:?}"
            );
        }
        assert_eq!(self.files(), before, "{args:?}");
    }
}
