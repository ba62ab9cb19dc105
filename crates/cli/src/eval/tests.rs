use clap::Parser as _;
use zerostride::{Shape, npy};

use super::*;

#[derive(clap::Parser)]
struct Command {
    #[command(flatten)]
    args: Args,
}

/// Results of `x` and `y`, whose text is of no account here, on a command line with these
/// outputs.
fn run_both(folder: &std::path::Path, outputs: &[&str]) -> Result<(), Failure> {
    let outputs = outputs.iter().map(|name| folder.join(name));
    let mut line: Vec<std::ffi::OsString> =
        ["eval", "x + y", "x=[[1, 2], [3, 4]]:f32", "y=[10, 20]:f32"]
            .map(Into::into)
            .to_vec();
    for output in outputs {
        line.extend(["-o".into(), output.into_os_string()]);
    }
    line.extend(["--verify".into(), "-q".into()]);
    let Command { args } = Command::parse_from(line);
    let (numbers, arrays) = split(&args);
    let expression = Expression::new(&args.expr, &numbers, &["x", "y"], &args.rule)?;
    let unknown = |_| (DType::F32, Shape::scalar());
    let sum = expression.bound(&["x", "y"], unknown, &args.rule)?;
    let most = Expr::slot(0).max(0) * Expr::slot(1);
    let task = Task {
        arrays: &arrays,
        expression: &expression,
        exprs: &[sum, most],
    };
    results(&task, None, false)
}

#[test]
fn several_results_go_to_a_file_each_or_to_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    run_both(folder.path(), &["sum.npy", "most.csv"]).unwrap();
    let sum = npy::NpyFile::open(path("sum.npy"), None).unwrap();
    let sum = sum.read_all().unwrap();
    assert_eq!(sum.layout.shape().extents(), [2, 2]);
    assert_eq!(sum.bytes[..4], 11f32.to_le_bytes());
    let most = std::fs::read_to_string(path("most.csv")).unwrap();
    assert_eq!(most, "30.0\n80.0\n");
    run_both(folder.path(), &["both.npz"]).unwrap();
    let mut both = npy::Archive::open(path("both.npz")).unwrap();
    assert_eq!(both.read(Some("arr_0"), None).unwrap(), sum);
    assert_eq!(
        both.read(Some("arr_1"), None).unwrap().bytes[4..],
        80f32.to_le_bytes()
    );
    let one = run_both(folder.path(), &["one.npy"]);
    assert!(matches!(one, Err(Failure::Usage(_))) && !path("one.npy").exists());
}
