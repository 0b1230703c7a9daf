// Checkpoints: calls that are ended somewhere go on from there, and files of other calls are refused.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "base/checkpoint.hpp"
#include "dcsvm/parameters.hpp"
#include "doctest/doctest.h"
#include "files/bytes.hpp"
#include "files/checkpoint_file.hpp"
#include "files/file.hpp"
#include "files/temporary_folder.hpp"
#include "qp/saved_solve.hpp"
#include "svm/training.hpp"

using namespace dcsvm;
using training::Data;
using training::message_of;

namespace {

bool exists(const std::string& path) { return std::filesystem::exists(std::filesystem::u8path(path)); }

TrainInputs kept_in(const std::string& path) {
  TrainInputs inputs;
  inputs.checkpoint = path;
  inputs.checkpoint_interval = 1e-9;  // every round of the solver
  return inputs;
}

files::Identity identity_in(const std::string& path) {
  const std::string bytes = files::read_file(path);
  files::ByteReader in(bytes, 12, bytes.size(), "checkpoint");  // behind magic and version
  files::Identity identity(in.get_count(8));
  for (auto& [name, value] : identity) {
    name = in.get_string();
    value = in.get_string();
  }
  return identity;
}

/// Makes the call end with Interrupted at its k-th report of progress.
Hooks ends_at(int k, int& seen) {
  Hooks hooks;
  hooks.progress_interval = 0;
  hooks.progress = [k, &seen](const Progress&) {
    if (++seen >= k) throw Interrupted();
    return false;
  };
  return hooks;
}

struct Case {
  const char* name;
  TrainParams params;
  Data data;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const Data board = training::checkerboard(2600, 3), blobs = training::blobs(1500, 4, 4, 2, 1.5);
  all.push_back({"smo", training::rbf(4, 10), board});
  all.push_back({"no bias", training::rbf(4, 10), board});
  all.back().params.fit_intercept = false;
  all.push_back({"dc", training::rbf(4, 10), board});
  all.back().params.solver = SolverType::dc;
  all.back().params.n_levels = 2;
  all.push_back({"early", all.back().params, board});
  all.back().params.early_level = 1;
  all.push_back({"pairs", training::rbf(1, 10), blobs});
  all.push_back({"probability", training::rbf(1, 10), blobs});
  all.back().params.probability = true;
  for (const auto formulation : {Formulation::nu_svc, Formulation::one_class, Formulation::epsilon_svr, Formulation::nu_svr}) {
    all.push_back({name_of(formulation), training::rbf(4, 10), board});
    all.back().params.formulation = formulation;
    all.back().params.nu = 0.2;
    // The objective is divided by the square of the margin, which is small here and known within tol.
    if (formulation == Formulation::nu_svc) all.back().params.tol = 1e-5;
  }
  all.push_back({"svr probability", all.back().params, board});
  all.back().params.formulation = Formulation::epsilon_svr;
  all.back().params.probability = true;
  for (const auto solver : {SolverType::rand, SolverType::cascade}) {
    all.push_back({name_of(solver), training::rbf(4, 10), board});
    all.back().params.solver = solver;
    all.back().params.n_support_estimate = 1300;
  }
  return all;
}

}  // namespace

TEST_CASE("checkpoint: a training that is ended again and again reaches the same objective, in every formulation and solver") {
  const test::TemporaryFolder folder;
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.name));
    const std::string path = folder / "run";
    const Model whole = training::train(c.data, c.params);
    int ended = 0, reports = 1;
    for (int k = 2;; k = k * 3 / 2 + 1) {  // later and later
      int seen = 0;
      try {
        const Model model = training::train(c.data, c.params, kept_in(path), ends_at(k, seen));
        CHECK(!exists(path));
        CHECK(model.report().stop_reason == StopReason::converged);
        CHECK(model.report().violation < c.params.tol);
        CHECK(model.report().objective == doctest::Approx(whole.report().objective).epsilon(1e-3));
        const auto wanted = training::decisions(whole, c.data.view()), got = training::decisions(model, c.data.view());
        // Some of an early model's rows may fall into another cluster: clusters are found on support vectors.
        std::size_t different = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) different += std::abs(wanted[i] - got[i]) > 0.2 ? 1 : 0;
        CHECK(different <= wanted.size() / 50);
        break;
      } catch (const Interrupted&) {
        ++ended;
        reports = seen;
        REQUIRE(k < 100000);
      }
    }
    CHECK(ended >= 2);
    CHECK(reports > 2);
  }
}

TEST_CASE("checkpoint: what had ended is not computed again") {
  const test::TemporaryFolder folder;
  const Data data = training::blobs(1500, 4, 4, 2, 1.5);
  TrainParams params = training::rbf(1, 10);
  params.probability = true;  // so that progress is reported after the pairs have been solved
  const Model whole = training::train(data, params);
  Hooks hooks;
  hooks.progress_interval = 0;
  hooks.progress = [](const Progress& p) {
    if (std::string(p.phase) == "calibrate") throw Interrupted();
    return false;
  };
  CHECK_THROWS_AS(training::train(data, params, kept_in(folder / "run"), hooks), Interrupted);
  const Model resumed = training::train(data, params, kept_in(folder / "run"));
  CHECK(resumed.alpha() == whole.alpha());
  CHECK(resumed.rho() == whole.rho());
  CHECK(resumed.report().n_iter == whole.report().n_iter);
  CHECK(resumed.report().violation == whole.report().violation);
  CHECK(resumed.report().n_support == whole.report().n_support);
  CHECK(resumed.calibration().a == whole.calibration().a);
  CHECK(resumed.report().n_kernel_values < whole.report().n_kernel_values);
}

TEST_CASE("checkpoint: steps add up to max_iter over the calls") {
  const test::TemporaryFolder folder;
  const Data data = training::checkerboard(2600, 3);
  TrainParams params = training::rbf(4, 1000);
  params.max_iter = 30000;
  REQUIRE(training::train(data, params).report().n_iter == 30000);
  int seen = 0;
  CHECK_THROWS_AS(training::train(data, params, kept_in(folder / "run"), ends_at(4, seen)), Interrupted);
  const Report report = training::train(data, params, kept_in(folder / "run")).report();
  CHECK(report.stop_reason == StopReason::max_iter);
  CHECK(report.n_iter == 30000);
  CHECK(!exists(folder / "run"));
}

TEST_CASE("checkpoint: a cancelled call keeps its file, and goes on from there") {
  const test::TemporaryFolder folder;
  const Data data = training::checkerboard(2600, 3);
  const TrainParams params = training::rbf(4, 100);
  Hooks hooks;
  int left = 4;
  hooks.progress_interval = 0;
  hooks.progress = [&](const Progress&) { return --left <= 0; };
  const Report first = training::train(data, params, kept_in(folder / "run"), hooks).report();
  CHECK(first.stop_reason == StopReason::cancelled);
  REQUIRE(exists(folder / "run"));
  const Report second = training::train(data, params, kept_in(folder / "run")).report();
  CHECK(second.stop_reason == StopReason::converged);
  CHECK(second.n_iter > first.n_iter);
  CHECK(second.objective == doctest::Approx(training::train(data, params).report().objective).epsilon(1e-3));
}

TEST_CASE("checkpoint: cross-validation goes on from finished folds, whichever way the folds are trained") {
  const test::TemporaryFolder folder;
  const Data data = training::blobs(600, 3, 3, 5, 1.5);
  for (const bool regression : {false, true}) {
    TrainParams params = training::rbf(1, 1);
    if (regression) params.formulation = Formulation::epsilon_svr;
    const Grid grid{{1, 10}, {0.5, 2}};
    const auto folds = make_folds(data.y.data(), data.n, 4, !regression, 1);
    std::vector<double> wanted(static_cast<std::size_t>(4 * data.n)), got(wanted.size(), -1.0);
    const auto run = [&](std::vector<double>& out, const TrainInputs& inputs, const Hooks& hooks) {
      return cross_validate(data.view(), data.y.data(), params, grid, folds, HeldOut::predictions, out.data(), inputs, hooks);
    };
    const CrossValidation whole = run(wanted, {}, {});
    int ended = 0;
    for (int k = 2;; k = k * 3 / 2 + 1) {
      int seen = 0;
      try {
        const CrossValidation found = run(got, kept_in(folder / "cv"), ends_at(k, seen));
        CHECK(found.n_fits == whole.n_fits);
        CHECK(found.n_unconverged == 0);
        CHECK(found.violation < params.tol);
        break;
      } catch (const Interrupted&) {
        ++ended;
      }
    }
    CHECK(ended > 2);
    CHECK(!exists(folder / "cv"));
    double different = 0;
    for (std::size_t i = 0; i < got.size(); ++i) different += std::abs(got[i] - wanted[i]) > 0.02 ? 1 : 0;
    CHECK(different <= 0.005 * static_cast<double>(got.size()));  // labels at a border may change within tol
  }
}

TEST_CASE("checkpoint: cross-validation does not take up folds whose steps are no count") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "cv";
  const Data data = training::blobs(300, 2, 3, 5, 1.5);
  TrainParams params = training::rbf(1, 1);
  params.formulation = Formulation::epsilon_svr;  // trained fold by fold
  const auto folds = make_folds(data.y.data(), data.n, 4, false, 1);
  std::vector<double> out(static_cast<std::size_t>(data.n));
  const auto run = [&](const Hooks& hooks) {
    return cross_validate(data.view(), data.y.data(), params, {{1}, {0.5}}, folds, HeldOut::predictions, out.data(),
                          kept_in(path), hooks);
  };
  int reports = 0;
  const CrossValidation whole = run(ends_at(1000000, reports));
  for (const double bad : {-1.0, 1e300, std::nan("")}) {
    int seen = 0;
    CHECK_THROWS_AS(run(ends_at(reports * 3 / 4, seen)), Interrupted);
    const files::Identity identity = identity_in(path);
    auto entries = files::read_checkpoint(path, identity);
    REQUIRE(!entries.empty());
    for (auto& [place, values] : entries) values.front() = bad;
    files::write_checkpoint(path, identity, entries);
    CHECK(run({}).n_iter == whole.n_iter);
  }
}

TEST_CASE("checkpoint: a file of another call, a damaged one and one that cannot be written are refused by name") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "run";
  const Data data = training::checkerboard(500, 3);
  const TrainParams params = training::rbf(4, 10);
  int seen = 0;
  CHECK_THROWS_AS(training::train(data, params, kept_in(path), ends_at(2, seen)), Interrupted);
  const std::string good = files::read_file(path);
  const auto refusal = [&](const Data& d, const TrainParams& p, const TrainInputs& inputs) {
    const std::string text = message_of<DataError>([&] { training::train(d, p, inputs); });
    CHECK(text.find(path) != std::string::npos);
    CHECK(files::read_file(path) == good);
    return text;
  };
  TrainParams other = params;
  other.C = 11;
  CHECK(refusal(data, other, kept_in(path)).find("C = 10, and this one has C = 11") != std::string::npos);
  other = params;
  other.formulation = Formulation::nu_svc;
  CHECK(refusal(data, other, kept_in(path)).find("formulation = c_svc") != std::string::npos);
  Data changed = data;
  changed.x[700] += 1e-9;
  CHECK(refusal(changed, params, kept_in(path)).find("X = dense 500 x 2") != std::string::npos);
  changed = data;
  changed.y[7] *= -1;
  CHECK(refusal(changed, params, kept_in(path)).find("with y = ") != std::string::npos);
  TrainInputs weighted = kept_in(path);
  const std::vector<double> weight(500, 1.0);
  weighted.sample_weight = weight.data();
  CHECK(refusal(data, params, weighted).find("sample_weight = none") != std::string::npos);
  std::vector<double> out(500);
  const std::string folds =
      message_of<DataError>([&] { cross_validate(data.view(), data.y.data(), params, 5, out.data(), kept_in(path)); });
  CHECK(folds.find("function = train, and this one has function = cross_validate") != std::string::npos);

  for (std::size_t i = 0; i < good.size(); i += 13) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    files::AtomicFile file(path);
    file.write(bad);
    file.commit();
    CHECK(message_of<DataError>([&] { training::train(data, params, kept_in(path)); }).find(path) != std::string::npos);
    CHECK(files::read_file(path) == bad);
  }
  CHECK(message_of<FileError>([&] { training::train(data, params, kept_in(folder / "absent/run")); }) != "");
  CHECK(message_of<FileError>([&] { training::train(data, params, kept_in(folder / ".")); }) != "");
  for (const double interval : {0.0, -1.0, std::nan("")}) {
    TrainInputs inputs = kept_in(folder / "other");
    inputs.checkpoint_interval = interval;
    CHECK(message_of<ParameterError>([&] { training::train(data, params, inputs); }).rfind("checkpoint_interval", 0) == 0);
  }
  CHECK(!exists(folder / "other"));
  CHECK(message_of<ParameterError>([&] {
          train_ridge(data.view(), data.y.data(), RidgeParams(), kept_in(path));
        }).rfind("checkpoint", 0) == 0);
}

TEST_CASE("checkpoint: a piece replaces the pieces inside it, and no others") {
  std::vector<std::size_t> written;
  base::Checkpoint checkpoint({}, 1e9, [&](const base::Checkpoint::Entries& all) { written.push_back(all.size()); });
  base::Place root(checkpoint);
  const base::Place first = root.next(), second = root.next();
  base::Place inside = first.at(7);
  inside.next().put({1});
  inside.next().put({2});
  second.put({3});
  CHECK(first.at(7).at(1).find() == std::vector<double>{2});
  first.put({4});
  CHECK(first.find() == std::vector<double>{4});
  CHECK(first.at(7).at(1).find().empty());
  CHECK(second.find() == std::vector<double>{3});
  CHECK(written.empty());
  checkpoint.write();
  CHECK(written == std::vector<std::size_t>{2});
}

TEST_CASE("checkpoint: what is kept of another problem, or is not feasible, is not taken up") {
  const std::vector<double> q{1, 2, 3}, lo{0, 0, -1}, hi{1, 1, 0}, start(3, 0.0), found{0.5, 0.25, -0.75};
  const qp::Problem problem{3, q.data(), lo.data(), hi.data(), true};
  base::Checkpoint checkpoint({}, 1e9, [](const base::Checkpoint::Entries&) {});
  base::Place writing(checkpoint);
  base::Context context;
  context.place = &writing;
  std::vector<double> beta = start;
  qp::Result result;
  result.objective = -2.5;
  result.stop_reason = StopReason::stagnated;
  result.n_iter = 12;
  result.seconds_update = 0.125;
  qp::SavedSolve(context, problem, beta.data()).finish(found.data(), result);
  const auto taken = [&](const qp::Problem& p, std::vector<double> from = {0, 0, 0}) {
    base::Place reading(checkpoint);
    context.place = &reading;
    const qp::SavedSolve saved(context, p, from.data());
    if (saved.found()) CHECK(from == found);
    return saved.found();
  };
  CHECK(taken(problem));
  base::Place reading(checkpoint);
  context.place = &reading;
  const qp::SavedSolve saved(context, problem, beta.data());
  REQUIRE(saved.result());
  CHECK(qp::numbers_of(*saved.result()) == qp::numbers_of(result));
  CHECK(saved.steps() == 12);
  const std::vector<double> narrow{0.4, 1, 0}, other_q{1, 2, 4};
  CHECK(!taken({3, q.data(), lo.data(), narrow.data(), true}));
  CHECK(!taken({3, other_q.data(), lo.data(), hi.data(), true}));
  CHECK(!taken({3, q.data(), lo.data(), hi.data(), false}));
  CHECK(!taken(problem, {0.5, 0, 0}));  // another sum
  std::vector<double> kept = writing.at(0).find();
  for (const double bad : {-1.0, 3.0, std::nan("")}) {  // a variable that does not exist
    std::vector<double> changed = kept;
    changed[changed.size() - 2] = bad;
    writing.at(0).put(changed);
    CHECK(!taken(problem));
  }
  for (const double bad : {-1.0, 1e300, std::nan("")}) {  // a number of steps that is no count
    std::vector<double> changed = kept;
    changed[2] = bad;
    writing.at(0).put(changed);
    CHECK(!taken(problem));
  }
  kept.pop_back();
  writing.at(0).put(kept);
  CHECK(!taken(problem));
}
