"""The tables and figures of RandSVM."""

from __future__ import annotations

from .kinds import Claim, Data, Paper, Row, Table, each, printed

_RAND_DATA = tuple(
    Data(f"{name}, {rows}", f"{name}-{tag}")
    for name in ("twonorm", "ringnorm", "checkerboard")
    for rows, tag in (("10^5", "100k"), ("10^6", "1m"))
)

_TABLE_1 = "rand-svm-table-1"
_GROWTH = (
    "at 10^6 rows most of the time goes into looking for rows that violate, a kernel value for each row and support vector, and "
    "support vectors grow with the rows (2.2 to 3.1 times). Training on samples is a smaller share here than in the paper, whose "
    "seconds in all are 100 to 2,000 times these."
)

RAND_SVM = Paper(
    "rand-svm",
    "RandSVM",
    "S. Krishnan, C. Bhattacharyya, R. Hariharan: A Randomized Algorithm for Large Scale Support Vector Learning, NIPS 2007",
    (
        Table(
            _TABLE_1,
            "Table 1: seconds and accuracy",
            (*_RAND_DATA, Data("CCAT", remark="RCV1, linear kernel"), Data("C11", remark="RCV1, linear kernel")),
            (
                Row(
                    "RandSVM",
                    "dcsvm_rand",
                    own={f"checkerboard-{tag}": {"times_bound": 1} for tag in ("100k", "1m")},
                    theirs=each((94.98, 300), (94.71, 437), (70.66, 2637), (65.74, 4982), (93.70, 406), (94.10, 814)),
                ),
                Row(
                    "LibSVM",
                    "libsvm",
                    theirs=each((96.48, 8542), None, (70.31, 256), (65.34, 85124), (96.90, 1568.93), None),
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
        *(claim for data in _RAND_DATA for claim in printed("score", _TABLE_1, data.problem, "RandSVM")),
        *printed("faster", _TABLE_1, "twonorm-100k", "RandSVM", base="LibSVM"),
        *(
            Claim("", "growth", None, _TABLE_1, f"{name}-1m", "RandSVM", "RandSVM", f"{name}-100k", why=_GROWTH)
            for name in ("twonorm", "ringnorm", "checkerboard")
        ),
    ),
)
