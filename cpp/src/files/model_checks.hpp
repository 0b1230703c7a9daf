// Checks of a model's data that several kinds of models share. Each throws ModelError ("model: section TAG: what").
#pragma once

#include <string>
#include <vector>

#include "data/point_store.hpp"
#include "dcsvm/kernel_params.hpp"

namespace dcsvm::files {

[[noreturn]] void fail(const char* section, const std::string& what);
void require(bool good, const char* section, const char* what);
inline Index size_of(std::size_t n) { return static_cast<Index>(n); }
/// A number of features, or of training rows: at least 1 and at most 2^31 - 1, so that the product of two sizes cannot overflow.
void require_size(Index n, const char* section, const char* name);
/// a * b == product, without overflow. All >= 0.
bool is_product(Index a, Index b, Index product);
bool finite(const std::vector<double>& values);
bool finite(const std::vector<float>& values);
/// Sizes, index ranges and values of stored points.
void check_points(const data::PointStore& p, const char* section);
void check_kernel(const KernelParams& kernel, const char* section);
/// At least two, finite, ascending; the text names section CLAS.
void check_classes(const std::vector<double>& classes);
/// None, or each of 0, 1, ..., n_classes - 1 once; the text names section TIES.
void check_places(const std::vector<int>& places, std::size_t n_classes);

}  // namespace dcsvm::files
