//! Tables in Markdown.

/// A row of a Markdown table.
pub fn row<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let cells: Vec<_> = cells.map(|c| c.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}
