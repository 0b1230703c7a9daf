#include "files/report_json.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <vector>

#include "dcsvm/report_fields.hpp"

namespace dcsvm::files {

namespace {

using nlohmann::json;

template <class T>
using if_integer = std::enable_if_t<std::is_integral_v<T>, int>;
template <class R>
using if_report = decltype(report_fields(static_cast<const R*>(nullptr)));

/// visit(name, member) for each field.
template <class R, class Visit>
void each_field(R& report, Visit&& visit) {
  const auto visit_all = [&](const auto&... field) { (visit(field.first, report.*field.second), ...); };
  std::apply(visit_all, report_fields(static_cast<const R*>(nullptr)));
}

// Writing: one overload for each type of field.

json to_value(double v) {
  if (std::isfinite(v)) return v;
  return std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";  // JSON has no such numbers
}
template <class T, if_integer<T> = 0>
json to_value(T v) {
  return static_cast<std::int64_t>(v);
}
json to_value(StopReason v) { return to_string(v); }
json to_value(const std::string& v) { return v; }
json to_value(const std::map<std::string, double>& v) {
  json out = json::object();
  for (const auto& [name, value] : v) out[name] = to_value(value);
  return out;
}
template <class T>
json to_value(const std::vector<T>& v);
template <class R, class = if_report<R>>
json to_value(const R& report) {
  json out = json::object();
  each_field(report, [&](const char* name, const auto& value) { out[name] = to_value(value); });
  return out;
}
template <class T>
json to_value(const std::vector<T>& v) {
  json out = json::array();
  for (const T& element : v) out.push_back(to_value(element));
  return out;
}

// Reading: false when the field cannot have this value.

bool from_value(const json& from, double& v) {
  for (const double special : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
    if (from == to_value(special)) {
      v = special;
      return true;
    }
  }
  if (from.is_number()) v = from.get<double>();
  return from.is_number();
}
template <class T, if_integer<T> = 0>
bool from_value(const json& from, T& v) {
  if (!from.is_number_integer()) return false;
  const auto whole = from.get<std::int64_t>();
  if (from.is_number_unsigned() && whole < 0) return false;  // beyond 2^63
  if (whole < std::numeric_limits<T>::min() || whole > std::numeric_limits<T>::max()) return false;
  v = static_cast<T>(whole);
  return true;
}
bool from_value(const json& from, StopReason& v) {
  for (int code = 0; code <= static_cast<int>(StopReason::support_limit); ++code) {
    v = static_cast<StopReason>(code);
    if (from == to_string(v) || from == code) return true;  // binary fields have the number
  }
  return false;
}
bool from_value(const json& from, std::string& v) {
  if (from.is_string()) v = from.get<std::string>();
  return from.is_string();
}
bool from_value(const json& from, std::map<std::string, double>& v) {
  if (!from.is_object()) return false;
  v.clear();
  for (const auto& [name, value] : from.items()) {
    if (!from_value(value, v[name])) return false;
  }
  return true;
}
/// The name of the first field that cannot have its value; null: `report` has them all.
template <class R>
const char* wrong_field(const json& from, R& report);
template <class R, class = if_report<R>>
bool from_value(const json& from, R& report) {
  return from.is_object() && wrong_field(from, report) == nullptr;
}
template <class T>
bool from_value(const json& from, std::vector<T>& v) {
  if (!from.is_array()) return false;
  v.assign(from.size(), T());
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (!from_value(from[i], v[i])) return false;
  }
  return true;
}

template <class R>
const char* wrong_field(const json& from, R& report) {
  const char* wrong = nullptr;
  each_field(report, [&](const char* name, auto& value) {
    const auto found = from.find(name);
    if (found != from.end() && !from_value(*found, value) && wrong == nullptr) wrong = name;
  });
  return wrong;
}

template <class R>
R report_from(const json& from, const ByteReader& in) {
  R report;
  if (const char* name = wrong_field(from, report)) {
    in.fail(std::string("report field '") + name + "' cannot have this value, a JSON " + from[name].type_name());
  }
  return report;
}

// Reads the old binary report (REPT) into JSON.

json text_value(std::string text, const ByteReader& in) {
  json value = std::move(text);
  try {
    value.dump();
  } catch (const json::exception&) {  // Python and JSON cannot hold other text
    in.fail("a text in the report is not UTF-8");
  }
  return value;
}

json binary_fields(ByteReader& in, bool groups);

/// One field's payload. `groups`: whether it may be a list of groups of fields, whose own fields may not.
json binary_value(std::uint8_t type, ByteReader& in, bool groups) {
  json value = json::array();
  switch (type) {
    case 1: return to_value(in.get<double>());
    case 2: return in.get<std::int64_t>();
    case 3: return text_value(in.get_rest(), in);
    case 4:
      value = json::object();
      for (auto count = in.get_count(12); count > 0; --count) {
        const auto name = text_value(in.get_string(), in).get<std::string>();
        value[name] = to_value(in.get<double>());
      }
      return value;
    case 5: return in.get_array<std::int64_t>();
    case 6:
      for (auto count = groups ? in.get_count(8) : 0; count > 0; --count) {
        ByteReader group = in.sub(in.get_count(1));
        value.push_back(binary_fields(group, false));
      }
      return value;
    case 7: return to_value(in.get_array<double>());
    default: return nullptr;  // written by a newer dcsvm
  }
}

json binary_fields(ByteReader& in, bool groups) {
  json fields = json::object();
  while (in.left() > 0) {
    const std::string name = in.get_string();
    const auto type = in.get<std::uint8_t>();
    ByteReader payload = in.sub(in.get_count(1));
    json& value = fields[name] = binary_value(type, payload, groups);
    if (!value.is_null()) payload.finish();
  }
  return fields;
}

}  // namespace

template <class R>
std::string report_to_json(const R& report) {
  return to_value(report).dump(-1, ' ', false, json::error_handler_t::replace);
}

template <class R>
R report_from_json(ByteReader& in) {
  const ByteReader start = in;
  const json value = json::parse(in.get_rest(), nullptr, false);
  if (!value.is_object()) start.fail("the report is not a JSON object");
  return report_from<R>(value, start);
}

template <class R>
R report_from_binary(ByteReader& in) {
  const ByteReader start = in;
  return report_from<R>(binary_fields(in, true), start);
}

#define DCSVM_REPORT(R)                            \
  template std::string report_to_json(const R&);   \
  template R report_from_json<R>(ByteReader & in); \
  template R report_from_binary<R>(ByteReader & in);
DCSVM_REPORT(Report)
DCSVM_REPORT(LowRankReport)
DCSVM_REPORT(DcPredReport)
DCSVM_REPORT(LsSvmReport)
#undef DCSVM_REPORT

}  // namespace dcsvm::files
