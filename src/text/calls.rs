//! Calls of the language's functions as expressions: `x.roll(1, 0)`. `build.rs` makes a method of each
//! line of `functions.txt`.

use super::{hints, parse};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Axes, Call, Expr, Kind, Literal, Origin};
use crate::rule::Rule;
use crate::shape::Shape;

/// An argument of a [function of the language](crate::text): an expression, a number, a truth, a word,
/// an element type, axes with `..` for all, or several in an array.
///
/// ```
/// use zerostride::Expr;
///
/// let x = Expr::slot(0);
/// let padded = x.pad([[1, 1], [0, 2]]).with("mode", "edge");
/// let middle = x.median(..).with("keepdims", true);
/// # let _ = (padded, middle);
/// ```
#[derive(Clone, Debug)]
pub struct Argument<L>(Value<L>);

#[derive(Clone, Debug)]
enum Value<L> {
    Operand(Expr<L>),
    Text(String),
    Several(Vec<Argument<L>>),
}

impl<L> Argument<L> {
    fn text(text: impl Into<String>) -> Self {
        Self(Value::Text(text.into()))
    }

    /// Its text; expressions become operands.
    fn written(self, operands: &mut Vec<Expr<L>>) -> String {
        match self.0 {
            Value::Text(text) => text,
            Value::Operand(expr) => match expr.kind() {
                Kind::Literal(number) => spelled(*number),
                _ => {
                    operands.push(expr);
                    format!("x{}", operands.len() - 1)
                }
            },
            Value::Several(items) => {
                let items = items.into_iter().map(|item| item.written(operands));
                format!("[{}]", items.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A number as the language writes it.
fn spelled(number: Literal) -> String {
    match number {
        Literal::Bool(true) => "True".into(),
        Literal::Bool(false) => "False".into(),
        Literal::Float(x) if x.is_nan() => "nan".into(),
        other => other.to_string(),
    }
}

impl<L, T: Into<Expr<L>>> From<T> for Argument<L> {
    fn from(operand: T) -> Self {
        Self(Value::Operand(operand.into()))
    }
}

impl<L> From<&str> for Argument<L> {
    fn from(word: &str) -> Self {
        Self::text(format!("'{word}'"))
    }
}

impl<L> From<DType> for Argument<L> {
    fn from(dtype: DType) -> Self {
        Self::text(dtype.to_string())
    }
}

impl<L> From<std::ops::RangeFull> for Argument<L> {
    fn from(_: std::ops::RangeFull) -> Self {
        Self::text("None")
    }
}

impl<L> From<Axes> for Argument<L> {
    fn from(axes: Axes) -> Self {
        Self::text(axes.to_string())
    }
}

impl<L, T: Into<Self>, const N: usize> From<[T; N]> for Argument<L> {
    fn from(items: [T; N]) -> Self {
        Self(Value::Several(items.into_iter().map(Into::into).collect()))
    }
}

impl<L, T: Into<Self>> From<Vec<T>> for Argument<L> {
    fn from(items: Vec<T>) -> Self {
        Self(Value::Several(items.into_iter().map(Into::into).collect()))
    }
}

/// The text of a call, and its operands.
fn written<L, A: Into<Argument<L>>>(
    function: &str,
    arguments: impl IntoIterator<Item = A>,
) -> (String, Vec<Expr<L>>) {
    let mut operands = Vec::new();
    let written = |argument: A| argument.into().written(&mut operands);
    let arguments: Vec<String> = arguments.into_iter().map(written).collect();
    (format!("{function}({})", arguments.join(", ")), operands)
}

/// The expression of a call's text for operands of these types and shapes.
fn make(source: &str, operands: &[(DType, Shape)]) -> Result<Expr<usize>> {
    let written = source.split('(').next().unwrap_or_default();
    if written == "with" {
        let reason = "only a call of a function, such as median, has further parameters";
        return Err(Error::argument("with", reason));
    }
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    if written.is_empty() || !written.chars().all(is_letter) {
        let reason = format!("unknown function `{written}`");
        return Err(Error::argument("call", reason));
    }
    let function = hints::spelled(written).unwrap_or("expression");
    let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let input = |i: usize| operands[i].clone();
    let made = parse(source).and_then(|parsed| parsed.bind_to(&names, input, &Rule::Numpy));
    // Columns are those of a text that nobody wrote.
    let origin = Origin {
        column: 0,
        called: Some(function),
    };
    match made {
        Ok(expr) => Ok(expr.made_of(&[], origin)),
        Err(Error::Syntax { reason, .. }) => {
            let own = reason.strip_prefix(function).unwrap_or(&reason);
            Err(Error::argument(function, own.trim_start()))
        }
        Err(Error::UnknownName { name, hint, .. }) => Err(Error::argument(
            "call",
            format!("unknown function `{name}`{hint}"),
        )),
        Err(Error::At { source, .. }) => Err(source.of(function)),
        Err(other) => Err(other),
    }
}

impl<L> Expr<L> {
    /// Calls a function of the [language](crate::text) by its name. Its parameters stand in
    /// [docs/operators.md]; [`with`](Self::with) gives those that have names.
    ///
    /// ```
    /// use zerostride::{Argument, DType, Expr, HostTensor, reference};
    ///
    /// let x = HostTensor::new(DType::U8, [4], vec![1, 2, 3, 4])?;
    /// let rolled = Expr::call("roll", [Argument::from(Expr::slot(0)), 1.into()]);
    /// assert_eq!(reference::run(&rolled, &[x])?.bytes, [4, 1, 2, 3]);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the expression is planned or run: [`Error::Argument`] and [`Error::Arity`] for a function
    /// that does not exist or arguments that it does not take, and those of its steps.
    ///
    /// [docs/operators.md]: https://github.com/zerostride/zerostride/blob/main/docs/operators.md
    pub fn call(function: &str, arguments: impl IntoIterator<Item: Into<Argument<L>>>) -> Self {
        Self::called(written(function, arguments))
    }

    fn called((source, operands): (String, Vec<Self>)) -> Self {
        let source = source.into();
        Self::node(Kind::Call(Call { source, make }), operands)
    }

    /// The same call with another parameter, which has NumPy's name: `x.median(0).with("keepdims", true)`.
    ///
    /// # Errors
    /// When the expression is planned or run: [`Error::Argument`] for an expression that is no call,
    /// and for a parameter that the function does not have.
    pub fn with(&self, parameter: &str, value: impl Into<Argument<L>>) -> Self {
        let Kind::Call(Call { source, .. }) = self.kind() else {
            return Self::call("with", [self]);
        };
        let mut operands = self.args().to_vec();
        let value = value.into().written(&mut operands);
        let end = source.rfind(')').unwrap_or(source.len());
        let (call, part) = source.split_at(end);
        Self::called((format!("{call}, {parameter}={value}{part}"), operands))
    }

    /// The two results of a call.
    fn results<const N: usize>(function: &str, arguments: [Argument<L>; N]) -> [Self; 2] {
        let (source, operands) = written(function, arguments);
        [0, 1].map(|part| Self::called((format!("{source}[{part}]"), operands.clone())))
    }
}

include!(concat!(env!("OUT_DIR"), "/functions.rs"));
