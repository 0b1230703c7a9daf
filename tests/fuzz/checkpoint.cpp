// Checkpoints of trainings. Input: flags, then the numbers of a checkpoint's entries, which are put behind the head that belongs
// to a small training; that training then goes on from there. Flag 128: the rest is the file itself, whose checksum alone is made
// right.
#include "files/checkpoint_file.hpp"

#include <array>
#include <filesystem>
#include <memory>

#include "base/thread_pool.hpp"
#include "cpp/files/temporary_folder.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/train.hpp"
#include "files/bytes.hpp"
#include "files/crc32.hpp"
#include "svm/checkpoint.hpp"
#include "targets.hpp"

namespace dcsvm::fuzz {

namespace {

constexpr Index kRows = 12;
constexpr std::uint64_t kNoEntries = 0;

struct Training {
  std::array<double, 2 * kRows> values{};
  std::array<double, kRows> y{};
  TrainParams params;
  files::Identity identity;
  std::string head;  // of its checkpoints, up to the number of entries

  Training(unsigned char flags, const std::string& path) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * i % 7) - 3.0;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i * 5 % 3 % ((flags & 8) != 0 ? 3 : 2));
    constexpr std::array formulations{Formulation::c_svc, Formulation::nu_svc, Formulation::one_class, Formulation::epsilon_svr,
                                      Formulation::nu_svr};
    params.formulation = formulations[(flags & 7U) % formulations.size()];
    params.nu = 0.3;
    params.kernel.gamma = 0.5;
    params.gamma_rule = GammaRule::value;
    params.probability = (flags & 16) != 0;
    params.solver = (flags & 32) != 0 ? SolverType::dc : SolverType::smo;
    params.max_iter = 5000;
    params.n_threads = 1;
    base::ThreadPool pool(1);
    identity = svm::identity_of(x(), y.data(), params, {}, 0, pool);
    identity.emplace_back("function", "train");
    files::write_checkpoint(path, identity, {});
    head = test::read_text(path);
    head.resize(head.size() - sizeof kNoEntries - sizeof(std::uint32_t));
  }
  DataView x() const { return dense(values.data(), kRows, 2); }
};

std::string with_checksum(const std::string& bytes) {
  files::ByteWriter tail;
  tail.put(files::crc32(bytes));
  return bytes + tail.bytes();
}

/// Goes through the file and back; then the training goes on from it.
void continue_from(const std::string& path, const Training& training) {
  const auto entries = files::read_checkpoint(path, training.identity);
  files::write_checkpoint(path, training.identity, entries);
  expect(files::read_checkpoint(path, training.identity).size() == entries.size(),
         "a saved checkpoint is another one when it is read");
  TrainInputs inputs;
  inputs.checkpoint = path;
  inputs.checkpoint_interval = 1e6;
  const Model model = train(training.x(), training.y.data(), training.params, inputs);
  expect(!std::filesystem::exists(path), "a finished training leaves its checkpoint");
  model_to_bytes(model);
}

}  // namespace

void checkpoint(std::string_view bytes) {
  if (bytes.empty()) return;
  static const test::TemporaryFolder folder;
  const auto flags = static_cast<unsigned char>(bytes.front());
  const std::string given(bytes.substr(1)), path = folder / "checkpoint";
  static std::array<std::unique_ptr<const Training>, 128> trainings;
  auto& training = trainings[flags % trainings.size()];
  if (!training) training = std::make_unique<const Training>(flags, path);
  test::write_text(path, with_checksum((flags & 128) == 0 ? training->head + given : given));
  try {
    continue_from(path, *training);
  } catch (const Error&) {
  }
  std::filesystem::remove(path);
}

}  // namespace dcsvm::fuzz
