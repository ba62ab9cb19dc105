//! A float as a sum of products with constant factors.

use naga::{Expression, Handle, VectorSize};

/// Terms of a form at most: what has more is computed first.
const MOST: usize = 24;

/// A type of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub size: Option<VectorSize>,
    /// Bytes of a lane.
    pub width: u8,
}

impl Kind {
    /// A constant as this type has it.
    fn rounded(self, x: f64) -> f64 {
        if self.width == 4 {
            f64::from(x as f32)
        } else {
            x
        }
    }
}

/// A product of values and a constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    pub factor: f64,
    /// In the order of the text; one at least.
    pub atoms: Vec<Handle<Expression>>,
}

impl Term {
    /// The atoms in an order that does not depend on the text.
    fn sorted(&self) -> Vec<Handle<Expression>> {
        let mut atoms = self.atoms.clone();
        atoms.sort_by_key(|atom| atom.index());
        atoms
    }

    /// Whether it is more than a value with a sign.
    pub fn is_product(&self) -> bool {
        self.atoms.len() > 1 || self.factor.abs() != 1.0
    }
}

/// A sum of products, in the order of the text, and a constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    pub kind: Kind,
    pub terms: Vec<Term>,
    pub constant: f64,
}

impl Form {
    pub fn constant(kind: Kind, constant: f64) -> Self {
        Self {
            kind,
            terms: Vec::new(),
            constant,
        }
    }

    pub fn of(kind: Kind, atom: Handle<Expression>) -> Self {
        Self {
            kind,
            terms: vec![Term {
                factor: 1.0,
                atoms: vec![atom],
            }],
            constant: 0.0,
        }
    }

    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether it is a value as it is.
    pub fn is_atom(&self) -> bool {
        self.constant == 0.0
            && self.terms.len() == 1
            && !self.terms[0].is_product()
            && self.terms[0].factor == 1.0
    }

    /// Whether it is one product, or a value with a sign.
    pub fn is_term(&self) -> bool {
        self.constant == 0.0 && self.terms.len() == 1
    }

    /// The sum, with terms of the same values merged, and whether something of it is gone; `None` if it is too long or a
    /// constant is no number.
    pub fn plus(&self, other: &Self) -> Option<(Self, bool)> {
        let mut sum = self.clone();
        sum.constant = self.kind.rounded(self.constant + other.constant);
        let mut cancels = sum.constant == 0.0 && self.constant != 0.0;
        for term in &other.terms {
            let same = sum.terms.iter().position(|t| t.sorted() == term.sorted());
            match same {
                Some(i) => {
                    sum.terms[i].factor = self.kind.rounded(sum.terms[i].factor + term.factor);
                    if sum.terms[i].factor == 0.0 {
                        sum.terms.remove(i);
                        cancels = true;
                    }
                }
                None => sum.terms.push(term.clone()),
            }
        }
        Some((sum.checked()?, cancels))
    }

    /// Every term by a constant that is not 0.
    pub fn times(&self, factor: f64) -> Option<Self> {
        if factor == 0.0 {
            return None;
        }
        let mut scaled = self.clone();
        scaled.constant = self.kind.rounded(self.constant * factor);
        for term in &mut scaled.terms {
            term.factor = self.kind.rounded(term.factor * factor);
        }
        scaled.checked()
    }

    /// The product of two terms.
    pub fn product(&self, other: &Self) -> Option<Self> {
        let (a, b) = (&self.terms[0], &other.terms[0]);
        let term = Term {
            factor: self.kind.rounded(a.factor * b.factor),
            atoms: [a.atoms.as_slice(), &b.atoms].concat(),
        };
        Self {
            kind: self.kind,
            terms: vec![term],
            constant: 0.0,
        }
        .checked()
    }

    pub fn negated(&self) -> Self {
        let mut negated = self.clone();
        negated.constant = -self.constant;
        negated.terms.iter_mut().for_each(|t| t.factor = -t.factor);
        negated
    }

    fn checked(self) -> Option<Self> {
        let small = self.terms.len() <= MOST && self.terms.iter().all(|t| t.atoms.len() <= MOST);
        let finite = self.constant.is_finite()
            && self
                .terms
                .iter()
                .all(|t| t.factor.is_finite() && t.factor != 0.0);
        (small && finite).then_some(self)
    }
}
