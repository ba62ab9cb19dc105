"""The files of cases: a line of JSON a case, the elements beside them."""

import json
import pathlib

import numpy as np


class Files:
    """Cases in chunks of two files each."""

    def __init__(self, folder, chunk=5000):
        self.folder, self.chunk = pathlib.Path(folder), chunk
        self.folder.mkdir(parents=True, exist_ok=True)
        for old in sorted(self.folder.glob("fuzz_*.jsonl")) + sorted(self.folder.glob("fuzz_*.bin")):
            old.unlink()
        self.lines, self.data, self.places = [], bytearray(), {}
        self.count = self.written = self.size = 0

    def tensor(self, dtype, array, name=None):
        raw = np.ascontiguousarray(array).tobytes()
        if raw not in self.places:
            self.data.extend(bytes(-len(self.data) % 16))
            self.places[raw] = len(self.data)
            self.data.extend(raw)
        named = {"name": name} if name else {}
        return named | {"dtype": dtype, "shape": list(array.shape), "off": self.places[raw], "len": len(raw)}

    def add(self, case_id, group, case, root, tolerance):
        """Writes one case down."""
        text = case.operator is None
        inputs = [self.tensor(d, a, n if text else None) for n, (d, a) in case.inputs.items()]
        line = {"id": case_id, "group": group, "kind": "expression", "rule": case.rule, "op": root.text}
        line |= {
            "attrs": case.attributes,
            "inputs": inputs,
            "outputs": [self.tensor(root.dtype, case.output(root))],
            "tol": tolerance,
        }
        line |= {"expect_error": None, "semantics": "numpy", "judgement": None, "tags": []}
        if not text:
            line |= {"kind": "exec", "rule": "elementwise", "semantics": "onnx"} | case.operator
        if case.bounds is not None:
            line["bounds"] = self.tensor("f64", case.bounds)
        self.lines.append(json.dumps(line, separators=(",", ":")))
        self.count += 1
        if len(self.lines) == self.chunk:
            self.flush()

    def flush(self):
        if not self.lines:
            return
        path = self.folder / f"fuzz_{self.written:03}.jsonl"
        path.write_text("".join(line + "\n" for line in self.lines))
        path.with_suffix(".bin").write_bytes(self.data)
        self.size += path.stat().st_size + len(self.data)
        self.written += 1
        self.lines, self.data, self.places = [], bytearray(), {}
