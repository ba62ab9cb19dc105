//! How a kernel accesses its buffers if a dispatch computes several calls, each on its own buffers.

use super::bindings::{input_element, output_element};
use super::key::KeyInput;
use super::tail::Tail;
use super::template::emit;
use crate::plan::{Access, LaneLoad};

/// Whether reads of an input are kept within its buffer.
fn needs_length(input: &KeyInput) -> bool {
    let may_leave = matches!(
        input.load.lanes,
        LaneLoad::Gather
            | LaneLoad::Straddling
            | LaneLoad::Unaligned
            | LaneLoad::Vector { misaligned: 1.. }
    );
    may_leave || input.access == Access::Kept
}

impl Tail<'_> {
    /// The name of a variable of a call.
    pub(super) fn call_variable(&self, name: &str, call: u32) -> String {
        if self.key.calls == 1 {
            name.into()
        } else {
            format!("{name}_{call}")
        }
    }

    /// An element of input `i`'s buffer.
    pub(super) fn read(&self, i: usize, at: &str) -> String {
        if self.key.inputs[i].access == Access::Kept {
            format!("{}[min({at}, {} - 1u)]", self.variable(i), self.length(i))
        } else if self.key.calls == 1 {
            format!("{}[{at}]", self.variable(i))
        } else {
            format!("read{i}({at})")
        }
    }

    /// The elements of input `i`'s buffer.
    pub(super) fn length(&self, i: usize) -> String {
        if self.key.calls == 1 {
            format!("arrayLength(&{})", self.variable(i))
        } else {
            format!("length{i}()")
        }
    }

    /// Adds the line that stores an element of the output's buffer.
    pub(super) fn write(&self, at: &str, value: &str, out: &mut String) {
        if self.key.calls == 1 {
            emit! { out, at, value; "    result[{at}] = {value};" }
        } else {
            emit! { out, at, value; "    write({at}, {value});" }
        }
    }

    /// If a dispatch computes several calls, the functions that choose a call's buffers.
    pub(super) fn calls(&self, out: &mut String) {
        if self.key.calls == 1 {
            return;
        }
        emit! { out; "var<private> call: u32;" }
        for (i, input) in self.key.inputs.iter().enumerate() {
            let element = input_element(self.key, input).0;
            self.choose(
                &format!("read{i}(k: u32) -> {element}"),
                |call| format!("return in{i}_{call}[k];"),
                out,
            );
            if needs_length(input) {
                self.choose(
                    &format!("length{i}() -> u32"),
                    |call| format!("return arrayLength(&in{i}_{call});"),
                    out,
                );
            }
        }
        let element = output_element(self.key).0;
        self.choose(
            &format!("write(k: u32, v: {element})"),
            |call| format!("result_{call}[k] = v;"),
            out,
        );
    }

    /// A WGSL function that runs the statement of the current call.
    fn choose(&self, head: &str, does: impl Fn(u32) -> String, out: &mut String) {
        emit! { out, head;
            "fn {head} {"
            "    switch call {"
        }
        for call in 0..self.key.calls - 1 {
            emit! { out, call, does = does(call); "        case {call}u: { {does} }" }
        }
        emit! { out, does = does(self.key.calls - 1);
            "        default: { {does} }"
            "    }"
            "}"
        }
    }
}
