#include <fmt/format.h>

#include <map>
#include <utility>

#include "io/format_table.hpp"
#include "io/number_lines.hpp"
#include "io/suffix.hpp"

namespace fermat {
namespace {

/// The earliest arrival of each pair, in the order in which the pairs appear.
class Earliest {
  public:
    void add(const PickRow& row, PickBuilder& builder) {
        const auto [entry, added] =
            numbers_.try_emplace({row.source.x, row.receiver.x}, rows_.size());
        if (added) {
            rows_.push_back(row);
            return;
        }
        builder.leave_out("have an earlier arrival of the same pair");
        PickRow& kept = rows_[entry->second];
        if (row.time < kept.time) kept = row;
    }
    const std::vector<PickRow>& rows() const { return rows_; }

  private:
    std::map<std::pair<double, double>, std::size_t> numbers_{};
    std::vector<PickRow> rows_{};
};

/// rayinvr's `tx.in`: x in km, time and error in s, and a code per line; code 0 starts a shot, -1
/// ends the file. Of several arrivals of a pair the earliest is taken, or that with the code
/// `options.phase`; with `options.named_phases` all are.
SurveyFile read_rayinvr(const TextFile& file, const PickReadOptions& options, Notes& notes) {
    NumberLines lines(file);
    PickDialect dialect = PickDialect::of_lines("km", "s");
    dialect.has_errors = true;
    PickBuilder builder(file.path(), options, dialect);
    Earliest earliest;
    std::map<std::string, std::size_t> codes;
    bool started = false;
    bool ended = false;
    double shot = 0;
    while (!ended) {
        const auto words = lines.next();
        if (words.empty()) break;
        const double x = lines.finite(words, 0, "x");
        const double second = lines.number(words, 1, "the second number");
        const double third = lines.number(words, 2, "the third number");
        const double code = lines.finite(words, 3, "the code");
        if (code == 0) {
            shot = x;
            started = true;
        } else if (code == -1) {
            ended = true;
        } else if (!started) {
            lines.fail("a pick comes before the first shot (a line with code 0 starts a shot)");
        } else {
            const std::string name = fmt::format("{:g}", code);
            ++codes[name];
            if (!options.phase.empty() && name != options.phase) {
                builder.leave_out(fmt::format("have another code than {}", options.phase));
                continue;
            }
            PickRow row{{shot, 0, 0}, {x, 0, 0}, second, third, lines.line()};
            row.name = name;
            if (options.named_phases) {
                builder.add(row);
            } else {
                earliest.add(row, builder);
            }
        }
    }
    for (const PickRow& row : earliest.rows()) builder.add(row);
    if (!ended) {
        notes.add(fmt::format("{}: the closing line with code -1 is missing", lines.quoted()));
    }
    std::string list;
    for (const auto& [name, count] : codes) {
        list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", name, count);
    }
    if (codes.size() > 1 && options.phase.empty() && !options.named_phases) {
        notes.add(fmt::format("{}: the codes {} are all read (`phase` takes one of them)",
                              lines.quoted(), list));
    }
    notes.add(fmt::format("{}: the format has no depths, so z is 0 everywhere", lines.quoted()));
    return builder.finish(notes);
}

}  // namespace

const PickReader rayinvr_picks{
    PickFormat::rayinvr,
    [](const TextFile& file) {
        const std::string suffix = input_suffix_of(file.path());
        return lower_name(file.path()).starts_with("tx") && (suffix == ".in" || suffix == ".out");
    },
    [](const Words& first, const Words& second) {
        return first.size() == 4 && first[3] == "0" && second.size() == 4;
    },
    read_rayinvr};

}  // namespace fermat
