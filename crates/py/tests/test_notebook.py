"""The notebook's cells, run in order in the notebook's folder."""

import json
from pathlib import Path

import matplotlib

NOTEBOOK = Path(__file__).parent.parent / "examples" / "tour.ipynb"


def test_the_notebook_runs(monkeypatch):
    matplotlib.use("agg")
    monkeypatch.chdir(NOTEBOOK.parent)
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    names = {}
    for i, cell in enumerate(cells):
        exec(compile("".join(cell["source"]), f"cell {i}", "exec"), names)
    assert names["image"].max() == 96 and names["image"].min() >= 1
    assert names["losses"][-1] < 0.5 < names["losses"][0]
    assert all(cell["outputs"] for cell in cells if "plt.figure" in "".join(cell["source"]))
