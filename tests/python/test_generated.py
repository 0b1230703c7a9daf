"""What is made from the declarations of the parameters is what running the program makes now."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_running_the_program_changes_nothing(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    generate = __import__("generate")
    made = dict(generate.files())
    assert len(made) >= 14, sorted(made)
    stale = [str(path.relative_to(ROOT)) for path, text in made.items() if not path.exists() or path.read_text() != text]
    assert not stale, "run python -m generate"
