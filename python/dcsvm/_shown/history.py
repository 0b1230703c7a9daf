"""A record of a training's progress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from .display import Shown
from .items import Items

if TYPE_CHECKING:
    import pandas as pd

FIELDS = _core.Progress._fields
_REACHED = ("objective", "primal_objective", "violation", "gap")


class History(Shown):
    """Records how a training goes on: pass one as ``callback`` to a training function, an estimator that has this parameter, or a
    cross-validation.

    A history may be used for several trainings; their records follow each other, also where scikit-learn clones an estimator
    that has it: a search in one process records all its trainings. Processes of ``n_jobs`` have copies of their own.
    :func:`dcsvm.plotting.convergence` draws it.

    Attributes
    ----------
    records : list of dict
        One for each call, about 20 in a second: phase, level, done, total, n_iter, violation, objective, active, n_support,
        seconds. 0 where a phase does not know it. n_support counts the variables of the current solve that are not 0. The last
        record of a kernel SVM (:func:`dcsvm.train`, its estimators, OnlineSVC) or a linear model (:func:`dcsvm.train_linear`,
        its estimators) that was not stopped has the phase "done" and the report's values. Estimators of dcsvm.dask give one
        record for each round or pass instead, with the fields that their parameter ``callback`` names.

    Examples
    --------
    >>> import dcsvm
    >>> history = dcsvm.History()
    >>> X, y = dcsvm.datasets.make_checkerboard(2000, noise=0.1)
    >>> model = dcsvm.train(X, y, C=100, gamma=4, callback=history)
    >>> history.records[-1]["objective"] == model.report.objective
    True
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def __call__(self, progress: _core.Progress | Items) -> None:
        self.records.append(dict(progress))

    def __sklearn_clone__(self) -> History:
        return self  # a copy would be filled where the caller does not look

    def to_frame(self) -> pd.DataFrame:
        """The records as a table (needs pandas).

        Returns
        -------
        pandas.DataFrame
            One row for each record, with a column for each of its values.
        """
        import pandas as pd

        names = dict.fromkeys(name for record in self.records for name in record)
        return pd.DataFrame(self.records, columns=list(names) or FIELDS)

    def _facts(self) -> list[tuple[str, str]]:
        if not self.records:
            return [("records", "0")]
        last = self.records[-1]
        facts = [("records", f"{len(self.records):,}")]
        if "phase" in last:
            facts += [("phase", last["phase"]), ("seconds", f"{last['seconds']:.2f}")]
        if last.get("phase", "done") == "done":  # a round or a pass on a cluster states what it reached
            facts += [(name, f"{last[name]:.6g}") for name in _REACHED if name in last]
            facts += [("support vectors", f"{last['n_support']:,}")] if "n_support" in last else []
        return facts
