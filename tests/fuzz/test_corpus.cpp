// Replays the committed corpora of the fuzz targets under any compiler.
#include <algorithm>
#include <filesystem>

#include "cpp/files/temporary_folder.hpp"
#include "doctest/doctest.h"
#include "targets.hpp"

namespace {

std::vector<std::filesystem::path> corpus(const std::string& target) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(DCSVM_SOURCE_DIR "/tests/fuzz/corpus/") + target))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("fuzz: every file of every corpus, whole and cut short") {
  for (const auto& [its_name, run] : dcsvm::fuzz::targets()) {
    const auto& name = its_name;  // lambdas may not capture bindings in C++17
    const auto& target = run;
    const auto files = corpus(name);
    CAPTURE(name);
    CHECK(files.size() >= 2);
    for (const auto& path : files) {
      CAPTURE(path.string());
      const std::string bytes = dcsvm::test::read_text(path.string());
      CHECK(bytes.size() <= 8192);
      for (const std::size_t size : {bytes.size(), bytes.size() / 2, bytes.size() / 3}) {
        CHECK_NOTHROW(target(std::string_view(bytes).substr(0, size)));
      }
    }
  }
}
