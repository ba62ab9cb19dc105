//! What a workload is: operands, an expression, and the hand-written kernel that does the same.

use zerostride::{Accuracy, Error, Expr, Result, Slot, View};

pub use crate::operand::Operand;

/// A named workload; its operands follow from the number of elements.
pub struct Workload {
    /// What it is called on the command line.
    pub name: String,
    /// The expression and its shapes, in words.
    pub about: &'static str,
    /// What is timed.
    pub kind: Kind,
    /// log2 of the number of elements, where it is not the run's.
    pub log2: Option<u32>,
    /// Operands, expression and kernel at log2 of the number of elements.
    pub build: Box<dyn Fn(u32) -> Case>,
}

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The device's time for one encoded plan.
    Stream,
    /// The host's and the device's time for this many calls of a tensor method, then one wait.
    Calls(usize),
    /// The same with `Context::run` of a plan made once.
    Runs(usize),
    /// A process from its start to its first result.
    Cold,
}

/// A workload at one size.
pub struct Case {
    /// The inputs.
    pub operands: Vec<Operand>,
    /// Over the operands as slots. It holds no views: those are the operands' own.
    pub expr: Expr<usize>,
    /// What functions are computed with.
    pub accuracy: Accuracy,
    /// What an element of the result needs.
    pub needs: Needs,
    /// Allowed distance of a float from the reference, relative to the larger of it and 1.
    pub tolerance: f64,
    /// The kernel that does the same.
    pub handwritten: Option<Kernel>,
    /// That of software adapters, where the other is one for GPUs. It has the bits of a plan.
    pub handwritten_cpu: Option<Kernel>,
    /// Whether the sum of two tensors of the result's type and shape is timed beside it.
    pub beside_same: bool,
}

/// What of the operands an element of the result needs: so much of them is given to the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// The elements at its place.
    Place,
    /// Of the first operands, as many as this says, the row along axis 0 that has its place there; the others whole. Of
    /// large ones so many rows are compared.
    Row {
        /// Operands that have a row for each of the result.
        operands: usize,
        /// Rows that are compared.
        sampled: usize,
    },
    /// All elements.
    All,
}

/// A hand-written kernel and how it is dispatched.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its file in `handwritten`, without `.wgsl`.
    pub name: &'static str,
    /// Its WGSL.
    pub text: &'static str,
    /// Libraries of this crate that it calls.
    pub libraries: &'static [&'static str],
    /// Invocations of a workgroup along the quads it owns.
    pub width: u32,
    /// The uniform `p`.
    pub params: [u32; 4],
    /// Workgroups along x, y and z.
    pub groups: [u32; 3],
    /// Pipeline constants.
    pub constants: Vec<(&'static str, f64)>,
    /// The kernel that makes the result of what this one writes.
    pub then: Option<Box<Then>>,
}

/// The second of two hand-written kernels.
#[derive(Clone, Debug)]
pub struct Then {
    /// Bytes that the first writes and this one reads.
    pub bytes: u64,
    /// Itself, with that as its one input.
    pub kernel: Kernel,
}

impl Case {
    /// A precise case without a kernel by hand.
    pub fn new(operands: Vec<Operand>, expr: Expr<usize>) -> Self {
        Self {
            operands,
            expr,
            accuracy: Accuracy::Precise,
            needs: Needs::Place,
            tolerance: 1e-5,
            handwritten: None,
            handwritten_cpu: None,
            beside_same: false,
        }
    }

    /// The same with a kernel by hand.
    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.handwritten = Some(kernel);
        self
    }

    /// The same with a kernel by hand of software adapters, if there is one.
    pub fn cpu_kernel(mut self, kernel: Option<Kernel>) -> Self {
        self.handwritten_cpu = kernel;
        self
    }

    /// The kernel by hand that a plan for such an adapter is measured by.
    pub fn by_hand(&self, software: bool) -> Option<&Kernel> {
        match self.has_cpu_kernel(software) {
            true => self.handwritten_cpu.as_ref(),
            false => self.handwritten.as_ref(),
        }
    }

    /// Whether that is one of software adapters alone.
    pub fn has_cpu_kernel(&self, software: bool) -> bool {
        software && self.handwritten_cpu.is_some()
    }

    /// Whether an operand holds indices, so that what is read depends on data.
    pub fn has_indices(&self) -> bool {
        self.operands.iter().any(|o| o.below.is_some())
    }

    /// What a plan knows of the operands.
    ///
    /// # Errors
    /// Those of `Layout::view`.
    pub fn slots(&self) -> Result<Vec<Slot>> {
        self.operands.iter().map(Operand::slot).collect()
    }

    /// Each operand as `dtype[extents]`, separated by blanks.
    pub fn shapes(&self) -> String {
        let one = |o: &Operand| {
            let extents: Vec<_> = o.extents.iter().map(ToString::to_string).collect();
            let view = match &o.view {
                None => "",
                Some(View::Transpose) => ".T",
                Some(_) => "[..]",
            };
            format!("{}[{}]{view}", o.dtype, extents.join(","))
        };
        self.operands.iter().map(one).collect::<Vec<_>>().join(" ")
    }
}

impl Kernel {
    /// A kernel over `quads` quads, four an invocation.
    pub fn flat(name: &'static str, text: &'static str, quads: usize) -> Self {
        let groups = quads.div_ceil(1024);
        let x = groups.min(4096);
        let params = [quads as u32, 0, 0, 0];
        Self::new(
            name,
            text,
            256,
            params,
            [x as u32, groups.div_ceil(x) as u32, 1],
        )
    }

    /// A kernel over rows of `quads` quads, four an invocation.
    pub fn rows(name: &'static str, text: &'static str, quads: usize, rows: usize) -> Self {
        let y = rows.min(65_535);
        let params = [quads as u32, rows as u32, 0, 0];
        Self::new(
            name,
            text,
            64,
            params,
            [
                quads.div_ceil(256) as u32,
                y as u32,
                rows.div_ceil(y) as u32,
            ],
        )
    }

    /// A kernel over rows of `quads` quads, one of each of four rows an invocation.
    pub fn fours(name: &'static str, text: &'static str, quads: usize, rows: usize) -> Self {
        let fours = rows.div_ceil(4);
        let y = fours.min(65_535);
        let params = [quads as u32, rows as u32, 0, 0];
        Self::new(
            name,
            text,
            256,
            params,
            [
                quads.div_ceil(256) as u32,
                y as u32,
                fours.div_ceil(y) as u32,
            ],
        )
    }

    /// A kernel over rows of any length, a quad of each quarter of them an invocation.
    pub fn quarters(name: &'static str, text: &'static str, rows: usize, row: usize) -> Self {
        // Every fourth row begins with a quad, whatever its length.
        let quads = rows.div_ceil(4).next_multiple_of(4) * row / 4;
        // A CPU pays for workgroups without work as for others.
        let groups = quads.div_ceil(256);
        let y = groups.div_ceil(65_535);
        let params = [(rows * row).div_ceil(4) as u32, row as u32, quads as u32, 0];
        Self::new(
            name,
            text,
            256,
            params,
            [groups.div_ceil(y) as u32, y as u32, 1],
        )
    }

    /// A kernel of any grid.
    pub fn new(
        name: &'static str,
        text: &'static str,
        width: u32,
        params: [u32; 4],
        groups: [u32; 3],
    ) -> Self {
        Self {
            name,
            text,
            libraries: &[],
            width,
            params,
            groups,
            constants: Vec::new(),
            then: None,
        }
    }

    /// The same with a kernel behind it that reads the `bytes` bytes that this one writes.
    pub fn then(mut self, bytes: usize, kernel: Kernel) -> Self {
        self.then = Some(Box::new(Then {
            bytes: bytes as u64,
            kernel,
        }));
        self
    }

    /// This kernel and those behind it.
    pub fn all(&self) -> impl Iterator<Item = &Kernel> {
        std::iter::successors(Some(self), |&kernel| {
            kernel.then.as_deref().map(|then| &then.kernel)
        })
    }

    /// A kernel with a workgroup of 64 for each row; `p.x` is the length of a row.
    pub fn row_each(name: &'static str, text: &'static str, row: usize, rows: usize) -> Self {
        let x = rows.min(65_535);
        let params = [row as u32, rows as u32, 0, 0];
        Self::new(
            name,
            text,
            64,
            params,
            [x as u32, rows.div_ceil(x) as u32, 1],
        )
    }

    /// The same with the bits of a number as the third word of its uniform.
    pub fn number(self, value: f32) -> Self {
        self.param(2, value.to_bits() as usize)
    }

    /// The same with this word of its uniform.
    pub fn param(mut self, place: usize, value: usize) -> Self {
        self.params[place] = value as u32;
        self
    }

    /// The same with a pipeline constant.
    pub fn constant(mut self, name: &'static str, value: f64) -> Self {
        self.constants.push((name, value));
        self
    }

    /// The same with every step rounded, of a text that can do so: the bits of a plan.
    pub fn rounded(self) -> Self {
        let [one, minus_zero] = [1.0, -0.0f32].map(|v: f32| v.to_bits() as usize);
        self.constant("ROUNDED", 1.0)
            .param(2, one)
            .param(3, minus_zero)
    }

    /// What is compiled: the text, or another in its place, with the libraries that it calls, and its
    /// pipeline constants. On a GPU neighbouring invocations own neighbouring quads.
    pub fn source(
        &self,
        other: Option<String>,
        software: bool,
    ) -> (String, Vec<(&'static str, f64)>) {
        let mut text = other.unwrap_or_else(|| self.text.to_string());
        let mut constants = self.constants.clone();
        constants.retain(|(name, _)| text.contains(&format!("override {name}:")));
        if !software && text.contains("override STEP:") {
            constants.extend([("LANE", 1.0), ("STEP", f64::from(self.width))]);
        }
        self.libraries
            .iter()
            .for_each(|library| text.push_str(library));
        (text, constants)
    }
}

/// The workloads that these patterns name, in the order of the list; all if there is no pattern.
///
/// # Errors
/// [`Error::Argument`] if a pattern names none.
pub fn choose(all: Vec<Workload>, patterns: &[String]) -> Result<Vec<Workload>> {
    if patterns.is_empty() {
        return Ok(all);
    }
    if let Some(unknown) = patterns
        .iter()
        .find(|p| !all.iter().any(|w| matches(p, &w.name)))
    {
        let names: Vec<_> = all.iter().map(|w| w.name.as_str()).collect();
        let reason = format!(
            "there is no workload `{unknown}`; these are there: {}",
            names.join(", ")
        );
        return Err(Error::Argument {
            op: "bench".into(),
            reason,
        });
    }
    Ok(all
        .into_iter()
        .filter(|w| patterns.iter().any(|p| matches(p, &w.name)))
        .collect())
}

/// Whether a name fits a pattern in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, rest)) => name.strip_prefix(head).is_some_and(|left| {
            (0..=left.len()).any(|i| left.is_char_boundary(i) && matches(rest, &left[i..]))
        }),
    }
}
