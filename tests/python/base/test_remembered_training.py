"""A model remembers how it was trained: in memory, in its file, and where it is shown."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import dcsvm

X, Y = dcsvm.datasets.make_checkerboard(300)
TRAININGS = {
    "svm": (dcsvm.train, Y, {"C": 3, "gamma": 4, "class_weight": {1: 2.5}}, {"C": 3.0, "gamma": 4.0}),
    "one_class": (dcsvm.train, None, {"formulation": "one_class", "nu": 0.2}, {"nu": 0.2, "gamma": "scale"}),
    "linear": (dcsvm.train_linear, Y, {"C": 0.5, "class_weight": "balanced"}, {"C": 0.5, "class_weight": "balanced"}),
    "low_rank": (dcsvm.train_low_rank, Y, {"C": 7, "n_landmarks": 20}, {"C": 7.0, "n_landmarks": 20}),
    "dc_pred": (dcsvm.train_dc_pred, Y, {"C": 7, "n_leaves": 2}, {"C": 7.0, "n_leaves": 2}),
    "ls_svm": (dcsvm.train_ls_svm, Y, {"gamma_ls": 12.0, "method": "exact"}, {"gamma_ls": 12.0, "method": "exact"}),
    "ridge": (dcsvm.train_ridge, Y, {"alpha": 0.25}, {"alpha": 0.25}),
    "ldkl": (dcsvm.train_ldkl, Y, {"depth": 2}, {"depth": 2}),
}
pytestmark = pytest.mark.filterwarnings("ignore::dcsvm.ConvergenceWarning")


@pytest.fixture(params=TRAININGS)
def case(request):
    train, y, given, kept = TRAININGS[request.param]
    return train(X, y, **given) if y is not None else train(X, **given), given, kept


def test_parameters_version_and_date(case, tmp_path):
    model, given, kept = case
    model.save(tmp_path / "m")
    for one in (
        model,
        dcsvm.load_model(tmp_path / "m"),
        type(model).from_bytes(model.to_bytes()),
        pickle.loads(pickle.dumps(model)),
    ):
        assert kept.items() <= one.training["parameters"].items()
        assert one.training["version"] == dcsvm.__version__
        assert one.training["date"].startswith("20")
        assert set(one.training["changed"]) <= set(given)
    assert (tmp_path / "m").read_bytes() == model.to_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_it_is_shown(case):
    model, _, kept = case
    for name, value in kept.items():
        if name in model.training["changed"] and name != "gamma":
            text = f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
            for shown in (repr(model), str(model.report), repr(model.report), model._repr_html_()):
                assert text in " ".join(shown.split())


def test_equal_trainings_give_equal_files_without_timings():
    one, other = (dcsvm.train(X, Y, C=3, n_jobs=n) for n in (1, 2))
    assert "date" not in dcsvm.Model.from_bytes(one.to_bytes(timings=False)).training
    assert one.to_bytes(timings=False) == other.to_bytes(timings=False)


def test_a_seed_that_was_drawn_trains_the_same_again():
    model = dcsvm.train_low_rank(X, Y, n_landmarks=10, random_state=None)
    again = dcsvm.train_low_rank(X, Y, n_landmarks=10, random_state=model.training["parameters"]["random_state"])
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))


def test_estimators_and_columns_in_dcsvm_info(tmp_path):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    model = dcsvm.SVC(C=3, tol=1e-4).fit(pd.DataFrame(X, columns=["length", "width"]), Y)
    assert model.model_.training["parameters"]["C"] == 3
    model.save(tmp_path / "m")
    command = [sys.executable, "-m", "dcsvm", "info", "m"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    for text in ("columns         length, width", f"by dcsvm {dcsvm.__version__}", "C=3.0, ", "trained with    C=3"):
        assert text in said


def test_models_from_libsvm_know_nothing(tmp_path):
    dcsvm.train(X, Y, C=3).save(tmp_path / "m", format="libsvm")
    assert dcsvm.load_model(tmp_path / "m").training is None
