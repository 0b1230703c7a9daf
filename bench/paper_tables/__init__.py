"""The tables and figures of the five papers, as data: problems, methods, their parameters, and the papers' own numbers.

papers.py runs and prints them. A name is the paper's and the table's: dc-svm-table-2.
"""

from .dc_pred import DC_PRED
from .dc_svm import DC_SVM
from .kinds import Claim, Data, Paper, Row, Study, Table, Theirs
from .llsvm import LLSVM
from .ls_svm import LS_SVM
from .rand_svm import RAND_SVM

__all__ = ["PAPERS", "PARTS", "Claim", "Data", "Paper", "Row", "Study", "Table", "Theirs"]

PAPERS = {p.key: p for p in (DC_SVM, DC_PRED, LLSVM, LS_SVM, RAND_SVM)}
PARTS = {part.name: part for p in PAPERS.values() for part in p.parts}
