#include "svm/checkpoint.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>

#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "dcsvm/version.hpp"
#include "files/crc32.hpp"
#include "files/file.hpp"
#include "files/system.hpp"

namespace dcsvm::svm {

namespace {

constexpr Index kRowsAtOnce = 256;

std::string hexadecimal(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), "%08x", static_cast<unsigned>(value));
  return text;
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g", value);
  return text;
}
template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return name_of(value);
  else
    return std::to_string(value);
}
template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "none";
}
std::string text_of(const std::vector<std::pair<double, double>>& weights) {
  std::string text = "{";
  for (const auto& [label, factor] : weights)
    text.append(text.size() > 1 ? ", " : "").append(text_of(label)).append(": ").append(text_of(factor));
  return text + "}";
}

std::string_view bytes_of(const void* values, std::size_t bytes) { return {static_cast<const char*>(values), bytes}; }
template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return bytes_of(values.data(), values.size() * sizeof(T));
}

// Of the values, whatever their precision and order in memory.
std::string describe(const DataView& x, base::ThreadPool& pool) {
  std::uint32_t crc = 0;
  const Index n = rows_of(x), cols = cols_of(x);
  const auto* csr = std::get_if<CsrView>(&x);
  std::vector<double> dense(csr == nullptr ? kRowsAtOnce * cols : 0);
  for (Index begin = 0; begin < n; begin += kRowsAtOnce) {
    pool.poll();
    const Index m = std::min(kRowsAtOnce, n - begin);
    if (csr == nullptr) {
      data::copy_rows(x, nullptr, begin, m, dense.data(), cols);
      crc = files::crc32(bytes_of(dense.data(), static_cast<std::size_t>(m * cols) * sizeof(double)), crc);
    } else {
      const auto rows = data::copy_sparse_rows<double>(*csr, nullptr, begin, m);
      crc = files::crc32(bytes_of(rows.values), files::crc32(bytes_of(rows.indices), files::crc32(bytes_of(rows.indptr), crc)));
    }
  }
  return std::string(csr == nullptr ? "dense " : "sparse ") + std::to_string(n) + " x " + std::to_string(cols) + ", checksum " +
         hexadecimal(crc);
}

}  // namespace

std::string checksum_text(const void* values, std::size_t bytes) {
  return values == nullptr ? "none" : "checksum " + hexadecimal(files::crc32(bytes_of(values, bytes)));
}

files::Identity identity_of(const DataView& x, const double* y, const TrainParams& params, const TrainInputs& inputs,
                            Index n_alpha, base::ThreadPool& pool) {
  const auto vector_bytes = static_cast<std::size_t>(rows_of(x)) * sizeof(double);
  files::Identity identity;
  identity.emplace_back("dcsvm", version());
  identity.emplace_back("X", describe(x, pool));
  identity.emplace_back("y", checksum_text(predicts_sides(params.formulation) ? nullptr : y, vector_bytes));
  identity.emplace_back("sample_weight", checksum_text(inputs.sample_weight, vector_bytes));
  const auto start_bytes = static_cast<std::size_t>(n_alpha) * sizeof(double);
  identity.emplace_back("warm_start_alpha", checksum_text(inputs.warm_start_alpha, start_bytes));
  identity.emplace_back("warm_start_sums", checksum_text(inputs.warm_start_sums, start_bytes));
  identity.emplace_back("fixed_row_sums", checksum_text(inputs.fixed_row_sums, start_bytes));
  const auto add = [&](const auto& of) {
    return [&](const char* name, auto member, const char*, const Range& = {}) {
      const std::string_view own = name;
      if (own != "n_threads" && own != "max_seconds") identity.emplace_back(name, text_of(of.*member));
    };
  };
  each_parameter(params.kernel, add(params.kernel));
  identity.emplace_back("rule for gamma", text_of(params.gamma_rule));
  identity.emplace_back("absolute tol", text_of(params.absolute_tol));
  each_parameter(params, add(params));
  return identity;
}

CallCheckpoint::CallCheckpoint(const TrainInputs& inputs, const std::function<files::Identity()>& identity)
    : path_(inputs.checkpoint) {
  if (!(inputs.checkpoint_interval > 0) || !std::isfinite(inputs.checkpoint_interval))
    throw ParameterError("checkpoint_interval must be a finite number > 0 of seconds, got " +
                         text_of(inputs.checkpoint_interval));
  if (path_.empty()) return;
  const bool continues = files::has_checkpoint(path_);
  const files::AtomicFile can_be_written(path_);
  identity_ = identity();
  base::Checkpoint::Entries found;
  if (continues) found = files::read_checkpoint(path_, identity_);
  checkpoint_.emplace(std::move(found), inputs.checkpoint_interval,
                      [this](const base::Checkpoint::Entries& entries) { files::write_checkpoint(path_, identity_, entries); });
  place_.emplace(*checkpoint_);
}

CallCheckpoint::~CallCheckpoint() {
  if (!checkpoint_) return;
  try {
    checkpoint_->write();
  } catch (...) {  // the error that ended the call counts; the file before is whole
  }
}

void CallCheckpoint::end() {
  if (!checkpoint_) return;
  place_.reset();
  checkpoint_.reset();
  files::system::remove(path_);
}

}  // namespace dcsvm::svm
