"""Laws 1, 5, 6, 7 and 10 of ARCHITECTURE.md, read off the sources: who may include whom, and what must not appear where."""

import re
from pathlib import Path

import pytest

from _build import ROOT, instruction_sets

SRC = ROOT / "cpp" / "src"
INCLUDE = ROOT / "cpp" / "include"

# The ground floor, in the order in which its folders stand on each other: each may include those before it.
GROUND = [
    *("base", "optimise", "kernel_functions", "simd", "data", "files"),
    *("kernels", "products", "kernel_matrix", "qp", "clustering"),
]
# A family includes the whole ground floor and the folders listed here.
FAMILIES = {
    "svm/problems": set(),
    "svm/multilevel": {"svm/problems"},
    "svm/sampled": {"svm/problems"},
    "svm/online": set(),
    "svm/model": set(),
    "svm/folds": {"svm/problems"},
    "svm/probability": {"svm/problems", "svm/folds"},
    "svm/prediction": {"svm/model", "svm/probability"},
    "svm/explanation": {"svm/model", "svm/prediction"},
    "svm": {"svm/problems", "svm/multilevel", "svm/sampled", "svm/online", "svm/model", "svm/probability", "svm/prediction"},
    "cross_validation": {"svm", "svm/folds"},
    "low_rank": set(),
    "least_squares": {"svm/model"},
    "ldkl": set(),
    "linear_fit": set(),
    "linear": {"linear_fit"},
    "dc_pred": {"svm/problems", "svm/model", "least_squares"},
    # What stands above the families.
    "libsvm/model_text": {"svm/model", "svm/prediction"},
    "liblinear/model_text": set(),
    "any_model": {
        *("svm/model", "low_rank", "dc_pred", "least_squares", "ldkl", "linear"),
        *("liblinear/model_text", "libsvm/model_text"),
    },
}
# Public headers and the folder that has what they declare: a folder includes those of the folders that it may include.
HOMES = {
    **dict.fromkeys(["errors", "data", "call", "kernel_params", "parameter_range"], "base"),
    **dict.fromkeys(["build_config", "version"], "simd"),
    **dict.fromkeys(["svmlight", "blocks"], "files"),
    "kernel": "kernel_matrix",
    "params": "svm/problems",
    **dict.fromkeys(["model", "merge"], "svm/model"),
    "folds": "svm/folds",
    "probability": "svm/probability",
    "predict": "svm/prediction",
    "explain": "svm/explanation",
    **dict.fromkeys(["train", "online"], "svm"),
    "cross_validate": "cross_validation",
    "low_rank": "low_rank",
    **dict.fromkeys(["ls_svm", "ridge"], "least_squares"),
    "ldkl": "ldkl",
    **dict.fromkeys(["linear", "linear_path"], "linear"),
    "dc_pred": "dc_pred",
    "libsvm_model": "libsvm/model_text",
    "liblinear_model": "liblinear/model_text",
    **dict.fromkeys(["any_model", "io", "report_fields", "parameters"], "any_model"),
}
# And the headers of others, which a folder needs for types (a report) or calls (DC-Pred++ trains exact models).
ALSO = {
    "svm/multilevel": {"model"},
    "svm/sampled": {"model"},
    "svm/probability": {"model"},
    "svm/model": {"params"},
    "svm": {"folds", "predict"},
    "cross_validation": {"params"},
    "least_squares": {"params"},
    "linear_fit": {"linear"},  # what a report says of a problem
    "dc_pred": {"train", "predict"},
    "any_model": {"params", "ridge", "predict"},  # the lists of all parameters; what models of a file are for
    "libsvm/model_text": {"params"},
    "liblinear/model_text": {"linear"},
}
UMBRELLA = "dcsvm"  # includes all of them
PUBLIC_ONLY = {"c_common", "libsvm/c", "liblinear/c"}  # see cpp/include/dcsvm, their own files, and c_common
# What the commands share writes files as the library does, reads text by parts, and has its arguments from the system.
APPS_COMMON = {"files/file.hpp", "files/svmlight.hpp", "files/system.hpp"}
INCLUDES = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def sources(*folders: Path) -> list[Path]:
    found = sorted(f for folder in folders for f in folder.rglob("*") if f.suffix in {".cpp", ".hpp", ".h"})
    assert found, folders
    return found


def includes(file: Path) -> list[tuple[str, str]]:
    return INCLUDES.findall(file.read_text())


def code(file: Path) -> str:
    """The text without comments and string literals."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda m: " " if m[0][0] == "/" else '""', file.read_text(), flags=re.DOTALL)


def folder_of(path: Path | str) -> str:
    """The folder of a file of cpp/src, as the lists above name it."""
    return Path(path).parent.as_posix()


def allowed(folder: str) -> set[str]:
    if folder in GROUND:
        return set(GROUND[: GROUND.index(folder)])
    return set(GROUND) | FAMILIES.get(folder, set())  # a folder that is not listed is told of by itself


def violations(folder: str, included: list[tuple[str, str]]) -> list[str]:
    """What a file of cpp/src/<folder> includes and must not."""
    bad = []
    for mark, name in included:
        if mark == "<" or name.startswith("dcsvm/"):
            continue
        its = folder_of(name)
        if its not in GROUND and its not in FAMILIES:
            bad.append(f'"{name}" (write includes relative to cpp/src or cpp/include)')
        elif its != folder and its not in allowed(folder):
            bad.append(f'"{name}": {folder} must not include {its}')
    return bad


def public_violations(folder: str, included: list[tuple[str, str]]) -> list[str]:
    """The public headers that a file of a folder, or a public header whose home it is, includes and must not."""
    bad = []
    for _, name in included:
        header = re.fullmatch(r"dcsvm/(\w+)\.hpp", name)
        if not header:
            continue
        home = HOMES.get(header[1], "no folder: a new header needs a line in HOMES")
        listed = header[1] in ALSO.get(folder, set()) or (header[1] == "parameters" and folder in FAMILIES)
        if home != folder and home not in allowed(folder) and not listed:
            bad.append(f'"{name}": {folder} must not include what {home} has')
    return bad


def test_the_rule_itself():
    assert not violations(
        "qp", [('"', "kernel_matrix/row_source.hpp"), ('"', "qp/inner.hpp"), ("<", "vector"), ('"', "dcsvm/data.hpp")]
    )
    assert violations("qp", [('"', "svm/multilevel/levels.hpp")])
    assert violations("data", [('"', "kernels/tiles.hpp")])
    assert violations("svm/sampled", [('"', "svm/multilevel/level.hpp")])
    assert violations("kernel_matrix", [('"', "row_source.hpp")])


def test_law_1_folders_include_what_the_list_allows():
    bad = []
    for file in sources(SRC):
        folder = folder_of(file.relative_to(SRC))
        if folder in PUBLIC_ONLY:
            continue
        assert folder in GROUND or folder in FAMILIES, f"{folder}: a new folder needs a line here and in ARCHITECTURE.md"
        bad += [f"{file.relative_to(ROOT)}: {v}" for v in violations(folder, includes(file))]
    assert not bad, "\n".join(bad)


def test_law_1_public_headers_are_included_from_their_homes_or_above():
    assert not public_violations("qp", [('"', "dcsvm/call.hpp"), ('"', "dcsvm/errors.hpp")])
    assert public_violations("qp", [('"', "dcsvm/model.hpp")])
    assert public_violations("low_rank", [('"', "dcsvm/train.hpp")])
    assert public_violations("base", [('"', "dcsvm/parameters.hpp")])
    bad, used = [], {}
    for file in sources(SRC):
        folder = folder_of(file.relative_to(SRC))
        if folder not in PUBLIC_ONLY:
            bad += [f"{file.relative_to(ROOT)}: {v}" for v in public_violations(folder, includes(file))]
            used.setdefault(folder, set()).update(Path(name).stem for _, name in includes(file))
    headers = {file.stem: file for file in (INCLUDE / "dcsvm").glob("*.hpp")}
    assert headers.keys() == {*HOMES, UMBRELLA}
    for header, home in HOMES.items():
        bad += [f"{headers[header].name}: {v}" for v in public_violations(home, includes(headers[header]))]
        used.setdefault(home, set()).update(Path(name).stem for _, name in includes(headers[header]))
    assert not bad, "\n".join(bad)
    for folder, those in ALSO.items():
        assert those <= used[folder], f"{folder} includes nothing of {those - used[folder]}"


def test_law_1_the_list_has_no_cycle_and_no_unused_edge():
    used: dict[str, set[str]] = {}
    for file in sources(SRC):
        folder = folder_of(file.relative_to(SRC))
        used.setdefault(folder, set()).update(folder_of(n) for m, n in includes(file) if m == '"' and not n.startswith("dcsvm/"))
    for folder, edges in FAMILIES.items():
        assert edges <= used[folder], f"{folder} includes nothing of {edges - used[folder]}"
    seen: set[str] = set()
    while len(seen) < len(FAMILIES):
        ready = {f for f, edges in FAMILIES.items() if f not in seen and edges <= seen}
        assert ready, f"a cycle among {FAMILIES.keys() - seen}"
        seen |= ready


def test_faces_see_only_public_headers():
    bad = []
    for folder in (ROOT / "python" / "bindings", *(SRC / name for name in sorted(PUBLIC_ONLY)), ROOT / "cpp" / "apps"):
        for file in (f for f in folder.rglob("*") if f.suffix in {".cpp", ".hpp", ".h"}):
            for mark, name in includes(file):
                common = name.startswith("c_common/") and SRC in folder.parents
                ground = file.parent == ROOT / "cpp" / "apps" / "common" and name in APPS_COMMON
                if mark == '"' and not (name.startswith("dcsvm/") or common or ground or (folder / name).exists()):
                    bad.append(f"{file.relative_to(ROOT)}: {name}")
    assert not bad, "\n".join(bad)


def test_the_json_library_is_used_in_one_file():
    users = [f for f in sources(ROOT / "cpp") if any("nlohmann" in name for _, name in includes(f))]
    assert users == [SRC / "any_model" / "report_json.cpp"]


def test_public_headers_stand_alone():
    for file in sources(INCLUDE):
        for mark, name in includes(file):
            if mark == '"':
                assert (INCLUDE / name).exists(), f"{file.name} includes {name}, which is not installed"
            else:
                assert "/" not in name, f"{file.name} includes <{name}>"
        text = code(file)
        assert "#pragma once" in text, file
        for word in ("Eigen", "omp_", "_OPENMP", "#pragma omp", "immintrin", "using namespace"):
            assert word not in text, f"{file.name}: {word}"
        if file.name not in {"parameters.hpp", "parameter_range.hpp", "kernel_params.hpp", "any_model.hpp"}:  # over kinds
            assert not re.search(r"^\s*template\s*<", text, re.MULTILINE), f"{file.name}: a template over storage or precision"


def test_law_7_no_python_under_cpp():
    for file in sources(ROOT / "cpp"):
        for _, name in includes(file):
            assert not re.match(r"pybind11|Python\.h|numpy|nanobind", name), f"{file.relative_to(ROOT)}: {name}"
        assert not re.search(r"\bPy[A-Z]\w+\(|\bpy::", code(file)), file.relative_to(ROOT)


SYSTEM_HEADERS = re.compile(
    r"(sys/.*|sched|unistd|fcntl|poll|dirent|signal|pwd|dlfcn|termios|pthread|windows|winsock2|bcrypt|shellapi|io|direct|process|malloc)\.h"
)


def test_law_10_the_operating_system_is_asked_in_few_files():
    asking, told_apart = set(), set()
    for file in sources(ROOT / "cpp"):
        assert not re.search(r"\b_WIN(32|64)\b|__MINGW", code(file)), f"{file.relative_to(ROOT)}: the build chooses the file"
        if re.search("__linux__|__APPLE__", code(file)):
            told_apart.add(file.relative_to(SRC).as_posix())
        if any(mark == "<" and SYSTEM_HEADERS.fullmatch(name) for mark, name in includes(file)):
            asking.add(file.relative_to(SRC).as_posix())
    of_two = ["files/system", "base/aligned_memory", "base/usable_cores"]
    without = {"base/aligned_memory_windows.cpp"}  # huge pages need a right that users seldom have
    assert asking == {f"{name}_{system}.cpp" for name in of_two for system in ("posix", "windows")} - without
    assert told_apart <= asking | {"simd/cpu.cpp"}  # which asks the processor


FORBIDDEN = [
    *(r"\bprintf\(", r"\bfprintf\(", r"\bputs\(", r"std::cout", r"std::cerr", r"\babort\(", r"\bexit\(", r"\bassert\("),
    *(r"\bsetlocale\(", r"\bomp_\w+", r"#\s*pragma\s+omp", r"\brand\(\)", r"random_device"),
]

PRINTING = {"c", "c_common"}  # what LIBSVM and LIBLINEAR print


@pytest.mark.parametrize("word", FORBIDDEN)
def test_law_6_the_library_neither_prints_nor_ends_the_process(word):
    for file in sources(SRC):
        if not PRINTING & set(file.parts):
            found = re.search(word, code(file))
            assert not found, f"{file.relative_to(ROOT)}: {found[0]}"


def test_law_6_the_environment_is_read_in_three_places():
    """DCSVM_NUM_THREADS, DCSVM_FORCE_ISA and, for bench/cores.py, DCSVM_TRACE_LOOPS; everything else comes with the call."""
    library = [f for f in sources(SRC) if not PRINTING & set(f.parts)]
    readers = {f.relative_to(SRC).as_posix() for f in library if re.search(r"\bgetenv\b", code(f))}
    assert readers <= {"base/thread_pool.cpp", "base/loop_trace.cpp", "simd/dispatch.cpp"}


def test_law_5_sources_for_one_cpu_keep_to_themselves():
    """What several of the per-ISA sources instantiate must not be the same function twice: no std containers, Eigen renamed."""
    for name in (f"{isa}.cpp" for isa in instruction_sets()[1:]):
        file = SRC / "simd" / name
        text = file.read_text()
        if "Eigen/" in text:
            assert re.search(r"#\s*define\s+Eigen\s+\w+", text), f"{name}: Eigen needs its own namespace name"
    for file in sources(SRC):
        if file.parent != SRC / "simd":
            assert not any(name == "immintrin.h" for _, name in includes(file)), file.relative_to(ROOT)


def test_no_flag_for_one_cpu_outside_the_simd_table():
    files = [
        ROOT / "CMakeLists.txt",
        ROOT / "pyproject.toml",
        *(ROOT / "cmake").iterdir(),
        *(ROOT / "python").glob("CMakeLists.txt"),
    ]
    for file in files:
        text = re.sub(r"#.*", "", file.read_text())
        assert "-march=native" not in text, file.name
        assert "-ffast-math" not in text, file.name
        if file.name != "SimdSources.cmake":
            assert "-mavx" not in text, file.name


def test_the_version_is_stated_once():
    version = re.search(r'DCSVM_VERSION "([\d.]+)"', (INCLUDE / "dcsvm" / "version.hpp").read_text())[1]
    for file in [ROOT / "CMakeLists.txt", ROOT / "pyproject.toml", *(ROOT / "python").rglob("*.py"), *sources(SRC)]:
        assert f'"{version}"' not in file.read_text(), f"{file.relative_to(ROOT)} states the version again"
    assert f'version: "{version}"' in (ROOT / "CITATION.cff").read_text(), "CITATION.cff, which nothing generates, has another"
