//! Statements with blocks of their own.

use naga::{Block, Expression, Handle, Statement, SwitchCase};

use crate::output::Value;
use crate::statements::{Frame, Rewriter};

impl Rewriter<'_> {
    /// Reads a block of its own: what it holds in variables is unknown behind it where it wrote to them.
    fn inner(
        &mut self,
        frame: &mut Frame<'_>,
        read: impl FnOnce(&mut Self, &mut Frame<'_>),
    ) -> Block {
        let before = self.out.held.clone();
        self.out.open();
        if let Some(returned) = &mut frame.returned {
            returned.depth += 1;
        }
        read(self, frame);
        if let Some(returned) = &mut frame.returned {
            returned.depth -= 1;
        }
        let block = self.out.close();
        self.out.held = before;
        self.out.forget_stored(&block);
        block
    }

    pub fn branch(
        &mut self,
        frame: &mut Frame<'_>,
        condition: Handle<Expression>,
        accept: &[Statement],
        reject: &[Statement],
    ) {
        let condition = self.computed(frame, condition);
        let before = self.out.held.clone();
        let accept = self.inner(frame, |s, frame| s.block(frame, accept));
        self.out.held = before;
        let reject = self.inner(frame, |s, frame| s.block(frame, reject));
        self.out.forget_stored(&accept);
        self.out.statement(Statement::If {
            condition,
            accept,
            reject,
        });
    }

    pub fn switch(
        &mut self,
        frame: &mut Frame<'_>,
        selector: Handle<Expression>,
        cases: &[SwitchCase],
    ) {
        let selector = self.computed(frame, selector);
        let mut written = Vec::new();
        for case in cases {
            // What the cases before wrote is unknown here too, since they may fall through.
            let body = self.inner(frame, |s, frame| s.block(frame, &case.body));
            written.push(SwitchCase {
                value: case.value,
                body,
                fall_through: case.fall_through,
            });
        }
        self.out.statement(Statement::Switch {
            selector,
            cases: written,
        });
    }

    pub fn repeat(
        &mut self,
        frame: &mut Frame<'_>,
        body: &[Statement],
        continuing: &[Statement],
        until: Option<Handle<Expression>>,
    ) {
        // What a turn before this one may have written to.
        self.forget_written(frame, body);
        self.forget_written(frame, continuing);
        let body = self.inner(frame, |s, frame| s.block(frame, body));
        let mut break_if = None;
        let continuing = self.inner(frame, |s, frame| {
            s.block(frame, continuing);
            break_if = until.map(|until| s.computed(frame, until));
        });
        self.out.statement(Statement::Loop {
            body,
            continuing,
            break_if,
        });
    }

    /// Forgets what these statements, not yet read, may write to.
    fn forget_written(&mut self, frame: &mut Frame<'_>, statements: &[Statement]) {
        for statement in statements {
            match *statement {
                Statement::Store { pointer, .. } => self.forget_old(frame, pointer),
                Statement::Call { ref arguments, .. } => {
                    arguments.iter().for_each(|&a| self.forget_old(frame, a))
                }
                Statement::Block(ref block) => self.forget_written(frame, block),
                Statement::If {
                    ref accept,
                    ref reject,
                    ..
                } => {
                    self.forget_written(frame, accept);
                    self.forget_written(frame, reject);
                }
                Statement::Switch { ref cases, .. } => cases
                    .iter()
                    .for_each(|case| self.forget_written(frame, &case.body)),
                Statement::Loop {
                    ref body,
                    ref continuing,
                    ..
                } => {
                    self.forget_written(frame, body);
                    self.forget_written(frame, continuing);
                }
                _ => {}
            }
        }
    }

    fn forget_old(&mut self, frame: &Frame<'_>, mut pointer: Handle<Expression>) {
        while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } =
            frame.function.expressions[pointer]
        {
            pointer = base;
        }
        match frame.function.expressions[pointer] {
            Expression::LocalVariable(local) => {
                self.out.held.remove(&frame.locals[&local]);
            }
            Expression::FunctionArgument(i) => {
                if let Some(Value::Is(argument)) = frame.arguments.get(i as usize) {
                    self.out.forget_behind(*argument);
                }
            }
            _ => {}
        }
    }
}
