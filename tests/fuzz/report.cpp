// Reports of every kind of model: what is read is written and read again.
#include "files/report_json.hpp"

#include "dcsvm/dc_pred.hpp"
#include "dcsvm/errors.hpp"
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
void read_both(std::string_view bytes) {
  read_as<R>(bytes, files::report_from_json<R>);
  read_as<R>(bytes, files::report_from_binary<R>);
}

}  // namespace

void report(std::string_view bytes) {
  read_both<Report>(bytes);
  read_both<LowRankReport>(bytes);
  read_both<DcPredReport>(bytes);
  read_both<LsSvmReport>(bytes);
  read_as<LinearReport>(bytes, files::report_from_json<LinearReport>);
}

}  // namespace dcsvm::fuzz
