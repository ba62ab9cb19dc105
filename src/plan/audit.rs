//! A plan against the laws it was made by: what each invocation of each pass would touch, computed
//! from the words of the uniform table as the kernels compute it, element by element. For tests and
//! fuzzing; too slow for anything else.

mod addresses;
mod product;

use super::table::TableShape;
use super::{
    Access, Input, MappingKind, Pass, Plan, QUAD, Room, Source, Spread, Store, Target, Unroll,
    unrolled,
};

/// Elements of a pass up to which each is followed.
const MOST: usize = 1 << 14;
/// Elements of all passes, times their inputs, beyond which not every pass is followed.
const MOST_IN_ALL: usize = 1 << 19;

impl Plan {
    /// Whether every binding, grid and element of this plan is as its limits and layouts say.
    ///
    /// # Errors
    /// What is not, and in which pass.
    #[doc(hidden)]
    pub fn audit(&self) -> Result<(), String> {
        let passes = || self.passes.iter().filter(|p| !p.shape.is_empty());
        let all: usize = passes().map(Pass::followed).sum();
        // Windows of one result are much alike.
        let each = all.div_ceil(MOST_IN_ALL).max(1);
        for (n, pass) in passes().enumerate() {
            self.bindings(pass)
                .and_then(|()| self.grid(pass))
                .and_then(|()| {
                    if n % each == 0 {
                        pass.elements()
                    } else {
                        Ok(())
                    }
                })
                .map_err(|reason| format!("pass {n}: {reason}\n{self}"))?;
        }
        Ok(())
    }

    /// Every binding lies in its buffer and keeps to the limits.
    fn bindings(&self, pass: &Pass) -> Result<(), String> {
        let limits = &self.limits;
        let temporary = |t: usize| {
            (
                Room::Padding,
                self.temporaries[t].len * self.temporaries[t].dtype.size(),
            )
        };
        let slot = |s: &super::Slot| (s.room, s.quad_bytes() as usize);
        let inputs = pass.inputs.iter().map(|input| match input.source {
            Source::Slot(i) => (input.range, slot(&self.slots[i])),
            Source::Temporary(t) => (input.range, temporary(t)),
        });
        let output = match pass.output.target {
            Target::Output(k) => slot(&self.outputs[k]),
            Target::Temporary(t) => temporary(t),
        };
        for (range, (room, quads)) in inputs.chain([(pass.output.range, output)]) {
            let bytes = match room {
                Room::Bytes(bytes) => bytes,
                Room::Padding => quads.next_multiple_of(32) as u64,
            };
            let fits = range.start + range.size <= bytes
                && range.size > 0
                && range.size <= limits.max_binding;
            let aligned = range
                .start
                .is_multiple_of(u64::from(limits.offset_alignment))
                && range.size % 4 == 0;
            if !fits || !aligned {
                return Err(format!("binding {range:?} of a buffer of {bytes} bytes"));
            }
        }
        if pass.inputs.len() + 1 > limits.max_storage_buffers as usize {
            return Err(format!("{} inputs", pass.inputs.len()));
        }
        Ok(())
    }

    /// The grid keeps to the limits and has an invocation for every quad.
    fn grid(&self, pass: &Pass) -> Result<(), String> {
        let [x, y, z] = pass.grid.map(u64::from);
        let [w, h] = pass.mapping.workgroup.map(u64::from);
        let limits = &self.limits;
        let small = [x, y, z]
            .iter()
            .all(|&n| n > 0 && n <= u64::from(limits.max_workgroups))
            && w * h <= u64::from(limits.max_invocations)
            && (pass.mapping.kind != MappingKind::Product
                || h <= u64::from(limits.max_workgroup_height));
        let (quads, own) = (u64::from(pass.table[1]), u64::from(pass.mapping.quads));
        let covers = |[w, h]: [u64; 2], [x, y, z]: [u64; 3]| match pass.mapping.kind {
            MappingKind::Product => true,
            MappingKind::Flat | MappingKind::General => {
                match (pass.mapping.unroll, u64::from(pass.table[2])) {
                    (Unroll::Adjacent, _) => x * y * z * w * own >= quads,
                    (Unroll::Strided, section) => {
                        x * y * z * w >= section && section * own >= quads
                    }
                    (Unroll::Blocked, band) => x * w >= band && y * z * h * own * band >= quads,
                }
            }
            MappingKind::Tile => x * w >= quads && y * z * h >= u64::from(pass.table[2]),
            MappingKind::Rows => {
                let [all, each, apart] =
                    [pass.table[2], pass.mapping.rows, pass.table[6]].map(u64::from);
                let apart = (pass.mapping.unroll != Unroll::Adjacent).then_some(apart);
                let (across, rows) = (quads.div_ceil(own), apart.unwrap_or(all.div_ceil(each)));
                let covers = if pass.mapping.uniform_rows {
                    x * w >= across && y * z >= rows
                } else {
                    x * y * z * w >= across * rows
                };
                let whole = if apart.is_some() {
                    rows * each >= all
                } else {
                    rows * each == all
                };
                let counts = u64::from(pass.table[pass.shape_of_table().axes * 4]) == across;
                covers && h == 1 && whole && counts
            }
        };
        let narrow = pass.mapping.narrow().workgroup.map(u64::from);
        let narrow_covers = pass
            .narrow_grid()
            .is_none_or(|[x, y]| covers(narrow, [x.into(), y.into(), 1]));
        if small && covers([w, h], [x, y, z]) && narrow_covers {
            Ok(())
        } else {
            Err(format!("grid {:?} of workgroups {w} x {h}", pass.grid))
        }
    }
}

impl Pass {
    /// Elements of its inputs that [`elements`](Self::elements) follows.
    fn followed(&self) -> usize {
        let len = self.table[0] as usize;
        if len > MOST {
            0
        } else {
            len * self.output.per_word as usize * self.inputs.len()
        }
    }

    /// Every element that is read is the one that the layout names, and none lies outside its
    /// binding.
    fn elements(&self) -> Result<(), String> {
        if self.mapping.kind == MappingKind::Product {
            return self.audit_product();
        }
        // In units: words where the pass works on words, else elements.
        let len = self.table[0] as usize;
        let per_word = self.output.per_word as usize;
        if len
            != self
                .shape
                .extents()
                .iter()
                .product::<usize>()
                .div_ceil(per_word)
        {
            return Err(format!("the table has {len} units of {per_word} elements"));
        }
        if len > MOST {
            return Ok(());
        }
        for (i, input) in self.inputs.iter().enumerate() {
            let own = input.per_word as usize;
            let size = input.dtype.size() * own;
            let fits = |element: usize, count: usize| {
                (element + count) * size <= input.range.size as usize
            };
            let origin = input.range.start as usize / size;
            let elements: Vec<usize> = input.layout.offsets().collect();
            // A word is read by its first element, or all of it is one element.
            let step = usize::from(own > 1);
            let straight =
                |word: &[usize]| (0..).zip(word).all(|(k, &at)| at == word[0] + k * step);
            if !elements
                .chunks(per_word)
                .all(|word| straight(word) && word[0] % own == 0)
            {
                return Err(format!("input {i}: elements of a word lie in several"));
            }
            let positions: Vec<usize> = elements
                .iter()
                .step_by(per_word)
                .map(|at| at / own)
                .collect();
            for (q, quad) in positions.chunks(QUAD).enumerate() {
                if self.shift() > 0 {
                    continue;
                }
                let addresses = self.addresses(i, input, q);
                let inside = match input.access {
                    Access::Linear | Access::Vector | Access::Hoisted => fits(addresses[0], QUAD),
                    // The quad after it is clamped to the binding.
                    Access::Misaligned(_) => fits(addresses[0] / QUAD * QUAD, QUAD),
                    Access::Transposed => addresses.iter().all(|&at| fits(at / QUAD * QUAD, QUAD)),
                    // The kernel loads those of the first and last addresses alone.
                    Access::Straddling => {
                        let ends = |&at| [addresses[0], addresses[3]].contains(&at);
                        addresses.iter().all(|&at| fits(at, 1))
                            && addresses[..quad.len()].iter().all(ends)
                    }
                    _ => addresses.iter().all(|&at| fits(at, 1)),
                };
                let right = quad
                    .iter()
                    .zip(&addresses)
                    .all(|(&wanted, &found)| wanted == found + origin);
                if !inside || !right {
                    return Err(format!(
                        "input {i} ({}): quad {q} is {addresses:?} and {origin}, not {quad:?}",
                        input.access
                    ));
                }
            }
            if self.shift() > 0 {
                // Shifted quads straddle: each element is gathered by its own number.
                let stride = self.word(self.shape_of_table().axes + 1, i);
                let at = |n: usize| {
                    self.offset(i).wrapping_add((n as u32).wrapping_mul(stride)) as usize
                };
                let right =
                    |(n, &wanted): (usize, &usize)| at(n) + origin == wanted && fits(at(n), 1);
                if !positions.iter().enumerate().all(right) {
                    return Err(format!(
                        "input {i} ({}) is not gathered as its layout says",
                        input.access
                    ));
                }
            }
        }
        self.written(len)
    }

    /// Every quad or element that is written lies in the output's binding.
    fn written(&self, len: usize) -> Result<(), String> {
        let size = self.output.dtype.size() * self.output.per_word as usize;
        let bound = self.output.range.size as usize;
        let first = self.output.offset as usize;
        let end = match self.output.store {
            Store::Wide if !first.is_multiple_of(QUAD) => {
                return Err("a wide store begins inside a quad".into());
            }
            Store::Wide => first + len.next_multiple_of(QUAD),
            Store::Words { .. } => first + len,
        };
        if end * size <= bound {
            Ok(())
        } else {
            Err(format!("the store ends at element {end}"))
        }
    }

    fn shift(&self) -> u32 {
        if let Store::Words { shift } = self.output.store {
            shift
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::expr::Expr;
    use crate::layout::Layout;
    use crate::plan::{Limits, Options, Slot};
    use crate::view::{Index, View};

    /// What is wrong, and how a pass comes to it.
    type Change = (&'static str, fn(&mut Pass));

    /// A plan of every mapping: flat, rows and general, with held, vector, splat and gathered
    /// inputs.
    fn plans() -> Vec<Plan> {
        let sum = Expr::slot(0).add(&Expr::slot(1));
        let shapes: [[&[usize]; 2]; 6] = [
            [&[67], &[1]],
            [&[5, 16], &[16]],
            [&[5, 16], &[5, 1]],
            [&[3, 5, 7], &[5, 1]],
            [&[5, 1], &[2]],
            [&[3, 1, 16], &[8, 16]],
        ];
        let slot = |shape: &&[usize]| Slot::new(DType::F32, *shape).unwrap();
        shapes
            .iter()
            .map(|pair| Plan::new(&sum, &pair.each_ref().map(slot), &Options::default()).unwrap())
            .collect()
    }

    #[test]
    fn plans_keep_to_their_laws() {
        for plan in plans() {
            plan.audit().unwrap();
        }
        let out = Slot::wrapped(DType::U8, Layout::new([13], vec![1], 7).unwrap(), 20);
        let slot = Slot::new(DType::U8, [13]).unwrap();
        Plan::many(&[Expr::slot(0).neg()], &[slot], &[out], &Options::default())
            .unwrap()
            .audit()
            .unwrap();
    }

    #[test]
    fn every_mapping_and_access_keeps_to_its_laws() {
        let [x, y] = [0, 1].map(Expr::slot);
        let later = |e: &Expr<usize>| e.slice([Index::Ellipsis, Index::Range(Some(1), None, 1)]);
        let reversed = |e: &Expr<usize>| e.slice([Index::Range(None, None, -1)]);
        let swapped = |e: &Expr<usize>| e.view(View::Permute(vec![0, 2, 1]));
        let cases: Vec<(Expr<usize>, Vec<usize>, Vec<usize>)> = vec![
            (x.transpose().add(&y), vec![16, 8], vec![8, 16]),
            (x.transpose().add(&y), vec![20, 12], vec![12, 1]),
            (swapped(&x).add(&y), vec![3, 12, 8], vec![3, 8, 12]),
            (swapped(&x).add(&y), vec![5, 20, 24], vec![24, 20]),
            (x.transpose().add(&y), vec![16, 3, 8], vec![8, 3, 16]),
            (x.add(&y), vec![37, 3], vec![3]),
            (x.add(&y), vec![2, 12], vec![12]),
            (x.add(&y), vec![7, 24], vec![24]),
            (x.add(&y), vec![3, 6, 12], vec![3, 1, 12]),
            (x.add(&y), vec![3, 1, 20], vec![12, 20]),
            (x.add(&y), vec![2, 1, 3, 1, 12], vec![2, 1, 4, 12]),
            (x.add(&y), vec![2, 3, 4, 64], vec![2, 1, 4, 1]),
            (x.add(&y), vec![5, 4, 2, 12], vec![4, 1, 12]),
            (x.add(&y), vec![3, 820], vec![820]),
            (x.add(&y), vec![3, 3300], vec![3, 1]),
            (x.add(&y), vec![3, 1, 2, 1, 1, 4], vec![2, 1, 2, 8, 4]),
            (x.add(&y), vec![3, 1, 2, 1, 1, 8], vec![2, 1, 2, 8, 8]),
            (x.add(&y), vec![41, 2], vec![2]),
            (x.add(&y), vec![63, 5], vec![5]),
            (x.add(&y), vec![63, 5], vec![63, 1]),
            (x.add(&y), vec![63, 1], vec![7]),
            (x.add(&y), vec![29, 1, 6], vec![3, 1]),
            (x.add(&y), vec![13, 3, 4, 7], vec![3, 1, 7]),
            (
                x.add(&y),
                vec![1, 31, 2, 1, 2, 1, 2, 1, 2, 1, 5],
                vec![31, 1, 3, 1, 3, 1, 3, 1, 3, 1],
            ),
            (x.transpose().add(&y), vec![7, 259], vec![259, 7]),
            (x.transpose().add(&y), vec![6, 257], vec![257, 1]),
            (x.transpose().add(&y), vec![8, 257], vec![257, 8]),
            (x.transpose().add(&y), vec![8, 258], vec![8]),
            (reversed(&x).add(&y), vec![63, 5], vec![63, 1]),
            (x.add(&reversed(&y)), vec![63, 5], vec![63, 1]),
            (
                x.add(&y.slice([Index::ALL, Index::Range(Some(0), Some(1), 1)])),
                vec![63, 5],
                vec![63, 200],
            ),
            (x.add(&reversed(&y)), vec![33, 6], vec![33, 1]),
            (reversed(&x.transpose()).add(&y), vec![5, 259], vec![5]),
            (x.add(&y), vec![33, 3, 4], vec![33, 1, 4]),
            (x.add(&y), vec![33, 3, 4], vec![3, 1]),
            (
                x.add(&y.slice([Index::Ellipsis, Index::Range(None, None, 2)])),
                vec![33, 3, 4],
                vec![3, 8],
            ),
            (x.add(&y), vec![39, 5, 20], vec![39, 1, 20]),
            (x.add(&y), vec![29, 3, 5, 8], vec![3, 1, 8]),
            (
                x.add(&y),
                vec![1, 17, 3, 1, 3, 1, 3, 1, 3, 1, 4],
                vec![17, 1, 1, 2, 1, 2, 1, 2, 1, 2, 4],
            ),
            (x.transpose().add(&y), vec![5, 3, 301], vec![301, 1, 5]),
            (x.add(&y), vec![5, 1, 7, 9], vec![3, 1, 9]),
            (
                x.add(&y),
                vec![4, 1, 4, 1, 4, 1, 4, 1],
                vec![1, 4, 1, 4, 1, 4, 1, 4],
            ),
            (x.add(&y), vec![2, 1, 8, 1, 8], vec![8, 1, 8]),
            (x.add(&y), vec![2, 1, 6, 1, 4], vec![3, 1, 2, 4]),
            (
                x.add(&y),
                vec![2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 5],
                vec![3, 1, 3, 1, 3, 1, 3, 1, 3, 5],
            ),
            (later(&x).add(&y), vec![68], vec![67]),
            (later(&x).add(&y), vec![17], vec![5, 16]),
            (later(&x).add(&y), vec![6, 17], vec![6, 16]),
        ];
        for (n, (expr, a, b)) in cases.into_iter().enumerate() {
            for (dtype, software) in [DType::U8, DType::F16, DType::F32, DType::I64]
                .map(|d| [(d, true), (d, false)])
                .concat()
            {
                let slots = [&a, &b].map(|s| Slot::new(dtype, s.as_slice()).unwrap());
                let limits = Limits {
                    software,
                    max_invocations: 4,
                    ..Limits::WEBGPU
                };
                let plan = Plan::new(
                    &expr,
                    &slots,
                    &Options {
                        limits,
                        ..Options::default()
                    },
                )
                .unwrap();
                plan.audit()
                    .unwrap_or_else(|e| panic!("case {n}, {dtype}, software {software}: {e}"));
                for text in plan.kernels() {
                    crate::kernel::validate(&text)
                        .unwrap_or_else(|e| panic!("case {n}, {dtype}: {e}\n{text}"));
                }
            }
        }
    }

    #[test]
    fn a_wrong_word_range_or_grid_is_found() {
        for (n, plan) in plans().into_iter().enumerate() {
            let changes: [Change; 6] = [
                ("a range that is too short", |p| {
                    p.inputs[0].range.size -= 16
                }),
                ("a range beyond its buffer", |p| {
                    p.inputs[1].range.size += 64
                }),
                ("an offset within a binding's alignment", |p| {
                    p.output.range.start += 4
                }),
                ("no grid", |p| p.grid[0] = 0),
                ("a wrong number of elements", |p| p.table[0] += 1),
                ("a wrong offset", |p| {
                    let at = p.shape_of_table().offsets * 4 + 1;
                    p.table[at] += 4;
                }),
            ];
            for (what, change) in changes {
                let mut wrong = plan.clone();
                change(&mut wrong.passes[0]);
                assert!(wrong.audit().is_err(), "plan {n}: {what} was not found");
            }
        }
        // The quads from one section to the next, and the rows.
        let slots = [[63, 5], [63, 1]].map(|s| Slot::new(DType::F32, s).unwrap());
        let apart = Plan::new(
            &Expr::slot(0).add(&Expr::slot(1)),
            &slots,
            &Options::default(),
        )
        .unwrap();
        apart.audit().unwrap();
        let rows =
            apart.passes[0].shape_of_table().axes + apart.passes[0].shape_of_table().axis_rows;
        for word in [2, rows * 4 + 3] {
            let mut wrong = apart.clone();
            wrong.passes[0].table[word] += 1;
            assert!(
                wrong.audit().is_err(),
                "word {word} of quads that are apart"
            );
        }
        // The rows from one to the next, and the quads of a band.
        let rows = [[33, 3, 4], [33, 1, 4]].map(|s| Slot::new(DType::F32, s).unwrap());
        let rows = Plan::new(
            &Expr::slot(0).add(&Expr::slot(1)),
            &rows,
            &Options::default(),
        )
        .unwrap();
        let bands = [[5, 259], [259, 5]].map(|s| Slot::new(DType::F32, s).unwrap());
        let bands = Plan::new(
            &Expr::slot(0).transpose().add(&Expr::slot(1)),
            &bands,
            &Options::default(),
        )
        .unwrap();
        for (plan, word) in [(&rows, 6), (&bands, 2)] {
            plan.audit().unwrap();
            let mut wrong = plan.clone();
            wrong.passes[0].table[word] += 1;
            assert!(wrong.audit().is_err(), "word {word} of {plan}");
        }
        // The invocations of a row, and what divides by them.
        for (shapes, uniform) in [
            ([[3, 820], [1, 820]], true),
            ([[63, 84], [1, 84]], false),
            ([[9, 84], [9, 1]], false),
        ] {
            let slots = shapes.map(|s| Slot::new(DType::F32, s).unwrap());
            let plan = Plan::new(
                &Expr::slot(0).add(&Expr::slot(1)),
                &slots,
                &Options::default(),
            )
            .unwrap();
            plan.audit().unwrap();
            assert_eq!(plan.passes[0].mapping.uniform_rows, uniform);
            let word = plan.passes[0].shape_of_table().axes * 4;
            for word in if uniform {
                word..word + 1
            } else {
                word..word + 3
            } {
                let mut wrong = plan.clone();
                wrong.passes[0].table[word] = wrong.passes[0].table[word] / 2 + 1;
                assert!(wrong.audit().is_err(), "word {word} of {plan}");
            }
        }
        // A workgroup that several rows share.
        let mut wrong = rows;
        wrong.passes[0].mapping.uniform_rows = true;
        assert!(wrong.audit().is_err(), "rows of {wrong}");
        // The extent, multiplier or stride of a decomposed axis.
        let general = &plans()[3];
        for word in [0, 1, 5] {
            let mut wrong = general.clone();
            let pass = &mut wrong.passes[0];
            let row = pass.shape_of_table().axes + pass.shape_of_table().axis_rows;
            pass.table[row * 4 + word] = 0;
            assert!(wrong.audit().is_err(), "word {word} of the second axis");
        }
    }
}
