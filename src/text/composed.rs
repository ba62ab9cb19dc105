//! Calls of NumPy's functions that are made of others: `np.isclose`, unlike `np.hypot`, is not a
//! row of the op table.

use std::collections::HashMap;

use super::ast::Ast;
use super::function::{Argument, At, Function, Line, Parameter, Passed, Takes};
use super::functions::{Make, make, private};
use super::lexer::{Spot, Token, syntax, tokens};
use super::parameters::{Ahead, Parameters};
use super::parser::Parser;
use crate::error::Result;
use crate::expr::{Composed, Literal};
use crate::rule::Rule;

impl Parser {
    /// The function whose parameters follow, up to the closing bracket, which is passed. A method's
    /// first operand stands in front.
    pub fn composed(
        &mut self,
        function: &'static Function,
        column: usize,
        mut first: Option<usize>,
    ) -> Result<usize> {
        let stands_first = matches!(function.first(), Some(Takes::Viewed | Takes::Reduced));
        if first.is_none() && stands_first {
            first = Some(self.first_operand(function.name)?);
        }
        if first.is_some() && !stands_first && function.first() != Some(Takes::Operand) {
            let reason = format!("{0} is not a method; write {0}(...)", function.name);
            return Err(syntax(column, reason));
        }
        let given = self.passed(function, column, first)?;
        let is_part = self.is_within;
        let rule = self.rule.clone();
        if rule.is_none() && function.is_of_one_array() {
            self.rule = Some(Rule::Numpy);
        }
        let made = match make(function.name) {
            Some(Make::View(make)) => {
                let view = Ast::View(given.operand(0)?, make(&given)?);
                Ok(self.push(column, view))
            }
            Some(Make::Given(make)) => {
                let mut at = At {
                    parser: self,
                    function: function.name,
                    column,
                };
                make(&mut at, &given)
            }
            None => self.of_each(function, &given),
        };
        self.rule = rule;
        // Who calls this one has not written the names of its parts.
        match is_part {
            true => made,
            false => made.map_err(|error| error.of(function.name).at(column)),
        }
    }

    /// The value of a function's lines; of several values where a parameter is several numbers.
    fn of_each(&mut self, function: &Function, given: &Passed) -> Result<usize> {
        let parameters = function.parameters.iter().zip(&given.values);
        let several = parameters
            .enumerate()
            .find_map(|(i, (p, value))| match value {
                Some(Argument::Nodes(numbers)) if p.takes == Takes::Each => Some((i, numbers)),
                _ => None,
            });
        let (Some((i, numbers)), Some(stacked)) = (several, private("_stacked")) else {
            return self.of_lines(function, given);
        };
        // Several numbers have a type, as an array of them has.
        let column = given.column;
        let typed = self.literal(column, Literal::Float(0.5));
        let typed = self.push(column, Ast::Composed(Composed::Typed, vec![typed]));
        let operands = vec![given.operand(0)?, typed];
        let x = self.push(column, Ast::Composed(Composed::Common, operands));
        let mut made = Vec::with_capacity(numbers.len());
        for &number in numbers {
            let mut one = given.clone();
            one.values[0] = Some(Argument::Node(x));
            one.values[i] = Some(Argument::Node(number));
            made.push(self.of_lines(function, &one)?);
        }
        let arrays = Passed {
            values: vec![Some(Argument::Nodes(made))],
            columns: vec![given.column],
            ..given.clone()
        };
        self.of_lines(stacked, &arrays)
    }

    /// The value of the lines that a function is made of, all at the column of its call. Operands are
    /// bound by the names of their parameters; what else is given stands in the lines as it is written.
    fn of_lines(&mut self, function: &Function, given: &Passed) -> Result<usize> {
        let mut scope = HashMap::new();
        let mut written = Vec::new();
        let values = given.values.iter().zip(&given.columns);
        for (parameter, (value, &column)) in function.parameters.iter().zip(values) {
            let node = match value {
                Some(Argument::Node(node)) => *node,
                Some(Argument::Nodes(nodes)) => self.push(given.column, Ast::Tuple(nodes.clone())),
                other => {
                    let tokens = spelled(parameter.takes, other.as_ref()).into_iter();
                    let spots = tokens.map(|token| Spot { token, column }).collect();
                    written.push((parameter.name, spots));
                    continue;
                }
            };
            scope.insert(parameter.name.to_owned(), node);
        }
        let is_given = |name: &str| {
            let place = function.parameters.iter().position(|p| p.name == name);
            let value = place.and_then(|i| given.values[i].as_ref());
            !matches!(value, None | Some(Argument::Truth(false)))
        };
        let outer = (
            std::mem::replace(&mut self.bound, scope),
            std::mem::replace(&mut self.is_within, true),
        );
        let mut last = given.operand(0);
        let is_of_call = |line: &&Line| {
            let condition = line.only_if;
            condition.is_none_or(|(name, wanted)| is_given(name) == wanted)
        };
        for line in function.lines.iter().filter(is_of_call) {
            let value = self.value_of(&line.value, &written, given.column)?;
            if let Some(name) = line.target {
                self.bound.insert(name.to_owned(), value);
            }
            last = Ok(value);
        }
        (self.bound, self.is_within) = outer;
        last
    }

    /// The value of an expression within a function, in which some names stand for tokens.
    fn value_of(
        &mut self,
        value: &[Token],
        written: &[(&str, Vec<Spot>)],
        column: usize,
    ) -> Result<usize> {
        let mut found: Vec<Spot> = Vec::new();
        for (i, token) in value.iter().enumerate() {
            let is_value = !matches!(value.get(i + 1), Some(Token::Symbol("(" | "=")));
            let stands_for =
                |(of, _): &&(&str, _)| matches!(token, Token::Name(name) if name == of);
            match written.iter().find(stands_for) {
                Some((_, spots)) if is_value => found.extend(spots.iter().cloned()),
                _ => found.push(Spot {
                    token: token.clone(),
                    column,
                }),
            }
        }
        self.apart(found)
    }

    /// What the parameters are given, up to the closing bracket.
    pub fn passed(
        &mut self,
        function: &Function,
        column: usize,
        first: Option<usize>,
    ) -> Result<Passed> {
        let parameters = function.parameters.as_slice();
        let mut given = Passed {
            values: vec![None; parameters.len()],
            columns: vec![column; parameters.len()],
            column,
        };
        let mut ahead = Parameters::new(function);
        // The parameter of which more may follow.
        let mut open: Option<usize> = None;
        if let Some(x) = first {
            ahead.take_first();
            let is_first = function.first() == Some(Takes::More);
            open = is_first.then_some(0);
            given.values[0] = Some(match open {
                Some(_) => Argument::Nodes(vec![x]),
                None => Argument::Node(x),
            });
        }
        let mut by_name = false;
        while !self.eat(")") {
            // The rows of these names call their operand x.
            let is_x = self.is_named() && *self.token() == Token::Name("x".into());
            let named_x = function.op.is_some() || parameters.iter().any(|p| p.name == "x");
            let is_more = !self.is_named() && !matches!(self.token(), Token::Text(_));
            if is_x && !named_x && !ahead.is_given(0) && function.first() == Some(Takes::Operand) {
                self.advance();
                self.advance();
                ahead.take_first();
                given.values[0] = Some(Argument::Node(self.expression(0)?));
            } else if let Some(number) = open.filter(|_| is_more) {
                match &mut given.values[number] {
                    Some(Argument::Nodes(all)) => all.push(self.expression(0)?),
                    Some(Argument::Ints(all)) => {
                        all.push(self.integer(parameters[number].what())?);
                    }
                    _ => {}
                }
            } else {
                let found = self.parameter_ahead(&mut ahead)?;
                let number = found.number;
                let takes = parameters[number].takes;
                given.columns[number] = match function.op {
                    Some(_) => found.column,
                    None => self.column(),
                };
                given.values[number] = self.value(function, &found)?;
                by_name |= found.by_name && takes == Takes::Operand;
                let is_spread = takes == Takes::Spread && !found.by_name;
                if takes == Takes::More || is_spread && given.wholes(number).len() == 1 {
                    open = Some(number);
                }
            }
            self.separator()?;
        }
        let mut lacking = parameters.iter().enumerate();
        if let Some((_, p)) = lacking.find(|(i, p)| p.default.is_none() && !ahead.is_given(*i))
            && (function.op.is_none() || by_name)
        {
            let reason = format!("{} lacks {}=; {}", function.name, p.name, ahead.takes());
            return Err(syntax(column, reason));
        }
        self.fill(parameters, &ahead, &mut given)?;
        Ok(given)
    }

    /// Gives parameters that are left out their defaults. An operand that is `None` has its own too.
    fn fill(
        &mut self,
        parameters: &[Parameter],
        ahead: &Parameters<'_>,
        given: &mut Passed,
    ) -> Result<()> {
        for (i, p) in parameters.iter().enumerate() {
            let default = p.default.filter(|default| !default.is_empty());
            given.values[i] = match (default, p.takes) {
                (Some(default), Takes::Operand) if given.values[i].is_none() => {
                    let (spots, column) = (tokens(default)?.into_iter(), given.column);
                    let spots = spots.map(|spot| Spot { column, ..spot });
                    Some(Argument::Node(self.apart(spots.collect())?))
                }
                (Some(default), Takes::Whole | Takes::Count) if !ahead.is_given(i) => {
                    default.parse().ok().map(|n| Argument::Ints(vec![n]))
                }
                (Some(default), Takes::Truth) if !ahead.is_given(i) => {
                    Some(Argument::Truth(default == "True"))
                }
                (Some(default), Takes::Word) if !ahead.is_given(i) => {
                    Some(Argument::Text(default.trim_matches('\'').to_owned()))
                }
                _ => continue,
            };
        }
        Ok(())
    }

    /// The value of a parameter; `None` if it is `None`.
    fn value(&mut self, function: &Function, ahead: &Ahead) -> Result<Option<Argument>> {
        let parameter = &function.parameters[ahead.number];
        // NumPy takes None for neither of these.
        let is_kept = parameter.name == "keepdims" && function.reduces() && !self.is_within;
        let is_number = parameter.takes == Takes::Count || is_kept;
        if parameter.default.is_some() && !is_number && self.eat("None") {
            return Ok(None);
        }
        if !ahead.by_name {
            self.no_second_axis(function, parameter)?;
        }
        let column = self.column();
        Ok(Some(match parameter.takes {
            Takes::Operand | Takes::Viewed | Takes::Reduced => Argument::Node(self.expression(0)?),
            Takes::Each => {
                let node = self.expression(0)?;
                match self.parts_of(node) {
                    Some(items) if !items.is_empty() => Argument::Nodes(items.to_vec()),
                    _ => Argument::Node(node),
                }
            }
            Takes::Arrays => {
                let node = self.expression(0)?;
                let Some(items) = self.parts_of(node) else {
                    let reason =
                        format!("{0} takes arrays in brackets: {0}((x, y))", function.name);
                    return Err(syntax(column, reason));
                };
                Argument::Nodes(items.to_vec())
            }
            Takes::Whole => Argument::Ints(vec![self.integer(parameter.what())?]),
            Takes::More => Argument::Nodes(vec![self.expression(0)?]),
            Takes::Wholes | Takes::Shape | Takes::Spread => {
                let found = self.integers(parameter.what())?.0;
                if parameter.takes == Takes::Shape && found.iter().any(|&extent| extent < 0) {
                    return Err(syntax(column, "an extent must be 0 or more"));
                }
                Argument::Ints(found)
            }
            Takes::Word => {
                let Token::Text(text) = self.token().clone() else {
                    let reason = format!("{} must be a word in quotes", parameter.name);
                    return Err(syntax(column, reason));
                };
                self.advance();
                Argument::Text(text)
            }
            Takes::Rule => {
                let (Token::Text(rule) | Token::Name(rule)) = self.token().clone() else {
                    return Err(self.unexpected("the name of a rule"));
                };
                self.advance();
                Argument::Text(rule)
            }
            Takes::Type => {
                let is_extent = matches!(self.token(), Token::Int(_) | Token::Symbol("-" | "("));
                if is_extent && function.name == "view" {
                    let reason =
                        "view takes an element type, x.view(u32); for a shape use x.reshape(-1)";
                    return Err(syntax(column, reason));
                }
                Argument::Type(self.dtype_name()?)
            }
            Takes::Truth => Argument::Truth(self.truth(parameter.name)?),
            Takes::Axes | Takes::Axis => Argument::Ints(self.axes(function, ahead)?),
            Takes::Count => {
                let count = self.integer(parameter.name)?;
                if count < 0 {
                    let reason = format!("{} must be 0 or more", parameter.name);
                    return Err(syntax(column, reason));
                }
                Argument::Ints(vec![count])
            }
            Takes::Float => {
                let (name, dtype) = (function.name, self.dtype_name()?);
                if !dtype.is_float() {
                    let reason =
                        format!("the result of {name} is a float; write {name}(x.astype({dtype}))");
                    return Err(syntax(column, reason));
                }
                Argument::Type(dtype)
            }
            Takes::Norm => return self.norm(function.name),
            Takes::Absent => {
                let is_harmless = |(name, words): &&(&str, &[&str])| {
                    let (Token::Name(word) | Token::Text(word)) = self.token() else {
                        return false;
                    };
                    *name == parameter.name && words.contains(&word.as_str())
                };
                if !HARMLESS.iter().any(|row| is_harmless(&row)) {
                    let instead = instead(function, parameter.name);
                    let reason = format!("{} has no {}=; {instead}", function.name, parameter.name);
                    return Err(syntax(ahead.column, reason));
                }
                self.advance();
                return Ok(None);
            }
        }))
    }

    /// A number as a node.
    #[inline(never)]
    pub fn literal(&mut self, column: usize, x: impl Into<Literal>) -> usize {
        self.push(column, Ast::Number(x.into()))
    }
}

/// The values, beside `None`, that change nothing if given for a parameter that is not supported.
const HARMLESS: &[(&str, &[&str])] = &[
    ("casting", &["unsafe"]),
    ("copy", &["False", "True"]),
    ("order", &["C", "K"]),
    ("overwrite_input", &["False", "True"]),
    ("retstep", &["False"]),
    ("returned", &["False"]),
    ("subok", &["False", "True"]),
    ("where", &["True"]),
    ("writeable", &["False", "True"]),
];

/// What to write instead of a parameter that is not supported.
fn instead(function: &Function, parameter: &str) -> String {
    let name = function.name;
    match (parameter, function.op) {
        ("b", _) => "write log(sum(b * exp(x), axis))".into(),
        ("casting", _) => "it casts as NumPy does with 'unsafe': x.astype(f32)".into(),
        ("dtype", Some(_)) => format!("cast the result or the operands: {name}(..).astype(f32)"),
        ("where", Some(_)) => format!("write where(mask, {name}(..), x)"),
        (_, Some(_)) => "it works element by element and returns a new array".into(),
        ("initial", _) => "join it to the result".into(),
        ("where", _) => format!("write {name}(where(mask, x, nan), axis)"),
        _ => "it returns one new array".into(),
    }
}

/// What is given for a parameter, as it is written.
fn spelled(takes: Takes, given: Option<&Argument>) -> Vec<Token> {
    let name = |name: &str| vec![Token::Name(name.into())];
    match given {
        Some(Argument::Ints(all)) => {
            let number = |&n: &isize| {
                let sign = (n < 0).then_some(Token::Symbol("-"));
                sign.into_iter()
                    .chain([Token::Int(n.unsigned_abs() as i128)])
            };
            if let ([one], Takes::Whole | Takes::Axis | Takes::Count) = (all.as_slice(), takes) {
                return number(one).collect();
            }
            let items = all
                .iter()
                .flat_map(|n| number(n).chain([Token::Symbol(",")]));
            let inner = [Token::Symbol("(")].into_iter().chain(items);
            inner.chain([Token::Symbol(")")]).collect()
        }
        Some(Argument::Truth(true)) => name("True"),
        Some(Argument::Truth(false)) => name("False"),
        Some(Argument::Type(dtype)) => name(dtype.name()),
        Some(Argument::Text(text)) => vec![Token::Text(text.clone())],
        _ => name("None"),
    }
}
