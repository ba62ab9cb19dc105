#!/usr/bin/env python3
"""zerostride beside NumPy, numexpr and PyTorch on the CPU, from NumPy arrays to NumPy arrays.

    peers.py                          every size from 2^10 to 2^26, as a table in Markdown
    peers.py --log2 10 18 --rounds 5  these sizes

In each round every contestant computes every expression once (small ones many times over); figures are medians of the
rounds' ratios. Before that their results are compared with NumPy's. A package that is missing is left out, and said so.
"""

import argparse
import statistics
import sys
import time

import numpy as np

import zerostride as zs

try:
    import numexpr
except ImportError:
    numexpr = None
try:
    import torch
except ImportError:
    torch = None

#: A round computes until so many seconds have passed, once at least.
SHORTEST = 0.02
#: What is measured: name, text for zerostride, function of a namespace, text for numexpr if it can.
WORKLOADS = [
    ("sum of two", "x + y", lambda np, x, y, r, c: x + y, "x + y"),
    ("sum with a row", "x + r", lambda np, x, y, r, c: x + r, "x + r"),
    ("outer product", "c * r", lambda np, x, y, r, c: c * r, "c * r"),
    (
        "chain of ten",
        "tanh(x * y + r) * exp(-x * x) + sqrt(abs(y - c)) / 2",
        lambda np, x, y, r, c: np.tanh(x * y + r) * np.exp(-x * x) + np.sqrt(np.abs(y - c)) / 2,
        "tanh(x * y + r) * exp(-x * x) + sqrt(abs(y - c)) / 2",
    ),
    (
        "z-score of columns",
        "(x - x.mean(axis=0)) / x.std(axis=0)",
        lambda np, x, y, r, c: (x - x.mean(0)) / (x.std(0, correction=0) if np is torch else x.std(0)),
        None,
    ),
    (
        "softmax of rows",
        "e = exp(x - x.max(axis=-1, keepdims=True)); e / e.sum(axis=-1, keepdims=True)",
        lambda np, x, y, r, c: np.softmax(x, -1) if np is torch else softmax(x),
        None,
    ),
]


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def operands(log2):
    random = np.random.default_rng(7)
    rows, columns = 2 ** (log2 // 2), 2 ** (log2 - log2 // 2)

    def draw(*shape):
        return random.standard_normal(shape, dtype=np.float32)

    return {"x": draw(rows, columns), "y": draw(rows, columns), "r": draw(columns), "c": draw(rows, 1)}


def contestants(workload, arrays):
    """Functions without arguments, each of which computes the workload and gives something like an array."""
    _, text, function, other = workload
    found = {"NumPy": lambda: function(np, *arrays.values())}
    if numexpr is not None and other is not None:
        found["numexpr"] = lambda: numexpr.evaluate(other, arrays)
    if torch is not None:
        tensors = [torch.from_numpy(a) for a in arrays.values()]
        found["PyTorch"] = lambda: function(torch, *tensors)
    found["evaluate"] = lambda: zs.evaluate(text, arrays)
    resident = [zs.asarray(a) for a in arrays.values()]
    zs.compute(*resident)
    fused = zs.fuse(lambda *given: function(np, *given))
    found["resident"] = lambda: zs.compute(fused(*resident))[0]
    return found


def seconds(call):
    """Seconds a call takes; behind the last one an element is read, which waits for all of them."""
    begun, times = time.perf_counter(), 0
    while times == 0 or time.perf_counter() - begun < SHORTEST:
        found = call()
        times += 1
    float(found[(0,) * found.ndim])
    return (time.perf_counter() - begun) / times


def measured(workload, log2, rounds):
    """How many times NumPy's time each takes."""
    calls = contestants(workload, operands(log2))
    expected = calls["NumPy"]()
    for name, call in calls.items():
        np.testing.assert_allclose(np.asarray(call()), expected, rtol=2e-5, atol=2e-5, err_msg=f"{workload[0]}: {name}")
    ratios = {name: [] for name in calls}
    for _ in range(rounds):
        times = {name: seconds(call) for name, call in calls.items()}
        for name in calls:
            ratios[name].append(times["NumPy"] / times[name])
    return {name: statistics.median(r) for name, r in ratios.items()}


def small_call(call, runs=2000):
    """Microseconds that a call takes, and those of them that this thread computes."""
    for _ in range(100):
        call()
    begun, computed = time.perf_counter(), time.thread_time()
    for _ in range(runs):
        call()
    return (time.perf_counter() - begun) / runs * 1e6, (time.thread_time() - computed) / runs * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log2", type=int, nargs="+", default=[10, 14, 18, 22, 26])
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    for name, package in (("numexpr", numexpr), ("PyTorch", torch)):
        if package is None:
            print(f"peers: {name} is not installed and left out", file=sys.stderr)
    peers = [f"NumPy {np.__version__}"]
    peers += [f"numexpr {numexpr.__version__}"] if numexpr else []
    peers += [f"PyTorch {torch.__version__}"] if torch else []
    print(f"{zs.device().name}; {', '.join(peers)}. Times as fast as NumPy; more is faster.\n")
    small = operands(10)
    wall, thread = small_call(lambda: zs.evaluate("x + y", small))
    print(f"A call of `evaluate` on 2^10 elements takes {wall:.0f} us, of which its thread computes {thread:.0f};", end=" ")
    if numexpr is not None:
        print(f"numexpr takes {small_call(lambda: numexpr.evaluate('x + y', small))[0]:.0f} us", end="; ")
    print(f"NumPy takes {small_call(lambda: small['x'] + small['y'])[0]:.1f} us.\n")
    names = ["numexpr", "PyTorch", "evaluate", "resident"]
    print(f"| expression | elements | {' | '.join(names)} |")
    print(f"|---|---|{'---|' * len(names)}")
    for workload in WORKLOADS:
        for log2 in given.log2:
            found = measured(workload, log2, given.rounds)
            cells = [f"{found[name]:.2g}" if name in found else "" for name in names]
            print(f"| {workload[0]} | 2^{log2} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
