#include "io/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

constexpr std::array<std::string_view, 17> error_names = {
    "error",       "err",           "errors",     "t_err",   "terr",  "err_t",
    "t_error",     "time_err",      "time_error", "timeerr", "sigma", "sigma_t",
    "uncertainty", "uncertainties", "std",        "stddev",  "dt"};

/// Columns that identify a row and hold no measurement.
constexpr std::array<std::string_view, 12> labels = {"name",    "id",      "label",   "station",
                                                     "code",    "network", "channel", "event",
                                                     "comment", "remark",  "note",    "index"};

constexpr std::array<std::string_view, 12> pick_columns = {
    "source_x", "source_y", "source_z", "receiver_x", "receiver_y",  "receiver_z",
    "time",     "event",    "station",  "phase",      "origin_time", "polarity"};

std::string lower(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return small;
}

/// The first names and the number of the others: "'a', 'b' and 3 more".
std::string listed(std::span<const std::string> names) {
    constexpr std::size_t most = 6;
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
        list += (i == 0 ? "" : ", ") + in_quotes(names[i]);
    }
    if (names.size() > most) list += fmt::format(" and {} more", names.size() - most);
    return list;
}

}  // namespace

bool among(std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::span<const std::string_view> pick_column_names() { return pick_columns; }

bool is_error_name(std::string_view name) { return among(error_names, lower(name)); }

void note_unused_columns(const std::string& what, std::span<const std::string> names,
                         std::span<const std::string_view> known, std::string_view remedy,
                         Notes& notes) {
    std::vector<std::string> unused;
    std::string used;
    for (const std::string& name : names) {
        if (among(known, name)) {
            used += (used.empty() ? "" : ",") + name;
        } else if (!among(labels, lower(name))) {
            unused.push_back(name);
        }
    }
    if (unused.empty()) return;
    notes.add(fmt::format("{}: column{} {} {} not used (used: {}; {})", what,
                          unused.size() == 1 ? "" : "s", listed(unused),
                          unused.size() == 1 ? "is" : "are", used, remedy));
}

std::optional<std::size_t> find_error_column(const std::string& what,
                                             std::span<const std::string> names,
                                             std::span<const std::string_view> known,
                                             Notes& notes) {
    std::optional<std::size_t> found;
    const auto plain = std::find(names.begin(), names.end(), "error");
    if (plain != names.end()) found = static_cast<std::size_t>(plain - names.begin());
    for (std::size_t i = 0; i < names.size() && plain == names.end(); ++i) {
        if (!is_error_name(names[i]) || among(known, names[i])) continue;
        if (found) {
            throw InputError(
                fmt::format("{} has the columns {} and {} (either could be the error: name one of "
                            "them 'error')",
                            what, in_quotes(names[*found]), in_quotes(names[i])));
        }
        found = i;
    }
    std::vector<std::string_view> taken(known.begin(), known.end());
    if (found) {
        taken.push_back(names[*found]);
        if (names[*found] != "error" && names[*found] != "err") {
            notes.add(fmt::format("{}: column {} is taken for the error of each pick", what,
                                  in_quotes(names[*found])));
        }
    }
    note_unused_columns(what, names, taken,
                        found ? "rename what should be" : "name a column of errors 'error'", notes);
    return found;
}

}  // namespace fermat
