//! Kernels whose traffic is known, and plans whose own count it must equal.

use zerostride::{Limits, Options};

use crate::launch::{Launch, line};
use crate::limits::{EXCEPTIONS, Exception, LEAST};
use crate::memory::H200;
use crate::model::{Figures, figures};
use crate::report::judge;
use crate::trace::{Traced, trace};

/// A kernel of one workgroup of 32 invocations.
fn one_warp(body: &str) -> Traced {
    let text = format!(
        "@group(0) @binding(1) var<storage, read> x: array<u32>;
        @group(0) @binding(2) var<storage, read_write> y: array<u32>;
        var<workgroup> shared_words: array<u32, 1024>;
        @compute @workgroup_size(32)
        fn main(@builtin(local_invocation_index) i: u32) {{ {body} }}"
    );
    let launch = Launch {
        name: "test".into(),
        by: "hand",
        text,
        constants: Vec::new(),
        uniforms: zerostride_interpreter::Uniforms::new(),
        groups: [1; 3],
        mapping: String::new(),
        bytes: None,
        is_transpose: false,
    };
    trace(&launch, H200, 1).unwrap()
}

#[test]
fn a_warp_touches_the_sectors_and_lines_that_its_addresses_lie_in() {
    // Loads, with the sectors of 32 bytes and the lines of 128 that they touch.
    for (load, sectors, lines) in [
        ("x[i]", 4, 1),
        ("x[i + 1u]", 5, 2),
        ("x[2u * i]", 8, 2),
        ("x[8u * i]", 32, 8),
        ("x[32u * i]", 32, 32),
        ("x[31u - i]", 4, 1),
        ("x[i / 4u]", 1, 1),
        ("x[0]", 1, 1),
        ("x[u32((u64(i) << 34u) >> 31u)]", 32, 8),
    ] {
        let counts = one_warp(&format!("y[i] = {load};")).counts;
        assert_eq!(
            (counts.load_sectors, counts.load_lines),
            (sectors, lines),
            "{load}"
        );
        assert_eq!((counts.store_sectors, counts.dram_writes), (4, 4), "{load}");
        assert_eq!(counts.dram_reads, sectors, "{load}");
    }
}

#[test]
fn lanes_that_a_branch_leaves_out_touch_nothing() {
    let counts = one_warp("if i < 8u { y[i] = x[i]; } else if i == 31u { y[i] = 1u; }").counts;
    assert_eq!((counts.load_sectors, counts.store_sectors), (1, 2));
    assert_eq!((counts.unique_reads, counts.unique_writes), (32, 36));
}

#[test]
fn a_loop_runs_as_often_as_each_lane_wants() {
    let counts = one_warp("for (var k = 0u; k < i; k += 1u) { y[32u * k + i] = x[0]; }").counts;
    assert_eq!((counts.loads, counts.stores), (31, 31));
    assert_eq!(counts.unique_writes, 4 * (31 * 32 / 2));
}

#[test]
fn words_of_one_bank_are_served_one_after_another() {
    for (place, cycles) in [
        ("i", 1),
        ("2u * i", 2),
        ("32u * i", 32),
        ("(33u * i) % 1024u", 1),
        ("0u", 1),
    ] {
        let counts = one_warp(&format!("shared_words[{place}] = i;")).counts;
        assert_eq!(counts.shared, cycles, "{place}");
    }
}

#[test]
fn a_second_read_of_a_line_is_served_by_a_cache() {
    let counts = one_warp("y[i] = x[i] + x[i ^ 1u];").counts;
    assert_eq!(
        (counts.load_sectors, counts.l2_reads, counts.dram_reads),
        (8, 4, 4)
    );
}

#[test]
fn distinct_bytes_are_those_that_the_plan_counts() {
    let options = Options::default().with_limits(Limits::WEBGPU);
    for shapes in [
        "x + y; x=f32[64,96] y=f32[64,96]",
        "x + y; x=f32[64,96] y=f32[96]",
        "x + y; x=f32[64,96] y=f32[64,1]",
        "x + y; x=f32[64,1] y=f32[1,96]",
        "x.T + y; x=f32[96,64] y=f32[64,96]",
        "x + y; x=f32[65,97] y=f32[97]",
        "x.T + y; x=f32[97,65] y=f32[65,97]",
        "x + y; x=f32[4,16,7,7] y=f32[16,1,1]",
        "-transpose(x, (0,3,1,2)); x=f32[4,16,16,3]",
        "-x[::2]; x=f32[4097]",
        "-x[::-1]; x=f32[4096]",
        "x + y; x=f16[64,96] y=f16[96]",
        "x + y; x=u8[64,96] y=u8[96]",
        "x + y; x=i64[64,96] y=i64[64,1]",
        "where(m, x, -inf); m=bool[1,64] x=f32[96,64]",
    ] {
        let launches = line(shapes, &options).unwrap();
        assert_eq!(launches.len(), 1, "{shapes}");
        let traced = trace(&launches[0], H200, u64::MAX).unwrap();
        let counts = &traced.counts;
        let bytes = launches[0].bytes.unwrap();
        assert!(traced.is_whole);
        // A last quad may reach into the padding of each buffer.
        let distinct = counts.unique_reads + counts.unique_writes;
        let buffers = shapes.matches('=').count() as u64 + 1;
        assert!(
            (bytes..bytes + 16 * buffers).contains(&distinct),
            "{shapes}: {distinct} and {bytes}"
        );
        if shapes.contains("96]") {
            assert_eq!(distinct, bytes, "{shapes}");
        }
    }
}

#[test]
fn a_line_that_is_not_understood_is_an_error() {
    for bad in [
        "x + y",
        "x + y; x",
        "x + y; x=f32[2",
        "x + y; x=f99[2] y=f32[2]",
        "x +; x=f32[2]",
    ] {
        assert!(line(bad, &Options::default()).is_err(), "{bad}");
    }
}

fn reached(traffic: f64, is_transpose: bool) -> Vec<Figures> {
    let options = Options::default();
    let launch = line("x + y; x=f32[64,96] y=f32[96]", &options)
        .unwrap()
        .remove(0);
    let traced = trace(&launch, H200, 1).unwrap();
    let by = figures(&launch, &traced);
    vec![Figures {
        name: "a".into(),
        traffic,
        is_transpose,
        ..by
    }]
}

#[test]
fn traffic_below_a_limit_fails_unless_its_exception_allows_as_much() {
    let known = [Exception {
        name: "a",
        floor: 60.0,
        reason: "so far",
    }];
    for (traffic, is_transpose, exceptions, failures) in [
        (95.0, false, &[][..], 0),
        (94.9, false, &[], 1),
        (90.0, true, &[], 0),
        (89.9, true, &[], 1),
        (60.0, false, &known, 0),
        (59.9, false, &known, 1),
        (95.0, false, &known, 1),
    ] {
        let found = judge(&reached(traffic, is_transpose), exceptions);
        assert_eq!(found.len(), failures, "{traffic} {found:?}");
    }
}

#[test]
fn an_exception_of_the_first_pass_is_none_of_the_others() {
    let known = [Exception {
        name: "a #0",
        floor: 60.0,
        reason: "so far",
    }];
    let mut all = reached(60.0, false);
    all.extend(reached(99.0, false));
    all[1].name = "a #1".into();
    assert!(judge(&all, &known).is_empty());
    all[1].traffic = 60.0;
    assert_eq!(judge(&all, &known).len(), 1);
}

#[test]
fn of_products_few_workgroups_are_traced() {
    let most = |text| line(text, &Options::default()).unwrap()[0].most(1000);
    assert_eq!(most("x @ y; x=f32[64,64] y=f32[64,64]"), 16);
    assert_eq!(most("x + y; x=f32[64,64] y=f32[64]"), 1000);
}

#[test]
fn every_exception_names_what_is_traced_and_is_below_a_limit() {
    let workloads: Vec<String> = zerostride_bench::catalog::all()
        .into_iter()
        .map(|w| w.name)
        .collect();
    for e in EXCEPTIONS {
        // One pass of several is named by its number.
        let of = e.name.split(" #").next().unwrap_or_default();
        assert!(
            crate::SHAPES.lines().any(|l| l == e.name) || workloads.iter().any(|w| w == of),
            "{}",
            e.name
        );
        assert!(e.floor < LEAST, "{}", e.name);
    }
}
