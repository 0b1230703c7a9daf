// Reports of every kind of model: what is read is written and read again. The first byte says of which kind, modulo their number.
#include "any_model/report_json.hpp"

#include <iterator>

#include "dcsvm/dc_pred.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/ldkl.hpp"
#include "dcsvm/linear.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/ls_svm.hpp"
#include "dcsvm/model.hpp"
#include "targets.hpp"

namespace dcsvm::fuzz {

namespace {

template <class R>
void read(std::string_view bytes) {
  try {
    files::ByteReader in(bytes, 0, bytes.size(), "report");
    const std::string text = any_model::report_to_json(any_model::report_from_json<R>(in));
    files::ByteReader again(text, 0, text.size(), "report");
    expect(any_model::report_to_json(any_model::report_from_json<R>(again)) == text,
           "a saved report is another one when it is loaded");
  } catch (const Error&) {
  }
}

}  // namespace

void report(std::string_view bytes) {
  if (bytes.empty()) return;
  constexpr void (*kinds[])(std::string_view) = {read<Report>,      read<LowRankReport>, read<DcPredReport>,
                                                 read<LsSvmReport>, read<LinearReport>,  read<LdklReport>};
  kinds[static_cast<unsigned char>(bytes.front()) % std::size(kinds)](bytes.substr(1));
}

}  // namespace dcsvm::fuzz
