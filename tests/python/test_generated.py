"""What is made from the declarations of the parameters is what running the program makes now."""

import ast
import importlib
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


def test_the_sections_of_a_docstring_are_replaced_or_added(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    put = importlib.import_module("generate.class_docs")._with_sections
    made = "    Parameters\n    ----------\n    C : float\n"
    alone = f'    """Some.\n\n{made}    """\n'
    assert put('    """Some."""\n', made) == put('    """Some.\n    """\n', made) == put(alone, made) == alone
    before = '    """Some.\n\n    Examples\n    --------\n    >>> 1\n    1\n    """\n'
    both = before.replace("    Examples", f"{made}\n    Examples")
    assert put(before, made) == put(both, made) == put(both.replace("C :", "nu :"), made) == both
