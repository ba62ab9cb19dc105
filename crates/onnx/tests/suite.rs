//! ONNX's own suite of nodes, from its model files: the score by operator, of all cases.
//!
//! `ZEROSTRIDE_ONNX_NODES` is the folder that `scripts/setup-onnx-nodes.sh` writes, with each case
//! in a folder of its own. Without it the test says so and does nothing. `ZEROSTRIDE_ONNX_ONLY`
//! selects the cases whose names contain a text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use prost::Message as _;
use zerostride::{Context, DType, Error, HostTensor};
use zerostride_onnx::{Model, proto, read_tensor};

/// The fewest cases that pass on any adapter, if all are run.
const LEAST: usize = 1300;

/// The outcome of a case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Passed, in this number of passes of the plan.
    Passed(usize),
    /// Not supported, with the words of the error.
    Refused(String),
    /// An error of another kind.
    Failed(String),
    /// Elements that differ from the suite's.
    Wrong(String),
}

fn files(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    (0..)
        .map(|i| folder.join(format!("{prefix}_{i}.pb")))
        .take_while(|path| path.exists())
        .collect()
}

/// The operator under which a case is counted: that of its node, if it has one node alone.
fn operator(case: &Path) -> String {
    let bytes = std::fs::read(case.join("model.onnx")).unwrap();
    let model = proto::ModelProto::decode(&*bytes).unwrap();
    let graph = model.graph.unwrap();
    match &graph.node[..] {
        [one] => match &*one.domain {
            "" | "ai.onnx" => one.op_type.clone(),
            domain => format!("{domain} {}", one.op_type),
        },
        _ => "written out as other operators".into(),
    }
}

fn run(context: &Context, case: &Path) -> Outcome {
    match outputs(context, case) {
        Ok(Ok(passes)) => Outcome::Passed(passes),
        Ok(Err(difference)) => Outcome::Wrong(difference),
        Err(Error::Unsupported { what }) => Outcome::Refused(what),
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

/// The passes of a case, or the output that differs from the suite's.
fn outputs(context: &Context, case: &Path) -> Result<Result<usize, String>, Error> {
    let model = Model::open(case.join("model.onnx"))?;
    let data = case.join("test_data_set_0");
    let read = |path: &PathBuf| read_tensor(&std::fs::read(path).unwrap());
    let mut inputs = Vec::new();
    for (info, path) in model.inputs().iter().zip(files(&data, "input")) {
        inputs.push((&*info.name, context.tensor_from_host(&read(&path)?)?));
    }
    let expected = files(&data, "output");
    let expected: Vec<HostTensor> = expected.iter().map(read).collect::<Result<_, _>>()?;
    let inputs: Vec<_> = inputs.iter().map(|(name, x)| (*name, x)).collect();
    let mut session = model.session(context);
    let found = session.run(&inputs)?;
    if found.len() != expected.len() {
        return Ok(Err(format!("{} outputs", found.len())));
    }
    let tolerance = std::fs::read_to_string(case.join("tolerance.txt")).unwrap();
    let tolerance: Vec<f64> = tolerance
        .split_whitespace()
        .map(|x| x.parse().unwrap())
        .collect();
    for ((name, found), expected) in found.iter().zip(&expected) {
        let found = found.to_host_blocking()?;
        if let Some(difference) = difference(&found, expected, (tolerance[0], tolerance[1])) {
            return Ok(Err(format!("{name}: {difference}")));
        }
    }
    let bound = session.bound(&inputs)?;
    Ok(Ok(bound.plan(&context.options())?.pass_count()))
}

/// As the suite's runner compares: types and shapes are equal, elements near.
fn difference(
    found: &HostTensor,
    expected: &HostTensor,
    (rtol, atol): (f64, f64),
) -> Option<String> {
    let kind = |t: &HostTensor| format!("{}{}", t.dtype, t.layout.shape());
    if kind(found) != kind(expected) {
        return Some(format!("{} is {}", kind(found), kind(expected)));
    }
    let rtol = match expected.dtype {
        DType::Bf16 => rtol.max(2f64.powi(-6)),
        _ => rtol,
    };
    let [found, expected] = [found, expected].map(numbers);
    for (i, (a, b)) in found.iter().zip(&expected).enumerate() {
        let near = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= atol + rtol * b.abs();
        if !near {
            return Some(format!("element {i} is {a}, not {b}"));
        }
    }
    None
}

fn numbers(tensor: &HostTensor) -> Vec<f64> {
    let of = |b: &[u8]| match tensor.dtype {
        DType::Bool | DType::U8 => f64::from(b[0]),
        DType::I8 => f64::from(b[0].cast_signed()),
        DType::U16 => u16::from_le_bytes(b.try_into().unwrap()).into(),
        DType::I16 => i16::from_le_bytes(b.try_into().unwrap()).into(),
        DType::U32 => u32::from_le_bytes(b.try_into().unwrap()).into(),
        DType::I32 => i32::from_le_bytes(b.try_into().unwrap()).into(),
        DType::U64 => u64::from_le_bytes(b.try_into().unwrap()) as f64,
        DType::I64 => i64::from_le_bytes(b.try_into().unwrap()) as f64,
        DType::F16 => zerostride::f16::from_le_bytes(b.try_into().unwrap()).into(),
        DType::Bf16 => zerostride::bf16::from_le_bytes(b.try_into().unwrap()).into(),
        DType::F32 => f32::from_le_bytes(b.try_into().unwrap()).into(),
        _ => f64::from_le_bytes(b.try_into().unwrap()),
    };
    let size = tensor.dtype.size();
    let offsets = tensor.layout.offsets();
    offsets
        .map(|at| of(&tensor.bytes[at * size..(at + 1) * size]))
        .collect()
}

#[test]
fn the_suite_of_nodes_scores_as_promised() {
    let Ok(folder) = std::env::var("ZEROSTRIDE_ONNX_NODES") else {
        println!("not run: ZEROSTRIDE_ONNX_NODES names no folder; see scripts/setup-onnx-nodes.sh");
        return;
    };
    let only = std::env::var("ZEROSTRIDE_ONNX_ONLY").unwrap_or_default();
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir() && path.to_string_lossy().contains(&only))
        .collect();
    cases.sort();
    let context = Context::builder().from_env().request_blocking().unwrap();
    let mut score: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut others = String::new();
    let mut counts = BTreeMap::new();
    let mut graphs: BTreeMap<usize, usize> = BTreeMap::new();
    for case in &cases {
        let outcome = run(&context, case);
        let (passed, all) = score.entry(operator(case)).or_default();
        *all += 1;
        let (kind, words) = match outcome {
            Outcome::Passed(passes) => {
                if case.to_string_lossy().contains("_expanded") {
                    *graphs.entry(passes).or_default() += 1;
                }
                ("passed", None)
            }
            Outcome::Refused(words) => ("refused by name", Some(words)),
            Outcome::Failed(words) => ("failed", Some(words)),
            Outcome::Wrong(words) => ("wrong", Some(words)),
        };
        *counts.entry(kind).or_insert(0usize) += 1;
        match words {
            None => *passed += 1,
            Some(words) => {
                let name = case.file_name().unwrap().to_string_lossy();
                writeln!(others, "{kind}: {name}: {words}").unwrap();
            }
        }
    }
    print!("{others}");
    println!("score by operator, of the suite's cases:");
    for (operator, (passed, all)) in &score {
        println!("{passed:5} of {all:4}  {operator}");
    }
    let passed = counts.get("passed").copied().unwrap_or_default();
    println!("graphs that write an operator out, by their passes: {graphs:?}");
    println!("{passed} of {} pass: {counts:?}", cases.len());
    if only.is_empty() {
        assert!(passed >= LEAST, "{passed} of {} pass", cases.len());
    }
}
