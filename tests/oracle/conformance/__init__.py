"""The conformance cases of tests/cases/."""
