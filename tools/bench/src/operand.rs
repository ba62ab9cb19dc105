//! The inputs of a workload.

use zerostride::{DType, Layout, Result, Slot, View};

/// An input: a whole tensor, and the view of it that the expression sees.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Element type.
    pub dtype: DType,
    /// Extents of the whole tensor.
    pub extents: Vec<usize>,
    /// What of it the expression sees.
    pub view: Option<View>,
    /// Whole numbers lie below this, if there is one.
    pub below: Option<u64>,
}

impl Operand {
    /// A whole tensor.
    pub fn new(dtype: DType, extents: &[usize]) -> Self {
        Self {
            dtype,
            extents: extents.to_vec(),
            view: None,
            below: None,
        }
    }

    /// The same with whole numbers from 0 to below this.
    pub fn below(mut self, end: usize) -> Self {
        self.below = Some(end as u64);
        self
    }

    /// The same tensor, seen through a view.
    pub fn viewed(mut self, view: View) -> Self {
        self.view = Some(view);
        self
    }

    /// Elements of the whole tensor.
    pub fn elements(&self) -> usize {
        self.extents.iter().product()
    }

    /// Where the elements lie that the expression sees.
    ///
    /// # Errors
    /// Those of [`Layout::view`].
    pub fn layout(&self) -> Result<Layout> {
        let whole = Layout::contiguous(self.extents.as_slice())?;
        match &self.view {
            Some(view) => whole.view(view),
            None => Ok(whole),
        }
    }

    /// What a plan knows of it: a buffer of its own, which is padded to whole quads.
    ///
    /// # Errors
    /// Those of [`Layout::view`].
    pub fn slot(&self) -> Result<Slot> {
        let whole = Slot::new(self.dtype, self.extents.as_slice())?;
        Ok(match self.view {
            None => whole,
            // As `Tensor::slot` has it for a view.
            Some(_) => {
                let bytes = (self.elements() * self.dtype.size()) as u64;
                Slot::wrapped(self.dtype, self.layout()?, bytes.next_multiple_of(16))
            }
        })
    }
}
