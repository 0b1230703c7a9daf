"""dcsvm.svmutil against libsvm-official: the same results, text and model files."""

import ctypes
import re

import numpy as np
import pytest

from _libsvm_cases import FORMULATIONS, KERNELS, forms, pattern, run, sparse, their_prediction, their_svm, theirs
from dcsvm import svm, svmutil


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
def test_same_answers_and_text(sample, capfd, formulation, kernel):
    options = f"{FORMULATIONS[formulation]} {KERNELS[kernel]} -e 1e-6"
    if formulation == 1 and kernel < 2:
        options += " -n 0.7"  # below, classes that overlap have no margin, and LIBSVM divides by nearly 0
    y, yt = (sample["t"], sample["tt"]) if formulation in (3, 4) else (sample["y"], sample["yt"])
    shift = 4 if (formulation, kernel) == (2, 0) else 0  # around the origin its optimum is 0, and LIBSVM takes long to say so
    x, xt = sample["x"] + shift, sample["xt"] + shift
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
def test_every_form_of_rows(sample, capfd, form):
    x, xt = forms(sample["x"])[form], forms(sample["xt"])[form]
    y = sample["y"].tolist()
    m, result, _ = run(svmutil, capfd, y, x, "-c 2", xt, sample["yt"])
    plain = svmutil.svm_train(sample["y"], sample["x"], "-c 2 -q")
    assert result[2] == svmutil.svm_predict(sample["yt"], sample["xt"], plain)[2]
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


def test_model_fields(sample):
    m = svmutil.svm_train(sample["y"], sample["x"], "-c 2 -e 1e-6 -q")
    lm = theirs.svm_train(sample["y"], sample["x"], "-c 2 -e 1e-6 -q")
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


def test_one_class_of_labels(sample, capfd):
    for module in (svmutil, theirs):
        m = module.svm_train([3] * 10, sample["x"][:10])
        assert (m.get_labels(), m.get_nr_sv(), m.get_nr_class()) == ([3], 0, 1)
        assert module.svm_predict([], sample["xt"][:2], m) == (
            [3.0, 3.0],
            (0.0, 9.0, pytest.approx(float("nan"), nan_ok=True)),
            [[1], [1]],
        )
    text = capfd.readouterr().out
    assert text.count("WARNING: training data in only one class") == 2


def test_weights(sample, capfd):
    for options in ("-w2 3", "-w2 3 -w2 2 -w-1 0.5", "-w99 2"):
        m, result, text = run(svmutil, capfd, sample["y"], sample["x"], f"-e 1e-6 {options}", sample["xt"], sample["yt"])
        lm, l_result, l_text = run(theirs, capfd, sample["y"], sample["x"], f"-e 1e-6 {options}", sample["xt"], sample["yt"])
        assert pattern(text) == pattern(l_text)
        np.testing.assert_allclose(m.rho[:3], lm.rho[:3], atol=1e-4)
        np.testing.assert_allclose(result[2], l_result[2], atol=1e-4)


@pytest.mark.parametrize("label", [-7, 12])
def test_a_weight_of_zero_is_refused_by_the_label_that_has_it(label, sample):
    y = np.where(sample["y"] == sample["y"][0], label, 3)
    with pytest.raises(ValueError, match=rf"weight \(-w{label}\) is 0, which leaves nothing of class {label}"):
        svmutil.svm_train(y, sample["x"], f"-w3 2 -w{label} 0 -q")


def test_precomputed(sample, capfd):
    x, xt = sample["x"], sample["xt"]
    k = np.hstack([np.arange(1, len(x) + 1)[:, None], x @ x.T])
    kt = np.hstack([np.zeros((len(xt), 1)), xt @ x.T])
    expected = theirs.svm_predict(sample["yt"], kt, theirs.svm_train(sample["y"], k, "-t 4 -e 1e-6 -q"), "-q")
    for form in (np.asarray, np.ndarray.tolist, lambda a: [dict(enumerate(r)) for r in a.tolist()], sparse.csr_matrix):
        rows, queries = form(k), form(kt)
        if sparse.issparse(queries):  # 0:0 has to be stored: LIBSVM counts positions
            queries = form(np.hstack([np.ones((len(xt), 1)), xt @ x.T]))
        m = svmutil.svm_train(sample["y"].tolist(), rows, "-t 4 -e 1e-6 -q")
        result = svmutil.svm_predict(sample["yt"].tolist(), queries, m, "-q")
        np.testing.assert_allclose(result[2], expected[2], atol=1e-4)
    values = (ctypes.c_double * 3)()
    row, _ = svm.gen_svm_nodearray(kt[0], isKernel=True)
    svm.libsvm.svm_predict_values(m, row, values)
    np.testing.assert_allclose(values[:], expected[2][0], atol=1e-4)


def test_cross_validation(sample, capfd):
    for options, key, noise in (
        ("-c 2 -v 5", "y", 8.0),
        ("-s 3 -c 2 -v 5", "t", 0.05),
        ("-s 1 -v 3", "y", 10.0),
        ("-s 2 -v 4", "y", 100.0),
    ):
        ours = svmutil.svm_train(sample[key], sample["x"], options)
        line = capfd.readouterr().out.splitlines()[-1]
        other = theirs.svm_train(sample[key], sample["x"], options)
        assert pattern(line) == pattern(capfd.readouterr().out.splitlines()[-1])
        assert isinstance(ours, float)
        assert abs(ours - other) < noise
        assert svmutil.svm_train(sample[key], sample["x"], options + " -q") == ours, "reproducible"


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_probabilities(sample, capfd, formulation):
    options = f"{FORMULATIONS[formulation]} -b 1"
    rng = np.random.default_rng(2)
    copies = 2 if formulation in (3, 4) else 6
    x = np.vstack([sample["x"]] * copies) + 0.2 * rng.standard_normal((copies * 160, 5))
    y, yt = (
        (np.tile(sample["t"], copies), sample["tt"]) if formulation in (3, 4) else (np.tile(sample["y"], copies), sample["yt"])
    )
    m, (labels, _, p), text = run(svmutil, capfd, y, x, options, sample["xt"], yt, "-b 1")
    lm, (l_labels, _, l_p), l_text = run(theirs, capfd, y, x, options, sample["xt"], yt, "-b 1")
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
        row, _ = svm.gen_svm_nodearray(sample["xt"][0])
        assert svm.libsvm.svm_predict_probability(m, row, estimates) == labels[0]
        np.testing.assert_allclose(estimates[:], p[0], atol=1e-5)
    capfd.readouterr()
    svmutil.svm_predict(yt, sample["xt"], m)
    assert "Model supports probability estimates, but disabled in predicton." in capfd.readouterr().out


def test_print_function(sample, capfd):
    seen = []
    hook = svm.PRINT_STRING_FUN(seen.append)
    param = svm.svm_parameter("-c 2")
    param.print_func = hook
    svmutil.svm_train(svm.svm_problem(sample["y"], sample["x"]), param)
    svm.libsvm.svm_set_print_string_function(ctypes.cast(None, svm.PRINT_STRING_FUN))
    assert b"".join(seen).count(b"optimization finished") == 3
    assert capfd.readouterr().out == ""


def test_model_files(sample, tmp_path, capfd):
    """Files both ways: the same values from either library's file in either library."""
    for formulation, options in FORMULATIONS.items():
        y = sample["t"] if formulation in (3, 4) else sample["y"]
        written = {m: m.svm_train(y, sample["x"], options + " -q") for m in (svmutil, theirs)}
        for writer, model in written.items():
            path = str(tmp_path / "m")
            writer.svm_save_model(path, model)
            values = [svmutil.svm_predict([], sample["xt"], svmutil.svm_load_model(path), "-q")[2]]
            values.append(their_prediction([], sample["xt"], theirs.svm_load_model(path), "-q")[2])
            np.testing.assert_allclose(*values, atol=2e-5)
            if writer is svmutil:  # LIBSVM's files lose digits
                assert svmutil.svm_load_model(path).get_SV() == theirs.svm_load_model(path).get_SV() == model.get_SV()
                np.testing.assert_allclose(values[0], svmutil.svm_predict([], sample["xt"], model, "-q")[2], atol=1e-9)
    capfd.readouterr()
    for module in (svmutil, theirs):
        assert module.svm_load_model(str(tmp_path / "absent")) is None
    assert len(set(capfd.readouterr().out.splitlines())) == 1


def test_many_rows_at_once_are_what_single_rows_are(sample):
    m = svmutil.svm_train(sample["y"], sample["x"], "-q")
    x = np.vstack([sample["xt"]] * 20)
    _, _, values = svmutil.svm_predict([], x, m, "-q")
    np.testing.assert_array_equal(values[:80], values[-80:])
    wide = np.hstack([sample["xt"], np.ones((80, 2))])  # features that the model never saw
    _, _, far = svmutil.svm_predict([], wide, m, "-q")
    _, _, other = theirs.svm_predict([], wide, theirs.svm_train(sample["y"], sample["x"], "-q"), "-q")
    np.testing.assert_allclose(far, other, atol=2e-3)
