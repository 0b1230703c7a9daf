"""Low-rank linearised SVMs (LLSVM, LLSVM^2): training."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from .. import _core
from .._input import validate
from .._input.blocks import block_arguments, cache_folder
from .._input.choices import Balanced, FeatureKernel, GammaRule, LowRankFeatures, LowRankLoss, MultiClass, Unpack
from .._input.columns import feature_names
from .._input.labels import as_labels, in_words, training_rows
from .._input.parameters import defaults_of, known_parameters, parameters_of, training
from .._input.validate import FloatArray
from .._model.training import trained
from .._model_file.frame import Names
from .._shown.watching import Callback, watching
from .model import LowRankModel, LowRankPath
from .options import LowRankFileOptions, LowRankPathOptions
from .params import coded_labels, core_params, folds_of, n_problems, warn


@training(_core.LowRankParams)
def train_low_rank(
    X: Any,
    y: Any,
    *,
    C: float = 1.0,
    kernel: FeatureKernel = "rbf",
    degree: int = 3,
    gamma: float | GammaRule = "scale",
    coef0: float = 0.0,
    n_landmarks: int | None = None,
    budget: float | str | None = None,
    landmarks: Any = "kmeans",
    landmark_sample: int | None = None,
    landmark_iterations: int = 3,
    landmark_kernel: Any = None,
    features: LowRankFeatures = "nystrom",
    supervised: bool = False,
    n_labelled: int = 100,
    balance: float = 1.0,
    lambda_: float | Literal["auto"] = "auto",
    unlabelled: float | None = None,
    loss: LowRankLoss = "hinge",
    fit_intercept: bool = True,
    multi_class: MultiClass = "ovr",
    tol: float = 0.1,
    max_iter: int = 1000,
    cache_size: float = 2000,
    n_passes: int = 3,
    class_weight: Mapping[Any, float] | Balanced | None = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    warm_start_alpha: Any = None,
    max_seconds: float | None = None,
    callback: Callback | None = None,
    verbose: bool = False,
) -> LowRankModel:
    """Trains a low-rank linearised SVM: a linear SVM on features whose inner products approximate the kernel (Lan et al. 2019).

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n, n_features)
        As for :func:`dcsvm.train`; for ``kernel="precomputed"`` K(rows, landmarks),
        (n, k).
    y : array-like of shape (n,)
        Labels, numbers or text, at least two different ones.
    kernel, degree, gamma, coef0
        As for :func:`dcsvm.train`. A sigmoid kernel is not positive semi-definite: negative eigenvalues are cut off, with
        a warning; other kernels are refused then.
    features : str, default='nystrom'
        "nystrom" K_rz M with M M' = K_zz^+ (LLSVM) | "rks" random Fourier features | "fastfood"; these two for
        rbf | "reduced" the kernel values K_rz themselves: the reduced SVM, for any kernel.
    n_landmarks : int or None, default=None
        Landmarks k; more is more accurate, costs n k^2 (rks, fastfood: random directions). None: 500, or as many as X has
        rows.
    budget : float or str or None, default=None
        Such as 12 or "12x": what a prediction may cost, as a multiple of a linear model's inner product. As many landmarks as
        that allows are used; n_landmarks is ignored.
    landmarks : str or array of shape (k, n_features), default='kmeans'
        "kmeans" centres | "kmeans++" its seeds, rows of X | "uniform" rows of X | "greedy" the rows that lower the training
        loss most, one after another: SpSVM (Keerthi et al. 2006), whose problem has ``loss="squared_hinge"``; for the best
        accuracy from few landmarks | an array (k, n_features).
    landmark_sample, landmark_iterations
        Rows that k-means and "greedy" look at (None: 10 k, within 5,000 and 20,000), and the iterations of k-means.
    landmark_kernel : array of shape (k, k) or None, default=None
        K(landmarks, landmarks), (k, k), of a precomputed kernel.
    supervised : bool, default=False
        LLSVM^2: learn the spectrum of the map from labelled rows (Eq. 23). Takes k^3 / 10^9 seconds or so: for hundreds of
        landmarks.
    n_labelled : int, default=100
        Labelled rows that the spectrum is learned from.
    balance : float, default=1.0
        a of Eq. (23).
    lambda_ : float or 'auto', default='auto'
        lambda of Eq. (23), > 0; "auto": the best of 10^-5 .. 10^5 on held-out rows.
    unlabelled : float or None, default=None
        The label of rows whose class is not known (-1 in scikit-learn's semi-supervised estimators): they give landmarks
        and take no part otherwise. None: every label is a class.
    C : float, default=1.0
        Price of errors, > 0; C_i = C * class_weight * sample_weight.
    loss : str, default='hinge'
        "hinge" | "squared_hinge".
    fit_intercept : bool, default=True
        With a bias, which is regularised (as LIBLINEAR's; unlike :func:`dcsvm.train`'s).
    multi_class : str, default='ovr'
        "ovr" one problem for each class | "ovo" one for each pair.
    class_weight, sample_weight
        As for :func:`dcsvm.train`.
    tol : float, default=0.1
        Stop when the largest projected gradient of the dual is below.
    max_iter : int, default=1000
        Passes of coordinate descent.
    cache_size : float, default=2000
        MB for features, 4 n k bytes; what does not fit is trained in blocks.
    n_passes : int, default=3
        Passes over the data, when it is trained in blocks.
    warm_start_alpha : array or None, default=None
        A start, as ``LowRankModel.alpha`` returns it.
    random_state, n_jobs, max_seconds, callback, verbose
        As for :func:`dcsvm.train`.

    Returns
    -------
    LowRankModel
        The model; ``report`` says what the training did.

    Raises
    ------
    TypeError
        For unknown parameters.
    ValueError
        For bad values and bad data.
    MemoryError
        When ``cache_size`` is too small.

    Warns
    -----
    ConvergenceWarning
        When it stopped before ``tol`` was reached.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> model = dcsvm.train_low_rank(X, y, C=10, gamma=4, n_landmarks=200)
    >>> float((model.predict(X) == y).mean()) > 0.97
    True
    """
    y, class_weight, classes = coded_labels(y, class_weight, unlabelled)
    data, y_, weights = training_rows(X, y, sample_weight)
    p, inputs = core_params(locals(), data.shape[0])
    alpha = None
    if warm_start_alpha is not None:
        alpha = validate.as_matrix("warm_start_alpha", warm_start_alpha, (n_problems(y_, p), len(y_)), "problems, rows")

    def solve(watch: Callback | None) -> _core.LowRankModel:
        return _core.train_low_rank(data, y_, p, weights, *inputs, alpha, watch)

    model = trained(LowRankModel, solve, params=p, tol=p.tol, verbose=verbose, callback=callback, X=X, classes=classes)
    warn(model, p.tol)
    return model


def low_rank_path(
    X: Any,
    y: Any,
    C: float | Iterable[float],
    *,
    cv: int | Any | None = None,
    **params: Unpack[LowRankPathOptions],
) -> LowRankPath:
    """Trains for several values of C on one stored matrix of features, each from the solution of the last.

    Parameters
    ----------
    X, y
        As for :func:`dcsvm.train_low_rank`.
    C : float or Iterable[float]
        Values > 0, best in ascending order.
    cv : int, splitter or iterable, default=None
        None, a number of folds >= 2 (stratified by label, shuffled by ``random_state``), or (n,) the fold of each row:
        for each fold the path is also trained on the other rows and scored on the fold's. Landmarks come
        from all rows, except where labels choose them or the map (``landmarks="greedy"``, ``supervised=True``): then each fold
        makes its own from the rows that it trains on. ``landmarks="greedy"`` chooses with the last value of C.
    **params
        As for :func:`dcsvm.train_low_rank`, without C, max_seconds and warm_start_alpha. All features must fit ``cache_size``.

    Returns
    -------
    LowRankPath
        ``models``, ``scores`` and ``best``.

    Examples
    --------
    >>> import dcsvm
    >>> X, y = dcsvm.datasets.make_checkerboard(2000)
    >>> path = dcsvm.low_rank_path(X, y, [0.1, 1, 10], cv=3, gamma=4, n_landmarks=200)
    >>> path.scores.shape, path.best.report.C
    ((3, 3), 10.0)
    """
    values = validate.values_of("C", C)
    options = {**_DEFAULTS, **known_parameters("low_rank_path", {**params}, parameter_names(), NOT_IN_PATHS)}
    y, options["class_weight"], classes = coded_labels(y, options["class_weight"], options["unlabelled"])
    data, labels, weights = training_rows(X, y, options["sample_weight"])
    p, inputs = core_params(options, data.shape[0])
    folds, fold_of = folds_of(cv, labels, p.seed)
    with watching(p.tol, options["verbose"], options["callback"]) as progress, in_words(classes):
        models, scores = _core.low_rank_path(data, labels, p, values, folds, fold_of, weights, *inputs, progress)
    found = [LowRankModel(m)._named(Names(classes, feature_names(X))) for m in models]
    for model in found:
        warn(model, p.tol)
    return LowRankPath(values, found, scores.reshape(len(values), folds))


def train_low_rank_file(
    path: str | os.PathLike[str],
    *,
    memory_mb: float = 1000,
    cache_dir: str | os.PathLike[str] | None = None,
    keep_cache: bool = True,
    n_features: int | None = None,
    zero_based: bool = False,
    **params: Unpack[LowRankFileOptions],
) -> LowRankModel:
    """:func:`dcsvm.train_low_rank` on a SVMlight (LIBSVM) text file that may be larger than memory.

    The text is parsed once into a folder of binary blocks, which later calls use again; then features are made block by block and
    trained with ``n_passes`` over the data, or to ``tol`` when they all fit. Called again after it was killed, with the same
    parameters, it goes on after the last block.

    Parameters
    ----------
    path : str or os.PathLike[str]
        The text file.
    memory_mb : float, default=1000
        Cap of the working memory, landmarks and their kernel matrix aside.
    cache_dir : str or os.PathLike[str] or None, default=None
        The folder; None: the path with ".dcsvm-blocks" behind.
    keep_cache : bool, default=True
        Leave the blocks for the next training. They also stay when the call fails, so that it can go on.
    n_features, zero_based
        As for :func:`dcsvm.load_svmlight`.
    **params
        As for :func:`dcsvm.train_low_rank`, without cache_size, sample_weight, landmark_kernel, warm_start_alpha and
        given landmarks. gamma="scale" comes from a sample.

    Returns
    -------
    LowRankModel
        The model, whose ``alpha`` is empty.

    Raises
    ------
    OSError
        When a file cannot be read or written.
    ValueError
        Naming file, line and column, or a cache that is damaged, of another version, or of another state of the file
        (delete it then).
    """
    source = validate.path("path", path)
    blocks = block_arguments(memory_mb, cache_dir, keep_cache, n_features, zero_based)
    p, options = _block_params("train_low_rank_file", {**params})

    def solve(watch: Callback | None) -> _core.LowRankModel:
        return _core.train_low_rank_file(source, p, *blocks, watch)

    model = trained(LowRankModel, solve, params=p, tol=p.tol, verbose=options["verbose"], callback=options["callback"])
    warn(model, p.tol)
    return model


def train_low_rank_batches(
    batches: Iterable[tuple[Any, Any]],
    *,
    memory_mb: float = 1000,
    cache_dir: str | os.PathLike[str] | None = None,
    keep_cache: bool = False,
    **params: Unpack[LowRankFileOptions],
) -> LowRankModel:
    """:func:`dcsvm.train_low_rank_file` for rows that arrive as batches (X, y), from a sequence or a generator.

    The batches are stored as float32 blocks in a folder, so that a generator is read once.

    Parameters
    ----------
    batches : Iterable[tuple[X, y]]
        All X are dense, or all CSR, with the same number of columns; y holds numbers.
    memory_mb : float, default=1000
        As for :func:`dcsvm.train_low_rank_file`.
    cache_dir : str or os.PathLike[str] or None, default=None
        The folder of the blocks; None: a temporary one, removed at the end.
    keep_cache : bool, default=False
        Leave the blocks in ``cache_dir``.
    **params
        As for :func:`dcsvm.train_low_rank_file`.

    Returns
    -------
    LowRankModel
        The model; ``report`` says what the training did.

    Examples
    --------
    >>> import dcsvm
    >>> batches = (dcsvm.datasets.make_checkerboard(1000, random_state=i) for i in range(4))
    >>> model = dcsvm.train_low_rank_batches(batches, C=10, gamma=4, n_landmarks=200)
    >>> model.report.stop_reason
    'converged'
    """
    p, options = _block_params("train_low_rank_batches", {**params})
    memory = validate.real("memory_mb", memory_mb, above=0)
    keep = validate.boolean("keep_cache", keep_cache)
    if cache_dir is None and keep:
        raise ValueError("keep_cache needs cache_dir: a temporary folder would be lost")
    with ExitStack() as stack:
        progress = stack.enter_context(watching(p.tol, options["verbose"], options["callback"]))
        folder = cache_folder(cache_dir)
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dcsvm-"))) / "blocks"
        model = LowRankModel(_core.train_low_rank_batches(_checked(batches), p, folder, memory, keep, progress))
    warn(model, p.tol)
    return model


def _checked(batches: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, FloatArray]]:
    hint = ": call it" if callable(batches) else ""
    if not isinstance(batches, Iterable):
        raise TypeError(f"batches must be a sequence or an iterator of pairs (X, y), got {type(batches).__name__}{hint}")
    return _each_checked(batches)


def _each_checked(items: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, FloatArray]]:
    for i, batch in enumerate(items):
        if not isinstance(batch, (tuple, list)) or len(batch) != 2:
            raise ValueError(f"batch {i} must be a pair (X, y), got {type(batch).__name__}")
        data = validate.as_data(f"batch {i}: X", batch[0])
        yield data, as_labels(f"batch {i}: y", batch[1], data.shape[0])


NOT_IN_BLOCKS = ("cache_size", "sample_weight", "landmark_kernel", "warm_start_alpha")
NOT_IN_PATHS = {
    "warm_start_alpha": "each C starts from the solution before",
    "max_seconds": "part of a path has no score; stop it from the callback",
}


def _block_params(function: str, params: dict[str, Any]) -> tuple[_core.LowRankParams, dict[str, Any]]:
    known = [name for name in parameter_names() if name not in NOT_IN_BLOCKS]
    options = {**_DEFAULTS, **known_parameters(function, params, known)}
    p, (landmarks, _) = core_params(options)
    if landmarks is not None:
        choices = ", ".join(map(repr, parameters_of(_core.LowRankParams)["landmarks"].choices))
        raise ValueError(f"landmarks must be {choices} here: they are chosen from the stored blocks")
    return p, options


def parameter_names() -> list[str]:
    """The names of train_low_rank's parameters."""
    return list(_DEFAULTS)


_DEFAULTS = defaults_of(train_low_rank)
