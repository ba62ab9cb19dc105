//! Models whose bytes are cut or changed: an error or a model, never a panic.

use zerostride::Options;
use zerostride_onnx::Model;

use crate::build::{array, float, int, ints, model, tensor, text};

/// A model with something of everything.
fn bytes() -> Vec<u8> {
    model(21)
        .input("x f32 2 3")
        .output("y f32 ? ?")
        .output("s i64 ?")
        .constant("w", &[3, 2], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0])
        .constant("to", &[2], &[-1i64, 2])
        .constant("pads", &[4], &[0i64, 1, 1, 0])
        .node("MatMul x w -> a", &[])
        .node("Gemm a w -> b", &[float("alpha", 0.5), int("transB", 1)])
        .node("Softmax b -> c", &[int("axis", -1)])
        .node("Transpose c -> d", &[ints("perm", &[1, 0])])
        .node("Reshape d to -> e", &[])
        .node("Pad e pads -> f", &[text("mode", "reflect")])
        .node(
            "Constant -> k",
            &[array("value", tensor("", &[1], &[2i64]))],
        )
        .node("Shape f -> g", &[])
        .node("Concat g k -> h", &[int("axis", 0)])
        .node("Einsum x w -> i", &[text("equation", "ij,jk->ik")])
        .node("ReduceSum i -> j", &[int("keepdims", 0)])
        .node("Add f j -> y", &[])
        .node("Mul h k -> s", &[])
        .bytes()
}

fn tried(bytes: &[u8]) -> bool {
    let Ok(model) = Model::load(bytes) else {
        return false;
    };
    match model.bind(&[]) {
        Ok(bound) => {
            let _ = bound.plan(&Options::default());
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

#[test]
fn a_truncated_model_is_refused() {
    let whole = bytes();
    assert!(
        tried(&whole),
        "{}",
        crate::build::words(Model::load(&whole).and_then(|m| m.bind(&[]).map(|_| ())))
    );
    let refused = (0..whole.len()).filter(|&n| !tried(&whole[..n])).count();
    // Cut between two of its parts it may still be a model.
    assert!(refused > whole.len() - 16, "{refused} of {}", whole.len());
    let error = crate::build::words(Model::load(&whole[..whole.len() / 2]));
    assert!(error.contains("no ONNX model, or ends early"), "{error}");
}

#[test]
fn changed_bytes_make_no_model_panic() {
    let whole = bytes();
    let mut state = 1u64;
    let mut next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize
    };
    for at in 0..whole.len() {
        for value in [
            0,
            1,
            0x7f,
            0x80,
            0xff,
            whole[at] ^ 1,
            whole[at].wrapping_add(1),
        ] {
            let mut changed = whole.clone();
            changed[at] = value;
            tried(&changed);
        }
    }
    for _ in 0..2000 {
        let mut changed = whole.clone();
        for _ in 0..1 + next() % 6 {
            let at = next() % changed.len();
            match next() % 3 {
                0 => changed[at] = next() as u8,
                1 => drop(changed.remove(at)),
                _ => changed.insert(at, next() as u8),
            }
        }
        tried(&changed);
    }
}
