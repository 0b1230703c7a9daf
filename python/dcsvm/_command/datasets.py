"""The command datasets: the sets of LIBSVM's data page as files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import datasets
from .._datasets.catalogue import HOME, DataSet
from .._datasets.download import cache_folder, unpacked_name

EPILOG = f"""\
examples:
  dcsvm datasets                                the sets, and which are here
  dcsvm datasets a9a                            downloads the set and prints the paths of its files
  dcsvm train "$(dcsvm datasets a9a --part train)" a9a.model
  dcsvm datasets ijcnn1 mnist --folder data     into another folder

The sets come from {HOME} (or a copy of it that
DCSVM_DATASETS_URL names). They are kept in $DCSVM_CACHE/datasets, else ~/.cache/dcsvm/datasets, unpacked and with a checksum. A
download that was interrupted goes on where it ended. python -m bench of a checkout finds the sets there.
"""


def add_arguments(p: argparse.ArgumentParser) -> None:
    """The options, on a parser."""
    p.add_argument("names", nargs="*", metavar="NAME", help="sets to download; none: list them")
    p.add_argument("--part", choices=("train", "test"), help="one part alone (default: all that a set has)")
    p.add_argument("--folder", type=Path, metavar="DIR", help="where files are kept")


def run(args: argparse.Namespace) -> None:
    """Lists the sets, or downloads some and prints their paths."""
    sets = datasets.catalogue()
    if not args.names:
        folder = args.folder or cache_folder() / "datasets"
        print(f"{'name':<22}{'task':<12}{'features':>10}{'train':>12}{'test':>10}  here")
        for known in sets.values():
            print(_line(known, folder))
        return
    for name in args.names:
        parts: Any = sets[name].parts if name in sets and args.part is None else [args.part or "train"]
        for part in parts:
            print(datasets.fetch_file(name, part=part, folder=args.folder), flush=True)


def _line(known: DataSet, folder: Path) -> str:
    rows = [f"{known.parts[part].rows:,}" if part in known.parts else "" for part in ("train", "test")]
    here = [part for part, of in known.parts.items() if (folder / unpacked_name(of.file)).exists()]
    return f"{known.name:<22}{known.task:<12}{known.n_features:>10,}{rows[0]:>12}{rows[1]:>10}  {' '.join(here)}".rstrip()
