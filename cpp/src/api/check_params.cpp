#include "api/check_params.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "dcsvm/errors.hpp"

namespace dcsvm::api {

namespace {

template <class Value>
[[noreturn]] void reject(const char* name, const char* rule, Value value) {
  std::ostringstream text;
  text << name << " must be " << rule << ", got " << value;
  throw ParameterError(text.str());
}

void positive(const char* name, double value) {
  if (!(value > 0) || !std::isfinite(value)) reject(name, "a finite number > 0", value);
}
void finite(const char* name, double value) {
  if (!std::isfinite(value)) reject(name, "finite", value);
}

void check_class_weight(const std::vector<std::pair<double, double>>& class_weight, bool balanced) {
  for (const auto& [label, weight] : class_weight) {
    if (!std::isfinite(weight) || weight < 0) {
      std::ostringstream text;
      text << "class_weight of label " << label << " must be a finite number >= 0, got " << weight;
      throw ParameterError(text.str());
    }
  }
  for (std::size_t i = 1; i < class_weight.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (class_weight[i].first == class_weight[j].first)
        reject("class_weight", "one factor for each label", class_weight[i].first);
    }
  }
  if (balanced && !class_weight.empty()) throw ParameterError("class_weight: give weights or \"balanced\", not both");
}

void check_kernel(const KernelParams& k, GammaRule rule) {
  const bool uses_gamma = k.type == KernelType::rbf || k.type == KernelType::poly || k.type == KernelType::sigmoid;
  if (uses_gamma && (rule == GammaRule::value || (rule == GammaRule::unspecified && k.gamma != 0))) positive("gamma", k.gamma);
  if (k.type == KernelType::poly && k.degree < 0) reject("degree", ">= 0", k.degree);
  if (k.type == KernelType::poly || k.type == KernelType::sigmoid) finite("coef0", k.coef0);
}

void check_levels(const TrainParams& p) {
  if (p.n_levels < 0) reject("n_levels", ">= 0 (0: chosen from the number of samples)", p.n_levels);
  if (p.branching < 2) reject("branching", ">= 2", p.branching);
  if (p.sample_size < 1) reject("sample_size", ">= 1", p.sample_size);
  if (p.early_level && *p.early_level < 1) reject("early_level", ">= 1", *p.early_level);
  if (p.early_level && p.n_levels > 0 && *p.early_level > p.n_levels) reject("early_level", "<= n_levels", *p.early_level);
  if (p.early_level && p.solver == SolverType::smo)
    throw ParameterError("early_level needs solver \"dc\" or \"auto\", got \"smo\"");
  if (p.prediction != LevelPrediction::early && !p.early_level) {
    throw ParameterError(std::string("prediction \"") + (p.prediction == LevelPrediction::naive ? "naive" : "bcm") +
                         "\" is a way of early models to predict: it needs early_level");
  }
}

bool is_power_of_two(int n) { return n >= 1 && (n & (n - 1)) == 0; }

void check_samples(const TrainParams& p) {
  const auto within = [](double v) { return v > 0 && v < 1; };
  if (p.n_support_estimate != 0 && p.n_support_estimate < 2)
    reject("n_support_estimate", ">= 2, or 0 (found by rand_epsilon and rand_delta)", p.n_support_estimate);
  if (!within(p.rand_epsilon)) reject("rand_epsilon", "in (0, 1)", p.rand_epsilon);
  if (!within(p.rand_delta)) reject("rand_delta", "in (0, 1)", p.rand_delta);
  if (!(p.sample_factor >= 1) || !std::isfinite(p.sample_factor))
    reject("sample_factor", "a finite number >= 1", p.sample_factor);
  if (!is_power_of_two(p.cascade_leaves)) reject("cascade_leaves", "a power of two", p.cascade_leaves);
  if (p.cascade_passes < 0) reject("cascade_passes", ">= 0 (0: until no point violates)", p.cascade_passes);
  if (p.solver != SolverType::rand && p.solver != SolverType::cascade) return;
  const std::string name = p.solver == SolverType::rand ? "solver \"rand\"" : "solver \"cascade\"";
  if (p.formulation != Formulation::c_svc) throw ParameterError(name + " is for formulation \"c_svc\"");
  if (p.early_level) throw ParameterError("early_level needs solver \"dc\" or \"auto\", got " + name);
}

const char* name_of(Formulation f) {
  switch (f) {
    case Formulation::c_svc: return "c_svc";
    case Formulation::nu_svc: return "nu_svc";
    case Formulation::one_class: return "one_class";
    case Formulation::epsilon_svr: return "epsilon_svr";
    case Formulation::nu_svr: return "nu_svr";
    case Formulation::kernel_ridge: return "kernel_ridge";
  }
  throw ParameterError("formulation is unknown: " + std::to_string(static_cast<int>(f)));
}

// What a formulation uses is in range; what it cannot follow is refused.
void check_formulation(const TrainParams& p) {
  const auto f = p.formulation;
  const std::string name = std::string("formulation \"") + name_of(f) + "\"";
  if (uses_C(f)) positive("C", p.C);
  if (uses_nu(f) && !(p.nu > 0 && p.nu <= 1)) reject("nu", "in (0, 1]", p.nu);
  if (f == Formulation::epsilon_svr && !(p.epsilon >= 0 && std::isfinite(p.epsilon)))
    reject("epsilon", "a finite number >= 0", p.epsilon);
  if (uses_nu(f) && !p.fit_intercept) throw ParameterError("fit_intercept: " + name + " always has an intercept");
  if (f != Formulation::c_svc && (p.balanced || !p.class_weight.empty()))
    throw ParameterError("class_weight is for formulation \"c_svc\"; " + name + " takes sample weights");
  if ((f == Formulation::nu_svc || f == Formulation::nu_svr) && (p.solver == SolverType::dc || p.early_level)) {
    throw ParameterError(std::string(p.early_level ? "early_level" : "solver \"dc\"") + ": " + name +
                         " cannot be divided: each cluster would have its own " + (f == Formulation::nu_svc ? "margin" : "tube"));
  }
  if (!is_classifier(f) && p.prediction == LevelPrediction::bcm)
    throw ParameterError("prediction \"bcm\" is of classifiers, got " + name);
}

}  // namespace

void check_params(const TrainParams& p) {
  if (p.formulation == Formulation::kernel_ridge) throw ParameterError("formulation \"kernel_ridge\" is trained by train_ridge");
  check_formulation(p);
  positive("tol", p.tol);
  positive("cache_size", p.cache_size);
  check_kernel(p.kernel, p.gamma_rule);
  check_levels(p);
  check_samples(p);
  if (p.max_iter < -1) reject("max_iter", "-1 (max(10^7, 100 n)) or >= 0", p.max_iter);
  if (p.n_threads < 0) reject("n_threads", ">= 0", p.n_threads);
  check_class_weight(p.class_weight, p.balanced);
}

void check_params(const LowRankParams& p) {
  positive("C", p.C);
  positive("tol", p.tol);
  positive("cache_size", p.cache_size);
  check_kernel(p.kernel, p.gamma_rule);
  if (p.features != LowRankFeatures::nystrom && p.kernel.type != KernelType::rbf)
    throw ParameterError("features: random Fourier features approximate the rbf kernel only");
  if (p.features != LowRankFeatures::nystrom && p.supervised)
    throw ParameterError("supervised needs features \"nystrom\": random features have no spectrum to learn");
  if (p.n_landmarks < 1) reject("n_landmarks", ">= 1", p.n_landmarks);
  if (p.landmark_sample < 0) reject("landmark_sample", ">= 0 (0: chosen from n_landmarks)", p.landmark_sample);
  if (p.landmark_iterations < 0) reject("landmark_iterations", ">= 0", p.landmark_iterations);
  if (p.max_iter < 1) reject("max_iter", ">= 1", p.max_iter);
  if (p.n_passes < 1) reject("n_passes", ">= 1", p.n_passes);
  if (p.n_labelled < 2) reject("n_labelled", ">= 2", p.n_labelled);
  if (!(p.balance >= 0) || !std::isfinite(p.balance)) reject("balance", "a finite number >= 0", p.balance);
  if (p.lambda) positive("lambda", *p.lambda);
  if (p.unlabelled) finite("unlabelled", *p.unlabelled);
  if (p.n_threads < 0) reject("n_threads", ">= 0", p.n_threads);
  check_class_weight(p.class_weight, p.balanced);
}

void check_params(const RidgeParams& p) {
  positive("alpha", p.alpha);
  positive("tol", p.tol);
  positive("cache_size", p.cache_size);
  check_kernel(p.kernel, p.gamma_rule);
  if (p.max_iter < 1) reject("max_iter", ">= 1", p.max_iter);
  if (p.n_threads < 0) reject("n_threads", ">= 0", p.n_threads);
}

void check_params(const DcPredParams& p) {
  positive("C", p.C);
  positive("alpha", p.alpha);
  check_class_weight(p.class_weight, p.balanced);
  positive("tol", p.tol);
  positive("cache_size", p.cache_size);
  check_kernel(p.kernel, p.gamma_rule);
  if (p.kernel.type == KernelType::precomputed)
    throw ParameterError("kernel \"precomputed\" has no input space to find leaves and landmarks in");
  const bool triangle = p.pseudo == PseudoLandmarks::triangle_lower || p.pseudo == PseudoLandmarks::triangle_upper;
  if (triangle && p.kernel.type != KernelType::rbf)
    throw ParameterError("pseudo: the triangle inequality needs a stationary kernel (rbf); take \"polynomial\"");
  if (p.n_leaves < 1) reject("n_leaves", ">= 1", p.n_leaves);
  if (p.n_landmarks < 1) reject("n_landmarks", ">= 1", p.n_landmarks);
  if (p.n_pseudo < 0) reject("n_pseudo", ">= 0", p.n_pseudo);
  if (p.sample_size < 2) reject("sample_size", ">= 2", p.sample_size);
  if (p.refine < 0) reject("refine", ">= 0", p.refine);
  if (p.n_threads < 0) reject("n_threads", ">= 0", p.n_threads);
}

void check_params(const LsSvmParams& p) {
  check_kernel(p.kernel, p.gamma_rule);
  if (p.kernel.type == KernelType::precomputed) throw ParameterError("kernel: LS-SVMs take no precomputed kernel");
  positive("gamma_ls", p.gamma_ls);
  positive("tol", p.tol);
  if (p.block_size < 0) reject("block_size", ">= 1, or 0 (chosen from the rows)", p.block_size);
  if (p.n_iter < 0) reject("n_iter", ">= 1, or 0 (chosen from rows and block_size)", p.n_iter);
  if (p.n_average < 1) reject("n_average", ">= 1", p.n_average);
  if (p.n_threads < 0) reject("n_threads", ">= 0", p.n_threads);
}

}  // namespace dcsvm::api
