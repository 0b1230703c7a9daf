#include "base/checkpoint.hpp"

#include <algorithm>
#include <utility>

namespace dcsvm::base {

Checkpoint::Checkpoint(Entries found, double interval, std::function<void(const Entries&)> write)
    : entries_(std::move(found)),
      period_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval / 2))),
      write_(std::move(write)),
      written_(Clock::now()) {}

std::vector<double> Checkpoint::find(const Path& path) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(path);
  return found == entries_.end() ? std::vector<double>() : found->second;
}

void Checkpoint::put(const Path& path, std::vector<double> values) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto begin = entries_.lower_bound(path);  // paths are in the order of dictionaries: those inside follow
  auto end = begin;
  while (end != entries_.end() && end->first.size() >= path.size() && std::equal(path.begin(), path.end(), end->first.begin()))
    ++end;
  entries_.erase(begin, end);
  entries_.emplace(path, std::move(values));
  if (Clock::now() - written_ < period_) return;
  write_(entries_);
  written_ = Clock::now();
}

void Checkpoint::write() {
  const std::lock_guard<std::mutex> lock(mutex_);
  write_(entries_);
  written_ = Clock::now();
}

Place Place::at(std::uint32_t i) const {
  Checkpoint::Path path = path_;
  path.push_back(i);
  return Place(*checkpoint_, std::move(path));
}

}  // namespace dcsvm::base
