// The names that Python uses for the public enums.
#pragma once

#include <string>
#include <utility>

#include "dcsvm/dc_pred.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/ls_svm.hpp"
#include "dcsvm/params.hpp"
#include "dcsvm/ridge.hpp"

namespace dcsvm::bindings {

template <class E>
struct Names;
template <class E>
using Name = std::pair<const char*, E>;

template <>
struct Names<KernelType> {
  static constexpr const char* parameter = "kernel";
  static constexpr Name<KernelType> table[] = {{"linear", KernelType::linear},
                                               {"poly", KernelType::poly},
                                               {"rbf", KernelType::rbf},
                                               {"sigmoid", KernelType::sigmoid},
                                               {"precomputed", KernelType::precomputed}};
};
template <>
struct Names<Formulation> {
  static constexpr const char* parameter = "formulation";
  static constexpr Name<Formulation> table[] = {
      {"c_svc", Formulation::c_svc},         {"nu_svc", Formulation::nu_svc},
      {"one_class", Formulation::one_class}, {"epsilon_svr", Formulation::epsilon_svr},
      {"nu_svr", Formulation::nu_svr},       {"kernel_ridge", Formulation::kernel_ridge}};
};
template <>
struct Names<GammaRule> {
  static constexpr const char* parameter = "gamma_rule";
  static constexpr Name<GammaRule> table[] = {
      {"value", GammaRule::value}, {"scale", GammaRule::scale}, {"auto", GammaRule::automatic}, {"", GammaRule::unspecified}};
};
template <>
struct Names<SolverType> {
  static constexpr const char* parameter = "solver";
  static constexpr Name<SolverType> table[] = {{"auto", SolverType::automatic},
                                               {"smo", SolverType::smo},
                                               {"dc", SolverType::dc},
                                               {"rand", SolverType::rand},
                                               {"cascade", SolverType::cascade}};
};
template <>
struct Names<RidgeSolver> {
  static constexpr const char* parameter = "solver";
  static constexpr Name<RidgeSolver> table[] = {
      {"auto", RidgeSolver::automatic}, {"cholesky", RidgeSolver::cholesky}, {"cg", RidgeSolver::cg}};
};
template <>
struct Names<Precision> {
  static constexpr const char* parameter = "precision";
  static constexpr Name<Precision> table[] = {{"single", Precision::single_}, {"double", Precision::double_}};
};
template <>
struct Names<ClusteringType> {
  static constexpr const char* parameter = "clustering";
  static constexpr Name<ClusteringType> table[] = {{"kernel_kmeans", ClusteringType::kernel_kmeans},
                                                   {"kmeans", ClusteringType::kmeans}};
};
template <>
struct Names<LevelPrediction> {
  static constexpr const char* parameter = "prediction";
  static constexpr Name<LevelPrediction> table[] = {
      {"early", LevelPrediction::early}, {"naive", LevelPrediction::naive}, {"bcm", LevelPrediction::bcm}};
};
template <>
struct Names<LowRankFeatures> {
  static constexpr const char* parameter = "features";
  static constexpr Name<LowRankFeatures> table[] = {
      {"nystrom", LowRankFeatures::nystrom}, {"rks", LowRankFeatures::rks}, {"fastfood", LowRankFeatures::fastfood}};
};
template <>
struct Names<LandmarkChoice> {
  static constexpr const char* parameter = "landmarks";
  static constexpr Name<LandmarkChoice> table[] = {
      {"kmeans", LandmarkChoice::kmeans}, {"kmeans++", LandmarkChoice::kmeans_seeds}, {"uniform", LandmarkChoice::uniform}};
};
template <>
struct Names<LowRankLoss> {
  static constexpr const char* parameter = "loss";
  static constexpr Name<LowRankLoss> table[] = {{"hinge", LowRankLoss::hinge}, {"squared_hinge", LowRankLoss::squared_hinge}};
};
template <>
struct Names<MultiClass> {
  static constexpr const char* parameter = "multi_class";
  static constexpr Name<MultiClass> table[] = {{"ovr", MultiClass::one_vs_rest}, {"ovo", MultiClass::one_vs_one}};
};

template <>
struct Names<PseudoLandmarks> {
  static constexpr const char* parameter = "pseudo";
  static constexpr Name<PseudoLandmarks> table[] = {{"none", PseudoLandmarks::none},
                                                    {"triangle", PseudoLandmarks::triangle_lower},
                                                    {"triangle_upper", PseudoLandmarks::triangle_upper},
                                                    {"polynomial", PseudoLandmarks::polynomial}};
};

template <>
struct Names<Landmarks> {
  static constexpr const char* parameter = "landmarks";
  static constexpr Name<Landmarks> table[] = {{"kmeans", Landmarks::kmeans}, {"support", Landmarks::support}};
};

template <>
struct Names<LsMethod> {
  static constexpr const char* parameter = "method";
  static constexpr Name<LsMethod> table[] = {{"nystrom", LsMethod::nystrom},
                                             {"kaczmarz", LsMethod::kaczmarz},
                                             {"matching_pursuit", LsMethod::matching_pursuit},
                                             {"kaczmarz_mp", LsMethod::kaczmarz_mp},
                                             {"exact", LsMethod::exact}};
};

template <class E>
std::string name_of(E value) {
  for (const auto& [name, e] : Names<E>::table) {
    if (e == value) return name;
  }
  return "?";
}

/// Throws ParameterError naming the parameter and what is allowed.
template <class E>
E from_name(const std::string& text) {
  std::string allowed;
  for (const auto& [name, e] : Names<E>::table) {
    if (text == name) return e;
    allowed += std::string(allowed.empty() ? "" : ", ") + "'" + name + "'";
  }
  throw ParameterError(std::string(Names<E>::parameter) + " must be one of " + allowed + "; got '" + text + "'");
}

/// An enum member as a str attribute of a bound class.
template <auto Member, class C>
void named(C& bound, const char* name) {
  using Own = typename C::type;
  using E = std::decay_t<decltype(std::declval<Own>().*Member)>;
  bound.def_property(
      name, [](const Own& self) { return name_of(self.*Member); },
      [](Own& self, const std::string& value) { self.*Member = from_name<E>(value); });
}
}  // namespace dcsvm::bindings
