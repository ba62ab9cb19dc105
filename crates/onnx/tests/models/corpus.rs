//! The committed corpus of the fuzzer's target `onnx`, as it is and changed part by part, without a fuzzer.
//!
//! `ZEROSTRIDE_ONNX_CHANGED` is the number of seconds for changed models, in place of 400 models.

#[path = "../../../../fuzz/src/onnx.rs"]
mod fuzzed;

use std::path::Path;
use std::time::{Duration, Instant};

use prost::Message as _;
use zerostride_onnx::proto::{GraphProto, ModelProto, NodeProto, TensorProto};

fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/onnx");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 5, "{} files", paths.len());
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

#[test]
fn inputs_of_the_fuzzer_end_well() {
    for seed in seeds() {
        fuzzed::run(&seed);
    }
}

/// Pseudorandom numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
        (self.0 >> 33) as usize % n.max(1)
    }

    fn one<'a, T>(&mut self, items: &'a mut [T]) -> Option<&'a mut T> {
        let n = self.below(items.len());
        items.get_mut(n)
    }

    fn number(&mut self) -> i64 {
        const EXTREME: [i64; 12] = [
            i64::MIN,
            i64::MAX,
            -1 << 31,
            (1 << 31) - 1,
            1 << 32,
            1 << 62,
            1 << 20,
            65_536,
            -7,
            33,
            9,
            8,
        ];
        match self.below(3) {
            0 => EXTREME[self.below(EXTREME.len())],
            _ => self.below(9) as i64 - 3,
        }
    }

    fn numbers(&mut self, of: &mut Vec<i64>) {
        match self.below(4) {
            0 => drop(of.pop()),
            1 => of.push(self.number()),
            _ => {
                let number = self.number();
                if let Some(one) = self.one(of) {
                    *one = number;
                }
            }
        }
    }

    /// The name of a value of the graph, or of none.
    fn name(&mut self, graph: &GraphProto) -> String {
        let made = graph.node.iter().flat_map(|n| &n.output);
        let given = graph.input.iter().map(|i| &i.name);
        let mut names: Vec<&String> = made.chain(given).collect();
        names.extend(graph.initializer.iter().map(|t| &t.name));
        match self.below(8) {
            0 => String::new(),
            _ if names.is_empty() => String::new(),
            _ => names[self.below(names.len())].clone(),
        }
    }

    fn tensor(&mut self, tensor: &mut TensorProto) {
        match self.below(5) {
            0 => self.numbers(&mut tensor.dims),
            1 => tensor.data_type = self.below(24) as i32,
            2 => {
                let byte = [0, 1, 0x7f, 0x80, 0xff][self.below(5)];
                if let Some(one) = self.one(tensor.raw_data.get_or_insert_default()) {
                    *one = byte;
                }
            }
            // One number of 64 bits.
            3 => {
                let number = self.number().to_le_bytes();
                let raw = tensor.raw_data.get_or_insert_default();
                let at = self.below(raw.len() / 8) * 8;
                if let Some(place) = raw.get_mut(at..at + 8) {
                    place.copy_from_slice(&number);
                }
            }
            _ => {
                let number = self.number();
                tensor.int64_data.push(number);
            }
        }
    }

    fn attributes(&mut self, node: &mut NodeProto) {
        let kinds = [1, 2, 3, 4, 6, 7, 8];
        match self.below(6) {
            0 => {
                let rows: Vec<_> = zerostride_onnx::all()
                    .filter(|row| row.name() == node.op_type)
                    .flat_map(|row| row.attributes())
                    .collect();
                let name = rows
                    .get(self.below(rows.len()))
                    .map_or("axis", |(name, _)| name);
                node.attribute.push(zerostride_onnx::proto::AttributeProto {
                    name: name.into(),
                    i: self.number(),
                    f: self.number() as f32,
                    ints: vec![self.number(), self.number()],
                    r#type: kinds[self.below(kinds.len())],
                    ..Default::default()
                });
            }
            1 => drop(node.attribute.pop()),
            _ => {
                let Some(attribute) = self.one(&mut node.attribute) else {
                    return;
                };
                match self.below(6) {
                    0 => attribute.r#type = kinds[self.below(kinds.len())],
                    1 => attribute.i = self.number(),
                    2 => attribute.f = [f32::NAN, f32::INFINITY, -1.0, 0.0, 1e30][self.below(5)],
                    3 => self.numbers(&mut attribute.ints),
                    4 => self.tensor(attribute.t.get_or_insert_default()),
                    _ => {
                        let byte = self.below(128) as u8;
                        if let Some(one) = self.one(&mut attribute.s) {
                            *one = byte;
                        }
                    }
                }
            }
        }
    }

    /// Changes one part of a model.
    fn change(&mut self, model: &mut ModelProto) {
        let graph = model.graph.get_or_insert_default();
        let name = self.name(graph);
        let rows: Vec<_> = zerostride_onnx::all().collect();
        let row = rows[self.below(rows.len())];
        let number = self.number();
        match self.below(13) {
            0 | 1 => {
                if let Some(node) = self.one(&mut graph.node) {
                    node.op_type = row.name().into();
                }
            }
            2 | 3 => {
                if let Some(input) = self
                    .one(&mut graph.node)
                    .and_then(|n| self.one(&mut n.input))
                {
                    *input = name;
                }
            }
            4 => {
                if let Some(node) = self.one(&mut graph.node) {
                    node.input.push(name);
                }
            }
            5 => {
                if let Some(node) = self.one(&mut graph.node) {
                    node.output.push(format!("new{number}"));
                }
            }
            6 | 7 => {
                if let Some(node) = self.one(&mut graph.node) {
                    self.attributes(node);
                }
            }
            8 | 9 => {
                if let Some(tensor) = self.one(&mut graph.initializer) {
                    self.tensor(tensor);
                }
            }
            10 => {
                let tensor = self.one(&mut graph.input).and_then(|i| i.r#type.as_mut());
                let Some(tensor) = tensor.and_then(|t| t.tensor_type.as_mut()) else {
                    return;
                };
                match self.below(3) {
                    0 => tensor.elem_type = self.below(24) as i32,
                    1 => drop(tensor.shape.as_mut().and_then(|s| s.dim.pop())),
                    _ => {
                        if let Some(dim) = self.one(&mut tensor.shape.get_or_insert_default().dim) {
                            dim.dim_value = Some(number);
                        }
                    }
                }
            }
            11 => {
                if let Some(opset) = self.one(&mut model.opset_import) {
                    opset.version = 1 + self.below(29) as i64;
                }
            }
            _ => {
                if let Some(node) = self.one(&mut graph.node) {
                    drop(node.input.pop());
                }
            }
        }
    }
}

#[test]
fn changed_parts_make_no_model_panic() {
    let seconds = std::env::var("ZEROSTRIDE_ONNX_CHANGED").ok();
    let seconds = seconds.map(|text| Duration::from_secs(text.parse().unwrap()));
    // With those that were changed and have a plan still.
    let mut seeds = seeds();
    let first = seeds.len();
    let mut random = Random(seconds.map_or(1, |s| s.as_secs()));
    let begun = Instant::now();
    let mut n = 0;
    let mut planned = 0;
    while seconds.map_or(n < 400, |s| begun.elapsed() < s) {
        let mut model =
            ModelProto::decode(&*seeds[random.below(if n % 2 == 0 { first } else { seeds.len() })])
                .unwrap();
        for _ in 0..1 + random.below(5) {
            random.change(&mut model);
        }
        let bytes = model.encode_to_vec();
        let started = Instant::now();
        let kept = std::env::temp_dir().join(format!("zerostride-changed-{}", std::process::id()));
        match std::panic::catch_unwind(|| fuzzed::run(&bytes)) {
            Ok(false) => {}
            Ok(true) => {
                planned += 1;
                match seeds.len() {
                    ..2000 => seeds.push(bytes.clone()),
                    _ => seeds[first + random.below(2000 - first)] = bytes.clone(),
                }
            }
            Err(fault) => {
                std::fs::write(&kept, &bytes).unwrap();
                eprintln!("the model is {}", kept.display());
                std::panic::resume_unwind(fault);
            }
        }
        let took = started.elapsed();
        if took > Duration::from_secs(20) {
            std::fs::write(&kept, &bytes).unwrap();
            panic!("{took:?} for {}", kept.display());
        }
        n += 1;
    }
    println!("{n} changed models, {planned} with plans");
}
