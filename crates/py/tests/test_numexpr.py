"""numexpr's own tests, which its wheel ships, on zerostride.numexpr."""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).parent

RUN = """
import sys
import pytest
import zerostride.numexpr
for name in ("", ".expressions", ".necompiler", ".utils"):
    sys.modules["numexpr" + name] = sys.modules["zerostride.numexpr" + name]
# A child that is forked is refused, and the test waits for it forever.
sys.exit(pytest.main([*sys.argv[1:], "-q", "-p", "no:cacheprovider", "--deselect", sys.argv[1] + "::test_subprocess"]))
"""


def test_what_fails_is_on_the_list(tmp_path):
    suite = pathlib.Path(importlib.util.find_spec("numexpr").origin).parent / "tests" / "test_numexpr.py"
    shutil.copy(suite, tmp_path)
    # Its scripts import numexpr anew.
    (tmp_path / "numexpr").mkdir()
    (tmp_path / "numexpr" / "__init__.py").write_text("from zerostride.numexpr import *\nfrom zerostride.numexpr import MAX_THREADS, nthreads\n")
    report = tmp_path / "report.xml"
    arguments = ["test_numexpr.py", f"--junitxml={report}", "--tb=no"]
    run = subprocess.run([sys.executable, "-c", RUN, *arguments], cwd=tmp_path, capture_output=True, text=True)
    cases = list(xml.etree.ElementTree.parse(report).iter("testcase"))
    failed = {
        f"{case.get('classname').rpartition('.')[2]}::{case.get('name')}"
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    }
    lines = (HERE / "suites" / "numexpr.txt").read_text().splitlines()
    reasons = dict(line.split("\t") for line in lines if line and not line.startswith("#"))
    unknown = [name for name in sorted(failed) if not any(re.search(r, name) for r in reasons)]
    assert not unknown, f"{len(unknown)} fail without a reason: {unknown[:20]}\n{run.stdout[-2000:]}"
    stale = [r for r in reasons if not any(re.search(r, name) for name in failed)]
    assert not stale, f"no test fails for {stale}"
    skipped = sum(case.find("skipped") is not None for case in cases)
    passed = len(cases) - len(failed) - skipped
    print(f"numexpr's suite: {passed} tests passed, {len(failed)} failed as listed, {skipped} skipped themselves")
    assert passed > 5000
