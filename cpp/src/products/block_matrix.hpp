// X in blocks on disk, of which as many stay in memory as a cap allows; the others are read again in every pass over the data.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "data/row_blocks.hpp"
#include "products/matrix.hpp"

namespace dcsvm::products {

class BlockMatrix final : public Matrix {
 public:
  /// blocks must outlive the matrix. cap_bytes: for the blocks that stay and the one that is read, with the sums of its columns;
  /// one block is always held. Sums are added in the order of the blocks: the same bits for any cap and number of threads.
  BlockMatrix(const data::RowBlocks& blocks, Index features, double bias, std::size_t cap_bytes, base::ThreadPool& pool);
  ~BlockMatrix() override;

  bool rows_in_memory() const override { return false; }
  Index blocks() const override { return blocks_.blocks(); }
  Index first_row(Index b) const override { return blocks_.first_row(b); }
  bool all_kept() const override { return static_cast<Index>(kept_.size()) == blocks(); }
  const Matrix& kept(Index b) const override;  ///< of one of those that stay in memory
  void visit(Index b, base::ThreadPool& pool, const std::function<void(Index, const Matrix&)>& use) const override;
  std::size_t bytes() const override { return kept_bytes_; }
  void product(const double* w, double* z, base::ThreadPool& pool) const override;
  void transposed(const double* d, double* out, base::ThreadPool& pool) const override;
  void curvature(const double* h, const double* v, double* out, base::ThreadPool& pool) const override;
  void squares(const double* h, double* out, base::ThreadPool& pool) const override;

 private:
  struct Kept;
  template <class Use>
  void each_block(base::ThreadPool& pool, const Use& use) const;
  template <class Add>
  void sum_blocks(double* out, base::ThreadPool& pool, const Add& add) const;

  const data::RowBlocks& blocks_;
  double own_bias_;  // as Matrix takes it
  std::vector<std::unique_ptr<Kept>> kept_;  // of the first blocks
  std::size_t kept_bytes_ = 0;
};

}  // namespace dcsvm::products
