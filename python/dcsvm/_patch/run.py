"""``python -m dcsvm script.py ARGS`` and ``python -m dcsvm -m module ARGS``: a program with dcsvm in scikit-learn's place."""

from __future__ import annotations

import importlib.util
import runpy
import sys
import types
from collections.abc import Sequence
from pathlib import Path

from .replace import patch_sklearn

_VERBOSE = ("-v", "--verbose")


def is_program(argv: Sequence[str]) -> bool:
    """Whether the arguments name a program; else they are of the command ``dcsvm``."""
    words = list(argv)
    while words and words[0] in _VERBOSE:
        words.pop(0)
    return bool(words) and ((words[0] == "-m" and len(words) > 1) or words[0].endswith((".py", ".pyw", ".pyz")))


def run_program(argv: Sequence[str]) -> None:
    """Patches scikit-learn and runs the program as Python would run it."""
    words = list(argv)
    verbose = words[0] in _VERBOSE
    while words[0] in _VERBOSE:
        words.pop(0)
    if words[0] == "-m" and importlib.util.find_spec(words[1].partition(".")[0]) is None:
        raise SystemExit(f"python -m dcsvm: there is no module {words[1]}")
    if words[0] != "-m" and not Path(words[0]).exists():
        raise SystemExit(f"python -m dcsvm: there is no file {words[0]}")
    patch_sklearn(verbose=verbose)
    if words[0] == "-m":
        sys.argv = words[1:]  # runpy puts the file's path in the first place; sys.path begins with the folder already
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return
    sys.argv = words
    script = Path(words[0])
    if script.suffix == ".pyz" or not script.is_file():
        runpy.run_path(words[0], run_name="__main__")
        return
    # Not runpy.run_path, which takes the module away at the end, when functions that are registered for the exit still need it.
    sys.path[0] = str(script.resolve().parent)
    main = types.ModuleType("__main__")
    main.__file__, main.__builtins__ = words[0], __builtins__  # type: ignore[attr-defined]
    sys.modules["__main__"] = main
    exec(compile(script.read_bytes(), words[0], "exec", dont_inherit=True), main.__dict__)
