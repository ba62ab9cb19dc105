//! The load of an input that repeats every 2 or 3 elements: an invocation loads one period.

use super::nest::{Nest, Unit};
use super::tail::list;
use super::template::emit;

impl Nest<'_> {
    /// Declares the elements of a period.
    pub(super) fn period(&self, i: usize, period: usize, out: &mut String) {
        let offset = self.tail.offset(i);
        let times = self.times(i);
        let lanes = list(0..3, |k| {
            format!("get{i}({offset} + {}u{times})", k % period)
        });
        emit! { out, i, lanes; "    let period{i} = vec3<u32>({lanes});" }
    }

    /// Declares the elements of a period, rotated so that the first lane's element comes first.
    pub(super) fn periodic(&self, i: usize, period: usize, unit: Unit, out: &mut String) {
        let name = self.loaded(i, unit);
        if unit.beside > 0 {
            let beside = unit.beside - 1;
            let before = self.loaded(i, Unit { beside, ..unit });
            let by = self.schedule.step_beside() % period;
            emit! { out, name, before, swizzle = rotated(by, period);
                "    let {name} = {before}.{swizzle};"
            }
            return;
        }
        // A quad begins where a period of 2 does.
        if period == 2 {
            emit! { out, i, name; "    let {name} = period{i};" }
            return;
        }
        emit! { out, i, period; "    let turn{i} = 4u * q % {period}u;" }
        let [once, twice] = [1, 2].map(|by| rotated(by, period));
        emit! { out, name, i, once, twice;
            "    let {name} = select(select(period{i}, period{i}.{once}, turn{i} == 1u), period{i}.{twice}, turn{i} == 2u);"
        }
    }
}

/// The swizzle that rotates three elements of this period by `by`.
fn rotated(by: usize, period: usize) -> String {
    (0..3).map(|k| ["x", "y", "z"][(k + by) % period]).collect()
}
