"""Writes the files that have changed, and names them."""

from . import ROOT, files

for path, text in files():
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        print(path.relative_to(ROOT))
