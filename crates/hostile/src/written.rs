//! How a sum is computed.

use naga::{BinaryOperator, Expression, Handle, ScalarKind, Statement, UnaryOperator};

use crate::form::{Form, Kind, Term};
use crate::output::Output;

impl Output<'_> {
    /// A form whose only term is its value; a constant stays one.
    pub fn atom(&mut self, form: &Form) -> Form {
        if form.is_constant() {
            return form.clone();
        }
        Form::of(form.kind, self.written(form))
    }

    /// Computes a form: values first, products added to them by one rounding, the constant last.
    pub fn written(&mut self, form: &Form) -> Handle<Expression> {
        if form.is_atom() {
            return form.terms[0].atoms[0];
        }
        let key = format!("{form:?}");
        if let Some(handle) = self.kept(&key) {
            return handle;
        }
        let handle = self.computed_form(form);
        self.keep(key, handle);
        handle
    }

    fn computed_form(&mut self, form: &Form) -> Handle<Expression> {
        let kind = form.kind;
        if form.is_constant() {
            return self.literal(kind, form.constant);
        }
        let (products, plain): (Vec<&Term>, Vec<&Term>) =
            form.terms.iter().partition(|t| t.is_product());
        let mut sum = self.plain_sum(plain);
        let mut constant = (form.constant != 0.0).then_some(form.constant);
        for term in &products {
            let (p, q) = self.factors(kind, term);
            if sum.is_none() && products.len() == 1 {
                sum = constant.take().map(|c| self.literal(kind, c));
            }
            sum = Some(match sum {
                None => self.times(p, q),
                Some(sum) => self.rounded_once(kind, [p, q, sum]),
            });
        }
        match (sum, constant) {
            (Some(left), Some(c)) => {
                let right = self.literal(kind, c);
                self.push(Expression::Binary {
                    op: BinaryOperator::Add,
                    left,
                    right,
                })
            }
            (Some(sum), None) => sum,
            (None, _) => unreachable!("a form without terms is a constant"),
        }
    }

    /// The sum of values with signs, if there are any: one that is added comes first.
    fn plain_sum(&mut self, mut plain: Vec<&Term>) -> Option<Handle<Expression>> {
        if let Some(first) = plain.iter().position(|t| t.factor > 0.0) {
            plain[..=first].rotate_right(1);
        }
        let mut sum = None;
        for term in plain {
            let right = term.atoms[0];
            sum = Some(match sum {
                None if term.factor > 0.0 => right,
                None => self.minus(right),
                Some(left) => {
                    let op = if term.factor > 0.0 {
                        BinaryOperator::Add
                    } else {
                        BinaryOperator::Subtract
                    };
                    self.push(Expression::Binary { op, left, right })
                }
            });
        }
        sum
    }

    /// Two factors of a term; a constant is the last.
    fn factors(&mut self, kind: Kind, term: &Term) -> (Handle<Expression>, Handle<Expression>) {
        let mut atoms = term.atoms.clone();
        if term.factor == -1.0 {
            atoms[0] = self.minus(atoms[0]);
        } else if term.factor != 1.0 {
            atoms.push(self.literal(kind, term.factor));
        }
        let last = atoms.len() - 1;
        let first = atoms[1..last]
            .iter()
            .fold(atoms[0], |p, &q| self.times(p, q));
        (first, atoms[last])
    }

    pub fn times(
        &mut self,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        self.push(Expression::Binary {
            op: BinaryOperator::Multiply,
            left,
            right,
        })
    }

    fn minus(&mut self, expr: Handle<Expression>) -> Handle<Expression> {
        self.push(Expression::Unary {
            op: UnaryOperator::Negate,
            expr,
        })
    }

    /// `a * b + c`, rounded once: of f32 in doubles, since software adapters round an `fma` twice.
    pub fn rounded_once(
        &mut self,
        kind: Kind,
        terms: [Handle<Expression>; 3],
    ) -> Handle<Expression> {
        if kind.width == 8 {
            return self.called(kind, terms);
        }
        let mut cast = |expr, width| {
            self.push(Expression::As {
                expr,
                kind: ScalarKind::Float,
                convert: Some(width),
            })
        };
        let [a, b, c] = terms.map(|t| cast(t, 8));
        let left = self.times(a, b);
        let wide = self.push(Expression::Binary {
            op: BinaryOperator::Add,
            left,
            right: c,
        });
        self.push(Expression::As {
            expr: wide,
            kind: ScalarKind::Float,
            convert: Some(4),
        })
    }

    fn called(&mut self, kind: Kind, terms: [Handle<Expression>; 3]) -> Handle<Expression> {
        let size = kind
            .size
            .map_or(String::new(), |size| (size as u8).to_string());
        let name = format!("hostile_fma_64_{size}");
        let mut functions = self.module.functions.iter();
        let function = functions
            .find(|(_, f)| f.name.as_ref() == Some(&name))
            .map(|(handle, _)| handle);
        let function = function.expect("the text has what stands for fma");
        let result = self.result(Expression::CallResult(function));
        self.statement(Statement::Call {
            function,
            arguments: terms.to_vec(),
            result: Some(result),
        });
        result
    }
}
