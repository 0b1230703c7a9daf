#include "predict/dc_pred.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "data/read.hpp"
#include "simd/ops.hpp"

namespace dcsvm::prediction {

namespace {

using models::DcPredData;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

constexpr Index kRows = 64;  // copied out of the caller's matrix at a time

}  // namespace

Index scratch_size(const DcPredData& model) {
  Index width = 0;
  for (const auto& leaf : model.leaves) width = std::max(width, approx::padded(leaf.basis.m) + leaf.basis.width());
  return 2 * model.stride() + width;
}

void decide_row(const DcPredData& model, const float* x, float* scratch, float* out) noexcept {
  const simd::Ops<float>& op = simd::ops<float>();
  const Index d = model.n_features, stride = model.stride(), outputs = model.outputs();
  float *row = scratch, *moved = row + stride, *room = moved + stride;
  const float* whole = x;
  if (stride != d) {  // vectors do not read beyond the caller's row
    std::memcpy(row, x, at(d) * sizeof(float));
    std::fill(row + d, row + stride, 0.0F);
    whole = row;
  }
  const float norm = op.shift_row(whole, model.shift.data(), stride, moved);
  const models::DcPredLeaf& leaf = model.leaves[at(model.tree.leaf_of(moved))];
  std::copy(leaf.intercept.begin(), leaf.intercept.end(), out);
  if (leaf.basis.m == 0) return;
  float* features = room + approx::padded(leaf.basis.m);
  approx::leaf_features(model.kind, leaf.basis, moved, norm, room, features);
  for (Index o = 0; o < outputs; ++o) {
    float sum = 0;
    op.products(features, leaf.coef.data() + o * leaf.basis.width(), leaf.basis.width(), 1, &sum);
    out[o] += sum;
  }
}

double answer(const DcPredData& model, const float* decisions) {
  if (model.outputs() == 1) return model.classes[decisions[0] > 0 ? 0 : 1];
  return model.classes[at(std::max_element(decisions, decisions + model.outputs()) - decisions)];
}

void decide(const DcPredData& model, const DataView& x, base::ThreadPool& pool, const Output& out) {
  const Index d = model.n_features, outputs = model.outputs();
  const float* in_place = nullptr;  // rows that need no copy
  Index ld = 0;
  if (const auto* view = std::get_if<DenseView>(&x);
      view != nullptr && view->scalar == ScalarType::float32 && view->col_stride == 1) {
    in_place = static_cast<const float*>(view->data);
    ld = view->row_stride;
  }
  pool.for_range(rows_of(x), 16 * kRows, [&](Index first, Index last, int) {
    std::vector<float> rows(at(kRows * d)), scratch(at(scratch_size(model))), decisions(at(outputs));
    for (Index begin = first; begin < last; begin += kRows) {
      const Index m = std::min(kRows, last - begin);
      if (in_place == nullptr) data::copy_rows(x, nullptr, begin, m, rows.data(), d);
      for (Index r = 0; r < m; ++r) {
        const float* row = in_place == nullptr ? rows.data() + r * d : in_place + (begin + r) * ld;
        decide_row(model, row, scratch.data(), decisions.data());
        if (!std::all_of(decisions.begin(), decisions.end(), [](float v) { return std::isfinite(v); })) overflow(begin + r);
        if (out.decisions != nullptr) std::copy(decisions.begin(), decisions.end(), out.decisions + (begin + r) * outputs);
        if (out.labels != nullptr) out.labels[begin + r] = answer(model, decisions.data());
      }
    }
  });
}

}  // namespace dcsvm::prediction
