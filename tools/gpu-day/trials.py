#!/usr/bin/env python3
"""trials.py FOLDER: writes trial kernels for `zerostride-bench NAME --kernels FOLDER/TRIAL`, one folder a trial.

They compute what the kernels by hand of `tools/bench/handwritten` compute, over the same grids: sums of one shape by
workgroups of other widths, a row sum of odd extents that loads everything first, and transposes through workgroup memory.
"""
import sys
from pathlib import Path

# Quads of a workgroup in the grid of `Kernel::flat`.
QUADS = 1024
LOADS = "@group(0) @binding(0) var<uniform> p: vec4<u32>;\n"


def buffers(a, b, o):
    access = {"a": "read", "b": "read", "o": "read_write"}
    return LOADS + "".join(
        f"@group(0) @binding({n}) var<storage, {access[v]}> {v}: array<{of}>;\n"
        for n, (v, of) in enumerate(zip("abo", (a, b, o)), 1)
    )


def entry(width):
    return (
        f"@compute @workgroup_size({width})\nfn main(@builtin(local_invocation_index) l: u32, "
        "@builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {\n"
    )


def same(width):
    """Workgroups of `width` invocations, all loads of an invocation before its stores."""
    steps = range(0, QUADS, width)
    body = f"    let i = (w.x + w.y * n.x) * {QUADS}u + l;\n"
    body += "".join(f"    let r{k} = a[i + {k}u] + b[i + {k}u];\n" for k in steps)
    body += "".join(f"    if i + {k}u < p.x {{ o[i + {k}u] = r{k}; }}\n" for k in steps)
    return buffers(*["vec4<f32>"] * 3) + entry(width) + body + "}\n"


def odd_row():
    """A quad of each quarter of the rows, all loads first."""
    return (
        buffers("vec4<f32>", "f32", "vec4<f32>")
        + entry(256)
        + """    let i = (w.x + w.y * n.x) * 256u + l;
    if i >= p.z { return; }
    let c = (4u * i) % p.y;
    let lanes = vec4<u32>(c) + vec4<u32>(0u, 1u, 2u, 3u);
    let at = select(lanes, lanes - vec4<u32>(p.y), lanes >= vec4<u32>(p.y));
    let v = vec4<f32>(b[at.x], b[at.y], b[at.z], b[at.w]);
    let last = i + 3u * p.z;
    let d = min(last, p.x - 1u);
    let r0 = a[i] + v;
    let r1 = a[i + p.z] + v;
    let r2 = a[i + 2u * p.z] + v;
    let r3 = a[d] + v;
    o[i] = r0;
    o[i + p.z] = r1;
    o[i + 2u * p.z] = r2;
    if last < p.x { o[d] = r3; }
}
"""
    )


def staged(side, across, down):
    """a.T + b by tiles of `side` x `side` elements through workgroup memory; the output has `down` rows of `across`."""
    pitch, step = side + 1, 256 // side
    ks = range(side * side // 256)

    def loaded(k):
        return f"a[at + {k}u * p_a]"

    def held(k):
        return f"held[to + {k * step * pitch}u]"

    def summed(k):
        return f"held[back + {k * step}u] + b[to_o + {k}u * p_o]"

    def lines(texts, blanks=12):
        return "".join(f"{' ' * blanks}{text}\n" for text in texts)

    whole_in = lines([f"let a{k} = {loaded(k)};" for k in ks] + [f"{held(k)} = a{k};" for k in ks])
    whole_out = lines([f"let r{k} = {summed(k)};" for k in ks] + [f"o[to_o + {k}u * p_o] = r{k};" for k in ks])
    some_in = lines(
        f"if i0 + over + {k * step}u < c && j0 + along < r {{ {held(k)} = {loaded(k)}; }}" for k in ks
    )
    some_out = lines(
        f"if j0 + over + {k * step}u < r && i0 + along < c {{ o[to_o + {k}u * p_o] = {summed(k)}; }}" for k in ks
    )
    return (
        buffers("f32", "f32", "f32")
        + f"var<workgroup> held: array<f32, {side * pitch}>;\n"
        + entry(256)
        + f"""    let c = {across};
    let r = {down};
    let wide = (c + {side - 1}u) / {side}u;
    let tiles = wide * ((r + {side - 1}u) / {side}u);
    let along = l % {side}u;
    let over = l / {side}u;
    let to = over * {pitch}u + along;
    let back = along * {pitch}u + over;
    let p_a = {step}u * r;
    let p_o = {step}u * c;
    for (var tile = w.y * n.x + w.x; tile < tiles; tile += n.x * n.y) {{
        let i0 = tile % wide * {side}u;
        let j0 = tile / wide * {side}u;
        let at = (i0 + over) * r + j0 + along;
        let to_o = (j0 + over) * c + i0 + along;
        let whole = i0 + {side}u <= c && j0 + {side}u <= r;
        if whole {{
{whole_in}        }} else {{
{some_in}        }}
        workgroupBarrier();
        if whole {{
{whole_out}        }} else {{
{some_out}        }}
        workgroupBarrier();
    }}
}}
"""
    )


def main(folder):
    trials = {f"width-{width}": {"same_add": same(width)} for width in (32, 64, 128, 256, 512)}
    trials["loads-first"] = {"odd_row_add": odd_row()}
    for side in (32, 64):
        # p.x and p.y count elements of the odd table, quads of the other.
        trials[f"staged-{side}"] = {
            "odd_transpose_add": staged(side, "p.x", "p.y"),
            "transpose_add": staged(side, "4u * p.x", "4u * p.y"),
        }
    for trial, kernels in trials.items():
        at = folder / trial
        at.mkdir(parents=True, exist_ok=True)
        for name, text in kernels.items():
            (at / f"{name}.wgsl").write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
