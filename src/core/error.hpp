#pragma once

#include <stdexcept>
#include <string>

#include "core/printable.hpp"

namespace fermat {

/// Every message is one sentence: what is wrong, with its value; why; what would be right. It may
/// quote file names and file contents, and is printable nevertheless.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& message) : std::runtime_error(printable(message)) {}
};

/// The call or its input is wrong. Exit status 2; ValueError in Python.
class InputError : public Error {
  public:
    using Error::Error;
};

/// The computation or the machine failed. Exit status 1; RuntimeError in Python.
class ComputeError : public Error {
  public:
    using Error::Error;
};

/// The user asked to stop. Exit status 130; KeyboardInterrupt in Python.
class Cancelled : public Error {
  public:
    Cancelled() : Error("stopped by the user") {}
};

}  // namespace fermat
