//! What to write instead of what is not there.

/// What to write instead of a function.
const INSTEAD: &[(&str, &str)] = &[
    ("alltrue", "all(x)"),
    (
        "argwhere",
        "where(mask, a, b): the places of a mask are no array of a known shape",
    ),
    ("array_split", "x[:2], x[2:]: parts are slices"),
    (
        "atleast_1d",
        "x[None] for a new axis: arrays here have the axes that they have",
    ),
    (
        "atleast_2d",
        "x[None, :] for a new axis: arrays here have the axes that they have",
    ),
    (
        "atleast_3d",
        "x[..., None] for a new axis: arrays here have the axes that they have",
    ),
    (
        "block",
        "concatenate((x, y), axis=1) for each row, and concatenate of the rows",
    ),
    ("choose", "where(k == 0, a, where(k == 1, b, c))"),
    (
        "compress",
        "where(mask, x, nan) and nansum, nanmean and the like: what a mask keeps has no known shape",
    ),
    (
        "corrcoef",
        "(a * b).mean() / (a.std() * b.std()) of a = x - x.mean(), b = y - y.mean()",
    ),
    (
        "cov",
        "(a * b).sum() / (n - 1) of a = x - x.mean(), b = y - y.mean()",
    ),
    (
        "cross",
        "stack((x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]))",
    ),
    ("cumulative_prod", "cumprod(x)"),
    ("cumulative_sum", "cumsum(x)"),
    ("delete", "concatenate((x[:1], x[2:]))"),
    (
        "diag",
        "where(eye(4, dtype=bool), x, 0), and of the diagonal (x * eye(4)).sum(axis=1)",
    ),
    (
        "diagonal",
        "(x * eye(4)).sum(axis=1), with the number of rows for 4",
    ),
    ("ediff1d", "diff(x)"),
    ("empty", "zeros(shape)"),
    ("empty_like", "zeros_like(x)"),
    (
        "extract",
        "where(mask, x, nan) and nansum, nanmean and the like: what a mask keeps has no known shape",
    ),
    ("fill", "full_like(x, value): nothing is changed in place"),
    (
        "flatnonzero",
        "where(mask, a, b): the places of a mask are no array of a known shape",
    ),
    ("frexp", "floor(log2(abs(x))) + 1 for the exponent"),
    ("geomspace", "exp(linspace(log(a), log(b), n))"),
    (
        "gradient",
        "(x[2:] - x[:-2]) / 2, and x[1:2] - x[:1] at the ends",
    ),
    ("hsplit", "x[:, :2], x[:, 2:]: parts are slices"),
    ("indices", "arange(n)[:, None] and arange(m)"),
    ("insert", "concatenate((x[:1], y, x[1:]))"),
    (
        "item",
        "x[0, 1], with an index for each axis; what is reduced along all is a number without it",
    ),
    (
        "ix_",
        "x[:, None] and y[None, :]: each on an axis of its own",
    ),
    (
        "kron",
        "(x[:, None, :, None] * y[None, :, None, :]).reshape(n, m)",
    ),
    ("log_softmax", "x - logsumexp(x, axis=-1, keepdims=True)"),
    ("logspace", "10 ** linspace(a, b, n)"),
    (
        "masked_where",
        "where(mask, nan, x), and nansum and the like of it",
    ),
    (
        "meshgrid",
        "x[:, None] and y[None, :]: each on an axis of its own",
    ),
    (
        "nonzero",
        "where(mask, a, b): the places of a mask are no array of a known shape",
    ),
    ("pad", "concatenate((zeros(1), x, zeros(1)))"),
    ("piecewise", "where(x < 0, a, where(x < 1, b, c))"),
    (
        "place",
        "where(mask, value, x): nothing is changed in place",
    ),
    ("print", "it alone on the last line, which is the result"),
    ("product", "prod(x)"),
    ("put", "where(mask, value, x): nothing is changed in place"),
    (
        "putmask",
        "where(mask, value, x): nothing is changed in place",
    ),
    ("range", "arange(n)"),
    (
        "resize",
        "reshape, which keeps the number of elements, or concatenate",
    ),
    ("roll", "concatenate((x[-1:], x[:-1]))"),
    ("rollaxis", "moveaxis(x, 2, 0)"),
    ("row_stack", "vstack((x, y))"),
    ("rsqrt", "1 / sqrt(x)"),
    ("slice", "x[a:b], with numbers"),
    ("softmax", "exp(x - logsumexp(x, axis=-1, keepdims=True))"),
    ("sometrue", "any(x)"),
    ("split", "x[:1], x[1:]: parts are slices"),
    (
        "take_along_axis",
        "take(x, i, axis), with the same indices for all rows",
    ),
    ("tile", "concatenate((x, x))"),
    ("to", "x.astype(f32) or another type"),
    ("trace", "(x * eye(4)).sum(), with the number of rows for 4"),
    ("trapezoid", "sum((y[1:] + y[:-1]) * diff(x)) / 2"),
    ("trapz", "sum((y[1:] + y[:-1]) * diff(x)) / 2"),
    (
        "tri",
        "tril(ones((3, 3))), and eye(3) for the diagonal alone",
    ),
    ("type", "x.astype(f32) or another type"),
    ("vsplit", "x[:1], x[1:]: parts are slices"),
    // Of pandas and PyTorch, and constants of old.
    ("apply", "the expression itself: it works on whole arrays"),
    ("cat", "concatenate((x, y), axis=0)"),
    ("clamp", "clip(x, 0, 1)"),
    (
        "diagflat",
        "x[:, None] * eye(4), with the number of elements for 4",
    ),
    (
        "dropna",
        "nansum, nanmean and the like, which leave out what is no number",
    ),
    ("expit", "sigmoid(x)"),
    ("fillna", "nan_to_num(x, nan=0.0)"),
    ("Infinity", "inf"),
    ("infty", "inf"),
    ("isna", "isnan(x)"),
    ("isnull", "isnan(x)"),
    ("lerp", "x + t * (y - x)"),
    ("logit", "log(x / (1 - x))"),
    ("NINF", "-inf"),
    ("notna", "~isnan(x)"),
    ("notnull", "~isnan(x)"),
    ("permute", "x.transpose(1, 0)"),
    ("PINF", "inf"),
    ("shift", "x[:-1] beside x[1:]"),
    ("unsqueeze", "expand_dims(x, 0)"),
    (
        "vander",
        "x[:, None] ** arange(4)[::-1], with the number of columns for 4",
    ),
    // Without brackets.
    ("c_", "column_stack((x, y))"),
    ("flat", "x.ravel()"),
    ("mgrid", "arange(n)[:, None] and arange(m)"),
    ("ogrid", "arange(n)[:, None] and arange(m)"),
    ("r_", "concatenate((x, y))"),
    ("s_", "the slice itself: x[1:3]"),
];

/// What is said of several functions.
const REASONS: &[(&[&str], &str)] = &[
    (
        &["dot", "einsum", "inner", "tensordot", "vdot"],
        "a matrix product is written a @ b, a sum of products (a * b).sum(axis)",
    ),
    (
        &[
            "argpartition",
            "argsort",
            "lexsort",
            "median",
            "nanmedian",
            "nanpercentile",
            "nanquantile",
            "partition",
            "percentile",
            "quantile",
            "sort",
            "sorted",
            "topk",
            "unique",
        ],
        "nothing is sorted here: there are max, min, argmax and argmin; compute it beforehand and name it as an input",
    ),
    (
        &["accumulate", "cummax", "cummin"],
        "of running folds there are cumsum and cumprod; compute it beforehand and name it as an input",
    ),
    (
        &[
            "bincount",
            "bitwise_count",
            "convolve",
            "correlate",
            "cholesky",
            "det",
            "digitize",
            "eig",
            "eigh",
            "eigvals",
            "fft",
            "fft2",
            "fftn",
            "fftshift",
            "fromfile",
            "fromfunction",
            "frombuffer",
            "gcd",
            "genfromtxt",
            "histogram",
            "histogram2d",
            "i0",
            "ifft",
            "in1d",
            "interp",
            "intersect1d",
            "inv",
            "irfft",
            "isin",
            "lcm",
            "load",
            "loadtxt",
            "lstsq",
            "matrix_power",
            "matrix_rank",
            "pinv",
            "poly",
            "polyfit",
            "polyval",
            "qr",
            "rfft",
            "roots",
            "searchsorted",
            "setdiff1d",
            "slogdet",
            "solve",
            "svd",
            "union1d",
            "unwrap",
        ],
        "it is not there; compute it beforehand and name it as an input",
    ),
    (
        &[
            "shape", "size", "ndim", "len", "nbytes", "itemsize", "strides",
        ],
        "shapes cannot be asked for in an expression; write the number, or name it as an input: n=4",
    ),
    (
        &["dtype", "result_type", "can_cast", "finfo", "iinfo"],
        "types cannot be asked for in an expression; x.astype(f32) is x in another one",
    ),
    (
        &[
            "vectorize",
            "apply_along_axis",
            "apply_over_axes",
            "map",
            "filter",
            "frompyfunc",
        ],
        "an expression works on whole arrays; write it without a function of your own",
    ),
    (
        &[
            "tolist",
            "list",
            "tuple",
            "set",
            "dict",
            "str",
            "set_printoptions",
            "tobytes",
            "save",
            "savetxt",
            "savez",
        ],
        "a result is one array",
    ),
];

/// Modules of NumPy whose functions are not here, each with what is said of them.
const MODULES: &[(&str, &str)] = &[
    ("char", "there are no strings"),
    (
        "emath",
        "there are no complex numbers; write log(x), sqrt(x) and so on, which are nan where those are complex",
    ),
    (
        "fft",
        "it is not there; compute it beforehand and name it as an input",
    ),
    (
        "linalg",
        "of linear algebra there are norms; compute it beforehand and name it as an input",
    ),
    (
        "ma",
        "there are no masked arrays; write where(mask, nan, x), and nansum and the like of it",
    ),
    (
        "polynomial",
        "it is not there; compute it beforehand and name it as an input",
    ),
    (
        "random",
        "nothing is random here; compute it beforehand and name it as an input",
    ),
];

/// The reductions that are a method of a function: `np.add.reduce`.
const REDUCED: &[(&str, &str)] = &[
    ("add", "sum"),
    ("bitwise_and", "all"),
    ("bitwise_or", "any"),
    ("logaddexp", "logsumexp"),
    ("logical_and", "all"),
    ("logical_or", "any"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("multiply", "prod"),
];

/// What to write instead of a function or attribute that is not there, behind `; `.
pub(super) fn instead(name: &str) -> Option<String> {
    if let Some((_, instead)) = INSTEAD.iter().find(|(n, _)| *n == name) {
        return Some(format!("; write {instead}"));
    }
    let complex = "; there are no complex numbers";
    Some(match name {
        "float" | "int" | "bool" => {
            format!("; write x.astype(f32) or another type instead of {name}(x)")
        }
        "complex" | "imag" => complex.into(),
        "iscomplex" | "isreal" => format!("{complex}, and every array is real"),
        "angle" => format!("{complex}; the angle of a point is arctan2(y, x)"),
        _ => {
            let (_, reason) = REASONS.iter().find(|(names, _)| names.contains(&name))?;
            format!("; {reason}")
        }
    })
}

/// What is said of a module of NumPy.
pub(super) fn module(name: &str) -> Option<&'static str> {
    MODULES
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, reason)| *reason)
}

/// What to write instead of a method of a function: `np.add.reduce`.
pub(super) fn method_of(function: &str, method: &str) -> Option<String> {
    Some(match method {
        "reduce" => match REDUCED.iter().find(|(n, _)| *n == function) {
            Some((_, reduction)) => format!("; write {reduction}(x, axis=0)"),
            None => "; there are sum, prod, max, min, any and all".into(),
        },
        "outer" => {
            format!("; write {function}(x[:, None], y): with v of one axis, v[:, None] and v")
        }
        "accumulate" => instead("accumulate")?,
        "at" | "reduceat" => "; compute it beforehand and name it as an input".into(),
        _ => return None,
    })
}
