// The report as a list of fields, so that releases may add some: a reader keeps what it knows, skips the rest, and leaves what is
// missing at its default. Field: string key, u8 type, u64 length, payload.
#include <limits>
#include <string_view>
#include <type_traits>

#include "files/model_format.hpp"

namespace dcsvm::files {

namespace {

enum Type : std::uint8_t { kReal = 1, kWhole = 2, kText = 3, kRealMap = 4, kWholeList = 5, kGroupList = 6, kRealList = 7 };

// R is T, const or not: the lists of fields below are overloads.
template <class R, class T>
using if_same = std::enable_if_t<std::is_same_v<std::remove_const_t<R>, T>, int>;

// What every report ends with.
template <class R, class Visit>
void each_run_field(R& r, Visit&& visit) {
  visit("gamma", r.gamma);
  visit("isa", r.isa);
  visit("n_threads", r.n_threads);
}

template <class R, class Visit, if_same<R, Report> = 0>
void each_field(R& r, Visit&& visit) {
  visit("objective", r.objective);
  visit("violation", r.violation);
  visit("stop_reason", r.stop_reason);
  visit("n_iter", r.n_iter);
  visit("n_kernel_values", r.n_kernel_values);
  visit("n_support", r.n_support);
  visit("seconds", r.seconds);
  visit("peak_cache_bytes", r.peak_cache_bytes);
  visit("levels", r.levels);
  visit("problems", r.problems);
  visit("solver", r.solver);
  visit("solver_reason", r.solver_reason);
  visit("precision", r.precision);
  each_run_field(r, visit);
}

template <class R, class Visit, if_same<R, LowRankReport> = 0>
void each_field(R& r, Visit&& visit) {
  visit("stop_reason", r.stop_reason);
  visit("objective", r.objective);
  visit("primal_objective", r.primal_objective);
  visit("violation", r.violation);
  visit("n_iter", r.n_iter);
  visit("n_passes", r.n_passes);
  visit("n_blocks", r.n_blocks);
  visit("n_landmarks", r.n_landmarks);
  visit("n_components", r.n_components);
  visit("n_support", r.n_support);
  visit("n_kernel_values", r.n_kernel_values);
  visit("negative_share", r.negative_share);
  visit("lambda", r.lambda);
  visit("seconds", r.seconds);
  visit("peak_cache_bytes", r.peak_cache_bytes);
  visit("C", r.C);
  each_run_field(r, visit);
}

template <class R, class Visit, if_same<R, DcPredReport> = 0>
void each_field(R& r, Visit&& visit) {
  visit("stop_reason", r.stop_reason);
  visit("n_leaves", r.n_leaves);
  visit("n_constant", r.n_constant);
  visit("n_landmarks", r.n_landmarks);
  visit("n_pseudo", r.n_pseudo);
  visit("n_support", r.n_support);
  visit("violation", r.violation);
  visit("depth", r.depth);
  visit("cost", r.cost);
  visit("seconds", r.seconds);
  each_run_field(r, visit);
}

template <class R, class Visit, if_same<R, LsSvmReport> = 0>
void each_field(R& r, Visit&& visit) {
  visit("stop_reason", r.stop_reason);
  visit("residuals", r.residuals);
  visit("residual", r.residual);
  visit("n_iter", r.n_iter);
  visit("block_size", r.block_size);
  visit("n_regularised", r.n_regularised);
  visit("n_kernel_values", r.n_kernel_values);
  visit("seconds", r.seconds);
  visit("peak_bytes", r.peak_bytes);
  each_run_field(r, visit);
}

// The structures that Report has lists of.
template <class T>
constexpr bool is_group = std::is_same_v<T, LevelReport> || std::is_same_v<T, ProblemReport>;

template <class P, class Visit, if_same<P, ProblemReport> = 0>
void each_field(P& p, Visit&& visit) {
  visit("objective", p.objective);
  visit("violation", p.violation);
  visit("stop_reason", p.stop_reason);
  visit("n_iter", p.n_iter);
  visit("n_support", p.n_support);
  visit("n_bounded", p.n_bounded);
  visit("r", p.r);
}

template <class L, class Visit, if_same<L, LevelReport> = 0>
void each_field(L& l, Visit&& visit) {
  visit("level", l.level);
  visit("clusters", l.clusters);
  visit("sizes", l.sizes);
  visit("seconds", l.seconds);
  visit("seconds_clustering", l.seconds_clustering);
  visit("n_support", l.n_support);
  visit("objective", l.objective);
  visit("violation", l.violation);
  visit("n_iter", l.n_iter);
}

// Writing: one overload for each type of member.
struct FieldWriter {
  ByteWriter& out;

  void operator()(const char* key, double v) { real(key, v); }
  void operator()(const char* key, StopReason v) { whole(key, static_cast<std::int64_t>(v)); }
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  void operator()(const char* key, T v) {
    whole(key, static_cast<std::int64_t>(v));
  }
  void operator()(const char* key, const std::string& v) { field(key, kText, v); }
  void operator()(const char* key, const std::vector<Index>& v) {
    ByteWriter payload;
    payload.put_array_as<std::int64_t>(v);
    field(key, kWholeList, payload.bytes());
  }
  void operator()(const char* key, const std::vector<double>& v) {
    ByteWriter payload;
    payload.put_array(v);
    field(key, kRealList, payload.bytes());
  }
  void operator()(const char* key, const std::map<std::string, double>& v) {
    ByteWriter payload;
    payload.put<std::uint64_t>(v.size());
    for (const auto& [name, value] : v) {
      payload.put_string(name);
      payload.put(value);
    }
    field(key, kRealMap, payload.bytes());
  }
  template <class T, std::enable_if_t<is_group<T>, int> = 0>
  void operator()(const char* key, const std::vector<T>& v) {
    ByteWriter payload;
    payload.put<std::uint64_t>(v.size());
    for (const T& member : v) {
      ByteWriter group;
      each_field(member, FieldWriter{group});
      payload.put<std::uint64_t>(group.bytes().size());
      payload.append(group.bytes());
    }
    field(key, kGroupList, payload.bytes());
  }

 private:
  void real(const char* key, double v) {
    ByteWriter payload;
    payload.put(v);
    field(key, kReal, payload.bytes());
  }
  void whole(const char* key, std::int64_t v) {
    ByteWriter payload;
    payload.put(v);
    field(key, kWhole, payload.bytes());
  }
  void field(const char* key, Type type, std::string_view payload) {
    out.put_string(key);
    out.put(static_cast<std::uint8_t>(type));
    out.put<std::uint64_t>(payload.size());
    out.append(payload);
  }
};

// Python's strings and JSON cannot hold other bytes: better refused here than when somebody looks at the report.
bool is_utf8(std::string_view text) {
  static constexpr std::uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};  // that a sequence with so many more bytes may encode
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    const std::size_t more = first < 0x80 ? 0 : first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : first >> 3 == 30 ? 3 : 4;
    if (more == 4 || more > text.size() - i) return false;
    std::uint32_t code = more == 0 ? first : first & (0x3fU >> more);
    for (std::size_t j = 0; j < more; ++j) {
      const auto next = static_cast<unsigned char>(text[i++]);
      if (next >> 6 != 2) return false;
      code = code << 6 | (next & 0x3fU);
    }
    if (code < kLeast[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  }
  return true;
}

// Reading: offered every member in turn, takes the one that has the field's key.
struct FieldReader {
  const std::string& key;
  std::uint8_t type;
  ByteReader payload;

  template <class T>
  void operator()(const char* name, T& value) {
    if (key != name) return;
    read(value);
    payload.finish();
  }

 private:
  void expect(Type wanted) const {
    if (type != wanted) payload.fail("report field '" + key + "' has type " + std::to_string(type));
  }
  void read(double& v) {
    expect(kReal);
    v = payload.get<double>();
  }
  void read(StopReason& v) {
    expect(kWhole);
    const auto code = payload.get<std::int64_t>();
    if (code < 0 || code > static_cast<std::int64_t>(StopReason::support_limit)) payload.fail("unknown stop reason");
    v = static_cast<StopReason>(code);
  }
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  void read(T& v) {
    expect(kWhole);
    const auto whole = payload.get<std::int64_t>();
    if (whole < std::numeric_limits<T>::min() || whole > std::numeric_limits<T>::max()) {
      payload.fail("report field '" + key + "' is out of range");
    }
    v = static_cast<T>(whole);
  }
  void read(std::string& v) {
    expect(kText);
    v = payload.get_rest();
    if (!is_utf8(v)) payload.fail("report field '" + key + "' is not UTF-8");
  }
  void read(std::vector<Index>& v) {
    expect(kWholeList);
    const auto list = payload.get_array<std::int64_t>();
    v.assign(list.begin(), list.end());
  }
  void read(std::vector<double>& v) {
    expect(kRealList);
    v = payload.get_array<double>();
  }
  void read(std::map<std::string, double>& v) {
    expect(kRealMap);
    v.clear();
    for (auto count = payload.get_count(12); count > 0; --count) {
      const std::string name = payload.get_string();
      if (!is_utf8(name)) payload.fail("report field '" + key + "' has a name that is not UTF-8");
      v[name] = payload.get<double>();
    }
  }
  template <class T, std::enable_if_t<is_group<T>, int> = 0>
  void read(std::vector<T>& v);
};

template <class T>
T decoded(ByteReader& in) {
  T members;
  while (in.left() > 0) {
    const std::string key = in.get_string();
    const auto type = in.get<std::uint8_t>();
    each_field(members, FieldReader{key, type, in.sub(in.get_count(1))});
  }
  return members;
}

template <class T, std::enable_if_t<is_group<T>, int>>
void FieldReader::read(std::vector<T>& v) {
  expect(kGroupList);
  v.clear();
  for (auto count = payload.get_count(8); count > 0; --count) {
    ByteReader group = payload.sub(payload.get_count(1));
    v.push_back(decoded<T>(group));
  }
}

}  // namespace

void encode_report(const Report& report, ByteWriter& out) { each_field(report, FieldWriter{out}); }
void encode_report(const LowRankReport& report, ByteWriter& out) { each_field(report, FieldWriter{out}); }
void encode_report(const DcPredReport& report, ByteWriter& out) { each_field(report, FieldWriter{out}); }
void encode_report(const LsSvmReport& report, ByteWriter& out) { each_field(report, FieldWriter{out}); }

Report decode_report(ByteReader& in) { return decoded<Report>(in); }
LowRankReport decode_low_rank_report(ByteReader& in) { return decoded<LowRankReport>(in); }
DcPredReport decode_dc_pred_report(ByteReader& in) { return decoded<DcPredReport>(in); }
LsSvmReport decode_ls_svm_report(ByteReader& in) { return decoded<LsSvmReport>(in); }

}  // namespace dcsvm::files
