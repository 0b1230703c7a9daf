#include "dc_pred/predict.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "data/predict_call.hpp"
#include "data/read.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

namespace dc_pred {

namespace {

constexpr Index kTogether = 16;  // rows of a leaf whose features are computed at once
constexpr Index kBytes = 1 << 20;   // of a block of rows: many enough that a leaf, once in cache, serves several
constexpr Index kRowsAtOnce = 4096;

/// Kernel values, expansion and product for n <= kTogether rows of one leaf; out[r]: where row r's decisions go.
void decide_leaf(const DcPredData& model, const DcPredLeaf& leaf, const float* const* x, const float* norms, Index n, float* room,
                 float* features, float* const* out) noexcept {
  const Index outputs = model.outputs(), width = leaf.basis.width();
  for (Index r = 0; r < n; ++r) std::copy(leaf.intercept.begin(), leaf.intercept.end(), out[r]);
  if (leaf.basis.m == 0) return;
  if (outputs == 1 && leaf.basis.p == 0 && model.kind.map.kind == KernelType::rbf) {
    float sums[kTogether];
    rbf_sums(leaf.basis, x, norms, n, leaf.coef.data(), room, sums);
    for (Index r = 0; r < n; ++r) out[r][0] += sums[r];
    return;
  }
  leaf_features(model.kind, leaf.basis, x, norms, n, room, features);
  for (Index r = 0; r < n; ++r) {
    for (Index o = 0; o < outputs; ++o) {
      float sum = 0;
      simd::ops<float>().products(features + r * width, leaf.coef.data() + o * width, width, 1, &sum);
      out[r][o] += sum;
    }
  }
}

Index widest(const DcPredData& model) {
  Index width = 0;
  for (const auto& leaf : model.leaves) width = std::max(width, leaf.basis.width());
  return width;
}
/// For n rows of any leaf.
Index largest_room(const DcPredData& model, Index n) {
  Index room = 0;
  for (const auto& leaf : model.leaves) room = std::max(room, leaf.basis.room(n));
  return room;
}

/// Decides blocks of rows: each row finds its leaf, then a leaf's rows share its landmarks.
class Decider {
 public:
  /// For at most `most` rows of x in all, which bounds the memory of a call with few.
  Decider(const DcPredData& model, const DataView& x, Index most)
      : model_(model),
        x_(x),
        d_(model.n_features),
        stride_(model.stride()),
        rows_(std::min(most, std::clamp<Index>(kBytes / (stride_ * static_cast<Index>(sizeof(float))), 64, kRowsAtOnce))) {
    if (const auto* view = std::get_if<DenseView>(&x);
        view != nullptr && view->scalar == ScalarType::float32 && view->col_stride == 1) {
      in_place_ = view;
    }
    moved_.resize(rows_ * stride_);
    norms_.resize(rows_);
    leaf_of_.resize(rows_);
    order_.resize(rows_);
    row_.assign(stride_, 0.0F);
    decisions_.resize(rows_ * model.outputs());
    const Index width = widest(model);
    room_.resize(largest_room(model, kTogether));
    features_.resize(kTogether * width);
  }

  Index rows() const { return rows_; }
  /// Rows [begin, begin + m), m <= rows(). m x outputs.
  const float* decide(Index begin, Index m) {
    const simd::Ops<float>& op = simd::ops<float>();
    first_.assign(model_.leaves.size() + 1, 0);
    for (Index r = 0; r < m; ++r) {
      float* to = moved_.data() + r * stride_;
      norms_[r] = op.shift_row(row(begin + r), model_.shift.data(), stride_, to);
    }
    model_.tree.leaves_of(moved_.data(), m, leaf_of_.data());
    for (Index r = 0; r < m; ++r) ++first_[static_cast<std::size_t>(leaf_of_[r]) + 1];
    for (std::size_t l = 1; l < first_.size(); ++l) first_[l] += first_[l - 1];
    for (Index r = 0; r < m; ++r) order_[first_[leaf_of_[r]]++] = r;
    const Index outputs = model_.outputs();
    for (Index done = 0; done < m;) {
      const Index leaf = leaf_of_[order_[done]];
      const float* x[kTogether];
      float* out[kTogether];
      float norms[kTogether];
      Index n = 0;
      for (; n < kTogether && done < m && leaf_of_[order_[done]] == leaf; ++n, ++done) {
        const Index r = order_[done];
        x[n] = moved_.data() + r * stride_;
        norms[n] = norms_[r];
        out[n] = decisions_.data() + r * outputs;
      }
      decide_leaf(model_, model_.leaves[leaf], x, norms, n, room_.data(), features_.data(), out);
    }
    return decisions_.data();
  }

 private:
  /// stride floats; vectors do not read beyond the caller's row.
  const float* row(Index i) {
    if (in_place_ != nullptr) {
      const float* own = static_cast<const float*>(in_place_->data) + i * in_place_->row_stride;
      if (stride_ == d_) return own;
      std::memcpy(row_.data(), own, static_cast<std::size_t>(d_) * sizeof(float));
    } else {
      data::copy_rows(x_, nullptr, i, 1, row_.data(), stride_);
    }
    return row_.data();
  }

  const DcPredData& model_;
  const DataView& x_;
  const DenseView* in_place_ = nullptr;  // rows that need no conversion
  Index d_, stride_, rows_;
  std::vector<float> moved_, norms_, row_, decisions_, room_, features_;
  std::vector<Index> leaf_of_, order_, first_;
};

}  // namespace

Index scratch_size(const DcPredData& model) { return 2 * model.stride() + largest_room(model, 1) + widest(model); }

void decide_row(const DcPredData& model, const float* x, float* scratch, float* out) noexcept {
  const Index d = model.n_features, stride = model.stride();
  float *row = scratch, *moved = row + stride, *room = moved + stride;
  const float* whole = x;
  if (stride != d) {  // vectors do not read beyond the caller's row
    std::memcpy(row, x, static_cast<std::size_t>(d) * sizeof(float));
    std::fill(row + d, row + stride, 0.0F);
    whole = row;
  }
  const float norm = simd::ops<float>().shift_row(whole, model.shift.data(), stride, moved);
  const DcPredLeaf& leaf = model.leaves[model.tree.leaf_of(moved)];
  decide_leaf(model, leaf, &moved, &norm, 1, room, room + leaf.basis.room(1), &out);
}

double answer(const DcPredData& model, const float* decisions) {
  if (model.classes.empty()) return double{decisions[0]};
  if (model.outputs() == 1) return model.classes[decisions[0] < 0 ? 1 : 0];
  return model.classes[std::max_element(decisions, decisions + model.outputs()) - decisions];
}

void decide(const DcPredData& model, const DataView& x, base::ThreadPool& pool, const data::Output& out) {
  const Index outputs = model.outputs();
  pool.for_range(rows_of(x), kRowsAtOnce, [&](Index first, Index last, int) {
    Decider decider(model, x, last - first);
    for (Index begin = first; begin < last; begin += decider.rows()) {
      const Index m = std::min(decider.rows(), last - begin);
      const float* decisions = decider.decide(begin, m);
      for (Index r = 0; r < m; ++r, decisions += outputs) {
        if (!std::all_of(decisions, decisions + outputs, [](float v) { return std::isfinite(v); })) data::overflow(begin + r);
        if (out.decisions != nullptr) std::copy(decisions, decisions + outputs, out.decisions + (begin + r) * outputs);
        if (out.labels != nullptr) out.labels[begin + r] = answer(model, decisions);
      }
    }
  });
}

}  // namespace dc_pred

namespace {

void run(const DcPredModel& model, const DataView& x, const PredictOptions& options, const data::Output& out) {
  constexpr double kPerRow = 5.0;  // kernel values that a row's walk down the tree and its landmarks are worth
  const auto& m = data::data_for(model, x);
  const double work = kPerRow * static_cast<double>(rows_of(x));
  data::run_prediction(x, work, options, [&](base::ThreadPool& pool) { dc_pred::decide(m, x, pool, out); });
}

}  // namespace

void decision_function(const DcPredModel& model, const DataView& x, double* out, const PredictOptions& options) {
  run(model, x, options, {out, nullptr});
}

void predict(const DcPredModel& model, const DataView& x, double* out, const PredictOptions& options) {
  run(model, x, options, {nullptr, out});
}

DcPredRow::DcPredRow(const DcPredModel& model) : data_(model.data()) {
  room_.resize(dc_pred::scratch_size(base::require_model(data_)) + data_->outputs());
}

void DcPredRow::decide(const float* x, float* out) noexcept { dc_pred::decide_row(*data_, x, room_.data(), out); }

double DcPredRow::predict(const float* x) noexcept {
  float* out = room_.data() + dc_pred::scratch_size(*data_);
  decide(x, out);
  return dc_pred::answer(*data_, out);
}

}  // namespace dcsvm
