"""Law 11 of ARCHITECTURE.md, read off the imports of the Python half.

Rooms are the folders and modules of python/dcsvm, in the order in which they stand on each other.
"""

import ast
import graphlib
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "dcsvm"
ROOMS = ["_core", "_input", "_shown", "_model_file", "_graphs", "_model"]  # each imports those before it
PYTHON_FAMILIES = ["_svm", "_linear", "_low_rank", "_ldkl", "_least_squares", "_dc_pred"]  # import ROOMS
TAKEN = {
    "_least_squares": {"_svm.model"},
    "_dc_pred": {"_svm.model"},
}  # the models that a family returns or takes besides its own
# What stands above them imports ROOMS, and the rooms that are listed here.
ABOVE: dict[str, set[str]] = {
    "_load_model": {*PYTHON_FAMILIES},
    "_from_sklearn": {"_svm"},
    "plotting": set(),
    "_search": {*PYTHON_FAMILIES, "plotting"},
    "estimators": {*PYTHON_FAMILIES, "_load_model", "_search"},
    "onnx": {"_least_squares", "estimators"},
    "patched": {"estimators"},
    "_patch": {"patched"},
    "_distributed": {"_svm", "_linear", "_low_rank"},
    "dask": {"_svm", "_linear", "_search", "estimators", "_distributed"},
    "_datasets": set(),
    "datasets": {"_datasets"},
    "_installed": set(),
    "commonutil": set(),
    "_c_faces": {"commonutil"},
    "svm": {"_c_faces", "_installed"},
    "svmutil": {"_c_faces", "commonutil", "svm"},
    "liblinear": {"_c_faces", "_installed"},
    "liblinearutil": {"_c_faces", "commonutil", "liblinear"},
}
# Names every room but the command and its comparison with peers, which take what users take.
FACE, COMMAND = "dcsvm", {"_bench", "_command", "__main__"}


def python_modules() -> dict[str, Path]:
    """Name within the package -> file; the package's own is "". The extension, and what has names alone, is its stub."""
    sources = sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")])  # a stub comes after its module, and counts
    files = {file.with_suffix("").relative_to(PACKAGE).as_posix(): file for file in sources}
    named = {name.removesuffix("__init__").rstrip("/").replace("/", "."): file for name, file in files.items()}
    assert "_core" in named
    return named


def python_imports(name: str, file: Path, modules: dict[str, Path]) -> set[str]:
    """The modules of the package that one imports: also inside functions, and for type checkers alone."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {a.name.removeprefix("dcsvm").lstrip(".") for a in node.names if a.name.partition(".")[0] == "dcsvm"}
        elif isinstance(node, ast.ImportFrom):
            folder = name.split(".") if name else []
            if node.level:
                up = node.level - (file.stem == "__init__")
                base = ".".join([*folder[: len(folder) - up], *filter(None, [node.module])])
            elif (node.module or "").partition(".")[0] == "dcsvm":
                base = str(node.module).removeprefix("dcsvm").lstrip(".")
            else:
                continue
            inside = {alias: f"{base}.{alias}".lstrip(".") for alias in (a.name for a in node.names)}
            found |= {module if module in modules else base for module in inside.values()}
    return found


def room_of(module: str) -> str:
    return module.partition(".")[0] or FACE


def python_violations(module: str, imported: set[str]) -> list[str]:
    """What a module imports and must not."""
    room = room_of(module)
    if room in ROOMS:
        allowed = set(ROOMS[: ROOMS.index(room)])
    elif room in PYTHON_FAMILIES:
        allowed = {*ROOMS}
    elif room == FACE:
        allowed = {*ROOMS, *PYTHON_FAMILIES, *ABOVE}
    elif room in COMMAND:
        allowed = {*ROOMS, *PYTHON_FAMILIES, *ABOVE, FACE, *COMMAND}
    else:
        allowed = {*ROOMS, *ABOVE[room]}
    bad = {other for other in imported if room_of(other) != room and room_of(other) not in allowed}
    return [f"dcsvm.{module} must not import dcsvm.{other}" for other in sorted(bad - TAKEN.get(room, set()))]


def test_the_rule_of_the_python_half_itself():
    assert not python_violations("_model.native", {"_input.validate", "_graphs.convert", "_core", "_model.other"})
    assert python_violations("_model.native", {"onnx"})
    assert python_violations("_linear.train", {"_svm.train"})
    assert python_violations("_dc_pred.train", {"_svm.train"})
    assert not python_violations("_dc_pred.train", {"_svm.model"})
    assert python_violations("estimators._svc", {""})
    modules = python_modules()
    assert "_input.validate" in python_imports("_shown.watching", modules["_shown.watching"], modules)
    assert "_graphs.convert" in python_imports("_model.native", modules["_model.native"], modules)  # inside a method
    assert "_core" in python_imports("_model.native", modules["_model.native"], modules)


def test_law_11_no_import_of_the_python_half_runs_up():
    modules, bad, used = python_modules(), [], {}
    for module, file in modules.items():
        room = room_of(module)
        known = {*ROOMS, *PYTHON_FAMILIES, *ABOVE, *COMMAND, FACE}
        assert room in known, f"{room}: a new room needs a line here and in ARCHITECTURE.md"
        imported = python_imports(module, file, modules)
        bad += python_violations(module, imported)
        used.setdefault(room, set()).update(map(room_of, imported))
    assert not bad, "\n".join(bad)
    for room, others in ABOVE.items():
        assert others <= used[room], f"{room} imports nothing of {others - used[room]}"


def test_law_11_no_module_of_the_python_half_imports_itself_in_a_circle():
    modules = python_modules()
    graph = {name: python_imports(name, file, modules) - {name} for name, file in modules.items()}
    list(graphlib.TopologicalSorter(graph).static_order())  # CycleError names one
