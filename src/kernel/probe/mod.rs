//! The kernels that find out how an adapter computes with floats.

mod cases;
#[cfg(not(target_family = "wasm"))]
mod rounded;

use super::library;
use super::shader::shader;
use crate::plan::{Arithmetic, Merges};
use cases::{Hints, Ways, singles};

/// Workgroups of the first dispatch, of 64 invocations: four halves each.
const GROUPS: u32 = 256;
/// Words of the counts that it writes: five, and what fills quads.
const COUNTS: usize = 8;

/// A kernel that is run once: its source, the words that it reads at binding 0, and the bytes that
/// it writes at binding 1, over zeros.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub text: String,
    pub given: Vec<u32>,
    pub found: usize,
    pub groups: u32,
}

impl Probe {
    /// Subnormal numbers, halves, quotients, and hints of the rest. Without `halves` the test of the adapter's
    /// own conversions of halves is left out, which not every adapter compiles, and fails.
    pub fn first(halves: bool) -> Self {
        let halves = if halves {
            let text = shader!("probe_halves.wgsl");
            let own =
                library::own_halves(&["decode_f16_number", "encode_f16_number", "pack_f16_number"]);
            format!("{own}\n{text}")
        } else {
            "fn halves_agree(n: u32) -> vec2<bool> { return vec2<bool>(false); }\n".into()
        };
        let main = shader!("probe.wgsl");
        let quotients = shader!("probe_quotients.wgsl");
        let fused = library::fused_quotients("bitcast<u32>(given.other.w)");
        let text = format!(
            "const ROWS = {}u;\n{main}\n{halves}\n{quotients}\n{fused}",
            cases::ROWS
        );
        let needed = library::needed(&[&text], library::Native::default());
        Self {
            text: format!("{text}\n{needed}"),
            given: given(),
            found: (COUNTS + 4 * cases::ROWS * Hints::COUNT) * size_of::<u32>(),
            groups: GROUPS,
        }
    }

    /// How the compiler rewrites many cases of floats. Slow to compile for a software adapter.
    pub fn second() -> Self {
        let main = shader!("probe_merges.wgsl");
        let [written, fused] = ["_written", "_fused"].map(|way| SUMS.replace('$', way));
        let [one, minus_zero] = [1f32, -0f32].map(|x| [x.to_bits(); 4]);
        let head = head("f32", [singles::SMALL, singles::WHOLE, singles::SHIFT]);
        let (rows, count) = (cases::ROWS, cases::COUNT);
        Self {
            text: format!("{head}{main}\n{written}\n{fused}"),
            given: cases::operands()
                .chain([one, minus_zero])
                .flatten()
                .collect(),
            found: 8 * rows * count * size_of::<u32>(),
            groups: ((rows * count) as u32).div_ceil(64),
        }
    }

    /// What the compiler makes of the same cases of doubles, where it has them, and how the adapter rounds single operations.
    #[cfg(not(target_family = "wasm"))]
    pub fn doubles() -> Self {
        use cases::doubles::{SHIFT, SMALL, WHOLE};
        let main = shader!("probe_doubles.wgsl");
        let written = SUMS.replace('$', "_written").replace("32>", "64>");
        let (pairs, operations) = (rounded::ROWS, rounded::COUNT);
        let head = head("f64", [SMALL, WHOLE, SHIFT]);
        let text = format!(
            "{head}const PAIRS = {pairs}u;\nconst OPERATIONS = {operations}u;\n{main}\n{written}"
        );
        let quads = cases::ROWS * cases::COUNT + pairs * operations;
        Self {
            text: format!(
                "{text}\n{}",
                library::needed(&[&text], library::Native::default())
            ),
            given: cases::double_operands()
                .chain(cases::halves([1.0; 4]))
                .chain(cases::single_operands())
                .flatten()
                .collect(),
            found: 8 * quads * size_of::<u32>(),
            groups: (quads as u32).div_ceil(64),
        }
    }
}

/// The cases, in a way that `$` stands for.
const SUMS: &str = shader!("probe_sums.wgsl");

/// The constants that the cases name, of a type.
fn head<T: std::fmt::Debug>(of: &str, constants: [T; 3]) -> String {
    let (rows, count) = (cases::ROWS, cases::COUNT);
    let [small, whole, shift] = constants;
    format!(
        "const ROWS = {rows}u;\nconst CASES = {count}u;\nconst SMALL: {of} = {small:?};\n\
         const WHOLE: {of} = {whole:?};\nconst SHIFT: {of} = {shift:?};\n"
    )
}

impl Arithmetic {
    /// What the bytes that the first kernel wrote say, and whether it is worth while to run the
    /// second; `None` if there are not as many.
    pub(crate) fn from_first_probe(bytes: &[u8]) -> Option<(Self, bool)> {
        let words = words(bytes);
        let (counts, hints) = words.split_at_checked(COUNTS)?;
        let hints = Hints::new(hints)?;
        let all = GROUPS * 64;
        let found = Self {
            subnormals: counts[0] == 1,
            halves: counts[1] == all,
            half_nans: counts[1] == all && counts[2] == all,
            quotients: counts[3] == all,
            fused_quotients: counts[4] == all,
            ..Self::UNKNOWN
        };
        Some((found, hints.fuses || hints.ways.keeps_order))
    }

    /// The same with what the bytes that the second kernel wrote say, and the first's: they are
    /// compiled each for itself.
    pub(crate) fn with_second_probe(self, first: &[u8], second: &[u8]) -> Option<Self> {
        let hints = Hints::new(&words(first.get(COUNTS * size_of::<u32>()..)?))?;
        let words = words(second);
        let (written, fused) = words.split_at(words.len() / 2);
        let (written, fused) = (
            Ways::of_cases(written, false)?,
            Ways::of_cases(fused, true)?,
        );
        Some(Self {
            singles: Merges {
                reassociates: !(written.keeps_order && hints.ways.keeps_order),
                contracts: !(written.rounds_products && hints.ways.rounds_products),
            },
            fused: hints.fuses && fused.keeps_order && fused.rounds_products,
            ..self
        })
    }
}

#[cfg(not(target_family = "wasm"))]
impl Arithmetic {
    /// The same with what the bytes that the kernel of doubles wrote say, and whether single operations on doubles are
    /// rounded once.
    pub(crate) fn with_doubles(self, bytes: &[u8]) -> Option<(Self, bool)> {
        let words = words(bytes);
        let (cases, single) = words.split_at_checked(8 * cases::ROWS * cases::COUNT)?;
        let ways = Ways::of_doubles(cases)?;
        let doubles = Merges {
            // No compiler is known that keeps the order of doubles alone.
            reassociates: self.singles.reassociates || !ways.keeps_order,
            contracts: !ways.rounds_products,
        };
        Some((Self { doubles, ..self }, cases::rounds_doubles(single)?))
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |c: &[u8]| c.iter().rev().fold(0, |x, &b| x << 8 | u32::from(b));
    bytes.chunks_exact(4).map(word).collect()
}

/// Subnormal numbers and the smallest normal one.
const SMALL: [f32; 4] = [
    f32::from_bits(1),
    f32::from_bits(0x007f_ffff),
    f32::MIN_POSITIVE,
    -f32::from_bits(7),
];
/// The operands that they meet; the last is 0.
const OTHER: [f32; 4] = [1.0, 1.0, 0.5, 0.0];

/// The words that the first kernel reads, in the order of its structure.
fn given() -> Vec<u32> {
    let each = |of: &dyn Fn(f32, f32) -> u32| [0, 1, 2, 3].map(|i| of(SMALL[i], OTHER[i]));
    let mut rows = vec![
        SMALL.map(f32::to_bits),
        OTHER.map(f32::to_bits),
        each(&|a, b| (a * b).to_bits()),
        each(&|a, b| u32::from(a < b)),
        each(&|a, _| u32::from(a == 0.0)),
        each(&|a, b| (a - b).floor().to_bits()),
        [1f32.to_bits(); 4],
    ];
    rows.extend(cases::operands());
    rows.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: Vec<u32>) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_device_that_computes_nothing_passes_no_test() {
        let probes = [Probe::first(true), Probe::second(), Probe::doubles()];
        let [first, second, doubles] = probes.map(|probe| vec![0; probe.found]);
        let (found, more) = Arithmetic::from_first_probe(&first).unwrap();
        assert!(
            !found.subnormals && !found.halves && !found.half_nans && !found.quotients && !more
        );
        assert!(!found.fused_quotients);
        let found = found.with_second_probe(&first, &second).unwrap();
        assert!(found.singles == Merges::UNKNOWN && !found.fused);
        let (found, rounds_doubles) = found.with_doubles(&doubles).unwrap();
        assert!(found.doubles == Merges::UNKNOWN && !rounds_doubles);
        assert!(Arithmetic::from_first_probe(&first[4..]).is_none());
        assert!(found.with_doubles(&doubles[4..]).is_none());
    }

    #[test]
    fn one_wrong_bit_is_found() {
        const NONE: Merges = Merges {
            reassociates: false,
            contracts: false,
        };
        let all = GROUPS * 64;
        let first = bytes([vec![1, all, all, all, all, 0, 0, 0], Hints::right()].concat());
        let second = bytes([Ways::right(), Ways::right()].concat());
        let (found, more) = Arithmetic::from_first_probe(&first).unwrap();
        assert!(found.subnormals && found.halves && found.half_nans && found.quotients && more);
        assert!(found.fused_quotients);
        let less = |quotients, fused| {
            let counts = vec![1, all, all, all - quotients, all - fused, 0, 0, 0];
            let bytes = bytes([counts, Hints::right()].concat());
            Arithmetic::from_first_probe(&bytes).unwrap().0
        };
        assert!(!less(1, 0).quotients && less(1, 0).fused_quotients);
        assert!(less(0, 1).quotients && !less(0, 1).fused_quotients);
        let exact = found.with_second_probe(&first, &second).unwrap();
        assert!(exact.singles == NONE && exact.fused);
        assert_eq!(exact.doubles, Merges::UNKNOWN);
        let changed = |byte: usize| {
            let mut second = second.clone();
            second[byte] ^= 1;
            found.with_second_probe(&first, &second).unwrap()
        };
        // The first product, the last sum of the last row, and the same as fused steps.
        let half = second.len() / 2;
        let contracts = |found: Arithmetic| found.singles.contracts && !found.singles.reassociates;
        assert!(contracts(changed(0)) && changed(0).fused);
        assert!(changed(half - 16).singles.reassociates && changed(half - 16).fused);
        assert!(!changed(half).fused && !changed(half).singles.contracts);
    }

    #[test]
    fn one_wrong_bit_of_doubles_is_found() {
        let unknown = Arithmetic::from_first_probe(&vec![0; Probe::first(true).found]);
        let singles = Merges {
            reassociates: false,
            contracts: false,
        };
        let exact = Arithmetic {
            singles,
            ..unknown.unwrap().0
        };
        let right = bytes(Ways::right_doubles());
        let with = |bytes: &[u8]| exact.with_doubles(bytes).unwrap();
        assert_eq!(right.len(), Probe::doubles().found);
        let (found, rounds) = with(&right);
        assert!(found.doubles == singles && rounds);
        let changed = |byte: usize| {
            let mut wrong = right.clone();
            wrong[byte] ^= 1;
            let (found, rounds) = with(&wrong);
            (found.doubles.contracts, found.doubles.reassociates, rounds)
        };
        // Low and high words of the first product, of two constants in the last row, of the first sum and the last comparison.
        let cases = 32 * cases::ROWS * cases::COUNT;
        for byte in [0, 16] {
            assert_eq!(changed(byte), (true, false, true));
            assert_eq!(changed(cases - 32 + byte), (false, true, true));
            assert_eq!(changed(cases + byte), (false, false, false));
            assert_eq!(changed(right.len() - 32 + byte), (false, false, false));
        }
        let reordered = Arithmetic {
            singles: Merges::UNKNOWN,
            ..exact
        };
        assert!(
            reordered
                .with_doubles(&right)
                .unwrap()
                .0
                .doubles
                .reassociates
        );
    }

    #[test]
    fn two_constants_differ_where_they_meet() {
        use cases::{doubles, singles};
        let last = cases::ROWS - 1;
        let [x, y] = [0, 1].map(|k| singles::NUMBERS[last][k][0]);
        let gathered =
            x.mul_add(singles::SHIFT, y) - (singles::WHOLE * singles::SHIFT + singles::WHOLE);
        assert_ne!(
            u64::from(gathered.to_bits()),
            singles::wanted(last, cases::COUNT - 1, 0)
        );
        let [x, y] = [0, 1].map(|k| doubles::NUMBERS[last][k][0]);
        let gathered =
            x.mul_add(doubles::SHIFT, y) - (doubles::WHOLE * doubles::SHIFT + doubles::WHOLE);
        assert_ne!(
            gathered.to_bits(),
            doubles::wanted(last, cases::COUNT - 1, 0)
        );
    }
}
