"""Builds the site: python -m sphinx -W -n docs build/site, with what the extra "docs" brings.

The same pages are read on a forge, so they are plain Markdown with relative links.
"""

import posixpath
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.ext import autosummary
from sphinx_gallery.sorting import ExplicitOrder

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))
# Pages of the repository's root, where forges expect them, and the page of the site that shows each.
ROOT_PAGES = {
    "ARCHITECTURE.md": "developers/architecture.md",
    "CONTRIBUTING.md": "developers/contributing.md",
    "CHANGELOG.md": "about/changelog.md",
    "RELEASING.md": "developers/releasing.md",
    "SECURITY.md": "about/security.md",
    "CITATION.cff": "about/citation.md",
    "LICENSE": "about/licence.md",
}

# The functions that a page of docs/reference explains: docstrings refer to it, and the search finds it.
FUNCTIONS = {
    "reference/train": ["train"],
    "reference/cross_validate": ["cross_validate"],
    "reference/leave_one_out": ["leave_one_out"],
    "reference/tune": ["tune"],
    "reference/train_linear": ["train_linear", "train_linear_file", "linear_path"],
    "reference/train_low_rank": ["train_low_rank", "low_rank_path", "train_low_rank_file", "train_low_rank_batches"],
    "reference/train_dc_pred": ["train_dc_pred", "train_dc_pred_ridge", "compress", "cost_curve"],
    "reference/train_ldkl": ["train_ldkl"],
    "reference/train_ls_svm": ["train_ls_svm"],
    "reference/train_ridge": ["train_ridge"],
}
# What readers type into the search, and the page, or the heading of it, that the search shows first.
SEARCHED = {
    "guide/tuning": ["tune hyperparameters", "hyperparameter tuning", "grid search"],
    "guide/tuning#a-whole-grid": ["cross-validation", "cross validation"],
    "reference/leave_one_out": ["leave-one-out", "leave one out", "LOO"],
    "guide/probabilities": ["predict_proba", "probabilities"],
    "guide/explanations": ["SHAP", "Shapley values", "feature importance"],
    "guide/onnx": ["ONNX"],
    "questions#my-classes-have-very-different-sizes-what-should-i-set": ["class weight", "class_weight", "imbalanced classes"],
    "questions#does-it-use-a-gpu": ["GPU"],
    "methods/linear": ["text classification", "sparse text"],
    "guide/kernels": ["kernel", "kernels"],
    "guide/early-models": ["early model", "early models"],
    "guide/early-models#divide-and-conquer-dc-svm": ["divide and conquer", "DC-SVM", "multilevel"],
    "methods/svm": ["regression", "SVM"],
    "reference/train": ["train"],
    "about/citation": ["cite", "citation", "BibTeX"],
    "libsvm": ["LIBSVM"],
    "libsvm#commands-svm-train-svm-predict-svm-scale": [
        "grid.py",
        "easy.py",
        "svm-train",
        "svm-predict",
        "svm-scale",
        "svm-grid",
        "svm-easy",
    ],
    "distributed": ["Dask", "cluster of machines"],
}

project = "dcsvm"
author = "The dcsvm developers"
copyright = author
release = metadata.version("dcsvm")
version = ".".join(release.split(".")[:2])

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "breathe",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
root_doc = "index"
templates_path = ["_templates"]
# README.md is the forge's index of the same pages.
exclude_patterns = ["README.md", "_templates", "gallery", "auto_gallery/sg_execution_times.rst", "sg_execution_times.rst"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
autosummary.WELL_KNOWN_ABBREVIATIONS += ("(Eq.",)  # no end of a sentence in the tables
autodoc_typehints = "none"  # the texts say shapes and units; the signatures would repeat them without
autodoc_default_options = {
    "member-order": "bysource",
    "members": True,
    "inherited-members": "BaseEstimator",
    "exclude-members": "get_metadata_routing, set_fit_request, set_partial_fit_request, set_predict_request, set_score_request",
}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# The C++ and C reference: doxygen reads the headers, breathe shows them.
DOXYGEN = DOCS.parent / "build" / "doxygen"
breathe_projects = {"dcsvm": str(DOXYGEN / "xml")}
breathe_default_project = "dcsvm"
breathe_show_include = False  # the page's headings name the headers
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
nitpick_ignore_regex = [
    ("cpp:identifier", r"\w+::\w+Data"),  # declared in the headers, defined in cpp/src
    ("c:identifier", "size_t|ptrdiff_t|int64_t"),
]
suppress_warnings = ["duplicate_declaration.cpp"]  # each header opens the namespace again

GALLERY = sorted(path.name for path in DOCS.glob("gallery/plot_*.py") if path.name != "plot_data_frame.py")
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "min_reported_time": 1,
    "remove_config_comments": True,
    "within_subsection_order": ExplicitOrder(["plot_data_frame.py", *GALLERY]),
}

WIDE = ["reference/parameters", "developers/benchmarks"]  # pages with wide tables have no sidebars
html_theme = "pydata_sphinx_theme"
html_title = f"dcsvm {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["tables.js"]
html_favicon = "_static/favicon.svg"
html_search_scorer = str(DOCS / "search_scorer.js")
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 7,
    "header_dropdown_text": "More",
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], **{page: [] for page in WIDE}},
}
html_sidebars = {"index": [], "get-started": [], **{page: [] for page in WIDE}}
html_show_sourcelink = False

LINE = 88  # characters of a line of code that fit between the site's two sidebars
TASKS = "<!-- the tasks of docs/README.md -->"


def link_from_docs(page: str, target: str) -> str:
    """The link `target` of docs/`page`, where it leads out of docs to a page of the root: the site's page for it."""
    path, hash_, anchor = target.partition("#")
    root_page = ROOT_PAGES.get(posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), path)))
    return target if root_page is None else posixpath.relpath(root_page, posixpath.dirname(page) or ".") + hash_ + anchor


def link_from_root(page: str, target: str) -> str:
    """The link `target` of a page of the root that is shown as docs/`page`."""
    path, hash_, anchor = target.partition("#")
    if not path or re.match(r"[a-z]+:", target):
        return target
    inside = ROOT_PAGES.get(path, path.removeprefix("docs/"))
    inside = "index.md" if inside in {"README.md", ""} else inside
    return posixpath.relpath(inside, posixpath.dirname(page)) + hash_ + anchor


def tasks(page: str) -> str:
    """The table of tasks in docs/README.md for docs/`page`; the links show the titles of their pages."""
    table = (DOCS / "README.md").read_text().split("## Guide, by task\n\n")[1].split("\n\n")[0]
    return re.sub(r"\[[^\]]+\]\(([^)]+)\)", lambda m: f"[]({posixpath.relpath(m[1], posixpath.dirname(page))})", table)


def rewrite_links(app, name, source):
    """Markdown links between docs and the repository's root, which Sphinx does not see."""
    page = name + ".md"
    if TASKS in source[0]:
        source[0] = source[0].replace(TASKS, tasks(page))
    shown = next((root for root, inside in ROOT_PAGES.items() if inside == page), None)
    if shown is not None:
        text = (DOCS.parent / shown).read_text()
        if not shown.endswith(".md"):
            source[0] = f"{source[0]}\n```none\n{text}\n```\n"
            return
        source[0] = re.sub(r"\]\(([^)\s]+)\)", lambda m: f"]({link_from_root(page, m[1])})", text)
    else:
        source[0] = re.sub(r"\]\((\.\.?/[^)\s]+)\)", lambda m: f"]({link_from_docs(page, m[1])})", source[0])


def themed_pictures(app, doctree):
    """The pictures of docs/figures have colours of their own for dark pages: the theme leaves images of this class alone."""
    for image in doctree.findall(nodes.image):
        if "figures/" in image["uri"] and "developers/" not in image["uri"]:
            image["classes"].append("dark-light")


def name_places(app, doctree):
    """Enters FUNCTIONS and SEARCHED: an object, or an entry of the index, at the section with that name, else at the page."""
    page = app.env.docname
    sections = {name: section for section in doctree.findall(nodes.section) for name in section["ids"]}
    for name in FUNCTIONS.get(page, []):
        place = name.replace("_", "-") if name.replace("_", "-") in sections else next(iter(sections))
        app.env.get_domain("py").note_object(f"dcsvm.{name}", "function", place, location=doctree)
    for target, words in SEARCHED.items():
        if target.partition("#")[0] == page:
            place = target.partition("#")[2] or next(iter(sections))
            entries = [("single", word, place, "main", None) for word in words]
            sections[place].insert(1, addnodes.index(entries=entries))


def example_first(lines):
    """A class or function begins with its example, which numpydoc puts behind everything else."""
    if ":Parameters:" in lines and ".. rubric:: Examples" in lines:
        parameters, example = lines.index(":Parameters:"), lines.index(".. rubric:: Examples")
        lines[parameters:] = [*lines[example:], "", *lines[parameters:example]]


def clean_docstring(app, what, name, obj, options, lines):
    """Texts of scikit-learn's methods are cut; |x| is a norm, and not reStructuredText's substitution; pages become links."""
    if getattr(obj, "__module__", "").startswith("sklearn."):  # their long texts refer to their own site
        lines[:] = [re.sub(r":ref:`([^<`]+?) ?<[^>]*>`", r"\1", " ".join(lines).split(". ")[0] + " (scikit-learn's method).")]
    texts = [line.split("``") for line in lines]
    lines[:] = ["``".join(p if i % 2 else re.sub(r"\\?\|", r"\\|", p) for i, p in enumerate(parts)) for parts in texts]
    lines[:] = [re.sub(r"\bdocs/([\w/]+)\.md", r":doc:`/\1`", line) for line in lines]
    example_first(lines)


def skip_listed(app, what, name, obj, skip, options):
    """Fields stand in the list of attributes already; what exceptions and tuples have from Python needs no text of ours."""
    return True if type(obj).__name__ in {"_Field", "_tuplegetter", "method_descriptor"} else None


def clean_signature(app, what, name, obj, options, signature, returned):
    """Of classes: none where the library makes the objects; `**parameters` for one longer than a line, since a list follows."""
    if what != "class" or not signature:
        return None
    if "Parameters\n" not in (obj.__doc__ or ""):
        return "", None
    return ("(**parameters)", None) if len(signature) > LINE else None


def read_headers(app, config):
    """Lets doxygen read copies of the headers, in which all comments (papers at the top, all of C) are its comments."""
    shutil.rmtree(DOXYGEN, ignore_errors=True)
    include = DOCS.parent / "cpp" / "include"
    for header in include.rglob("*.h*"):
        text = header.read_text()
        if header.suffix == ".hpp":
            head = re.match(r"(?://.*\n)*", text)[0]
            text = "/// @file\n" + head.replace("//", "///") + text[len(head) :]
        else:
            text = re.sub(r"^( *)/\* ", r"\1/** ", text, flags=re.MULTILINE)
            text = re.sub(r"(\S.*?)/\* ", r"\1/**< ", text)
            text = re.sub(r"^/\*\* ", "/** @file\n", text)
        copy = DOXYGEN / "include" / header.relative_to(include)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
    options = (
        f'INPUT = "{DOXYGEN}/include"\nSTRIP_FROM_PATH = "{DOXYGEN}/include"\nOUTPUT_DIRECTORY = "{DOXYGEN}"\n'
        "FILE_PATTERNS = *.hpp *.h\nRECURSIVE = YES\nEXTRACT_ALL = YES\nSORT_MEMBER_DOCS = NO\nGENERATE_XML = YES\n"
        "XML_PROGRAMLISTING = NO\nGENERATE_HTML = NO\nGENERATE_LATEX = NO\nQUIET = YES\nWARN_AS_ERROR = FAIL_ON_WARNINGS\n"
    )
    try:
        subprocess.run(["doxygen", "-"], input=options, text=True, check=True)
    except FileNotFoundError:
        raise RuntimeError('the C++ reference needs doxygen: pip install ".[docs]", or your system\'s package') from None
    # For breathe: no links to headers, which have no page, and pointers to functions as older doxygens write them.
    for page in (DOXYGEN / "xml").glob("*.xml"):
        text = re.sub(r'<ref refid="\w+_8h(?:pp)?"[^>]*>(.*?)</ref>', r"\1", page.read_text())
        page.write_text(re.sub(r"\(\*\)</type>(.*?<argsstring>)\(", r"(*</type>\1)(", text, flags=re.DOTALL))


def write_llms_txt(app, exception):
    """llms.txt (llmstxt.org): the map of the site for reading machines, made from the pages' titles."""
    if exception is not None or app.builder.name != "html":
        return
    env = app.builder.env
    lines = [
        f"# {project}",
        "",
        "> Kernel support vector machines on 10,000 to 1,000,000 rows: a C++17 library and a Python package.",
        "",
    ]
    for part in env.toctree_includes[root_doc]:
        pages = [part, *env.toctree_includes.get(part, [])]
        lines += [f"## {env.titles[part].astext()}", ""]
        lines += [f"- [{env.titles[page].astext()}]({app.builder.get_target_uri(page)})" for page in pages]
        lines.append("")
    (Path(app.outdir) / "llms.txt").write_text("\n".join(lines))


def setup(app):
    app.connect("config-inited", read_headers)
    app.connect("build-finished", write_llms_txt)
    app.connect("autodoc-process-docstring", clean_docstring, priority=900)
    app.connect("autodoc-process-signature", clean_signature)
    app.connect("autodoc-skip-member", skip_listed)
    app.connect("source-read", rewrite_links)
    app.connect("doctree-read", themed_pictures)
    app.connect("doctree-read", name_places)
