#![no_main]

#[path = "../src/onnx.rs"]
mod onnx;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    onnx::run(bytes);
});
