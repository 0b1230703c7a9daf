"""Where the C++ library lies inside the installed package, for compilers and CMake.

Each function returns an absolute path, and raises FileNotFoundError when the installation is incomplete.
"""

from __future__ import annotations

import sys
from pathlib import Path


def _installed(part: str) -> str:
    from . import _core

    # An editable install keeps these Python files in the checkout and everything that was built beside _core.
    roots = [Path(__file__).parent, Path(_core.__file__).parent]
    for root in roots:
        if (root / part).exists():
            return str((root / part).resolve())
    raise FileNotFoundError(f"{part} is missing from the dcsvm installation in {roots[0]}; install dcsvm again")


def get_include() -> str:
    """Folder of the C++ headers: compile with ``-I`` of it, then ``#include <dcsvm/dcsvm.hpp>``.

    Returns
    -------
    str
        Absolute path of the folder.

    Raises
    ------
    FileNotFoundError
        When the installation is incomplete.
    """
    return str(Path(_installed("include/dcsvm/dcsvm.hpp")).parent.parent)


def _c_library(name: str, version: int) -> str:
    return _installed(f"lib/{name}.{version}.dylib" if sys.platform == "darwin" else f"lib/{name}.so.{version}")


def get_library_dir() -> str:
    """Folder of the C++ library ``libdcsvm.a``: link with ``-L`` of it, ``-ldcsvm`` and ``-pthread``.

    Returns
    -------
    str
        Absolute path of the folder.

    Raises
    ------
    FileNotFoundError
        When the installation is incomplete.
    """
    return str(Path(_installed("lib/libdcsvm.a")).parent)


def get_libsvm() -> str:
    """LIBSVM's C library as dcsvm builds it, ``libsvm.so.4``: for ``LD_PRELOAD``, ``ctypes.CDLL`` or a linker's command line.

    Returns
    -------
    str
        Absolute path of the file; on macOS it ends with ``.dylib``.

    Raises
    ------
    FileNotFoundError
        When the installation is incomplete.
    """
    return _c_library("libsvm", 4)


def get_liblinear() -> str:
    """LIBLINEAR's C library as dcsvm builds it, ``liblinear.so.6``: for ``LD_PRELOAD``, ``ctypes.CDLL`` or a linker.

    Returns
    -------
    str
        Absolute path of the file; on macOS it ends with ``.dylib``.

    Raises
    ------
    FileNotFoundError
        When the installation is incomplete.
    """
    return _c_library("liblinear", 6)


def get_cmake_dir() -> str:
    """Folder of ``dcsvmConfig.cmake``: pass ``-Ddcsvm_DIR=`` of it to CMake, then ``find_package(dcsvm CONFIG REQUIRED)``.

    The pkg-config file lies in ``../../pkgconfig`` seen from it.

    Returns
    -------
    str
        Absolute path of the folder.

    Raises
    ------
    FileNotFoundError
        When the installation is incomplete.
    """
    return str(Path(_installed("lib/cmake/dcsvm/dcsvmConfig.cmake")).parent)
