"""Labels and names of features stay with a model: in files, pickles and the command; estimators save and load themselves."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm

pytest.importorskip("sklearn", reason="the estimators need scikit-learn")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
SIDE = (X[:, 0] * X[:, 1] > 0).astype(int)
THREE = SIDE + (X[:, 2] > 1)
LABELS = {
    "5 and 7": np.array([5, 7])[SIDE],
    "negative": np.array([-1, 1])[SIDE],
    "text": np.array(["nein", "ja, größer", "vielleicht"])[THREE],
    "objects": np.array(["b", "a"], dtype=object)[SIDE],
    "bool": SIDE.astype(bool),
    "0, 1, 2": THREE,
}
CLASSIFIERS = {
    "SVC": lambda: dcsvm.SVC(gamma=1.0, C=3.0, class_weight="balanced"),
    "NuSVC": lambda: dcsvm.NuSVC(gamma=1.0, nu=0.2),
    "DCSVC": lambda: dcsvm.DCSVC(gamma=1.0, n_levels=1, branching=2, early_level=1, random_state=0),
    "LowRankSVC": lambda: dcsvm.LowRankSVC(gamma=1.0, n_landmarks=20, random_state=0),
    "DCPredSVC": lambda: dcsvm.DCPredSVC(gamma=1.0, n_leaves=2, n_landmarks=5, random_state=0),
    "LDKLSVC": lambda: dcsvm.LDKLSVC(depth=3, random_state=0),
    "LSSVC": lambda: dcsvm.LSSVC(gamma=1.0, method="exact"),
}
OTHERS = {
    "SVR": lambda: dcsvm.SVR(gamma=1.0),
    "NuSVR": lambda: dcsvm.NuSVR(gamma=1.0),
    "QuantileSVR": lambda: dcsvm.QuantileSVR(gamma=1.0, quantile=0.7),
    "OneClassSVM": lambda: dcsvm.OneClassSVM(gamma=1.0),
    "LSSVR": lambda: dcsvm.LSSVR(gamma=1.0, method="exact"),
    "KernelRidge": lambda: dcsvm.KernelRidge(kernel="rbf", gamma=1.0),
    "DCPredRidge": lambda: dcsvm.DCPredRidge(gamma=1.0, n_leaves=2, n_landmarks=5, random_state=0),
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_labels_stay_with_the_native_model(name, labels, tmp_path):
    y = LABELS[labels]
    fitted = CLASSIFIERS[name]().fit(X, y)
    expected = fitted.predict(X)
    assert set(expected.tolist()) <= set(y.tolist())
    fitted.model_.save(tmp_path / "m")
    for model in (fitted.model_, dcsvm.load_model(tmp_path / "m"), pickle.loads(pickle.dumps(fitted.model_))):
        np.testing.assert_array_equal(model.predict(X), expected)
        np.testing.assert_array_equal(model.classes_, fitted.classes_)
        np.testing.assert_array_equal(model.decision_function(X), fitted.model_.decision_function(X))
    assert (tmp_path / "m").read_bytes() == fitted.model_.to_bytes()


@pytest.mark.parametrize("labels", ["5 and 7", "text"])
def test_the_command_predicts_the_labels(labels, tmp_path, capsys):
    from dcsvm._command import cli

    fitted = dcsvm.SVC(gamma=1.0).fit(X, LABELS[labels])
    fitted.save(tmp_path / "m")
    dcsvm.save_svmlight(tmp_path / "rows", X, np.zeros(len(X)))
    assert cli.main(["predict", str(tmp_path / "rows"), str(tmp_path / "m"), str(tmp_path / "out")]) in (0, None)
    assert (tmp_path / "out").read_text().splitlines() == [str(v) for v in fitted.predict(X)]
    assert cli.main(["info", str(tmp_path / "m")]) in (0, None)
    assert str(fitted.classes_[0]) in capsys.readouterr().out


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", CLASSIFIERS | OTHERS)
def test_estimators_save_and_load_themselves(name, sparse, tmp_path):
    y = LABELS["text"] if name in CLASSIFIERS else X[:, 0] + X[:, 1]
    x = sp.csr_matrix(X) if sparse else X
    fitted = (CLASSIFIERS | OTHERS)[name]().fit(x, y)
    fitted.save(tmp_path / "m")
    again = type(fitted).load(tmp_path / "m")
    assert again.get_params() == fitted.get_params()
    np.testing.assert_array_equal(again.predict(x), fitted.predict(x))
    assert again.n_features_in_ == 3
    missing = {a for a in vars(fitted) if a.endswith("_") and not a.startswith("_")} - set(vars(again))
    assert missing == set()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(again)).predict(x), fitted.predict(x))
    again.fit(x, y)
    with pytest.raises(ValueError, match=r"expected the estimator RandSVC, found .*load_model reads the native model"):
        dcsvm.RandSVC.load(tmp_path / "m")
    fitted.model_.save(tmp_path / "native")
    with pytest.raises(ValueError, match="found a model without an estimator"):
        type(fitted).load(tmp_path / "native")


def test_what_has_no_form_in_a_file_is_refused(tmp_path):
    fitted = dcsvm.SVC(kernel=lambda a, b: a @ b.T).fit(X, SIDE)
    with pytest.raises(ValueError, match=r"^kernel: function .*pickle"):
        fitted.save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match=r"libsvm.*\[5, 7\].*dcsvm.train"):
        dcsvm.SVC().fit(X, LABELS["5 and 7"]).model_.save(tmp_path / "m", format="libsvm")
    dcsvm.SVC().fit(X, SIDE).model_.save(tmp_path / "m", format="libsvm")


def test_damaged_names_are_refused(tmp_path):
    from dcsvm._model_file.frame import Names, with_names

    plain = dcsvm.train(X, SIDE)._core.to_bytes(True)  # without names
    for names in (Names(labels=np.array(["a"])), Names(features=("a", "b"))):
        with pytest.raises(dcsvm.ModelError, match=r"NAME.* for "):
            dcsvm.Model.from_bytes(with_names(plain, names))
    good = with_names(plain, Names(labels=np.array(["a", "b"])))
    assert dcsvm.Model.from_bytes(good).classes_.tolist() == ["a", "b"]
    with pytest.raises(dcsvm.ModelError, match="checksum"):
        dcsvm.Model.from_bytes(good.replace(b'"labels"', b'"lapels"'))


TRAININGS = {
    "train": lambda x: dcsvm.train(x, SIDE),
    "train_low_rank": lambda x: dcsvm.train_low_rank(x, SIDE, n_landmarks=10),
    "train_ls_svm": lambda x: dcsvm.train_ls_svm(x, SIDE),
    "train_dc_pred": lambda x: dcsvm.train_dc_pred(x, SIDE, n_leaves=2, n_landmarks=4),
    "train_ridge": lambda x: dcsvm.train_ridge(x, X[:, 0]),
    "SVC": lambda x: dcsvm.SVC().fit(x, SIDE).model_,
}


@pytest.mark.parametrize("name", TRAININGS)
def test_columns_of_data_frames_must_be_those_of_the_training(name, tmp_path):
    pd = pytest.importorskip("pandas", reason="data frames need pandas")
    frame = pd.DataFrame(X, columns=["width", "height", "depth"])
    model = TRAININGS[name](frame)
    expected = model.predict(X)
    model.save(tmp_path / "m")
    for one in (model, dcsvm.load_model(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        assert one.feature_names_in_.tolist() == list(frame.columns)
        np.testing.assert_array_equal(one.predict(frame), expected)
        with pytest.raises(ValueError, match=r"same order \('height' stands where 'width' was expected"):
            one.predict(frame[["height", "width", "depth"]])
        with pytest.raises(ValueError, match="not seen in training: length; missing: height"):
            one.decision_function(frame.rename(columns={"height": "length"}))
        np.testing.assert_array_equal(one.predict(frame.to_numpy()), expected)
    with pytest.raises(AttributeError, match="without names"):
        _ = TRAININGS[name](X).feature_names_in_


@pytest.mark.filterwarnings("ignore:Trying to unpickle estimator")  # of another scikit-learn
def test_pickles_of_before_answer_as_they_did():
    """Written on 2026-11-27 with numpy 2, by the version 0.1.0 before its logistic regressions became scikit-learn's."""
    pytest.importorskip("numpy", minversion="1.26", reason="numpy._core, which numpy 2 writes into pickles")
    kept = pickle.loads((Path(__file__).parents[2] / "golden" / "v1-pickles.pkl").read_bytes())
    assert len(kept["models"]) == 21
    for name, (data, predicted) in kept["models"].items():
        model = pickle.loads(data)
        assert type(model).__name__ == name
        np.testing.assert_allclose(model.predict(np.array(kept["X"])), predicted, rtol=1e-5)
        saved = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(saved.predict(np.array(kept["X"])), model.predict(np.array(kept["X"])))
