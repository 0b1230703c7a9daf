// train_linear_file and its matrix of blocks: sums as those of one matrix, answers as those of train_linear.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/row_blocks.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/linear.hpp"
#include "doctest/doctest.h"
#include "files/temporary_folder.hpp"
#include "linear/samples.hpp"
#include "products/block_matrix.hpp"
#include "products/matrix.hpp"

using namespace dcsvm;

namespace {

/// Rows of a CSR matrix in blocks of `size`, counting how often each is read.
class Pieces final : public data::RowBlocks {
 public:
  Pieces(const CsrView& x, Index size) : x_(x), size_(size), visits(static_cast<std::size_t>((x.rows + size - 1) / size), 0) {}
  Index blocks() const override { return static_cast<Index>(visits.size()); }
  Index first_row(Index b) const override { return std::min(b * size_, x_.rows); }
  void visit(Index b, const std::function<void(const DataView&)>& use) const override {
    ++visits[static_cast<std::size_t>(b)];
    CsrView part = x_;
    part.indptr = static_cast<const std::int64_t*>(x_.indptr) + first_row(b);
    part.rows = first_row(b + 1) - first_row(b);
    std::vector<std::int64_t> indptr(static_cast<const std::int64_t*>(part.indptr),
                                     static_cast<const std::int64_t*>(part.indptr) + part.rows + 1);
    const std::int64_t begin = indptr[0];
    for (std::int64_t& p : indptr) p -= begin;
    part.indptr = indptr.data();
    part.indices = static_cast<const std::int32_t*>(x_.indices) + begin;
    part.values = static_cast<const float*>(x_.values) + begin;
    use(part);
  }
  std::size_t bytes() const override { return 0; }

 private:
  CsrView x_;
  Index size_;

 public:
  mutable std::vector<int> visits;
};

}  // namespace

TEST_CASE("linear file: sums over blocks are those of the whole matrix, whatever stays in memory") {
  const test::Sample s(90, 7, 2, 0.4, 3);
  const CsrView x{
      s.values32.data(), ScalarType::float32, s.indices.data(), s.indptr.data(), IndexType::int32, IndexType::int64, s.n, s.d};
  base::ThreadPool pool(2);
  const products::Matrix whole(x, 0.5, std::size_t{1} << 30, pool);
  std::vector<double> w(whole.cols()), h(s.n);
  for (std::size_t j = 0; j < w.size(); ++j) w[j] = 0.25 * static_cast<double>(j) - 1;
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = i % 5 == 0 ? 0.0 : 0.125 * static_cast<double>(i % 7);
  for (const std::size_t cap : {std::size_t{0}, std::size_t{2000}, std::size_t{1} << 30}) {
    const Pieces pieces(x, 20);
    const products::BlockMatrix blocks(pieces, s.d, 0.5, cap, pool);
    CHECK(blocks.rows() == s.n);
    CHECK(blocks.cols() == whole.cols());
    CHECK(blocks.stored() == whole.stored());
    CHECK(blocks.bytes() <= cap);
    const std::vector<int> before = pieces.visits;
    std::vector<double> a(whole.cols()), b(whole.cols()), za(s.n), zb(s.n);
    const auto same = [&] {
      for (std::size_t j = 0; j < a.size(); ++j) CHECK(a[j] == doctest::Approx(b[j]).epsilon(1e-12));
    };
    whole.product(w.data(), za.data(), pool);
    blocks.product(w.data(), zb.data(), pool);
    CHECK(za == zb);
    whole.transposed(h.data(), a.data(), pool);
    blocks.transposed(h.data(), b.data(), pool);
    same();
    whole.curvature(h.data(), w.data(), a.data(), pool);
    blocks.curvature(h.data(), w.data(), b.data(), pool);
    same();
    whole.squares(h.data(), a.data(), pool);
    blocks.squares(h.data(), b.data(), pool);
    same();
    for (std::size_t p = 0; p < before.size(); ++p) {
      const int read = pieces.visits[p] - before[p];
      CHECK((read == 0 || read == 4));
      if (cap == 0) CHECK(read == 4);
      if (cap > 2000) CHECK(read == 0);
    }
  }
}

TEST_CASE("linear file: the objective is that of training in memory") {
  const test::TemporaryFolder folder;
  const test::Sample s(400, 30, 3, 0.3, 5);
  const std::string path = folder / "data";
  const CsrView x{
      s.values32.data(), ScalarType::float32, s.indices.data(), s.indptr.data(), IndexType::int32, IndexType::int64, s.n, s.d};
  save_svmlight(path, x, s.y.data());
  for (const LinearSolver solver : {LinearSolver::logistic, LinearSolver::squared_hinge_dual, LinearSolver::hinge_dual}) {
    LinearParams params;
    params.solver = solver;
    params.tol = 1e-4;
    const LinearModel memory = train_linear(x, s.y.data(), params);
    const LinearModel file = train_linear_file(path, params);
    CHECK(file.classes() == memory.classes());
    CHECK(file.report().primal_objective == doctest::Approx(memory.report().primal_objective).epsilon(1e-5));
    CHECK(file.report().primal_objective >= file.report().dual_objective);
    CHECK(file.report().stop_reason == StopReason::converged);
  }
  CHECK(std::filesystem::exists(path + ".dcsvm-blocks/index"));
  LinearParams params;
  params.solver = LinearSolver::one_class;
  params.bias = -1;
  CHECK_THROWS_AS(train_linear_file(path, params), ParameterError);
  params = {};
  BlockOptions options;
  options.memory_mb = 0.01;
  CHECK_THROWS_AS(train_linear_file(path, params, options), CapError);
}
