//! The kinds of cells in a table, and the element type that fits them all.

use zerostride::DType;

use super::super::number::Number;

/// The kinds of cells in a table.
#[derive(Default)]
pub struct Found {
    bools: bool,
    numbers: bool,
    floats: bool,
    negative: bool,
    /// Where the first whole number beyond i64 is.
    large: Option<(u64, usize)>,
    /// Where the first cell is that mixes truth values with numbers or empty cells.
    mixed: Option<(u64, usize)>,
    /// Where the first empty cell is.
    pub empty: Option<(u64, usize)>,
}

impl Found {
    pub fn add(&mut self, number: Number, at: (u64, usize)) {
        match number {
            Number::Bool(_) => self.bools = true,
            Number::Int(n) => {
                self.numbers = true;
                self.negative |= n < 0;
                if i64::try_from(n).is_err() {
                    self.large.get_or_insert(at);
                }
            }
            Number::Float(_) => (self.numbers, self.floats) = (true, true),
        }
        self.look_for_mixture(at);
    }

    pub fn add_empty(&mut self, at: (u64, usize)) {
        self.empty.get_or_insert(at);
        self.look_for_mixture(at);
    }

    fn look_for_mixture(&mut self, at: (u64, usize)) {
        if self.bools && (self.numbers || self.empty.is_some()) {
            self.mixed.get_or_insert(at);
        }
    }

    /// The element type that fits all cells.
    pub fn dtype(&self) -> Result<DType, String> {
        if let Some((line, column)) = self.mixed {
            return Err(format!(
                "line {line}, column {column}: truth values and numbers are in one table; name columns, as in \
                 FILE.csv:NAME, or a type, as in FILE.csv:f64"
            ));
        }
        if self.floats || self.empty.is_some() {
            return Ok(DType::F64);
        }
        match self.large {
            Some((line, column)) if self.negative => Err(format!(
                "line {line}, column {column}: a whole number does not fit i64, and others are negative; name a type, \
                 as in FILE.csv:f64"
            )),
            Some(_) => Ok(DType::U64),
            None if self.numbers => Ok(DType::I64),
            None if self.bools => Ok(DType::Bool),
            None => Ok(DType::F64),
        }
    }
}
