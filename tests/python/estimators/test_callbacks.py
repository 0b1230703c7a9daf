"""scikit-learn's callbacks (from 1.9 on) are told of every fit, and of the steps of a training."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dcsvm

sklearn_callback = pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")

X, Y = dcsvm.datasets.make_checkerboard(300, random_state=0)
NUMBERS = X[:, 0] * X[:, 1]


class Recorder:
    """Keeps what it is told; asks to stop at the end of the step `stop_after`."""

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.events = []
        self.data = []
        self.ends = []

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None):
        self.events.append(("begin", context.task_name, "step" if context.parent else "fit"))
        self.data.append((X, y))

    def on_fit_task_end(self, estimator, context, *, metadata=None, fitted_estimator=None):
        self.events.append(("end", context.task_name, "step" if context.parent else "fit"))
        self.ends.append((metadata, fitted_estimator))
        return self.stop_after is not None and len(self.steps()) > self.stop_after

    def steps(self):
        return [e for e in self.events if e[0] == "end" and e[2] == "step"]


class Propagated(Recorder):
    max_propagation_depth = None


FITS = {
    "SVC": (dcsvm.SVC(), Y),
    "NuSVC": (dcsvm.NuSVC(nu=0.1, gamma=4), Y),
    "SVR": (dcsvm.SVR(), NUMBERS),
    "QuantileSVR": (dcsvm.QuantileSVR(quantile=0.3), NUMBERS),
    "QuantileSVR, two": (dcsvm.QuantileSVR(quantile=[0.3, 0.6]), NUMBERS),
    "OneClassSVM": (dcsvm.OneClassSVM(), None),
    "SVCCV": (dcsvm.SVCCV(C=[1, 10], cv=2, random_state=0), Y),
    "OnlineSVC": (dcsvm.OnlineSVC(), Y),
    "LSSVC": (dcsvm.LSSVC(method="exact"), Y),
    "KernelRidge": (dcsvm.KernelRidge(kernel="rbf"), NUMBERS),
    "LinearSVC": (dcsvm.LinearSVC(), Y),
    "LinearSVC, probability": (dcsvm.LinearSVC(probability=True, random_state=0), Y),
    "LowRankSVC": (dcsvm.LowRankSVC(n_landmarks=20, random_state=0), Y),
    "DCPredSVC": (dcsvm.DCPredSVC(random_state=0), Y),
    "LDKLSVC": (dcsvm.LDKLSVC(random_state=0), Y),
}


@pytest.mark.parametrize("name", FITS)
def test_a_fit_is_one_task_whose_steps_end(name):
    estimator, y = FITS[name]
    callback = Recorder()
    fitted = clone(estimator).set_callbacks(callback).fit(X, y)
    events = callback.events
    assert events[:2] == ["setup", ("begin", "fit", "fit")]
    assert events[-2:] == [("end", "fit", "fit"), "teardown"]
    assert callback.steps() or name in ("KernelRidge", "LowRankSVC")  # so short that they report nothing
    inner = events[2:-2]
    assert len(inner) % 2 == 0
    for begin, end in zip(inner[::2], inner[1::2], strict=True):  # one step at a time
        assert (begin[0], end[0], begin[1:]) == ("begin", "end", end[1:])
        assert end[2] == "step"
    assert all(rows is X and labels is y for rows, labels in callback.data)
    expected = clone(estimator).fit(X, y).predict(X)
    assert (fitted.predict(X) == expected).all()
    assert (callback.ends[-1][1].predict(X) == expected).all()
    assert all(model is None for _, model in callback.ends[:-1])
    assert not hasattr(fitted, "_callback_fit_ctx")


def test_a_transformer_and_partial_fit():
    callback = Recorder()
    dcsvm.TwoStepNormalizer().set_callbacks(callback).fit(X)
    assert [e[0] for e in callback.events[1:-1]] == ["begin", "end"]
    callback = Recorder()
    dcsvm.LinearSVC().set_callbacks(callback).partial_fit(X, Y, classes=np.unique(Y))
    assert ("begin", "partial_fit", "fit") in callback.events


def test_weights_are_metadata():
    callback, weights = Recorder(), np.linspace(1, 2, len(Y))
    dcsvm.SVC().set_callbacks(callback).fit(X, Y, weights)
    assert all(metadata["sample_weight"] is weights for metadata, _ in callback.ends)


def test_a_callback_may_stop_the_training():
    x, y = dcsvm.datasets.make_checkerboard(20000, random_state=0)
    y = np.where(np.random.default_rng(0).random(len(y)) < 0.1, -y, y)  # several seconds, of which the first step ends them
    other = []
    model = dcsvm.SVC(C=1e6, gamma=10, tol=1e-9, callback=other.append).set_callbacks(Recorder(stop_after=0))
    with pytest.warns(UserWarning, match="cancelled"):
        model.fit(x, y)
    assert model.report_.stop_reason == "cancelled"
    assert 1 < len(other) < 20  # the estimator's own callback is called as well


def test_a_callback_that_stops_a_search_interrupts_it():
    callback = Recorder(stop_after=0)
    with pytest.raises(KeyboardInterrupt):
        dcsvm.SVCCV(C=[1, 10], cv=2, random_state=0).set_callbacks(callback).fit(X, Y)
    assert callback.events[-1] == "teardown"


def test_what_fails_is_torn_down():
    callback = Recorder()
    with pytest.raises(ValueError, match="greater than one"):
        dcsvm.SVC().set_callbacks(callback).fit(X, np.zeros(len(X)))
    assert callback.events[-1] == "teardown"
    assert callback.events.count("teardown") == 1
    assert ("end", "fit", "fit") not in callback.events
    assert not callback.steps()
    assert dcsvm.SVC().fit(X, Y).score(X, Y) > 0.5  # nobody listens any more
    assert not callback.steps()


def test_scores_are_monitored():
    monitor = sklearn_callback.ScoringMonitor(scoring="accuracy")
    model = dcsvm.SVC().set_callbacks(monitor).fit(X, Y)
    (row,) = monitor.get_logs().data
    assert row["accuracy"] == model.score(X, Y)


def test_searches_and_pipelines_propagate():
    callback = Propagated()
    search = GridSearchCV(make_pipeline(StandardScaler(), dcsvm.SVC()), {"svc__C": [1, 10]}, cv=2).set_callbacks(callback)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # scikit-learn warns of an estimator without callbacks
        search.fit(X, Y)
    assert callback.events.count("setup") == callback.events.count("teardown") == 1
    assert len([e for e in callback.events if e[:2] == ("end", "solve")]) >= 5  # four trainings and the best one again


def test_clones_and_pickles():
    callback = Recorder()
    model = dcsvm.SVC().set_callbacks(callback)
    assert clone(model)._skl_callbacks[0] is callback
    again = pickle.loads(pickle.dumps(model.fit(X, Y)))
    assert (again.predict(X) == model.predict(X)).all()
    with pytest.raises(TypeError, match="FitCallback"):
        model.set_callbacks(print)
