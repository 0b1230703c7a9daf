// How the fields of a section are stored. A section's fields are listed once, in a function of (fields, model) that reads or
// writes, whatever `fields` is.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/point_store.hpp"
#include "dcsvm/kernel_params.hpp"
#include "files/bytes.hpp"

namespace dcsvm::files {

/// The type in files: i64 for sizes and indices, i32 for int, u32 for bool, and for other numbers their own.
template <class T>
using stored_t = std::conditional_t<
    std::is_same_v<T, Index>, std::int64_t,
    std::conditional_t<std::is_same_v<T, int>, std::int32_t, std::conditional_t<std::is_same_v<T, bool>, std::uint32_t, T>>>;

class WriteFields {
 public:
  explicit WriteFields(ByteWriter& out) : out_(out) {}

  template <class T>
  void operator()(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      out_.put(static_cast<stored_t<T>>(value));
    } else {
      fields_of(*this, value);
    }
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    if constexpr (std::is_same_v<T, stored_t<T>>) {
      out_.put_array(values);
    } else {
      out_.put_array(std::vector<stored_t<T>>(values.begin(), values.end()));
    }
  }
  /// u32, at most `last`.
  template <class E>
  void choice(const E& value, E /*last*/, const char* /*name*/) {
    out_.put(static_cast<std::uint32_t>(value));
  }
  /// u64 count, then what each(fields, element) writes.
  template <class T, class Each>
  void list(const std::vector<T>& values, std::size_t /*least_bytes*/, Each&& each) {
    out_.put<std::uint64_t>(values.size());
    for (const T& value : values) each(*this, value);
  }

 private:
  ByteWriter& out_;
};

class ReadFields {
 public:
  explicit ReadFields(ByteReader& in) : in_(in) {}

  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      choice(value, true, "flag");
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<T>(in_.get<stored_t<T>>());
    } else {
      fields_of(*this, value);
    }
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    auto stored = in_.get_array<stored_t<T>>();
    if constexpr (std::is_same_v<T, stored_t<T>>) {
      values = std::move(stored);
    } else {
      values.assign(stored.begin(), stored.end());
    }
  }
  template <class E>
  void choice(E& value, E last, const char* name) {
    const auto code = in_.get<std::uint32_t>();
    if (code > static_cast<std::uint32_t>(last)) {
      in_.fail_at(in_.offset() - sizeof code, std::string("unknown ") + name + " " + std::to_string(code));
    }
    value = static_cast<E>(code);
  }
  /// An element takes at least `least_bytes`, so that a wrong count allocates no more than the file's size.
  template <class T, class Each>
  void list(std::vector<T>& values, std::size_t least_bytes, Each&& each) {
    values.clear();
    values.resize(in_.get_count(least_bytes));
    for (T& value : values) each(*this, value);
  }

 private:
  ByteReader& in_;
};

void fields_of(WriteFields& f, const KernelParams& kernel);
void fields_of(ReadFields& f, KernelParams& kernel);
void fields_of(WriteFields& f, const data::PointStore& points);
void fields_of(ReadFields& f, data::PointStore& points);

}  // namespace dcsvm::files
