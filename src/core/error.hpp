#pragma once

#include <stdexcept>
#include <string>

#include "core/printable.hpp"

namespace fermat {

/// Every message is one sentence: what is wrong with its value, why, what would be right. It may
/// name files of others and quote them, and is printable all the same.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& message) : std::runtime_error(printable(message)) {}
};

/// The call or its input is wrong: exit status 2, Python's ValueError.
class InputError : public Error {
  public:
    using Error::Error;
};

/// The computation or the machine failed: exit status 1, Python's RuntimeError.
class ComputeError : public Error {
  public:
    using Error::Error;
};

/// The user asked to stop: exit status 130, Python's KeyboardInterrupt.
class Cancelled : public Error {
  public:
    Cancelled() : Error("stopped by the user") {}
};

}  // namespace fermat
