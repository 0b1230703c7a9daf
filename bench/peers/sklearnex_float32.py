"""SVC of the Extension for Scikit-learn (oneDAL), on float32 data."""

from dcsvm._bench.peers import sklearnex_float32 as fit

__all__ = ["fit"]
