"""dcsvm under the names of LIBSVM's and LIBLINEAR's packages."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType


def install_as_libsvm(*, top_level: bool = False) -> None:
    """Makes ``from libsvm.svmutil import *`` and the like import dcsvm's modules, for this process.

    LIBSVM's own package may be installed or not. Call it before its modules are imported.

    Parameters
    ----------
    top_level : bool, default=False
        Also ``svm``, ``svmutil`` and ``commonutil`` without a package, as scripts for LIBSVM up to 3.24 import them.
    """
    _install("libsvm", "LIBSVM", ("svm", "svmutil", "commonutil"), top_level)


def install_as_liblinear(*, top_level: bool = False) -> None:
    """Makes ``from liblinear.liblinearutil import *`` and the like import dcsvm's modules, for this process.

    LIBLINEAR's own package may be installed or not. Call it before its modules are imported.

    Parameters
    ----------
    top_level : bool, default=False
        Also ``liblinearutil`` and ``commonutil`` without a package, as scripts for LIBLINEAR up to 2.42 import them.
        (``liblinear`` itself is then the module, and ``from liblinear.liblinearutil import *`` works all the same.)
    """
    _install("liblinear", "LIBLINEAR", ("liblinear", "liblinearutil", "commonutil"), top_level)


def _install(package_name: str, original: str, names: tuple[str, ...], top_level: bool) -> None:
    package = ModuleType(package_name, f"{original}'s Python interface, served by dcsvm.")
    package.__path__ = []  # a package
    sys.modules[package_name] = package
    for name in names:
        module = importlib.import_module(f"dcsvm.{name}")
        setattr(package, name, module)
        sys.modules[f"{package_name}.{name}"] = module
        if top_level:
            sys.modules[name] = module
