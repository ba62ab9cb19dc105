//! The quads that an invocation folds, as its text names them.

/// A quad of an invocation: `m` of the `own` ones of step `u` of those that are loaded together, and
/// `b` of those beside one another.
#[derive(Clone, Copy)]
pub(super) struct Quad {
    pub of: Steps,
    pub own: u32,
    pub u: u32,
    pub m: u32,
    pub b: u32,
}

/// The steps that a quad is of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    /// Those that have elements for all invocations.
    Full,
    /// The last, which ends with the row.
    Last,
    /// All of a row that is held.
    Held,
}

impl Quad {
    /// Those of so many steps, step by step.
    pub fn all(of: Steps, steps: u32, own: u32, beside: u32) -> Vec<Self> {
        let mut all = Vec::new();
        for u in 0..steps {
            for m in 0..own {
                all.extend((0..beside).map(|b| Self { of, own, u, m, b }));
            }
        }
        all
    }

    pub fn held(own: u32, u: u32, m: u32) -> Self {
        let (of, b) = (Steps::Held, 0);
        Self { of, own, u, m, b }
    }

    /// What stands for a quad where all of a row have one value.
    pub fn row(b: u32) -> Self {
        let (of, own, u, m) = (Steps::Full, 1, 0, 0);
        Self { of, own, u, m, b }
    }

    /// What ends the names of its values.
    pub fn name(self) -> String {
        format!("{}_{}{}", self.u, self.m, beside(self.b))
    }
}

/// What ends the names of what differs from one quad of columns to the next beside it.
pub(super) fn beside(b: u32) -> String {
    match b {
        0 => String::new(),
        b => format!("_b{b}"),
    }
}
