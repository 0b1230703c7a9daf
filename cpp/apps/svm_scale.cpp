// svm-scale: LIBSVM's command. Scales each feature to a range; the factors can be saved and used again.
#include <algorithm>
#include <cctype>
#include <cfloat>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "common/app.hpp"
#include "common/output_file.hpp"

namespace {

constexpr const char* kHelp = R"(Usage: svm-scale [options] data_filename
options:
-l lower : x scaling lower limit (default -1)
-u upper : x scaling upper limit (default +1)
-y y_lower y_upper : y scaling limits (default: no y scaling)
-s save_filename : save scaling parameters to save_filename
-r restore_filename : restore scaling parameters from restore_filename
)";

[[noreturn]] void help() {
  std::fputs(kHelp, stdout);
  std::exit(1);
}

/// Smallest and largest value of a feature or of the labels.
struct Range {
  double min = DBL_MAX, max = -DBL_MAX;

  void add(double v) {
    min = std::min(min, v);
    max = std::max(max, v);
  }
  bool constant() const { return min == max; }
  /// [min, max] onto [lower, upper].
  double map(double v, double lower, double upper) const {
    if (v == min) return lower;
    if (v == max) return upper;
    return lower + (upper - lower) * (v - min) / (max - min);
  }
};

struct Arguments {
  double lower = -1, upper = 1;      // of the features
  double y_lower = 0, y_upper = 0;
  bool scale_y = false;
  const char *save = nullptr, *restore = nullptr, *input = nullptr;
};

Arguments parse(int argc, char** argv) {
  Arguments a;
  int i = 1;
  const auto value = [&]() -> const char* {
    if (++i >= argc) help();
    return argv[i];
  };
  for (; i < argc && argv[i][0] == '-'; ++i) {
    switch (argv[i][1]) {
      case 'l': a.lower = std::atof(value()); break;
      case 'u': a.upper = std::atof(value()); break;
      case 'y':
        a.y_lower = std::atof(value());
        a.y_upper = std::atof(value());
        a.scale_y = true;
        break;
      case 's': a.save = value(); break;
      case 'r': a.restore = value(); break;
      default: std::fprintf(stderr, "unknown option\n"); help();
    }
  }
  if (!(a.upper > a.lower) || (a.scale_y && !(a.y_upper > a.y_lower))) app::fail("inconsistent lower/upper specification\n");
  if (a.restore != nullptr && a.save != nullptr) app::fail("cannot use -r and -s simultaneously\n");
  if (i + 1 != argc) help();
  a.input = argv[i];
  return a;
}

class Scaler {
 public:
  Scaler(Arguments& a, const dcsvm::Dataset& data)
      : a_(a), data_(data), features_(static_cast<std::size_t>(std::max<dcsvm::Index>(data.cols, 1))) {
    std::vector<dcsvm::Index> seen(features_.size(), 0);
    for (std::size_t e = 0; e < data.values.size(); ++e) {
      const auto index = static_cast<std::size_t>(data.indices[e]);
      features_[index].add(data.values[e]);
      ++seen[index];
    }
    for (std::size_t i = 0; i < features_.size(); ++i) {
      if (seen[i] < data.rows()) features_[i].add(0.0);
    }
    for (const double y : data.y) y_.add(y);
    if (seen[0] == 0) return;
    first_ = 0;
    std::fprintf(stderr, "WARNING: minimal feature index is 0, but indices should start from 1\n");
  }

  void save() const;
  void restore();
  void write() const;

 private:
  void forget(std::size_t from, std::size_t to);
  static void put(std::string& out, double v, int digits) {
    char text[64];
    out.append(text, std::to_chars(text, text + sizeof text, v, std::chars_format::general, digits).ptr);
  }

  Arguments& a_;
  const dcsvm::Dataset& data_;
  std::vector<Range> features_;
  Range y_;
  std::size_t first_ = 1;  // index
};

void Scaler::save() const {
  std::string out;
  const auto line = [&out](std::initializer_list<double> values) {
    for (const double v : values) {
      if (out.back() != '\n') out += ' ';
      put(out, v, 17);
    }
    out += '\n';
  };
  if (a_.scale_y) {
    out += "y\n";
    line({a_.y_lower, a_.y_upper});
    line({y_.min, y_.max});
  }
  out += "x\n";
  line({a_.lower, a_.upper});
  for (std::size_t i = 1; i < features_.size(); ++i) {
    if (features_[i].constant()) continue;
    out += std::to_string(i);
    line({features_[i].min, features_[i].max});
  }
  if (first_ < 1) {
    std::fprintf(stderr, "WARNING: scaling factors with indices smaller than 1 are not stored to the file %s.\n", a_.save);
  }
  app::OutputFile file(a_.save, "file");
  file.write(out);
  file.commit();
}

/// Features [from, to) that the factors lack become 0.
void Scaler::forget(std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < std::min(to, features_.size()); ++i) {
    if (!features_[i].constant()) {
      std::fprintf(
          stderr,
          "WARNING: feature index %zu appeared in file %s was not seen in the scaling factor file %s. The feature is scaled "
          "to 0.\n",
          i, a_.input, a_.restore);
    }
    features_[i] = {0, 0};
  }
}

/// Reads numbers as scanf's %lf and %ld do: white space before a number has no meaning.
class Numbers {
 public:
  explicit Numbers(const std::string& text) : next_(text.c_str()), end_(next_ + text.size()) {}

  template <class... Value>
  bool read(Value&... values) {
    return (... && read_one(values));
  }
  bool at_end() {
    while (std::isspace(static_cast<unsigned char>(*next_)) != 0) ++next_;
    return next_ == end_;
  }
  /// The next character when it is `expected`.
  bool skip(char expected) {
    const bool there = *next_ == expected;
    if (there) ++next_;
    return there;
  }

 private:
  bool read_one(double& v) {
    char* end = nullptr;
    v = std::strtod(next_, &end);
    return std::exchange(next_, end) != end;
  }
  bool read_one(long long& v) {
    char* end = nullptr;
    v = std::strtoll(next_, &end, 10);
    return std::exchange(next_, end) != end;
  }

  const char *next_, *end_;
};

void Scaler::restore() {
  const std::string text = app::read_text(a_.restore, "file");
  const auto require = [](bool read) {
    if (!read) app::fail("ERROR: failed to read scaling parameters\n");
  };
  Numbers numbers(text);
  if (numbers.skip('y')) {
    a_.scale_y = true;
    require(numbers.read(a_.y_lower, a_.y_upper, y_.min, y_.max) && !numbers.at_end());
  }
  require(numbers.skip('x') && numbers.read(a_.lower, a_.upper));
  std::size_t next = 1;
  while (!numbers.at_end()) {
    long long index = 0;
    Range f;
    require(numbers.read(index, f.min, f.max));
    if (index < static_cast<long long>(next) || index > 2147483647LL) {
      app::fail("ERROR: index %lld of %s does not ascend\n", index, a_.restore);
    }
    const auto i = static_cast<std::size_t>(index);
    forget(next, i);
    if (i >= features_.size()) features_.resize(i + 1, {0, 0});
    features_[i] = f;
    next = i + 1;
  }
  forget(next, features_.size());
}

void Scaler::write() const {
  constexpr std::size_t kFlush = 1 << 16;
  std::string out;
  std::size_t written = 0;
  for (std::size_t row = 0; row < data_.y.size(); ++row) {
    put(out, a_.scale_y ? y_.map(data_.y[row], a_.y_lower, a_.y_upper) : data_.y[row], 17);
    out += ' ';
    auto e = static_cast<std::size_t>(data_.indptr[row]);
    const auto end = static_cast<std::size_t>(data_.indptr[row + 1]);
    for (std::size_t i = first_; i < features_.size(); ++i) {
      const bool given = e < end && static_cast<std::size_t>(data_.indices[e]) == i;
      const double v = given ? data_.values[e++] : 0.0;
      if (features_[i].constant()) continue;
      const double scaled = features_[i].map(v, a_.lower, a_.upper);
      if (scaled == 0) continue;
      put(out, static_cast<double>(i), 10);
      out += ':';
      put(out, scaled, 6);
      out += ' ';
      ++written;
    }
    out += '\n';
    if (out.size() < kFlush && row + 1 < data_.y.size()) continue;
    if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size()) app::fail("can't write to stdout\n");
    out.clear();
  }
  if (written > data_.values.size()) {
    std::fprintf(stderr,
                 "WARNING: original #nonzeros %zu\n       > new      #nonzeros %zu\n"
                 "If feature values are non-negative and sparse, use -l 0 rather than the default -l -1\n",
                 data_.values.size(), written);
  }
}

}  // namespace

static int command(int argc, char** argv) {
  Arguments a = parse(argc, argv);
  if (a.save != nullptr) app::keep_inputs(a.save, {a.input});
  const dcsvm::Dataset data = app::read_file(a.input, "file");
  Scaler scaler(a, data);
  if (a.restore != nullptr) scaler.restore();
  if (a.save != nullptr) scaler.save();
  scaler.write();
  return std::fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char** argv) { return app::run(command, argc, argv); }
