"""dcsvm.liblinearutil against liblinear-official: the same optima, labels, text and files."""

import ctypes
from pathlib import Path

import numpy as np
import pytest

from _liblinear_cases import (
    CLASSIFIERS,
    KIND,
    ONE_CLASS,
    PRIMAL,
    REGRESSION,
    SOLVERS,
    objective,
    pattern,
    problem,
    sparse,
    their_linear,
    theirs,
    weights,
)
from dcsvm import liblinear, liblinearutil

TIGHT = "-e 1e-8"
FORMS = {"dense": np.asarray, "csr": sparse.csr_matrix}


def kinds(solver):
    return ("two", "odd", "four") if solver in CLASSIFIERS else ("targets",)


CASES = [(s, kind, b) for s in SOLVERS for kind in kinds(s) for b in (-1, 1, 2.5) if not (s == ONE_CLASS and b >= 0)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("solver", "kind", "bias"), CASES)
def test_the_same_optimum_when_tight(solver, kind, bias, form):
    """w where both have converged; LIBLINEAR's -s 3, 12 and 13 often end at 300 passes: there ours must be at least as good."""
    x, y = problem(kind)
    x = FORMS[form](x)
    options = f"-s {solver} -B {bias} -c 0.5 {TIGHT} -q"
    ours, other = liblinearutil.train(y, x, options), theirs.train(y, x, options)
    assert ours.get_labels() == other.get_labels()
    assert (ours.nr_class, ours.nr_feature, ours.bias) == (other.nr_class, other.nr_feature, other.bias)
    if solver == ONE_CLASS:
        np.testing.assert_allclose(weights(ours), weights(other), rtol=1e-4, atol=1e-4)
        assert ours.get_decfun_rho() == pytest.approx(other.get_decfun_rho(), abs=1e-4)
        return
    mine, best = (objective(m, x, y, C=0.5) for m in (ours, other))
    assert (mine <= best * (1 + 1e-6)).all()
    if solver not in (3, 13):
        np.testing.assert_allclose(mine, best, rtol=1e-6)
        np.testing.assert_allclose(weights(ours), weights(other), rtol=1e-3, atol=1e-3)
    if solver in CLASSIFIERS and solver != 3:
        labels, _, values = liblinearutil.predict(y, x, ours, "-q")
        ordered = np.sort(values, axis=1)
        sure = np.abs(ordered[:, 0]) > 0.01 if ordered.shape[1] == 1 else ordered[:, -1] - ordered[:, -2] > 0.01
        their_labels = theirs.predict(y, x, other, "-q")[0]
        assert (np.array(labels)[sure] == np.array(their_labels)[sure]).all()


@pytest.mark.parametrize("solver", [s for s in SOLVERS if s != ONE_CLASS])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "d", "C"), [(400, 12, 1), (20, 60, 100), (30, 30, 100), (60, 40, 1), (120, 60, 100)])
def test_never_worse_at_the_default_tolerance(solver, n, d, C, seed):
    """The quality contract, against the median of five runs: LIBLINEAR's random numbers go on from call to call."""
    kind = kinds(solver)[-1]
    x, y = problem(kind, seed, n, d)
    options = f"-s {solver} -B 1 -c {C} -q"
    ours = objective(liblinearutil.train(y, x, options), x, y, C)
    runs = [objective(theirs.train(y, x, options), x, y, C) for _ in range(5)]
    assert ours.sum() <= np.median(runs, axis=0).sum() * (1 + 1e-6)


@pytest.mark.parametrize("solver", [0, 2, 5, 6, 11])
def test_bias_that_is_not_regularised(solver):
    x, y = problem(KIND[solver])
    options = f"-s {solver} -B 1 -R {TIGHT} -q"
    ours, other = liblinearutil.train(y, x, options), theirs.train(y, x, options)
    values = [objective(m, x, y, free_bias=True) for m in (ours, other)]
    np.testing.assert_allclose(*values, rtol=1e-6)
    np.testing.assert_allclose(weights(ours), weights(other), rtol=1e-3, atol=1e-3)
    assert ours.get_decfun_bias() == pytest.approx(other.get_decfun_bias(), abs=1e-3)


@pytest.mark.parametrize("solver", CLASSIFIERS)
@pytest.mark.parametrize(("kind", "names"), [("odd", (3, -7)), ("four", (4, 2))])
def test_class_weights(solver, kind, names, capfd):
    x, y = problem(kind)
    options = f"-s {solver} -w{names[0]} 3 -w{names[1]} 0.5 -w{names[0]} 2 -w99 4 {TIGHT} -q"
    ours, other = liblinearutil.train(y, x, options), theirs.train(y, x, options)
    assert capfd.readouterr().err == 2 * "WARNING: class label 99 specified in weight is not found\n"
    weight = {names[0]: 6.0, names[1]: 0.5}
    mine, best = (objective(m, x, y, weight=weight) for m in (ours, other))
    assert (mine <= best * (1 + 1e-6)).all()
    if solver != 3:
        np.testing.assert_allclose(mine, best, rtol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_printed_text(solver, capfd):
    """By pattern; the primal solvers print a line for each step, here the last one alone."""
    kind = kinds(solver)[-1]
    x, y = problem(kind)
    texts = []
    for module in (liblinearutil, theirs):
        m = module.train(y, x, f"-s {solver}")
        module.predict(y, x, m)
        texts.append(pattern(capfd.readouterr().out))
    assert texts[0] == texts[1]
    liblinearutil.train(y, x, f"-s {solver} -q")
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("solver", [0, 6, 7])
@pytest.mark.parametrize("kind", ["odd", "four"])
def test_probabilities(solver, kind):
    x, y = problem(kind)
    results = []
    for module in (liblinearutil, theirs):
        m = module.train(y, x, f"-s {solver} -B 1 {TIGHT} -q")
        assert m.is_probability_model()
        labels, metrics, p = module.predict(y, x, m, "-b 1 -q")
        results.append((labels, metrics, p))
    np.testing.assert_allclose(results[0][2], results[1][2], atol=1e-4)
    assert np.mean(np.array(results[0][0]) == np.array(results[1][0])) > 0.98
    assert len(results[0][2][0]) == (2 if kind == "odd" else 4)
    np.testing.assert_allclose(np.sum(results[0][2], axis=1), 1, atol=1e-12)


ROW_FORMS = {
    "array": np.asarray,
    "csr": sparse.csr_matrix,
    "coo": sparse.coo_matrix,
    "lists": np.ndarray.tolist,
    "tuples": lambda x: [tuple(r) for r in x.tolist()],
    "dicts": lambda x: [{j + 1: v for j, v in enumerate(r) if v} for r in x.tolist()],
    "reversed dicts": lambda x: [{j + 1: r[j] for j in reversed(range(len(r)))} for r in x.tolist()],
    "arrays": list,
    "pairs": lambda x: [(np.arange(x.shape[1])[::-1].copy(), r[::-1].copy()) for r in x],
    "fortran": np.asfortranarray,
    "float32": lambda x: x.astype(np.float32).astype(float).astype(np.float32),
}


@pytest.mark.parametrize("form", ROW_FORMS)
def test_every_form_of_rows(form):
    x, y = problem("four")
    x = x.astype(np.float32).astype(float)
    rows = ROW_FORMS[form](x)
    options = "-s 2 -B 1 -q"
    plain = liblinearutil.train(y, x, options)
    ours = liblinearutil.train(y.tolist(), rows, options)
    # With a copy in nodes, and without.
    through_nodes = liblinearutil.train(liblinear.problem(y, rows, 1), options)
    for m in (ours, through_nodes):
        np.testing.assert_array_equal(weights(m), weights(plain))
    labels, accuracy, values = liblinearutil.predict(y, x, plain, "-q")
    again = liblinearutil.predict(y, rows, ours, "-q")
    assert again[:2] == (labels, accuracy)
    np.testing.assert_allclose(again[2], values, rtol=1e-12, atol=1e-13)  # dense rows are summed in another order
    prob, their_prob = liblinear.problem(y, rows, 1), their_linear.problem(y, rows, 1)
    if form != "pairs":  # where upstream takes the last index for the largest
        assert (prob.l, prob.n, prob.bias) == (their_prob.l, their_prob.n, their_prob.bias)
    for i in range(prob.l):
        ours_row, their_row = prob.x[i], their_prob.x[i]
        for j in range(100):
            assert ours_row[j].index == their_row[j].index or form == "pairs"
            if ours_row[j].index == -1:
                break
            assert ours_row[j].value == their_row[j].value


def test_columns_without_values():
    """nr_feature: the largest index used for arrays and lists, the number of columns for CSR matrices."""
    x, y = problem("two")
    wide = np.hstack([x, np.zeros((len(x), 3))])
    for form in (np.asarray, sparse.csr_matrix, np.ndarray.tolist):
        ours, other = (m.train(y, form(wide), "-s 2 -B 1 -e 1e-10 -q") for m in (liblinearutil, theirs))
        assert ours.nr_feature == other.nr_feature
        np.testing.assert_allclose(weights(ours), weights(other), atol=1e-8)


def test_rows_of_another_width():
    x, y = problem("four")
    for bias in (-1, 1):
        ours, other = (m.train(y, x, f"-s 0 -B {bias} {TIGHT} -q") for m in (liblinearutil, theirs))
        for cols in (3, 6, 9):
            queries = np.random.default_rng(1).standard_normal((40, cols))
            for form in (np.asarray, sparse.csr_matrix, np.ndarray.tolist):
                values = liblinearutil.predict([], form(queries), ours, "-q")[2]
                np.testing.assert_allclose(values, theirs.predict([], form(queries), other, "-q")[2], atol=1e-4)


def test_degenerate_problems():
    cases = {
        "one class": ([3, 3, 3], [[1.0, 0], [2, 1], [0, 1]]),
        "one feature": ([1, -1, 1], [[1.0], [-1], [2]]),
        "empty rows": ([1, -1, 1], [{}, {}, {1: 1.0}]),
        "fractions as labels": ([1.5, 2.5, 1.2, -2.9], [[1.0], [2], [1], [3]]),
        "a single row": ([2], [[1.0, 2.0]]),
    }
    for name, (y, x) in cases.items():
        for solver in (0, 1, 2, 4, 5, 6, 7):
            if solver == 4 and len({int(v) for v in y}) == 1:
                continue  # LIBLINEAR's solver runs to its limit of 100,000 passes
            for bias in (-1, 1):
                options = f"-s {solver} -B {bias} {TIGHT} -q"
                ours, other = liblinearutil.train(y, x, options), theirs.train(y, x, options)
                assert ours.get_labels() == other.get_labels(), (name, solver)
                assert weights(ours).shape == weights(other).shape, (name, solver)
                np.testing.assert_allclose(weights(ours), weights(other), atol=2e-3, err_msg=f"{name} {solver}")
                labels = liblinearutil.predict([], x, ours, "-q")[0]
                if name == "one class":
                    assert labels == [3.0] * 3
                    assert solver not in (0, 6, 7) or liblinearutil.predict([], x, ours, "-b 1 -q")[2] == [[1.0]] * 3


def test_no_rows_and_no_features(tmp_path):
    for solver in SOLVERS:
        m = liblinearutil.train([], [], f"-s {solver} -q")
        assert (m.nr_class, m.nr_feature) == (0 if solver in CLASSIFIERS else 2, 0)
        liblinearutil.save_model(tmp_path / "m", m)
        assert liblinearutil.load_model(tmp_path / "m").nr_class == m.nr_class
    with pytest.raises(ValueError, match="trained on no rows"):
        liblinearutil.predict([], [[1.0]], liblinearutil.train([], [], "-q"), "-q")
    for bias in (-1, 1):
        ours, other = (m.train([1, -1, 1], [{}, {}, {}], f"-s 2 -B {bias} -e 1e-6 -q") for m in (liblinearutil, theirs))
        assert (ours.nr_feature, ours.nr_class) == (other.nr_feature, other.nr_class) == (0, 2)
        np.testing.assert_allclose(weights(ours), weights(other), atol=1e-6)
        for rows in ([{}, {}], np.zeros((2, 3)), sparse.csr_matrix((2, 3))):
            answers = [m.predict([], rows, trained, "-q") for m, trained in ((liblinearutil, ours), (theirs, other))]
            assert answers[0][0] == answers[1][0]
            np.testing.assert_allclose(answers[0][2], answers[1][2], atol=1e-6)


def test_wide_indices():
    """Hashed features: memory for w, as in LIBLINEAR, and no more for rows than they have entries."""
    rng = np.random.default_rng(0)
    x = [{int(j): 1.0 for j in rng.integers(1, 2_000_000, 5)} for _ in range(60)]
    y = rng.integers(0, 2, 60) * 2 - 1
    ours, other = (m.train(y, x, "-s 0 -e 1e-6 -q") for m in (liblinearutil, theirs))
    assert ours.nr_feature == other.nr_feature > 1_900_000
    used = sorted({j for row in x for j in row})
    np.testing.assert_allclose([ours.w[j - 1] for j in used], [other.w[j - 1] for j in used], atol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_model_files(solver, tmp_path, capfd):
    """Either library's file in either library gives the same bits."""
    kind = kinds(solver)[-1]
    x, y = problem(kind)
    for writer in (liblinearutil, theirs):
        m = writer.train(y, x, f"-s {solver} -q" + ("" if solver == ONE_CLASS else " -B 1"))
        path = str(tmp_path / f"{writer.__name__}")
        writer.save_model(path, m)
        for reader in (liblinearutil, theirs):
            again = reader.load_model(path)
            np.testing.assert_array_equal(weights(again), weights(m))
            assert (again.get_labels(), again.bias, again.nr_feature) == (m.get_labels(), m.bias, m.nr_feature)
            assert solver != ONE_CLASS or again.get_decfun_rho() == m.get_decfun_rho()
            reader.save_model(path + ".again", again)
            assert Path(path).read_bytes() == Path(path + ".again").read_bytes()
    capfd.readouterr()
    for module in (liblinearutil, theirs):
        assert module.load_model(str(tmp_path / "absent")) is None
    assert len(set(capfd.readouterr().out.splitlines())) == 1


def test_model_methods():
    for solver in SOLVERS:
        x, y = problem(kinds(solver)[-1])
        bias = -1 if solver == ONE_CLASS else 2
        ours, other = (m.train(y, x, f"-s {solver} -B {bias} -e 1e-3 -q") for m in (liblinearutil, theirs))
        ctypes.memmove(ours.w, other.w, weights(other).nbytes)
        if solver == ONE_CLASS:
            ours.rho = other.rho
        for name in ("get_nr_feature", "get_nr_class", "get_labels", "is_probability_model", "is_regression_model"):
            assert getattr(ours, name)() == getattr(other, name)(), (solver, name)
        assert ours.is_oneclass_model() == other.is_oneclass_model()
        for label in (-1, 0, 1, 3, 4):
            assert ours.get_decfun(label) == other.get_decfun(label)
            for feature in (0, 1, 6, 7, 100):
                assert ours.get_decfun_coef(feature, label) == other.get_decfun_coef(feature, label)
        row, _ = liblinear.gen_feature_nodearray([*x[0].tolist(), 1.0, 5.0])
        their_row, _ = their_linear.gen_feature_nodearray([*x[0].tolist(), 1.0, 5.0])
        ours_values, their_values = (ctypes.c_double * 4)(), (ctypes.c_double * 4)()
        label = liblinear.liblinear.predict_values(ours, row, ours_values)
        assert label == their_linear.liblinear.predict_values(other, their_row, their_values)
        assert ours_values[:] == their_values[:]
        assert liblinear.liblinear.predict(ours, row) == label
        probabilities = [lib.predict_probability(m, r, v) for lib, m, r, v in (
            (liblinear.liblinear, ours, row, ours_values), (their_linear.liblinear, other, their_row, their_values))]  # fmt: skip
        assert probabilities[0] == probabilities[1]
        np.testing.assert_allclose(ours_values[:], their_values[:], rtol=1e-14)


def test_problem_and_bias():
    x, y = problem("two")
    prob = liblinear.problem(y, x, 3)
    assert (prob.n, prob.bias) == (7, 3.0)
    copy = prob.copy()
    prob.set_bias(5)  # LIBLINEAR raises UnboundLocalError
    last = prob.rowptr[1] - 2
    assert (prob.n, prob.x_space["index"][last], prob.x_space["value"][last]) == (7, 7, 5.0)
    assert (copy.n, copy.bias, copy.l) == (7, 3.0, prob.l)
    plain = liblinearutil.train(y, x, "-s 2 -q")
    m = liblinearutil.train(prob, "-s 2 -q")  # the options' bias, -1, replaces the problem's
    assert (prob.n, prob.bias, m.bias) == (6, -1.0, -1.0)
    np.testing.assert_array_equal(weights(m), weights(plain))
    param = liblinear.parameter("-s 2 -B 1 -q")
    np.testing.assert_array_equal(weights(liblinearutil.train(prob, param)), weights(liblinearutil.train(y, x, "-s 2 -B 1 -q")))


def test_rows_without_the_bias_in_c():
    """A program that sets prob.bias but forgets the node in some rows: as in LIBLINEAR the column is a feature."""
    x, y = problem("two")
    models = []
    for module, lib in ((liblinear, liblinear.liblinear), (their_linear, their_linear.liblinear)):
        prob = module.problem(y, x.tolist(), 1)
        row, length = prob.x[3], 0
        while row[length].index != -1:
            length += 1
        row[length - 1].index = -1
        param = module.parameter("-s 2 -e 1e-8 -q")
        models.append(module.toPyModel(lib.train(prob, param)))
    assert models[0].bias == models[1].bias == 1.0
    np.testing.assert_allclose(weights(models[0]), weights(models[1]), atol=1e-6)


def test_initial_solution():
    """init_sol: at the optimum, training ends where it starts."""
    for solver in (0, 2, 11):
        x, y = problem(kinds(solver)[-1])
        best = liblinearutil.train(y, x, f"-s {solver} -B 1 -e 1e-10 -q")
        param = liblinear.parameter(f"-s {solver} -B 1 -q")
        start = (ctypes.c_double * weights(best).size)(*weights(best).ravel())
        param.init_sol = start
        again = liblinearutil.train(liblinear.problem(y, x), param)
        np.testing.assert_array_equal(weights(again), weights(best))


def test_recalculated_weights():
    """w_recalc: features that only rows without influence have get a weight of exactly 0."""
    x = np.array([[1.0, 0, 0], [-1, 0, 0], [9, 1, 0], [-9, 0, 1]])
    for solver in (1, 3):
        param = liblinear.parameter(f"-s {solver} -e 1e-6 -q")
        param.w_recalc = True
        m = liblinearutil.train(liblinear.problem([1, -1, 1, -1], x), param)
        assert m.w[1:3] == [0.0, 0.0]
        assert m.w[0] > 0


def test_print_function(capfd):
    x, y = problem("four")
    seen = []
    hook = liblinear.PRINT_STRING_FUN(seen.append)
    param = liblinear.parameter("-s 1")
    param.print_func = hook
    liblinearutil.train(liblinear.problem(y, x), param)
    liblinear.liblinear.set_print_string_function(ctypes.cast(None, liblinear.PRINT_STRING_FUN))
    assert b"".join(seen).count(b"optimization finished") == 4
    assert capfd.readouterr().out == ""


def test_primal_solvers_are_those_that_start_anywhere():
    assert set(PRIMAL) >= {int(s) for s in liblinear.SEARCHABLE}
    assert set(REGRESSION) == {11, 12, 13}
