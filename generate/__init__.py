"""Writes what follows from the declarations of the parameters, in C++ and in the signatures of Python: python -m generate

A parameter is declared in the struct and in cpp/include/dcsvm/parameters.hpp; the training's signature and the estimators that
have it name it. The page of all parameters, the rows of the trainings' pages, the entries in the docstrings of trainings and
estimators, the names of the command's options, types for editors and type checkers, and the structs for Cython are made from that
here, with the dcsvm that is installed. A test says that running it changes nothing (tests/python/test_generated.py).
"""

from collections.abc import Iterator
from pathlib import Path

from . import (
    choice_types,
    class_docs,
    cluster_page,
    command_page,
    cython_structs,
    option_types,
    parameters_page,
    training_docs,
    training_pages,
)

ROOT = Path(__file__).parents[1]
PARTS = (choice_types, command_page, cluster_page, training_pages, training_docs, option_types, cython_structs, class_docs)


def files() -> Iterator[tuple[Path, str]]:
    """Each file that is made here or in part, and what it is to hold."""
    yield ROOT / parameters_page.PAGE, parameters_page.page()
    for part in PARTS:
        for name, text in part.files(ROOT):
            yield ROOT / name, text
