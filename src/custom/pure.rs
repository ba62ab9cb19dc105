//! Checks that a module is pure: its functions compute from their operands alone.

use naga::{AddressSpace, Block, Expression, Module, Span, Statement, Type, TypeInner};

use super::source::Fault;

/// The bytes that WGSL grants the variables of a function.
const MOST_VARIABLES: u64 = 8192;
/// A text of more operations than these costs much more than a load.
const CHEAP: usize = 48;

fn place(span: Span) -> usize {
    span.to_range().map_or(0, |range| range.start)
}

/// Checks that a module has only functions and constants, and these compute with their operands
/// alone.
pub(super) fn pure(module: &Module) -> Result<(), Fault> {
    let others = module.global_variables.len() + module.overrides.len() + module.entry_points.len();
    if others > 0 {
        let reason = "an operator may only have functions and constants";
        return Err(Fault::new(0, reason));
    }
    for (handle, ty) in module.types.iter() {
        if !is_pure_type(ty) {
            let at = place(module.types.get_span(handle));
            let reason = "values of this type are not allowed in an operator";
            return Err(Fault::new(at, reason));
        }
    }
    for (_, function) in module.functions.iter() {
        for (handle, expression) in function.expressions.iter() {
            if let Some(what) = foreign(expression) {
                let at = place(function.expressions.get_span(handle));
                return Err(Fault::new(at, refusal(what)));
            }
        }
        statements(&function.body)?;
        let sizes = function.local_variables.iter().map(|(_, v)| {
            let size = module.types[v.ty].inner.try_size(module.to_ctx());
            size.map_or(u64::MAX, u64::from)
        });
        if sizes.fold(0, u64::saturating_add) > MOST_VARIABLES {
            let first = function.local_variables.iter().next();
            let at = first.map_or(0, |(v, _)| place(function.local_variables.get_span(v)));
            let reason = format!("a function's variables may have at most {MOST_VARIABLES} bytes");
            return Err(Fault::new(at, reason));
        }
    }
    Ok(())
}

fn refusal(what: &str) -> String {
    format!(
        "{what} is not allowed in an operator, which computes each element from its operands alone"
    )
}

/// Types of values, and of pointers to a function's own variables. Structures are those that
/// builtins give: the text declares none.
fn is_pure_type(ty: &Type) -> bool {
    match ty.inner {
        TypeInner::Scalar(_)
        | TypeInner::Vector { .. }
        | TypeInner::Matrix { .. }
        | TypeInner::Array { .. }
        | TypeInner::Struct { .. } => true,
        TypeInner::Pointer { space, .. } | TypeInner::ValuePointer { space, .. } => {
            space == AddressSpace::Function
        }
        _ => false,
    }
}

/// Names an expression that depends on more than operands.
fn foreign(expression: &Expression) -> Option<&'static str> {
    match expression {
        Expression::Literal(_)
        | Expression::Constant(_)
        | Expression::ZeroValue(_)
        | Expression::Compose { .. }
        | Expression::Access { .. }
        | Expression::AccessIndex { .. }
        | Expression::Splat { .. }
        | Expression::Swizzle { .. }
        | Expression::FunctionArgument(_)
        | Expression::LocalVariable(_)
        | Expression::Load { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Select { .. }
        | Expression::Relational { .. }
        | Expression::Math { .. }
        | Expression::As { .. }
        | Expression::CallResult(_) => None,
        Expression::Derivative { .. } => Some("a difference between neighbouring pixels"),
        Expression::SubgroupBallotResult | Expression::SubgroupOperationResult { .. } => {
            Some("a value from other invocations")
        }
        Expression::GlobalVariable(_) | Expression::Override(_) | Expression::ArrayLength(_) => {
            Some("a variable of the module")
        }
        _ => Some("an expression of this kind"),
    }
}

/// Checks that statements compute, and do nothing else.
fn statements(block: &Block) -> Result<(), Fault> {
    for (statement, span) in block.span_iter() {
        let refuse = |what| Err(Fault::new(place(*span), refusal(what)));
        match statement {
            Statement::Emit(_)
            | Statement::Break
            | Statement::Continue
            | Statement::Return { .. }
            | Statement::Store { .. }
            | Statement::Call { .. } => {}
            Statement::Block(inner) => statements(inner)?,
            Statement::If { accept, reject, .. } => {
                statements(accept)?;
                statements(reject)?;
            }
            Statement::Switch { cases, .. } => {
                cases.iter().try_for_each(|case| statements(&case.body))?;
            }
            Statement::Loop {
                body, continuing, ..
            } => {
                statements(body)?;
                statements(continuing)?;
            }
            Statement::Kill => return refuse("discard"),
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {
                return refuse("a barrier");
            }
            _ => return refuse("a statement of this kind"),
        }
    }
    Ok(())
}

/// Whether a module costs much more than a load: it repeats something, or has functions that take
/// many instructions.
pub(super) fn is_costly(module: &Module) -> bool {
    let functions = || module.functions.iter().map(|(_, f)| f);
    let count: usize = functions().map(|f| f.expressions.len()).sum();
    count > CHEAP
        || functions().any(|f| has_loop(&f.body))
        || functions().any(|f| f.expressions.iter().any(|(_, e)| is_costly_call(e)))
}

/// Whether a statement of a block, or of a block within it, is a loop.
fn has_loop(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Loop { .. } => true,
        Statement::Block(inner) => has_loop(inner),
        Statement::If { accept, reject, .. } => has_loop(accept) || has_loop(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| has_loop(&case.body)),
        _ => false,
    })
}

fn is_costly_call(expression: &Expression) -> bool {
    use naga::MathFunction::{
        Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cos, Cosh, Determinant, Exp, Exp2, Inverse,
        Log, Log2, Pow, Sin, Sinh, Tan, Tanh,
    };
    const COSTLY: [naga::MathFunction; 19] = [
        Cos, Cosh, Sin, Sinh, Tan, Tanh, Acos, Asin, Atan, Atan2, Asinh, Acosh, Atanh, Exp, Exp2,
        Log, Log2, Pow, Inverse,
    ];
    matches!(expression, Expression::Math { fun, .. } if *fun == Determinant || COSTLY.contains(fun))
}
