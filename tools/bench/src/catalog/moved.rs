//! Tall tables, products of matrices, and elements that are joined, moved, numbered or sorted: few kernels by hand are
//! beside them.

use zerostride::DType;

use super::cases::*;
use super::reductions::{Shape, columns, reduction};
use crate::workload::{Needs, Operand, Workload};

/// All of them.
pub(super) fn moved() -> Vec<Workload> {
    let parts = [joined(), placed(), products()];
    parts.into_iter().flatten().collect()
}

/// Sorts of rows, of 38 passes each.
pub fn sorts() -> Vec<Workload> {
    let sort = |name, about, expr| of(name, about, expr, of_row(1), |log2| rows_of(log2, 256));
    vec![
        sort("sort_rows", "rows of [R,256] in order", "sort(x, axis=1)"),
        sort(
            "argsort_rows",
            "i64 indices that bring rows of [R,256] in order",
            "argsort(x, axis=1)",
        ),
    ]
}

/// A workload of one operand.
fn of(name: &str, about: &'static str, expr: &'static str, needs: Needs, shape: Shape) -> Workload {
    stream(name, about, move |log2| {
        let x = f32s(&shape(log2));
        let expr = parsed_of(expr, &x);
        needing(needs, vec![x], expr)
    })
}

fn half(log2: u32) -> Vec<usize> {
    vec![1 << (log2 - 1)]
}

fn joined() -> Vec<Workload> {
    vec![
        reduction(
            "sum_tall",
            "sum of [R,64] along axis 0",
            ("x.sum(axis=0)", Needs::All),
            |log2| rows_of(log2, 64),
            |e| columns(1, e[0], e[1], e[0].div_ceil(256)),
            |_| None,
        ),
        of("join", "[N] twice", "concatenate((x, x))", Needs::All, half),
        of(
            "join_rows",
            "[R,2048] twice, beside one another",
            "concatenate((x, x), axis=1)",
            of_row(1),
            |log2| rows_of(log2 - 1, 2048),
        ),
        of(
            "gram",
            "the product of [R,16] transposed with itself",
            "x.T @ x",
            Needs::All,
            |log2| rows_of(log2 - 2, 16),
        ),
        of(
            "cumsum_rows",
            "sums up to each of [R,4096]",
            "x.cumsum(axis=1)",
            of_row(1),
            |log2| rows_of(log2, 4096),
        ),
        of(
            "cumsum_columns",
            "sums up to each of [R,4096] along axis 0",
            "x.cumsum(axis=0)",
            Needs::All,
            |log2| rows_of(log2, 4096),
        ),
    ]
}

/// Elements that are taken, numbered or moved.
fn placed() -> Vec<Workload> {
    vec![
        stream(
            "take_rows",
            "rows of [R,256] by as many i32 indices in any order",
            |log2| {
                let e = rows_of(log2, 256);
                let indices = Operand::new(DType::I32, &e[..1]).below(e[0]);
                let taken = parsed("take(y, x, axis=0)");
                needing(of_row(1), vec![indices, f32s(&e)], taken)
            },
        ),
        stream("arange_add", "[N] + arange(N)", |log2| {
            let n = 1usize << log2;
            let numbered = parsed(&format!("x + arange({n}, dtype=float32)"));
            needing(Needs::All, vec![f32s(&[n])], numbered)
        }),
        of(
            "roll_rows",
            "roll of [R,4096] by 5 along axis 1",
            "roll(x, 5, axis=1)",
            of_row(1),
            |log2| rows_of(log2, 4096),
        ),
        of(
            "pad_rows",
            "[R,4094] with a 0 before and behind each row",
            "pad(x, ((0, 0), (1, 1)))",
            // The zeros have the shape of all rows.
            Needs::All,
            |log2| rows_of(log2, 4094),
        ),
    ]
}

/// A product of [M,K] with [K,N], of which few rows are compared: each needs all of the second factor.
fn product(name: &str, about: &'static str, shape: fn(u32) -> [usize; 3]) -> Workload {
    stream(name, about, move |log2| {
        let [m, k, n] = shape(log2);
        let rows = Needs::Row {
            operands: 1,
            sampled: 8,
        };
        needing(rows, vec![f32s(&[m, k]), f32s(&[k, n])], parsed("x @ y"))
    })
}

/// Products of matrices of 2^(log2 - 4) elements: of 1024 columns where other workloads have 2^24 elements.
fn products() -> Vec<Workload> {
    const fn side(log2: u32) -> usize {
        1 << (log2 / 2 - 2)
    }
    vec![
        product("matmul", "[S,S] @ [S,S]", |log2| [side(log2); 3]),
        product("matmul_odd", "[S-1,S-1] @ [S-1,S-1]", |log2| {
            [side(log2) - 1; 3]
        }),
        product("matmul_tall", "[4S,64] @ [64,4S]", |log2| {
            [4 * side(log2), 64, 4 * side(log2)]
        }),
        product("vecmat", "[1,4S] @ [4S,4S]", |log2| {
            [1, 4 * side(log2), 4 * side(log2)]
        }),
    ]
}

#[cfg(test)]
mod tests {
    use zerostride::{Options, Plan};

    use super::*;

    #[test]
    fn results_have_the_shapes_that_are_meant() {
        let shapes = |log2: u32| -> Vec<String> {
            let shape = |w: Workload| {
                let case = (w.build)(log2);
                let slots = case.slots().unwrap();
                let exprs = std::slice::from_ref(&case.expr);
                let known = Plan::infer(exprs, &slots, &Options::default()).unwrap();
                format!("{} {}", w.name, known[0].1)
            };
            let all = [placed(), products(), sorts()];
            all.into_iter().flatten().map(shape).collect()
        };
        assert_eq!(
            shapes(24),
            [
                "take_rows [65536, 256]",
                "arange_add [16777216]",
                "roll_rows [4096, 4096]",
                "pad_rows [4098, 4096]",
                "matmul [1024, 1024]",
                "matmul_odd [1023, 1023]",
                "matmul_tall [4096, 4096]",
                "vecmat [1, 4096]",
                "sort_rows [65536, 256]",
                "argsort_rows [65536, 256]",
            ]
        );
        assert_eq!(shapes(10).len(), 10);
    }
}
