"""dcsvm under the names of LIBSVM's and LIBLINEAR's packages."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType


def install_as_libsvm() -> None:
    """Makes ``from libsvm.svmutil import *`` and the like import dcsvm's modules, for this process.

    LIBSVM's own package may be installed or not. Call it before its modules are imported.
    """
    _install("libsvm", "LIBSVM", ("svm", "svmutil", "commonutil"))


def install_as_liblinear() -> None:
    """Makes ``from liblinear.liblinearutil import *`` and the like import dcsvm's modules, for this process.

    LIBLINEAR's own package may be installed or not. Call it before its modules are imported.
    """
    _install("liblinear", "LIBLINEAR", ("liblinear", "liblinearutil", "commonutil"))


def _install(package_name: str, original: str, names: tuple[str, ...]) -> None:
    package = ModuleType(package_name, f"{original}'s Python interface, served by dcsvm.")
    package.__path__ = []  # a package
    sys.modules[package_name] = package
    for name in names:
        module = importlib.import_module(f"dcsvm.{name}")
        setattr(package, name, module)
        sys.modules[f"{package_name}.{name}"] = module
