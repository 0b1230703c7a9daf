"""LIBLINEAR's model files and dcsvm's own linear models."""

import warnings

import numpy as np
import pytest

import dcsvm
from _liblinear_cases import problem, theirs
from dcsvm import liblinearutil


@pytest.mark.parametrize("solver", [0, 1, 4, 5, 11, 21])
@pytest.mark.parametrize("kind", ["odd", "two", "four"])
def test_liblinears_files_are_loaded(tmp_path, solver, kind):
    """The same labels and decisions; classes ascend."""
    x, y = problem("targets" if solver > 10 else kind)
    m = liblinearutil.train(y, x, f"-s {solver} -q" + ("" if solver == 21 else " -B 1"))
    liblinearutil.save_model(tmp_path / "m", m)
    model = dcsvm.load_model(tmp_path / "m")
    labels, _, values = liblinearutil.predict(y, x, m, "-q")
    assert model.predict(x).tolist() == labels
    if solver < 10 and kind == "four":
        order = np.argsort(m.get_labels())
        np.testing.assert_allclose(model.decision_function(x), np.array(values)[:, order], atol=1e-9)
    assert model.report is None, "the file has none"
    assert "no report of the training" in repr(model)
    if solver < 10:
        assert model.classes_.tolist() == sorted(m.get_labels())


HEAD = ["solver_type L2R_LR", "nr_class 2", "label 5 -1", "nr_feature 2", "bias -1"]
WEIGHTS = "w\n0.5 \n-2 \n"
GOOD = "\n".join([*HEAD, WEIGHTS])
READ = {
    "no line end": GOOD[:-1],
    "no blank": GOOD[:-2],
    "more weights": f"{GOOD}1 2 3\nmore\n",
    "hexadecimal": GOOD.replace("0.5", "0x1p-1").replace("-2", "-0X.2P4"),
    "rho in a classifier": GOOD.replace("w\n", "rho 7\nw\n"),
    "labels in a regression": GOOD.replace("L2R_LR", "L2R_L2LOSS_SVR"),
    "nr_class first": "\n".join([HEAD[1], HEAD[2], HEAD[0], *HEAD[3:], WEIGHTS]),
    "nr_class and nr_feature first": "\n".join([HEAD[1], HEAD[3], HEAD[2], HEAD[4], HEAD[0], WEIGHTS]),
    "rho first": "\n".join(["rho 1", HEAD[1], HEAD[0].replace("L2R_LR", "ONECLASS_SVM"), *HEAD[3:], WEIGHTS]),
}


@pytest.mark.parametrize("name", READ)
def test_what_liblinear_reads(tmp_path, name):
    (tmp_path / "m").write_text(READ[name])
    x = np.array([[0.3, 0.1], [1, 2], [-4, 0.5], [4.5, 0.7]])
    expected, _, values = theirs.predict([], x, theirs.load_model(str(tmp_path / "m")), "-q")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = dcsvm.load_model(tmp_path / "m")
    told = [str(w.message).partition(": line ")[2] for w in caught]
    assert len(told) == (1 if name in ("no blank", "more weights") else 0)
    assert all("digits of its last weight are missing" in one or "is left out" in one for one in told)
    assert model.predict(x).tolist() == pytest.approx(expected)
    assert liblinearutil.predict([], x, liblinearutil.load_model(str(tmp_path / "m")), "-q")[0] == pytest.approx(expected)
    if len(model.classes_):
        np.testing.assert_allclose(model.decision_function(x), np.ravel(values), rtol=1e-12)


@pytest.mark.parametrize("kind", ["odd", "two", "four"])
def test_models_are_saved_for_liblinear(tmp_path, kind):
    x, y = problem(kind)
    model = dcsvm.train_linear(x, y, solver="logistic")
    model.save(tmp_path / "m", format="liblinear")
    m = theirs.load_model(str(tmp_path / "m"))
    assert theirs.predict(y, x, m, "-q")[0] == model.predict(x).tolist()
    order = np.argsort(m.get_labels())
    np.testing.assert_allclose(np.array(theirs.predict(y, x, m, "-b 1 -q")[2])[:, order], model.predict_proba(x), atol=1e-9)
    again = dcsvm.load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.coef_, model.coef_)
    with pytest.raises(ValueError, match="format must be"):
        model.save(tmp_path / "m", format="libsvm")
    with pytest.raises(ValueError, match=r"labels are ints, the model has a class 0\.5"):
        dcsvm.train_linear(x, np.where(y == y[0], 0.5, 1)).save(tmp_path / "m2", format="liblinear")
    assert not (tmp_path / "m2").exists()
