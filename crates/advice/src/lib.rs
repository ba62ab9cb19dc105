//! Says what to write in the expression language in place of names that it lacks: functions of NumPy, pandas and PyTorch, and
//! former names of NumPy. The command and the Python package pass these functions to [`zerostride::text::advise`].
//!
//! [`zerostride::text::advise`]: https://docs.rs/zerostride/latest/zerostride/text/fn.advise.html

/// Unsupported names, each with the expression to write instead.
const INSTEAD: &[(&str, &str)] = &[
    ("empty", "zeros(shape)"),
    (
        "meshgrid",
        "x[:, None] and y[None, :], which broadcast to the grid",
    ),
    (
        "nonzero",
        "where(mask, a, b): shapes cannot depend on a mask's elements",
    ),
    ("range", "arange(n)"),
    ("type", "x.astype(f32) or another type"),
    ("alltrue", "all(x)"),
    ("apply", "the expression itself: it works on whole arrays"),
    (
        "argwhere",
        "where(mask, a, b): shapes cannot depend on a mask's elements",
    ),
    ("array_split", "x[:2], x[2:]: parts are slices"),
    ("bincount", "(x == arange(n)[:, None]).sum(axis=1)"),
    (
        "block",
        "concatenate((x, y), axis=1) for each row of blocks, then concatenate((row1, row2), axis=0)",
    ),
    ("broadcast_arrays", "broadcast_to(x, shape) for each"),
    ("c_", "column_stack((x, y))"),
    ("cat", "concatenate((x, y), axis=0)"),
    ("choose", "where(k == 0, a, where(k == 1, b, c))"),
    ("clamp", "clip(x, 0, 1)"),
    (
        "compress",
        "where(mask, x, nan), then nansum and the like: shapes cannot depend on a mask's elements",
    ),
    (
        "corrcoef",
        "(a * b).mean() / (a.std() * b.std()) with a = x - x.mean(), b = y - y.mean(); for rows \
         d = x - x.mean(axis=1, keepdims=True); c = d / norm(d, axis=1, keepdims=True); c @ c.T",
    ),
    (
        "cov",
        "(a * b).sum() / (n - 1) with a = x - x.mean(), b = y - y.mean(); for rows \
         d = x - x.mean(axis=1, keepdims=True); d @ d.T / (x.shape[1] - 1)",
    ),
    ("cumulative_prod", "cumprod(x)"),
    ("cumulative_sum", "cumsum(x)"),
    ("delete", "concatenate((x[:1], x[2:]))"),
    ("diagflat", "diag(x.ravel())"),
    ("dropna", "nansum, nanmean and the like, which skip nan"),
    ("ediff1d", "diff(x)"),
    ("empty_like", "zeros_like(x)"),
    ("expit", "sigmoid(x)"),
    (
        "extract",
        "where(mask, x, nan), then nansum and the like: shapes cannot depend on a mask's elements",
    ),
    ("fill", "full_like(x, value): nothing is changed in place"),
    ("fillna", "nan_to_num(x, nan=0.0)"),
    ("flat", "x.ravel()"),
    (
        "flatnonzero",
        "where(mask, a, b): shapes cannot depend on a mask's elements",
    ),
    ("frexp", "floor(log2(abs(x))) + 1 for the exponent"),
    ("geomspace", "exp(linspace(log(a), log(b), n))"),
    (
        "gradient",
        "(x[2:] - x[:-2]) / 2, and x[1:2] - x[:1] at the ends",
    ),
    ("hsplit", "x[:, :2], x[:, 2:]: parts are slices"),
    ("in1d", "(x[..., None] == y).any(axis=-1)"),
    ("indices", "arange(n)[:, None] and arange(m)"),
    ("Infinity", "inf"),
    ("infty", "inf"),
    ("insert", "concatenate((x[:1], y, x[1:]))"),
    ("isin", "(x[..., None] == y).any(axis=-1)"),
    ("isna", "isnan(x)"),
    ("isnull", "isnan(x)"),
    (
        "item",
        "x[0, 1], with an index for each axis; a full reduction is a number without item()",
    ),
    (
        "ix_",
        "x[:, None] and y[None, :], which broadcast to the grid",
    ),
    ("lerp", "x + t * (y - x)"),
    ("logit", "log(x / (1 - x))"),
    ("logspace", "10 ** linspace(a, b, n)"),
    (
        "masked_where",
        "where(mask, nan, x), then nansum and the like",
    ),
    ("mgrid", "arange(n)[:, None] and arange(m)"),
    ("NINF", "-inf"),
    ("notna", "~isnan(x)"),
    ("notnull", "~isnan(x)"),
    ("ogrid", "arange(n)[:, None] and arange(m)"),
    ("permute", "x.transpose(1, 0)"),
    ("piecewise", "where(x < 0, a, where(x < 1, b, c))"),
    ("PINF", "inf"),
    (
        "place",
        "where(mask, value, x): nothing is changed in place",
    ),
    ("polyval", "(p[0] * x + p[1]) * x + p[2]"),
    ("print", "x alone on the last line, which is the result"),
    ("product", "prod(x)"),
    ("put", "where(mask, value, x): nothing is changed in place"),
    (
        "putmask",
        "where(mask, value, x): nothing is changed in place",
    ),
    ("r_", "concatenate((x, y))"),
    (
        "resize",
        "reshape, which keeps the number of elements, or concatenate",
    ),
    ("rollaxis", "moveaxis(x, 2, 0)"),
    ("row_stack", "vstack((x, y))"),
    ("rsqrt", "1 / sqrt(x)"),
    ("s_", "the slice itself: x[1:3]"),
    ("shift", "x[:-1] and x[1:]"),
    ("slice", "x[a:b], with numbers"),
    ("sorted", "sort(x)"),
    ("sometrue", "any(x)"),
    ("split", "x[:1], x[1:]: parts are slices"),
    ("to", "x.astype(f32) or another type"),
    (
        "trapezoid",
        "sum((y[1:] + y[:-1]) * diff(x)) / 2, or sum(y[1:] + y[:-1]) / 2",
    ),
    (
        "trapz",
        "sum((y[1:] + y[:-1]) * diff(x)) / 2, or sum(y[1:] + y[:-1]) / 2",
    ),
    (
        "tri",
        "tril(ones((3, 3))), and eye(3) for the diagonal alone",
    ),
    ("unsqueeze", "expand_dims(x, 0)"),
    ("unstack", "x[0], x[1]"),
    (
        "vander",
        "x[:, None] ** arange(4)[::-1], with the number of columns in place of 4",
    ),
    ("vsplit", "x[:1], x[1:]: parts are slices"),
];

/// Reasons, each with the names that it explains.
const REASONS: &[(&[&str], &str)] = &[
    (
        &["einsum", "tensordot"],
        "a matrix product is written a @ b, a sum of products (a * b).sum(axis)",
    ),
    (
        &["argpartition", "lexsort", "partition", "unique"],
        "of the sorting functions only sort, argsort, topk, searchsorted, median, quantile and percentile are supported; compute it beforehand and give the result as an input",
    ),
    (
        &["accumulate", "cummax", "cummin"],
        "of the running reductions only cumsum and cumprod are supported; compute it beforehand and give the result as an input",
    ),
    (
        &[
            "bitwise_count",
            "cholesky",
            "det",
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
            "histogram2d",
            "i0",
            "ifft",
            "intersect1d",
            "inv",
            "irfft",
            "lcm",
            "load",
            "loadtxt",
            "lstsq",
            "matrix_power",
            "matrix_rank",
            "pinv",
            "poly",
            "polyfit",
            "qr",
            "rfft",
            "roots",
            "setdiff1d",
            "slogdet",
            "solve",
            "svd",
            "union1d",
            "unwrap",
        ],
        "it is not supported; compute it beforehand and give the result as an input",
    ),
    (
        &["nbytes", "itemsize", "strides"],
        "use x.shape, x.size or x.ndim",
    ),
    (
        &["dtype", "result_type", "can_cast", "finfo", "iinfo"],
        "an expression cannot read types; x.astype(f32) converts x",
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

/// Modules of NumPy, each with the reason that its other functions are not supported.
const MODULES: &[(&str, &str)] = &[
    ("char", "strings are not supported"),
    (
        "emath",
        "complex numbers are not supported; use log(x), sqrt(x) and so on, which give nan where emath gives complex numbers",
    ),
    (
        "fft",
        "it is not supported; compute it beforehand and give the result as an input",
    ),
    (
        "linalg",
        "only norms, products and traces are supported, as in trace(x) and norm(x, axis=(-2, -1)); compute it beforehand and give the result as an input",
    ),
    (
        "ma",
        "masked arrays are not supported; use where(mask, nan, x), then nansum and the like",
    ),
    (
        "polynomial",
        "it is not supported; compute it beforehand and give the result as an input",
    ),
    (
        "random",
        "random numbers are not supported; compute them beforehand and give the result as an input",
    ),
];

/// Functions and their reductions, for methods such as `np.add.reduce`.
const REDUCED: &[(&str, &str)] = &[
    ("add", "sum"),
    ("logaddexp", "logsumexp"),
    ("logical_and", "all"),
    ("logical_or", "any"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("multiply", "prod"),
];

/// Says what to write instead of an unsupported function or attribute, behind `; `.
pub fn instead(name: &str) -> Option<String> {
    if let Some((_, instead)) = INSTEAD.iter().find(|(n, _)| *n == name) {
        return Some(format!("; write {instead}"));
    }
    let complex = "; complex numbers are not supported";
    Some(match name {
        "float" | "int" | "bool" => {
            format!("; write x.astype({name}) or np.array(x).astype({name}) instead of {name}(x)")
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

/// Says why the functions of a module of NumPy are not supported.
pub fn module(name: &str) -> Option<&'static str> {
    MODULES
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, reason)| *reason)
}

/// Says what to write instead of a method of a function, such as `np.add.reduce`.
pub fn method_of(function: &str, method: &str) -> Option<String> {
    Some(match method {
        "reduce" => match REDUCED.iter().find(|(n, _)| *n == function) {
            Some((_, reduction)) => format!("; write {reduction}(x, axis=0)"),
            None => "; use sum, prod, max, min, any or all".into(),
        },
        "outer" => format!("; write {function}(x[:, None], y) for x and y of one axis"),
        "accumulate" => match function {
            "add" => "; write cumsum(x, axis=0)".into(),
            "multiply" => "; write cumprod(x, axis=0)".into(),
            _ => instead("accumulate")?,
        },
        "at" | "reduceat" => "; compute it beforehand and give the result as an input".into(),
        _ => return None,
    })
}
