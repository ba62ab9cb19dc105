//! Expressions as text, run on tensors by name.

use super::Tensor;
use crate::device::Context;
use crate::error::{Error, Result};
use crate::expr::Expr;
use crate::rule::Rule;
use crate::text::{self, Program};

impl Context {
    /// Evaluates a text of the [expression language](crate::text) on tensors by name, under
    /// [`Rule::Numpy`], as one kernel if the adapter has enough bindings. Tensors that the text
    /// does not name are ignored.
    ///
    /// Parse a text that you run often only once: [`text::parse`], then
    /// [`Parsed::bind`](text::Parsed::bind) and [`Plan::new`](crate::Plan::new).
    ///
    /// ```
    /// # use zerostride::{Context, Error};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x = context.tensor(&[1.0f32, 2.0, 5.0, 6.0], [2, 2])?;
    /// let m = context.tensor(&[1.0f32, 2.0], [2])?;
    /// let y = context.eval_text("(x - m) / x.std(axis=0)", [("x", &x), ("m", &m)])?;
    /// assert_eq!(y.read_blocking::<f32>()?, [0.0, 0.0, 2.0, 2.0]);
    ///
    /// let error = context.eval_text("x - mean", [("x", &x)]).unwrap_err();
    /// assert!(matches!(error, Error::UnknownName { column: 5, .. }));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`Error::Syntax`], [`Error::UnknownName`] with the column, for a text that does not parse,
    ///   has several results, or names a tensor that is not given
    /// - [`Error::Argument`] for a name that is given twice
    /// - those of [`eval`](Self::eval), within [`Error::At`], which has the column
    pub fn eval_text<'a>(
        &self,
        source: &str,
        tensors: impl IntoIterator<Item = (&'a str, &'a Tensor)>,
    ) -> Result<Tensor> {
        let parsed = text::parse(source)?;
        let mut all = self.eval_program(parsed.program(), tensors)?;
        Ok(all.swap_remove(0))
    }

    /// Evaluates a text with one result or several, by one plan; see [`text::parse_all`].
    ///
    /// ```
    /// # use zerostride::Context;
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x = context.tensor(&[1.0f32, 2.0, 5.0, 6.0], [2, 2])?;
    /// let both = context.eval_text_all("m = x.mean(axis=0); m, x - m", [("x", &x)])?;
    /// assert_eq!(both[0].read_blocking::<f32>()?, [3.0, 4.0]);
    /// assert_eq!(both[1].read_blocking::<f32>()?, [-2.0, -2.0, 2.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`eval_text`](Self::eval_text), except that several results are allowed.
    pub fn eval_text_all<'a>(
        &self,
        source: &str,
        tensors: impl IntoIterator<Item = (&'a str, &'a Tensor)>,
    ) -> Result<Vec<Tensor>> {
        self.eval_program(&text::parse_all(source)?, tensors)
    }

    fn eval_program<'a>(
        &self,
        program: &Program,
        tensors: impl IntoIterator<Item = (&'a str, &'a Tensor)>,
    ) -> Result<Vec<Tensor>> {
        let (names, tensors): (Vec<&str>, Vec<&Tensor>) = tensors.into_iter().unzip();
        let is_again = |(i, name): &(usize, &&str)| names[..*i].contains(*name);
        if let Some((_, name)) = names.iter().enumerate().find(is_again) {
            let reason = format!("`{name}` is given twice");
            return Err(Error::argument("eval_text", reason));
        }
        let input = |i: usize| (tensors[i].dtype(), tensors[i].shape().clone());
        let exprs = program.bind_to(&names, input, &Rule::Numpy)?;
        let exprs = Expr::map_leaves(&exprs, |&slot| Ok(tensors[slot].clone()))?;
        self.eval_with(&exprs, &self.options())
            .map_err(text::with_hint)
    }
}
