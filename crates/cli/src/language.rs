//! `language`: the whole expression language, with an example of each part.

use serde_json::json;
use zerostride::text;

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  zerostride language\n  zerostride language --json")]
pub struct Args {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if args.json {
        let entries: Vec<_> = text::language()
            .map(|e| json!({"chapter": e.chapter, "form": e.form, "doc": e.doc, "example": e.example}))
            .collect();
        return output::json(&json!({"language": entries}));
    }
    output::text(&list())
}

/// The chapters, with a line for each entry.
fn list() -> String {
    let mut text = String::from(
        "In the examples x and y are f32 of shape [3, 4], v is f32 of shape [4], i is i32 and m bool of shape [3, 4].\n\
         Functions may also be written as np.round(x, 2), or as methods of their first operand: x.round(2).\n",
    );
    let entries: Vec<_> = text::language().collect();
    let width = entries
        .iter()
        .map(|e| e.example.chars().count())
        .max()
        .unwrap_or(0);
    let mut chapter = "";
    for entry in &entries {
        if entry.chapter != chapter {
            chapter = entry.chapter;
            text.push_str(&format!("\n{chapter}\n"));
        }
        let (example, form, doc) = (&entry.example, &entry.form, &entry.doc);
        text.push_str(&format!("  {example:width$}  {form}: {doc}\n"));
    }
    text
}
