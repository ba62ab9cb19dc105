//! The command: broadcast array expressions over files, on any adapter of the machine.

mod adapters;
mod advice;
mod context;
mod eval;
mod expression;
mod failure;
mod input;
mod interrupt;
mod kernel;
mod language;
mod mesa;
mod onnx;
mod ops;
mod output;
mod pages;
mod parts;
mod plot;
mod show;
mod stream;
mod summary;
mod tables;
mod target;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use failure::Failure;
use zerostride::text;

/// NumPy-style broadcast elementwise expressions on any GPU.
///
/// The environment variable ZEROSTRIDE_ADAPTER names the adapter if --adapter is not given.
/// ZEROSTRIDE_KERNEL_CACHE names a folder that keeps compiled Vulkan kernels between runs (only
/// trusted programs should write to it). Exit codes: 0 done, 1 the operation failed, 2 the command
/// line is wrong, 130 ended by a signal while a file was written.
#[derive(Parser)]
#[command(name = "zerostride", version, after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  zerostride eval '(x - x.mean(axis=0)) / x.std(axis=0)' x=wine.npy -o z.npy
  zerostride kernel 'x * y' 'x=f32[8,1,4]' 'y=f32[3,1]' --explain
  zerostride onnx run model.onnx x=x.npy -o out/
  zerostride adapters";

#[derive(Subcommand)]
enum Command {
    /// Compute an expression over arrays from files
    Eval(eval::Args),
    /// Check whether all parts of a file are written
    Check(parts::Args),
    /// List the adapters of this machine with their limits
    Adapters(adapters::Args),
    /// List the operators and reductions of the expression language
    Ops(ops::Args),
    /// List the whole expression language, with an example of each part
    Language(language::Args),
    /// Show the plan and the kernels of an expression; needs no GPU
    Kernel(kernel::Args),
    /// Run and explain models from ONNX files
    Onnx(onnx::Args),
    /// Print a shell's completion script
    Completions(pages::CompletionsArgs),
    /// Print a man page
    Man(pages::ManArgs),
}

fn main() -> ExitCode {
    mesa::leave_out_desktop();
    text::advise(text::Advice {
        instead: zerostride_advice::instead,
        module: zerostride_advice::module,
        method_of: zerostride_advice::method_of,
    });
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(error),
    };
    let done = match cli.command {
        Command::Eval(args) => eval::run(&args),
        Command::Check(args) => parts::run(&args),
        Command::Adapters(args) => adapters::run(&args),
        Command::Ops(args) => ops::run(&args),
        Command::Language(args) => language::run(&args),
        Command::Kernel(args) => kernel::run(&args),
        Command::Onnx(args) => onnx::run(&args),
        Command::Completions(args) => pages::completions(&args, Cli::command()),
        Command::Man(args) => pages::man(&args, Cli::command()),
    };
    done.map_or_else(|failure: Failure| failure.report(), |()| ExitCode::SUCCESS)
}
