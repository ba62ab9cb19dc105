//! The bindings, the words of the uniforms and the grid of each dispatch of a plan: everything
//! needed to run an emitted kernel by hand.

use std::fmt::Write as _;

use serde_json::{Value, json};
use zerostride::kernel::{Dispatch, Language, Place, PlanBuffer, Resource, Translation, Variable};

/// The kernels to show, each with its pass, and their dispatches.
pub struct Words<'a> {
    pub language: Language,
    pub kernels: &'a [(usize, Translation)],
    pub dispatches: &'a [(usize, Dispatch)],
    /// The inputs' names.
    pub names: &'a [&'a str],
}

impl Words<'_> {
    /// Returns lines of text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (number, dispatch) in self.dispatches {
            let Some((pass, kernel)) = self.kernel(dispatch) else {
                continue;
            };
            let [sizes, grid] =
                [dispatch.workgroup, dispatch.grid].map(|[x, y, z]| format!("{x} x {y} x {z}"));
            let entry = &kernel.entry_point;
            line(
                &mut out,
                &format!(
                    "dispatch {number}: pass {pass}, {}, entry point {entry}",
                    self.language
                ),
            );
            line(
                &mut out,
                &format!("  grid {grid} of workgroups of {sizes} invocations"),
            );
            for (variable, place) in &kernel.places {
                line(
                    &mut out,
                    &format!("  {place}  {}", self.holds(dispatch, *variable, *place)),
                );
                for row in dispatch.words(*variable).unwrap_or_default().chunks(4) {
                    let row: Vec<String> = row.iter().map(|word| format!("{word:>10}")).collect();
                    line(&mut out, &format!("    {}", row.join(" ")));
                }
            }
        }
        out
    }

    /// Returns a JSON object; `with_code` includes the kernels' sources.
    pub fn json(&self, with_code: bool) -> Value {
        let kernels = self.kernels.iter().map(|(pass, kernel)| {
            let mut object = json!({"pass": pass, "entry_point": kernel.entry_point});
            if with_code {
                object["code"] = match self.language {
                    Language::Spirv => spirv_words(&kernel.code).into(),
                    _ => String::from_utf8_lossy(&kernel.code).into(),
                };
            }
            object
        });
        let dispatches = self.dispatches.iter().filter_map(|(number, dispatch)| {
            let (pass, kernel) = self.kernel(dispatch)?;
            let bindings = kernel
                .places
                .iter()
                .map(|(variable, place)| self.binding(dispatch, *variable, *place));
            Some(json!({
                "dispatch": number,
                "pass": pass,
                "grid": dispatch.grid,
                "workgroup": dispatch.workgroup,
                "bindings": bindings.collect::<Vec<_>>(),
            }))
        });
        json!({
            "language": self.language.name(),
            "kernels": kernels.collect::<Vec<_>>(),
            "dispatches": dispatches.collect::<Vec<_>>(),
        })
    }

    fn kernel(&self, dispatch: &Dispatch) -> Option<(usize, &Translation)> {
        self.kernels
            .iter()
            .find(|(pass, _)| *pass == dispatch.kernel)
            .map(|(pass, kernel)| (*pass, kernel))
    }

    /// Describes the contents of a variable.
    fn holds(&self, dispatch: &Dispatch, variable: Variable, place: Place) -> String {
        match (variable, resource(dispatch, variable)) {
            (Variable::Immediates, _) if matches!(place, Place::UniformBlock(_)) => {
                "numbers, as a uniform".into()
            }
            (Variable::Immediates, _) => "numbers, as immediate data".into(),
            (Variable::Workgroups, _) => "workgroups along x, y and z".into(),
            (Variable::BufferSizes, _) => "bytes of each storage buffer".into(),
            (Variable::Binding(_), Some(Resource::Table(_))) => "table".into(),
            (Variable::Binding(_), Some(Resource::Numbers(_))) => "numbers, as a uniform".into(),
            (
                Variable::Binding(_),
                Some(Resource::Buffer {
                    buffer,
                    start,
                    size,
                    writes,
                }),
            ) => {
                let access = if *writes { "written" } else { "read" };
                format!(
                    "{}, {size} bytes from {start}, {access}",
                    self.buffer(*buffer)
                )
            }
            (Variable::Binding(n), None) => format!("binding {n}"),
            _ => "other words".into(),
        }
    }

    fn buffer(&self, buffer: PlanBuffer) -> String {
        match buffer {
            PlanBuffer::Input(i) => self
                .names
                .get(i)
                .map_or_else(|| format!("input {i}"), |name| (*name).to_owned()),
            PlanBuffer::Output(k) => format!("output {k}"),
            PlanBuffer::Temporary(t) => format!("temporary {t}"),
            _ => "another buffer".into(),
        }
    }

    fn binding(&self, dispatch: &Dispatch, variable: Variable, place: Place) -> Value {
        let holds = match (variable, resource(dispatch, variable)) {
            (Variable::Immediates, _) | (_, Some(Resource::Numbers(_))) => "numbers",
            (Variable::Workgroups, _) => "workgroups",
            (Variable::BufferSizes, _) => "buffer sizes",
            (_, Some(Resource::Table(_))) => "table",
            (
                _,
                Some(Resource::Buffer {
                    buffer: PlanBuffer::Input(_),
                    ..
                }),
            ) => "input",
            (
                _,
                Some(Resource::Buffer {
                    buffer: PlanBuffer::Output(_),
                    ..
                }),
            ) => "output",
            (
                _,
                Some(Resource::Buffer {
                    buffer: PlanBuffer::Temporary(_),
                    ..
                })
                | None,
            ) => "temporary",
            _ => "other words",
        };
        let mut object = json!({"place": place.to_string(), "holds": holds});
        match place {
            Place::Binding(n) | Place::Descriptor(n) => object["binding"] = n.into(),
            Place::Buffer(n) | Place::UniformBlock(n) | Place::StorageBlock { binding: n, .. } => {
                object["binding"] = n.into();
            }
            Place::Register { number, space, .. } => {
                object["binding"] = number.into();
                object["space"] = space.into();
            }
            _ => {}
        }
        if let Some(Resource::Buffer {
            buffer,
            start,
            size,
            writes,
        }) = resource(dispatch, variable)
        {
            object["name"] = self.buffer(*buffer).into();
            object["start"] = (*start).into();
            object["bytes"] = (*size).into();
            object["writes"] = (*writes).into();
        }
        if let Some(words) = dispatch.words(variable) {
            object["words"] = words.into();
        }
        object
    }
}

fn resource(dispatch: &Dispatch, variable: Variable) -> Option<&Resource> {
    match variable {
        Variable::Binding(n) => dispatch.bindings.get(n as usize),
        _ => None,
    }
}

fn spirv_words(code: &[u8]) -> Vec<u32> {
    code.chunks_exact(4)
        .map(|b| {
            b.iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u32::from(*byte))
        })
        .collect()
}

fn line(out: &mut String, text: &str) {
    let _ = writeln!(out, "{text}");
}
