//! From a typed graph to passes: those of each cut step, then those of each root.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::body::Body;
use super::checks::{check_operands, check_output, max_inputs};
use super::fold::Program;
use super::joined::held;
use super::limits::Limits;
use super::lower::{Sources, lower, lower_folds};
use super::mapped::Work;
use super::operand::{Destination, Operand, Source, Target, Temporary};
use super::options::Options;
use super::pass::Pass;
use super::slot::Slot;
use super::table::map_words;
use super::windowed::{Group, Part, Place, Role};
use super::words::{Words, parts};
use super::{Plan, PlanId, choice, cut};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Computed, Expr, Graph, GraphKind, without};
use crate::layout::Layout;
use crate::shape::Shape;

/// The passes of a graph as they are made.
pub(super) struct Planner<'a> {
    pub graph: &'a Graph,
    pub sources: Sources<'a>,
    pub options: &'a Options,
    /// What the passes that fold compute, by their roots.
    pub programs: BTreeMap<usize, Program>,
    pub temporaries: Vec<Temporary>,
    pub passes: Vec<Pass>,
    pub groups: Vec<Group>,
    /// For each pass the nodes that it leads to: a result and what is behind its views.
    pub computed: Vec<[usize; 2]>,
}

impl Plan {
    /// Plans one expression whose leaves are the numbers of `slots`; the output is a buffer of this
    /// crate.
    ///
    /// # Errors
    /// [`Error::Argument`] for a slot that is not there, a literal outside its type, limits below 4
    /// storage buffers, or more windows, blocks or workgroups than there may be; [`Error::Arity`],
    /// [`Error::DType`] and [`Error::MixedDTypes`] for operands that an operator
    /// does not take; [`Error::Extents`], [`Error::Rank`] and [`Error::Axis`] for shapes that a
    /// rule does not align; [`Error::View`]; [`Error::TooManyElements`]; [`Error::Buffer`] for
    /// elements past the end of their buffer; [`Error::TooLarge`] for an operand that needs a
    /// larger binding than the limits allow. All of these may be in an [`Error::At`] with the
    /// column of the text.
    pub fn new(expr: &Expr<usize>, slots: &[Slot], options: &Options) -> Result<Self> {
        Self::many(std::slice::from_ref(expr), slots, &[], options)
    }

    /// The element type and shape of each of several expressions over the same slots, without a plan.
    ///
    /// ```
    /// use zerostride::{DType, Expr, Options, Plan, Slot};
    ///
    /// let slots = [Slot::new(DType::U8, [4, 1])?, Slot::new(DType::F16, [3])?];
    /// let sum = Expr::slot(0) + Expr::slot(1);
    /// let known = Plan::infer(&[sum], &slots, &Options::default())?;
    /// assert_eq!(known, [(DType::F16, [4, 3].into())]);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// The variants listed at [`new`](Self::new), but those of limits on sizes.
    pub fn infer(
        exprs: &[Expr<usize>],
        slots: &[Slot],
        options: &Options,
    ) -> Result<Vec<(DType, Shape)>> {
        let graph = graph(exprs, slots, options)?;
        let node = |&n: &usize| (graph.nodes[n].dtype, graph.nodes[n].shape.clone());
        Ok(graph.roots.iter().map(node).collect())
    }

    /// Plans several expressions over the same slots. `outputs` names where the first of them are
    /// written; the others go to buffers of this crate.
    ///
    /// # Errors
    /// The variants listed at [`new`](Self::new); [`Error::Argument`] for more outputs than
    /// expressions; [`Error::Buffer`] for an output of another type, shape or order.
    pub fn many(
        exprs: &[Expr<usize>],
        slots: &[Slot],
        outputs: &[Slot],
        options: &Options,
    ) -> Result<Self> {
        let (given, all) = (outputs.len(), exprs.len());
        if given > all {
            let reason = format!("{given} outputs were given for {all} expressions");
            return Err(Error::argument("plan", reason));
        }
        let graph = graph(exprs, slots, options)?;
        let layouts: Vec<Layout> = slots.iter().map(|s| s.layout.clone()).collect();
        let plan = Planner::new(&graph, slots, &layouts, options, &[])?.plan(outputs)?;
        Ok(plan.given(exprs))
    }
}

/// The typed graph of expressions.
pub(super) fn graph(exprs: &[Expr<usize>], slots: &[Slot], options: &Options) -> Result<Graph> {
    let slot = |i: usize| {
        let (found, given) = (slots.get(i), slots.len());
        let reason = || format!("slot {i} does not exist, {given} were given");
        found.ok_or_else(|| Error::argument("plan", reason()))
    };
    let input = |i| slot(i).map(|s| (s.dtype, s.layout.shape().clone()));
    #[cfg(feature = "complete")]
    let exprs = &Expr::without_calls(exprs, &input)?;
    let promoted = Expr::promote_all(exprs, options.promotion, |&i| Ok(slot(i)?.dtype))?;
    let graph = Graph::new(&promoted, input)?;
    graph.check_f64(options.limits.float64)?;
    Ok(graph)
}

impl<'a> Planner<'a> {
    /// `layouts` says where the inputs' elements lie in the buffers of `slots`, on the graph's
    /// axes. `apart`: nodes that get passes of their own whatever the limits are.
    pub fn new(
        graph: &'a Graph,
        slots: &'a [Slot],
        layouts: &'a [Layout],
        options: &'a Options,
        apart: &[usize],
    ) -> Result<Self> {
        let limits = &options.limits;
        if limits.max_storage_buffers < 4 {
            let reason = format!(
                "max_storage_buffers is {}; a step of three operands and its result take 4",
                limits.max_storage_buffers
            );
            return Err(Error::argument("limits", reason));
        }
        let max_inputs = max_inputs(limits);
        check_operands(graph, max_inputs)?;
        let mut sources = Sources::inputs(graph, slots, layouts);
        let cuts = cut::cuts(graph, &sources, max_inputs, limits, apart)?;
        let numbered = cuts.nodes.iter().enumerate().map(|(t, &n)| (n, t));
        sources.cuts.extend(numbered);
        let mut planner = Self {
            graph,
            sources,
            options,
            programs: cuts.programs,
            temporaries: Vec::new(),
            passes: Vec::new(),
            groups: Vec::new(),
            computed: Vec::new(),
        };
        // Those of the cuts come first: windows add more.
        for &n in &cuts.nodes {
            let node = &graph.nodes[n];
            planner.temporary(node.dtype, node.held_shape().len()?);
        }
        for (t, &n) in cuts.nodes.iter().enumerate() {
            planner.push_cut(n, Target::Temporary(t))?;
        }
        Ok(planner)
    }

    /// The plan. `outputs` says where the first roots are written.
    pub fn plan(mut self, outputs: &[Slot]) -> Result<Plan> {
        let mut slots = Vec::with_capacity(self.graph.roots.len());
        for (k, &root) in self.graph.roots.iter().enumerate() {
            let node = &self.graph.nodes[root];
            let slot = match outputs.get(k) {
                Some(slot) => slot.clone(),
                None => Slot::new(node.dtype, node.shape.clone())?,
            };
            check_output(k, &slot, node.dtype, &node.shape)?;
            slots.push(slot.clone());
            let target = Target::Output(k);
            let n = self.sources.roots[k];
            let n = self.sources.apart(self.graph, n).unwrap_or(n);
            let layout = slot.layout.reshape(self.graph.nodes[n].shape.clone())?;
            let to = Destination::new(target, slot.with_layout(layout));
            let is_cut = self.sources.cuts.contains_key(&n);
            if outputs.get(k).is_some() && self.is_looked_up(n) && !is_cut {
                // The caller's buffer may be the operand's.
                let t = self.temporary(node.dtype, node.shape.len()?);
                self.push_cut(n, Target::Temporary(t))?;
                self.push_copied(n, t, &to)?;
            } else {
                self.push_root(n, &to)?;
            }
            self.computed.resize(self.passes.len(), [root, n]);
        }
        self.join_epilogues(outputs.len())?;
        Ok(self.finished(slots))
    }

    fn is_looked_up(&self, n: usize) -> bool {
        let kind = &self.graph.nodes[n].kind;
        matches!(kind, GraphKind::Taken { .. } | GraphKind::Searched { .. })
    }

    /// The plan of the passes, which write these outputs.
    pub fn finished(self, outputs: Vec<Slot>) -> Plan {
        let mut plan = Plan {
            given: Vec::new(),
            id: PlanId::new(),
            slots: self.sources.slots.to_vec(),
            outputs,
            temporaries: self.temporaries,
            passes: self.passes,
            groups: self.groups,
            computed: self.computed,
            cuts: self.sources.cuts.into_keys().collect(),
            graph: Arc::new(self.graph.kept()),
            layouts: self.sources.layouts.to_vec(),
            limits: self.options.limits,
        };
        plan.share_temporaries();
        plan
    }

    pub fn limits(&self) -> &'a Limits {
        &self.options.limits
    }

    pub fn temporary(&mut self, dtype: DType, len: usize) -> usize {
        self.temporaries.push(Temporary { dtype, len });
        self.temporaries.len() - 1
    }

    /// Adds the passes of a cut step.
    fn push_cut(&mut self, n: usize, target: Target) -> Result<()> {
        let node = &self.graph.nodes[n];
        // The elements of a reshape lie as those of what it is a reshape of.
        let computed = match node.kind.computed() {
            Computed::Relaid => node.args[0].0,
            _ => n,
        };
        let slot = held(&self.graph.nodes[computed])?;
        let to = Destination::new(target, slot);
        self.push_root(computed, &to)?;
        self.computed.resize(self.passes.len(), [n, computed]);
        Ok(())
    }

    /// Adds the pass that moves a node from its temporary.
    pub fn push_copied(&mut self, n: usize, t: usize, to: &Destination) -> Result<()> {
        let slot = held(&self.graph.nodes[n])?;
        self.push(&Body::moving(Operand::new(Source::Temporary(t), slot)), to)
    }

    /// Adds the passes of a node.
    fn push_root(&mut self, n: usize, to: &Destination) -> Result<()> {
        let node = &self.graph.nodes[n];
        match (&node.kind, self.sources.cuts.get(&n)) {
            // Others need it too.
            (kind, Some(&t))
                if matches!(kind.computed(), Computed::Apart | Computed::Piecewise)
                    && to.target != Target::Temporary(t) =>
            {
                return self.push_copied(n, t, to);
            }
            (GraphKind::Product, _) => return self.push_product(n, to),
            (GraphKind::Taken { .. } | GraphKind::Searched { .. }, _) => {
                return self.push_lookup(n, to);
            }
            (GraphKind::Placed(places), _) if node.kind.computed() == Computed::Piecewise => {
                return self.push_pieces(n, places, to);
            }
            _ => {}
        }
        match self.programs.get(&n) {
            Some(program) => {
                let body = lower_folds(self.graph, n, &self.sources, program)?;
                if program.scan.is_some() && body.scan.is_none() {
                    // Something else needs the scan too, so that it was written before.
                    return self.push_steps(n, to);
                }
                if let Some(scan) = program.scan {
                    let kind = &self.graph.nodes[scan].kind;
                    let reverse = matches!(kind, GraphKind::Scan { reverse: true, .. });
                    return self.push_scan(&body, reverse, to);
                }
                if program.is_full() {
                    return self.push_folds(&body, to);
                }
                // An element for each row, without the axes of extent 1 that stand for folded ones.
                let rows = without(&program.shape, &program.axes);
                let layout = Layout::new(rows.clone(), rows.row_major(), to.slot.layout.offset())?;
                let to = to.with_layout(layout);
                self.push_folds(&body, &to)
            }
            None => self.push_steps(n, to),
        }
    }

    /// Adds the passes of a node that is computed by steps alone.
    fn push_steps(&mut self, n: usize, to: &Destination) -> Result<()> {
        let body = lower(self.graph, n, &self.sources, None)?;
        self.push(&body, to)
    }

    /// Adds the pass of a body, or one a window if an operand does not fit a binding or one
    /// dispatch would be too long.
    pub fn push(&mut self, body: &Body, to: &Destination) -> Result<()> {
        self.push_part(body, to, None, (&mut None, to.slot.layout.len()))
    }

    /// The same for a part of a group's result, by way of a temporary if it has to be
    /// [shifted](Self::push_pass).
    pub fn push_part(
        &mut self,
        body: &Body,
        to: &Destination,
        part: Option<Part>,
        (temporary, len): (&mut Option<usize>, usize),
    ) -> Result<()> {
        if to.slot.layout.len() > self.limits().elements(body.is_dense()) {
            return self.push_windows(body, to, part);
        }
        let (temporaries, before) = (self.temporaries.len(), *temporary);
        let place = part.map(|part| Place {
            group: part.group,
            number: self.groups[part.group].windows,
            first: part.first,
            role: Role::Compute,
        });
        match self.push_pass(body, to, place, (temporary, len)) {
            Err(Error::TooLarge { .. }) => {
                self.temporaries.truncate(temporaries);
                *temporary = before;
                return self.push_windows(body, to, part);
            }
            done => done?,
        }
        if let Some(part) = part {
            self.groups[part.group].windows += 1;
        }
        Ok(())
    }

    /// Adds the pass of a body that goes through so many elements, unless one dispatch would be too long
    /// or an operand is too large for a binding. Whether it was added.
    pub fn push_short(
        &mut self,
        body: &Body,
        len: usize,
        pass: impl FnOnce(&Self) -> Result<Pass>,
    ) -> Result<bool> {
        if len > self.limits().elements(body.is_dense()) {
            return Ok(false);
        }
        match pass(self) {
            Ok(pass) => self.passes.push(pass),
            Err(Error::TooLarge { .. }) => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// The pass of a body, or `None` if its output needs a shifted copy.
    pub fn pass(&self, body: &Body, to: &Destination) -> Result<Option<Pass>> {
        let words = Words::new(body, to);
        // Of words that the pass is mapped as, or else of those that a schedule makes.
        let own = words.as_ref().map(|words| words.per_word);
        let code = |per_word| body.code(parts(&body.steps, own.unwrap_or(per_word)), self.limits());
        let (inputs, on) = match &words {
            Some(words) => (&words.inputs, &words.to),
            None => (&body.inputs, to),
        };
        let Some(mut mapped) =
            choice::map(inputs, on, &code, self.options.schedule, self.limits())?
        else {
            return Ok(None);
        };
        if let Some(words) = words {
            words.restore(&mut mapped, &body.inputs, &to.slot);
        }
        let mut table = Vec::new();
        if let Work::Map(schedule) = &mapped.work {
            let quads = schedule.quads() * mapped.output.per_word as usize;
            // Each finds its place axis by axis.
            mapped.turns = quads * (body.turns(self.limits()) + mapped.extents.len());
            table = map_words(&mapped, schedule);
        }
        let shape = to.slot.layout.shape().clone();
        Pass::new(mapped, table, shape, body.clone(), self.options).map(Some)
    }
}
