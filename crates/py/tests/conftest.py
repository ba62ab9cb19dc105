import os
import signal

import hypothesis

import zerostride as zs

# scikit-learn dispatches where SciPy does, which reads this when it is imported.
os.environ["SCIPY_ARRAY_API"] = "1"

# The seed is printed with a failure; a run of the check draws anew.
hypothesis.settings.register_profile(
    "check", deadline=None, max_examples=int(os.environ.get("ZEROSTRIDE_EXAMPLES", "40")), print_blob=True
)
hypothesis.settings.load_profile("check")

# A shell that runs the tests in the background has them ignore what Ctrl-C sends, and their children too.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header():
    return f"zerostride {zs.__version__} on {zs.device().name}"
