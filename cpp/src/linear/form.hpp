// What the vectors of weights of a solver are: asked by its training, its predictions and its file.
#pragma once

#include <cstddef>

#include "dcsvm/linear.hpp"

namespace dcsvm::linear {

/// What one problem of a solver has: the losses of the rows for one vector of weights, or all of the data.
enum class Form { rows, crammer_singer, softmax, one_class };
/// multinomial: of two classes the problem of logistic.
Form form_of(LinearSolver solver, std::size_t classes);

/// LinearModel::n_vectors.
Index vectors_of(LinearSolver solver, std::size_t classes);

}  // namespace dcsvm::linear
