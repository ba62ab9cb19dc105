#!/usr/bin/env python3
"""PyTorch as the peer on a CUDA device: the benchmark's workloads, eager and by torch.compile.

    torch_peer.py --log2 28              one line of JSON a workload, and the copy of one tensor first
    torch_peer.py --sizes 16 29          sums and copies of tensors of 2^16 to 2^29 floats instead, in one CUDA graph each

Without PyTorch or a CUDA device it prints one line that says so. Times are those of CUDA events.
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


def timed(device, runs, call):
    """Milliseconds of each run."""
    for _ in range(3):
        call()
    times = []
    for _ in range(runs):
        if device.type == "cuda":
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            begin.record()
            call()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end))
        else:
            begin = time.perf_counter()
            call()
            times.append((time.perf_counter() - begin) * 1e3)
    return times


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


def peers(args, device):
    """All workloads eager, then compiled, so that what a time limit cuts off is compilation."""
    about = dict(device=torch.cuda.get_device_name() if device.type == "cuda" else "cpu", torch=torch.__version__)
    about["log2"] = args.log2
    x = torch.rand(1 << args.log2, device=device)
    out = torch.empty_like(x)
    times = timed(device, args.runs, lambda: out.copy_(x))
    copy = 2 * size(x) / statistics.median(times) / 1e6
    say(peer="torch-copy", **about, workload="copy", bytes_moved=2 * size(x), gbps=copy, ratio_to_copy=1.0)
    del x, out
    for peer in ["torch-eager"] + ["torch-compile"] * (not args.no_compile):
        for name, function, operands in workloads(args.log2, device):
            try:
                call = torch.compile(function, dynamic=False) if peer == "torch-compile" else function
                given = operands()
                result = call(*given)
                moved = size(result) + sum(size(t) for t in given)
                times = timed(device, args.runs, lambda: call(*given))
                rate = moved / statistics.median(times) / 1e6
                say(
                    peer=peer, **about, workload=name, elements=result.numel(), bytes_moved=moved, runs=len(times),
                    median_ns=round(statistics.median(times) * 1e6), min_ns=round(min(times) * 1e6),
                    gbps=rate, ratio_to_copy=rate / copy,
                )
            except Exception as e:  # Of any kind that a compiler may raise: the next workload may run.
                say(peer=peer, **about, workload=name, error=f"{type(e).__name__}: {e}"[:300])
            given = result = None
            if device.type == "cuda":
                torch.cuda.empty_cache()


def sizes(args, device):
    """Bytes a second by size, so that the rates of the L2 and of DRAM are seen."""
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
                times = [t / many for t in timed(device, args.runs, graph.replay)]
            else:
                times = timed(device, args.runs, call)
            moved = tensors * size(a)
            say(
                peer="torch-graph", workload=name, log2=log2, bytes_moved=moved, input_sets=1, torch=torch.__version__,
                gbps=moved / statistics.median(times) / 1e6,
            )
        del a, b, o


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--log2", type=int, default=28)
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
