"""What liblinear-official refuses is refused with its words; what makes it crash is refused too."""

import ctypes
import signal
import threading

import numpy as np
import pytest

from _liblinear_cases import SOLVERS, problem, sparse, their_linear, theirs
from _original import same_refusals_in_prediction, same_refusals_of_data
from dcsvm import liblinear, liblinearutil
from dcsvm._c_faces.library import checked

LIB = liblinear.liblinear


@pytest.fixture(scope="module")
def sample():
    return problem("odd")


def same_error(call, *args):
    """Both modules refuse, with the same class and words."""
    with pytest.raises(Exception) as ours:  # noqa: PT011
        call(liblinearutil, *args)
    with pytest.raises(Exception) as other:  # noqa: PT011
        call(theirs, *args)
    assert ours.type is other.type
    assert str(ours.value).replace("dcsvm.liblinear", "liblinear.liblinear") == str(other.value)


BAD_OPTIONS = [
    *(
        "-c -1",
        "-c 0",
        "-e 0",
        "-s 11 -p -1",
        "-R",
        "-B 2 -R",
        "-s 1 -B 1 -R",
        "-s 21 -B 1",
        "-s 8",
        "-s x",
        "-z 3",
        "-v 1",
        "-c",
    ),
    *("-c", "-c x", "-wa 1", "stray", 3, "-v", "-C -s 1", "-C -s 12", "-C -v 1"),
]


@pytest.mark.parametrize("options", BAD_OPTIONS)
def test_same_refusal_of_options(sample, options):
    x, y = sample
    same_error(lambda m: m.train(y, x, options))


CHECKED = {
    **{"eps": (0.0, -1.0, float("nan")), "C": (0.0, -1.0, float("nan")), "p": (-0.1,), "solver_type": (-1, 8, 10, 14, 20, 22)},
    **{"regularize_bias": (0,), "w_recalc": (True,), "nu": (0.0, 2.0)},
}


def test_same_words_of_check_parameter(sample):
    """Every field wrong under every solver and bias: the same text, or none, from both libraries."""
    x, y = sample
    start = (ctypes.c_double * 7)()
    seen = set()
    for bias in (-1, 0, 1):
        problems = [m.problem(y, x, bias) for m in (liblinear, their_linear)]
        for solver in SOLVERS:
            for field, values in {**CHECKED, "init_sol": (start,)}.items():
                for value in values:
                    texts = []
                    for module, prob in zip((liblinear, their_linear), problems, strict=True):
                        param = module.parameter(f"-q -s {solver}")
                        setattr(param, field, value)
                        texts.append(module.liblinear.check_parameter(prob, param))
                    assert texts[0] == texts[1], (solver, bias, field, value)
                    seen.add(texts[0])
    assert len(seen - {None}) == 9, "all of LIBLINEAR's texts"


def test_same_refusal_of_data(sample):
    x, y = sample
    same_refusals_of_data(x, y, lambda m, *a: m.problem(*a), lambda m, *a: m.train(*a), same_error)
    same_error(lambda m: m.toPyModel(None))


def test_same_refusal_in_prediction(sample):
    x, y = sample
    models = {m: m.train(y, x, "-s 2 -q") for m in (liblinearutil, theirs)}
    same_refusals_in_prediction(x, lambda m, a, b, o: m.predict(a, b, models[m], o), same_error)


def test_what_crashes_liblinear_is_refused(sample):
    """Infinite loops, writes out of bounds and nonsense become errors with a reason."""
    x, y = sample
    bad = x.copy()
    bad[3, 2] = np.nan
    for rows in (bad, bad.tolist(), sparse.csr_matrix(bad)):
        with pytest.raises(ValueError, match="NaN at row 3"):
            liblinearutil.train(y, rows, "-q")
    with pytest.raises(ValueError, match="infinity"):
        liblinearutil.train(y, [{1: float("inf")}] * len(y), "-q")
    for label in (float("nan"), 1e30):
        with pytest.raises(ValueError, match="row 0: label"):
            liblinearutil.train([label, 1.0], [[1.0], [2.0]], "-q")
    with pytest.raises(ValueError, match="index -3: indices start at 1"):
        liblinearutil.train([1, 2], [{-3: 1.0}, {1: 1.0}], "-q")
    with pytest.raises(ValueError, match="index 0: indices start at 1"):
        liblinear.problem([1, 2], [{0: 1.0}, {1: 1.0}])
    for nu in ("0", "1.5", "nan"):
        with pytest.raises(ValueError, match="nu must be"):
            liblinearutil.train(y, x, f"-s 21 -n {nu} -q")
    for options, name in (("-c inf", "C"), ("-c nan", "C"), ("-e nan", "tol"), ("-s 13 -p nan", "epsilon")):
        with pytest.raises(ValueError, match=f"{name}( must be|: infinity)"):
            liblinearutil.train(y, x, options + " -q")
    # Below 0 the dual is not convex, and the objective of LIBLINEAR may grow with a smaller tolerance; it refuses -s 11 alone.
    for solver, message in ((11, "p < 0"), (12, "epsilon must be .*got -0.2"), (13, "epsilon must be .*got -0.2")):
        with pytest.raises(ValueError, match=message):
            liblinearutil.train(y, x, f"-s {solver} -p -0.2 -q")
    m = liblinearutil.train(y, x, "-q")
    with pytest.raises(ValueError, match="NaN at row 3"):
        liblinearutil.predict([], bad, m)
    with pytest.raises(ValueError, match="index 0: indices start at 1"):
        liblinearutil.predict([], [{0: 1.0}], m)
    with pytest.raises(ValueError, match="at least 2 rows"):
        liblinearutil.train([1], [[1.0]], "-v 2 -q")


def test_crammer_singer_with_two_classes(sample):
    """LIBLINEAR's predict writes two values into an array of one."""
    x, y = sample
    m = liblinearutil.train(y, x, "-s 4 -e 1e-6 -q")
    labels, _, values = liblinearutil.predict(y, x, m, "-q")
    assert np.shape(values) == (len(y), 1)
    assert labels == [m.get_labels()[0 if v[0] > 0 else 1] for v in values]


NULL = ctypes.POINTER(liblinear.model)()


def refused(function, message, *args):
    with pytest.raises(ValueError, match=message):
        checked(function, *args)


def test_null_structs(sample, capfd):
    """Where LIBLINEAR reads address 0: a reason, and the result that means failure."""
    x, y = sample
    model = ctypes.POINTER(liblinear.model)()
    prob, param = liblinear.problem(y, x), liblinear.parameter("-q")
    refused(LIB.dcsvm_linear_train, "null pointer", None, param, ctypes.byref(model))
    refused(LIB.dcsvm_linear_train, "no parameters|null pointer", prob, None, ctypes.byref(model))
    refused(LIB.dcsvm_linear_train, "null pointer", prob, param, None)
    refused(LIB.dcsvm_linear_train_matrix, "null pointer", None, param, ctypes.byref(model))
    assert not LIB.train(None, param)
    assert not LIB.train(prob, None)
    assert LIB.check_parameter(prob, None) == b"no parameters"
    assert LIB.check_parameter(None, param) is None
    LIB.cross_validation(prob, param, 3, None)
    LIB.cross_validation(None, param, 3, (ctypes.c_double * 1)())
    LIB.find_parameters(prob, liblinear.parameter("-s 2 -q"), 3, -1, -1, None, None, None)
    refused(LIB.dcsvm_linear_cross_validation, "nr_fold must be >= 2", prob, param, 1, (ctypes.c_double * len(y))())
    row, _ = liblinear.gen_feature_nodearray([1.0])
    one = (ctypes.c_double * 1)()
    assert (LIB.get_nr_class(NULL), LIB.get_nr_feature(NULL), LIB.get_decfun_rho(NULL), LIB.get_decfun_bias(NULL, 0)) == (
        0,
        0,
        0,
        0,
    )
    assert LIB.get_decfun_coef(NULL, 1, 0) == 0
    assert (LIB.check_probability_model(NULL), LIB.check_regression_model(NULL), LIB.check_oneclass_model(NULL)) == (0, 0, 0)
    LIB.get_labels(NULL, (ctypes.c_int * 1)())
    for result in (LIB.predict(NULL, row), LIB.predict_values(NULL, row, one), LIB.predict_probability(NULL, row, one)):
        assert np.isnan(result)
    assert LIB.save_model(b"nothing", NULL) == -1
    assert not LIB.load_model(None)
    LIB.free_model_content(NULL)
    LIB.free_and_destroy_model(ctypes.byref(NULL))
    LIB.free_and_destroy_model(None)
    LIB.destroy_param(None)
    good = liblinearutil.train(y, x, "-q")
    assert LIB.save_model(None, good) == -1
    assert np.isnan(LIB.predict(good, None))
    LIB.get_labels(good, None)
    refused(LIB.dcsvm_linear_predict_matrix, "null pointer", good, None, 0, None, None)
    assert capfd.readouterr().err.count("null pointer") > 12


def test_wrong_kind_of_model(sample, capfd):
    x, y = sample
    m = liblinearutil.train(y, x, "-s 2 -B 1 -q")
    assert m.get_decfun_rho() == 0
    assert capfd.readouterr().err == "ERROR: get_decfun_rho can be called only for a one-class SVM model\n"
    one_class = liblinearutil.train(y, x, "-s 21 -q")
    assert one_class.get_decfun_bias() == 0
    assert capfd.readouterr().err == "ERROR: get_decfun_bias can not be called for a one-class SVM model\n"
    row, _ = liblinear.gen_feature_nodearray(x[0])
    untouched = (ctypes.c_double * 1)(7.0)
    assert LIB.predict_probability(m, row, untouched) == 0
    assert untouched[0] == 7.0


def test_damaged_problems(capfd):
    target = ctypes.POINTER(liblinear.model)()

    def prob(x=((1, 1.0), (-1, 0)), y=(1.0, 2.0), bias=-1):
        p = liblinear.problem(list(y), [[1.0]] * len(y), bias)
        nodes = (liblinear.feature_node * len(x))(*(liblinear.feature_node(*n) for n in x))
        p.kept = nodes
        p.x[0] = ctypes.cast(nodes, ctypes.POINTER(liblinear.feature_node))
        return p

    param, out = liblinear.parameter("-q"), ctypes.byref(target)
    for nodes, message in (
        (((2, 1.0), (1, 1.0), (-1, 0)), "row 0: index 2 is beyond n = 1"),
        (((1, 2.0), (1, 1.0), (-1, 0)), "row 0: index 1 after 1: indices must ascend"),
        (((-7, 1.0), (-1, 0)), "row 0: index -7: indices start at 1"),
        (((0, 1.0), (-1, 0)), "row 0: index 0: indices start at 1"),
        (((1, float("nan")), (-1, 0)), "NaN"),
    ):
        refused(LIB.dcsvm_linear_train, message, prob(nodes), param, out)
    no_x, no_y, none, negative = prob(), prob(), prob(), prob()
    no_x.x, no_y.y, none.x[1], negative.l = None, None, None, -1
    for p, message in ((no_x, "no x"), (no_y, "no y"), (none, "row 1: a null pointer"), (negative, "l or n is negative")):
        refused(LIB.dcsvm_linear_train, message, p, param, out)
    for bias in (float("nan"), float("inf")):
        broken = prob()
        broken.bias = bias
        refused(LIB.dcsvm_linear_train, "bias must be a finite number", broken, param, out)
    for y in ((1.0, float("nan")), (1.0, 1e30)):
        refused(LIB.dcsvm_linear_train, "not an int", prob(y=y), param, out)
    for field in ("weight", "weight_label"):
        weighted = liblinear.parameter("-q -w1 2")
        setattr(weighted, field, None)
        refused(LIB.dcsvm_linear_train, "weight or weight_label is a null pointer", prob(), weighted, out)
    free = liblinear.parameter("-q -s 2 -R")
    refused(LIB.dcsvm_linear_train, "every row must end with the bias", prob(bias=1), free, out)
    assert capfd.readouterr().err == ""


def test_damaged_models(sample):
    """Models that a program changed or whose content it freed."""
    x, y = sample
    row, _ = liblinear.gen_feature_nodearray([1.0])

    def check(change, message):
        m = liblinearutil.train(y, x, "-q")
        own = bytes(m)
        change(m)
        with pytest.raises(ValueError, match=message):
            liblinearutil.predict([], x, m, "-q")
        assert np.isnan(LIB.predict(m, row))
        assert LIB.save_model(b"/nowhere/at/all", m) == -1
        ctypes.memmove(ctypes.byref(m), own, len(own))  # what is freed is what was allocated

    for name in ("w", "label"):
        check(lambda m, n=name: setattr(m, n, None), "an array is missing")
    check(lambda m: setattr(m, "nr_class", -1), "out of range")
    check(lambda m: setattr(m, "nr_feature", -2), "out of range")
    check(lambda m: setattr(m.param, "solver_type", 9), "unknown solver type 9")
    m = liblinearutil.train(y, x, "-q")
    LIB.free_model_content(m)
    LIB.free_model_content(m)  # a second time: nothing is left
    with pytest.raises(ValueError, match="an array is missing"):
        liblinearutil.predict([], x, m, "-q")


HEADER = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n1 \n2 \n"
DAMAGED = {
    "unknown solver type": ("L2R_LR", "NONE"),
    "unknown text in model file: [nr_clas]": ("nr_class", "nr_clas"),
    "the header has no bias": ("bias -1\n", ""),
    "label before nr_class": ("nr_class 2\nlabel 1 -1\n", "label 1 -1\nnr_class 2\n"),
    "nr_class must be a whole number": ("nr_class 2", "nr_class -2"),
    "nr_feature must be a whole number": ("nr_feature 2", "nr_feature 99999999999"),
    "bytes follow": ("nr_feature 2", "nr_feature 2000000000"),
    "the file ends where a weight is expected": ("2 \n", "\n"),
    "is not finite": ("2 \n", "nan \n"),
}


@pytest.mark.parametrize("reason", DAMAGED)
def test_damaged_files(tmp_path, reason, capfd):
    before, after = DAMAGED[reason]
    (tmp_path / "m").write_text(HEADER.replace(before, after, 1) if before != "2 \n" else HEADER[: -len(before)] + after)
    assert liblinearutil.load_model(tmp_path / "m") is None
    out, err = capfd.readouterr()
    assert out == f"can't open model file {tmp_path / 'm'}\n"
    assert reason in err
    (tmp_path / "m").write_text(HEADER)
    assert liblinearutil.load_model(tmp_path / "m").w[:2] == [1.0, 2.0]


@pytest.mark.parametrize(
    ("end", "reason"), [("2 3 \n", "is left out"), ("2", "digits of its last weight are missing"), ("2 ", "")]
)
def test_what_may_be_damaged_is_a_warning_on_stderr(tmp_path, end, reason, capfd):
    (tmp_path / "m").write_text(HEADER[: -len("2 \n")] + end)
    assert liblinearutil.load_model(tmp_path / "m").w[:2] == [1.0, 2.0]
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"WARNING: {tmp_path / 'm'}: line 8: ") if reason else err == ""
    assert reason in err


def test_ctrl_c():
    """A training that would take minutes ends with the signal, and not with a model."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((3000, 1600)), rng.integers(0, 2, 3000)  # too wide for Newton, which is done within 0.3 s
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        liblinearutil.train(y, x, "-s 3 -c 1000 -e 1e-12 -q")
    timer.join()


def test_threads_side_by_side(sample):
    """Trainings and predictions in several threads are those of one."""
    x, y = sample
    expected = [bytes(np.array(liblinearutil.train(y, x, f"-s {s} -q").w[:6])) for s in (0, 1, 2, 3, 5)]
    results = {}

    def work(t):
        results[t] = [bytes(np.array(liblinearutil.train(y, x, f"-s {s} -q").w[:6])) for s in (0, 1, 2, 3, 5)]

    threads = [threading.Thread(target=work, args=(t,)) for t in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert list(results.values()) == [expected] * 4
