//! `completions` and `man`: what a shell and `man` show of this command.

use clap::Command;
use clap_complete::Shell;

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// bash, elvish, fish, powershell or zsh
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  zerostride completions bash > ~/.local/share/bash-completion/completions/zerostride
  zerostride completions zsh > ~/.zfunc/_zerostride
  zerostride completions fish > ~/.config/fish/completions/zerostride.fish";

pub fn completions(args: &Args, mut command: Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "zerostride", &mut text);
    output::bytes(&text)
}

/// One page: the command and then each of its subcommands.
pub fn man(mut command: Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    let fail = |e: std::io::Error| Failure::Failed(format!("the man page: {e}"));
    command.build();
    clap_mangen::Man::new(command.clone())
        .render(&mut text)
        .map_err(fail)?;
    for sub in command.get_subcommands().filter(|c| c.get_name() != "help") {
        let page = clap_mangen::Man::new(sub.clone());
        // A heading of its own, under which the sections of a page would be too high.
        let heading = format!(".SH \"{}\"\n", sub.get_name().to_uppercase());
        text.extend_from_slice(heading.as_bytes());
        page.render_description_section(&mut text).map_err(fail)?;
        page.render_options_section(&mut text).map_err(fail)?;
    }
    output::bytes(&text)
}
