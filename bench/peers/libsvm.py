"""LIBSVM as pip builds it (libsvm-official)."""

from dcsvm._bench.libsvm import fit, fit_rows, load

__all__ = ["fit", "fit_rows", "load"]
