//! A warp: runs a kernel's IR for 32 invocations at once under a mask and reports each access to a
//! buffer or to workgroup memory. All that memory holds is taken as 0, since no address and no branch
//! of these kernels depends on it.

use std::collections::HashMap;
use std::rc::Rc;

use naga::valid::FunctionInfo;
use naga::{Block, BuiltIn, Expression as E, Function, Handle, Statement as S, SwitchValue};

use crate::access::one_place;
use crate::arith::{bits, each};
use crate::program::Program;

/// Invocations of a warp.
pub const LANES: usize = 32;
/// A word of each lane.
pub type Lanes = [u64; LANES];
/// The words of a value, those of vectors and structures one after another.
pub type Value = Rc<[Lanes]>;

/// One load or store of a warp.
pub struct Access<'a> {
    /// The buffer, or `None` for workgroup memory.
    pub binding: Option<u32>,
    pub store: bool,
    /// Bytes of each lane.
    pub width: u32,
    /// Byte addresses from the binding's start.
    pub at: &'a Lanes,
    /// The lanes that take part.
    pub mask: u32,
}

#[derive(Clone)]
pub(super) enum Slot {
    Value(Value),
    Pointer(Root, Rc<Lanes>),
}

/// What a pointer's places count from: bytes in buffers and uniforms, words elsewhere.
#[derive(Clone, Copy)]
pub(super) enum Root {
    Buffer(u32),
    Uniform(Option<u32>),
    Shared,
    Stack,
}

pub(super) struct Frame<'a> {
    pub(super) function: &'a Function,
    pub(super) info: &'a FunctionInfo,
    pub(super) arguments: Vec<Slot>,
    pub(super) locals: Vec<u32>,
    pub(super) values: Vec<Option<Slot>>,
    /// Which of them a compiler knows.
    pub(super) known: Vec<bool>,
    pub(super) result: Option<Vec<Lanes>>,
    /// Of each loop or switch around, the lanes that broke and those that continued.
    pub(super) around: Vec<[u32; 2]>,
}

pub(super) struct Warp<'a, 'b> {
    pub(super) program: &'a Program,
    pub(super) stack: Vec<Lanes>,
    pub(super) globals: HashMap<usize, u32>,
    pub(super) group: [u32; 3],
    pub(super) groups: [u32; 3],
    pub(super) first: u32,
    /// Arithmetic instructions so far, one a word.
    pub(super) steps: u64,
    pub(super) report: &'b mut dyn FnMut(Access<'_>),
}

impl Program {
    /// Runs the warp whose first invocation is `first` of workgroup `group`; the arithmetic
    /// instructions that it takes.
    pub fn warp(
        &self,
        group: [u32; 3],
        groups: [u32; 3],
        first: u32,
        report: &mut dyn FnMut(Access<'_>),
    ) -> u64 {
        let entry = &self.module.entry_points[0].function;
        let mut warp = Warp {
            program: self,
            stack: Vec::new(),
            globals: HashMap::new(),
            group,
            groups,
            first,
            steps: 0,
            report,
        };
        let arguments = entry
            .arguments
            .iter()
            .map(|a| warp.builtin(a.binding.as_ref().unwrap()))
            .collect();
        let lanes = (self.threads - first).min(LANES as u32);
        let mask = if lanes == 32 {
            u32::MAX
        } else {
            (1 << lanes) - 1
        };
        warp.call(entry, self.info.get_entry_point(0), arguments, mask);
        warp.steps
    }
}

impl<'a> Warp<'a, '_> {
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
            (0..3).map(|k| each(|lane| f(lane)[k].into())).collect()
        };
        Slot::Value(match which {
            BuiltIn::WorkGroupId => three(&|_| self.group),
            BuiltIn::NumWorkGroups => three(&|_| self.groups),
            BuiltIn::LocalInvocationIndex => {
                Rc::new([each(|lane| u64::from(self.first) + lane as u64)])
            }
            BuiltIn::LocalInvocationId => three(&|lane| local(lane)),
            BuiltIn::GlobalInvocationId => three(&|lane| {
                let size = self.program.size;
                let local = local(lane);
                std::array::from_fn(|k| self.group[k] * size[k] + local[k])
            }),
            other => panic!("builtin {other:?}"),
        })
    }

    pub(super) fn reserve(&mut self, words: usize) -> u32 {
        let at = self.stack.len();
        self.stack.resize(at + words, [0; LANES]);
        at as u32
    }

    fn call(
        &mut self,
        function: &'a Function,
        info: &'a FunctionInfo,
        arguments: Vec<Slot>,
        mask: u32,
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
        self.block(&mut frame, &function.body, mask);
        if self.globals.is_empty() {
            self.stack.truncate(floor);
        }
        frame.result.map(Into::into)
    }

    fn put(&mut self, at: usize, value: &Value, mask: u32) {
        for (k, lanes) in value.iter().enumerate() {
            let to = &mut self.stack[at + k];
            (0..LANES)
                .filter(|lane| mask >> lane & 1 == 1)
                .for_each(|lane| to[lane] = lanes[lane]);
        }
    }

    /// Runs a block; the lanes that come to its end.
    fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block, mut mask: u32) -> u32 {
        for statement in block {
            if mask == 0 {
                break;
            }
            match statement {
                S::Emit(range) => {
                    for handle in range.clone() {
                        let slot = self.expression(frame, handle, mask);
                        self.count(frame, handle);
                        frame.values[handle.index()] = Some(slot);
                    }
                }
                S::Block(inner) => mask = self.block(frame, inner, mask),
                S::If {
                    condition,
                    accept,
                    reject,
                } => {
                    let taken = bits(&self.value(frame, *condition, mask)[0]);
                    mask = self.block(frame, accept, mask & taken)
                        | self.block(frame, reject, mask & !taken);
                }
                S::Switch { selector, cases } => mask = self.switch(frame, *selector, cases, mask),
                S::Loop {
                    body,
                    continuing,
                    break_if,
                } => {
                    let mut out = 0;
                    while mask != 0 {
                        frame.around.push([0; 2]);
                        let end = self.block(frame, body, mask);
                        let [broke, continued] = frame.around.pop().unwrap();
                        out |= broke;
                        mask = self.block(frame, continuing, end | continued);
                        if let Some(end) = break_if {
                            let ends = bits(&self.value(frame, *end, mask)[0]) & mask;
                            out |= ends;
                            mask &= !ends;
                        }
                    }
                    mask = out;
                }
                S::Break => {
                    frame.around.last_mut().unwrap()[0] |= mask;
                    mask = 0;
                }
                S::Continue => {
                    frame.around.last_mut().unwrap()[1] |= mask;
                    mask = 0;
                }
                S::Return { value } => {
                    if let Some(value) = value {
                        let value = self.value(frame, *value, mask);
                        let result = frame.result.get_or_insert_with(|| value.to_vec());
                        for (to, from) in result.iter_mut().zip(value.iter()) {
                            (0..LANES)
                                .filter(|lane| mask >> lane & 1 == 1)
                                .for_each(|lane| to[lane] = from[lane]);
                        }
                    }
                    mask = 0;
                }
                S::Store { pointer, value } => {
                    let value = self.value(frame, *value, mask);
                    match self.slot(frame, *pointer, mask) {
                        Slot::Pointer(Root::Stack, at) => {
                            self.put(one_place(&at, mask), &value, mask)
                        }
                        Slot::Pointer(root, at) => {
                            self.touch(frame, *pointer, root, &at, true, mask)
                        }
                        Slot::Value(_) => panic!("a store to a value"),
                    }
                }
                S::Call {
                    function,
                    arguments,
                    result,
                } => {
                    let arguments = arguments
                        .iter()
                        .map(|a| self.slot(frame, *a, mask))
                        .collect();
                    let (called, info) = (
                        &self.program.module.functions[*function],
                        &self.program.info[*function],
                    );
                    let value = self.call(called, info, arguments, mask);
                    if let (Some(result), Some(value)) = (result, value) {
                        frame.values[result.index()] = Some(Slot::Value(value));
                    }
                }
                S::WorkGroupUniformLoad { pointer, result } => {
                    let value = self.load(frame, *pointer, mask);
                    frame.values[result.index()] = Some(value);
                }
                // Warps run one after another: what they share is data, not places.
                S::ControlBarrier(_) | S::MemoryBarrier(_) => {}
                other => panic!("statement {other:?}"),
            }
        }
        mask
    }

    /// Counts what is computed, but not what a compiler computes: of constants, and choices by one.
    fn count(&mut self, frame: &mut Frame<'a>, handle: Handle<E>) {
        let known = |h: Handle<E>| frame.known[h.index()];
        let (folds, is_step) = match &frame.function.expressions[handle] {
            E::Unary { expr, .. }
            | E::As {
                expr,
                convert: Some(_),
                ..
            } => (known(*expr), true),
            E::As {
                expr,
                convert: None,
                ..
            } => (known(*expr), false),
            E::Binary { left, right, .. } => (known(*left) && known(*right), true),
            E::Select {
                condition,
                accept,
                reject,
            } => (
                known(*condition) && known(*accept) && known(*reject),
                !known(*condition),
            ),
            E::Math { arg, .. } => (known(*arg), true),
            E::Relational { argument, .. } => (known(*argument), true),
            E::Splat { value, .. } => (known(*value), false),
            E::Compose { components, .. } => (components.iter().all(|c| known(*c)), false),
            _ => (false, false),
        };
        frame.known[handle.index()] = folds;
        if is_step && !folds {
            self.steps += self.program.len(self.inner(frame, handle)) as u64;
        }
    }

    fn switch(
        &mut self,
        frame: &mut Frame<'a>,
        selector: Handle<E>,
        cases: &'a [naga::SwitchCase],
        mask: u32,
    ) -> u32 {
        let chosen = self.value(frame, selector, mask)[0];
        let of =
            |wanted: u32| bits(&each(|lane| u64::from(chosen[lane] == u64::from(wanted)))) & mask;
        let mut left = mask;
        let takes: Vec<u32> = cases
            .iter()
            .map(|case| match case.value {
                SwitchValue::I32(v) => of(v as u32),
                SwitchValue::U32(v) => of(v),
                SwitchValue::Default => 0,
            })
            .collect();
        takes.iter().for_each(|taken| left &= !taken);
        frame.around.push([0; 2]);
        let (mut fallen, mut end) = (0, 0);
        for (case, taken) in cases.iter().zip(takes) {
            let taken = if case.value == SwitchValue::Default {
                left
            } else {
                taken
            };
            let out = self.block(frame, &case.body, taken | fallen);
            (fallen, end) = if case.fall_through {
                (out, end)
            } else {
                (0, end | out)
            };
        }
        let [broke, continued] = frame.around.pop().unwrap();
        if let Some(outer) = frame.around.last_mut() {
            outer[1] |= continued;
        }
        end | broke
    }
}
