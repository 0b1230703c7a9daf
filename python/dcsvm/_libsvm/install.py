"""dcsvm under LIBSVM's name."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType


def install_as_libsvm(*, top_level: bool = False) -> None:
    """Makes ``from libsvm.svmutil import *`` and the like import dcsvm's modules, for this process, whether LIBSVM's package is
    installed or not. Call it before they are imported.

    top_level : also ``svm``, ``svmutil`` and ``commonutil`` without a package, as scripts for LIBSVM up to 3.24 import them
    """
    package = ModuleType("libsvm", "LIBSVM's Python interface, served by dcsvm.")
    package.__path__ = []  # a package
    sys.modules["libsvm"] = package
    for name in ("svm", "svmutil", "commonutil"):
        module = importlib.import_module(f"dcsvm.{name}")
        setattr(package, name, module)
        sys.modules[f"libsvm.{name}"] = module
        if top_level:
            sys.modules[name] = module
