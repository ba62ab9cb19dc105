//! What a workload is: operands, an expression, and the hand-written kernel that does the same.

use zerostride::{Accuracy, DType, Expr, Layout, Result, View};

/// A named workload; its operands follow from the number of elements.
pub struct Workload {
    pub name: String,
    /// The expression and its shapes, in words.
    pub about: &'static str,
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
    pub operands: Vec<Operand>,
    /// Over the operands as slots. It holds no views: those are the operands' own.
    pub expr: Expr<usize>,
    pub accuracy: Accuracy,
    /// Allowed distance of a float from the reference, relative to the larger of it and 1.
    pub tolerance: f64,
    pub handwritten: Option<Kernel>,
    /// Whether the sum of two tensors of the result's type and shape is timed beside it.
    pub beside_same: bool,
}

/// An input: a whole tensor, and the view of it that the expression sees.
#[derive(Clone, Debug)]
pub struct Operand {
    pub dtype: DType,
    pub extents: Vec<usize>,
    pub view: Option<View>,
}

/// A hand-written kernel and how it is dispatched.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its file in `handwritten`, without `.wgsl`.
    pub name: &'static str,
    pub text: &'static str,
    /// Libraries of this crate that it calls.
    pub libraries: &'static [&'static str],
    /// Invocations of a workgroup along the quads it owns.
    pub width: u32,
    /// The uniform `p`.
    pub params: [u32; 4],
    pub groups: [u32; 3],
    /// Pipeline constants.
    pub constants: Vec<(&'static str, f64)>,
}

impl Operand {
    pub fn new(dtype: DType, extents: &[usize]) -> Self {
        Self {
            dtype,
            extents: extents.to_vec(),
            view: None,
        }
    }

    pub fn viewed(mut self, view: View) -> Self {
        self.view = Some(view);
        self
    }

    /// Elements of the whole tensor.
    pub fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// Where the elements lie that the expression sees.
    pub fn layout(&self) -> Result<Layout> {
        let whole = Layout::contiguous(self.extents.as_slice())?;
        match &self.view {
            Some(view) => whole.view(view),
            None => Ok(whole),
        }
    }
}

impl Case {
    pub fn new(operands: Vec<Operand>, expr: Expr<usize>) -> Self {
        Self {
            operands,
            expr,
            accuracy: Accuracy::Precise,
            tolerance: 1e-5,
            handwritten: None,
            beside_same: false,
        }
    }

    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.handwritten = Some(kernel);
        self
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
        }
    }

    pub fn param(mut self, place: usize, value: usize) -> Self {
        self.params[place] = value as u32;
        self
    }
}
