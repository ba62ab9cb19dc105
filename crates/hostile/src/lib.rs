//! Rewrites WGSL as compilers may that take floats for real numbers, so that tests see which results depend on the order,
//! the grouping and the roundings that a kernel's text has.
//!
//! Every function is put in the place of its calls, and what a local variable holds is known until control flow parts. Sums,
//! differences, negations and products then become sums of products with constant factors, and are written anew: constants
//! gathered at the end, products by constants distributed over sums, equal terms merged and cancelled, products and sums
//! rounded once. `x / x` is 1. A float that is rounded to a half and made a float again is what it was. What bits and
//! integers bring in otherwise is taken as it is, like a load.
//!
//! Left alone: loops, which no one unrolls here; quotients of two values; a zero that a factor is; comparisons.

mod blocks;
mod expressions;
mod form;
mod live;
mod operands;
mod output;
mod products;
mod returns;
mod statements;
mod ways;
mod written;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Function, Module, TypeInner};

use statements::Rewriter;
pub use ways::{CONTRACTS, KEEPS_FMA, REAL_NUMBERS, Ways};

/// The text as a compiler of these ways understands it.
///
/// # Panics
/// If the text is not valid, or has what no kernel has.
pub fn rewritten(text: &str, ways: Ways) -> String {
    let text = with_fma(text);
    let mut module = parsed(&text);
    let functions: Vec<_> = module.functions.iter().map(|(handle, _)| handle).collect();
    for handle in functions {
        let function = &module.functions[handle];
        let own = function
            .name
            .as_deref()
            .is_some_and(|n| n.starts_with("hostile_"));
        // A function that is put in the place of all its calls is needed no more.
        if !own && !returns::is_in_tail_position(&function.body) {
            module.functions[handle] = function_of(&module, ways, function);
        }
    }
    for i in 0..module.entry_points.len() {
        module.entry_points[i].function =
            function_of(&module, ways, &module.entry_points[i].function);
    }
    naga::compact::compact(&mut module, naga::compact::KeepUnused::No);
    let info = validated(&module, &text);
    let written =
        naga::back::wgsl::write_string(&module, &info, naga::back::wgsl::WriterFlags::empty())
            .unwrap_or_else(|e| panic!("a rewritten text is not written: {e}\n{text}"));
    with_halves(with_sizes(&module, &written))
}

fn function_of(module: &Module, ways: Ways, function: &Function) -> Function {
    let mut inlined = Rewriter::inlined(module, function);
    live::without_dead_stores(&mut inlined);
    let mut made = Rewriter::rewritten(module, ways, &inlined);
    live::without_dead_stores(&mut made);
    made
}

/// The text with the size of each member of a structure, which naga leaves out with its alignment.
pub fn with_sizes(module: &Module, text: &str) -> String {
    let mut sizes = module.types.iter().filter_map(|(_, ty)| match &ty.inner {
        TypeInner::Struct { members, span } => {
            let ends = members.iter().skip(1).map(|m| m.offset).chain([*span]);
            Some(
                members
                    .iter()
                    .zip(ends)
                    .map(|(m, end)| end - m.offset)
                    .collect::<Vec<_>>(),
            )
        }
        _ => None,
    });
    let mut open: Option<std::vec::IntoIter<u32>> = None;
    let lines = text.lines().map(|line| {
        if line.starts_with("struct ") {
            open = sizes.next().map(Vec::into_iter);
        } else if line == "}" {
            open = None;
        } else if let Some(size) = open.as_mut().and_then(Iterator::next) {
            return format!("    @size({size}) {}\n", line.trim_start());
        }
        format!("{line}\n")
    });
    lines.collect()
}

/// The text with what stands for `fma` of doubles, of which few adapters have one that rounds once.
fn with_fma(text: &str) -> String {
    if !text.contains("f64") {
        return text.to_owned();
    }
    let mut all = text.to_owned();
    let sizes = ["", "2", "3", "4"];
    for size in sizes {
        let of = |scalar: &str| match size {
            "" => scalar.to_owned(),
            _ => format!("vec{size}<{scalar}>"),
        };
        let functions = include_str!("fma.wgsl")
            .replace("NAME", &format!("64_{size}"))
            .replace("FLOAT", &of("f64"))
            .replace("WORDS", &of("u64"))
            .replace("SHIFT", &of("u32"));
        all.push_str(&functions);
    }
    all
}

/// The text with what stands for an adapter's conversions of halves, which are exact on few software adapters.
fn with_halves(text: String) -> String {
    if !text.contains("pack2x16float(") {
        return text;
    }
    let text = text.replace("unpack2x16float(", "hostile_unpack(");
    text.replace("pack2x16float(", "hostile_pack(") + include_str!("halves.wgsl")
}

fn parsed(text: &str) -> Module {
    let module = naga::front::wgsl::parse_str(text)
        .unwrap_or_else(|e| panic!("{}\n{text}", e.emit_to_string(text)));
    validated(&module, text);
    module
}

fn validated(module: &Module, text: &str) -> naga::valid::ModuleInfo {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator
        .validate(module)
        .unwrap_or_else(|e| panic!("{}\n{text}", e.emit_to_string(text)))
}

#[cfg(test)]
mod tests;
