//! Views have NumPy's meaning under every spelling, checked against indices that are written down
//! here.

mod errors;
mod reshape;

use super::*;

/// Spellings that are one view, of an input of this shape; the shape of the view, and the source
/// index of each of its indices.
struct Same(
    &'static [usize],
    &'static [&'static str],
    &'static [usize],
    fn(&[usize]) -> Vec<usize>,
);

/// Every index of a shape, the last axis fastest.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |all, &extent| {
        let longer =
            |index: Vec<usize>| (0..extent).map(move |i| [index.clone(), vec![i]].concat());
        all.into_iter().flat_map(longer).collect()
    })
}

/// The place of an index in C order.
fn place(shape: &[usize], index: &[usize]) -> usize {
    shape
        .iter()
        .zip(index)
        .fold(0, |at, (&extent, &i)| at * extent + i)
}

/// The index at a place of C order.
fn index(shape: &[usize], mut at: usize) -> Vec<usize> {
    let mut out = vec![0; shape.len()];
    for (i, &extent) in out.iter_mut().zip(shape).rev() {
        (*i, at) = (at % extent, at / extent);
    }
    out
}

fn check_same(cases: &[Same]) {
    let mut failures = Vec::new();
    for Same(shape, sources, result, at) in cases {
        let data: Vec<i32> = (0..shape.iter().product::<usize>() as i32).collect();
        let expected: Vec<i32> = indices(result)
            .iter()
            .map(|i| data[place(shape, &at(i))])
            .collect();
        let x = i32s(shape.to_vec(), &data);
        for source in *sources {
            let run = |source: &str| {
                let expr = parse(source)?.bind(&["x"], &Rule::Numpy)?;
                reference::run(&expr, std::slice::from_ref(&x))
            };
            match run(source) {
                Ok(found) if found == i32s(result.to_vec(), &expected) => {}
                Ok(found) => failures.push(format!(
                    "{source}: {} {:?}",
                    found.layout.shape(),
                    numbers(&found)
                )),
                Err(e) => failures.push(format!("{source}: {e}")),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

const CUBE: &[usize] = &[2, 3, 4];

#[test]
fn flips_and_turns_are_numpys() {
    check_same(&[
        Same(
            CUBE,
            &[
                "flip(x)",
                "np.flip(x)",
                "x.flip()",
                "flip(x, None)",
                "np.flip(x, axis=(-1, 0, 1))",
                "x[::-1, ::-1, ::-1]",
            ],
            CUBE,
            |i| vec![1 - i[0], 2 - i[1], 3 - i[2]],
        ),
        Same(
            CUBE,
            &[
                "flip(x, 1)",
                "np.flip(x, axis=-2)",
                "flip(x, (1,))",
                "np.fliplr(x)",
                "fliplr(x)",
            ],
            CUBE,
            |i| vec![i[0], 2 - i[1], i[2]],
        ),
        Same(
            CUBE,
            &[
                "flip(x, 0)",
                "np.flipud(x)",
                "flipud(x,)",
                "flip(x, axis=[-3])",
            ],
            CUBE,
            |i| vec![1 - i[0], i[1], i[2]],
        ),
        Same(
            CUBE,
            &[
                "flip(x, (0, -1))",
                "np.flip(x, axis=(2, 0),)",
                "flip(flip(x, 0), 2)",
            ],
            CUBE,
            |i| vec![1 - i[0], i[1], 3 - i[2]],
        ),
        Same(
            CUBE,
            &[
                "flip(x, ())",
                "x",
                "np.rot90(x, 0)",
                "rot90(x, k=4)",
                "rot90(x, -8, (1, 2))",
            ],
            CUBE,
            |i| i.to_vec(),
        ),
        // The first column, from the end, becomes the first row.
        Same(
            &[2, 3],
            &[
                "rot90(x)",
                "np.rot90(x)",
                "np.rot90(x, 1)",
                "rot90(x, k=1, axes=(0, 1))",
                "rot90(x, -3)",
                "rot90(x, 3, (1, 0))",
            ],
            &[3, 2],
            |i| vec![i[1], 2 - i[0]],
        ),
        Same(
            &[2, 3],
            &["rot90(x, 2)", "rot90(x, k=-2, axes=(-1, -2))"],
            &[2, 3],
            |i| vec![1 - i[0], 2 - i[1]],
        ),
        Same(
            &[2, 3],
            &["rot90(x, 3)", "np.rot90(x, k=-1)", "rot90(x, axes=(1, 0))"],
            &[3, 2],
            |i| vec![1 - i[1], i[0]],
        ),
        Same(
            CUBE,
            &["np.rot90(x, axes=(0, 2))", "rot90(x, 1, (0, -1))"],
            &[4, 3, 2],
            |i| vec![i[2], i[1], 3 - i[0]],
        ),
    ]);
}

#[test]
fn moves_of_axes_are_numpys() {
    check_same(&[
        Same(
            CUBE,
            &[
                "x.T",
                "transpose(x)",
                "x.transpose()",
                "np.transpose(x, None)",
                "x.transpose(2, 1, 0)",
                "x.transpose((-1, 1, 0))",
            ],
            &[4, 3, 2],
            |i| vec![i[2], i[1], i[0]],
        ),
        Same(
            CUBE,
            &[
                "swapaxes(x, 0, 2)",
                "x.swapaxes(0, -1)",
                "np.swapaxes(x, axis1=2, axis2=0)",
                "np.swapaxes(x, 2, axis2=-3)",
            ],
            &[4, 3, 2],
            |i| vec![i[2], i[1], i[0]],
        ),
        Same(
            CUBE,
            &[
                "swapaxes(x, 1, -2)",
                "moveaxis(x, 0, 0)",
                "np.moveaxis(x, (), ())",
            ],
            CUBE,
            |i| i.to_vec(),
        ),
        Same(
            CUBE,
            &[
                "x.mT",
                "np.matrix_transpose(x)",
                "swapaxes(x, 1, 2)",
                "np.permute_dims(x, (0, 2, 1))",
                "moveaxis(x, -1, 1)",
            ],
            &[2, 4, 3],
            |i| vec![i[0], i[2], i[1]],
        ),
        Same(
            CUBE,
            &[
                "moveaxis(x, 0, -1)",
                "np.moveaxis(x, source=0, destination=2)",
                "moveaxis(x, (0,), (2,))",
                "x.transpose(1, 2, 0)",
            ],
            &[3, 4, 2],
            |i| vec![i[2], i[0], i[1]],
        ),
        Same(
            CUBE,
            &[
                "moveaxis(x, (0, 1), (-1, 0))",
                "np.moveaxis(x, [1, 0], [0, 2])",
                "transpose(x, axes=(1, 2, 0))",
            ],
            &[3, 4, 2],
            |i| vec![i[2], i[0], i[1]],
        ),
    ]);
}

#[test]
fn new_dropped_and_broadcast_axes_are_numpys() {
    check_same(&[
        Same(
            &[1, 3, 1],
            &[
                "squeeze(x)",
                "np.squeeze(x)",
                "x.squeeze()",
                "x.squeeze(None)",
                "squeeze(x, (0, 2))",
                "x.squeeze(axis=(-1, 0))",
            ],
            &[3],
            |i| vec![0, i[0], 0],
        ),
        Same(
            &[1, 3, 1],
            &[
                "squeeze(x, 0)",
                "x.squeeze(-3)",
                "np.squeeze(x, axis=(0,))",
                "x[0]",
            ],
            &[3, 1],
            |i| vec![0, i[0], i[1]],
        ),
        Same(
            &[1, 3, 1],
            &["squeeze(x, ())", "expand_dims(x, ())"],
            &[1, 3, 1],
            |i| i.to_vec(),
        ),
        Same(
            &[2, 3],
            &["squeeze(x)", "np.squeeze(x, None)"],
            &[2, 3],
            |i| i.to_vec(),
        ),
        Same(
            &[2, 3],
            &["expand_dims(x, 0)", "np.expand_dims(x, axis=-3)", "x[None]"],
            &[1, 2, 3],
            |i| i[1..].to_vec(),
        ),
        Same(
            &[2, 3],
            &[
                "expand_dims(x, (0, 2))",
                "np.expand_dims(x, axis=(-2, 0))",
                "x[np.newaxis, :, None]",
            ],
            &[1, 2, 1, 3],
            |i| vec![i[1], i[3]],
        ),
        Same(
            &[3],
            &[
                "broadcast_to(x, (2, 3))",
                "np.broadcast_to(x, shape=(2, 3))",
                "np.broadcast_to(x, [2, 3])",
                "expand(x, (2, 1))",
            ],
            &[2, 3],
            |i| vec![i[1]],
        ),
        Same(
            &[],
            &["broadcast_to(x, 2)", "np.broadcast_to(x, shape=(2,))"],
            &[2],
            |_| vec![],
        ),
    ]);
}

#[test]
fn numbers_in_brackets_index_as_those_without() {
    check_same(&[
        Same(
            CUBE,
            &[
                "x[-1]", "x[(-1)]", "x[-(1)]", "x[+(-1)]", "x[-(-1)]", "x[(1)]",
            ],
            &[3, 4],
            |i| vec![1, i[0], i[1]],
        ),
        Same(
            CUBE,
            &["x[:, (-2):, ::(-1)]", "x[..., (1):, ::-(1)]"],
            &[2, 2, 4],
            |i| vec![i[0], i[1] + 1, 3 - i[2]],
        ),
        Same(
            CUBE,
            &["flip(x, (-1))", "flip(x, axis=((-1)))"],
            CUBE,
            |i| vec![i[0], i[1], 3 - i[2]],
        ),
        Same(
            CUBE,
            &["flip(x, ((-1), 0))", "flip(x, axis=(0, (2)))"],
            CUBE,
            |i| vec![1 - i[0], i[1], 3 - i[2]],
        ),
        Same(
            CUBE,
            &["x.transpose((-1), 1, (0))", "x.swapaxes((-1), 0)"],
            &[4, 3, 2],
            |i| vec![i[2], i[1], i[0]],
        ),
    ]);
}

#[test]
fn more_numbers_follow_a_number_alone() {
    for text in [
        "x.reshape((2, 3), 4)",
        "x.transpose((1, 0), 2)",
        "x.reshape([2, 3], 4)",
        "np.reshape(x, (2, 3), 4)",
    ] {
        assert!(crate::text::parse(text).is_err(), "{text}");
    }
    for text in [
        "x.reshape(2, 3, 4)",
        "x.transpose(1, 0)",
        "x.reshape((2, 3, 4))",
        "x.reshape((2, 12), 'F')",
    ] {
        assert!(crate::text::parse(text).is_ok(), "{text}");
    }
}
