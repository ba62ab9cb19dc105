//! Kernels as files in `tests/kernels/`, one for each kind of load, store and body, so that what
//! changes in the text of a kernel shows in a diff. `ZEROSTRIDE_BLESS=1` writes the files anew;
//! read the diff before you commit it.

use std::fs;
use std::path::{Path, PathBuf};

use zerostride::inspect::FloatFact;
use zerostride::{Arithmetic, Axes, DType, Expr, Layout, Limits, Options, Plan, Slot};

fn slot(dtype: DType, shape: &[usize]) -> Slot {
    Slot::new(dtype, shape).unwrap()
}

fn transposed(dtype: DType, [rows, columns]: [usize; 2]) -> Slot {
    let layout = Layout::new([rows, columns], vec![1, rows as isize], 0).unwrap();
    slot(dtype, &[columns, rows]).with_layout(layout)
}

fn sum() -> Expr<usize> {
    Expr::slot(0).add(Expr::slot(1))
}

fn standardized() -> Expr<usize> {
    Expr::slot(0)
        .sub(Expr::slot(1))
        .div(Expr::slot(2))
        .mul(Expr::scalar(0.5f32))
}

fn softmax() -> Expr<usize> {
    let (x, rows) = (Expr::slot(0), Axes::from(1).keepdims());
    let exps = x.sub(x.max(rows.clone())).exp();
    exps.div(exps.sum(rows))
}

/// Name, expression, operands, limits.
fn kernels() -> Vec<(&'static str, Expr<usize>, Vec<Slot>, Limits)> {
    use DType::{F16, F32, F64, I64, U8};
    let portable = Limits::WEBGPU;
    let software = portable.with_software(true);
    let native = portable
        .with_int64(true)
        .with_float64(true)
        .with_arithmetic(Arithmetic::UNKNOWN.with(FloatFact::Subnormals, true))
        .with_max_immediates(128);
    vec![
        (
            "add-same-shape",
            sum(),
            vec![slot(F32, &[4096]), slot(F32, &[4096])],
            portable,
        ),
        (
            "add-row",
            sum(),
            vec![slot(F32, &[256, 4096]), slot(F32, &[4096])],
            portable,
        ),
        (
            "add-column",
            sum(),
            vec![slot(F32, &[256, 4096]), slot(F32, &[256, 1])],
            portable,
        ),
        (
            "sum-rows",
            Expr::slot(0).sum(1),
            vec![slot(F32, &[4096, 4096])],
            portable,
        ),
        (
            "sum-columns",
            Expr::slot(0).sum(0),
            vec![slot(F32, &[4096, 4096])],
            portable,
        ),
        (
            "sum-columns-in-turn",
            Expr::slot(0).sum(0),
            vec![slot(F32, &[4096, 4096])],
            software,
        ),
        (
            "cumsum-rows",
            Expr::slot(0).cumsum(1),
            vec![slot(F32, &[4096, 4096])],
            portable,
        ),
        (
            "cumsum-columns",
            Expr::slot(0).cumsum(0),
            vec![slot(F32, &[3000, 65_536])],
            portable.with_max_binding(1 << 30),
        ),
        (
            "softmax",
            softmax(),
            vec![slot(F32, &[4096, 768])],
            portable,
        ),
        (
            "concat-rows",
            Expr::concat([Expr::slot(0), Expr::slot(1)], 0),
            vec![slot(F32, &[256, 4096]), slot(F32, &[16, 4096])],
            portable,
        ),
        (
            "add-odd-rows",
            sum(),
            vec![slot(F32, &[256, 1023]), slot(F32, &[1023])],
            portable,
        ),
        (
            "add-odd-column",
            sum(),
            vec![slot(F32, &[255, 1025]), slot(F32, &[255, 1])],
            software,
        ),
        (
            "add-transposed",
            sum(),
            vec![transposed(F32, [512, 1024]), slot(F32, &[512, 1024])],
            portable,
        ),
        (
            "add-rank-5",
            sum(),
            vec![slot(F32, &[3, 1, 5, 1, 7]), slot(F32, &[1, 4, 1, 6, 7])],
            portable,
        ),
        (
            "add-u8-row",
            sum(),
            vec![slot(U8, &[256, 4096]), slot(U8, &[4096])],
            portable,
        ),
        (
            "add-f16-row",
            sum(),
            vec![slot(F16, &[256, 4096]), slot(F16, &[4096])],
            portable,
        ),
        (
            "add-i64",
            sum(),
            vec![slot(I64, &[4096]), slot(I64, &[4096])],
            portable,
        ),
        (
            "standardize",
            standardized(),
            vec![slot(F32, &[256, 64]), slot(F32, &[64]), slot(F32, &[64])],
            portable,
        ),
        (
            "multiply-f64-native",
            Expr::slot(0).mul(Expr::slot(1)),
            vec![slot(F64, &[64, 64]), slot(F64, &[64, 1])],
            native,
        ),
        (
            "matmul",
            Expr::slot(0).matmul(Expr::slot(1)),
            vec![slot(F32, &[64, 96]), slot(F32, &[96, 32])],
            portable,
        ),
        (
            "matmul-epilogue",
            Expr::slot(0)
                .cast(F32)
                .matmul(Expr::slot(1))
                .add(Expr::slot(2))
                .cast(F16),
            vec![slot(F16, &[65, 17]), slot(F32, &[17, 66]), slot(F32, &[66])],
            portable,
        ),
        (
            "matmul-batches",
            Expr::slot(0).matmul(Expr::slot(1)),
            vec![slot(F32, &[5, 1, 64, 96]), slot(F32, &[3, 96, 32])],
            portable,
        ),
    ]
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/kernels")
        .join(format!("{name}.wgsl"))
}

#[test]
fn kernels_are_as_their_files_say() {
    let bless = std::env::var_os("ZEROSTRIDE_BLESS").is_some();
    let mut differing = Vec::new();
    for (name, expr, slots, limits) in kernels() {
        let plan = Plan::new(&expr, &slots, &Options::default().with_limits(limits)).unwrap();
        let texts = plan.kernels();
        assert_eq!(texts.len(), 1, "{name} is one kernel");
        let path = file(name);
        if bless {
            fs::write(&path, &texts[0]).unwrap();
        }
        let wanted =
            fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        if let Some(n) = texts[0]
            .lines()
            .zip(wanted.lines())
            .position(|(a, b)| a != b)
        {
            let line = |text: &str| text.lines().nth(n).unwrap_or_default().to_owned();
            differing.push(format!(
                "{name}.wgsl:{}: {:?} was {:?}",
                n + 1,
                line(&texts[0]),
                line(&wanted)
            ));
        } else if texts[0].lines().count() != wanted.lines().count() {
            differing.push(format!(
                "{name}.wgsl has {} lines, not {}",
                texts[0].lines().count(),
                wanted.lines().count()
            ));
        }
    }
    let advice = "ZEROSTRIDE_BLESS=1 cargo test -p zerostride --test host kernels writes them anew";
    assert!(differing.is_empty(), "{}\n{advice}", differing.join("\n"));
}

#[test]
fn every_file_is_a_kernel_of_the_list() {
    let names: Vec<_> = kernels().iter().map(|(name, ..)| file(name)).collect();
    let folder = file("any");
    for entry in fs::read_dir(folder.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        assert!(
            names.contains(&path) || path.extension().is_none_or(|e| e != "wgsl"),
            "{} is no kernel",
            path.display()
        );
    }
}
