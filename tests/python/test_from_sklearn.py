"""What scikit-learn trained decides the same after it became a model of dcsvm."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

import dcsvm

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "poly", "degree": 2, "coef0": 1.5, "gamma": "auto"},
    {"kernel": "sigmoid", "gamma": 0.05, "coef0": -0.1},
]


@pytest.fixture(scope="module")
def data():
    X, y = make_blobs(120, 4, centers=3, cluster_std=3.0, random_state=1)
    X[:, 3] = 0.0  # the last column is in no support vector
    return X, np.array(["a", "b", "c"])[y], make_blobs(50, 4, centers=3, cluster_std=4.0, random_state=2)[0]


def decisions_of(estimator, X):
    return estimator.decision_function(X) if hasattr(estimator, "decision_function") else estimator.predict(X)


@pytest.mark.filterwarnings("ignore:An ill-conditioned matrix")  # of scikit-learn's ridge regression with a sigmoid
@pytest.mark.filterwarnings("ignore:Singular matrix")  # the same, where LAPACK rounds otherwise
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["kernel"])
@pytest.mark.parametrize("make", [SVC, NuSVC, SVR, NuSVR, OneClassSVM, KernelRidge])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_matrix])
def test_decisions(data, make, kernel, storage):
    X, y, new = data
    target = y if make in (SVC, NuSVC) else X[:, 0] * X[:, 1] if make is not OneClassSVM else None
    kernel = {**kernel, "gamma": None} if make is KernelRidge and kernel.get("gamma") == "auto" else kernel
    extra = {"decision_function_shape": "ovo"} if make in (SVC, NuSVC) else {}
    fitted = make(**kernel, **extra).fit(storage(X), target)
    model = dcsvm.from_sklearn(fitted)
    assert model.n_features_in_ == 4
    theirs = decisions_of(fitted, storage(new))
    ours = model.decision_function(new) if make is not OneClassSVM else model.decision_function(new).reshape(theirs.shape)
    np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5 * np.abs(theirs).max())  # single precision
    if make in (SVC, NuSVC):
        assert (model.predict(new) == fitted.predict(new)).mean() > 0.97  # rows between classes may tie
        assert model.classes_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("gamma", [None, 0.2])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_matrix])
def test_laplacian_ridge(data, storage, gamma):
    X, _, new = data
    fitted = KernelRidge(kernel="laplacian", gamma=gamma).fit(storage(X), X[:, 0] * X[:, 1])
    same_ridge(fitted, storage(new), "laplacian", 0.25 if gamma is None else gamma)


def test_chi2_ridge(data):
    X, _, new = data
    X, new = np.abs(X), np.abs(new)
    X[:9, :2] = new[:9, 2:] = 0.0  # their sums have terms 0 / 0, which count as 0
    same_ridge(KernelRidge(kernel="chi2", gamma=0.3).fit(X, X[:, 0] * X[:, 1]), new, "chi2", 0.3)


def same_ridge(fitted, new, kernel, gamma):
    model = dcsvm.from_sklearn(fitted)
    assert (model.kernel, model.gamma, model.n_features_in_) == (kernel, gamma, 4)
    again = pickle.loads(pickle.dumps(model))
    expected = fitted.predict(new)
    for one in (model, again):
        np.testing.assert_allclose(one.decision_function(new).ravel(), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_two_classes_probabilities_and_a_file(data, tmp_path):
    X, y, new = data
    two = y != "c"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # probability is deprecated from 1.9 on
        fitted = SVC(probability=True, random_state=0).fit(X[two], y[two])
    model = dcsvm.from_sklearn(fitted)
    np.testing.assert_allclose(model.decision_function(new).ravel(), fitted.decision_function(new), atol=1e-5)
    assert (model.predict(new) == fitted.predict(new)).all()
    if len(getattr(fitted, "_probA", ())):
        # Its LIBSVM ends the iteration of two classes' probabilities at 2.5e-3; dcsvm takes the sigmoid.
        np.testing.assert_allclose(model.predict_proba(new), fitted.predict_proba(new), atol=2.5e-3)
    model.save(tmp_path / "two.model")
    for again in (dcsvm.load_model(tmp_path / "two.model"), pickle.loads(pickle.dumps(model))):
        assert (again.decision_function(new) == model.decision_function(new)).all()
    assert dcsvm.compress(model, X, random_state=0).predict(new).shape == (50,)


def test_a_given_matrix(data):
    X, y, new = data
    fitted = SVC(kernel="precomputed").fit(X @ X.T, y)
    model = dcsvm.from_sklearn(fitted)
    assert (model.predict(new @ X.T) == fitted.predict(new @ X.T)).all()


def test_column_names_are_kept(data):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(data[0], columns=list("wxyz"))
    model = dcsvm.from_sklearn(SVC().fit(frame, data[1]))
    assert list(model.feature_names_in_) == list("wxyz")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("zyxw")])


def test_own_estimators_have_their_model_already(data):
    ours = dcsvm.SVC().fit(data[0], data[1])
    assert dcsvm.from_sklearn(ours) is ours.model_
    with dcsvm.patch_sklearn():
        from sklearn import svm

        patched = svm.SVC().fit(data[0], data[1])
    assert (dcsvm.from_sklearn(patched).predict(data[2]) == patched.predict(data[2])).all()


def test_what_cannot_be_converted(data):
    X, y, _ = data
    with pytest.raises(TypeError, match=r"SVC, NuSVC, .*; got LogisticRegression"):
        dcsvm.from_sklearn(LogisticRegression().fit(X, y))
    with pytest.raises(TypeError, match="got str"):
        dcsvm.from_sklearn("model.pkl")
    with pytest.raises(ValueError, match="not fitted"):
        dcsvm.from_sklearn(SVC())
    with pytest.raises(ValueError, match=r"is a function, .* kernel='precomputed'"):
        dcsvm.from_sklearn(SVC(kernel=lambda a, b: a @ b.T).fit(X, y))
    with pytest.raises(ValueError, match="is a function"):
        dcsvm.from_sklearn(KernelRidge(kernel=lambda a, b: a @ b).fit(X, X[:, 0]))
    with pytest.raises(ValueError, match=r"kernel='cosine' is none of dcsvm's kernels; .*'laplacian', 'chi2'"):
        dcsvm.from_sklearn(KernelRidge(kernel="cosine").fit(X, X[:, 0]))
    with pytest.raises(ValueError, match="2 targets"):
        dcsvm.from_sklearn(KernelRidge().fit(X, X[:, :2]))
    with pytest.raises(ValueError, match="precomputed"):
        dcsvm.from_sklearn(KernelRidge(kernel="precomputed").fit(X @ X.T, X[:, 0]))
