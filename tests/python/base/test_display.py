"""What objects show: a text of at most five lines, a table for notebooks, and reports as dicts, frames and JSON."""

import json
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import dcsvm


@pytest.fixture(scope="module")
def shown():
    x, y = dcsvm.datasets.make_checkerboard(1500, noise=0.05, random_state=0)
    exact = dcsvm.train(x, y, C=10, gamma=4, solver="dc", n_levels=2, sample_size=200)
    fast = dcsvm.train_dc_pred(x, y, C=10, gamma=4, n_leaves=4)
    low_rank = dcsvm.train_low_rank(x, y, C=10, gamma=4, n_landmarks=50)
    least_squares = dcsvm.train_ls_svm(x, y, gamma=4.0)
    tree = dcsvm.train_ldkl(x, y, depth=3, n_passes=10)
    models = {"Model": exact, "DCPredModel": fast, "LDKLModel": tree, "LowRankModel": low_rank, "LsSvmModel": least_squares}
    return {
        **models,
        **{type(m.report).__name__: m.report for m in models.values()},
        "CrossValidation": dcsvm.cross_validate(x, y, C=[1, 10], gamma=[1, 4, 16], cv=3),
        "CostCurve": dcsvm.cost_curve(x[:1000], y[:1000], x[1000:], y[1000:], budgets=(16, 32), gamma=4),
        "early": dcsvm.train(x, y, C=10, gamma=4, early_level=1),
    }


NAMES = ["Model", "DCPredModel", "LowRankModel", "LsSvmModel", "Report", "DCPredReport", "LowRankReport", "LsSvmReport"]
NAMES += ["LDKLModel", "LDKLReport"]
NAMES += ["CrossValidation", "CostCurve", "early"]


class Balanced(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def parsed(html):
    parser = Balanced()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser


@pytest.mark.parametrize("name", NAMES)
def test_the_representation_has_at_most_five_lines(shown, name):
    lines = repr(shown[name]).splitlines()
    assert len(lines) <= 5
    assert max(map(len, lines)) <= 120
    assert lines[0].startswith(f"<dcsvm.{type(shown[name]).__name__}: ")
    assert lines[-1].endswith(">")


@pytest.mark.parametrize("name", NAMES)
def test_the_html_is_well_formed_and_says_what_the_text_says(shown, name):
    thing = shown[name]
    html = parsed(thing._repr_html_())
    text = " ".join(html.text)
    assert type(thing).__name__ in text
    facts = thing.report._facts() if hasattr(thing, "report") else thing._facts()
    for fact, value in facts:
        assert fact in html.text
        assert value in html.text


def test_a_report_shows_phases_and_levels(shown):
    report = shown["Report"]
    html = report._repr_html_()
    widths = [float(part.split("%")[0]) for part in html.split('" style="width:')[1:]]
    assert 50 < sum(widths) <= 100.5, "parts of the total"
    assert all(f"{name} {report.seconds[name]:.2f} s" in html for name in ("levels", "solve"))
    assert "solve.inner" not in html.split("display:flex")[1], "a part of solve"
    assert [str(v["n_support"]) in html.replace(",", "") for v in report.levels] == [True] * len(report.levels)


def test_the_grid_is_a_table_whose_best_cell_is_coloured_most(shown):
    found = shown["CrossValidation"]
    html = found._repr_html_()
    cells = html.split("<table")[2].split("<td")[1:]
    assert len(cells) == 3 * (2 + 1)
    strength = {float(c.split(">")[1].split("<")[0]): float(c.split("208,")[1].split(")")[0]) for c in cells if "208," in c}
    assert strength[round(found.best_score, 4)] == max(strength.values()) == 0.6
    single = dcsvm.cross_validate(*dcsvm.datasets.make_checkerboard(200), gamma=4)
    assert "nan" not in single._repr_html_(), "one cell has no range"


def test_hostile_texts_are_escaped():
    from dcsvm._shown.display import bar, section, table, table_of

    nasty = "<script>alert('x')</script>&"
    for html in (section(nasty, ""), table([[nasty, nasty]], [nasty, nasty]), bar({nasty: 1.0}), table_of([{nasty: nasty}])):
        assert "script" not in parsed(html).tags
    assert bar({}) == bar({"total": 0.0}) == ""


@pytest.mark.parametrize("name", ["Report", "DCPredReport", "LDKLReport", "LowRankReport", "LsSvmReport"])
def test_a_report_as_dict_json_and_frame(shown, name):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    report = shown[name]
    fields = report.to_dict()
    assert list(fields) == [name for name in vars(report) if not name.startswith("_")]
    assert not any(isinstance(v, np.ndarray) for v in fields.values())
    fields["seconds"]["total"] = -1.0
    assert report.seconds["total"] > 0, "a copy"
    read = json.loads(report.to_json())
    assert read["seconds"] == report.seconds
    assert read["stop_reason"] == report.stop_reason
    assert "\n" in report.to_json(indent=2)
    frame = report.to_frame()
    assert len(frame) == 1
    assert frame["seconds.total"][0] == report.seconds["total"]
    assert len(pd.concat([frame, frame])) == 2


def test_records_as_frames(shown):
    pytest.importorskip("pandas", reason="pandas is not installed")
    report = shown["Report"]
    levels = report.to_frame("levels")
    assert levels["n_support"].tolist() == [v["n_support"] for v in report.levels]
    assert report.to_frame("problems")["objective"].tolist() == [p["objective"] for p in report.problems]
    with pytest.raises(
        ValueError, match=r"of must be one of 'summary', 'levels', 'problems', 'warnings'; got 'level' \(did you mean 'levels'"
    ):
        report.to_frame("level")


def test_json_has_no_infinity(shown):
    x, y = dcsvm.datasets.make_checkerboard(300)
    unknown = dcsvm.train_ls_svm(x, y, method="nystrom", gamma=4.0).report
    assert np.isinf(unknown.residual)
    assert json.loads(unknown.to_json())["residual"] is None


def test_without_pandas_only_the_frame_fails():
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "import dcsvm\n"
        "report = dcsvm.train(*dcsvm.datasets.make_checkerboard(100)).report\n"
        "report._repr_html_(), report.to_json(), repr(report)\n"
        "try: report.to_frame()\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pandas" in done.stdout


def test_notebooks_complete_what_a_report_has():
    jedi = pytest.importorskip("jedi", reason="jedi is not installed")
    model = dcsvm.train(*dcsvm.datasets.make_checkerboard(100))
    found = jedi.Interpreter("model.report.viol", [{"model": model}]).complete()
    assert [completion.name for completion in found] == ["violation"]
    assert "KKT" in type(model.report).violation.__doc__
    with pytest.raises(AttributeError, match="'Report' object has no attribute 'violation'"):
        object.__new__(type(model.report)).violation  # noqa: B018  # an object without its values


def test_the_shown_name_is_where_users_import_the_class_from():
    import dcsvm.dask
    from dcsvm._shown.display import Shown, _public_name

    def below(cls):
        return [one for child in cls.__subclasses__() for one in (child, *below(child))]

    of_users = [getattr(module, name) for module in (dcsvm, dcsvm.dask) for name in module.__all__]
    names = {_public_name(cls): cls for cls in below(Shown) if cls in of_users}
    assert {"dcsvm.Report", "dcsvm.dask.DistributedReport", "dcsvm.dask.DistributedLowRankReport"} <= names.keys()
    for name, cls in names.items():
        module, _, own = name.rpartition(".")
        assert getattr(sys.modules[module], own) is cls
