"""dcsvm.svm, svmutil and commonutil against libsvm-official: the same names, results, text and errors."""

import ctypes
import importlib
import io
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import dcsvm
from dcsvm import commonutil, svm, svmutil

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # LIBSVM's threads would spin while others compute
sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")
their_svm = pytest.importorskip("libsvm.svm", reason="libsvm-official is not installed")
theirs = pytest.importorskip("libsvm.svmutil", reason="libsvm-official is not installed")
their_common = pytest.importorskip("libsvm.commonutil", reason="libsvm-official is not installed")

FORMULATIONS = {0: "-s 0 -c 4", 1: "-s 1 -n 0.3", 2: "-s 2 -n 0.3", 3: "-s 3 -c 4 -p 0.05", 4: "-s 4 -c 4 -n 0.4"}
KERNELS = {0: "-t 0", 1: "-t 1 -g 0.3 -r 1 -d 2", 2: "-t 2 -g 0.4", 3: "-t 3 -g 0.05 -r 0.1"}


@pytest.fixture(scope="module")
def data():
    """Three classes with labels 2, -1, 5 in this order of appearance, targets for regression, and a test set."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 3, 240)
    codes[:3] = 0, 1, 2
    x = rng.standard_normal((240, 5)) + 1.5 * np.eye(3, 5)[codes]
    x[rng.random(x.shape) < 0.2] = 0
    x[0, :] = rng.standard_normal(5)
    target = np.sin(x[:, 0]) + 0.3 * x[:, 1] + 0.05 * rng.standard_normal(240)
    return {"x": x[:160], "y": np.array([2, -1, 5])[codes[:160]], "t": target[:160], "xt": x[160:], "tt": target[160:],
            "yt": np.array([2, -1, 5])[codes[160:]]}  # fmt: skip


def forms(x):
    return {
        "array": x,
        "csr": sparse.csr_matrix(x),
        "lists": x.tolist(),
        "tuples": [tuple(r) for r in x.tolist()],
        "dicts": [{j + 1: v for j, v in enumerate(r) if v} for r in x.tolist()],
        "reversed dicts": [{j + 1: r[j] for j in reversed(range(len(r)))} for r in x.tolist()],
        "arrays": list(x),
        "pairs": [(np.arange(x.shape[1])[::-1].copy(), r[::-1].copy()) for r in x],
        "mixed": [r if i % 2 else {j + 1: v for j, v in enumerate(r)} for i, r in enumerate(x.tolist())],
    }


def pattern(text):
    """Text with every run of progress marks and every number replaced."""
    text = re.sub(r"[.*]+\n", "*\n", text)
    text = text.replace("*\nWARNING: using -h 0 may be faster\n", "")  # when it is, in LIBSVM
    return re.sub(r"[-+]?(\d+\.?\d*(e[-+]?\d+)?|nan|inf)", "N", text)


def their_prediction(yt, xt, m, options=""):
    """theirs.svm_predict; for nu-SVC of more than two classes by ctypes, as it would write beyond its array."""
    if m.get_svm_type() != 1:
        return theirs.svm_predict(yt, xt, m, options)
    values, labels = [], []
    for x in xt:
        dec = (ctypes.c_double * 3)()
        row, _ = their_svm.gen_svm_nodearray(x)
        labels.append(their_svm.libsvm.svm_predict_values(m, row, dec))
        values.append(dec[:])
    metrics = their_common.evaluations(yt, labels) if len(yt) else None
    if options != "-q":
        print(f"Accuracy = {metrics[0]:g}% ({round(len(yt) * metrics[0] / 100)}/{len(yt)}) (classification)")
    return labels, metrics, values


def run(module, capfd, y, x, options, xt, yt, predict=""):
    m = module.svm_train(y, x, options)
    predicted = their_prediction if module is theirs and not predict else module.svm_predict
    result = predicted(yt, xt, m, predict)
    return m, result, capfd.readouterr().out


def regression_objective(m, kernel, x, t, epsilon):
    """The dual objective in double precision."""
    dot = x @ x.T
    square = np.diag(dot)
    k = [dot, (0.3 * dot + 1) ** 2, np.exp(-0.4 * (square[:, None] + square - 2 * dot)), None][kernel]
    d = np.zeros(len(x))
    d[np.array(m.get_sv_indices()) - 1] = np.array(m.get_sv_coef())[:, 0]
    return d @ k @ d / 2 + epsilon * np.abs(d).sum() - t @ d


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_same_answers_and_text(data, capfd, formulation, kernel):
    options = f"{FORMULATIONS[formulation]} {KERNELS[kernel]} -e 1e-6"
    if formulation == 1 and kernel < 2:
        options += " -n 0.7"  # below, classes that overlap have no margin, and LIBSVM divides by nearly 0
    y, yt = (data["t"], data["tt"]) if formulation in (3, 4) else (data["y"], data["yt"])
    shift = 4 if (formulation, kernel) == (2, 0) else 0  # around the origin its optimum is 0, and LIBSVM takes long to say so
    x, xt = data["x"] + shift, data["xt"] + shift
    m, (labels, metrics, values), text = run(svmutil, capfd, y, x, options, xt, yt)
    lm, (l_labels, l_metrics, l_values), l_text = run(theirs, capfd, y, x, options, xt, yt)
    assert pattern(text) == pattern(l_text)
    ours, other = (np.array([float(v) for v in re.findall(r"obj = (\S+),", t)]) for t in (text, l_text))
    if kernel != 3:  # the sigmoid kernel is not positive: there are several solutions
        # LIBSVM computes what it prints from float32 kernel values: regression cancels more of them.
        np.testing.assert_allclose(ours, other, rtol=1e-5 if formulation in (3, 4) else 1e-6, atol=1e-5)
        if formulation in (3, 4):
            epsilon = m.param.p if formulation == 3 else 0.0
            objectives = [regression_objective(model, kernel, x, y, epsilon) for model in (m, lm)]
            np.testing.assert_allclose(*objectives, rtol=1e-6)
        pairs = len(ours)
        np.testing.assert_allclose(m.rho[:pairs], lm.rho[:pairs], atol=1e-4, rtol=1e-4)
        clear = np.abs(l_values).min(axis=1) > 1e-4
        # Solutions at a tolerance of 1e-6 may differ by more where the objective is flat.
        np.testing.assert_allclose(values, l_values, atol=1e-3 if kernel == 1 else 1e-4, rtol=1e-4)
        if formulation in (3, 4):
            np.testing.assert_allclose(labels, l_labels, atol=1e-3 if kernel == 1 else 1e-4)
            np.testing.assert_allclose(metrics[1:], l_metrics[1:], rtol=1e-3)
        else:
            assert (np.array(labels) == np.array(l_labels))[clear].all()
    assert m.get_labels() == lm.get_labels() if formulation in (0, 1) else not m.label
    assert (m.get_svm_type(), m.get_nr_class()) == (lm.get_svm_type(), lm.get_nr_class())


@pytest.mark.parametrize("form", list(forms(np.eye(2))))
def test_every_form_of_rows(data, capfd, form):
    x, xt = forms(data["x"])[form], forms(data["xt"])[form]
    y = data["y"].tolist()
    m, result, _ = run(svmutil, capfd, y, x, "-c 2", xt, data["yt"])
    plain = svmutil.svm_train(data["y"], data["x"], "-c 2 -q")
    assert result[2] == svmutil.svm_predict(data["yt"], data["xt"], plain)[2]
    assert result[0] == [float(v) for v in result[0]]
    assert form == "pairs" or m.get_SV() == plain.get_SV()  # pairs keep zeros
    prob, l_prob = svm.svm_problem(y, x), their_svm.svm_problem(y, x)
    if form != "pairs":  # where upstream takes the last index for the largest
        assert (prob.l, prob.n) == (l_prob.l, l_prob.n)
    for i in range(prob.l):
        row, l_row = prob.x[i], l_prob.x[i]
        for j in range(100):
            assert row[j].index == l_row[j].index
            if row[j].index == -1:
                break
            assert row[j].value == l_row[j].value


def test_model_fields(data):
    m = svmutil.svm_train(data["y"], data["x"], "-c 2 -e 1e-6 -q")
    lm = theirs.svm_train(data["y"], data["x"], "-c 2 -e 1e-6 -q")
    assert m.get_sv_indices() == lm.get_sv_indices() == m.sv_indices[: m.l]
    np.testing.assert_allclose(m.get_sv_coef(), lm.get_sv_coef(), atol=2e-3)
    assert m.get_SV() == lm.get_SV()
    assert m.label[:3] == lm.label[:3] == [2, -1, 5], "the order of appearance"
    assert m.nSV[:3] == lm.nSV[:3]
    assert (m.free_sv, m.param.gamma, m.param.C) == (0, 0.2, 2.0)
    base = m.x_space.ctypes.data
    assert base <= ctypes.cast(m.SV[0], ctypes.c_void_p).value < base + m.x_space.nbytes, "rows are not copied"
    assert not m.is_probability_model()
    assert svmutil.svm_train([-1, 1, 1, -1], [[0.0], [1.0], [2.0], [-1.0]], "-q").get_labels() == [1, -1]
    assert svmutil.svm_train([-2, 1, 1, -2], [[0.0], [1.0], [2.0], [-1.0]], "-q").get_labels() == [-2, 1]


def test_structures_have_libsvms_layout():
    for name in ("svm_node", "svm_problem", "svm_parameter", "svm_model"):
        ours, other = getattr(svm, name), getattr(their_svm, name)
        assert ctypes.sizeof(ours) == ctypes.sizeof(other)
        names = [f[0] for f in ours._fields_]
        assert names == [f[0] for f in other._fields_]
        assert [getattr(ours, n).offset for n in names] == [getattr(other, n).offset for n in names]


def test_every_name_is_there():
    for ours, other in ((svm, their_svm), (svmutil, theirs), (commonutil, their_common)):
        assert set(other.__all__) <= set(ours.__all__)
        for name in ours.__all__:
            assert hasattr(ours, name)
    for name in ("genFields", "fillprototype", "ctypes_print_null", "csr_to_problem", "jit_enabled"):
        assert hasattr(svm, name)
    assert (svm.C_SVC, svm.NU_SVR, svm.LINEAR, svm.PRECOMPUTED) == (0, 4, 0, 4)
    assert [(f.name, int(f)) for f in svm.svm_forms] == [(f.name, int(f)) for f in their_svm.svm_forms]
    assert [(f.name, int(f)) for f in svm.kernel_names] == [(f.name, int(f)) for f in their_svm.kernel_names]
    assert ctypes.c_int.in_dll(svm.libsvm, "libsvm_version").value == 337


def test_ctypes_use(data):
    """As LIBSVM's README shows it: the library's functions on problem and parameter."""
    prob, param = svm.svm_problem(data["y"].tolist(), data["x"].tolist()), svm.svm_parameter("-c 4 -g 0.2 -q")
    assert svm.libsvm.svm_check_parameter(prob, param) is None
    m = svm.toPyModel(svm.libsvm.svm_train(prob, param))
    plain = svmutil.svm_train(data["y"], data["x"], "-c 4 -g 0.2 -q")
    values = (ctypes.c_double * 3)()
    _, _, expected = svmutil.svm_predict(data["yt"], data["xt"], plain, "-q")
    labels = svmutil.svm_predict(data["yt"], data["xt"], plain, "-q")[0]
    for i, x in enumerate(data["xt"][:20].tolist()):
        row, largest = svm.gen_svm_nodearray(x)
        assert largest == max((j + 1 for j, v in enumerate(x) if v), default=0)
        assert svm.libsvm.svm_predict(m, row) == labels[i]
        assert svm.libsvm.svm_predict_values(m, row, values) == labels[i]
        np.testing.assert_allclose(values[:], expected[i], atol=1e-5)
    with pytest.raises(ValueError, match="Null pointer"):
        svm.toPyModel(ctypes.POINTER(svm.svm_model)())


def test_gen_svm_nodearray():
    def listed(module, *args, **kwargs):
        nodes, largest = module.gen_svm_nodearray(*args, **kwargs)
        return [(n.index, n.value) for n in nodes], largest

    for xi in (
        {3: 2.0, 1: 1.5, 7: 0.0},
        [0, 1, 2.5],
        (0.0, 3),
        np.array([0, 4.0, 0, 2]),
        {},
        [],
        (np.array([0, 2]), np.array([1.0, 2])),
    ):
        for kwargs in ({}, {"feature_max": 2}, {"isKernel": True}):
            if isinstance(xi, tuple) and len(xi) == 2 and isinstance(xi[0], np.ndarray) and "feature_max" in kwargs:
                continue  # upstream pairs the indices that are left with the wrong values
            if isinstance(xi, dict) and "isKernel" in kwargs and not xi:
                continue
            assert listed(svm, xi, **kwargs) == listed(their_svm, xi, **kwargs), (xi, kwargs)
    assert str(svm.svm_node(3, 0.5)) == str(their_svm.svm_node(3, 0.5))
    for bad in (3, "ab", None, np.zeros((2, 2)), {1, 2}):
        with pytest.raises((TypeError, ValueError)):
            svm.gen_svm_nodearray(bad)
    with pytest.raises(AssertionError):
        svm.gen_svm_nodearray([1.0], feature_max="2")


def same_error(call, *args):
    """Both modules refuse, with the same class and words."""
    with pytest.raises(Exception) as ours:  # noqa: PT011
        call(svmutil, *args)
    with pytest.raises(Exception) as other:  # noqa: PT011
        call(theirs, *args)
    assert ours.type is other.type
    assert str(ours.value).replace("dcsvm.svm", "libsvm.svm") == str(other.value)


BAD_OPTIONS = [
    *("-c -1", "-c 0", "-g -1", "-e 0", "-m 0", "-t 1 -d -1", "-s 1 -n 0", "-s 1 -n 1.5", "-s 1 -n 0.99", "-s 3 -p -1", "-h 2"),
    *("-b 2", "-s 9", "-t 9", "-z 3", "-v 1", "-c", "-c x", "-wa 1", "stray", 3, "-v"),
]


@pytest.mark.parametrize("options", BAD_OPTIONS)
def test_same_refusal_of_options(data, options):
    same_error(lambda m: m.svm_train(data["y"], data["x"], options))


def test_same_refusal_of_data(data):
    y, x = data["y"], data["x"]
    pairs = [(y[:-1], x), (y, x[:-1]), (y.tolist(), x.tolist()[:-1]), (3, x), ("ab", x), (y, 3), (y, "ab"), (y, {1: 2})]
    pairs += [(y, sparse.csr_array(x)), (y, sparse.csr_matrix(x)[:-1])]
    for bad_y, bad_x in pairs:
        same_error(lambda m, a=bad_y, b=bad_x: m.svm_problem(a, b))
        same_error(lambda m, a=bad_y, b=bad_x: m.svm_train(a, b, "-q"))
    same_error(lambda m: m.svm_train(None))
    same_error(lambda m: m.svm_problem([0, 1], [{1: 1}, {1: 2}, {}]))
    same_error(lambda m: m.svm_train([1, 2], [{1: 0.5}, {1: 1}], "-t 4"))
    same_error(lambda m: m.svm_train([1, 2], [{0: 3, 1: 0.5}, {0: 2, 1: 1}], "-t 4"))


def test_same_refusal_in_prediction(data):
    models = {m: m.svm_train(data["y"], data["x"], "-q") for m in (svmutil, theirs)}
    xt = data["xt"]
    cases = [([], 3, ""), (3, xt, ""), ([], xt, "-x"), ([], xt, "-b 1"), ([1], xt, ""), ([], sparse.csr_array(xt), "")]
    for y, x, options in cases:
        same_error(lambda m, a=y, b=x, o=options: m.svm_predict(a, b, models[m], o))


def test_what_crashes_libsvm_is_refused(data):
    """Infinite loops, reads out of bounds and nonsense become errors with a reason."""
    y, x = data["y"], data["x"].copy()
    x[3, 2] = np.nan
    for options in ("-q", "-s 3 -q"):
        with pytest.raises(ValueError, match="NaN at row 3"):
            svmutil.svm_train(y, x, options)
    with pytest.raises(ValueError, match="infinity"):
        svmutil.svm_train(y, [{1: float("inf")}] * len(y), "-q")
    with pytest.raises(ValueError, match="no rows"):
        svmutil.svm_train([], [], "-q")
    with pytest.raises(ValueError, match="label"):
        svmutil.svm_train([float("nan"), 1.0], [[1.0], [2.0]], "-q")
    with pytest.raises(ValueError, match="row 0: index -3 is negative"):
        svmutil.svm_train([1, 2], [{-3: 1.0}, {1: 1.0}], "-q")
    with pytest.raises(ValueError, match="C must be"):
        svmutil.svm_train([1, 2], [[1.0], [2.0]], "-c inf -q")
    m = svmutil.svm_train(data["y"], data["x"], "-q")
    with pytest.raises(ValueError, match="NaN at row 3"):
        svmutil.svm_predict([], x, m)
    kernel = np.hstack([np.arange(1, 5)[:, None], np.eye(4)])
    m = svmutil.svm_train([1, 2, 1, 2], kernel, "-t 4 -q")
    with pytest.raises(ValueError, match="row 0: no kernel value"):
        svmutil.svm_predict([], [[0, 1.0]], m)


def test_one_class_of_labels(data, capfd):
    for module in (svmutil, theirs):
        m = module.svm_train([3] * 10, data["x"][:10])
        assert (m.get_labels(), m.get_nr_sv(), m.get_nr_class()) == ([3], 0, 1)
        assert module.svm_predict([], data["xt"][:2], m) == (
            [3.0, 3.0],
            (0.0, 9.0, pytest.approx(float("nan"), nan_ok=True)),
            [[1], [1]],
        )
    text = capfd.readouterr().out
    assert text.count("WARNING: training data in only one class") == 2


def test_weights(data, capfd):
    for options in ("-w2 3", "-w2 3 -w2 2 -w-1 0.5", "-w99 2"):
        m, result, text = run(svmutil, capfd, data["y"], data["x"], f"-e 1e-6 {options}", data["xt"], data["yt"])
        lm, l_result, l_text = run(theirs, capfd, data["y"], data["x"], f"-e 1e-6 {options}", data["xt"], data["yt"])
        assert pattern(text) == pattern(l_text)
        np.testing.assert_allclose(m.rho[:3], lm.rho[:3], atol=1e-4)
        np.testing.assert_allclose(result[2], l_result[2], atol=1e-4)


def test_precomputed(data, capfd):
    x, xt = data["x"], data["xt"]
    k = np.hstack([np.arange(1, len(x) + 1)[:, None], x @ x.T])
    kt = np.hstack([np.zeros((len(xt), 1)), xt @ x.T])
    expected = theirs.svm_predict(data["yt"], kt, theirs.svm_train(data["y"], k, "-t 4 -e 1e-6 -q"), "-q")
    for form in (np.asarray, np.ndarray.tolist, lambda a: [dict(enumerate(r)) for r in a.tolist()], sparse.csr_matrix):
        rows, queries = form(k), form(kt)
        if sparse.issparse(queries):  # 0:0 has to be stored: LIBSVM counts positions
            queries = form(np.hstack([np.ones((len(xt), 1)), xt @ x.T]))
        m = svmutil.svm_train(data["y"].tolist(), rows, "-t 4 -e 1e-6 -q")
        result = svmutil.svm_predict(data["yt"].tolist(), queries, m, "-q")
        np.testing.assert_allclose(result[2], expected[2], atol=1e-4)
    values = (ctypes.c_double * 3)()
    row, _ = svm.gen_svm_nodearray(kt[0], isKernel=True)
    svm.libsvm.svm_predict_values(m, row, values)
    np.testing.assert_allclose(values[:], expected[2][0], atol=1e-4)


def test_cross_validation(data, capfd):
    for options, key, noise in (
        ("-c 2 -v 5", "y", 8.0),
        ("-s 3 -c 2 -v 5", "t", 0.05),
        ("-s 1 -v 3", "y", 10.0),
        ("-s 2 -v 4", "y", 100.0),
    ):
        ours = svmutil.svm_train(data[key], data["x"], options)
        line = capfd.readouterr().out.splitlines()[-1]
        other = theirs.svm_train(data[key], data["x"], options)
        assert pattern(line) == pattern(capfd.readouterr().out.splitlines()[-1])
        assert isinstance(ours, float)
        assert abs(ours - other) < noise
        assert svmutil.svm_train(data[key], data["x"], options + " -q") == ours, "reproducible"


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_probabilities(data, capfd, formulation):
    options = f"{FORMULATIONS[formulation]} -b 1"
    rng = np.random.default_rng(2)
    copies = 2 if formulation in (3, 4) else 6
    x = np.vstack([data["x"]] * copies) + 0.2 * rng.standard_normal((copies * 160, 5))
    y, yt = (np.tile(data["t"], copies), data["tt"]) if formulation in (3, 4) else (np.tile(data["y"], copies), data["yt"])
    m, (labels, _, p), text = run(svmutil, capfd, y, x, options, data["xt"], yt, "-b 1")
    lm, (l_labels, _, l_p), l_text = run(theirs, capfd, y, x, options, data["xt"], yt, "-b 1")
    assert m.is_probability_model()
    assert pattern(text).splitlines()[-2:] == pattern(l_text).splitlines()[-2:]
    if formulation in (3, 4):
        assert p == l_p == [[] for _ in yt]
        assert m.get_svr_probability() == pytest.approx(lm.get_svr_probability(), rel=0.1)
    else:
        assert np.abs(np.array(p) - np.array(l_p)).mean() < 0.02
        np.testing.assert_allclose(np.sum(p, axis=1), 1, atol=1e-9)
        assert (np.array(labels) == np.array(l_labels)).mean() > 0.95
        estimates = (ctypes.c_double * len(p[0]))()
        row, _ = svm.gen_svm_nodearray(data["xt"][0])
        assert svm.libsvm.svm_predict_probability(m, row, estimates) == labels[0]
        np.testing.assert_allclose(estimates[:], p[0], atol=1e-5)
    capfd.readouterr()
    svmutil.svm_predict(yt, data["xt"], m)
    assert "Model supports probability estimates, but disabled in predicton." in capfd.readouterr().out


def test_print_function(data, capfd):
    seen = []
    hook = svm.PRINT_STRING_FUN(seen.append)
    param = svm.svm_parameter("-c 2")
    param.print_func = hook
    svmutil.svm_train(svm.svm_problem(data["y"], data["x"]), param)
    svm.libsvm.svm_set_print_string_function(ctypes.cast(None, svm.PRINT_STRING_FUN))
    assert b"".join(seen).count(b"optimization finished") == 3
    assert capfd.readouterr().out == ""


def test_model_files(data, tmp_path, capfd):
    """Files both ways: the same values from either library's file in either library."""
    for formulation, options in FORMULATIONS.items():
        y = data["t"] if formulation in (3, 4) else data["y"]
        written = {m: m.svm_train(y, data["x"], options + " -q") for m in (svmutil, theirs)}
        for writer, model in written.items():
            path = str(tmp_path / "m")
            writer.svm_save_model(path, model)
            values = [svmutil.svm_predict([], data["xt"], svmutil.svm_load_model(path), "-q")[2]]
            values.append(their_prediction([], data["xt"], theirs.svm_load_model(path), "-q")[2])
            np.testing.assert_allclose(*values, atol=2e-5)
            if writer is svmutil:  # LIBSVM's files lose digits
                np.testing.assert_allclose(values[0], svmutil.svm_predict([], data["xt"], model, "-q")[2], atol=1e-9)
    capfd.readouterr()
    for module in (svmutil, theirs):
        assert module.svm_load_model(str(tmp_path / "absent")) is None
    assert len(set(capfd.readouterr().out.splitlines())) == 1


def test_read_problem(tmp_path, data):
    path = tmp_path / "data"
    dcsvm.save_svmlight(path, data["x"], data["t"])
    for text in (path.read_text(), "1 1:0 2:5\n-1\n2.5 3:1e3 7:-2\n", "1 0:2 1:3\n2 1:1\n", "1 3:1 2:5\n"):
        path.write_text(text)
        for source in (lambda p=path: str(p), lambda t=text: io.StringIO(t)):
            assert commonutil.svm_read_problem(source()) == their_common.svm_read_problem(source())
            y, x = commonutil.svm_read_problem(source(), return_scipy=True)
            ly, lx = their_common.svm_read_problem(source(), return_scipy=True)
            if "0:2" not in text:  # upstream shifts the indices of rows before the first 0 otherwise than those behind
                assert (y == ly).all()
                assert (x != lx).nnz == 0
                assert x.shape == lx.shape
    for text in ("1 1:0\n\n", "x 1:1\n", "1 1\n", "1 1:a\n", "1 1:2 # note\n"):
        path.write_text(text)
        with pytest.raises(ValueError) as ours:  # noqa: PT011
            commonutil.svm_read_problem(str(path))
        with pytest.raises(ValueError) as other:  # noqa: PT011
            their_common.svm_read_problem(str(path))
        assert str(ours.value) == str(other.value)
    with pytest.raises(FileNotFoundError):
        commonutil.svm_read_problem(str(tmp_path / "absent"))


def test_evaluations():
    ty, pv = [1.0, 2.0, 3.0, 2.0], [1.0, 2.5, 2.0, 2.0]
    for args in ((ty, pv), (ty, pv, False), (np.array(ty), pv), ([1, 1], [1, 1]), ([1, 1], [1, 1], False)):
        np.testing.assert_allclose(commonutil.evaluations(*args), their_common.evaluations(*args))
    for args in ((ty, pv[:-1]), (ty, pv[:-1], False)):
        with pytest.raises(ValueError, match=r"len\(ty\) must be equal to len\(pv\)"):
            commonutil.evaluations(*args)
    with pytest.raises(TypeError):
        commonutil.evaluations_scipy(ty, pv)


def test_scaling(data, capsys):
    x = sparse.csr_matrix(np.hstack([data["x"], np.full((160, 1), 3.0)]))
    for lower in (-1, 0):
        ours, other = commonutil.csr_find_scale_param(x, lower), their_common.csr_find_scale_param(x, lower)
        for key in ("coef", "offset"):
            np.testing.assert_allclose(ours[key], other[key])
        np.testing.assert_allclose(commonutil.csr_scale(x, ours).toarray(), their_common.csr_scale(x, other).toarray())
    few = sparse.csr_matrix(np.eye(160, 6))
    capsys.readouterr()
    common = [commonutil, their_common]
    texts = []
    for module in common:
        module.csr_scale(few, module.csr_find_scale_param(few))
        texts.append(capsys.readouterr().err)
    assert texts[0] == texts[1] != ""
    wider = sparse.hstack([x, x], format="csr")  # upstream fails here
    scaled = commonutil.csr_scale(wider, ours).toarray()
    np.testing.assert_allclose(scaled[:, :6], commonutil.csr_scale(x, ours).toarray())
    assert not scaled[:, 6:].any()
    assert commonutil.csr_scale(x[:, :3], ours).shape == (160, 3)
    with pytest.raises(AssertionError):
        commonutil.csr_scale(data["x"], ours)


def test_parameter_text():
    ours, other = svm.svm_parameter("-s 3 -c 2 -w1 5 -v 3"), their_svm.svm_parameter("-s 3 -c 2 -w1 5 -v 3")

    def plain(p):
        return re.sub(r"<.*>", "<>", str(p))

    assert plain(ours) == plain(other)
    assert (ours.weight[0], ours.weight_label[0], ours.nr_fold) == (5.0, 1, 3)
    assert ours.set_to_default_values() is None
    assert svm.svm_parameter(["-c", "3"]).C == 3


def test_install_as_libsvm():
    code = (
        "import dcsvm; dcsvm.install_as_libsvm(top_level=True)\n"
        "from libsvm.svmutil import *\nimport libsvm.svm, libsvm.commonutil, svmutil as top\n"
        "import dcsvm.svmutil as own\nassert svm_train is own.svm_train is top.svm_train\n"
        "assert libsvm.svm.svm_problem is svm_problem is top.svm_problem\n"
        "print(svm_predict([1], [[1.0]], svm_train([1, 2], [[1.0], [2.0]], '-q'), '-q')[0])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[1.0]\n"
    assert importlib.import_module("libsvm.svmutil") is theirs, "only where it was asked for"


def test_many_rows_at_once_are_what_single_rows_are(data):
    m = svmutil.svm_train(data["y"], data["x"], "-q")
    x = np.vstack([data["xt"]] * 20)
    _, _, values = svmutil.svm_predict([], x, m, "-q")
    np.testing.assert_array_equal(values[:80], values[-80:])
    wide = np.hstack([data["xt"], np.ones((80, 2))])  # features that the model never saw
    _, _, far = svmutil.svm_predict([], wide, m, "-q")
    _, _, other = theirs.svm_predict([], wide, theirs.svm_train(data["y"], data["x"], "-q"), "-q")
    np.testing.assert_allclose(far, other, atol=2e-3)
