// The fields of every report, by name: model files and Python's reports are made from these lists.
#pragma once

#include <tuple>
#include <utility>

#include "dcsvm/dc_pred.hpp"
#include "dcsvm/ldkl.hpp"
#include "dcsvm/linear.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/ls_svm.hpp"
#include "dcsvm/model.hpp"

namespace dcsvm {

/// report_fields(static_cast<const R*>(nullptr)): a tuple of (name, pointer to member) for each field of R, in their order in R.
constexpr auto report_fields(const ProblemReport* /*type*/) {
  using R = ProblemReport;
  return std::tuple(std::pair("objective", &R::objective), std::pair("violation", &R::violation), std::pair("tol", &R::tol),
                    std::pair("stop_reason", &R::stop_reason), std::pair("n_iter", &R::n_iter),
                    std::pair("n_support", &R::n_support), std::pair("n_bounded", &R::n_bounded), std::pair("r", &R::r));
}
constexpr auto report_fields(const Warning* /*type*/) {
  return std::tuple(std::pair("kind", &Warning::kind), std::pair("text", &Warning::text));
}
constexpr auto report_fields(const LevelReport* /*type*/) {
  using R = LevelReport;
  return std::tuple(std::pair("level", &R::level), std::pair("clusters", &R::clusters), std::pair("sizes", &R::sizes),
                    std::pair("seconds", &R::seconds), std::pair("seconds_clustering", &R::seconds_clustering),
                    std::pair("n_support", &R::n_support), std::pair("objective", &R::objective),
                    std::pair("violation", &R::violation), std::pair("n_iter", &R::n_iter));
}
constexpr auto report_fields(const Report* /*type*/) {
  using R = Report;
  return std::tuple(std::pair("objective", &R::objective), std::pair("violation", &R::violation), std::pair("gap", &R::gap),
                    std::pair("tol", &R::tol), std::pair("stop_reason", &R::stop_reason), std::pair("n_iter", &R::n_iter),
                    std::pair("n_kernel_values", &R::n_kernel_values), std::pair("n_support", &R::n_support),
                    std::pair("seconds", &R::seconds), std::pair("peak_cache_bytes", &R::peak_cache_bytes),
                    std::pair("levels", &R::levels), std::pair("problems", &R::problems), std::pair("solver", &R::solver),
                    std::pair("solver_reason", &R::solver_reason), std::pair("precision", &R::precision),
                    std::pair("gamma", &R::gamma), std::pair("isa", &R::isa), std::pair("n_threads", &R::n_threads),
                    std::pair("warnings", &R::warnings));
}
constexpr auto report_fields(const LowRankReport* /*type*/) {
  using R = LowRankReport;
  return std::tuple(std::pair("stop_reason", &R::stop_reason), std::pair("objective", &R::objective),
                    std::pair("primal_objective", &R::primal_objective), std::pair("violation", &R::violation),
                    std::pair("n_iter", &R::n_iter), std::pair("n_passes", &R::n_passes), std::pair("n_blocks", &R::n_blocks),
                    std::pair("n_landmarks", &R::n_landmarks), std::pair("n_components", &R::n_components),
                    std::pair("n_support", &R::n_support), std::pair("n_kernel_values", &R::n_kernel_values),
                    std::pair("negative_share", &R::negative_share), std::pair("lambda", &R::lambda),
                    std::pair("seconds", &R::seconds), std::pair("peak_cache_bytes", &R::peak_cache_bytes), std::pair("C", &R::C),
                    std::pair("gamma", &R::gamma), std::pair("isa", &R::isa), std::pair("n_threads", &R::n_threads));
}
constexpr auto report_fields(const DcPredReport* /*type*/) {
  using R = DcPredReport;
  return std::tuple(std::pair("stop_reason", &R::stop_reason), std::pair("n_leaves", &R::n_leaves),
                    std::pair("n_constant", &R::n_constant), std::pair("n_landmarks", &R::n_landmarks),
                    std::pair("n_pseudo", &R::n_pseudo), std::pair("n_support", &R::n_support),
                    std::pair("landmarks", &R::landmarks), std::pair("violation", &R::violation), std::pair("depth", &R::depth),
                    std::pair("cost", &R::cost), std::pair("seconds", &R::seconds), std::pair("gamma", &R::gamma),
                    std::pair("isa", &R::isa), std::pair("n_threads", &R::n_threads));
}
constexpr auto report_fields(const LsSvmReport* /*type*/) {
  using R = LsSvmReport;
  return std::tuple(std::pair("stop_reason", &R::stop_reason), std::pair("residuals", &R::residuals),
                    std::pair("residual", &R::residual), std::pair("n_iter", &R::n_iter), std::pair("block_size", &R::block_size),
                    std::pair("n_regularised", &R::n_regularised), std::pair("n_kernel_values", &R::n_kernel_values),
                    std::pair("seconds", &R::seconds), std::pair("peak_bytes", &R::peak_bytes), std::pair("gamma", &R::gamma),
                    std::pair("isa", &R::isa), std::pair("n_threads", &R::n_threads));
}
constexpr auto report_fields(const LdklReport* /*type*/) {
  using R = LdklReport;
  return std::tuple(std::pair("stop_reason", &R::stop_reason), std::pair("objective", &R::objective),
                    std::pair("dual_objective", &R::dual_objective), std::pair("violation", &R::violation),
                    std::pair("smooth_objective", &R::smooth_objective), std::pair("gradient_norm", &R::gradient_norm),
                    std::pair("n_passes", &R::n_passes), std::pair("n_iter", &R::n_iter), std::pair("depth", &R::depth),
                    std::pair("cost", &R::cost), std::pair("seconds", &R::seconds),
                    std::pair("peak_cache_bytes", &R::peak_cache_bytes), std::pair("isa", &R::isa),
                    std::pair("n_threads", &R::n_threads));
}

constexpr auto report_fields(const LinearProblemReport* /*type*/) {
  using R = LinearProblemReport;
  return std::tuple(std::pair("primal_objective", &R::primal_objective), std::pair("dual_objective", &R::dual_objective),
                    std::pair("violation", &R::violation), std::pair("limit", &R::limit),
                    std::pair("gradient_norm", &R::gradient_norm), std::pair("stop_reason", &R::stop_reason),
                    std::pair("n_iter", &R::n_iter), std::pair("n_inner", &R::n_inner), std::pair("n_support", &R::n_support),
                    std::pair("n_nonzero", &R::n_nonzero));
}
constexpr auto report_fields(const LinearReport* /*type*/) {
  using R = LinearReport;
  return std::tuple(std::pair("stop_reason", &R::stop_reason), std::pair("stop_detail", &R::stop_detail),
                    std::pair("primal_objective", &R::primal_objective), std::pair("dual_objective", &R::dual_objective),
                    std::pair("violation", &R::violation), std::pair("gradient_norm", &R::gradient_norm),
                    std::pair("n_iter", &R::n_iter), std::pair("n_inner", &R::n_inner), std::pair("n_support", &R::n_support),
                    std::pair("n_nonzero", &R::n_nonzero), std::pair("problems", &R::problems), std::pair("seconds", &R::seconds),
                    std::pair("peak_cache_bytes", &R::peak_cache_bytes), std::pair("method", &R::method),
                    std::pair("tol", &R::tol), std::pair("isa", &R::isa), std::pair("n_threads", &R::n_threads));
}

}  // namespace dcsvm
