// Block decomposition: choose a working set, solve it on a tile, update every active gradient with the rows that changed, repeat.
// Joachims (1998): decomposition. Fan, Chen and Lin (2005): second-order choice of pairs. Wen et al. (2018): half of the working
// set is kept in the next round.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/workspace.hpp"
#include "qp/active_set.hpp"
#include "qp/inner_smo.hpp"
#include "qp/region_cache.hpp"
#include "qp/row_cache.hpp"
#include "qp/verify.hpp"

namespace dcsvm::qp {

/// The arrays that a solve leaves for the next one.
template <class T>
struct SolverRoom {
  ActiveSet<T> active;
  InnerSmo<T> tile;
  std::vector<Index> work, ids, changed;
  std::vector<std::uint8_t> in_work;
  std::vector<double> delta, coef;
  std::vector<const T*> rows;
};

/// The room that the last solve of this thread in this precision left, or a new one. That of the other precision is given
/// back: its tile may take half of a cap, beside that of this solve.
template <class T>
std::shared_ptr<SolverRoom<T>> room_in(const base::Context& context) {
  if (context.workspace != nullptr) context.workspace->release<SolverRoom<std::conditional_t<sizeof(T) == 4, double, float>>>();
  return base::borrowed<SolverRoom<T>>(context);
}

template <class T>
class BlockSolver {
 public:
  BlockSolver(const kernel_matrix::RowSource<T>& source, const Problem& problem, const Options& options, double* beta,
              double* gradient, base::Context& context, const Progress& progress, double* path, double skipped,
              const PrecisionLimits& limits);
  Result run();

 private:
  void size_tile();
  void enter_active_set();
  void make_tile(Index slots);
  void require_bytes(std::size_t bytes) const;
  bool is_long() const { return result_.n_iter > 20 * problem_.n + 1000; }
  bool whole() const { return active_.size() <= whole_limit_; }
  bool iterate();

  void choose_working_set();
  static constexpr Index kPart = 1024;  ///< variables of a working set; or points, see part_size
  Index most_of_part() const { return kPart * source_.variables_per_point(); }
  Index part_size() const;
  void choose_part();
  void keep_newest(Index kept);
  void fill_tile(Index kept);
  void make_tile_rows(const std::vector<Index>& slots, T* const* out);
  bool make_steps();
  const std::vector<Index>& solve_tile();
  void apply_changes(const std::vector<Index>& changed);
  /// Rows whose coefficients changed: in the cache (those of `missing` are still to be computed), and those that are not kept.
  struct RowUpdate {
    std::vector<T*> rows, missing;
    std::vector<Index> positions;
    std::vector<double> coef, unkept_coef;
    std::unique_ptr<kernel_matrix::PreparedRows<T>> prepared;
    std::vector<std::unique_ptr<kernel_matrix::PreparedRows<T>>> unkept;
  };
  void update_by_rows(const Index* slots, Index m);
  void update_piece(const RowUpdate& update, Index begin, Index end, base::Buffer<T>& scratch);
  /// Rows whose coefficients changed, first those that must be computed: near[b] are those of them that count in region b.
  struct RegionUpdate {
    std::vector<std::int32_t> slots;
    std::vector<double> coef;
    std::unique_ptr<kernel_matrix::PreparedRows<T>> prepared;
    std::vector<std::vector<std::int32_t>> near;
  };
  void update_by_product(const Index* slots, Index m);
  void update_by_regions(const Index* slots, Index m);
  std::vector<std::vector<std::int32_t>> find_near(const kernel_matrix::PreparedRows<T>& prepared, Index m);
  void give_units(const RegionUpdate& update, std::size_t n_missing);
  void update_region_range(std::int32_t first, std::int32_t last, const RegionUpdate& update);
  void compute_region(Index b, const RegionUpdate& update, std::vector<std::size_t>& next, std::vector<T*>& out);
  void add_regions(const typename RegionCache<T>::Row& row, std::size_t t, std::int32_t last, double coef);
  void merge_bounds(const std::vector<GroupBounds>& pieces);
  /// The KKT violation, plus a bound on the effect of left-out kernel values.
  double violation() const { return bounds_.violation(problem_.equality) + 2.0 * skipped_; }
  bool seems_solved() const { return bounds_.violation(problem_.equality) < options_.tol; }
  /// A recomputed gradient would leave out much less.
  bool stale() const { return skipped_ > std::max(0.05 * options_.tol, 2.0 * renewed_); }
  /// Even a recomputed gradient leaves out too much for a violation below tol.
  bool beyond_reach() const { return 2.0 * renewed_ >= options_.tol; }
  void renew_gradient();
  static constexpr Index kPage = 4096 / static_cast<Index>(sizeof(T));  ///< values of the smallest page of memory
  void touch(const std::vector<T*>& rows);
  void touch_units(const RegionUpdate& update, Index n_missing);
  /// Rows are so cheap that none is kept.
  bool keeps_no_rows() const { return linear_ || source_.work_per_value() <= kernel_matrix::kRecomputeWork; }
  /// Rows are in memory already: those of a working set are picked when a step needs them, as those of a whole tile are.
  bool reads_rows() const { return !linear_ && source_.work_per_value() <= kernel_matrix::kReadWork; }
  /// Whole rows are read in place: picking some of their values costs more, until so few are left that a tile holds them.
  bool read_in_place(std::size_t kept) const {
    return source_.work_per_value() <= kernel_matrix::kReadWork && static_cast<Index>(kept) > whole_limit_;
  }
  void note_peak();
  void drop_rows() {
    cache_.reset();
    region_cache_.reset();
  }
  /// Bytes for the packed points of a tile while it is filled.
  std::size_t tile_columns_budget() const { return context_.cap_bytes / 8; }
  void maybe_shrink();
  void shrink_if_worth();
  void compact(const std::vector<Index>& keep);
  bool certify();
  void start_on_sample();
  bool next_stage(const std::array<double, 2>& centre);
  void next_active_set(const std::array<double, 2>& centre);
  void leave_far(const std::array<double, 2>& centre);
  bool base_is_solved();
  bool report_progress();
  double objective() const;
  void finish();

  const kernel_matrix::RowSource<T>& source_;
  const kernel_matrix::LinearRows linear_;  ///< gradients change by a product with the change of the weights
  const Problem& problem_;
  const Options options_;
  double* full_beta_;
  double* full_g_;
  double* path_;
  base::Context& context_;
  base::ThreadPool& pool_;
  Progress progress_;
  const std::int64_t earlier_steps_;  // of solves that this one goes on from
  const std::int64_t max_steps_;
  Result result_;

  const std::shared_ptr<SolverRoom<T>> room_;
  ActiveSet<T>& active_;
  GroupBounds bounds_;
  Index part_limit_ = 0;  ///< working set size, at most
  Index tile_size_ = 0;  ///< that the tile is laid out for; 0: not for parts
  bool switched_to_large_tiles_ =
      false;  ///< of a linear kernel, after many steps: more variables at once undo fewer of each other's steps
  Index whole_limit_ = 0;  ///< active sets up to this size are solved on one tile
  InnerSmo<T>& tile_;
  std::unique_ptr<kernel_matrix::Columns<T>> columns_;  ///< the active columns (while whole: null until a row is needed)
  std::unique_ptr<kernel_matrix::Columns<T>> part_columns_;  ///< those of a working set whose rows are picked; else null
  std::unique_ptr<RowCache<T>> cache_;  ///< one of the two, or none while whole
  std::unique_ptr<RegionCache<T>> region_cache_;
  double at_zero_ = 0;  ///< violation of a cold start that began on a sample
  std::int64_t stage_began_ = 0;  ///< steps before the current stage
  double stage_tol_;  ///< violation of the active set at which the other variables are checked
  std::vector<Index>& work_;  ///< position of each tile slot, oldest first
  std::vector<std::uint8_t>& in_work_;  ///< by position
  std::vector<double>& delta_;  ///< by slot
  bool tile_is_whole_ = false;
  const PrecisionLimits limits_;
  double square_ = 0;  ///< sum beta^2
  Index support_;  ///< variables other than 0, kept up to date so that a report needs no pass over them
  double skipped_ = 0;  ///< upper bound on the error of a gradient from left-out kernel values
  double renewed_ = 0;  ///< skipped_ after the last renew_gradient()
  std::int64_t rounds_ = 0;  ///< outer iterations
  int idle_ = 0;  ///< rounds in a row without a step
  double inner_scale_ = 1.0;
};

}  // namespace dcsvm::qp
