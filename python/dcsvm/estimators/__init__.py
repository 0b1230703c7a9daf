"""scikit-learn estimators on dcsvm's core. Reached as ``dcsvm.LowRankSVC`` and so on, which load this package on first use."""

from ._low_rank import LowRankSVC

__all__ = ["LowRankSVC"]

for _name in __all__:  # what pickles name: they survive a change of this package's inside
    globals()[_name].__module__ = "dcsvm"
