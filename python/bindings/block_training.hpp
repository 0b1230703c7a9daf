// Trainings on files that may be larger than memory, for every family that has one.
#pragma once

#include <string>

#include "caster.hpp"
#include "dcsvm/blocks.hpp"

namespace dcsvm::bindings {

inline BlockOptions block_options(const py::object& cache, double memory_mb, bool keep_cache, Index n_features, bool zero_based) {
  return {cache.is_none() ? std::string() : as_path(cache), memory_mb, keep_cache, n_features, zero_based};
}

// Train: the family's function of a path. Its errors name the file: the text, or one of the cache.
template <class Params, auto Train>
auto train_file(const py::object& path, const Params& params, const py::object& cache, double memory_mb, bool keep_cache,
                Index n_features, bool zero_based, const py::object& progress) {
  const std::string name = as_path(path);
  const BlockOptions options = block_options(cache, memory_mb, keep_cache, n_features, zero_based);
  const Hooks hooks = hooks_of(progress);
  const Params own = params;
  const py::gil_scoped_release release;
  return Train(name, own, options, hooks);
}

}  // namespace dcsvm::bindings
