#!/usr/bin/env python3
"""Writes crates/onnx/tests/torch: five small models by torch's own exporter, with inputs and what onnxruntime gives.

Needs the packages of %(VERSIONS)s; torch may be its build for CPUs. For each model NAME.onnx, and NAME.values.onnx: a
graph without nodes whose initializers are named CASE/in/NAME and CASE/out/NAME. Run from anywhere:

    scripts/make_onnx_models.py            writes the files
    scripts/make_onnx_models.py --times    times of these and of wider ones, which go to target/onnx-torch: the library's
                                           on the adapter that it chooses, beside those of onnxruntime on the CPU, as
                                           ratios of medians; a path after it is that of the example onnx_times, built

The exporter notes where in torch's sources each node comes from; these notes, which name files of the machine, are left
out. Nothing else is changed.
"""

import argparse
import logging
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional

VERSIONS = {"torch": "2.15.0", "onnx": "1.23.2", "onnxscript": "0.7.2", "onnxruntime": "1.32.0", "numpy": "2.4.6"}
ROOT = pathlib.Path(__file__).resolve().parent.parent
SMALL = ROOT / "crates/onnx/tests/torch"
WIDE = ROOT / "target/onnx-torch"
REPEATS = 15


class Mlp(nn.Module):
    """Two layers with GELU between, as it is and by tanh."""

    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, 2 * width)
        self.second = nn.Linear(2 * width, width)
        self.third = nn.Linear(width, 4)

    def forward(self, x):
        x = functional.gelu(self.first(x))
        x = functional.gelu(self.second(x), approximate="tanh")
        return self.third(x)


class Encoder(nn.Module):
    """torch's own encoder block, with a mask of pairs and one of padding."""

    def __init__(self, width):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(
            width, 4, 2 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )

    def forward(self, x, mask, padding):
        return self.layer(x, src_mask=mask, src_key_padding_mask=padding)


class Decoder(nn.Module):
    """A block of a decoder: RMS norms, turned keys, a gated layer; the keys and values of before come in and go out."""

    def __init__(self, width, heads=2):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.before, self.between = nn.RMSNorm(width, eps=1e-5), nn.RMSNorm(width, eps=1e-5)
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.gate, self.up = nn.Linear(width, 2 * width, bias=False), nn.Linear(width, 2 * width, bias=False)
        self.down = nn.Linear(2 * width, width, bias=False)
        turns = 1.0 / 10000 ** (torch.arange(0, self.size, 2, dtype=torch.float32) / self.size)
        self.register_buffer("turns", turns)

    def split(self, x):
        return x.unflatten(-1, (self.heads, self.size)).transpose(1, 2)

    def turned(self, x, places):
        angles = places.to(torch.float32)[:, None] * self.turns
        cos, sin = torch.cat((angles.cos(),) * 2, -1), torch.cat((angles.sin(),) * 2, -1)
        low, high = x.chunk(2, -1)
        return x * cos + torch.cat((-high, low), -1) * sin

    def forward(self, x, past_key, past_value):
        n, past = x.shape[1], past_key.shape[2]
        places = torch.arange(n) + past
        y = self.before(x)
        q, k, v = self.split(self.q(y)), self.split(self.k(y)), self.split(self.v(y))
        q, k = self.turned(q, places), self.turned(k, places)
        key, value = torch.cat((past_key, k), 2), torch.cat((past_value, v), 2)
        mask = torch.arange(n + past)[None, :] <= places[:, None]
        y = functional.scaled_dot_product_attention(q, key, value, attn_mask=mask)
        x = x + self.o(y.transpose(1, 2).flatten(2))
        y = self.between(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y)), key, value


class Head(nn.Module):
    """The end of a residual network, without convolutions."""

    def __init__(self, width):
        super().__init__()
        self.first, self.second = nn.BatchNorm2d(width), nn.BatchNorm2d(width)
        self.mix = nn.Linear(width, width)
        self.pool, self.flatten = nn.AdaptiveAvgPool2d(1), nn.Flatten()
        self.norm, self.last = nn.BatchNorm1d(width), nn.Linear(width, 5)
        for norm in (self.first, self.second, self.norm):
            nn.init.uniform_(norm.running_mean, -0.5, 0.5)
            nn.init.uniform_(norm.running_var, 0.5, 1.5)
            nn.init.uniform_(norm.weight, 0.5, 1.5)
            nn.init.uniform_(norm.bias, -0.5, 0.5)

    def forward(self, x):
        # A convolution of 1 by 1 is a product of matrices.
        y = self.mix(functional.relu(self.first(x)).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        x = functional.relu(x + self.second(y))
        x = self.norm(self.flatten(self.pool(x)))
        return functional.softmax(self.last(functional.hardtanh(x, -2.0, 2.0)), -1)


class Boosted(nn.Module):
    """Trees of decisions, all at once: at each depth a place becomes one of its two children."""

    def __init__(self, trees, features=6, depth=4):
        super().__init__()
        inner = 2**depth - 1
        self.depth, self.inner = depth, inner
        self.register_buffer("feature", torch.randint(0, features, (trees * inner,)))
        self.register_buffer("threshold", torch.randn(trees * inner, 1))
        self.register_buffer("missing_goes_left", torch.rand(trees * inner) < 0.5)
        self.register_buffer("leaf", torch.randn(trees * (inner + 1)) * 0.1)
        self.register_buffer("tree", torch.arange(trees))

    def forward(self, x):
        place = torch.zeros_like(self.tree).expand(x.shape[0], -1)
        for _ in range(self.depth):
            at = self.tree * self.inner + place
            value = x.gather(1, self.feature[at])
            side = torch.where(self.missing_goes_left[at], -torch.inf, torch.inf)
            value = torch.where(value.isnan(), side, value)
            threshold = functional.embedding(at, self.threshold).squeeze(-1)
            place = torch.where(value <= threshold, 2 * place + 1, 2 * place + 2)
        leaves = self.leaf[self.tree * (self.inner + 1) + place - self.inner]
        score = leaves.sum(-1)
        return torch.sigmoid(score), score


def normal(random, *shape):
    return random.standard_normal(shape, dtype=np.float32)


def of_mlp(random, width, batch):
    return {"x": normal(random, batch, width)}


def of_encoder(random, width, batch, sequence):
    mask = np.triu(np.full((sequence, sequence), -np.inf, np.float32), 1)
    padding = np.arange(sequence) >= random.integers(1, sequence + 1, (batch, 1))
    # torch wants both masks of one type.
    padding = np.where(padding, np.float32(-np.inf), np.float32(0))
    return {"x": normal(random, batch, sequence, width), "mask": mask, "padding": padding}


def of_decoder(random, width, batch, sequence, past):
    before = [normal(random, batch, 2, past, width // 2) for _ in range(2)]
    return {"x": normal(random, batch, sequence, width), "past_key": before[0], "past_value": before[1]}


def of_head(random, width, batch, height, across):
    return {"x": normal(random, batch, width, height, across)}


def of_boosted(random, _, batch):
    x = normal(random, batch, 6)
    x[random.random(x.shape) < 0.1] = np.nan
    return {"x": x}


batch, sequence, past, height, across = map(Dim, ("batch", "sequence", "past", "height", "across"))
# Class, inputs, extents that are open, names of outputs; a small width and its cases, a wide one and its case.
MODELS = {
    "mlp": (Mlp, of_mlp, {"x": {0: batch}}, ["y"], 16, [(3,), (1,), (10,)], 1024, (256,)),
    "encoder": (
        Encoder,
        of_encoder,
        {"x": {0: batch, 1: sequence}, "mask": {0: sequence, 1: sequence}, "padding": {0: batch, 1: sequence}},
        ["y"],
        12,
        [(2, 5), (3, 4), (1, 9)],
        256,
        (8, 128),
    ),
    "decoder": (
        Decoder,
        of_decoder,
        {"x": {0: batch, 1: sequence}, "past_key": {0: batch, 2: past}, "past_value": {0: batch, 2: past}},
        ["y", "key", "value"],
        12,
        [(2, 3, 4), (1, 1, 7), (3, 4, 2)],
        512,
        (8, 2, 256),
    ),
    "head": (
        Head,
        of_head,
        {"x": {0: batch, 2: height, 3: across}},
        ["y"],
        10,
        [(2, 3, 4), (3, 4, 2)],
        512,
        (32, 7, 7),
    ),
    "boosted": (Boosted, of_boosted, {"x": {0: batch}}, ["chance", "score"], 12, [(4,), (9,)], 200, (4096,)),
}


def exported(name, path, width, example):
    """The model's file; torch's own exporter writes it."""
    kind, inputs, extents, outputs = MODELS[name][:4]
    torch.manual_seed(40)
    model = kind(width).eval()
    given = inputs(np.random.default_rng(40), width, *example)
    program = torch.onnx.export(
        model,
        tuple(torch.from_numpy(x) for x in given.values()),
        input_names=list(given),
        output_names=outputs,
        dynamic_shapes=extents,
        dynamo=True,
        verbose=False,
    )
    proto = program.model_proto
    for message in [proto, proto.graph, *proto.functions]:
        del message.metadata_props[:]
        message.doc_string = ""
    nodes = [*proto.graph.node, *(n for f in proto.functions for n in f.node)]
    for message in [*nodes, *proto.graph.input, *proto.graph.output, *proto.graph.initializer]:
        del message.metadata_props[:]
        message.doc_string = ""
    del proto.graph.value_info[:]
    onnx.checker.check_model(proto)
    path.write_bytes(proto.SerializeToString(deterministic=True))


def session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def values(name, path, width, cases):
    """Inputs of each case and what onnxruntime gives for them."""
    running = session(path)
    tensors = []
    for n, case in enumerate(cases):
        given = MODELS[name][1](np.random.default_rng(n), width, *case)
        outputs = [o.name for o in running.get_outputs()]
        found = dict(zip(outputs, running.run(outputs, given)))
        for way, arrays in (("in", given), ("out", found)):
            tensors += [onnx.numpy_helper.from_array(x, f"{n}/{way}/{key}") for key, x in arrays.items()]
            assert all(not np.isnan(x).any() for x in found.values())
    graph = onnx.helper.make_graph([], name, [], [], initializer=tensors)
    model = onnx.helper.make_model(graph, producer_name="make_onnx_models")
    path.with_suffix(".values.onnx").write_bytes(model.SerializeToString(deterministic=True))


def write():
    SMALL.mkdir(parents=True, exist_ok=True)
    for name, (*_, width, cases, _, _) in MODELS.items():
        path = SMALL / f"{name}.onnx"
        exported(name, path, width, cases[0])
        values(name, path, width, cases)
        proto = onnx.load(path)
        opset = ", ".join(f"{o.domain or 'ai.onnx'} {o.version}" for o in proto.opset_import)
        print(f"{name}: {len(proto.graph.node)} nodes, {opset}, {path.stat().st_size} bytes")
    total = sum(path.stat().st_size for path in SMALL.iterdir())
    print(f"{total} bytes in all")


def onnxruntime_times(path, name, width, case):
    running = session(path)
    given = MODELS[name][1](np.random.default_rng(0), width, *case)
    times = []
    for _ in range(REPEATS + 3):
        begun = time.perf_counter()
        running.run(None, given)
        times.append(time.perf_counter() - begun)
    return statistics.median(times[3:])


def times(program):
    """Ratios of the library's times to onnxruntime's, of the small models and of wider ones."""
    WIDE.mkdir(parents=True, exist_ok=True)
    for name, (*_, width, cases, wide, case) in MODELS.items():
        path = WIDE / f"{name}.onnx"
        exported(name, path, wide, case)
        values(name, path, wide, [case])
    example = ["cargo", "run", "--release", "--quiet", "-p", "zerostride-onnx", "--example", "onnx_times", "--"]
    command = [program] if program else example
    for folder, title in ((SMALL, "small"), (WIDE, "wide")):
        made = subprocess.run([*command, folder], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        for line in made.stdout.splitlines():
            if " passes " not in line:
                print(line)
                continue
            name, passes, _, seconds = line.split()
            *_, width, cases, wide, case = MODELS[name]
            width, case = (width, cases[0]) if folder == SMALL else (wide, case)
            other = onnxruntime_times(folder / f"{name}.onnx", name, width, case)
            print(f"{title} {name}: {passes} passes, {float(seconds) / other:.2f} times onnxruntime's time on the CPU")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", nargs="?", const="", metavar="PROGRAM")
    arguments = parser.parse_args()
    modules = {name: __import__(name).__version__.split("+")[0] for name in VERSIONS}
    if modules != VERSIONS:
        print(f"make_onnx_models: these are {modules}; the committed files are of {VERSIONS}", file=sys.stderr)
    torch.backends.mha.set_fastpath_enabled(False)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", "# The axis name")
    write() if arguments.times is None else times(arguments.times)


__doc__ = __doc__ % {"VERSIONS": " ".join(f"{k}=={v}" for k, v in VERSIONS.items())}
if __name__ == "__main__":
    main()
