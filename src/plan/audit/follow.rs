//! A dispatch run by the interpreter: whether each result is computed of the elements that it has to
//! be, and nothing else is written.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use zerostride::Trial;
use zerostride_interpreter::{Buffer, Memory, Program, Source};

/// Elements that are compared of a dispatch, about.
const COMPARED: usize = 1 << 15;

/// Whether elements flow through a dispatch as they should.
///
/// # Errors
/// Which do not.
pub fn follow(trial: &Trial<'_>) -> Result<(), String> {
    let program = program(trial.text)?;
    let buffers = trial.buffers.iter().map(|bound| Buffer {
        binding: bound.binding,
        bytes: bound.bytes,
        element: bound.element,
        words: bound.words.clone(),
        kept: bound.kept,
    });
    let mut memory = Memory::new(buffers.collect());
    let [x, y, z] = trial.groups;
    let together = program.together() as u32;
    let parts = program.threads.div_ceil(together);
    let runs = x * y * z * parts;
    // An odd share takes all parts of workgroups in turn.
    let is_run = |n: &u32| (*n as usize).is_multiple_of(trial.share | 1) || n + 1 == runs;
    for n in (0..runs).filter(is_run) {
        let (group, first) = (n / parts, n % parts * together);
        let group = [group % x, group / x % y, group / (x * y)];
        let own = first..program.threads.min(first + together);
        let at = [group, trial.groups];
        program.run(&trial.uniforms, at, own, Some(&mut memory), &mut |_| {});
    }
    if let Some(fault) = memory.fault() {
        return Err(fault.into());
    }
    Results::new(trial, memory).compared()
}

/// The kernels that were read before: many plans share their texts.
fn program(text: &str) -> Result<Rc<Program>, String> {
    thread_local! {
        static MET: RefCell<HashMap<String, Rc<Program>>> = RefCell::default();
    }
    MET.with_borrow_mut(|met| {
        if let Some(program) = met.get(text) {
            return Ok(program.clone());
        }
        let program = Rc::new(Program::new(text, &[])?);
        met.insert(text.to_owned(), program.clone());
        Ok(program)
    })
}

struct Results<'a> {
    trial: &'a Trial<'a>,
    memory: Memory,
    size: i64,
    /// The result that each element of the output belongs to.
    of: HashMap<i64, usize>,
    /// Behind the last of them.
    end: i64,
}

impl<'a> Results<'a> {
    fn new(trial: &'a Trial<'a>, memory: Memory) -> Self {
        let results = trial.results.iter().enumerate();
        let of = results.flat_map(|(n, result)| result.elements.iter().map(move |&e| (e, n)));
        let of: HashMap<i64, usize> = of.collect();
        Self {
            trial,
            memory,
            size: trial.output().element.into(),
            end: of.keys().max().map_or(0, |last| last + 1),
            of,
        }
    }

    fn is_padding(&self, element: i64) -> bool {
        (self.end..self.end + self.trial.padding).contains(&element)
    }

    fn compared(mut self) -> Result<(), String> {
        let (trial, output) = (self.trial, self.trial.output().binding);
        let elements: usize = trial.results.iter().map(|r| r.elements.len()).sum();
        if self.of.len() != elements {
            return Err("elements of the output lie in the same place".into());
        }
        let each = (trial.results.len() * trial.weight / COMPARED) | 1;
        for result in (0..trial.results.len()).step_by(each) {
            self.result(result)?;
        }
        let written: HashMap<u64, u32> = self.memory.written(output).collect();
        let is_written = |e: &i64| written.contains_key(&((e * self.size / 4) as u64));
        if let Some(element) = self.of.keys().find(|e| !is_written(e) && trial.share == 1) {
            return Err(format!("element {element} of the output is not written"));
        }
        for (word, times) in written {
            if times > 1 && !trial.is_shared {
                return Err(format!(
                    "word {word} of the output is written {times} times"
                ));
            }
            for element in self.elements_of(word as i64) {
                let may = self.of.contains_key(&element) || self.is_padding(element);
                let own = self.memory.element(output, element);
                if !may && !self.found(&[element]).contains(&own) {
                    return Err(format!("element {element} beside the output is written"));
                }
            }
        }
        Ok(())
    }

    /// Whether a result is computed of what it has to be, and its words of nothing that no element of
    /// theirs is computed of.
    fn result(&mut self, result: usize) -> Result<(), String> {
        let trial = self.trial;
        let own = &trial.results[result].elements;
        let (wanted, may) = self.wanted(result);
        // Of a share of the workgroups some lanes of a result may be written, and some not.
        let is_left = |this: &mut Self, e: i64| this.found(&[e]) == this.before(&[e]);
        if trial.share > 1 && own.iter().any(|&e| is_left(self, e)) {
            return Ok(());
        }
        let found = self.found(own);
        let missing = without(&wanted, &found);
        let foreign = match self.size >= 4 {
            true => without(&found, &may),
            false => self.foreign(own),
        };
        if missing.is_empty() && foreign.is_empty() {
            return Ok(());
        }
        let shown = |sources: &[Source]| {
            let names = sources.iter().take(8).map(|&s| self.memory.name(s));
            names.collect::<Vec<String>>().join(", ")
        };
        Err(format!(
            "result {result}, element {} of the output: {} of {} elements do not flow into it ({}), {} others do ({})",
            own[0],
            missing.len(),
            wanted.len(),
            shown(&missing),
            foreign.len(),
            shown(&foreign),
        ))
    }

    /// Of which elements the words of narrow ones were computed that none of those in them has to be.
    fn foreign(&mut self, own: &[i64]) -> Vec<Source> {
        let (mut words, mut may) = (Vec::new(), Vec::new());
        words.extend(own.iter().map(|e| e * self.size / 4));
        words.dedup();
        for element in words.iter().flat_map(|&word| self.elements_of(word)) {
            match self.of.get(&element) {
                Some(&result) => may.extend(self.wanted(result).1),
                None if self.is_padding(element) => return Vec::new(),
                None => {}
            }
            if self.trial.share > 1 || !self.of.contains_key(&element) {
                may.extend(self.before(&[element]));
            }
        }
        may.sort_unstable();
        let all = words.iter().flat_map(|&word| self.elements_of(word));
        let all: Vec<i64> = all.collect();
        without(&self.found(&all), &may)
    }

    /// What elements of the output are before they are written: themselves.
    fn before(&self, elements: &[i64]) -> Vec<Source> {
        let output = self.trial.output().binding;
        let each = elements.iter().map(|&e| self.memory.element(output, e));
        let mut each: Vec<Source> = each.collect();
        each.sort_unstable();
        each
    }

    /// The elements that a result has to be computed of, and all that it may be, each in order.
    fn wanted(&self, result: usize) -> (Vec<Source>, Vec<Source>) {
        let all = self.trial.wanted(&self.trial.results[result]).into_iter();
        let mut all: Vec<(Source, bool)> = all
            .map(|((binding, element), certain)| (self.memory.element(binding, element), certain))
            .collect();
        all.sort_unstable();
        let of = |all: &[(Source, bool)]| all.iter().map(|(source, _)| *source).collect();
        let may: Vec<Source> = of(&all);
        all.retain(|(_, certain)| *certain);
        let mut both: [Vec<Source>; 2] = [of(&all), may];
        both.iter_mut().for_each(|sources| sources.dedup());
        both.into()
    }

    /// Of which elements those of the output were computed, in order.
    fn found(&mut self, elements: &[i64]) -> Vec<Source> {
        let (size, mut sources) = (self.size, Vec::new());
        for byte in elements.iter().flat_map(|e| e * size..(e + 1) * size) {
            let bytes = self
                .memory
                .bytes(self.trial.output().binding, byte as u64 / 4);
            sources.push(bytes[byte as usize % 4]);
        }
        sources.dedup();
        self.memory.elements(&sources)
    }

    fn elements_of(&self, word: i64) -> std::ops::Range<i64> {
        4 * word / self.size..(4 * word + 3) / self.size + 1
    }
}

/// Those of the first, in order, that the second, in order, has not.
fn without(all: &[Source], others: &[Source]) -> Vec<Source> {
    let is_other = |s: &&Source| others.binary_search(s).is_ok();
    all.iter().filter(|s| !is_other(s)).copied().collect()
}
