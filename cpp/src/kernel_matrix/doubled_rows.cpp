// Every point twice: the variables 2i and 2i + 1 of support vector regression are point i.
#include <algorithm>

#include "kernel_matrix/compute_anywhere.hpp"
#include "kernel_matrix/kernel_rows.hpp"

namespace dcsvm::kernel_matrix {

namespace {

// Columns of the base over the points of the given variables; a point whose two variables are neighbours is there once.
template <class T>
class DoubledColumns final : public Columns<T> {
 public:
  DoubledColumns(const RowSource<T>& base, const Index* idx, Index n, std::size_t budget, ThreadPool& pool)
      : column_(static_cast<std::size_t>(n)) {
    std::vector<Index> points;
    for (Index j = 0; j < n; ++j) {
      if (points.empty() || points.back() != idx[j] / 2) points.push_back(idx[j] / 2);
      column_[j] = static_cast<Index>(points.size()) - 1;
    }
    base_ = base.columns(points.data(), static_cast<Index>(points.size()), budget, pool);
  }
  Index size() const override { return static_cast<Index>(column_.size()); }
  Index grain() const override { return 2 * base_->grain(); }  // with all variables, a piece starts where one of the base does
  std::size_t bytes() const override { return base_->bytes() + column_.capacity() * sizeof(Index); }
  std::unique_ptr<PreparedRows<T>> prepare(const Index* rows, Index m, ThreadPool& pool) const override;

 private:
  template <class U>
  friend class DoubledPrepared;
  std::unique_ptr<Columns<T>> base_;
  std::vector<Index> column_;  // of the base, by variable: ascending
};

template <class T>
class DoubledPrepared final : public PreparedRows<T> {
 public:
  DoubledPrepared(const DoubledColumns<T>& columns, std::unique_ptr<PreparedRows<T>> base, Index m)
      : columns_(columns), base_(std::move(base)), m_(m) {}

  // The base's values go to the end of each row, then to their places; a value is always read before it is overwritten.
  void compute(Index begin, Index end, T* const* out) const override {
    if (begin == end) return;
    const Index* column = columns_.column_.data();
    const Index first = column[begin], last = column[end - 1] + 1, room = (end - begin) - (last - first);
    std::vector<T*> to(static_cast<std::size_t>(m_));
    for (Index r = 0; r < m_; ++r) to[r] = out[r] + room;
    compute_anywhere(*base_, m_, first, last, to.data());
    if (room == 0) return;
    for (Index r = 0; r < m_; ++r) {
      const T* from = out[r] + room;
      for (Index j = begin; j < end; ++j) out[r][j - begin] = from[column[j] - first];
    }
  }
  // Sums of the base's columns, each for both of its variables.
  void add(Index begin, Index end, const double* coef, Index m, T* scratch, double* out) const override {
    if (begin == end) return;
    const Index* column = columns_.column_.data();
    const Index nr = panel_width(), first = column[begin] / nr * nr, last = column[end - 1] + 1;
    if (last - first > end - begin) return PreparedRows<T>::add(begin, end, coef, m, scratch, out);
    std::vector<double> sums(last - first, 0.0);
    base_->add(first, last, coef, m, scratch, sums.data());
    for (Index j = begin; j < end; ++j) out[j - begin] += sums[column[j] - first];
  }

 private:
  const DoubledColumns<T>& columns_;
  std::unique_ptr<PreparedRows<T>> base_;
  Index m_;
};

template <class T>
std::unique_ptr<PreparedRows<T>> DoubledColumns<T>::prepare(const Index* rows, Index m, ThreadPool& pool) const {
  std::vector<Index> points(m);
  std::transform(rows, rows + m, points.begin(), [](Index v) { return v / 2; });
  return std::make_unique<DoubledPrepared<T>>(*this, base_->prepare(points.data(), m, pool), m);
}

template <class T>
class DoubledRows final : public RowSource<T> {
 public:
  explicit DoubledRows(const RowSource<T>& base) : base_(base) {}
  Index size() const override { return 2 * base_.size(); }
  T diagonal(Index v) const override { return base_.diagonal(v / 2); }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t budget, ThreadPool& pool) const override {
    return std::make_unique<DoubledColumns<T>>(base_, idx, n, budget, pool);
  }
  std::int64_t n_values() const override { return base_.n_values(); }
  double work_per_value() const override { return base_.work_per_value(); }
  Index variables_per_point() const override { return 2; }
  kernels::Rounding rounding() const override { return base_.rounding(); }
  std::uint64_t point_key(Index v) const override { return base_.point_key(v / 2); }
  LinearRows linear_rows() const override {
    std::vector<Index> point(static_cast<std::size_t>(size()));
    for (Index v = 0; v < size(); ++v) point[v] = v / 2;
    return base_.linear_rows().of(point);
  }
  std::shared_ptr<const RowSource<double>> in_double(ThreadPool& pool) const override {
    const auto base = base_.in_double(pool);
    if (!base) return nullptr;
    auto doubled = std::make_shared<DoubledRows<double>>(*base);
    doubled->hold(base);
    return doubled;
  }
  /// Keeps the base alive.
  void hold(std::shared_ptr<const RowSource<T>> base) { held_ = std::move(base); }

 private:
  const RowSource<T>& base_;
  std::shared_ptr<const RowSource<T>> held_;
};

}  // namespace

template <class T>
std::unique_ptr<RowSource<T>> make_doubled(const RowSource<T>& base) {
  return std::make_unique<DoubledRows<T>>(base);
}

template std::unique_ptr<RowSource<float>> make_doubled<float>(const RowSource<float>&);
template std::unique_ptr<RowSource<double>> make_doubled<double>(const RowSource<double>&);

}  // namespace dcsvm::kernel_matrix
