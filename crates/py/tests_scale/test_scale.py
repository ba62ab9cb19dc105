"""Engines that spread work over processes: dask, xarray and cubed with zerostride's arrays in their blocks."""

import os
import pathlib
import subprocess
import sys
import textwrap
import time

import dask.array as da
import numpy as np
import xarray as xr
import zarr
from dask.distributed import Client, LocalCluster

import zerostride as zs

SCORE = zs.compile("(x - m) / s")


def test_xarray_applies_a_text_to_blocks():
    x = np.random.default_rng(0).normal(size=(40, 6)).astype(np.float32)
    table = xr.DataArray(x, dims=("row", "column"))
    means, deviations = table.mean("row"), table.std("row")
    found = xr.apply_ufunc(
        SCORE, table.chunk(row=7), means, deviations, dask="parallelized", output_dtypes=[np.float32]
    )
    np.testing.assert_allclose(found.compute(), (x - x.mean(0)) / x.std(0), rtol=1e-5, atol=1e-6)


def test_dask_maps_a_text_over_blocks_and_asks_with_empty_ones():
    x = np.arange(60, dtype=np.float32).reshape(12, 5)
    # dask learns the type by blocks without elements.
    found = da.map_blocks(SCORE, da.from_array(x, chunks=(5, 5)), np.float32(2), np.float32(4))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found.compute(scheduler="threads"), (x - 2) / 4)


def _slow_score(block):
    time.sleep(0.05)
    return zs.evaluate("sin(block) * 2 + exp(-block)")


def test_a_worker_is_killed_and_the_bytes_are_those_of_one_process(tmp_path):
    rng = np.random.default_rng(1)
    whole = rng.normal(size=(64, 50_000)).astype(np.float32)
    source = zarr.create_array(tmp_path / "in.zarr", data=whole, chunks=(4, 10_000))
    workers = LocalCluster(n_workers=4, threads_per_worker=1, processes=True, dashboard_address=None)
    with workers as cluster, Client(cluster) as client:
        blocks = da.from_zarr(source).map_blocks(_slow_score, dtype=np.float32)
        pids = set(client.run(os.getpid).values())
        assert len(pids) == 4
        target = zarr.create_array(tmp_path / "out.zarr", shape=whole.shape, chunks=(4, 10_000), dtype="f4")
        done = blocks.store(target, compute=False, lock=False)
        future = client.compute(done)
        time.sleep(1.5)
        victim = sorted(pids)[0]
        os.kill(victim, 9)
        future.result(timeout=300)
        assert victim not in set(client.run(os.getpid).values())
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "out.zarr")[:], zs.evaluate("sin(whole) * 2 + exp(-whole)"))


CUBED = textwrap.dedent(
    """
    import sys
    import numpy as np
    import cubed
    import cubed.array_api as xp

    # Processes are spawned, and so this is imported by each.
    if __name__ == "__main__":
        folder = sys.argv[1]
        spec = cubed.Spec(work_dir=folder, allowed_mem="500MB")
        x = cubed.from_zarr(folder + "/in.zarr", spec=spec)
        scores = (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)
        executor = cubed.runtime.create.create_executor("processes")
        cubed.to_zarr(xp.astype(scores, xp.float32), folder + "/out.zarr", executor=executor)
    """
)


def test_cubed_computes_on_it_in_processes(tmp_path):
    x = np.random.default_rng(2).normal(size=(1000, 40)).astype(np.float32)
    zarr.create_array(tmp_path / "in.zarr", data=x, chunks=(250, 20))
    script = tmp_path / "compute.py"
    script.write_text(CUBED)
    environment = os.environ | {"CUBED_BACKEND_ARRAY_API_MODULE": "zerostride"}
    run = subprocess.run([sys.executable, script, tmp_path], env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-3000:]
    found = zarr.open_array(pathlib.Path(tmp_path) / "out.zarr")[:]
    np.testing.assert_allclose(found, (x - x.mean(0)) / x.std(0), rtol=1e-4, atol=1e-5)
