//! naga's check of a custom operator's WGSL, with the place of an error in it.

#[cfg(not(target_family = "wasm"))]
use std::error::Error as _;

#[cfg(not(target_family = "wasm"))]
use naga::valid::{Capabilities, ValidationFlags, Validator};
#[cfg(not(target_family = "wasm"))]
use naga::{Function, Module, Scalar, Span, TypeInner, VectorSize};

#[cfg(not(target_family = "wasm"))]
use super::pure::{is_costly, pure};
use super::source::{Fault, Source};
use crate::dtype::Class;
use crate::error::{Error, Result};
use crate::op::wgsl_type;

/// The longest text, in bytes.
const LONGEST: usize = 1 << 16;

/// A form's WGSL, and the function that it must give.
pub(super) struct Text<'a> {
    pub op: &'a str,
    pub operands: &'a [&'a str],
    pub class: Class,
    /// Whether its result is bool.
    pub is_test: bool,
    pub wgsl: &'a str,
}

/// The parts of checked WGSL that a kernel contains.
pub(super) struct Checked {
    /// The functions, under names that no other text has.
    pub functions: String,
    /// The call of the operator's function.
    pub call: String,
    /// Whether it costs much more than a load.
    pub is_costly: bool,
}

impl Text<'_> {
    /// Checks the text.
    ///
    /// # Errors
    /// [`Error::Wgsl`] with the place in the text.
    pub fn checked(&self) -> Result<Checked> {
        if self.wgsl.len() > LONGEST {
            let reason = format!("the text has more than {LONGEST} bytes");
            return Err(self.error(Fault::new(0, reason)));
        }
        let source = Source::new(self.wgsl).map_err(|fault| self.error(fault))?;
        // First as it was written, for the places of errors.
        let (head, tail) = match source.is_expression() {
            true => (format!("{}{{ return ", self.head("")), "\n; }\n"),
            false => (String::new(), ""),
        };
        let written = format!("{head}{}{tail}", self.wgsl);
        let inner = |fault: Fault| {
            let at = fault.at.saturating_sub(head.len()).min(self.wgsl.len());
            self.error(Fault { at, ..fault })
        };
        self.examined(&written, "", &source).map_err(inner)?;

        // Then as kernels have it.
        let prefix = format!("custom_{:016x}_", self.digest());
        let functions = match source.is_expression() {
            true => format!(
                "{} {{\n    return {};\n}}\n",
                self.head(&prefix),
                source.prefixed(&prefix)
            ),
            false => format!("{}\n", source.prefixed(&prefix)),
        };
        let whole = |fault: Fault| self.error(Fault { at: 0, ..fault });
        let is_costly = self.examined(&functions, &prefix, &source).map_err(whole)?;
        Ok(Checked {
            functions,
            call: format!("{prefix}{}({})", self.op, self.operands.join(", ")),
            is_costly,
        })
    }

    /// The head of the operator's function.
    fn head(&self, prefix: &str) -> String {
        let of = vector(self.class);
        let parameters: Vec<String> = self.operands.iter().map(|x| format!("{x}: {of}")).collect();
        let parameters = parameters.join(", ");
        format!(
            "fn {prefix}{}({parameters}) -> {}",
            self.op,
            vector(self.result())
        )
    }

    fn result(&self) -> Class {
        match self.is_test {
            true => Class::Bool,
            false => self.class,
        }
    }

    /// The FNV-1a hash of the operator's WGSL and its generated header.
    fn digest(&self) -> u64 {
        let head = self.head("");
        let bytes = head.bytes().chain([0]).chain(self.wgsl.bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// An error at a place of the text.
    fn error(&self, Fault { at, reason }: Fault) -> Error {
        let before = self.wgsl.get(..at).unwrap_or(self.wgsl);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Error::Wgsl {
            op: self.op.into(),
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            reason,
        }
    }

    /// Whether a text that has the operator's function costs much; an error if it is not valid and
    /// pure.
    #[cfg(not(target_family = "wasm"))]
    fn examined(&self, wgsl: &str, prefix: &str, source: &Source<'_>) -> Result<bool, Fault> {
        let start = |span: Option<Span>| span.and_then(Span::to_range).map_or(0, |r| r.start);
        let module = naga::front::wgsl::parse_str(wgsl).map_err(|e| {
            let at = start(e.labels().next().map(|(span, _)| span));
            Fault::new(at, e.message())
        })?;
        let capabilities = match self.class {
            Class::F64 => Capabilities::FLOAT64,
            _ => Capabilities::empty(),
        };
        pure(&module)?;
        let mut validator = Validator::new(ValidationFlags::all(), capabilities);
        validator.validate(&module).map_err(|e| {
            let mut reason = e.as_inner().to_string();
            let mut cause = e.as_inner().source();
            while let Some(inner) = cause {
                reason = inner.to_string();
                cause = inner.source();
            }
            Fault::new(start(e.spans().next().map(|(span, _)| *span)), reason)
        })?;
        let name = format!("{prefix}{}", self.op);
        let function = module
            .functions
            .iter()
            .find(|(_, f)| f.name.as_deref() == Some(&name));
        let (at, what) = match function.map(|(_, f)| self.fits(&module, f)) {
            Some(true) => return Ok(is_costly(&module)),
            Some(false) => (source.place(self.op), "the operator's function must be"),
            None => (0, "it lacks the operator's function:"),
        };
        Err(Fault::new(at, format!("{what} {}", self.head(""))))
    }

    /// Checks nothing: a browser compiles the WGSL with the first kernel that has it.
    #[cfg(target_family = "wasm")]
    fn examined(&self, _: &str, _: &str, _: &Source<'_>) -> Result<bool, Fault> {
        Ok(true)
    }

    /// Whether a function takes the operands and gives the result.
    #[cfg(not(target_family = "wasm"))]
    fn fits(&self, module: &Module, function: &Function) -> bool {
        let is = |ty, class| {
            let (size, scalar) = (VectorSize::Quad, scalar(class));
            module.types[ty].inner == TypeInner::Vector { size, scalar }
        };
        let result = function.result.as_ref();
        function.arguments.len() == self.operands.len()
            && function.arguments.iter().all(|a| is(a.ty, self.class))
            && result.is_some_and(|r| is(r.ty, self.result()))
    }
}

/// Checks that naga takes a name.
///
/// # Errors
/// What naga says.
pub(super) fn name(name: &str) -> Result<(), String> {
    let mut letters = name.chars();
    let starts = letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !starts || !letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err("use letters, digits and _, no digit first".into());
    }
    if name.len() > 64 {
        return Err("it has more than 64 letters".into());
    }
    #[cfg(not(target_family = "wasm"))]
    {
        let text = format!("fn {name}() {{}}");
        let parsed = naga::front::wgsl::parse_str(&text).map_err(|e| e.message().to_owned())?;
        if parsed.functions.is_empty() {
            return Err("WGSL does not accept it as a name".into());
        }
    }
    Ok(())
}

/// The WGSL type of four values.
fn vector(class: Class) -> &'static str {
    match class {
        Class::F64 => "vec4<f64>",
        other => wgsl_type(other),
    }
}

#[cfg(not(target_family = "wasm"))]
fn scalar(class: Class) -> Scalar {
    match class {
        Class::Bool => Scalar::BOOL,
        Class::U32 => Scalar::U32,
        Class::I32 => Scalar::I32,
        Class::F32 => Scalar::F32,
        Class::F64 => Scalar::F64,
        Class::U64 => Scalar::U64,
        Class::I64 => Scalar::I64,
    }
}
