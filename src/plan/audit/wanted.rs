//! Which elements of its inputs each element of a pass's output has to be computed of, by the layouts
//! of its body, and the dispatch that is to show it.

use std::collections::HashMap;
use std::ops::Range;

use crate::dtype::DType;
use crate::kernel::{Dispatch, Resource};
use crate::layout::Layout;
use crate::op::{LANES, Op};
use crate::plan::mapped::Work;
use crate::plan::operand::{Access, Arg};
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
    /// Of as many workgroups, or groups of invocations that share no memory, one is run.
    pub share: usize,
    /// Its storage buffers, the output last.
    pub buffers: Vec<Bound>,
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
    /// The binding of each input; of numbers, which have none, 0.
    bindings: Vec<u32>,
}

/// A storage buffer of a dispatch.
pub struct Bound {
    /// Its binding.
    pub binding: u32,
    /// Its bytes.
    pub bytes: u64,
    /// Bytes of an element.
    pub element: u32,
    /// The words that it begins with.
    pub words: Vec<u32>,
    /// Whether no load may leave it.
    pub kept: bool,
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
    pub(super) fn new(pass: &'a Pass, dispatch: &Dispatch, text: &'a str, share: usize) -> Self {
        let is_bound = |i: &usize| pass.inputs[*i].access != Access::Numbers;
        let mut inputs = (0..pass.inputs.len()).filter(is_bound);
        let (mut uniforms, mut buffers) = (HashMap::new(), Vec::new());
        let mut bindings = vec![0; pass.inputs.len()];
        for (binding, resource) in (0..).zip(&dispatch.bindings) {
            let words = match resource {
                Resource::Table(words) | Resource::Numbers(words) => words.clone(),
                Resource::Buffer { size, .. } => {
                    let input = inputs.next();
                    input.into_iter().for_each(|i| bindings[i] = binding);
                    let input = input.map(|i| &pass.inputs[i]);
                    buffers.push(Bound {
                        binding,
                        bytes: *size,
                        element: input.map_or(pass.output.dtype, |x| x.dtype).size() as u32,
                        words: Vec::new(),
                        kept: input.is_some_and(|x| x.access == Access::Kept),
                    });
                    vec![u32::try_from(*size).unwrap_or(u32::MAX)]
                }
            };
            uniforms.insert(Some(binding), words);
        }
        uniforms.insert(None, dispatch.immediates.clone());
        let count = match &pass.work {
            Work::Map(_) => 1,
            Work::Fold(schedule) => pass.extents[schedule.kept as usize..].iter().product(),
            Work::Own(_) => pass.extents.last().copied().unwrap_or(1),
        };
        let places = pass.inputs.iter().enumerate().map(|(i, x)| {
            let positions = turned(pass, &on_axes(pass, i));
            from(x.range.start, x.dtype.size(), &positions)
        });
        let places: Vec<Vec<i64>> = places.collect();
        if matches!(pass.work, Work::Own(_)) && !pass.work.multiplies() {
            // A position is the number of its element, as far as there are such.
            let numbers = 0..buffers[1].bytes as u32 / 4;
            buffers[1].words = numbers.map(|n| n % count as u32).collect();
        }
        let unit = pass.work.schedule().map_or(QUAD, Schedule::unit);
        let (per_word, results) = (i64::from(pass.output.per_word), results(pass, count));
        let elements = results.iter().flat_map(|r: &Outcome| &r.elements);
        let last = elements.max().map_or(-1, |&last| last);
        Self {
            text,
            uniforms,
            groups: dispatch.grid,
            share,
            bindings,
            buffers,
            is_shared: pass.output.store.is_shared(),
            padding: match pass.output.store {
                Store::Wide => unit.max(QUAD) as i64 * per_word - 1,
                // The rest of the last word.
                _ => per_word - 1 - last.rem_euclid(per_word),
            },
            results,
            weight: count * places.len(),
            pass,
            places,
            count,
        }
    }

    /// The output.
    pub fn output(&self) -> &Bound {
        self.buffers.last().expect("a dispatch has an output")
    }

    /// The elements that a result is computed of, and whether it has to be or only may be.
    pub fn wanted(&self, result: &Outcome) -> Vec<(Element, bool)> {
        let row = result.row * self.count;
        let flows = match &self.pass.work {
            work if matches!(work, Work::Map(_) | Work::Fold(_)) || work.multiplies() => {
                self.flows(result)
            }
            _ => {
                let taken = self.places[1][row] as usize % self.count;
                vec![(0, taken..taken + 1, true), (1, 0..1, true)]
            }
        };
        let before = self
            .pass
            .adds()
            .then(|| ((self.output().binding, result.elements[0]), true));
        let at = |i: usize, r: usize| (self.bindings[i], self.places[i][row + r]);
        let all = flows
            .into_iter()
            .filter(|(i, ..)| self.pass.inputs[*i].access != Access::Numbers)
            .flat_map(|(i, own, certain)| own.map(move |r| (at(i, r), certain)));
        all.chain(before).collect()
    }

    /// The inputs that a result is computed of, each with those elements of the row that it is read
    /// at, and whether it is for certain.
    fn flows(&self, result: &Outcome) -> Vec<(usize, Range<usize>, bool)> {
        let scan = self.pass.work.fold().and_then(|fold| fold.scan);
        // What is chosen differs from element to element.
        let chooses = self.pass.steps.iter().any(|step| step.op == Op::WHERE);
        let mut open = vec![(result.arg, result.own.clone(), true)];
        let (mut folds, mut found) = (Vec::new(), Vec::new());
        while let Some((arg, all, is_certain)) = open.pop() {
            let each = if chooses { 1 } else { all.len().max(1) };
            for first in all.clone().step_by(each) {
                let own = first..all.end.min(first + each);
                for (leaf, certain) in self.leaves(arg, result.row * self.count + first) {
                    let certain = certain && is_certain;
                    match leaf {
                        Arg::Input(i) => found.push((i, own.clone(), certain)),
                        Arg::Fold(_) if self.pass.work.multiplies() => {
                            found.extend([0, 1].map(|i| (i, 0..self.count, certain)));
                        }
                        Arg::Fold(k) if !folds.contains(&(k, certain)) => {
                            folds.push((k, certain));
                            let read = match scan {
                                None | Some(ScanStep { total: true, .. }) => 0..self.count,
                                Some(ScanStep { exclusive, .. }) => {
                                    0..own.end - usize::from(exclusive)
                                }
                            };
                            if let Some(Begin::Input(i)) = scan.map(|scan| scan.begin) {
                                found.push((i, own.clone(), certain));
                            }
                            open.push((self.pass.folds[k].arg, read, certain));
                        }
                        _ => {}
                    }
                }
            }
        }
        found
    }

    /// Inputs and folds that steps compute a value of at a place of the inputs, and whether they do
    /// for certain.
    fn leaves(&self, arg: Arg, at: usize) -> Vec<(Arg, bool)> {
        let (mut open, mut met, mut found) = (vec![(arg, true)], Vec::new(), Vec::new());
        while let Some((arg, certain)) = open.pop() {
            let Arg::Step(j) = arg else {
                found.push((arg, certain));
                continue;
            };
            if met.contains(&(j, certain)) {
                continue;
            }
            met.push((j, certain));
            let args = &self.pass.steps[j].args;
            let (args, certain) =
                match (self.pass.steps[j].op == Op::WHERE).then(|| self.value(args[0], at)) {
                    Some(Value::Known(0)) => (&args[2..], certain),
                    Some(Value::Known(_)) => (&args[1..2], certain),
                    Some(Value::Unsure) => (&args[1..], false),
                    None | Some(Value::Data) => (&args[..], certain),
                };
            open.extend(args.iter().map(|&arg| (arg, certain)));
        }
        found
    }

    /// What is known of a value at a place of the inputs: the steps that tell in which piece an
    /// element lies are computed.
    fn value(&self, arg: Arg, at: usize) -> Value {
        let j = match arg {
            Arg::Input(i) if self.pass.inputs[i].access == Access::Numbers => {
                return Value::Known(self.places[i][at] as u32);
            }
            Arg::Input(_) | Arg::Fold(_) => return Value::Data,
            Arg::Scalar(k) => return Value::Known(self.pass.scalars[k].bits as u32),
            Arg::Position => return Value::Known((at % self.count) as u32),
            Arg::Step(j) => j,
        };
        let step = &self.pass.steps[j];
        let args: Vec<Value> = step.args.iter().map(|&arg| self.value(arg, at)).collect();
        match args[..] {
            [Value::Known(a), Value::Known(b)] if step.operand == DType::U32 => {
                if step.op == Op::SUB {
                    return Value::Known(a.wrapping_sub(b));
                } else if step.op == Op::LESS {
                    return Value::Known(u32::from(a < b));
                }
            }
            [Value::Known(known), other] | [other, Value::Known(known)]
                if step.op == Op::AND && step.operand == DType::Bool =>
            {
                return if known == 0 { Value::Known(0) } else { other };
            }
            _ => {}
        }
        match args.contains(&Value::Data) {
            true => Value::Data,
            false => Value::Unsure,
        }
    }
}

/// What is known of a value without a look at data.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    Known(u32),
    /// Nothing, though it is computed of no data.
    Unsure,
    Data,
}

impl Pass {
    /// Whether it adds to what its output holds.
    pub fn adds(&self) -> bool {
        let Work::Own(own) = &self.work else {
            return false;
        };
        let mut words = own.header.iter().zip(&self.table);
        words.any(|(&name, &word)| name == "adds" && word != 0)
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
        Work::Map(_) | Work::Fold(_) => return layout.clone(),
        // Rows, columns and what is summed over: each factor lacks one.
        Work::Own(own) if own.multiplies => {
            let [.., rows, columns, _] = pass.extents[..] else {
                unreachable!("a product has three axes")
            };
            if i > 1 {
                // Steps behind it have an input for each element.
                extents.push(pass.extents[pass.extents.len() - 1]);
                strides.push(0);
                return Layout::new(extents, strides, layout.offset()).expect("it was a layout");
            }
            let at = extents.len() - 1 - i;
            if i == 1 {
                extents.swap(at, at + 1);
                strides.swap(at, at + 1);
            }
            extents.insert(at, [columns, rows][i]);
            strides.insert(at, 0);
        }
        // Its inputs have axes of their own.
        Work::Own(_) => (extents, strides) = (pass.extents.clone(), input.strides.clone()),
    }
    Layout::new(extents, strides, layout.offset()).expect("it was a layout")
}

/// Positions in a buffer as those from a binding's start.
fn from(start: u64, size: usize, positions: &[usize]) -> Vec<i64> {
    let start = (start / size as u64) as i64;
    positions
        .iter()
        .map(|&at| at.cast_signed() as i64 - start)
        .collect()
}

/// The positions of a layout on kept axes, then on reduced ones.
fn turned(pass: &Pass, layout: &Layout) -> Vec<usize> {
    let rank = layout.shape().rank();
    let own = (0..rank).filter(|axis| !pass.reduced.contains(axis));
    let order: Vec<usize> = own
        .chain(pass.reduced.iter().copied().filter(|&a| a < rank))
        .collect();
    let turned = layout.view(&View::Permute(order));
    turned.expect("these are its axes").offsets().collect()
}
