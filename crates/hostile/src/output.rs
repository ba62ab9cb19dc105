//! The function that is written.

use std::collections::HashMap;
use std::rc::Rc;

use naga::proc::TypeResolution;
use naga::{
    Arena, Block, Expression, Function, FunctionArgument, Handle, Literal, LocalVariable, Module,
    Range, ScalarKind, Span, Statement, Type, TypeInner,
};

use crate::form::{Form, Kind};
use crate::operands::with_operands;
use crate::ways::Ways;

/// A value of the function that is read.
#[derive(Clone, Debug)]
pub enum Value {
    /// Computed.
    Is(Handle<Expression>),
    /// A float that is computed where something needs it.
    Sum(Rc<Sum>),
}

/// What is known of a float.
#[derive(Debug)]
pub struct Sum {
    /// What is written. A sum that several expressions read is a value in it: compilers regroup what one reads.
    pub near: Form,
    /// All of it, for terms that cancel: compilers see that whoever else reads them.
    pub far: Form,
}

impl From<Form> for Value {
    fn from(form: Form) -> Self {
        Self::Sum(Rc::new(Sum {
            near: form.clone(),
            far: form,
        }))
    }
}

/// Expressions and statements so far.
pub struct Output<'m> {
    pub module: &'m Module,
    /// None where functions are put in the place of their calls alone.
    pub ways: Option<Ways>,
    arguments: &'m [FunctionArgument],
    pub expressions: Arena<Expression>,
    types: naga::front::Typifier,
    pub locals: Arena<LocalVariable>,
    /// What was computed in blocks that are open, so that equal expressions are one.
    computed: HashMap<String, Handle<Expression>>,
    /// Keys of `computed` by the block that brought them, innermost last.
    scopes: Vec<Vec<String>>,
    /// What local variables hold.
    pub held: HashMap<Handle<LocalVariable>, Value>,
    blocks: Vec<Block>,
    /// Expressions inside each other, of each.
    depths: Vec<usize>,
    /// Those that get a name, since parsers bear no text that is too deep.
    named: Vec<(Handle<Expression>, String)>,
}

/// Expressions inside each other that a text has at most.
const DEEPEST: usize = 16;

impl<'m> Output<'m> {
    pub fn new(module: &'m Module, ways: Option<Ways>, arguments: &'m [FunctionArgument]) -> Self {
        Self {
            module,
            ways,
            arguments,
            expressions: Arena::new(),
            types: naga::front::Typifier::new(),
            locals: Arena::new(),
            computed: HashMap::new(),
            scopes: vec![Vec::new()],
            held: HashMap::new(),
            blocks: vec![Block::new()],
            depths: Vec::new(),
            named: Vec::new(),
        }
    }

    /// The function with what was written.
    pub fn finished(mut self, of: &Function) -> Function {
        Function {
            name: of.name.clone(),
            arguments: of.arguments.clone(),
            result: of.result.clone(),
            local_variables: self.locals,
            expressions: self.expressions,
            named_expressions: self.named.into_iter().collect(),
            body: self.blocks.pop().expect("the body is open"),
            diagnostic_filter_leaf: of.diagnostic_filter_leaf,
        }
    }

    /// Forgets what variables hold that a block wrote to.
    pub fn forget_stored(&mut self, block: &Block) {
        for statement in block {
            match statement {
                Statement::Store { pointer, .. } => self.forget_behind(*pointer),
                Statement::Call { arguments, .. } => {
                    arguments.iter().for_each(|&a| self.forget_behind(a))
                }
                Statement::If { accept, reject, .. } => {
                    self.forget_stored(accept);
                    self.forget_stored(reject);
                }
                Statement::Switch { cases, .. } => {
                    cases.iter().for_each(|case| self.forget_stored(&case.body))
                }
                Statement::Loop {
                    body, continuing, ..
                } => {
                    self.forget_stored(body);
                    self.forget_stored(continuing);
                }
                _ => {}
            }
        }
    }

    /// What a pointer shows may be written to.
    pub fn forget_behind(&mut self, mut pointer: Handle<Expression>) {
        while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } =
            self.expressions[pointer]
        {
            pointer = base;
        }
        if let Expression::LocalVariable(local) = self.expressions[pointer] {
            self.held.remove(&local);
        }
    }

    pub fn statement(&mut self, statement: Statement) {
        self.blocks
            .last_mut()
            .expect("a block is open")
            .push(statement, Span::default());
    }

    pub fn open(&mut self) {
        self.blocks.push(Block::new());
        self.scopes.push(Vec::new());
    }

    /// The block since [`open`](Self::open); what it computed is not known behind it.
    pub fn close(&mut self) -> Block {
        for key in self.scopes.pop().expect("a block is open") {
            self.computed.remove(&key);
        }
        self.blocks.pop().expect("a block is open")
    }

    pub fn local(&mut self, ty: Handle<Type>) -> Handle<LocalVariable> {
        let variable = LocalVariable {
            name: None,
            ty,
            init: None,
        };
        self.locals.append(variable, Span::default())
    }

    /// An expression that a statement gives its value.
    pub fn result(&mut self, expression: Expression) -> Handle<Expression> {
        self.depths.push(0);
        self.expressions.append(expression, Span::default())
    }

    /// An expression that is computed here, whatever was computed before.
    pub fn anew(&mut self, expression: Expression) -> Handle<Expression> {
        let first = expression.needs_pre_emit();
        let mut depth = 0;
        with_operands(&expression, |operand| {
            depth = depth.max(self.depths[operand.index()] + 1);
            operand
        });
        // Pointers have no name, and what is loaded has one.
        let is_value = !matches!(
            expression,
            Expression::Access { .. } | Expression::AccessIndex { .. } | Expression::Load { .. }
        );
        let deep = is_value && depth >= DEEPEST;
        self.depths.push(if deep { 0 } else { depth });
        let handle = self.expressions.append(expression, Span::default());
        if deep {
            self.named
                .push((handle, format!("deep_{}", handle.index())));
        }
        if !first {
            self.statement(Statement::Emit(Range::new_from_bounds(handle, handle)));
        }
        handle
    }

    /// A pure expression, computed once.
    pub fn push(&mut self, expression: Expression) -> Handle<Expression> {
        let key = format!("{expression:?}");
        match self.computed.get(&key) {
            Some(&handle) => handle,
            None => {
                let handle = self.anew(expression);
                self.keep(key, handle);
                handle
            }
        }
    }

    /// What was computed under a key in an open block.
    pub fn kept(&self, key: &str) -> Option<Handle<Expression>> {
        self.computed.get(key).copied()
    }

    pub fn keep(&mut self, key: String, handle: Handle<Expression>) {
        self.scopes
            .last_mut()
            .expect("a block is open")
            .push(key.clone());
        self.computed.insert(key, handle);
    }

    pub fn type_of(&mut self, handle: Handle<Expression>) -> &TypeResolution {
        let context =
            naga::proc::ResolveContext::with_locals(self.module, &self.locals, self.arguments);
        self.types
            .grow(handle, &self.expressions, &context)
            .unwrap_or_else(|e| panic!("an expression has no type: {e}"));
        &self.types[handle]
    }

    pub fn inner(&mut self, handle: Handle<Expression>) -> &TypeInner {
        let module = self.module;
        self.type_of(handle).inner_with(&module.types)
    }

    /// The type of a float or of a vector of floats.
    pub fn kind(&mut self, handle: Handle<Expression>) -> Option<Kind> {
        match *self.inner(handle) {
            TypeInner::Scalar(s) if s.kind == ScalarKind::Float => Some(Kind {
                size: None,
                width: s.width,
            }),
            TypeInner::Vector { size, scalar } if scalar.kind == ScalarKind::Float => Some(Kind {
                size: Some(size),
                width: scalar.width,
            }),
            _ => None,
        }
    }

    pub fn literal(&mut self, kind: Kind, x: f64) -> Handle<Expression> {
        let literal = if kind.width == 4 {
            Literal::F32(x as f32)
        } else {
            Literal::F64(x)
        };
        let value = self.push(Expression::Literal(literal));
        match kind.size {
            Some(size) => self.push(Expression::Splat { size, value }),
            None => value,
        }
    }

    /// Whether sums are regrouped and cancelled.
    pub fn reassociates(&self) -> bool {
        self.ways.is_some_and(|ways| ways.reassociates)
    }

    /// The sum that a value is; `None` of what is no float.
    pub fn summed(&mut self, value: &Value) -> Option<Rc<Sum>> {
        let handle = match value {
            Value::Sum(sum) => return Some(sum.clone()),
            Value::Is(handle) => *handle,
        };
        let kind = self.kind(handle)?;
        let form = match constant(self.module, &self.expressions, handle) {
            Some(x) if self.reassociates() || x != 0.0 => Form::constant(kind, x),
            _ => Form::of(kind, handle),
        };
        Some(Rc::new(Sum {
            near: form.clone(),
            far: form,
        }))
    }

    /// A value that something else reads too: a sum is taken for a value, and a product if it is to be a `factor`.
    pub fn shared(&mut self, value: Value, factor: bool) -> Value {
        match value {
            Value::Sum(sum) if self.reassociates() && (factor || !sum.near.is_term()) => {
                Value::Sum(Rc::new(Sum {
                    near: self.atom(&sum.near),
                    far: sum.far.clone(),
                }))
            }
            other => other,
        }
    }

    /// A value, computed.
    pub fn handle(&mut self, value: &Value) -> Handle<Expression> {
        match value {
            Value::Is(handle) => *handle,
            Value::Sum(sum) => self.written(&sum.near),
        }
    }
}

/// The float that all lanes of an expression are, if the text says so.
fn constant(module: &Module, arena: &Arena<Expression>, handle: Handle<Expression>) -> Option<f64> {
    match arena[handle] {
        Expression::Literal(Literal::F32(x)) => Some(x.into()),
        Expression::Literal(Literal::F64(x)) => Some(x),
        Expression::Constant(c) => {
            constant(module, &module.global_expressions, module.constants[c].init)
        }
        Expression::Splat { value, .. } => constant(module, arena, value),
        Expression::ZeroValue(ty) => module.types[ty]
            .inner
            .scalar_kind()
            .filter(|k| *k == ScalarKind::Float)
            .map(|_| 0.0),
        Expression::Compose { ref components, .. } => {
            let all: Option<Vec<f64>> = components
                .iter()
                .map(|&c| constant(module, arena, c))
                .collect();
            let all = all?;
            all.iter()
                .all(|x| x.to_bits() == all[0].to_bits())
                .then(|| all[0])
        }
        _ => None,
    }
}
