"""Puts the classes of :mod:`dcsvm.patched` wherever a module names scikit-learn's, and takes them back."""

from __future__ import annotations

import atexit
import copyreg
import importlib
import sys
from collections.abc import Iterable
from typing import Any

from .._input.suggestions import did_you_mean
from .._shown.packages import installed_by

#: class -> the module of scikit-learn that users import it from
HOMES = {
    **dict.fromkeys(("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR"), "sklearn.svm"),
    **dict.fromkeys(("LogisticRegression", "LogisticRegressionCV"), "sklearn.linear_model"),
    "KernelRidge": "sklearn.kernel_ridge",
}
_patched: dict[str, tuple[Any, Any]] = {}  # name -> scikit-learn's class and ours, while it is replaced


def patch_sklearn(names: str | Iterable[str] | None = None, verbose: bool = False) -> Patch:
    """Makes scikit-learn's SVMs, linear classifiers and kernel ridge regression train with dcsvm; nothing else changes.

    The classes are replaced in every module that has imported them, and in those imported later. Each replacement is a subclass
    of scikit-learn's class; what dcsvm does not do is done by scikit-learn's own code, which the log ``dcsvm.patched`` says.

    Parameters
    ----------
    names : str, iterable of str or None, default=None
        Classes to replace: "SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR", "LogisticRegression",
        "LogisticRegressionCV", "KernelRidge". None: all of them.
    verbose : bool, default=False
        At the end of the ``with`` block, or else of the process, say on stderr how many estimators of each class were trained,
        in how many seconds.

    Returns
    -------
    Patch
        Use it with ``with`` to take the classes back at the end of the block.

    Raises
    ------
    ValueError
        For a name that is not in the list.
    ImportError
        Without scikit-learn.

    Examples
    --------
    >>> import dcsvm
    >>> with dcsvm.patch_sklearn():
    ...     from sklearn.svm import SVC
    ...     model = SVC().fit([[0], [1]], [0, 1])
    >>> isinstance(model, SVC), model.predict([[2]]).tolist()
    (True, [1])
    """
    chosen = [name for name in _chosen(names) if name not in _patched]
    try:
        from .. import patched
    except ImportError as error:
        raise ImportError(f"dcsvm.patch_sklearn needs scikit-learn 1.6 or newer: {installed_by('sklearn')} ({error})") from error
    new = {}
    for name in chosen:
        ours = getattr(patched, name)
        new[name] = (ours._theirs, ours)
    _rebind({id(theirs): ours for theirs, ours in new.values()})
    for theirs, ours in new.values():
        if theirs.__module__ == HOMES[ours.__name__]:  # its name, which pickles write, now means ours
            copyreg.pickle(theirs, _reduced_as(ours))
    _patched.update(new)
    return Patch(chosen, verbose)


def unpatch_sklearn(names: str | Iterable[str] | None = None) -> None:
    """Puts scikit-learn's own classes back. Estimators that exist stay what they are.

    Parameters
    ----------
    names : str, iterable of str or None, default=None
        As for :func:`patch_sklearn`.

    Raises
    ------
    ValueError
        For a name that is not in the list.
    """
    old = [_patched.pop(name) for name in _chosen(names) if name in _patched]
    _rebind({id(ours): theirs for theirs, ours in old})
    for theirs, _ in old:
        copyreg.dispatch_table.pop(theirs, None)


class Patch:
    """What :func:`patch_sklearn` returns. The end of a ``with`` block takes back what the call replaced."""

    def __init__(self, names: list[str], verbose: bool) -> None:
        self.names = names
        self._verbose = verbose
        if verbose:
            atexit.register(self._say)

    def __enter__(self) -> Patch:
        return self

    def __exit__(self, *exception: object) -> None:
        unpatch_sklearn(self.names)
        self._say()

    def __repr__(self) -> str:
        return f"<dcsvm.patch_sklearn: {', '.join(self.names) or 'nothing new'}>"

    def _say(self) -> None:
        if self._verbose and sys.stderr is not None:
            from ..patched._class import summary

            print(summary(), file=sys.stderr)
        self._verbose = False


def _chosen(names: str | Iterable[str] | None) -> list[str]:
    if names is None:
        return list(HOMES)
    given = [names] if isinstance(names, str) else list(names)
    for name in given:
        if name not in HOMES:
            raise ValueError(f"names: expected some of {', '.join(HOMES)}; got {name!r}{did_you_mean(name, HOMES)}")
    return given


def _rebind(new: dict[int, Any]) -> None:
    """Replaces classes, given by their id, in all modules but dcsvm's, and those of scikit-learn that define them."""
    for home in set(HOMES.values()):
        importlib.import_module(home)
    private = {"sklearn.svm._classes", "sklearn.linear_model._logistic"}
    for name, module in list(sys.modules.items()):
        space = getattr(module, "__dict__", None)
        if name in private or name.partition(".")[0] == "dcsvm" or not isinstance(space, dict):
            continue
        for key, value in list(space.items()):
            if isinstance(value, type) and id(value) in new:
                space[key] = new[id(value)]


def _reduced_as(ours: Any) -> Any:
    """Pickles an estimator of scikit-learn's own class as one of ours, which predicts with scikit-learn's code."""

    def reduce(estimator: Any) -> tuple[Any, ...]:
        return copyreg._reconstructor, (ours, object, None), estimator.__getstate__()  # type: ignore[attr-defined]

    return reduce
