"""Training and prediction on a Dask cluster: ``pip install 'dcsvm[dask,sklearn]'``. See docs/distributed.md.

>>> from distributed import Client, LocalCluster                            # doctest: +SKIP
>>> import dask.array as da, dcsvm                                          # doctest: +SKIP
>>> from dcsvm.dask import DaskSVC                                          # doctest: +SKIP
>>> client = Client(LocalCluster(n_workers=2, threads_per_worker=1))        # doctest: +SKIP
>>> X, y = (da.from_array(a, chunks=(50_000,) + a.shape[1:]) for a in dcsvm.datasets.make_checkerboard(200_000))
...                                                                         # doctest: +SKIP
>>> model = DaskSVC(C=100, gamma=4).fit(X, y)                               # doctest: +SKIP
>>> model.predict(X)                                                        # doctest: +SKIP
dask.array<...>
"""

from __future__ import annotations

try:
    import distributed as _distributed  # noqa: F401
except ImportError as error:
    raise ImportError(f"dcsvm.dask needs Dask: pip install 'dcsvm[dask,sklearn]' ({error})", name=error.name) from error

from .._distributed.engine import PartitionError, TaskError
from .._distributed.newton import Pass
from .._distributed.outer_loop import Round
from .._distributed.report import DistributedLinearReport, DistributedLowRankReport, DistributedReport
from ._clusters import DaskDCSVC
from ._cross_validate import cross_validate
from ._linear import DaskLinearSVC, DaskLogisticRegression
from ._low_rank import DaskLowRankSVC
from ._one_class import DaskOneClassSVM
from ._svm import DaskSVC, DaskSVR

__all__ = [
    "DaskDCSVC",
    "DaskLinearSVC",
    "DaskLogisticRegression",
    "DaskLowRankSVC",
    "DaskOneClassSVM",
    "DaskSVC",
    "DaskSVR",
    "DistributedLinearReport",
    "DistributedLowRankReport",
    "DistributedReport",
    "PartitionError",
    "Pass",
    "Round",
    "TaskError",
    "cross_validate",
]

for _name in __all__:  # what pickles name: they survive a change of this package's inside
    globals()[_name].__module__ = "dcsvm.dask"
