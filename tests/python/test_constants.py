"""The linear half has few tuned numbers, each of which says on its own line what it rests on."""

import re
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "cpp" / "src"
FOLDERS = ["linear", "linear_fit", "products", "optimise"]
MOST = 90
DECLARED = re.compile(r"^\s*(?:inline |static )*constexpr [\w:<>]+ (k[A-Z][^;]*);(.*)$")


def constants(text: str) -> list[tuple[str, str]]:
    """Name and comment of each number. Not those made of another, of the limits of a type, or of the size of one."""
    found = []
    for line in re.sub(r"=\n\s*", "= ", text).splitlines():
        if declared := DECLARED.match(line):
            for name, value in re.findall(r"(k[A-Z]\w*)\s*=\s*((?:[^,({]|[({][^)}]*[)}])+)", declared[1]):
                if re.search(r"(?<![\w.])\d", value) and "numeric_limits" not in value:
                    found.append((name, declared[2].partition("//")[2].strip("/< ")))
    return found


def of_folders() -> dict[str, str]:
    files = sorted(f for folder in FOLDERS for f in (SRC / folder).rglob("*.[ch]pp"))
    return {f"{f.relative_to(SRC)}: {name}": why for f in files for name, why in constants(f.read_text())}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("constexpr double kA = 1.0 / 16;  // a share", [("kA", "a share")]),
        ("  static constexpr Index kA = 4, kB = 1;  ///< both", [("kA", "both"), ("kB", "both")]),
        ("inline constexpr std::size_t kA = std::size_t{1} << 19;", [("kA", "")]),
        ("constexpr double kA =\n    1e-5;  // why", [("kA", "why")]),
        ("constexpr Index kLine = kCacheLine / sizeof(double);", []),
        ("constexpr double kNone = std::numeric_limits<double>::infinity();", []),
    ],
)
def test_what_is_counted(line, expected):
    assert constants(line) == expected


def test_tuned_constants_are_few():
    assert 50 < len(of_folders()) <= MOST, "\n".join(of_folders())


def test_each_constant_has_its_reason_on_its_line():
    without = [name for name, why in of_folders().items() if len(why) < 5]
    assert not without, "\n".join(without)


NAMESPACE = re.compile(r"^namespace (dcsvm(?:::\w+)*) \{", re.M)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.M | re.S)
OF_NAMESPACE = re.compile(r"^(?:inline )?constexpr [\w:<>]+ (k[A-Z]\w*)", re.M)


def hidden(files: dict[str, str]) -> list[str]:
    """Constants of a header that one in an unnamed namespace hides: sources that pip compiles as one then read the wrong one."""
    spaces = {name: found[1] for name, text in files.items() if (found := NAMESPACE.search(text))}
    headers = {(spaces[h], c): h for h in spaces if h.endswith(".hpp") for c in OF_NAMESPACE.findall(files[h])}
    return [
        f"{source}: {constant} hides that of {header}"
        for source, space in spaces.items()
        if source.endswith(".cpp")
        for unnamed in UNNAMED.findall(files[source])
        for constant in OF_NAMESPACE.findall(unnamed)
        for (outer, name), header in headers.items()
        if name == constant and (space + "::").startswith(outer + "::")
    ]


def test_what_hides():
    text = "namespace dcsvm::a {\nnamespace {\nconstexpr int kA = 2;\n}  // namespace\n}\n"
    header = "namespace dcsvm::%s {\nconstexpr int kA = 1;\n}\n"
    assert hidden({"a.cpp": text, "a.hpp": header % "a"}) == ["a.cpp: kA hides that of a.hpp"]
    assert not hidden({"a.cpp": text, "b.hpp": header % "b"})


def test_no_constant_hides_that_of_a_header():
    files = [*SRC.rglob("*.[ch]pp"), *SRC.parent.joinpath("include").rglob("*.hpp")]
    assert len(files) > 300
    assert not hidden({str(f.relative_to(SRC.parent)): f.read_text() for f in files})
