//! How much memory a run has.

use std::fs;
use std::process::Child;
use std::time::Duration;

use super::start;
use crate::Folder;

/// The most memory a run had, in bytes.
pub fn peak(mut child: Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let found = line.and_then(|l| l.trim().trim_end_matches(" kB").trim().parse::<u64>().ok());
        peak = peak.max(found.unwrap_or(0) << 10);
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return peak;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A file of zeros with some other bytes, which takes no room on most file systems.
fn sparse(folder: &Folder, name: &str, rows: usize, columns: usize) {
    use std::os::unix::fs::FileExt;
    folder.save(name, &[1, 1], &[0u8]);
    let file = fs::OpenOptions::new()
        .write(true)
        .open(folder.path(name))
        .unwrap();
    let mut head =
        format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    head.push_str(&" ".repeat(117 - head.len()));
    head.push('\n');
    file.write_all_at(head.as_bytes(), 10).unwrap();
    file.set_len((128 + rows * columns) as u64).unwrap();
    for row in (0..rows).step_by(97) {
        file.write_all_at(&[row as u8], (128 + row * columns + row % columns) as u64)
            .unwrap();
    }
}

/// Streams bytes to floats with 128 MiB allowed and gives the seconds it took.
fn stream_large(rows: usize) -> f64 {
    use std::os::unix::fs::FileExt;
    let (folder, columns) = (Folder::new(), 16_385);
    sparse(&folder, "bytes.npy", rows, columns);
    let row: Vec<f32> = (0..columns).map(|i| i as f32).collect();
    folder.save("row.npy", &[columns], &row);
    let args = ["eval", "x * 2 + r", "r=row.npy", "--memory", "128MiB"];
    let run = |more: &[&str]| start(&folder, &[&args[..], more].concat());
    sparse(&folder, "small.npy", 2, columns);
    let base = peak(run(&["x=small.npy", "-o", "small_out.npy"]));
    let started = std::time::Instant::now();
    let most = peak(run(&["x=bytes.npy", "-o", "out.npy"]));
    let seconds = started.elapsed().as_secs_f64();
    eprintln!(
        "{rows} rows: {seconds:.1} s, at most {} MiB, {} of them without the arrays",
        most >> 20,
        base >> 20
    );
    assert!(
        most - base <= 128 << 20,
        "{} MiB are held",
        (most - base) >> 20
    );
    let out = fs::File::open(folder.path("out.npy")).unwrap();
    assert_eq!(
        out.metadata().unwrap().len(),
        (128 + rows * columns * 4) as u64
    );
    let mut found = vec![0u8; columns * 4];
    for number in (0..rows).step_by(97) {
        out.read_exact_at(&mut found, (128 + number * columns * 4) as u64)
            .unwrap();
        for (i, value) in found.chunks_exact(4).enumerate() {
            let x = if i == number % columns {
                (number as u8).wrapping_mul(2)
            } else {
                0
            };
            let expected = f32::from(x) + i as f32;
            assert_eq!(
                f32::from_le_bytes(value.try_into().unwrap()),
                expected,
                "row {number}, column {i}"
            );
        }
    }
    seconds
}

#[test]
fn a_gibibyte_is_computed_in_128_mebibytes() {
    stream_large(16_384);
}

/// On demand: `ZEROSTRIDE_HUGE=1 cargo test --release --all-features --test cli twenty --
/// --nocapture`. It needs 20 GiB of disk.
#[test]
fn twenty_gibibytes_are_computed_in_128_mebibytes() {
    if std::env::var_os("ZEROSTRIDE_HUGE").is_none() {
        eprintln!("not run: ZEROSTRIDE_HUGE is not set");
        return;
    }
    stream_large(20 * 16_384);
}

/// A run that is asked for nothing but its output.
#[test]
fn large_files_are_read_and_written_piece_by_piece_unasked() {
    let folder = Folder::new();
    sparse(&folder, "bytes.npy", 4097, 16_385);
    let args = ["eval", "x * 2 + 1", "x=bytes.npy", "-o"];
    let text = folder.ok(&[&args[..], &["pieces.npy"]].concat());
    assert!(
        text.starts_with("written to pieces.npy: 67129345 bytes in ") && text.contains(" window"),
        "{text}"
    );
    // --json says more of a run in memory.
    let text = folder.ok(&[&args[..], &["whole.npy", "--json"]].concat());
    assert!(text.contains("\"shape\""), "{text}");
    let [pieces, whole] =
        ["pieces.npy", "whole.npy"].map(|name| fs::read(folder.path(name)).unwrap());
    assert!(pieces == whole);
}
