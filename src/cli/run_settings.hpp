#pragma once

#include <string>

#include "cli/inversion_run.hpp"

namespace fermat::cli {

/// The flags that were given, as TOML, and behind them the options that were chosen where flags
/// left them open, with all their digits: the same run can be made of them again. What was chosen
/// and is no option stands there as comments.
std::string with_choices(std::string settings, const InversionInputs& inputs);

}  // namespace fermat::cli
