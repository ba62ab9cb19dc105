//! The functions and bodies of `shaders/`, and the ones that a kernel's source needs.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use super::shader::shader;
use crate::plan::Arithmetic;

/// The function libraries, in the order they appear in a text.
const FILES: [&[&str]; 3] = [
    &[
        shader!("index.wgsl"),
        shader!("storage.wgsl"),
        shader!("packed.wgsl"),
        shader!("wide.wgsl"),
    ],
    DOUBLE,
    &[
        shader!("compare.wgsl"),
        shader!("ops.wgsl"),
        shader!("math_exp_log.wgsl"),
        shader!("math_pow.wgsl"),
        shader!("math_trig.wgsl"),
        shader!("math_hyper.wgsl"),
        shader!("math_special.wgsl"),
        shader!("product_sums.wgsl"),
    ],
];

/// Functions of doubles.
#[cfg(not(target_family = "wasm"))]
const DOUBLE: &[&str] = &[
    shader!("double.wgsl"),
    shader!("double_native.wgsl"),
    shader!("double_round.wgsl"),
    shader!("double_exp_log.wgsl"),
    shader!("double_trig.wgsl"),
    shader!("double_hyper.wgsl"),
    shader!("double_pow.wgsl"),
    shader!("double_special.wgsl"),
];

/// Functions of doubles that are moved and cast: WebGPU has no 64-bit floats to compute with.
#[cfg(target_family = "wasm")]
const DOUBLE: &[&str] = &[shader!("double.wgsl")];

/// Functions that replace those of the same name if the adapter has 64-bit types.
#[cfg(not(target_family = "wasm"))]
const WIDE: &str = shader!("wide_native.wgsl");
/// The same for index arithmetic.
#[cfg(not(target_family = "wasm"))]
const INDEX: &str = shader!("index_native.wgsl");
/// WebGPU has no 64-bit types.
#[cfg(target_family = "wasm")]
const WIDE: &str = "";
#[cfg(target_family = "wasm")]
const INDEX: &str = "";
/// Functions that replace those of the same name if the adapter keeps subnormal
/// numbers.
const COMPARE: &str = shader!("compare_native.wgsl");

/// Functions that replace those of the same name if the adapter's own conversions of halves are
/// exact, and the functions that they need.
const HALVES: &str = shader!("storage_halves.wgsl");

/// Functions that replace those of the same name if `fma` rounds once, and the functions that they
/// need.
const FUSED: &str = shader!("math_fused.wgsl");

/// The same if a remainder by `fma` puts quotients right.
const FUSED_QUOTIENTS: &str = shader!("quotient_fused.wgsl");

/// The same if the adapter's own quotients are rounded once.
const QUOTIENTS: &str = shader!("quotient_native.wgsl");

/// Functions that replace those of the same name if shaders have no 64-bit floats, and those that they need.
#[cfg(not(target_family = "wasm"))]
fn soft() -> &'static [&'static str] {
    &[
        shader!("soft_double.wgsl"),
        shader!("soft_functions.wgsl"),
        shader!("soft_product_sums.wgsl"),
    ]
}

/// The same in browsers, where they are no part of the module: [`load_soft`] brings them.
#[cfg(target_family = "wasm")]
static SOFT: OnceLock<[&str; 1]> = OnceLock::new();
#[cfg(target_family = "wasm")]
fn soft() -> &'static [&'static str] {
    SOFT.get().map_or(&[], |files| files.as_slice())
}

/// Sets the source of the functions that compute f64 by integers; call it before the first context.
#[cfg(target_family = "wasm")]
pub fn load_soft(text: String) {
    SOFT.get_or_init(|| [text.leak()]);
}

/// Files whose functions may take the place of others.
const CHOICES: usize = 8;

/// The properties of an adapter that decide which functions a kernel's source gets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Native {
    /// It has 64-bit types, and 64-bit elements are computed.
    pub wide: bool,
    /// Integers compute doubles.
    pub soft: bool,
    /// It has 64-bit types, and indices are divided.
    pub wide_division: bool,
    /// Its ways with floats.
    pub floats: Arithmetic,
}

impl Native {
    /// The files whose functions take the place of others.
    fn files(self) -> impl Iterator<Item = &'static str> {
        self.choices()
            .into_iter()
            .filter(|(has, _)| *has)
            .flat_map(|(_, files)| files.iter().copied())
    }

    fn choices(self) -> [(bool, &'static [&'static str]); CHOICES] {
        let floats = self.floats;
        [
            (self.wide, &[WIDE]),
            (self.wide_division, &[INDEX]),
            (floats.subnormals, &[COMPARE]),
            (floats.halves, &[HALVES]),
            (floats.fused, &[FUSED]),
            (floats.fused_quotients, &[FUSED_QUOTIENTS]),
            (floats.quotients, &[QUOTIENTS]),
            (self.soft, soft()),
        ]
    }

    /// The place of its library among all.
    fn number(self) -> usize {
        let bits = self.choices().into_iter().enumerate();
        bits.fold(0, |n, (k, (has, _))| n | usize::from(has) << k)
    }
}

/// One top-level item of a library: its name, its text, and the items it names.
struct Item {
    text: &'static str,
    uses: Vec<usize>,
}

/// All items, with their places by name.
struct Library {
    items: Vec<Item>,
    places: HashMap<&'static str, usize>,
}

/// The library for adapters that have this.
fn library(native: Native) -> &'static Library {
    static LIBRARIES: [OnceLock<Library>; 1 << CHOICES] = [const { OnceLock::new() }; 1 << CHOICES];
    LIBRARIES[native.number()].get_or_init(|| {
        let mut items: Vec<Item> = Vec::new();
        let mut places: HashMap<&'static str, usize> = HashMap::new();
        for file in FILES.concat().into_iter().chain(native.files()) {
            for (name, text) in split(file) {
                let uses = Vec::new();
                let item = Item { text, uses };
                match places.get(name) {
                    Some(&place) => items[place] = item,
                    None => {
                        places.insert(name, items.len());
                        items.push(item);
                    }
                }
            }
        }
        let others =
            |(i, item): (usize, &Item)| named(item.text, &places).filter(|&u| u != i).collect();
        let uses: Vec<Vec<usize>> = items.iter().enumerate().map(others).collect();
        for (item, uses) in items.iter_mut().zip(uses) {
            item.uses = uses;
        }
        Library { items, places }
    })
}

/// The items of a file: they start at column 0 with `fn`, `struct` or `const`; the first two end
/// with a `}` at column 0.
fn split(file: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut open: Option<(usize, &str)> = None;
    for line in file.split_inclusive('\n') {
        let head = |keyword: &str| {
            let rest = line.strip_prefix(keyword)?;
            rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .next()
        };
        if let Some(name) = head("fn ").or_else(|| head("struct ")) {
            open = Some((at, name));
        } else if let Some(name) = head("const ") {
            found.push((name, &file[at..at + line.len()]));
        }
        at += line.len();
        if line.trim_end() == "}"
            && let Some((start, name)) = open.take()
        {
            found.push((name, &file[start..at]));
        }
    }
    found
}

/// The library items that a text names.
fn named<'a>(
    text: &'a str,
    places: &'a HashMap<&'static str, usize>,
) -> impl Iterator<Item = usize> + 'a {
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    code.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .filter_map(|word| places.get(word).copied())
}

/// The text of all items that these texts need, directly or not, in library order.
pub(super) fn needed(texts: &[&str], native: Native) -> String {
    let library = library(native);
    let mut wanted: BTreeSet<usize> = BTreeSet::new();
    let first = texts.iter().flat_map(|t| named(t, &library.places));
    let mut open: Vec<usize> = first.collect();
    while let Some(i) = open.pop() {
        if wanted.insert(i) {
            open.extend_from_slice(&library.items[i].uses);
        }
    }
    let texts = wanted.into_iter().map(|i| library.items[i].text);
    texts.collect::<Vec<_>>().join("\n")
}

/// Functions by which halves are converted if the adapter's own conversions are exact.
pub(super) fn own_halves(names: &[&str]) -> String {
    let items = split(HALVES).into_iter();
    let own = items.filter(|(name, _)| names.contains(name));
    own.map(|(_, text)| text).collect()
}

/// Quotients that a remainder by `fma` puts right, as `probed_div` and `probed_quotient`, with this for a zero that no compiler knows.
pub(super) fn fused_quotients(zero: &str) -> String {
    let own = FUSED_QUOTIENTS.replace("fn rounded_div(", "fn probed_div(");
    let own = own.replace("fn rounded_quotient(", "fn probed_quotient(");
    own.replace("table.zero", zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::op::{Native64, Op};

    /// What kernels declare, and the library's functions read.
    const KERNEL: &str = "struct Table { zero: u32 }\n\
        @group(0) @binding(0) var<uniform> table: Table;\nconst PITCH = 17u;\nvar<private> rows: array<Pair, 272>;\n\
        var<private> columns: array<Pair, 256>;\nvar<private> sums: array<Pair, 8>;\n\
        fn spread(x: Pair, lane: u32) -> Pair { return x; }\n\
        fn plus_product(sum: Pair, x: Pair, y: Pair) -> Pair { return sum; }";

    #[test]
    fn every_library_file_is_valid_wgsl_with_what_it_needs() {
        let all = Native {
            wide: true,
            soft: false,
            wide_division: true,
            floats: Arithmetic {
                subnormals: true,
                halves: true,
                fused: true,
                fused_quotients: true,
                ..Arithmetic::default()
            },
        };
        let soft = Native {
            soft: true,
            ..Native::default()
        };
        let files = FILES.concat().into_iter();
        let files = files.map(|f| (f, Native::default()));
        let files = files.chain(all.files().map(|f| (f, all)));
        for (file, native) in files.chain(soft.files().map(|f| (f, soft))) {
            let names: Vec<_> = split(file).into_iter().map(|(name, _)| name).collect();
            assert!(!names.is_empty());
            let all = format!("{KERNEL}\n{}", needed(&[file, KERNEL], native));
            let module = naga::front::wgsl::parse_str(&all)
                .unwrap_or_else(|e| panic!("{}", e.emit_to_string(&all)));
            let functions = module.functions.iter();
            let own = functions.filter(|(_, f)| names.contains(&f.name.as_deref().unwrap()));
            let wanted = file.matches("\nfn ").count() + usize::from(file.starts_with("fn "));
            assert_eq!(own.count(), wanted);
        }
    }

    /// The turns of a text's loops, which count to constants.
    fn turns(text: &str) -> usize {
        let bounds = text
            .lines()
            .filter(|line| line.contains("for (var "))
            .map(|line| {
                let bound = line
                    .split(" < ")
                    .nth(1)
                    .and_then(|rest| rest.split(';').next());
                bound
                    .unwrap()
                    .trim_end_matches('u')
                    .parse::<usize>()
                    .unwrap()
            });
        bounds.sum()
    }

    #[test]
    fn rows_state_the_turns_of_their_loops() {
        let mut wrong = Vec::new();
        for (op, int64) in Op::table().flat_map(|op| [(op, false), (op, true)]) {
            let native = Native {
                wide: int64,
                ..Native::default()
            };
            for dtype in DType::ALL {
                let Some(form) = op.form(dtype) else { continue };
                let texts = [form.wgsl, form.fast.unwrap_or_default()];
                let stated = |floats| {
                    op.turns(
                        dtype,
                        Native64 {
                            integers: int64,
                            floats,
                        },
                    )
                };
                let (found, stated) = (turns(&needed(&texts, native)), stated(true));
                if found != stated {
                    wrong.push(format!("{op} of {dtype}, {int64}: {found}, not {stated}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// The turns of a function's loops and of what it calls in them.
    fn nested_turns(name: &str, items: &HashMap<&str, &str>) -> usize {
        let mut factors = vec![1];
        let mut found = 0;
        for line in items.get(name).map_or("", |text| *text).lines().skip(1) {
            let factor = factors[factors.len() - 1];
            if line.contains("for (var ") {
                factors.push(factor * turns(line));
                found += factor * turns(line);
                continue;
            }
            let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let called = words.filter(|word| items.contains_key(word));
            found += factor
                * called
                    .map(|called| nested_turns(called, items))
                    .sum::<usize>();
            if line.ends_with('{') {
                factors.push(factor);
            } else if line.trim() == "}" {
                factors.pop();
            }
        }
        found
    }

    #[test]
    fn rows_state_the_turns_of_doubles_by_integers() {
        let items: HashMap<&str, &str> = soft().iter().flat_map(|file| split(file)).collect();
        let native = Native64 {
            integers: false,
            floats: false,
        };
        let mut wrong = Vec::new();
        let mut rows = 0;
        for op in Op::table().filter(|op| op.needs_f64(DType::F64)) {
            let Some(form) = op.form(DType::F64) else {
                continue;
            };
            let name = form.wgsl.split('(').next().unwrap();
            assert!(items.contains_key(name), "{name}");
            let (found, stated) = (nested_turns(name, &items), op.turns(DType::F64, native));
            rows += 1;
            if found != stated {
                wrong.push(format!("{op}: {found}, not {stated}"));
            }
        }
        assert!(rows > 40 && wrong.is_empty(), "{rows}: {wrong:#?}");
    }

    #[test]
    fn names_are_unique_across_files() {
        let all: Vec<_> = FILES
            .concat()
            .into_iter()
            .flat_map(|f| split(f))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(all.len(), library(Native::default()).places.len());
    }

    #[test]
    fn a_text_gets_only_what_it_needs() {
        let text = needed(&["let y = precise_exp(x);"], Native::default());
        assert!(text.contains("fn precise_exp(") && !text.contains("fn precise_log("));
    }
}
