"""dcsvm bench: the user's data, by dcsvm and by its peers, judged alike."""

import re

import numpy as np
import pytest

import dcsvm
from _command import error, ok
from dcsvm._bench import quality
from dcsvm._bench.fits import Problem
from dcsvm._bench.peers import KERNEL, LINEAR

pytest.importorskip("scipy", reason="scipy is not installed")


def rows(text):
    """Label -> cells of the table."""
    lines = text.split("\n\n")[1].splitlines()
    starts = [m.start() for m in re.finditer(r"\S+( \S+)*", lines[0])]
    cells = [[line[a:b].strip() for a, b in zip([0, *starts], [*starts, None], strict=True)] for line in lines]
    return {label: dict(zip(cells[0][1:], values, strict=True)) for label, *values in cells[1:]}


def there(peers, *names):
    return {peer.label: peer for name, peer in peers.items() if name in names and peer.version()}


def data(folder, n_classes=2, form="txt"):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4)) * [1, 2, 3, 4]
    y = np.digitize(x[:, 0] + 0.3 * rng.normal(size=300), [0.0] if n_classes == 2 else [-0.5, 0.5])
    if form == "csv":
        names = np.array(["low", "middle", "high"])[y]
        (folder / "d.csv").write_text(
            "".join(",".join([name, *map(repr, row)]) + "\n" for name, row in zip(names, x.tolist(), strict=True))
        )
    else:
        dcsvm.save_svmlight(folder / "d.txt", x, y)
    return x, y


@pytest.mark.parametrize("options", [{}, {"formulation": "nu_svc", "nu": 0.3}, {"formulation": "one_class", "nu": 0.2}])
def test_every_peer_solves_the_same_problem(tmp_path, options):
    x, y = data(tmp_path, n_classes=3)
    given = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    out = ok(tmp_path, "bench", "d.txt", "-C", 10, "--tol", 1e-4, *given, "--peers", "dcsvm", "libsvm", "sklearn", "--n-jobs", 1)
    found = rows(out.stdout)
    assert found.keys() == there(KERNEL, "dcsvm", "libsvm", "sklearn").keys()
    model = dcsvm.train(x, y, C=10, tol=1e-4, **options)
    of = {"C": 10.0, "gamma": model.gamma, **{k: v for k, v in options.items() if k == "nu"}}
    problem = Problem("d", x, np.asarray(y, float), params=of, formulation=options.get("formulation", "c_svc"))
    own = quality.measure(problem, quality.from_alpha(model.classes_, model.alpha))
    for cells in found.values():
        assert float(cells["objective"]) == pytest.approx(own.objective, rel=1e-3)
        assert float(cells["violation"]) < 2e-4
        assert float(cells["seconds"]) > 0
    assert float(found["dcsvm"]["times dcsvm's"]) == 1
    assert f"gamma={model.gamma:.6g}" in out.stdout, "one number for all"


def test_names_of_classes_and_repeats(tmp_path):
    x, y = data(tmp_path, n_classes=3, form="csv")
    done = ok(tmp_path, "bench", "d.csv", "--kernel", "linear", "--repeat", 2, "--peers", "dcsvm", "sklearn", "--n-jobs", 1)
    found = rows(done.stdout)
    for cells in found.values():
        assert float(cells["objective"]) == pytest.approx(dcsvm.train(x, y, kernel="linear").report.objective, rel=1e-3)
    assert "gamma" not in done.stdout
    assert done.stderr.count("dcsvm ...") == 2


@pytest.mark.parametrize("n_classes", [2, 3])
def test_linear(tmp_path, n_classes):
    x, y = data(tmp_path, n_classes)
    found = rows(ok(tmp_path, "bench", "d.txt", "--linear", "-C", 3, "--tol", 1e-6, "-q", "--n-jobs", 1).stdout)
    assert found.keys() == there(LINEAR, *LINEAR).keys()
    model = dcsvm.train_linear(x, y, C=3, solver="squared_hinge", tol=1e-6)
    for cells in found.values():
        assert float(cells["objective"]) == pytest.approx(model.report.primal_objective, rel=1e-6)
        assert abs(float(cells["violation"])) < 1e-5
    weights = np.vstack([model.coef_.T, model.intercept_])
    problem = Problem("d", x, y.astype(float), params={"C": 3.0})
    objective, gap = quality.measure_linear(problem, weights)
    assert objective == pytest.approx(model.report.primal_objective, rel=1e-9)
    worse, wider = quality.measure_linear(problem, 1.2 * weights)
    assert worse > objective
    assert wider > max(gap, 1e-4), "no solution"
    assert worse * (1 - wider) < objective, "the dual is below every primal"


def test_a_peer_that_fails_or_takes_too_long_is_a_row(tmp_path):
    data(tmp_path)
    found = rows(ok(tmp_path, "bench", "d.txt", "--peers", "dcsvm", "--time-limit", 0.001).stdout)
    assert found["dcsvm"]["seconds"] == "over 0.001 s"
    found = rows(ok(tmp_path, "bench", "d.txt", "--peers", "dcsvm", "--formulation", "nu_svc", "--nu", 0.9999).stdout)
    assert "nu" in found["dcsvm"]["seconds"]


def test_what_is_absent_is_named(tmp_path):
    data(tmp_path)
    out = ok(tmp_path, "bench", "d.txt", "-q").stdout
    for peer in KERNEL.values():
        assert (f"{peer.label} (pip install {peer.package})" in out) is (peer.version() is None)
    (tmp_path / "text.csv").write_text("a,1\nb,2\n")
    assert "needs numbers as targets" in error(tmp_path, "bench", "text.csv", "--formulation", "epsilon_svr")
