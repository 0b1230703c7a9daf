"""SVC of the Extension for Scikit-learn (oneDAL), on float64 data."""

from dcsvm._bench.peers import sklearnex_float64 as fit

__all__ = ["fit"]
