//! Where in a text the steps of each pass come from.

use std::collections::BTreeSet;

use super::Plan;

impl Plan {
    /// For each dispatch, the columns of the text that its steps and views come from, each once and in
    /// order; what has none is left out.
    ///
    /// ```
    /// use zerostride::{DType, Options, Plan, Rule, Slot, text};
    ///
    /// let expr = text::parse("(x - x.mean(axis=0)).sum()")?.bind(&["x"], &Rule::Numpy)?;
    /// let plan = Plan::new(&expr, &[Slot::new(DType::F32, [64, 8])?], &Options::default())?;
    /// assert_eq!(plan.columns().len(), plan.pass_count());
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn columns(&self) -> Vec<Vec<usize>> {
        let passes = self.passes.iter().zip(&self.computed);
        let passes = passes.filter(|(pass, _)| !pass.shape.is_empty());
        let mut last = ([usize::MAX; 2], Vec::new());
        let columns = passes.map(|(_, &nodes)| {
            // The passes of the pieces of a join compute one node.
            if last.0 != nodes {
                last = (nodes, self.columns_of(nodes));
            }
            last.1.clone()
        });
        columns.collect()
    }

    /// The columns of nodes and of what is computed with them.
    fn columns_of(&self, nodes: [usize; 2]) -> Vec<usize> {
        let graph = &self.graph.nodes;
        let (mut columns, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut stack = nodes.to_vec();
        while let Some(n) = stack.pop() {
            // Another pass has computed it.
            if !seen.insert(n) || (!nodes.contains(&n) && self.cuts.binary_search(&n).is_ok()) {
                continue;
            }
            columns.insert(graph[n].origin.column);
            stack.extend(graph[n].args.iter().map(|(arg, _)| *arg));
        }
        columns.remove(&0);
        columns.into_iter().collect()
    }
}
