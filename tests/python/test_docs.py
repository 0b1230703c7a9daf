"""The pages do not rot: their marked blocks run, and their tables agree with the code.

A fenced block is marked by an HTML comment on the line before it: "run" executes it (python, sh), "file: NAME" writes it,
"not run: reason" says why not. The blocks of a page run in order, in one folder; the Python ones share their names.
"""

import ast
import inspect
import os
import re
import runpy
import shutil
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import dcsvm
from _build import instruction_sets, tool
from _pages import PAGES, ROOT, names, section, site, tables, text_of
from dcsvm._command import arguments, cli
from dcsvm._input.kernels import KERNELS, uses
from dcsvm._shown.watching import stopped

# What users read: every runnable block there says what happens to it.
USERS = [p for p in PAGES if p == "README.md" or (p.startswith("docs/") and not p.startswith("docs/developers/"))]
BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    mark: str
    language: str
    body: str
    line: int  # of the body's first line


def blocks(page):
    text = (ROOT / page).read_text()
    return [
        Block(m["mark"] or "", m["language"], m["body"], text.count("\n", 0, m.start("body")) + 1) for m in BLOCK.finditer(text)
    ]


def parameters(page):
    """Parameter -> default, from the tables of a page of docs/reference."""
    found = {}
    for rows in tables(text_of(page)):
        if rows[0] == ["parameter", "default", "meaning"]:
            found |= {row[0].strip("`"): ast.literal_eval(row[1].strip("`")) for row in rows[1:]}
    return found


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """A PATH whose dcsvm, python, cmake and ninja are those of this environment."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, target in {
        "python": f'"{sys.executable}"',
        "dcsvm": f'"{sys.executable}" -m dcsvm',
        "cmake": tool("cmake"),
    }.items():
        (folder / name).write_text(f'#!/bin/sh\nexec {target} "$@"\n')
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), str(Path(tool("ninja")).parent), os.environ["PATH"]]))
    monkeypatch.setenv("CMAKE_GENERATOR", "Ninja")
    monkeypatch.setenv("CFLAGS", "-O0")  # of Cython modules, which then compile in half of the time


def run_shell(page, block):
    done = subprocess.run(
        ["sh", "-eu", "-c", block.body], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
    )
    if done.returncode != 0:
        pytest.fail(f"{page}, line {block.line}: exit code {done.returncode}\n{block.body}\n{done.stdout[-5000:]}", pytrace=False)


@pytest.fixture
def modules():
    """sys.modules as it was: a page may put modules in place of others."""
    before = dict(sys.modules)
    yield
    replaced = {"libsvm", "liblinear"}
    for name in [n for n, module in sys.modules.items() if n.partition(".")[0] in replaced and before.get(n) is not module]:
        del sys.modules[name]
    sys.modules.update({n: module for n, module in before.items() if n.partition(".")[0] in replaced})


@pytest.mark.parametrize("page", [p for p in PAGES if any(b.mark == "run" for b in blocks(p))])
def test_blocks_run(page, tmp_path, monkeypatch, commands, modules):
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.chdir(folder)
    namespace = {"__name__": "page"}
    for block in blocks(page):
        if block.mark.startswith("file: "):
            (folder / block.mark.removeprefix("file: ")).write_text(block.body)
        elif block.mark == "run" and block.language == "sh":
            if re.search(r"\bc\+\+ ", block.body) and not shutil.which("c++"):
                pytest.skip(f"{page}, line {block.line}: no compiler named c++")
            run_shell(page, block)
        elif block.mark == "run":
            assert block.language == "python", f"{page}, line {block.line}: cannot run {block.language!r}"
            tree = ast.increment_lineno(ast.parse(block.body), block.line - 1)
            exec(compile(tree, str(ROOT / page), "exec"), namespace)


@pytest.mark.parametrize("page", USERS)
def test_every_block_says_what_happens_to_it(page):
    for b in blocks(page):
        if b.language in {"python", "sh", "cpp", "cmake"}:
            assert b.mark == "run" or re.fullmatch(r"file: \S+|not run: .{5,}", b.mark), f"{page}, line {b.line}: mark {b.mark!r}"


@pytest.mark.parametrize("page", USERS)
def test_no_block_is_wider_than_the_page(page):
    """The site shows 88 characters between its two sidebars at 1,400 pixels."""
    wide = [line for b in blocks(page) if b.language != "" for line in b.body.splitlines() if len(line) > 88]
    assert not wide, f"{page}: break these lines: {wide}"


def rows_of_demo(text):
    """Of dcsvm demo's output the words, and the numbers of the table's rows but seconds and violation."""
    isa = re.compile(rf"\b({'|'.join(instruction_sets())}), \d+ threads")
    lines = [line.split() for line in isa.sub("ISA", text).strip().splitlines()]
    rows = [line for line in lines if line[:1] in (["checkerboard"], ["twonorm"])]
    numbers = [[float(row[i].replace(",", "")) for i in (3, 5, 6)] for row in rows]
    return [line if line not in rows else line[:2] for line in lines], numbers


def test_the_demo_prints_what_the_page_shows(capsys):
    """Instruction sets differ in the last digits."""
    shown = next(b for b in blocks("docs/get-started.md") if b.mark == "example: dcsvm demo")
    assert cli.main(["demo", "--rows", "3000", "--quiet"]) == 0
    (words, numbers), (shown_words, shown_numbers) = map(rows_of_demo, (capsys.readouterr().out, shown.body))
    assert words == shown_words
    assert len(numbers) == 4
    np.testing.assert_allclose(numbers, shown_numbers, rtol=0.02)


ALSO = {"train_linear": [dcsvm.train_linear_file, dcsvm.linear_path], "train_low_rank": [dcsvm.train_low_rank_file]}


@pytest.mark.parametrize(
    "page", ["cross_validate", "leave_one_out", *(Path(p).stem for p in PAGES if p.startswith("docs/reference/train"))]
)
def test_the_reference_has_every_parameter_and_its_default(page):
    functions = [getattr(dcsvm, page), *ALSO.get(page, ())]
    actual = {n: p for f in functions for n, p in inspect.signature(f).parameters.items() if p.kind is p.KEYWORD_ONLY}
    assert parameters(f"docs/reference/{page}.md") == {n: p.default for n, p in actual.items()}


def test_the_reference_has_every_field_of_the_report(early_model):
    page = section("docs/reference/model.md", "The report")
    rows = next(tables(page))[1:]
    assert {n for row in rows for n in names(row[0])} == {f.name for f in fields(dcsvm.Report)}
    for name in early_model.report.levels[0]:
        assert f"`{name}`" in page, name
    exact = dcsvm.train(*dcsvm.datasets.make_checkerboard(200), solver="dc", n_levels=1, branching=2)
    for name in exact.report.seconds:
        assert f"`{name}`" in page, name


def test_the_reference_has_every_public_name():
    pages = "".join(text_of(p) for p in PAGES if p.startswith("docs/reference/"))
    for name in [*dcsvm.__all__, *(n for n in vars(dcsvm.Model) if not n.startswith("_"))]:
        assert re.search(rf"\b{name}\b", pages), name


def said_of_kernels():
    """Of each kernel its other cells."""
    rows = next(tables(section("docs/guide/kernels.md", "Formulas and parameters")))[1:]
    return {name.strip('`"'): cells for name, *cells in rows}


def test_the_page_of_kernels_has_every_kernel_with_its_parameters_and_whether_libsvm_has_it():
    said = said_of_kernels()
    assert said.keys() == KERNELS.keys()
    for kernel, (_, used, _, in_libsvm, _) in said.items():
        assert {*names(used)} == {n for n in ("gamma", "coef0", "degree") if uses(kernel, n)}, kernel
        assert in_libsvm == ("yes" if KERNELS[kernel]["in_libsvm"] else "no"), kernel


def test_the_page_of_kernels_says_which_have_a_form_in_onnx():
    pytest.importorskip("onnx", reason="onnx is not installed")
    X = np.eye(4)
    for kernel, (*_, said) in said_of_kernels().items():
        model = dcsvm.train(X, [0, 0, 1, 1], kernel=kernel)
        with nullcontext() if said == "yes" else pytest.raises(ValueError, match="has no form in ONNX"):
            model.to_onnx()


def test_a_published_pyproject_has_one_table_of_addresses():
    with_urls = runpy.run_path(str(ROOT / ".ci" / "address"))["with_urls"]
    text = with_urls(text_of("pyproject.toml"), "https://example.org/x", "1.2")
    assert 'Changelog = "https://example.org/x/blob/v1.2/CHANGELOG.md"' in text
    with pytest.raises(ValueError, match=r"has a table \[project.urls\] already"):
        with_urls(text, "https://example.org/x", "1.2")
    with pytest.raises(ValueError, match=r"must hold \[project.scripts\] once"):
        with_urls("[project]", "https://example.org/x", "1.2")


def test_a_published_readme_has_absolute_links_only():
    absolute = runpy.run_path(str(ROOT / ".ci" / "address"))["absolute"]
    text = absolute(text_of("README.md"), "https://example.org/x", "1.2")
    links = re.findall(r"\]\(([^)]+)\)|src(?:set)?=\"([^\"]+)", text)
    assert len(links) > 20
    for link in map("".join, links):
        path = re.fullmatch(r"https://example\.org/x/(?:raw|blob)/v1\.2/([^#]+)(?:#.*)?", link)
        assert path, link
        assert (ROOT / path[1]).exists(), link
    assert "this repository" not in text


def test_the_command_line_page_has_every_option_and_no_other():
    known = set()
    for action in arguments.parser()._subparsers._group_actions[0].choices.values():
        known |= {o for a in action._actions for o in a.option_strings}
    page = text_of("docs/command-line.md").split("## Coming from")[0]
    shown = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", " ".join(re.findall(r"`([^`\n]+)`", page))))
    assert known - shown == {"-h"}
    assert shown - known <= {"-m"}  # python -m dcsvm
    assert set(re.findall(r"^\| `dcsvm (\w+)", page, re.MULTILINE)) == set(cli._COMMANDS)


def test_the_messages_page_has_every_error():
    header = (ROOT / "cpp/include/dcsvm/errors.hpp").read_text()
    for name in re.findall(r"^class (\w+)", header, re.MULTILINE):
        if name != "Error":
            assert f"`dcsvm::{name}`" in text_of("docs/messages.md"), name


@pytest.mark.parametrize("page", ["docs/messages.md", "docs/guide/progress.md"])
def test_pages_have_the_words_of_a_training_that_stopped(page):
    listed = re.search(r"enum class StopReason \{([^}]*)\}", (ROOT / "cpp/include/dcsvm/call.hpp").read_text())
    reasons = {*re.findall(r"(\w+) =", listed[1])} - {"converged", "one_pass"}
    assert {"max_iter", "time_limit"} <= reasons
    said = {stopped(reason, "", "").partition(" after ")[0] for reason in reasons}
    shown = {text for text in said if text in text_of(page)}
    assert shown == said if page == "docs/messages.md" else stopped("time_limit", "", "").partition(" after ")[0] in shown


def test_the_page_of_clusters_has_every_estimator():
    estimators = re.findall(r" as (Dask\w+)$", text_of("python/dcsvm/dask/__init__.pyi"), re.MULTILINE)
    rows = next(tables(section("docs/distributed.md", "What there is")))[1:]
    assert sorted(n for row in rows for n in names(row[0]) if n.startswith("Dask")) == sorted(estimators)


def test_the_cpp_page_has_every_header():
    page = text_of("docs/cpp.md")
    for header in (ROOT / "cpp/include/dcsvm").glob("*.hpp"):
        assert f"{header.name}" in page, header.name


def anchors(text):
    """Of the headings of a page, as a forge and the site make them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def test_what_readers_search_leads_to_pages_and_headings_that_exist():
    for target in site("SEARCHED"):
        page, _, anchor = target.partition("#")
        assert not anchor or anchor in anchors(text_of(f"docs/{page}.md")), target


def test_every_function_has_one_page():
    """One of docs/reference explains it, or the list of helper functions leads to its docstring, and not both."""
    explained = site("FUNCTIONS")
    for page, functions in explained.items():
        words = {*re.findall(r"\w+", text_of(f"docs/{page}.md"))}
        assert {*functions} <= words, page
    listed = re.findall(r"^\.\. autofunction:: ([\w.]+)$", text_of("docs/api/functions.md"), re.MULTILINE)
    pages = [*listed, *(name for functions in explained.values() for name in functions)]
    assert len(pages) == len({*pages})
    modules = {"datasets", "plotting"}
    assert {n for n in dcsvm.__all__ if n[0].islower()} - modules <= {*pages}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), f"{page} links to {target}"
        if anchor:
            assert anchor in anchors(file.read_text()), f"{page} links to {target}"


def test_every_header_is_in_the_reference():
    pages = "".join(p.read_text() for p in ROOT.glob("docs/api/cpp*.md"))
    shown = re.findall(r"doxygenfile} (\S+)", pages)
    assert sorted(shown) == sorted(p.name for p in (ROOT / "cpp/include/dcsvm").rglob("*.h*"))


def test_sources_name_pages_that_exist():
    for folder in ("bench", "cpp", "python", "tests"):
        for file in (f for f in (ROOT / folder).rglob("*.*") if f.suffix in {".py", ".pyi", ".pxd", ".hpp", ".cpp", ".h"}):
            for page in re.findall(r"\bdocs/[\w/-]+\.md\b", file.read_text()):
                assert (ROOT / page).exists(), f"{file.relative_to(ROOT)} names {page}"


def test_libsvm_table():
    """The table of docs/libsvm.md: what LIBSVM calls what, and the sign of decisions, for labels +1 and -1."""
    svmutil = pytest.importorskip("libsvm.svmutil", reason="libsvm-official is not installed")
    x, y = dcsvm.datasets.make_twonorm(300, random_state=5)
    theirs = svmutil.svm_train(svmutil.svm_problem(y.astype(float), x), "-q -c 1 -g 0.05 -e 1e-6")
    mine = dcsvm.train(x, y, C=1, gamma=0.05, tol=1e-6, precision="double")
    coef = {theirs.sv_indices[i]: theirs.sv_coef[0][i] for i in range(theirs.l)}
    assert coef.keys() == set(mine.support_ + 1)
    assert mine.dual_coef_[0] == pytest.approx([coef[i + 1] for i in mine.support_], abs=1e-3)
    assert -mine.intercept_[0] == pytest.approx(theirs.rho[0], abs=1e-4)
    _, _, values = svmutil.svm_predict([], x, theirs, "-q")
    assert mine.decision_function(x) == pytest.approx([v[0] for v in values], abs=1e-4)
