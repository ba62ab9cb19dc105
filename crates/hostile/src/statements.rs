//! Statements of the function that is read, with the functions that it calls in their place.

use std::collections::HashMap;

use naga::{Expression, Function, Handle, LocalVariable, Module, Statement};

use crate::live::uses;
use crate::output::{Output, Value};
use crate::returns::{always_returns, has_return, is_in_tail_position};
use crate::ways::Ways;

/// A function that is read, on its way.
pub struct Frame<'m> {
    pub function: &'m Function,
    pub values: HashMap<Handle<Expression>, Value>,
    pub locals: HashMap<Handle<LocalVariable>, Handle<LocalVariable>>,
    /// How many expressions and statements read each; of functions that are called nobody asks.
    pub uses: HashMap<Handle<Expression>, usize>,
    /// What it was called with; none of the function that is written.
    pub arguments: Vec<Value>,
    /// Where it puts its result; `None` of the function that is written.
    pub returned: Option<Returned>,
}

/// The result of a call.
#[derive(Default)]
pub struct Returned {
    /// Blocks around what is read now.
    pub depth: usize,
    value: Option<Value>,
    variable: Option<Handle<LocalVariable>>,
}

/// Reads a function and writes another.
pub struct Rewriter<'m> {
    pub out: Output<'m>,
}

impl<'m> Rewriter<'m> {
    /// The function with those that it calls in the place of their calls.
    pub fn inlined(module: &'m Module, function: &'m Function) -> Function {
        Self::function(module, None, function, HashMap::new())
    }

    /// The function, which calls none, as a compiler of these ways understands it.
    pub fn rewritten(module: &'m Module, ways: Ways, function: &'m Function) -> Function {
        Self::function(module, Some(ways), function, uses(function))
    }

    fn function(
        module: &'m Module,
        ways: Option<Ways>,
        function: &'m Function,
        uses: HashMap<Handle<Expression>, usize>,
    ) -> Function {
        let mut own = Self {
            out: Output::new(module, ways, &function.arguments),
        };
        let mut frame = own.frame(function, Vec::new(), None);
        frame.uses = uses;
        own.block(&mut frame, &function.body);
        own.out.finished(function)
    }

    /// Begins a function: its variables get their first values.
    fn frame<'f>(
        &mut self,
        function: &'f Function,
        arguments: Vec<Value>,
        returned: Option<Returned>,
    ) -> Frame<'f> {
        let mut frame = Frame {
            function,
            values: HashMap::new(),
            locals: HashMap::new(),
            uses: HashMap::new(),
            arguments,
            returned,
        };
        for (old, variable) in function.local_variables.iter() {
            let new = self.out.local(variable.ty);
            frame.locals.insert(old, new);
            let first = match variable.init {
                Some(init) => self.constant(&mut frame, init),
                None => Value::Is(self.out.push(Expression::ZeroValue(variable.ty))),
            };
            self.store_local(new, first);
        }
        frame
    }

    /// A first value, which no statement emits.
    fn constant(&mut self, frame: &mut Frame<'_>, handle: Handle<Expression>) -> Value {
        let mut open = vec![handle];
        while let Some(&last) = open.last() {
            let operands: Vec<_> = match frame.function.expressions[last] {
                Expression::Compose { ref components, .. } => components.clone(),
                Expression::Splat { value, .. } => vec![value],
                _ => Vec::new(),
            };
            let missing: Vec<_> = operands
                .into_iter()
                .filter(|h| !frame.values.contains_key(h))
                .collect();
            if missing.is_empty() {
                self.value(frame, last);
                open.pop();
            } else {
                open.extend(missing);
            }
        }
        self.value(frame, handle)
    }

    fn store_local(&mut self, local: Handle<LocalVariable>, value: Value) {
        let pointer = self.out.push(Expression::LocalVariable(local));
        let computed = self.out.handle(&value);
        self.out.statement(Statement::Store {
            pointer,
            value: computed,
        });
        self.out.held.insert(local, value);
    }

    /// Reads a block. Where a function is put in the place of a call, what follows an `if` that returns moves into
    /// its other branch.
    pub fn block(&mut self, frame: &mut Frame<'_>, statements: &[Statement]) {
        for (n, statement) in statements.iter().enumerate() {
            if frame.returned.is_some() && has_return(statement) {
                self.last(frame, statement, &statements[n + 1..]);
                return;
            }
            self.statement(frame, statement);
        }
    }

    /// Reads a statement that returns, and what follows where it does not.
    fn last(&mut self, frame: &mut Frame<'_>, statement: &Statement, rest: &[Statement]) {
        match statement {
            Statement::Return { value } => {
                let value = value.map(|value| self.value(frame, value));
                self.keep_result(frame, value);
            }
            Statement::Block(block) => self.block(frame, block),
            Statement::If {
                condition,
                accept,
                reject,
            } => {
                let with = |block: &[Statement]| match always_returns(block) {
                    true => block.to_vec(),
                    false => [block, rest].concat(),
                };
                self.branch(frame, *condition, &with(accept), &with(reject));
            }
            Statement::Switch { selector, cases } => self.switch(frame, *selector, cases),
            other => unreachable!("{other:?} is not where a function may end"),
        }
    }

    fn keep_result(&mut self, frame: &mut Frame<'_>, value: Option<Value>) {
        let ty = frame.function.result.as_ref().map(|result| result.ty);
        let returned = frame.returned.as_mut().expect("a call has a result");
        if returned.depth == 0 {
            returned.value = value;
        } else if let (Some(value), Some(ty)) = (value, ty) {
            let variable = *returned.variable.get_or_insert_with(|| self.out.local(ty));
            self.store_local(variable, value);
        }
    }

    fn statement(&mut self, frame: &mut Frame<'_>, statement: &Statement) {
        match *statement {
            Statement::Emit(ref range) => {
                for handle in range.clone() {
                    let value = self.emitted(frame, handle);
                    frame.values.insert(handle, value);
                }
            }
            Statement::Block(ref block) => self.block(frame, block),
            Statement::If {
                condition,
                ref accept,
                ref reject,
            } => self.branch(frame, condition, accept, reject),
            Statement::Switch {
                selector,
                ref cases,
            } => self.switch(frame, selector, cases),
            Statement::Loop {
                ref body,
                ref continuing,
                break_if,
            } => self.repeat(frame, body, continuing, break_if),
            Statement::Break
            | Statement::Continue
            | Statement::ControlBarrier(_)
            | Statement::MemoryBarrier(_) => {
                self.out.statement(statement.clone());
            }
            Statement::Return { value } => {
                let value = value.map(|value| self.computed(frame, value));
                self.out.statement(Statement::Return { value });
            }
            Statement::Store { pointer, value } => self.store(frame, pointer, value),
            Statement::Atomic {
                pointer,
                fun,
                value,
                result,
            } => {
                let [pointer, value] = [pointer, value].map(|h| self.computed(frame, h));
                let result = result.map(|old| {
                    let new = self.out.result(frame.function.expressions[old].clone());
                    frame.values.insert(old, Value::Is(new));
                    new
                });
                self.out.statement(Statement::Atomic {
                    pointer,
                    fun,
                    value,
                    result,
                });
            }
            Statement::WorkGroupUniformLoad {
                pointer,
                result: old,
            } => {
                let pointer = self.computed(frame, pointer);
                let result = self.out.result(frame.function.expressions[old].clone());
                frame.values.insert(old, Value::Is(result));
                self.out
                    .statement(Statement::WorkGroupUniformLoad { pointer, result });
            }
            Statement::Call {
                function,
                ref arguments,
                result,
            } => {
                let arguments: Vec<Value> =
                    arguments.iter().map(|&a| self.value(frame, a)).collect();
                let value = self.call(function, arguments);
                if let (Some(result), Some(value)) = (result, value) {
                    frame.values.insert(result, value);
                }
            }
            ref other => panic!("kernels have no {other:?}"),
        }
    }

    /// Puts a function in the place of a call, where it may stand there.
    fn call(&mut self, handle: Handle<Function>, arguments: Vec<Value>) -> Option<Value> {
        let module = self.out.module;
        let function = &module.functions[handle];
        if is_in_tail_position(&function.body) {
            let mut frame = self.frame(function, arguments, Some(Returned::default()));
            self.block(&mut frame, &function.body);
            let returned = frame.returned.expect("a call has a result");
            return match returned.variable {
                Some(variable) => {
                    let pointer = self.out.push(Expression::LocalVariable(variable));
                    Some(self.loaded(pointer))
                }
                None => returned.value,
            };
        }
        let arguments: Vec<_> = arguments.iter().map(|a| self.out.handle(a)).collect();
        for &argument in &arguments {
            self.out.forget_behind(argument);
        }
        let result = function
            .result
            .as_ref()
            .map(|_| self.out.result(Expression::CallResult(handle)));
        self.out.statement(Statement::Call {
            function: handle,
            arguments,
            result,
        });
        result.map(Value::Is)
    }

    fn store(
        &mut self,
        frame: &mut Frame<'_>,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
    ) {
        let pointer = self.computed(frame, pointer);
        let value = self.value(frame, value);
        if let Expression::LocalVariable(local) = self.out.expressions[pointer] {
            return self.store_local(local, value);
        }
        self.out.forget_behind(pointer);
        let value = self.out.handle(&value);
        self.out.statement(Statement::Store { pointer, value });
    }
}
