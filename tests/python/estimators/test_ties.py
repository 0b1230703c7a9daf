"""A decision of 0 between two classes: as scikit-learn's twin in the estimators, as LIBSVM and LIBLINEAR for their files."""

import numpy as np
import pytest
from sklearn import linear_model, svm

import dcsvm
from dcsvm import liblinearutil, svmutil

X = np.array([[2.0, 0], [3, 1], [1, 2], [-2, 0], [-3, -1], [-1, -2]] * 4)
Y = np.array([1, 1, 1, 0, 0, 0] * 4)
EMPTY = np.zeros((1, 2))  # such as a text without a known word
WORDS = np.array(["no", "yes"])

TWINS = {
    "SVC": (dcsvm.SVC(kernel="linear", fit_intercept=False), svm.SVC(kernel="linear")),
    "LinearSVC": (dcsvm.LinearSVC(fit_intercept=False), svm.LinearSVC(fit_intercept=False)),
    "LogisticRegression": (
        dcsvm.LogisticRegression(fit_intercept=False),
        linear_model.LogisticRegression(fit_intercept=False, solver="liblinear"),
    ),
}


@pytest.mark.parametrize("labels", [np.array([0, 1]), np.array([-1, 1]), np.array([2, 1]), WORDS], ids=str)
@pytest.mark.parametrize("name", TWINS)
def test_as_scikit_learns_twin(name, labels):
    ours, theirs = TWINS[name]
    ours.fit(X, labels[Y])
    theirs.fit(X, labels[Y])
    if isinstance(theirs, svm.SVC):  # which has always a bias: its attribute is what prediction reads
        theirs._intercept_ = np.zeros(1)
    assert ours.decision_function(EMPTY).tolist() == [0.0]
    assert theirs.decision_function(EMPTY).tolist() == [0.0]
    assert ours.predict(EMPTY).tolist() == theirs.predict(EMPTY).tolist()


OWN = {
    "LowRankSVC": dcsvm.LowRankSVC(kernel="linear", fit_intercept=False, n_landmarks=4, random_state=0),
    "LowRankSVC pairs": dcsvm.LowRankSVC(kernel="linear", fit_intercept=False, n_landmarks=4, multi_class="ovo", random_state=0),
    "DCPredSVC": dcsvm.DCPredSVC(kernel="linear", fit_intercept=False, n_leaves=1, n_landmarks=4, random_state=0),
    "LDKLSVC": dcsvm.LDKLSVC(depth=0, standardise=False, random_state=0),
    "LinearSVC": dcsvm.LinearSVC(fit_intercept=False),
    "LinearSVC in one": dcsvm.LinearSVC(fit_intercept=False, multi_class="crammer_singer"),
    "LogisticRegression": dcsvm.LogisticRegression(fit_intercept=False),
}


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", OWN)
def test_of_equal_decisions_the_first_class_counts(name, k):
    """In scikit-learn a decision must be above 0 for the second class, and argmax takes the first of equal ones."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % k
    rows = rng.normal(size=(90, 2)) + 3 * np.array([[1, 0], [-1, 0], [0, 2]])[y]
    model = OWN[name].fit(rows, y + 5)
    decisions = np.atleast_1d(model.decision_function(EMPTY)[0])
    if not decisions.any():
        assert not np.signbit(decisions).any()
        assert model.predict(EMPTY).tolist() == [5]
    else:  # LDKL's functions have constants, and DC-Pred++ moves the rows
        assert name in ("LDKLSVC", "DCPredSVC")


def test_the_most_probable_class_is_the_predicted_one():
    model = dcsvm.LogisticRegression(fit_intercept=False).fit(X, WORDS[Y])
    assert model.predict_proba(EMPTY).tolist() == [[0.5, 0.5]]
    assert model.predict(EMPTY).tolist() == ["no"]


LIBLINEAR = "solver_type {solver}\nnr_class {k}\nlabel {labels}\nnr_feature 2\nbias -1\nw\n{w}"


@pytest.mark.parametrize("labels", ["1 -1", "-1 1", "0 1", "1 0", "7 3"])
@pytest.mark.parametrize("solver", ["L2R_LR", "MCSVM_CS"])
def test_liblinears_files_of_two_classes(tmp_path, labels, solver):
    w = "1 \n0 \n" if solver == "L2R_LR" else "1 -1 \n0 0 \n"
    (tmp_path / "m").write_text(LIBLINEAR.format(solver=solver, k=2, labels=labels, w=w))
    theirs = liblinearutil.load_model(str(tmp_path / "m"))
    rows = [[0.0, 0], [1, 0], [-1, 0], [0, 2]]
    expected = liblinearutil.predict([], [dict(enumerate(row, 1)) for row in rows], theirs, "-q")[0]
    model = dcsvm.load_model(tmp_path / "m")
    assert model.predict(np.array(rows)).tolist() == expected
    model.save(tmp_path / "own.dcsvm")
    assert dcsvm.load_model(tmp_path / "own.dcsvm").predict(np.array(rows)).tolist() == expected
    model.save(tmp_path / "again", format="liblinear")
    assert (tmp_path / "again").read_text() == (tmp_path / "m").read_text()
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from _onnx_graphs import run

    assert run(model.to_onnx(), np.array(rows))["label"].tolist() == expected


@pytest.mark.parametrize("labels", ["1 2 3", "3 1 2", "2 3 1"])
def test_liblinears_files_of_three_classes(tmp_path, labels):
    (tmp_path / "m").write_text(LIBLINEAR.format(solver="L2R_LR", k=3, labels=labels, w="1 1 0 \n0 1 1 \n"))
    rows = [[0.0, 0], [1, 0], [-1, 0], [0, 2], [1, 1]]
    theirs = liblinearutil.load_model(str(tmp_path / "m"))
    expected = liblinearutil.predict([], [dict(enumerate(row, 1)) for row in rows], theirs, "-q")[0]
    model = dcsvm.load_model(tmp_path / "m")
    assert model.predict(np.array(rows)).tolist() == expected
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from _onnx_graphs import run

    assert run(model.to_onnx(), np.array(rows))["label"].tolist() == expected


LIBSVM = (
    "svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 3\nrho 0 0 0\nlabel {labels}\nnr_sv 1 1 1\nSV\n"
    "1 -1 1:1 \n-1 1 1:1 2:1 \n1 -1 2:1 \n"
)


@pytest.mark.parametrize("labels", ["1 2 3", "3 1 2", "2 3 1", "3 2 1"])
def test_libsvms_files_of_three_classes(tmp_path, labels):
    """Pairs at 0, and classes with one vote each, which need no decision of 0."""
    (tmp_path / "m").write_text(LIBSVM.format(labels=labels))
    rows = [[a, b] for a in (-1.0, -0.5, 0.0, 0.5, 1.0) for b in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    theirs = svmutil.svm_load_model(str(tmp_path / "m"))
    expected = svmutil.svm_predict([], [dict(enumerate(row, 1)) for row in rows], theirs, "-q")[0]
    model = dcsvm.load_model(tmp_path / "m")
    assert model.predict(np.array(rows)).tolist() == expected
    model.save(tmp_path / "own.dcsvm")
    assert dcsvm.load_model(tmp_path / "own.dcsvm").predict(np.array(rows)).tolist() == expected
    model.save(tmp_path / "again", format="libsvm")
    again = svmutil.svm_load_model(str(tmp_path / "again"))
    assert again.get_labels() == [int(label) for label in labels.split()]
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from _onnx_graphs import run

    assert run(model.to_onnx(dtype="float64"), np.array(rows))["label"].tolist() == expected


@pytest.mark.parametrize("labels", ["1 -1", "-1 1", "0 1"])
def test_libsvms_files_of_two_classes(tmp_path, labels):
    text = f"svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel {labels}\nnr_sv 1 1\nSV\n1 1:1 \n-1 1:-1 \n"
    (tmp_path / "m").write_text(text)
    expected = svmutil.svm_predict([], [{1: 0.0}], svmutil.svm_load_model(str(tmp_path / "m")), "-q")[0]
    assert expected == [float(labels.split()[1])]  # LIBSVM's rule
    model = dcsvm.load_model(tmp_path / "m")
    assert model.predict([[0.0]]).tolist() == expected
    assert str(model.decision_function([[0.0]])[0]) == "0.0"


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], [3, 5]])
def test_a_model_that_liblinear_reads_decides_ties_as_here(tmp_path, labels):
    y = np.array(labels)[Y]
    model = dcsvm.train_linear(X, y)
    model.save(tmp_path / "m", format="liblinear")
    theirs = liblinearutil.predict([], [{1: 0.0, 2: 0.0}], liblinearutil.load_model(str(tmp_path / "m")), "-q")[0]
    assert model.predict(EMPTY).tolist() == [labels[0]] == theirs
    assert "-0 " not in (tmp_path / "m").read_text()


# No number that is 0 is shown as -0.


def test_no_zero_has_a_sign():
    wide = np.hstack([X, np.zeros((len(X), 3))])  # columns whose weights are 0
    for labels in ([0, 1], [-1, 1]):
        y = np.array(labels)[Y]
        for model in (
            dcsvm.LinearSVC(penalty="l1", fit_intercept=False).fit(wide, y),
            dcsvm.LinearSVC(fit_intercept=False).fit(wide, y),
            dcsvm.LogisticRegression(fit_intercept=False).fit(wide, y),
            dcsvm.SVC(kernel="linear", fit_intercept=False).fit(wide, y),
            dcsvm.SVC(kernel="linear").fit(wide, y),
            dcsvm.LowRankSVC(kernel="linear", fit_intercept=False, n_landmarks=4).fit(wide, y),
            dcsvm.DCPredSVC(kernel="linear", fit_intercept=False, n_leaves=1, n_landmarks=4).fit(wide, y),
            dcsvm.LinearOneClassSVM().fit(wide),
        ):
            native = model.model_
            for owner in (model, native):
                for name in ("coef_", "intercept_", "dual_coef_", "offset_"):
                    values = np.asarray(getattr(owner, name, 1.0))
                    assert not np.signbit(values[values == 0]).any(), (model, name)
            values = model.decision_function(np.zeros((2, 5)))
            assert not np.signbit(values[values == 0]).any(), model
