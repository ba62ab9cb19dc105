//! `NAME=FILE` and `NAME=NUMBER` of a command line.

use std::str::FromStr;

use zerostride::message::escape;
use zerostride::{Accuracy, HostTensor, Limits, Options, Promotion, Rule, ScheduleName, Slot};
use zerostride_files::Source;

use crate::failure::Failure;

/// The limits of an adapter that computes all types, and arrays of any size in one piece.
pub const NO_LIMITS: Limits = Limits::WEBGPU
    .with_max_binding(u32::MAX as u64)
    .with_max_elements(u64::MAX)
    .with_float64(true);

/// A name and its value.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// The value of a name.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number, as it is written into the expression.
    Number(String),
    /// An array.
    Array(Source),
}

impl FromStr for Input {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = named(text, "NAME=FILE.npy, NAME=[1,2,3] or NAME=NUMBER")?;
        let value = match number(value) {
            Some(number) => Value::Number(number),
            None => Value::Array(value.parse()?),
        };
        Ok(Self {
            name: name.into(),
            value,
        })
    }
}

/// Splits `NAME=VALUE`.
pub fn named<'a>(text: &'a str, form: &str) -> Result<(&'a str, &'a str), String> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    match text.split_once('=') {
        None => Err(format!("write {form}")),
        Some((name, _)) if !is_name(name) => {
            Err(format!("`{}` is not a name; write {form}", escape(name)))
        }
        Some((name, "")) => Err(format!("`{name}` has no value; write {form}")),
        Some(found) => Ok(found),
    }
}

/// A number as the expression language writes it.
pub fn number(text: &str) -> Option<String> {
    if ["True", "False"].contains(&text) {
        return Some(text.into());
    }
    let value: f64 = text.parse().ok()?;
    let digits = text.trim_start_matches(['+', '-']);
    let magnitude = if value.is_nan() {
        "nan".to_owned()
    } else if digits.starts_with(|c: char| c.is_ascii_alphabetic()) {
        "inf".to_owned()
    } else {
        // Python refuses leading zeros of whole numbers.
        match digits.trim_start_matches('0') {
            "" => "0".into(),
            rest if rest.starts_with(|c: char| c.is_ascii_digit()) => rest.into(),
            rest => format!("0{rest}"),
        }
    };
    Some(if text.starts_with('-') {
        format!("(-{magnitude})")
    } else {
        magnitude
    })
}

/// Refuses a name that is given twice.
pub fn check_unique<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
    let mut seen = std::collections::HashSet::new();
    let mut names = names;
    match names.find(|n| !seen.insert(*n)) {
        Some(name) => Err(Failure::Usage(format!("the name `{name}` is given twice"))),
        None => Ok(()),
    }
}

/// Refuses to read standard input twice.
pub fn check_stdin<'a>(all: impl Iterator<Item = (&'a str, &'a Source)>) -> Result<(), Failure> {
    let mut names = all.filter(|(_, source)| source.is_stdin());
    match (names.next(), names.next()) {
        (Some((a, _)), Some((b, _))) => Err(Failure::Usage(format!(
            "`{}` and `{}` are both standard input, which can be read only once; save it to a file",
            escape(a),
            escape(b)
        ))),
        _ => Ok(()),
    }
}

/// Refuses names that the expression does not use.
pub fn check_used<'a>(unused: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
    let unused: Vec<_> = unused.map(|n| format!("`{n}`")).collect();
    match unused.as_slice() {
        [] => Ok(()),
        [one] => Err(Failure::Failed(format!(
            "the input {one} is not used in the expression"
        ))),
        many => Err(Failure::Failed(format!(
            "the inputs {} are not used in the expression",
            many.join(", ")
        ))),
    }
}

/// Parses a broadcast rule: a spelling of [`Rule::spelled`], or `pdpd:AXIS`.
pub fn rule(text: &str) -> Result<Rule, String> {
    let (name, axis) = text
        .split_once(':')
        .map_or((text, None), |(name, axis)| (name, Some(axis)));
    match (Rule::spelled(name), axis) {
        (Some(Rule::Pdpd { .. }), Some(axis)) => match axis.parse() {
            Ok(axis) => Ok(Rule::Pdpd { axis }),
            Err(_) => Err(format!("the axis `{}` is not a whole number", escape(axis))),
        },
        (Some(rule), None) => Ok(rule),
        _ => {
            let known = Rule::spellings().join(", ");
            Err(format!("use {known} or pdpd:AXIS"))
        }
    }
}

/// The options of a plan, without the adapter's limits.
pub fn options(fast: bool, numpy: bool, schedule: Option<ScheduleName>) -> Options {
    Options::default()
        .with_accuracy(match fast {
            true => Accuracy::Fast,
            false => Accuracy::Precise,
        })
        .with_promotion(match numpy {
            true => Promotion::Numpy,
            false => Promotion::F32,
        })
        .with_schedule(schedule)
}

/// The slots of arrays that are not on a device yet.
pub fn slots(inputs: &[HostTensor]) -> Vec<Slot> {
    let slot = |t: &HostTensor| {
        let room = (t.bytes.len() as u64).next_multiple_of(16).max(16);
        Slot::wrapped(t.dtype, t.layout.clone(), room)
    };
    inputs.iter().map(slot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_python_does() {
        for (text, expected) in [
            ("1e-5", "1e-5"),
            ("-2", "(-2)"),
            ("007", "7"),
            ("0.5", "0.5"),
            ("00", "0"),
            ("-inf", "(-inf)"),
            ("NaN", "nan"),
        ] {
            assert_eq!(number(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(number("x.npy"), None);
    }

    #[test]
    fn names_are_needed() {
        assert!("x.npy".parse::<Input>().is_err());
        assert!("2=x.npy".parse::<Input>().is_err());
        assert!("x=".parse::<Input>().is_err());
        assert!("größe=x.npy".parse::<Input>().is_ok());
    }
}
