"""LS-SVM from Python: against numpy, as estimators, its preprocessing, its files, bad input."""

import doctest
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm
from dcsvm import _core
from dcsvm._input.parameters import parameters_of

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

METHODS = parameters_of(_core.LsSvmParams)["method"].choices
rng = np.random.default_rng(0)
X = rng.standard_normal((200, 4))
Y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
STEPS = "ignore:LSSV. stopped with 'max_iter':sklearn.exceptions.ConvergenceWarning"  # as intended: these fits need not be exact


def solution(K, Z, gamma_ls):
    """(a, b) of Eq. (16)."""
    n = len(K)
    theta = np.zeros((n + 1, n + 1))
    theta[:n, :n] = K + np.eye(n) / gamma_ls
    theta[n, :n] = theta[:n, n] = 1
    w = np.linalg.solve(theta, np.vstack([Z, np.zeros((1, Z.shape[1]))]))
    return w[:n].T, w[n]


def cosine(a, b):
    a, b = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (a, b))
    return a @ b.T


KERNELS = {
    "rbf": ({"gamma": 0.3}, lambda a, b: np.exp(-0.3 * ((a[:, None] - b[None]) ** 2).sum(-1))),
    "linear": ({}, lambda a, b: a @ b.T),
    "poly": ({"gamma": 0.2, "degree": 2, "coef0": 1.0}, lambda a, b: (0.2 * a @ b.T + 1) ** 2),
    "cosine_poly": ({"gamma": 1.0, "degree": 4}, lambda a, b: cosine(a, b) ** 4),
}


@pytest.mark.parametrize("storage", [np.float64, np.float32, sp.csr_matrix])
@pytest.mark.parametrize("kernel", KERNELS)
def test_exact_is_the_systems_solution(kernel, storage):
    params, k = KERNELS[kernel]
    x = storage(X) if storage is sp.csr_matrix else X.astype(storage)
    model = dcsvm.train_ls_svm(x, Y, kernel=kernel, gamma_ls=2.0, method="exact", **params)
    a, b = solution(k(X, X), (Y[:, None] == np.unique(Y)).astype(float), 2.0)
    np.testing.assert_allclose(model.dual_coef_, a, atol=2e-3)
    np.testing.assert_allclose(model.intercept_, b, atol=2e-3)
    new = rng.standard_normal((30, 4))
    decisions = k(new, X) @ a.T + b
    np.testing.assert_allclose(model.decision_function(new), decisions, atol=2e-3)
    e = np.exp(decisions)
    np.testing.assert_allclose(model.predict_proba(new), e / e.sum(1, keepdims=True), atol=2e-3)
    assert model.kernel == kernel


@pytest.mark.parametrize("method", METHODS)
def test_methods_classify_and_files_keep_them(method, tmp_path):
    model = dcsvm.train_ls_svm(X, Y, gamma=0.3, gamma_ls=5, method=method, n_iter=150, random_state=1)
    assert (model.predict(X) == Y).mean() > 0.9
    model.save(tmp_path / "m")
    for again in (dcsvm.load_model(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        assert isinstance(again, dcsvm.LsSvmModel)
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
        np.testing.assert_array_equal(again.report.residuals, model.report.residuals)
    assert len(model.report.residuals) == (0 if method == "nystrom" else model.report.n_iter)


def test_regression_of_several_targets():
    targets = np.stack([np.sin(X[:, 0]), X[:, 1] ** 2], axis=1)
    model = dcsvm.train_ls_svm(X, targets, regression=True, gamma=0.3, gamma_ls=50, method="exact")
    a, b = solution(KERNELS["rbf"][1](X, X), targets, 50)
    np.testing.assert_allclose(model.predict(X), KERNELS["rbf"][1](X, X) @ a.T + b, atol=1e-3)
    single = dcsvm.train_ls_svm(X, targets[:, 0], regression=True, gamma=0.3, gamma_ls=50, method="exact")
    np.testing.assert_allclose(single.predict(X), model.predict(X)[:, 0], atol=1e-3)
    with pytest.raises(ValueError, match="no probabilities"):
        single.predict_proba(X)


def test_memory_is_a_block_not_the_matrix():
    x = rng.standard_normal((6000, 3))
    report = dcsvm.train_ls_svm(x, x[:, 0] > 0, block_size=200, n_iter=2).report
    assert report.peak_bytes < 8 * 6000 * (200 + 60)
    assert report.n_kernel_values <= 6000 * 200 * 2


def test_averages_are_means_of_the_models():
    """Eq. (68): with two models the second is twice the mean less the first, and leaves the residual that the report says."""
    options = {"gamma": 0.3, "gamma_ls": 5.0, "block_size": 50, "n_iter": 2, "random_state": 7}
    first = dcsvm.train_ls_svm(X, Y, **options)
    mean = dcsvm.train_ls_svm(X, Y, n_average=2, **options)
    np.testing.assert_array_equal(mean.report.residuals[:2], first.report.residuals)
    second = 2 * mean.dual_coef_ - first.dual_coef_
    bias = 2 * mean.intercept_ - first.intercept_
    assert 50 <= (abs(second).max(axis=0) > 1e-12).sum() <= 100  # two blocks
    z = (Y[:, None] == np.unique(Y)).astype(float)
    left = z - (KERNELS["rbf"][1](X, X) + np.eye(200) / 5) @ second.T - bias
    residual = np.sqrt((left**2).sum() + (second.sum(axis=1) ** 2).sum()) / np.linalg.norm(z)
    assert residual == pytest.approx(mean.report.residuals[-1], rel=1e-4)


def test_ctrl_c_ends_a_training_at_once():
    def interrupt(_):
        raise KeyboardInterrupt

    x = rng.standard_normal((3000, 20))
    for method in METHODS:
        with pytest.raises(KeyboardInterrupt):
            dcsvm.train_ls_svm(x, x[:, 0] > 0, method=method, block_size=500, callback=interrupt)


def test_warm_start_callback_and_warnings():
    first = dcsvm.train_ls_svm(X, Y, gamma=0.3, gamma_ls=10, n_iter=5)
    seen = []
    more = dcsvm.train_ls_svm(
        X, Y, gamma=0.3, gamma_ls=10, n_iter=5, random_state=1, warm_start=first, callback=lambda p: seen.append(p.violation)
    )
    np.testing.assert_array_equal(seen, more.report.residuals)
    assert more.report.residuals[-1] < first.report.residuals[-1]
    with pytest.warns(dcsvm.ConvergenceWarning, match="cancelled"):
        dcsvm.train_ls_svm(X, Y, callback=lambda p: True)


BAD = [
    ({"gamma_ls": 0}, r"^gamma_ls .*> 0"),
    ({"gamma_ls": -1}, r"^gamma_ls"),
    ({"gamma_ls": np.nan}, r"^gamma_ls"),
    ({"block_size": 0}, r"^block_size .*>= 1"),
    ({"block_size": 201}, r"^block_size must be at most the rows, 200"),
    ({"n_iter": 0}, r"^n_iter .*>= 1"),
    ({"n_average": 0}, r"^n_average"),
    ({"tol": 0}, r"^tol"),
    ({"method": "gauss"}, r"^method .*'exact'"),
    ({"kernel": "precomputed"}, r"^kernel"),
    ({"kernel": "cosine"}, r"^kernel .*cosine_poly"),
    ({"degree": -1, "kernel": "poly"}, r"^degree"),
    ({"regression": 1}, r"^regression"),
    ({"warm_start": 3}, r"^warm_start must be an LsSvmModel"),
    ({"callback": 3}, r"^callback"),
    ({"n_jobs": 0}, r"^n_jobs"),
    ({"random_state": -1}, r"^random_state"),
]


@pytest.mark.parametrize(("params", "message"), BAD, ids=range(len(BAD)))
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        dcsvm.train_ls_svm(X, Y, **params)


def test_bad_data():
    nan = X.copy()
    nan[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"row 3.*column 1"):
        dcsvm.train_ls_svm(nan, Y)
    with pytest.raises(ValueError, match="one class"):
        dcsvm.train_ls_svm(X, np.ones(200))
    with pytest.raises(ValueError, match="y has NaN at row 3"):
        dcsvm.train_ls_svm(X, nan[:, 1], regression=True)
    model = dcsvm.train_ls_svm(X, Y, n_iter=1)
    with pytest.raises(ValueError, match="4"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match="same rows and classes"):
        dcsvm.train_ls_svm(X[:100], Y[:100], warm_start=model)
    with pytest.raises(ValueError, match="nystrom"):
        dcsvm.train_ls_svm(X, Y, warm_start=model, method="nystrom")
    with pytest.raises(TypeError):
        dcsvm.LsSvmModel(3)
    with pytest.raises(ValueError, match="not positive definite"):
        dcsvm.train_ls_svm(X, Y, kernel="sigmoid", gamma=5.0, coef0=-2.0, gamma_ls=1e6, method="exact")


@pytest.mark.filterwarnings(STEPS)
@parametrize_with_checks(
    [
        dcsvm.LSSVC(random_state=0),
        dcsvm.LSSVR(random_state=0),
        dcsvm.TwoStepNormalizer(),
        dcsvm.FourierFeatures(),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_transformers_are_the_papers_equations():
    x = rng.random((5, 16))
    own = x - x.mean(1, keepdims=True)
    unit = own / np.linalg.norm(own, axis=1, keepdims=True)
    np.testing.assert_allclose(dcsvm.TwoStepNormalizer().fit_transform(x), unit)
    f = np.abs(np.fft.fft(own))[:, :8]
    for power in (1, 0.5):
        g = f**power - (f**power).mean(1, keepdims=True)
        g /= np.linalg.norm(g, axis=1, keepdims=True)
        features = dcsvm.FourierFeatures(power=power).fit_transform(x)
        # the spectrum at 0 is rounding, and the root enlarges it
        np.testing.assert_allclose(features, np.hstack([unit, g]) / np.sqrt(2), atol=1e-7)
    colour = np.hstack([x, 2 * x])
    assert dcsvm.FourierFeatures(n_channels=2).fit_transform(colour).shape == (5, 48)
    np.testing.assert_allclose(np.linalg.norm(dcsvm.FourierFeatures(n_channels=2).fit_transform(colour), axis=1), 1)
    with pytest.raises(ValueError, match="channels"):
        dcsvm.FourierFeatures(n_channels=3).fit(x)


def test_spectra_of_images():
    images = rng.random((3, 2, 4, 6))  # two channels
    h, w = np.arange(4), np.arange(6)
    waves = np.exp(-2j * np.pi * (h[:, None, None, None] * h[:, None] / 4 + w[None, :, None, None] * w / 6))  # (4, 6, 4, 6)
    own = images - images.mean((1, 2, 3), keepdims=True)
    f = np.abs(np.einsum("ncij,klij->nckl", own, waves))[..., :3].reshape(3, -1)
    f -= f.mean(1, keepdims=True)
    want = f / np.linalg.norm(f, axis=1, keepdims=True) / np.sqrt(2)
    of_images = dcsvm.FourierFeatures(n_channels=2, image_shape=(4, 6))
    np.testing.assert_allclose(of_images.fit_transform(images.reshape(3, -1))[:, 48:], want, atol=1e-12)
    # a picture moved round keeps its spectrum in two dimensions, not in one
    moved = np.roll(images, (1, 2), (2, 3)).reshape(3, -1)
    np.testing.assert_allclose(of_images.transform(moved)[:, 48:], want, atol=1e-12)
    assert abs(dcsvm.FourierFeatures(n_channels=2).fit_transform(moved)[:, 48:] - want).max() > 0.01


def test_spectra_of_pieces():
    images = rng.random((3, 2, 5, 8))  # two channels
    own = images - images.mean((1, 2, 3), keepdims=True)
    f = []
    i = np.arange(1, 5)
    bell = np.exp(-0.25 * ((i[:, None] - 2) ** 2 + (i[None] - 2) ** 2))
    for top, left in ((0, 0), (0, 2), (0, 4), (1, 0), (1, 2), (1, 4)):
        piece = np.abs(np.fft.fft2(own[..., top : top + 4, left : left + 4] * bell))
        f.append(np.sqrt(piece[..., [0, 1, 3], :2]).reshape(3, -1))  # frequencies 0, 1, -1 and 0, 1
    f = np.hstack(f)
    f -= f.mean(1, keepdims=True)
    want = f / np.linalg.norm(f, axis=1, keepdims=True) / np.sqrt(2)
    features = dcsvm.FourierFeatures(n_channels=2, image_shape=(5, 8), power=0.5, window=4, n_frequencies=2)
    np.testing.assert_allclose(features.fit_transform(images.reshape(3, -1))[:, 80:], want, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, -7.3, 1e30])
@pytest.mark.parametrize("width", [3, 16, 784])
def test_constant_rows_become_zeros(dtype, value, width):
    x = np.full((2, width), value, dtype)
    assert not dcsvm.TwoStepNormalizer().fit_transform(x).any()
    assert not dcsvm.FourierFeatures(power=0.5).fit_transform(x).any()


@pytest.mark.parametrize(("dtype", "scales"), [(np.float64, (1e-170, 1e160)), (np.float32, (1e-25, 1e20))])
@pytest.mark.parametrize("step", [dcsvm.TwoStepNormalizer(), dcsvm.FourierFeatures(image_shape=(4, 4), window=4)])
def test_scales_do_not_matter(step, dtype, scales):
    x = rng.random((5, 16)).astype(dtype)
    want = step.fit_transform(x)
    for scale in scales:
        np.testing.assert_allclose(step.fit_transform(x * dtype(scale)), want, atol=1e-5)


def test_equal_frequencies_become_zeros():  # two channels whose means are opposite
    x = rng.random((6, 32))
    features = dcsvm.FourierFeatures(n_channels=2, n_frequencies=1).fit_transform(x)
    assert features.shape == (6, 34)
    assert not features[:, 32:].any()


def test_transforms_in_pieces():
    x = rng.random((2500, 16))
    step = dcsvm.FourierFeatures(image_shape=(4, 4)).fit(x)
    np.testing.assert_array_equal(step.transform(x)[[0, 1024, 2499]], step.transform(x[[0, 1024, 2499]]))


def test_low_frequencies():
    x = rng.random((5, 16))
    f = np.abs(np.fft.fft(x - x.mean(1, keepdims=True)))[:, :3]
    f -= f.mean(1, keepdims=True)
    want = f / np.linalg.norm(f, axis=1, keepdims=True) / np.sqrt(2)
    np.testing.assert_allclose(dcsvm.FourierFeatures(n_frequencies=3).fit_transform(x)[:, 16:], want, atol=1e-12)
    every = dcsvm.FourierFeatures(image_shape=(4, 4)).fit_transform(x)
    np.testing.assert_array_equal(dcsvm.FourierFeatures(image_shape=(4, 4), n_frequencies=100).fit_transform(x), every)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"image_shape": (4, 4), "window": 5}, "window = 5 is wider"),
        ({"image_shape": (4, 4), "window": 1}, "window"),
        ({"window": 4}, "needs image_shape"),
        ({"n_frequencies": 0}, "n_frequencies"),
        ({"image_shape": (4, 5)}, "images of 4 x 5"),
        ({"image_shape": (16,)}, "image_shape"),
        ({"image_shape": (16, 1)}, "image_shape"),
        ({"image_shape": (True, 16)}, "image_shape"),
        ({"image_shape": {2, 8}}, "image_shape"),
        ({"image_shape": np.array(16)}, "image_shape"),
        ({"image_shape": (-4, -4)}, "image_shape"),
        ({"image_shape": (4.0, 4.0)}, "image_shape"),
        ({"image_shape": 4}, "image_shape"),
        ({"image_shape": (4, 4), "n_channels": 2}, "2 images"),
        ({"power": 0}, "power"),
    ],
)
def test_fourier_features_refuse(parameters, message):
    with pytest.raises(ValueError, match=message):
        dcsvm.FourierFeatures(**parameters).fit(rng.random((5, 16)))


@pytest.mark.filterwarnings(STEPS)
def test_digits_with_the_papers_preprocessing():
    images, labels = load_digits(return_X_y=True)
    train, test = slice(0, 1200), slice(1200, None)
    errors = []
    pieces = dcsvm.FourierFeatures(image_shape=(8, 8), power=0.5, window=4)
    for step in (dcsvm.TwoStepNormalizer(), dcsvm.FourierFeatures(), dcsvm.FourierFeatures(image_shape=(8, 8)), pieces):
        x = step.fit_transform(images)
        model = dcsvm.LSSVC(kernel="poly", degree=4, gamma=1.0, block_size=400, n_iter=12, random_state=0)
        errors.append(1 - model.fit(x[train], labels[train]).score(x[test], labels[test]))
    assert max(errors) < 0.06


@pytest.mark.parametrize("name", ["LSSVC", "LSSVR", "TwoStepNormalizer", "FourierFeatures"])
def test_examples(name):
    runner = doctest.DocTestRunner()
    (example,) = (t for t in doctest.DocTestFinder(recurse=False).find(getattr(dcsvm, name), name) if t.examples)
    assert runner.run(example).failed == 0
