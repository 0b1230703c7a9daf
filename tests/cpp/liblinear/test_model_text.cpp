#include <cmath>
#include <string>
#include <vector>

#include "dcsvm/any_model.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/liblinear_model.hpp"
#include "doctest/doctest.h"
#include "files/file.hpp"
#include "files/temporary_folder.hpp"

using namespace dcsvm;

namespace {

const char* const kThree =
    "solver_type MCSVM_CS\nnr_class 3\nlabel 7 -2 3\nnr_feature 2\nbias 1\nw\n"
    "0.5 -0.25 1 \n0 1e-300 -3 \n0.10000000000000001 2 3.5 \n";

std::string changed(const char* from, const char* to) {
  std::string text = kThree;
  return text.replace(text.find(from), std::string(from).size(), to);
}

/// The text of the error, "" when it is read.
std::string refused(const std::string& text) {
  try {
    parse_liblinear_text(text);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("liblinear text: what is read is written again") {
  const LiblinearModel m = parse_liblinear_text(kThree);
  CHECK(liblinear_text(m) == kThree);
  CHECK(m.labels == std::vector<int>{7, -2, 3});
  CHECK(m.w[4] == 1e-300);
  CHECK(m.n_rows() == 3);
  const char* one = "solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 1\nbias -1\nrho 0.33333333333333331\nw\n2 \n";
  CHECK(liblinear_text(parse_liblinear_text(one)) == one);
  CHECK(parse_liblinear_text(one).rho == 1.0 / 3.0);
  const char* none = "solver_type L2R_LR\nnr_class 0\nlabel\nnr_feature 2\nbias -1\nw\n\n\n";
  CHECK(liblinear_text(parse_liblinear_text(none)) == none);
}

TEST_CASE("liblinear text: keys in another order, two classes, 16 digits, and line ends of Windows are read") {
  const LiblinearModel m = parse_liblinear_text(
      "bias -1\r\nnr_feature 2\r\nnr_class 2\r\nlabel 5 -1\r\nsolver_type L2R_LR\r\nw\r\n0.3333333333333333\r\n-2\r\n");
  CHECK(m.n_weights() == 1);
  CHECK(m.w == std::vector<double>{0.3333333333333333, -2});
}

TEST_CASE("liblinear text: damaged files are refused with the line") {
  CHECK(refused(changed("MCSVM_CS", "SVM")) == "line 1: unknown solver type \"SVM\"");
  CHECK(refused(changed("bias 1", "bais 1")) == "line 5: unknown text in model file: [bais]");
  CHECK(refused(changed("bias 1\n", "")) == "line 5: the header has no bias");
  CHECK(refused(changed("label 7 -2 3\n", "")) == "line 5: the header has no label");
  CHECK(refused(changed("bias 1\n", "bias 1\nbias 1\n")) == "line 6: bias is given twice");
  CHECK(refused(changed("nr_class 3\nlabel 7 -2 3", "label 7 -2 3\nnr_class 3")) == "line 2: label before nr_class");
  CHECK(refused(changed("MCSVM_CS", "ONECLASS_SVM")) == "line 6: the header has no rho");
  CHECK(refused(changed("MCSVM_CS", "L2R_L2LOSS_SVR")) == "line 6: nr_class 3 does not fit the solver type");
  CHECK(refused(changed("-0.25", "nan")) == "line 7: a weight \"nan\" is not finite");
  CHECK(refused(changed("-0.25", "x")) == "line 7: a weight \"x\" is not a number");
  CHECK(refused(changed("3.5 \n", "\n")) == "line 10: the file ends where a weight is expected");
  CHECK(refused(changed("-0.25", "\xff\x1b[2J")) == "line 7: a weight \"??[2J\" is not a number");
  CHECK(refused(changed("nr_feature 2", "nr_feature -2")) ==
        "line 4: nr_feature must be a whole number from 0 to 2147483647, got \"-2\"");
  CHECK(refused("") == "line 2: the file ends where a key is expected");
}

TEST_CASE("liblinear text: sizes beyond the bytes of the text take no memory") {
  CHECK(refused(changed("nr_feature 2", "nr_feature 2147483647")) ==
        "line 6: w needs 2147483648 x 3 values, but only 54 bytes follow");
  CHECK(refused("solver_type L2R_LR\nnr_class 2147483647\nlabel 1\n") ==
        "line 3: label needs 2147483647 x 1 values, but only 3 bytes follow");
}

TEST_CASE("liblinear text: every prefix of a model is refused, or the number that may have been cut is told") {
  const std::string text = kThree, last = "3.5";
  const std::size_t whole = text.size() - 2, third = whole - last.size();  // behind the last weight, and before it
  for (std::size_t n = 0; n <= third; ++n) CHECK_THROWS_AS(parse_liblinear_text(text.substr(0, n)), ModelError);
  for (std::size_t n = third + 1; n <= text.size(); ++n) {
    CAPTURE(n);
    std::vector<std::string> told;
    const LiblinearModel m = parse_liblinear_text(text.substr(0, n), {}, [&](const std::string& what) { told.push_back(what); });
    CHECK(m.w.back() == std::stod(last.substr(0, n - third)));
    CHECK(told.size() == (n <= whole ? 1 : 0));
    if (n <= whole) CHECK(told[0] == "line 9: the line has no end: if the file was cut, digits of its last weight are missing");
  }
}

TEST_CASE("liblinear text: what LIBLINEAR reads and has no place for") {
  std::vector<std::string> told;
  const auto parse = [&](const std::string& text) {
    told.clear();
    return parse_liblinear_text(text, {}, [&](const std::string& what) { told.push_back(what); });
  };
  CHECK(liblinear_text(parse(changed("3.5 \n", "3.5 1 \n2 2\n"))) == kThree);
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("line 9: \"1\" and all that follows is left out") == 0);
  const std::string one = "solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature 1\nbias -1\nw\n0x1p-1 \n";
  CHECK(parse(one).w == std::vector<double>{0.5});
  std::string labelled = one;
  labelled.replace(labelled.find("nr_feature"), 0, "label 0 0\nrho 3\n");
  CHECK(liblinear_text(parse(labelled)) == liblinear_text(parse(one)));
  CHECK(told.empty());
}

TEST_CASE("liblinear text: conversion keeps decisions, whatever the order of the labels") {
  const double x[2] = {2, -1};
  const LinearModel three = from_liblinear(parse_liblinear_text(kThree));
  CHECK(three.classes() == std::vector<double>{-2, 3, 7});
  double dec[3];
  decision_function(three, dense(x, 1, 2), dec);
  CHECK(dec[0] == doctest::Approx(-0.25 * 2 - 1e-300 + 2));
  CHECK(dec[1] == doctest::Approx(1 * 2 + 3 + 3.5));
  CHECK(dec[2] == doctest::Approx(0.5 * 2 + 0.1));
  const char* two = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n0.5 \n3 \n";
  const LinearModel model = from_liblinear(parse_liblinear_text(two));
  CHECK(model.classes() == std::vector<double>{-1, 1});
  double label = 0;
  predict(model, dense(x, 1, 2), &label);
  CHECK(label == -1);  // 0.5 * 2 - 3 < 0
  CHECK(liblinear_text(to_liblinear(model)) == two);
  CHECK_THROWS_AS(to_liblinear(LinearModel()), ModelError);
  CHECK_THROWS_AS(to_liblinear(make_linear_model(LinearSolver::logistic, {0.5, 1}, 1, -1, 0, {2})), DataError);
  CHECK_THROWS_AS(from_liblinear(parse_liblinear_text("solver_type L2R_LR\nnr_class 0\nlabel\nnr_feature 1\nbias -1\nw\n\n")),
                  ModelError);
  CHECK_THROWS_AS(from_liblinear(parse_liblinear_text("solver_type L2R_LR\nnr_class 2\nlabel 1 1\nnr_feature 0\nbias -1\nw\n")),
                  ModelError);
}

TEST_CASE("liblinear text: load_any_model recognises it") {
  const test::TemporaryFolder folder;
  save_liblinear_model(parse_liblinear_text(kThree), folder / "model");
  CHECK(std::get<LinearModel>(load_any_model(folder / "model")).n_features() == 2);
  CHECK(load_as<LinearModel>(folder / "model").solver() == LinearSolver::crammer_singer);
  // Keys that LIBSVM's files have, too, come first.
  files::write_file(folder / "model", "nr_class 2\nrho 1\nlabel 5 -1\nnr_feature 2\nbias -1\nsolver_type L2R_LR\nw\n0.5 \n-2");
  std::vector<std::string> told;
  const AnyModel other = load_any_model(folder / "model", 0, {}, [&](const std::string& what) { told.push_back(what); });
  CHECK(std::get<LinearModel>(other).w() == std::vector<double>{-0.5, 2});
  REQUIRE(told.size() == 1);
  CHECK(told[0].find((folder / "model") + ": line 9: the line has no end") == 0);
  save_liblinear_model(parse_liblinear_text(kThree), folder / "model");
  CHECK_THROWS_AS(load_any_model(folder / "model", 3), ParameterError);
}

TEST_CASE("liblinear text: structs that do not fit together are not written") {
  LiblinearModel m = parse_liblinear_text(kThree);
  m.w.pop_back();
  CHECK_THROWS_WITH_AS(liblinear_text(m), "model: w has 8 values instead of 3 x 3", ModelError);
  m = parse_liblinear_text(kThree);
  m.labels.pop_back();
  CHECK_THROWS_AS(liblinear_text(m), ModelError);
  m = parse_liblinear_text(kThree);
  m.solver = 8;
  CHECK_THROWS_AS(liblinear_text(m), ModelError);
  m.solver = 21;
  CHECK_THROWS_AS(liblinear_text(m), ModelError);
}
