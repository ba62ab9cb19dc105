//! The operands of expressions.

use naga::{Expression, Handle};

/// The expression with other operands, in their order.
pub fn with_operands(
    expression: &Expression,
    mut of: impl FnMut(Handle<Expression>) -> Handle<Expression>,
) -> Expression {
    use Expression as E;
    let mut made = expression.clone();
    match &mut made {
        E::Literal(_)
        | E::Constant(_)
        | E::ZeroValue(_)
        | E::FunctionArgument(_)
        | E::GlobalVariable(_)
        | E::LocalVariable(_)
        | E::CallResult(_)
        | E::AtomicResult { .. }
        | E::WorkGroupUniformLoadResult { .. } => {}
        E::Load { pointer: x }
        | E::AccessIndex { base: x, .. }
        | E::Splat { value: x, .. }
        | E::Swizzle { vector: x, .. }
        | E::Unary { expr: x, .. }
        | E::Relational { argument: x, .. }
        | E::As { expr: x, .. }
        | E::ArrayLength(x) => *x = of(*x),
        E::Access { base: a, index: b }
        | E::Binary {
            left: a, right: b, ..
        } => [a, b].into_iter().for_each(|x| *x = of(*x)),
        E::Select {
            condition,
            accept,
            reject,
        } => {
            let all = [condition, accept, reject];
            all.into_iter().for_each(|x| *x = of(*x));
        }
        E::Compose { components, .. } => components.iter_mut().for_each(|x| *x = of(*x)),
        E::Math {
            arg,
            arg1,
            arg2,
            arg3,
            ..
        } => {
            let others = [arg1, arg2, arg3].into_iter().flatten();
            std::iter::once(arg).chain(others).for_each(|x| *x = of(*x));
        }
        other => panic!("kernels have no {other:?}"),
    }
    made
}
