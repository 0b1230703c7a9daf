# cython: language_level=3
"""Trains and predicts in C++, on numpy's memory and without the GIL."""
cimport dcsvm
from libcpp.vector cimport vector


def right(const double[:, ::1] x, const double[::1] y, double C, double gamma):
    """How many rows of x a model that was trained on them predicts right."""
    cdef dcsvm.TrainParams params
    cdef dcsvm.DenseView view = dcsvm.dense(&x[0, 0], x.shape[0], x.shape[1])
    cdef dcsvm.Model model
    cdef vector[double] labels
    cdef Py_ssize_t i
    cdef int count = 0
    if x.shape[0] != y.shape[0]:  # pointers have no lengths
        raise ValueError(f"{y.shape[0]} labels for {x.shape[0]} rows")
    params.C = C
    params.kernel.gamma = gamma
    params.gamma_rule = dcsvm.GammaRule.value
    labels.resize(x.shape[0])
    with nogil:
        model = dcsvm.train(view, &y[0], params)
        dcsvm.predict(model, view, labels.data())
        for i in range(x.shape[0]):
            count += labels[i] == y[i]
    return count
