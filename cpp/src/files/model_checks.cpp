#include "files/model_checks.hpp"

#include <cmath>
#include <cstdint>

#include "data/check.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::files {

void fail(const char* section, const std::string& what) {
  throw ModelError(std::string("model: section ") + section + ": " + what);
}

void require(bool good, const char* section, const char* what) {
  if (!good) fail(section, what);
}

void require_size(Index n, const char* section, const char* name) {
  if (n >= 1 && n <= data::kMostColumns) return;
  fail(section,
       std::string(name) + " must be from 1 to " + std::to_string(data::kMostColumns) + ", the file has " + std::to_string(n));
}

// a * b == product, without overflow. All >= 0.
bool is_product(Index a, Index b, Index product) {
  if (a == 0 || b == 0) return product == 0;
  return product % a == 0 && product / a == b;
}

bool finite(const std::vector<double>& values) {
  bool ok = true;
  for (const double v : values) ok &= std::isfinite(v);
  return ok;
}

bool finite(const std::vector<float>& values) {
  bool ok = true;
  for (const float v : values) ok &= std::isfinite(v);
  return ok;
}

namespace {

void check_sparse(const data::PointStore& p, Index nnz, const char* section) {
  require(!p.indptr.empty() && size_of(p.indptr.size()) - 1 == p.rows, section, "indptr does not have rows + 1 entries");
  require(size_of(p.indices.size()) == nnz, section, "as many indices as values expected");
  require(p.indptr.front() == 0 && p.indptr.back() == nnz, section, "indptr does not span the values");
  for (std::size_t i = 0; i + 1 < p.indptr.size(); ++i) {
    const std::int64_t begin = p.indptr[i], end = p.indptr[i + 1];
    if (begin > end || end > nnz) fail(section, "indptr decreases at point " + std::to_string(i));
    bool ok = true;
    for (std::int64_t k = begin; k < end; ++k) {
      const auto column = p.indices[k];
      ok &= column >= 0 && column < p.cols && (k == begin || column > p.indices[k - 1]);
    }
    if (!ok) fail(section, "columns of point " + std::to_string(i) + " are out of range or do not ascend");
  }
}

}  // namespace

void check_points(const data::PointStore& p, const char* section) {
  const bool single = p.scalar == ScalarType::float32;
  require(single || p.scalar == ScalarType::float64, section, "unknown scalar type");
  require(p.rows >= 0 && p.cols >= 0, section, "negative size");
  require(p.rows <= data::kMostColumns && p.cols <= data::kMostColumns, section, "more than 2^31 - 1 rows or columns");
  require(single ? p.values64.empty() : p.values32.empty(), section, "values of two types");
  const Index values = size_of(single ? p.values32.size() : p.values64.size());
  if (p.sparse) {
    check_sparse(p, values, section);
  } else {
    require(is_product(p.rows, p.cols, values), section, "rows x cols values expected");
    require(p.indptr.empty() && p.indices.empty(), section, "a dense store has no indices");
  }
  require(finite(p.values32) && finite(p.values64), section, "a value is not finite");
}

void check_kernel(const KernelParams& kernel, const char* section) {
  require(kernel.type >= KernelType{} && kernel.type <= last_of<KernelType>(), section, "unknown kernel");
  require(kernel.degree >= 0, section, "degree is negative");
  require(std::isfinite(kernel.gamma) && kernel.gamma >= 0, section, "gamma is negative or not finite");
  require(std::isfinite(kernel.coef0), section, "coef0 is not finite");
}

void check_classes(const std::vector<double>& classes) {
  require(classes.size() >= 2, "CLAS", "at least two classes expected");
  require(finite(classes), "CLAS", "a class is not finite");
  for (std::size_t c = 1; c < classes.size(); ++c) require(classes[c - 1] < classes[c], "CLAS", "classes do not ascend");
}

void check_places(const std::vector<int>& places, std::size_t n_classes) {
  if (places.empty()) return;
  require(places.size() == n_classes, "TIES", "one place for each class expected");
  std::vector<bool> taken(n_classes, false);
  for (const int place : places) {
    require(place >= 0 && size_of(n_classes) > place && !taken[static_cast<std::size_t>(place)], "TIES",
            "a place is out of range or given twice");
    taken[static_cast<std::size_t>(place)] = true;
  }
}

}  // namespace dcsvm::files
