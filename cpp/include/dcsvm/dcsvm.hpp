// dcsvm: kernel support vector machines at 10^4 to 10^6 rows. This header includes the whole public interface.
#pragma once

#include "dcsvm/any_model.hpp"       // IWYU pragma: export  model files of every kind
#include "dcsvm/blocks.hpp"          // IWYU pragma: export  data larger than memory
#include "dcsvm/build_config.hpp"    // IWYU pragma: export  what was built, what this CPU runs
#include "dcsvm/call.hpp"            // IWYU pragma: export  progress, cancellation, why a training ended
#include "dcsvm/cross_validate.hpp"  // IWYU pragma: export  predictions of held-out rows, grids of C and gamma
#include "dcsvm/data.hpp"            // IWYU pragma: export  views of the caller's data
#include "dcsvm/dc_pred.hpp"         // IWYU pragma: export  prediction near a linear model's cost
#include "dcsvm/errors.hpp"          // IWYU pragma: export  what is thrown
#include "dcsvm/explain.hpp"         // IWYU pragma: export  why a model decides as it does
#include "dcsvm/folds.hpp"           // IWYU pragma: export  folds of a cross-validation
#include "dcsvm/io.hpp"              // IWYU pragma: export  model files
#include "dcsvm/kernel.hpp"          // IWYU pragma: export  kernel values and sums over them
#include "dcsvm/kernel_params.hpp"   // IWYU pragma: export  kernel functions
#include "dcsvm/ldkl.hpp"            // IWYU pragma: export  local deep kernel learning
#include "dcsvm/liblinear_model.hpp" // IWYU pragma: export  LIBLINEAR's text models
#include "dcsvm/libsvm_model.hpp"    // IWYU pragma: export  LIBSVM's text models
#include "dcsvm/linear.hpp"          // IWYU pragma: export  linear SVMs and logistic regression
#include "dcsvm/linear_path.hpp"     // IWYU pragma: export  cross-validation and search for C of linear models
#include "dcsvm/low_rank.hpp"        // IWYU pragma: export  low-rank models
#include "dcsvm/ls_svm.hpp"          // IWYU pragma: export  least-squares SVMs
#include "dcsvm/merge.hpp"           // IWYU pragma: export  a clustered model from models of its clusters
#include "dcsvm/model.hpp"           // IWYU pragma: export  a trained model and its report
#include "dcsvm/online.hpp"          // IWYU pragma: export  rows one after another
#include "dcsvm/parameter_range.hpp" // IWYU pragma: export  what a value may be
#include "dcsvm/parameters.hpp"      // IWYU pragma: export  names and ranges of parameters
#include "dcsvm/params.hpp"          // IWYU pragma: export  what a training computes
#include "dcsvm/predict.hpp"         // IWYU pragma: export  predict, decision_function
#include "dcsvm/probability.hpp"     // IWYU pragma: export  probabilities from decision values
#include "dcsvm/report_fields.hpp"   // IWYU pragma: export  the fields of reports by name
#include "dcsvm/ridge.hpp"           // IWYU pragma: export  kernel ridge regression
#include "dcsvm/svmlight.hpp"        // IWYU pragma: export  svmlight text
#include "dcsvm/train.hpp"           // IWYU pragma: export  train
#include "dcsvm/version.hpp"         // IWYU pragma: export
