#include <algorithm>
#include <iterator>

#include "io/crc32.hpp"
#include "io/model_check.hpp"
#include "io/model_format.hpp"

namespace dcsvm::io {

namespace {

using models::ModelData;
using models::PointStore;

// The tag as text for errors: it may be anything in a damaged file.
std::string printable(std::string_view tag) {
  std::string text(tag);
  for (char& c : text) c = c >= 0x20 && c < 0x7f ? c : '?';
  return text;
}

struct Section {
  std::string tag;
  std::uint32_t flags = 0;
  std::size_t begin = 0, end = 0;  // of the payload
};

std::uint32_t read_header(std::string_view bytes) {
  ByteReader in(bytes, 0, bytes.size(), "header");
  if (bytes.substr(0, kMagic.size()) != kMagic) in.fail("not a dcsvm model file");
  if (bytes.size() < kHeaderBytes) in.fail_at(bytes.size(), "the file is truncated");
  in.sub(kMagic.size());
  const auto version = in.get<std::uint32_t>();
  const auto sections = in.get<std::uint32_t>();
  const auto size = in.get<std::uint64_t>();
  const auto reserved = in.get<std::uint32_t>();
  // Before the version is believed: a damaged header must not pass for a newer one.
  if (in.get<std::uint32_t>() != crc32(bytes.substr(0, kHeaderBytes - 4)))
    in.fail_at(0, "checksum mismatch: the file is damaged");
  if (version == 0 || version > kFormatVersion) {
    in.fail_at(kMagic.size(),
               "format version " + std::to_string(version) + "; this dcsvm reads up to " + std::to_string(kFormatVersion));
  }
  if (reserved != 0) in.fail_at(kHeaderBytes - 8, "reserved field is not 0");
  if (size != bytes.size()) {
    in.fail_at(bytes.size(), "the file has " + std::to_string(bytes.size()) + " bytes instead of " + std::to_string(size));
  }
  return sections;
}

Section read_section(std::string_view bytes, std::size_t start) {
  ByteReader head(bytes, start, bytes.size(), "section table");
  if (head.left() < kSectionHead + kSectionTail) head.fail("the file is truncated");
  Section s;
  s.tag = bytes.substr(start, 4);
  head.sub(4);
  s.flags = head.get<std::uint32_t>();
  const auto length = head.get<std::uint64_t>();
  if (length > head.left() - kSectionTail) head.fail_at(start + 8, "section " + printable(s.tag) + " is longer than the file");
  s.begin = head.offset();
  s.end = s.begin + static_cast<std::size_t>(length);
  ByteReader tail(bytes, s.end, bytes.size(), "section " + printable(s.tag));
  if (tail.get<std::uint32_t>() != crc32(bytes.substr(start, s.end - start))) {
    tail.fail_at(start, "checksum mismatch: the file is damaged");
  }
  return s;
}

template <class E>
E get_enum(ByteReader& in, std::uint32_t last, const char* name) {
  const auto code = in.get<std::uint32_t>();
  if (code > last) in.fail_at(in.offset() - 4, std::string("unknown ") + name + " " + std::to_string(code));
  return static_cast<E>(code);
}

bool get_flag(ByteReader& in, const char* name) { return get_enum<int>(in, 1, name) != 0; }

template <class T, class Stored>
std::vector<T> get_array_from(ByteReader& in) {
  const auto stored = in.get_array<Stored>();
  return {stored.begin(), stored.end()};
}

KernelParams get_kernel(ByteReader& in) {
  KernelParams kernel;
  kernel.type = get_enum<KernelType>(in, 4, "kernel");
  kernel.degree = in.get<std::int32_t>();
  kernel.gamma = in.get<double>();
  kernel.coef0 = in.get<double>();
  return kernel;
}

PointStore get_points(ByteReader& in) {
  PointStore points;
  points.scalar = get_enum<int>(in, 1, "scalar type") == 0 ? ScalarType::float32 : ScalarType::float64;
  points.sparse = get_flag(in, "storage");
  points.rows = static_cast<Index>(in.get<std::int64_t>());
  points.cols = static_cast<Index>(in.get<std::int64_t>());
  if (points.scalar == ScalarType::float32) {
    points.values32 = in.get_array<float>();
  } else {
    points.values64 = in.get_array<double>();
  }
  if (points.sparse) {
    points.indptr = in.get_array<std::int64_t>();
    points.indices = in.get_array<std::int64_t>();
  }
  return points;
}

void get_meta(ByteReader& in, ModelData& m) {
  m.kernel = get_kernel(in);
  m.precision = get_enum<int>(in, 1, "precision") == 0 ? Precision::single_ : Precision::double_;
  m.fit_intercept = get_flag(in, "fit_intercept");
  m.prediction = get_enum<LevelPrediction>(in, 2, "prediction");
  m.C = in.get<double>();
  m.n_features = static_cast<Index>(in.get<std::int64_t>());
  m.n_train = static_cast<Index>(in.get<std::int64_t>());
}

void get_expansions(ByteReader& in, ModelData& m) {
  for (auto count = in.get_count(32); count > 0; --count) {  // 32: a first_sv and three empty arrays
    models::Expansion e;
    e.first_sv = static_cast<Index>(in.get<std::int64_t>());
    e.classes = get_array_from<int, std::int32_t>(in);
    e.n_sv = get_array_from<Index, std::int64_t>(in);
    e.rho = in.get_array<double>();
    m.expansions.push_back(std::move(e));
  }
}

void get_kernel_router(ByteReader& in, ModelData& m) {
  models::KernelRouter router;
  router.kernel = get_kernel(in);
  router.sample = get_points(in);
  router.first = get_array_from<Index, std::int64_t>(in);
  router.constant = in.get_array<double>();
  m.router = std::move(router);
}

void get_centre_router(ByteReader& in, ModelData& m) {
  models::CentreRouter router;
  router.clusters = static_cast<Index>(in.get<std::int64_t>());
  router.cols = static_cast<Index>(in.get<std::int64_t>());
  router.centres = in.get_array<double>();
  m.router = std::move(router);
}

struct Known {
  const char* tag;
  bool always;
  void (*read)(ByteReader&, ModelData&);
};

const Known kKnown[] = {
    {"META", true, get_meta},
    {"FORM", false,
     [](ByteReader& in, ModelData& m) {
       m.formulation = get_enum<Formulation>(in, 4, "formulation");
       m.nu = in.get<double>();
       m.epsilon = in.get<double>();
     }},
    {"CLAS", true, [](ByteReader& in, ModelData& m) { m.classes = in.get_array<double>(); }},
    {"SUPP", true,
     [](ByteReader& in, ModelData& m) {
       m.support = get_array_from<Index, std::int64_t>(in);
       m.sv_class = get_array_from<int, std::int32_t>(in);
     }},
    {"COEF", true, [](ByteReader& in, ModelData& m) { m.sv_coef = in.get_array<double>(); }},
    {"EXPN", true, get_expansions},
    {"RTRK", false, get_kernel_router},
    {"RTRC", false, get_centre_router},
    {"CLSZ", false, [](ByteReader& in, ModelData& m) { m.cluster_sizes = get_array_from<Index, std::int64_t>(in); }},
    {"PNTS", true, [](ByteReader& in, ModelData& m) { m.points = get_points(in); }},
    {"PROB", false,
     [](ByteReader& in, ModelData& m) {
       m.calibration.a = in.get_array<double>();
       m.calibration.b = in.get_array<double>();
       m.calibration.density_marks = in.get_array<double>();
     }},
    {"REPT", false, [](ByteReader& in, ModelData& m) { m.report = decode_report(in); }},
};

void check_tags(const std::vector<std::string>& seen) {
  const auto count = [&](const char* tag) { return std::count(seen.begin(), seen.end(), tag); };
  for (const Known& known : kKnown) {
    if (count(known.tag) > 1) throw ModelError(std::string("model: section ") + known.tag + ": present twice");
    if (known.always && count(known.tag) == 0) throw ModelError(std::string("model: section ") + known.tag + ": missing");
  }
  if (count("RTRK") + count("RTRC") > 1) throw ModelError("model: section RTRC: a model has one router");
}

}  // namespace

ModelData decode_model(std::string_view bytes) {
  const std::uint32_t sections = read_header(bytes);
  ModelData model;
  std::vector<std::string> seen;
  std::size_t at = kHeaderBytes;
  for (std::uint32_t i = 0; i < sections; ++i) {
    const Section s = read_section(bytes, at);
    at = s.end + kSectionTail;
    const auto* known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) { return s.tag == k.tag; });
    ByteReader in(bytes, s.begin, s.end, "section " + printable(s.tag));
    if (known == std::end(kKnown)) {
      if ((s.flags & kRequired) != 0) in.fail_at(s.begin - kSectionHead, "unknown; written by a newer dcsvm?");
      continue;
    }
    known->read(in, model);
    in.finish();
    seen.push_back(s.tag);
  }
  if (at != bytes.size()) ByteReader(bytes, at, bytes.size(), "section table").fail("bytes behind the last section");
  check_tags(seen);
  check_model(model);
  return model;
}

}  // namespace dcsvm::io
