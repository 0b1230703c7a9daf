// Truncated Newton with a line search for the smooth losses and 1/2 |w|^2.
// [1] Lin, Weng, Keerthi: Trust region Newton method for large-scale logistic regression (JMLR 9, 2008).
// [2] Hsia, Chiang, Lin: Preconditioned conjugate gradient methods in truncated Newton frameworks (ACML 2018).
// [3] Galli, Lin: A study on truncated Newton methods for linear classification (IEEE TNNLS 33, 2022).
//
// Each step solves H s = -g, H = I + X' D X, by conjugate gradients to the accuracy of [3], preconditioned as preconditioner.hpp
// says; then a backtracking line search, whose function values cost O(n) because Xw and Xs are kept. With few columns H itself is
// factored, and steps are as long as an exact line search finds.
//
// With alpha_i = -slope_i, sum alpha_i x_i = w - g, and the gap between w and alpha is 1/2 |g|^2.
#pragma once

#include <vector>

#include "linear_fit/preconditioner.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/conjugate_gradients.hpp"

namespace dcsvm::linear_fit {

/// What a problem waits for. Its group computes it (newton_group.cpp), with one read of X for all problems that wait for the
/// same, and then calls Newton::resume().
enum class Request {
  curvature,  ///< q = X' D X dir
  change,  ///< zs = Xs
  gradient,  ///< g = X' slope
  decisions,  ///< z = Xw
  step,  ///< that all other problems have come to their next step; then squares, where needs_diagonal(): sums of curvature x_ij^2
  nothing,  ///< it has ended
};

/// What a problem may use while it goes on: a pool of all threads where it is alone, of one where others go on beside it.
struct Workspace {
  base::ThreadPool& pool;
  products::TileRows& tile_rows;
};

/// The solve of one problem, cut into stages. Each stage ends with what the problem waits for, and the stage that follows.
class Newton {
 public:
  /// shared: products with X serve other problems too.
  Newton(const NewtonProblem& task, bool shared, std::size_t cap_bytes);

  Request request() const { return request_; }
  /// To be called first, and whenever the problem has got what it needs.
  void resume(Workspace& workspace);
  /// Between two steps: no more are taken.
  void stop(StopReason reason);
  /// Takes the solution, and adds it to the path.
  Solution take(base::ThreadPool& pool);

  const Solution& solution() const { return solution_; }
  double objective() const { return f_; }
  bool needs_diagonal() { return m_.needs_diagonal(); }
  double* w() { return solution_.w.data(); }
  double* z() { return z_.data(); }
  double* zs() { return zs_.data(); }
  double* slope() { return slope_.data(); }
  double* curvature() { return curvature_.data(); }
  double* g() { return g_.data(); }
  double* s() { return cg_.solution.data(); }
  double* dir() { return cg_.direction.data(); }
  double* q() { return cg_.image.data(); }
  double* squares() { return m_.squares(); }

 private:
  using Stage = void (Newton::*)(Workspace&);
  enum class Start {
    zero,
    given,
    path,  ///< the path's last point
  };

  /// Three sums over columns.
  struct Sums {
    double first = 0, second = 0, third = 0;
    void operator+=(const Sums& s);
  };
  /// As ConjugateGradients takes them.
  struct OverColumns {
    const Newton& newton;
    base::ThreadPool& pool;
    double dot(const std::vector<double>& a, const std::vector<double>& b) const;
    template <class Fn>
    void each(const Fn& fn) const;
  };
  /// The objective along s: penalty + t ws + t^2 ss / 2 + losses(t), with the derivative `along` at t = 0.
  struct Line {
    double penalty, ws, ss, along;
    double at(double t) const { return penalty + t * ws + 0.5 * t * t * ss; }
  };

  void ask(Request request, Stage next);
  void begin(Workspace& workspace);
  void leave_zero(Workspace& workspace);
  void arrive(Workspace& workspace);
  void start_steps(Workspace& workspace);
  void combine(Workspace& workspace);
  void next_step(Workspace& workspace);
  void begin_direction(Workspace& workspace);
  void add_product(Workspace& workspace);
  void step(Workspace& workspace);
  void judge_step(Workspace& workspace);

  void ask_for_gradient(base::ThreadPool& pool, Stage next);
  void overflow();
  bool finished(double gradient, base::ThreadPool& pool);
  double violation() const;
  double unit(double gap, base::ThreadPool& pool);
  bool warm() const { return start_ == Start::given || start_ == Start::path; }
  double rounding(base::ThreadPool& pool);
  void leave(base::ThreadPool& pool);
  void evaluate(base::ThreadPool& pool);
  double losses(double t, base::ThreadPool& pool) const { return p_.losses(z_, t, zs_, pool); }
  template <class Term>
  Sums over_columns(base::ThreadPool& pool, const Term& term) const;
  bool move(base::ThreadPool& pool);
  double backtrack(const Line& line, double t, base::ThreadPool& pool);

  const Problem& p_;
  const SolveOptions& options_;
  Index n_, d_;
  Start start_;
  Preconditioner m_;
  Request request_ = Request::step;
  Stage next_ = &Newton::begin;
  Solution solution_;
  double zero_gradient_ = 0, at_zero_ = -1;  // norm, and objective, at w = 0; < 0: not known yet
  double target_ = 0;  // the norm of the gradient at which the solve ends
  double f_ = 0, before_ = 0;  // the objective; before_: the gradient's norm before the step
  bool gained_ = false;  // by the last step, more than rounding
  Gains gains_;
  std::vector<double> z_, slope_, curvature_, zs_;  // of each row: z = Xw, the derivatives of its loss there, zs = Xs
  std::vector<double> g_;  // the gradient
  optimise::ConjugateGradients<> cg_;  // for H s = -g
  double accuracy_ = 0, model_ = 0;  // of these: relative, what is asked for; by how much s lowers the quadratic model
};

}  // namespace dcsvm::linear_fit
