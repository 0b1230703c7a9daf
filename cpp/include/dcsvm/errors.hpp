// Every error that the library throws. Python translates each once (see python/bindings/errors.cpp).
#pragma once

#include <stdexcept>
#include <string>

namespace dcsvm {

/// Base of all errors thrown by dcsvm (std::bad_alloc excepted).
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A parameter is out of range or unknown; the text starts with its name. Python: ValueError.
class ParameterError : public Error {
 public:
  using Error::Error;
};

/// The data is unusable; the text names row and column where there is one. Python: ValueError.
class DataError : public Error {
 public:
  using Error::Error;
};

/// A text data file is malformed; the text names file, line and column. Python: ValueError.
class ParseError : public DataError {
 public:
  using DataError::DataError;
};

/// A file cannot be opened, read or written; the text names the path. Python: OSError.
class FileError : public Error {
 public:
  FileError(const std::string& what, int errno_value) : Error(what), errno_(errno_value) {}
  /// The errno of the failed call.
  int code() const noexcept { return errno_; }

 private:
  int errno_;
};

/// A model file is damaged or of an unknown version; the text names the byte or section. Python: dcsvm.ModelError (a ValueError).
class ModelError : public Error {
 public:
  using Error::Error;
};

/// The byte cap is too small for the problem. Python: MemoryError.
class CapError : public Error {
 public:
  using Error::Error;
};

/// Hooks::interrupted returned true. Python: KeyboardInterrupt.
class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted") {}
};

}  // namespace dcsvm
