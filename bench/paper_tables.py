"""The tables and figures of the five papers, as data: problems, methods, their parameters, and the papers' own numbers.

papers.py runs and prints them. A name is the paper's and the table's: dc-svm-table-2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .runner import Case

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
    gamma."""

    name: str
    problem: str = ""
    options: Options = field(default_factory=dict)
    remark: str = ""


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
    """A measurement that is no table of methods: a function of studies.py on a problem."""

    name: str
    title: str
    study: str
    problem: str
    options: Options = field(default_factory=dict)
    text: str = ""

    def cases(self) -> list[Case]:
        options = {"study": self.study, **self.options}
        return [Case(self.problem, "dcsvm_auto", kind="study", options=tuple(sorted(options.items())))]


@dataclass(frozen=True, eq=False)
class Claim:
    """A number that the paper claims, and the rows that show it.

    mine, base: names of rows. theirs: the paper's number. kind: "faster": base's CPU seconds over mine's are at least theirs;
    "score": mine is not worse than theirs by more than 0.3 points; "near": mine is not worse than base by more than theirs,
    in points; "multiple": a prediction costs at most theirs times a linear model's; "growth": mine's seconds are at most
    theirs times base's; "at least", "at most": of a study, all values in the column mine, of rows like base ("clusters=256"),
    which may name several columns.
    """

    text: str
    kind: Literal["faster", "score", "near", "multiple", "growth", "at least", "at most"]
    theirs: float
    table: str
    problem: str  # of a table
    mine: str
    base: str = ""
    base_problem: str = ""  # another problem of the table, for growth


@dataclass(frozen=True, eq=False)
class Paper:
    key: str
    title: str
    citation: str
    parts: tuple[Table | Study, ...]
    claims: tuple[Claim, ...] = ()


def _each(*values: Any) -> tuple[Theirs | None, ...]:
    """(score, seconds[, multiple]) for each set, or None."""
    return tuple(None if v is None else Theirs(*v) for v in values)


SAMPLE = "a sample of 85,745 rows (68,596 train) stands for the paper's 464,810"
COVTYPE = Data("covtype", "covtype85k", remark=SAMPLE)


def _missing(*names: str) -> tuple[Data, ...]:
    return tuple(Data(n) for n in names)


# DC-SVM

_PART = Data(
    "covtype, fewer rows", "covtype85k/20000", remark="the first 20,000 rows of that sample; the paper's numbers are of 464,810"
)
_DC_DATA = (Data("ijcnn1", "ijcnn1"), COVTYPE, _PART, *_missing("cifar", "census", "webspam", "kddcup99", "mnist8m"))
_WHOLE = ("ijcnn1", "covtype85k")  # not the part, which is there for exact solvers that take long
_RANK = {"n_components": 3000}
_GREEDY = {"n_components": 200, "landmarks": "greedy", "loss": "squared_hinge"}
_FOURIER = {**_RANK, "features": "fastfood"}
_YARDSTICKS = (
    Row("HistGradientBoosting", "hist_gradient_boosting", remark="a yardstick of today, not in the paper"),
    Row("MLP", "mlp", remark="a yardstick of today, not in the paper"),
    Row("snapml SVM, 1,000 features", "snapml_svm", remark="of today, not in the paper"),
)
_GRID = tuple(
    Data(f"C = 2^{c}, gamma = 2^{g}", "ijcnn1/10000", {"C": 2.0**c, "gamma": 2.0**g})
    for c in (-10, -6, 1, 6, 10)
    for g in (-10, -6, 1, 6, 10)
)


def _clusters(k: int, levels: int = 1, **more: Any) -> dict[str, Any]:
    return {"branching": k, "n_levels": levels, "early_level": levels, **more}


DC_SVM = Paper(
    "dc-svm",
    "DC-SVM",
    "C.-J. Hsieh, S. Si, I. S. Dhillon: A Divide-and-Conquer Solver for Kernel Support Vector Machines, ICML 2014",
    (
        Study(
            "dc-svm-figure-1",
            "Figure 1: the bound of Theorem 1 and the true difference of objectives",
            "clustering_gap",
            "covtype85k/10000",
            {"n_clusters": "8 16 32 64 128", "costs": "0.01 1 32"},
            text="The paper: the bound nearly overlaps with the difference under kernel k-means, and random clusters are far "
            "above both.",
        ),
        Study(
            "dc-svm-figure-2",
            "Figure 2: support vectors that each level finds",
            "support_found",
            "covtype85k",
            text="The paper: about 90 % of the support vectors are found even with 256 clusters; the cascade's random parts find"
            " fewer.",
        ),
        Table(
            "dc-svm-table-1",
            "Table 1: predictions with the models of one level",
            (COVTYPE, *_missing("webspam")),
            tuple(
                Row(f"{label}, {k} clusters", "dcsvm_early", _clusters(k, prediction=how), _each((score, None)))
                for k, scores in ((50, (94.6, 91.5, 96.1)), (100, (92.7, 89.3, 96.0)))
                for how, label, score in zip(
                    ("naive", "bcm", "early"), ("naive, Eq. (5)", "BCM", "early, Eq. (6)"), scores, strict=True
                )
            ),
            text="The paper's milliseconds of one prediction on covtype: 2.6, 3.7 and 0.4 with 50 clusters, 2.6, 5.6 and 0.2 "
            "with 100.",
        ),
        Table(
            "dc-svm-table-2",
            "Table 2: all methods",
            _DC_DATA,
            (
                Row("DC-SVM (early)", "dcsvm_early", theirs=_each((98.35, 12), (96.12, 672), (96.12, 672))),
                Row("DC-SVM", "dcsvm_dc", theirs=_each((98.69, 41), (96.15, 11414), (96.15, 11414))),
                Row("dcsvm's own choice", "dcsvm_auto", remark="what a user gets; not in the paper"),
                Row("LIBSVM", "libsvm", theirs=_each((98.69, 115), (96.15, 83631), (96.15, 83631))),
                Row("LIBSVM (a fifth of the rows)", "libsvm_subsample", theirs=_each((98.24, 6), (92.46, 5330), (92.46, 5330))),
                Row("LaSVM, one pass", "dcsvm_online", theirs=_each((98.57, 251), (94.39, 102603)), only=_WHOLE),
                Row("CascadeSVM", "dcsvm_cascade", theirs=_each((98.08, 17.1), (89.51, 5600))),
                Row("LLSVM, 3,000 landmarks", "dcsvm_lowrank", _RANK, _each((98.23, 38), (84.21, 4451)), only=_WHOLE),
                Row("FastFood, 3,000 features", "dcsvm_lowrank", _FOURIER, _each((95.95, 87), (80.1, 8550)), only=_WHOLE),
                Row("SpSVM, 200 basis vectors", "dcsvm_lowrank", _GREEDY, _each((94.92, 20), (83.37, 15113)), only=_WHOLE),
                Row("LTPU, 3,000 units", "ltpu", theirs=_each((96.64, 248), (83.25, 11532)), only=_WHOLE),
                *_YARDSTICKS,
            ),
            base="LIBSVM",
        ),
        Table("dc-svm-table-3", "Table 3: the sets", _DC_DATA),
        Table(
            "dc-svm-figure-3",
            "Figure 3: accuracy against time (3b, 3e)",
            (COVTYPE, *_missing("webspam", "mnist8m")),
            (
                *(Row(f"DC-SVM stopped at {4**level} clusters", "dcsvm_early", _clusters(4, level)) for level in (4, 3, 2, 1)),
                Row("DC-SVM", "dcsvm_dc"),
                *(Row(f"LIBSVM, tol {tol:g}", "libsvm", tol=tol) for tol in (1e-1, 1e-3)),
                *(Row(f"CascadeSVM, tol {tol:g}", "dcsvm_cascade", tol=tol) for tol in (1e-1, 1e-3)),
                *(Row(f"LLSVM, {k:,} landmarks", "dcsvm_lowrank", {"n_components": k}) for k in (500, 1000, 3000)),
                *(
                    Row(f"FastFood, {k:,} features", "dcsvm_lowrank", {"n_components": k, "features": "fastfood"})
                    for k in (500, 1000, 3000)
                ),
                *(Row(f"LTPU, {k:,} units", "ltpu", {"n_units": k}) for k in (500, 1000)),
            ),
            base="LIBSVM, tol 0.001",
            text="The paper draws curves and prints no numbers, except those of Table 2.",
        ),
        Table(
            "dc-svm-table-4",
            "Table 4: seconds of a grid of C and gamma (the totals of Tables 7 to 10)",
            _GRID,
            (
                Row("DC-SVM (early)", "dcsvm_early", theirs=_each((None, 984))),
                Row("DC-SVM", "dcsvm_dc", theirs=_each((None, 8280))),
                Row("LIBSVM", "libsvm", theirs=_each((None, 23040))),
            ),
            base="LIBSVM",
            total=True,
            text="25 pairs, C and gamma each 2^-10, 2^-6, 2, 2^6, 2^10, on the first 10,000 rows of ijcnn1; the paper's seconds "
            "are of all "
            "49,990.",
        ),
        Table(
            "dc-svm-figure-4",
            "Figure 4: the polynomial kernel of degree 3 (4a, 4b)",
            (
                Data(
                    "covtype",
                    "covtype85k/10000",
                    {"C": 2.0, "gamma": 1.0, "kernel": "poly", "degree": 3},
                    remark="the first 10,000 rows of the sample",
                ),
                *_missing("webspam"),
            ),
            (
                Row("DC-SVM (early), 16 clusters", "dcsvm_early", _clusters(4, 2)),
                Row("DC-SVM", "dcsvm_dc"),
                Row("LIBSVM", "libsvm"),
            ),
            base="LIBSVM",
            text="The paper: more than 100 times faster than LIBSVM on all of covtype.",
        ),
    ),
    (
        Claim(
            "the bound of Theorem 1 nearly equals the difference (here: is at most twice it)",
            "at most",
            2,
            "dc-svm-figure-1",
            "",
            "bound over difference",
            "C=32.0",
        ),
        Claim(
            "random clusters are far worse (here: at least 10 times)",
            "at least",
            10,
            "dc-svm-figure-1",
            "",
            "random over kernel k-means",
            "C=32.0",
        ),
        *(
            Claim(
                f"256 clusters find about 90 % of the support vectors: {what}",
                "at least",
                85,
                "dc-svm-figure-2",
                "",
                f"{what}, kernel k-means",
                "clusters=256",
            )
            for what in ("precision", "recall")
        ),
        *(
            Claim(f"{text} (covtype, {rows})", "faster", times, "dc-svm-table-2", problem, row, "LIBSVM")
            for rows, problem in (("the sample", "covtype85k"), ("20,000 rows of it", "covtype85k/20000"))
            for text, times, row in (
                ("7 times faster than LIBSVM, exact", 7.3, "DC-SVM"),
                ("100 times faster, early", 100, "DC-SVM (early)"),
            )
        ),
        Claim(
            "early within 0.1 points of exact (covtype)", "near", 0.1, "dc-svm-table-2", "covtype85k", "DC-SVM (early)", "DC-SVM"
        ),
        Claim("2.8 times faster than LIBSVM, exact (ijcnn1)", "faster", 2.8, "dc-svm-table-2", "ijcnn1", "DC-SVM", "LIBSVM"),
        Claim("9.6 times faster, early (ijcnn1)", "faster", 9.6, "dc-svm-table-2", "ijcnn1", "DC-SVM (early)", "LIBSVM"),
        Claim("98.69 % exact (ijcnn1)", "score", 98.69, "dc-svm-table-2", "ijcnn1", "DC-SVM"),
        Claim("98.35 % early (ijcnn1)", "score", 98.35, "dc-svm-table-2", "ijcnn1", "DC-SVM (early)"),
        Claim("98.23 % LLSVM (ijcnn1)", "score", 98.23, "dc-svm-table-2", "ijcnn1", "LLSVM, 3,000 landmarks"),
    ),
)

# DC-Pred++

_FAST_DATA = (
    COVTYPE,
    Data("Usps", "usps-round", remark="round digits against the others; which classes the paper took is not said"),
    Data("a9a", "a9a"),
    *_missing("Letter", "Webspam", "Kddcup"),
)
_DC_PRED: dict[str, Options] = {
    "covtype85k": {"n_leaves": 256, "n_landmarks": 24},
    "usps-round": {"n_leaves": 1, "n_landmarks": 24, "refine": 200},
    "a9a": {"n_leaves": 1, "n_landmarks": 10},
}
_LDKL: dict[str, Options] = {  # depth: 3 inner products a level, 2 in the leaf
    "covtype85k": {"depth": 7, "epochs": 8, "batch": 256},
    "usps-round": {"depth": 3, "lambda_w": 1e-3, "lambda_v": 1e-3, "lambda_theta": 1e-3},
    "a9a": {"depth": 3, "epochs": 4},
}
_CURVE = (2, 5, 12, 30)  # landmarks

DC_PRED = Paper(
    "dc-pred",
    "DC-Pred++",
    "C.-J. Hsieh, S. Si, I. S. Dhillon: Fast Prediction for Large-Scale Kernel Machines, NIPS 2014",
    (
        Study(
            "dc-pred-figure-1",
            "Figure 1: error of the approximate kernel with pseudo landmarks",
            "pseudo_landmarks",
            "usps-round/2000",
            text="Relative error of the kernel matrix at equal cost; the paper's pseudo landmarks lower the error of plain "
            "Nyström.",
        ),
        Table(
            "dc-pred-table-1",
            "Table 1: accuracy at the cost of a prediction",
            _FAST_DATA,
            (
                Row(
                    "DC-Pred++",
                    "dcsvm_dcpred",
                    own=_DC_PRED,
                    theirs=_each((95.19, 372, 18.8), (95.56, 2, 14.4), (83.9, 6.3, 12.5)),
                ),
                Row("LDKL", "ldkl", own=_LDKL, theirs=_each((89.53, 4095, 35), (95.96, 19, 12.01), (81.95, 490, 32))),
                Row(
                    "SpSVM, at DC-Pred++'s number of landmarks",
                    "dcsvm_lowrank",
                    _GREEDY,
                    own={name: {"n_components": o["n_landmarks"]} for name, o in _DC_PRED.items()},
                    remark="not in the table",
                ),
                Row(
                    "k-means Nyström, 100 landmarks",
                    "dcsvm_lowrank",
                    {"n_components": 100},
                    _each((73.63, 1442, 200), (92.53, 4.8, 200), (83.9, 1.28, 50)),
                ),
                Row("AESVM", "aesvm", theirs=_each((75.81, 204, 3157), (85.97, 55.3, 5787), (81.9, 33.17, 4859))),
                Row(
                    "STPRtool",
                    theirs=_each((82.14, 77400, 50), (93.6, 34.5, 50), (82.32, 69.1, 50)),
                    remark="a toolbox for MATLAB, which is not here",
                ),
                Row(
                    "Fastfood, 500 features",
                    "dcsvm_lowrank",
                    {"n_components": 500, "features": "fastfood"},
                    _each((66.8, 256, 60), (89.9, 12, 80), (61.9, 59.9, 80)),
                ),
                Row("exact SVM", "dcsvm_auto", remark="not in the paper"),
                Row("linear SVM", "dcsvm_linear", remark="not in the paper"),
                *_YARDSTICKS[:2],
            ),
            text="Cost: CPU seconds of a prediction over those of LinearSVC.decision_function for the same 20,000 rows. The "
            "paper's number of "
            "landmarks of the others is in an appendix; here it is in the row's name.",
        ),
        Table(
            "dc-pred-figure-2",
            "Figure 2: accuracy against cost",
            (COVTYPE, *_missing("Letter", "Kddcup")),
            (
                *(
                    Row(f"DC-Pred++, {leaves} leaves of {m} landmarks", "dcsvm_dcpred", {"n_leaves": leaves, "n_landmarks": m})
                    for leaves in (16, 256)
                    for m in _CURVE
                ),
                *(Row(f"LDKL, depth {depth}", "ldkl", {"depth": depth}) for depth in (3, 5, 7)),
                *(Row(f"SpSVM, {m} landmarks", "dcsvm_lowrank", {**_GREEDY, "n_components": m}) for m in _CURVE),
            ),
            text="The paper draws curves and prints no numbers.",
        ),
        Table(
            "dc-pred-figure-3",
            "Figure 3: kernel ridge regression, RMSE against cost",
            (Data("Cadata", "cadata"), *_missing("YearPredictionMSD", "mnist2M")),
            (
                *(
                    Row(f"DC-Pred++, 16 leaves, {m} landmarks", "dcsvm_dcpred", {"n_leaves": 16, "n_landmarks": m, "refine": 200})
                    for m in _CURVE
                ),
                *(Row(f"k-means Nyström, {k} landmarks", "nystroem_ridge", {"n_components": k}) for k in (12, 50, 200)),
                *(Row(f"random kitchen sinks, {k} features", "rks_ridge", {"n_components": k}) for k in (50, 200)),
                Row("exact ridge regression", "dcsvm_ridge"),
                *_YARDSTICKS[:2],
            ),
            score="rmse",
            text="The paper draws curves and prints no numbers. Features and target are scaled to [0, 1]; alpha is 1/16.",
        ),
    ),
    (
        Claim("95.56 % at 14.4 times linear (Usps)", "score", 95.56, "dc-pred-table-1", "usps-round", "DC-Pred++"),
        Claim("... at that cost", "multiple", 14.4, "dc-pred-table-1", "usps-round", "DC-Pred++"),
        Claim("83.9 % at 12.5 times linear (a9a)", "score", 83.9, "dc-pred-table-1", "a9a", "DC-Pred++"),
        Claim("... at that cost", "multiple", 12.5, "dc-pred-table-1", "a9a", "DC-Pred++"),
        Claim("18.8 times linear (covtype)", "multiple", 18.8, "dc-pred-table-1", "covtype85k", "DC-Pred++"),
        Claim("... with 95.19 % (of all of covtype)", "score", 95.19, "dc-pred-table-1", "covtype85k", "DC-Pred++"),
    ),
)

# LLSVM

_BOARD = {"C": 10.0, "gamma": 4.0}
_LLSVM_DATA = (
    Data("IJCNN", "ijcnn1", {"C": 8.0, "gamma": 1.0}),
    COVTYPE,
    Data("Ncheckerboard", "ncheckerboard-800k", _BOARD),
    *_missing("webspam", "mnist8m-b"),
)
_BIG = ("ijcnn1", "covtype85k")  # those on which a method that needs hours for 800,000 rows is run
_COUNT: dict[str, Options] = {
    "ijcnn1": {"n_components": 3000},
    "covtype85k": {"n_components": 4000},
    "ncheckerboard-800k": {"n_components": 1000},
}
_WITH = lambda features: {k: {**v, "features": features} for k, v in _COUNT.items()}  # noqa: E731
_HOURS = 3600.0

LLSVM = Paper(
    "llsvm",
    "LLSVM",
    "L. Lan, Z. Wang, S. Zhe, W. Cheng, J. Wang, K. Zhang: Scaling Up Kernel SVM on Limited Resources, IEEE TNNLS 30(2), 2019",
    (
        Table(
            "llsvm-table-3",
            "Table III: training seconds and test errors",
            _LLSVM_DATA,
            (
                Row("Linear", "dcsvm_linear", theirs=_each((7.87, 2), (23.75, 16), (48.90, 60))),
                Row(
                    "Poly2",
                    "dcsvm_auto",
                    {"kernel": "poly", "degree": 2, "coef0": 1.0, "C": 1.0, "gamma": 1.0},
                    _each((2.16, 25), (19.91, _HOURS), (44.02, 14)),
                    only=("ijcnn1",),
                    remark="kernel and not features",
                ),
                Row("Libsvm", "libsvm", theirs=_each((1.31, 30), None, None), only=("ijcnn1",)),
                Row("dcsvm exact", "dcsvm_auto", only=_BIG, remark="not in the paper"),
                Row(
                    "CVM",
                    "cvm",
                    theirs=_each((1.20, 72), (2.50, 8.3 * _HOURS), None),
                    only=("ijcnn1",),
                    remark="the reference version falls short of the published one",
                ),
                Row("Lasvm", "dcsvm_online", theirs=_each((1.47, 20), None, None), only=("ijcnn1",)),
                Row("AMM", "amm", theirs=_each((2.4, 1), (24.02, 9), (35.98, 10)), only=_BIG),
                Row("BSGD, 500 vectors", "bsgd", only=_BIG, remark="BudgetedSVM's other method, not in the table"),
                Row("RKS", "dcsvm_lowrank", own=_WITH("rks"), theirs=_each((2.68, 51), (16.27, 538), (2.43, 110))),
                Row("Fastfood", "dcsvm_lowrank", own=_WITH("fastfood"), theirs=_each((3.98, 66), (20.49, 508), (2.08, 127))),
                Row("LLSVM", "dcsvm_lowrank", own=_COUNT, theirs=_each((1.24, 123), (13.93, 1296), (0.59, 244))),
                Row("Falkon, 3,000 centres", "falkon", only=("ijcnn1",), remark="of today, not in the paper"),
                Row("EigenPro", "eigenpro", only=("ijcnn1",), remark="of today, not in the paper"),
                Row(
                    "KeOps with conjugate gradients",
                    remark="of today; needs PyTorch and a compiler at run time, not installed here",
                ),
                Row("PSVM", "psvm", only=("ijcnn1",), remark="not in the table"),
                *(Row(r.name, r.peer, r.options, remark=r.remark) for r in _YARDSTICKS),
            ),
            base="Libsvm",
            score="error",
            text="Landmarks or features: 3,000 on IJCNN, 4,000 on covtype, 1,000 on Ncheckerboard.",
        ),
        Table(
            "llsvm-figure-1",
            "Figure 1: error against landmarks (1b, 1d, 1f)",
            (COVTYPE, *_missing("webspam")),
            tuple(
                Row(f"{label}, {k:,}", "dcsvm_lowrank", {"n_components": k, "features": features})
                for label, features in (("LLSVM", "nystrom"), ("RKS", "rks"), ("Fastfood", "fastfood"))
                for k in (500, 1000, 2000)
            ),
            score="error",
            text="The paper draws curves, up to 8,000, and prints no numbers: LLSVM's error is below the others' for the same "
            "number.",
        ),
    ),
    (
        Claim("1.24 % error (IJCNN)", "score", 1.24, "llsvm-table-3", "ijcnn1", "LLSVM"),
        Claim(
            "0.59 % error at 800,000 noisy rows (Ncheckerboard)", "score", 0.59, "llsvm-table-3", "ncheckerboard-800k", "LLSVM"
        ),
        Claim("lower error than RKS (Ncheckerboard)", "near", 0.0, "llsvm-table-3", "ncheckerboard-800k", "LLSVM", "RKS"),
        Claim("lower error than Fastfood (IJCNN)", "near", 0.0, "llsvm-table-3", "ijcnn1", "LLSVM", "Fastfood"),
        Claim("lower error than linear (covtype)", "near", 0.0, "llsvm-table-3", "covtype85k", "LLSVM", "Linear"),
    ),
)

# RandSVM

_RAND_DATA = tuple(
    Data(f"{name}, {rows}", f"{name}-{tag}")
    for name in ("twonorm", "ringnorm", "checkerboard")
    for rows, tag in (("10^5", "100k"), ("10^6", "1m"))
)

RAND_SVM = Paper(
    "rand-svm",
    "RandSVM",
    "S. Krishnan, C. Bhattacharyya, R. Hariharan: A Randomized Algorithm for Large Scale Support Vector Learning, NIPS 2007",
    (
        Table(
            "rand-svm-table-1",
            "Table 1: seconds and accuracy",
            (*_RAND_DATA, Data("CCAT", remark="RCV1, linear kernel"), Data("C11", remark="RCV1, linear kernel")),
            (
                Row(
                    "RandSVM",
                    "dcsvm_rand",
                    own={f"checkerboard-{tag}": {"times_bound": 1} for tag in ("100k", "1m")},
                    theirs=_each((94.98, 300), (94.71, 437), (70.66, 2637), (65.74, 4982), (93.70, 406), (94.10, 814)),
                ),
                Row(
                    "LibSVM",
                    "libsvm",
                    theirs=_each((96.48, 8542), None, (70.31, 256), (65.34, 85124), (96.90, 1568.93), None),
                    only=("twonorm-100k", "ringnorm-100k", "checkerboard-100k"),
                ),
                Row("dcsvm exact", "dcsvm_auto", remark="not in the paper"),
                Row("SVMPerf", "svmperf", {"C": 1.0}, only=("twonorm-100k",), remark="linear: the paper runs it on CCAT and C11"),
                Row("SVMLin", remark="linear: the paper runs it on CCAT and C11"),
            ),
            base="LibSVM",
            text="k is Eq. (4)'s for checkerboard, which is separable, and twice that for the others, as in the paper; epsilon "
            "0.2, delta 0.9.",
        ),
    ),
    (
        Claim("94.98 % (twonorm, 10^5)", "score", 94.98, "rand-svm-table-1", "twonorm-100k", "RandSVM"),
        Claim("93.70 % (checkerboard, 10^5)", "score", 93.70, "rand-svm-table-1", "checkerboard-100k", "RandSVM"),
        Claim(
            "28 times faster than LIBSVM (twonorm, 10^5)", "faster", 28.5, "rand-svm-table-1", "twonorm-100k", "RandSVM", "LibSVM"
        ),
        *(
            Claim(
                f"10 times the rows take at most {times} times as long ({name})",
                "growth",
                times,
                "rand-svm-table-1",
                f"{name}-1m",
                "RandSVM",
                "RandSVM",
                f"{name}-100k",
            )
            for name, times in (("twonorm", 1.46), ("ringnorm", 1.89), ("checkerboard", 2.0))
        ),
    ),
)

# LS-SVM

LS_SVM = Paper(
    "ls-svm",
    "LS-SVM",
    "M. Andrecut: Randomized Kernel Methods for Least-Squares Support Vector Machines, 2016",
    (
        Study(
            "ls-svm-figure-2",
            "Figures 2 and 3: mnist, error against steps of the four methods",
            "ls_svm_curves",
            "mnist",
            text="From the committed log of a long run (bench/results/ls-svm.jsonl); python -m bench.randomised ls adds to it. "
            "The paper: 1.1 % "
            "for Kaczmarz (600 steps of 29 s), matching pursuit (14 s a step) and the hybrid; the committee's error depends"
            " on J; 0.85 % "
            "with the Fourier features.",
        ),
        Table("ls-svm-figure-6", "Figure 6 and Table 1: CIFAR-10", _missing("CIFAR-10")),
    ),
    tuple(
        Claim(text, "at most", error, "ls-svm-figure-2", "", "error %", f"method={method} features={features}")
        for text, error, method, features in (
            ("1.1 ± 0.1 % with Kaczmarz", 1.2, "kaczmarz", "pixels"),
            ("1.1 ± 0.02 % with matching pursuit", 1.12, "matching_pursuit", "pixels"),
            ("1.1 ± 0.05 % with the hybrid", 1.15, "kaczmarz_mp", "pixels"),
            ("0.85 ± 0.01 % with Eq. 71's features, as printed", 0.86, "matching_pursuit", "fft-printed"),
            ("0.85 ± 0.01 %, spectra of pieces of the image (not the paper's)", 0.86, "matching_pursuit", "fft-pieces"),
        )
    ),
)

PAPERS = {p.key: p for p in (DC_SVM, DC_PRED, LLSVM, LS_SVM, RAND_SVM)}
PARTS = {part.name: part for p in PAPERS.values() for part in p.parts}
