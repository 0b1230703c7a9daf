"""Training and prediction on a Dask cluster: ``pip install '.[dask,sklearn]'``. See docs/distributed.md.

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

import importlib
import re
from pathlib import Path
from typing import Any

from .._shown.packages import installed_by

try:
    import distributed as _distributed  # noqa: F401
except ImportError as error:
    raise ImportError(f"dcsvm.dask needs Dask: {installed_by('dask', 'sklearn')} ({error})", name=error.name) from error

# name -> where it is. Loaded when it is used: workers run tasks of the modules here without scikit-learn, which takes seconds.
_HOME = {
    name: home
    for home, name in re.findall(r"^from ([\w.]+) import (\w+)", Path(__file__).with_suffix(".pyi").read_text(), re.MULTILINE)
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_HOME[name], __name__), name)
    return value


def __dir__() -> list[str]:
    return __all__
