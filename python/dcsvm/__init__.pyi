"""Every public name of the package with its home. ``__init__.py`` loads a name from there when it is first used; editors and type
checkers read this file."""

from . import commonutil as commonutil  # not in __all__
from . import datasets as datasets
from . import liblinear as liblinear  # not in __all__
from . import liblinearutil as liblinearutil  # not in __all__
from . import onnx as onnx  # not in __all__
from . import patched as patched  # not in __all__
from . import plotting as plotting
from . import svm as svm  # not in __all__
from . import svmutil as svmutil  # not in __all__
from ._c_faces.install import install_as_liblinear as install_as_liblinear
from ._c_faces.install import install_as_libsvm as install_as_libsvm
from ._core import ModelError as ModelError
from ._core import Progress as Progress
from ._core import __version__ as __version__
from ._core import build_config as build_config
from ._dc_pred.model import DCPredModel as DCPredModel
from ._dc_pred.model import DCPredReport as DCPredReport
from ._dc_pred.train import compress as compress
from ._dc_pred.train import train_dc_pred as train_dc_pred
from ._dc_pred.train import train_dc_pred_ridge as train_dc_pred_ridge
from ._from_sklearn import from_sklearn as from_sklearn
from ._input.compiled_kernel import CompiledKernel as CompiledKernel
from ._input.svmlight import load_svmlight as load_svmlight
from ._input.svmlight import save_svmlight as save_svmlight
from ._input.validate import CsrMatrix as CsrMatrix
from ._installed import get_cmake_dir as get_cmake_dir
from ._installed import get_include as get_include
from ._installed import get_liblinear as get_liblinear
from ._installed import get_library_dir as get_library_dir
from ._installed import get_libsvm as get_libsvm
from ._ldkl.model import LDKLModel as LDKLModel
from ._ldkl.model import LDKLReport as LDKLReport
from ._ldkl.train import train_ldkl as train_ldkl
from ._least_squares.ls_svm import LsSvmModel as LsSvmModel
from ._least_squares.ls_svm import LsSvmReport as LsSvmReport
from ._least_squares.ls_svm import train_ls_svm as train_ls_svm
from ._least_squares.ridge import train_ridge as train_ridge
from ._linear.model import LinearModel as LinearModel
from ._linear.model import LinearReport as LinearReport
from ._linear.train import train_linear as train_linear
from ._linear.train import train_linear_file as train_linear_file
from ._load_model import load_model as load_model
from ._low_rank.model import LowRankModel as LowRankModel
from ._low_rank.model import LowRankPath as LowRankPath
from ._low_rank.model import LowRankReport as LowRankReport
from ._low_rank.train import low_rank_path as low_rank_path
from ._low_rank.train import train_low_rank as train_low_rank
from ._low_rank.train import train_low_rank_batches as train_low_rank_batches
from ._low_rank.train import train_low_rank_file as train_low_rank_file
from ._model.explanation import Explanation as Explanation
from ._model.explanation import NearestSupport as NearestSupport
from ._patch.replace import Patch as Patch  # not in __all__
from ._patch.replace import patch_sklearn as patch_sklearn
from ._patch.replace import unpatch_sklearn as unpatch_sklearn
from ._search.cost_curve import CostCurve as CostCurve
from ._search.cost_curve import cost_curve as cost_curve
from ._search.cross_validate import CrossValidation as CrossValidation
from ._search.cross_validate import cross_validate as cross_validate
from ._search.leave_one_out import HeldOut as HeldOut
from ._search.leave_one_out import leave_one_out as leave_one_out
from ._search.linear_path import LinearPath as LinearPath
from ._search.linear_path import linear_path as linear_path
from ._search.tune import tune as tune
from ._search.tuning import Tuning as Tuning
from ._shown.history import History as History
from ._shown.report import Report as Report
from ._shown.training_warnings import ScaleWarning as ScaleWarning
from ._shown.watching import ConvergenceWarning as ConvergenceWarning
from ._svm.levels import Level as Level
from ._svm.model import Model as Model
from ._svm.train import train as train
from .estimators import DCSVC as DCSVC
from .estimators import LDKLSVC as LDKLSVC
from .estimators import LSSVC as LSSVC
from .estimators import LSSVR as LSSVR
from .estimators import SVC as SVC
from .estimators import SVCCV as SVCCV
from .estimators import SVR as SVR
from .estimators import SVRCV as SVRCV
from .estimators import CascadeSVC as CascadeSVC
from .estimators import DCPredRidge as DCPredRidge
from .estimators import DCPredSVC as DCPredSVC
from .estimators import FourierFeatures as FourierFeatures
from .estimators import KernelRidge as KernelRidge
from .estimators import LinearOneClassSVM as LinearOneClassSVM
from .estimators import LinearSVC as LinearSVC
from .estimators import LinearSVR as LinearSVR
from .estimators import LogisticRegression as LogisticRegression
from .estimators import LogisticRegressionCV as LogisticRegressionCV
from .estimators import LowRankSVC as LowRankSVC
from .estimators import NuSVC as NuSVC
from .estimators import NuSVCCV as NuSVCCV
from .estimators import NuSVR as NuSVR
from .estimators import OneClassSVM as OneClassSVM
from .estimators import OnlineSVC as OnlineSVC
from .estimators import QuantileSVR as QuantileSVR
from .estimators import RandSVC as RandSVC
from .estimators import TwoStepNormalizer as TwoStepNormalizer
