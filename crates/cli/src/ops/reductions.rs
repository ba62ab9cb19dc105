//! The reductions and scans of the expression language, and the types of their results.

use serde_json::json;
use zerostride::text::{self, ReductionInfo, reductions};
use zerostride::{DType, Expr, Rule, Slot};

use super::markdown::row;

/// The expression that reduces one slot.
fn expr(name: &str) -> Option<Expr<usize>> {
    let parsed = text::parse(&format!("{name}(x)")).ok()?;
    parsed.bind(&["x"], &Rule::Numpy).ok()
}

/// The result type for each element type; `None` if the type is not supported.
fn results(reduction: &ReductionInfo) -> Vec<(DType, Option<DType>)> {
    let expr = expr(reduction.name);
    let result = |&dtype: &DType| {
        let slot = Slot::new(dtype, [2]).ok()?;
        let (result, _) = expr.as_ref()?.infer(&[slot]).ok()?;
        Some(result)
    };
    DType::ALL.iter().map(|d| (*d, result(d))).collect()
}

/// A reduction's result types in a few words.
fn result(reduction: &ReductionInfo) -> String {
    let results = results(reduction);
    let is_own = |(from, to): &&(DType, Option<DType>)| *to == Some(*from);
    let others = results.iter().filter(|r| !is_own(r));
    let mut words: Vec<&str> = others.filter_map(|(_, to)| to.map(|d| d.name())).collect();
    words.sort_unstable();
    words.dedup();
    // One that is the result of every type is no type of its own.
    if let [one] = words.as_slice()
        && results
            .iter()
            .all(|(_, to)| to.is_none_or(|d| d.name() == *one))
    {
        return (*one).into();
    }
    let own = results.iter().any(|r| is_own(&r)).then_some("same");
    let others = (!words.is_empty()).then(|| words.join(", "));
    let both: Vec<&str> = others.as_deref().into_iter().chain(own).collect();
    both.join(" or ")
}

fn parameters(reduction: &ReductionInfo) -> String {
    reduction.parameters.join(", ")
}

/// The lines of the list.
pub fn rows() -> Vec<[String; 4]> {
    let head = ["reduction", "parameters", "result", ""].map(String::from);
    let line = |r: ReductionInfo| [r.name.into(), parameters(&r), result(&r), r.doc.into()];
    std::iter::once(head)
        .chain(reductions().map(line))
        .collect()
}

pub fn as_json() -> Vec<serde_json::Value> {
    let one = |r: ReductionInfo| {
        let results = results(&r).into_iter();
        let named =
            results.filter_map(|(from, to)| Some((from.name().to_owned(), to?.name().into())));
        json!({
            "name": r.name,
            "parameters": r.parameters,
            "results": named.collect::<serde_json::Map<String, serde_json::Value>>(),
            "doc": r.doc,
        })
    };
    reductions().map(one).collect()
}

/// The tables of the page: the type of the result for each element type, and what each does.
pub fn tables(types: &[&str], text: &mut String) {
    text.push_str(
        "\n## Reductions\n\nThe element type of the result for each type of the operand. All are functions, \
         `sum(x, axis=0)`, and\nmethods, `x.sum(0)`. Without an axis all elements are reduced, or scanned as one row.\n\n",
    );
    let head = ["name", "parameters"];
    text.push_str(&row(head.into_iter().chain(types.iter().copied())));
    text.push_str(&row(std::iter::repeat_n("---", head.len() + types.len())));
    for reduction in reductions() {
        let cells: Vec<String> = results(&reduction)
            .into_iter()
            .map(|(_, to)| match to {
                None => "-".into(),
                Some(to) => to.to_string(),
            })
            .collect();
        let named = [reduction.name, &parameters(&reduction)].map(str::to_owned);
        let cells: Vec<String> = named.into_iter().chain(cells).collect();
        text.push_str(&row(cells.iter().map(String::as_str)));
    }
    text.push_str("\n| name | |\n|---|---|\n");
    for reduction in reductions() {
        text.push_str(&row([reduction.name, reduction.doc].into_iter()));
    }
}
