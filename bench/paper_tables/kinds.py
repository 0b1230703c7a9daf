"""What tables of papers are made of, and what several papers share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..runner import Case

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Theirs:
    """The paper's numbers. score: accuracy or error in %, or RMSE; seconds: of training; multiple: prediction time over a linear
    model's."""

    score: float | None = None
    seconds: float | None = None
    multiple: float | None = None


@dataclass(frozen=True, eq=False)
class Data:
    """A data set of the paper. problem: its name in problems.py, empty where it is missing. options: replace the problem's C and
    gamma. sample: of the paper's rows, so that an accuracy below the paper's says nothing."""

    name: str
    problem: str = ""
    options: Options = field(default_factory=dict)
    remark: str = ""
    sample: bool = False


@dataclass(frozen=True, eq=False)
class Row:
    """A method of the paper. peer: the module of bench/peers that runs it; empty where there is none, and remark says why. own:
    further options for single problems."""

    name: str
    peer: str = ""
    options: Options = field(default_factory=dict)
    theirs: tuple[Theirs | None, ...] = ()  # one for each Data, in order
    tol: float = 1e-3
    remark: str = ""
    own: Mapping[str, Options] = field(default_factory=dict)
    only: tuple[str, ...] = ()  # problems that it is run on; empty: all

    def case(self, data: Data) -> Case | None:
        if not self.peer or not data.problem or (self.only and data.problem not in self.only):
            return None
        merged = {**data.options, **self.options, **self.own.get(data.problem, {})}
        return Case(data.problem, self.peer, self.tol, options=tuple(sorted(merged.items())))


@dataclass(frozen=True, eq=False)
class Table:
    """Methods on data sets. base: the row whose seconds are the unit. total: seconds of all sets are added, as for a grid."""

    name: str
    title: str
    data: tuple[Data, ...]
    rows: tuple[Row, ...] = ()
    base: str = ""
    score: Literal["accuracy", "error", "rmse"] = "accuracy"
    total: bool = False
    text: str = ""

    def cases(self) -> list[Case]:
        return [c for d in self.data for r in self.rows if (c := r.case(d))]

    def row(self, name: str) -> Row:
        return next(r for r in self.rows if r.name == name)


@dataclass(frozen=True, eq=False)
class Study:
    """A measurement that is no table of methods: a function of studies.py on a problem. log: it prints numbers of a file, for
    which no data is read."""

    name: str
    title: str
    study: str
    problem: str
    options: Options = field(default_factory=dict)
    text: str = ""
    log: bool = False

    def cases(self) -> list[Case]:
        options = {"study": self.study, **self.options}
        return [Case(self.problem, "dcsvm_auto", kind="study", options=tuple(sorted(options.items())))]


@dataclass(frozen=True, eq=False)
class Claim:
    """A number that the paper claims, and the rows that show it.

    mine, base: names of rows. theirs: the paper's number; None: the one that the table has in these rows (`stated` of papers.py
    fills it in, and makes the text where it is empty). within: points beyond it that still count, the paper's own. kind:
    "faster": base's CPU seconds over mine's are at least theirs; "score": mine is not worse than theirs by more than 0.3 points;
    "near": mine is not worse than base by more than theirs, in points; "multiple": a prediction costs at most theirs times a
    linear model's; "growth": mine's seconds are at most theirs times base's; "at least", "at most": of a study, all values in
    the column mine, of rows like base ("clusters=256"), which may name several columns.
    """

    text: str
    kind: Literal["faster", "score", "near", "multiple", "growth", "at least", "at most"]
    theirs: float | None
    table: str
    problem: str  # of a table
    mine: str
    base: str = ""
    base_problem: str = ""  # another problem of the table, for growth
    why: str = ""  # printed where the claim does not hold
    within: float = 0.0  # of a study's shares


@dataclass(frozen=True, eq=False)
class Paper:
    key: str
    title: str
    citation: str
    parts: tuple[Table | Study, ...]
    claims: tuple[Claim, ...] = ()


def each(*values: Any) -> tuple[Theirs | None, ...]:
    """(score, seconds[, multiple]) for each set, or None."""
    return tuple(None if v is None else Theirs(*v) for v in values)


def printed(
    kind: Literal["faster", "score", "multiple"], table: str, problem: str, *rows: str, base: str = "", why: str = ""
) -> tuple[Claim, ...]:
    """A claim for each row: what the paper's table has there."""
    return tuple(Claim("", kind, None, table, problem, row, base, why=why) for row in rows)


def covtype(rows: str) -> Data:
    """rows: of the paper's training part."""
    remark = f"a sample of 85,745 rows (68,596 train) stands for the paper's {rows}"
    return Data("covtype", "covtype85k", remark=remark, sample=True)


COVTYPE = covtype("464,810")
SAMPLE = "the sample has a seventh of the paper's training rows. The exact SVM of the same rows reaches 91.30 %."


def missing(*names: str) -> tuple[Data, ...]:
    return tuple(Data(n) for n in names)


GREEDY = {"n_components": 200, "landmarks": "greedy", "loss": "squared_hinge"}
YARDSTICKS = (
    Row("HistGradientBoosting", "hist_gradient_boosting", remark="a yardstick of today, not in the paper"),
    Row("MLP", "mlp", remark="a yardstick of today, not in the paper"),
    Row("snapml SVM, 1,000 features", "snapml_svm", remark="of today, not in the paper"),
)
