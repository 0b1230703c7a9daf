"""What is made from the declarations of the parameters is what running the program makes now."""

import ast
import importlib
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_running_the_program_changes_nothing(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    generate = __import__("generate")
    made = dict(generate.files())
    assert len(made) >= 14, sorted(made)
    stale = [str(path.relative_to(ROOT)) for path, text in made.items() if not path.exists() or path.read_text() != text]
    assert not stale, "run python -m generate"


def test_editors_see_the_parameters_of_an_estimator_without_running_code():
    source = ast.parse((ROOT / "python/dcsvm/estimators/_svc.py").read_text())
    docs = {node.name: ast.get_docstring(node) for node in source.body if isinstance(node, ast.ClassDef)}
    assert "C : float > 0, default=1.0" in docs["SVC"]
    assert docs["SVC"].index("Parameters\n---") < docs["SVC"].index("Attributes\n---") < docs["SVC"].index("See Also\n---")


def test_editors_see_what_a_method_takes_and_returns_without_running_code():
    for path, cls, method in (("estimators/_classifier.py", "BaseSVC", "fit"), ("_svm/model.py", "Model", "predict")):
        source = ast.parse((ROOT / "python/dcsvm" / path).read_text())
        body = next(node.body for node in source.body if isinstance(node, ast.ClassDef) and node.name == cls)
        doc = next(ast.get_docstring(node) for node in body if isinstance(node, ast.FunctionDef) and node.name == method)
        assert doc.index("Parameters\n---") < doc.index("Returns\n---") < doc.index("Raises\n---")


def test_the_sections_of_a_docstring_are_replaced_or_added(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    put = importlib.import_module("generate.numpydoc").with_sections
    made = {"Parameters": ["C : float\n    Price.", "n : int\n    Rows."]}
    text = "    Parameters\n    ----------\n    C : float\n        Price.\n    n : int\n        Rows.\n"
    alone = f'    """Some.\n\n{text}    """\n'
    assert put('    """Some."""\n', made) == put('    """Some.\n    """\n', made) == put(alone, made) == alone
    before = '    """Some.\n\n    Examples\n    --------\n    >>> 1\n    1\n    """\n'
    both = before.replace("    Examples", f"{text}\n    Examples")
    assert put(before, made) == put(both, made) == put(both.replace("C :", "nu :"), made) == both
    of_method = textwrap.indent(both, "    ")
    assert put(of_method.replace("C :", "nu :"), made) == of_method
