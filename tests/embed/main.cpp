// A stranger's program: makes data, trains, predicts, saves, loads, compares. Exit code 0: all as promised.
#include <dcsvm/dcsvm.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr dcsvm::Index kRows = 2000;
constexpr dcsvm::Index kCols = 2;

struct Data {
  std::vector<float> x;
  std::vector<double> y;
};

// A 4 x 4 checkerboard: no linear rule is better than a coin.
Data checkerboard(unsigned seed) {
  Data d;
  auto uniform = [&seed] {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<float>(seed >> 8) / 16777216.0f;
  };
  for (dcsvm::Index i = 0; i < kRows; ++i) {
    const float a = 4 * uniform();
    const float b = 4 * uniform();
    d.x.push_back(a);
    d.x.push_back(b);
    d.y.push_back((static_cast<int>(a) + static_cast<int>(b)) % 2 == 0 ? 1.0 : -1.0);
  }
  return d;
}

std::vector<double> predict(const dcsvm::Model& model, const Data& d) {
  std::vector<double> labels(d.y.size());
  dcsvm::predict(model, dcsvm::dense(d.x.data(), kRows, kCols), labels.data());
  return labels;
}

double accuracy(const std::vector<double>& labels, const Data& d) {
  double right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) right += labels[i] == d.y[i] ? 1 : 0;
  return right / static_cast<double>(labels.size());
}

int fail(const char* what) {
  std::fprintf(stderr, "FAILED: %s\n", what);
  return 1;
}

int run(const std::string& path) {
  if (std::string(dcsvm::version()) != DCSVM_VERSION) return fail("headers and library are of one version");

  const Data train = checkerboard(1);
  const Data test = checkerboard(2);
  dcsvm::TrainParams params;
  params.C = 100;
  params.kernel.gamma = 4;
  params.gamma_rule = dcsvm::GammaRule::value;
  const dcsvm::Model model = dcsvm::train(dcsvm::dense(train.x.data(), kRows, kCols), train.y.data(), params);
  if (model.report().stop_reason != dcsvm::StopReason::converged) return fail("training converges");
  if (!(model.report().violation < params.tol)) return fail("the violation is below tol");

  const std::vector<double> labels = predict(model, test);
  if (accuracy(labels, test) < 0.93) return fail("93 % on new data");

  dcsvm::save_model(model, path);
  const dcsvm::Model loaded = dcsvm::load_model(path);
  std::remove(path.c_str());
  std::vector<double> before(labels.size()), after(labels.size());
  dcsvm::decision_function(model, dcsvm::dense(test.x.data(), kRows, kCols), before.data());
  dcsvm::decision_function(loaded, dcsvm::dense(test.x.data(), kRows, kCols), after.data());
  if (before != after) return fail("a loaded model decides as the saved one, bit by bit");

  params.C = -1;
  try {
    dcsvm::train(dcsvm::dense(train.x.data(), kRows, kCols), train.y.data(), params);
    return fail("C = -1 is refused");
  } catch (const dcsvm::ParameterError& error) {
    if (std::string(error.what()).rfind("C", 0) != 0) return fail("the error starts with the parameter's name");
  }

  std::printf("ok: dcsvm %s, %s, accuracy %.4f, %td support vectors\n", dcsvm::version(), model.report().isa.c_str(),
              accuracy(labels, test), model.report().n_support);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "stranger.model");
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
