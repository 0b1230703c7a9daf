// The data of a training as a sequence of blocks: one in memory, or many on disk (files/block_cache.hpp).
#pragma once

#include <functional>

#include "dcsvm/data.hpp"

namespace dcsvm::data {

class RowBlocks {
 public:
  virtual ~RowBlocks() = default;
  virtual Index blocks() const = 0;
  /// Rows before block b; first_row(blocks()) is the number of all rows.
  virtual Index first_row(Index b) const = 0;
  /// Calls use(rows of block b); they are in memory until it returns.
  virtual void visit(Index b, const std::function<void(const DataView&)>& use) const = 0;
  /// Bytes that the largest block takes in memory while it is visited; 0: it is the caller's.
  virtual std::size_t bytes() const = 0;

  Index rows() const { return first_row(blocks()); }
};

/// The caller's matrix as one block.
class RowsInMemory final : public RowBlocks {
 public:
  explicit RowsInMemory(const DataView& x) : x_(x) {}
  Index blocks() const override { return 1; }
  Index first_row(Index b) const override { return b == 0 ? 0 : rows_of(x_); }
  void visit(Index, const std::function<void(const DataView&)>& use) const override { use(x_); }
  std::size_t bytes() const override { return 0; }

 private:
  DataView x_;
};

}  // namespace dcsvm::data
