#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "io/columns.hpp"
#include "io/csv.hpp"
#include "io/format_table.hpp"
#include "io/pick_columns.hpp"
#include "io/suffix.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

/// A column of the table that is read, and what its numbers are multiplied by.
struct TableColumn {
    std::size_t number = 0;
    double factor = 1;
};

class PickTable {
  public:
    PickTable(const TextFile& file, const PickReadOptions& options, Notes& notes)
        : file_(file), table_(file, CsvTable::Style::free), options_(options), notes_(notes) {}

    SurveyFile read() {
        choose_columns();
        choose_units();
        PickDialect dialect;
        dialect.has_errors = has("error");
        dialect.has_y = geographic() || has("source_y");
        dialect.length = length_unit_;
        dialect.time = time_unit_;
        if (geographic()) dialect.usual_length = "km";
        PickBuilder builder(table_.path(), options_, dialect);
        if (geographic()) {
            choose_plane(builder);
        } else if (const auto plane = read_plane(file_)) {
            builder.keep_plane(*plane);
        } else {
            builder.keep_projection(read_projection(file_));
        }
        for (std::size_t row = 0; row < table_.rows(); ++row) add(row, builder);
        SurveyFile file = builder.finish(notes_);
        const UnitNames kept = read_units(file_);
        if (file.units.length.empty()) file.units.length = kept.length;
        if (file.units.time.empty()) file.units.time = kept.time;
        return file;
    }

  private:
    std::string quoted() const { return fmt::format("'{}'", table_.path().string()); }
    bool has(const std::string& role) const { return columns_.contains(role); }
    bool geographic() const { return has("source_longitude"); }

    /// Columns that the user maps, then those with usual names for what is still open.
    void choose_columns() {
        std::vector<std::string> guessed;
        for (const auto& [role, name] : options_.columns) {
            require_pick_role(role);
            const auto column = table_.find_column(name);
            if (!column) {
                throw InputError(fmt::format("{} has no column {} for {} (its columns are {})",
                                             quoted(), in_quotes(name), role, listed_names()));
            }
            if (!columns_.emplace(role, TableColumn{*column, 1}).second) {
                throw InputError(fmt::format("column {} is mapped twice", role));
            }
        }
        for (std::size_t i = 0; table_.has_names() && i < table_.names().size(); ++i) {
            const auto found = pick_column_of(table_.names()[i]);
            if (!found || is_mapped(i)) continue;
            if (!columns_.emplace(found->role, TableColumn{i, 1}).second) {
                if (options_is_mapped(found->role)) continue;
                throw InputError(fmt::format(
                    "{} has the columns {} and {} (either could be {}: say which with "
                    "`columns`)",
                    quoted(), in_quotes(table_.names()[columns_.at(found->role).number]),
                    in_quotes(table_.names()[i]), found->role));
            }
            if (!found->unit.empty()) name_units_[found->role] = found->unit;
            if (table_.names()[i] != found->role) {
                guessed.push_back(fmt::format("{} for {}{}", in_quotes(table_.names()[i]),
                                              found->role,
                                              found->unit.empty() ? "" : " in " + found->unit));
            }
        }
        tell_guesses(guessed);
        require_columns();
        tell_unused();
    }

    bool is_mapped(std::size_t column) const {
        return std::any_of(columns_.begin(), columns_.end(),
                           [&](const auto& entry) { return entry.second.number == column; });
    }
    bool options_is_mapped(const std::string& role) const {
        return std::any_of(options_.columns.begin(), options_.columns.end(),
                           [&](const auto& entry) { return entry.first == role; });
    }

    void tell_guesses(const std::vector<std::string>& guessed) {
        if (guessed.empty()) return;
        std::string list;
        for (const std::string& one : guessed) list += (list.empty() ? "" : ", ") + one;
        notes_.add(fmt::format("{}: columns are taken by their names: {}", quoted(), list));
    }

    std::string listed_names() const {
        std::string list;
        for (const std::string& name : table_.names()) list += (list.empty() ? "" : ",") + name;
        return in_quotes(list);
    }

    void require_columns() const {
        const auto need = [&](const std::string& role) {
            if (has(role)) return;
            throw InputError(
                fmt::format("{} has no column for {} (its columns are {}: say which it is with "
                            "`columns`)",
                            quoted(), role, listed_names()));
        };
        need("time");
        const bool places = has("source_longitude") || has("receiver_longitude") ||
                            has("source_latitude") || has("receiver_latitude");
        for (const std::string end : {"source", "receiver"}) {
            if (places) {
                need(end + "_longitude");
                need(end + "_latitude");
            } else {
                need(end + "_x");
                if (has("source_y") || has("receiver_y")) need(end + "_y");
            }
            if (has(end + "_z") && has(end + "_height")) {
                throw InputError(fmt::format("{} has both {}_z and {}_height (leave one out)",
                                             quoted(), end, end));
            }
            if (has(end + "_z") || has(end + "_height")) continue;
            notes_.add(fmt::format("{}: no column for {}_z or {}_height, so z of the {}s is 0",
                                   quoted(), end, end, end));
        }
    }

    void tell_unused() const {
        std::vector<std::string_view> known;
        for (const auto& [role, column] : columns_)
            known.emplace_back(table_.names()[column.number]);
        note_unused_columns(quoted(), table_.names(), known, "`columns` says what a column holds",
                            notes_);
    }

    /// Units of single columns are turned into those of the file.
    void choose_units() {
        length_unit_ = options_.units.length;
        time_unit_ = options_.units.time;
        if (geographic() && length_unit_.empty()) {
            length_unit_ = "km";
            const bool ours = options_.on_sphere && has("source_z") && has("receiver_z");
            if (!ours) {
                notes_.add(
                    fmt::format("{}: depths and heights are taken as km (say the unit of "
                                "length, or of one column, with `unit` for others)",
                                quoted()));
            }
        }
        std::map<std::string, std::string> units = name_units_;
        for (const auto& [role, unit] : options_.column_units) {
            require_pick_role(role);
            if (!has(role)) {
                throw InputError(fmt::format("{} has no column {} to have the unit {}", quoted(),
                                             role, in_quotes(unit)));
            }
            units[role] = unit;
        }
        if (units.contains("time") && time_unit_.empty()) {
            time_unit_ = units.at("time");
        }
        for (const auto& [role, unit] : units) {
            const bool time = role == "time" || role == "error" || role == "origin_time";
            const Quantity quantity = time ? Quantity::time : Quantity::length;
            const std::string& base = time ? time_unit_ : length_unit_;
            const double size = unit_size(quantity, unit);
            if (base.empty()) {
                throw InputError(fmt::format(
                    "{} is in {} but the unit of the other columns is not known (say that of "
                    "{} with `unit`)",
                    role, unit, time ? "time" : "length"));
            }
            columns_.at(role).factor = size / unit_size(quantity, base);
        }
    }

    double value(std::size_t row, const std::string& role) const {
        const TableColumn& column = columns_.at(role);
        return column.factor * table_.number_or_nan(row, column.number);
    }
    double position(std::size_t row, const std::string& role) const {
        const double number = value(row, role);
        if (std::isfinite(number)) return number;
        throw InputError(fmt::format("{}{} is {} (must be a finite number)", table_.where(row),
                                     role, in_quotes(table_.text(row, columns_.at(role).number))));
    }
    GeoPoint place(std::size_t row, const std::string& end) const {
        return {position(row, end + "_longitude"), position(row, end + "_latitude")};
    }

    void choose_plane(PickBuilder& builder) {
        std::vector<GeoPoint> places;
        for (std::size_t row = 0; row < table_.rows(); ++row) {
            places.push_back(place(row, "source"));
            places.push_back(place(row, "receiver"));
        }
        plane_ = plane_round(places, unit_size(Quantity::length, length_unit_));
        builder.keep_plane(plane_, !options_.on_sphere);
        if (options_.on_sphere) return;
        double widest = 0;
        for (const GeoPoint& p : places) widest = std::max(widest, std::abs(plane_.to_plane(p).x));
        note_distortion(quoted(), plane_, widest, notes_);
    }

    Vec3 point(std::size_t row, const std::string& end) const {
        Vec3 p;
        if (geographic()) {
            const PlanePoint at = plane_.to_plane(place(row, end));
            p = {at.x, at.y, 0};
        } else {
            p = {position(row, end + "_x"), has(end + "_y") ? position(row, end + "_y") : 0.0, 0};
        }
        if (has(end + "_height")) p.z = 0.0 - position(row, end + "_height");
        if (has(end + "_z")) {
            const double z = position(row, end + "_z");
            p.z = options_.heights ? 0.0 - z : z;
        }
        return p;
    }

    void add(std::size_t row, PickBuilder& builder) const {
        if (has("valid") && value(row, "valid") == 0) {
            builder.leave_out("have valid = 0");
            return;
        }
        if (has("phase") && !options_.phase.empty() &&
            table_.text(row, columns_.at("phase").number) != options_.phase) {
            builder.leave_out(fmt::format("have another phase than '{}'", options_.phase));
            return;
        }
        builder.add({point(row, "source"), point(row, "receiver"), value(row, "time"),
                     has("error") ? value(row, "error") : missing_error, table_.line(row),
                     phase(row), id(row, "event"), id(row, "station"),
                     has("origin_time") ? value(row, "origin_time") : 0.0, phase_name(row),
                     polarity_of(id(row, "polarity"))});
    }

    std::string id(std::size_t row, const std::string& role) const {
        return has(role) ? std::string(table_.text(row, columns_.at(role).number)) : std::string();
    }
    std::string phase_name(std::size_t row) const {
        if (!has("phase")) return "P";
        const std::string name(trim(table_.text(row, columns_.at("phase").number)));
        return name.empty() ? "(none)" : name;
    }
    Phase phase(std::size_t row) const {
        if (!has("phase")) return Phase::P;
        if (options_.named_phases) {
            const std::string name = id(row, "phase");
            const auto last = name.find_last_of("PpSs");
            const bool is_s = last != std::string::npos && (name[last] == 'S' || name[last] == 's');
            return is_s ? Phase::S : Phase::P;
        }
        try {
            return phase_of_name(table_.text(row, columns_.at("phase").number));
        } catch (const InputError& error) {
            throw InputError(table_.where(row) + error.what());
        }
    }

    TextFile file_;
    CsvTable table_;
    const PickReadOptions& options_;
    Notes& notes_;
    std::map<std::string, TableColumn> columns_{};
    std::map<std::string, std::string> name_units_{};
    std::string length_unit_{};
    std::string time_unit_{};
    LocalPlane plane_{};
};

/// A table whose columns are named by `options.columns` or by their usual names, in the first line
/// or, if there are no names, by their numbers. Positions are x, y and z (or height), or longitude,
/// latitude and z (or height), which are put on a plane in km round their middle.
SurveyFile read_pick_table(const TextFile& file, const PickReadOptions& options, Notes& notes) {
    return PickTable(file, options, notes).read();
}

}  // namespace

const PickReader table_picks{
    PickFormat::table, [](const TextFile& file) { return input_suffix_of(file.path()) == ".csv"; },
    nullptr, read_pick_table};

}  // namespace fermat
