//! Compares how the library prints floats in a page with how Rust does.

use wasm_bindgen::prelude::*;
use zerostride::{Literal, Scalar};

/// The floats that are printed in another way than by `{:?}`, of each type: among all powers of two
/// with their neighbours, special values, and `count` random ones.
#[wasm_bindgen]
pub fn other_floats(count: usize) -> Vec<String> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let near = |bits: u64| [bits.wrapping_sub(1), bits, bits + 1];
    let special = [
        0.0,
        -0.0,
        1e-4,
        1e16,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let mut doubles: Vec<f64> = special.into();
    doubles.extend(special.map(|x| f64::from_bits(x.to_bits() - u64::from(x.is_normal()))));
    doubles.extend((0..0x7ff).flat_map(|e| near(e << 52)).map(f64::from_bits));
    doubles.extend((0..count).map(|_| f64::from_bits(draw())));
    doubles.extend((0..count).map(|_| (draw() % 2_000_000) as f64 / 1000.0 - 1000.0));
    let mut singles: Vec<f32> = doubles.iter().map(|&x| x as f32).collect();
    singles
        .extend(special.map(|x| f32::from_bits((x as f32).to_bits() - u32::from(x.is_normal()))));
    singles.extend(
        (0..0xff)
            .flat_map(|e| near(e << 23))
            .map(|b| f32::from_bits(b as u32)),
    );
    singles.extend((0..count).map(|_| f32::from_bits(draw() as u32)));

    let mut others = Vec::new();
    for x in doubles {
        let (found, wanted) = (Literal::from(x).to_string(), format!("{x:?}"));
        let longer = x.to_bits() << 12 == 0 && is_longer(&found, &wanted) && found.parse() == Ok(x);
        if found != wanted && !longer {
            others.push(format!("{found} for {wanted}f64"));
        }
    }
    for x in singles {
        let text = Scalar::from(x).to_string();
        let (found, wanted) = (text.trim_end_matches("f32"), format!("{x:?}"));
        let longer = x.to_bits() << 9 == 0 && is_longer(found, &wanted) && found.parse() == Ok(x);
        if found != wanted && !longer {
            others.push(format!("{found} for {wanted}f32"));
        }
    }
    others
}

/// Whether a page prints one digit more, as for powers of two whose fewest digits are not nearest.
fn is_longer(found: &str, wanted: &str) -> bool {
    found.len() == wanted.len() + 1
}
