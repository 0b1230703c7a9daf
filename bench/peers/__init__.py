"""Peers: one module each, all with the same signature.

fit(problem, settings) -> Fit             trains; its seconds are the training call alone (dcsvm._bench.fits)
load(path) -> (X as CSR, y)               optional: reads LIBSVM text

What must be known of a peer without importing it, because it may not be installed, is in PEERS.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dcsvm._bench import fits
from dcsvm._bench.fits import Fit as Fit
from dcsvm._bench.fits import Settings as Settings
from dcsvm._bench.fits import timed as timed
from dcsvm._bench.fits import timed_fit as timed_fit

from ..methods import METHODS


@dataclass(frozen=True)
class Peer:
    """label: what tables call it. package: the distribution whose version is shown. exact: solves the whole problem to tol.
    reads: has load. ours: obeys DCSVM_FORCE_ISA. paper: named by a paper's table, and run only for it or by name. method: the
    reference version in bench/methods that is the peer. colour, marker: in plots."""

    label: str
    package: str
    exact: bool = False
    reads: bool = False
    paper: bool = False
    method: str = ""
    colour: str = "grey"
    marker: str = "o"

    @property
    def ours(self) -> bool:
        return self.package == "dcsvm"


PEERS = {
    "dcsvm_auto": Peer("dcsvm exact", "dcsvm", exact=True, reads=True, colour="C3"),
    "dcsvm_smo": Peer("dcsvm exact, SMO", "dcsvm", exact=True, colour="C1", marker="v"),
    "dcsvm_dc": Peer("dcsvm exact, DC", "dcsvm", exact=True, colour="C5", marker="s"),
    "dcsvm_early": Peer("dcsvm early, 64 clusters", "dcsvm", colour="C8", marker="*"),
    "dcsvm_lowrank": Peer("dcsvm low-rank, 1000 landmarks", "dcsvm", colour="magenta", marker="p"),
    "libsvm": Peer("LIBSVM", "libsvm-official", exact=True, reads=True, colour="C0", marker="D"),
    "sklearn_svc": Peer("scikit-learn SVC", "scikit-learn", exact=True, reads=True, colour="C2", marker="P"),
    "sklearnex_float32": Peer("sklearnex float32", "scikit-learn-intelex", exact=True, colour="C4", marker="X"),
    "sklearnex_float64": Peer("sklearnex float64", "scikit-learn-intelex", exact=True, colour="C6", marker="^"),
    "libsvm_subsample": Peer("LIBSVM, a fifth of the rows", "libsvm-official", colour="C9", marker="<"),
    "nystroem_linearsvc": Peer("Nystroem + LinearSVC", "scikit-learn", colour="C7", marker=">"),
    "null": Peer("null (commonest class)", "", colour="black", marker="."),
    "dcsvm_cascade": Peer("dcsvm cascade", "dcsvm", paper=True),
    "dcsvm_online": Peer("dcsvm LaSVM", "dcsvm", paper=True),
    "dcsvm_rand": Peer("dcsvm RandSVM", "dcsvm", paper=True),
    "dcsvm_linear": Peer("dcsvm linear", "dcsvm", paper=True),
    "liblinear_official": Peer("LIBLINEAR", "liblinear-official", paper=True),
    "liblinear": Peer("LIBLINEAR, in scikit-learn", "scikit-learn", paper=True),
    "dcsvm_dcpred": Peer("dcsvm DC-Pred++", "dcsvm", paper=True),
    "dcsvm_ldkl": Peer("dcsvm LDKL", "dcsvm", paper=True),
    "dcsvm_ridge": Peer("dcsvm ridge regression", "dcsvm", paper=True),
    "nystroem_ridge": Peer("k-means Nystroem + Ridge", "scikit-learn", paper=True),
    "rks_ridge": Peer("random features + Ridge", "scikit-learn", paper=True),
    "hist_gradient_boosting": Peer("HistGradientBoosting", "scikit-learn", paper=True),
    "mlp": Peer("MLP, 128 and 64 units", "scikit-learn", paper=True),
    "snapml_svm": Peer("snapml SVM, random features", "snapml", paper=True),
    "keops_ridge": Peer("KeOps with conjugate gradients", "pykeops", paper=True),
} | {name: Peer(f"{title} (reference)", "", paper=True, method=name) for name, title in METHODS.items()}
NAMES = tuple(PEERS)
GENERAL = tuple(n for n, p in PEERS.items() if not p.paper)
GROUPS = {
    "all": GENERAL,
    "exact": tuple(n for n, p in PEERS.items() if p.exact and n not in ("dcsvm_smo", "dcsvm_dc")),
    "dcsvm": tuple(n for n in GENERAL if PEERS[n].ours),
    "quick": tuple(n for n in GENERAL if n not in ("libsvm", "sklearn_svc", "dcsvm_smo", "dcsvm_dc")),
}


class NotInstalledError(ImportError):
    """The peer's distribution is not there."""


def select(names: Sequence[str]) -> list[str]:
    """Peers and groups -> peers, each once. ValueError for an unknown name."""
    for name in names:
        if name not in PEERS and name not in GROUPS:
            raise ValueError(f"unknown peer {name!r}; known: {', '.join(NAMES)}; groups: {', '.join(GROUPS)}")
    return list(dict.fromkeys(peer for name in names for peer in GROUPS.get(name, (name,))))


def get(name: str) -> Any:
    """The peer: its module, or an object with the same functions. ValueError for an unknown name, NotInstalledError without its
    distribution."""
    if name not in PEERS:
        raise ValueError(f"unknown peer {name!r}; known: {', '.join(NAMES)}")
    version(name)
    if PEERS[name].method:
        from ._method import Method

        return Method(name)
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as absent:
        raise NotInstalledError(f"not installed: {absent.name}") from absent


def version(name: str) -> str:
    """The distribution and its version. NotInstalledError."""
    package = PEERS[name].package
    if not package:
        return ""
    if package == "dcsvm":  # also from a build folder, which has no distribution
        import dcsvm

        return f"dcsvm {dcsvm.__version__}"
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        raise NotInstalledError(f"not installed: {package}") from None


on_phase: Callable[[str], None] = lambda phase: None  # noqa: E731  set by case.py: the time limit counts from a phase's start


fit_cpu_seconds = float("nan")  # of the process's last timed_fit, of all its threads
other_cpus = float("nan")  # CPUs that other processes kept busy meanwhile, on average; nan where the system does not tell
_SHORT = 1.0  # seconds: the system counts CPU time in steps of 10 ms, too coarse for a fit that is shorter


class Clocks(NamedTuple):
    """Seconds: of the wall; CPU of this process and of its children that have ended; CPU of all processes."""

    wall: float
    own: float
    everyone: float


def clocks() -> Clocks:
    try:
        with open("/proc/stat") as f:
            user, nice, system, _, _, irq, soft = (int(v) for v in f.readline().split()[1:8])
        everyone = (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK")
    except OSError:
        everyone = float("nan")
    return Clocks(time.perf_counter(), sum(os.times()[:4]), everyone)


def busy_beside(begin: Clocks, end: Clocks) -> float:
    """CPUs that other processes kept busy between two moments, on average."""
    wall, own, everyone = (now - then for now, then in zip(end, begin, strict=True))
    return (everyone - own) / wall


_IMPORTED = clocks()


def _clocked(call: Callable[[], Any]) -> tuple[Any, float]:
    """timed, for the training call."""
    global fit_cpu_seconds, other_cpus
    on_phase("fit")
    begin, before = clocks(), time.process_time()
    found = timed(call)
    fit_cpu_seconds = time.process_time() - before
    # A short fit is judged by the time since this module was imported, most of which is the making of its data.
    other_cpus = busy_beside(_IMPORTED if found[1] < _SHORT else begin, clocks())
    return found


fits.clock = _clocked
