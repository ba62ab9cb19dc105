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
fn man_pages_tell_of_every_command_and_option() {
    let folder = Folder::new();
    for (args, words) in [
        (
            &["man"][..],
            &[
                ".TH zerostride 1",
                ".SH SYNOPSIS",
                "zerostride\\-eval(1)",
                "zerostride\\-completions(1)",
                "ZEROSTRIDE_ADAPTER",
                ".SH EXAMPLES",
            ][..],
        ),
        (
            &["man", "eval"],
            &[
                ".TH zerostride-eval 1",
                "\\-\\-memory",
                "\\-\\-delimiter",
                "\\-\\-plot",
                "x=x.safetensors:w",
                "\n  zerostride eval \'where(x > limit, limit, x)\' x=x.npy limit=1.5\n",
            ],
        ),
        (
            &["man", "kernel"],
            &[".TH zerostride-kernel 1", "\\-\\-emit"],
        ),
    ] {
        let text = folder.ok(args);
        for words in words {
            assert!(text.contains(words), "{words}\n{text}");
        }
    }
    folder.fails(
        2,
        &["unknown command `evla`; the commands are eval, check, adapters"],
        &["man", "evla"],
    );
}
