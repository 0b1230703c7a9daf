// What the solves of one thread leave for those after them: thousands of tiny ones would spend their time on allocating memory.
#pragma once

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
  /// The object of this type, as whoever had it left it; a new one where it is in use.
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

 private:
  std::vector<std::pair<std::type_index, std::shared_ptr<void>>> kept_;
};

/// From the workspace of a context; a new one where it has none. What it holds must not decide any number: only where memory is.
template <class T>
std::shared_ptr<T> borrowed(const Context& context) {
  return context.workspace != nullptr ? context.workspace->borrow<T>() : std::make_shared<T>();
}

}  // namespace dcsvm::base
