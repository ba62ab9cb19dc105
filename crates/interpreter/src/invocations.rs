//! Invocations that run together, as those of a warp or of a whole workgroup: a kernel's IR for all
//! of them at once, under a mask. Each access to a buffer or to workgroup memory is reported.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use naga::valid::FunctionInfo;
use naga::{Block, BuiltIn, Expression as E, Function, Handle, Statement as S};

use crate::memory::Memory;
use crate::program::Program;
use crate::sources::Source;

/// A word of each invocation, or one that is the same in all.
pub(crate) type Bits = Rc<[u64]>;
/// The words of uniforms by binding, those of immediate data at `None`; of a storage buffer its bytes,
/// as one word.
pub type Uniforms = HashMap<Option<u32>, Vec<u32>>;

/// A word of each invocation, and of which elements it was computed if that is not none.
#[derive(Clone)]
pub(crate) struct Lanes {
    pub bits: Bits,
    pub from: Option<Rc<[Source]>>,
}

impl Lanes {
    /// The same word in all invocations.
    pub fn all(word: u64) -> Self {
        Bits::from([word]).into()
    }

    pub fn bit(&self, lane: usize) -> u64 {
        self.bits[if self.bits.len() == 1 { 0 } else { lane }]
    }

    pub fn source(&self, lane: usize) -> Source {
        self.from.as_ref().map_or(0, |from| from[lane])
    }
}

impl From<Bits> for Lanes {
    fn from(bits: Bits) -> Self {
        Self { bits, from: None }
    }
}

/// The words of a value, those of vectors and structures one after another.
pub(crate) type Value = Rc<[Lanes]>;

/// One load or store by invocations that run together.
#[derive(Debug)]
pub struct Access<'a> {
    /// The buffer, or `None` for workgroup memory.
    pub binding: Option<u32>,
    /// Whether it stores.
    pub store: bool,
    /// Bytes of each invocation.
    pub width: u32,
    /// Byte addresses from the binding's start.
    pub at: &'a [u64],
    /// The invocations that take part.
    pub mask: &'a [bool],
}

#[derive(Clone)]
pub(crate) enum Slot {
    Value(Value),
    /// A place, which counts from `base`, and by how much it differs between invocations.
    Pointer(Root, u64, Option<Lanes>),
}

/// What a pointer's places count from: bytes in buffers and uniforms, words elsewhere.
#[derive(Clone, Copy)]
pub(crate) enum Root {
    Buffer(u32),
    Uniform(Option<u32>),
    Shared,
    Stack,
}

pub(crate) struct Frame<'a> {
    pub function: &'a Function,
    pub info: &'a FunctionInfo,
    pub arguments: Vec<Slot>,
    pub locals: Vec<u32>,
    pub values: Vec<Option<Slot>>,
    /// Which of them a compiler knows.
    pub known: Vec<bool>,
    pub result: Option<Vec<Lanes>>,
    /// Of each loop around, the invocations that broke and those that continued.
    pub around: Vec<[Vec<bool>; 2]>,
}

pub(crate) struct Invocations<'a, 'b> {
    pub program: &'a Program,
    pub uniforms: &'a Uniforms,
    pub stack: Vec<Lanes>,
    pub globals: HashMap<usize, u32>,
    pub group: [u32; 3],
    pub groups: [u32; 3],
    pub first: u32,
    pub count: usize,
    /// 0 in each of them.
    pub zero: Lanes,
    /// Arithmetic instructions so far, one a word.
    pub steps: u64,
    pub report: &'b mut dyn FnMut(&Access<'_>),
    pub memory: Option<&'b mut Memory>,
}

impl Program {
    /// Runs these invocations of workgroup `group` at once; the arithmetic instructions that they
    /// take. Barriers hold if they are all of the workgroup. `memory`: what buffers hold, which is
    /// followed then.
    pub fn run(
        &self,
        uniforms: &Uniforms,
        [group, groups]: [[u32; 3]; 2],
        own: Range<u32>,
        memory: Option<&mut Memory>,
        report: &mut dyn FnMut(&Access<'_>),
    ) -> u64 {
        let entry = &self.module.entry_points[0].function;
        let mut run = Invocations {
            program: self,
            uniforms,
            stack: Vec::new(),
            globals: HashMap::new(),
            group,
            groups,
            first: own.start,
            count: own.len(),
            zero: Lanes::all(0),
            steps: 0,
            report,
            memory,
        };
        if let Some(memory) = &mut run.memory {
            memory.enter();
        }
        let arguments = entry.arguments.iter();
        let arguments = arguments
            .map(|a| run.builtin(a.binding.as_ref().expect("a builtin")))
            .collect();
        let mask = vec![true; run.count];
        run.call(entry, self.info.get_entry_point(0), arguments, &mask);
        run.steps
    }
}

/// Whether any invocation takes part.
fn any(mask: &[bool]) -> bool {
    mask.contains(&true)
}

/// Those of a mask for which a word is 0, or is not.
fn those(mask: &[bool], word: &Lanes, wanted: bool) -> Vec<bool> {
    let each = mask.iter().enumerate();
    each.map(|(lane, &m)| m && (word.bit(lane) != 0) == wanted)
        .collect()
}

fn join(to: &mut [bool], from: &[bool]) {
    to.iter_mut().zip(from).for_each(|(to, &from)| *to |= from);
}

/// New words where a mask says so.
fn blended(old: &Lanes, new: &Lanes, mask: &[bool]) -> Lanes {
    if mask.iter().all(|&m| m) {
        return new.clone();
    }
    let pick = |lane: usize| if mask[lane] { new } else { old };
    let lanes = 0..mask.len();
    let has = old.from.is_some() || new.from.is_some();
    Lanes {
        bits: lanes.clone().map(|lane| pick(lane).bit(lane)).collect(),
        from: has.then(|| lanes.map(|lane| pick(lane).source(lane)).collect()),
    }
}

impl<'a> Invocations<'a, '_> {
    pub fn each(&self, f: impl FnMut(usize) -> u64) -> Lanes {
        (0..self.count).map(f).collect::<Bits>().into()
    }

    fn builtin(&self, binding: &naga::Binding) -> Slot {
        let naga::Binding::BuiltIn(which) = binding else {
            panic!("an argument that is no builtin")
        };
        let [w, h, _] = self.program.size;
        let local = |lane: usize| {
            let i = self.first + lane as u32;
            [i % w, i / w % h, i / (w * h)]
        };
        let three = |f: &dyn Fn(usize) -> [u32; 3]| {
            (0..3)
                .map(|k| self.each(|lane| f(lane)[k].into()))
                .collect()
        };
        let same = |id: [u32; 3]| id.map(|word| Lanes::all(word.into())).into();
        Slot::Value(match which {
            BuiltIn::WorkGroupId => same(self.group),
            BuiltIn::NumWorkGroups => same(self.groups),
            BuiltIn::LocalInvocationIndex => {
                Rc::new([self.each(|lane| u64::from(self.first) + lane as u64)])
            }
            BuiltIn::LocalInvocationId => three(&local),
            BuiltIn::GlobalInvocationId => three(&|lane| {
                let (size, local) = (self.program.size, local(lane));
                std::array::from_fn(|k| self.group[k] * size[k] + local[k])
            }),
            other => panic!("builtin {other:?}"),
        })
    }

    pub fn reserve(&mut self, words: usize) -> u32 {
        let at = self.stack.len();
        self.stack.resize(at + words, self.zero.clone());
        at as u32
    }

    pub fn call(
        &mut self,
        function: &'a Function,
        info: &'a FunctionInfo,
        arguments: Vec<Slot>,
        mask: &[bool],
    ) -> Option<Value> {
        let floor = self.stack.len();
        let mut locals = Vec::new();
        for (_, local) in function.local_variables.iter() {
            locals.push(self.reserve(self.program.len(self.program.inner(local.ty))));
        }
        let values = vec![None; function.expressions.len()];
        let known = function
            .expressions
            .iter()
            .map(|(_, e)| matches!(e, E::Literal(_) | E::Constant(_)))
            .collect();
        let mut frame = Frame {
            function,
            info,
            arguments,
            locals,
            values,
            known,
            result: None,
            around: Vec::new(),
        };
        for (n, (_, local)) in function.local_variables.iter().enumerate() {
            if let Some(init) = local.init {
                let value = self.value(&mut frame, init, mask);
                self.put(frame.locals[n] as usize, &value, mask);
            }
        }
        self.block(&mut frame, &function.body, mask.to_vec());
        if self.globals.is_empty() {
            self.stack.truncate(floor);
        }
        frame.result.map(Into::into)
    }

    pub fn put(&mut self, at: usize, value: &Value, mask: &[bool]) {
        for (to, lanes) in self.stack[at..].iter_mut().zip(value.iter()) {
            *to = blended(to, lanes, mask);
        }
    }

    /// Runs a loop; the invocations that leave it.
    fn turns(
        &mut self,
        frame: &mut Frame<'a>,
        [body, continuing]: [&'a Block; 2],
        break_if: Option<Handle<E>>,
        mut mask: Vec<bool>,
    ) -> Vec<bool> {
        let none = vec![false; self.count];
        let mut out = none.clone();
        while any(&mask) {
            frame.around.push([none.clone(), none.clone()]);
            let mut end = self.block(frame, body, mask);
            let [broke, continued] = frame.around.pop().expect("this loop");
            join(&mut out, &broke);
            join(&mut end, &continued);
            mask = self.block(frame, continuing, end);
            if let Some(end) = break_if
                && any(&mask)
            {
                let ends = self.value(frame, end, &mask)[0].clone();
                join(&mut out, &those(&mask, &ends, true));
                mask = those(&mask, &ends, false);
            }
        }
        out
    }

    /// Keeps what these invocations return.
    fn returned(&mut self, frame: &mut Frame<'a>, value: Option<Handle<E>>, mask: &[bool]) {
        let Some(value) = value else {
            return;
        };
        let value = self.value(frame, value, mask);
        let result = frame.result.get_or_insert_with(|| value.to_vec());
        for (to, from) in result.iter_mut().zip(value.iter()) {
            *to = blended(to, from, mask);
        }
    }

    /// Runs a block; the invocations that come to its end.
    fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block, mut mask: Vec<bool>) -> Vec<bool> {
        let none = vec![false; self.count];
        for statement in block {
            if !any(&mask) {
                break;
            }
            match statement {
                S::Emit(range) => {
                    for handle in range.clone() {
                        let slot = self.expression(frame, handle, &mask);
                        self.step(frame, handle);
                        frame.values[handle.index()] = Some(slot);
                    }
                }
                S::Block(inner) => mask = self.block(frame, inner, mask),
                S::If {
                    condition,
                    accept,
                    reject,
                } => {
                    let taken = self.value(frame, *condition, &mask)[0].clone();
                    let end = self.block(frame, accept, those(&mask, &taken, true));
                    mask = self.block(frame, reject, those(&mask, &taken, false));
                    join(&mut mask, &end);
                }
                S::Loop {
                    body,
                    continuing,
                    break_if,
                } => mask = self.turns(frame, [body, continuing], *break_if, mask),
                S::Break | S::Continue => {
                    let around = frame.around.last_mut().expect("a loop around");
                    join(
                        &mut around[usize::from(matches!(statement, S::Continue))],
                        &mask,
                    );
                    mask = none.clone();
                }
                S::Return { value } => {
                    self.returned(frame, *value, &mask);
                    mask = none.clone();
                }
                S::Store { pointer, value } => {
                    let value = self.value(frame, *value, &mask);
                    self.stored(frame, *pointer, &value, &mask);
                }
                S::Atomic {
                    pointer,
                    fun,
                    value,
                    result,
                } => {
                    let value = self.value(frame, *value, &mask);
                    let old = self.change(frame, (*pointer, *fun), &value, &mask);
                    if let Some(result) = result {
                        frame.values[result.index()] = Some(Slot::Value(Rc::new([old])));
                    }
                }
                S::Call {
                    function,
                    arguments,
                    result,
                } => {
                    let value = self.called(frame, *function, arguments, &mask);
                    if let (Some(result), Some(value)) = (result, value) {
                        frame.values[result.index()] = Some(Slot::Value(value));
                    }
                }
                // All that run together do a statement before the next.
                S::ControlBarrier(_) | S::MemoryBarrier(_) => {}
                other => panic!("statement {other:?}"),
            }
        }
        mask
    }
}
