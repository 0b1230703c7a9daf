#include "products/block_matrix.hpp"

#include <algorithm>
#include <limits>

#include "data/read.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::products {

namespace {

constexpr std::size_t kNoCap = std::numeric_limits<std::size_t>::max();

/// A copy of a block of float32 values.
struct Copy {
  explicit Copy(const DataView& x) {
    const Index n = rows_of(x), d = cols_of(x);
    if (const auto* csr = std::get_if<CsrView>(&x)) {
      sparse = data::copy_sparse_rows<float>(*csr, nullptr, 0, n);
      view = CsrView{sparse.values.data(),
                     ScalarType::float32,
                     sparse.indices.data(),
                     sparse.indptr.data(),
                     IndexType::int32,
                     IndexType::int64,
                     n,
                     d};
    } else {
      values.resize(n * d);
      data::copy_rows(x, nullptr, 0, n, values.data(), d);
      view = dense(values.data(), n, d);
    }
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  data::SparseRows<float> sparse;
  std::vector<float> values;
  DataView view;
};

}  // namespace

struct BlockMatrix::Kept {
  Kept(const DataView& x, double bias, base::ThreadPool& pool) : copy(x), matrix(copy.view, bias, kNoCap, pool) {}

  Copy copy;
  Matrix matrix;
};

BlockMatrix::BlockMatrix(const data::RowBlocks& blocks, Index features, double bias, std::size_t cap_bytes,
                         base::ThreadPool& pool)
    : Matrix(blocks.rows(), features, bias), blocks_(blocks), own_bias_(bias) {
  // A block that is read takes its file and, in the worst case, a copy in the solver's layout.
  const std::size_t reading = 2 * blocks.bytes();
  bool keep = true;
  for (Index b = 0; b < blocks.blocks(); ++b) {
    pool.poll();
    blocks.visit(b, [&](const DataView& x) {
      const Matrix seen(x, own_bias_, kNoCap, pool);
      stored_ += seen.stored();
      // A copy of the rows, where each row starts, and what the matrix copies.
      const std::size_t bytes = static_cast<std::size_t>(data::stored_values(x)) * 8 +
                                static_cast<std::size_t>(rows_of(x) + 1) * sizeof(Index) + seen.bytes();
      keep = keep && kept_bytes_ + bytes + reading <= cap_bytes;
      if (!keep) return;
      kept_.push_back(std::make_unique<Kept>(x, own_bias_, pool));
      kept_bytes_ += bytes;
    });
  }
}

BlockMatrix::~BlockMatrix() = default;

const Matrix& BlockMatrix::kept(Index b) const { return kept_[static_cast<std::size_t>(b)]->matrix; }

void BlockMatrix::visit(Index b, base::ThreadPool& pool, const std::function<void(Index, const Matrix&)>& use) const {
  pool.poll();
  if (b < static_cast<Index>(kept_.size())) {
    use(blocks_.first_row(b), kept(b));
  } else {
    blocks_.visit(b, [&](const DataView& x) { use(blocks_.first_row(b), Matrix(x, own_bias_, kNoCap, pool)); });
  }
}

/// use(first row, matrix of the block).
template <class Use>
void BlockMatrix::each_block(base::ThreadPool& pool, const Use& use) const {
  for (Index b = 0; b < blocks_.blocks(); ++b) visit(b, pool, use);
}

/// add(first row, matrix of the block, its sums).
template <class Add>
void BlockMatrix::sum_blocks(double* out, base::ThreadPool& pool, const Add& add) const {
  std::vector<double> sums(static_cast<std::size_t>(cols()));
  std::fill(out, out + cols(), 0.0);
  each_block(pool, [&](Index first, const Matrix& x) {
    add(first, x, sums.data());
    for (std::size_t j = 0; j < sums.size(); ++j) out[j] += sums[j];
  });
}

void BlockMatrix::product(const double* w, double* z, base::ThreadPool& pool) const {
  each_block(pool, [&](Index first, const Matrix& x) { x.product(w, z + first, pool); });
}

void BlockMatrix::transposed(const double* d, double* out, base::ThreadPool& pool) const {
  sum_blocks(out, pool, [&](Index first, const Matrix& x, double* sums) { x.transposed(d + first, sums, pool); });
}

void BlockMatrix::curvature(const double* h, const double* v, double* out, base::ThreadPool& pool) const {
  sum_blocks(out, pool, [&](Index first, const Matrix& x, double* sums) { x.curvature(h + first, v, sums, pool); });
}

void BlockMatrix::squares(const double* h, double* out, base::ThreadPool& pool) const {
  sum_blocks(out, pool, [&](Index first, const Matrix& x, double* sums) { x.squares(h + first, sums, pool); });
}

}  // namespace dcsvm::products
