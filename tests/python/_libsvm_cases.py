"""What the tests of LIBSVM's Python interface share: forms of rows, and both modules run alike."""

import ctypes
import re

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed")
their_svm = pytest.importorskip("libsvm.svm", reason="libsvm-official is not installed")
theirs = pytest.importorskip("libsvm.svmutil", reason="libsvm-official is not installed")
their_common = pytest.importorskip("libsvm.commonutil", reason="libsvm-official is not installed")

FORMULATIONS = {0: "-s 0 -c 4", 1: "-s 1 -n 0.3", 2: "-s 2 -n 0.3", 3: "-s 3 -c 4 -p 0.05", 4: "-s 4 -c 4 -n 0.4"}
KERNELS = {0: "-t 0", 1: "-t 1 -g 0.3 -r 1 -d 2", 2: "-t 2 -g 0.4", 3: "-t 3 -g 0.05 -r 0.1"}


def forms(x):
    return {
        "array": x,
        "csr": sparse.csr_matrix(x),
        "lists": x.tolist(),
        "tuples": [tuple(r) for r in x.tolist()],
        "dicts": [{j + 1: v for j, v in enumerate(r) if v} for r in x.tolist()],
        "reversed dicts": [{j + 1: r[j] for j in reversed(range(len(r)))} for r in x.tolist()],
        "arrays": list(x),
        "pairs": [(np.arange(x.shape[1])[::-1].copy(), r[::-1].copy()) for r in x],
        "mixed": [r if i % 2 else {j + 1: v for j, v in enumerate(r)} for i, r in enumerate(x.tolist())],
    }


def pattern(text):
    """Text with every run of progress marks and every number replaced."""
    text = re.sub(r"[.*]+\n", "*\n", text)
    text = text.replace("*\nWARNING: using -h 0 may be faster\n", "")  # when it is, in LIBSVM
    return re.sub(r"[-+]?(\d+\.?\d*(e[-+]?\d+)?|nan|inf)", "N", text)


def their_prediction(yt, xt, m, options=""):
    """theirs.svm_predict; for nu-SVC of more than two classes by ctypes, as it would write beyond its array."""
    if m.get_svm_type() != 1:
        return theirs.svm_predict(yt, xt, m, options)
    values, labels = [], []
    for x in xt:
        dec = (ctypes.c_double * 3)()
        row, _ = their_svm.gen_svm_nodearray(x)
        labels.append(their_svm.libsvm.svm_predict_values(m, row, dec))
        values.append(dec[:])
    metrics = their_common.evaluations(yt, labels) if len(yt) else None
    if options != "-q":
        print(f"Accuracy = {metrics[0]:g}% ({round(len(yt) * metrics[0] / 100)}/{len(yt)}) (classification)")
    return labels, metrics, values


def run(module, capfd, y, x, options, xt, yt, predict=""):
    m = module.svm_train(y, x, options)
    predicted = their_prediction if module is theirs and not predict else module.svm_predict
    result = predicted(yt, xt, m, predict)
    return m, result, capfd.readouterr().out
