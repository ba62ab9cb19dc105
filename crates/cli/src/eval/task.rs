//! The arrays and the results of a command line.

use zerostride::stream::Input;
use zerostride::{DType, Error, Expr, HostTensor};
use zerostride_files::Source;

use super::args::Args;
use crate::advice;
use crate::expression::Expression;
use crate::failure::{self, Failure};
use crate::input;

/// Arrays of a command line, with their names.
pub struct Arrays<'a> {
    pub args: &'a Args,
    pub names: Vec<&'a str>,
    pub sources: Vec<&'a Source>,
}

impl Arrays<'_> {
    /// Refuses to read standard input twice.
    pub fn check_stdin(&self) -> Result<(), Failure> {
        let sources = self.sources.iter().copied();
        input::check_stdin(self.names.iter().copied().zip(sources))
    }

    /// Refuses an array that no buffer of the device can hold, before its elements are read.
    pub fn check_sizes(&self) -> Result<(), Failure> {
        /// Smaller arrays are not checked: they fit in every device's buffers, or are read fast.
        const SMALL: u64 = 1 << 30;
        let reading = self.args.reading();
        for (name, source) in self.names.iter().zip(&self.sources) {
            let Some(bytes) = source.bytes(&reading)?.filter(|&bytes| bytes > SMALL) else {
                continue;
            };
            let limit = self.args.context()?.device().limits().max_buffer_size;
            if bytes > limit {
                let what = format!("input `{name}`");
                return Err(Error::BufferTooLarge { what, bytes, limit }.into());
            }
        }
        Ok(())
    }

    /// Whether to try a run piece by piece by default: files in, one file out, and inputs so large that it is faster.
    /// Not with --json, which needs more in memory, nor with --verify, which must not write a wrong result.
    pub fn may_be_streamed(&self) -> Result<bool, Failure> {
        const LARGE: u64 = 64 << 20;
        let args = self.args;
        let [target] = args.output.as_slice() else {
            return Ok(false);
        };
        let is_other = args.wgsl || args.json || args.verify || args.plot.is_some();
        let is_file =
            target.streamed(false).is_some() && !self.sources.iter().any(|s| s.is_stdin());
        if is_other || !is_file {
            return Ok(false);
        }
        let reading = args.reading();
        let mut bytes = 0u64;
        for source in &self.sources {
            bytes = bytes.saturating_add(source.bytes(&reading)?.unwrap_or(0));
        }
        Ok(bytes >= LARGE)
    }

    /// Reads the arrays as a whole.
    pub fn read(&self) -> Result<Vec<HostTensor>, Failure> {
        let reading = self.args.reading();
        let read = |source: &&Source| Ok(source.read(&reading)?);
        self.sources.iter().map(read).collect()
    }

    /// Opens the arrays for reading piece by piece.
    pub fn open(&self) -> Result<Vec<Box<dyn Input>>, Failure> {
        let reading = self.args.reading();
        let open = |source: &&Source| Ok(source.open(&reading)?);
        self.sources.iter().map(open).collect()
    }
}

/// The results of a command line, each an expression whose leaves are the indices of the arrays.
pub struct Task<'a> {
    pub arrays: &'a Arrays<'a>,
    pub expression: &'a Expression,
    pub exprs: &'a [Expr<usize>],
}

impl Task<'_> {
    /// Turns an error of the expression into a failure.
    pub fn failure(&self, error: Error) -> Failure {
        self.expression.failure(error)
    }

    /// Says that large arrays are read as a whole, and why.
    pub fn say_that_all_is_read(&self, reason: &Error) {
        if !self.arrays.args.quiet {
            failure::note(&format!("the arrays are read as a whole: {reason}"));
        }
    }

    /// Says where integers become f32, unless --quiet is given.
    pub fn say_what_is_rounded(&self, dtypes: &[DType]) -> Result<(), Error> {
        let args = self.arrays.args;
        let mut said = self.exprs.iter().filter(|_| !args.quiet);
        said.try_for_each(|expr| {
            let promotion = args.options().promotion;
            advice::say_what_is_rounded(self.expression, expr, promotion, dtypes)
        })
    }
}
