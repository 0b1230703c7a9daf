"""Text labels in train and cross_validate: the models that numbers give, with the labels that were given."""

import pickle
import warnings

import numpy as np
import pytest

import dcsvm

X, Y = dcsvm.datasets.make_checkerboard(400, noise=0.05, random_state=0)
WORDS = np.where(Y > 0, "yes", "no")


def test_train_gives_the_model_of_the_numbers(tmp_path):
    words = dcsvm.train(X, WORDS, C=10, gamma=4, class_weight={"yes": 2.0})
    numbers = dcsvm.train(X, Y, C=10, gamma=4, class_weight={1: 2.0})
    assert words.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(words.alpha, numbers.alpha)
    np.testing.assert_array_equal(words.decision_function(X), numbers.decision_function(X))
    np.testing.assert_array_equal(words.predict(X), np.where(numbers.predict(X) > 0, "yes", "no"))
    words.save(tmp_path / "m")
    for again in (dcsvm.load_model(tmp_path / "m"), pickle.loads(pickle.dumps(words))):
        np.testing.assert_array_equal(again.predict(X), words.predict(X))


@pytest.mark.parametrize("labels", [WORDS.tolist(), WORDS.astype(object), WORDS.reshape(-1, 1)])
def test_every_container_of_text(labels):
    np.testing.assert_array_equal(dcsvm.train(X, labels, gamma=4).predict(X), dcsvm.train(X, WORDS, gamma=4).predict(X))


def test_series_and_several_classes():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    three = np.array(["b", "c", "a"])[np.minimum(X[:, 0].astype(int), 2)]
    for labels in (pd.Series(three), pd.Series(three, dtype="category")):
        model = dcsvm.train(X, labels, gamma=4)
        assert model.classes_.tolist() == ["a", "b", "c"]
        assert (model.predict(X) == three).mean() > 0.9


def test_cross_validate_gives_the_scores_of_the_numbers():
    grid = {"C": [1, 10], "gamma": [1, 4], "cv": 3}
    words, numbers = (dcsvm.cross_validate(X, y, **grid) for y in (WORDS, Y))
    np.testing.assert_array_equal(words.scores, numbers.scores)
    np.testing.assert_array_equal(words.predictions, np.where(numbers.predictions > 0, "yes", "no"))
    weighted = dcsvm.cross_validate(X, WORDS, gamma=4, cv=3, class_weight={"no": 3.0})
    np.testing.assert_array_equal(weighted.scores, dcsvm.cross_validate(X, Y, gamma=4, cv=3, class_weight={-1: 3.0}).scores)
    seen = []
    dcsvm.cross_validate(X, WORDS, gamma=4, cv=3, scoring=lambda y, predicted: float(seen.append((y[0], predicted[0])) is None))
    assert {word for pair in seen for word in pair} <= {"yes", "no"}


def test_refusals():
    mixed = WORDS.astype(object)
    mixed[3] = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call, text in [
            (lambda: dcsvm.train(X, mixed), "y "),
            (lambda: dcsvm.train(X, ["same"] * 400), r"y has one class only \('same'\)"),
            (lambda: dcsvm.train(X, WORDS[:5]), "y must have shape"),
            (
                lambda: dcsvm.train(X, WORDS, class_weight={"maybe": 2.0}),
                "class_weight has the label 'maybe', which y does not have",
            ),
            (lambda: dcsvm.train(X, WORDS, class_weight={1: 2.0}), "class_weight has the label 1, which y does not have"),
            (lambda: dcsvm.train(X, Y, class_weight={"yes": 2.0}), "class_weight has the label 'yes'"),
            (lambda: dcsvm.train(X, WORDS, formulation="epsilon_svr"), "y "),
            (lambda: dcsvm.cross_validate(X, WORDS, class_weight={"maybe": 2.0}), "class_weight has the label 'maybe'"),
        ]:
            with pytest.raises(ValueError, match=text):
                call()


@pytest.mark.parametrize("name", ["train_dc_pred", "train_ls_svm", "train_ldkl", "train_linear", "train_low_rank"])
def test_other_trainings_take_text(name, tmp_path):
    options = {"train_low_rank": {"n_landmarks": 50}, "train_ldkl": {"n_passes": 5, "max_iter": 5000}}.get(name, {})
    words, numbers = (getattr(dcsvm, name)(X, y, **options) for y in (WORDS, Y))
    assert words.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(words.predict(X), np.where(numbers.predict(X) > 0, "yes", "no"))
    words.save(tmp_path / "m")
    np.testing.assert_array_equal(dcsvm.load_model(tmp_path / "m").predict(X), words.predict(X))


def test_batches_say_what_to_do_with_text():
    with pytest.raises(ValueError, match=r"^batch 0: y holds text.*numpy\.unique\(labels.*of all batches"):
        dcsvm.train_low_rank_batches([(X, WORDS)], n_landmarks=20)


def test_errors_name_the_text():
    none_of_yes = (WORDS == "no").astype(float)
    for call in (dcsvm.train, dcsvm.train_low_rank):
        with pytest.raises(ValueError, match=r"^all weights of class 'yes' are zero"):
            call(X, WORDS, sample_weight=none_of_yes, **({"n_landmarks": 20} if call is dcsvm.train_low_rank else {}))
    with pytest.raises(ValueError, match=r"classes 'few' and 'many' allow"):
        dcsvm.train(X, np.where(np.arange(400) < 5, "few", "many"), formulation="nu_svc", nu=0.9)
    with pytest.raises(ValueError, match=r"^class_weight\['no'\]"):
        dcsvm.train(X, WORDS, class_weight={"no": -1.0})


def test_class_weight_of_text_that_looks_like_a_number():
    digits = np.where(Y > 0, "5", "spam")
    heavy = dcsvm.train(X, digits, gamma=4, class_weight={"5": 9.0})
    for key in ("5", 5):
        np.testing.assert_array_equal(dcsvm.train(X, digits, gamma=4, class_weight={key: 9.0}).alpha, heavy.alpha)
        svc = dcsvm.SVC(gamma=4, class_weight={key: 9.0}, tol=1e-3).fit(X, digits)
        assert svc.class_weight_.tolist() == [9.0, 1.0]
        np.testing.assert_allclose(svc.decision_function(X), heavy.decision_function(X), atol=1e-2)
        linear = dcsvm.LinearSVC(class_weight={key: 9.0}).fit(X, digits)
        assert np.mean(linear.predict(X) == "5") > np.mean(dcsvm.LinearSVC().fit(X, digits).predict(X) == "5")
    for call in (lambda w: dcsvm.train(X, digits, class_weight=w), lambda w: dcsvm.SVC(class_weight=w).fit(X, digits)):
        with pytest.raises(ValueError, match="class_weight has the label 'egg', which y does not have; it has '5', 'spam'"):
            call({"egg": 2.0})
    with pytest.raises(ValueError, match="class_weight has the label '1', but y holds numbers"):
        dcsvm.train(X, Y, class_weight={"1": 2.0})


def test_cost_curve_of_text():
    words, numbers = (dcsvm.cost_curve(X, y, X, y, budgets=[30], gamma=4, refine=2) for y in (WORDS, Y))
    np.testing.assert_array_equal(words.scores, numbers.scores)
