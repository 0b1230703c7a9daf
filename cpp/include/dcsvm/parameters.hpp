// Name, range and meaning of every training's parameters, whose types and defaults are in the structs: each_parameter(struct,
// see) calls see(name, member, text, range) for each. Checks, bindings, the command line and the tests of the documentation use
// it.
#pragma once

#include "dcsvm/dc_pred.hpp"
#include "dcsvm/kernel_params.hpp"
#include "dcsvm/ldkl.hpp"
#include "dcsvm/linear.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/ls_svm.hpp"
#include "dcsvm/parameter_range.hpp"
#include "dcsvm/params.hpp"
#include "dcsvm/ridge.hpp"

namespace dcsvm {

/// What every training has. The seed of random numbers, and the number of threads: the same data, parameters, seed and
/// instruction set give the same model, whatever n_threads. How long it may take.
template <class P, class See>
void each_run_parameter(const P&, const See& see) {
  see("seed", &P::seed, "of random numbers; the same seed gives the same model, whatever the number of threads");
  see("n_threads", &P::n_threads, "threads",
      count(1, "DCSVM_NUM_THREADS, else OMP_NUM_THREADS, else every core this process may use"));
  see("max_seconds", &P::max_seconds,
      "after which the training ends at its next step, with the best solution so far and stop_reason \"time_limit\"; what the "
      "report says of it is computed then, and comes on top",
      or_zero(above(0), "no limit"));
}

/// What the classifiers have.
template <class P, class See>
void each_class_parameter(const P&, const See& see) {
  see("class_weight", &P::class_weight, "C of a class is multiplied by this factor; classes without one have factor 1");
  see("balanced", &P::balanced, "use the factors n / (classes * rows of the class)");
}

template <class See>
void each_parameter(const TrainParams& params, const See& see) {
  using P = TrainParams;
  see("formulation", &P::formulation,
      "what is trained: c_svc or nu_svc for classes, one_class for the region where the data lies, epsilon_svr or nu_svr for "
      "numbers");
  see("C", &P::C, "price of errors (c_svc, epsilon_svr, nu_svr)", above(0));
  see("nu", &P::nu,
      "bounds the share of errors from above and that of support vectors from below (nu_svc, one_class, nu_svr); for nu_svc at "
      "most 2 min(n_a, n_b) / (n_a + n_b) for each pair of classes",
      Range{0, 1, false});
  see("epsilon", &P::epsilon, "half width of the tube without loss (epsilon_svr)", at_least(0));
  see("quantile", &P::quantile,
      "the quantile of y that is predicted: errors of predictions that are too low cost quantile C, others (1 - quantile) C "
      "(epsilon_svr; with epsilon 0 it is the pinball loss)",
      or_zero(Range{0, 1, false, false}, "errors of both signs cost C"));
  see("fit_intercept", &P::fit_intercept, "add a bias (only c_svc and epsilon_svr can do without)");
  each_class_parameter(params, see);  // c_svc only
  see("probability", &P::probability,
      "also calibrate for probabilities by a cross-validation of 5 folds drawn by seed: 4 to 5 times the work (one_class: by the "
      "density of its decision values, without folds)");
  see("solver", &P::solver,
      "smo: one problem; dc: divide and conquer; auto: one of the two; for c_svc also rand: random samples, and cascade");
  see("tol", &P::tol, "stop when the largest KKT violation is below", above(0));
  see("cache_size", &P::cache_size, "MB (2^20 bytes) of working memory for kernel rows and packed data", above(0));
  see("precision", &P::precision, "of kernel values; double for tol below about 1e-5");
  see("shrinking", &P::shrinking, "leave variables that stay at a bound aside while solving");
  see("max_iter", &P::max_iter, "SMO steps in each binary problem; -1: LIBSVM's limit, max(10^7, 100 n)", at_least(-1));
  see("n_levels", &P::n_levels, "levels of divide and conquer", count(1, "chosen from the number of rows"));
  see("branching", &P::branching, "level l of divide and conquer has branching^l clusters", count(2));
  see("sample_size", &P::sample_size, "rows on which the clusters are found; the others join the nearest", count(1));
  see("clustering", &P::clustering,
      "of divide and conquer, in the kernel's space or in that of the data; random: a baseline, for exact training");
  see("balance_clusters", &P::balance_clusters, "split clusters far above the mean size and drop the smallest");
  see("keep_levels", &P::keep_levels, "keep the clusters and support vectors of each level beside the model, not in its file");
  see("early_level", &P::early_level, "stop after this level of divide and conquer and predict with its clusters' models",
      count(1));
  see("prediction", &P::prediction,
      "of a model that stopped early: by the nearest cluster's model, or by the sum over all clusters");
  see("n_support_estimate", &P::n_support_estimate,
      "solver rand: k, the estimated number of support vectors of each pair of classes, at which it stops",
      count(2, "16 / rand_epsilon^2 log(4 n / rand_delta), Eq. (4)"));
  see("rand_epsilon", &P::rand_epsilon, "solver rand: distortion in Eq. (4)", Range{0, 1, false, false});
  see("rand_delta", &P::rand_delta, "solver rand: probability of a worse result in Eq. (4)", Range{0, 1, false, false});
  see("sample_factor", &P::sample_factor, "solver rand: c, samples have c k rows", at_least(1));
  see("cascade_leaves", &P::cascade_leaves, "solver cascade: parts of the first layer, a power of two", Range{1, 1 << 20});
  see("cascade_passes", &P::cascade_passes, "solver cascade: passes at most", count(1, "until no row violates"));
  each_run_parameter(params, see);
}

template <class See>
void each_parameter(const LowRankParams& params, const See& see) {
  using P = LowRankParams;
  see("features", &P::features,
      "nystrom: from kernel values with landmarks (LLSVM); rks: random Fourier features; fastfood; these two for the rbf kernel; "
      "reduced: the kernel values with landmarks themselves (reduced SVM)");
  see("n_landmarks", &P::n_landmarks, "landmark points, or random directions: more are more accurate", count(1));
  see("budget", &P::budget,
      "what a prediction may cost, in inner products of all features; a linear model costs 1. Takes as many landmarks as that "
      "allows, in place of n_landmarks",
      above(0));
  see("landmarks", &P::landmarks,
      "centres of k-means on a sample, its k-means++ seeds (rows), or rows drawn uniformly; greedy: rows that lower the squared "
      "hinge loss most, one after another (SpSVM)");
  see("landmark_sample", &P::landmark_sample, "rows that k-means and greedy look at, at least 4 n_landmarks",
      count(1, "10 n_landmarks, within 5,000 and 20,000"));
  see("landmark_iterations", &P::landmark_iterations, "of k-means", count(0));
  see("C", &P::C, "price of errors", above(0));
  see("loss", &P::loss, "of the linear SVM");
  see("fit_intercept", &P::fit_intercept, "add a bias, which is regularised (+ b^2 / 2 in Eq. 24), unlike an exact SVM's");
  see("multi_class", &P::multi_class, "ovr: one problem for each class against the rest; ovo: one for each pair of classes");
  each_class_parameter(params, see);
  see("tol", &P::tol, "stop when the largest projected gradient of the dual is below", above(0));
  see("max_iter", &P::max_iter, "passes of coordinate descent", count(1));
  see("cache_size", &P::cache_size, "MB (2^20 bytes) for features: what does not fit is trained in blocks", above(0));
  see("n_passes", &P::n_passes, "over the data, when it is trained in blocks", count(1));
  see("supervised", &P::supervised, "learn the spectrum of the features from labelled rows (LLSVM^2, Eq. 23)");
  see("n_labelled", &P::n_labelled, "LLSVM^2: labelled rows that the spectrum is learned from", count(2));
  see("balance", &P::balance, "LLSVM^2: weight of pairs of two classes, a of Eq. (17)", at_least(0));
  see("lambda", &P::lambda, "LLSVM^2: weight of the kernel's own spectrum, Eq. (18)", above(0));
  see("unlabelled", &P::unlabelled, "rows with this label only give landmarks");
  each_run_parameter(params, see);
}

template <class See>
void each_parameter(const DcPredParams& params, const See& see) {
  using P = DcPredParams;
  see("C", &P::C, "classifiers: price of errors", above(0));
  see("alpha", &P::alpha, "regression: the lambda of kernel ridge regression", above(0));
  see("n_leaves", &P::n_leaves, "at most; leaves are halved, largest first, while both halves have 32 rows", count(1));
  see("n_landmarks", &P::n_landmarks, "m of each leaf, fewer in leaves with fewer distinct rows of alpha > 0", count(1));
  see("n_pseudo", &P::n_pseudo, "p of each leaf, fewer where there are fewer rows (triangle) or pairs (polynomial)", count(0));
  see("pseudo", &P::pseudo,
      "pseudo landmarks: triangle bounds distances from below, triangle_upper from above (rbf); polynomial: products of kernel "
      "values");
  see("landmarks", &P::landmarks,
      "kmeans: centres in each leaf; support: support vectors of one exact model, until the mean error in the leaf is below tol; "
      "n_pseudo, pseudo and refine are then ignored; auto: with a budget the better of both, else kmeans");
  see("sample_size", &P::sample_size,
      "|I| of Eq. (5), the rows of a leaf on which the kernel is approximated, or by which support vectors are weighed",
      count(2));
  see("refine", &P::refine,
      "rbf: steps of L-BFGS that move the landmarks of each leaf from the alpha^2-weighted k-means of Theorem 3 towards lower "
      "training loss, under the better of gamma, gamma / 4 and gamma / 16; 0: the paper's landmarks, and gamma",
      count(0));
  see("fit_intercept", &P::fit_intercept, "add an offset in each leaf");
  see("tol", &P::tol, "of the local exact models, and relative gradient of the local fits", above(0));
  see("cache_size", &P::cache_size, "MB (2^20 bytes) for the rows as float32 and kernel rows of the local models", above(0));
  each_class_parameter(params, see);
  each_run_parameter(params, see);
}

template <class See>
void each_parameter(const RidgeParams& params, const See& see) {
  using P = RidgeParams;
  see("alpha", &P::alpha, "the paper's lambda", above(0));
  see("solver", &P::solver, "how the system is solved");
  see("tol", &P::tol, "cg: of the residual |y - (K + Lambda) a| / |y|", above(0));
  see("max_iter", &P::max_iter, "cg: steps", count(1));
  see("cache_size", &P::cache_size, "MB (2^20 bytes) of working memory", above(0));
  see("precision", &P::precision, "of kernel values");
  each_run_parameter(params, see);
}

template <class See>
void each_parameter(const LsSvmParams& params, const See& see) {
  using P = LsSvmParams;
  see("normalise", &P::normalise,
      "scale rows to |x| = 1 first, also those to predict: makes of poly the cosine-normalised kernel");
  see("regression", &P::regression, "y are numbers");
  see("gamma_ls", &P::gamma_ls, "price of errors (the paper's gamma)", above(0));
  see("method", &P::method, "how the linear system is solved");
  see("block_size", &P::block_size, "J, rows of a block, at most the rows",
      count(1, "2,000, or a quarter of fewer than 8,000 rows"));
  see("n_iter", &P::n_iter, "T, at most so many blocks, members of the committee, or steps of conjugate gradients",
      count(1, "as many as cover all rows four times, 6 members, 1,000 steps"));
  see("n_average", &P::n_average, "S, models of different seeds whose weights are averaged (Eq. 68)", count(1));
  see("tol", &P::tol, "stop when the residual |Z - Theta W| / |Z| is below (nystrom: no residual is known)", above(0));
  each_run_parameter(params, see);
}

template <class See>
void each_parameter(const LdklParams& params, const See& see) {
  using P = LdklParams;
  see("depth", &P::depth, "levels of the tree below its root; its nodes double with each", Range{0, 16});
  see("budget", &P::budget,
      "what a prediction may cost, as a multiple of a linear model's inner product: the deepest tree that it allows, in place of "
      "depth; leaves have 32 rows on average at least",
      above(0));
  see("lambda_w", &P::lambda_w, "weight of |W|^2 / 2, W the nodes' linear functions, beside the mean loss", above(0));
  see("lambda_v", &P::lambda_v, "weight of |V|^2 / 2, V the nodes' local functions", at_least(0));
  see("lambda_theta", &P::lambda_theta, "weight of |Theta|^2 / 2, Theta the choices of a child", at_least(0));
  see("sigma", &P::sigma, "of the local functions tanh(sigma v'x)", above(0));
  see("sharpness", &P::sharpness, "of the choice of a child at the end of the tree's training; it begins at 1", at_least(1));
  see("standardise", &P::standardise,
      "train on features of mean 0 and variance 1 (CSR: of mean square 1, so that zeros stay); the model takes X as it is");
  see("n_passes", &P::n_passes, "over the data, to train the tree", count(1));
  see("batch_size", &P::batch_size, "rows of one step of the tree's training", count(1));
  see("learning_rate", &P::learning_rate, "of the tree's training at its beginning (Adam's); it falls to 0", above(0));
  see("tol", &P::tol, "stop when the duality gap of the weights, as a share of their objective, is below", above(0));
  see("max_iter", &P::max_iter, "passes over the data to find the weights, once the tree is found",
      count(1, "1,000, or 10^7 / n where that is more"));
  see("cache_size", &P::cache_size, "MB (2^20 bytes) of working memory: a copy of X, and three of the tree", above(0));
  each_class_parameter(params, see);
  each_run_parameter(params, see);
}

template <class See>
void each_parameter(const LinearParams& params, const See& see) {
  using P = LinearParams;
  see("solver", &P::solver, "what is minimised, and from which side");
  see("C", &P::C, "price of errors (not for one_class)", or_infinity(above(0), "no penalty"));
  see("l1_ratio", &P::l1_ratio, "share of |w|_1 in the penalty l1_ratio |w|_1 + (1 - l1_ratio) / 2 |w|^2", Range{0, 1});
  see("tol", &P::tol, "LIBLINEAR's eps, with its meaning for each solver",
      Range{0, Range{}.high, false, true, "LIBLINEAR's default of the solver"});
  see("epsilon", &P::epsilon, "regression: half width of the tube without loss", at_least(0));
  see("nu", &P::nu, "one_class: bounds the share of errors from above and that of support vectors from below",
      Range{0, 1, false});
  see("bias", &P::bias,
      "value of an additional feature of every row, whose weight gives the intercept; below 0: none; one_class "
      "has none",
      Range{});
  see("regularize_bias", &P::regularize_bias,
      "whether the weight of the bias is in the norm; false needs bias = 1 and a solver "
      "from the primal side");
  see("max_iter", &P::max_iter, "Newton steps or passes over the data for one problem", count(1, "enough for every usual case"));
  each_class_parameter(params, see);
  see("cache_size", &P::cache_size, "MB (2^20 bytes) of working memory: a copy of X, where one is needed", above(0));
  each_run_parameter(params, see);
}

}  // namespace dcsvm
