// The host's wish to stop is answered while text models are written and read: Interrupted, and what was there stays.
#include <functional>
#include <string>
#include <vector>

#include "dcsvm/any_model.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/liblinear_model.hpp"
#include "dcsvm/libsvm_model.hpp"
#include "doctest/doctest.h"
#include "files/temporary_folder.hpp"

using namespace dcsvm;
using test::read_text;
using test::write_text;

namespace {

/// `call` with a function that says stop. Whether it was asked; if so, the call must have thrown Interrupted.
bool is_stopped(const std::function<void(const std::function<bool()>&)>& call) {
  bool asked = false, threw = false;
  try {
    call([&asked] { return asked = true; });
  } catch (const Interrupted&) {
    threw = true;
  }
  CHECK(threw == asked);
  return threw;
}

/// Hosts are asked every 50 ms: twice as many numbers until it takes that long.
void grow_until_stopped(const std::function<bool(std::size_t)>& call) {
  for (std::size_t n = 1 << 17; !call(n); n *= 2) REQUIRE(n < std::size_t{1} << 27);
}

LibsvmModel libsvm_of(std::size_t n) {
  LibsvmModel model;
  model.kernel.type = KernelType::linear;
  model.labels = {1, 2};
  model.rho = {0.5};
  model.n_sv = {1, 1};
  model.sv_coef = {1, -1};
  model.values.assign(n, 1.0 / 3.0);
  for (std::size_t k = 0; k < n; ++k) model.indices.push_back(static_cast<std::int32_t>(k < n / 2 ? k : k - n / 2) + 1);
  model.indptr = {0, static_cast<std::int64_t>(n / 2), static_cast<std::int64_t>(n)};
  return model;
}

LiblinearModel liblinear_of(std::size_t n) {
  LiblinearModel model;
  model.labels = {1, 2};
  model.n_features = static_cast<Index>(n);
  model.w.assign(n, 1.0 / 3.0);
  return model;
}

}  // namespace

TEST_CASE("text models: an interrupt ends saving and loading and leaves nothing behind") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "model";
  const auto stops_saving = [&](const std::function<void(const std::function<bool()>&)>& save) {
    write_text(path, "old");
    if (!is_stopped(save)) return false;
    CHECK(read_text(path) == "old");
    CHECK(folder.count() == 1);
    return true;
  };
  grow_until_stopped([&](std::size_t n) {
    const LibsvmModel model = libsvm_of(n);
    return stops_saving([&](const auto& stop) { save_libsvm_model(model, path, {}, stop); });
  });
  grow_until_stopped([&](std::size_t n) {
    const LiblinearModel model = liblinear_of(n);
    return stops_saving([&](const auto& stop) { save_liblinear_model(model, path, stop); });
  });
  const auto load = [&](const auto& stop) { load_any_model(path, 0, stop); };
  grow_until_stopped([&](std::size_t n) {
    save_libsvm_model(libsvm_of(n), path);
    return is_stopped(load);
  });
  grow_until_stopped([&](std::size_t n) {
    save_liblinear_model(liblinear_of(n), path);
    return is_stopped(load);
  });
}
