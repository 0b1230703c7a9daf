// LS-SVM: against the dense system solved plainly, and the paper's properties (Andrecut 2016), through the public interface.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "dcsvm/any_model.hpp"
#include "doctest/doctest.h"
#include "kernels/product.hpp"
#include "svm/training.hpp"

using namespace dcsvm;
using training::Data;

namespace {

LsSvmParams rbf(LsMethod method, Index block_size, Index n_iter, double gamma_ls = 10.0) {
  LsSvmParams p;
  p.kernel.gamma = 0.5;
  p.gamma_rule = GammaRule::value;
  p.gamma_ls = gamma_ls;
  p.method = method;
  p.block_size = block_size;
  p.n_iter = n_iter;
  p.tol = 1e-7;
  p.n_threads = 2;
  return p;
}

/// Theta of Eq. (17), the bias last.
std::vector<double> theta(const Data& data, const LsSvmParams& p) {
  const Index n = data.n, m = n + 1;
  std::vector<double> t(m * m, 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double square = 0.0;
      for (Index f = 0; f < data.d; ++f) square += std::pow(data.x[i * data.d + f] - data.x[j * data.d + f], 2);
      t[i * m + j] = std::exp(-p.kernel.gamma * square) + (i == j ? 1.0 / p.gamma_ls : 0.0);
    }
    t[i * m + n] = t[n * m + i] = 1.0;
  }
  return t;
}

/// Gaussian elimination with pivots; z: m x k row-major, overwritten.
std::vector<double> eliminate(std::vector<double> t, std::vector<double> z, Index m, Index k) {
  for (Index c = 0; c < m; ++c) {
    Index pivot = c;
    for (Index r = c; r < m; ++r) {
      if (std::abs(t[r * m + c]) > std::abs(t[pivot * m + c])) pivot = r;
    }
    std::swap_ranges(t.begin() + c * m, t.begin() + (c + 1) * m, t.begin() + pivot * m);
    std::swap_ranges(z.begin() + c * k, z.begin() + (c + 1) * k, z.begin() + pivot * k);
    for (Index r = 0; r < m; ++r) {
      const double f = r == c ? 0.0 : t[r * m + c] / t[c * m + c];
      if (f == 0.0) continue;
      for (Index j = c; j < m; ++j) t[r * m + j] -= f * t[c * m + j];
      for (Index j = 0; j < k; ++j) z[r * k + j] -= f * z[c * k + j];
    }
  }
  for (Index r = 0; r < m; ++r) {
    for (Index j = 0; j < k; ++j) z[r * k + j] /= t[r * m + r];
  }
  return z;
}

std::vector<double> one_hot(const Data& data, Index k) {
  std::vector<double> z((data.n + 1) * k, 0.0);
  for (Index i = 0; i < data.n; ++i) z[i * k + static_cast<Index>(data.y[i]) - 10] = 1.0;
  return z;
}

/// W as m x k, row-major.
std::vector<double> weights(const LsSvmModel& model) {
  const Index n = model.n_train(), k = decision_columns(model);
  std::vector<double> w((n + 1) * k);
  for (Index c = 0; c < k; ++c) {
    for (Index i = 0; i < n; ++i) w[i * k + c] = model.coef()[c * n + i];
    w[n * k + c] = model.intercept()[c];
  }
  return w;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

double norm(const std::vector<double>& a) { return distance(a, std::vector<double>(a.size(), 0.0)); }

LsSvmModel train(const Data& data, const LsSvmParams& p, const LsSvmInputs& inputs = {}, const Hooks& hooks = {}) {
  return train_ls_svm(data.view(), data.y.data(), p, inputs, hooks);
}

}  // namespace

TEST_CASE("gram: the plain sum of products, whatever the sizes and threads") {
  for (const auto& [m, n] : std::vector<std::pair<Index, Index>>{{1, 1}, {7, 50}, {300, 1700}, {257, 1536}}) {
    base::Random random(5);
    std::vector<float> b(m * n);
    for (float& v : b) v = static_cast<float>(random.uniform() - 0.5);
    std::vector<double> one(m * m), three(static_cast<std::size_t>(m * m));
    base::ThreadPool serial(1), pool(3);
    kernels::gram(b.data(), n, m, n, one.data(), serial);
    kernels::gram(b.data(), n, m, n, three.data(), pool);
    CHECK(one == three);
    for (Index i = 0; i < m; i += 41) {
      for (Index j = 0; j < m; j += 13) {
        double sum = 0.0;
        for (Index k = 0; k < n; ++k) sum += static_cast<double>(b[i * n + k]) * static_cast<double>(b[j * n + k]);
        CHECK(std::abs(one[i * m + j] - sum) < 1e-4);
      }
    }
  }
}

TEST_CASE("all methods reach the exact solution, from zeros and from another's weights") {
  const Data data = training::blobs(150, 3, 3, 7);
  const auto exact = eliminate(theta(data, rbf(LsMethod::exact, 0, 0)), one_hot(data, 3), 151, 3);
  struct Case {
    LsMethod method;
    Index block_size, n_iter;
    double error;
  };
  for (const auto& c : {Case{LsMethod::exact, 40, 1, 1e-4}, Case{LsMethod::matching_pursuit, 75, 600, 2e-3},
                        Case{LsMethod::kaczmarz, 75, 600, 2e-3}, Case{LsMethod::kaczmarz_mp, 100, 300, 2e-3},
                        Case{LsMethod::nystrom, 150, 2, 5e-2}}) {
    CAPTURE(static_cast<int>(c.method));
    const LsSvmParams p = rbf(c.method, c.block_size, c.n_iter);
    const LsSvmModel model = train(data, p);
    CHECK(distance(weights(model), exact) < c.error * norm(exact));
    if (c.method == LsMethod::nystrom) continue;
    const LsSvmInputs start{model.coef().data(), model.intercept().data()};
    LsSvmParams more = p;
    more.n_iter = 3;
    CHECK(distance(weights(train(data, more, start)), exact) <= 1.1 * distance(weights(model), exact) + 1e-4 * norm(exact));
  }
}

TEST_CASE("matching pursuit, alone and in the hybrid: the residual never grows, and is the true one") {  // Eq. (54), (60)
  const Data data = training::blobs(200, 3, 3, 3);
  for (const Index block_size : {1, 10, 60, 199}) {
    const LsSvmParams p = rbf(block_size == 60 ? LsMethod::kaczmarz_mp : LsMethod::matching_pursuit, block_size, 40);
    const LsSvmModel model = train(data, p);
    const auto& residuals = model.report().residuals;
    REQUIRE((residuals.size() == 40 || residuals.back() < p.tol));
    CHECK(residuals.front() < 1.0);
    for (std::size_t t = 1; t < residuals.size(); ++t)
      CHECK(residuals[t] <= residuals[t - 1] * (1 + 1e-9) + 1e-5);  // 1e-5: float kernel values until the end
    const auto w = weights(model), t = theta(data, p);
    std::vector<double> r = one_hot(data, 3);
    const double scale = norm(r);
    for (Index i = 0; i < 201; ++i) {
      for (Index j = 0; j < 201; ++j) {
        for (Index c = 0; c < 3; ++c) r[i * 3 + c] -= t[i * 201 + j] * w[j * 3 + c];
      }
    }
    CHECK(std::abs(norm(r) / scale - residuals.back()) < 1e-3 * residuals.back() + 1e-5);  // float kernel values
  }
}

TEST_CASE("kaczmarz: every step is a projection, so the error never grows") {  // Eq. (43), (44)
  const Data data = training::blobs(120, 3, 3, 5);
  const auto exact = eliminate(theta(data, rbf(LsMethod::exact, 0, 0)), one_hot(data, 3), 121, 3);
  double before = norm(exact);
  std::vector<double> last(exact.size(), 0.0);
  for (Index steps = 1; steps <= 12; ++steps) {
    const auto w = weights(train(data, rbf(LsMethod::kaczmarz, 20, steps)));
    const double now = distance(w, exact), moved = distance(w, last);
    CHECK(now <= before * (1 + 1e-6));
    CHECK(now * now + moved * moved == doctest::Approx(before * before).epsilon(1e-3));  // Pythagoras: an orthogonal projection
    before = now;
    last = w;
  }
}

TEST_CASE("conjugate gradients agree with Cholesky; averages are means; threads and seeds") {
  const Data large = training::blobs(10001, 2, 2, 9);
  LsSvmParams p = rbf(LsMethod::exact, 0, 0, 0.1);
  p.tol = 1e-6;
  const LsSvmModel cg = train(large, p);
  CHECK(cg.report().stop_reason == StopReason::converged);
  CHECK(cg.report().n_iter > 1);
  for (Index c = 0; c < 2; ++c) {  // Eq. (10)
    double sum = 0.0;
    for (Index i = 0; i < large.n; ++i) sum += cg.coef()[c * large.n + i];
    CHECK(std::abs(sum) < 1e-8);
  }
  // Eq. (11): a = gamma_ls e, e = z - decision, at some rows.
  std::vector<double> decisions(large.n * 2);
  decision_function(cg, large.view(), decisions.data());
  for (Index i = 0; i < large.n; i += 97) {
    for (Index c = 0; c < 2; ++c) {
      const double z = large.y[i] == 10.0 + static_cast<double>(c) ? 1.0 : 0.0;
      CHECK(cg.coef()[c * large.n + i] == doctest::Approx(0.1 * (z - decisions[i * 2 + c])).epsilon(1e-2));
    }
  }

  const Data data = training::blobs(300, 3, 3, 1);
  p = rbf(LsMethod::matching_pursuit, 60, 4);
  const LsSvmModel one = train(data, p);
  p.n_threads = 1;
  CHECK(train(data, p).coef() == one.coef());
  p.seed = 3;
  CHECK(train(data, p).coef() != one.coef());
  p.n_average = 3;
  const LsSvmModel mean = train(data, p);
  CHECK(mean.report().residuals.size() == 12);
  CHECK(mean.coef() != train(data, rbf(LsMethod::matching_pursuit, 60, 4)).coef());
}

TEST_CASE("singular blocks are regularised; the callback stops; files keep a model; predictions") {
  Data data = training::blobs(120, 2, 2, 2);
  for (Index i = 60; i < 120; ++i) {  // every row twice
    std::copy_n(data.x.begin() + (i - 60) * 2, 2, data.x.begin() + i * 2);
    data.y[i] = data.y[i - 60];
  }
  LsSvmParams p = rbf(LsMethod::matching_pursuit, 120, 3, 1e12);
  p.kernel.type = KernelType::linear;
  const LsSvmModel model = train(data, p);
  CHECK(model.report().n_regularised > 0);
  for (std::size_t t = 1; t < model.report().residuals.size(); ++t) {
    CHECK(model.report().residuals[t] <= model.report().residuals[t - 1] * (1 + 1e-6));
  }
  Hooks hooks;
  hooks.progress = [](const Progress& progress) { return progress.n_iter >= 2; };
  const LsSvmModel stopped = train(data, rbf(LsMethod::kaczmarz, 10, 50), {}, hooks);
  CHECK(stopped.report().stop_reason == StopReason::cancelled);
  CHECK(stopped.report().n_iter == 2);
  hooks = {};
  hooks.interrupted = [] { return true; };
  CHECK_THROWS_AS(train(training::blobs(3000, 20, 2, 1), rbf(LsMethod::kaczmarz, 1000, 500), {}, hooks), Interrupted);

  const LsSvmModel read = bytes_as<LsSvmModel>(model_to_bytes(stopped));
  std::vector<double> a(data.n * 2), b(a), probabilities(a), labels(static_cast<std::size_t>(data.n));
  decision_function(stopped, data.view(), a.data());
  decision_function(read, data.view(), b.data());
  CHECK(a == b);
  CHECK(read.report().residuals == stopped.report().residuals);
  predict_proba(read, data.view(), probabilities.data());
  predict(read, data.view(), labels.data());
  for (Index i = 0; i < data.n; ++i) {
    const double e0 = std::exp(a[2 * i]), e1 = std::exp(a[2 * i + 1]);
    CHECK(probabilities[2 * i] == doctest::Approx(e0 / (e0 + e1)));
    CHECK(labels[i] == (a[2 * i + 1] > a[2 * i] ? 11.0 : 10.0));
  }
  std::string bytes = model_to_bytes(stopped);
  CHECK(holds<LsSvmModel>(bytes));
  CHECK_THROWS_AS(model_from_bytes(bytes), ModelError);
  bytes[bytes.size() / 2] ^= 1;
  CHECK_THROWS_AS(bytes_as<LsSvmModel>(bytes), ModelError);
  CHECK_THROWS_AS(bytes_as<LsSvmModel>(bytes.substr(0, 50)), ModelError);
}

TEST_CASE("each bad value is refused by a text that starts with its name") {
  const Data data = training::blobs(30, 2, 2, 1);
  const std::vector<std::pair<std::string, std::function<void(LsSvmParams&)>>> bad{
      {"gamma_ls", [](auto& p) { p.gamma_ls = 0; }},
      {"gamma_ls", [](auto& p) { p.gamma_ls = -1; }},
      {"tol", [](auto& p) { p.tol = 0; }},
      {"block_size", [](auto& p) { p.block_size = 31; }},
      {"block_size", [](auto& p) { p.block_size = -1; }},
      {"n_iter", [](auto& p) { p.n_iter = -1; }},
      {"n_average", [](auto& p) { p.n_average = 0; }},
      {"n_threads", [](auto& p) { p.n_threads = -1; }},
      {"gamma", [](auto& p) { p.kernel.gamma = -1; }},
      {"kernel", [](auto& p) { p.kernel.type = KernelType::precomputed; }}};
  for (const auto& [its_name, change] : bad) {
    const std::string name = its_name;
    LsSvmParams p = rbf(LsMethod::matching_pursuit, 10, 2);
    change(p);
    CHECK(training::message_of<ParameterError>([&] { train(data, p); }).rfind(name, 0) == 0);
  }
  Data one = data;
  std::fill(one.y.begin(), one.y.end(), 1.0);
  CHECK_THROWS_AS(train(one, rbf(LsMethod::matching_pursuit, 10, 2)), DataError);
}
