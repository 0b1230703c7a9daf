// Reports of every kind of model: what is read is written and read again. The first byte says of which kind, modulo their number.
#include "files/report_json.hpp"

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
void read_as(std::string_view bytes, R (*read)(files::ByteReader&)) {
  try {
    files::ByteReader in(bytes, 0, bytes.size(), "report");
    const std::string text = files::report_to_json(read(in));
    files::ByteReader again(text, 0, text.size(), "report");
    expect(files::report_to_json(files::report_from_json<R>(again)) == text, "a saved report is another one when it is loaded");
  } catch (const Error&) {
  }
}

template <class R>
void read_json(std::string_view bytes) {
  read_as<R>(bytes, files::report_from_json<R>);
}

template <class R>
void read_both(std::string_view bytes) {
  read_json<R>(bytes);
  read_as<R>(bytes, files::report_from_binary<R>);
}

}  // namespace

void report(std::string_view bytes) {
  if (bytes.empty()) return;
  constexpr void (*kinds[])(std::string_view) = {read_both<Report>,      read_both<LowRankReport>, read_both<DcPredReport>,
                                                 read_both<LsSvmReport>, read_json<LinearReport>,  read_json<LdklReport>};
  kinds[static_cast<unsigned char>(bytes.front()) % std::size(kinds)](bytes.substr(1));
}

}  // namespace dcsvm::fuzz
