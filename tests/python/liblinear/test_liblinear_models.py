"""LIBLINEAR's model files and dcsvm's own linear models."""

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
