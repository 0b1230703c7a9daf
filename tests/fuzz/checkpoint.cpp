// Checkpoints of trainings and cross-validations. Input: flags, then the numbers of a checkpoint's entries, which are put behind
// the head that belongs to a small call; that call then goes on from there. Flag 128: the rest is the file itself, whose checksum
// alone is made right.
#include "files/checkpoint_file.hpp"

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cpp/files/temporary_folder.hpp"
#include "dcsvm/cross_validate.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/train.hpp"
#include "files/bytes.hpp"
#include "files/crc32.hpp"
#include "targets.hpp"

namespace dcsvm::fuzz {

namespace {

constexpr Index kRows = 12;

constexpr std::size_t kBeforeIdentity = 12;  // magic and version

/// What a call keeps is behind its identity, which only the call itself knows: read from a file that it left.
files::Identity identity_in(const std::string& file, std::size_t& at) {
  const auto number = [&](auto value) {
    std::memcpy(&value, file.data() + at, sizeof value);
    at += sizeof value;
    return static_cast<std::size_t>(value);
  };
  const auto text = [&] {
    const std::size_t size = number(std::uint32_t{0});
    at += size;
    return file.substr(at - size, size);
  };
  at = kBeforeIdentity;
  files::Identity identity(number(std::uint64_t{0}));
  for (auto& [name, value] : identity) {
    name = text();
    value = text();
  }
  return identity;
}

struct Work {
  std::array<double, 2 * kRows> values{};
  std::array<double, kRows> y{};
  TrainParams params;
  bool folds = false;  // cross-validation
  files::Identity identity;
  std::string head;  // of its checkpoints, up to the number of entries

  Work(unsigned char flags, const std::string& path) : folds((flags & 64) != 0) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * i % 7) - 3.0;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i * 5 % 3 % ((flags & 8) != 0 ? 3 : 2));
    constexpr std::array formulations{Formulation::c_svc, Formulation::nu_svc, Formulation::one_class, Formulation::epsilon_svr,
                                      Formulation::nu_svr};
    params.formulation = formulations[(flags & 7U) % formulations.size()];
    params.nu = 0.3;
    params.kernel.gamma = 0.5;
    params.gamma_rule = GammaRule::value;
    params.probability = !folds && (flags & 16) != 0;
    const bool divided = params.formulation != Formulation::nu_svc && params.formulation != Formulation::nu_svr;
    params.solver = divided && (flags & 32) != 0 ? SolverType::dc : SolverType::smo;
    params.max_iter = 5000;
    params.n_threads = 1;
    Hooks stop;
    stop.progress = [](const Progress&) -> bool { throw Interrupted(); };
    try {
      run(path, stop);
    } catch (const Interrupted&) {
    }
    head = test::read_text(path);
    std::size_t end = 0;
    identity = identity_in(head, end);
    head.resize(end);
  }
  void run(const std::string& path, const Hooks& hooks) const {
    TrainInputs inputs;
    inputs.checkpoint = path;
    inputs.checkpoint_interval = 1e6;
    const DataView x = dense(values.data(), kRows, 2);
    if (!folds) {
      model_to_bytes(train(x, y.data(), params, inputs, hooks));
    } else {
      std::array<double, kRows> out{};
      cross_validate(x, y.data(), params, 2, out.data(), inputs, hooks);
    }
  }
};

std::string with_checksum(const std::string& bytes) {
  files::ByteWriter tail;
  tail.put(files::crc32(bytes));
  return bytes + tail.bytes();
}

/// Goes through the file and back; then the call goes on from it.
void continue_from(const std::string& path, const Work& work) {
  const auto entries = files::read_checkpoint(path, work.identity);
  files::write_checkpoint(path, work.identity, entries);
  expect(files::read_checkpoint(path, work.identity).size() == entries.size(),
         "a saved checkpoint is another one when it is read");
  work.run(path, {});
  expect(!std::filesystem::exists(path), "a finished call leaves its checkpoint");
}

}  // namespace

void checkpoint(std::string_view bytes) {
  if (bytes.empty()) return;
  static const test::TemporaryFolder folder;
  const auto flags = static_cast<unsigned char>(bytes.front());
  const std::string given(bytes.substr(1)), path = folder / "checkpoint";
  static std::array<std::unique_ptr<const Work>, 128> calls;
  auto& work = calls[flags % calls.size()];
  if (!work) work = std::make_unique<const Work>(flags, path);
  test::write_text(path, with_checksum((flags & 128) == 0 ? work->head + given : given));
  try {
    continue_from(path, *work);
  } catch (const Error&) {
  }
  std::filesystem::remove(path);
}

}  // namespace dcsvm::fuzz
