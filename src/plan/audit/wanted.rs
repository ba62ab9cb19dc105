//! Which elements of its inputs each element of a pass's output has to be computed of, by the layouts
//! of its body, and the dispatch that is to show it.

use std::collections::HashMap;
use std::ops::Range;

use crate::kernel::{Dispatch, Resource};
use crate::layout::Layout;
use crate::op::LANES;
use crate::plan::mapped::Work;
use crate::plan::operand::Arg;
use crate::plan::pass::Pass;
use crate::plan::schedule::Schedule;
use crate::plan::slot::QUAD;
use crate::plan::store::Store;
use crate::plan::table::FoldHeader;
use crate::plan::{Across, Begin, ScanStep};
use crate::view::View;

/// An element: the binding, and its number from the binding's start.
pub type Element = (u32, i64);

/// A dispatch, and what has to flow into its output.
pub struct Trial<'a> {
    /// Its kernel.
    pub text: &'a str,
    /// The words of uniforms by binding, those of immediate data at `None`; of a storage buffer its
    /// bytes.
    pub uniforms: HashMap<Option<u32>, Vec<u32>>,
    /// Its grid.
    pub groups: [u32; 3],
    /// Binding, bytes, bytes of an element, and the words that it begins with.
    pub buffers: Vec<(u32, u64, u32, Vec<u32>)>,
    /// Whether words may be written several times.
    pub is_shared: bool,
    /// Elements behind the last of the output that may be written.
    pub padding: i64,
    /// All results.
    pub results: Vec<Outcome>,
    /// How many elements flow into a result, about.
    pub weight: usize,
    pass: &'a Pass,
    /// Where elements lie in the inputs, on the axes of the output, then on those that are gone through.
    places: Vec<Vec<i64>>,
    /// Elements that are gone through for each of the others.
    count: usize,
    /// The binding of the first input.
    first: u32,
}

/// A result of a pass: an element of the output, or several that belong together, as lanes of a fold.
pub struct Outcome {
    /// The numbers of its elements from the binding's start.
    pub elements: Vec<i64>,
    row: usize,
    /// The value that it is, of such elements of the row.
    arg: Arg,
    own: Range<usize>,
}

impl<'a> Trial<'a> {
    pub(super) fn new(pass: &'a Pass, dispatch: &Dispatch, text: &'a str) -> Self {
        let (mut uniforms, mut bindings) = (HashMap::new(), Vec::new());
        for (binding, resource) in (0..).zip(&dispatch.bindings) {
            let words = match resource {
                Resource::Table(words) | Resource::Numbers(words) => words.clone(),
                Resource::Buffer { size, .. } => {
                    bindings.push((binding, *size));
                    vec![u32::try_from(*size).unwrap_or(u32::MAX)]
                }
            };
            uniforms.insert(Some(binding), words);
        }
        uniforms.insert(None, dispatch.immediates.clone());
        let dtypes = pass
            .inputs
            .iter()
            .map(|x| x.dtype)
            .chain([pass.output.dtype]);
        let buffers = bindings.iter().zip(dtypes);
        let buffers = buffers
            .map(|(&(binding, bytes), dtype)| (binding, bytes, dtype.size() as u32, Vec::new()));
        let mut buffers: Vec<_> = buffers.collect();
        let count = match &pass.work {
            Work::Map(_) => 1,
            Work::Fold(schedule) => pass.extents[schedule.kept as usize..].iter().product(),
            Work::Contract | Work::Take => pass.extents.last().copied().unwrap_or(1),
        };
        let places = pass.inputs.iter().enumerate().map(|(i, x)| {
            let positions = turned(pass, &on_axes(pass, i));
            from(x.range.start, x.dtype.size(), &positions)
        });
        let places: Vec<Vec<i64>> = places.collect();
        if pass.work == Work::Take {
            // A position is the number of its element, as far as there are such.
            let numbers = 0..bindings[1].1 as u32 / 4;
            buffers[1].3 = numbers.map(|n| n % count as u32).collect();
        }
        let unit = pass.work.schedule().map_or(QUAD, Schedule::unit);
        Self {
            text,
            uniforms,
            groups: dispatch.grid,
            first: bindings[0].0,
            buffers,
            is_shared: pass.output.store.is_shared(),
            padding: match pass.output.store {
                Store::Wide => (unit.max(QUAD) * pass.output.per_word as usize) as i64 - 1,
                _ => 0,
            },
            results: results(pass, count),
            weight: count * places.len(),
            pass,
            places,
            count,
        }
    }

    /// The binding of the output.
    pub fn output(&self) -> u32 {
        self.first + self.pass.inputs.len() as u32
    }

    /// The elements that a result has to be computed of.
    pub fn wanted(&self, result: &Outcome) -> Vec<Element> {
        let row = result.row * self.count;
        let at = |i: usize, r: usize| (self.first + i as u32, self.places[i][row + r]);
        let flows = match &self.pass.work {
            Work::Map(_) | Work::Fold(_) => self.flows(result.arg, result.own.clone()),
            Work::Contract => vec![(0, 0..self.count), (1, 0..self.count)],
            Work::Take => {
                let taken = at(1, 0).1 as usize % self.count;
                vec![(0, taken..taken + 1), (1, 0..1)]
            }
        };
        let adds = self.pass.output.rows.is_some_and(|rows| rows.adds);
        let before = adds.then(|| (self.output(), result.elements[0]));
        let flows = flows.into_iter();
        let all = flows.flat_map(|(i, own)| own.map(move |r| at(i, r)));
        all.chain(before).collect()
    }

    /// The inputs that a value is computed of at some elements of a row, each with those of the row
    /// that it is read at.
    fn flows(&self, arg: Arg, own: Range<usize>) -> Vec<(usize, Range<usize>)> {
        let scan = self.pass.work.fold().and_then(|fold| fold.scan);
        let (mut open, mut folds, mut found) = (vec![(arg, own)], Vec::new(), Vec::new());
        while let Some((arg, own)) = open.pop() {
            for leaf in self.leaves(arg) {
                match leaf {
                    Arg::Input(i) => found.push((i, own.clone())),
                    Arg::Fold(k) if !folds.contains(&k) => {
                        folds.push(k);
                        let read = match scan {
                            None | Some(ScanStep { total: true, .. }) => 0..self.count,
                            Some(ScanStep { exclusive, .. }) => 0..own.end - usize::from(exclusive),
                        };
                        if let Some(Begin::Input(i)) = scan.map(|scan| scan.begin) {
                            found.push((i, own.clone()));
                        }
                        open.push((self.pass.folds[k].arg, read));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// Inputs and folds that steps compute a value of.
    fn leaves(&self, arg: Arg) -> Vec<Arg> {
        let (mut open, mut steps, mut found) = (vec![arg], Vec::new(), Vec::new());
        while let Some(arg) = open.pop() {
            match arg {
                Arg::Step(j) if !steps.contains(&j) => {
                    steps.push(j);
                    open.extend(&self.pass.steps[j].args);
                }
                Arg::Step(_) => {}
                _ => found.push(arg),
            }
        }
        found
    }
}

/// The results of a pass that goes through so many elements for each of its rows.
fn results(pass: &Pass, count: usize) -> Vec<Outcome> {
    let output = &pass.output;
    let elements = |at: &[usize]| from(output.range.start, output.dtype.size(), at);
    let schedule = pass.work.fold();
    if let Some(schedule) = schedule.filter(|s| s.partial) {
        let [parts, first, each] = ["parts", "first", "each"].map(|name| {
            let at = FoldHeader::FIELDS.iter().position(|&field| field == name);
            at.map_or(0, |at| pass.table[at] as usize)
        });
        // Of each fold, rows of lanes.
        let axes = match schedule.across {
            Across::Reduced => vec![0, 1, 2],
            Across::Kept => vec![0, 2, 1],
        };
        let lanes = output.layout.view(&View::Permute(axes));
        let lanes: Vec<usize> = lanes.expect("lanes have three axes").offsets().collect();
        let rows = lanes.len() / (LANES * parts * pass.folds.len());
        let of = |(n, lanes): (usize, &[usize])| {
            let begin = (first + n % parts) * each * schedule.step();
            Outcome {
                elements: elements(lanes),
                row: n / parts % rows,
                arg: pass.folds[n / (parts * rows)].arg,
                own: begin..count.min(begin + each * schedule.step()),
            }
        };
        return lanes.chunks(LANES).enumerate().map(of).collect();
    }
    let full = schedule.is_some_and(|s| s.full);
    let totals = schedule.is_some_and(|s| s.scan.is_some_and(|scan| scan.total));
    let mut positions = match full {
        true => turned(pass, &output.layout),
        false => output.layout.offsets().collect(),
    };
    if totals {
        positions = positions.into_iter().step_by(count).collect();
    }
    let of = |(n, at): (usize, &usize)| {
        let (row, r) = if full && !totals {
            (n / count, n % count)
        } else {
            (n, 0)
        };
        Outcome {
            elements: elements(&[*at]),
            row,
            arg: pass.result,
            own: r..r + 1,
        }
    };
    positions.iter().enumerate().map(of).collect()
}

/// Where input `i` lies on all axes that a pass goes through.
fn on_axes(pass: &Pass, i: usize) -> Layout {
    let input = &pass.inputs[i];
    let layout = &input.layout;
    let (mut extents, mut strides) = (layout.shape().extents().to_vec(), layout.strides().to_vec());
    match pass.work {
        Work::Map(_) | Work::Fold(_) => {}
        // Rows, columns and what is summed over: each factor lacks one.
        Work::Contract => {
            let [.., rows, columns, _] = pass.extents[..] else {
                unreachable!("a product has three axes")
            };
            let at = extents.len() - 1 - i;
            if i == 1 {
                extents.swap(at, at + 1);
                strides.swap(at, at + 1);
            }
            extents.insert(at, [columns, rows][i]);
            strides.insert(at, 0);
        }
        // Its inputs have axes of their own.
        Work::Take => (extents, strides) = (pass.extents.clone(), input.strides.clone()),
    }
    Layout::new(extents, strides, layout.offset()).expect("it was a layout")
}

/// Positions in a buffer as those from a binding's start.
fn from(start: u64, size: usize, positions: &[usize]) -> Vec<i64> {
    let start = (start / size as u64) as i64;
    positions.iter().map(|&at| at as i64 - start).collect()
}

/// The positions of a layout on kept axes, then on reduced ones.
fn turned(pass: &Pass, layout: &Layout) -> Vec<usize> {
    let rank = layout.shape().rank();
    let own = (0..rank).filter(|axis| !pass.reduced.contains(axis));
    let order: Vec<usize> = own
        .chain(pass.reduced.iter().copied().filter(|&a| a < rank))
        .collect();
    let axes = |of: usize| (layout.shape().extents()[of], layout.strides()[of]);
    let (extents, strides): (Vec<usize>, Vec<isize>) = order.into_iter().map(axes).unzip();
    let turned = Layout::new(extents, strides, layout.offset()).expect("it was a layout");
    turned.offsets().collect()
}
