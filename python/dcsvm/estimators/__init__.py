"""scikit-learn estimators on dcsvm's core. Reached as ``dcsvm.SVC`` and so on, which load this package on first use."""

from ._dc import DCSVC
from ._dc_pred import DCPredSVC
from ._dc_pred_ridge import DCPredRidge
from ._low_rank import LowRankSVC
from ._one_class import OneClassSVM
from ._regression import SVR, NuSVR
from ._ridge import KernelRidge
from ._svc import SVC, NuSVC

__all__ = ["DCSVC", "SVC", "SVR", "DCPredRidge", "DCPredSVC", "KernelRidge", "LowRankSVC", "NuSVC", "NuSVR", "OneClassSVM"]

for _name in __all__:  # what pickles name: they survive a change of this package's inside
    globals()[_name].__module__ = "dcsvm"
