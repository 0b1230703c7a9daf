"""Names of other packages, and typing errors, are answered with ours."""

import pytest

import dcsvm
from dcsvm._input import suggestions

X, Y = dcsvm.datasets.make_checkerboard(60)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        *(("cost", "C"), ("c", "C"), ("eps", "tol"), ("seed", "random_state"), ("n_threads", "n_jobs"), ("nthread", "n_jobs")),
        *(("num_iterations", "max_iter"), ("svm_type", "formulation"), ("kernel_type", "kernel"), ("cachesize", "cache_size")),
        *(("sample_weights", "sample_weight"), ("class_weights", "class_weight"), ("probability_estimates", "probability")),
        *(("gama", "gamma"), ("kernal", "kernel"), ("GAMMA", "gamma"), ("Cost", "C")),
    ],
)
def test_train_knows_what_was_meant(given, meant):
    with pytest.raises(TypeError) as caught:
        dcsvm.train(X, Y, **{given: 1})
    assert str(caught.value) == f"train() has no parameter {given!r} (did you mean {meant!r}?)"


@pytest.mark.parametrize(("given", "meant"), [("folds", "cv"), ("nr_fold", "cv"), ("metrics", "scoring"), ("cost", "C")])
def test_cross_validate_knows_what_was_meant(given, meant):
    with pytest.raises(TypeError, match=rf"cross_validate\(\) has no parameter {given!r} \(did you mean {meant!r}\?\)"):
        dcsvm.cross_validate(X, Y, **{given: 3})


@pytest.mark.parametrize(
    ("option", "given", "meant"),
    [("kernel", "gaussian", "rbf"), ("kernel", "polynomial", "poly"), ("formulation", "svr", "epsilon_svr")],
)
def test_values_too(option, given, meant):
    with pytest.raises(ValueError, match=rf"^{option} must be one of .*; got '{given}' \(did you mean '{meant}'\?\)"):
        dcsvm.train(X, Y, **{option: given})


def test_a_suggestion_is_only_made_of_what_exists():
    assert suggestions.nearest("folds", ["C", "gamma"]) is None
    assert suggestions.did_you_mean("xyzzy", ["C", "gamma"]) == ""
    with pytest.raises(TypeError, match=r"no parameter 'xyzzy'$"):
        dcsvm.train(X, Y, xyzzy=1)


def test_no_name_has_two_meanings():
    names = [name for group in suggestions.MEANT.values() for name in group]
    assert len(names) == len(set(names))
    assert all(name == name.lower() for name in names)


@pytest.mark.parametrize("name", sorted(dcsvm._ESTIMATORS - {"FourierFeatures", "TwoStepNormalizer"}))
def test_estimators_suggest_too_and_keep_their_signature(name):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    import inspect

    from sklearn.base import clone

    estimator = getattr(dcsvm, name)
    with pytest.raises(TypeError, match=rf"^{name}\(\) has no parameter 'n_threads' \(did you mean 'n_jobs'\?\)$"):
        estimator(n_threads=2)
    assert "n_jobs" in inspect.signature(estimator).parameters
    assert clone(estimator(n_jobs=2)).n_jobs == 2
    with pytest.raises(TypeError, match="positional"):
        estimator(1.0, 2.0, 3.0)
