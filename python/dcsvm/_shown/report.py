"""What a training did."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from .._input import validate
from .display import Shown, bar, section, table_of
from .docstrings import with_attributes
from .items import Items

if TYPE_CHECKING:
    import pandas as pd


def six_digits(value: float) -> str:
    """With six digits behind the point, and without the sign that formatting gives to a small negative number: -0.000000."""
    text = f"{value:.6f}"
    return text.removeprefix("-") if float(text) == 0 else text


def phases(seconds: Mapping[str, float]) -> str:
    """The total and what it consists of."""
    parts = ", ".join(f"{k} {v:.2f}" for k, v in seconds.items() if k != "total" and v >= 0.005)
    return f"{seconds.get('total', 0.0):.2f}" + (f" ({parts})" if parts else "")


def _plain(value: Any) -> Any:
    """numpy's arrays as lists."""
    if isinstance(value, dict):
        return {name: _plain(v) for name, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(v) for name, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


Own = TypeVar("Own", bound="TrainingReport")


@dataclass(frozen=True, repr=False)
class Facts(Shown):
    """A dataclass of numbers, texts and lists of records, as a text, as plain values, as JSON and as tables."""

    def _more_html(self) -> str:
        return "".join(section(name, table_of(of)) for name, of in self._tables().items() if len(of) > 1)

    def _tables(self) -> dict[str, list[dict[str, Any]]]:
        """The fields that are lists of records."""
        lists = {
            name: [dict(v) if isinstance(v, Items) else v for v in of] for name, of in vars(self).items() if isinstance(of, list)
        }
        return {name: of for name, of in lists.items() if all(isinstance(v, dict) for v in of)}

    def __str__(self) -> str:
        return "\n".join(f"{name:<16}{value}" for name, value in self._facts())

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain Python values; changing them does not change the report.

        Returns
        -------
        dict
            The fields by name: numbers, texts, lists and dicts.
        """
        fields = _plain(asdict(self))
        assert isinstance(fields, dict)
        return fields

    def to_json(self, indent: int | None = None) -> str:
        """The fields as JSON text.

        Parameters
        ----------
        indent : int or None, default=None
            Spaces of each level of nesting; None: all in one line.

        Returns
        -------
        str
            An object of JSON; infinity and NaN, which JSON does not have, are null.
        """
        return json.dumps(_finite(self.to_dict()), indent=indent, allow_nan=False)

    def to_frame(self, of: str = "summary") -> pd.DataFrame:
        """The report as a table (needs pandas).

        Parameters
        ----------
        of : str, default='summary'
            "summary": one row of the single values, seconds as ``seconds.solve`` and so on, so that the frames of several
            trainings can be concatenated; or the name of a field that is a list of records, such as "levels" and "problems":
            a row for each record.

        Returns
        -------
        pandas.DataFrame
            With a column for each value.

        Raises
        ------
        ValueError
            For another name.
        ImportError
            Without pandas.
        """
        import pandas as pd

        tables = self._tables()
        if validate.choice("of", of, ["summary", *tables]) != "summary":
            return pd.DataFrame(tables[of])
        fields = self.to_dict()
        phases = {f"{name}.{phase}": v for name, of in fields.items() if isinstance(of, dict) for phase, v in of.items()}
        return pd.DataFrame([{**{name: v for name, v in fields.items() if not isinstance(v, (list, dict))}, **phases}])


@dataclass(frozen=True, repr=False)
class TrainingReport(Facts):
    """The fields that every report has. ``print(report)`` shows everything, the representation at most five lines."""

    stop_reason: str
    seconds: dict[str, float]
    isa: str
    n_threads: int

    def _lines(self) -> list[tuple[str, str]]:
        """What the representation shows between the stop reason and what the training ran on."""
        raise NotImplementedError

    def _of_training(self: Own, parameters: str) -> Own:
        """Shows C and the parameters that were given, in words."""
        object.__setattr__(self, "_parameters", parameters)
        return self

    def _facts(self) -> list[tuple[str, str]]:
        given: str = vars(self).get("_parameters", "")
        return [*self._found(), *[("trained with", given)] * bool(given)]

    def _found(self) -> list[tuple[str, str]]:
        if not self.n_threads:  # saved without timings
            lines = [(name, value) for name, value in self._lines() if name != "seconds"]
            return [("stop reason", self.stop_reason), *lines, ("ran on", self.isa)]
        return [
            ("stop reason", self.stop_reason),
            *self._lines(),
            ("ran on", f"{self.n_threads} thread{'s' * (self.n_threads != 1)}, {self.isa}"),
        ]

    def _more_html(self) -> str:
        return bar(self.seconds) + super()._more_html()


@dataclass(frozen=True, repr=False)
class KernelReport(TrainingReport):
    """What every training with a kernel reports."""

    gamma: float


@with_attributes(
    objective="The minimum reached, as LIBSVM prints it: 1/2 a'Qa - e'a for c_svc; early models: of the clusters' own problem.",
    violation='Largest KKT violation on the true gradient of the whole problem; early models: within clusters; "support_limit": '
    "infinity, because not all rows were checked.",
    gap="Duality gap: the objective is above the optimum by this at most, and the model's w within sqrt(2 gap) of the optimum's "
    'in the kernel\'s space; infinity where it is not known: early models, solver "rand" with "support_limit", ridge regression.',
    tol="The tolerance of the violation that was in force: the training's ``tol``, or less where a problem is small in its unit.",
    stop_reason='"converged"; or "max_iter", "cancelled" (by the callback), "stagnated" (no step makes progress at this '
    'precision, or its rounding is not small beside ``tol``), "support_limit" (solver "rand" found as many support vectors as '
    'estimated), "one_pass" (online learning) or "time_limit" (``max_seconds``).',
    n_iter="SMO steps, all levels and pairs.",
    n_support="Rows with a coefficient other than 0.",
    levels="One record for each level, bottom first; empty for plain SMO: level, clusters, sizes, seconds, seconds_clustering, "
    "n_support, objective, violation, n_iter.",
    problems="One record for each pair of classes, or the one of other formulations; empty for early models: objective, "
    "violation, tol, stop_reason, n_iter, n_support, n_bounded, r (nu_svc's margin, which coefficients are divided by; minus the "
    "half width of nu_svr's tube).",
    solver='"smo", "dc", "rand", "cascade" or "online".',
    solver_reason="Why that solver.",
    precision='Of kernel values, "single" or "double", as used.',
    warnings='Records of what the training warned of: kind ("scale", "offset", "margin" or "tolerance") and text.',
    seconds='Seconds by phase: "prepare", "levels", "solve", "calibrate" and "total"; and parts of the solve, such as '
    '"solve.rows".',
)
@dataclass(frozen=True, repr=False)
class Report(KernelReport):
    """The report of a training. For several classes: sums over the pairs and the worst violation.

    Attributes
    ----------
    objective : float
        The minimum reached, as LIBSVM prints it: 1/2 a'Qa - e'a for c_svc; early models: of the clusters' own
        problem.
    violation : float
        Largest KKT violation on the true gradient of the whole problem; early models: within clusters;
        "support_limit": infinity, because not all rows were checked.
    gap : float
        Duality gap: the objective is above the optimum by this at most, and the model's w within sqrt(2 gap) of the
        optimum's in the kernel's space; infinity where it is not known: early models, solver "rand" with
        "support_limit", ridge regression.
    tol : float
        The tolerance of the violation that was in force: the training's ``tol``, or less where a problem is small in
        its unit.
    n_iter : int
        SMO steps, all levels and pairs.
    n_kernel_values : int
        Kernel values computed.
    n_support : int
        Rows with a coefficient other than 0.
    peak_cache_bytes : int
        Bytes of working memory in use at once, at most, of what ``cache_size`` limits.
    levels : list[dict[str, Any]]
        One record for each level, bottom first; empty for plain SMO: level, clusters, sizes, seconds,
        seconds_clustering, n_support, objective, violation, n_iter.
    problems : list[dict[str, Any]]
        One record for each pair of classes, or the one of other formulations; empty for early models: objective,
        violation, tol, stop_reason, n_iter, n_support, n_bounded, r (nu_svc's margin, which coefficients are divided
        by; minus the half width of nu_svr's tube).
    solver : str
        "smo", "dc", "rand", "cascade" or "online".
    solver_reason : str
        Why that solver.
    precision : str
        Of kernel values, "single" or "double", as used.
    warnings : list[dict[str, Any]]
        Records of what the training warned of: kind ("scale", "offset", "margin" or "tolerance") and text.
    stop_reason : str
        "converged"; or "max_iter", "cancelled" (by the callback), "stagnated" (no step makes progress at this
        precision, or its rounding is not small beside ``tol``), "support_limit" (solver "rand" found as many support
        vectors as estimated), "one_pass" (online learning) or "time_limit" (``max_seconds``).
    seconds : dict[str, float]
        Seconds by phase: "prepare", "levels", "solve", "calibrate" and "total"; and parts of the solve, such as
        "solve.rows".
    isa : str
        Instruction set that it ran on.
    n_threads : int
        Threads.
    gamma : float
        Of the kernel, as used.
    """

    __module__ = "dcsvm"  # what users import from, and what pickles name

    objective: float
    violation: float
    gap: float
    tol: float
    n_iter: int
    n_kernel_values: int
    n_support: int
    peak_cache_bytes: int
    levels: list[dict[str, Any]]
    problems: list[dict[str, Any]]
    solver: str
    solver_reason: str
    precision: str
    warnings: list[dict[str, Any]]

    def _lines(self) -> list[tuple[str, str]]:
        return [
            ("objective", f"{self.objective + 0.0:.6g}"),
            ("violation", f"{self.violation:.2e}"),
            *[("duality gap", f"{self.gap:.2e}")] * (self.stop_reason == "time_limit" and self.gap < math.inf),
            ("support vectors", f"{self.n_support:,}"),
            ("steps", f"{self.n_iter:,}"),
            ("kernel values", f"{self.n_kernel_values:.3g} ({self.precision} precision)"),
            ("gamma", f"{self.gamma:.6g}"),
            ("solver", f"{self.solver} ({self.solver_reason})" if self.solver_reason else self.solver),
            ("seconds", phases(self.seconds)),
            ("peak cache", f"{self.peak_cache_bytes / 2**20:.1f} MB"),
        ]

    def __str__(self) -> str:
        text = super().__str__()
        if self.levels:
            text += "\n  level  clusters    largest   seconds  support vectors      objective  violation"
            for v in self.levels:
                text += (
                    f"\n{v['level']:7d}{v['clusters']:10d}{max(v['sizes'], default=0):11,d}{v['seconds']:10.2f}"
                    f"{v['n_support']:17,d}{v['objective']:15.6g}{v['violation']:11.2e}"
                )
        return text
