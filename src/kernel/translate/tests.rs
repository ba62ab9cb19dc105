//! What no translation can bind.

use super::*;

#[test]
fn what_no_language_can_bind_is_refused_with_a_reason() {
    let with = |globals: &str, body: &str| {
        format!("{globals}\n@compute @workgroup_size(1) fn main() {{ {body} }}")
    };
    let buffers: String = (0..32)
        .map(|n| format!("@group(0) @binding({n}) var<storage, read_write> b{n}: array<u32>;\n"))
        .collect();
    let sum: String = (0..32).map(|n| format!("b{n}[0] = 1u;")).collect();
    let float = "@group(0) @binding(0) var<storage, read_write> x: array<f64>;";
    let group = "@group(1) @binding(0) var<storage, read_write> x: array<u32>;";
    let far = "@group(0) @binding(128) var<storage, read_write> x: array<u32>;";
    let texture = "@group(0) @binding(0) var x: texture_2d<f32>;";
    let cases = [
        (
            Language::Msl,
            with(&buffers, &sum),
            "31 buffers and the kernel has 33",
        ),
        (
            Language::Msl,
            with(float, "x[0] = 1.0lf;"),
            "no 64-bit floats",
        ),
        (
            Language::Hlsl,
            with(float, "x[0] = 1.0lf;"),
            "no bit casts of 64-bit floats",
        ),
        (Language::Glsl, with(float, "x[0] = 1.0lf;"), "glsl: "),
        (Language::Spirv, with(group, "x[0] = 1u;"), "in group 0"),
        (Language::Hlsl, with(far, "x[0] = 1u;"), "below 128"),
        (
            Language::Glsl,
            with(texture, "_ = textureDimensions(x);"),
            "buffers alone",
        ),
        (Language::Hlsl, "fn main() {}".into(), "one entry point"),
    ];
    for (language, text, reason) in cases {
        let error = language
            .translate(&text)
            .map(|t| t.places)
            .unwrap_err()
            .to_string();
        assert!(error.contains(reason), "{language}: {error}\n{text}");
    }
}
