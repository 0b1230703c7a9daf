#include "common/app.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"

namespace app {

void fail(const char* format, ...) {
  std::fflush(stdout);
  std::va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::exit(1);
}

dcsvm::Dataset read_file(const char* path, const char* what) {
  try {
    dcsvm::LoadOptions options;
    options.zero_based = true;
    options.strict = true;
    return dcsvm::load_svmlight(path, options);
  } catch (const dcsvm::FileError&) {
    fail("can't open %s %s\n", what, path);
  } catch (const dcsvm::ParseError& e) {  // "path:line:column: why"; a file without a row has no line
    const char* place = e.what() + std::strlen(path);
    const long line = *place == ':' ? std::strtol(place + 1, nullptr, 10) : 0;
    fail("Wrong input format at line %ld\n%s\n", std::max(line, 1L), e.what());
  } catch (const std::bad_alloc&) {
    fail("ERROR: out of memory\n");
  } catch (const std::exception& e) {
    fail("ERROR: %s\n", e.what());
  }
}

Problem read_problem(const char* path) {
  dcsvm::Dataset data = read_file(path, "input file");
  if (data.rows() > std::numeric_limits<int>::max()) fail("ERROR: %s has more than 2147483647 rows\n", path);
  Problem p;
  try {
    p.nodes.reserve(data.values.size() + data.y.size());
    p.rows.reserve(data.y.size());
    for (std::size_t i = 0; i < data.y.size(); ++i) {
      p.rows.push_back(p.nodes.data() + p.nodes.size());  // reserved: they stay where they are
      for (auto e = static_cast<std::size_t>(data.indptr[i]); e < static_cast<std::size_t>(data.indptr[i + 1]); ++e) {
        p.nodes.push_back({data.indices[e], data.values[e]});
      }
      p.nodes.push_back({-1, 0.0});
    }
  } catch (const std::bad_alloc&) {
    fail("ERROR: out of memory\n");
  }
  p.max_index = static_cast<int>(std::max<dcsvm::Index>(data.cols - 1, 0));
  p.y = std::move(data.y);
  return p;
}

void Score::add(double target, double predicted) {
  n_ += 1;
  right_ += target == predicted ? 1 : 0;
  error_ += (predicted - target) * (predicted - target);
  v_ += predicted;
  y_ += target;
  vv_ += predicted * predicted;
  yy_ += target * target;
  vy_ += predicted * target;
}

double Score::squared_correlation() const {
  const double covariance = n_ * vy_ - v_ * y_;
  return covariance * covariance / ((n_ * vv_ - v_ * v_) * (n_ * yy_ - y_ * y_));
}

}  // namespace app
