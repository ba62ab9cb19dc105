//! Elements that are moved, by joins, views and reshapes of one another in any order, in one kernel where bindings allow:
//! the reference's bits.

use zerostride::{DType, Expr, HostTensor, Index, Layout, Options, Plan, Slot, Tensor, reference};

use crate::common::{Random, all, check_with, context, count};
use crate::mapping::{options, transposed, viewed};
use crate::partition::together;

/// A random expression of a shape, and the inputs that it reads.
struct Moves<'a> {
    random: &'a mut Random,
    dtype: DType,
    /// Whether elements are taken, of what a binding holds.
    takes: bool,
    inputs: Vec<HostTensor>,
}

impl Moves<'_> {
    fn expression(&mut self, shape: &[usize], depth: usize) -> Expr<usize> {
        let rank = shape.len();
        if depth == 0 || self.inputs.len() >= 7 {
            return self.input(shape);
        }
        let axis = self.random.below(rank);
        let parts = |pieces: Vec<Expr<usize>>| Expr::concat(pieces, axis as isize);
        match self.random.below(16) {
            0 if shape[axis] > 16 => {
                // More than kernels choose among, and what is left of them, all of one.
                let of = self.expression(shape, depth - 1);
                let at = |k: usize| Index::Range(Some(k as isize), Some(k as isize + 1), 1);
                let count = shape[axis].min(17 + self.random.below(4));
                let mut pieces: Vec<Expr<usize>> = (1..count)
                    .map(|_| of.slice(ranges(axis, at(self.random.below(shape[axis])))))
                    .collect();
                let rest = Index::Range(Some(count as isize - 1), None, 1);
                pieces.insert(self.random.below(count), of.slice(ranges(axis, rest)));
                parts(pieces)
            }
            1..5 => {
                let pieces = self.extents_of_pieces(shape[axis]);
                let mut piece = |extent| self.expression(&with(shape, axis, extent), depth - 1);
                parts(pieces.into_iter().map(&mut piece).collect())
            }
            5 => {
                // Rolled.
                let of = self.expression(shape, depth - 1);
                let by = self.random.below(shape[axis]) as isize;
                let along = |range| of.slice(ranges(axis, range));
                parts(vec![
                    along(Index::Range(Some(by), None, 1)),
                    along(Index::Range(None, Some(by), 1)),
                ])
            }
            6 if shape[axis] > 2 => {
                // Among numbers.
                let inner = self.expression(&with(shape, axis, shape[axis] - 2), depth - 1);
                let number = Expr::scalar(self.random.below(2) as f32).cast(self.dtype);
                let edge = number.expand(with(shape, axis, 1));
                parts(vec![edge.clone(), inner, edge])
            }
            7 => {
                let (low, high) = (self.random.below(4), self.random.below(4));
                let of = self.expression(&with(shape, axis, low + shape[axis] + high), depth - 1);
                let (low, end) = (low as isize, (low + shape[axis]) as isize);
                of.slice(ranges(axis, Index::Range(Some(low), Some(end), 1)))
            }
            8 => {
                let step = [-1, 2, -2, 3][self.random.below(4)];
                let count = (shape[axis] - 1) * isize::unsigned_abs(step) + 1;
                let of = self.expression(&with(shape, axis, count), depth - 1);
                of.slice(ranges(axis, Index::Range(None, None, step)))
            }
            9 => {
                let turned: Vec<usize> = shape.iter().rev().copied().collect();
                self.expression(&turned, depth - 1).transpose()
            }
            10 => {
                let count = shape.iter().product();
                let extents: Vec<isize> = shape.iter().map(|&e| e as isize).collect();
                self.expression(&[count], depth - 1).reshape(extents)
            }
            11 if self.takes => {
                // Of a few more than are taken.
                let extent = shape[axis] + self.random.below(3);
                let of = self.expression(&with(shape, axis, extent), depth - 1);
                let at: Vec<u32> = (0..shape[axis])
                    .map(|_| self.random.below(extent) as u32)
                    .collect();
                self.inputs.push(positions(&at));
                of.take(Expr::slot(self.inputs.len() - 1), axis as isize)
            }
            13 | 14 if rank > 1 && axis + 1 < rank => {
                // Windows as the last axis.
                let length = shape[rank - 1];
                let source = with(&shape[..rank - 1], axis, shape[axis] + length - 1);
                let of = self.expression(&source, depth - 1);
                of.windows([(axis as isize, length)])
            }
            12 => {
                let line = self.expression(&with(shape, axis, 1), depth - 1);
                line.expand(shape.to_vec())
            }
            _ => {
                let [a, b] = [0, 1].map(|_| self.expression(shape, depth - 1));
                a.maximum(&b)
            }
        }
    }

    /// An input that lies in any way.
    fn input(&mut self, shape: &[usize]) -> Expr<usize> {
        let way = self.random.below(4);
        let stored: Vec<usize> = match way {
            0 => shape.iter().rev().copied().collect(),
            1 => shape.iter().map(|e| e + 1).collect(),
            _ => shape.to_vec(),
        };
        let host = self.random.host(self.dtype, &stored, false);
        let all_but_first = vec![Index::Range(Some(1), None, 1); shape.len()];
        self.inputs.push(match way {
            0 => transposed(host),
            1 => viewed(host, &zerostride::View::Slice(all_but_first)),
            _ => host,
        });
        Expr::slot(self.inputs.len() - 1)
    }

    fn extents_of_pieces(&mut self, mut extent: usize) -> Vec<usize> {
        let mut pieces = Vec::new();
        while extent > 0 && pieces.len() < 5 {
            pieces.push(1 + self.random.below(extent));
            extent -= pieces[pieces.len() - 1];
        }
        if extent > 0 {
            pieces.push(extent);
        }
        pieces
    }
}

fn positions(at: &[u32]) -> HostTensor {
    let bytes = at.iter().flat_map(|at| at.to_le_bytes()).collect();
    HostTensor::new(DType::U32, [at.len()], bytes).unwrap()
}

fn with(shape: &[usize], axis: usize, extent: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape[axis] = extent;
    shape
}

fn ranges(axis: usize, range: Index) -> Vec<Index> {
    let mut all = vec![Index::ALL; axis];
    all.push(range);
    all
}

/// Machines with many bindings and with few, and with small ones, which take windows.
pub fn machine(random: &mut Random) -> Options {
    let few = random.below(3) == 0;
    let small = random.below(3) == 0;
    let software = random.below(2) == 0;
    options(|limits| {
        limits.software = software;
        if few {
            limits.max_storage_buffers = 4;
        }
        if small {
            limits.max_binding = 16 << 10;
            limits.offset_alignment = 256;
        }
    })
}

#[test]
fn moves_of_moves_have_the_reference_s_bits() {
    let mut random = Random::new("moves");
    let mut reports = Vec::new();
    let shapes: [&[usize]; 10] = [
        &[67],
        &[5, 16],
        &[7, 9],
        &[3, 5, 8],
        &[2, 3, 2, 5],
        &[64, 40],
        &[130, 33],
        &[1, 300],
        &[20_011],
        &[90, 256],
    ];
    for case in 0..count(60, 150) {
        let dtype = *random.pick(&[DType::U8, DType::F16, DType::Bool, DType::I32, DType::U64]);
        let shape = *random.pick(&shapes);
        let options = machine(&mut random);
        let mut moves = Moves {
            random: &mut random,
            dtype,
            takes: options.limits.max_binding > 1 << 20,
            inputs: Vec::new(),
        };
        let depth = 1 + moves.random.below(4);
        let expr = moves.expression(shape, depth);
        let inputs = moves.inputs;
        let lie = |host: &HostTensor| -> Layout { host.layout.clone() };
        let layouts: Vec<Layout> = inputs.iter().map(lie).collect();
        let what = format!("{case}: {expr:?} of {dtype} {layouts:?} to {shape:?}");
        reports.push(check_with(&what, &expr, &inputs, 0.0, &options));
        // Of each input a part has the elements that it reads, and none before or behind them.
        let parts = together(&[context()], &expr, &inputs, 3, &options);
        let whole = reference::run(&expr, &inputs).unwrap().bytes;
        reports.push(
            (parts == whole)
                .then_some(())
                .ok_or(format!("{what}, in parts")),
        );
    }
    all(reports);
}

/// The first of what has passes of its own, and all of it beside its first.
#[test]
fn the_first_of_products_and_of_what_is_taken_are_theirs() {
    let mut random = Random::new("firsts");
    let host = |random: &mut Random, extents: &[usize]| random.host(DType::I32, extents, false);
    let inputs = [
        host(&mut random, &[7, 9]),
        host(&mut random, &[9, 6]),
        positions(&[8, 0, 3, 3, 1]),
    ];
    let first = |axis: usize| ranges(axis, Index::Range(None, Some(2), 1));
    let mut reports = Vec::new();
    for (what, of) in [
        ("product", Expr::slot(0).matmul(Expr::slot(1))),
        ("take", Expr::slot(0).take(Expr::slot(2), 1)),
        ("reshape", Expr::slot(0).transpose().reshape([21, 3])),
    ] {
        for axis in 0..2 {
            let part = of.slice(first(axis));
            let options = context().options();
            let what = format!("{what} along {axis}");
            reports.push(check_with(&what, &part, &inputs, 0.0, &options));
            let both = [of.clone(), part.clone(), of.clone(), of.neg()];
            let tensors: Vec<Tensor> = inputs
                .iter()
                .map(|x| context().tensor_from_host(x).unwrap())
                .collect();
            let slots: Vec<Slot> = tensors.iter().map(Tensor::slot).collect();
            let plan = Plan::many(&both, &slots, &[], &options).unwrap();
            let tensors: Vec<&Tensor> = tensors.iter().collect();
            let found = context().run(&plan, &tensors).unwrap();
            for (expr, found) in both.iter().zip(found) {
                let expected = reference::run(expr, &inputs).unwrap().bytes;
                let same = found.read_bytes_blocking().unwrap() == expected;
                reports.push(
                    same.then_some(())
                        .ok_or(format!("{what}, of several: {expr:?}")),
                );
            }
        }
    }
    all(reports);
}
