//! The table of reductions and scans by name, and what to write instead of what they do not take.

use crate::expr::Reduction::{
    self, All, Any, ArgMax, ArgMin, CountNonzero, LogSumExp, Max, Mean, Min, Prod, Std, Sum, Var,
};
use crate::expr::Scan;

/// How a call is composed of steps and reductions.
#[derive(Clone, Copy)]
pub(super) enum Recipe {
    One(Reduction),
    /// One of the elements that are not NaN, the others being this number.
    WithoutNan(Reduction, i32),
    /// A float of the elements that are not NaN alone: their mean, variance or its root.
    FloatWithoutNan(Reduction),
    /// An extreme element of those that are not NaN, of which this number is never one; NaN if
    /// there are none.
    ExtremeWithoutNan(Reduction, f64),
    /// Where that is.
    PlaceWithoutNan(Reduction, f64),
    /// The largest element less the smallest.
    Range,
    /// A norm of vectors, or of matrices if it runs along two axes.
    Norm,
    /// A norm of vectors, along any axes.
    VectorNorm,
    Scan(Scan),
    /// One of the elements that are not NaN, the others being this number.
    ScanWithoutNan(Scan, i32),
}

/// A reduction's name and parameters, as NumPy has them; behind `*` they are given by name alone.
pub(super) struct NamedReduction {
    pub name: &'static str,
    pub recipe: Recipe,
    pub parameters: &'static [&'static str],
    /// What it computes, in sentences.
    pub doc: &'static str,
}

const SUMS: &[&str] = &["axis", "dtype", "out", "keepdims", "initial", "where"];
const SCANS: &[&str] = &["axis", "dtype", "out"];
const EXTREMES: &[&str] = &["axis", "out", "keepdims", "initial", "where"];
const TRUTHS: &[&str] = &["axis", "out", "keepdims", "*", "where"];
const PLACES: &[&str] = &["axis", "out", "*", "keepdims"];
const MEANS: &[&str] = &["axis", "dtype", "out", "keepdims", "*", "where"];
const SPREADS: &[&str] = &[
    "axis",
    "dtype",
    "out",
    "ddof",
    "keepdims",
    "*",
    "where",
    "correction",
];
const AVERAGES: &[&str] = &["axis", "weights", "returned", "*", "keepdims"];

/// A row a line: the name, how it is made, its parameters, and what it computes.
macro_rules! table {
    ($($name:ident: $recipe:ident $(($($of:expr),+))?, $parameters:expr, $doc:literal;)+) => {
        const REDUCTIONS: &[NamedReduction] = &[$(NamedReduction {
            name: stringify!($name),
            recipe: Recipe::$recipe $(($($of),+))?,
            parameters: $parameters,
            doc: $doc,
        }),+];
    };
}

table! {
    all: One(All), TRUTHS, "Whether no element is 0.";
    amax: One(Max), EXTREMES, "The largest element; NaN if one is NaN.";
    amin: One(Min), EXTREMES, "The smallest element; NaN if one is NaN.";
    any: One(Any), TRUTHS, "Whether any element is not 0.";
    argmax: One(ArgMax { last: false }), PLACES,
        "The number of the first largest element; a NaN is larger than every number.";
    argmin: One(ArgMin { last: false }), PLACES,
        "The number of the first smallest element; a NaN is smaller than every number.";
    average: One(Mean), AVERAGES, "Sum divided by the number of elements.";
    count_nonzero: One(CountNonzero), &["axis", "*", "keepdims"], "How many elements are not 0.";
    cumprod: Scan(Scan::Prod), SCANS,
        "Product of the elements up to each. Integers wrap; halves are multiplied as f32.";
    cumsum: Scan(Scan::Sum), SCANS,
        "Sum of the elements up to each. Integers wrap; halves are added as f32.";
    logsumexp: One(LogSumExp), &["axis", "b", "keepdims"],
        "Logarithm of the sum of exponentials, which are taken relative to the largest element.";
    max: One(Max), EXTREMES, "The largest element; NaN if one is NaN.";
    mean: One(Mean), MEANS, "Sum divided by the number of elements.";
    min: One(Min), EXTREMES, "The smallest element; NaN if one is NaN.";
    nanargmax: PlaceWithoutNan(ArgMax { last: false }, f64::NEG_INFINITY), PLACES,
        "The number of the first largest element that is not NaN.";
    nanargmin: PlaceWithoutNan(ArgMin { last: false }, f64::INFINITY), PLACES,
        "The number of the first smallest element that is not NaN.";
    nancumprod: ScanWithoutNan(Scan::Prod, 1), SCANS,
        "Product of the elements up to each that are not NaN.";
    nancumsum: ScanWithoutNan(Scan::Sum, 0), SCANS,
        "Sum of the elements up to each that are not NaN.";
    nanmax: ExtremeWithoutNan(Max, f64::NEG_INFINITY), EXTREMES,
        "The largest of the elements that are not NaN; NaN if there are none.";
    nanmean: FloatWithoutNan(Mean), MEANS, "Mean of the elements that are not NaN.";
    nanmin: ExtremeWithoutNan(Min, f64::INFINITY), EXTREMES,
        "The smallest of the elements that are not NaN; NaN if there are none.";
    nanprod: WithoutNan(Prod, 1), SUMS, "Product of the elements that are not NaN.";
    nanstd: FloatWithoutNan(Std { ddof: 0 }), SPREADS,
        "Standard deviation of the elements that are not NaN.";
    nansum: WithoutNan(Sum, 0), SUMS, "Sum of the elements that are not NaN.";
    nanvar: FloatWithoutNan(Var { ddof: 0 }), SPREADS, "Variance of the elements that are not NaN.";
    norm: Norm, &["ord", "axis", "keepdims"],
        "Square root of the sum of squares (`np.linalg.norm`); of ord=1 the sum of absolute values.";
    prod: One(Prod), SUMS, "Product. Integers wrap; halves are multiplied as f32.";
    ptp: Range, &["axis", "out", "keepdims"], "The largest element less the smallest.";
    std: One(Std { ddof: 0 }), SPREADS, "Square root of the variance.";
    sum: One(Sum), SUMS, "Sum. Integers wrap; halves are added as f32.";
    var: One(Var { ddof: 0 }), SPREADS,
        "Mean of the squared deviations from the mean; ddof is taken off the number that is divided by.";
    vector_norm: VectorNorm, &["*", "axis", "keepdims", "ord"],
        "The norm along any number of axes (`np.linalg.vector_norm`); of ord=1 the sum of absolute values.";
}

/// Parameters of NumPy's that are not there, but for `None`.
const NOT_THERE: [&str; 5] = ["b", "out", "returned", "initial", "where"];

/// A reduction or scan of the text language, as lists of functions show it.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReductionInfo {
    /// Its name, which functions and methods have.
    pub name: &'static str,
    /// Its parameters behind the array, each of which may be left out.
    pub parameters: Vec<&'static str>,
    /// What it computes, in sentences.
    pub doc: &'static str,
}

/// The reductions and scans of the text language in alphabetical order.
///
/// ```
/// use zerostride::text;
///
/// let argmax = text::reductions().find(|r| r.name == "argmax").unwrap();
/// assert_eq!(argmax.parameters, ["axis", "keepdims"]);
/// ```
#[doc(hidden)]
pub fn reductions() -> impl Iterator<Item = ReductionInfo> {
    REDUCTIONS.iter().map(|named| {
        let is_there = |name: &&str| *name != "*" && !named.hidden().contains(name);
        ReductionInfo {
            name: named.name,
            parameters: named.parameters.iter().copied().filter(is_there).collect(),
            doc: named.doc,
        }
    })
}

/// The names of all reductions.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    REDUCTIONS.iter().map(|r| r.name)
}

/// The reduction of this name.
pub(super) fn named(name: &str) -> Option<&'static NamedReduction> {
    REDUCTIONS.iter().find(|r| r.name == name)
}

impl NamedReduction {
    /// The reduction that it is, of all elements or of those that are not NaN.
    fn reduction(&self) -> Option<Reduction> {
        match self.recipe {
            Recipe::One(reduction) | Recipe::WithoutNan(reduction, _) => Some(reduction),
            Recipe::ExtremeWithoutNan(reduction, _) | Recipe::PlaceWithoutNan(reduction, _) => {
                Some(reduction)
            }
            Recipe::FloatWithoutNan(_)
            | Recipe::Range
            | Recipe::Norm
            | Recipe::VectorNorm
            | Recipe::Scan(_)
            | Recipe::ScanWithoutNan(..) => None,
        }
    }

    fn scans(&self) -> bool {
        matches!(self.recipe, Recipe::Scan(_) | Recipe::ScanWithoutNan(..))
    }

    /// Whether its result may have any type that is asked for.
    pub fn is_sum(&self) -> bool {
        self.scans() || matches!(self.reduction(), Some(Sum | Prod))
    }

    /// The parameters that it does not take.
    pub fn hidden(&self) -> &'static [&'static str] {
        match () {
            () if self.takes_initial() => &NOT_THERE[..3],
            () if self.takes_mask() => &NOT_THERE[..4],
            () => &NOT_THERE,
        }
    }

    /// Whether it may take some of the elements alone.
    pub fn takes_mask(&self) -> bool {
        let is_truth = matches!(self.recipe, Recipe::One(Any | All));
        is_truth || self.is_mean() || self.takes_initial()
    }

    /// Whether it is a mean, or one of deviations from it.
    pub fn is_mean(&self) -> bool {
        matches!(self.recipe, Recipe::One(Mean | Var { .. } | Std { .. }))
    }

    pub fn takes_initial(&self) -> bool {
        matches!(self.recipe, Recipe::One(Sum | Prod | Max | Min))
    }

    pub fn takes_one_axis(&self) -> bool {
        let reduction = self.reduction();
        let numbers = matches!(reduction, Some(ArgMax { .. } | ArgMin { .. }));
        numbers || self.scans()
    }

    /// The same of two operands, element by element, and of several.
    fn between(&self, a: &str, b: &str) -> Option<(String, Option<&'static str>)> {
        Some(match self.reduction()? {
            Sum => (format!("{a} + {b}"), Some("add_n")),
            Prod => (format!("{a} * {b}"), None),
            Max => (format!("maximum({a}, {b})"), Some("max_n")),
            Min => (format!("minimum({a}, {b})"), Some("min_n")),
            Mean => (format!("({a} + {b}) / 2"), Some("mean_n")),
            Any => (format!("{a} | {b}"), None),
            All => (format!("{a} & {b}"), None),
            _ => return None,
        })
    }

    /// What to write instead of a second operand.
    pub fn no_axis(&self) -> String {
        if self.scans() {
            return format!(
                "{} works along an axis, and this is none: an axis is a whole number; all elements as one row are None",
                self.name
            );
        }
        let instead = match self.between("a", "b") {
            None => String::new(),
            Some((two, None)) => format!("; element by element write {two}"),
            Some((two, Some(several))) => {
                format!("; element by element write {two}, of more operands {several}(a, b, c)")
            }
        };
        format!(
            "{} works along axes, and this is none: an axis is a whole number, several stand in brackets, all are \
             None{instead}",
            self.name
        )
    }

    /// What to write instead of a parameter that is not there.
    pub fn without(&self, parameter: &str) -> String {
        let name = self.name;
        let instead = match parameter {
            "initial" => "join it to the result".into(),
            "where" => {
                let nan = if name.starts_with("nan") { "" } else { "nan" };
                format!("write {nan}{name}(where(mask, x, nan), axis)")
            }
            "weights" => "write sum(x * w, axis) / sum(w)".into(),
            "b" => "write log(sum(b * exp(x), axis))".into(),
            _ => "it returns one new array".into(),
        };
        format!("{name} has no {parameter}=; {instead}")
    }
}
