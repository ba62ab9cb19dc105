//! One number for many kernel texts: a change that should leave them as they are shows that it did.

use std::path::Path;

/// Prints the digest of these texts, in this order, and compares it with the one of this name in
/// `tests/kernels/digests.txt`. `ZEROSTRIDE_BLESS=1` writes it there instead.
pub fn check<'a>(name: &str, texts: impl ExactSizeIterator<Item = &'a String>) {
    let count = texts.len();
    let line = format!(
        "{name}: {count} texts, {:016x}",
        fnv1a(texts.flat_map(|text| text.bytes().chain([0])))
    );
    eprintln!("kernel texts: {line}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/digests.txt");
    let all = std::fs::read_to_string(&path).unwrap_or_default();
    if std::env::var_os("ZEROSTRIDE_BLESS").is_none() {
        let advice = "see tests/kernels for what changed; ZEROSTRIDE_BLESS=1 and --test-threads=1 write the digests anew";
        return assert!(
            all.lines().any(|l| l == line),
            "the kernels are not those of digests.txt: {line}\n{advice}"
        );
    }
    let others = all.lines().filter(|l| !l.starts_with(&format!("{name}:")));
    let mut lines: Vec<&str> = others.chain([line.as_str()]).collect();
    lines.sort_unstable();
    std::fs::write(path, lines.join("\n") + "\n").expect("the digests can be written");
}

/// The 64-bit FNV-1a hash.
pub fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
