// What the solves of one thread leave for those after them: thousands of tiny ones would spend their time on allocating memory.
#pragma once

#include <algorithm>
#include <memory>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include "base/context.hpp"

namespace dcsvm::base {

/// Objects whose vectors keep their memory, one of each type. Used on one thread.
class Workspace {
 public:
  /// The object of this type as the last borrower left it, or a new one where there is none or somebody still uses it.
  template <class T>
  std::shared_ptr<T> borrow() {
    const std::type_index type = typeid(T);
    for (auto& [of, kept] : kept_) {
      if (of == type) return kept.use_count() == 1 ? std::static_pointer_cast<T>(kept) : std::make_shared<T>();
    }
    auto made = std::make_shared<T>();
    kept_.emplace_back(type, made);
    return made;
  }
  /// Forgets the object of this type: its memory is given back, or is once nobody uses it.
  template <class T>
  void release() {
    const std::type_index type = typeid(T);
    const auto is_of_type = [&](const auto& entry) { return entry.first == type; };
    kept_.erase(std::remove_if(kept_.begin(), kept_.end(), is_of_type), kept_.end());
  }

 private:
  std::vector<std::pair<std::type_index, std::shared_ptr<void>>> kept_;
};

/// An object from the workspace of a context, or a new one where the context has no workspace. What the object holds must not
/// decide any number, only where memory is.
template <class T>
std::shared_ptr<T> borrowed(const Context& context) {
  return context.workspace != nullptr ? context.workspace->borrow<T>() : std::make_shared<T>();
}

}  // namespace dcsvm::base
