//! The options for reading text tables.

use zerostride_files::{Between, Header, Settings, Words};

/// Options for reading text tables.
#[derive(clap::Args)]
pub struct TableArgs {
    /// The separator of cells in tables: one character, tab, or space for any white space.
    /// By default the file's ending decides: , for .csv, tab for .tsv, white space for .txt
    #[arg(short, long, value_name = "CHAR", help_heading = "Tables")]
    delimiter: Option<Between>,
    /// Whether the first line of a table is a header; auto: it is if no cell of it is a number
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Tables"
    )]
    header: HeaderChoice,
    /// Read empty cells of tables as NaN; without it they are errors
    #[arg(long, help_heading = "Tables")]
    empty_as_nan: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum HeaderChoice {
    /// If none of its cells is a number.
    Auto,
    Yes,
    No,
}

impl From<HeaderChoice> for Header {
    fn from(choice: HeaderChoice) -> Self {
        match choice {
            HeaderChoice::Auto => Self::Auto,
            HeaderChoice::Yes => Self::Yes,
            HeaderChoice::No => Self::No,
        }
    }
}

/// The options that error messages on tables name.
const WORDS: Words = Words {
    header: "--header yes",
    no_header: "--header no",
    empty: "--empty-as-nan",
    between: "--delimiter",
    space: "--delimiter space",
};

impl TableArgs {
    pub fn settings(&self) -> Settings {
        Settings {
            between: self.delimiter,
            header: self.header.into(),
            empty_is_nan: self.empty_as_nan,
            words: WORDS,
        }
    }
}
