#!/usr/bin/env python3
"""PyTorch as the peer on a CUDA device: the benchmark's workloads, eager and by torch.compile.

    torch_peer.py --log2 24 28           one line of JSON a workload and size, and the copies of one tensor first
    torch_peer.py --sizes 16 29          sums and copies of tensors of 2^16 to 2^29 floats instead, in one CUDA graph each

Without PyTorch or a CUDA device it prints one line that says so. Times are those of CUDA events; runs go through several
sets of operands, so that no cache holds them, and rounds at low clocks are dropped, as in the benchmark.
"""
import argparse
import json
import statistics
import time

try:
    import torch
except ImportError as e:
    torch = None
    missing = f"PyTorch is not installed ({e})"


def say(**fields):
    print(json.dumps(fields), flush=True)


def size(tensor):
    """Its bytes."""
    return tensor.numel() * tensor.element_size()


class Meter:
    """A device's clock, by how long it takes to count to a number: 1 on a CPU, where it would tell nothing."""

    CYCLES = 131_072
    # A round counts if its clock is at least this share of the best; clocks are steady if the last so many are near it.
    LEAST, STEADY, NEAR = 0.97, 5, 0.99

    def __init__(self, device):
        self.device = device
        self.best = 0.0

    def read(self):
        """MHz."""
        if self.device.type != "cuda":
            clock = 1.0
        else:
            clock = self.CYCLES / span(self.device, lambda: torch.cuda._sleep(self.CYCLES)) / 1e3
        self.best = max(self.best, clock)
        return clock

    def steady(self, clocks):
        return len(clocks) >= self.STEADY and min(clocks[-self.STEADY :]) >= self.NEAR * self.best


def span(device, call):
    """Milliseconds of a call."""
    if device.type != "cuda":
        begin = time.perf_counter()
        call()
        return (time.perf_counter() - begin) * 1e3
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


def timed(meter, runs, call, sets=1):
    """Figures of `call(k)`, which takes the k-th of so many sets of operands, in turn.

    It is warmed up until each set was used, 0.1 s have gone and clocks are steady, for 1 s at most.
    """
    clocks, begun, k = [], time.perf_counter(), 0
    while meter.device.type == "cuda" or k < 3:
        call(k % sets)
        clocks.append(meter.read())
        k += 1
        gone = time.perf_counter() - begun
        if k >= max(sets, 3) and (gone > 1 or (gone > 0.1 and meter.steady(clocks))):
            break
    rounds = [(meter.read(), span(meter.device, lambda k=k: call(k % sets))) for k in range(runs)]
    kept = [r for r in rounds if r[0] >= meter.LEAST * meter.best]
    low = 3 * (len(rounds) - len(kept)) > len(rounds)
    clocks, times = zip(*(kept or rounds))
    metered = meter.device.type == "cuda"
    return dict(
        median_ns=round(statistics.median(times) * 1e6), min_ns=round(min(times) * 1e6), runs=len(times), input_sets=sets,
        clock_mhz=round(statistics.median(clocks)) if metered else None,
        clocks=("low" if low else "steady") if metered else None,
    )


def scaled(log2, bits, at):
    """Extents of 2^bits, brought to 2^log2 elements as the benchmark does it."""
    bits = list(bits)
    total = sum(bits)
    bits[at] += max(0, log2 - total)
    excess = max(0, total - log2)
    for axis in [at, *range(len(bits))]:
        cut = min(excess, max(0, bits[axis] - (2 if axis + 1 == len(bits) else 0)))
        bits[axis] -= cut
        excess -= cut
    return [1 << b for b in bits]


def chain(steps):
    def chained(a, b):
        r = a + b
        for k in range(2, steps + 1):
            r = r * b if k % 2 == 0 else r + a
        return r

    return chained


def add(a, b):
    return a + b


def workloads(log2, device):
    """Name, function and operands, the expressions and shapes of the benchmark's catalogue."""
    columns = 1 << log2 // 2
    rows = (1 << log2) // columns
    odd = (rows - 1, columns + 1)

    def floats(*shape):
        return torch.rand(shape, device=device) + 0.5

    def typed(dtype, *shape):
        if dtype.is_floating_point:
            return floats(*shape).to(dtype)
        # A byte of each is random: sums of u8 wrap, those of i64 do not.
        return torch.randint(0, 256, shape, device=device, dtype=dtype)

    yield "same_add", add, lambda: (floats(rows, columns), floats(rows, columns))
    yield "row_add", add, lambda: (floats(rows, columns), floats(columns))
    yield "col_add", add, lambda: (floats(rows, columns), floats(rows, 1))
    yield "scalar_add", add, lambda: (floats(rows, columns), floats())
    yield "outer_add", add, lambda: (floats(rows, 1), floats(1, columns))
    images = scaled(log2, [6, 8, 5, 5], 0)
    yield "nchw_bias", add, lambda: (floats(*images), floats(1, images[1], 1, 1))
    e = scaled(log2, [3, 4, 6, 4, 7], 2)
    yield "both5d_mul", lambda a, b: a * b, lambda: (floats(e[0], 1, e[2], 1, e[4]), floats(1, e[1], 1, e[3], e[4]))
    yield "where", torch.where, lambda: (floats(rows, columns) > 1, floats(rows, 1), floats(columns))
    yield "pow", lambda a, b: a**b, lambda: (floats(rows, columns), floats(columns))
    norm = [(rows, columns), (rows, 1), (rows, 1), (columns,), (columns,)]
    yield "norm", lambda x, m, s, g, b: (x - m) * s * g + b, lambda: tuple(floats(*shape) for shape in norm)
    yield "transpose_add", lambda a, b: a.t() + b, lambda: (floats(columns, rows), floats(rows, columns))
    for name, dtype in (("u8", torch.uint8), ("f16", torch.float16), ("i64", torch.int64)):
        yield f"{name}_same_add", add, lambda d=dtype: (typed(d, rows, columns), typed(d, rows, columns))
        if name != "i64":
            yield f"{name}_row_add", add, lambda d=dtype: (typed(d, rows, columns), typed(d, columns))
    yield "odd_row_add", add, lambda: (floats(*odd), floats(odd[1]))
    yield "odd_col_add", add, lambda: (floats(*odd), floats(odd[0], 1))
    bias = (max(1, rows // 64), max(1, columns // 16))
    yield "odd_bias", add, lambda: (floats(*bias, 31, 33), floats(bias[1], 1, 1))
    yield "odd_transpose_add", lambda a, b: a.t() + b, lambda: (floats(odd[1], odd[0]), floats(*odd))
    yield "rgb_add", add, lambda: (floats(rows // 4, columns // 4, 3), floats(3))
    # Views of tensors of one element more.
    yield "shift_add", add, lambda: (floats((1 << log2) + 1)[1:], floats((1 << log2) + 1)[:-1])
    eight = [1 << log2 // 8 + (8 - axis <= log2 % 8) for axis in range(8)]
    halves = [[e if axis % 2 == parity else 1 for axis, e in enumerate(eight)] for parity in (0, 1)]
    yield "rank8_add", add, lambda: tuple(floats(*half) for half in halves)
    yield "seven_add", lambda *all: sum(all[1:], all[0]), lambda: tuple(floats(rows, columns) for _ in range(7))
    yield "sum_8", lambda *all: sum(all[1:], all[0]), lambda: tuple(floats(rows, columns) for _ in range(8))
    for steps in (2, 8, 32):
        yield f"chain_{steps}", chain(steps), lambda: (floats(rows, columns), floats(rows, columns))


def folds(log2, device):
    """The same of reductions, scans, joins, moves, sorts and products."""
    columns = 1 << log2 // 2
    count = 1 << log2
    side = 1 << log2 // 2 - 2

    def floats(*shape):
        return torch.rand(shape, device=device) + 0.5

    def rows(columns, count=count):
        return floats(max(1, count // columns), columns)

    yield "sum_all", lambda x: x.sum(), lambda: (rows(columns),)
    yield "sum_rows", lambda x: x.sum(1), lambda: (rows(4096),)
    yield "sum_columns", lambda x: x.sum(0), lambda: (rows(4096),)
    yield "sum_middle", lambda x: x.sum(1), lambda: (floats(*scaled(log2, [6, 8, 10], 0)),)
    yield "sum_short", lambda x: x.sum(1), lambda: (rows(16),)
    yield "sum_long", lambda x: x.sum(1), lambda: (floats(4, count // 4),)
    yield "sum_tall", lambda x: x.sum(0), lambda: (rows(64),)
    yield "mean_rows", lambda x: x.mean(1), lambda: (rows(4096),)
    yield "var_rows", lambda x: x.var(1, unbiased=False), lambda: (rows(4096),)
    yield "argmax_rows", lambda x: x.argmax(1), lambda: (rows(4096),)
    yield "distance_rows", lambda x, y: ((x - y) ** 2).sum(1), lambda: (rows(4096), rows(4096))
    for length in (4096, 768, 257):
        few = 1 << max(0, log2 - 8) if length == 257 else max(1, count // length)
        yield f"softmax_{length}", lambda x: torch.softmax(x, 1), lambda n=length, r=few: (floats(r, n),)
        yield (
            f"layer_norm_{length}", lambda x, g, b: torch.nn.functional.layer_norm(x, x.shape[1:], g, b),
            lambda n=length, r=few: (floats(r, n), floats(n), floats(n)),
        )
    yield "cumsum_rows", lambda x: x.cumsum(1), lambda: (rows(4096),)
    yield "cumsum_columns", lambda x: x.cumsum(0), lambda: (rows(4096),)
    yield "join", lambda x: torch.cat((x, x)), lambda: (floats(count // 2),)
    yield "join_rows", lambda x: torch.cat((x, x), 1), lambda: (rows(2048, count // 2),)
    height = max(1, count // 256)
    yield (
        "take_rows", lambda x, i: x.index_select(0, i),
        lambda: (floats(height, 256), torch.randint(0, height, (height,), device=device, dtype=torch.int32)),
    )
    yield "arange_add", lambda x: x + torch.arange(len(x), dtype=x.dtype, device=x.device), lambda: (floats(count),)
    yield "roll_rows", lambda x: torch.roll(x, 5, 1), lambda: (rows(4096),)
    yield "pad_rows", lambda x: torch.nn.functional.pad(x, (1, 1)), lambda: (rows(4094),)
    yield "sort_rows", lambda x: torch.sort(x, 1, stable=True).values, lambda: (rows(256),)
    yield "argsort_rows", lambda x: torch.argsort(x, 1, stable=True), lambda: (rows(256),)
    product = torch.matmul
    yield "gram", lambda x: x.t() @ x, lambda: (rows(16),)
    yield "matmul", product, lambda: (floats(side, side), floats(side, side))
    yield "matmul_odd", product, lambda: (floats(side - 1, side - 1), floats(side - 1, side - 1))
    yield "matmul_tall", product, lambda: (floats(4 * side, 64), floats(64, 4 * side))
    yield "vecmat", product, lambda: (floats(1, 4 * side), floats(4 * side, 4 * side))


# Bytes that all sets of operands have together at least, so that no cache holds them, and the most sets.
SETS_BYTES, MOST_SETS = 1 << 30, 8
# Compilation takes a second each: what is compiled, of each kind some.
COMPILED = (
    "same_add", "row_add", "transpose_add", "norm", "chain_32", "sum_rows", "sum_columns", "softmax_4096", "layer_norm_4096",
    "var_rows",
)


def peers(args, device):
    """All workloads eager, then some compiled, so that what a time limit cuts off is compilation."""
    meter = Meter(device)
    about = dict(device=torch.cuda.get_device_name() if device.type == "cuda" else "cpu", torch=torch.__version__)
    copies = {}
    for log2 in args.log2:
        x = torch.rand(1 << log2, device=device)
        out = torch.empty_like(x)
        figures = timed(meter, args.runs, lambda _, x=x, out=out: out.copy_(x))
        copies[log2] = 2 * size(x) / figures["median_ns"]
        say(
            peer="torch-copy", **about, log2=log2, workload="copy", bytes_moved=2 * size(x), gbps=copies[log2],
            ratio_to_copy=1.0, **figures,
        )
        del x, out
    eager = [("torch-eager", log2, None) for log2 in args.log2]
    compiled = [("torch-compile", log2, COMPILED) for log2 in args.log2] * (not args.no_compile)
    for peer, log2, chosen in eager + compiled:
        for name, function, operands in [*folds(log2, device), *workloads(log2, device)]:
            if chosen and name not in chosen:
                continue
            try:
                call = torch.compile(function, dynamic=False) if peer == "torch-compile" else function
                given = [operands()]
                result = call(*given[0])
                moved, elements = size(result) + sum(size(t) for t in given[0]), result.numel()
                del result
                sets = max(1, min(MOST_SETS, -(-SETS_BYTES // moved))) if device.type == "cuda" else 2
                given += [operands() for _ in range(sets - 1)]
                figures = timed(meter, args.runs, lambda k: call(*given[k]), sets)
                rate = moved / figures["median_ns"]
                say(
                    peer=peer, **about, log2=log2, workload=name, elements=elements, bytes_moved=moved, gbps=rate,
                    ratio_to_copy=rate / copies[log2], **figures,
                )
            except Exception as e:  # Of any kind that a compiler may raise: the next workload may run.
                say(peer=peer, **about, log2=log2, workload=name, error=f"{type(e).__name__}: {e}"[:300])
            given = result = None
            if device.type == "cuda":
                torch.cuda.empty_cache()


def sizes(args, device):
    """Bytes a second by size, so that the rates of the L2 and of DRAM are seen."""
    meter = Meter(device)
    for log2 in range(args.sizes[0], args.sizes[1] + 1):
        a = torch.rand(1 << log2, device=device)
        b = torch.rand_like(a)
        o = torch.empty_like(a)
        many = max(1, min(256, 1 << max(0, 30 - log2)))
        calls = {"copy": (2, lambda: o.copy_(a)), "same_add": (3, lambda: torch.add(a, b, out=o))}
        for name, (tensors, call) in calls.items():
            call()
            if device.type == "cuda":
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    for _ in range(many):
                        call()
                time_ns = timed(meter, args.runs, lambda _, graph=graph: graph.replay())["median_ns"] / many
            else:
                time_ns = timed(meter, args.runs, lambda _, call=call: call())["median_ns"]
            moved = tensors * size(a)
            say(
                peer="torch-graph", workload=name, log2=log2, bytes_moved=moved, input_sets=1, torch=torch.__version__,
                gbps=moved / time_ns,
            )
        del a, b, o


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--log2", type=int, nargs="+", default=[28])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--sizes", type=int, nargs=2, metavar=("FIRST", "LAST"))
    args = parser.parse_args()
    why = missing if torch is None else None
    if why is None and args.device == "cuda" and not torch.cuda.is_available():
        why = f"PyTorch {torch.__version__} sees no CUDA device"
    if why:
        say(peer="torch", error=f"{why}: no figures of PyTorch")
        return
    device = torch.device(args.device)
    torch.manual_seed(1)
    if args.sizes:
        sizes(args, device)
    else:
        peers(args, device)


if __name__ == "__main__":
    main()
