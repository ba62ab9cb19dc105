use super::*;

/// A kernel that stores these expressions of `a`, `b` and `c`, and helpers.
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

/// The whole text that is made of a kernel of f32 that stores these, its loads named as before.
fn singles(helpers: &str, made: &[&str], ways: Ways) -> Vec<String> {
    stored(&kernel("f32", helpers, made), ways)
}

/// What a rewritten kernel stores; `a`, `b` and `c` are its loads.
fn stored(text: &str, ways: Ways) -> Vec<String> {
    let text = rewritten(text, ways);
    let mut names: Vec<(String, String)> = Vec::new();
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        let Some((name, made)) = line.trim_end_matches(';').split_once(" = ") else {
            continue;
        };
        let made = names.iter().fold(made.to_owned(), with_name);
        if let Some(name) = name.strip_prefix("let ") {
            names.push((name.to_owned(), made));
        } else if name.starts_with("out[") {
            let loads = [("given[0]", "a"), ("given[1]", "b"), ("given[2]", "c")];
            found.push(
                loads
                    .iter()
                    .fold(made, |made, (load, name)| made.replace(load, name)),
            );
        }
    }
    found
}

/// What is made with what a name stands for in the place of the name; longer names begin with it.
fn with_name(made: String, (name, stands_for): &(String, String)) -> String {
    let mut parts = made.split(name.as_str());
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let longer = part.starts_with(|c: char| c.is_ascii_alphanumeric());
        all + if longer { name } else { stands_for } + part
    })
}

/// `a * b + c`, rounded once, of f32.
fn once(a: &str, b: &str, c: &str) -> String {
    format!("f32(((f64({a}) * f64({b})) + f64({c})))")
}

#[test]
fn constants_are_gathered_and_products_distributed() {
    let cases = [
        ("(a + 3.0) + b + 4.0", "((a + b) + 7f)".to_owned()),
        ("3.0 - (a - 3.0)", "(-(a) + 6f)".into()),
        ("(a * 2.0) * b * 4.0", "((a * b) * 8f)".into()),
        ("(a + 1.0) * 8.0", once("a", "8f", "8f")),
        (
            "-(a - b) * 2.0 + c",
            once("b", "2f", &once("a", "-2f", "c")),
        ),
        (
            "(a - 12582912.0) * 4096.0 + (b - 12582912.0)",
            format!("({} + -51552190000f)", once("a", "4096f", "b")),
        ),
    ];
    let made: Vec<&str> = cases.iter().map(|(text, _)| *text).collect();
    let wanted: Vec<String> = cases.iter().map(|(_, wanted)| wanted.clone()).collect();
    assert_eq!(singles("", &made, REAL_NUMBERS), wanted);
}

#[test]
fn equal_terms_cancel_and_quotients_fold() {
    let made = [
        "a - a",
        "(a + b) - b",
        "b - (a + b) + a",
        "a / a",
        "(a * b) / (a * b)",
        "a / b",
        "a * 0.0",
    ];
    let far = "select((a / b), (a * 0f), (abs(b) > 85070590000000000000000000000000000000f))";
    let wanted = ["0f", "a", "0f", "1f", "1f", far, "(0f * a)"];
    assert_eq!(singles("", &made, REAL_NUMBERS), wanted);
    assert_eq!(
        singles("", &["a / a", "a - a"], KEEPS_FMA),
        ["(a / a)", "0f"]
    );
}

#[test]
fn a_compiler_that_only_contracts_keeps_each_sum() {
    let made = [
        "(a + b) - b",
        "a * b + c",
        "c - a * b",
        "(a + 1.0) * 8.0 + 2.0",
        "a + 0.0",
        "fma(a, b, c)",
        "-(a * b) + c",
    ];
    let wanted = [
        "((a + b) - b)".to_owned(),
        once("a", "b", "c"),
        once("-(a)", "b", "c"),
        once("(a + 1f)", "8f", "2f"),
        "(a + 0f)".into(),
        once("a", "b", "c"),
        once("-(a)", "b", "c"),
    ];
    assert_eq!(singles("", &made, CONTRACTS), wanted);
}

#[test]
fn an_fma_is_taken_apart_or_kept() {
    let made = ["fma(a, b, -(a * b))"];
    assert_eq!(singles("", &made, REAL_NUMBERS), ["0f"]);
    assert_eq!(
        singles("", &made, KEEPS_FMA),
        [once("a", "b", "(-(a) * b)")]
    );
}

#[test]
fn what_several_expressions_read_is_regrouped_in_none_and_cancels_in_each() {
    let made = ["let_s(a) * 2.0 + 3.0", "let_s(a) - a"];
    let helpers = "fn let_s(x: f32) -> f32 { return x + 1.0; }";
    let wanted = [once("(a + 1f)", "2f", "3f"), "1f".to_owned()];
    assert_eq!(singles(helpers, &made, REAL_NUMBERS), wanted);
    // One alone is.
    assert_eq!(
        singles(helpers, &made[..1], REAL_NUMBERS),
        [once("a", "2f", "5f")]
    );
}

#[test]
fn bits_and_integers_are_taken_as_they_are() {
    let held =
        "fn hold(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) | bitcast<u32>(given[2])); }";
    let hold = |x: &str| format!("bitcast<f32>((bitcast<u32>({x}) | bitcast<u32>(c)))");
    let made = [
        "hold(a + b) - b",
        "hold(a * b) + c",
        "hold(a) - hold(a)",
        "bitcast<f32>(bitcast<u32>(a)) - a",
    ];
    let wanted = [
        format!("({} - b)", hold("(a + b)")),
        format!("({} + c)", hold("(a * b)")),
        "0f".into(),
        "0f".into(),
    ];
    assert_eq!(singles(held, &made, REAL_NUMBERS), wanted);
}

#[test]
fn a_half_that_is_made_a_float_again_was_never_rounded() {
    let helpers = "
        fn words(x: vec4<f32>) -> vec2<u32> { return vec2<u32>(pack2x16float(x.xy), pack2x16float(x.zw)); }
        fn halves(w: vec2<u32>) -> vec4<u32> { return vec4<u32>(w.x & 0xffffu, w.x >> 16u, w.y & 0xffffu, w.y >> 16u); }
        fn number(r: vec4<u32>) -> vec4<f32> {
            return vec4<f32>(unpack2x16float(r.x).x, unpack2x16float(r.y).x, unpack2x16float(r.z).x, unpack2x16float(r.w).x);
        }
        fn held(w: vec2<u32>) -> vec2<u32> { return w | bitcast<vec4<u32>>(given[2]).xy; }";
    let kept = |made: &str, ways| {
        let text = rewritten(&kernel("vec4<f32>", helpers, &[made]), ways);
        let main = text.split("fn main").nth(1).unwrap();
        main.split("\n}")
            .next()
            .unwrap()
            .contains("hostile_unpack(")
    };
    for ways in [REAL_NUMBERS, KEEPS_FMA, CONTRACTS] {
        assert!(!kept("number(halves(words(a + b)))", ways));
        assert!(kept("number(halves(held(words(a + b))))", ways));
        assert!(kept(
            "number(halves(words(bitcast<vec4<f32>>(bitcast<vec4<u32>>(a) + 1u))))",
            ways
        ));
    }
}

#[test]
fn calls_variables_and_branches_are_seen_through() {
    let helpers = "
        struct Two { x: f32, y: f32 }
        fn two(x: f32) -> Two { return Two(x + 1.0, x - 1.0); }
        fn horner(x: f32) -> f32 { var p = x + 2.0; p = p + 3.0; p = p + 4.0; return p; }
        fn least(x: f32, y: f32) -> f32 { if x < y { return x; } return y; }
        fn looped(x: f32) -> f32 { var s = 0.0; for (var i = 0u; i < 3u; i++) { s = s + x; } return s - x; }";
    let made = ["two(a).x - two(b).y", "horner(a)"];
    assert_eq!(
        singles(helpers, &made, REAL_NUMBERS),
        ["((a - b) + 2f)", "(a + 9f)"]
    );
    // A value of two branches, or of the turns of a loop, is one that nothing is known of.
    let text = rewritten(
        &kernel("f32", helpers, &["least(a, b) - a", "looped(a)"]),
        REAL_NUMBERS,
    );
    assert!(
        text.contains("} else {") && text.contains("loop {"),
        "{text}"
    );
    assert!(
        !text.contains("fn least") && !text.contains("fn looped"),
        "{text}"
    );
    assert_eq!(text.matches(" - ").count(), 2, "{text}");
}

/// The halves of a whole number as doubles, by bits that bring in 2^52.
const WHOLE: &str = "
    let h = bitcast<vec4<f64>>((v >> vec4<u32>(32u)) | vec4<u64>(0x4330000000000000lu));
    let l = bitcast<vec4<f64>>((v & vec4<u64>(0xfffffffflu)) | vec4<u64>(0x4330000000000000lu));
    return (h - 4503599627370496.0lf) * 4294967296.0lf + (l - 4503599627370496.0lf);";
/// The same by casts, which bring in no constant.
const MENDED: &str = "
    let h = vec4<f64>(vec4<u32>(v >> vec4<u32>(32u)));
    return h * 4294967296.0lf + vec4<f64>(vec4<u32>(v & vec4<u64>(0xfffffffflu)));";

#[test]
fn two_constants_that_bits_brought_in_meet() {
    let whole = |body: &str| {
        let helper = format!("fn whole(v: vec4<u64>) -> vec4<f64> {{ {body} }}");
        let made = ["whole(bitcast<vec4<u64>>(a))"];
        rewritten(&kernel("vec4<f64>", &helper, &made), REAL_NUMBERS)
    };
    // 2^84 + 2^52: the sum before it has no place for the lower half.
    assert!(
        whole(WHOLE).contains("-1.9342813118337666e25lf"),
        "{}",
        whole(WHOLE)
    );
    let mended = whole(MENDED);
    let main = mended.split("fn main").nth(1).unwrap();
    assert!(
        main.contains("hostile_fma_64_4_(") && !main.contains("e25") && !main.contains(" + "),
        "{mended}"
    );
}

#[test]
fn every_golden_kernel_is_valid_when_it_is_rewritten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/kernels");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "wgsl") {
            let text = std::fs::read_to_string(path).unwrap();
            for ways in [REAL_NUMBERS, KEEPS_FMA, CONTRACTS] {
                let made = rewritten(&text, ways);
                // The members of a structure lie where they lay.
                let offsets = |text: &str| {
                    let module = parsed(text);
                    let members = module.types.iter().filter_map(|(_, ty)| match &ty.inner {
                        TypeInner::Struct { members, span } => {
                            Some((members.iter().map(|m| m.offset).collect::<Vec<_>>(), *span))
                        }
                        _ => None,
                    });
                    members.collect::<Vec<_>>()
                };
                let before = offsets(&text);
                assert!(offsets(&made).iter().all(|s| before.contains(s)), "{made}");
                assert_eq!(made.matches("fn main(").count(), 1);
            }
            count += 1;
        }
    }
    assert!(count > 10);
}
