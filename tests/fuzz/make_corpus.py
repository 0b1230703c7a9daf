"""Writes the corpora of the fuzz targets: tiny models of every kind, data, caches, reports, and files with hostile sizes.

Run it in an environment with dcsvm: ``python tests/fuzz/make_corpus.py``. Files that a fuzzer found are added by hand.
"""

from __future__ import annotations

import contextlib
import struct
import tempfile
import zlib
from pathlib import Path

import numpy as np

import dcsvm

CORPUS = Path(__file__).parent / "corpus"
GOLDEN = Path(__file__).parents[1] / "golden"
WIDEST = 2**31 - 1


class Csr:
    """The arrays of a CSR matrix, without scipy."""

    def __init__(self, x: np.ndarray) -> None:
        rows, self.indices = np.nonzero(x)
        self.data = x[rows, self.indices]
        self.indptr = np.searchsorted(rows, np.arange(x.shape[0] + 1))
        self.shape = x.shape


def section(tag: bytes, payload: bytes, flags: int = 1) -> bytes:
    whole = tag + struct.pack("<IQ", flags, len(payload)) + payload
    return whole + struct.pack("<I", zlib.crc32(whole))


def model_file(*sections: bytes) -> bytes:
    body = b"".join(sections)
    head = b"\x89DCSVM\r\n" + struct.pack("<IIQI", 1, len(sections), 32 + len(body), 0)
    return head + struct.pack("<I", zlib.crc32(head)) + body


def array(kind: str, values: list[float] | list[int]) -> bytes:
    return struct.pack("<Q", len(values)) + struct.pack(f"<{len(values)}{kind}", *values)


def kernel(gamma: float = 1.0) -> bytes:
    return struct.pack("<Iidd", 2, 3, gamma, 0.0)


def wide_points(columns: int) -> bytes:
    """Two sparse rows, one with the middle column and one with the last."""
    head = struct.pack("<IIqq", 1, 1, 2, columns) + array("d", [1.0, 2.0])
    return head + array("q", [0, 1, 2]) + array("q", [columns // 2, columns - 1])


def wide_low_rank(columns: int, features: int) -> bytes:
    sections = [
        section(b"LRNK", kernel() + struct.pack("<IIq", features, 0, columns)),
        section(b"CLAS", array("d", [0.0, 1.0])),
        section(b"LRUS", array("q", [0, 1])),
        section(b"LRCF", array("d", [1.0, -1.0]) + array("d", [0.5])),
        section(b"PNTS", wide_points(columns)),
    ]
    return model_file(*sections, *([section(b"LRPH", array("d", [0.0, 0.0]))] if features else []))


def wide_ls_svm(columns: int) -> bytes:
    return model_file(
        section(b"LSSV", kernel() + struct.pack("<IIq", 0, 0, columns)),
        section(b"CLAS", array("d", [0.0, 1.0])),
        section(b"LSCF", array("d", [1.0, 2.0, 3.0, 4.0]) + array("d", [0.0, 0.0])),
        section(b"PNTS", wide_points(columns)),
    )


def wide_routed(columns: int) -> bytes:
    empty = struct.pack("<IIqq", 1, 1, 0, columns) + array("d", []) + array("q", [0]) + array("q", [])
    expansion = [struct.pack("<q", 0) + array("i", [c]) + array("q", [0]) + array("d", []) for c in (0, 1)]
    return model_file(
        section(b"META", kernel() + struct.pack("<IIIdqq", 0, 1, 0, 1.0, columns, 10)),
        section(b"CLAS", array("d", [0.0, 1.0])),
        section(b"SUPP", array("q", []) + array("i", [])),
        section(b"COEF", array("d", [])),
        section(b"PNTS", empty),
        section(b"EXPN", struct.pack("<Q", 2) + b"".join(expansion)),
        section(b"RTRK", kernel() + wide_points(columns) + array("q", [0, 1, 2]) + array("d", [0.0, 0.0])),
        section(b"CLSZ", array("q", [5, 5])),
    )


def huge_tree(features: int, depth: int, vectors: int) -> bytes:
    """A tree that declares more than its vectors hold."""
    own = array("d", [0.5] * vectors)
    head = section(b"LDKL", struct.pack("<qqd", features, depth, 1.0))
    return model_file(
        head,
        section(b"CLAS", array("d", [0.0, 1.0])),
        *(section(tag, own) for tag in (b"LDKW", b"LDKV")),
        section(b"LDKT", array("d", [])),
    )


def many_classes(k: int) -> bytes:
    """A clustered model that declares k classes and has none of them in its cluster."""
    return model_file(
        section(b"META", kernel() + struct.pack("<IIIdqq", 0, 1, 0, 1.0, 1, 10)),
        section(b"CLAS", array("d", [float(c) for c in range(k)])),
        section(b"SUPP", array("q", []) + array("i", [])),
        section(b"COEF", array("d", [])),
        section(b"PNTS", struct.pack("<IIqq", 0, 0, 0, 1) + array("f", [])),
        section(b"EXPN", struct.pack("<Q", 1) + struct.pack("<q", 0) + array("i", []) + array("q", []) + array("d", [])),
        section(b"RTRC", struct.pack("<qq", 1, 1) + array("d", [0.0])),
        section(b"CLSZ", array("q", [10])),
    )


def trained_models() -> dict[str, bytes]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(12, 2)).astype(np.float32)
    y = np.arange(12) % 3
    two = y > 0
    sparse = Csr(np.where(np.abs(x) > 0.5, x, 0.0))
    models = {
        "svc": dcsvm.train(x, y, C=1.0, gamma=0.5),
        "sparse": dcsvm.train(sparse, two, C=1.0, kernel="linear"),
        "early": dcsvm.train(x, y, C=1.0, gamma=0.5, early_level=1, branching=2, n_levels=1),
        "nystrom": dcsvm.train_low_rank(x, y, n_landmarks=3, gamma=0.5),
        "rks": dcsvm.train_low_rank(x, two, n_landmarks=3, gamma=0.5, features="rks"),
        "pairs": dcsvm.train_low_rank(sparse, y, n_landmarks=3, gamma=0.5, landmarks="uniform", multi_class="ovo"),
        "ls-svm": dcsvm.train_ls_svm(x, y, gamma=0.5),
        "ls-svr": dcsvm.train_ls_svm(x, x[:, 0].astype(float), gamma=0.5, regression=True),
        "linear": dcsvm.train_linear(x, y, solver="logistic"),
        "linear-svr": dcsvm.train_linear(sparse, x[:, 0].astype(float), solver="svr_dual", bias=1),
        "linear-one-class": dcsvm.train_linear(x, None, solver="one_class", nu=0.3),
        "ldkl": dcsvm.train_ldkl(x, y, depth=1, n_passes=1, lambda_w=1.0),
        "ldkl-pair": dcsvm.train_ldkl(sparse, two, depth=2, n_passes=1, lambda_w=1.0),
        "dc-pred": dcsvm.train_dc_pred(x, y, gamma=0.5, n_leaves=2, n_landmarks=2),
        "dc-pred-triangle": dcsvm.train_dc_pred(x, two, gamma=0.5, n_leaves=1, n_landmarks=2, pseudo="triangle", n_pseudo=2),
        "dc-pred-ridge": dcsvm.train_dc_pred_ridge(
            x, x[:, 1].astype(float), gamma=0.5, n_leaves=2, n_landmarks=2, pseudo="polynomial"
        ),
    }
    return {name: model.to_bytes() for name, model in models.items()}


def write(target: str, files: dict[str, bytes]) -> None:
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def libsvm_texts() -> dict[str, bytes]:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(10, 2)).round(2)
    y = np.arange(10) % 3
    texts = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        for name, arguments in {
            "c_svc": {"labels": y, "probability": True},
            "nu_svr": {"labels": x[:, 0], "formulation": "nu_svr"},
            "one_class": {"labels": None, "formulation": "one_class", "nu": 0.3},
        }.items():
            labels = arguments.pop("labels")
            dcsvm.train(x, labels, gamma=0.5, **arguments).save(path, format="libsvm")
            texts[name] = path.read_bytes()
    head = b"svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n"
    texts["widest"] = head + b"1 1:1\n-1 2147483647:1\n"
    texts["precomputed"] = head.replace(b"linear", b"precomputed") + b"1 0:1\n-1 0:7\n"
    return texts


def liblinear_texts() -> dict[str, bytes]:
    def text(solver: str, classes: str, features: int, bias: float, weights: str) -> bytes:
        return f"solver_type {solver}\n{classes}nr_feature {features}\nbias {bias:g}\n{weights}".encode()

    three, two = "nr_class 3\nlabel 7 -2 3\n", "nr_class 2\nlabel 1 -1\n"
    return {
        "crammer_singer": text("MCSVM_CS", three, 2, 1, "w\n0.5 -0.25 1 \n0 1e-300 -3 \n0.1 2 3.5 \n"),
        "logistic": text("L2R_LR", two, 2, -1, "w\n0.5 \n-3 \n"),
        "svr": text("L2R_L2LOSS_SVR", "nr_class 2\n", 1, 2.5, "w\n1 \n2 \n"),
        "one_class": text("ONECLASS_SVM", "nr_class 2\n", 1, -1, "rho 0.5\nw\n1 \n"),
        "widest": text("L2R_LR", two, WIDEST, 1, "w\n0.5 \n-3 \n"),
        "many_classes": text("L1R_LR", f"nr_class {WIDEST}\nlabel 1 2\n", 1, -1, "w\n1 \n"),
    }


def caches() -> dict[str, bytes]:
    """Flags, lengths of the index and the first block, then index and blocks."""
    files = {}
    for name, storage in (("dense", np.asarray), ("sparse", Csr)):
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder) / "cache"
            x = np.random.default_rng(2).normal(size=(16, 2)).astype(np.float32)
            batches = [(storage(x[:8]), np.arange(8) % 2), (storage(x[8:]), np.arange(8) % 2)]
            dcsvm.train_low_rank_batches(
                iter(batches), cache_dir=cache, keep_cache=True, n_landmarks=2, gamma=0.5, landmarks="uniform"
            )
            index, first, second = ((cache / file).read_bytes() for file in ("index", "block-00000000", "block-00000001"))
        for flags in (1, 9, 68):
            files[f"{name}-{flags}"] = struct.pack("<BHH", flags, len(index), len(first)) + index + first + second
    return files


def journals() -> dict[str, bytes]:
    """For two problems of 3 weights and 5 rows. A record: pass, unit, worst, kept rows, then weights and (row, alpha)."""

    def record(step: tuple[int, int], kept: list[int], rows: list[int]) -> bytes:
        body = struct.pack("<qqd", *step, 0.5) + array("q", kept)
        for _ in range(2):
            body += array("d", [0.5, -1.0, 2.0]) + struct.pack("<Q", len(rows))
            body += b"".join(struct.pack("<qd", row, 0.25) for row in rows)
        whole = struct.pack("<Q", len(body)) + body
        return whole + struct.pack("<I", zlib.crc32(whole))

    head = b"\x89DCSVS\r\n" + struct.pack("<II", 3, 7)
    good = record((0, 1), [1, 4], [0, 3])
    return {
        "two-records": head + good + record((1, 0), [], [4]),
        "negative-unit": head + record((0, -1), [], []),
        "row-out-of-range": head + record((0, 1), [7], [5]),
        "count": head + good.replace(struct.pack("<Q", 3), struct.pack("<Q", 2**62)),
    }


def checkpoints() -> dict[str, bytes]:
    """Flags, then entries for the C-SVC of checkpoint.cpp, or a whole file."""

    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    x = np.array([i * i % 7 - 3.0 for i in range(24)]).reshape(12, 2)
    y = np.array([float(i * 5 % 3 % 2) for i in range(12)])
    sign = np.sort(1.0 - 2.0 * y)[::-1]  # of the rows, the first class first: what q is
    problem = b"sum" + b"".join(np.asarray(v, "<f8").tobytes() for v in (sign, np.minimum(sign, 0), np.maximum(sign, 0)))
    mark = float(zlib.crc32(problem))
    first, second = int(np.flatnonzero(sign > 0)[0]), int(np.flatnonzero(sign < 0)[0])

    def entry(flags: int, *values: float) -> bytes:
        return bytes([flags]) + struct.pack("<Q", 1) + array("I", [0]) + array("d", [mark, *values])

    result = [0, -0.5, 1e-4, 0, 0, 0.1, 0, 7, 0, 2, 0, 0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        with contextlib.suppress(KeyboardInterrupt):
            dcsvm.train(x, y, gamma=0.5, solver="smo", checkpoint=path, callback=interrupt)
        whole = path.read_bytes()
    return {
        "running": entry(0, 0, 7, first, 0.5, second, -0.5),
        "ended": entry(0, 1, 7, *result, first, 0.5, second, -0.5),
        "ended-of-several": entry(16, 1, 7, *result, first, 0.5, second, -0.5),
        "ended-too-short": entry(0, 1, 7, *result[:-2]),
        "stop-reason": entry(0, 1, 7, 99, *result[1:], first, 0.5, second, -0.5),
        "counts-beyond-integers": entry(0, 1, 1e300, *result[:7], 1e300, 1e300, -1, *result[10:]),
        "variable-out-of-range": entry(0, 0, 7, 12, 0.5),
        "not-feasible": entry(0, 0, 7, first, 0.5),
        "not-a-number": entry(0, 0, 7, float("nan"), float("nan")),
        "steps-not-a-number": entry(0, 0, float("nan"), first, 0.5, second, -0.5),
        "many-entries": b"\0" + struct.pack("<Q", 2**60),
        "long-path": b"\0" + struct.pack("<QQ", 1, 2**62),
        "whole": bytes([128]) + whole[:-4],
    }


def main() -> None:
    models = trained_models()
    golden = {path.stem: path.read_bytes() for path in sorted(GOLDEN.glob("*.dcsvm"))}
    wide = {}
    for columns in (WIDEST, 2**31, 2**62 + 1):
        wide[f"wide-nystrom-{columns}"] = wide_low_rank(columns, 0)
        wide[f"wide-rks-{columns}"] = wide_low_rank(columns, 1)
        wide[f"wide-ls-svm-{columns}"] = wide_ls_svm(columns)
        wide[f"wide-routed-{columns}"] = wide_routed(columns)
    trees = {
        f"tree-{features}-{depth}": huge_tree(features, depth, vectors)
        for features, depth, vectors in ((1, 0, 2), (WIDEST, 16, 2), (1, 62, 2), (2**62, 1, 0), (-1, 0, 0), (1, -1, 0))
    }
    hostile = wide | trees | {"many-classes": many_classes(150)}
    write("model", models | golden | hostile)
    write("from_bytes", {name: models[name] for name in ("svc", "nystrom", "ls-svm", "linear", "dc-pred", "ldkl")})
    write("libsvm_model", libsvm_texts())
    write("liblinear_model", liblinear_texts())
    write("block_cache", caches())
    write("journal", journals())
    write("checkpoint", checkpoints())
    kinds = (b"META", b"LRNK", b"DPRD", b"LSSV", b"LINR", b"LDKL")  # as report.cpp counts them, by the first section of a file
    reports = {
        name: bytes([kinds.index(content[32:36])]) + content[content.index(b"REPJ") + 16 : -4]
        for name, content in models.items()
        if b"REPJ" in content
    }
    write("report", reports)
    texts = [
        b"1 1:0.5 3:2\n-1 2:1e-3 # note\n\n+1 7:-0\n",
        b"\xef\xbb\xbf1 0:1\r\n-1 2147483646:3",
        b"nan 1:1\n",
        b"1 1:1e999 2:.\n",
        b"1 3:1 2:1\n",
    ]
    options = [b"\x00\x00", b"\x01\x03", b"\x02\x07", b"\x0c\x21", b"\x00\x01"]
    write("svmlight", {f"text-{i}": o + t for i, (o, t) in enumerate(zip(options, texts, strict=True))})
    total = sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file())
    print(f"{total} bytes")


if __name__ == "__main__":
    main()
