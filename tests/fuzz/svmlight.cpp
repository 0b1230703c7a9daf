// SVMlight text: the same data or the same error whatever the pieces, and indices in range.
#include "files/svmlight.hpp"

#include <memory>

#include "base/thread_pool.hpp"
#include "dcsvm/errors.hpp"
#include "targets.hpp"

namespace dcsvm::fuzz {

namespace {

struct Result {
  Dataset data;
  std::string error;
};

Result parse(std::string_view text, const LoadOptions& options, Index chunk) {
  base::ThreadPool pool(1);
  Result result;
  try {
    result.data = files::parse_svmlight(files::Text(text), "f", options, pool, chunk);
  } catch (const Error& e) {
    result.error = e.what();
  }
  return result;
}

}  // namespace

void svmlight(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const auto flags = static_cast<unsigned char>(bytes[0]), size = static_cast<unsigned char>(bytes[1]);
  LoadOptions options;
  options.zero_based = (flags & 1) != 0;
  options.strict = (flags & 2) != 0;
  if ((flags & 4) != 0) options.n_features = 1 + size / 8;
  bytes.remove_prefix(2);
  const auto copy = std::make_unique<char[]>(bytes.size());  // exactly as long as the text, so that reading beyond is noticed
  bytes.copy(copy.get(), bytes.size());
  const std::string_view text(copy.get(), bytes.size());
  const Result whole = parse(text, options, files::kChunkBytes), pieces = parse(text, options, 1 + (size & 7) * 5);
  const Dataset &a = whole.data, &b = pieces.data;
  expect(whole.error == pieces.error, "the error depends on the pieces");
  expect(a.y.size() == b.y.size() && a.values == b.values && a.indices == b.indices && a.indptr == b.indptr && a.cols == b.cols,
         "the data depends on the pieces");
  if (!whole.error.empty()) return;
  expect(a.indptr.size() == a.y.size() + 1 && static_cast<std::size_t>(a.indptr.back()) == a.values.size(), "sizes disagree");
  for (const std::int32_t j : a.indices) expect(j >= 0 && j < a.cols, "an index is out of range");
}

}  // namespace dcsvm::fuzz
