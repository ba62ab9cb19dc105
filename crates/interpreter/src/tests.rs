//! Kernels whose flows are known.

use std::collections::HashMap;

use crate::{Buffer, Memory, Program, Source};

/// Runs one workgroup of 32 invocations: inputs of words, bytes and halves, and an output of words.
fn flows(body: &str) -> Memory {
    let text = format!(
        "@group(0) @binding(0) var<storage, read> words: array<u32>;
        @group(0) @binding(1) var<storage, read> bytes: array<u32>;
        @group(0) @binding(2) var<storage, read> halves: array<vec2<u32>>;
        @group(0) @binding(3) var<storage, read_write> result: array<u32>;
        @group(0) @binding(4) var<storage, read_write> changed: array<atomic<u32>>;
        var<workgroup> here: array<u32, 32>;
        fn branching(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {{
            if any(a > b) {{ return a; }}
            return b + vec4<u32>(1u);
        }}
        @compute @workgroup_size(32)
        fn main(@builtin(local_invocation_index) i: u32) {{ {body} }}"
    );
    let program = Program::new(&text, &[]).unwrap();
    let buffer = |(binding, element): (u32, u32)| Buffer {
        binding,
        bytes: 128,
        element,
        words: if binding == 0 {
            vec![3; 32]
        } else {
            Vec::new()
        },
        kept: binding == 1,
    };
    let buffers = [(0, 4), (1, 1), (2, 2), (3, 4), (4, 1)].map(buffer);
    let mut memory = Memory::new(buffers.to_vec());
    let at = [[0; 3], [1; 3]];
    program.run(&HashMap::new(), at, 0..32, Some(&mut memory), &mut |_| {});
    memory
}

/// The elements that word 5 of a binding was computed of, by binding and number.
fn fifth(memory: &mut Memory, binding: u32) -> Vec<String> {
    let bytes = memory.bytes(binding, 5);
    let found: Vec<Source> = memory.elements(&bytes);
    found.iter().map(|&e| memory.name(e)).collect()
}

#[test]
fn results_depend_on_the_elements_that_they_are_computed_of() {
    for (body, wanted) in [
        ("result[i] = words[i];", &["5 of binding 0"][..]),
        ("result[i] = words[31u - i] * 0u;", &["26 of binding 0"]),
        (
            "result[i] = words[i] + words[i / 2u];",
            &["2 of binding 0", "5 of binding 0"],
        ),
        (
            "result[i] = select(words[i], words[0], i == 5u);",
            &["0 of binding 0"],
        ),
        (
            "result[i] = select(words[i], 1u, words[1] == 1u);",
            &["1 of binding 0", "5 of binding 0"],
        ),
        (
            "result[i] = (bytes[i / 4u] >> (8u * (i & 3u))) & 0xffu;",
            &["5 of binding 1"],
        ),
        ("result[i] = halves[i / 4u].y >> 16u;", &["7 of binding 2"]),
        (
            "result[i] = bitcast<u32>(unpack2x16float(halves[i / 4u].x).y);",
            &["5 of binding 2"],
        ),
        (
            "let v = vec4<u32>(words[i], words[i + 1u], 0u, 0u);
             result[i] = branching(v, vec4<u32>(words[0])).y;",
            &["0 of binding 0", "6 of binding 0"],
        ),
        // What invocations leave for others, by an index that is itself data.
        (
            "here[i] = words[i]; workgroupBarrier(); result[i] = here[31u - i];",
            &["26 of binding 0"],
        ),
        (
            "result[i] = words[words[i] + 1u];",
            &["4 of binding 0", "5 of binding 0"],
        ),
        (
            "for (var k = 0u; k < i; k++) { result[i] = result[i] | words[k]; }",
            &[
                "0 of binding 0",
                "1 of binding 0",
                "2 of binding 0",
                "3 of binding 0",
                "4 of binding 0",
                "5 of binding 3",
            ],
        ),
        ("if i == 4u { result[5] = 1u; }", &[]),
        (
            "if i == 5u { return; } result[i] = 0u;",
            &["5 of binding 3"],
        ),
        ("result[i] = words[i + 27u];", &["outside"]),
    ] {
        let mut memory = flows(body);
        assert_eq!(fifth(&mut memory, 3), wanted, "{body}");
    }
}

#[test]
fn parts_of_words_are_changed_by_themselves() {
    let mut memory = flows(
        "let mask = 0xff00u;
         atomicAnd(&changed[i], ~mask);
         atomicOr(&changed[i], (words[i] << 8u) & mask);",
    );
    let bytes = memory.bytes(4, 5);
    let names: Vec<String> = bytes.iter().map(|&b| memory.name(b)).collect();
    let own = |n: u32| format!("{n} of binding 4");
    assert_eq!(names, [own(20), "5 of binding 0".into(), own(22), own(23)]);
    assert!(memory.written(4).all(|(_, times)| times == 0));
}

#[test]
fn accesses_are_counted_and_stay_in_their_buffer() {
    let memory = flows("result[i / 2u] = i;");
    assert!(
        memory
            .written(3)
            .all(|(word, times)| word < 16 && times == 2)
    );
    assert!(memory.fault().is_none());
    for (body, wanted) in [
        (
            "result[i + 1u] = i;",
            "a store to byte 128 of the 128 of binding 3",
        ),
        (
            "result[i] = select(1u, bytes[i + 1u], i < 31u);",
            "a load of word 32 of the 128 bytes of binding 1",
        ),
    ] {
        assert_eq!(flows(body).fault(), Some(wanted));
    }
}
