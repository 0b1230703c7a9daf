"""The public names of dcsvm.dask, each once: type checkers, editors, and __init__.py, which loads them when used, read it."""

from .._distributed.engine import PartitionError as PartitionError
from .._distributed.engine import TaskError as TaskError
from .._distributed.newton import Pass as Pass
from .._distributed.outer_loop import Round as Round
from .._distributed.report import DistributedLinearReport as DistributedLinearReport
from .._distributed.report import DistributedLowRankReport as DistributedLowRankReport
from .._distributed.report import DistributedReport as DistributedReport
from ._clusters import DaskDCSVC as DaskDCSVC
from ._cross_validate import cross_validate as cross_validate
from ._linear import DaskLinearSVC as DaskLinearSVC
from ._linear import DaskLogisticRegression as DaskLogisticRegression
from ._low_rank import DaskLowRankSVC as DaskLowRankSVC
from ._one_class import DaskOneClassSVM as DaskOneClassSVM
from ._svm import DaskSVC as DaskSVC
from ._svm import DaskSVR as DaskSVR
