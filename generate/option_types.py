"""The options of functions that hand them on to a training, for type checkers: python/dcsvm/_*/options.py."""

import inspect
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import dcsvm
from dcsvm._dc_pred import train as dc_pred
from dcsvm._input import choices
from dcsvm._linear import train as linear
from dcsvm._low_rank import train as low_rank
from dcsvm._search import cross_validate, linear_path, tune


class Handed(NamedTuple):
    """What `outer` hands on to `inner`: its parameters by name, but those that it has itself and those that it refuses."""

    name: str
    text: str
    outer: Callable[..., object]
    inner: Callable[..., object]
    refused: Collection[str]


ROOMS: dict[str, list[Handed]] = {
    "_svm": [
        Handed("TrainOptions", "cross_validate", dcsvm.cross_validate, dcsvm.train, cross_validate.REFUSED),
        Handed("TuneOptions", "tune", dcsvm.tune, dcsvm.train, tune.REFUSED),
    ],
    "_linear": [
        Handed("LinearOptions", "linear_path", dcsvm.linear_path, dcsvm.train_linear, linear_path.REFUSED),
        Handed(
            *("LinearFileOptions", "train_linear_file"),
            *(dcsvm.train_linear_file, dcsvm.train_linear, linear.NOT_IN_BLOCKS),
        ),
    ],
    "_low_rank": [
        Handed(
            *("LowRankFileOptions", "train_low_rank_file and train_low_rank_batches"),
            *(dcsvm.train_low_rank_file, dcsvm.train_low_rank, low_rank.NOT_IN_BLOCKS),
        ),
        Handed(
            *("LowRankPathOptions", "low_rank_path"),
            *(dcsvm.low_rank_path, dcsvm.train_low_rank, low_rank.NOT_IN_PATHS),
        ),
        Handed("LowRankCurveOptions", "cost_curve", dcsvm.cost_curve, dcsvm.train_low_rank, {"budget"}),
    ],
    "_dc_pred": [
        Handed("CompressOptions", "compress", dcsvm.compress, dcsvm.train_dc_pred, dc_pred.OF_THE_MODEL),
        Handed("DCPredCurveOptions", "cost_curve", dcsvm.cost_curve, dcsvm.train_dc_pred, {"budget"}),
        Handed(
            *("RidgeCurveOptions", "cost_curve with regression=True"),
            *(dcsvm.cost_curve, dcsvm.train_dc_pred_ridge, {"budget"}),
        ),
    ],
    "_ldkl": [Handed("LDKLCurveOptions", "cost_curve", dcsvm.cost_curve, dcsvm.train_ldkl, {"budget"})],
}
_HEAD = '''"""Parameters of {inner} that other functions hand on, for type checkers. Made by python -m generate."""

from __future__ import annotations

'''


def files(_: Path) -> Iterator[tuple[str, str]]:
    for room, handed in ROOMS.items():
        yield f"python/dcsvm/{room}/options.py", _module(handed)


def _module(handed: list[Handed]) -> str:
    classes = "".join(
        f'\n\nclass {h.name}(TypedDict, total=False):\n    """Those of {h.text}."""\n\n{_fields(h)}' for h in handed
    )
    words = set(re.findall(r"\w+", classes))
    typing = [name for name in ("Any", "Literal", "TypedDict") if name in words]
    named = sorted((name for name in vars(choices) if name in words - {"Any", "Literal"} and name[0].isupper()), key=str.lower)
    head = _HEAD.format(inner=handed[0].inner.__name__)
    head += "from collections.abc import Mapping\n" * ("Mapping" in words) + f"from typing import {', '.join(typing)}\n\n"
    head += f"from .._input.choices import {', '.join(named)}\n" * bool(named)
    head += "from .._shown.watching import Callback\n" * ("Callback" in words)
    return head.rstrip("\n") + "\n" + classes


def _fields(handed: Handed) -> str:
    own = set(inspect.signature(handed.outer).parameters) | {*handed.refused}
    parameters = inspect.signature(handed.inner).parameters.values()
    kept = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in own]
    # annotations are kept as text, with the quotes of ast.unparse
    return "".join("    {}: {}\n".format(p.name, str(p.annotation).replace("'", '"')) for p in kept)
