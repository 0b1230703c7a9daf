"""A notebook, executed by a Jupyter kernel: progress, what objects show, and plots."""

import base64
import struct
import zlib
from html.parser import HTMLParser

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")
pytest.importorskip("sklearn", reason="scikit-learn is not installed")

CELLS = {
    "setup": """
import dcsvm
X, y = dcsvm.datasets.make_checkerboard(3000, noise=0.1, random_state=0)
history = dcsvm.History()
""",
    "verbose": "model = dcsvm.train(X, y, C=100, gamma=4, solver='dc', n_levels=1, callback=history, verbose=True)",
    "model": "model",
    "report": "model.report",
    "history": "history",
    "search": "found = dcsvm.cross_validate(X, y, C=[1, 10], gamma=[1, 4], cv=3)\nfound",
    "printed": "print(repr(model))",
    "estimator": "dcsvm.SVC(C=10, gamma=4).fit(X, y)",
    "convergence": "dcsvm.plotting.convergence(history);",
    "regions": "dcsvm.plotting.decision_regions(model, X, y);",
    "grid": "dcsvm.plotting.grid(found);",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What each cell shows, by the cell's name."""
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS.values()])
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "MPLCONFIGDIR"):
            patch.setenv(name, str(folder))
        patch.delenv("MPLBACKEND", raising=False)
        place = {"metadata": {"path": str(folder)}}
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=place).execute()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=True)}


def shown(outputs, kind):
    """The one output of this MIME type."""
    found = [out["data"][kind] for out in outputs if kind in out.get("data", {})]
    assert len(found) == 1, outputs
    return found[0]


def printed(outputs, stream):
    return "".join(out["text"] for out in outputs if out.get("name") == stream)


def test_a_bar_shows_progress_and_a_line_stays(outputs):
    bars = [out for out in outputs["verbose"] if "application/vnd.jupyter.widget-view+json" in out.get("data", {})]
    lines = printed(outputs["verbose"], "stdout").splitlines()
    assert bars or len(lines) > 1, outputs["verbose"]  # without ipywidgets there are lines
    assert lines[-1].split()[1:3] == ["s", "done"], lines
    assert not printed(outputs["verbose"], "stderr"), "notebooks show it in red"


@pytest.mark.parametrize("cell", ["model", "report", "history", "search", "estimator"])
def test_objects_show_html_and_text(outputs, cell):
    html = shown(outputs[cell], "text/html")
    assert "dcsvm" in html or "SVC" in html
    HTMLParser().feed(html)
    text = shown(outputs[cell], "text/plain")
    assert len(text.splitlines()) <= 5
    assert ("SVC(" if cell == "estimator" else "<dcsvm.") in text


def test_print_shows_the_text(outputs):
    assert printed(outputs["printed"], "stdout").startswith("<dcsvm.Model: ")


@pytest.mark.parametrize("cell", ["convergence", "regions", "grid"])
def test_plots_are_pictures_with_something_on_them(outputs, cell):
    pixels = base64.b64decode(shown(outputs[cell], "image/png"))
    assert pixels[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", pixels[16:24])
    assert min(width, height) > 200
    assert len(set(image_rows(pixels))) > height / 4, "most rows differ from each other"


def image_rows(png):
    """The compressed picture's rows, still filtered."""
    at, parts = 8, []
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        parts.append(png[at + 8 : at + 8 + size] if kind == b"IDAT" else b"")
        at += 12 + size
    data = zlib.decompress(b"".join(parts))
    height = struct.unpack(">I", png[20:24])[0]
    step = len(data) // height
    return [data[i * step : (i + 1) * step] for i in range(height)]
