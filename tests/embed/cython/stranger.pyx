# cython: language_level=3
# A stranger's Cython module: trains and predicts without touching Python objects.
cimport dcsvm
from libc.stdint cimport int32_t, int64_t
from libcpp cimport bool
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


def labels_of_csr(const double[::1] data, const int32_t[::1] indices, const int64_t[::1] indptr, Py_ssize_t cols,
                  const double[::1] y, double C, double gamma):
    """Labels of sparse training rows, through a view that holds either kind."""
    cdef dcsvm.TrainParams params
    params.C = C
    params.kernel.gamma = gamma
    params.keep_levels = True
    cdef dcsvm.DataView view = dcsvm.DataView(dcsvm.csr(&data[0], &indices[0], &indptr[0], y.shape[0], cols))
    cdef dcsvm.Model model
    cdef vector[double] labels
    labels.resize(dcsvm.rows_of(view))
    with nogil:
        model = dcsvm.train(view, &y[0], params)
        dcsvm.predict(model, view, labels.data())
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


def fit_linear(const double[:, ::1] x, const double[::1] y, double C):
    """Probabilities of the training rows by logistic regression, the weights, and the model's bytes."""
    cdef dcsvm.LinearParams params
    params.solver = dcsvm.LinearSolver.logistic
    params.C = C
    cdef dcsvm.DenseView view = dcsvm.dense(&x[0, 0], x.shape[0], x.shape[1])
    cdef dcsvm.LinearModel model
    cdef vector[double] probabilities
    cdef string data
    with nogil:
        model = dcsvm.train_linear(view, &y[0], params)
        probabilities.resize(x.shape[0] * dcsvm.probability_columns(model))
        dcsvm.predict_proba(model, view, probabilities.data())
        data = dcsvm.model_to_bytes(model)
    return probabilities, model.w(), <bytes>data


cdef vector[dcsvm.Index] counts


cdef bool watch(const dcsvm.Progress& progress) noexcept nogil:
    counts.push_back(progress.n_support)
    return False


def fit_watched(const double[:, ::1] x, const double[::1] y, double C, double gamma):
    """The support vectors at each report, and the model's. Signals end the training."""
    cdef dcsvm.TrainParams params
    cdef dcsvm.TrainInputs inputs
    cdef dcsvm.Hooks hooks
    cdef dcsvm.DenseView view = dcsvm.dense(&x[0, 0], x.shape[0], x.shape[1])
    cdef dcsvm.Model model
    params.C = C
    params.kernel.gamma = gamma
    hooks.progress = watch
    hooks.interrupted = dcsvm.check_signals
    counts.clear()
    with nogil:
        model = dcsvm.train(view, &y[0], params, inputs, hooks)
    return counts, model.report().n_support


def parts_of(bytes model_bytes):
    """rho, the words for its stop, and the kinds of its warnings, of a model."""
    cdef dcsvm.Model model = dcsvm.model_from_bytes(model_bytes)
    cdef dcsvm.Report report = model.report()
    return list(model.rho()), dcsvm.to_string(report.stop_reason).decode(), [w.kind.decode() for w in report.warnings]


def linear_labels(const double[:, ::1] x, const double[::1] y):
    """Labels by a linear model that Ctrl-C could have stopped."""
    cdef dcsvm.LinearParams params
    cdef dcsvm.LinearInputs inputs
    cdef dcsvm.Hooks hooks
    cdef dcsvm.PredictOptions options
    cdef dcsvm.DataView view = dcsvm.DataView(dcsvm.dense(&x[0, 0], x.shape[0], x.shape[1]))
    cdef vector[double] labels
    hooks.interrupted = dcsvm.check_signals
    options.interrupted = dcsvm.check_signals
    labels.resize(x.shape[0])
    with nogil:
        dcsvm.predict(dcsvm.train_linear(view, &y[0], params, inputs, hooks), view, labels.data(), options)
    return labels


def load(bytes path):
    dcsvm.load_model(path)
