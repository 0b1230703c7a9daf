"""scikit-learn estimators on dcsvm's core. Reached as ``dcsvm.SVC`` and so on, which load this package on first use."""

from ._dc_pred import DCPredRidge, DCPredSVC
from ._ldkl import LDKLSVC
from ._least_squares import LSSVC, LSSVR
from ._linear import LinearOneClassSVM, LinearSVR
from ._linear_classification import LinearSVC
from ._logistic import LogisticRegression
from ._logistic_cv import LogisticRegressionCV
from ._low_rank import LowRankSVC
from ._multilevel import DCSVC
from ._one_class import OneClassSVM
from ._online import OnlineSVC
from ._preprocessing import FourierFeatures, TwoStepNormalizer
from ._quantile import QuantileSVR
from ._regression import SVR, NuSVR
from ._ridge import KernelRidge
from ._sampled import CascadeSVC, RandSVC
from ._svc import SVC, NuSVC
from ._tuned_regression import SVRCV
from ._tuned_svc import SVCCV, NuSVCCV

__all__ = [
    "DCSVC",
    "LDKLSVC",
    "LSSVC",
    "LSSVR",
    "SVC",
    "SVCCV",
    "SVR",
    "SVRCV",
    "CascadeSVC",
    "DCPredRidge",
    "DCPredSVC",
    "FourierFeatures",
    "KernelRidge",
    "LinearOneClassSVM",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "LogisticRegressionCV",
    "LowRankSVC",
    "NuSVC",
    "NuSVCCV",
    "NuSVR",
    "OneClassSVM",
    "OnlineSVC",
    "QuantileSVR",
    "RandSVC",
    "TwoStepNormalizer",
]

for _name in __all__:  # what pickles name: they survive a change of this package's inside
    globals()[_name].__module__ = "dcsvm"
