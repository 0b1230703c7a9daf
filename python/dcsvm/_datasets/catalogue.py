"""The sets of LIBSVM's data page that ``fetch`` knows: files, and the sizes that the page states.

Checked against the lists of two other packages that read the page, libsvmdata (Python) and LIBSVMdata.jl. Where these do not have
a set, or state another size, the files' names were found in other programs: webspam, vowel.scale. ``fetch`` warns when a file
has another number of rows.
"""

from __future__ import annotations

import os
from typing import NamedTuple

HOME = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"


class Part(NamedTuple):
    """A file of the page and the rows in it.

    Attributes
    ----------
    file : str
        Its name on the page.
    rows : int
        As the page states them.
    """

    file: str
    rows: int


class DataSet(NamedTuple):
    """A set of the page.

    Attributes
    ----------
    name : str
        As :func:`dcsvm.datasets.fetch` takes it.
    task : str
        The page's folder: "binary", "multiclass" or "regression".
    n_features : int
        As the page states them.
    parts : dict of str to Part
        "train", and "test" where the page has one.
    """

    name: str
    task: str
    n_features: int
    parts: dict[str, Part]

    def address(self, part: str) -> str:
        """Where a part is found; ``DCSVM_DATASETS_URL`` names a copy of the page's folders.

        Parameters
        ----------
        part : str
            A key of ``parts``.

        Returns
        -------
        str
            The address of the file.
        """
        home = os.environ.get("DCSVM_DATASETS_URL") or HOME
        return f"{home.rstrip('/')}/{self.task}/{self.parts[part].file}"

    def most_bytes(self, part: str) -> int:
        """More than the text of a part can have, if the page states its size.

        Parameters
        ----------
        part : str
            A key of ``parts``.

        Returns
        -------
        int
            Of twice the rows, with a value of all digits for each feature, and 1 MB.
        """
        return (1 << 20) + 2 * self.parts[part].rows * (_LABEL + _ENTRY * self.n_features)


_LABEL, _ENTRY = 32, 40  # bytes that a label with the line end, and an index with its value, take at most

# name, features, rows, and rows of the test part; then the files, where these are not the name and "name.t"
_BINARY = """
a1a 123 1605 30956
a2a 123 2265 30296
a3a 123 3185 29376
a4a 123 4781 27780
a5a 123 6414 26147
a6a 123 11220 21341
a7a 123 16100 16461
a8a 123 22696 9865
a9a 123 32561 16281
australian_scale 14 690
breast-cancer_scale 10 683
cod-rna 8 59535 271617
covtype.binary 54 581012 - covtype.libsvm.binary.bz2
covtype.binary.scale 54 581012 - covtype.libsvm.binary.scale.bz2
diabetes_scale 8 768
fourclass_scale 2 862
german.numer_scale 24 1000
gisette_scale 5000 6000 1000 gisette_scale.bz2 gisette_scale.t.bz2
heart_scale 13 270
HIGGS 28 11000000 - HIGGS.xz
ijcnn1 22 49990 91701 ijcnn1.bz2 ijcnn1.t.bz2
ionosphere_scale 34 351
mushrooms 112 8124
news20.binary 1355191 19996 - news20.binary.bz2
phishing 68 11055
rcv1.binary 47236 20242 677399 rcv1_train.binary.bz2 rcv1_test.binary.bz2
real-sim 20958 72309 - real-sim.bz2
skin_nonskin 3 245057
sonar_scale 60 208
splice 60 1000 2175
splice_scale 60 1000
SUSY 18 5000000 - SUSY.xz
svmguide1 4 3089 4000
w1a 300 2477 47272
w2a 300 3470 46279
w3a 300 4912 44837
w4a 300 7366 42383
w5a 300 9888 39861
w6a 300 17188 32561
w7a 300 24692 25057
w8a 300 49749 14951
webspam 254 350000 - webspam_wc_normalized_unigram.svm.xz
"""
_MULTICLASS = """
connect-4 126 67557
covtype 54 581012 - covtype.bz2
covtype.scale01 54 581012 - covtype.scale01.bz2
dna.scale 180 2000 1186
glass.scale 9 214
iris.scale 4 150
letter.scale 16 15000 5000
mnist 780 60000 10000 mnist.bz2 mnist.t.bz2
mnist.scale 780 60000 10000 mnist.scale.bz2 mnist.scale.t.bz2
news20 62061 15935 3993 news20.bz2 news20.t.bz2
pendigits 16 7494 3498
protein 357 17766 6621 protein.bz2 protein.t.bz2
satimage.scale 36 4435 2000
segment.scale 19 2310
shuttle.scale 9 43500 14500
usps 256 7291 2007 usps.bz2 usps.t.bz2
vehicle.scale 18 846
vowel.scale 10 528 462
wine.scale 13 178
"""
_REGRESSION = """
abalone_scale 8 4177
bodyfat_scale 14 252
cadata 8 20640
cpusmall_scale 12 8192
E2006-tfidf 150360 16087 3308 E2006.train.bz2 E2006.test.bz2
housing_scale 13 506
mg_scale 6 1385
mpg_scale 7 392
space_ga_scale 6 3107
YearPredictionMSD 90 463715 51630 YearPredictionMSD.bz2 YearPredictionMSD.t.bz2
"""


def _sets() -> dict[str, DataSet]:
    found = {}
    for task, table in (("binary", _BINARY), ("multiclass", _MULTICLASS), ("regression", _REGRESSION)):
        for line in table.split("\n")[1:-1]:
            name, n_features, *rest = line.split()
            counts = [int(rows) for rows in rest[:2] if rows != "-"]
            files = rest[2:] or [name, f"{name}.t"]
            parts = {part: Part(file, rows) for part, file, rows in zip(("train", "test"), files, counts, strict=False)}
            found[name] = DataSet(name, task, int(n_features), parts)
    return found


SETS = _sets()
