//! The text of an expression, with the numbers of the command line.

use zerostride::text::{self, Program};
use zerostride::{DType, Error, Expr, Rule, Shape};

use crate::failure::Failure;
use crate::input::check_used;

/// An expression. The numbers of the command line replace their names in its text, so that they
/// get the types of numbers written there.
pub struct Expression {
    source: String,
    program: Program,
    /// For each column of the replaced text, the column of the source.
    columns: Vec<usize>,
    used: Vec<bool>,
}

impl Expression {
    /// Parses an expression in which `numbers` replace names.
    fn parse(source: &str, numbers: &[(&str, String)]) -> Result<Self, Failure> {
        let (replaced, columns, used) = replace(source, numbers);
        let program = text::parse_all(&replaced)
            .map_err(|e| Failure::in_expression(&moved(e, &columns), source))?;
        Ok(Self {
            source: source.into(),
            program,
            columns,
            used,
        })
    }

    /// Returns the only result, bound to inputs of these element types and shapes.
    pub fn bound(
        &self,
        inputs: &[&str],
        known: impl Fn(usize) -> (DType, Shape),
        rule: &Rule,
    ) -> Result<Expr<usize>, Failure> {
        let mut exprs = self.results(inputs, known, rule)?;
        match (exprs.pop(), exprs.len()) {
            (Some(expr), 0) => Ok(expr),
            (_, more) => Err(Failure::Usage(format!(
                "the expression has {} results, but only one is supported here",
                more + 1
            ))),
        }
    }

    /// Returns all results, bound to inputs of these element types and shapes.
    pub fn results(
        &self,
        inputs: &[&str],
        known: impl Fn(usize) -> (DType, Shape),
        rule: &Rule,
    ) -> Result<Vec<Expr<usize>>, Failure> {
        let bound = self.program.bind_to(inputs, known, rule);
        bound.map_err(|e| self.failure(e))
    }

    /// Whether binding needs the shapes of the inputs, not only their names.
    pub fn asks_for_shapes(&self) -> bool {
        self.program.asks_for_shapes()
    }

    /// Parses an expression of inputs and numbers, all of which must be used.
    pub fn new(
        source: &str,
        numbers: &[(&str, String)],
        inputs: &[&str],
        rule: &Rule,
    ) -> Result<Self, Failure> {
        let expression = Self::parse(source, numbers)?;
        let program = &expression.program;
        // A name that is not known is found before files are read.
        if !program.asks_for_shapes() {
            let bound = program.bind(inputs, rule);
            bound.map_err(|e| expression.failure(e))?;
        }
        let numbers = numbers.iter().map(|(name, _)| *name);
        let unused_numbers = numbers
            .zip(&expression.used)
            .filter(|(_, used)| !**used)
            .map(|(name, _)| name);
        let unused_inputs = inputs.iter().copied().filter(|name| !program.uses(name));
        check_used(unused_numbers.chain(unused_inputs))?;
        Ok(expression)
    }

    /// The column of the source for a column of the parsed text.
    pub fn column(&self, parsed: usize) -> usize {
        self.columns
            .get(parsed.saturating_sub(1))
            .copied()
            .unwrap_or(parsed)
    }

    /// An error of this expression, with a caret under its column.
    pub fn failure(&self, error: Error) -> Failure {
        Failure::in_expression(&moved(text::with_hint(error), &self.columns), &self.source)
    }
}

/// Checks an expression argument: refuses text that looks like an unknown option.
pub fn argument(text: &str) -> Result<String, String> {
    let option = text.strip_prefix("--").unwrap_or_default();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '=';
    if option.starts_with(|c: char| c.is_ascii_alphabetic()) && option.chars().all(is_word) {
        return Err(
            "unknown option; an expression that looks like one needs a space before it".into(),
        );
    }
    Ok(text.into())
}

/// Replaces the names that are operands, but no calls, methods, keywords or quoted text. Returns
/// the text, the source's column for each of its columns, and which numbers are used.
fn replace(source: &str, numbers: &[(&str, String)]) -> (String, Vec<usize>, Vec<bool>) {
    let chars: Vec<char> = source.chars().collect();
    let mut used = vec![false; numbers.len()];
    let (mut out, mut columns) = (String::new(), Vec::new());
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut quote = None;
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let mut end = at + 1;
        match (quote, c) {
            // A remark is kept as it is.
            (None, '#') => {
                while end < chars.len() && chars[end] != '\n' {
                    end += 1;
                }
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            (None, _) if is_word(c) => {
                while end < chars.len() && (chars[end].is_alphanumeric() || chars[end] == '_') {
                    end += 1;
                }
                let word: String = chars[at..end].iter().collect();
                let mut next = chars[end..].iter().filter(|c| !c.is_whitespace());
                let is_operand = match (next.next(), next.next()) {
                    (Some('('), _) => false,
                    (Some('='), after) => after == Some(&'='),
                    _ => true,
                };
                let number = numbers
                    .iter()
                    .position(|(name, _)| is_operand && *name == word);
                let behind = out.trim_end().ends_with('.');
                if let Some(i) = number.filter(|_| !behind) {
                    used[i] = true;
                    // A point behind a number would be a part of it.
                    let is_method = chars[end..].iter().find(|c| !c.is_whitespace()) == Some(&'.');
                    let number = match is_method {
                        true => format!("({})", numbers[i].1),
                        false => numbers[i].1.clone(),
                    };
                    columns.extend(std::iter::repeat_n(at + 1, number.chars().count()));
                    out.push_str(&number);
                    at = end;
                    continue;
                }
            }
            _ => {}
        }
        out.extend(&chars[at..end]);
        columns.extend((at..end).map(|i| i + 1));
        at = end;
    }
    columns.push(chars.len() + 1);
    (out, columns, used)
}

/// The error with its column counted in the source.
fn moved(mut error: Error, columns: &[usize]) -> Error {
    if let Error::Syntax { column, .. }
    | Error::UnknownName { column, .. }
    | Error::At { column, .. } = &mut error
        && let Some(&found) = columns.get(column.saturating_sub(1))
    {
        *column = found;
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_operands_are_replaced() {
        let numbers = [
            ("eps", "1e-5".to_owned()),
            ("axis", "2".into()),
            ("f16", "7".into()),
        ];
        for (source, expected) in [
            ("x + eps", "x + 1e-5"),
            ("eps + epsilon + eps2", "1e-5 + epsilon + eps2"),
            ("add(x, axis, axis=0) == axis", "add(x, 2, axis=0) == 2"),
            ("axis==x", "2==x"),
            ("axis.clip(0, 1)", "(2).clip(0, 1)"),
            ("x + eps  # don't eps\n", "x + 1e-5  # don't eps\n"),
            ("axis = eps * x; axis + 1", "axis = 1e-5 * x; 2 + 1"),
            (
                "x.astype('f16') + x.eps + eps (x)",
                "x.astype('f16') + x.eps + eps (x)",
            ),
            ("1eps + 1.eps", "1eps + 1.eps"),
        ] {
            assert_eq!(replace(source, &numbers).0, expected, "{source}");
        }
    }

    #[test]
    fn columns_are_those_of_the_source() {
        let (replaced, columns, used) = replace("eps + rows", &[("eps", "0.00001".into())]);
        assert_eq!(replaced, "0.00001 + rows");
        assert_eq!((columns[10], columns[14], used), (7, 11, vec![true]));
    }
}
