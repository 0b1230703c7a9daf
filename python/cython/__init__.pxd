# cython: language_level=3
# Typed access to the public C++ interface for Cython users: `cimport dcsvm`. The comments are in the headers.
# Compile as C++17 with -I of dcsvm.get_include(), link lib/libdcsvm.a (dcsvm.get_cmake_dir() + "/../../libdcsvm.a") and -pthread.
# C++ errors become the same Python exceptions as in the package, ModelError its base ValueError.
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp cimport bool
from libcpp.functional cimport function
from libcpp.map cimport map
from libcpp.optional cimport optional
from libcpp.pair cimport pair
from libcpp.string cimport string
from libcpp.vector cimport vector

cdef extern from *:
    """
    #include <dcsvm/dcsvm.hpp>
    [[maybe_unused]] static void dcsvm_raise() {
      try {
        throw;
      } catch (const dcsvm::Interrupted&) {
        if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);  // check_signals left what the handler raised
      } catch (const dcsvm::FileError& e) {
        // With the errno, which makes it a FileNotFoundError, a PermissionError, ...
        PyObject* arguments = e.code() != 0 ? Py_BuildValue("(is)", e.code(), e.what()) : Py_BuildValue("(s)", e.what());
        if (arguments != nullptr) PyErr_SetObject(PyExc_OSError, arguments);
        Py_XDECREF(arguments);
      } catch (const dcsvm::CapError& e) {
        PyErr_SetString(PyExc_MemoryError, e.what());
      } catch (const dcsvm::Error& e) {
        PyErr_SetString(PyExc_ValueError, e.what());
      } catch (const std::bad_alloc& e) {
        PyErr_SetString(PyExc_MemoryError, e.what());
      } catch (const std::exception& e) {
        PyErr_SetString(PyExc_RuntimeError, e.what());
      } catch (...) {
        PyErr_SetString(PyExc_RuntimeError, "unknown C++ exception");
      }
    }
    [[maybe_unused]] static bool dcsvm_check_signals() {
      const PyGILState_STATE state = PyGILState_Ensure();
      const bool raised = PyErr_CheckSignals() != 0;
      PyGILState_Release(state);
      return raised;
    }
    """
    int dcsvm_raise()
    # For Hooks.interrupted: a training or prediction then ends on Ctrl-C, as the package's own do. With or without the GIL.
    bool check_signals "dcsvm_check_signals"() noexcept nogil

cdef extern from "dcsvm/dcsvm.hpp" namespace "dcsvm" nogil:
    ctypedef ptrdiff_t Index

    cdef cppclass Progress:
        const char* phase
        int level
        Index done
        Index total
        int64_t n_iter
        double violation
        double objective
        Index active
        Index n_support
        double seconds

# What std::function takes in Hooks: functions without the GIL and without exceptions.
ctypedef bool ProgressFunction(const Progress&) noexcept nogil
ctypedef bool InterruptedFunction() noexcept nogil

cdef extern from "dcsvm/dcsvm.hpp" namespace "dcsvm" nogil:
    const char* version()

    cdef enum class ScalarType:
        float32
        float64

    cdef enum class IndexType:
        int32
        int64

    cdef enum class KernelType:
        linear
        poly
        rbf
        sigmoid
        precomputed
        exponential
        matern32
        matern52
        laplacian
        chi2
        tanimoto

    cdef enum class Formulation:
        c_svc
        nu_svc
        one_class
        epsilon_svr
        nu_svr
        kernel_ridge

    cdef enum class GammaRule:
        value
        scale
        automatic
        unspecified

    cdef enum class SolverType:
        automatic
        smo
        dc
        rand
        cascade

    cdef enum class Precision:
        single_
        double_

    cdef enum class ClusteringType:
        kernel_kmeans
        kmeans
        random

    cdef enum class LevelPrediction:
        early
        naive

    cdef enum class StopReason:
        converged
        max_iter
        cancelled
        stagnated
        support_limit
        one_pass
        time_limit

    cdef cppclass DenseView:
        const void* data
        ScalarType scalar
        Index rows
        Index cols
        Index row_stride
        Index col_stride

    cdef cppclass CsrView:
        const void* values
        ScalarType scalar
        const void* indices
        const void* indptr
        IndexType index_type
        IndexType indptr_type
        Index rows
        Index cols

    cdef cppclass DataView:  # holds a view of either kind
        DataView()
        DataView(const DenseView&)
        DataView(const CsrView&)

    cdef cppclass Dataset:
        vector[double] y
        vector[double] values
        vector[int64_t] indptr
        vector[int32_t] indices
        Index cols
        Index rows()
        CsrView view()

    cdef cppclass LoadOptions:
        Index n_features
        bool zero_based
        int n_threads
        function[InterruptedFunction] interrupted

    cdef cppclass KernelParams:
        KernelType type
        int degree
        double gamma
        double coef0

    cdef cppclass TrainParams:
        Formulation formulation
        KernelParams kernel
        GammaRule gamma_rule
        double C
        double nu
        double epsilon
        double quantile
        bool fit_intercept
        double tol
        double cache_size
        bool shrinking
        int64_t max_iter
        Precision precision
        vector[pair[double, double]] class_weight
        bool balanced
        bool probability
        SolverType solver
        int n_levels
        int branching
        Index sample_size
        ClusteringType clustering
        bool balance_clusters
        bool keep_levels
        optional[int] early_level
        LevelPrediction prediction
        Index n_support_estimate
        double rand_epsilon
        double rand_delta
        double sample_factor
        int cascade_leaves
        int cascade_passes
        uint64_t seed
        int n_threads
        double max_seconds

    cdef cppclass TrainInputs:
        const double* sample_weight
        const double* warm_start_alpha
        string checkpoint
        double checkpoint_interval

    cdef cppclass Hooks:
        function[ProgressFunction] progress
        double progress_interval
        function[InterruptedFunction] interrupted

    cdef cppclass PredictOptions:
        int n_threads
        function[InterruptedFunction] interrupted

    cdef cppclass LevelReport:
        int level
        Index clusters
        vector[Index] sizes
        double seconds
        double seconds_clustering
        Index n_support
        double objective
        double violation
        Index n_iter
        vector[Index] support
        vector[double] sv_coef
        vector[int32_t] cluster_of

    const char* to_string(StopReason) noexcept

    cdef cppclass Warning:
        string kind
        string text

    cdef cppclass ProblemReport:
        double objective
        double violation
        double tol
        StopReason stop_reason
        int64_t n_iter
        Index n_support
        Index n_bounded
        double r

    cdef cppclass Report:
        double objective
        double violation
        double tol
        StopReason stop_reason
        int64_t n_iter
        int64_t n_kernel_values
        Index n_support
        map[string, double] seconds
        int64_t peak_cache_bytes
        vector[LevelReport] levels
        vector[ProblemReport] problems
        vector[Warning] warnings
        string solver
        string solver_reason
        string precision
        double gamma
        string isa
        int n_threads

    cdef cppclass Calibration:
        vector[double] a
        vector[double] b
        vector[double] density_marks
        bool empty()
    cdef cppclass Model:
        bool empty()
        Index n_features() except +dcsvm_raise
        Index n_train() except +dcsvm_raise
        Formulation formulation() except +dcsvm_raise
        double nu() except +dcsvm_raise
        double epsilon() except +dcsvm_raise
        const vector[double]& classes() except +dcsvm_raise
        bool clustered() except +dcsvm_raise
        const KernelParams& kernel() except +dcsvm_raise
        const Report& report() except +dcsvm_raise
        const Calibration& calibration() except +dcsvm_raise
        LevelPrediction prediction() except +dcsvm_raise
        Model with_prediction(LevelPrediction) except +dcsvm_raise
        Precision precision() except +dcsvm_raise
        Model with_precision(Precision) except +dcsvm_raise
        const vector[Index]& support() except +dcsvm_raise
        vector[Index] n_support_per_class() except +dcsvm_raise
        const vector[double]& sv_coef() except +dcsvm_raise
        vector[double] rho() except +dcsvm_raise
        vector[double] alpha() except +dcsvm_raise
        vector[double] support_vectors() except +dcsvm_raise

    # DC-Pred++: one DcPredRow for each thread; decide and predict need no GIL and allocate nothing.
    cdef cppclass DcPredModel:
        bool empty()
        Index n_features() except +dcsvm_raise
        Index n_leaves() except +dcsvm_raise
        double cost() except +dcsvm_raise
        const vector[double]& classes() except +dcsvm_raise

    cdef cppclass DcPredRow:
        DcPredRow(const DcPredModel&) except +dcsvm_raise
        void decide(const float* x, float* out) noexcept
        double predict(const float* x) noexcept

    # Linear models
    cdef enum class LinearSolver:
        logistic
        squared_hinge_dual
        squared_hinge
        hinge_dual
        crammer_singer
        l1_squared_hinge
        l1_logistic
        logistic_dual
        svr_squared
        svr_squared_dual
        svr_dual
        one_class
        multinomial

    cdef cppclass LinearParams:
        LinearSolver solver
        double C
        double l1_ratio
        double tol
        double epsilon
        double nu
        double bias
        bool regularize_bias
        int64_t max_iter
        vector[pair[double, double]] class_weight
        bool balanced
        double cache_size
        uint64_t seed
        int n_threads
        double max_seconds

    cdef cppclass LinearInputs:
        const double* sample_weight
        const double* initial_w
        vector[double] classes

    cdef cppclass BlockOptions:
        string cache
        double memory_mb
        bool keep_cache
        Index n_features
        bool zero_based

    cdef cppclass LinearProblemReport:
        double primal_objective
        double dual_objective
        double violation
        double gradient_norm
        double initial_objective
        double initial_gradient_norm
        StopReason stop_reason
        int64_t n_iter
        int64_t n_inner
        Index n_support
        Index n_nonzero

    cdef cppclass LinearReport:
        StopReason stop_reason
        double primal_objective
        double dual_objective
        double violation
        double gradient_norm
        int64_t n_iter
        int64_t n_inner
        Index n_support
        Index n_nonzero
        vector[LinearProblemReport] problems
        map[string, double] seconds
        int64_t peak_cache_bytes
        string method
        double tol
        string isa
        int n_threads

    cdef cppclass LinearModel:
        bool empty()
        LinearSolver solver() except +dcsvm_raise
        Index n_features() except +dcsvm_raise
        const vector[double]& classes() except +dcsvm_raise
        Index n_vectors() except +dcsvm_raise
        const vector[double]& w() except +dcsvm_raise
        double bias() except +dcsvm_raise
        double rho() except +dcsvm_raise
        const LinearReport& report() except +dcsvm_raise

    cdef cppclass BuildConfig:
        string version
        string compiler
        vector[string] isa_built
        string isa
        int n_threads

    DenseView dense(const float*, Index rows, Index cols)
    DenseView dense(const double*, Index rows, Index cols)
    CsrView csr(const float*, const int32_t* indices, const int32_t* indptr, Index rows, Index cols)
    CsrView csr(const float*, const int32_t* indices, const int64_t* indptr, Index rows, Index cols)
    CsrView csr(const float*, const int64_t* indices, const int64_t* indptr, Index rows, Index cols)
    CsrView csr(const double*, const int32_t* indices, const int32_t* indptr, Index rows, Index cols)
    CsrView csr(const double*, const int32_t* indices, const int64_t* indptr, Index rows, Index cols)
    CsrView csr(const double*, const int64_t* indices, const int64_t* indptr, Index rows, Index cols)
    BuildConfig build_config() except +dcsvm_raise

    # A view of either kind converts to the DataView that the headers declare; Cython wants each written down.
    Model train(const DataView&, const double* y, const TrainParams&) except +dcsvm_raise
    Model train(const DataView&, const double* y, const TrainParams&, const TrainInputs&) except +dcsvm_raise
    Model train(const DataView&, const double* y, const TrainParams&, const TrainInputs&, const Hooks&) except +dcsvm_raise
    Model train(const DenseView&, const double* y, const TrainParams&) except +dcsvm_raise
    Model train(const DenseView&, const double* y, const TrainParams&, const TrainInputs&) except +dcsvm_raise
    Model train(const DenseView&, const double* y, const TrainParams&, const TrainInputs&, const Hooks&) except +dcsvm_raise
    Model train(const CsrView&, const double* y, const TrainParams&) except +dcsvm_raise
    Model train(const CsrView&, const double* y, const TrainParams&, const TrainInputs&) except +dcsvm_raise
    Model train(const CsrView&, const double* y, const TrainParams&, const TrainInputs&, const Hooks&) except +dcsvm_raise

    Index rows_of(const DataView&)
    Index cols_of(const DataView&)
    Index decision_columns(const Model&) except +dcsvm_raise
    void decision_function(const Model&, const DataView&, double* out) except +dcsvm_raise
    void decision_function(const Model&, const DataView&, double* out, const PredictOptions&) except +dcsvm_raise
    void decision_function(const Model&, const DenseView&, double* out) except +dcsvm_raise
    void decision_function(const Model&, const DenseView&, double* out, const PredictOptions&) except +dcsvm_raise
    void decision_function(const Model&, const CsrView&, double* out) except +dcsvm_raise
    void decision_function(const Model&, const CsrView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict(const Model&, const DataView&, double* out) except +dcsvm_raise
    void predict(const Model&, const DataView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict(const Model&, const DenseView&, double* out) except +dcsvm_raise
    void predict(const Model&, const DenseView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict(const Model&, const CsrView&, double* out) except +dcsvm_raise
    void predict(const Model&, const CsrView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict_proba(const Model&, const DataView&, double* out) except +dcsvm_raise
    void predict_proba(const Model&, const DataView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict_proba(const Model&, const DenseView&, double* out) except +dcsvm_raise
    void predict_proba(const Model&, const DenseView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict_proba(const Model&, const CsrView&, double* out) except +dcsvm_raise
    void predict_proba(const Model&, const CsrView&, double* out, const PredictOptions&) except +dcsvm_raise
    Index probability_columns(const Model&) except +dcsvm_raise
    void probabilities(const Model&, const double* decisions, Index n, double* out) except +dcsvm_raise

    Index decision_columns(const DcPredModel&) except +dcsvm_raise
    void decision_function(const DcPredModel&, const DataView&, double* out) except +dcsvm_raise
    void decision_function(const DcPredModel&, const DataView&, double* out, const PredictOptions&) except +dcsvm_raise
    void decision_function(const DcPredModel&, const DenseView&, double* out) except +dcsvm_raise
    void decision_function(const DcPredModel&, const DenseView&, double* out, const PredictOptions&) except +dcsvm_raise
    void decision_function(const DcPredModel&, const CsrView&, double* out) except +dcsvm_raise
    void decision_function(const DcPredModel&, const CsrView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict(const DcPredModel&, const DataView&, double* out) except +dcsvm_raise
    void predict(const DcPredModel&, const DataView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict(const DcPredModel&, const DenseView&, double* out) except +dcsvm_raise
    void predict(const DcPredModel&, const DenseView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict(const DcPredModel&, const CsrView&, double* out) except +dcsvm_raise
    void predict(const DcPredModel&, const CsrView&, double* out, const PredictOptions&) except +dcsvm_raise
    string model_to_bytes(const DcPredModel&) except +dcsvm_raise
    void save_model(const DcPredModel&, const string& path) except +dcsvm_raise
    DcPredModel load_dc_pred_model "dcsvm::load_as<dcsvm::DcPredModel>"(const string& path) except +dcsvm_raise
    DcPredModel dc_pred_model_from_bytes "dcsvm::bytes_as<dcsvm::DcPredModel>"(const string& data) except +dcsvm_raise

    LinearModel train_linear(const DataView&, const double* y, const LinearParams&) except +dcsvm_raise
    LinearModel train_linear(const DataView&, const double* y, const LinearParams&, const LinearInputs&) except +dcsvm_raise
    LinearModel train_linear(const DataView&, const double* y, const LinearParams&, const LinearInputs&, const Hooks&) except +dcsvm_raise
    LinearModel train_linear(const DenseView&, const double* y, const LinearParams&) except +dcsvm_raise
    LinearModel train_linear(const DenseView&, const double* y, const LinearParams&, const LinearInputs&) except +dcsvm_raise
    LinearModel train_linear(const DenseView&, const double* y, const LinearParams&, const LinearInputs&, const Hooks&) except +dcsvm_raise
    LinearModel train_linear(const CsrView&, const double* y, const LinearParams&) except +dcsvm_raise
    LinearModel train_linear(const CsrView&, const double* y, const LinearParams&, const LinearInputs&) except +dcsvm_raise
    LinearModel train_linear(const CsrView&, const double* y, const LinearParams&, const LinearInputs&, const Hooks&) except +dcsvm_raise
    LinearModel train_linear_file(const string& path, const LinearParams&) except +dcsvm_raise
    LinearModel train_linear_file(const string& path, const LinearParams&, const BlockOptions&) except +dcsvm_raise
    LinearModel train_linear_file(const string& path, const LinearParams&, const BlockOptions&, const Hooks&) except +dcsvm_raise
    Index decision_columns(const LinearModel&) except +dcsvm_raise
    void decision_function(const LinearModel&, const DataView&, double* out) except +dcsvm_raise
    void decision_function(const LinearModel&, const DataView&, double* out, const PredictOptions&) except +dcsvm_raise
    void decision_function(const LinearModel&, const DenseView&, double* out) except +dcsvm_raise
    void decision_function(const LinearModel&, const DenseView&, double* out, const PredictOptions&) except +dcsvm_raise
    void decision_function(const LinearModel&, const CsrView&, double* out) except +dcsvm_raise
    void decision_function(const LinearModel&, const CsrView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict(const LinearModel&, const DataView&, double* out) except +dcsvm_raise
    void predict(const LinearModel&, const DataView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict(const LinearModel&, const DenseView&, double* out) except +dcsvm_raise
    void predict(const LinearModel&, const DenseView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict(const LinearModel&, const CsrView&, double* out) except +dcsvm_raise
    void predict(const LinearModel&, const CsrView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict_proba(const LinearModel&, const DataView&, double* out) except +dcsvm_raise
    void predict_proba(const LinearModel&, const DataView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict_proba(const LinearModel&, const DenseView&, double* out) except +dcsvm_raise
    void predict_proba(const LinearModel&, const DenseView&, double* out, const PredictOptions&) except +dcsvm_raise
    void predict_proba(const LinearModel&, const CsrView&, double* out) except +dcsvm_raise
    void predict_proba(const LinearModel&, const CsrView&, double* out, const PredictOptions&) except +dcsvm_raise
    Index probability_columns(const LinearModel&) except +dcsvm_raise
    void save_model(const LinearModel&, const string& path) except +dcsvm_raise
    LinearModel load_linear_model "dcsvm::load_as<dcsvm::LinearModel>"(const string& path) except +dcsvm_raise
    string model_to_bytes(const LinearModel&) except +dcsvm_raise
    LinearModel linear_model_from_bytes "dcsvm::bytes_as<dcsvm::LinearModel>"(const string& data) except +dcsvm_raise

    Dataset load_svmlight(const string& path) except +dcsvm_raise
    Dataset load_svmlight(const string& path, const LoadOptions&) except +dcsvm_raise
    void save_svmlight(const string& path, const DataView&, const double* y) except +dcsvm_raise
    void save_model(const Model&, const string& path) except +dcsvm_raise
    Model load_model(const string& path) except +dcsvm_raise
    Model load_model(const string& path, Index n_features) except +dcsvm_raise
    string model_to_bytes(const Model&) except +dcsvm_raise
    Model model_from_bytes(const string& data) except +dcsvm_raise
