//! Basic indexing: `x[0, 1:, ::-1, None, ...]`.

use super::ast::Ast;
use super::lexer::{Token, syntax};
use super::parser::Parser;
use crate::error::{Error, Result};
use crate::view::{Index, View};

impl Parser {
    /// The index behind the node `x`.
    pub fn index(&mut self, x: usize) -> Result<usize> {
        let column = self.column();
        self.expect("[")?;
        if let (Ast::Tuple(parts), false) = (&self.nodes[x].ast, self.is_within) {
            let parts = parts.clone();
            return self.part(column, &parts);
        }
        let close = self.tuple_close();
        if close == ")" {
            self.advance();
        }
        let mut items = Vec::new();
        // `x[()]` is all of x.
        if close == ")" && self.eat(close) {
            self.expect("]")?;
            return Ok(self.push(column, Ast::View(x, View::Slice(vec![Index::Ellipsis]))));
        }
        loop {
            items.push(self.item()?);
            let has_comma = self.eat(",");
            if self.eat(close) {
                break;
            }
            if !has_comma {
                return Err(self.unexpected(&format!("`,` or `{close}`")));
            }
        }
        if close == ")" {
            self.expect("]")?;
        }
        Ok(self.push(column, Ast::View(x, View::Slice(items))))
    }

    /// The bracket that ends the items: their own if it holds them all, as in `x[(0, 1)]`.
    fn tuple_close(&self) -> &'static str {
        let (mut depth, mut commas, mut n) = (0usize, 0, 0);
        loop {
            match self.ahead(n) {
                Token::Symbol("(" | "[") => depth += 1,
                Token::Symbol(")" | "]") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        let is_all = *self.ahead(n + 1) == Token::Symbol("]");
                        let is_tuple =
                            (commas > 0 || n == 1) && is_all && *self.token() == Token::Symbol("(");
                        return if is_tuple { ")" } else { "]" };
                    }
                }
                Token::Symbol(",") if depth == 1 => commas += 1,
                Token::End => return "]",
                _ if depth == 0 => return "]",
                _ => {}
            }
            n += 1;
        }
    }

    pub fn item(&mut self) -> Result<Index> {
        if self.eat("...") {
            return Ok(Index::Ellipsis);
        }
        let place = self.place();
        let is_of_numpy = self.eat_before(&["np", "numpy"], ".");
        if self.eat("newaxis") || !is_of_numpy && self.eat("None") {
            return Ok(Index::NewAxis);
        }
        self.back_to(place);
        let start = self.bound_of_range()?;
        if !self.eat(":") {
            return start.map(Index::At).ok_or_else(|| self.no_index());
        }
        let stop = self.bound_of_range()?;
        let more = self.eat(":");
        let column = self.column();
        let step = if more {
            self.bound_of_range()?.unwrap_or(1)
        } else {
            1
        };
        if step == 0 {
            return Err(syntax(column, "the step of a slice must not be 0"));
        }
        Ok(Index::Range(start, stop, step))
    }

    /// A whole number, or nothing before `:`, `,` or `]`.
    fn bound_of_range(&mut self) -> Result<Option<isize>> {
        match self.token() {
            Token::Symbol(":" | "," | "]") => Ok(None),
            Token::Int(_) | Token::Symbol("-" | "+" | "(") => self.integer("an index").map(Some),
            // What it is says what was meant.
            Token::Name(_) => {
                let error = self.no_index();
                self.integer("an index").map(Some).map_err(|_| error)
            }
            _ => Err(self.no_index()),
        }
    }

    fn no_index(&self) -> Error {
        let instead = match self.token() {
            Token::Symbol("[") => "for chosen elements write take(x, [0, 2], axis=0)",
            Token::Name(name) if name == "slice" => "a slice is written x[a:b]",
            Token::Name(_) => {
                "for a mask write where(mask, a, b), for a mean of kept elements nanmean(where(mask, x, nan)), for \
                 chosen elements take(x, i, axis=0)"
            }
            _ => {
                "for a mask write where(mask, a, b), for a mean of kept elements nanmean(where(mask, x, nan))"
            }
        };
        let reason = format!(
            "{} is no index; use whole numbers, slices, None or ...; {instead}",
            self.token().show()
        );
        syntax(self.column(), reason)
    }
}
