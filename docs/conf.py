"""Builds the site: python -m sphinx -W -n docs build/site, with what the extra "docs" brings.

The same pages are read on a forge, so they are plain Markdown with relative links.
"""

import posixpath
import re
import sys
from importlib import metadata
from pathlib import Path

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
autodoc_typehints = "none"  # the texts say shapes and units; the signatures would repeat them without
autodoc_default_options = {"member-order": "bysource"}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "min_reported_time": 1,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = f"dcsvm {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 7,
    "header_dropdown_text": "More",
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "reference/parameters": []},  # a wide table
}
html_sidebars = {"index": [], "get-started": [], "reference/parameters": []}
html_show_sourcelink = False


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


def rewrite_links(app, name, source):
    """Markdown links between docs and the repository's root, which Sphinx does not see."""
    page = name + ".md"
    shown = next((root for root, inside in ROOT_PAGES.items() if inside == page), None)
    if shown is not None:
        text = (DOCS.parent / shown).read_text()
        if not shown.endswith(".md"):
            source[0] = f"{source[0]}\n```text\n{text}\n```\n"
            return
        source[0] = re.sub(r"\]\(([^)\s]+)\)", lambda m: f"]({link_from_root(page, m[1])})", text)
    else:
        source[0] = re.sub(r"\]\((\.\.?/[^)\s]+)\)", lambda m: f"]({link_from_docs(page, m[1])})", source[0])


def clean_docstring(app, what, name, obj, options, lines):
    """Texts of scikit-learn's methods are cut; |x| is a norm, and not reStructuredText's substitution."""
    if getattr(obj, "__module__", "").startswith("sklearn."):  # their long texts refer to their own site
        lines[:] = [re.sub(r":ref:`([^<`]+?) ?<[^>]*>`", r"\1", " ".join(lines).split(". ")[0] + " (scikit-learn's method).")]
    lines[:] = ["``".join(p if i % 2 else p.replace("|", r"\|") for i, p in enumerate(line.split("``"))) for line in lines]


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
    app.connect("build-finished", write_llms_txt)
    app.connect("autodoc-process-docstring", clean_docstring, priority=900)
    app.connect("source-read", rewrite_links)
