"""Explanations of estimators: they add up to decision_function, with its signs, and gradients are those of differences."""

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
SCORE = X[:, 0] - X[:, 1] * X[:, 2]
TWO, FOUR = np.where(SCORE > 0, "yes", "no"), np.digitize(SCORE, [-1, 0, 1])

KERNEL = [
    (dcsvm.SVC(), TWO),
    (dcsvm.SVC(kernel="linear"), TWO),
    (dcsvm.SVC(decision_function_shape="ovo"), FOUR),
    (dcsvm.NuSVC(nu=0.3), TWO),
    (dcsvm.DCSVC(early_level=None), TWO),
    (dcsvm.OnlineSVC(), TWO),
    (dcsvm.SVR(), SCORE),
    (dcsvm.NuSVR(), SCORE),
    (dcsvm.OneClassSVM(nu=0.3), None),
]
LINEAR = [
    (dcsvm.LinearSVC(), TWO),
    (dcsvm.LinearSVC(multi_class="crammer_singer", max_iter=100_000), TWO),
    (dcsvm.LinearSVC(), FOUR),
    (dcsvm.LinearSVR(), SCORE),
    (dcsvm.LinearOneClassSVM(), None),
    (dcsvm.LogisticRegression(), TWO),
    (dcsvm.LogisticRegression(), FOUR),
]


def name_of(value):
    return str(value) if hasattr(value, "fit") else "" if value is None else f"{len(np.unique(value))} values"


def decisions(model, rows):
    return getattr(model, "decision_function", model.predict)(rows)


@pytest.mark.parametrize(("model", "y"), [*KERNEL, *LINEAR], ids=name_of)
def test_values_add_up_and_gradients_are_right(model, y):
    model.fit(X, y)
    values, base = model.explain(X)
    np.testing.assert_allclose(values.sum(axis=1) + base, decisions(model, X), rtol=0, atol=1e-9)
    gradient = model.decision_gradient(X)
    assert gradient.shape == values.shape
    for j in range(4):
        h = 1e-5 * np.eye(4)[j]
        differences = (decisions(model, X + h) - decisions(model, X - h)) / 2e-5
        np.testing.assert_allclose(gradient[:, j], differences, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("model", "y"), KERNEL, ids=name_of)
def test_nearest_support_vectors_make_the_decision(model, y):
    model.fit(X, y)
    found = model.nearest_support_vectors(X, k=len(model.support_))
    total = found.contributions.sum(axis=1) + model.intercept_
    np.testing.assert_allclose(total, decisions(model, X), rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1.0)


@pytest.mark.parametrize(("model", "y"), LINEAR, ids=name_of)
def test_a_background_moves_the_beginning(model, y):
    model.fit(X, y)
    background = X.mean(axis=0)
    values, base = model.explain(sp.csr_matrix(X), background=background)
    np.testing.assert_allclose(base, np.squeeze(decisions(model, background[None])), rtol=0, atol=1e-9)
    np.testing.assert_allclose(values.sum(axis=1) + base, decisions(model, X), rtol=0, atol=1e-9)


def test_changed_coefficients_are_explained():
    model = dcsvm.SVC(kernel="rbf").fit(X, FOUR)
    model._intercept_ = model._intercept_ + 1
    _, base = dcsvm.SVC(kernel="rbf").fit(X, FOUR).explain(X)
    np.testing.assert_allclose(model.explain(X).base_values, base + 1)


def test_labels_have_no_explanation_before_fit():
    for model in (dcsvm.SVC(), dcsvm.LinearSVC(), dcsvm.LogisticRegression()):
        with pytest.raises(ValueError, match="not fitted"):
            model.explain(X)
