//! Command lines that people type who know NumPy and Unix: `tests/habits/commands`. Its head says
//! how it is written. The score is printed; `cargo test -p zerostride-cli habits -- --nocapture`
//! shows it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use zerostride::{DType, Element, Shape, npy};

use crate::Folder;

/// A command line and what is expected of it.
#[derive(Default)]
struct Habit {
    line: usize,
    command: String,
    /// Whether it works; those that do not yet must fail what is expected.
    works: bool,
    exit: i32,
    stdout: Vec<String>,
    stderr: Vec<String>,
}

/// Reads the list: sections of habits.
fn read(text: &str) -> Vec<Vec<Habit>> {
    let mut sections: Vec<Vec<Habit>> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let (mark, rest) = line.split_at(line.find(' ').map_or(line.len(), |at| at + 1));
        if line.is_empty() || mark == "# " || line == "#" {
            continue;
        }
        if mark == "## " {
            sections.push(Vec::new());
            continue;
        }
        let section = sections.last_mut().expect("a section comes first");
        if mark == "$ " || mark == "? " {
            section.push(Habit {
                line: n + 1,
                command: rest.into(),
                works: mark == "$ ",
                ..Habit::default()
            });
            continue;
        }
        let habit = section.last_mut().expect("a command comes first");
        match mark {
            "| " => habit.stdout.push(rest.into()),
            "! " => habit.stderr.push(rest.into()),
            "exit " => habit.exit = rest.parse().unwrap(),
            _ => panic!("line {}: `{line}`", n + 1),
        }
    }
    sections
}

/// The files that all sections begin with.
fn files() -> Folder {
    let folder = Folder::new();
    folder.save(
        "mask.npy",
        &[2, 3],
        &[true, false, true, false, true, false],
    );
    folder.save("i.npy", &[3], &[1i64, 2, 3]);
    folder.save("wide.npy", &[3], &[0.5f64, 1.5, 2.5]);
    let long: Vec<f32> = (0..300).map(|i| i as f32).collect();
    folder.save("long.npy", &[300], &long);
    let bytes = f32::to_bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let shape = Shape::new([2, 3]);
    let array = |name| (name, DType::F32, &shape, &bytes[..]);
    npy::write_npz(folder.path("two.npz"), &[array("a"), array("b")]).unwrap();
    npy::write_npz(folder.path("one.npz"), &[array("w")]).unwrap();
    let header = r#"{"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}"#;
    let model = [
        &(header.len() as u64).to_le_bytes(),
        header.as_bytes(),
        &bytes,
    ]
    .concat();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path(name), bytes).unwrap();
    write("model.safetensors", &model);
    write("x.raw", &bytes);
    write("table.csv", b"id,width,height\n1,2,3\n4,5,6\n7,8,9\n");
    write("words.csv", b"name,size\nant,1\nbee,two\n");
    write("holes.csv", b"1,2\n3,\n");
    write("plain.txt", b"# a comment\n1 2\n3 4\n");
    write("german.csv", b"1;2\n3;4\n");
    folder
}

/// What is wrong with a run; `None` if nothing.
fn fault(folder: &Folder, habit: &Habit) -> Option<String> {
    let binary = Path::new(env!("CARGO_BIN_EXE_zerostride"));
    let path = std::env::var("PATH").unwrap_or_default();
    let folder_of_binary = binary.parent().unwrap().display();
    let out = Command::new("sh")
        .args(["-c", &habit.command])
        .current_dir(folder.path(""))
        .env("NODEVICE_SELECT", "1")
        .env("PATH", format!("{folder_of_binary}:{path}"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (stdout, stderr) = (
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr),
    );
    let missing = |wanted: &[String], text: &str| {
        let mut rest = text;
        wanted
            .iter()
            .find_map(|words| match rest.find(words.as_str()) {
                Some(at) => {
                    rest = &rest[at + words.len()..];
                    None
                }
                None => Some(words.clone()),
            })
    };
    let reason = if out.status.code() != Some(habit.exit) {
        format!("exit {:?} instead of {}", out.status.code(), habit.exit)
    } else if stderr.contains("panicked") {
        "it panicked".into()
    } else if let Some(words) = missing(&habit.stdout, &stdout) {
        format!("`{words}` is not on stdout")
    } else {
        let words = missing(&habit.stderr, &stderr)?;
        format!("`{words}` is not on stderr")
    };
    Some(format!("{reason}\n  stdout: {stdout}\n  stderr: {stderr}"))
}

#[test]
fn what_people_type_does_what_they_expect() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/habits/commands");
    let sections = read(&fs::read_to_string(list).unwrap());
    let all: usize = sections.iter().map(Vec::len).sum();
    assert!(all >= 150, "{all} command lines");
    let (queue, faults) = (Mutex::new(sections.iter()), Mutex::new(Vec::new()));
    let run = || {
        while let Some(section) = { queue.lock().unwrap().next() } {
            let folder = files();
            for habit in section {
                let fault = fault(&folder, habit);
                if fault.is_some() == habit.works {
                    let why = fault.unwrap_or("it works now; write `$` for `?`".into());
                    let text = format!("line {}: {}\n  {why}", habit.line, habit.command);
                    faults.lock().unwrap().push((habit.line, text));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(run);
        scope.spawn(run);
    });
    let works = sections.iter().flatten().filter(|h| h.works).count();
    println!("habits: {works} of {all} command lines do what people expect");
    let mut faults = faults.into_inner().unwrap();
    faults.sort();
    let faults: Vec<String> = faults.into_iter().map(|(_, text)| text).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
