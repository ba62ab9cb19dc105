//! Reshapes.

use super::*;

#[test]
fn reshapes_keep_the_order_of_elements() {
    check_same(&[
        Same(
            CUBE,
            &[
                "ravel(x)",
                "np.ravel(x)",
                "x.ravel()",
                "x.flatten()",
                "x.ravel('C')",
                "x.reshape(-1)",
                "np.reshape(x, (24,))",
            ],
            &[24],
            |i| index(CUBE, i[0]),
        ),
        Same(
            CUBE,
            &[
                "x.reshape(6, 4)",
                "x.reshape((6, 4))",
                "reshape(x, (-1, 4))",
                "np.reshape(x, shape=(6, -1), order='C')",
            ],
            &[6, 4],
            |i| index(CUBE, place(&[6, 4], i)),
        ),
        Same(
            CUBE,
            &[
                "x.T.ravel()",
                "x.ravel('F')",
                "np.ravel(x, order='F')",
                "x.flatten(order='F')",
            ],
            &[24],
            |i| {
                let mut out = index(&[4, 3, 2], i[0]);
                out.reverse();
                out
            },
        ),
        Same(
            CUBE,
            &[
                "x.reshape(4, 6, order='F')",
                "np.reshape(x, (4, 6), 'F')",
                "x.T.reshape(6, 4).T",
            ],
            &[4, 6],
            |i| {
                let mut out = index(&[4, 3, 2], place(&[6, 4], &[i[1], i[0]]));
                out.reverse();
                out
            },
        ),
        Same(
            CUBE,
            &[
                "x[:, ::-1].reshape(2, 12)",
                "(x + 0)[:, ::-1].ravel().reshape(2, -1)",
            ],
            &[2, 12],
            |i| {
                let mut out = index(CUBE, place(&[2, 12], i));
                out[1] = 2 - out[1];
                out
            },
        ),
        Same(
            &[],
            &["x.ravel()", "x.reshape(1)", "x.flatten()"],
            &[1],
            |_| vec![],
        ),
        Same(&[1], &["x.reshape(())"], &[], |_| vec![0]),
        Same(&[0, 3], &["x.ravel()", "x.reshape(-1)"], &[0], |_| vec![]),
        Same(&[0, 3], &["x.reshape(2, 0)"], &[2, 0], |_| vec![]),
    ]);
}
