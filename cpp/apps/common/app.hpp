// What the commands of LIBSVM and LIBLINEAR share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dcsvm/c_call.h"
#include "dcsvm/data.hpp"
#include "dcsvm/libsvm/svm.h"

namespace app {

/// Prints printf's text to stderr and exits with 1, as LIBSVM's commands do for every error.
[[noreturn]]
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void fail(const char* format, ...);

/// The help of a command, and the words with which it refuses an option.
struct Help {
  const char* text;
  const char* unknown_option;  ///< "Unknown option" or "unknown option"

  /// Prints the help to stdout and exits with 1.
  [[noreturn]] void show() const;
  [[noreturn]] void unknown(char letter) const;
};

/// What main returns: command(argc, argv), or 1 after a message when memory runs out; files under construction are removed then.
/// The command sees its arguments as UTF-8, and prints the same bytes on every system.
int run(int (*command)(int, char**), int argc, char** argv);

/// Where the indices of a data file start. LIBSVM: column = index; a file without rows is an error. LIBLINEAR: column = index -
/// 1, an index 0 is an error, a file without rows is legal.
enum class Indices { from_0, from_1 };

/// Exits with "can't open <what> <path>" when there is no such file or it may not be read.
void check_readable(const char* path, const char* what);

/// The bytes of a file. Exits with "can't open <what> <path>".
std::string read_text(const char* path, const char* what);

/// Reads a data file. Exits with the original's words for a file that cannot be opened ("can't open <what> <path>") or parsed
/// ("Wrong input format at line 3").
dcsvm::Dataset read_file(const char* path, const char* what, Indices indices = Indices::from_0);

/// Reads a data file whose indices start at 1 a part at a time: calls use(rows) for about part_bytes of text. Exits as read_file,
/// also after parts before an error were used; a file without rows has no part.
void read_parts(const char* path, const char* what, dcsvm::Index part_bytes,
                const std::function<void(const dcsvm::Dataset&)>& use);

/// The rows of a data file for the C functions; it points into `data`. Exits when there are more than an int can count.
dcsvm_matrix matrix(const dcsvm::Dataset& data, const char* path);

/// The name of the model that is trained on `input`: its last part and ".model", in the working directory.
std::string default_model(const char* input);

/// Ends the program when a call of dcsvm's C functions fails: `work` gives its code. `path`: the data file, for the message.
template <class F>
void succeed(const char* path, F&& work) {
  char why[1000] = "";
  dcsvm_call call{};
  call.error = why;
  call.error_size = sizeof why;
  if (work(&call) != DCSVM_OK) fail("ERROR: %s: %s\n", path, why);
}

/// A data file as rows of svm_nodes.
struct Problem {
  std::vector<double> y;
  std::vector<svm_node> nodes;
  std::vector<svm_node*> rows;
  int max_index = 0;

  int size() const { return static_cast<int>(rows.size()); }
};
Problem read_problem(const char* path);

/// Sums for accuracy, mean squared error and squared correlation.
class Score {
 public:
  void add(double target, double predicted);
  double accuracy() const { return 100.0 * right_ / n_; }  ///< %
  double squared_error() const { return error_ / n_; }
  double squared_correlation() const;
  int right() const { return static_cast<int>(right_); }
  int total() const { return static_cast<int>(n_); }

 private:
  double n_ = 0, right_ = 0, error_ = 0, v_ = 0, y_ = 0, vv_ = 0, yy_ = 0, vy_ = 0;
};

}  // namespace app
