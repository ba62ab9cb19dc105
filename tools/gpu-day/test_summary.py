#!/usr/bin/env python3
"""Whether summary.py keeps rows at low clocks out of what is published, and names steps that were not run."""
import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

import summary


def row(workload, clocks, **more):
    return dict(
        workload=workload, log2=24, adapter="A 1", driver="D 2", backend="Vulkan", software=False, schedule=None, clocks=clocks,
        gbps=1000.0, median_ns=5, spread=0.01, ratio_to_copy_kernel=0.95, ratio_to_handwritten=1.0,
    ) | more


class LowClocks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.came, self.to = (Path(folder.name) / name for name in ("came", "to"))
        self.came.mkdir()
        self.to.mkdir()
        record = dict(part="first", small=False, date="2026-11-26", commit="abc", gpu="")
        skipped = dict(step="trials of fold-", exit=0, seconds=0, said="not run: nothing is packed")
        self.write("first.jsonl", record, skipped)

    def write(self, name, *rows):
        (self.came / name).write_text("".join(f"{json.dumps(r)}\n" for r in rows))

    def committed(self):
        with contextlib.redirect_stdout(io.StringIO()):
            summary.commit(summary.Results([self.came]), self.to)
        return {path.name.removeprefix("2026-11-26-a-1"): path.read_text() for path in self.to.iterdir()}

    def test_rows_at_low_clocks_are_dropped_and_named(self):
        steady, peer = row("sum_rows", "steady"), row("sum_all", "low", peer="torch-eager", torch="2.11")
        self.write("reductions.jsonl", row("sum_all", "low"), steady)
        self.write("growth.jsonl", row("steps/1", "low"))
        self.write("torch.jsonl", peer, row("sum_rows", "steady", peer="torch-eager", torch="2.11", gbps=500.0))
        found = self.committed()
        self.assertEqual(found["-reductions.jsonl"], f"{json.dumps(steady)}\n")
        self.assertEqual(sorted(found), ["-reductions.jsonl", "-torch.jsonl", ".md"])
        self.assertNotIn("low", found["-torch.jsonl"])
        text, rest = found[".md"].split("## Left out")
        out, tables = rest.split("\n## Steps")
        for cells in ("reductions.jsonl | sum_all | - | 2^24", "torch.jsonl | sum_all | torch-eager | 2^24", "growth.jsonl | steps/1 |"):
            self.assertIn(cells, out)
        self.assertNotIn("sum_rows", out)
        self.assertIn("| sum_rows | 1000 |", tables)
        self.assertIn("| 2.00 |", tables)
        for absent in ("sum_all", "steps/1", "low clocks"):
            self.assertNotIn(absent, text + tables)

    def test_without_such_rows_nothing_is_said_of_them(self):
        # Software adapters have no meter.
        self.write("reductions.jsonl", row("sum_all", None), row("sum_rows", "steady"))
        found = self.committed()
        self.assertEqual(found["-reductions.jsonl"].count("\n"), 2)
        self.assertNotIn("Left out", found[".md"])

    def test_what_is_printed_marks_them(self):
        self.write("reductions.jsonl", row("sum_all", "low"))
        text, _, _ = summary.markdown(summary.Results([self.came]))
        self.assertIn("**low clocks**", text)

    def test_a_step_that_was_not_run_is_none_that_was_done(self):
        self.write("reductions.jsonl", row("sum_all", None))
        self.assertIn("| first | trials of fold- | **no** | 0 | not run: nothing is packed |", self.committed()[".md"])


if __name__ == "__main__":
    unittest.main()
