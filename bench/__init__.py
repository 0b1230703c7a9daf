"""Benchmarks: problems, peers with one signature, and the figures of docs/benchmarks.md."""
