// Model files: round trips, goldens, versions, atomic saving.
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>

#include "any_model/model_bytes.hpp"
#include "any_model/sample_models.hpp"
#include "dcsvm/any_model.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "doctest/doctest.h"
#include "files/crc32.hpp"
#include "files/sections.hpp"
#include "files/temporary_folder.hpp"

using namespace dcsvm;
using namespace dcsvm::test;

namespace {

Model model(svm::ModelData data) { return Model(std::make_shared<const svm::ModelData>(std::move(data))); }

}  // namespace

TEST_CASE("crc32 is the standard one") {
  CHECK(files::crc32("") == 0);
  CHECK(files::crc32("123456789") == 0xCBF43926U);
  CHECK(files::crc32("456789", files::crc32("123")) == 0xCBF43926U);
  CHECK(files::crc32("The quick brown fox jumps over the lazy dog") == 0x414FA339U);
}

TEST_CASE("model bytes: every field of every kind of model comes back") {
  for (const auto& [its_name, data] : sample_models()) {
    const auto& name = its_name;  // lambdas may not capture bindings in C++17
    CAPTURE(name);
    const std::string bytes = model_to_bytes(model(data));
    const Model back = model_from_bytes(bytes);
    CHECK(same(*back.data(), data));
    CHECK(model_to_bytes(back) == bytes);
    CHECK(put_together(take_apart(bytes)) == bytes);  // so that the tests below damage what they mean to
  }
}

TEST_CASE("model files: save, load, replace") {
  const TemporaryFolder folder;
  const std::string path = folder / "m.dcsvm";
  for (const auto& [its_name, data] : sample_models()) {
    const auto& name = its_name;  // lambdas may not capture bindings in C++17
    CAPTURE(name);
    save_model(model(data), path);
    CHECK(same(*load_model(path).data(), data));
    CHECK(folder.count() == 1);
  }
}

TEST_CASE("model files: errors name the path, and what cannot be saved leaves the old file") {
  const TemporaryFolder folder;
  const std::string path = folder / "m.dcsvm";
  CHECK_THROWS_WITH_AS(load_model(path), (path + ": cannot open: No such file or directory").c_str(), FileError);
  CHECK_THROWS_AS(load_model(folder / "."), FileError);
  write_text(path, "");
  CHECK_THROWS_WITH_AS(load_model(path), (path + ": model: header, byte 0: not a dcsvm model file").c_str(), ModelError);
  write_text(path, "svm_type c_svc\n");
  CHECK_THROWS_AS(load_model(path), ModelError);
  CHECK_THROWS_AS(save_model(Model(), path), ModelError);
  svm::ModelData wrong = dense_model();
  wrong.support[0] = wrong.n_train;
  CHECK_THROWS_WITH_AS(save_model(model(wrong), path), "model: section SUPP: a training row is out of range", ModelError);
  CHECK(read_text(path) == "svm_type c_svc\n");
  try {
    save_model(model(dense_model()), folder / "no/folder");
    CHECK(false);
  } catch (const FileError& e) {
    CHECK(e.code() == ENOENT);
  }
  CHECK(folder.count() == 1);
}

TEST_CASE("model bytes: newer versions and unknown sections") {
  auto sections = take_apart(model_to_bytes(model(sparse_model())));
  CHECK(error(put_together(sections, 2)) == "model: header, byte 8: format version 2; this dcsvm reads up to 1");
  CHECK(error(put_together(sections, 0)) == "model: header, byte 8: format version 0; this dcsvm reads up to 1");
  sections.push_back({"XTRA", 0, "something new"});
  CHECK(same(*model_from_bytes(put_together(sections)).data(), sparse_model()));
  sections.insert(sections.begin(), RawSection{"XTR2", 2, ""});  // other flags mean nothing yet
  CHECK(same(*model_from_bytes(put_together(sections)).data(), sparse_model()));
  sections[0].flags = files::kRequired;
  CHECK(error(put_together(sections)) == "model: section XTR2, byte 32: unknown; written by a newer dcsvm?");
}

TEST_CASE("model bytes: sections in any order, each once, none of the required missing") {
  for (const auto& [its_name, data] : sample_models()) {
    const auto& name = its_name;  // lambdas may not capture bindings in C++17
    CAPTURE(name);
    const auto sections = take_apart(model_to_bytes(model(data)));
    CHECK(same(*model_from_bytes(put_together({sections.rbegin(), sections.rend()})).data(), data));
    for (std::size_t i = 0; i < sections.size(); ++i) {
      auto twice = sections;
      twice.push_back(sections[i]);
      CHECK(error(put_together(twice)) == "model: section " + sections[i].tag + ": present twice");
      auto without = sections;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      const bool optional = sections[i].tag == "REPJ" || sections[i].tag == "PROB";
      CHECK(error(put_together(without)).empty() == optional);
    }
  }
  CHECK(error(put_together({})) == "model: section META: missing");
}

TEST_CASE("model bytes: a JSON report from another release keeps what is known") {
  auto sections = take_apart(model_to_bytes(model(sparse_model())));
  auto& report = section(sections, "REPJ").payload;
  const std::string own = report;
  CHECK(own.find("\"stop_reason\":\"max_iter\"") != std::string::npos);
  report = R"({"fresh": [[{}]], "levels": [{"unknown": null}], )" + own.substr(1);  // of a name that stands twice the last counts
  CHECK(same(*model_from_bytes(put_together(sections)).data(), sparse_model()));
  report = R"({"gamma": 0.75, "violation": "inf", "objective": "nan"})";
  const Report read = model_from_bytes(put_together(sections)).report();
  CHECK(read.gamma == 0.75);
  CHECK(read.violation == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(read.objective));
  CHECK(read.levels.empty());
  for (const char* text : {"", "[]", "null", "{", "{} {}", "{\"solver\": \"\xff\"}", "{\"solver\": \"\\ud800\"}"}) {
    report = text;
    CHECK(error(put_together(sections)).find("the report is not a JSON object") != std::string::npos);
  }
  for (const char* field :
       {R"("gamma": "1")", R"("n_threads": 1099511627776)", R"("n_iter": 18446744073709551615)", R"("isa": 3)",
        R"("n_iter": 1.5)", R"("stop_reason": "later")", R"("stop_reason": 17)", R"("seconds": [])",
        R"("seconds": {"total": true})", R"("levels": [3])", R"("levels": [{"sizes": [0.5]}])"}) {
    report = std::string("{") + field + "}";
    const std::string name = report.substr(2, report.find('"', 2) - 2);
    CHECK(error(put_together(sections)).find("report field '" + name + "' cannot have this value") != std::string::npos);
  }
  for (const char open : {'[', '{'}) {  // nested more deeply than recursion could follow
    report = "{\"gamma\": " + std::string(1000000, '[') + std::string(open == '[' ? 1000000 : 0, ']') + "}";
    CHECK_FALSE(error(put_together(sections)).empty());
  }
}

TEST_CASE("model bytes: the report of files from before 0.1.0 is left out") {
  auto sections = take_apart(model_to_bytes(model(sparse_model())));
  RawSection& report = section(sections, "REPJ");
  report = {"REPT", 0, "binary fields"};
  const Model read = model_from_bytes(put_together(sections));
  CHECK(read.data()->sv_coef == sparse_model().sv_coef);
  CHECK(read.report().n_iter == 0);
}

TEST_CASE("any model: each kind comes back as itself, and another kind's functions say what the file holds") {
  const std::string bytes = model_to_bytes(AnyModel(model(dense_model())));
  CHECK(bytes == model_to_bytes(model(dense_model())));
  CHECK(same(*std::get<Model>(any_model_from_bytes(bytes)).data(), dense_model()));
  const auto path = std::filesystem::path(DCSVM_SOURCE_DIR) / "tests" / "golden" / "v1-ls-svm.dcsvm";
  const AnyModel other = load_any_model(path.string());
  CHECK(std::get<LsSvmModel>(other).n_features() == 2);
  CHECK_THROWS_AS(load_any_model(path.string(), 3), ParameterError);
  CHECK_THROWS_WITH_AS(model_from_bytes(model_to_bytes(other)),
                       "model: a support vector machine was expected, the file holds a least-squares SVM; load_any_model reads "
                       "every kind",
                       ModelError);
  CHECK_THROWS_AS(bytes_as<LsSvmModel>(bytes), ModelError);
  CHECK_THROWS_AS(any_model_from_bytes("not a model"), ModelError);
  CHECK_THROWS_AS(model_to_bytes(AnyModel()), ModelError);
}

// Files of every released version, made once and never again: DCSVM_WRITE_GOLDEN=1 writes those that are missing.
TEST_CASE("model files: goldens load for ever") {
  const std::filesystem::path folder = std::filesystem::path(DCSVM_SOURCE_DIR) / "tests" / "golden";
  for (const auto& [name, data] : sample_models()) {
    const auto path = folder / ("v1-" + name + ".dcsvm");
    CAPTURE(path.string());
    if (std::getenv("DCSVM_WRITE_GOLDEN") != nullptr && !std::filesystem::exists(path)) save_model(model(data), path.string());
    REQUIRE(std::filesystem::exists(path));
    CHECK(same(*load_model(path.string()).data(), data));
  }
}

TEST_CASE("model bytes: damaged probabilities are refused") {
  const auto damaged = [](svm::ModelData data, const std::vector<double>& a, const std::vector<double>& b,
                          const std::vector<double>& marks) {
    auto sections = take_apart(model_to_bytes(model(std::move(data))));
    std::string payload;
    for (const auto* values : {&a, &b, &marks}) {
      payload += raw(static_cast<std::uint64_t>(values->size()));
      for (const double v : *values) payload += raw(v);
    }
    section(sections, "PROB").payload = payload;
    return error(put_together(sections));
  };
  const std::vector<double> three(3, 1.0), nan(3, std::nan("")), ten(10, 0.5);
  CHECK(damaged(calibrated_model(), three, three, {}).empty());
  CHECK(damaged(calibrated_model(), {1}, {1}, {}) == "model: section PROB: one a and one b for each pair expected");
  CHECK(damaged(calibrated_model(), three, {}, {}) == "model: section PROB: one a and one b for each pair expected");
  CHECK(damaged(calibrated_model(), nan, three, {}) == "model: section PROB: a value is not finite");
  CHECK(damaged(calibrated_model(), {}, three, {}) == "model: section PROB: b without a");
  CHECK(damaged(calibrated_model(), three, three, ten) == "model: section PROB: density marks in a classifier");
  CHECK(damaged(marked_model(), {}, {}, ten).empty());
  CHECK(damaged(marked_model(), {}, {}, three) == "model: section PROB: 10 density marks expected");
  std::vector<double> falling = ten;
  falling[3] = 0.75;
  CHECK(damaged(marked_model(), {}, {}, falling) == "model: section PROB: density marks do not ascend");
}
