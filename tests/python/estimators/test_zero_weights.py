"""class_weight 0 does what sample_weight 0 of all rows of the class does, in every classifier but logistic regression, which is
scikit-learn's: the class is left out."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC as ScikitLinearSVC

import dcsvm

CLASSIFIERS = {
    "SVC": lambda **own: dcsvm.SVC(gamma=0.3, **own),
    "NuSVC": lambda **own: dcsvm.NuSVC(gamma=0.3, nu=0.3, **own),
    "DCSVC": lambda **own: dcsvm.DCSVC(gamma=0.3, random_state=0, **own),
    "RandSVC": lambda **own: dcsvm.RandSVC(gamma=0.3, random_state=0, **own),
    "CascadeSVC": lambda **own: dcsvm.CascadeSVC(gamma=0.3, n_leaves=2, random_state=0, **own),
    "OnlineSVC": lambda **own: dcsvm.OnlineSVC(gamma=0.3, random_state=0, **own),
    "LowRankSVC": lambda **own: dcsvm.LowRankSVC(gamma=0.3, n_landmarks=20, random_state=0, **own),
    "DCPredSVC": lambda **own: dcsvm.DCPredSVC(gamma=0.3, n_leaves=2, random_state=0, **own),
    "LDKLSVC": lambda **own: dcsvm.LDKLSVC(depth=2, random_state=0, **own),
    "LinearSVC": lambda **own: dcsvm.LinearSVC(random_state=0, **own),
}
ONE_LEFT = r"positive weights belong to the same class|got 1 class whose class_weight and sample_weight"
RNG = np.random.default_rng(0)
PLACE = np.repeat([0, 1, 2], 40)
X = RNG.normal(size=(120, 3)) + 1.5 * PLACE[:, None]
LABELS = [np.array([0, 2, 4])[PLACE], np.array(["a", "b", "c"])[PLACE]]


@pytest.mark.parametrize("y", LABELS, ids=["numbers", "text"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_class_of_weight_zero_is_left_out_as_if_its_rows_were_not_there(name, y):
    last = y[-1]
    make = CLASSIFIERS[name]
    by_class = make(class_weight={last: 0}).fit(X, y)
    by_rows = make().fit(X, y, sample_weight=(y != last).astype(float))
    apart = make().fit(X[y != last], y[y != last])
    for model in (by_class, by_rows):
        assert model.classes_.tolist() == apart.classes_.tolist()
        np.testing.assert_allclose(model.decision_function(X), apart.decision_function(X), rtol=1e-3, atol=2e-3)
    assert np.array_equal(by_class.decision_function(X), by_rows.decision_function(X))


@pytest.mark.parametrize("y", LABELS, ids=["numbers", "text"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_first_or_middle_class_of_weight_zero_beside_other_factors(name, y):
    first, middle, last = np.unique(y).tolist()
    for left_out in (first, middle):
        weights = {first: 1.0, middle: 2.0, last: 0.5, left_out: 0.0}
        model = CLASSIFIERS[name](class_weight=weights).fit(X, y)
        kept = y != left_out
        apart = CLASSIFIERS[name](class_weight={c: w for c, w in weights.items() if c != left_out}).fit(X[kept], y[kept])
        assert model.classes_.tolist() == apart.classes_.tolist()
        np.testing.assert_allclose(model.decision_function(X), apart.decision_function(X), rtol=1e-3, atol=2e-3)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_one_class_left_is_an_error_that_blames_no_class(name):
    with pytest.raises(ValueError, match=ONE_LEFT):
        CLASSIFIERS[name](class_weight={0: 0, 2: 0}).fit(X, LABELS[0])
    with pytest.raises(ValueError, match=ONE_LEFT):
        CLASSIFIERS[name](class_weight={0: 0}).fit(X, LABELS[0], sample_weight=(LABELS[0] != 2).astype(float))


@pytest.mark.parametrize("name", ["LinearSVC", "LowRankSVC", "DCPredSVC", "LDKLSVC"])
def test_probabilities_of_the_classes_that_are_left(name):
    y = LABELS[0]
    model = CLASSIFIERS[name](class_weight={4: 0}, probability=True).fit(X, y)
    assert model.predict_proba(X).shape == (120, 2)
    assert model.get_params()["class_weight"] == {4: 0}


def test_unlabelled_rows_stay_beside_a_class_of_weight_zero():
    y = np.where(np.arange(120) % 4, LABELS[0], -1)
    model = dcsvm.LowRankSVC(gamma=0.3, n_landmarks=20, unlabelled=-1, class_weight={4: 0}, random_state=0).fit(X, y)
    assert model.classes_.tolist() == [0, 2]


def test_a_stream_of_rows_is_told_to_leave_the_label_out():
    model = dcsvm.OnlineSVC(class_weight={4: 0})
    for _ in range(2):  # the failed call leaves nothing behind
        with pytest.raises(ValueError, match=r"class_weight\[4\] is 0.*leave the label out of classes"):
            model.partial_fit(X, LABELS[0], classes=[0, 2, 4])


def test_a_factor_above_zero_is_not_left_out():
    y = LABELS[0]
    weights = {0: 1.0, 2: 1e-6, 4: 1.0}
    assert dcsvm.LinearSVC(class_weight=weights).fit(X, y).classes_.tolist() == [0, 2, 4]
    ours, theirs = dcsvm.LinearSVC(class_weight=weights).fit(X, y), ScikitLinearSVC(class_weight=weights).fit(X, y)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.98


TRAININGS = {
    "train": lambda y, **how: dcsvm.train(X, y, gamma=0.3, **how),
    "train_low_rank": lambda y, **how: dcsvm.train_low_rank(X, y, gamma=0.3, n_landmarks=20, **how),
    "train_dc_pred": lambda y, **how: dcsvm.train_dc_pred(X, y, gamma=0.3, n_leaves=2, **how),
    "train_ldkl": lambda y, **how: dcsvm.train_ldkl(X, y, depth=2, **how),
    "train_linear": lambda y, **how: dcsvm.train_linear(X, y, **how),
    "cross_validate": lambda y, **how: dcsvm.cross_validate(X, y, gamma=0.3, **how),
    "linear_path": lambda y, **how: dcsvm.linear_path(X, y, C=[1.0], **how),
}


@pytest.mark.parametrize("y", LABELS, ids=["numbers", "text"])
@pytest.mark.parametrize("name", TRAININGS)
def test_the_functions_name_the_class_that_has_no_weight(name, y):
    last = y[-1]
    expected = f"all weights of class {last.item()!r} are zero: leave the class out"
    with pytest.raises(ValueError, match=expected):
        TRAININGS[name](y, class_weight={last: 0})
    if name != "cross_validate":
        with pytest.raises(ValueError, match=expected):
            TRAININGS[name](y, sample_weight=(y != last).astype(float))
