// Problems on the same X (classes), step by step together, so that a product with X serves all of them.
#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "dcsvm/errors.hpp"
#include "linear_fit/newton.hpp"
#include "linear_fit/stopping.hpp"
#include "products/several_vectors.hpp"

namespace dcsvm::linear_fit {

namespace {

class Group {
 public:
  Group(const std::vector<NewtonProblem>& tasks, base::Context& context)
      : x_(*tasks.front().problem->x), context_(context), pool_(*context.pool), tile_rows_(tasks.size() > 1 ? pool_.size() : 1) {
    all_.reserve(tasks.size());
    for (const NewtonProblem& task : tasks) all_.push_back(std::make_unique<Newton>(task, tasks.size() > 1, context.cap_bytes));
  }

  std::vector<Solution> run() {
    Problems next;
    for (const auto& p : all_) next.push_back(p.get());
    do {
      resume(next);
      next = answer_next();
    } while (!next.empty());
    std::vector<Solution> out;
    out.reserve(all_.size());
    for (const auto& p : all_) out.push_back(p->take(pool_));
    return out;
  }

 private:
  using Problems = std::vector<Newton*>;

  /// Those that are furthest behind, with what they ask for; none: all have ended, or the host has cancelled.
  Problems answer_next() {
    for (const Request request : {Request::curvature, Request::change, Request::gradient, Request::decisions, Request::step}) {
      Problems waiting;
      for (const auto& p : all_) {
        if (p->request() == request) waiting.push_back(p.get());
      }
      if (waiting.empty()) continue;
      // Between steps, and between the products of one: the weights are those of the last step. Others go on to their next.
      if ((request == Request::step || request == Request::curvature) && cancelled(waiting)) {
        for (Newton* p : waiting) p->stop(StopReason::cancelled);
        continue;
      }
      answer(request, waiting);
      return waiting;
    }
    return {};
  }

  /// One of several on one thread, one alone on all.
  void resume(const Problems& problems) {
    if (problems.size() == 1) {
      Workspace workspace{pool_, tile_rows_.front()};
      return problems.front()->resume(workspace);
    }
    pool_.for_each(static_cast<Index>(problems.size()), [&](Index k, int thread) {
      base::ThreadPool serial(1, [this, thread] {
        if (thread == 0) pool_.poll();
        if (pool_.failed()) throw Interrupted();  // the pool rethrows what came first
      });
      Workspace workspace{serial, tile_rows_[static_cast<std::size_t>(thread)]};
      problems[static_cast<std::size_t>(k)]->resume(workspace);
    });
  }

  void answer(Request request, const Problems& problems) {
    pool_.poll();
    switch (request) {
      case Request::curvature:
        return curvature_products(x_, sources(problems, &Newton::curvature), sources(problems, &Newton::dir),
                                  vectors(problems, &Newton::q), pool_);
      case Request::change: return row_products(x_, sources(problems, &Newton::s), vectors(problems, &Newton::zs), pool_);
      case Request::gradient:
        return transposed_products(x_, sources(problems, &Newton::slope), vectors(problems, &Newton::g), pool_);
      case Request::decisions: return row_products(x_, sources(problems, &Newton::w), vectors(problems, &Newton::z), pool_);
      case Request::step:
      case Request::nothing: break;
    }
    Problems diagonal;
    std::copy_if(problems.begin(), problems.end(), std::back_inserter(diagonal), [](Newton* p) { return p->needs_diagonal(); });
    if (diagonal.empty()) return;
    hessian_diagonals(x_, sources(diagonal, &Newton::curvature), vectors(diagonal, &Newton::squares), pool_);
  }

  bool cancelled(const Problems& problems) {
    Solution so_far;
    double objective = 0;
    for (const auto& p : all_) {
      so_far.n_iter += p->solution().n_iter;
      objective += p->objective();
    }
    for (const Newton* p : problems) so_far.violation = std::max(so_far.violation, p->solution().violation);
    return linear_fit::cancelled(context_, "newton", so_far, objective, x_.rows());
  }

  template <class Vector>
  static products::Vectors vectors(const Problems& problems, const Vector& vector) {
    products::Vectors out;
    for (Newton* p : problems) out.push_back((p->*vector)());
    return out;
  }
  template <class Vector>
  static products::ConstVectors sources(const Problems& problems, const Vector& vector) {
    const products::Vectors found = vectors(problems, vector);
    return {found.begin(), found.end()};
  }

  const Matrix& x_;
  base::Context& context_;
  base::ThreadPool& pool_;
  std::vector<products::TileRows> tile_rows_;  // one for each thread
  std::vector<std::unique_ptr<Newton>> all_;
};

}  // namespace

std::vector<Solution> solve_newton(const std::vector<NewtonProblem>& problems, base::Context& context) {
  return Group(problems, context).run();
}

Solution solve_newton(const Problem& problem, const SolveOptions& options, base::Context& context) {
  return std::move(solve_newton({{&problem, options}}, context).front());
}

}  // namespace dcsvm::linear_fit
