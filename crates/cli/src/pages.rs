//! `completions` and `man`: completion scripts and man pages of this command.

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell: bash, elvish, fish, powershell or zsh
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  zerostride completions bash > ~/.local/share/bash-completion/completions/zerostride
  zerostride completions zsh > ~/.zfunc/_zerostride
  zerostride completions fish > ~/.config/fish/completions/zerostride.fish";

#[derive(clap::Args)]
#[command(after_help = PAGES)]
pub struct ManArgs {
    /// Print the page of this command, as eval, not the program's
    command: Option<String>,
}

const PAGES: &str = "\
Examples:
  zerostride man | man -l -
  zerostride man eval > ~/.local/share/man/man1/zerostride-eval.1";

pub fn completions(args: &CompletionsArgs, mut command: Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "zerostride", &mut text);
    output::bytes(&text)
}

/// The page of the program, or of one of its commands.
pub fn man(args: &ManArgs, command: Command) -> Result<(), Failure> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let command = match &args.command {
        None => &command,
        Some(name) => command.find_subcommand(name).ok_or_else(|| {
            let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            Failure::Usage(format!(
                "unknown command `{}`; the commands are {}",
                zerostride::message::escape(name),
                names.join(", ")
            ))
        })?,
    };
    let page = page(command).map_err(|e| Failure::Failed(format!("the man page: {e}")))?;
    output::bytes(&page)
}

fn page(command: &Command) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let man = Man::new(command.clone());
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    // Line by line, which the page's own section is not.
    if let Some(examples) = command.get_after_help() {
        text.extend_from_slice(b".SH EXAMPLES\n.nf\n");
        let examples = examples.to_string();
        for line in examples.lines().filter(|line| *line != "Examples:") {
            text.extend_from_slice(format!("{}\n", roff(line)).as_bytes());
        }
        text.extend_from_slice(b".fi\n");
    }
    Ok(text)
}

/// Escapes a line so that `roff` prints it unchanged.
fn roff(line: &str) -> String {
    let escaped = line.replace('\\', "\\e").replace('-', "\\-");
    match escaped.starts_with(['.', '\'']) {
        true => format!("\\&{escaped}"),
        false => escaped,
    }
}
