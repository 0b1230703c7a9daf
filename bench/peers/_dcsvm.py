"""What the dcsvm peers share."""

from dcsvm import load_svmlight as load
from dcsvm._bench.peers import dcsvm_exact as fit

try:
    import scipy.sparse  # noqa: F401  load_svmlight imports it on first use, which is no part of reading
except ModuleNotFoundError:
    pass

__all__ = ["fit", "load"]
