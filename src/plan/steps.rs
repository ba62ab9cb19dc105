//! The steps of a plan, for code that bounds errors or shows what is computed.

mod info;

pub use info::{StepInfo, StepOperand, StepValue, StepWork};

use super::Plan;
use super::reads::reads;
use crate::error::Result;
use crate::expr::{Graph, GraphKind};
use crate::layout::Layout;
use crate::op::Op;
use crate::shape::Shape;
use crate::view::Map;

/// The nodes of a graph as steps.
struct List<'a> {
    graph: &'a Graph,
    /// Where the elements of the inputs lie.
    layouts: &'a [Layout],
    /// Of each node before the one that is listed: its value, and where its elements lie; `None` for
    /// a node that no result with elements needs.
    values: Vec<Option<StepOperand>>,
    steps: Vec<StepInfo>,
}

impl Plan {
    /// The steps of its expressions, operands before their users, whatever passes compute them; the
    /// last gives output 0 of a plan with one output. Views, broadcasts and reshapes are in the
    /// layouts of operands; where elements are moved alone, the step is one identity. A plan whose
    /// results have no elements has no steps.
    ///
    /// # Errors
    /// [`Error::TooManyElements`] cannot happen: the plan's shapes are known to fit.
    #[doc(hidden)]
    pub fn steps(&self) -> Result<Vec<StepInfo>> {
        let graph = &*self.graph;
        let with_elements = |n: &usize| !graph.nodes[*n].shape.is_empty();
        let roots: Vec<usize> = graph.roots.iter().copied().filter(with_elements).collect();
        let needed = graph.needed_by(&roots);
        let mut list = List {
            graph,
            layouts: &self.layouts,
            values: Vec::with_capacity(graph.nodes.len()),
            steps: Vec::new(),
        };
        for (n, is_needed) in needed.into_iter().enumerate() {
            let value = is_needed.then(|| list.value(n)).transpose()?;
            list.values.push(value);
        }
        for root in roots {
            list.result(root)?;
        }
        Ok(list.steps)
    }

    /// Where the elements of an input lie along the axes of output 0, with stride 0 where it is
    /// broadcast: if each element of the output is computed of one of the input's beside what it is
    /// folded of, and every part of the expression sees the input so.
    ///
    /// ```
    /// use zerostride::{DType, Expr, Options, Plan, Slot};
    ///
    /// let slots = [Slot::new(DType::F32, [2, 3])?, Slot::new(DType::F32, [3])?];
    /// let sum = Expr::slot(0) + Expr::slot(1);
    /// let plan = Plan::new(&sum, &slots, &Options::default())?;
    /// assert_eq!(plan.layout_of(1).unwrap().strides(), [0, 1]);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn layout_of(&self, input: usize) -> Option<Layout> {
        let reads = reads(&self.graph, &self.slots, &self.layouts).ok()?;
        let mut of_one = reads.iter().filter(|r| r.slot == input && r.span == 0);
        let first = &of_one.next()?.layout;
        of_one.all(|r| r.layout == *first).then(|| first.clone())
    }
}

impl List<'_> {
    /// The value of a node, which is listed if it computes or moves elements.
    fn value(&mut self, n: usize) -> Result<StepOperand> {
        let node = &self.graph.nodes[n];
        let operands = node.args.iter();
        let operands = operands.filter_map(|(arg, map)| self.seen(*arg, map));
        let mut operands: Vec<StepOperand> = operands.collect();
        let here = |value, layout| Ok(StepOperand { value, layout });
        let work = match &node.kind {
            GraphKind::Slot(slot) => {
                return here(StepValue::Slot(*slot), self.layouts[*slot].clone());
            }
            GraphKind::Scalar(number) => {
                let layout = Layout::contiguous(node.shape.clone())?;
                return here(StepValue::Number(*number), layout);
            }
            GraphKind::Alias => return Ok(operands.remove(0)),
            GraphKind::Relaid(how) => {
                let mut whole = operands.remove(0);
                let layout = match how.layout(&whole.layout, &node.shape) {
                    Ok(layout) => layout,
                    Err(_) => {
                        whole = self.moved(n, whole)?;
                        how.layout(&whole.layout, &node.shape)?
                    }
                };
                return here(whole.value, layout);
            }
            kind => match kind.numbered() {
                Some(axes) => {
                    return here(StepValue::Position, Layout::numbered(&node.shape, axes)?);
                }
                None => StepWork::of(node)?,
            },
        };
        self.listed(n, work, node.shape.clone(), operands)
    }

    /// An earlier node through a map.
    fn seen(&self, n: usize, map: &Map) -> Option<StepOperand> {
        self.values[n].as_ref().map(|of| StepOperand {
            value: of.value,
            layout: of.layout.through(map),
        })
    }

    /// Adds a step with the type of a node.
    fn listed(
        &mut self,
        n: usize,
        work: StepWork,
        shape: Shape,
        operands: Vec<StepOperand>,
    ) -> Result<StepOperand> {
        let layout = Layout::contiguous(shape.clone())?;
        self.steps.push(StepInfo {
            work,
            dtype: self.graph.nodes[n].dtype,
            shape,
            operands,
        });
        let value = StepValue::Step(self.steps.len() - 1);
        Ok(StepOperand { value, layout })
    }

    /// Adds the step that moves an operand of a node's type to the order of its axes.
    fn moved(&mut self, n: usize, operand: StepOperand) -> Result<StepOperand> {
        let shape = operand.layout.shape().clone();
        self.listed(n, StepWork::Map(Op::IDENTITY), shape, vec![operand])
    }

    /// Makes a root the last step.
    fn result(&mut self, root: usize) -> Result<()> {
        let whole = Map::identity(&self.graph.nodes[root].shape);
        let Some(found) = self.seen(root, &whole) else {
            return Ok(());
        };
        let is_last = StepValue::Step(self.steps.len().wrapping_sub(1)) == found.value;
        if !is_last || found.layout != Layout::contiguous(whole.shape)? {
            self.moved(root, found)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
