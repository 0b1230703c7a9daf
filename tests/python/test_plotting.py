"""dcsvm.plotting: what is drawn, and where."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import dcsvm

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("agg")
from matplotlib import pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def plane():
    x, y = dcsvm.datasets.make_checkerboard(600, random_state=0)
    return x, y, dcsvm.train(x, y, C=10, gamma=4)


def test_regions_are_the_predictions_and_rings_the_support_vectors(plane):
    x, y, model = plane
    ax = plt.subplots()[1]
    display = dcsvm.plotting.decision_regions(model, x, y, ax=ax, resolution=50)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    shown = np.asarray(display.artists_["regions"].get_array()).reshape(50, 50)
    across, up = np.linspace(*ax.get_xlim(), 50), np.linspace(*ax.get_ylim(), 50)
    points = np.array(np.meshgrid(across, up)).reshape(2, -1).T
    np.testing.assert_array_equal(shown.ravel(), (model.predict(points) + 1) // 2)
    np.testing.assert_array_equal(display.artists_["support"].get_offsets(), model.support_vectors_)
    np.testing.assert_array_equal(display.artists_["rows"].get_offsets(), x)
    assert display.artists_["boundary"].levels.tolist() == [-1, 0, 1]
    zero = np.concatenate([path for path in display.artists_["boundary"].allsegs[1] if len(path)])
    assert np.abs(model.decision_function(zero)).max() < 0.5, "the line is where the decision changes its sign"
    colours = {tuple(c) for c in display.artists_["rows"].get_facecolors()[y > 0]}
    assert len(colours) == 1
    assert colours.isdisjoint({tuple(c) for c in display.artists_["rows"].get_facecolors()[y < 0]})


def test_regions_of_models_of_data_frames(plane):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    x, y, model = plane
    frame = pd.DataFrame(x, columns=["a", "b"])
    alike = dcsvm.plotting.decision_regions(model, x, y, resolution=20).artists_["regions"].get_array()
    for of_frame in (dcsvm.train(frame, y, C=10, gamma=4), dcsvm.SVC(C=10, gamma=4).fit(frame, y)):  # no warning about names
        np.testing.assert_array_equal(
            dcsvm.plotting.decision_regions(of_frame, frame, y, resolution=20).artists_["regions"].get_array(), alike
        )
    named = dcsvm.plotting.decision_regions(dcsvm.train(frame, y, C=10, gamma=4), frame, y, resolution=20)
    assert (named.ax_.get_xlabel(), named.ax_.get_ylabel()) == ("a", "b")
    assert [text.get_text() for text in named.ax_.legend().get_texts()] == ["-1", "1"]
    frame.columns = ["a", "a"]
    assert dcsvm.plotting.decision_regions(dcsvm.train(frame, y, gamma=4), frame, resolution=20).artists_["regions"] is not None


def test_lines_and_rings_stand_out_in_dark_styles(plane):
    x, y, model = plane
    light = dcsvm.plotting.decision_regions(model, x, y, resolution=20).artists_
    with plt.style.context("dark_background"):
        dark = dcsvm.plotting.decision_regions(model, x, y, resolution=20).artists_
        novelty = dcsvm.plotting.decision_regions(dcsvm.train(x, formulation="one_class", gamma=1), x, resolution=20).artists_
    for artists, grey in ((light, 0), (dark, 1), (novelty, 1)):
        np.testing.assert_allclose(artists["support"].get_edgecolors()[0, :3], grey)
        np.testing.assert_allclose(artists["boundary"].get_edgecolors()[0, :3], grey)
    np.testing.assert_allclose(novelty["rows"].get_facecolors()[0, :3], 1)
    assert novelty["regions"].get_facecolors()[0, 3] == 0, "outside there is nothing"


def test_regions_of_other_kinds(plane):
    x, y, _ = plane
    three = np.floor(x[:, 0] / 1.4).astype(int)
    several = dcsvm.plotting.decision_regions(dcsvm.train(x, three, gamma=4), x, three, clusters=three, resolution=20)
    assert "boundary" not in several.artists_
    np.testing.assert_allclose(several.artists_["clusters"].get_offsets(), [x[three == c].mean(axis=0) for c in range(3)])
    target = np.sin(x[:, 0])
    regression = dcsvm.train(x, target, formulation="epsilon_svr", gamma=1)
    assert len(dcsvm.plotting.decision_regions(regression, x, target, resolution=20).figure_.axes) == 2, "with a scale"
    novelty = dcsvm.train(x, formulation="one_class", gamma=1)
    assert "boundary" in dcsvm.plotting.decision_regions(novelty, x, resolution=20).artists_
    low_rank = dcsvm.train_low_rank(x, y, gamma=4, n_landmarks=30)
    assert "support" not in dcsvm.plotting.decision_regions(low_rank, x, y, resolution=20).artists_
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    words = np.where(y > 0, "yes", "no")
    estimator = dcsvm.SVC(C=10, gamma=4).fit(x, words)
    assert "support" in dcsvm.plotting.decision_regions(estimator, x, words, resolution=20).artists_
    assert "support" not in dcsvm.plotting.decision_regions(estimator, x, support=False, resolution=20).artists_


def test_what_cannot_be_drawn_is_refused_before_anything_is(plane):
    x, y, model = plane
    draw = dcsvm.plotting.decision_regions
    for call, text in [
        (lambda: draw(model, x[:, :1], y), r"X must have the shape \(n, 2\)"),
        (lambda: draw(model, np.c_[x, y].astype(str)), r"X must have the shape \(n, 2\)"),
        (lambda: draw(model, np.array([["1", "a"]])), "X must hold numbers"),
        (lambda: draw(model, x, y[:5]), r"y must have the shape \(600,\)"),
        (lambda: draw(model, x, y + 5), "labels that the model does not know"),
        (lambda: draw(model, x, y, clusters=[1, 2]), r"clusters must have the shape \(600,\)"),
        (lambda: draw(model, x, y, resolution=1), "resolution must be a whole number >= 2"),
        (lambda: dcsvm.plotting.convergence({}), "history must be"),
        (lambda: dcsvm.plotting.convergence(dcsvm.History()), "the history is empty"),
        (lambda: dcsvm.plotting.convergence([1]), "history must be a dcsvm.History"),
        (lambda: dcsvm.plotting.levels(model), "no levels"),
        (lambda: dcsvm.plotting.levels(3), "report must be a dcsvm.Report"),
        (lambda: dcsvm.plotting.grid(model), "found must be what dcsvm.cross_validate returns"),
        (lambda: dcsvm.plotting.race(model), "found must be what dcsvm.tune returns"),
        (lambda: dcsvm.plotting.roc(dcsvm.train(x, np.floor(x[:, 0])), x, y), "two classes, and this model has 4"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
    assert not plt.get_fignums(), "no empty figure is left"


def test_convergence_is_the_history():
    x, y = dcsvm.datasets.make_checkerboard(8000, noise=0.2, random_state=0)
    named = {}
    for name in ("smo", "dc"):
        named[name] = dcsvm.History()
        dcsvm.train(x, y, C=100, gamma=4, solver=name, callback=named[name])
    display = dcsvm.plotting.convergence(named)
    assert display.ax_.get_yscale() == "log"
    lines = display.artists_["violation"]
    assert [line.get_label() for line in lines] == ["smo: KKT violation", "dc: KKT violation"]
    records = [r for r in named["smo"].records if r["violation"] > 0]
    np.testing.assert_array_equal(lines[0].get_xydata(), [(r["seconds"], r["violation"]) for r in records])
    assert (lines[0].get_ydata()[-1]) < 1e-3, "the certificate of the report"
    ends = [line.get_ydata()[-1] for line in display.artists_["support"]]
    # A fast machine solves the whole problem before it is time to report on it: such a history has no line.
    seen = [
        name for name in named if any(r["phase"] == "solve" and r["total"] == 1 and r["active"] > 0 for r in named[name].records)
    ]
    assert ends == [named[name].records[-1]["n_support"] for name in seen], "of the models"
    assert "smo" in seen
    assert display.artists_["support_axes"].get_ylabel() == "support vectors"
    assert "smo: support vectors" in [text.get_text() for text in display.ax_.get_legend().get_texts()]
    gap = display.artists_["objective"][0].get_ydata()
    assert (gap > 0).all()
    assert gap[-1] < gap[0]


def test_convergence_of_a_training_without_objective():
    nothing = {"level": 0, "done": 1, "total": 4, "n_iter": 0, "violation": 0.0, "objective": 0.0, "active": 0, "n_support": 0}
    history = dcsvm.History()
    history({**nothing, "phase": "leaves", "seconds": 0.1})
    history({**nothing, "phase": "newton", "seconds": 0.2, "violation": 0.5})
    display = dcsvm.plotting.convergence(history)
    assert display.artists_["objective"] == display.artists_["support"] == []
    assert display.artists_["support_axes"] is None
    assert display.artists_["violation"][0].get_xydata().tolist() == [[0.2, 0.5]]


def test_levels_are_those_of_the_report():
    x, y = dcsvm.datasets.make_checkerboard(3000, random_state=0)
    model = dcsvm.train(x, y, C=10, gamma=4, solver="dc", n_levels=2, sample_size=300)
    display = dcsvm.plotting.levels(model)
    assert [bar.get_height() for bar in display.artists_["levels"]] == [v["n_support"] for v in model.report.levels]
    assert set(display.artists_["model"].get_ydata()) == {model.report.n_support}
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["level 2", "level 1", "refine"]


def test_the_race_is_the_trials(plane):
    x, y, _ = plane
    found = dcsvm.tune(x, y, C=[1, 10, 100], gamma=[1, 4], cv=3, min_rows=100)
    display = dcsvm.plotting.race(found)
    drawn = [tuple(point) for line in display.artists_["trials"] for point in line.get_xydata()]
    best = [tuple(point) for point in display.artists_["best"].lines[0].get_xydata()]
    of_best = [all(t[name] == value for name, value in found.best_params.items()) for t in found.trials]
    assert sorted(drawn) == sorted(
        (t["rows"], t["score"]) for t, is_best in zip(found.trials, of_best, strict=True) if not is_best
    )
    assert best == [(t["rows"], t["score"]) for t, is_best in zip(found.trials, of_best, strict=True) if is_best]
    assert best[-1][1] == found.best_score


def test_the_race_of_an_estimator_is_its_results(plane):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    x, y, _ = plane
    model = dcsvm.SVCCV(C=[1, 10, 100], gamma=[1, 4], cv=3, min_rows=100, random_state=0).fit(x, y)
    results, drawn = model.cv_results_, dcsvm.plotting.race(model).artists_
    best = drawn["best"].lines[0].get_xydata()
    np.testing.assert_array_equal(best[-1], [results[name][model.best_index_] for name in ("n_resources", "mean_test_score")])
    points = [tuple(point) for line in (*drawn["trials"], drawn["best"].lines[0]) for point in line.get_xydata()]
    assert sorted(points) == sorted(zip(results["n_resources"], results["mean_test_score"], strict=True))
    lower, upper = (cap.get_ydata()[-1] for cap in drawn["best"].lines[1])
    of_folds = [results[f"split{i}_test_score"][model.best_index_] for i in range(3)]
    assert upper - lower == pytest.approx(2 * np.std(of_folds, ddof=1) / np.sqrt(3))
    with pytest.raises(ValueError, match=r"or a fitted SVCCV, NuSVCCV or SVRCV, got SVCCV"):
        dcsvm.plotting.race(dcsvm.SVCCV())


def test_the_heat_map_is_the_grid(plane):
    x, y, _ = plane
    found = dcsvm.cross_validate(x, y, C=[0.1, 1, 10], gamma=[0.25, 4], cv=3)
    display = dcsvm.plotting.grid(found)
    np.testing.assert_array_equal(display.artists_["scores"].get_array(), found.mean_scores)
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["0.1", "1", "10"]
    g, c = np.unravel_index(found.mean_scores.argmax(), found.mean_scores.shape)
    assert display.artists_["best"].get_xy() == (c - 0.5, g - 0.5)


def test_cost_and_the_curves_own_method_are_the_same(plane):
    x, y, _ = plane
    curve = dcsvm.cost_curve(x[:400], y[:400], x[400:], y[400:], budgets=("16x", 32), gamma=4)
    assert curve.budgets.tolist() == [16, 32]
    display = dcsvm.plotting.cost(curve, against="times")
    np.testing.assert_array_equal(display.artists_["scores"].get_xydata(), np.c_[curve.times, curve.scores])
    np.testing.assert_array_equal(curve.plot().lines[0].get_xydata(), np.c_[curve.costs, curve.scores])
    several = dcsvm.plotting.cost({"one": curve, "again": curve})
    assert [line.get_label() for line in several.artists_["scores"]] == ["one", "again"]
    assert len({line.get_color() for line in several.artists_["scores"]}) == 2
    assert [t.get_text() for t in several.ax_.get_legend().get_texts()] == ["one", "again"]
    with pytest.raises(ValueError, match="must have the same score, got no curves"):
        dcsvm.plotting.cost({})
    with pytest.raises(ValueError, match="must have the same score, got accuracy, root mean squared error"):
        dcsvm.plotting.cost({"one": curve, "other": replace(curve, score_name="root mean squared error")})
    with pytest.raises(ValueError, match="against must be one of 'costs', 'times'"):
        curve.plot(against="money")


def test_roc_is_scikit_learns(plane):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    x, y, model = plane
    display = dcsvm.plotting.roc(model, x, y, name="exact")
    assert isinstance(display, metrics.RocCurveDisplay)
    assert display.roc_auc == pytest.approx(metrics.roc_auc_score(y, model.decision_function(x)))


def test_without_matplotlib_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import dcsvm\n"
        "x, y = dcsvm.datasets.make_checkerboard(100)\n"
        "try: dcsvm.plotting.decision_regions(dcsvm.train(x, y), x, y)\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "dcsvm.plotting needs matplotlib: pip install '.[plot]' in a checkout of dcsvm" in done.stdout


def test_levels_with_what_was_kept():
    x, y = dcsvm.datasets.make_checkerboard(1200, random_state=0)
    model = dcsvm.train(x, y, C=10, gamma=4, solver="dc", n_levels=2, keep_levels=True)
    ax = dcsvm.plotting.levels(model).ax_
    share = model.levels_[0].found(model.support_)
    assert ax.texts[0].get_text().endswith(f"{share[0]:.0%} / {share[1]:.0%}")
