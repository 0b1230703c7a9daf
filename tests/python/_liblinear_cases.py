"""What the tests of LIBLINEAR's Python interface share: problems, objectives, and both modules run alike."""

import re

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")
their_linear = pytest.importorskip("liblinear.liblinear", reason="liblinear-official is not installed")
theirs = pytest.importorskip("liblinear.liblinearutil", reason="liblinear-official is not installed")
their_common = pytest.importorskip("liblinear.commonutil", reason="liblinear-official is not installed")

CLASSIFIERS, REGRESSION, ONE_CLASS = range(8), (11, 12, 13), 21
SOLVERS = (*CLASSIFIERS, *REGRESSION, ONE_CLASS)
PRIMAL = (0, 2, 5, 6, 11)


def weights(m):
    """w as rows of features (the bias last) and columns of weight vectors."""
    k = m.nr_class if m.nr_class != 2 or m.param.solver_type == 4 else 1
    rows = m.nr_feature + (1 if m.bias >= 0 else 0)
    return np.array(m.w[: rows * k]).reshape(rows, k)


def design(x, m):
    """x as a dense matrix of the model's columns."""
    x = x.toarray() if sparse.issparse(x) else np.asarray(x, dtype=float)
    x = np.hstack([x, np.zeros((len(x), max(0, m.nr_feature - x.shape[1])))])[:, : m.nr_feature]
    return np.hstack([x, np.full((len(x), 1), m.bias)]) if m.bias >= 0 else x


def loss(solver, z, y, p):
    """Of each row. Classifiers: y is -1 or 1."""
    if solver in (0, 6, 7):
        return np.logaddexp(0, -y * z)
    if solver == 3:
        return np.maximum(0, 1 - y * z)
    if solver in (1, 2, 5):
        return np.maximum(0, 1 - y * z) ** 2
    beyond = np.maximum(0, np.abs(y - z) - p)
    return beyond if solver == 13 else beyond**2


def objective(m, x, y, C=1.0, p=0.1, weight=None, free_bias=False):
    """The primal objectives of a model's weight vectors (one value for all of Crammer and Singer's), from their definition."""
    solver, w, z = m.param.solver_type, weights(m), design(x, m) @ weights(m)
    normed = w[:-1] if free_bias else w
    norms = np.abs(normed).sum(axis=0) if solver in (5, 6) else (normed**2).sum(axis=0) / 2
    if solver in REGRESSION:
        return norms + C * loss(solver, z[:, 0], np.asarray(y, dtype=float), p).sum()
    labels, weight = m.get_labels(), weight or {}
    y = np.asarray(y).astype(int)
    if solver == 4:
        own = z[np.arange(len(y)), [labels.index(v) for v in y]]
        other = z + 1
        other[np.arange(len(y)), [labels.index(v) for v in y]] -= 1
        c = C * np.array([weight.get(v, 1.0) for v in y])
        return np.array([norms.sum() + (c * (other.max(axis=1) - own)).sum()])
    result = []
    for k in range(w.shape[1]):
        positive = y == labels[k]
        against = np.array([weight.get(v, 1.0) for v in y]) if len(labels) == 2 else np.ones(len(y))
        c = C * np.where(positive, weight.get(labels[k], 1.0), against)
        result.append(norms[k] + (c * loss(solver, z[:, k], np.where(positive, 1, -1), p)).sum())
    return np.array(result)


def pattern(text):
    """Text with progress marks left out, every number replaced, and runs of equal lines as one."""
    text = re.sub(r"^[.*#]+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^={3,}$", "===", text, flags=re.MULTILINE)
    text = re.sub(r"[-+]?(\d+\.?\d*(e[-+]?\d+)?|\bnan\b|\binf\b)", "N", text)
    lines = [re.sub(r" +", " ", line) for line in text.splitlines() if line]
    return [line for i, line in enumerate(lines) if i == 0 or line != lines[i - 1]]


def problem(kind, seed=0, n=160, d=6):
    """(x, y): "two" has labels 1 and -1 (-1 first), "odd" labels 3 and -7, "four" four classes, "targets" a regression."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    x[rng.random(x.shape) < 0.4] = 0
    x[5] = x[6] = x[7]  # equal rows, also of different classes
    x[9] = 0  # an empty row
    if kind == "targets":
        return x, x @ rng.standard_normal(d) + 0.3 * rng.standard_normal(n) + 1
    noisy = x[:, :4] + 0.7 * rng.standard_normal((n, 4))
    if kind == "four":
        return x, np.array([4, -1, 30, 2])[noisy.argmax(axis=1)]
    y = np.where(noisy[:, 0] + noisy[:, 1] > 0.2, 1, -1)
    y[0] = -1
    return x, y if kind == "two" else np.where(y > 0, 3, -7)


KIND = {**dict.fromkeys(CLASSIFIERS, "two"), **dict.fromkeys(REGRESSION, "targets"), ONE_CLASS: "targets"}
