#!/usr/bin/env python3
"""What a call on small arrays costs the host: the whole call less the time that the device takes for it.

    small_call.py                 f32[1024] + f32[1024], in each way to call it
    small_call.py --rounds 30

The device's time is that of the same work on bare wgpu, from its submission until the sum is read
(`tools/bench/examples/bare_call.rs`, built by cargo). Both run on one core, with the driver's threads where it has some:
on several it is chance whether a driver's thread is awake when it is called, which is worth more than what is measured.
A driver answers later that was left alone for longer, so the bare call first waits until its calls take as long as the
package's. Each round measures the package, then the bare call; figures are medians of rounds.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import time

# Before threads are made, which keep to the same core.
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import numpy as np

import zerostride as zs

try:
    import numexpr
except ImportError:
    numexpr = None

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
#: Calls of a round.
CALLS = 300
#: Rounds before the ones that count, in which the bare call finds its pause.
FIRST_ROUNDS = 5

a = np.ones(1024, np.float32)
b = np.ones(1024, np.float32)


class Bare:
    """Calls on bare wgpu, in a process of their own."""

    def __init__(self):
        build = ["cargo", "build", "--quiet", "--release", "-p", "zerostride-bench", "--example", "bare_call"]
        subprocess.run(build, cwd=REPOSITORY, check=True)
        run = ["cargo", "run", *build[2:]]
        self.process = subprocess.Popen(
            run, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.measured(0)

    def measured(self, pause):
        """Microseconds of a call that waits so many before it, and those of them that the device takes."""
        self.process.stdin.write(f"{CALLS} {round(pause * 1000)}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("small_call: bare_call has ended")
        return [int(x) / 1000 for x in line.split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def microseconds(call):
    begun = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - begun) / CALLS * 1e6


def host(bare, call, rounds):
    """Microseconds of a call, and those of them that are the host's."""
    pause, wholes, hosts = 0, [], []
    for n in range(FIRST_ROUNDS + rounds):
        whole = microseconds(call)
        bare_whole, device = bare.measured(pause)
        pause = max(0, pause + whole - bare_whole)
        if n >= FIRST_ROUNDS:
            wholes.append(whole)
            hosts.append(whole - device)
    return statistics.median(wholes), statistics.median(hosts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    x, y = zs.compute(zs.asarray(a), zs.asarray(b))
    add = zs.compile("a + b")
    fused = zs.fuse(lambda x, y: x + y)
    zs.evaluate("a + b")
    read = [
        ('evaluate("a + b")', lambda: zs.evaluate("a + b")),
        ("re_evaluate()", lambda: zs.re_evaluate({"a": a, "b": b})),
        ('compile("a + b")', lambda: add(a, b)),
        ("arrays: (x + y).numpy()", lambda: (x + y).numpy()),
        ("fuse: f(x, y).numpy()", lambda: fused(x, y).numpy()),
    ]
    # They wait for the device only where it falls behind by dozens of submissions.
    recorded = [
        ("arrays: compute(x + y)", lambda: zs.compute(x + y)),
        ("fuse: compute(f(x, y))", lambda: zs.compute(fused(x, y))),
        ("arrays: x + y", lambda: x + y),
    ]
    if numexpr is not None:
        recorded.append(("numexpr.evaluate", lambda: numexpr.evaluate("a + b", {"a": a, "b": b})))
    bare = Bare()
    print(f"{zs.device().name}: f32[1024] + f32[1024], microseconds\n")
    print("| call | whole | host |")
    print("|---|---|---|")
    for name, call in read:
        whole, of_host = host(bare, call, rounds)
        print(f"| {name} | {whole:.1f} | {of_host:.1f} |", flush=True)
    bare.close()
    for name, call in recorded:
        microseconds(call)
        found = statistics.median(microseconds(call) for _ in range(rounds))
        print(f"| {name} | {found:.1f} | {found:.1f} |", flush=True)


if __name__ == "__main__":
    main()
