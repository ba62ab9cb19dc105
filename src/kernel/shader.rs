//! The files of `shaders/`: unchanged, or, in browsers, without comments and empty lines.

/// The text of a file of `shaders/`.
#[cfg(not(target_family = "wasm"))]
macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $name))
    };
}

/// The text of a file of `shaders/`, bare.
#[cfg(target_family = "wasm")]
macro_rules! shader {
    ($name:literal) => {{
        const FULL: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $name));
        const BARE: [u8; crate::kernel::shader::bare::<0>(FULL).1] =
            crate::kernel::shader::bare(FULL).0;
        match str::from_utf8(&BARE) {
            Ok(text) => text,
            Err(_) => panic!("the shaders are UTF-8"),
        }
    }};
}

pub(super) use shader;

/// Removes comments and empty lines, and shortens indentation to one space. Returns the first `N` bytes and the total
/// number.
#[cfg(any(test, target_family = "wasm"))]
pub(super) const fn bare<const N: usize>(full: &[u8]) -> ([u8; N], usize) {
    let mut out = [0; N];
    let (mut at, mut count) = (0, 0);
    while at < full.len() {
        let start = at;
        while at < full.len() && full[at] == b' ' {
            at += 1;
        }
        let first = at;
        let mut end = at;
        while at < full.len() && full[at] != b'\n' {
            if full[at] == b'/' && at + 1 < full.len() && full[at + 1] == b'/' {
                while at < full.len() && full[at] != b'\n' {
                    at += 1;
                }
            } else {
                at += 1;
                if full[at - 1] != b' ' {
                    end = at;
                }
            }
        }
        at += 1;
        if end == first {
            continue;
        }
        let mut from = if first > start { first - 1 } else { first };
        while from < end {
            if count < N {
                out[count] = full[from];
            }
            count += 1;
            from += 1;
        }
        if count < N {
            out[count] = b'\n';
        }
        count += 1;
    }
    (out, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_text_is_the_text_without_comments_and_indentation() {
        let full = b"// What it is.\n\nfn f(x: u32) -> u32 {\n    // Half.\n    return x / 2u; // rounded down\n}\n\nconst A = 1u;\n";
        let bared = b"fn f(x: u32) -> u32 {\n return x / 2u;\n}\nconst A = 1u;\n";
        let (text, count) = bare::<1000>(full);
        assert_eq!(
            (&text[..count], bare::<0>(full).1),
            (&bared[..], bared.len())
        );
    }

    #[test]
    fn every_file_of_shaders_keeps_its_words_when_it_is_bare() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");
        let words = |text: &str| -> Vec<String> {
            let code = text
                .lines()
                .map(|line| line.split("//").next().unwrap_or(""));
            code.flat_map(str::split_whitespace)
                .map(String::from)
                .collect()
        };
        let mut files = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let full = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let (text, count) = bare::<65_536>(full.as_bytes());
            let text = std::str::from_utf8(&text[..count]).unwrap();
            assert_eq!(words(&full), words(text));
            assert!(!text.contains("//") && !text.contains("\n\n") && !text.contains("\n  "));
            files += 1;
        }
        assert!(files > 20);
    }
}
