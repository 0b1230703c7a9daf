"""Which parameters the estimators have, and their defaults: users' programs and pickles rely on both."""

import inspect
import math

import numpy as np
import pytest

import dcsvm
from dcsvm import _core
from dcsvm._input.parameters import parameters_of

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn is not installed")

from sklearn.utils._param_validation import Interval

KERNEL = {"kernel": "rbf", "degree": 3, "gamma": "scale", "coef0": 0.0, "n_jobs": None}
SOLVER = {
    **KERNEL,
    **{"tol": 1e-3, "shrinking": True, "cache_size": 200, "verbose": False, "max_iter": -1, "precision": "auto"},
    **{"warm_start": False, "callback": None},
}
LEVELS = {"n_levels": None, "branching": 4, "sample_size": 1000, "keep_levels": False, "early_level": None}
CLASSIFIER = {
    **SOLVER,
    **{"probability": "deprecated", "class_weight": None, "decision_function_shape": "ovr", "break_ties": False},
    "random_state": None,
}
C_SVC = {**CLASSIFIER, "C": 1.0, "fit_intercept": True}
DC_PRED = {
    **KERNEL,
    **{"n_leaves": 16, "n_landmarks": 12, "n_pseudo": 0, "pseudo": "triangle", "budget": None, "refine": 60},
    **{"sample_size": 500, "fit_intercept": True, "tol": 1e-3, "cache_size": 2000.0, "random_state": None},
}
LS_SVM = {
    **KERNEL,
    **{"gamma_ls": 1e4, "method": "matching_pursuit", "block_size": None, "n_iter": None, "n_average": 1, "tol": 1e-3},
    **{"warm_start": False, "random_state": None, "verbose": False, "callback": None},
}
LINEAR = {"tol": 1e-4, "max_iter": 1000, "verbose": 0, "random_state": None, "n_jobs": None}
BIAS = {"fit_intercept": True, "intercept_scaling": 1.0}
PARAMETERS = {
    "LinearSVC": {
        **{**LINEAR, **BIAS, "C": 1.0, "penalty": "l2", "loss": "squared_hinge", "dual": "auto", "multi_class": "ovr"},
        **{"class_weight": None, "probability": False},
    },
    "LinearSVR": {**LINEAR, **BIAS, "C": 1.0, "epsilon": 0.0, "loss": "epsilon_insensitive", "dual": "auto"},
    "LogisticRegression": {
        **{**LINEAR, **BIAS, "C": 1.0, "penalty": "l2", "l1_ratio": None, "dual": False, "solver": "auto", "multi_class": "auto"},
        "class_weight": None,
    },
    "LinearOneClassSVM": {**LINEAR, "nu": 0.5},
    "SVC": {**C_SVC, **LEVELS, "solver": "auto"},
    "NuSVC": {**CLASSIFIER, "nu": 0.5, "solver": "auto"},
    "SVR": {**SOLVER, **LEVELS, "C": 1.0, "epsilon": 0.1, "fit_intercept": True, "solver": "auto"},
    "NuSVR": {**SOLVER, "nu": 0.5, "C": 1.0, "solver": "auto"},
    "OneClassSVM": {**SOLVER, **LEVELS, "nu": 0.5, "solver": "auto"},
    "DCSVC": {
        **{**C_SVC, **LEVELS, "early_level": "auto"},
        **{"prediction": "early", "clustering": "auto", "balance_clusters": True},
    },
    "RandSVC": {**C_SVC, "epsilon": 0.2, "delta": 0.9, "n_support_estimate": None, "sample_factor": 2.0},
    "CascadeSVC": {**C_SVC, "n_leaves": 8, "n_passes": None},
    "OnlineSVC": {**CLASSIFIER, "C": 1.0, "budget": None},
    "LowRankSVC": {
        **{
            **KERNEL,
            "C": 1.0,
            "cv": 5,
            "n_landmarks": 500,
            "budget": None,
            "landmarks": "kmeans",
            "features": "nystrom",
            "supervised": False,
        },
        **{"n_labelled": 100, "balance": 1.0, "lambda_": "auto", "unlabelled": None, "loss": "hinge", "fit_intercept": True},
        **{"multi_class": "ovr", "tol": 0.1, "max_iter": 1000, "cache_size": 2000.0, "n_passes": 3, "class_weight": None},
        **{"random_state": None, "verbose": False, "probability": False},
    },
    "LDKLSVC": {
        **{"depth": 5, "budget": None, "lambda_w": 3e-4, "lambda_v": 1e-5, "lambda_theta": 1e-5, "sigma": 1.0},
        **{"sharpness": 100.0, "standardise": True, "n_passes": 30, "batch_size": 128, "learning_rate": 0.01, "tol": 0.01},
        **{"max_iter": None, "cache_size": 2000.0, "class_weight": None, "n_jobs": None, "verbose": False},
        **{"random_state": None, "probability": False},
    },
    "DCPredSVC": {**DC_PRED, "C": 1.0, "landmarks": "auto", "class_weight": None, "probability": False},
    "DCPredRidge": {**DC_PRED, "alpha": 1.0},
    "KernelRidge": {
        **{**KERNEL, "alpha": 1.0, "solver": "auto", "tol": 1e-6, "max_iter": 1000, "cache_size": 2000.0, "precision": "auto"},
        "random_state": None,
    },
    "LSSVC": LS_SVM,
    "LSSVR": LS_SVM,
    "FourierFeatures": {"n_channels": 1, "image_shape": None, "power": 1.0, "window": None, "n_frequencies": None},
    "TwoStepNormalizer": {},
}


def test_every_estimator_is_listed():
    from dcsvm import estimators

    assert PARAMETERS.keys() == set(estimators.__all__) == dcsvm._ESTIMATORS


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_and_defaults(name):
    assert getattr(dcsvm, name)().get_params() == PARAMETERS[name]
    assert {n: p.default for n, p in inspect.signature(getattr(dcsvm, name)).parameters.items()} == PARAMETERS[name]


@pytest.mark.parametrize("name", PARAMETERS)
def test_help_lists_every_parameter_with_its_default(name):
    text = getattr(dcsvm, name).__doc__.partition("Attributes\n")[0]
    shown = dict(line.strip().split(" : ", 1) for line in text.splitlines() if " : " in line)
    assert shown.keys() >= PARAMETERS[name].keys()
    for parameter, default in PARAMETERS[name].items():
        assert shown[parameter].endswith(f"default={default!r}"), parameter


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "DCSVC"])
def test_ranges_are_those_that_cpp_declares(name):
    declared = parameters_of(_core.TrainParams)
    wider = {"gamma"}  # scikit-learn allows 0
    compared = 0
    for parameter, accepted in getattr(dcsvm, name)._parameter_constraints.items():
        for interval in (c for c in accepted if isinstance(c, Interval) and parameter in declared and parameter not in wider):
            expected = declared[parameter]
            low = -math.inf if interval.left is None else interval.left
            included = interval.left is None or interval.closed in ("left", "both")
            assert (low, included) == (expected.low, expected.low_allowed), parameter
            compared += 1
    assert compared >= 4


def test_parameters_that_passed_once_are_checked_again_when_they_change():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = dcsvm.SVC(C=1).fit(X, [0, 0, 1, 1])
    model.fit(X, [0, 0, 1, 1])
    for name, value in {"C": -1, "degree": 3.0, "kernel": "rb", "cache_size": -1, "class_weight": "even"}.items():
        with pytest.raises(ValueError, match=f"'{name}' parameter"):
            dcsvm.SVC(**{"C": 1, name: value}).fit(X, [0, 0, 1, 1])


def test_few_plain_rows_are_refused_as_all_others_are():
    X, y = np.arange(8.0).reshape(-1, 1), np.repeat([0, 1], 4)
    bad = [
        (np.where(X > 6, np.nan, X), y, "NaN"),
        (X, y[:5], "inconsistent numbers of samples"),
        (X, y + 0.5 * X.ravel(), "Unknown label type"),
        (X, np.where(y, np.nan, 0.0), "NaN"),
        (X, np.zeros(8), "number of classes has to be greater than one"),
        (X[:, 0], y, "Expected 2D array"),
    ]
    for rows, labels, text in bad:
        with pytest.raises(ValueError, match=text):
            dcsvm.SVC().fit(rows, labels)
    frame = pytest.importorskip("pandas").DataFrame({"a": X.ravel()})
    model = dcsvm.SVC().fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a"]
    assert not hasattr(model.fit(X, y), "feature_names_in_")
    assert model.n_features_in_ == 1
