#include "dcsvm/errors.hpp"
#include "files/file.hpp"
#include "files/text_writer.hpp"
#include "libsvm/model_text/text.hpp"

namespace dcsvm {

namespace {

using Text = files::TextWriter;

void line(Text& out, const char* key, const std::vector<double>& values) {
  out.word(key);
  for (const double v : values) out.word(" ").number(v, 17);
  out.word("\n");
}

void line(Text& out, const char* key, const std::vector<int>& values) {
  out.word(key);
  for (const int v : values) out.word(" ").number(v);
  out.word("\n");
}

const char* svm_type(Formulation formulation) {
  if (const char* word = libsvm::svm_type(formulation)) return word;
  throw ModelError(std::string("formulation ") + name_of(formulation) + ": LIBSVM's text has no svm_type for it");
}

const char* kernel_type(KernelType kernel) {
  libsvm::check_kernel(kernel);
  return libsvm::kernel_type(kernel);
}

void header(Text& out, const LibsvmModel& m) {
  const KernelType kernel = m.kernel.type;
  out.word("svm_type ").word(svm_type(m.formulation));
  out.word("\nkernel_type ").word(kernel_type(kernel)).word("\n");
  if (traits_of(kernel).degree) out.word("degree ").number(m.kernel.degree).word("\n");
  if (traits_of(kernel).gamma) out.word("gamma ").number(m.kernel.gamma, 17).word("\n");
  if (traits_of(kernel).coef0) out.word("coef0 ").number(m.kernel.coef0, 17).word("\n");
  out.word("nr_class ").number(m.n_classes).word("\ntotal_sv ").number(m.n_support()).word("\n");
  line(out, "rho", m.rho);
  if (!m.labels.empty()) line(out, "label", m.labels);
  if (!m.prob_a.empty()) line(out, "probA", m.prob_a);
  if (!m.prob_b.empty()) line(out, "probB", m.prob_b);
  if (!m.density_marks.empty()) line(out, "prob_density_marks", m.density_marks);
  if (!m.n_sv.empty()) line(out, "nr_sv", m.n_sv);
  out.word("SV\n");
}

void check_digits(const LibsvmTextOptions& options) {
  if (options.sv_digits < 1 || options.sv_digits > 17) {
    throw ParameterError("sv_digits must be 1 to 17, got " + std::to_string(options.sv_digits));
  }
}

void write(Text& out, const LibsvmModel& m, const LibsvmTextOptions& options) {
  header(out, m);
  const auto l = static_cast<std::size_t>(m.n_support());
  const bool given = m.kernel.type == KernelType::precomputed;
  for (std::size_t s = 0; s < l; ++s) {
    for (std::size_t row = 0; row + 1 < static_cast<std::size_t>(m.n_classes); ++row) {
      out.number(m.sv_coef[row * l + s], 17).word(" ");
    }
    for (auto e = static_cast<std::size_t>(m.indptr[s]); e < static_cast<std::size_t>(m.indptr[s + 1]); ++e) {
      out.number(m.indices[e]).word(":");
      if (given) {
        out.number(static_cast<std::int64_t>(m.values[e]));
      } else if (options.sv_digits == 17) {
        out.shortest(m.values[e]);
      } else {
        out.number(m.values[e], options.sv_digits);
      }
      out.word(" ");
    }
    out.word("\n");
  }
}

}  // namespace

std::string libsvm_text(const LibsvmModel& m, const LibsvmTextOptions& options) {
  check_digits(options);
  Text out;
  write(out, m, options);
  return out.take();
}

void save_libsvm_model(const LibsvmModel& model, const std::string& path, const LibsvmTextOptions& options,
                       const std::function<bool()>& interrupted) {
  check_digits(options);
  files::AtomicFile file(path, interrupted);
  Text out(file);
  write(out, model, options);
  out.flush();
  file.commit();
}

}  // namespace dcsvm
