//! Arrays as text, against what NumPy printed: `scripts/make_print_cases.py` writes the cases.

use serde::Deserialize;
use zerostride::{DType, HostTensor, Layout, bf16};

#[derive(Deserialize)]
struct Case {
    dtype: String,
    shape: Vec<usize>,
    /// All elements, or the one that all are.
    bytes: String,
    precision: Option<usize>,
    str: String,
    repr: String,
}

impl Case {
    fn host(&self) -> HostTensor {
        let dtype: DType = self.dtype.parse().unwrap();
        let hex = |i: usize| u8::from_str_radix(&self.bytes[i..i + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..self.bytes.len()).step_by(2).map(hex).collect();
        let layout = Layout::contiguous(self.shape.clone()).unwrap();
        let one = bytes.len() == dtype.size() && layout.len() > 1;
        let layout = match one {
            true => Layout::new(self.shape.clone(), vec![0; self.shape.len()], 0).unwrap(),
            false => layout,
        };
        HostTensor::with_layout(dtype, layout, bytes).unwrap()
    }
}

#[test]
fn arrays_are_printed_as_numpy_prints_them() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/printed/cases.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in text.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        let host = case.host();
        let (str, repr) = match case.precision {
            None => (host.to_string(), format!("{host:#}")),
            Some(p) => (format!("{host:.p$}"), format!("{host:#.p$}")),
        };
        for (found, expected) in [(str, &case.str), (repr, &case.repr)] {
            if found != *expected {
                let what = format!("{} {:?} {:?}", case.dtype, case.shape, case.precision);
                wrong.push(format!("{what}\n{found}\nNumPy:\n{expected}\n"));
            }
        }
        count += 1;
    }
    assert!(count > 300, "{count} cases");
    let first: Vec<&str> = wrong.iter().take(8).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        first.join("\n")
    );
}

#[test]
fn every_half_but_one_has_the_digits_that_numpy_gives_it() {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for bits in 0..=u16::MAX {
        // Of which NumPy prints more than it needs.
        if bits & 0x7fff == 0x2400 {
            continue;
        }
        let host = HostTensor::new(DType::F16, [], bits.to_le_bytes().to_vec()).unwrap();
        for byte in format!("{host}\n").bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    assert_eq!(
        hash, 0x66ab_be1b_d0dc_5c9f,
        "NumPy's texts, as the script sums them up"
    );
}

#[test]
fn bf16_has_digits_that_read_as_the_same_value() {
    for bits in 0..=u16::MAX {
        let x = bf16::from_bits(bits);
        let host = HostTensor::new(DType::Bf16, [], bits.to_le_bytes().to_vec()).unwrap();
        let text = host.to_string();
        let read: f64 = text.parse().unwrap();
        let same = bf16::from_f64(read).to_bits() == bits;
        assert!(same || x.is_nan(), "{bits:#x} is printed as {text}");
    }
    let bytes: Vec<u8> = [0.1f32, -3.0, 1e30]
        .iter()
        .flat_map(|&x| bf16::from_f32(x).to_le_bytes())
        .collect();
    let host = HostTensor::new(DType::Bf16, [2], bytes[..4].to_vec()).unwrap();
    assert_eq!(format!("{host:#}"), "array([ 0.1, -3. ], dtype=bfloat16)");
    let host = HostTensor::new(DType::Bf16, [3], bytes).unwrap();
    assert_eq!(host.to_string(), "[ 1.e-01 -3.e+00  1.e+30]");
}

#[test]
fn layouts_of_any_strides_are_printed_in_the_order_of_indices() {
    let layout = Layout::new([2, 3], vec![-1, 2], 1).unwrap();
    let host = HostTensor::with_layout(DType::I8, layout, vec![0, 1, 2, 3, 4, 255]).unwrap();
    assert_eq!(host.to_string(), "[[ 1  3 -1]\n [ 0  2  4]]");
}

#[test]
fn settings_change_what_is_shown_and_how() {
    let host = HostTensor::new(DType::U8, [8], (0..8).collect()).unwrap();
    let text = host.display().threshold(7);
    assert!(text.is_summary());
    assert_eq!(text.to_string(), "[0 1 2 ... 5 6 7]");
    assert!(!host.display().is_summary());
    assert_eq!(
        host.display().line_width(9).to_string(),
        "[0 1 2 3\n 4 5 6 7]"
    );
    let text = host
        .display()
        .formatter(|_, bits| "x".repeat(bits as usize % 3));
    assert_eq!(text.to_string(), "[    x xx     x xx     x]");
}

#[test]
fn fields_that_do_not_fit_are_told_and_do_not_panic() {
    let mut host = HostTensor::new(DType::F32, [2], vec![0; 8]).unwrap();
    host.bytes.truncate(4);
    assert_eq!(
        host.to_string(),
        "<host tensor: its elements end at byte 8, 4 were given>"
    );
    host.layout = Layout::contiguous(Vec::new()).unwrap();
    host.bytes.clear();
    assert!(
        format!("{host} {host:#}").contains("<host tensor"),
        "{host}"
    );
}

/// The depth of calls is not that of the axes.
#[test]
fn any_number_of_axes_of_one_element_is_printed() {
    let host = |first: usize| {
        let mut extents = vec![1; 20_000];
        extents[0] = first;
        HostTensor::new(DType::U8, extents, vec![7; first]).unwrap()
    };
    let one = format!("{}7{}", "[".repeat(20_000), "]".repeat(20_000));
    assert_eq!(host(1).to_string(), one);
    let two = host(2).to_string();
    assert_eq!(
        (two.matches('7').count(), two.matches('[').count()),
        (2, 39_999)
    );
    assert!(!two.contains("[ ") && two.starts_with(&"[".repeat(20_000)));
}
