"""Random conformance cases with NumPy as the other side; scripts/fuzz.py writes them to files."""
