// dcsvm/linear.hpp: training on a file that may be larger than memory.
//
// Smooth losses: Newton's method with conjugate gradients, which reads X only in sums over its rows; each step of conjugate
// gradients is a pass over the blocks. Losses with a kink: coordinate descent on one block after another (Yu, Hsieh, Chang,
// Lin, KDD 2010), or the augmented Lagrangian. The blocks that fit under the cap stay in memory.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/call.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "files/block_options.hpp"
#include "linear/method.hpp"
#include "linear/params.hpp"
#include "linear/training.hpp"
#include "products/block_matrix.hpp"

namespace dcsvm {

namespace {

void check(const LinearParams& params, const BlockOptions& options) {
  linear::check_params(params, {});
  files::check_block_options(options);
  const LinearSolver s = params.solver;
  if (params.l1_ratio > 0)
    throw ParameterError(
        "l1_ratio: |w|_1 needs single columns in memory and cannot be trained from a file in blocks; use train_linear");
  if (linear::form_of(s, 3) != linear::Form::rows || traits_of(s).l1) {
    throw ParameterError("solver: " + std::string(name_of(s)) +
                         " needs single rows or columns in memory and cannot be trained from a file in blocks; use a solver with "
                         "1/2 |w|^2 and one problem for each class, or train_linear");
  }
}

/// What the blocks may take beside the vectors over rows and columns.
std::size_t cap_for_blocks(const files::BlockCache& cache, const LinearParams& params, std::size_t classes, std::size_t cap) {
  const auto n = static_cast<std::size_t>(cache.rows()), d = static_cast<std::size_t>(cache.cols()) + 1;
  // Targets and classes; of a problem: targets, weights, and four vectors of Newton's method or of a certificate; the augmented
  // Lagrangian: its inner problem, its shift and two sets of dual variables.
  const bool kink = has_kink(linear::loss_of(params.solver));
  const std::size_t rows = n * (sizeof(double) * (kink ? 12 : 7) + sizeof(int));
  const std::size_t columns = d * sizeof(double) * (12 + (classes > 2 ? classes : 1));
  if (rows + columns >= cap) {
    throw CapError("memory_mb must hold targets, weights, and the solver's vectors for " + std::to_string(n) + " rows and " +
                   std::to_string(d) + " columns: more than " + std::to_string((rows + columns) / 1048576 + 1) + " MB");
  }
  return cap - rows - columns;
}

}  // namespace

LinearModel train_linear_file(const std::string& path, const LinearParams& params, const BlockOptions& options,
                              const Hooks& hooks) {
  check(params, options);
  base::Call call(params.n_threads, params.seed, options.memory_mb, hooks, params.max_seconds);
  const files::FileBlocks blocks(path, options, call.pool);
  const files::BlockCache& cache = blocks.cache();
  const std::vector<double> y = cache.labels(call.pool);
  linear::LinearLabels labels;
  if (is_classifier(params.solver)) labels = linear::make_labels(y.data(), cache.rows(), params, {});
  const std::size_t cap = cap_for_blocks(cache, params, labels.classes.size(), call.context.cap_bytes);
  const linear::TrainingData data(std::make_unique<products::BlockMatrix>(cache, cache.cols(), params.bias, cap, call.pool),
                                  y.data());
  const double data_seconds = base::seconds_since(call.monitor.start());
  linear::LinearData model = linear::train_on(data, params, {}, std::move(labels), call.context);
  linear::finish_report(model.report, data, data_seconds, call);
  blocks.done();
  return LinearModel(std::make_shared<const linear::LinearData>(std::move(model)));
}

}  // namespace dcsvm
