"""Functions in float64, and those that NumPy does not have."""

import math

import numpy as np

erf = np.vectorize(math.erf, otypes=[np.float64])
erfc = np.vectorize(math.erfc, otypes=[np.float64])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def far_left(x, y):
    """y, but a negative zero where x is negatively infinite."""
    return np.where(np.isneginf(x), -0.0, y)


def gelu(x):
    return far_left(x, 0.5 * x * erfc(-x * math.sqrt(0.5)))


def gelu_tanh(x):
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
    return far_left(x, x / (1 + np.exp(-2 * u)))


def mish(x):
    return far_left(x, x * np.tanh(softplus(x)))


def above(x, alpha):
    """x above alpha, else 0."""
    return np.where((x > alpha) | np.isnan(x), x, x.dtype.type(0))


def softsign(x):
    return np.where(np.isinf(x), np.sign(x), x / (1 + np.abs(x)))


def hard_swish(x):
    return np.where(x >= 3, x, np.where(x <= -3, -0.0, x * (x + 3) / 6))


def swish(x, z):
    """x * sigmoid(z)."""
    zero = np.isneginf(z) & ~np.isnan(x) & (x != 0)
    return np.where(zero, np.copysign(0.0, x), x / (1 + np.exp(-z)))


def float_power(a, b):
    """NumPy's power of arrays; with a scalar exponent of 0.5 it takes the root, which is NaN of -inf where C99 has inf."""
    shape = np.broadcast_shapes(np.shape(a), np.shape(b))
    a, b = (np.array(np.broadcast_to(x, shape)).reshape(-1) for x in (a, b))
    return np.power(a, b).reshape(shape)


def integer_power(a, b):
    """a ** b, wrapped; a negative exponent gives the truncated quotient."""
    mask = (1 << (8 * a.dtype.itemsize)) - 1
    a, b = np.broadcast_arrays(a, b)
    out = np.empty(a.shape, dtype=a.dtype)
    raw = out.reshape(-1).view(f"u{a.dtype.itemsize}")
    for i, (x, n) in enumerate(zip(a.reshape(-1).tolist(), b.reshape(-1).tolist())):
        if n >= 0:
            raw[i] = pow(x, n, mask + 1)
        elif x in (1, -1):
            raw[i] = x ** (n % 2) & mask
        else:
            raw[i] = 0
    return out


def round_away(x):
    """The nearest whole number, halves away from 0."""
    down = np.trunc(x)
    up = (np.abs(x - down) >= 0.5).astype(x.dtype)
    return np.where(np.isfinite(x), np.copysign(np.abs(down) + up, x), x)


def shift_left(a, b):
    """0 where the amount is negative or not less than the width."""
    width = 8 * a.dtype.itemsize
    inside = (b >= 0) & (b < width)
    return np.where(inside, np.left_shift(a, np.where(inside, b, 0).astype(a.dtype)), 0).astype(a.dtype)


def shift_right(a, b):
    """-1 for a negative number, else 0, where the amount is negative or not less than the width."""
    width = 8 * a.dtype.itemsize
    inside = (b >= 0) & (b < width)
    far = np.where(a < 0, -1, 0).astype(a.dtype)
    return np.where(inside, np.right_shift(a, np.where(inside, b, 0).astype(a.dtype)), far)
