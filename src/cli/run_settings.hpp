#pragma once

#include <string>
#include <vector>

#include "core/grid.hpp"
#include "tomography/invert.hpp"

namespace fermat::cli {

/// The flags that were given, as TOML, and behind them the options that were chosen where flags
/// left them open, with all their digits: the same run can be made of them again. What was chosen
/// and is no option stands there as comments.
struct ChosenSettings {
    const InversionOptions& options;
    const Grid& grid;
    bool guessed_start = false;
    const std::vector<std::string>& choices;
    std::string phases{};  ///< of codes: "1=Pg,2=PmP"
};
std::string with_choices(std::string settings, const ChosenSettings& chosen);

}  // namespace fermat::cli
