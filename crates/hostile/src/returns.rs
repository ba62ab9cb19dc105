//! Whether a function may stand in the place of its calls: it returns at its end, whichever way it takes.

use naga::Statement;

/// Whether every return is the last that a function does where no loop is around it.
pub fn is_in_tail_position(body: &[Statement]) -> bool {
    let Some(first) = body.iter().position(has_return) else {
        return true;
    };
    match &body[first] {
        Statement::Return { .. } => true,
        Statement::Block(block) => is_in_tail_position(block) && first + 1 == body.len(),
        Statement::If { accept, reject, .. } => {
            let rest = &body[first + 1..];
            let one = always_returns(accept) || always_returns(reject) || rest.is_empty();
            let with = |block: &[Statement]| {
                if always_returns(block) {
                    is_in_tail_position(block)
                } else {
                    is_in_tail_position(&[block, rest].concat())
                }
            };
            one && with(accept) && with(reject)
        }
        Statement::Switch { cases, .. } => cases.iter().all(|case| {
            case.fall_through && case.body.is_empty()
                || always_returns(&case.body) && is_in_tail_position(&case.body)
        }),
        _ => false,
    }
}

/// Whether a block ends with a return on every way.
pub fn always_returns(block: &[Statement]) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Return { .. } => true,
        Statement::Block(block) => always_returns(block),
        Statement::If { accept, reject, .. } => always_returns(accept) && always_returns(reject),
        Statement::Switch { cases, .. } => cases
            .iter()
            .all(|case| case.fall_through && case.body.is_empty() || always_returns(&case.body)),
        _ => false,
    })
}

/// Whether a statement returns on some way.
pub fn has_return(statement: &Statement) -> bool {
    let any = |block: &[Statement]| block.iter().any(has_return);
    match statement {
        Statement::Return { .. } => true,
        Statement::Block(block) => any(block),
        Statement::If { accept, reject, .. } => any(accept) || any(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| any(&case.body)),
        Statement::Loop {
            body, continuing, ..
        } => any(body) || any(continuing),
        _ => false,
    }
}
