//! Statements: names bound to values, and the results.

use super::ast::{Ast, TextNode};
use super::lexer::{Token, syntax};
use super::names;
use super::operators::in_place;
use super::parser::Parser;
use super::program::{Asking, Program};
use crate::error::Result;

impl Parser {
    /// Statements up to the end: `name = value`, or several names; the last gives the results,
    /// which stand between commas.
    pub fn statements(mut self) -> Result<(Program, Vec<usize>)> {
        self.pass_separators();
        if *self.token() == Token::End {
            return Err(syntax(1, "the expression is empty"));
        }
        loop {
            let column = self.column();
            let targets = self.targets()?;
            let (values, columns) = self.values()?;
            if let Token::Symbol(symbol) = *self.token()
                && let Some(reason) = self.no_assignment(symbol, &values)
            {
                return Err(syntax(self.column(), reason));
            }
            let ended = self.pass_separators();
            let is_last = *self.token() == Token::End;
            if !ended && !is_last {
                return Err(self.unexpected("the end"));
            }
            match targets {
                None if is_last => return self.results(values, columns),
                None => {
                    let reason = "only the last statement is a result; give any other a name, `d = x - 1`, and \
                                  separate several results by commas";
                    return Err(syntax(column, reason));
                }
                Some(targets) => {
                    let count = targets.len();
                    self.bind_names(targets, values)?;
                    if is_last {
                        let several = if count == 1 { "" } else { "s" };
                        let reason = format!(
                            "the text must end with an expression, the result, but it ends with the name{several} \
                             of a value: add a line with the result"
                        );
                        return Err(syntax(column, reason));
                    }
                }
            }
        }
    }

    /// Passes the ends of statements; returns whether any stand here.
    fn pass_separators(&mut self) -> bool {
        let mut found = false;
        while matches!(self.token(), Token::Symbol(";") | Token::Line) {
            self.advance();
            found = true;
        }
        found
    }

    /// The names in front of `=`, which is passed, with their columns.
    fn targets(&mut self) -> Result<Option<Vec<(String, usize)>>> {
        let mut ahead = 0;
        let mut found = Vec::new();
        while let Token::Name(name) = self.ahead(ahead) {
            found.push((name.clone(), self.column_ahead(ahead)));
            match self.ahead(ahead + 1) {
                Token::Symbol(",") => ahead += 2,
                Token::Symbol("=") => {
                    (0..ahead + 2).for_each(|_| self.advance());
                    for (name, column) in &found {
                        if let Some(hint) = names::keyword(name) {
                            return Err(syntax(*column, hint));
                        }
                    }
                    return Ok(Some(found));
                }
                _ => break,
            }
        }
        Ok(None)
    }

    /// Expressions between commas, with their columns; of one that is several values all.
    fn values(&mut self) -> Result<(Vec<usize>, Vec<usize>)> {
        let (mut values, mut columns) = (Vec::new(), Vec::new());
        loop {
            columns.push(self.column());
            values.push(self.expression(0)?);
            if !self.eat(",")
                || matches!(self.token(), Token::Symbol(";") | Token::Line | Token::End)
            {
                break;
            }
        }
        if let [one] = *values
            && let Ast::Tuple(parts) = &self.nodes[one].ast
        {
            values = parts.clone();
            columns = vec![columns[0]; values.len()];
        }
        Ok((values, columns))
    }

    /// What to write instead of an assignment that changes something, which goes on with a symbol.
    fn no_assignment(&self, symbol: &str, values: &[usize]) -> Option<String> {
        let equals = *self.ahead(1) == Token::Symbol("=");
        match symbol {
            "=" => {
                let is_view = values
                    .iter()
                    .any(|&v| matches!(self.nodes[v].ast, Ast::View(..)));
                Some(match is_view {
                    true => "nothing is changed in place; make a new array: where(mask, value, x)"
                        .into(),
                    false => "only a name can stand before `=`; compare with ==".into(),
                })
            }
            "&" | "|" | "^" | "@" if equals => Some(in_place(symbol)),
            _ => None,
        }
    }

    /// Binds names to values, each once.
    fn bind_names(&mut self, targets: Vec<(String, usize)>, values: Vec<usize>) -> Result<()> {
        let names = targets.len();
        // Of a shape that is not known there are as many as names for them.
        let values = match self.asks {
            Some(_) if names > 1 => values.into_iter().take(names).collect(),
            _ => values,
        };
        let count = values.len();
        if names != count && names != 1 {
            let reason = format!(
                "{names} names do not match {count} values; take an array apart by x[0], x[1]"
            );
            return Err(syntax(targets[0].1, reason));
        }
        let values = match names == count {
            true => values,
            // A name for several values.
            false => vec![self.push(targets[0].1, Ast::Tuple(values))],
        };
        for ((name, column), value) in targets.into_iter().zip(values) {
            let is_input = |node: &TextNode| matches!(&node.ast, Ast::Name(n) if *n == name);
            if self.bound.contains_key(&name) || self.nodes.iter().any(is_input) {
                let reason = format!(
                    "`{name}` already has a value, which cannot change; give the new value another name: {name}1 = ..."
                );
                return Err(syntax(column, reason));
            }
            self.bound.insert(name, value);
        }
        Ok(())
    }

    /// The results with the nodes that they need, and their columns.
    fn results(self, roots: Vec<usize>, columns: Vec<usize>) -> Result<(Program, Vec<usize>)> {
        let mut needed = vec![false; self.nodes.len()];
        roots.iter().for_each(|&root| needed[root] = true);
        // Of what was asked for its shape alone, the inputs.
        let mut asked = vec![false; self.nodes.len()];
        self.asked.iter().for_each(|&node| asked[node] = true);
        for (n, node) in self.nodes.iter().enumerate().rev() {
            if needed[n] {
                node.ast.operands().iter().for_each(|&o| needed[o] = true);
            }
            if asked[n] {
                node.ast.operands().iter().for_each(|&o| asked[o] = true);
                needed[n] |= matches!(node.ast, Ast::Name(_));
            }
        }
        let mut places = Vec::with_capacity(needed.len());
        let mut nodes = Vec::new();
        for (node, needed) in self.nodes.into_iter().zip(needed) {
            places.push(nodes.len());
            if needed {
                nodes.push(node);
            }
        }
        for node in &mut nodes {
            node.ast
                .operands_mut()
                .into_iter()
                .for_each(|o| *o = places[*o]);
        }
        let roots: Vec<usize> = roots.into_iter().map(|root| places[root]).collect();
        let is_tuple = |n: &usize| matches!(nodes[*n].ast, Ast::Tuple(_));
        let users = nodes.iter().flat_map(|node| node.ast.operands());
        if let Some(tuple) = users.chain(roots.iter().copied()).find(is_tuple) {
            let reason = "a tuple is allowed only as a shape, as axes, as arrays to join, or at the end as several \
                          results; [0] takes the first of several values";
            return Err(syntax(nodes[tuple].column, reason));
        }
        let mut program = Program {
            nodes,
            roots,
            names: Vec::new(),
            asking: self.asks.map(|column| Asking {
                source: self.source,
                own: self.own,
                column,
            }),
        };
        let inputs = program
            .used()
            .filter(|name| names::constant(name).is_none());
        program.names = inputs.map(str::to_owned).collect();
        Ok((program, columns))
    }
}
