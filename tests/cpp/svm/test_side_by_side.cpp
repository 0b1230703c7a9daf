// Eight threads that train, predict, save and load at the same time get what one thread gets.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "doctest/doctest.h"
#include "files/temporary_folder.hpp"
#include "svm/training.hpp"

using namespace dcsvm;

namespace {

constexpr int kThreads = 8, kPieces = 400;

std::vector<double> work(int number, const training::Data& data, const Model& model, const std::string& folder) {
  if (number % 3 == 0) {
    TrainParams params = training::rbf(1, 1 + number % 5);
    params.n_threads = 1 + number % 2;
    return training::decisions(training::train(data, params), data.view());
  }
  if (number % 3 == 1) return training::decisions(model_from_bytes(model_to_bytes(model)), data.view());
  const std::string path = folder + std::to_string(number % 16);  // several threads save under one name
  save_model(model, path);
  return training::decisions(load_model(path), data.view());
}

}  // namespace

TEST_CASE("side by side: eight threads get what one thread gets") {
  const test::TemporaryFolder folder;
  const training::Data data = training::blobs(90, 3, 3, 1, 1.5);
  const Model model = training::train(data, training::rbf(1, 3));
  std::vector<std::vector<double>> wanted;
  wanted.reserve(30);
  for (int number = 0; number < 30; ++number) wanted.push_back(work(number, data, model, folder / ""));
  std::atomic<int> next{0}, wrong{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int number = next++; number < kPieces; number = next++) {
        if (work(number, data, model, folder / "") != wanted[static_cast<std::size_t>(number % 30)]) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(folder.count() == 16);
}
