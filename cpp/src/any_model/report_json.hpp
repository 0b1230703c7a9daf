// A training's report in a model file.
#pragma once

#include <string>

#include "files/bytes.hpp"

namespace dcsvm::any_model {

/// The report as a JSON object (docs/model-format.md, section REPJ). R: Report, LowRankReport, DcPredReport, LsSvmReport,
/// LinearReport or LdklReport.
template <class R>
std::string report_to_json(const R& report);

/// Unknown names are skipped and absent ones keep their defaults. Throws ModelError.
template <class R>
R report_from_json(files::ByteReader& in);

}  // namespace dcsvm::any_model
