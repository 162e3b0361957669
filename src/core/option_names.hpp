#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace fermat {

// A message of the library names an option as its table does, in backticks and with the value that
// it should have: "use `device=cpu`". The library knows neither flags nor keywords. The program
// shows "use --device cpu" instead, and Python "use device='cpu'".

/// How one user interface writes an option. `value` is empty where the message names none: "without
/// `resume`".
using OptionWriter = std::function<std::string(std::string_view name, std::string_view value)>;

/// The message with every option in backticks replaced by what `write` returns. Other text in
/// backticks stays as it is.
std::string with_options_written(std::string_view message, const OptionWriter& write);

}  // namespace fermat
