"""The preprocessing of Andrecut (2016), Sections 4.1 and 4.2 as transformers. Rows are images, or their channels side by side."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from .._shown.docstrings import described
from ._bases import BaseEstimator, CallbackSupportMixin, OneToOneFeatureMixin, TransformerMixin
from ._docs import FITTED, of_rows, suggesting
from ._inputs import parameters_checked

if TYPE_CHECKING:
    from typing_extensions import Self

Array = npt.NDArray[Any]

_X = ("X", "array-like of shape (n_samples, n_features)", "The rows, dense.")
_BAD = [("ValueError", "For parameters that are not allowed or do not fit the number of features, NaN or infinity.")]

_ROWS = 1024  # transformed at a time: spectra of all rows would take several times the memory of the result


def _centred_unit(rows: Array) -> Array:
    """Rows less their mean, then of norm 1; rows that are constant but for rounding become zeros."""
    # squares of tiny or huge values would vanish or overflow; a power of two rounds nothing
    rows = np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=1, keepdims=True))[1])
    own = rows - rows.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(own, axis=1, keepdims=True)
    noise = 8 * np.finfo(rows.dtype).eps * np.sqrt(rows.shape[1])
    return np.asarray(np.where(norms > noise, own / np.where(norms > noise, norms, 1), 0))


def _bell(side: int) -> Array:
    """The window of Eq. 76, (side, side)."""
    square = (np.arange(1, side + 1) - side / 2) ** 2
    return np.asarray(np.exp(-4 / side**2 * (square[:, None] + square[None, :])))


class _RowWise(CallbackSupportMixin, TransformerMixin, BaseEstimator):
    """Each row by itself: fit only notes the number of features."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @parameters_checked
    @described(_X, ("y", "Ignored", "Present for the interface."), returns=FITTED, raises=_BAD)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Note the number of features; rows are transformed one by one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows, dense.
        y : Ignored
            Present for the interface.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            For parameters that are not allowed or do not fit the number of features, NaN or infinity.
        """
        validate_data(self, X, dtype=[np.float64, np.float32])
        self._check_width()
        return self

    def _check_width(self) -> None:
        """What n_features_in_ must satisfy."""

    @of_rows("X_new", "ndarray of shape (n_samples, n_features_out)", "In X's precision.", x=_X)
    def transform(self, X: Any) -> Array:
        """Transform the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows, dense.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_features_out)
            In X's precision.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, NaN or infinity.
        """
        check_is_fitted(self, "n_features_in_")
        rows = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        parts = [self._transformed(rows[i : i + _ROWS]) for i in range(0, len(rows), _ROWS)]
        return np.concatenate(parts).astype(rows.dtype, copy=False)

    def _transformed(self, rows: Array) -> Array:
        raise NotImplementedError


class TwoStepNormalizer(OneToOneFeatureMixin, _RowWise):
    """Two-step normalisation: each row less its mean, then divided by its norm (Eq. 61, 62).

    Inner products of such rows are cosines. A constant row becomes zeros.

    Examples
    --------
    >>> import dcsvm
    >>> dcsvm.TwoStepNormalizer().fit_transform([[1.0, 2.0, 3.0]]).round(4).tolist()
    [[-0.7071, 0.0, 0.7071]]
    """

    def _transformed(self, rows: Array) -> Array:
        return _centred_unit(rows)


@suggesting
class FourierFeatures(_RowWise):
    """Rows beside the absolute values of their spectra, each normalised (Eq. 69-75).

    x becomes [x, f] / sqrt(2), with x less its mean and of norm 1, and f half of \\|FFT(x)\\|^power (the spectrum is symmetric),
    less its mean and of norm 1. 784 features become 1176. With `window`, f holds the spectra of pieces of the image instead,
    which say where in the image a pattern is; pieces are not in the paper.

    Parameters
    ----------
    n_channels : int, default=1
        Equal parts of a row, each with a spectrum of its own.
    image_shape : (height, width) or None, default=None
        Channels are images, row by row: their two-dimensional transform, its columns 0 to width // 2 - 1. None: the transform of
        the channel as one sequence of d values, the first d // 2 of it.
    power : float, default=1.0
        Exponent of the absolute values, > 0. Eq. 71 prints 1/2. The author's later programs have 1, which is more accurate on
        mnist (docs/methods/least_squares.md); for the low frequencies of pieces 1/2 is.
    window : int or None, default=None
        Side of the square pieces, 2 to min(image_shape), needs image_shape. They overlap by about half, reach every edge, and are
        weighted by Eq. 76's bell with c = 4 / window^2. None: the whole image, not weighted.
    n_frequencies : int or None, default=None
        Keeps the frequencies below it, of both signs along the height, >= 1; None: all.

    Examples
    --------
    >>> import numpy as np, dcsvm
    >>> images = np.random.default_rng(0).random((5, 784))
    >>> dcsvm.FourierFeatures(image_shape=(28, 28)).fit_transform(images).shape
    (5, 1176)
    >>> dcsvm.FourierFeatures(image_shape=(28, 28), power=0.5, window=14, n_frequencies=4).fit_transform(images).shape
    (5, 1036)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_channels": [Interval(Integral, 1, None, closed="left")],
        "image_shape": [tuple, list, np.ndarray, None],
        "power": [Interval(Real, 0.0, None, closed="neither")],
        "window": [Interval(Integral, 2, None, closed="left"), None],
        "n_frequencies": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_channels: int = 1,
        image_shape: tuple[int, int] | None = None,
        power: float = 1.0,
        window: int | None = None,
        n_frequencies: int | None = None,
    ) -> None:
        self.n_channels = n_channels
        self.image_shape = image_shape
        self.power = power
        self.window = window
        self.n_frequencies = n_frequencies

    def _check_width(self) -> None:
        if self.image_shape is not None:
            shape: tuple[Any, ...] = tuple(np.atleast_1d(np.asarray(self.image_shape, dtype=object)))
            whole = all(isinstance(v, Integral) and not isinstance(v, bool) for v in shape)
            if len(shape) != 2 or not whole or shape[0] < 1 or shape[1] < 2:
                raise ValueError(f"image_shape must be (height >= 1, width >= 2), got {self.image_shape!r}")
            if self.n_features_in_ != self.n_channels * shape[0] * shape[1]:
                raise ValueError(
                    f"X has {self.n_features_in_} features, which are not {self.n_channels} images of {shape[0]} x {shape[1]}"
                )
            if self.window is not None and self.window > min(shape):
                raise ValueError(f"window = {self.window} is wider than the images, which are {shape[0]} x {shape[1]}")
        elif self.window is not None:
            raise ValueError(f"window = {self.window} needs image_shape")
        elif self.n_features_in_ % self.n_channels or self.n_features_in_ < 2 * self.n_channels:
            raise ValueError(
                f"X has {self.n_features_in_} features, which are not {self.n_channels} channels of at least 2 values each: "
                "1 feature(s) (shape=) while a minimum of 2 is required."
            )

    def _transformed(self, rows: Array) -> Array:
        own = _centred_unit(rows)
        # a sequence is an image of one row
        height, width = (1, self.n_features_in_ // self.n_channels) if self.image_shape is None else self.image_shape
        channels = own.reshape(len(rows), self.n_channels, height, width)
        if self.window is None:
            pieces = [channels]
        else:
            side, bell = self.window, _bell(self.window).astype(rows.dtype)
            tops, lefts = _starts(height, side), _starts(width, side)
            pieces = [channels[..., i : i + side, j : j + side] * bell for i in tops for j in lefts]
        spectrum = np.hstack([self._spectrum(piece).reshape(len(rows), -1) for piece in pieces]) ** self.power
        return np.asarray(np.hstack([own, _centred_unit(spectrum)]) / math.sqrt(2))

    def _spectrum(self, images: Array) -> Array:
        height, width = images.shape[-2:]
        n = max(height, width) if self.n_frequencies is None else self.n_frequencies
        waves = np.abs(np.fft.rfft2(images)[..., : min(n, width // 2)])
        kept = np.abs(np.fft.fftfreq(height) * height) < n - 0.5
        return np.asarray(waves[..., kept, :])


def _starts(length: int, side: int) -> list[int]:
    """Where pieces of that side start: from edge to edge, at most half a side apart."""
    count = math.ceil((length - side) / (side // 2)) + 1
    return [round(v) for v in np.linspace(0, length - side, count)]
