//! The quads that an invocation folds, and their names in the kernel's source.

/// A quad of an invocation: number `m` of the `own` quads in step `u` of the steps that are loaded
/// together, and number `b` of the quads beside one another.
#[derive(Clone, Copy)]
pub(super) struct Quad {
    pub of: Steps,
    pub own: u32,
    pub u: u32,
    pub m: u32,
    pub b: u32,
}

/// The kind of step that a quad belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    /// A step that has elements for all invocations.
    Full,
    /// The last step, which ends with the row.
    Last,
    /// A step of a row that invocations hold as a whole.
    Held,
}

impl Quad {
    /// The quads of `steps` steps, step by step.
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

    /// The stand-in for a quad of a value that repeats along a row.
    pub fn row(b: u32) -> Self {
        let (of, own, u, m) = (Steps::Full, 1, 0, 0);
        Self { of, own, u, m, b }
    }

    /// The suffix of its values' names.
    pub fn name(self) -> String {
        format!("{}_{}{}", self.u, self.m, beside(self.b))
    }
}

/// The suffix of names that differ between quads of columns beside one another.
pub(super) fn beside(b: u32) -> String {
    match b {
        0 => String::new(),
        b => format!("_b{b}"),
    }
}
