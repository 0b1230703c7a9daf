#include "low_rank/training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.hpp"
#include "base/stop_reason.hpp"
#include "base/table_cap.hpp"
#include "base/vectors.hpp"
#include "kernels/resolve_kernel.hpp"
#include "low_rank/landmarks.hpp"
#include "low_rank/params.hpp"
#include "low_rank/verify.hpp"
#include "simd/ops.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr Index kGammaSample = 20000;  // rows that gamma="scale" is computed from when the data comes in blocks
constexpr int kTries = 5;              // to go on from decisions that were corrected in double
constexpr double kGain = 0.5;          // a try that leaves more of the violation than this share is the last one

/// What two calls of the solver did together.
void join(const SolveStats& before, SolveStats& after, bool resident) {
  after.steps += before.steps;
  if (resident) after.passes += before.passes;
  after.rows_mapped += before.rows_mapped;
  after.feature_seconds += before.feature_seconds;
  after.seconds += before.seconds;
  after.peak_bytes = std::max(after.peak_bytes, before.peak_bytes);
}

}  // namespace

LowRankTraining::LowRankTraining(const data::RowBlocks& source, Index cols, const LowRankLabels& labels,
                                 const LowRankParams& params, const LowRankInputs& inputs, base::Context& context)
    : source_(source),
      labels_(labels),
      params_(within_budget(params, inputs, source.rows(), cols, static_cast<Index>(labels.problems(params.multi_class).size()))),
      context_(context),
      cols_(cols),
      kernel_(resolve_kernel(source)),
      map_(make_map(source, cols, labels, kernel_, params_, inputs, context)),
      solver_(source, *map_.features, context.cap_bytes, *context.pool, context.monitor) {}

KernelParams LowRankTraining::resolve_kernel(const data::RowBlocks& source) const {
  KernelParams kernel;
  const auto resolve = [&](const DataView& x) {
    kernel = kernels::resolve_kernel(x, params_.kernel, params_.gamma_rule, *context_.pool);
  };
  if (source.blocks() == 1) {
    source.visit(0, resolve);
  } else {
    base::Random random(params_.seed);
    resolve(gather_rows(source, base::sample(base::index_range(source.rows()), kGammaSample, random)).view());
  }
  return kernel;
}

BlockState LowRankTraining::start() const {
  const auto problems = labels_.problems(params_.multi_class);
  const auto columns = static_cast<double>(map_.features->cols() + 1), rows = static_cast<double>(labels_.class_of.size());
  base::check_tables(static_cast<double>(problems.size()) * sizeof(double) * (columns + rows), context_.cap_bytes,
                     "the weights and dual variables of " + std::to_string(problems.size()) + " problems");
  BlockState state;
  state.problems.reserve(problems.size());
  for (const auto& problem : problems) {
    context_.pool->poll();
    state.problems.push_back(
        {problem, std::vector<double>(map_.features->cols() + 1, 0.0), std::vector<double>(labels_.class_of.size(), 0.0)});
  }
  return state;
}

SolveStats LowRankTraining::solve(double C, const std::vector<int>* class_of, BlockState& state,
                                  const std::function<void(const BlockState&)>& after_unit) {
  const std::vector<double> bounds = labels_.bounds(C);
  const Labelled data{(class_of != nullptr ? *class_of : labels_.class_of).data(), bounds.data()};
  for (BinaryState& p : state.problems) p.correction.clear();
  SolveStats stats = solver_.solve(data, linear_options(params_), params_.n_passes, state, after_unit);
  if (class_of == nullptr) verify(data, state, stats, after_unit);
  return stats;
}

// The violation and the losses of all rows in double are what the report says, and decide whether it converged. Where float says
// so and they do not, decisions of resident rows are corrected to those in double, and the solver goes on from there; blocks are
// gone through once more. Blocks that did not converge are not looked at again.
void LowRankTraining::verify(const Labelled& data, BlockState& state, SolveStats& stats,
                             const std::function<void(const BlockState&)>& after_unit) {
  const bool resident = solver_.resident();
  const auto claimed = [&] { return !stats.cancelled && stats.violation <= params_.tol; };
  const auto start = base::Clock::now();
  const Verification verification(source_, cols_, kernel_, map_, *context_.pool);
  LinearOptions options = linear_options(params_);
  double before = std::numeric_limits<double>::infinity();
  for (int tries = 0; resident || claimed(); ++tries) {
    const bool goes_on = claimed();
    const Certificate found = verification.certify(data, options, state, resident && goes_on ? &solver_ : nullptr);
    stats.violation = found.violation;
    stats.loss = resident ? found.loss : stats.loss;
    if (!goes_on || found.violation <= params_.tol) break;
    if (tries == kTries || found.violation > kGain * before || (!resident && state.pass + 1 >= params_.n_passes)) {
      stats.stagnated = resident;
      break;
    }
    before = found.violation;
    if (!resident) {
      ++state.pass;
      state.unit = 0;
      state.worst = 0;
    }
    options.max_passes = std::max<std::int64_t>(1, params_.max_iter - stats.passes);
    SolveStats more = solver_.solve(data, options, params_.n_passes, state, after_unit);
    join(stats, more, resident);
    stats = more;
  }
  stats.seconds += base::seconds_since(start);
}

LowRankModel LowRankTraining::model(double C, const BlockState& state, const SolveStats& stats, bool with_alpha) const {
  auto m = std::make_shared<LowRankData>();
  m->kernel = kernel_;
  m->features = params_.features;
  m->multi_class = params_.multi_class;
  m->n_features = cols_;
  m->classes = labels_.classes;
  m->points = map_.points;
  m->used = map_.used;
  m->phases = map_.phases;
  for (const BinaryState& p : state.problems) {
    const auto coef = map_.features->fold(p.w.data());
    m->coef.insert(m->coef.end(), coef.begin(), coef.end());
    m->intercept.push_back(p.w.back());
    if (with_alpha) m->alpha.insert(m->alpha.end(), p.alpha.begin(), p.alpha.end());
  }
  m->report = report(C, state, stats);
  return LowRankModel(std::move(m));
}

LowRankReport LowRankTraining::report(double C, const BlockState& state, const SolveStats& stats) const {
  LowRankReport r;
  const std::vector<double> bounds = labels_.bounds(C);
  const Labelled data{labels_.class_of.data(), bounds.data()};
  std::vector<char> support(labels_.class_of.size(), 0);
  double norms = 0;
  for (const BinaryState& p : state.problems) {
    r.objective += dual_objective(data, linear_options(params_), p);
    for (const double w : p.w) norms += 0.5 * w * w;
    for (std::size_t i = 0; i < support.size(); ++i) support[i] |= static_cast<char>(p.alpha[i] > 0);
  }
  r.primal_objective = norms + stats.loss;
  r.violation = stats.violation;
  r.stop_reason = stats.cancelled                  ? StopReason::cancelled
                  : stats.violation <= params_.tol ? StopReason::converged
                  : stats.stagnated                ? StopReason::stagnated
                                                   : StopReason::max_iter;
  base::name_end(r, context_.monitor);
  r.n_iter = stats.steps;
  r.n_passes = stats.passes;
  r.n_blocks = stats.units;
  r.n_landmarks = static_cast<Index>(map_.used.size());
  r.n_components = map_.features->cols();
  r.n_support = std::count(support.begin(), support.end(), char{1});
  r.n_kernel_values = stats.rows_mapped * map_.features->values_per_row();
  r.negative_share = map_.negative_share;
  r.lambda = map_.lambda;
  r.peak_cache_bytes = static_cast<std::int64_t>(stats.peak_bytes + map_.features->bytes());
  r.seconds = {{"landmarks", map_.landmark_seconds},
               {"map", map_.map_seconds},
               {"features", stats.feature_seconds},
               {"solve", stats.seconds - stats.feature_seconds}};
  r.C = C;
  r.gamma = kernel_.gamma;
  r.isa = simd::active_isa();
  r.n_threads = context_.pool->size();
  if (context_.monitor != nullptr) r.seconds["total"] = base::seconds_since(context_.monitor->start());
  return r;
}

}  // namespace dcsvm::low_rank
