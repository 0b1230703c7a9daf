// SVMlight / LIBSVM text: the parser behind load_svmlight, apart from files so that tests can choose the pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/svmlight.hpp"
#include "files/file.hpp"
#include "files/number.hpp"

namespace dcsvm::files {

/// Bytes of text per piece of work: it is copied, counted or parsed while it is in a core's own cache.
inline constexpr Index kChunkBytes = Index{1} << 18;

/// Parses `text`; `name` stands for the file in errors. Cut at line borders into pieces of about `chunk_bytes`, parsed in
/// parallel straight into the result; neither result nor error depends on the pieces. options.n_threads and options.interrupted
/// are not used. Throws ParseError ("name:line:column: what", line and column from 1), ParameterError (n_features < 0), FileError
/// (a file that changed meanwhile), and what pool.poll throws.
Dataset parse_svmlight(const Text& text, const std::string& name, const LoadOptions& options, base::ThreadPool& pool,
                       Index chunk_bytes = kChunkBytes);

/// The same for the lines from byte `begin` on of a run of whole lines from the middle of a file, after `first_line` others; may
/// give no samples; data.cols is what was found.
Dataset parse_lines(const Text& text, Index begin, const std::string& name, const LoadOptions& options, base::ThreadPool& pool,
                    Index first_line, Index chunk_bytes = kChunkBytes);

/// The rows a part at a time, each of about part_bytes of text: calls use(rows) in the order of the file; the next part takes
/// their memory. A part without rows is left out. data.cols is what was found in the part. Throws as parse_svmlight, also after
/// parts before the error were used, but not for a text without rows.
void parse_parts(const Text& text, const std::string& name, const LoadOptions& options, base::ThreadPool& pool, Index part_bytes,
                 const std::function<void(const Dataset&)>& use);
/// The same for a file, as load_svmlight.
void load_parts(const std::string& path, const LoadOptions& options, Index part_bytes,
                const std::function<void(const Dataset&)>& use);

/// Throws ParameterError.
void check_options(const LoadOptions& options);
/// Where the lines begin: behind the mark that some editors put before UTF-8.
Index start_of(const Text& text);

/// Upper bounds of the rows and values in a text: its line feeds and its colons.
struct SvmlightCount {
  Index lines = 0, colons = 0;
};
/// Parses lines one after another into memory that the caller has counted out (see count_svmlight).
class SvmlightLines {
 public:
  struct Output {
    double* y = nullptr;
    std::int64_t* row_end = nullptr;  ///< values so far, from 0, after each row
    double* values = nullptr;
    std::int32_t* indices = nullptr;
    SvmlightCount room;  ///< of these arrays
  };
  explicit SvmlightLines(const LoadOptions& options) : options_(options) {}

  /// [begin, end) ends with a line feed. False at the first error: see error_at, error; or where there is no room, without them.
  bool parse(const char* begin, const char* end, const Output& out);

  Index rows() const { return rows_; }
  Index values() const { return values_; }
  Index cols() const { return cols_; }  ///< largest index + 1
  const char* error_at() const { return error_at_; }
  const std::string& error() const { return error_; }

 private:
  const char* parse_label(const char* p, const char* end, double& y);
  const char* parse_values(const char* p, const char* end, const Output& out);
  const char* parse_index(const char* p, const char* end, Index& index);
  const char* fail(const char* at, const std::string& what);
  const char* fail_number(const char* at, const char* end, NumberError error, const char* what);

  LoadOptions options_;
  Index rows_ = 0, values_ = 0, cols_ = 0;
  const char *begin_ = nullptr, *error_at_ = nullptr;
  std::string error_;
};

SvmlightCount count_svmlight(const char* begin, const char* end);

}  // namespace dcsvm::files
