#include "tomography/picks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace fermat {
namespace {

using Where = std::function<std::string(std::size_t)>;

/// Throws where a value of a pick is bad, and says of which the first and how many there are.
template <class Bad>
void refuse_where(const Picks& picks, const Where& where, double Pick::*value, const char* name,
                  const std::string& right, Bad bad) {
    const auto is_bad = [&](const Pick& pick) { return bad(pick.*value); };
    const auto first = std::find_if(picks.picks.begin(), picks.picks.end(), is_bad);
    if (first == picks.picks.end()) return;
    throw InputError(fmt::format(
        "{}{} is {} ({}; so it is in {} of {} picks)",
        where(static_cast<std::size_t>(first - picks.picks.begin())), name, (*first).*value, right,
        std::count_if(first, picks.picks.end(), is_bad), picks.picks.size()));
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

void fill_missing_errors(Picks& picks, const std::string& what, Notes& notes) {
    std::vector<double> given;
    for (const Pick& pick : picks.picks) {
        if (!std::isnan(pick.error)) given.push_back(pick.error);
    }
    const std::size_t missing = picks.picks.size() - given.size();
    if (missing == 0) return;
    picks.has_errors = !given.empty();
    const double filled = picks.has_errors ? median(std::move(given)) : 0;
    for (Pick& pick : picks.picks) {
        if (std::isnan(pick.error)) pick.error = filled;
    }
    notes.add(
        picks.has_errors
            ? fmt::format("{}: {} of {} errors are missing and became {:g}, the median of "
                          "those given",
                          what, missing, picks.picks.size(), filled)
            : fmt::format("{}: all {} errors are missing, so the picks have none", what, missing));
}

}  // namespace

void settle_picks(Picks& picks, const std::string& what, const Where& where, Notes& notes) {
    refuse_where(picks, where, &Pick::time, "time",
                 "must be finite: leave out picks without a time",
                 [](double time) { return !std::isfinite(time); });
    refuse_where(picks, where, &Pick::time, "time",
                 "must not be negative: times count from the source's own, and picks before it "
                 "must be left out",
                 [](double time) { return time < 0; });
    if (!picks.has_errors) return;
    refuse_where(picks, where, &Pick::error, "error",
                 "must be finite and > 0: an unknown one is left empty or nan, and all of them "
                 "may be left out",
                 [](double error) { return error <= 0 || std::isinf(error); });
    fill_missing_errors(picks, what, notes);
}

}  // namespace fermat
