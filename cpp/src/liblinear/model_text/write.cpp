#include <algorithm>
#include <string>

#include "dcsvm/errors.hpp"
#include "files/file.hpp"
#include "files/text_writer.hpp"
#include "liblinear/model_text/text.hpp"

namespace dcsvm {

void liblinear::check_liblinear(const LiblinearModel& m) {
  const auto fail = [](const std::string& what) { throw ModelError("model: " + what); };
  const auto known = [&](const auto& solver) { return solver.first == m.solver; };
  if (std::none_of(kSolvers.begin(), kSolvers.end(), known))
    fail("unknown solver type " + std::to_string(m.solver) + ", for which LIBLINEAR's files have no name");
  if (m.n_classes < 0 || (!m.is_classifier() && m.n_classes != 2)) {
    fail("nr_class " + std::to_string(m.n_classes) + " does not fit the solver type");
  }
  if (m.n_features < 0) fail("nr_feature is negative");
  const auto sized = [&](std::size_t size, Index n, const char* name) {
    if (static_cast<Index>(size) != n)
      fail(std::string(name) + " has " + std::to_string(size) + " values instead of " + std::to_string(n));
  };
  sized(m.labels.size(), m.is_classifier() ? m.n_classes : 0, "label");
  const Index rows = m.n_rows(), columns = m.n_weights(), w = static_cast<Index>(m.w.size());
  if (columns == 0 ? w != 0 : w % columns != 0 || w / columns != rows) {  // not rows * columns: it may overflow
    fail("w has " + std::to_string(w) + " values instead of " + std::to_string(rows) + " x " + std::to_string(columns));
  }
}

namespace {

void write(files::TextWriter& out, const LiblinearModel& m) {
  const auto* solver = std::find_if(liblinear::kSolvers.begin(), liblinear::kSolvers.end(),
                                    [&](const auto& known) { return known.first == m.solver; });
  out.word("solver_type ").word(solver->second).word("\nnr_class ").number(m.n_classes).word("\n");
  if (m.is_classifier()) {
    out.word("label");
    for (const int label : m.labels) out.word(" ").number(label);
    out.word("\n");
  }
  out.word("nr_feature ").number(m.n_features).word("\nbias ").number(m.bias, 17).word("\n");
  if (m.is_one_class()) out.word("rho ").number(m.rho, 17).word("\n");
  out.word("w\n");
  const auto columns = static_cast<std::size_t>(m.n_weights());
  for (std::size_t row = 0; row < static_cast<std::size_t>(m.n_rows()); ++row) {
    for (std::size_t c = 0; c < columns; ++c) out.number(m.w[row * columns + c], 17).word(" ");
    out.word("\n");
  }
}

}  // namespace

std::string liblinear_text(const LiblinearModel& m) {
  liblinear::check_liblinear(m);
  files::TextWriter out;
  write(out, m);
  return out.take();
}

void save_liblinear_model(const LiblinearModel& model, const std::string& path, const std::function<bool()>& interrupted) {
  liblinear::check_liblinear(model);
  files::AtomicFile file(path, interrupted);
  files::TextWriter out(file);
  write(out, model);
  out.flush();
  file.commit();
}

}  // namespace dcsvm
