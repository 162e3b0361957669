#include "model/phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/error.hpp"

namespace fermat {
namespace {

// Branches of the first arrival, without their first letter, as catalogues write them: direct,
// in the crust (g, b, 1), along the Moho (n, *), through the core or along it. Some write all
// letters large.
constexpr std::array<std::string_view, 17> branches = {"",    "g",    "b",  "n",   "*",    "1",
                                                       "dif", "diff", "KP", "KS",  "KIKP", "KIKS",
                                                       "G",   "B",    "N",  "DIF", "DIFF"};

}  // namespace

Phase phase_of_name(std::string_view name) {
    const auto first = name.find_first_not_of(" \t");
    const auto last = name.find_last_not_of(" \t");
    const std::string_view word =
        first == std::string_view::npos ? "" : name.substr(first, last - first + 1);
    if (!word.empty()) {
        const char letter = word.front();
        const bool is_p = letter == 'P' || letter == 'p';
        const bool is_s = letter == 'S' || letter == 's';
        const bool is_first =
            std::find(branches.begin(), branches.end(), word.substr(1)) != branches.end();
        if (is_first && is_p) return Phase::P;
        if (is_first && is_s) return Phase::S;
    }
    throw InputError(fmt::format(
        "phase is '{}' (must be a first arrival: P, Pg, Pn, Pdif, S, Sg, Sn ...)", word));
}

}  // namespace fermat
