"""Sums of the pairs of classes of an SVM, one against one."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._input.formulations import FORMULATIONS, SIDES
from .._input.parameters import parameters_of
from .._input.validate import FloatArray
from .._model_file.fields import ModelFile, expansions
from .answers import pairs_of
from .graph import Graph
from .kernels import KernelSums

_PREDICTIONS = parameters_of(_core.TrainParams)["prediction"].choices  # in the order of their numbers in files


class Svm:
    """What an SVM predicts from. One-class and regression count as two classes, all support vectors being of the first."""

    def __init__(self, file: ModelFile) -> None:
        head = file["META"]
        self.kernel = head.kernel()
        _, self.fit_intercept, prediction = (head.number("I") for _ in range(3))
        self.prediction = _PREDICTIONS[prediction]
        self.classes = file["CLAS"].array("f8")
        self.k = max(len(self.classes), 2)
        support = file["SUPP"]
        n = len(support.array("i8"))
        self.class_of = support.array("i4")
        self.coef: FloatArray = file["COEF"].array("f8").reshape(self.k - 1, n)  # LIBSVM's sv_coef
        self.points = file["PNTS"].points()
        self.one_class = "FORM" in file and list(FORMULATIONS)[file["FORM"].number("I")] in SIDES
        self.expansions = expansions(file)
        self.file = file

    @property
    def clustered(self) -> bool:
        return "CLSZ" in self.file

    @property
    def n_pairs(self) -> int:
        return self.k * (self.k - 1) // 2


def pair_coefficients(parts: Svm, which: slice, present: Any) -> FloatArray:
    """(pairs, some support vectors): 0 for those of other classes, and for pairs of which a class is not present."""
    coef, class_of = parts.coef[:, which], parts.class_of[which]
    if parts.k == 2:
        return coef
    table = np.zeros((parts.n_pairs, coef.shape[1]))
    for p, (i, j) in enumerate(pairs_of(parts.k)):
        if i in present and j in present:
            table[p] = np.where(class_of == i, coef[j - 1], np.where(class_of == j, coef[i], 0.0))
    return table


def sum_of_all(g: Graph, x: str, parts: Svm) -> str:
    """(n, pairs): without bias."""
    coef = pair_coefficients(parts, slice(None), range(parts.k))
    return KernelSums(g, x, parts.kernel, parts.points).sums(coef)


def whole(g: Graph, x: str, parts: Svm) -> str:
    """Of a model that is not clustered."""
    return g.node("Sub", sum_of_all(g, x, parts), parts.expansions[0].rho)
