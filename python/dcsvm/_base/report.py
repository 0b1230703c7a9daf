"""What a training did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


def phases(seconds: Mapping[str, float]) -> str:
    """The total and what it consists of."""
    parts = ", ".join(f"{k} {v:.2f}" for k, v in seconds.items() if k != "total" and v >= 0.005)
    return f"{seconds.get('total', 0.0):.2f}" + (f" ({parts})" if parts else "")


@dataclass(frozen=True, repr=False)
class TrainingReport:
    """What every training reports."""

    stop_reason: str
    seconds: dict[str, float]
    gamma: float
    isa: str
    n_threads: int

    def _lines(self) -> list[tuple[str, str]]:
        """What the representation shows between the stop reason and what the training ran on."""
        raise NotImplementedError

    def __repr__(self) -> str:
        rows = [("stop reason", self.stop_reason), *self._lines(), ("ran on", f"{self.n_threads} threads, {self.isa}")]
        return "\n".join(f"{name:<16}{value}" for name, value in rows)


@dataclass(frozen=True, repr=False)
class Report(TrainingReport):
    """What a training did. For several classes: sums over the pairs and the worst violation.

    ``objective`` is LIBSVM's dual objective (c_svc: 1/2 a'Qa - e'a); ``violation`` the maximal KKT violation on the true gradient
    of the whole problem; ``stop_reason`` one of "converged", "max_iter", "cancelled", "stagnated", "support_limit";
    ``levels`` a list of dicts
    (level, clusters, sizes, seconds, seconds_clustering, n_support, objective, violation, n_iter), empty for plain SMO;
    ``problems`` a list of dicts, one for each pair of classes or the one of other formulations (objective, violation,
    stop_reason, n_iter, n_support, n_bounded, r), empty for clustered models. ``r`` is nu_svc's margin,
    which coefficients are divided by, and minus the half width of nu_svr's tube.
    """

    objective: float
    violation: float
    n_iter: int
    n_kernel_values: int
    n_support: int
    peak_cache_bytes: int
    levels: list[dict[str, Any]]
    problems: list[dict[str, Any]]
    solver: str
    solver_reason: str
    precision: str

    def _lines(self) -> list[tuple[str, str]]:
        return [
            ("objective", f"{self.objective:.6f}"),
            ("violation", f"{self.violation:.2e}"),
            ("support vectors", f"{self.n_support:,}"),
            ("steps", f"{self.n_iter:,}"),
            ("kernel values", f"{self.n_kernel_values:.3g} ({self.precision} precision)"),
            ("gamma", f"{self.gamma:.6g}"),
            ("solver", f"{self.solver} ({self.solver_reason})" if self.solver_reason else self.solver),
            ("seconds", phases(self.seconds)),
            ("peak cache", f"{self.peak_cache_bytes / 2**20:.1f} MB"),
        ]

    def __repr__(self) -> str:
        text = super().__repr__()
        if self.levels:
            text += "\n  level  clusters    largest   seconds  support vectors      objective  violation"
            for v in self.levels:
                text += (
                    f"\n{v['level']:7d}{v['clusters']:10d}{max(v['sizes'], default=0):11,d}{v['seconds']:10.2f}"
                    f"{v['n_support']:17,d}{v['objective']:15.4f}{v['violation']:11.2e}"
                )
        return text
