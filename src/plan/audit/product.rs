//! The passes of matrix products and of what is taken, against their layouts.

use super::Pass;
use crate::plan::product::ContractHeader;
use crate::plan::take::TakeHeader;

impl Pass {
    /// Whether the ends of the factors and of the result lie in their bindings.
    pub(super) fn audit_product(&self) -> Result<(), String> {
        self.ends_of_inputs("factor")?;
        let table = self.table_shape();
        let header = ContractHeader::read(&self.table);
        let extent = |axis: usize| i64::from(self.table[table.axis(axis) * 4]) - 1;
        let pitch = i64::from(header.pitch);
        let batches: usize = self.extents[..self.extents.len() - 3].iter().product();
        let last = (batches as i64 - 1) * i64::from(header.apart);
        let end = i64::from(header.output) + last + extent(2) * pitch + extent(1) + 1;
        let fits = end * self.output.dtype.size() as i64 <= self.output.range.size as i64;
        if fits {
            Ok(())
        } else {
            Err(format!("the product ends at element {end}"))
        }
    }

    /// Whether the elements that are taken of lie in their binding, and the result in its own.
    pub(super) fn audit_take(&self) -> Result<(), String> {
        self.ends_of_inputs("operand")?;
        let header = TakeHeader::read(&self.table);
        let end = u64::from(header.output) + u64::from(header.elements);
        match end * self.output.dtype.size() as u64 <= self.output.range.size {
            true => Ok(()),
            false => Err(format!("what is taken ends at element {end}")),
        }
    }

    /// Whether the ends of the inputs lie in their bindings, where the layouts have them.
    fn ends_of_inputs(&self, what: &str) -> Result<(), String> {
        let table = self.table_shape();
        let extent = |axis: usize| i64::from(self.table[table.axis(axis) * 4]) - 1;
        for (i, input) in self
            .inputs
            .iter()
            .enumerate()
            .filter(|(_, x)| !x.layout.is_empty())
        {
            let stride = |axis: usize| i64::from(self.word(table.axis(axis) + 1, i).cast_signed());
            let ends = |sign: i64| {
                (0..self.extents.len())
                    .map(|axis| (extent(axis) * stride(axis) * sign).max(0) * sign)
                    .sum::<i64>()
            };
            let origin =
                (input.range.start / input.dtype.size() as u64) as i64 + i64::from(self.offset(i));
            let found = origin + ends(-1)..=origin + ends(1);
            let reach = input
                .layout
                .reach()
                .map_or(0..=0, |r| *r.start() as i64..=*r.end() as i64);
            let end = input.range.start + input.range.size;
            if found != reach || (*reach.end() as u64 + 1) * input.dtype.size() as u64 > end {
                return Err(format!(
                    "{what} {i} lies at {found:?}, not {reach:?}, in a binding to byte {end}"
                ));
            }
        }
        Ok(())
    }
}
