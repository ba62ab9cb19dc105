//! `ops`: the operators and reductions of the expression language.

mod markdown;
mod reductions;

use serde_json::json;
use zerostride::{Arity, DType, DTypes, Op};
use zerostride_onnx::{self as onnx, Standard};

use markdown::row;

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  zerostride ops\n  zerostride ops --markdown > operators.md")]
pub struct Args {
    /// Print a JSON object
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print Markdown tables
    #[arg(long)]
    markdown: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if args.json {
        let ops: Vec<_> = Op::listed()
            .map(|op| {
                json!({
                    "name": op.name(),
                    "operands": op.operands(),
                    "defaults": op.defaults(),
                    "variadic": op.arity() == Arity::Variadic,
                    "types": op.accepts().iter().map(|d| d.name()).collect::<Vec<_>>(),
                    "result": result(op),
                    "doc": doc(op),
                })
            })
            .collect();
        let names: Vec<_> = onnx::all()
            .map(|n| {
                let attributes: Vec<_> = n.attributes().iter().map(|(name, doc)| json!({"name": name, "doc": doc})).collect();
                json!({
                    "standard": n.standard().to_string(),
                    "name": n.name(),
                    "since": n.since(),
                    "types": n.dtypes(None).map(|d| d.iter().map(|d| d.name()).collect::<Vec<_>>()).unwrap_or_default(),
                    "attributes": attributes,
                })
            })
            .collect();
        let reductions = reductions::as_json();
        return output::json(
            &json!({"operators": ops, "reductions": reductions, "standards": names}),
        );
    }
    if args.markdown {
        return output::text(&tables());
    }
    let head = ["name", "operands", "types", "result", ""].map(String::from);
    let mut rows: Vec<[String; 5]> = vec![head];
    for op in Op::listed() {
        rows.push([
            op.name().into(),
            operands(op),
            types(op),
            result(op),
            doc(op),
        ]);
    }
    let mut text = aligned(&rows);
    text.push('\n');
    text.push_str(&aligned(&reductions::rows()));
    for standard in [Standard::Onnx, Standard::OpenVino] {
        let list: Vec<_> = onnx::all()
            .filter(|n| n.standard() == standard)
            .map(|n| n.name())
            .collect();
        text.push('\n');
        text.push_str(&wrapped(&format!("{standard}:"), &list));
    }
    output::text(&text)
}

/// The operands, optional ones with their defaults.
fn operands(op: Op) -> String {
    let first = op.operands().len() - op.defaults().len();
    let named = op
        .operands()
        .iter()
        .enumerate()
        .map(|(i, name)| match i.checked_sub(first) {
            Some(k) => format!("{name} = {}", op.defaults()[k] as f32),
            None => (*name).to_owned(),
        });
    named.collect::<Vec<_>>().join(", ")
}

/// All tables as a page: what each operator does, and on which element types.
fn tables() -> String {
    let types: Vec<&str> = DType::ALL.iter().map(|d| d.name()).collect();
    let mut text = String::from(
        "# Operators\n\nMade by `zerostride ops --markdown`.\n\n\
         `+`: the operator takes the type, on every adapter. `-`: it does not; the expression language casts to one that it does take.\n\n",
    );
    text.push_str(&row(["name", "operands", "result"]
        .into_iter()
        .chain(types.iter().copied())));
    text.push_str(&row(std::iter::repeat_n("---", 3 + types.len())));
    for op in Op::listed() {
        let mark = |d: &DType| match op.accepts().contains(*d) {
            false => "-",
            true => "+",
        };
        let (operands, result) = (operands(op), result(op));
        text.push_str(&row([op.name(), &operands, &result]
            .into_iter()
            .chain(DType::ALL.iter().map(mark))));
    }
    text.push_str(
        "\nBeside these, `matmul` and `gemm` take u32, i32, u64, i64, f16, bf16, f32 and f64.\n\n| name | |\n|---|---|\n",
    );
    for op in Op::listed() {
        text.push_str(&row([op.name(), &doc(op)].into_iter()));
    }
    reductions::tables(&types, &mut text);
    for standard in [Standard::Onnx, Standard::OpenVino] {
        text.push_str(&format!(
            "\n## {standard}\n\nElement types of the newest operation set; `since` is the oldest that is known.\n\n"
        ));
        text.push_str(&row(["name", "since", "attributes"]
            .into_iter()
            .chain(types.iter().copied())));
        text.push_str(&row(std::iter::repeat_n("---", 3 + types.len())));
        for name in onnx::all().filter(|n| n.standard() == standard) {
            let accepted = name.dtypes(None).unwrap_or(DTypes::ANY);
            let since = name.since().unwrap_or(1).to_string();
            let attributes = name
                .attributes()
                .iter()
                .map(|(name, _)| *name)
                .collect::<Vec<_>>()
                .join(", ");
            let mark = |d: &DType| if accepted.contains(*d) { "+" } else { "-" };
            text.push_str(&row([name.name(), &since, &attributes]
                .into_iter()
                .chain(DType::ALL.iter().map(mark))));
        }
    }
    text
}

/// The types in one word if these types have one, as `numeric`.
fn types(op: Op) -> String {
    let known = [
        (DTypes::ANY, "any"),
        (DTypes::NUMERIC, "numeric"),
        (DTypes::FLOATS, "float"),
        (DTypes::INTS, "integer"),
        (DTypes::BOOL, "bool"),
        (DTypes::FLOATS.or(DTypes::SIGNED_INTS), "signed"),
    ];
    let word = known
        .iter()
        .find(|(s, _)| *s == op.accepts())
        .map(|(_, word)| (*word).to_owned());
    word.unwrap_or_else(|| {
        let names: Vec<_> = op.accepts().iter().map(|d| d.name()).collect();
        names.join(" ")
    })
}

fn result(op: Op) -> String {
    if op.takes_dtype() {
        "as asked".into()
    } else if op.is_test() {
        "bool".into()
    } else {
        "same".into()
    }
}

/// The operator's doc on one line.
fn doc(op: Op) -> String {
    op.doc().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths);
        let cells: Vec<_> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Words after a title, in lines of about 100 columns.
fn wrapped(title: &str, words: &[&str]) -> String {
    let mut text = title.to_owned();
    let mut column = text.len();
    for word in words {
        if column + 1 + word.len() > 100 {
            text.push_str("\n   ");
            column = 3;
        }
        text.push(' ');
        text.push_str(word);
        column += 1 + word.len();
    }
    text.push('\n');
    text
}
