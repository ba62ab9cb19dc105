//! The order in which a scan folds elements: each result folds the elements up to its own, in an
//! order that depends on their number alone, so that every schedule, window and adapter gives the
//! same bits.
//!
//! Elements form groups of [`GROUP`]. Each group is folded in sequence, which gives each of its
//! elements a prefix and the group a total. The totals are scanned in the same way, in groups of
//! totals and so on until one group is left. The result of an element joins the start of its group
//! with its prefix. The start of a group joins the start of its group of totals with the prefix of
//! the total before its own. Missing values are left out.

use super::GROUP;

/// Scans elements in the order of this module. With `begin`, all results begin with it and leave
/// out their own element; without, each includes it.
pub(crate) fn scan_in_order(
    elements: &[u64],
    begin: Option<u64>,
    mut join: impl FnMut(u64, u64) -> u64,
) -> Vec<u64> {
    let starts = starts(elements, begin, &mut join);
    let mut scanned = Vec::with_capacity(elements.len());
    for (group, before) in elements.chunks(GROUP).zip(starts.iter().step_by(GROUP)) {
        let mut prefix: Option<u64> = None;
        for &element in group {
            let own = prefix.map_or(element, |prefix| join(prefix, element));
            let taken = if begin.is_some() { prefix } else { Some(own) };
            prefix = Some(own);
            scanned.extend(joined(*before, taken, &mut join));
        }
    }
    scanned
}

/// The start of each element's group.
fn starts(
    elements: &[u64],
    begin: Option<u64>,
    join: &mut impl FnMut(u64, u64) -> u64,
) -> Vec<Option<u64>> {
    if elements.len() <= GROUP {
        return vec![begin; elements.len()];
    }
    let totals: Vec<u64> = elements
        .chunks(GROUP)
        .filter_map(|group| group.iter().copied().reduce(&mut *join))
        .collect();
    let outer = starts(&totals, begin, join);
    let mut found = Vec::with_capacity(elements.len());
    for (group, before) in totals.chunks(GROUP).zip(outer.iter().step_by(GROUP)) {
        let mut prefix: Option<u64> = None;
        for &total in group {
            let own = joined(*before, prefix, join);
            let left = elements.len() - found.len();
            found.extend(vec![own; GROUP.min(left)]);
            prefix = Some(prefix.map_or(total, |prefix| join(prefix, total)));
        }
    }
    found
}

/// Joins two values, either of which may be missing.
fn joined(a: Option<u64>, b: Option<u64>, join: &mut impl FnMut(u64, u64) -> u64) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(join(a, b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each result is made of, as text.
    fn texts(elements: usize, begins: bool) -> Vec<String> {
        let mut made: Vec<String> = (0..elements).map(|i| i.to_string()).collect();
        made.push("b".into());
        let ids: Vec<u64> = (0..elements as u64).collect();
        let begin = begins.then_some(elements as u64);
        let scanned = scan_in_order(&ids, begin, |a, b| {
            made.push(format!("({}+{})", made[a as usize], made[b as usize]));
            made.len() as u64 - 1
        });
        scanned
            .iter()
            .map(|&at| made[at as usize].clone())
            .collect()
    }

    /// Numbers folded from the left.
    fn sequence(range: std::ops::Range<usize>) -> String {
        let names = range.map(|i| i.to_string());
        names
            .reduce(|a, b| format!("({a}+{b})"))
            .unwrap_or_default()
    }

    #[test]
    fn elements_are_scanned_in_the_order_that_is_stated() {
        assert_eq!(texts(0, false), [""; 0]);
        assert_eq!(texts(3, false), ["0", "(0+1)", "((0+1)+2)"]);
        assert_eq!(texts(3, true), ["b", "(b+0)", "(b+(0+1))"]);
        let two = texts(40, false);
        assert_eq!(two[15], sequence(0..16));
        assert_eq!(two[16], format!("({}+16)", sequence(0..16)));
        let both = format!("({}+{})", sequence(0..16), sequence(16..32));
        assert_eq!(two[33], format!("({both}+(32+33))"));
        // The second group of totals begins with the total of the first.
        let three = texts(300, false);
        let totals = (0..16).map(|g| sequence(16 * g..16 * (g + 1)));
        let first = totals.reduce(|a, b| format!("({a}+{b})")).unwrap();
        assert_eq!(three[256], format!("({first}+256)"));
        let third = format!("({first}+{})", sequence(256..272));
        assert_eq!(three[273], format!("({third}+(272+273))"));
        assert_eq!(texts(300, true)[256], format!("(b+{first})"));
    }

    #[test]
    fn a_result_depends_on_no_later_element() {
        let long = texts(5000, false);
        for count in [1, 15, 16, 17, 255, 256, 257, 4096, 4097] {
            assert_eq!(texts(count, false), long[..count], "{count}");
        }
    }

    #[test]
    fn scans_keep_to_their_stated_error() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 40) as f32 / 16_777_216.0
        };
        let mut hard: Vec<Vec<f32>> = vec![
            vec![1.0; 1 << 20],
            (0..100_001).map(|i| [1e8f32, 1.0, -1e8][i % 3]).collect(),
            (0..5000).map(|i| 10f32.powi(i % 60 - 30)).collect(),
        ];
        for count in [17, 257, 4097, 70_000] {
            hard.push((0..count).map(|_| random() - 0.5).collect());
        }
        let float = |bits: u64| f32::from_bits(bits as u32);
        for elements in &hard {
            let bits: Vec<u64> = elements.iter().map(|x| u64::from(x.to_bits())).collect();
            let add = |a, b| u64::from((float(a) + float(b)).to_bits());
            let scanned = scan_in_order(&bits, None, add);
            let (mut exact, mut all) = (0.0, 0.0);
            for (i, (&x, &found)) in elements.iter().zip(&scanned).enumerate() {
                exact += f64::from(x);
                all += f64::from(x.abs());
                let levels = (1..).find(|&l| GROUP.pow(l) > i).unwrap_or_default();
                let most = f64::from(16 * levels) * 2f64.powi(-24);
                let error = (f64::from(float(found)) - exact).abs();
                let bound = most / (1.0 - most) * all;
                assert!(
                    error <= bound,
                    "element {i} of {}: {error:e}",
                    elements.len()
                );
            }
        }
    }
}
