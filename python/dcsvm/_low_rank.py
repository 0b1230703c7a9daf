"""Low-rank linearised SVMs (LLSVM, LLSVM^2): training and models."""

from __future__ import annotations

import inspect
import os
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from . import _core, _validate
from ._model import labels_as_given
from ._train import Callback, ConvergenceWarning, _kernel_params, watching

FloatArray = npt.NDArray[np.float64]
IndexArray = npt.NDArray[np.int64]

FEATURES = ("nystrom", "rks", "fastfood")
LANDMARKS = ("kmeans", "kmeans++", "uniform")
LOSSES = ("hinge", "squared_hinge")
MULTI_CLASS = ("ovr", "ovo")


@dataclass(frozen=True, repr=False)
class LowRankReport:
    """What a low-rank training did. Several problems: sums and the worst violation.

    ``objective`` is the dual's, 1/2 |w|^2 + sum D_i a_i^2 / 2 - sum a_i; ``primal_objective`` 1/2 |w|^2 + sum C_i loss_i, NaN
    after a training in blocks; their sum is the duality gap. ``violation`` is the largest projected gradient of all rows; in
    blocks: as the last pass met each block, before solving it.
    """

    stop_reason: str
    objective: float
    primal_objective: float
    violation: float
    n_iter: int
    n_passes: int
    n_blocks: int
    n_landmarks: int
    n_components: int
    n_support: int
    n_kernel_values: int
    negative_share: float
    lambda_: float
    seconds: dict[str, float]
    peak_cache_bytes: int
    C: float
    gamma: float
    isa: str
    n_threads: int

    def __repr__(self) -> str:
        phases = ", ".join(f"{k} {v:.2f}" for k, v in self.seconds.items() if k != "total" and v >= 0.005)
        lines = [
            ("stop reason", self.stop_reason),
            ("landmarks", f"{self.n_landmarks:,} ({self.n_components:,} features)"),
            ("objective", f"{self.objective:.6f}"),
            ("violation", f"{self.violation:.2e}"),
            ("support vectors", f"{self.n_support:,}"),
            ("steps", f"{self.n_iter:,} in {self.n_passes:,} passes, {self.n_blocks:,} blocks"),
            ("C, gamma", f"{self.C:.6g}, {self.gamma:.6g}"),
            ("seconds", f"{self.seconds.get('total', 0.0):.2f}" + (f" ({phases})" if phases else "")),
            ("features take", f"{self.peak_cache_bytes / 2**20:.1f} MB"),
            ("ran on", f"{self.n_threads} threads, {self.isa}"),
        ]
        return "\n".join(f"{name:<16}{value}" for name, value in lines)


class LowRankModel:
    """A low-rank model: what :func:`dcsvm.train_low_rank` and :func:`dcsvm.load_model` return. Immutable; it pickles.

    ================== ==================================================================================================
    ``classes_``        labels, ascending; int64 when all are whole numbers, else float64
    ``landmarks_``      (n_landmarks, n_features): the landmarks that the map uses (random features: the directions; precomputed
                        kernel: empty)
    ``used_``           precomputed kernel and given landmarks: which of them are used
    ``coef_``           (n_problems, n_landmarks): a decision is the sum of coef * K(x, landmark) + intercept
    ``intercept_``      (n_problems,)
    ``alpha``           (n_problems, n) dual variables of the training; empty for models from files
    ``n_features_in_``  columns that predict expects
    ``report``          what the training did
    ================== ==================================================================================================

    n_problems is 1 for two classes; else n_classes ("ovr") or one for each pair ("ovo").
    """

    __slots__ = ("_core",)

    def __init__(self, core: _core.LowRankModel) -> None:
        if not isinstance(core, _core.LowRankModel):
            raise TypeError("a LowRankModel comes from dcsvm.train_low_rank, dcsvm.load_model or LowRankModel.from_bytes")
        self._core = core

    def predict(self, X: Any, *, n_jobs: int | None = None) -> npt.NDArray[Any]:
        """Labels of the rows of X (n, n_features), with the dtype of ``classes_``: the largest decision, or with "ovo" the most
        votes; ties to the lower class. For a precomputed kernel X is K(X, landmarks) with all landmarks that training was given.
        Raises ValueError for another number of features, NaN or infinity (naming row and column)."""
        labels = _core.low_rank_predict(self._core, _validate.as_data("X", X), _validate.threads(n_jobs))
        return labels.astype(self.classes_.dtype, copy=False)

    def decision_function(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """Two classes: (n,), positive for ``classes_[1]``. "ovr": (n, n_classes). "ovo": (n, n_pairs), column of the pair
        (i, j), i < j, positive for class i."""
        values = _core.low_rank_decision_function(self._core, _validate.as_data("X", X), _validate.threads(n_jobs))
        values = values.reshape(-1, len(self._core.intercept()))
        return -values[:, 0] if values.shape[1] == 1 else values

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model; a crash leaves the old file or the new one, never half. OSError when it cannot be written."""
        _core.save_low_rank_model(self._core, path)

    def to_bytes(self) -> bytes:
        """The content of the file that :meth:`save` writes."""
        return _core.low_rank_model_to_bytes(self._core)

    @classmethod
    def from_bytes(cls, data: bytes) -> LowRankModel:
        """The model that :meth:`to_bytes` gave. Raises dcsvm.ModelError for anything damaged."""
        return cls(_core.low_rank_model_from_bytes(bytes(data)))

    def __reduce__(self) -> tuple[Any, ...]:
        return LowRankModel.from_bytes, (self.to_bytes(),)

    @property
    def report(self) -> LowRankReport:
        return LowRankReport(**self._core.report())

    @property
    def classes_(self) -> npt.NDArray[Any]:
        return labels_as_given(self._core.classes)

    @property
    def n_features_in_(self) -> int:
        return self._core.n_features

    @property
    def landmarks_(self) -> FloatArray:
        if self.kernel == "precomputed":
            return np.empty((0, 0))
        return self._core.landmarks().reshape(-1, self.n_features_in_)

    @property
    def used_(self) -> IndexArray:
        return self._core.used()

    @property
    def coef_(self) -> FloatArray:
        coef = self._core.coef().reshape(len(self._core.intercept()), -1)
        return -coef if len(self._core.classes) == 2 else coef

    @property
    def intercept_(self) -> FloatArray:
        intercept = self._core.intercept()
        return -intercept if len(self._core.classes) == 2 else intercept

    @property
    def alpha(self) -> FloatArray:
        return self._core.alpha().reshape(len(self._core.intercept()), -1)

    @property
    def kernel(self) -> str:
        return self._core.kernel.type

    @property
    def gamma(self) -> float:
        return self._core.kernel.gamma

    @property
    def degree(self) -> int:
        return self._core.kernel.degree

    @property
    def coef0(self) -> float:
        return self._core.kernel.coef0

    @property
    def features(self) -> str:
        """ "nystrom", "rks" or "fastfood"."""
        return self._core.features

    @property
    def multi_class(self) -> str:
        """ "ovr" or "ovo"."""
        return self._core.multi_class

    def __repr__(self) -> str:
        classes = self.classes_
        names = ", ".join(map(str, classes[:6].tolist())) + (", ..." if len(classes) > 6 else "")
        return (
            f"<dcsvm.LowRankModel: {self.kernel} kernel, gamma={self.gamma:.6g}, {self._core.n_landmarks:,} landmarks "
            f"({self.features!r}); {len(classes)} classes ({names}); {self.report.stop_reason}. "
            f"Next: .predict(X), .decision_function(X), .save(path), .report>"
        )


class LowRankPath(NamedTuple):
    """What :func:`dcsvm.low_rank_path` returns."""

    C: list[float]
    models: list[LowRankModel]  #: one for each C, trained on all rows
    scores: FloatArray  #: (n_C, folds) accuracies on the rows left out; (n_C, 0) without cv

    @property
    def best(self) -> LowRankModel:
        """The model whose C has the highest mean score, ties to the smaller C. ValueError without cv."""
        if self.scores.shape[1] == 0:
            raise ValueError("there are no scores to choose by: call low_rank_path with cv")
        mean = self.scores.mean(axis=1)
        return self.models[min(range(len(self.C)), key=lambda i: (-mean[i], self.C[i]))]


def train_low_rank(
    X: Any,
    y: Any,
    *,
    C: float = 1.0,
    kernel: str = "rbf",
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    n_landmarks: int = 500,
    landmarks: Any = "kmeans",
    landmark_sample: int | None = None,
    landmark_iterations: int = 3,
    landmark_kernel: Any = None,
    features: str = "nystrom",
    supervised: bool = False,
    n_labelled: int = 100,
    balance: float = 0.2,
    lambda_: float | str = "auto",
    unlabelled: float | None = None,
    loss: str = "hinge",
    fit_intercept: bool = True,
    multi_class: str = "ovr",
    tol: float = 0.1,
    max_iter: int = 1000,
    cache_size: float = 2000,
    n_passes: int = 3,
    class_weight: Mapping[Any, float] | str | None = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    warm_start_alpha: Any = None,
    callback: Callback | None = None,
    verbose: bool = False,
    **unknown: NoReturn,
) -> LowRankModel:
    """Trains a low-rank linearised SVM: a linear SVM on features whose inner products approximate the kernel (Lan et al. 2019).

    X : (n, n_features) array or scipy CSR, as for :func:`dcsvm.train`; for ``kernel="precomputed"`` K(rows, landmarks), (n, k)
    y : (n,) labels, numbers, at least two different ones

    Map
        kernel, degree, gamma, coef0 : as for :func:`dcsvm.train`. A sigmoid kernel is not positive semi-definite: negative
            eigenvalues are cut off, with a warning; other kernels are refused then
        features : "nystrom" K_rz M with M M' = K_zz^+ (LLSVM) | "rks" random Fourier features | "fastfood"; these two for rbf
        n_landmarks : k; more is more accurate, costs n k^2 (rks, fastfood: random directions)
        landmarks : "kmeans" centres | "kmeans++" its seeds, rows of X | "uniform" rows of X | an array (k, n_features)
        landmark_sample, landmark_iterations : rows that k-means runs on (None: 10 k, within 5,000 and 20,000), and its iterations
        landmark_kernel : K(landmarks, landmarks), (k, k), of a precomputed kernel
    LLSVM^2
        supervised : learn the spectrum of the map from n_labelled labelled rows (Eq. 23), with ``balance`` (a) and ``lambda_``:
            > 0, or "auto", the best of 10^-5 .. 10^5 on held-out rows. Takes k^3 / 10^9 seconds or so: for hundreds of landmarks
        unlabelled : the label of rows whose class is not known (-1 in scikit-learn's semi-supervised estimators): they give
            landmarks and take no part otherwise. None: every label is a class
    Linear SVM
        C : price of errors, > 0; C_i = C * class_weight * sample_weight
        loss : "hinge" | "squared_hinge"
        fit_intercept : with a bias, which is regularised (as LIBLINEAR's; unlike :func:`dcsvm.train`'s)
        multi_class : "ovr" one problem for each class | "ovo" one for each pair
        class_weight, sample_weight : as for :func:`dcsvm.train`
        tol : stop when the largest projected gradient of the dual is below
        max_iter : passes of coordinate descent
        cache_size : MB for features, 4 n k bytes; what does not fit is trained in blocks
        n_passes : over the data, when it is trained in blocks
        warm_start_alpha : a start, as ``LowRankModel.alpha`` returns it
    random_state, n_jobs, callback, verbose : as for :func:`dcsvm.train`

    Returns a :class:`LowRankModel`. Warns with :class:`ConvergenceWarning` when it stopped before ``tol`` was reached.
    Raises TypeError for unknown parameters, ValueError for bad values and bad data, MemoryError when ``cache_size`` is too small.

    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> model = dcsvm.train_low_rank(X, y, C=10, gamma=4, n_landmarks=200)
    >>> float((model.predict(X) == y).mean()) > 0.97
    True
    """
    if unknown:
        raise _validate.unknown_parameters("train_low_rank", unknown, parameter_names())
    p, inputs = _params(**{name: value for name, value in locals().items() if name in _PARAMETERS})
    data, y_, weights = _data(X, y, sample_weight)
    alpha = None
    if warm_start_alpha is not None:
        alpha = np.ascontiguousarray(_validate.as_data("warm_start_alpha", warm_start_alpha), dtype=np.float64)
        problems = _problems(y_, p)
        if alpha.shape != (problems, len(y_)):
            raise ValueError(f"warm_start_alpha must have shape ({problems}, {len(y_)}), got {alpha.shape}")
    with watching(p.tol, verbose, callback) as progress:
        core = _core.train_low_rank(data, y_, p, weights, *inputs, alpha, progress)
    model = LowRankModel(core)
    _warn(model, p.tol)
    return model


def low_rank_path(
    X: Any,
    y: Any,
    C: Iterable[float],
    *,
    cv: int | Any | None = None,
    **params: Any,
) -> LowRankPath:
    """Trains for several values of C on one stored matrix of features, each from the solution of the last.

    C : values > 0, best in ascending order
    cv : None, a number of folds >= 2 (stratified by label, shuffled by ``random_state``), or (n,) the fold of each row: for each
        fold the path is also trained on the other rows and scored on the fold's. Landmarks and a supervised map come from all
        rows
    params : as for :func:`dcsvm.train_low_rank`, without C and warm_start_alpha. All features must fit ``cache_size``

    Returns a :class:`LowRankPath`: ``models``, ``scores`` and ``best``.

    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> path = dcsvm.low_rank_path(X, y, [0.1, 1, 10], cv=3, gamma=4, n_landmarks=200)
    >>> path.scores.shape, path.best.report.C
    ((3, 3), 10.0)
    """
    values = [_validate.real("C", c, above=0) for c in C]
    if not values:
        raise ValueError("C must name at least one value")
    known = [name for name in parameter_names() if name not in ("C", "warm_start_alpha")]
    options = {**_DEFAULTS, **_known("low_rank_path", params, known)}
    p, inputs = _params(**{name: options[name] for name in _PARAMETERS})
    data, labels, weights = _data(X, y, options["sample_weight"])
    folds, fold_of = _folds(cv, labels, p.seed)
    with watching(p.tol, options["verbose"], options["callback"]) as progress:
        models, scores = _core.low_rank_path(data, labels, p, values, folds, fold_of, weights, *inputs, progress)
    found = [LowRankModel(m) for m in models]
    for model in found:
        _warn(model, p.tol)
    return LowRankPath(values, found, scores.reshape(len(values), folds))


def train_low_rank_file(
    path: str | os.PathLike[str],
    *,
    memory_mb: float = 1000,
    cache_dir: str | os.PathLike[str] | None = None,
    keep_cache: bool = True,
    n_features: int | None = None,
    zero_based: bool = False,
    **params: Any,
) -> LowRankModel:
    """:func:`dcsvm.train_low_rank` on a SVMlight (LIBSVM) text file that may be larger than memory.

    The text is parsed once into a folder of binary blocks, which later calls use again; then features are made block by block and
    trained with ``n_passes`` over the data, or to ``tol`` when they all fit. Called again after it was killed, with the same
    parameters, it goes on after the last block.

    memory_mb : cap of the working memory, landmarks and their kernel matrix aside
    cache_dir : the folder; None: the path with ".dcsvm-blocks" behind
    keep_cache : leave the blocks for the next training
    n_features, zero_based : as for :func:`dcsvm.load_svmlight`
    params : as for :func:`dcsvm.train_low_rank`, without cache_size, sample_weight, landmark_kernel, warm_start_alpha and given
        landmarks. gamma="scale" comes from a sample

    Raises OSError; ValueError naming file, line and column, or a cache that is damaged, of another version, or of another state
    of the file (delete it then).
    """
    columns = 0 if n_features is None else _validate.integer("n_features", n_features, low=1, high=2**31 - 1)
    p, options = _block_params("train_low_rank_file", params)
    memory = _validate.real("memory_mb", memory_mb, above=0)
    keep, zero = _validate.boolean("keep_cache", keep_cache), _validate.boolean("zero_based", zero_based)
    with watching(p.tol, options["verbose"], options["callback"]) as progress:
        model = LowRankModel(_core.train_low_rank_file(path, p, cache_dir, memory, keep, columns, zero, progress))
    _warn(model, p.tol)
    return model


def train_low_rank_batches(
    batches: Iterable[tuple[Any, Any]],
    *,
    memory_mb: float = 1000,
    cache_dir: str | os.PathLike[str] | None = None,
    keep_cache: bool = False,
    **params: Any,
) -> LowRankModel:
    """:func:`dcsvm.train_low_rank_file` for rows that arrive as batches (X, y), from a sequence or a generator.

    All batches are dense, or all CSR, with the same number of columns. They are stored as float32 blocks in ``cache_dir`` (None:
    a temporary folder, removed at the end), so that a generator is read once.

    >>> import dcsvm
    >>> batches = (dcsvm.datasets.make_checkerboard(1000, random_state=i) for i in range(4))
    >>> model = dcsvm.train_low_rank_batches(batches, C=10, gamma=4, n_landmarks=200)
    >>> model.report.stop_reason
    'converged'
    """
    p, options = _block_params("train_low_rank_batches", params)
    memory = _validate.real("memory_mb", memory_mb, above=0)
    keep = _validate.boolean("keep_cache", keep_cache)
    if cache_dir is None and keep:
        raise ValueError("keep_cache needs cache_dir: a temporary folder would be lost")
    with ExitStack() as stack:
        progress = stack.enter_context(watching(p.tol, options["verbose"], options["callback"]))
        folder = cache_dir
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dcsvm-"))) / "blocks"
        model = LowRankModel(_core.train_low_rank_batches(_checked(batches), p, folder, memory, keep, progress))
    _warn(model, p.tol)
    return model


def _checked(batches: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, FloatArray]]:
    for i, batch in enumerate(batches):
        if not isinstance(batch, (tuple, list)) or len(batch) != 2:
            raise ValueError(f"batch {i} must be a pair (X, y), got {type(batch).__name__}")
        data = _validate.as_data(f"batch {i}: X", batch[0])
        yield data, _validate.as_labels(f"batch {i}: y", batch[1], data.shape[0])


_NOT_IN_BLOCKS = ("cache_size", "sample_weight", "landmark_kernel", "warm_start_alpha")


def _block_params(function: str, params: dict[str, Any]) -> tuple[_core.LowRankParams, dict[str, Any]]:
    known = [name for name in parameter_names() if name not in _NOT_IN_BLOCKS]
    options = {**_DEFAULTS, **_known(function, params, known)}
    p, (landmarks, _) = _params(**{name: options[name] for name in _PARAMETERS})
    if landmarks is not None:
        raise ValueError("landmarks must be 'kmeans', 'kmeans++' or 'uniform' here: they are chosen from the stored blocks")
    return p, options


def parameter_names() -> list[str]:
    """The names of train_low_rank's parameters."""
    return list(_DEFAULTS)


def _known(function: str, given: dict[str, Any], known: list[str]) -> dict[str, Any]:
    unknown = [name for name in given if name not in known]
    if unknown:
        raise _validate.unknown_parameters(function, unknown, known)
    return given


def _params(
    *,
    C: float,
    kernel: str,
    degree: int,
    gamma: float | str,
    coef0: float,
    n_landmarks: int,
    landmarks: Any,
    landmark_sample: int | None,
    landmark_iterations: int,
    landmark_kernel: Any,
    features: str,
    supervised: bool,
    n_labelled: int,
    balance: float,
    lambda_: float | str,
    unlabelled: float | None,
    loss: str,
    fit_intercept: bool,
    multi_class: str,
    tol: float,
    max_iter: int,
    cache_size: float,
    n_passes: int,
    class_weight: Any,
    random_state: Any,
    n_jobs: int | None,
) -> tuple[_core.LowRankParams, tuple[Any, Any]]:
    """The core's parameters, and landmarks and their kernel when they are given."""
    p = _core.LowRankParams()
    p.C = _validate.real("C", C, above=0)
    p.kernel = _kernel_params(kernel, degree, gamma, coef0)
    p.gamma_rule = gamma if isinstance(gamma, str) else "value"
    p.n_landmarks = _validate.integer("n_landmarks", n_landmarks, low=1)
    p.landmark_sample = (
        0 if landmark_sample is None else _validate.integer("landmark_sample", landmark_sample, low=1, also=" or None")
    )
    p.landmark_iterations = _validate.integer("landmark_iterations", landmark_iterations, low=0)
    given = None
    if isinstance(landmarks, str):
        p.landmarks = _validate.choice("landmarks", landmarks, LANDMARKS)
    else:
        given = _validate.as_data("landmarks", landmarks)
    p.features = _validate.choice("features", features, FEATURES)
    p.supervised = _validate.boolean("supervised", supervised)
    p.n_labelled = _validate.integer("n_labelled", n_labelled, low=2)
    p.balance = _validate.real("balance", balance, at_least=0)
    if isinstance(lambda_, str):
        _validate.choice("lambda_", lambda_, ("auto",))
    else:
        p.lambda_ = _validate.real("lambda_", lambda_, above=0)
    p.unlabelled = None if unlabelled is None else _validate.real("unlabelled", unlabelled)
    p.loss = _validate.choice("loss", loss, LOSSES)
    p.fit_intercept = _validate.boolean("fit_intercept", fit_intercept)
    p.multi_class = _validate.choice("multi_class", multi_class, MULTI_CLASS)
    p.tol = _validate.real("tol", tol, above=0)
    p.max_iter = _validate.integer("max_iter", max_iter, low=1)
    p.cache_size = _validate.real("cache_size", cache_size, above=0)
    p.n_passes = _validate.integer("n_passes", n_passes, low=1)
    p.class_weight, p.balanced = _validate.class_weight(class_weight)
    p.seed = _validate.seed(random_state)
    p.n_threads = _validate.threads(n_jobs)
    return p, (given, None if landmark_kernel is None else _validate.as_data("landmark_kernel", landmark_kernel))


def _data(X: Any, y: Any, sample_weight: Any) -> tuple[Any, FloatArray, FloatArray | None]:
    data = _validate.as_data("X", X)
    n = data.shape[0]
    labels = _validate.as_labels("y", y, n)
    return data, labels, None if sample_weight is None else _validate.as_vector("sample_weight", sample_weight, n)


def _problems(y: FloatArray, p: _core.LowRankParams) -> int:
    classes = np.unique(y)
    k = len(classes) - int(p.unlabelled is not None and p.unlabelled in classes)
    return 1 if k == 2 else k if p.multi_class == "ovr" else k * (k - 1) // 2


def _folds(cv: Any, y: FloatArray, seed: int) -> tuple[int, list[int]]:
    """Number of folds, and the fold of each row."""
    n = len(y)
    if cv is None:
        return 0, []
    if np.ndim(cv) > 0:
        given = _validate.as_vector("cv", cv, n)
        if given.min() < 0 or (given != np.floor(given)).any() or given.max() < 1:
            raise ValueError("cv must hold the fold of each row: 0, 1, ..., at least two of them")
        return int(given.max()) + 1, [int(f) for f in given]
    folds = _validate.integer("cv", cv, low=2, high=n, also=", None or an array of folds")
    rng = np.random.default_rng(seed)
    fold_of = np.empty(n, dtype=np.int64)
    start = 0
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        fold_of[rows] = (start + np.arange(len(rows))) % folds
        start += len(rows)
    return folds, fold_of.tolist()


def _warn(model: LowRankModel, tol: float) -> None:
    report = model.report
    if report.negative_share > 1e-6:
        warnings.warn(
            f"the {model.kernel} kernel is not positive semi-definite on the landmarks: negative eigenvalues, "
            f"{100 * report.negative_share:.2g} % of the spectrum, were cut off",
            UserWarning,
            stacklevel=3,
        )
    if report.stop_reason == "converged":
        return
    limit = "passes over the data (n_passes)" if report.n_blocks > 1 else "passes (max_iter)"
    warnings.warn(
        f"training stopped with {report.stop_reason!r} after {report.n_passes:,} {limit} at violation {report.violation:.3g}, "
        f"above tol={tol:g}",
        ConvergenceWarning,
        stacklevel=3,
    )


_DEFAULTS = {n: p.default for n, p in inspect.signature(train_low_rank).parameters.items() if p.kind is p.KEYWORD_ONLY}
_PARAMETERS = [name for name, p in inspect.signature(_params).parameters.items() if p.kind is p.KEYWORD_ONLY]
