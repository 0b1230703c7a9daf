"""What a type checker sees of the package, and what importing it loads."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import dcsvm


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """What mypy says of a text; all of them share one cache."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    folder = tmp_path_factory.mktemp("checked")

    def lines(text):
        (folder / "user.py").write_text(text)
        command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(folder / "cache"), "user.py"]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout.splitlines()

    return lines


def test_mypy_knows_every_name_and_no_other(checked):
    names = sorted(dcsvm._HOME)
    text = "import dcsvm\n" + "\n".join(f"dcsvm.{name}" for name in names) + "\ndcsvm.tran\n"
    errors = checked(text)
    assert len(errors) == 1, errors
    assert errors[0].startswith(f'user.py:{len(names) + 2}: error: Module has no attribute "tran"')


def test_names_are_exported_as_pyright_wants_it():
    """Of a package with py.typed, pyright takes what is imported under its own name again; the loader reads the same lines."""
    tree = ast.parse(Path(dcsvm.__file__).with_suffix(".pyi").read_text())
    names = [(a.name, a.asname) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for a in node.names]
    assert sorted(dcsvm._HOME) == sorted(name for name, again in names if name == again) == sorted(name for name, _ in names)


def test_options_of_graphs_are_literals(checked):
    text = "import dcsvm\nmodel = dcsvm.SVC().fit([[0.0], [1.0]], [0, 1])\n"
    text += 'model.to_onnx(op="plane")\nmodel.model_.to_onnx(dtype="double")\nmodel.to_onnx("a.onnx", op="ml", dtype="float32")\n'
    errors = checked(text)
    assert [error.split(":")[1] for error in errors if ": error:" in error] == ["3", "4"], errors


def test_fit_returns_the_class_that_it_was_called_on(checked):
    lines = ["import dcsvm", "class Own(dcsvm.SVC): ..."]
    classes = ["Own", *(f"dcsvm.{name}" for name in sorted(dcsvm._ESTIMATORS - {"FourierFeatures", "TwoStepNormalizer"}))]
    lines += [f"reveal_type({name}().fit([[0.0], [1.0]], [0, 1]))" for name in classes]
    revealed = checked("\n".join(lines) + "\n")
    assert len(revealed) == len(classes), revealed
    for name, line in zip(classes, revealed, strict=True):
        assert f'{name.rpartition(".")[2]}"' in line, line


def test_the_callback_of_a_training_is_given_a_progress(checked):
    text = """\
import dcsvm

def watch(progress: dcsvm.Progress) -> bool:
    return progress.violation < 1e-2

dcsvm.train([[0.0], [1.0]], [0, 1], callback=watch)
dcsvm.train([[0.0], [1.0]], [0, 1], callback=dcsvm.History())
dcsvm.train([[0.0], [1.0]], [0, 1], callback=3)
"""
    errors = checked(text)
    assert len(errors) == 1, errors
    assert 'user.py:8: error: Argument "callback" to "train" has incompatible type "int"' in errors[0]


def test_misspelt_parameters_are_errors_and_the_best_ones_are_not(checked):
    text = """\
import dcsvm

X, y = dcsvm.datasets.make_checkerboard(100)
found = dcsvm.cross_validate(X, y, C=[1, 10], gamma=[1, 4])
dcsvm.train(X, y, **found.best_params)
dcsvm.train_linear(X, y, **dcsvm.linear_path(X, y).best_params)
dcsvm.train(X, y, solver="rand", n_support_estimate=50)
dcsvm.train(X, y, gama=4)
dcsvm.cross_validate(X, y, CC=[1])
dcsvm.cross_validate(X, y, kernel="rbff")
dcsvm.linear_path(X, y, to=1)
dcsvm.cross_validate(X, y, C=X[0], gamma=X[0], kernel="rbf", n_support_estimate=3, class_weight="balanced")
dcsvm.linear_path(X, y, C=X[0], bias=-1)
dcsvm.train(X, y, solver="cascade", cascade_leavs=4)
dcsvm.train_linear_file("a", too=1)
dcsvm.train_low_rank_file("a", gama=4)
dcsvm.train_low_rank_batches([(X, y)], gama=4)
dcsvm.low_rank_path(X, y, [1], gama=4)
dcsvm.compress(dcsvm.train(X, y), X, gamma=4)
dcsvm.cost_curve(X, y, X, y, n_pases=3)
dcsvm.cost_curve(X, y, X, y, method="ldkl", n_landmarks=3)
dcsvm.cost_curve(X, y, X, y, C=1, gamma=4, budgets=[12], landmarks="kmeans")
dcsvm.cost_curve(X, y, X, y, regression=True, alpha=1.0)
dcsvm.cost_curve(X, y, X, y, method="low_rank", landmarks="greedy", loss="squared_hinge")
dcsvm.cost_curve(X, y, X, y, method="ldkl", n_passes=3, budgets=24)
dcsvm.train(X, y, C=1, gamma=4, callback=dcsvm.History(), solver="rand", rand_delta=0.5)
dcsvm.train_low_rank_file("a", C=1, budget="12x", callback=print)
"""
    errors = checked(text)
    wrong = [str(line) for line in (*range(8, 12), *range(14, 22))]
    assert list(dict.fromkeys(error.split(":")[1] for error in errors if ": error:" in error)) == wrong, errors
    assert 'user.py:8: error: Unexpected keyword argument "gama" for "train"' in errors[0]


def test_parameters_that_a_cluster_hands_on():
    pytest.importorskip("distributed", reason="Dask is not installed")
    from dcsvm.dask import _cross_validate

    own, local = (set(inspect.signature(f).parameters) for f in (_cross_validate.cross_validate, dcsvm.cross_validate))
    assert local - own == {*_cross_validate._NOT_HERE, "verbose"}, "TrainOptions has what the local one does not take itself"


def test_estimators_are_public_where_scikit_learn_is_installed():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    assert set(dcsvm.__all__) >= dcsvm._ESTIMATORS
    assert len(dcsvm.__all__) == len(set(dcsvm.__all__))


def test_importing_loads_nothing_that_is_not_needed():
    heavy = {"sklearn", "scipy", "tqdm", "matplotlib", "pandas", "dask", "distributed", "argparse", "ctypes.util"}
    code = "import sys, numpy; before = set(sys.modules); import dcsvm; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert heavy.isdisjoint(done.stdout.split())
