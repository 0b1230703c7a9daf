# cython: language_level=3
# A stranger's Cython module: trains and predicts without touching Python objects.
cimport dcsvm
from libcpp.string cimport string
from libcpp.vector cimport vector


def rows_of(bytes model_bytes, const float[:, ::1] x):
    """Labels by a DC-Pred++ model, one row after another, without the GIL."""
    cdef dcsvm.DcPredModel model = dcsvm.dc_pred_model_from_bytes(model_bytes)
    cdef dcsvm.DcPredRow* row = new dcsvm.DcPredRow(model)
    cdef vector[double] labels
    cdef Py_ssize_t i
    labels.resize(x.shape[0])
    with nogil:
        for i in range(x.shape[0]):
            labels[i] = row.predict(&x[i, 0])
    del row
    return labels


def version() -> str:
    return dcsvm.version().decode()


def fit_predict(const double[:, ::1] x, const double[::1] y, double C, double gamma):
    """Labels of the training rows, and the model's bytes (for dcsvm.Model.from_bytes)."""
    cdef dcsvm.TrainParams params
    params.C = C
    params.kernel.gamma = gamma
    params.gamma_rule = dcsvm.GammaRule.value
    cdef dcsvm.DenseView view = dcsvm.dense(&x[0, 0], x.shape[0], x.shape[1])
    cdef dcsvm.Model model
    cdef vector[double] labels
    cdef string data
    labels.resize(x.shape[0])
    with nogil:
        model = dcsvm.train(view, &y[0], params)
        dcsvm.predict(model, view, labels.data())
        data = dcsvm.model_to_bytes(model)
    return labels, <bytes>data
