"""What somebody meant by a name that does not exist: the name of another package, or a typing error."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# our name -> names that LIBSVM, LIBLINEAR, ThunderSVM, LightGBM, XGBoost and scikit-learn's other estimators have for it
MEANT: dict[str, tuple[str, ...]] = {
    "C": ("cost", "c", "penalty_parameter", "regularization", "complexity"),
    "alpha": ("lambda", "lambda_l2", "reg_lambda", "l2_regularization", "ridge"),
    "cache_size": ("cachesize", "cache", "cache_mb", "max_mem_size", "memory_limit"),
    "callback": ("callbacks", "progress", "on_progress", "fiterations"),
    "class_weight": ("class_weights", "wi", "weight_label", "is_unbalance", "scale_pos_weight"),
    "coef0": ("coef", "r", "offset"),
    "cv": ("folds", "n_folds", "nfold", "nr_fold", "n_splits", "k_folds", "v"),
    "degree": ("d", "power", "exponent"),
    "early_level": ("early", "early_stopping", "level"),
    "epsilon": ("p", "tube", "insensitivity"),
    "fit_intercept": ("bias", "intercept", "use_bias", "no_intercept"),
    "formulation": ("svm_type", "s", "objective", "task", "mode"),
    "gamma": ("g", "sigma", "bandwidth", "rbf_gamma", "length_scale"),
    "kernel": ("kernel_type", "t", "metric"),
    "max_iter": ("max_iterations", "maxiter", "num_iterations", "n_iterations", "num_boost_round", "iterations", "epochs"),
    "n_clusters": ("k", "clusters", "num_clusters"),
    "n_jobs": ("n_threads", "num_threads", "threads", "nthread", "num_thread", "thread_count", "n_cores", "workers", "n_workers"),
    "n_landmarks": ("n_components", "rank", "landmark_count", "n_prototypes"),
    "n_levels": ("levels", "depth", "max_depth"),
    "n_leaves": ("num_leaves", "leaves", "max_leaf_nodes"),
    "probability": ("probability_estimates", "b", "proba", "probabilities"),
    "random_state": ("seed", "random_seed", "rng", "rand_seed"),
    "sample_weight": ("sample_weights", "weights", "weight", "instance_weights"),
    "scoring": ("score", "scorer", "eval_metric", "metrics"),
    "shrinking": ("h", "shrink"),
    "tol": ("eps", "tolerance", "e", "stopping_criterion"),
    "verbose": ("verbosity", "quiet", "silent", "verbose_eval", "q"),
    # values of formulation and kernel
    "c_svc": ("svc", "c-svc", "classification", "classifier", "hinge"),
    "nu_svc": ("nu-svc", "nusvc"),
    "one_class": ("one-class", "oneclass", "one_class_svm", "novelty", "outlier"),
    "epsilon_svr": ("svr", "epsilon-svr", "eps_svr", "regression", "regressor"),
    "nu_svr": ("nu-svr", "nusvr"),
    "rbf": ("gaussian", "gauss", "radial", "squared_exponential"),
    "poly": ("polynomial", "polynom"),
    "sigmoid": ("tanh",),
    "exponential": ("matern12", "ornstein_uhlenbeck", "ou", "laplace2"),
    "matern32": ("matern", "matern3", "matern_32"),
    "matern52": ("matern5", "matern_52"),
    "laplacian": ("laplace", "manhattan", "cityblock", "l1"),
    "chi2": ("chi", "chi_squared", "chi-squared", "chisquared", "exponential_chi2"),
    "tanimoto": ("jaccard",),
    "warm_start_alpha": ("init_alpha", "alpha_init", "init_score", "start", "warm_start"),
}


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant, or None."""
    names = list(known)
    for candidate in names:
        if candidate.lower() == name.lower():
            return candidate
    for ours, theirs in MEANT.items():
        if ours in names and name.lower() in theirs:
            return ours
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return near[0] if near else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The suggestion as the end of an error message; empty when there is none."""
    meant = nearest(name, known)
    return f" (did you mean {meant!r}?)" if meant else ""
