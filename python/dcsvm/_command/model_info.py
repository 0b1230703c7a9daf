"""What dcsvm info says about a model of any kind."""

from __future__ import annotations

from typing import Any

from .._dc_pred.model import DCPredModel
from .._input import formulations, linear_solvers
from .._input.kernels import uses
from .._ldkl.model import LDKLModel
from .._least_squares.ls_svm import LsSvmModel
from .._linear import model as _linear
from .._linear.model import LinearModel
from .._load_model import AnyModel
from .._low_rank.model import LowRankModel
from .._svm import model as _svm
from .._svm.model import Model

KINDS = {
    LowRankModel: "a low-rank model",
    DCPredModel: "a DC-Pred++ model",
    LsSvmModel: "an LS-SVM",
    LinearModel: "a linear model",
    LDKLModel: "a local deep kernel model",
}


def predicts_labels(model: AnyModel) -> bool:
    """False for models that predict numbers."""
    if isinstance(model, LinearModel):
        return model.solver not in linear_solvers.REGRESSIONS
    if isinstance(model, Model):
        return model.formulation not in formulations.REGRESSIONS
    return len(model.classes_) > 0


def has_report(model: AnyModel) -> bool:
    """Whether the model has a report of its training. Models from LIBSVM's and LIBLINEAR's files have none."""
    return model.report is not None


def formats(model: AnyModel) -> tuple[str, ...]:
    """The formats that the model's file may have."""
    return {Model: _svm.FORMATS, LinearModel: _linear.FORMATS}.get(type(model), ("dcsvm",))


def about(model: AnyModel, own_format: bool) -> list[tuple[str, Any]]:
    """Names and values, in the order in which they are shown. own_format: the file is not LIBSVM's or LIBLINEAR's text."""
    rows: list[tuple[str, Any]] = []
    if isinstance(model, Model):
        rows.append(("formulation", model.formulation))
        rows += [(name, f"{value:g}") for name, value in (("nu", model.nu), ("epsilon", model.epsilon)) if value is not None]
    elif isinstance(model, LsSvmModel):
        rows.append(("formulation", "LS-SVM, " + ("classes" if len(model.classes_) else "regression")))
    if isinstance(model, LinearModel):
        rows.append(("solver", model.solver))
    elif not isinstance(model, LDKLModel):
        rows += _kernel(model)
    rows.append(("features", model.n_features_in_))
    if model._names.features is not None:
        rows.append(("columns", list(model._names.features)))
    if training := model.training:
        rows.append(("trained", " ".join(filter(None, [training.get("date"), "by dcsvm", str(training["version"])]))))
        rows.append(("parameters", ", ".join(f"{name}={value}" for name, value in training["parameters"].items())))
    if len(model.classes_):
        rows.append(("classes", model.classes_.tolist()))
    rows += _size(model)
    text = "LIBLINEAR's text" if isinstance(model, LinearModel) else "LIBSVM's text"
    rows.append(("format", "dcsvm's own" if own_format else text))
    if not has_report(model):
        rows.append(("report", f"none: {text} keeps none" + " and the model comes from there" * own_format))
    return rows


def _kernel(model: Model | LowRankModel | DCPredModel | LsSvmModel) -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = [("kernel", model.kernel)]
    if uses(model.kernel, "gamma"):
        rows.append(("gamma", f"{model.gamma:.10g}"))
    if not isinstance(model, DCPredModel):
        if uses(model.kernel, "coef0"):
            rows.append(("coef0", f"{model.coef0:.10g}"))
        if uses(model.kernel, "degree"):
            rows.append(("degree", model.degree))
    return rows


def _size(model: AnyModel) -> list[tuple[str, Any]]:
    if isinstance(model, LowRankModel):
        return [("landmarks", f"{model.report.n_landmarks} ({model.features})")]
    if isinstance(model, DCPredModel):
        return [
            ("leaves", f"{model.n_leaves} ({model.report.depth:.1f} levels on average)"),
            ("landmarks", f"{model.report.n_landmarks}, {model.report.n_pseudo} pseudo ({model.pseudo})"),
            ("cost", f"{model.cost:.1f} inner products a row (a linear model: 1)"),
        ]
    if isinstance(model, LDKLModel):
        return [
            ("trees", f"{model.w_.shape[0]} of depth {model.depth}"),
            ("cost", f"{model.cost:.1f} inner products a row (a linear model: 1)"),
        ]
    if isinstance(model, LinearModel):
        weights = f"{int((model.coef_ != 0).sum()):,} of {model.coef_.size:,} are not 0"
        return [("weights", weights), ("bias", model.bias)]
    if isinstance(model, LsSvmModel):
        outputs, n = model.dual_coef_.shape
        return [("training rows", n), ("outputs", outputs)]
    rows: list[tuple[str, Any]] = [
        ("support vectors", model.n_support_.tolist()),
        ("prediction", model.prediction + " (stopped early)" if model.clustered else "exact"),
        ("precision", f"{model.precision}, of kernel values in predictions"),
    ]
    if not predicts_labels(model) and (calibration := model.calibration) is not None:
        rows.append(("error scale", f"{calibration['a'][0]:.6g} (of a Laplace distribution)"))
    return rows
