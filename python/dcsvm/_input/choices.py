"""The options whose values are names, as types, for editors and type checkers. The core's choices: python -m generate."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:
    Unpack = getattr(typing, "Unpack", dict)  # Python 3.10 has none, and its get_type_hints needs some name here

FeatureKernel = Literal[
    "linear",
    "poly",
    "rbf",
    "sigmoid",
    "exponential",
    "matern32",
    "matern52",
    "laplacian",
    "chi2",
    "tanimoto",
]
ProductKernel = Literal["linear", "poly", "rbf", "sigmoid", "exponential", "matern32", "matern52", "tanimoto"]
Kernel = Literal[
    "linear",
    "poly",
    "rbf",
    "sigmoid",
    "precomputed",
    "exponential",
    "matern32",
    "matern52",
    "laplacian",
    "chi2",
    "tanimoto",
]
LsKernel = Literal[
    "linear",
    "poly",
    "rbf",
    "sigmoid",
    "exponential",
    "matern32",
    "matern52",
    "laplacian",
    "chi2",
    "tanimoto",
    "cosine_poly",
]
GammaRule = Literal["scale", "auto"]
Balanced = Literal["balanced"]
Precision = Literal["single", "double"]

Formulation = Literal["c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"]
Solver = Literal["auto", "smo", "dc", "rand", "cascade"]
Clustering = Literal["kernel_kmeans", "kmeans", "random"]
Prediction = Literal["early", "naive"]

LinearSolver = Literal[
    "logistic",
    "squared_hinge_dual",
    "squared_hinge",
    "hinge_dual",
    "crammer_singer",
    "l1_squared_hinge",
    "l1_logistic",
    "logistic_dual",
    "svr_squared",
    "svr_squared_dual",
    "svr_dual",
    "one_class",
    "multinomial",
]
LowRankFeatures = Literal["nystrom", "rks", "fastfood", "reduced"]
LowRankLoss = Literal["hinge", "squared_hinge"]
MultiClass = Literal["ovr", "ovo"]
PseudoLandmarks = Literal["none", "triangle", "triangle_upper", "polynomial"]
Landmarks = Literal["auto", "kmeans", "support"]
LsMethod = Literal["nystrom", "kaczmarz", "matching_pursuit", "kaczmarz_mp", "exact"]
RidgeSolver = Literal["auto", "cholesky", "cg"]

ModelFormat = Literal["dcsvm", "libsvm"]
LinearModelFormat = Literal["dcsvm", "liblinear"]

GraphOperators = Literal["plain", "ml"]  # of ONNX graphs
GraphDtype = Literal["float32", "float64"]
