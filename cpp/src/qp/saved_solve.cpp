#include "qp/saved_solve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "files/crc32.hpp"

namespace dcsvm::qp {

namespace {

// What is kept of a solve: checksum of the problem, state, steps, the result's numbers when it has ended; then index and value of
// each variable other than 0.
constexpr std::size_t kHead = 3;
constexpr double kRunning = 0, kEnded = 1;
constexpr double kSumError = 1e-9;  // of the constraint, relative to the sum of the box's widths

// All members of a result in their order; does not compile when one is missing.
template <class R, class See>
void each_member(R& result, const See& see) {
  auto& [stop, objective, violation, in_double, left_out, renewed, bias, bias1, hidden, tol, gap, relative_gap, steps, peak,
         support, bounded, rows, inner, select, update] = result;
  see(stop), see(objective), see(violation), see(in_double), see(left_out), see(renewed), see(bias), see(bias1), see(hidden),
      see(tol), see(gap), see(relative_gap);
  see(steps), see(peak), see(support);
  see(bounded), see(rows), see(inner), see(select), see(update);
}

template <class T>
std::string_view bytes_of(const T* values, Index n) {
  return {reinterpret_cast<const char*>(values), static_cast<std::size_t>(n) * sizeof(T)};
}

double checksum(const Problem& problem) {
  std::uint32_t crc = files::crc32(problem.equality ? "sum" : "free");
  for (const double* part : {problem.q, problem.lo, problem.hi}) crc = files::crc32(bytes_of(part, problem.n), crc);
  if (problem.group != nullptr) crc = files::crc32(bytes_of(problem.group, problem.n), crc);
  return crc;
}

std::array<double, 2> sums_of(const Problem& problem, const double* beta) {
  std::array<double, 2> sum{};
  for (Index i = 0; i < problem.n; ++i) sum[problem.group_of(i)] += beta[i];
  return sum;
}

// Within the box, and with the sums that the start has.
bool feasible(const Problem& problem, const std::vector<double>& beta, const double* start) {
  double width = 0;
  for (Index i = 0; i < problem.n; ++i) {
    if (!(beta[i] >= problem.lo[i] && beta[i] <= problem.hi[i])) return false;
    width += problem.hi[i] - problem.lo[i];
  }
  if (!problem.equality) return true;
  const auto wanted = sums_of(problem, start), found = sums_of(problem, beta.data());
  return std::abs(wanted[0] - found[0]) <= kSumError * width && std::abs(wanted[1] - found[1]) <= kSumError * width;
}

}  // namespace

std::vector<double> numbers_of(const Result& result) {
  std::vector<double> numbers;
  each_member(result, [&](const auto& member) { numbers.push_back(static_cast<double>(member)); });
  return numbers;
}

std::size_t count_of_numbers() {
  static const std::size_t count = numbers_of({}).size();
  return count;
}

std::optional<Result> result_of(const double* numbers, std::size_t count) {
  if (count < count_of_numbers()) return std::nullopt;
  if (!(numbers[0] >= 0 && numbers[0] <= static_cast<double>(kLastStopReason))) return std::nullopt;
  Result result;
  each_member(result, [&](auto& member) {
    using Member = std::decay_t<decltype(member)>;
    const double number = *numbers++;
    if constexpr (std::is_floating_point_v<Member>)
      member = number;
    else if (base::is_count(number))
      member = static_cast<Member>(static_cast<std::int64_t>(number));
  });
  return result;
}

SavedSolve::SavedSolve(base::Context& context, const Problem& problem, double* beta) : problem_(problem) {
  if (context.place == nullptr) return;
  place_ = context.place->next();
  mark_ = checksum(problem);
  next_ = base::Clock::now() + place_->checkpoint().period();
  const std::vector<double> kept = place_->find();
  found_ = take(kept, beta);
  if (!found_) return;
  steps_ = static_cast<std::int64_t>(kept[2]);
  if (kept[1] == kEnded) result_ = result_of(kept.data() + kHead, kept.size() - kHead);
}

bool SavedSolve::take(const std::vector<double>& kept, double* beta) {
  if (kept.size() < kHead || kept[0] != mark_ || !base::is_count(kept[2])) return false;
  const std::size_t begin = kHead + (kept[1] == kEnded ? count_of_numbers() : 0);
  if (kept.size() < begin || (kept.size() - begin) % 2 != 0) return false;
  std::vector<double> found(static_cast<std::size_t>(problem_.n), 0.0);
  for (std::size_t k = begin; k < kept.size(); k += 2) {
    if (!(kept[k] >= 0 && kept[k] < static_cast<double>(problem_.n))) return false;
    found[static_cast<std::size_t>(kept[k])] = kept[k + 1];
  }
  if (!feasible(problem_, found, beta)) return false;
  std::copy(found.begin(), found.end(), beta);
  return true;
}

void SavedSolve::keep(const double* beta, std::int64_t steps) {
  if (!place_) return;
  std::vector<double> values{mark_, kRunning, static_cast<double>(steps_ + steps)};
  add_nonzero(beta, values);
  place_->put(std::move(values));
  next_ = base::Clock::now() + place_->checkpoint().period();
}

void SavedSolve::finish(const double* beta, const Result& result) {
  if (!place_) return;
  if (result.stop_reason == StopReason::cancelled) return keep(beta, result.n_iter - steps_);
  std::vector<double> values{mark_, kEnded, static_cast<double>(result.n_iter)};
  const std::vector<double> numbers = numbers_of(result);
  values.insert(values.end(), numbers.begin(), numbers.end());
  add_nonzero(beta, values);
  place_->put(std::move(values));
}

void SavedSolve::add_nonzero(const double* beta, std::vector<double>& values) const {
  const auto count = static_cast<std::size_t>(problem_.n - std::count(beta, beta + problem_.n, 0.0));
  values.reserve(values.size() + 2 * count);
  for (Index i = 0; i < problem_.n; ++i) {
    if (beta[i] == 0.0) continue;
    values.push_back(static_cast<double>(i));
    values.push_back(beta[i]);
  }
}

}  // namespace dcsvm::qp
