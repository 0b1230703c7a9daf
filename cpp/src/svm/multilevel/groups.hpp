// The points of a level, by cluster and class.
#pragma once

#include <cstdint>
#include <vector>

#include "svm/multilevel/dc_svm.hpp"

namespace dcsvm::multilevel {

/// Whether point i takes part.
inline bool takes_part(const Input& input, Index i) { return (*input.class_of)[i] >= 0 && (*input.upper)[i] > 0.0; }

/// Point number p of the order in which sub-problems list points.
inline Index point_at(const Input& input, Index p) { return input.order != nullptr ? (*input.order)[p] : p; }

/// The points that take part, grouped by cluster, then class, in the order of Input::order within.
class Groups {
 public:
  Groups(const Input& input, const std::vector<std::int32_t>& cluster_of, Index clusters);

  Index size(Index cluster, Index cls) const { return end(cluster, cls) - begin(cluster, cls); }
  Index cluster_size(Index cluster) const { return first_[(cluster + 1) * classes_] - first_[cluster * classes_]; }
  void append(Index cluster, Index cls, std::vector<Index>& out) const {
    out.insert(out.end(), points_.begin() + begin(cluster, cls), points_.begin() + end(cluster, cls));
  }

 private:
  Index begin(Index cluster, Index cls) const { return first_[cluster * classes_ + cls]; }
  Index end(Index cluster, Index cls) const { return first_[cluster * classes_ + cls + 1]; }

  Index classes_;
  std::vector<Index> first_, points_;
};

}  // namespace dcsvm::multilevel
