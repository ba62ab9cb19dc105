"""xarray's methods on its arrays with zerostride's arrays in them, against the same on NumPy's."""

import warnings

import numpy as np
import pytest
import xarray as xr

import zerostride as zs

X = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
X[1, 2] = np.nan
WEIGHTS = np.random.default_rng(1).random(5).astype(np.float32)


def table(x):
    return xr.DataArray(x, dims=("t", "c"), coords={"t": np.arange(5), "c": list("abcd")})


def weighted(d):
    return d.weighted(xr.DataArray(WEIGHTS, dims="t"))


METHODS = {
    "std": lambda d: d.std(),
    "std of an axis": lambda d: d.std("t", ddof=1),
    "std of NaN": lambda d: d.std("t", skipna=False, ddof=1),
    "var": lambda d: d.var("c"),
    "var of NaN": lambda d: d.var("c", skipna=False),
    "shift": lambda d: d.shift(t=1),
    "shift back": lambda d: d.shift(t=-2, c=1, fill_value=0),
    "rolling mean": lambda d: d.rolling(t=3).mean(),
    "rolling sum": lambda d: d.rolling(t=2, center=True).sum(),
    "rolling max": lambda d: d.rolling(t=3, min_periods=1).max(),
    "rolling std": lambda d: d.rolling(t=3).std(),
    "rolling median": lambda d: d.rolling(t=3).median(),
    "rolling count": lambda d: d.rolling(t=3).count(),
    "rolling along two axes": lambda d: d.rolling(t=2, c=2).mean(),
    "rolling construct": lambda d: d.rolling(t=3).construct("w"),
    "cumulative": lambda d: d.cumulative("t").sum(),
    "pad": lambda d: d.pad(t=1),
    "pad with numbers": lambda d: d.pad(t=1, c=1, constant_values={"t": (1, 2), "c": 3}),
    **{f"pad {m}": lambda d, m=m: d.pad(t=2, mode=m) for m in ("edge", "reflect", "symmetric", "wrap", "mean", "maximum", "minimum")},
    "dot": lambda d: d.fillna(0).dot(d.fillna(0)),
    "dot of an axis": lambda d: d.fillna(0).dot(d.fillna(0), dim="t"),
    "dot of two names": lambda d: xr.dot(d.fillna(0), d.fillna(0).rename(t="u"), dim="c"),
    "weighted mean": lambda d: weighted(d).mean("t"),
    "weighted sum": lambda d: weighted(d).sum("t"),
    "weighted std": lambda d: weighted(d).std("t"),
    "sum of weights": lambda d: weighted(d).sum_of_weights("t"),
    "quantile": lambda d: d.quantile(0.5),
    "quantiles": lambda d: d.quantile([0.25, 0.75], "t"),
    "quantile without NaN": lambda d: d.fillna(0).quantile(0.3, "t", skipna=False, method="lower"),
    "median": lambda d: d.median("t"),
    "cov": lambda d: xr.cov(d, d, dim="t"),
    "groups": lambda d: d.groupby(xr.DataArray([0, 0, 1, 1, 1], dims="t", name="g")).std(),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_gives_what_it_gives_on_numpys_arrays(name):
    do = METHODS[name]
    with warnings.catch_warnings():
        # Of slices that are all NaN NumPy warns.
        warnings.simplefilter("ignore", RuntimeWarning)
        found, wanted = do(table(zs.asarray(X))), do(table(X))
    assert isinstance(found.data, zs.Array), type(found.data)
    np.testing.assert_allclose(found.data.numpy(), wanted.data, rtol=2e-5, atol=1e-6)


def test_weighted_quantiles_are_computed_on_the_host():
    found, wanted = (weighted(table(x).fillna(0)).quantile([0.2, 0.5], dim="t") for x in (zs.asarray(X), X))
    np.testing.assert_allclose(np.asarray(found.data), wanted.data, rtol=1e-6)


@pytest.mark.parametrize(
    ("do", "says"),
    [
        (lambda d: d.pad(t=1, mode="linear_ramp"), "linear_ramp.*the modes are"),
        (lambda d: d.differentiate("t"), "numpy.gradient"),
    ],
)
def test_what_is_not_there_is_said(do, says):
    with pytest.raises(TypeError, match=says):
        do(table(zs.asarray(X)))
