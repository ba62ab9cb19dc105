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
            "31 buffers, the kernel needs 33",
        ),
        (
            Language::Msl,
            with(float, "x[0] = 1.0lf;"),
            "no 64-bit floats",
        ),
        (
            Language::Hlsl,
            with(float, "x[0] = 1.0lf;"),
            "cannot bit-cast 64-bit floats",
        ),
        (Language::Glsl, with(float, "x[0] = 1.0lf;"), "glsl: "),
        (Language::Spirv, with(group, "x[0] = 1u;"), "in group 0"),
        (Language::Hlsl, with(far, "x[0] = 1u;"), "below 128"),
        (
            Language::Glsl,
            with(texture, "_ = textureDimensions(x);"),
            "only bind buffers",
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

#[test]
fn metals_sizes_are_in_the_order_of_the_bindings() {
    let wgsl = "fn second_of(i: u32) -> u32 { return second[i]; }
        @group(0) @binding(1) var<storage> first: array<vec4<u32>>;
        @group(0) @binding(2) var<storage> second: array<u32>;
        @group(0) @binding(3) var<storage, read_write> third: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            third[i] = second_of(i) + first[i].x;
        }";
    let msl = String::from_utf8(Language::Msl.translate(wgsl).unwrap().code).unwrap();
    let (_, sizes) = msl.split_once("struct _mslBufferSizes {").unwrap();
    let (sizes, _) = sizes.split_once('}').unwrap();
    let declared = sizes.split(';').map(str::trim).filter(|s| !s.is_empty());
    let declared: Vec<&str> = declared.map(|s| s.trim_start_matches("uint ")).collect();
    let of = ["first[", "second[", "third["].map(|buffer| {
        let (_, index) = msl.split_once(buffer).unwrap();
        let (_, size) = index.split_once("_buffer_sizes.").unwrap();
        size.split_once(' ').unwrap().0
    });
    assert_eq!(declared, of, "{msl}");
}
