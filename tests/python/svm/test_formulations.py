"""Every formulation against libsvm-official: the same objective, rho and predictions.

Objectives are those of both solutions' coefficients in float64: what LIBSVM prints comes from its float32 kernel cache. nu-SVC's
coefficients are divided by a small margin r, which magnifies what the tolerance leaves open, so they are compared before.
"""

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm
from certificate import kernel_matrix, nu_scale

svmutil = pytest.importorskip("libsvm.svmutil", reason="libsvm-official is not installed")

NUMBER = {"c_svc": 0, "nu_svc": 1, "one_class": 2, "epsilon_svr": 3, "nu_svr": 4}
KERNEL = {"linear": 0, "poly": 1, "rbf": 2, "sigmoid": 3, "precomputed": 4}
TOL = 1e-6
PARAMS = {"C": 2.0, "nu": 0.3, "epsilon": 0.1, "degree": 2, "coef0": 1.0}


def problem(formulation, n=240, classes=2, seed=0, kernel="rbf"):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 5)) * (rng.random((n, 5)) < 0.7)
    if formulation == "nu_svc" and kernel == "linear":
        x = x + np.random.default_rng(1).standard_normal(x.shape)
        return x, (x[:, 0] - 0.5 * x[:, 1] > 0.2 * x[:, 2] ** 2).astype(float)  # nearly separable: the margin is positive
    if formulation == "one_class" and kernel == "linear":
        x = x + 3  # away from the origin, which the plane would pass otherwise
    if formulation in ("epsilon_svr", "nu_svr"):
        return x, np.sin(x[:, 0]) + x[:, 1] ** 2 + 0.1 * rng.standard_normal(n)
    score = x[:, 0] + x[:, 1] * x[:, 2] + 0.3 * rng.standard_normal(n)
    return x, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes)).astype(float)


def for_libsvm(x, kernel):
    """libsvm-python's precomputed rows start with their number."""
    return np.column_stack([np.arange(1, len(x) + 1), x]) if kernel == "precomputed" else x


def libsvm(formulation, x, y, kernel, gamma):
    """A model of libsvm-official. Classes are sorted as ours are when they first appear in ascending order."""
    options = f"-s {NUMBER[formulation]} -t {KERNEL[kernel]} -g {gamma} -c {PARAMS['C']} -n {PARAMS['nu']} -p {PARAMS['epsilon']}"
    options += f" -d {PARAMS['degree']} -r {PARAMS['coef0']} -e {TOL} -q"
    problem = svmutil.svm_problem(y.tolist() if y is not None else [0] * x.shape[0], x, isKernel=kernel == "precomputed")
    return svmutil.svm_train(problem, svmutil.svm_parameter(options))


def theirs_dual(model, n):
    """(1, n) or (k - 1, n) coefficients in training order."""
    coef = np.array(model.get_sv_coef())
    out = np.zeros((coef.shape[1], n))
    out[:, np.array(model.get_sv_indices()) - 1] = coef.T
    return out


def ours_dual(model, n):
    out = np.zeros((model.dual_coef_.shape[0], n))
    out[:, model.support_] = -model.dual_coef_ if len(model.classes_) == 2 else model.dual_coef_
    return out


def objective(formulation, k, y, coef):
    """The dual objective of one problem from its signed coefficients."""
    quadratic = 0.5 * coef @ k @ coef
    if formulation == "c_svc":
        return quadratic - np.abs(coef).sum()
    if formulation == "epsilon_svr":
        return quadratic + PARAMS["epsilon"] * np.abs(coef).sum() - y @ coef
    return quadratic - (y @ coef if formulation == "nu_svr" else 0.0)


def predictions_agree(ours, theirs, x, *, given=None, near=1e-4):
    labels, _, values = map(np.array, svmutil.svm_predict([], x if given is None else given, theirs, "-q"))
    if ours.formulation in ("epsilon_svr", "nu_svr"):
        np.testing.assert_allclose(ours.predict(x), labels, atol=near)
        return
    far = np.abs(values).min(axis=1) > near
    assert far.mean() > 0.9
    np.testing.assert_array_equal(ours.predict(x)[far], labels[far])
    decisions = ours.decision_function(x).reshape(len(values), -1)
    sign = -1 if len(ours.classes_) == 2 else 1
    np.testing.assert_allclose(sign * decisions, values, atol=near)


def by_first_appearance(x, y):
    """Rows such that LIBSVM numbers classes as we do (it swaps only -1 and +1)."""
    first = [int(np.argmax(y == c)) for c in np.unique(y)]
    rest = np.setdiff1d(np.arange(len(y)), first)
    order = np.concatenate([first, rest])
    return x[order], y[order]


FORMULATIONS = list(NUMBER)


@pytest.mark.parametrize("storage", ["dense", "csr"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "precomputed"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_against_libsvm(formulation, kernel, storage):
    x, y = problem(formulation, n=600 if kernel == "linear" else 240, kernel=kernel)  # from 256 on: through weights
    if formulation in ("c_svc", "nu_svc"):
        x, y = by_first_appearance(x, y)
    gamma = 0.2
    k = kernel_matrix(x, "rbf" if kernel == "precomputed" else kernel, gamma, PARAMS["degree"], PARAMS["coef0"])
    given = k if kernel == "precomputed" else x
    to_libsvm = for_libsvm(given, kernel)
    if storage == "csr":
        given = sp.csr_matrix(given)
    theirs = libsvm(formulation, to_libsvm, y, kernel, gamma)
    ours = dcsvm.train(given, y, formulation=formulation, kernel=kernel, gamma=gamma, tol=TOL, precision="double", **PARAMS)
    report = ours.report
    assert report.stop_reason == "converged"
    assert report.violation < TOL
    a, b = ours_dual(ours, len(y))[0], theirs_dual(theirs, len(y))[0]
    if formulation == "nu_svc":
        assert report.problems[0]["r"] > 0.01
        assert report.problems[0]["r"] == pytest.approx(nu_scale(a, PARAMS["nu"]), rel=1e-9)
        a, b = a * nu_scale(a, PARAMS["nu"]), b * nu_scale(b, PARAMS["nu"])
    mine = objective(formulation, k, y, a)
    assert mine == pytest.approx(objective(formulation, k, y, b), rel=1e-6)
    scale = report.problems[0]["r"] ** 2 if formulation == "nu_svc" else 1.0
    assert report.objective * scale == pytest.approx(mine, rel=1e-9)
    assert ours._core.rho()[0] == pytest.approx(theirs.rho[0], abs=1e-4 * max(1, abs(theirs.rho[0])))
    predictions_agree(ours, theirs, given, given=to_libsvm, near=1e-4 if formulation != "nu_svc" else 1e-3)


@pytest.mark.parametrize("formulation", ["c_svc", "nu_svc"])
def test_several_classes(formulation):
    x, y = by_first_appearance(*problem(formulation, n=300, classes=4, seed=5))
    theirs = libsvm(formulation, x, y, "rbf", 0.3)
    ours = dcsvm.train(x, y, formulation=formulation, gamma=0.3, tol=TOL, precision="double", **PARAMS)
    assert ours.dual_coef_.shape == (3, len(ours.support_))
    assert len(ours.report.problems) == 6
    np.testing.assert_allclose(-ours.intercept_, theirs.rho[:6], atol=1e-4)
    # nu_svc: the margin is small, and LIBSVM's own multipliers are known to that many digits only.
    near = 1e-3 if formulation == "c_svc" else 5e-3
    np.testing.assert_allclose(ours_dual(ours, len(y)), theirs_dual(theirs, len(y)), rtol=near, atol=near)
    if formulation == "c_svc":  # libsvm-python writes several classes' nu-SVC decision values out of bounds
        predictions_agree(ours, theirs, x)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_sample_weights_are_scikit_learns(formulation, kernel):
    svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")
    x, y = problem(formulation, n=200 if kernel == "rbf" else 400, seed=3, kernel=kernel)
    rng = np.random.default_rng(9)
    weight = rng.uniform(0.2, 2.0, len(y)) * (rng.random(len(y)) < 0.9)  # some take no part
    common = {"kernel": kernel, "gamma": 0.2, "tol": TOL}
    estimator = {
        "c_svc": lambda: svm.SVC(C=2, **common),
        "nu_svc": lambda: svm.NuSVC(nu=0.3, **common),
        "one_class": lambda: svm.OneClassSVM(nu=0.3, **common),
        "epsilon_svr": lambda: svm.SVR(C=2, epsilon=0.1, **common),
        "nu_svr": lambda: svm.NuSVR(C=2, nu=0.3, **common),
    }[formulation]().fit(x, y, sample_weight=weight)
    ours = dcsvm.train(x, y, formulation=formulation, sample_weight=weight, precision="double", **PARAMS, **common)
    assert (weight[ours.support_] > 0).all()
    np.testing.assert_allclose(ours.intercept_, estimator.intercept_, atol=1e-4)
    coef = np.zeros(len(y))
    coef[np.flatnonzero(weight)[estimator.support_]] = estimator.dual_coef_[0]  # its support_ counts rows of weight > 0
    mine = np.zeros(len(y))
    mine[ours.support_] = ours.dual_coef_[0]
    np.testing.assert_allclose(mine, coef, rtol=1e-3, atol=2e-4)
    if formulation in ("epsilon_svr", "nu_svr"):
        np.testing.assert_allclose(ours.predict(x), estimator.predict(x), atol=1e-4)
    else:
        np.testing.assert_allclose(ours.decision_function(x), estimator.decision_function(x), atol=2e-4)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_storage_precision_threads_and_shrinking_do_not_matter(formulation, kernel):
    x, y = problem(formulation, n=1500, seed=2, kernel=kernel)
    train = {"formulation": formulation, "kernel": kernel, "gamma": 0.2, **PARAMS}
    exact = dcsvm.train(x, y, tol=1e-8, precision="double", **train)
    first = dcsvm.train(x, y, tol=1e-4, n_jobs=1, **train)
    assert first.report.violation < 1e-4
    again = dcsvm.train(x, y, tol=1e-4, n_jobs=3, **train)
    assert first.to_bytes()[:16] == again.to_bytes()[:16]  # then come sizes, which depend on the digits of the seconds
    np.testing.assert_array_equal(first.dual_coef_, again.dual_coef_)
    others = [
        dcsvm.train(x.astype(np.float32), y, tol=1e-4, **train),
        dcsvm.train(sp.csr_matrix(x), y, tol=1e-4, **train),
        dcsvm.train(np.asfortranarray(x), y, tol=1e-4, shrinking=False, **train),
        dcsvm.train(x, y, tol=1e-4, cache_size=1, **train),
    ]
    for model in [first, *others]:
        assert model.report.stop_reason == "converged"
        scale = model.report.problems[0]["r"] ** 2 if formulation == "nu_svc" else 1.0
        best = exact.report.objective * (exact.report.problems[0]["r"] ** 2 if formulation == "nu_svc" else 1.0)
        assert model.report.objective * scale == pytest.approx(best, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_epsilon_svr_certificate(fit_intercept):
    """Beyond the whole tile: parts, shrinking and reconstruction over the doubled rows; KKT from the full matrix."""
    x, y = problem("epsilon_svr", n=2500, seed=8)
    model = dcsvm.train(
        x, y, formulation="epsilon_svr", gamma=0.2, C=2, epsilon=0.1, tol=1e-5, precision="double", fit_intercept=fit_intercept
    )
    d = model.alpha
    k = kernel_matrix(x, "rbf", 0.2)
    g = y - k @ d  # of a: g - epsilon, of -a*: g + epsilon
    up = np.concatenate([(g - 0.1)[d < 2], (g + 0.1)[d < 0]])
    low = np.concatenate([(g - 0.1)[d > 0], (g + 0.1)[d > -2]])
    violation = up.max() - low.min() if fit_intercept else max(up.max(), -low.min())
    assert violation < 1.001e-5
    assert model.report.violation == pytest.approx(max(violation, 0), abs=1e-8)
    assert model.report.objective == pytest.approx(0.5 * d @ k @ d + 0.1 * np.abs(d).sum() - y @ d, rel=1e-9)
    if fit_intercept:
        assert abs(d.sum()) < 1e-9
    else:
        assert model.intercept_[0] == 0.0
    assert model.report.problems[0]["n_bounded"] == np.sum(np.abs(d) == 2)
    again = dcsvm.train(
        x, y, formulation="epsilon_svr", gamma=0.2, C=2, epsilon=0.1, tol=1e-5, precision="double",
        fit_intercept=fit_intercept, warm_start_alpha=d,
    )  # fmt: skip
    assert again.report.n_iter == 0


@pytest.mark.filterwarnings("ignore:the margin r")
def test_nu_bounds_margin_errors_and_support_vectors():
    """Schoelkopf et al. (2000), proposition 5: nu is at least the share of margin errors and at most that of support vectors."""
    for formulation in ("nu_svc", "one_class", "nu_svr"):
        x, y = problem(formulation, n=1000, seed=4)
        for nu in (0.1, 0.4):
            model = dcsvm.train(x, y, formulation=formulation, nu=nu, gamma=0.2, C=5)
            problem_report = model.report.problems[0]
            assert problem_report["n_support"] >= nu * len(y) * 0.99
            assert problem_report["n_bounded"] <= nu * len(y) * 1.01
            if formulation == "one_class":
                assert abs(np.mean(model.predict(x) == -1) - nu) < 0.02
            if formulation == "nu_svr":
                outside = np.abs(model.predict(x) - y) > -problem_report["r"] + 1e-3
                assert outside.mean() <= nu


def from_alpha(model, pair, alpha, intercept, k, y):
    """The decision of a pair, and how large its terms are; alpha of all rows."""
    first, second = pair
    beta = alpha * np.where(y == second, 1.0, np.where(y == first, -1.0, 0.0))
    if len(model.classes_) > 2:  # of more classes the first of a pair has the positive sign
        beta = -beta
    return k @ beta + intercept, np.abs(k) @ np.abs(beta) + abs(intercept)


@pytest.mark.filterwarnings("ignore:the margin r", "ignore:nu_svc", "ignore:tol=")
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
def test_alpha_of_nu_svc_has_the_sign_of_the_decisions(kernel, classes, precision):
    """Up to the largest nu that is allowed, with margins that are 0 but for rounding, of either sign: LIBSVM divides by them."""
    seen = set()  # signs of margins; which of them a seed has depends on roundings
    for seed in range(60):
        if seed >= 3 and (len(seen) == 2 or kernel == "rbf"):
            break
        rng = np.random.default_rng(seed)
        n = 30 * classes + 7 * (seed % 3)
        x, y = rng.normal(size=(n, 3)), rng.integers(0, classes, n) + 4
        counts = np.unique(y, return_counts=True)[1]
        most = min(2 * min(a, b) / (a + b) for i, a in enumerate(counts) for b in counts[:i])
        k = np.exp(-0.2 * ((x[:, None] - x[None]) ** 2).sum(axis=2)) if kernel == "rbf" else x @ x.T
        given = k if kernel == "precomputed" else x
        for nu in (most, 0.999 * most, 0.5 * most):
            model = dcsvm.train(given, y, formulation="nu_svc", nu=nu, kernel=kernel, gamma=0.2, precision=precision)
            pairs = [(model.classes_[i], model.classes_[j]) for i in range(classes) for j in range(i + 1, classes)]
            found = np.reshape(model.decision_function(given), (n, -1))
            for p, pair in enumerate(pairs):
                alpha, r = np.atleast_2d(model.alpha)[p], model.report.problems[p]["r"]
                expected, size = from_alpha(model, pair, alpha, model.intercept_[p], k, y)
                assert (np.abs(found[:, p] - expected) <= (1e-12 if precision == "double" else 1e-5) * size).all()
                assert (alpha * r >= 0).all()
                seen.add(np.sign(r))
    assert seen >= ({1.0} if kernel == "rbf" else {1.0, -1.0})


@pytest.mark.filterwarnings("ignore:the margin r", "ignore:tol=")
def test_nu_svc_starts_from_its_own_alpha_whatever_its_sign():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    options = {"formulation": "nu_svc", "nu": 0.6, "kernel": "linear", "precision": "double"}
    model = dcsvm.train(x, y, **options)
    starts = [model.alpha, -model.alpha, np.abs(model.alpha) / np.abs(model.alpha).max()]
    found = [dcsvm.train(x, y, warm_start_alpha=start, **options) for start in starts]
    assert len({again.report.n_iter for again in found}) == 1
    assert found[0].report.n_iter <= model.report.n_iter
    mixed = starts[2].copy()
    mixed[np.flatnonzero(mixed)[3]] *= -1
    with pytest.raises(ValueError, match=r"^warm_start_alpha \[0, \d+\] is negative"):
        dcsvm.train(x, y, warm_start_alpha=mixed, **options)


def test_one_class_warm_start_needs_no_step():
    x, _ = problem("one_class", n=600)
    model = dcsvm.train(x, formulation="one_class", nu=0.2, gamma=0.3)
    assert model.alpha.sum() == pytest.approx(0.2 * len(x))
    again = dcsvm.train(x, formulation="one_class", nu=0.2, gamma=0.3, warm_start_alpha=model.alpha)
    assert again.report.n_iter <= 5
    with pytest.raises(ValueError, match=r"^warm_start_alpha violates sum\(alpha\) = nu"):
        dcsvm.train(x, formulation="one_class", nu=0.3, gamma=0.3, warm_start_alpha=model.alpha)


@pytest.mark.parametrize("formulation", FORMULATIONS[1:])
def test_models_survive_files_and_pickle(formulation, tmp_path):
    import pickle

    x, y = problem(formulation)
    model = dcsvm.train(x, y, formulation=formulation, gamma=0.3, **PARAMS)
    path = tmp_path / "m.dcsvm"
    model.save(path)
    for other in (dcsvm.load_model(path), pickle.loads(pickle.dumps(model))):
        assert other.formulation == formulation
        assert (other.nu, other.epsilon) == (model.nu, model.epsilon)
        np.testing.assert_array_equal(other.predict(x), model.predict(x))
        np.testing.assert_array_equal(other.decision_function(x), model.decision_function(x))
        assert repr(other) == repr(model)


@pytest.mark.parametrize("formulation", FORMULATIONS[1:])
def test_cancel_and_limits_leave_a_feasible_model(formulation):
    x, y = problem(formulation, n=2500)

    def check_objective(model, gamma):
        coef, r = ours_dual(model, len(y))[0], model.report.problems[0]["r"] if formulation == "nu_svc" else 1.0
        expected = objective(formulation, kernel_matrix(x, "rbf", gamma), y, coef * r)
        assert model.report.objective * r**2 == pytest.approx(expected, rel=1e-5)

    with pytest.warns(dcsvm.ConvergenceWarning, match="max_iter"):
        model = dcsvm.train(x, y, formulation=formulation, gamma=0.3, max_iter=3, **PARAMS)
    assert model.report.stop_reason == "max_iter"
    check_objective(model, 0.3)
    with pytest.warns(dcsvm.ConvergenceWarning, match="cancelled"):
        model = dcsvm.train(x, y, formulation=formulation, gamma=3, tol=1e-9, callback=lambda p: True, **PARAMS)
    if formulation == "one_class":
        assert model.alpha.sum() == pytest.approx(PARAMS["nu"] * len(x))
    if formulation in ("epsilon_svr", "nu_svr"):
        assert abs(model.alpha.sum()) < 1e-9
        assert np.abs(model.alpha).max() <= PARAMS["C"]
    check_objective(model, 3)


@pytest.mark.data
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", ["heart_scale.npz", "svmguide1.npz", "cadata.npz", "usps.npz", "pendigits.npz"])
def test_real_data(real_data, name, formulation):
    arrays = real_data(name)
    x = np.ascontiguousarray(arrays["X"] if "X" in arrays else arrays["X_train"], dtype=float)
    y = np.asarray(arrays["y"] if "y" in arrays else arrays["y_train"], dtype=float)
    pick = np.random.default_rng(0).permutation(len(y))[:400]
    x, y = x[pick], y[pick]
    x = (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-9)
    if formulation in ("epsilon_svr", "nu_svr"):
        y = (y - y.mean()) / y.std()
    elif len(np.unique(y)) > 12 or (formulation == "nu_svc" and len(np.unique(y)) > 2):
        y = (y > np.median(y)).astype(float)  # two classes so even that nu is feasible
    if formulation in ("c_svc", "nu_svc"):
        x, y = by_first_appearance(x, np.unique(y, return_inverse=True)[1].astype(float))
    gamma, nu = 0.5 / x.shape[1], PARAMS["nu"]
    theirs = libsvm(formulation, x, y, "rbf", gamma)
    ours = dcsvm.train(x, y, formulation=formulation, gamma=gamma, tol=TOL, precision="double", **PARAMS)
    assert ours.report.violation < TOL
    rho = np.array(theirs.rho[: len(ours.intercept_)])
    near = 1e-4 if formulation != "nu_svc" else 1e-3
    np.testing.assert_allclose(ours._core.rho(), rho, rtol=near, atol=near)
    predictions_agree(ours, theirs, x, near=near)
    a, b = ours_dual(ours, len(y)), theirs_dual(theirs, len(y))
    if len(a) == 1:
        k = kernel_matrix(x, "rbf", gamma)
        a, b = a[0], b[0]
        if formulation == "nu_svc":
            a, b = a * nu_scale(a, nu), b * nu_scale(b, nu)
        assert objective(formulation, k, y, a) == pytest.approx(objective(formulation, k, y, b), rel=1e-6)
