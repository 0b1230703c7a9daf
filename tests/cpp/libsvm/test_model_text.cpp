#include <cmath>
#include <string>
#include <vector>

#include "dcsvm/errors.hpp"
#include "dcsvm/libsvm_model.hpp"
#include "dcsvm/predict.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

const char* const kThree =
    "svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 3\nrho 0.5 -0.25 1\nlabel 7 -2 3\n"
    "probA -1 -2 -3\nprobB 0.5 0.25 0.75\nnr_sv 1 1 1\nSV\n1 2 1:1 \n-1 4 2:1 \n-2 -4 3:1.5 \n";

}  // namespace

TEST_CASE("libsvm text: what is read is written again") {
  const LibsvmModel m = parse_libsvm_text(kThree);
  CHECK(libsvm_text(m) == kThree);
  CHECK(m.labels == std::vector<int>{7, -2, 3});
  CHECK(m.n_support() == 3);
}

TEST_CASE("libsvm text: what LIBSVM reads and has no place for") {
  std::vector<std::string> told;
  const auto parse = [&](const std::string& text) {
    told.clear();
    return parse_libsvm_text(text, {}, [&](const std::string& what) { told.push_back(what); });
  };
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK(libsvm_text(parse(changed(kThree, "SV\n", "SV 7 8:9\n"))) == kThree);
  CHECK(libsvm_text(parse(changed(kThree, "SV\n1 2 1:1", "SV\n+1 0x2 +1:0x1p0"))) == kThree);
  CHECK(told.empty());
  CHECK(libsvm_text(parse(std::string(kThree) + "\n\n1 2 3:4\n\n5\n")) == kThree);
  REQUIRE(told.size() == 1);
  CHECK(told[0] == "line 16: \"1\" and all that follows is left out: it stands behind the 3 support vectors of total_sv");
  for (const char* type : {"epsilon_svr", "nu_svr", "one_class"}) {
    const std::string bare =
        std::string("svm_type ") + type + "\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0.5\nSV\n1 1:1 \n";
    const std::string given = changed(bare, "SV\n", "label 1 -1\nnr_sv 1 0\nprobB 3\nSV\n");
    CHECK(libsvm_text(parse(given)) == bare);
  }
  CHECK(told.empty());
}

TEST_CASE("libsvm text: a prefix of a model is refused, or told when its last line has no end") {
  const std::string text = kThree;
  const std::size_t last = text.rfind("3:1.5") + 3;  // the value's first digit is there
  for (std::size_t n = 0; n <= text.size(); ++n) {
    CAPTURE(n);
    int told = 0;
    const auto parse = [&] {
      return parse_libsvm_text(text.substr(0, n), {}, [&](const std::string& what) {
        CHECK(what ==
              "line 13: the line has no end: if the file was cut, digits or values of its last support vector are missing");
        ++told;
      });
    };
    const bool coefs = n > text.rfind("-2 -4") + 4 && n <= text.rfind("3:1.5");  // the second coefficient, at least its digit
    if (n < last && !coefs) {
      CHECK_THROWS_AS(parse(), ModelError);
    } else {
      CHECK(parse().n_support() == 3);
      CHECK(told == (n < text.size() ? 1 : 0));
    }
  }
}

TEST_CASE("libsvm text: bytes that are no text are not repeated in errors") {
  std::string text = kThree;
  text.replace(text.find("linear"), 6, "\xff\x1b\xc3");
  CHECK_THROWS_WITH_AS(parse_libsvm_text(text), "line 2: unknown kernel function \"???\"", ModelError);
}

TEST_CASE("libsvm text: digits") {
  LibsvmModel m = parse_libsvm_text(kThree);
  m.values[2] = 1.0 / 3.0;
  CHECK(parse_libsvm_text(libsvm_text(m)).values[2] == 1.0 / 3.0);
  CHECK(libsvm_text(m).find("3:0.3333333333333333 ") != std::string::npos);
  CHECK(libsvm_text(m, {8}).find("3:0.33333333 ") != std::string::npos);
  m.values[2] = 0.1;  // the shortest text that reads back
  CHECK(libsvm_text(m).find("3:0.1 ") != std::string::npos);
  CHECK(libsvm_text(m, {16}).find("3:0.1 ") != std::string::npos);
  m.values[2] = 0.1 + 0.2;
  CHECK(libsvm_text(m).find("3:0.30000000000000004 ") != std::string::npos);
  CHECK_THROWS_AS(libsvm_text(m, {0}), ParameterError);
}

TEST_CASE("from_libsvm: classes ascend, and decisions and probabilities keep their meaning") {
  const LibsvmModel given = parse_libsvm_text(kThree);
  const Model model = from_libsvm(given);
  REQUIRE(model.classes() == std::vector<double>{-2, 3, 7});
  const double x[3] = {0.5, -2, 3};
  double dec[3];
  decision_function(model, dense(x, 1, 3), dec);
  // By hand in LIBSVM's order 7, -2, 3: pairs (7,-2), (7,3), (-2,3).
  const double k[3] = {0.5, -2, 4.5};
  const double theirs[3] = {1 * k[0] - 1 * k[1] - 0.5, 2 * k[0] - 2 * k[2] + 0.25, 4 * k[1] - 4 * k[2] - 1};
  CHECK(dec[0] == doctest::Approx(theirs[2]));   // (-2, 3)
  CHECK(dec[1] == doctest::Approx(-theirs[0]));  // (-2, 7)
  CHECK(dec[2] == doctest::Approx(-theirs[1]));  // (3, 7)
  const auto sigmoid = [](double f, double a, double b) { return 1.0 / (1.0 + std::exp(a * f + b)); };
  const Calibration& c = model.calibration();
  CHECK(sigmoid(dec[1], c.a[1], c.b[1]) == doctest::Approx(1.0 - sigmoid(theirs[0], -1, 0.5)));
  CHECK(to_libsvm(model).labels == given.labels);  // the file's order, which decides ties
}

TEST_CASE("from_libsvm: an index 0 makes indices count from 0") {
  std::string text = kThree;
  text.replace(text.find("1:1 \n"), 4, "0:1 ");
  CHECK(from_libsvm(parse_libsvm_text(text)).n_features() == 4);
  CHECK(from_libsvm(parse_libsvm_text(kThree)).n_features() == 3);
  CHECK(from_libsvm(parse_libsvm_text(kThree), 9).n_features() == 9);
  CHECK_THROWS_AS(from_libsvm(parse_libsvm_text(kThree), 2), ParameterError);
}

TEST_CASE("a model whose kernel or formulation LIBSVM does not have is refused") {
  LibsvmModel m = parse_libsvm_text(kThree);
  m.formulation = Formulation::kernel_ridge;
  CHECK_THROWS_AS(libsvm_text(m), ModelError);
  m.formulation = Formulation::c_svc;
  m.kernel.type = static_cast<KernelType>(5);
  CHECK_THROWS_AS(libsvm_text(m), ModelError);
}

TEST_CASE("from_libsvm: structs that do not fit together") {
  LibsvmModel m = parse_libsvm_text(kThree);
  m.n_sv[0] = 2;
  CHECK_THROWS_AS(from_libsvm(m), ModelError);
  m = parse_libsvm_text(kThree);
  m.sv_coef.pop_back();
  CHECK_THROWS_AS(from_libsvm(m), ModelError);
  m = parse_libsvm_text(kThree);
  m.indices[0] = -1;
  CHECK_THROWS_AS(from_libsvm(m), ModelError);
  m = parse_libsvm_text(kThree);
  m.formulation = Formulation::one_class;
  CHECK_THROWS_AS(from_libsvm(m), ModelError);
  CHECK_THROWS_AS(to_libsvm(Model()), ModelError);
}
