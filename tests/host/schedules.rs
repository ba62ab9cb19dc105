//! The schedules that the software profile chooses beside those that were measured on llvmpipe:
//! `benches/results/2026-11-22-lavapipe-schedules.jsonl` has the time of each forced schedule over
//! that of a sum of two arrays of the result's shape (Mesa 22.3.6, 2^21 elements, three runs).

use zerostride::{DType, Expr, Limits, Options, Plan, Slot};

/// Measured shapes of which the choice may be slower than the fastest schedule by more than
/// [`FAR`]: of so few runs on a shared machine some is noise.
const MOST_FAR: usize = 5;
const FAR: f64 = 1.15;

#[test]
fn choices_are_near_what_was_measured() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/benches/results/2026-11-22-lavapipe-schedules.jsonl"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let mut far = 0;
    let mut compared = 0;
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let slot = |name: &str| {
            let extents = case[name].as_array().unwrap();
            let extents: Vec<usize> = extents
                .iter()
                .map(|e| e.as_u64().unwrap() as usize)
                .collect();
            Slot::new(DType::F32, extents).unwrap()
        };
        let options = Options::default().with_limits(Limits::WEBGPU.with_software(true));
        let sum = Expr::slot(0).add(Expr::slot(1));
        let plan = Plan::new(&sum, &[slot("x"), slot("y")], &options)
            .unwrap()
            .to_string();
        let chosen = plan
            .lines()
            .find_map(|l| l.strip_prefix("  * ")?.split(' ').next())
            .unwrap_or_else(|| panic!("no schedule is marked:\n{plan}"));
        let measured = case["to_same"].as_object().unwrap();
        let Some(own) = measured.get(chosen).and_then(serde_json::Value::as_f64) else {
            continue;
        };
        compared += 1;
        let (name, best) = measured
            .iter()
            .map(|(name, time)| (name, time.as_f64().unwrap()))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap();
        if own > best * 1.05 {
            println!(
                "{}: {chosen} takes {own:.2}, {name} was measured at {best:.2}",
                case["shapes"]
            );
        }
        far += usize::from(own > best * FAR);
    }
    println!("{compared} shapes, {far} of them beyond {FAR}");
    assert!(compared > 60, "{compared} shapes");
    assert!(far <= MOST_FAR, "{far} shapes");
}

/// Three shapes that rules by hand once got wrong by 12 to 16 %.
#[test]
fn short_rows_of_columns_are_sections() {
    let shapes: [[&[usize]; 2]; 3] = [
        [&[1 << 20, 20], &[1 << 20, 1]],
        [&[1 << 20, 3, 4], &[3, 1]],
        [&[1 << 20, 3, 8], &[3, 1]],
    ];
    for shapes in shapes {
        let slots = shapes.map(|s| Slot::new(DType::F32, s).unwrap());
        for software in [true, false] {
            let limits = Limits::WEBGPU.with_software(software);
            let options = Options::default().with_limits(limits);
            let sum = Expr::slot(0).add(Expr::slot(1));
            let plan = Plan::new(&sum, &slots, &options).unwrap().to_string();
            // A GPU has rows of 20 beside one another as fast.
            let fits = plan.contains("  * sections") || !software && shapes[0][1] == 20;
            assert!(fits, "{shapes:?}:\n{plan}");
        }
    }
}
