//! `ops`: the operators of the expression language.

use serde_json::json;
use zerostride::Op;
use zerostride::dtype::DTypes;
use zerostride::names::{self, Name, Standard};
use zerostride::op::{Arity, Types};

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  zerostride ops\n  zerostride ops --markdown > OPERATORS.md")]
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
        let ops: Vec<_> = Op::all()
            .map(|op| {
                json!({
                    "name": op.name,
                    "operands": op.operands,
                    "variadic": op.arity == Arity::Variadic,
                    "types": op.accepts().iter().map(|d| d.name()).collect::<Vec<_>>(),
                    "result": result(op),
                    "doc": doc(op),
                })
            })
            .collect();
        let names: Vec<_> = names::all()
            .map(|n| {
                let attributes: Vec<_> = n.attrs.iter().map(|(name, doc)| json!({"name": name, "doc": doc})).collect();
                json!({
                    "standard": n.standard.to_string(),
                    "name": n.name,
                    "since": since(n),
                    "types": n.dtypes(None).map(|d| d.iter().map(|d| d.name()).collect::<Vec<_>>()).unwrap_or_default(),
                    "attributes": attributes,
                })
            })
            .collect();
        return output::json(&json!({"operators": ops, "standards": names}));
    }
    let head = ["name", "operands", "types", "result", ""].map(String::from);
    let mut rows: Vec<[String; 5]> = vec![head];
    for op in Op::all() {
        rows.push([op.name.into(), op.operands.join(", "), types(op), result(op), doc(op)]);
    }
    let mut text = if args.markdown { markdown(&rows) } else { aligned(&rows) };
    for standard in [Standard::Onnx, Standard::OpenVino] {
        let list: Vec<_> = names::all().filter(|n| n.standard == standard).map(|n| n.name).collect();
        text.push('\n');
        text.push_str(&match args.markdown {
            true => format!("Operators of {standard}, by name: {}.\n", list.join(", ")),
            false => wrapped(&format!("{standard}:"), &list),
        });
    }
    output::text(&text)
}

/// The types in one word where there is one.
fn types(op: Op) -> String {
    let known = [
        (DTypes::ANY, "any"),
        (DTypes::NUMERIC, "numeric"),
        (DTypes::FLOATS, "float"),
        (DTypes::INTS, "integer"),
        (DTypes::BOOL, "bool"),
        (DTypes::FLOATS.or(DTypes::SIGNED_INTS), "signed"),
    ];
    let word = known.iter().find(|(s, _)| *s == op.accepts()).map(|(_, word)| (*word).to_owned());
    word.unwrap_or_else(|| {
        let names: Vec<_> = op.accepts().iter().map(|d| d.name()).collect();
        names.join(" ")
    })
}

fn result(op: Op) -> String {
    match op.types {
        Types::Same(_) | Types::Select(_) => "same",
        Types::Test(_) => "bool",
        Types::Cast | Types::BitCast => "as asked",
    }
    .into()
}

/// The operator's doc on one line.
fn doc(op: Op) -> String {
    op.doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The oldest operation set that is known.
fn since(name: &Name) -> Option<u32> {
    name.versions.last().map(|(since, _)| *since)
}

fn aligned(rows: &[[String; 5]]) -> String {
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let [a, b, c, d] = std::array::from_fn(width);
    let line = |[name, operands, types, result, doc]: &[String; 5]| {
        format!("{name:a$}  {operands:b$}  {types:c$}  {result:d$}  {doc}").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn markdown(rows: &[[String; 5]]) -> String {
    let mut text = String::new();
    for (n, row) in rows.iter().enumerate() {
        let cells: Vec<_> = row.iter().map(|c| c.replace('|', "\\|")).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
        if n == 0 {
            text.push_str("|---|---|---|---|---|\n");
        }
    }
    text
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
