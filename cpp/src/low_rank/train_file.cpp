// dcsvm/low_rank.hpp: training on data that is larger than memory.
#include <iomanip>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "base/call.hpp"
#include "data/check.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/low_rank.hpp"
#include "files/block_cache.hpp"
#include "files/block_options.hpp"
#include "files/crc32.hpp"
#include "low_rank/journal.hpp"
#include "low_rank/params.hpp"
#include "low_rank/training.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

namespace {

void check(const LowRankParams& params, const BlockOptions& options) {
  low_rank::check_params(params);
  files::check_block_options(options);
  if (params.kernel.type == KernelType::precomputed)
    throw ParameterError("kernel: a precomputed kernel cannot be trained in blocks");
}

/// Everything that a state of the solver depends on. The threads count, because each holds memory that a block of rows then has
/// not.
std::uint32_t fingerprint(const files::BlockCache& cache, const LowRankParams& p, const base::Context& context) {
  std::ostringstream text;
  text << std::setprecision(17) << cache.fingerprint() << ' ' << simd::active_isa() << ' ' << context.cap_bytes << ' '
       << context.pool->size() << ' ' << static_cast<int>(p.kernel.type) << ' ' << p.kernel.degree << ' ' << p.kernel.gamma << ' '
       << p.kernel.coef0 << ' ' << static_cast<int>(p.gamma_rule) << ' ' << p.C << ' ' << static_cast<int>(p.features) << ' '
       << p.n_landmarks << ' ' << p.budget.value_or(0) << ' ' << static_cast<int>(p.landmarks) << ' ' << p.landmark_sample << ' '
       << p.landmark_iterations << ' ' << static_cast<int>(p.loss) << ' ' << p.fit_intercept << ' '
       << static_cast<int>(p.multi_class) << ' ' << p.balanced << ' ' << p.supervised << ' ' << p.n_labelled << ' ' << p.balance
       << ' ' << p.lambda.value_or(0) << ' ' << p.unlabelled.has_value() << ' ' << p.unlabelled.value_or(0) << ' ' << p.seed;
  for (const auto& [label, factor] : p.class_weight) text << ' ' << label << ':' << factor;
  return files::crc32(text.str());
}

/// What is left of the cap beside classes, weights, bounds and dual variables.
std::size_t cap_for_features(const LowRankParams& params, const low_rank::LowRankLabels& labels, std::size_t cap) {
  const std::size_t n = labels.class_of.size(), problems = labels.problems(params.multi_class).size();
  const std::size_t vectors = n * (sizeof(double) * (2 + problems) + sizeof(int));
  if (vectors >= cap) {
    throw CapError("memory_mb must hold classes, weights, bounds and dual variables of " + std::to_string(n) +
                   " rows: more than " + std::to_string(vectors / 1048576 + 1) + " MB");
  }
  return cap - vectors;
}

LowRankModel train_on(const files::BlockCache& cache, const std::string& folder, const LowRankParams& params, base::Call& call) {
  const auto labels = low_rank::make_labels(cache.labels(call.pool).data(), cache.rows(), params, nullptr);
  const std::uint32_t mark = fingerprint(cache, params, call.context);
  call.context.cap_bytes = cap_for_features(params, labels, call.context.cap_bytes);
  low_rank::LowRankTraining training(cache, cache.cols(), labels, params, {}, call.context);
  low_rank::BlockState state = training.start();
  low_rank::BlockJournal journal(folder, mark, state);
  const auto stats = training.solve(params.C, nullptr, state, [&](const low_rank::BlockState& s) { journal.save(s); });
  journal.remove();
  return training.model(params.C, state, stats, false);
}

/// A finished cache of batches, with which a later call could not go on. folder: null for one that stays.
struct RemovedAtTheEnd {
  const std::string* folder;

  explicit RemovedAtTheEnd(const std::string* f) : folder(f) {}
  ~RemovedAtTheEnd() {
    if (folder != nullptr) files::remove_block_cache(*folder);
  }
  RemovedAtTheEnd(const RemovedAtTheEnd&) = delete;
  RemovedAtTheEnd& operator=(const RemovedAtTheEnd&) = delete;
};

}  // namespace

LowRankModel train_low_rank_file(const std::string& path, const LowRankParams& params, const BlockOptions& options,
                                 const Hooks& hooks) {
  check(params, options);
  base::Call call(params.n_threads, params.seed, options.memory_mb, hooks, params.max_seconds);
  const files::FileBlocks blocks(path, options, call.pool);
  LowRankModel model = train_on(blocks.cache(), blocks.folder(), params, call);
  blocks.done();
  return model;
}

LowRankModel train_low_rank_batches(const std::function<std::optional<Batch>()>& next, const LowRankParams& params,
                                    const BlockOptions& options, const Hooks& hooks) {
  check(params, options);
  if (options.cache.empty()) throw ParameterError("cache must name a folder for the batches");
  base::Call call(params.n_threads, params.seed, options.memory_mb, hooks, params.max_seconds);
  {
    files::BlockWriter writer(options.cache, {});
    while (const std::optional<Batch> batch = next()) {
      call.pool.poll();
      const std::string name = "batch " + std::to_string(writer.blocks());
      data::check_data(batch->x, call.pool, name.c_str());
      data::check_domain(batch->x, params.kernel.type, call.pool, name.c_str());
      writer.add(batch->x, batch->y);
    }
    if (writer.blocks() == 0) throw DataError("there are no batches");
    writer.finish();
  }
  const RemovedAtTheEnd finished{options.keep_cache ? nullptr : &options.cache};
  const files::BlockCache cache(options.cache);
  return train_on(cache, options.cache, params, call);
}

}  // namespace dcsvm
