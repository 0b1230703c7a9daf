"""What linear_extra.h adds to LIBLINEAR's models, the multinomial one and the elastic net, against dcsvm.train_linear."""

import ctypes

import numpy as np
import pytest

import dcsvm
from dcsvm import liblinear
from dcsvm._c_faces import rows
from dcsvm._c_faces.library import checked, pointer_to

LIB = liblinear.liblinear
MULTINOMIAL = 101
SOLVERS = {0: "logistic", 2: "squared_hinge", 11: "svr_squared", MULTINOMIAL: "multinomial"}
N, D = 120, 6


def sample(classes):
    """classes 0: a regression."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((N, D))
    score = X @ rng.standard_normal(D) + 0.5 * rng.standard_normal(N)
    y = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes)) + 3.0 if classes else score
    return X, y


class Trained:
    def __init__(self, X, y, solver, l1_ratio=0.0, **fields):
        self.X, self.y = np.ascontiguousarray(X), np.ascontiguousarray(y)
        self.data = liblinear.Data(self.matrix(self.X), pointer_to(self.y), 1.0)
        self.param = liblinear.parameter("-q -B 1")
        for name, value in {"solver_type": solver, "eps": 1e-5, **fields}.items():
            setattr(self.param, name, value)
        liblinear.liblinear.set_print_string_function(self.param.print_func)
        found = ctypes.POINTER(liblinear.model)()
        checked(LIB.dcsvm_linear_train_elastic_net, self.data, self.param, l1_ratio, ctypes.byref(found))
        self.model = found.contents
        self.model.__createfrom__ = "C"

    @staticmethod
    def matrix(X):
        return rows.as_matrix(X)

    @property
    def labels(self):
        return self.model.get_labels()

    @property
    def w(self):
        """Features and the bias, by weight vectors."""
        k = self.model.nr_class if len(self.labels) > 2 else 1
        return np.array(self.model.w[: (D + 1) * k]).reshape(D + 1, k)

    def values(self, probability):
        m = self.model
        width = m.nr_class if probability or m.nr_class > 2 else 1
        out, labels = np.empty((N, width)), np.empty(N)
        matrix = self.matrix(self.X)
        checked(LIB.dcsvm_linear_predict_matrix, m, matrix, int(probability), pointer_to(labels), pointer_to(out))
        return labels, out


@pytest.mark.parametrize("l1_ratio", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(("solver", "classes"), [(0, 2), (2, 3), (11, 0), (MULTINOMIAL, 3), (MULTINOMIAL, 2)])
def test_weights_are_those_of_train_linear(solver, classes, l1_ratio):
    X, y = sample(classes)
    trained = Trained(X, y, solver, l1_ratio, C=0.3)
    expected = dcsvm.train_linear(X, y, solver=SOLVERS[solver], C=0.3, l1_ratio=l1_ratio, tol=1e-5, epsilon=0.1)
    w = np.vstack([expected.coef_.T, expected.intercept_.reshape(1, -1)])
    if classes:
        order = [trained.labels.index(c) for c in expected.classes_]
        got = trained.w[:, order] if classes > 2 else trained.w * (1 if order[1] == 0 else -1)
    else:
        got = trained.w
    assert got == pytest.approx(w, abs=2e-3)


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_the_softmax(classes):
    X, y = sample(classes)
    trained = Trained(X, y, MULTINOMIAL)
    expected = dcsvm.train_linear(X, y, solver="multinomial", tol=1e-5)
    labels, p = trained.values(probability=True)
    assert p[:, np.argsort(trained.labels)] == pytest.approx(expected.predict_proba(X), abs=1e-3)
    assert np.array_equal(labels, expected.predict(X))
    row, _ = liblinear.gen_feature_nodearray(X[0].tolist())
    one = (ctypes.c_double * classes)()
    nodes = (liblinear.feature_node * (D + 2))(*row[:D], liblinear.feature_node(D + 1, 1.0), liblinear.feature_node(-1, 0))
    assert LIB.predict_probability(trained.model, nodes, one) == labels[0]
    assert list(one) == pytest.approx(p[0])
    assert LIB.check_probability_model(trained.model) == 1


def test_a_cross_validation_of_the_multinomial_model():
    X, y = sample(3)
    trained = Trained(X, y, MULTINOMIAL)
    target = np.empty(N)
    checked(LIB.dcsvm_linear_cross_validation_matrix, trained.data, trained.param, 4, pointer_to(target))
    assert (target == y).mean() > 0.7


def test_no_penalty():
    X, y = sample(3)
    w = Trained(X, y, MULTINOMIAL, C=float("inf")).w
    largest = Trained(X, y, MULTINOMIAL, C=1e6).w
    assert w[:D] - w[:D].mean(axis=1, keepdims=True) == pytest.approx(
        largest[:D] - largest[:D].mean(axis=1, keepdims=True), rel=0.05
    )


def test_files_have_two_classes_only(tmp_path, capfd):
    for classes in (2, 3):
        X, y = sample(classes)
        trained, file = Trained(X, y, MULTINOMIAL), tmp_path / f"{classes}.model"
        assert LIB.save_model(str(file).encode(), trained.model) == (0 if classes == 2 else -1)
        assert file.exists() == (classes == 2)
    assert "unknown solver type 101, for which LIBLINEAR's files have no name" in capfd.readouterr().err
    assert "solver_type L2R_LR\n" in (tmp_path / "2.model").read_text()
    assert np.array_equal(
        dcsvm.load_model(tmp_path / "2.model").predict(sample(2)[0]), Trained(*sample(2), MULTINOMIAL).values(False)[0]
    )


@pytest.mark.parametrize(
    ("solver", "l1_ratio", "fields", "text"),
    [
        (6, 0.5, {}, "l1_ratio: a share of .* is not possible with l1_logistic"),
        (3, 0.5, {}, "l1_ratio: a share of .* is not possible with hinge_dual"),
        (MULTINOMIAL, 1.5, {}, "l1_ratio must be"),
        (MULTINOMIAL, float("nan"), {}, "l1_ratio must be"),
        (MULTINOMIAL, 0.5, {"C": float("inf")}, "l1_ratio: with C = infinity"),
        (100, 0.0, {}, "unknown solver type"),
        (MULTINOMIAL, 0.0, {"eps": 0.0}, "eps <= 0"),
        (MULTINOMIAL, 0.0, {"w_recalc": True}, "Recalculating w"),
    ],
)
def test_refusals(solver, l1_ratio, fields, text):
    with pytest.raises(ValueError, match=text):
        Trained(*sample(3), solver, l1_ratio, **fields)
