"""The table in docs/distributed.md: parameters of one machine that estimators on a cluster do not have, and other defaults."""

import importlib.util
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_PAGE = "docs/distributed.md"
_HEAD = "| estimator | parameters that it does not have | other defaults |\n|---|---|---|\n"


def files(root: Path) -> Iterator[tuple[str, str]]:
    if importlib.util.find_spec("distributed") is None:  # without which there is no dcsvm.dask
        return
    from dcsvm import dask

    text = (root / _PAGE).read_text()
    begin = text.index(_HEAD)
    kinds = [kind for kind in (getattr(dask, name) for name in dask.__all__) if hasattr(kind, "_local_class")]
    yield _PAGE, text[:begin] + _HEAD + "".join(map(_row, kinds)) + text[text.index("\n\n", begin) + 1 :]


def _row(kind: Any) -> str:
    own, local = (inspect.signature(one).parameters for one in (kind, kind._local_class))
    other = [f"`{name}` {own[name].default!r}" for name in own if name in local and own[name].default != local[name].default]
    without = ", ".join(f"`{name}`" for name in sorted(local.keys() - own.keys()))
    return f"| `{kind.__name__}` | {without} | {', '.join(other)} |\n"
