"""Kernel support vector machines at 10^4 to 10^6 rows, with LIBSVM's answers.

>>> import dcsvm
>>> X, y = dcsvm.datasets.make_checkerboard(2000)
>>> model = dcsvm.train(X, y, C=10, gamma=4)
>>> model.predict(X[:3]).shape
(3,)
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from ._c_faces.install import install_as_liblinear, install_as_libsvm
from ._core import ModelError, Progress, __version__, build_config
from ._dc_pred.train import DCPredModel, DCPredReport, compress, train_dc_pred, train_dc_pred_ridge
from ._input.svmlight import load_svmlight, save_svmlight
from ._input.validate import CsrMatrix
from ._installed import get_cmake_dir, get_include, get_liblinear, get_library_dir, get_libsvm
from ._ldkl.model import LDKLModel, LDKLReport
from ._ldkl.train import train_ldkl
from ._least_squares.ls_svm import LsSvmModel, LsSvmReport, train_ls_svm
from ._least_squares.ridge import train_ridge
from ._linear.model import LinearModel, LinearReport
from ._linear.train import train_linear, train_linear_file
from ._load_model import load_model
from ._low_rank.model import LowRankModel, LowRankPath, LowRankReport
from ._low_rank.train import low_rank_path, train_low_rank, train_low_rank_batches, train_low_rank_file
from ._search.cost_curve import CostCurve, cost_curve
from ._search.cross_validate import CrossValidation, cross_validate
from ._search.linear_path import LinearPath, linear_path
from ._shown.history import History
from ._shown.report import Report
from ._shown.training_warnings import ScaleWarning
from ._shown.watching import ConvergenceWarning
from ._svm.levels import Level
from ._svm.model import Model
from ._svm.sampled import train_cascade, train_rand
from ._svm.train import train

if TYPE_CHECKING:
    from . import commonutil as commonutil
    from . import datasets, plotting
    from . import liblinear as liblinear
    from . import liblinearutil as liblinearutil
    from . import onnx as onnx
    from . import svm as svm
    from . import svmutil as svmutil
    from .estimators import DCSVC as DCSVC
    from .estimators import LDKLSVC as LDKLSVC
    from .estimators import LSSVC as LSSVC
    from .estimators import LSSVR as LSSVR
    from .estimators import SVC as SVC
    from .estimators import SVR as SVR
    from .estimators import CascadeSVC as CascadeSVC
    from .estimators import DCPredRidge as DCPredRidge
    from .estimators import DCPredSVC as DCPredSVC
    from .estimators import FourierFeatures as FourierFeatures
    from .estimators import KernelRidge as KernelRidge
    from .estimators import LinearOneClassSVM as LinearOneClassSVM
    from .estimators import LinearSVC as LinearSVC
    from .estimators import LinearSVR as LinearSVR
    from .estimators import LogisticRegression as LogisticRegression
    from .estimators import LowRankSVC as LowRankSVC
    from .estimators import NuSVC as NuSVC
    from .estimators import NuSVR as NuSVR
    from .estimators import OneClassSVM as OneClassSVM
    from .estimators import OnlineSVC as OnlineSVC
    from .estimators import RandSVC as RandSVC
    from .estimators import TwoStepNormalizer as TwoStepNormalizer

__all__ = [
    "ConvergenceWarning",
    "CostCurve",
    "CrossValidation",
    "CsrMatrix",
    "DCPredModel",
    "DCPredReport",
    "History",
    "LDKLModel",
    "LDKLReport",
    "Level",
    "LinearModel",
    "LinearPath",
    "LinearReport",
    "LowRankModel",
    "LowRankPath",
    "LowRankReport",
    "LsSvmModel",
    "LsSvmReport",
    "Model",
    "ModelError",
    "Progress",
    "Report",
    "ScaleWarning",
    "__version__",
    "build_config",
    "compress",
    "cost_curve",
    "cross_validate",
    "datasets",
    "get_cmake_dir",
    "get_include",
    "get_liblinear",
    "get_library_dir",
    "get_libsvm",
    "install_as_liblinear",
    "install_as_libsvm",
    "linear_path",
    "load_model",
    "load_svmlight",
    "low_rank_path",
    "plotting",
    "save_svmlight",
    "train",
    "train_cascade",
    "train_dc_pred",
    "train_dc_pred_ridge",
    "train_ldkl",
    "train_linear",
    "train_linear_file",
    "train_low_rank",
    "train_low_rank_batches",
    "train_low_rank_file",
    "train_ls_svm",
    "train_rand",
    "train_ridge",
]

_MODULES = {"commonutil", "datasets", "liblinear", "liblinearutil", "onnx", "plotting", "svm", "svmutil"}  # loaded on first use
# Loaded on first use too; in __all__ where scikit-learn is installed, which they need.
_ESTIMATORS = {
    *(
        "SVC",
        "NuSVC",
        "SVR",
        "NuSVR",
        "OneClassSVM",
        "DCSVC",
        "RandSVC",
        "CascadeSVC",
        "OnlineSVC",
        "LowRankSVC",
        "DCPredSVC",
        "DCPredRidge",
        "LDKLSVC",
    ),
    *("LinearSVC", "LinearSVR", "LogisticRegression", "LinearOneClassSVM"),
    *("LSSVC", "LSSVR", "KernelRidge", "FourierFeatures", "TwoStepNormalizer"),
}

for _value in [globals().get(name) for name in __all__]:
    if isinstance(_value, type):
        _value.__module__ = "dcsvm"  # what users import from, and what pickles name


if not TYPE_CHECKING:
    if importlib.util.find_spec("sklearn") is not None:
        __all__ += sorted(_ESTIMATORS)

    # Hidden from type checkers, which would otherwise take every misspelt name for Any.
    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return importlib.import_module(f"{__name__}.{name}")
        if name in _ESTIMATORS:
            return getattr(_estimators(name), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _estimators(name: str) -> Any:
    try:
        return importlib.import_module(f"{__name__}.estimators")
    except ImportError as error:
        raise ImportError(
            f"dcsvm.{name} needs scikit-learn 1.6 or newer and scipy: pip install 'dcsvm[sklearn]' ({error})", name=error.name
        ) from error


def __dir__() -> list[str]:
    return sorted({*__all__, *_ESTIMATORS})
