// Block decomposition: choose a working set, solve it on a tile, update every active gradient with the rows that changed, repeat.
// Joachims: Making large-scale SVM learning practical (1998). Fan, Chen, Lin: Working set selection using second order
// information (JMLR 6, 2005). Wen et al.: ThunderSVM (JMLR 19, 2018) for working sets kept in part.
#pragma once

#include <memory>
#include <vector>

#include "solver/active_set.hpp"
#include "solver/inner_smo.hpp"
#include "solver/row_cache.hpp"

namespace dcsvm::solver {

template <class T>
class BlockSolver {
 public:
  BlockSolver(const rows::RowSource<T>& source, const Problem& problem, const Options& options, double* beta, double* gradient,
              base::Context& context, const Progress& progress);
  Result run();

 private:
  void size_tile();
  void enter_active_set();
  bool whole() const { return active_.size() <= whole_limit_; }
  bool iterate();

  void choose_working_set();
  void choose_part();
  void keep_newest(Index kept);
  void fill_tile(Index kept);
  std::vector<Index> solve_tile();
  void apply_changes(const std::vector<Index>& changed);
  void update_by_rows(const Index* slots, Index m);
  void touch(const std::vector<T*>& rows);
  void note_peak();
  /// Bytes for the packed points of a tile while it is filled.
  std::size_t tile_columns_budget() const { return context_.cap_bytes / 8; }
  void maybe_shrink();
  void compact(const std::vector<Index>& keep);
  bool certify();
  bool report_progress();
  double objective() const;
  void finish();

  const rows::RowSource<T>& source_;
  const Problem& problem_;
  const Options options_;
  double* full_beta_;
  double* full_g_;
  base::Context& context_;
  base::ThreadPool& pool_;
  Progress progress_;
  const std::int64_t max_steps_;
  Result result_;

  ActiveSet<T> active_;
  Bounds bounds_;
  Index part_limit_ = 0;  ///< working set size
  Index whole_limit_ = 0;  ///< active sets up to this size are solved on one tile
  std::unique_ptr<InnerSmo<T>> tile_;
  std::unique_ptr<rows::Columns<T>> columns_;  ///< the active columns (null while whole)
  std::unique_ptr<RowCache<T>> cache_;
  std::vector<Index> work_;  ///< position of each tile slot, oldest first
  std::vector<std::uint8_t> in_work_;  ///< by position
  std::vector<double> delta_;  ///< by slot
  bool tile_is_whole_ = false;
  std::int64_t rounds_ = 0;  ///< outer iterations
  int idle_ = 0;  ///< rounds in a row without a step
  double inner_scale_ = 1.0;
};

}  // namespace dcsvm::solver
