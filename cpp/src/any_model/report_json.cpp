#include "any_model/report_json.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dcsvm/report_fields.hpp"

namespace dcsvm::any_model {

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

// The library's arrays and objects allocate when they are destroyed, which ends the program when memory is short. Here its values
// are numbers, texts and empty arrays and objects, which do not; Tree and the functions for writing put them together.

/// A number that JSON does not have as the text that stands for it; null: JSON has the number.
const char* special_name(double v) {
  if (std::isfinite(v)) return nullptr;
  return std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";
}
json to_value(double v) {
  const char* name = special_name(v);
  return name != nullptr ? json(name) : json(v);
}

// Writing: one overload for each type of field.

std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

/// `members`: the JSON of each value by name.
std::string object_text(const std::map<std::string_view, std::string>& members) {
  std::string out;
  for (const auto& [name, value] : members) {
    out += out.empty() ? '{' : ',';
    out += dumped(std::string(name)) + ':' + value;
  }
  return out.empty() ? "{}" : out + '}';
}

std::string to_text(double v) { return dumped(to_value(v)); }
template <class T, if_integer<T> = 0>
std::string to_text(T v) {
  return dumped(static_cast<std::int64_t>(v));
}
std::string to_text(StopReason v) { return dumped(to_string(v)); }
std::string to_text(const std::string& v) { return dumped(v); }
std::string to_text(const std::map<std::string, double>& v) {
  std::map<std::string_view, std::string> members;
  for (const auto& [name, value] : v) members[name] = to_text(value);
  return object_text(members);
}
template <class T>
std::string to_text(const std::vector<T>& v);
template <class R, class = if_report<R>>
std::string to_text(const R& report) {
  std::map<std::string_view, std::string> members;
  each_field(report, [&](const char* name, const auto& value) { members[name] = to_text(value); });
  return object_text(members);
}
template <class T>
std::string to_text(const std::vector<T>& v) {
  std::string out;
  for (const T& element : v) {
    out += out.empty() ? '[' : ',';
    out += to_text(element);
  }
  return out.empty() ? "[]" : out + ']';
}

/// Values in the order in which they begin: the values inside an array or object follow it. The functions are those that
/// json::sax_parse calls (its documentation says when); false stops it.
class Tree {
 public:
  struct Value {
    std::string name;  // in the object around it; empty in an array
    json self;         // of an array or object only the type
    std::size_t end;   // after the values inside it
  };

  bool null() { return add(nullptr); }
  bool boolean(bool v) { return add(v); }
  bool number_integer(std::int64_t v) { return add(v); }
  bool number_unsigned(std::uint64_t v) { return add(v); }
  bool number_float(double v, const std::string& /*text*/) { return add(v); }
  bool string(std::string& v) { return add(std::move(v)); }
  bool binary(json::binary_t& /*v*/) { return false; }  // JSON text has none
  bool start_object(std::size_t /*size*/) { return open(json::value_t::object); }
  bool start_array(std::size_t /*size*/) { return open(json::value_t::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    name_ = std::move(name);
    return true;
  }
  static bool parse_error(std::size_t /*at*/, const std::string& /*token*/, const json::exception& /*error*/) { return false; }

  bool add(json&& scalar) {
    values_.push_back({std::exchange(name_, {}), std::move(scalar), values_.size() + 1});
    return true;
  }
  const Value& operator[](std::size_t i) const { return values_[i]; }

 private:
  bool open(json::value_t type) {
    open_.push_back(values_.size());
    return add(type);
  }
  bool close() {
    values_[open_.back()].end = values_.size();
    open_.pop_back();
    return true;
  }

  std::vector<Value> values_;
  std::vector<std::size_t> open_;
  std::string name_;
};

/// A value in a tree.
struct Place {
  const Tree* tree;
  std::size_t at = 0;

  const json& self() const { return (*tree)[at].self; }
  /// visit(name, place) for each value of an array or object.
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t i = at + 1; i < (*tree)[at].end; i = (*tree)[i].end) visit((*tree)[i].name, Place{tree, i});
  }
  /// An object's values; of a name that stands twice the last counts.
  std::map<std::string_view, Place> members() const {
    std::map<std::string_view, Place> found;
    each([&](std::string_view name, const Place& place) { found.insert_or_assign(name, place); });
    return found;
  }
};

// Reading: false when the field cannot have this value.

bool from_value(const Place& from, double& v) {
  const json& self = from.self();
  if (const auto* text = self.get_ptr<const std::string*>()) {
    for (const double special : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
      if (*text != special_name(special)) continue;
      v = special;
      return true;
    }
  }
  if (self.is_number()) v = self.get<double>();
  return self.is_number();
}
template <class T, if_integer<T> = 0>
bool from_value(const Place& from, T& v) {
  const json& self = from.self();
  if (!self.is_number_integer()) return false;
  const auto whole = self.get<std::int64_t>();
  if (self.is_number_unsigned() && whole < 0) return false;  // beyond 2^63
  if (whole < std::numeric_limits<T>::min() || whole > std::numeric_limits<T>::max()) return false;
  v = static_cast<T>(whole);
  return true;
}
bool from_value(const Place& from, StopReason& v) {
  const auto* text = from.self().get_ptr<const std::string*>();  // comparing json with a text allocates, and must not throw
  for (int code = 0; code <= static_cast<int>(kLastStopReason); ++code) {
    v = static_cast<StopReason>(code);
    if (text != nullptr && *text == to_string(v)) return true;
  }
  return false;
}
bool from_value(const Place& from, std::string& v) {
  const auto* text = from.self().get_ptr<const std::string*>();
  if (text != nullptr) v = *text;
  return text != nullptr;
}
bool from_value(const Place& from, std::map<std::string, double>& v) {
  if (!from.self().is_object()) return false;
  v.clear();
  for (const auto& [name, value] : from.members()) {
    if (!from_value(value, v[std::string(name)])) return false;
  }
  return true;
}
/// The name of the first field that cannot have its value; null: `report` has them all.
template <class R>
const char* wrong_field(const Place& from, R& report);
template <class R, class = if_report<R>>
bool from_value(const Place& from, R& report) {
  return from.self().is_object() && wrong_field(from, report) == nullptr;
}
template <class T>
bool from_value(const Place& from, std::vector<T>& v) {
  if (!from.self().is_array()) return false;
  std::size_t count = 0;
  from.each([&](std::string_view, const Place&) { ++count; });
  v.assign(count, T());
  bool right = true;
  auto element = v.begin();
  from.each([&](std::string_view, const Place& value) { right = right && from_value(value, *element++); });
  return right;
}

template <class R>
const char* wrong_field(const Place& from, R& report) {
  const char* wrong = nullptr;
  const auto members = from.members();
  each_field(report, [&](const char* name, auto& value) {
    const auto found = members.find(name);
    if (found != members.end() && !from_value(found->second, value) && wrong == nullptr) wrong = name;
  });
  return wrong;
}

template <class R>
R report_from(const Tree& tree, const files::ByteReader& in) {
  R report;
  const Place from{&tree};
  if (const char* name = wrong_field(from, report)) {
    in.fail(std::string("report field '") + name + "' cannot have this value, a JSON " +
            from.members().at(name).self().type_name());
  }
  return report;
}

}  // namespace

template <class R>
std::string report_to_json(const R& report) {
  return to_text(report);
}

template <class R>
R report_from_json(files::ByteReader& in) {
  const files::ByteReader start = in;
  Tree tree;
  if (!json::sax_parse(in.get_rest(), &tree) || !tree[0].self.is_object()) start.fail("the report is not a JSON object");
  return report_from<R>(tree, start);
}

#define DCSVM_REPORT(R)                          \
  template std::string report_to_json(const R&); \
  template R report_from_json<R>(files::ByteReader & in);
DCSVM_REPORT(Report)
DCSVM_REPORT(LowRankReport)
DCSVM_REPORT(DcPredReport)
DCSVM_REPORT(LsSvmReport)
DCSVM_REPORT(LinearReport)
DCSVM_REPORT(LdklReport)
#undef DCSVM_REPORT

}  // namespace dcsvm::any_model
