"""Benchmarks of a checkout (python -m bench): problems, peers with one signature, and the figures of
docs/developers/benchmarks.md."""
