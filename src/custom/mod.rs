//! Operators of the user's own.
//!
//! A [`CustomOp`] builds an [`Op`] that stands beside the table: it has names, a form for each class
//! of values (WGSL, and a closure for the CPU), and facts. naga checks the text when the operator is
//! built, and that it is pure; kernels get its functions under names that no other text has.

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

/// The most operands: the result and they fit the bindings that WebGPU grants.
const MOST_OPERANDS: usize = 7;

/// Turns that a quad's loops are taken for: how many there are cannot be known.
const LOOPS: Turns = &[
    (Class::Bool, [64, 64]),
    (Class::U32, [64, 64]),
    (Class::I32, [64, 64]),
    (Class::F32, [64, 64]),
    (Class::U64, [64, 64]),
    (Class::I64, [64, 64]),
    (Class::F64, [64, 64]),
];

/// Builds an operator of the user's own, of `N` operands, which goes wherever a row of the table
/// goes: [`Expr::step`] and [`Expr::promoting`], [`Tensor::apply`](crate::Tensor::apply),
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
/// Make an operator once: what [`build`](Self::build) returns lives as long as the program.
/// Operators that are built apart are different ones, also under one name.
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

    /// The form with its text as kernels have it.
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

    /// What it computes, in sentences, for [`Op::doc`].
    pub fn doc(mut self, doc: impl Into<String>) -> Self {
        self.doc = doc.into();
        self
    }

    /// The operator on values of a type: in WGSL on four elements at once, and on one on the CPU.
    ///
    /// The type of the closure's operands says which element types these are: see [`CustomValue`].
    /// All operands have one of them. The result has it too, or is bool; that is alike for all forms,
    /// but that bool of bool fits both. An operator has at most one form for each type of value.
    ///
    /// The WGSL is an expression in the operands' names, or functions and constants, among them one
    /// of the operator's name that takes the operands and gives the result, as `vec4`s. It has WGSL's
    /// builtin functions and nothing else: no variables outside functions, attributes, structures,
    /// overrides, barriers, derivatives of fragments. Loops are let through: whether they end cannot
    /// be judged, and one that does not takes the device away. What is called in vain or divides by 0
    /// is the caller's to know; adapters differ in NaN, subnormal numbers and builtin functions, see
    /// [docs/accuracy.md](https://github.com/zerostride/zerostride/blob/main/docs/accuracy.md).
    ///
    /// Halves are computed as f32 and rounded, narrow integers as 32 bits and wrapped, after each
    /// step; so the closure sees them too.
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

    /// The element types that it takes, if these are not all that it has forms for. A step that
    /// promotes brings operands to their common type; if only floats are taken, other types become
    /// floats first.
    pub fn accepts(mut self, dtypes: impl IntoIterator<Item = DType>) -> Self {
        self.accepts = Some(DTypes::of(&dtypes.into_iter().collect::<Vec<_>>()));
        self
    }

    /// How far an f32 or f64 of an adapter may be from the closure's, in units in the last place: 4
    /// unless this says otherwise. [`Op::ulps`] gives it; nothing measures it.
    #[doc(hidden)]
    pub fn ulps(mut self, ulps: u32) -> Self {
        self.ulps = i64::from(ulps);
        self
    }

    /// How the result changes while an operand does: [`Curve::Jumps`], of which nothing can be said,
    /// unless this says otherwise.
    #[doc(hidden)]
    pub fn curve(mut self, curve: Curve) -> Self {
        self.curve = curve;
        self
    }

    /// What of the gradient `g` of the result reaches each operand: the function takes `g`, the
    /// operands and the result, and is called once, here. Its expressions are made of operators on
    /// single elements, each with its operand's gradient multiplied by `g`; broadcasting and the sums
    /// over what was broadcast are done for them.
    ///
    /// Halves are differentiated in f32, so that a formula sees f32, or f64 of f64. Without a
    /// derivative a gradient through the operator is an [`Error::Unsupported`].
    pub fn derivative(
        mut self,
        formula: impl FnOnce(&Expr<usize>, [&Expr<usize>; N], &Expr<usize>) -> [Expr<usize>; N],
    ) -> Self {
        let slots: [Expr<usize>; N] = std::array::from_fn(Expr::slot);
        let (g, r) = (Expr::slot(N), Expr::slot(N + 1));
        self.derivative = Some(formula(&g, slots.each_ref(), &r));
        self
    }

    /// The operator. Its memory is never freed.
    ///
    /// naga checks the WGSL, but not in browsers; the adapter's own compiler sees it first within a
    /// kernel, and may still refuse it there, as an [`Error::Kernel`].
    ///
    /// # Errors
    /// - [`Error::Wgsl`] with line and column for a text that naga refuses, that has not the operands
    ///   and the result, or that does more than compute
    /// - [`Error::Argument`] for a name that WGSL does not take, or that is one of the table's;
    ///   operands of one name, none, or more than 7; no form, two for one type, forms of different
    ///   results; element types without a form; a derivative that is no formula of floats
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

    /// The element types that it takes.
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
            return refuse("it takes no element type".into());
        }
        match accepts.iter().find(|d| !taken.contains(d)) {
            None => Ok(accepts),
            Some(dtype) => refuse(match dtype.class() {
                Class::U64 | Class::I64 => {
                    format!("{dtype} is a pair of words in shaders, which no form takes")
                }
                _ => format!("it has no form for {dtype}"),
            }),
        }
    }

    fn check_names(&self) -> Result<()> {
        let refuse = |reason: String| Err(Error::argument(&self.name, reason));
        if let Err(reason) = check::name(&self.name) {
            return refuse(format!("this is no name for an operator: {reason}"));
        }
        if Op::named(&self.name).is_some() {
            return refuse("the table has an operator of this name".into());
        }
        if N == 0 || N > MOST_OPERANDS {
            return refuse(format!(
                "it has {N} operands; 1 to {MOST_OPERANDS} can be bound"
            ));
        }
        let mut seen = HashSet::new();
        for operand in &self.operands {
            if let Err(reason) = check::name(operand) {
                return refuse(format!("{operand:?} is no name for an operand: {reason}"));
            }
            if *operand == self.name || !seen.insert(operand) {
                return refuse(format!("{operand} is the name of two things"));
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
