"""scikit-learn estimators on dcsvm's core. Reached as ``dcsvm.SVC`` and so on, which load this package on first use."""

from ._dc_pred import DCPredRidge as DCPredRidge
from ._dc_pred import DCPredSVC as DCPredSVC
from ._ldkl import LDKLSVC as LDKLSVC
from ._least_squares import LSSVC as LSSVC
from ._least_squares_regression import LSSVR as LSSVR
from ._linear_classification import LinearSVC as LinearSVC
from ._linear_one_class import LinearOneClassSVM as LinearOneClassSVM
from ._linear_regression import LinearSVR as LinearSVR
from ._logistic import LogisticRegression as LogisticRegression
from ._logistic_cv import LogisticRegressionCV as LogisticRegressionCV
from ._low_rank import LowRankSVC as LowRankSVC
from ._multilevel import DCSVC as DCSVC
from ._one_class import OneClassSVM as OneClassSVM
from ._online import OnlineSVC as OnlineSVC
from ._preprocessing import FourierFeatures as FourierFeatures
from ._preprocessing import TwoStepNormalizer as TwoStepNormalizer
from ._quantile import QuantileSVR as QuantileSVR
from ._regression import SVR as SVR
from ._regression import NuSVR as NuSVR
from ._ridge import KernelRidge as KernelRidge
from ._sampled import CascadeSVC as CascadeSVC
from ._sampled import RandSVC as RandSVC
from ._svc import SVC as SVC
from ._svc import NuSVC as NuSVC
from ._tuned_regression import SVRCV as SVRCV
from ._tuned_svc import SVCCV as SVCCV
from ._tuned_svc import NuSVCCV as NuSVCCV

__all__ = sorted(name for name, kind in globals().items() if isinstance(kind, type))

for _name in __all__:  # what pickles name: they survive a change of this package's inside
    globals()[_name].__module__ = "dcsvm"
