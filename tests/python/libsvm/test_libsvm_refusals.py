"""What libsvm-official refuses is refused with its words; what makes it crash is refused too."""

import ctypes
import platform

import numpy as np
import pytest

from _libsvm_cases import their_svm, theirs
from _original import same_refusals_in_prediction, same_refusals_of_data
from dcsvm import svm, svmutil
from dcsvm._c_faces.library import checked


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
def test_same_refusal_of_options(sample, options):
    same_error(lambda m: m.svm_train(sample["y"], sample["x"], options))


CHECKED = {
    **{"svm_type": (-1, 5), "kernel_type": (-1, 5), "gamma": (-1.0,), "degree": (-1,), "cache_size": (0.0, -1.0), "eps": (0.0,)},
    **{"C": (0.0, -1.0), "nu": (0.0, 1.5, 0.99), "p": (-0.1,), "shrinking": (2, -1), "probability": (2, -1)},
}


def test_same_words_of_svm_check_parameter(sample):
    """Every field wrong under every formulation and kernel: the same text, or none, from both libraries."""
    seen = set()
    problems = [m.svm_problem(sample["y"], sample["x"]) for m in (svm, their_svm)]
    for formulation in range(5):
        for kernel in range(5):
            for field, values in CHECKED.items():
                for value in values:
                    texts = []
                    for module, problem in zip((svm, their_svm), problems, strict=True):
                        param = module.svm_parameter(f"-q -s {formulation} -t {kernel}")
                        setattr(param, field, value)
                        texts.append(module.libsvm.svm_check_parameter(problem, param))
                    assert texts[0] == texts[1], (formulation, kernel, field, value)
                    seen.add(texts[0])
    assert len(seen - {None}) == 12, "all of LIBSVM's texts"


def test_same_refusal_of_data(sample):
    y, x = sample["y"], sample["x"]
    same_refusals_of_data(x, y, lambda m, *a: m.svm_problem(*a), lambda m, *a: m.svm_train(*a), same_error)
    same_error(lambda m: m.svm_train([1, 2], [{1: 0.5}, {1: 1}], "-t 4"))
    same_error(lambda m: m.svm_train([1, 2], [{0: 3, 1: 0.5}, {0: 2, 1: 1}], "-t 4"))


def test_same_refusal_in_prediction(sample):
    models = {m: m.svm_train(sample["y"], sample["x"], "-q") for m in (svmutil, theirs)}
    same_refusals_in_prediction(sample["xt"], lambda m, a, b, o: m.svm_predict(a, b, models[m], o), same_error)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="NaN as an int is another number in LIBSVM here")
def test_labels_that_are_not_filled_in(sample):
    """svm_check_parameter of a nu-SVC sees what malloc left in y, as Perl's Algorithm::SVM calls it: LIBSVM's own answer."""
    rng = np.random.default_rng(3)
    odd = [np.nan, np.inf, -np.inf, 1e300, -1e300, 2.0**31, 2.0**31 - 1, -(2.0**31), -(2.0**31) - 0.5, -(2.0**31) - 1, 1e-310]
    feasible = set()
    for i in range(300):
        n = int(rng.integers(1, 12))
        if i % 3 == 0:
            y = np.frombuffer(rng.bytes(8 * n), np.float64).copy()
        elif i % 3 == 1:
            y = rng.choice([*odd, 0.0, 1.0, -1.0, 0.9, 1.9], n)
        else:
            y = np.full(n, odd[i % len(odd)])
        answers, nu = [], (0.1, 0.5, 1.0)[i % 7 % 3]
        for module in (theirs, svmutil):
            problem = module.svm_problem([0.0] * n, [{1: 1.0}] * n)
            for row, label in enumerate(y.tolist()):
                problem.y[row] = label
            answers.append(module.libsvm.svm_check_parameter(problem, module.svm_parameter(f"-q -s 1 -n {nu}")))
        assert answers[0] == answers[1], y
        feasible.add(answers[0])
    assert feasible == {None, b"specified nu is infeasible"}


def test_what_crashes_libsvm_is_refused(sample):
    """Infinite loops, reads out of bounds and nonsense become errors with a reason."""
    y, x = sample["y"], sample["x"].copy()
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
    m = svmutil.svm_train(sample["y"], sample["x"], "-q")
    with pytest.raises(ValueError, match="NaN at row 3"):
        svmutil.svm_predict([], x, m)
    kernel = np.hstack([np.arange(1, 5)[:, None], np.eye(4)])
    m = svmutil.svm_train([1, 2, 1, 2], kernel, "-t 4 -q")
    with pytest.raises(ValueError, match="row 0: no kernel value"):
        svmutil.svm_predict([], [[0, 1.0]], m)


NULL = ctypes.POINTER(svm.svm_model)()


def refused(function, message, *args):
    with pytest.raises(ValueError, match=message):
        checked(function, *args)


def test_null_structs(sample, capfd):
    """Where LIBSVM reads address 0: a reason, and the result that means failure."""
    lib = svm.libsvm
    model = ctypes.POINTER(svm.svm_model)()
    prob, param = svm.svm_problem(sample["y"], sample["x"]), svm.svm_parameter("-q")
    refused(lib.dcsvm_svm_train, "null pointer", None, param, ctypes.byref(model))
    refused(lib.dcsvm_svm_train, "null pointer", prob, None, ctypes.byref(model))
    refused(lib.dcsvm_svm_train, "null pointer", prob, param, None)
    assert not lib.svm_train(None, param)
    assert not lib.svm_train(prob, None)
    assert lib.svm_check_parameter(prob, None) == b"no parameters"
    assert lib.svm_check_parameter(None, param) is None
    lib.svm_cross_validation(prob, param, 3, None)
    lib.svm_cross_validation(None, param, 3, (ctypes.c_double * 1)())
    row, _ = svm.gen_svm_nodearray([1.0])
    assert (lib.svm_get_svm_type(NULL), lib.svm_get_nr_class(NULL), lib.svm_get_nr_sv(NULL)) == (-1, 0, 0)
    assert (lib.svm_check_probability_model(NULL), lib.svm_get_svr_probability(NULL)) == (0, 0)
    lib.svm_get_labels(NULL, (ctypes.c_int * 1)())
    lib.svm_get_sv_indices(NULL, (ctypes.c_int * 1)())
    for result in (
        lib.svm_predict(NULL, row),
        lib.svm_predict_values(NULL, row, (ctypes.c_double * 1)()),
        lib.svm_predict_probability(NULL, row, (ctypes.c_double * 1)()),
    ):
        assert np.isnan(result)
    assert lib.svm_save_model(b"nothing", NULL) == -1
    assert lib.svm_save_model(None, NULL) == -1
    assert not lib.svm_load_model(None)
    lib.svm_free_model_content(NULL)
    lib.svm_free_and_destroy_model(ctypes.byref(NULL))
    lib.svm_free_and_destroy_model(None)
    lib.svm_destroy_param(None)
    good = svmutil.svm_train(sample["y"], sample["x"], "-q")
    assert np.isnan(lib.svm_predict(good, None))
    lib.svm_get_labels(good, None)
    refused(lib.dcsvm_svm_predict, "no rows", good, 1, None, 0, None, None)
    assert capfd.readouterr().err.count("null pointer") > 12


def test_damaged_problems(sample, capfd):
    lib, target = svm.libsvm, ctypes.POINTER(svm.svm_model)()

    def problem(x=((1, 1.0), (-1, 0)), y=(1.0, 2.0)):
        prob = svm.svm_problem(list(y), [[1.0]] * len(y))
        nodes = (svm.svm_node * len(x))(*(svm.svm_node(*n) for n in x))
        prob.kept = nodes
        prob.x[0] = ctypes.cast(nodes, ctypes.POINTER(svm.svm_node))
        return prob

    param = svm.svm_parameter("-q -g 1")
    out = ctypes.byref(target)
    for nodes, message in (
        (((2, 1.0), (1, 1.0), (-1, 0)), "row 0: index 1 after 2: indices must ascend"),
        (((2, 1.0), (2, 1.0), (-1, 0)), "row 0: index 2 after 2"),
        (((-7, 1.0), (-1, 0)), "row 0: index -7 is negative"),
        (((1, float("nan")), (-1, 0)), "NaN"),
    ):
        refused(lib.dcsvm_svm_train, message, problem(nodes), param, out)
    no_x, no_y, none = problem(), problem(), problem()
    no_x.x, no_y.y = None, None
    none.x[1] = None
    refused(lib.dcsvm_svm_train, "no x or no y", no_x, param, out)
    refused(lib.dcsvm_svm_train, "no x or no y", no_y, param, out)
    refused(lib.dcsvm_svm_train, "row 1: a null pointer", none, param, out)
    negative = problem()
    negative.l = -1
    refused(lib.dcsvm_svm_train, "no rows", negative, param, out)
    for y in ((1.0, float("nan")), (1.0, 1e30)):
        refused(lib.dcsvm_svm_train, "not an int", problem(y=y), param, out)
    weighted = svm.svm_parameter("-q -g 1 -w1 2")
    weighted.weight = None
    refused(lib.dcsvm_svm_train, "nr_weight: weight or weight_label is a null pointer", problem(), weighted, out)
    weighted = svm.svm_parameter("-q -g 1 -w1 2")
    weighted.weight_label = None
    assert not lib.svm_train(problem(), weighted)
    assert "nr_weight" in capfd.readouterr().err


def test_damaged_models(sample):
    """Models that a program changed or whose content it freed."""
    y, x = sample["y"], sample["x"]
    row, _ = svm.gen_svm_nodearray([1.0])
    rows = (ctypes.POINTER(svm.svm_node) * 1)(ctypes.cast(row, ctypes.POINTER(svm.svm_node)))

    def check(change, message):
        m = svmutil.svm_train(y, x, "-q")
        own = bytes(m)
        counts = m.nSV[: m.nr_class]
        change(m)
        refused(svm.libsvm.dcsvm_svm_predict, message, m, 1, rows, 0, None, None)
        assert np.isnan(svm.libsvm.svm_predict(m, row))
        assert svm.libsvm.svm_save_model(b"/nowhere/at/all", m) == -1
        ctypes.memmove(ctypes.byref(m), own, len(own))  # what is freed is what was allocated
        m.nSV[0] = counts[0]

    def coefficients(m):
        m.sv_coef = (ctypes.POINTER(ctypes.c_double) * 2)()

    def vectors(m):
        m.SV = (ctypes.POINTER(svm.svm_node) * m.l)()

    def counts(m):
        m.nSV[0] = -1

    for name in ("SV", "sv_coef", "rho", "label", "nSV"):
        check(lambda m, n=name: setattr(m, n, None), "an array is missing")
    check(coefficients, "an array is missing")
    check(vectors, "a support vector is missing")
    check(counts, "nSV is negative")
    check(lambda m: setattr(m, "l", m.l - 1), "nSV does not add up")
    check(lambda m: setattr(m, "l", -1), "out of range")
    check(lambda m: setattr(m, "nr_class", 0), "out of range")
    check(lambda m: setattr(m.param, "svm_type", 7) or setattr(m, "nr_class", 3), "unknown svm type")
    m = svmutil.svm_train(y, x, "-q")
    svm.libsvm.svm_free_model_content(m)
    svm.libsvm.svm_free_model_content(m)  # a second time: nothing is left
    with pytest.raises(ValueError, match="an array is missing"):
        svmutil.svm_predict([], x, m, "-q")
    assert not m.is_probability_model()
    with pytest.raises(ValueError, match="Null pointer"):
        svm.toPyModel(None)
