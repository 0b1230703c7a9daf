# The extension module (python/bindings). tests/python/test_stub.py compares this file with it.
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

_Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
_Float64 = npt.NDArray[np.float64]
_Int64 = npt.NDArray[np.int64]

_OnProgress = Callable[[Progress], object] | None  # a true answer stops

__version__: str

class ModelError(ValueError): ...

class _BuildConfig(TypedDict):
    version: str
    compiler: str
    isa_built: list[str]
    isa: str
    n_threads: int

class KernelParams:
    type: str
    degree: int
    gamma: float
    coef0: float
    def __init__(self) -> None: ...

# What all trainings' parameters, and all models, have. These classes are here alone.

class _AnyParams:
    kernel: KernelParams
    gamma_rule: str
    seed: int
    n_threads: int
    def __init__(self) -> None: ...

class _AnyModel:
    @property
    def n_features(self) -> int: ...
    @property
    def classes(self) -> _Float64: ...
    @property
    def kernel(self) -> KernelParams: ...
    def report(self) -> dict[str, Any]: ...
    def save(self, path: _Path) -> None: ...
    def to_bytes(self) -> bytes: ...
    @classmethod  # static, but for the type of what it returns
    def from_bytes(cls, data: bytes) -> Self: ...

class TrainParams(_AnyParams):
    formulation: str
    C: float
    nu: float
    epsilon: float
    fit_intercept: bool
    tol: float
    cache_size: float
    shrinking: bool
    max_iter: int
    precision: str
    class_weight: list[tuple[float, float]]
    balanced: bool
    probability: bool
    solver: str
    n_levels: int
    branching: int
    sample_size: int
    clustering: str
    balance_clusters: bool
    early_level: int | None
    n_support_estimate: int
    rand_epsilon: float
    rand_delta: float
    sample_factor: float
    cascade_leaves: int
    cascade_passes: int
    prediction: str

class Progress:
    @property
    def phase(self) -> str: ...
    @property
    def level(self) -> int: ...
    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def n_iter(self) -> int: ...
    @property
    def violation(self) -> float: ...
    @property
    def objective(self) -> float: ...
    @property
    def active(self) -> int: ...
    @property
    def seconds(self) -> float: ...

class Model(_AnyModel):
    @property
    def n_train(self) -> int: ...
    @property
    def formulation(self) -> str: ...
    @property
    def nu(self) -> float: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def clustered(self) -> bool: ...
    @property
    def prediction(self) -> str: ...
    def calibration(self) -> dict[str, _Float64]: ...
    def with_prediction(self, how: str) -> Model: ...
    def support(self) -> _Int64: ...
    def n_support_per_class(self) -> _Int64: ...
    def sv_coef(self) -> _Float64: ...
    def rho(self) -> _Float64: ...
    def alpha(self) -> _Float64: ...
    def support_vectors(self) -> _Float64: ...
    def support_points(self) -> npt.NDArray[Any] | tuple[npt.NDArray[Any], _Int64, _Int64]: ...
    def with_coefficients(self, sv_coef: Sequence[float] | _Float64, rho: Sequence[float] | _Float64) -> Model: ...

class LsSvmParams(_AnyParams):
    normalise: bool
    regression: bool
    gamma_ls: float
    method: str
    block_size: int
    n_iter: int
    n_average: int
    tol: float

class LsSvmModel(_AnyModel):
    @property
    def n_train(self) -> int: ...
    @property
    def regression(self) -> bool: ...
    @property
    def normalise(self) -> bool: ...
    def coef(self) -> _Float64: ...
    def intercept(self) -> _Float64: ...

class LowRankParams(_AnyParams):
    C: float
    features: str
    n_landmarks: int
    landmarks: str
    landmark_sample: int
    landmark_iterations: int
    loss: str
    fit_intercept: bool
    multi_class: str
    tol: float
    max_iter: int
    cache_size: float
    n_passes: int
    class_weight: list[tuple[float, float]]
    balanced: bool
    supervised: bool
    n_labelled: int
    balance: float
    lambda_: float | None
    unlabelled: float | None

class LowRankModel(_AnyModel):
    @property
    def n_landmarks(self) -> int: ...
    @property
    def features(self) -> str: ...
    @property
    def multi_class(self) -> str: ...
    def landmarks(self) -> _Float64: ...
    def used(self) -> _Int64: ...
    def coef(self) -> _Float64: ...
    def intercept(self) -> _Float64: ...
    def alpha(self) -> _Float64: ...

class DcPredParams(_AnyParams):
    C: float
    alpha: float
    n_leaves: int
    n_landmarks: int
    n_pseudo: int
    pseudo: str
    landmarks: str
    sample_size: int
    refine: int
    fit_intercept: bool
    tol: float
    cache_size: float
    class_weight: list[tuple[float, float]]
    balanced: bool

class DcPredModel(_AnyModel):
    @property
    def n_leaves(self) -> int: ...
    @property
    def cost(self) -> float: ...
    @property
    def pseudo(self) -> str: ...
    def landmarks(self, leaf: int) -> _Float64: ...

def train_dc_pred(
    x: object,
    y: _Float64,
    params: DcPredParams,
    sample_weight: _Float64 | None,
    progress: _OnProgress,
) -> DcPredModel: ...
def train_dc_pred_ridge(
    x: object,
    y: _Float64,
    params: DcPredParams,
    sample_weight: _Float64 | None,
    progress: _OnProgress,
) -> DcPredModel: ...

class RidgeParams(_AnyParams):
    alpha: float
    solver: str
    tol: float
    max_iter: int
    cache_size: float
    precision: str

def train_ridge(
    x: object,
    y: _Float64,
    params: RidgeParams,
    sample_weight: _Float64 | None,
    progress: _OnProgress,
) -> Model: ...
def compress(model: Model, x: object, params: DcPredParams, progress: _OnProgress) -> DcPredModel: ...
def dc_pred_predict(model: DcPredModel, x: object, n_threads: int) -> _Float64: ...
def dc_pred_decision_function(model: DcPredModel, x: object, n_threads: int) -> _Float64: ...
def build_config() -> _BuildConfig: ...
def describe_data(x: object) -> dict[str, int]: ...
def train(
    x: object,
    y: _Float64,
    params: TrainParams,
    sample_weight: _Float64 | None,
    warm_start_alpha: _Float64 | None,
    progress: _OnProgress,
) -> Model: ...
def predict(model: Model, x: object, n_threads: int) -> _Float64: ...
def decision_function(model: Model, x: object, n_threads: int) -> _Float64: ...
def predict_proba(model: Model, x: object, n_threads: int) -> _Float64: ...
def make_folds(y: _Float64, n_folds: int, stratified: bool, seed: int) -> list[tuple[_Int64, _Int64]]: ...
def cross_validate(
    x: object,
    y: _Float64,
    params: TrainParams,
    C: list[float],
    gamma: list[float],
    splits: list[tuple[_Int64, _Int64]],
    decisions: bool,
    sample_weight: _Float64 | None,
    progress: _OnProgress,
) -> tuple[_Float64, dict[str, Any]]: ...
def load_svmlight(
    path: _Path, n_features: int, zero_based: bool, n_threads: int, strict: bool = ...
) -> tuple[_Float64, npt.NDArray[np.int32], _Int64, int, _Float64]: ...
def save_svmlight(path: _Path, x: object, y: _Float64, zero_based: bool) -> None: ...
def load_model(path: _Path, n_features: int = ...) -> Model | LowRankModel | DcPredModel | LsSvmModel: ...
def save_libsvm_model(model: Model, path: _Path, sv_digits: int) -> None: ...
def interrupt_poll() -> int: ...
def train_ls_svm(
    x: object,
    y: _Float64,
    params: LsSvmParams,
    n_targets: int,
    coef: _Float64 | None,
    intercept: _Float64 | None,
    progress: _OnProgress,
) -> LsSvmModel: ...
def ls_svm_predict(model: LsSvmModel, x: object, n_threads: int) -> _Float64: ...
def ls_svm_decision_function(model: LsSvmModel, x: object, n_threads: int) -> _Float64: ...
def ls_svm_predict_proba(model: LsSvmModel, x: object, n_threads: int) -> _Float64: ...
def train_low_rank(
    x: object,
    y: _Float64,
    params: LowRankParams,
    sample_weight: _Float64 | None,
    landmarks: object,
    landmark_kernel: object,
    warm_start_alpha: _Float64 | None,
    progress: _OnProgress,
) -> LowRankModel: ...
def low_rank_path(
    x: object,
    y: _Float64,
    params: LowRankParams,
    C: list[float],
    folds: int,
    fold_of: list[int],
    sample_weight: _Float64 | None,
    landmarks: object,
    landmark_kernel: object,
    progress: _OnProgress,
) -> tuple[list[LowRankModel], _Float64]: ...
def train_low_rank_file(
    path: _Path,
    params: LowRankParams,
    cache: _Path | None,
    memory_mb: float,
    keep_cache: bool,
    n_features: int,
    zero_based: bool,
    progress: _OnProgress,
) -> LowRankModel: ...
def train_low_rank_batches(
    batches: Iterator[Any],
    params: LowRankParams,
    cache: _Path | None,
    memory_mb: float,
    keep_cache: bool,
    progress: _OnProgress,
) -> LowRankModel: ...
def low_rank_predict(model: LowRankModel, x: object, n_threads: int) -> _Float64: ...
def low_rank_decision_function(model: LowRankModel, x: object, n_threads: int) -> _Float64: ...
