"""Kernel support vector machines at 10^4 to 10^6 rows, with LIBSVM's answers.

>>> import dcsvm
>>> X, y = dcsvm.datasets.make_checkerboard(2000)
>>> model = dcsvm.train(X, y, C=10, gamma=4)
>>> model.predict(X[:3]).shape
(3,)
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from typing import Any

from . import _core as _core  # where it cannot be loaded, this is the place to say so

# name -> where it is, within the package; "": it is a module. From __init__.pyi, which has each public name once.
_TEXT = Path(__file__).with_suffix(".pyi").read_text()
_STUB = re.findall(r"^from \.([\w.]*) import (\w+) as \w+( *# not in __all__)?$", _TEXT, re.MULTILINE)
_HOME = {name: home for home, name, _ in _STUB}
_ESTIMATORS = {name for name, home in _HOME.items() if home == "estimators"}

# Estimators are in __all__ where scikit-learn is installed, which they need.
_HIDDEN = {name for _, name, hidden in _STUB if hidden} | (_ESTIMATORS if importlib.util.find_spec("sklearn") is None else set())
__all__ = sorted(_HOME.keys() - _HIDDEN)


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not home:
        return importlib.import_module(f"{__name__}.{name}")
    try:
        value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    except ImportError as error:
        if home != "estimators":
            raise
        from ._shown.packages import installed_by

        raise ImportError(
            f"dcsvm.{name} needs scikit-learn 1.6 or newer and scipy: {installed_by('sklearn')} ({error})", name=error.name
        ) from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_ESTIMATORS})
