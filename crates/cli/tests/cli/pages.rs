//! Completions and the man page.

use crate::Folder;

#[test]
fn shells_get_completions() {
    let folder = Folder::new();
    for (shell, words) in [
        ("bash", "complete -F _zerostride"),
        ("zsh", "#compdef zerostride"),
        ("fish", "complete -c zerostride"),
    ] {
        let text = folder.ok(&["completions", shell]);
        for words in [words, "eval", "adapters", "memory"] {
            assert!(text.contains(words), "{shell}: {words}");
        }
    }
    folder.fails(2, &["possible values: bash"], &["completions", "csh"]);
}

#[test]
fn the_man_page_tells_of_every_command_and_option() {
    let text = Folder::new().ok(&["man"]);
    for words in [
        ".TH zerostride 1",
        ".SH NAME",
        ".SH SYNOPSIS",
        "eval",
        "kernel",
        "adapters",
        "completions",
        "\\-\\-memory",
        "\\-\\-delimiter",
        "\\-\\-plot",
        "safetensors",
        "ZEROSTRIDE_ADAPTER",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}
