use super::*;

/// A kernel that stores these expressions of `a` and `b`, and helpers.
fn kernel(ty: &str, helpers: &str, made: &[&str]) -> String {
    let stores: String = made
        .iter()
        .enumerate()
        .map(|(i, e)| format!("    out[{i}] = {e};\n"))
        .collect();
    format!(
        "@group(0) @binding(0) var<storage, read> given: array<{ty}, 3>;
        @group(0) @binding(1) var<storage, read_write> out: array<{ty}, {}>;
        {helpers}
        @compute @workgroup_size(1) fn main() {{
            let a = given[0]; let b = given[1]; let c = given[2];
        {stores}}}",
        made.len()
    )
}

/// What is stored, without the lines that name it.
fn stored(text: &str, ways: Ways) -> Vec<String> {
    let text = rewritten(text, ways);
    println!("{text}");
    let lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("out["));
    lines
        .map(|line| {
            line.split_once(" = ")
                .unwrap()
                .1
                .trim_end_matches(';')
                .into()
        })
        .collect()
}

#[test]
fn show() {
    let t = kernel(
        "vec4<f32>",
        "",
        &[
            "(a - 3.0) + 3.0",
            "a * 2.0 * b * 4.0",
            "(a + 1.0) * 8.0",
            "a * b + c",
            "(a - 12582912.0) * 4096.0 + (b - 12582912.0)",
            "a - a",
            "a / a",
        ],
    );
    println!("{:#?}", stored(&t, REAL_NUMBERS));
    println!("{:#?}", stored(&t, CONTRACTS));
    let t = kernel(
        "vec4<f64>",
        "fn whole(v: vec4<u64>) -> vec4<f64> {
  let h = bitcast<vec4<f64>>((v >> vec4<u32>(32u)) | vec4<u64>(0x4330000000000000lu));
  let l = bitcast<vec4<f64>>((v & vec4<u64>(0xfffffffflu)) | vec4<u64>(0x4330000000000000lu));
  return (h - 4503599627370496.0lf) * 4294967296.0lf + (l - 4503599627370496.0lf);
}",
        &["whole(bitcast<vec4<u64>>(a))"],
    );
    println!("{:#?}", stored(&t, REAL_NUMBERS));
    for f in [
        "softmax",
        "standardize",
        "multiply-f64-native",
        "cumsum-rows",
        "sum-rows",
    ] {
        let t = std::fs::read_to_string(format!("../../tests/kernels/{f}.wgsl")).unwrap();
        println!("{}\n=====\n", rewritten(&t, REAL_NUMBERS));
    }
}
