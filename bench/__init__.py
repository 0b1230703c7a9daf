"""Benchmarks: problems, peers with one signature, and the figures of docs/developers/benchmarks.md.

`bench` in a checkout (python -m bench), `dcsvm._tools.bench` where dcsvm is installed (dcsvm bench).
"""
