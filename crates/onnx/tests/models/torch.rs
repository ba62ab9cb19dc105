//! Models by torch's own exporter agree with ONNX Runtime. `scripts/make_onnx_models.py` writes them.

use std::collections::BTreeMap;
use std::path::Path;

use prost::Message as _;
use zerostride::{HostTensor, Options};
use zerostride_onnx::proto::ModelProto;
use zerostride_onnx::{Model, read_tensor};

use crate::build::{context, elements};

/// How far an element may be from ONNX Runtime's f32 one, in parts of the output's largest element.
const TOLERANCE: f32 = 1e-6;

/// Inputs and outputs of a case, by name.
#[derive(Default)]
struct Case {
    inputs: Vec<(String, HostTensor)>,
    outputs: Vec<(String, HostTensor)>,
}

fn cases(path: &Path) -> Vec<Case> {
    let file = ModelProto::decode(&*std::fs::read(path).unwrap()).unwrap();
    let mut cases = BTreeMap::<usize, Case>::new();
    for tensor in file.graph.unwrap().initializer {
        let [number, way, name] = tensor.name.splitn(3, '/').collect::<Vec<_>>()[..] else {
            panic!("{}", tensor.name);
        };
        let case = cases.entry(number.parse().unwrap()).or_default();
        let host = read_tensor(&tensor.encode_to_vec()).unwrap();
        match way {
            "in" => case.inputs.push((name.into(), host)),
            _ => case.outputs.push((name.into(), host)),
        }
    }
    cases.into_values().collect()
}

/// Runs every case of a model in one session, in at most `passes` passes with the limits of WebGPU.
#[track_caller]
fn check(name: &str, passes: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/torch");
    let model = Model::open(folder.join(format!("{name}.onnx"))).unwrap();
    let context = context();
    let mut session = model.session(&context);
    let cases = cases(&folder.join(format!("{name}.values.onnx")));
    assert!(
        cases.len() > 1,
        "the extents that are open take several numbers"
    );
    for (n, case) in cases.iter().enumerate() {
        let uploaded: Vec<_> = case
            .inputs
            .iter()
            .map(|(name, host)| (&**name, context.tensor_from_host(host).unwrap()))
            .collect();
        let given: Vec<_> = uploaded.iter().map(|(name, x)| (*name, x)).collect();
        let found = session.run(&given).unwrap();
        assert_eq!(found.len(), case.outputs.len());
        for ((found_name, found), (name, expected)) in found.iter().zip(&case.outputs) {
            assert_eq!(found_name, name);
            let found = found.to_host_blocking().unwrap();
            assert_eq!(found.layout.shape(), expected.layout.shape());
            let [found, expected] = [&found, expected].map(elements::<f32>);
            let largest = expected.iter().fold(0f32, |a, b| a.max(b.abs()));
            let errors = found.iter().zip(&expected).map(|(x, y)| (x - y).abs());
            let errors: Vec<f32> = errors.map(|e| e / largest).collect();
            let worst = errors.iter().copied().fold(0f32, f32::max);
            println!("case {n}, {name}: {worst:.1e} of the largest");
            assert!(
                errors.iter().all(|&e| e <= TOLERANCE),
                "case {n}, {name}: {worst:.1e}"
            );
        }
        let bound = session.bound(&given).unwrap();
        let plan = bound.plan(&Options::default()).unwrap();
        println!("case {n}: {} passes", plan.pass_count());
        assert!(plan.pass_count() <= passes, "{} passes", plan.pass_count());
    }
}

#[test]
fn a_perceptron_of_torch() {
    check("mlp", 6);
}

#[test]
fn an_encoder_block_of_torch_with_masks() {
    check("encoder", 30);
}

#[test]
fn a_decoder_block_of_torch_with_a_cache() {
    check("decoder", 25);
}

#[test]
fn the_end_of_a_residual_network_of_torch() {
    check("head", 6);
}

#[test]
fn a_chain_of_decisions_of_torch() {
    check("boosted", 31);
}
