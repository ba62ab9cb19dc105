//! Types, bounds and numbers of `eval`.

use crate::Folder;

#[test]
fn f64_arrays_are_cast_where_asked_and_computed_without_64_bit_floats_too() {
    let folder = Folder::new();
    folder.save("d.npy", &[2], &[0.1f64, 1e300]);
    folder.save("i.npy", &[2], &[1i64 << 40, -5]);
    for more in [&[][..], &["--portable"]] {
        let args = [
            "eval",
            "d * d + sqrt(d)",
            "d=d.npy",
            "-o",
            "o.npy",
            "--verify",
        ];
        folder.ok(&[&args, more].concat());
        assert_eq!(
            folder.load::<f64>("o.npy").1,
            [0.1 * 0.1 + 0.1f64.sqrt(), f64::INFINITY]
        );
    }
    let args = ["eval", "d / 3", "d=d.npy", "--explain", "--portable"];
    assert!(folder.ok(&args).contains("f64 computed by integers"));
    folder.fails(
        2,
        &["use f32, f16 or bf16"],
        &["eval", "d", "d=d.npy", "--f64-as", "i32"],
    );
    folder.ok(&[
        "eval", "d * 1", "d=d.npy", "--f64-as", "f32", "-o", "o.npy", "--verify",
    ]);
    assert_eq!(folder.load::<f32>("o.npy").1, [0.1, f32::INFINITY]);
    folder.ok(&["eval", "-d[::-1]", "d=d.npy", "-o", "o.npy", "--verify"]);
    assert_eq!(folder.load::<f64>("o.npy").1, [-1e300, -0.1]);
    folder.ok(&[
        "eval",
        "i * 3 + k",
        "i=i.npy",
        "k=1",
        "-o",
        "o.npy",
        "--verify",
    ]);
    assert_eq!(folder.load::<i64>("o.npy").1, [3 * (1 << 40) + 1, -14]);
}

#[test]
fn the_bound_follows_cancellation_and_fast_has_none() {
    let folder = Folder::new();
    let wide: Vec<f32> = (0..4000).map(|i| (i as f32 - 2000.0) * 0.03).collect();
    folder.save("w.npy", &[4000], &wide);
    let stdout = folder.ok(&[
        "eval",
        "exp(w) - exp(w[::-1] * 0.999) + tanh(w) / 3",
        "w=w.npy",
        "--verify",
    ]);
    assert!(stdout.contains("within the bound"), "{stdout}");
    let stdout = folder.ok(&["eval", "exp(w)", "w=w.npy", "--verify", "--fast"]);
    assert!(stdout.contains("no bound is stated for --fast"), "{stdout}");
    // What was verified is what was written.
    folder.ok(&["eval", "w * 2", "w=w.npy", "--verify", "-o", "o.npy"]);
    assert_eq!(
        folder.load::<f32>("o.npy").1,
        wide.iter().map(|x| x * 2.0).collect::<Vec<_>>()
    );
}

#[test]
fn a_negative_number_of_the_command_line_indexes_and_names_an_axis() {
    let folder = Folder::new();
    folder.save(
        "cube.npy",
        &[2, 3, 2],
        &(0..12).map(|i| i as f32).collect::<Vec<f32>>(),
    );
    for (expr, shape, expected) in [
        ("x[n]", vec![3, 2], vec![6.0, 7.0, 8.0, 9.0, 10.0, 11.0]),
        ("x[:, n, ::n]", vec![2, 2], vec![5.0, 4.0, 11.0, 10.0]),
        ("x[0, -n:, 0]", vec![2], vec![2.0, 4.0]),
        (
            "x[0].reshape(n) + flip(x, n)[0].ravel()",
            vec![6],
            vec![1.0, 1.0, 5.0, 5.0, 9.0, 9.0],
        ),
    ] {
        folder.ok(&[
            "eval",
            expr,
            "x=cube.npy",
            "n=-1",
            "-o",
            "o.npy",
            "--verify",
        ]);
        assert_eq!(folder.load::<f32>("o.npy"), (shape, expected), "{expr}");
    }
    folder.fails(
        1,
        &["max works along axes", "maximum(a, b)"],
        &["eval", "max(x, n)", "x=cube.npy", "n=-1.5"],
    );
    folder.fails(
        1,
        &["`1.5` is no index"],
        &["eval", "x[n]", "x=cube.npy", "n=1.5"],
    );
}

#[test]
fn numbers_compare_as_they_compute_with_and_without_numpys_types() {
    let folder = Folder::new();
    for numpy in [&[][..], &["--numpy"]] {
        for (expr, answer) in [
            ("0.1 + 0.2 == 0.3", "False"),
            ("1e-50 > 0", "True"),
            ("1e39 == inf", "False"),
        ] {
            let stdout = folder.ok(&[&["eval", expr][..], numpy].concat());
            assert!(
                stdout.starts_with(&format!("bool []\n{answer}\n")),
                "{expr}: {stdout}"
            );
        }
        folder.ok(&[
            &[
                "eval",
                "where(0.1 + 0.2 == 0.3, x, -x)",
                "x=x.npy",
                "-o",
                "o.npy",
            ][..],
            numpy,
        ]
        .concat());
        let negative: Vec<f32> = folder.load::<f32>("x.npy").1.iter().map(|x| -x).collect();
        assert_eq!(folder.load::<f32>("o.npy").1, negative);
    }
}
