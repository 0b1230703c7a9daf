"""The hint about features whose ranges differ by orders of magnitude."""

import warnings

import numpy as np
import pytest

import dcsvm

X, Y = dcsvm.datasets.make_checkerboard(300)


@pytest.mark.parametrize("scaled", [X * [1e5, 1], (X * [1, 1e-6]).astype(np.float32), np.asfortranarray(X * [1, 1e5]).tolist()])
def test_features_of_very_different_ranges(scaled):
    with pytest.warns(
        dcsvm.ScaleWarning, match=r"features differ in scale by a factor of 1e\+0[456] or more: column \d is wide"
    ) as caught:
        dcsvm.train(scaled, Y, C=0.1)
    assert caught[0].filename == __file__, "it points at the user's line"
    with pytest.warns(dcsvm.ScaleWarning):
        dcsvm.cross_validate(scaled, Y, C=0.1, cv=2)


def test_a_frame_is_looked_at_too():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    with pytest.warns(dcsvm.ScaleWarning, match=r"column 0 \('wide'\) is wide, column 1 \('narrow'\) narrow"):
        dcsvm.train(pd.DataFrame(X * [1e5, 1], columns=["wide", "narrow"]), Y, C=0.1)


def test_the_report_has_the_warnings_and_its_model_file_keeps_them():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = dcsvm.train(X * [1e6, 1] + [0, 1e12], Y, C=0.1, kernel="linear", max_iter=100)
    found = model.report.warnings
    assert [warning["kind"] for warning in found] == ["scale", "offset"]
    seen = [str(w.message) for w in caught if not issubclass(w.category, dcsvm.ConvergenceWarning)]
    assert seen == [warning["text"] for warning in found]
    assert dcsvm.Model.from_bytes(model.to_bytes()).report.warnings == found
    assert dcsvm.train(X, Y, C=0.1).report.warnings == []


def test_no_hint_without_cause():
    constant = np.c_[X, np.full(300, 1e9)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for data in (X, X * 1e9, X * [1e3, 1], constant, X + np.array([1e4, 0])):
            dcsvm.train(data, Y, C=0.1)
        dcsvm.train(np.diag([1e6, 1.0] * 5), np.arange(10) % 2, kernel="precomputed", C=0.1)


def test_estimators_give_the_hint():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(X * [1e5, 1], columns=["wide", "narrow"])
    for estimator in (dcsvm.SVC(C=0.1), dcsvm.SVR(C=0.1), dcsvm.OneClassSVM(), dcsvm.OnlineSVC(C=0.1)):
        with pytest.warns(dcsvm.ScaleWarning, match=r"column 0 \('wide'\) is wide, column 1 \('narrow'\) narrow") as caught:
            estimator.fit(frame, Y)
        assert [w.filename for w in caught] == [__file__], "once, and it points at the user's line"
