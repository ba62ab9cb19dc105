//! Custom operators.
//!
//! A [`CustomOp`] builds an [`Op`] beside those of the table: it has names, a form for each class
//! of values (WGSL, and a closure for the CPU), and facts. When it is built, naga checks the WGSL,
//! and this module checks that it is pure; kernels get its functions under unique names.

mod check;
mod formula;
#[cfg(not(target_family = "wasm"))]
mod pure;
mod source;
#[cfg(test)]
mod tests;
mod value;

pub use value::{CustomResult, CustomValue};

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;

use crate::dtype::{Class, DType, DTypes};
use crate::error::{Error, Result};
use crate::expr::Expr;
use crate::op::{
    Arity, Bound, Cost, Curve, Derivative, Facts, Form, Numbers, OnCpu, Op, Operands, Promote, Row,
    Term, Turns, Types, Value, exact,
};

/// The most operands: with the result, they fit the bindings that WebGPU grants.
const MOST_OPERANDS: usize = 7;

/// The assumed turns of a quad's loops, since their number cannot be known.
const LOOPS: Turns = &[
    (Class::Bool, [64, 64]),
    (Class::U32, [64, 64]),
    (Class::I32, [64, 64]),
    (Class::F32, [64, 64]),
    (Class::U64, [64, 64]),
    (Class::I64, [64, 64]),
    (Class::F64, [64, 64]),
];

/// Builds a custom operator of `N` operands, for use wherever a built-in operator is accepted:
/// [`Expr::step`] and [`Expr::promoting`], [`Tensor::apply`](crate::Tensor::apply),
/// [`reference::run`](crate::reference::run), plans, gradients if it has a derivative, and texts
/// through [`text::Language`](crate::text::Language).
///
/// ```
/// use zerostride::{CustomOp, DType, Expr, HostTensor, reference};
///
/// let hill = CustomOp::new("hill", ["x", "width"])
///     .doc("1 at 0, and 0 from width on.")
///     .form("max(1.0 - abs(x) / width, vec4<f32>(0.0))", |[x, width]: [f32; 2]| {
///         (1.0 - x.abs() / width).max(0.0)
///     })
///     .derivative(|g, [x, width], r| {
///         let inside = g * r.greater(&Expr::literal(0.0)).cast(DType::F32);
///         [-(&inside * x.sign()) / width, &inside * x.abs() / (width * width)]
///     })
///     .build()?;
/// let x = HostTensor::new(DType::F32, [2], bytemuck::cast_slice(&[1.0f32, -3.0]).to_vec())?;
/// let expr = Expr::promoting(hill, [Expr::slot(0), Expr::literal(2)]) + 1.0;
/// let found = reference::run(&expr, &[x])?;
/// assert_eq!(found.bytes, bytemuck::cast_slice(&[1.5f32, 1.0]));
/// # Ok::<(), zerostride::Error>(())
/// ```
///
/// Build an operator once: what [`build`](Self::build) returns is never freed, and a second build
/// gives a different operator, even under the same name.
#[must_use]
pub struct CustomOp<const N: usize> {
    name: String,
    operands: [String; N],
    doc: String,
    accepts: Option<DTypes>,
    forms: Vec<Draft>,
    ulps: i64,
    curve: Curve,
    derivative: Option<[Expr<usize>; N]>,
}

/// A form that is not checked yet.
struct Draft {
    class: Class,
    dtypes: &'static [DType],
    gives_bool: bool,
    wgsl: String,
    cpu: Box<OnCpu>,
}

impl Draft {
    fn has_loop(&self) -> bool {
        let mut words = self.wgsl.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| matches!(word, "for" | "while" | "loop"))
    }

    /// The form, with its WGSL as kernels contain it.
    fn form(self, text: &check::Checked) -> (Class, Form) {
        let form = Form {
            read: match self.class {
                Class::F64 => Operands::Native,
                _ => Operands::Values,
            },
            wgsl: leaked(&text.call),
            fast: None,
            packed: None,
            functions: leaked(&text.functions),
            cpu: Box::leak(self.cpu),
        };
        (self.class, form)
    }
}

impl<const N: usize> CustomOp<N> {
    /// An operator of this name, with the names of its operands.
    pub fn new(name: impl Into<String>, operands: [impl Into<String>; N]) -> Self {
        Self {
            name: name.into(),
            operands: operands.map(Into::into),
            doc: String::new(),
            accepts: None,
            forms: Vec::new(),
            ulps: 4,
            curve: Curve::Jumps,
            derivative: None,
        }
    }

    /// Describes the operator, in sentences, for [`Op::doc`].
    pub fn doc(mut self, doc: impl Into<String>) -> Self {
        self.doc = doc.into();
        self
    }

    /// Adds a form for one type of value: in WGSL for four elements at once, on the CPU for one.
    ///
    /// The closure's operand type decides which element types the form is for: see [`CustomValue`].
    /// All operands have the same element type. The result has it too, or is bool: either way in
    /// all forms, though a form from bool to bool fits both. A type of value may have one form.
    ///
    /// The WGSL must be an expression of the operands' names, or functions and constants, with one
    /// function of the operator's name from the operands to the result, as `vec4`s. It may call
    /// WGSL's builtin functions. Variables outside functions, attributes, structures, overrides,
    /// barriers and fragment derivatives are not allowed. Loops are allowed, but a loop that does
    /// not end loses the device. Divisions by 0 and arguments that a function is not defined for
    /// are up to the caller; adapters differ in NaN, subnormal numbers and builtin functions, see
    /// [docs/accuracy.md](https://github.com/zerostride/zerostride/blob/main/docs/accuracy.md).
    ///
    /// f16 and bf16 are computed as f32 and rounded after each step, narrow integers with 32 bits
    /// and wrapped. So the closure gets f32 and 32-bit integers too.
    pub fn form<T: CustomValue, R: CustomResult<T>>(
        mut self,
        wgsl: impl Into<String>,
        cpu: impl Fn([T; N]) -> R + Send + Sync + 'static,
    ) -> Self {
        let cpu = AssertUnwindSafe(cpu);
        self.forms.push(Draft {
            class: T::CLASS,
            dtypes: T::DTYPES,
            gives_bool: R::IS_BOOL,
            wgsl: wgsl.into(),
            cpu: Box::new(move |values: &[Value]| {
                let cpu = &cpu;
                let operand = |i: usize| T::of(values.get(i).copied().unwrap_or(Value::U32(0)));
                (cpu.0)(std::array::from_fn(operand)).value()
            }),
        });
        self
    }

    /// Restricts the element types that the operator accepts; by default all that it has forms for.
    /// A promoting step casts operands to their common type; if only floats are accepted, it first
    /// casts other types to floats.
    pub fn accepts(mut self, dtypes: impl IntoIterator<Item = DType>) -> Self {
        self.accepts = Some(DTypes::of(&dtypes.into_iter().collect::<Vec<_>>()));
        self
    }

    /// How far an adapter's f32 or f64 may be from the closure's, in units in the last place; 4 by
    /// default. [`Op::ulps`] returns it; nothing measures it.
    #[doc(hidden)]
    pub fn ulps(mut self, ulps: u32) -> Self {
        self.ulps = i64::from(ulps);
        self
    }

    /// How the result changes with an operand; by default [`Curve::Jumps`], which promises
    /// nothing.
    #[doc(hidden)]
    pub fn curve(mut self, curve: Curve) -> Self {
        self.curve = curve;
        self
    }

    /// Sets the gradient of each operand: `formula` takes the gradient `g` of the result, the
    /// operands and the result, and is called once, here. Its expressions must be elementwise, and
    /// each must be its operand's derivative times `g`. Broadcasts, and sums over broadcast axes,
    /// are added to them.
    ///
    /// f16 and bf16 are differentiated in f32: a formula computes in f32, or in f64 for f64.
    /// Without a derivative, a gradient through the operator is an [`Error::Unsupported`].
    pub fn derivative(
        mut self,
        formula: impl FnOnce(&Expr<usize>, [&Expr<usize>; N], &Expr<usize>) -> [Expr<usize>; N],
    ) -> Self {
        let slots: [Expr<usize>; N] = std::array::from_fn(Expr::slot);
        let (g, r) = (Expr::slot(N), Expr::slot(N + 1));
        self.derivative = Some(formula(&g, slots.each_ref(), &r));
        self
    }

    /// Builds the operator. Its memory is never freed.
    ///
    /// naga checks the WGSL, but not in browsers. The adapter's own compiler first gets it within a
    /// kernel, and may still refuse it then, with an [`Error::Kernel`].
    ///
    /// # Errors
    /// - [`Error::Wgsl`] with line and column for WGSL that naga refuses, that lacks the operands
    ///   or the result, or that does more than compute
    /// - [`Error::Argument`] for a name that WGSL does not accept or a built-in operator has; no
    ///   operands, more than 7, or two of one name; no form, two for one type, or forms that differ
    ///   in their results; element types without a form; a derivative that is not a float formula
    pub fn build(self) -> Result<Op> {
        self.check_names()?;
        let gives_truths = |f: &Draft| f.gives_bool && f.class != Class::Bool;
        let is_test = self.forms.iter().any(gives_truths);
        let accepts = self.accepted(is_test)?;
        let derivative = self.terms(accepts)?;
        let operands = self.operands.each_ref().map(String::as_str);
        let texts = self.forms.iter().map(|draft| {
            let text = check::Text {
                op: &self.name,
                operands: &operands,
                class: draft.class,
                is_test: draft.gives_bool,
                wgsl: &draft.wgsl,
            };
            text.checked()
        });
        let texts: Vec<check::Checked> = texts.collect::<Result<_>>()?;
        let loops = self.forms.iter().any(Draft::has_loop);
        let cost = match texts.iter().any(|text| text.is_costly) {
            true => Cost::Costly,
            false => Cost::Cheap,
        };
        let forms = self.forms.into_iter().zip(texts);
        let forms: Vec<(Class, Form)> = forms.map(|(draft, text)| draft.form(&text)).collect();
        let promotion = match accepts.iter().all(DType::is_float) {
            true => Promote::ToFloats,
            false => Promote::Refuse,
        };
        Ok(Op::beside_the_table(Row {
            name: leaked(&self.name),
            doc: leaked(&self.doc),
            operands: Box::leak(Box::new(operands.map(leaked))),
            defaults: &[],
            arity: Arity::Exactly(N),
            types: match is_test {
                true => Types::Test(accepts),
                false => Types::Same(accepts),
            },
            facts: Facts {
                accuracy: Bound::Ulps(self.ulps),
                cost,
                turns: if loops { LOOPS } else { &[] },
                renormalize: true,
                ..exact(self.curve, promotion, Numbers::Never, derivative)
            },
            fold: None,
            forms: Box::leak(forms.into_boxed_slice()),
        }))
    }

    /// The element types that the operator accepts.
    fn accepted(&self, is_test: bool) -> Result<DTypes> {
        let refuse = |reason: String| Err(Error::argument(&self.name, reason));
        if self.forms.is_empty() {
            return refuse("it has no form".into());
        }
        let mut taken: Vec<DType> = Vec::new();
        for form in &self.forms {
            if taken.contains(&form.dtypes[0]) {
                let types = DTypes::of(form.dtypes);
                return refuse(format!("it has two forms for {types}"));
            }
            if form.gives_bool != is_test && form.class != Class::Bool {
                return refuse("some of its forms give a bool, others do not".into());
            }
            taken.extend(form.dtypes);
        }
        let accepts = self.accepts.unwrap_or(DTypes::of(&taken));
        if accepts.iter().next().is_none() {
            return refuse("it accepts no element type".into());
        }
        match accepts.iter().find(|d| !taken.contains(d)) {
            None => Ok(accepts),
            Some(dtype) => refuse(match dtype.class() {
                Class::U64 | Class::I64 => {
                    format!("custom operators do not support {dtype}")
                }
                _ => format!("it has no form for {dtype}"),
            }),
        }
    }

    fn check_names(&self) -> Result<()> {
        let refuse = |reason: String| Err(Error::argument(&self.name, reason));
        if let Err(reason) = check::name(&self.name) {
            return refuse(format!("not a valid operator name: {reason}"));
        }
        if Op::named(&self.name).is_some() {
            return refuse("a built-in operator has this name".into());
        }
        if N == 0 || N > MOST_OPERANDS {
            return refuse(format!(
                "it has {N} operands; 1 to {MOST_OPERANDS} are supported"
            ));
        }
        let mut seen = HashSet::new();
        for operand in &self.operands {
            if let Err(reason) = check::name(operand) {
                return refuse(format!("{operand:?} is not a valid operand name: {reason}"));
            }
            if *operand == self.name || !seen.insert(operand) {
                return refuse(format!("the name {operand} occurs twice"));
            }
        }
        Ok(())
    }

    /// The derivative's terms.
    fn terms(&self, accepts: DTypes) -> Result<Derivative> {
        let Some(formulas) = &self.derivative else {
            return Ok(Derivative::Never("it was built without a derivative"));
        };
        // What has a form for f64 is checked on it, since its numbers may be of that.
        let float = match accepts.contains(DType::F64) {
            true => DType::F64,
            false => DType::F32,
        };
        let term = |formula| formula::term(&self.name, formula, N, float);
        let terms: Vec<Term> = formulas.iter().map(term).collect::<Result<_>>()?;
        Ok(Derivative::Terms(Box::leak(terms.into_boxed_slice())))
    }
}

/// A text that lives as long as the program.
fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

impl<const N: usize> std::fmt::Debug for CustomOp<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({})", self.name, self.operands.join(", "))
    }
}
