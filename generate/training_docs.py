"""The section Parameters in the docstrings of the trainings: every parameter has an entry, with the default of the signature.

What an entry says stays. A parameter without one comes behind the entry of that which stands before it in the signature, with the
core's sentence.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import indent

from dcsvm._input.parameters import DECLARED_AS, Parameter, parameters_of

from .numpydoc import entry
from .parameters_page import TRAININGS

_HEAD = re.compile(r"^    (\w+(?:, \w+)*)( : .*)?$")
_DEFAULT = re.compile(r"^    \w+ : .*default=(.*)$")  # of an entry of one parameter


def files(root: Path) -> Iterator[tuple[str, str]]:
    texts: dict[str, str] = {}
    for function, kind in TRAININGS.items():
        room, file = Path(inspect.unwrap(function).__code__.co_filename).parts[-2:]
        path = f"python/dcsvm/{room}/{file}"
        texts[path] = _completed(texts.get(path) or (root / path).read_text(), function, parameters_of(kind))
    yield from texts.items()


def _completed(text: str, function: Callable[..., object], declared: dict[str, Parameter]) -> str:
    lines = text.split("\n")
    doc = next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == function.__name__).body[0]
    first = lines.index("    Parameters", doc.lineno, doc.end_lineno) + 2  # behind the line of dashes
    here = first  # the line behind the entry of the parameter before
    for name, argument in inspect.signature(function).parameters.items():
        end = lines.index("", first)
        found = next((i for i in range(first, end) if (head := _HEAD.match(lines[i])) and name in head[1].split(", ")), None)
        if found is None:
            found = here
            lines[found:found] = _entry(name, argument, declared[DECLARED_AS.get(name, name)])
        elif (said := _DEFAULT.search(lines[found])) and ast.literal_eval(said[1]) != argument.default:
            lines[found] = f"{lines[found][: said.start(1)]}{argument.default!r}"
        here = found + 1
        while lines[here].startswith("     "):
            here += 1
    return "\n".join(lines)


def _entry(name: str, argument: inspect.Parameter, p: Parameter) -> list[str]:
    kind = f"{p.type}{' or None' * (argument.default is None)}, default={argument.default!r}"
    return indent(entry(name, kind, f"{p.text[0].upper()}{p.text[1:]}."), "    ").split("\n")
