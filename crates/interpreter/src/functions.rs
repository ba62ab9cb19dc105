//! Functions that are not run, since they branch on data, and the steps that others take.

use naga::{Expression as E, Function, Handle};

use crate::invocations::{Frame, Invocations, Lanes, Slot, Value};

impl<'a> Invocations<'a, '_> {
    /// What a function that is called returns.
    pub fn called(
        &mut self,
        frame: &mut Frame<'a>,
        handle: Handle<Function>,
        arguments: &[Handle<E>],
        mask: &[bool],
    ) -> Option<Value> {
        let arguments = arguments.iter().map(|a| self.slot(frame, *a, mask));
        let arguments: Vec<Slot> = arguments.collect();
        let function = &self.program.module.functions[handle];
        match self.of_data(handle, function, &arguments, mask) {
            Some(value) => Some(value),
            None => self.call(function, &self.program.info[handle], arguments, mask),
        }
    }

    /// The result of a function that branches on data, without a look at the branches: each component
    /// is computed of those of the same number.
    fn of_data(
        &mut self,
        handle: Handle<Function>,
        function: &Function,
        arguments: &[Slot],
        mask: &[bool],
    ) -> Option<Value> {
        let values = arguments.iter().filter_map(|slot| match slot {
            Slot::Value(value) => Some(value),
            Slot::Pointer(..) => None,
        });
        let values: Vec<&Value> = values.collect();
        let followed = |lanes: &Lanes| {
            let from = lanes.from.as_ref();
            from.is_some_and(|from| from.iter().zip(mask).any(|(&s, &m)| m && s != 0))
        };
        if !self.program.branches[handle.index()] || !values.iter().any(|v| v.iter().any(followed))
        {
            return None;
        }
        let result = function.result.as_ref()?;
        let len = self.program.len(self.program.inner(result.ty));
        let of = |k: usize| {
            let words = values.iter().flat_map(|v| {
                let same = move |(n, _): &(usize, &Lanes)| {
                    n % 4 == k % 4 || v.len() % 4 != 0 || !len.is_multiple_of(4)
                };
                v.iter().enumerate().filter(same).map(|(_, lanes)| lanes)
            });
            words.collect::<Vec<&Lanes>>()
        };
        Some(
            (0..len)
                .map(|k| self.made_of(self.zero.bits.clone(), &of(k)))
                .collect(),
        )
    }

    /// Counts what is computed, but not what a compiler computes: of constants, and choices by one.
    pub fn step(&mut self, frame: &mut Frame<'a>, handle: Handle<E>) {
        let known = |h: Handle<E>| frame.known[h.index()];
        let (folds, is_step) = match &frame.function.expressions[handle] {
            E::Unary { expr, .. }
            | E::As {
                expr,
                convert: Some(_),
                ..
            } => (known(*expr), true),
            E::As {
                expr,
                convert: None,
                ..
            } => (known(*expr), false),
            E::Binary { left, right, .. } => (known(*left) && known(*right), true),
            E::Select {
                condition,
                accept,
                reject,
            } => (
                known(*condition) && known(*accept) && known(*reject),
                !known(*condition),
            ),
            E::Math { arg, .. } => (known(*arg), true),
            E::Relational { argument, .. } => (known(*argument), true),
            E::Splat { value, .. } => (known(*value), false),
            E::Compose { components, .. } => (components.iter().all(|c| known(*c)), false),
            _ => (false, false),
        };
        frame.known[handle.index()] = folds;
        if is_step && !folds {
            self.steps += self.program.len(self.inner(frame, handle)) as u64;
        }
    }
}
