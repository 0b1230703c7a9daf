"""LIBSVM's text models through dcsvm's own API."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import dcsvm
from dcsvm import svmutil

GOOD = """svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 2
rho 0.25
label 1 -1
nr_sv 1 1
SV
1.5 1:0.5 3:1\x20
-1.5 2:-2\x20
"""


@pytest.fixture
def load(tmp_path):
    def load(text, **kwargs):
        (tmp_path / "m").write_text(text)
        return dcsvm.load_model(tmp_path / "m", **kwargs)

    return load


def test_by_hand(load):
    model = load(GOOD)
    x = np.array([[0.0, 1, 2]])
    sv = np.array([[0.5, 0, 1], [0, -2, 0]])
    expected = np.array([1.5, -1.5]) @ np.exp(-0.5 * ((x - sv) ** 2).sum(axis=1)) - 0.25
    assert model.decision_function(x) == pytest.approx(expected, rel=1e-6)
    assert model.classes_.tolist() == [-1, 1]
    np.testing.assert_array_equal(model.support_vectors_, sv[::-1])
    assert model.report is None
    assert "; 2 support vectors; no report of the" in repr(model), "the file does not say how many rows there were"
    assert load(GOOD, n_features=5).n_features_in_ == 5
    with pytest.raises(ValueError, match="n_features must be >= 3"):
        load(GOOD, n_features=2)


def test_header_in_any_order(load):
    head, tail = GOOD.split("SV\n", 1)
    lines = head.splitlines()
    reordered = "\n".join([lines[3], *reversed(lines[:3]), *reversed(lines[4:])])
    x = np.ones((1, 3))
    for text in (
        f"{reordered}\nSV\n{tail}",
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", " \n").replace("rho ", "rho\n\t"),
        GOOD + "\n",
    ):
        assert load(text).decision_function(x) == load(GOOD).decision_function(x)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("c_svc", "d_svc", "line 1: unknown svm type"),
        ("rbf", "rfb", "line 2: unknown kernel function"),
        ("gamma 0.5\n", "", "the header has no gamma"),
        ("gamma 0.5", "gamma x", 'line 3: gamma "x" is not a number'),
        ("gamma 0.5", "gamma -1", "gamma is negative"),
        ("gamma 0.5", "gamma 1 2", r"line 3: unknown text in model file: \[2\]"),
        ("nr_class 2", "nr_class 0", "line 4: nr_class must be"),
        ("nr_class 2", "nr_class 3", "line 7: rho"),
        ("nr_class 2\n", "", "rho before nr_class"),
        ("total_sv 2", "total_sv 3", "line 12: the file ends"),
        ("total_sv 2", "total_sv 1", "nr_sv does not add up"),
        ("gamma 0.5", "gamma \xff\x1b", r'line 3: gamma "\?+" is not a number'),
        ("rho 0.25", "rho nan", 'line 6: rho "nan" is not finite'),
        ("rho 0.25", "what 0.25", r"line 6: unknown text in model file: \[what\]"),
        ("label 1 -1", "label 1 1", "classes do not ascend"),
        ("label 1 -1", "label 1 x", "line 7: label must be"),
        ("nr_sv 1 1", "nr_sv 1 2", "nr_sv does not add up"),
        ("nr_sv 1 1\n", "", "line 9: the header has no nr_sv"),
        ("label 1 -1", "label 1 -1\nprobA 1", "probA and probB come together"),
        ("label 1 -1", "label 1 -1\nlabel 1 -1", "line 8: label is given twice"),
        ("1.5 1:0.5", "1:0.5", "line 10: a coefficient"),
        ("3:1 ", "1:1 ", "line 10: index 1 after 1"),
        ("3:1 ", "3 ", 'line 10: "3" is not index:value'),
        ("3:1 ", "-3:1 ", "line 10"),
        ("3:1 ", "3:inf ", "line 10: a value"),
        ("-1.5 2:-2 \n", "\n", "line 11: a coefficient is missing"),
    ],
)
def test_damaged(load, old, new, message):
    assert old in GOOD
    with pytest.raises(dcsvm.ModelError, match=message):
        load(GOOD.replace(old, new, 1))


HEAD, VECTORS = GOOD.split("SV\n")
REGRESSION = GOOD.replace("c_svc", "epsilon_svr").replace("label 1 -1\n", "").replace("nr_sv 1 1\n", "")
READ = {
    "no line end": GOOD[:-1],
    "no blank": GOOD[:-2],
    "no line end of Windows": GOOD.replace("\n", "\r\n")[:-2],
    "text behind SV": f"{HEAD}SV and more 7:8\n{VECTORS}",
    "lines behind the last": f"{GOOD}\n1.5 1:0.5\n\nmore\n",
    "plus": f"{HEAD}SV\n{VECTORS.replace('1:0.5', '+1:+.5').replace('1.5 ', '+1.5 ', 1)}",
    "hexadecimal": f"{HEAD}SV\n{VECTORS.replace('1:0.5', '1:0x1p-1')}".replace("rho 0.25", "rho 0x.4"),
    "rho first": "nr_class 2\nrho 0.25\n" + GOOD.replace("nr_class 2\n", "").replace("rho 0.25\n", ""),
    "label first": "nr_class 2\nlabel 1 -1\n" + GOOD.replace("nr_class 2\n", "").replace("label 1 -1\n", ""),
    "labels in a regression": REGRESSION.replace("SV\n", "label 1 -1\nnr_sv 1 1\nprobB 1\nSV\n"),
    "marks in a regression": REGRESSION.replace("SV\n", "prob_density_marks 1 2 3 4 5 6 7 8 9 10\nSV\n"),
    "labels in a one-class model": REGRESSION.replace("epsilon_svr", "one_class").replace("SV\n", "label 1 -1\nnr_sv 2 0\nSV\n"),
}


@pytest.mark.parametrize("name", READ)
def test_what_libsvm_reads(tmp_path, name):
    theirs = pytest.importorskip("libsvm.svmutil", reason="libsvm-official is not installed")
    (tmp_path / "m").write_text(READ[name], newline="")
    x, rng = np.zeros((5, 3)), np.random.default_rng(0)
    x[1:] = rng.normal(size=(4, 3))
    expected, _, values = theirs.svm_predict([], x, theirs.svm_load_model(str(tmp_path / "m")), "-q")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = dcsvm.load_model(tmp_path / "m")
    assert ["line has no end" in str(w.message) or "is left out" in str(w.message) for w in caught] == (
        [True] if name.startswith(("no ", "lines")) else []
    )
    assert model.predict(x) == pytest.approx(expected)
    if len(model.classes_):  # a positive decision is for the label 1 in both
        np.testing.assert_allclose(model.decision_function(x), np.ravel(values), rtol=1e-6)
    m = svmutil.svm_load_model(str(tmp_path / "m"))
    assert svmutil.svm_predict([], x, m, "-q")[0] == pytest.approx(expected)


def test_truncated_anywhere(load):
    for end in range(9, len(GOOD.rstrip("2 \n"))):
        if GOOD[:end].rstrip().endswith("\n-1.5") or GOOD[:end].rstrip(" .5").endswith("\n-1"):
            with pytest.warns(UserWarning, match="line 11: the line has no end: if the file was cut"):
                load(GOOD[:end])
        else:
            with pytest.raises(dcsvm.ModelError):
                load(GOOD[:end])
    for end in range(len(GOOD) - 2, len(GOOD)):
        with pytest.warns(UserWarning, match="line 11: the line has no end: if the file was cut") as caught:
            assert load(GOOD[:end]).decision_function([[0.0, 1, 2]]) == load(GOOD).decision_function([[0.0, 1, 2]])
        assert caught[0].filename == __file__


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", "precomputed"])
def test_round_trip(blobs, tmp_path, kernel):
    x, y = blobs[0][:200], blobs[1][:200]
    data = x @ x.T if kernel == "precomputed" else x
    model = dcsvm.train(data, y, kernel=kernel, gamma=0.3, coef0=0.5, precision="double")
    model.save(tmp_path / "m", format="libsvm")
    again = dcsvm.load_model(tmp_path / "m", n_features=data.shape[1])
    np.testing.assert_allclose(again.decision_function(data), model.decision_function(data), atol=1e-5)
    again.save(tmp_path / "m2", format="libsvm")
    assert (tmp_path / "m").read_text() == (tmp_path / "m2").read_text()
    if kernel == "rbf":
        model.save(tmp_path / "m8", format="libsvm", sv_digits=8)
        assert len((tmp_path / "m8").read_text()) < len((tmp_path / "m").read_text())


def test_what_has_no_such_form(early_model, tmp_path, model):
    with pytest.raises(ValueError, match="stopped early"):
        early_model.save(tmp_path / "m", format="libsvm")
    fractions = dcsvm.train([[0.0], [1.0], [2.0], [3.0]], [0.5, 0.5, 1, 1])
    with pytest.raises(ValueError, match=r"labels are ints.*0\.5"):
        fractions.save(tmp_path / "m", format="libsvm")
    with pytest.raises(ValueError, match="format must be"):
        model.save(tmp_path / "m", format="text")
    with pytest.raises(ValueError, match="sv_digits"):
        model.save(tmp_path / "m", format="libsvm", sv_digits=18)
    assert not (tmp_path / "m").exists()


def test_info(tmp_path, model):
    model.save(tmp_path / "m", format="libsvm")
    text = subprocess.run(
        [sys.executable, "-m", "dcsvm", "info", tmp_path / "m"], capture_output=True, text=True, check=True
    ).stdout
    assert "LIBSVM's text" in text
    assert "rbf" in text
    assert "\ntraining\n" not in text


def test_what_the_file_does_not_keep(board, tmp_path):
    """LIBSVM's text has no nu and no epsilon: nothing is shown instead of a default."""
    for formulation in ("nu_svc", "nu_svr", "one_class", "epsilon_svr"):
        given = {"epsilon": 0.3} if formulation == "epsilon_svr" else {"nu": 0.3}
        model = dcsvm.train(*board, gamma=4.0, formulation=formulation, **given)
        assert 0.3 in (model.nu, model.epsilon)
        model.save(tmp_path / "text", format="libsvm")
        read = dcsvm.load_model(tmp_path / "text")
        assert (read.formulation, read.nu, read.epsilon) == (formulation, None, None)
