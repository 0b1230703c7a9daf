// Trains an SVM on arrays of the program, predicts other rows, and saves the model.
#include <cstdio>
#include <dcsvm/dcsvm.hpp>
#include <random>
#include <vector>

namespace {

constexpr dcsvm::Index kFeatures = 2;

struct Points {
  std::vector<double> x;  // row after row
  std::vector<double> y;  // labels
};

/// Points in a square; those within a circle have the label 1, the others -1.
Points circle(dcsvm::Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Points points;
  points.x.reserve(static_cast<std::size_t>(n * kFeatures));
  points.y.reserve(static_cast<std::size_t>(n));
  for (dcsvm::Index i = 0; i < n; ++i) {
    const double a = uniform(random), b = uniform(random);
    points.x.push_back(a);
    points.x.push_back(b);
    points.y.push_back(a * a + b * b < 0.5 ? 1.0 : -1.0);
  }
  return points;
}

}  // namespace

int main() {
  const dcsvm::Index n = 2000;
  const Points train = circle(n, 1), test = circle(n, 2);

  dcsvm::TrainParams params;
  params.C = 10;
  params.kernel.gamma = 2;
  try {
    // dense() is a view: nothing is copied.
    const dcsvm::Model model = dcsvm::train(dcsvm::dense(train.x.data(), n, kFeatures), train.y.data(), params);
    std::vector<double> labels(test.y.size());
    dcsvm::predict(model, dcsvm::dense(test.x.data(), n, kFeatures), labels.data());
    int right = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) right += labels[i] == test.y[i] ? 1 : 0;
    std::printf("%d of %td right, violation %.1e\n", right, n, model.report().violation);
    dcsvm::save_model(model, "circle.model");
  } catch (const dcsvm::Error& error) {  // bad parameters, bad data, files: the text says which
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
