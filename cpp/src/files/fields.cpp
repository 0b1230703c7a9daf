#include "files/fields.hpp"

namespace dcsvm::files {

namespace {

template <class F, class K>
void kernel_fields(F& f, K& kernel) {
  f.choice(kernel.type, last_of<KernelType>(), "kernel");
  f(kernel.degree);
  f(kernel.gamma);
  f(kernel.coef0);
}

template <class F, class P>
void point_fields(F& f, P& points) {
  f.choice(points.scalar, ScalarType::float64, "scalar type");
  f.choice(points.sparse, true, "storage");
  f(points.rows);
  f(points.cols);
  if (points.scalar == ScalarType::float32) {
    f(points.values32);
  } else {
    f(points.values64);
  }
  if (!points.sparse) return;
  f(points.indptr);
  f(points.indices);
}

}  // namespace

void fields_of(WriteFields& f, const KernelParams& kernel) { kernel_fields(f, kernel); }
void fields_of(ReadFields& f, KernelParams& kernel) { kernel_fields(f, kernel); }
void fields_of(WriteFields& f, const data::PointStore& points) { point_fields(f, points); }
void fields_of(ReadFields& f, data::PointStore& points) { point_fields(f, points); }

}  // namespace dcsvm::files
