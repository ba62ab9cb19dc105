//! A scale of colours from dark blue over green to light yellow: its lightness grows evenly, so
//! that it reads in grey too.

/// The colour of NaN.
pub const NAN: [u8; 3] = [200, 200, 200];

/// The colour at a place from 0 to 1, computed in the colour space Oklab.
pub fn colour(place: f64) -> [u8; 3] {
    let t = place.clamp(0.0, 1.0);
    let lightness = 0.25 + 0.68 * t;
    let hue = (285.0 - 180.0 * t).to_radians();
    // As much as a screen shows of these hues; the least of it between blue and green.
    let chroma = 0.088 + 0.2 * (t - 0.35).powi(2);
    let (a, b) = (chroma * hue.cos(), chroma * hue.sin());
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
    .map(encoded)
}

/// Linear light as a byte of sRGB.
fn encoded(x: f64) -> u8 {
    let x = x.clamp(0.0, 1.0);
    let y = if x <= 0.003_130_8 {
        12.92 * x
    } else {
        1.055 * x.powf(1.0 / 2.4) - 0.055
    };
    (255.0 * y).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_lighter() {
        let light = |place: f64| {
            let [r, g, b] = colour(place).map(f64::from);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let all: Vec<f64> = (0..=50).map(|i| light(f64::from(i) / 50.0)).collect();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{all:?}");
        assert!(all[0] < 40.0 && all[50] > 210.0, "{all:?}");
    }
}
