//! Where a node comes from, for its errors.

use crate::error::Error;

/// The origin of a node, for its errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The column of the text it was parsed from, from 1; 0 if there is none.
    pub column: usize,
    /// The function whose call made the node, by the name that was written.
    pub called: Option<&'static str>,
}

impl Origin {
    /// An error of the node.
    pub fn of(self, error: Error) -> Error {
        let error = match self.called {
            Some(name) => error.of(name),
            None => error,
        };
        error.at(self.column)
    }

    /// The same, or of this function if no call is known.
    pub fn or_called(self, name: &'static str) -> Self {
        Self {
            called: self.called.or(Some(name)),
            ..self
        }
    }
}
