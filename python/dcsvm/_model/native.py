"""The base class of the native models: files, pickling, and the properties that all of them have."""

from __future__ import annotations

import copy
import html
import os
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from .. import _core
from .._graphs.wanted import Wanted
from .._input import validate
from .._input.choices import GraphDtype, GraphOperators
from .._input.columns import check_features
from .._input.formulations import NU_FOR_C
from .._input.linear_solvers import SIDES
from .._input.packed import to_pack
from .._input.validate import FloatArray
from .._model_file.frame import Names, names_in, save_with_names, with_names
from .._shown.display import in_lines, section
from .._shown.docstrings import AS_GRAPH, GRAPH, NO_GRAPH, described

if TYPE_CHECKING:
    from onnx import ModelProto

CoreModel = TypeVar("CoreModel", bound="_core._AnyModel")
KernelCore = TypeVar("KernelCore", bound="_core._KernelModel")
Own = TypeVar("Own", bound="NativeModel[Any]")


def _in_short(value: Any) -> str:
    """A parameter's value on a line."""
    if isinstance(value, list) and len(value) > 6:
        return f"[{', '.join(map(str, value[:5]))}, ...]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class NativeModel(Generic[CoreModel]):
    """A model of the core. It never changes, and its pickle is the content of its file."""

    __slots__ = ("_core", "_label_type", "_names", "_report")

    _core_type: ClassVar[Any]  #: the class of ``_core``
    _origin: ClassVar[str]  # where such a model comes from, for an error message
    _report: Any  # once it was asked for
    _label_type: Any  # dtype of the predicted labels, once there were some

    def __init__(self, core: CoreModel = None) -> None:  # type: ignore[assignment]  # Model() says where models come from
        if not isinstance(core, self._core_type):
            raise TypeError(f"{self._origin}, dcsvm.load_model or {type(self).__name__}.from_bytes")
        self._core = core
        self._names = Names()

    if TYPE_CHECKING:  # each kind has its own

        @property
        def report(self) -> Any: ...

    def _named(self: Own, names: Names) -> Own:
        """The same model under the user's names."""
        named = type(self)(self._core)
        named._names = names
        if hasattr(self, "_report"):
            named._report = self._report
        return named

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model.

        Parameters
        ----------
        path : str or os.PathLike[str]
            The file, compressed when its name ends in .gz, .bz2 or .xz. A crash leaves the old file or the new one, never half.

        Raises
        ------
        OSError
            When the file cannot be written.
        """
        with to_pack(validate.path("path", path)) as file:
            if self._names:
                save_with_names(file, self._core.save, self._names)
            else:
                self._core.save(str(file))

    def _check_text_format(self, format: str, train: str) -> None:
        """ValueError where the labels are text or an estimator's, which a text format of numbers cannot hold."""
        labels = self._names.labels
        if labels is not None:
            of = "text labels" if labels.dtype.kind == "U" else "the labels of an estimator, which it keeps outside this format:"
            raise ValueError(
                f"format {format!r} holds labels that are whole numbers, but this model has {of} "
                f"{labels[:5].tolist()}. Save it in format 'dcsvm', or train with {train} on whole numbers"
            )

    def to_bytes(self, *, timings: bool = True) -> bytes:
        """The content of the file that :meth:`save` writes.

        Parameters
        ----------
        timings : bool, default=True
            With the report's seconds and number of threads, and the date. Without them equal trainings give equal bytes.

        Returns
        -------
        bytes
            What :meth:`from_bytes` and :func:`dcsvm.load_model` read.
        """
        names = self._names
        if names.training is not None and not validate.boolean("timings", timings):
            names = names._replace(training={name: value for name, value in names.training.items() if name != "date"})
        return with_names(self._core.to_bytes(validate.boolean("timings", timings)), names)

    @described(*GRAPH, returns=AS_GRAPH, raises=NO_GRAPH)
    def to_onnx(
        self, path: str | os.PathLike[str] | None = None, *, op: GraphOperators = "plain", dtype: GraphDtype = "float32"
    ) -> ModelProto:
        """The model as an ONNX graph. Needs the extra ``onnx``.

        Parameters
        ----------
        path : str, os.PathLike[str] or None, default=None
            A file that the graph is also written to.
        op : {'plain', 'ml'}, default='plain'
            Operators of the graph, as in :func:`dcsvm.onnx.to_onnx`.
        dtype : {'float32', 'float64'}, default='float32'
            Of X, the numbers in the graph and the outputs.

        Returns
        -------
        onnx.ModelProto
            The graph, which runs without dcsvm; :func:`dcsvm.onnx.to_onnx` says what its outputs are.

        Raises
        ------
        ValueError
            For models without a form in ONNX, and for files above 2 GB.
        ImportError
            Without the package onnx.
        OSError
            When the file cannot be written.
        """
        from .._graphs.convert import to_graph

        return to_graph(self, Wanted(), type(self).__name__, path, op, dtype)

    @classmethod
    def from_bytes(cls: type[Own], data: bytes | bytearray | memoryview | pickle.PickleBuffer) -> Own:
        """The model that :meth:`to_bytes` gave.

        Parameters
        ----------
        data : bytes, bytearray or memoryview
            The content of a model file; it is not kept.

        Returns
        -------
        object
            A model of this class.

        Raises
        ------
        dcsvm.ModelError
            For anything damaged, of another version, or of another kind of model.
        """
        content = memoryview(data).cast("B")
        core = cls._core_type.from_bytes(content)
        return cls(core)._named(names_in(content, len(core.classes), core.n_features))

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        content = self.to_bytes()
        # From protocol 5 on a pickler may hand large buffers over without a copy.
        return type(self).from_bytes, (pickle.PickleBuffer(content) if protocol >= 5 else content,)

    def _of_rows(self, function: Callable[..., FloatArray], X: Any, n_jobs: int | None) -> FloatArray:
        """What a function of the core gives for the rows of X."""
        check_features(self._names.features, X)
        return function(self._core, validate.as_data("X", X), validate.threads(n_jobs))

    def _as_labels(self, values: FloatArray) -> npt.NDArray[Any]:
        """Of the core's labels those of ``classes_``."""
        if self._names.labels is not None:
            return self._names.labels[values.astype(np.intp)]
        try:
            dtype = self._label_type
        except AttributeError:  # the first prediction
            dtype = self._label_type = self.classes_.dtype
        return values.astype(dtype, copy=False)

    def _repr_html_(self) -> str:
        """What notebooks show: the model in a sentence, then its report."""
        report: Any = getattr(self, "report", None)
        return section(f"dcsvm.{type(self).__name__}", f"<div>{html.escape(self._described())}</div>") + (
            report._repr_html_() if report else ""
        )

    @property
    def training(self) -> dict[str, Any] | None:
        """How the model was trained: ``version`` of dcsvm, ``date``, ``parameters`` (a dict) and those ``changed`` from their
        defaults. None for models that were made otherwise, as from LIBSVM's and LIBLINEAR's files."""
        return copy.deepcopy(self._names.training)

    def _trained_with(self) -> str:
        """C, and what was given another value than its default, in words; empty for models that do not know it."""
        training = self._names.training or {"parameters": {}}
        parameters, changed = training["parameters"], training.get("changed", ())
        has_cost = parameters.get("formulation") not in NU_FOR_C and parameters.get("solver") not in SIDES
        shown = [name for name in parameters if name in changed or (name == "C" and has_cost)]
        return ", ".join(f"{name}={_in_short(parameters[name])}" for name in shown)

    def _described(self) -> str:
        """The model in a sentence, and how it was trained."""
        how = self._trained_with()
        return self._describe() + f"; trained with {how}" * bool(how)

    def _with_training(self, report: Any) -> Any:
        """The report, which then shows how the model was trained."""
        return report._of_training(self._trained_with()) if report is not None else None

    def _describe(self) -> str:
        """The model in a sentence."""
        raise NotImplementedError

    def __repr__(self) -> str:
        methods = ".predict(X), .decision_function(X), .save(path), .report"
        return in_lines(f"<dcsvm.{type(self).__name__}: {self._described()}. Next: {methods}>")

    def _some_classes(self) -> str:
        """The number of classes, and the first of them."""
        classes = self.classes_
        return f"{len(classes)} classes ({', '.join(map(str, classes[:6].tolist()))}{', ...' * (len(classes) > 6)})"

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """Labels, ascending: int64 when all are whole numbers, else float64; text after an estimator that was given text."""
        if self._names.labels is not None:
            return self._names.labels
        classes = self._core.classes
        whole = bool(np.all((classes == np.floor(classes)) & (np.abs(classes) <= 2**53)))
        return classes.astype(np.int64) if whole else classes

    @property
    def feature_names_in_(self) -> npt.NDArray[Any]:
        """The columns of the data frame that the model was trained on; AttributeError after data without names."""
        if self._names.features is None:
            raise AttributeError("feature_names_in_: the model was trained on data without names of columns")
        return np.array(self._names.features, dtype=object)

    @property
    def n_features_in_(self) -> int:
        """Columns that ``predict`` expects."""
        return self._core.n_features


class KernelModel(NativeModel[KernelCore]):
    """A model with a kernel."""

    __slots__ = ()

    @property
    def kernel(self) -> str:
        """Name of the kernel, as the training was given it."""
        return self._core.kernel.type

    @property
    def gamma(self) -> float:
        """Of kernels that have one: the number that was used, also where a rule was given."""
        return self._core.kernel.gamma

    @property
    def degree(self) -> int:
        """Of the poly kernel."""
        return self._core.kernel.degree

    @property
    def coef0(self) -> float:
        """Of the poly and sigmoid kernels."""
        return self._core.kernel.coef0
