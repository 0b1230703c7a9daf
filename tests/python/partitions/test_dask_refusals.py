"""dcsvm.dask refuses by name what cannot be trained on, and leaves nothing on the cluster."""

import time
from dataclasses import fields

import numpy as np
import pytest

import dcsvm

da = pytest.importorskip("dask.array", reason="dcsvm.dask needs the extra dask")

from dask import delayed  # noqa: E402

from dcsvm.dask import (  # noqa: E402
    DaskDCSVC,
    DaskLinearSVC,
    DaskLogisticRegression,
    DaskLowRankSVC,
    DaskOneClassSVM,
    DaskSVC,
    DaskSVR,
    PartitionError,
    TaskError,
    cross_validate,
)

pytestmark = pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning")
CLASSIFIERS = [DaskSVC, DaskDCSVC, DaskLowRankSVC, DaskLinearSVC, DaskLogisticRegression]
X = np.random.default_rng(0).normal(size=(300, 4))
y = (X[:, 0] > 0).astype(int)


def arrays(y=y):
    return da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)


@pytest.fixture
def until_idle(cluster):
    """Returns when the scheduler has no task: for ever, if something still wants one."""

    def wait():
        while cluster.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
            pass

    return wait


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ({0: -1}, r"class_weight\[0\] must be a finite number >= 0, got -1"),
        ({0: float("nan")}, r"class_weight\[0\] must be a finite number >= 0"),
        ({0: float("inf")}, r"class_weight\[0\] must be a finite number >= 0"),
        ("bal", "class_weight"),
        (3, "class_weight"),
    ],
)
def test_class_weights_are_refused_before_work_is_sent(cluster, until_idle, estimator, weights, text):
    def load(rows):
        raise AssertionError("a partition was read")

    part = delayed(load)(X)
    with pytest.raises(ValueError, match=text):
        estimator(class_weight=weights).fit([part], [part])
    until_idle()


@pytest.mark.parametrize("estimator", [DaskSVC, DaskLinearSVC, DaskLogisticRegression])
def test_a_class_of_weight_zero_is_left_out_and_ties_are_the_local_estimators(cluster, estimator):
    three = np.where(np.arange(300) % 3 == 2, 4, 2 * y)
    model = estimator(class_weight={4: 0}, fit_intercept=False).fit(*arrays(three))
    apart = estimator(fit_intercept=False).fit(*arrays(three), sample_weight=da.from_array((three != 4) * 1.0, chunks=100))
    assert model.classes_.tolist() == apart.classes_.tolist() == [0, 2]
    if estimator is not DaskSVC:  # gamma="scale" counts the rows
        np.testing.assert_allclose(model.coef_, apart.coef_, rtol=1e-6)
        assert model.predict(np.zeros((1, 4))).tolist() == [0]
    with pytest.raises(ValueError, match=r"at least two classes with weight, got 1: \[2\]"):
        estimator(class_weight={4: 0, 0: 0.0}).fit(*arrays(three))


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (np.array([1, "a", 2.5] * 100, dtype=object), "partition 0: y must hold only numbers or only text"),
        (np.array([1, None, 0] * 100, dtype=object), "partition 0: y has no label at row 1"),
        (np.array(["a", float("nan"), "b"] * 100, dtype=object), "partition 0: y has no label at row 1"),
    ],
)
def test_labels_that_are_missing_or_of_several_kinds(cluster, until_idle, estimator, labels, text):
    with pytest.raises(PartitionError, match=text):
        estimator().fit(*arrays(labels))
    until_idle()


def test_partitions_with_text_and_with_numbers_as_labels(cluster):
    parts = [delayed(X[:150]), delayed(X[150:])]
    with pytest.raises(PartitionError, match="partition 1: partitions differ in y: some hold text labels, others numbers"):
        DaskSVC().fit(parts, [delayed(y[:150]), delayed(np.where(y[150:] > 0, "b", "a"))])


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_numbers_in_an_array_of_objects_are_numbers(cluster, estimator):
    few = {"n_landmarks": 20} if estimator is DaskLowRankSVC else {}
    model = estimator(**few).fit(*arrays(y.astype(object)))
    assert model.classes_.tolist() == [0, 1]
    assert model.classes_.dtype.kind == "i"
    assert model.score(*arrays(y.astype(object))) > 0.9


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, DaskSVR, DaskOneClassSVM])
def test_masked_entries_are_refused(cluster, until_idle, estimator):
    masked = da.ma.masked_greater(arrays()[0], 1)
    with pytest.raises(PartitionError, match=r"partition \d: X has masked entries; fill or drop them first"):
        estimator().fit(masked, arrays()[1])
    weights = da.ma.masked_greater(da.from_array(X[:, 0] ** 2, chunks=100), 1)
    with pytest.raises(PartitionError, match=r"partition \d: sample_weight has masked entries"):
        estimator().fit(*arrays(), sample_weight=weights)
    until_idle()


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, DaskSVR, DaskOneClassSVM])
def test_weights_that_cannot_be_used(cluster, estimator):
    with pytest.raises(ValueError, match="all weights are zero or negative"):
        estimator().fit(*arrays(), sample_weight=-np.ones(300))
    with pytest.raises(ValueError, match=r"^sample_weight must hold numbers, got dtype <U1"):
        estimator().fit(*arrays(), sample_weight=np.array(["a"] * 300))
    with pytest.raises(ValueError, match=r"^sample_weight has nan at row 299$"):
        estimator().fit(*arrays(), sample_weight=np.append(np.ones(299), np.nan))


class Untouched:
    """A partition that must not be loaded."""

    def __call__(self, *_):
        raise AssertionError("a partition was read")


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, DaskSVR, DaskOneClassSVM])
@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        ("U3", "^X must hold numbers, got dtype <U3"),
        (complex, "^X must be real, got complex numbers"),
        ("M8[s]", "^X must hold numbers, got dtype datetime64"),
    ],
)
def test_types_of_x_are_refused_before_work_is_sent(cluster, until_idle, estimator, dtype, text):
    rows = da.from_delayed(delayed(Untouched())(), shape=(300, 4), dtype=dtype)
    with pytest.raises(ValueError, match=text) as refused:
        estimator().fit(rows, da.from_array(y, chunks=300))
    assert not isinstance(refused.value, PartitionError)
    until_idle()


def test_columns_of_text_are_refused_before_work_is_sent(cluster, until_idle):
    import dask.dataframe as dd
    import pandas as pd

    table = pd.DataFrame({"age": [1.0, 2.0], "town": pd.array(["Bern", "Uri"], dtype="string")})
    frame = dd.from_delayed([delayed(Untouched())()], meta=table)
    with pytest.raises(ValueError, match="Column 'town' holds text"):
        DaskSVC().fit(frame, frame["age"])
    with pytest.raises(ValueError, match=r"^y holds text"):
        DaskSVR().fit(frame[["age"]], frame["town"])
    until_idle()


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (np.ones(300), r"^y must have at least two classes with weight, got 1: \[1.0\]"),
        (X[:, 0], "^y must hold labels of classes: whole numbers or text"),
        (np.array([1, None, 0] * 100, dtype=object), "^y has no label at row 1"),
    ],
)
def test_labels_in_memory_are_refused_before_work_is_sent(cluster, until_idle, estimator, labels, text):
    rows = da.from_delayed(delayed(Untouched())(), shape=(300, 4), dtype=float)
    with pytest.raises(ValueError, match=text):
        estimator().fit(rows, labels)
    until_idle()


def test_bad_partitions_leave_no_traceback_and_are_not_loaded_again(cluster, caplog, tmp_path):

    def load(block):
        (tmp_path / f"{time.monotonic_ns()}").touch()
        return np.where(block > 2, np.nan, block)

    rows = [delayed(load)(block) for block in np.split(X, 3)]
    with pytest.raises(PartitionError, match=r"partition \d: X has nan"):
        DaskSVC().fit(rows, [delayed(part) for part in np.split(y, 3)])
    assert len(list(tmp_path.iterdir())) == 3
    assert not [record for record in caplog.records if record.exc_info or "Traceback" in record.getMessage()]


@pytest.mark.parametrize("estimator", [DaskLowRankSVC, DaskLinearSVC, DaskLogisticRegression])
@pytest.mark.parametrize("huge", [{"C": 1e300}, {"sample_weight": np.full(300, 1e306)}])
def test_what_leaves_the_range_of_double_is_refused(cluster, until_idle, estimator, huge):
    own = {"C": huge.get("C", 1.0), **({"n_landmarks": 20, "gamma": 0.5} if estimator is DaskLowRankSVC else {})}
    with pytest.raises(ValueError, match="left the range of float64"):
        estimator(**own).fit(*arrays(), sample_weight=huge.get("sample_weight"))
    until_idle()


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        ({"C": float("inf")}, "The 'C' parameter of DaskLowRankSVC must be"),
        ({"C": "a"}, "The 'C' parameter of DaskLowRankSVC must be"),
        ({"C": [1.0, 2.0]}, "The 'C' parameter of DaskLowRankSVC must be"),
        ({"kernel": lambda a, b: a @ b.T}, "The 'kernel' parameter"),
        ({"kernel": "rbff"}, "The 'kernel' parameter of DaskLowRankSVC must be .* \\(did you mean 'rbf'\\?\\)"),
        ({"kernel": "precomputed"}, "The 'kernel' parameter"),
        ({"gamma": -1}, "The 'gamma' parameter"),
        ({"gamma": "x"}, "The 'gamma' parameter"),
        ({"degree": 1.5}, "The 'degree' parameter"),
        ({"coef0": None}, "The 'coef0' parameter"),
        ({"fit_intercept": 3}, "The 'fit_intercept' parameter"),
    ],
)
def test_low_rank_parameters_are_refused_before_work_is_sent(cluster, bad, text):
    with pytest.raises(ValueError, match=f"^{text}") as refused:
        DaskLowRankSVC(**bad).fit(*arrays())
    assert not isinstance(refused.value, PartitionError)


def test_a_limit_of_no_steps_is_refused(cluster):
    for estimator in (DaskSVC, DaskSVR, DaskOneClassSVM, DaskDCSVC):
        with pytest.raises(ValueError, match="max_iter must be at least 1 on a cluster"):
            estimator(max_iter=0).fit(*arrays())


def test_clusters_without_two_classes(cluster):
    with pytest.raises(ValueError, match=r"n_clusters: none of .* clusters has rows of two classes; ask for fewer"):
        DaskDCSVC(n_clusters=300).fit(*arrays())


def test_a_closed_client():
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as own:
        client = Client(own)
        client.close()
        with pytest.raises(ValueError, match="client is closed"):
            DaskSVC(client=client).fit(*arrays())


def test_cross_validation_names_bad_data_in_memory(cluster, until_idle):
    for arguments, text in [
        ((X, y[:-1]), "^y must have one entry for each of the 300 rows"),
        ((X,), "^y must have one entry"),
        ((X, np.where(y > 0, "b", "a")), "^y holds text"),
    ]:
        with pytest.raises(ValueError, match=text):
            cross_validate(*arguments, gamma=[0.1])
    until_idle()
    assert dcsvm.dask.cross_validate(X, y, gamma=[0.1]).scores.shape == (1, 1, 5)


@pytest.mark.parametrize("estimator", [DaskLowRankSVC, DaskLinearSVC, DaskLogisticRegression])
def test_a_fit_that_fails_leaves_the_estimator_as_it_was(cluster, estimator):
    def stop(_):
        raise RuntimeError("stop")

    few = {"n_landmarks": 20} if estimator is DaskLowRankSVC else {}
    model = estimator(**few).fit(*arrays())
    expected = model.predict(X)
    model.set_params(callback=stop)
    wide = da.from_array(np.hstack([X, X]), chunks=(100, -1))
    with pytest.raises(RuntimeError, match="stop"):
        model.fit(wide, arrays()[1])
    assert model.n_features_in_ == 4
    assert np.array_equal(model.predict(X), expected)
    fresh = estimator(callback=stop, **few)
    with pytest.raises(RuntimeError, match="stop"):
        fresh.fit(*arrays())
    assert not hasattr(fresh, "n_features_in_")


# Each fault that DaskSVC finds, on 3,000 rows in five partitions


def parts(X, y, rows=600):
    return da.from_array(X, chunks=(rows, -1)), None if y is None else da.from_array(y, chunks=rows)


def bad_block(block, block_info=None):
    if block_info and block_info[0]["chunk-location"][0] == 2:
        raise OSError("disk on fire")
    return block


def with_inf(X):
    X = X.copy()
    X[1300, 1] = np.inf
    return X


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        (lambda X, y: (X, y), TypeError, "X must be a Dask Array.*from_array"),
        (lambda X, y: (da.from_array(X, chunks=(600, 1)), parts(X, y)[1]), ValueError, r"2 blocks of columns.*rechunk"),
        (lambda X, y: (parts(X, y)[0], da.from_array(y, chunks=500)), ValueError, r"y has 6 partitions, X has 5"),
        (
            lambda X, y: (parts(X, y)[0], da.from_array(y, chunks=((500, 700, 600, 600, 600),))),
            ValueError,
            r"partition 0 has 600 rows of X and 500 entries of y",
        ),
        (lambda X, y: (parts(X, y)[0], None), ValueError, "y is missing"),
        (lambda X, y: (parts(X, y)[0], y[:7]), ValueError, "3000 rows of X"),
        (lambda X, y: (parts(X, y)[1], parts(X, y)[1]), ValueError, "X must have 2 dimensions"),
        (lambda X, y: parts(with_inf(X), y), PartitionError, "partition 2: X has inf at row 100 of the partition, column 1"),
        (lambda X, y: parts(X, np.where(np.arange(3000) == 1300, np.nan, y)), PartitionError, "partition 2: y has nan"),
        (lambda X, y: parts(X, np.ones(3000)), ValueError, "at least two classes"),
        (lambda X, y: parts(X, X[:, 0]), ValueError, "labels of classes.*use DaskSVR"),
        (lambda X, y: (parts(X, y)[0].map_blocks(bad_block, dtype=float, meta=np.empty((0, 0))), parts(X, y)[1]), TaskError,
         "partition 2 could not be loaded: OSError: disk on fire"),
    ],
)  # fmt: skip
def test_bad_data_of_svc_is_named(cluster, noisy, arguments, kind, text):
    with pytest.raises(kind, match=text):
        DaskSVC().fit(*arguments(*noisy))


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"C": -1}, "'C' parameter"),
        ({"kernel": "precomputed"}, "'kernel' parameter"),
        ({"kernel": lambda a, b: a @ b.T}, "'kernel' parameter"),
        ({"max_rounds": 0}, "max_rounds"),
        ({"class_weight": {7: 2.0}}, "class_weight has the label 7"),
    ],
)
def test_bad_parameters_of_svc_are_named(cluster, noisy, parameters, text):
    with pytest.raises(ValueError, match=text):
        DaskSVC(**parameters).fit(*parts(*noisy))


def choices_of(estimator):
    found = {}
    for field in fields(estimator):
        accepted = field.metadata["accepted"]
        named = [choice for value in accepted if isinstance(value, tuple) for choice in value]
        if values := named + [True, False] * ("boolean" in accepted):
            found[field.name] = values
    return found


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, DaskSVR, DaskOneClassSVM])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore:the sigmoid kernel is not positive")
def test_each_choice_that_is_accepted_can_be_trained(cluster, estimator):
    few = {"n_landmarks": 10} if estimator is DaskLowRankSVC else {}
    choices = choices_of(estimator)
    for number in range(max(map(len, choices.values()))):  # one choice of each parameter at a time
        chosen = {name: values[number % len(values)] for name, values in choices.items()}
        rows = abs(X) if chosen.get("kernel") == "chi2" else X
        model = estimator(**few, **chosen).fit(da.from_array(rows[:60], chunks=(60, -1)), da.from_array(y[:60], chunks=60))
        assert len(model.predict(rows)) == len(X)


def test_without_a_client(noisy):
    with pytest.raises(TypeError, match=r"client must be a distributed.Client or None, got str"):
        DaskSVC(client="here").fit(*parts(*noisy))
