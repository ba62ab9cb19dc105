//! What of a function is needed.

use std::collections::{HashMap, HashSet};

use naga::{Block, Expression, Function, Handle, LocalVariable, Statement};

use crate::operands::with_operands;

/// Leaves out writes to variables that nothing reads.
pub fn without_dead_stores(function: &mut Function) {
    let mut read = HashSet::new();
    for (_, expression) in function.expressions.iter() {
        if let Expression::Load { pointer } = *expression {
            read.extend(variable(function, pointer));
        }
    }
    read_by_calls(function, &function.body, &mut read);
    let body = std::mem::take(&mut function.body);
    function.body = kept(function, body, &read);
}

fn variable(function: &Function, mut pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
    while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } =
        function.expressions[pointer]
    {
        pointer = base;
    }
    match function.expressions[pointer] {
        Expression::LocalVariable(local) => Some(local),
        _ => None,
    }
}

/// The blocks in a statement.
fn blocks(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop {
            body, continuing, ..
        } => vec![body, continuing],
        _ => Vec::new(),
    }
}

fn read_by_calls(function: &Function, block: &Block, read: &mut HashSet<Handle<LocalVariable>>) {
    for statement in block {
        if let Statement::Call { arguments, .. } = statement {
            read.extend(arguments.iter().filter_map(|&a| variable(function, a)));
        }
        blocks(statement)
            .into_iter()
            .for_each(|block| read_by_calls(function, block, read));
    }
}

fn kept(function: &Function, block: Block, read: &HashSet<Handle<LocalVariable>>) -> Block {
    let mut out = Block::new();
    for (mut statement, span) in block.span_into_iter() {
        let within = |block: &mut Block| *block = kept(function, std::mem::take(block), read);
        match &mut statement {
            Statement::Store { pointer, .. }
                if variable(function, *pointer).is_some_and(|local| !read.contains(&local)) =>
            {
                continue;
            }
            Statement::Block(block) => within(block),
            Statement::If { accept, reject, .. } => [accept, reject].into_iter().for_each(within),
            Statement::Switch { cases, .. } => {
                cases.iter_mut().for_each(|case| within(&mut case.body))
            }
            Statement::Loop {
                body, continuing, ..
            } => [body, continuing].into_iter().for_each(within),
            _ => {}
        }
        out.push(statement, span);
    }
    out
}

/// How many expressions and statements that are needed read each expression.
pub fn uses(function: &Function) -> HashMap<Handle<Expression>, usize> {
    let mut uses = HashMap::new();
    let mut open = Vec::new();
    roots(&function.body, &mut open);
    while let Some(handle) = open.pop() {
        let count = uses.entry(handle).or_insert(0);
        *count += 1;
        if *count == 1 {
            with_operands(&function.expressions[handle], |operand| {
                open.push(operand);
                operand
            });
        }
    }
    uses
}

/// What statements read.
fn roots(block: &Block, out: &mut Vec<Handle<Expression>>) {
    for statement in block {
        match *statement {
            Statement::If { condition, .. } => out.push(condition),
            Statement::Switch { selector, .. } => out.push(selector),
            Statement::Loop { break_if, .. } => out.extend(break_if),
            Statement::Return { value } => out.extend(value),
            Statement::Store { pointer, value } => out.extend([pointer, value]),
            Statement::Atomic { pointer, value, .. } => out.extend([pointer, value]),
            Statement::WorkGroupUniformLoad { pointer, .. } => out.push(pointer),
            Statement::Call { ref arguments, .. } => out.extend(arguments),
            _ => {}
        }
        blocks(statement)
            .into_iter()
            .for_each(|block| roots(block, out));
    }
}
