//! Which outputs may be computed in the buffer of an input.

use super::Plan;
use super::mapped::{Input, Work};
use super::operand::{Access, Source, Target};
use crate::layout::Layout;

impl Plan {
    /// The layout of output `k`, if pass `p` computes it or a window of it.
    pub(crate) fn written_by(&self, p: usize, k: usize) -> Option<&Layout> {
        let pass = &self.passes[p];
        let target = pass
            .window
            .map_or(pass.output.target, |w| self.groups[w.group].target);
        (target == Target::Output(k)).then(|| &self.outputs[k].layout)
    }

    /// Whether output `k` may be written over input `i`, which has its layout: nothing reads the
    /// input after that but the passes that write, each the elements that it writes itself.
    pub(crate) fn may_overwrite(&self, i: usize, k: usize) -> bool {
        let output = &self.outputs[k];
        let mut targets = self.passes.iter().map(|p| p.output.target);
        let writes = targets.position(|to| to == Target::Output(k));
        let writes = writes.unwrap_or(0);
        // A product reads elements that others have already been written over.
        let in_place = |p: usize| matches!(self.passes[p].work, Work::Map(_));
        let same = |p: usize, x: &Input| {
            let own = self
                .written_by(p, k)
                .and_then(|layout| self.passes[p].output_layout(layout));
            own.as_ref() == Some(&x.layout)
                && x.access == Access::Plain
                && x.dtype.size() == output.dtype.size()
        };
        let passes = self.passes.iter().enumerate();
        let mut uses = passes.flat_map(|(p, pass)| pass.inputs.iter().map(move |x| (p, x)));
        uses.all(|(p, x)| x.source != Source::Slot(i) || p < writes || (in_place(p) && same(p, x)))
    }
}
