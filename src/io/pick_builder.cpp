#include "io/pick_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "survey/builder.hpp"

namespace fermat {
namespace {

/// "1 has", "12 have": the reasons are written for several.
std::string count_of(std::size_t count, std::string reason) {
    if (count == 1 && reason.starts_with("have ")) reason.replace(0, 5, "has ");
    if (count == 1 && reason.starts_with("are ")) reason.replace(0, 4, "is ");
    return fmt::format("{} {}", count, reason);
}

}  // namespace

std::string PickBuilder::quoted() const { return fmt::format("'{}'", path_.string()); }

template <class Change>
void PickBuilder::change_points(Change change) {
    for (PickRow& row : rows_) {
        row.source = change(row.source);
        row.receiver = change(row.receiver);
    }
    for (Vec3& point : points_) point = change(point);
}

/// Errors that are fractions of the times become times before anything is judged.
void PickBuilder::change_units(Notes& notes) {
    const double length =
        unit_factor(Quantity::length, options_.units, dialect_.length, dialect_.usual_length);
    const double time =
        unit_factor(Quantity::time, options_.units, dialect_.time, dialect_.usual_time);
    units_ = {unit_after(Quantity::length, options_.units, dialect_.length, dialect_.usual_length),
              unit_after(Quantity::time, options_.units, dialect_.time, dialect_.usual_time)};
    if (length != 1) {
        change_points([=](Vec3 p) { return length * p; });
        if (plane_) plane_ = plane_->scaled(length);
        drop_projection("lengths have another unit now", notes);
    }
    if (plane_ && plane_is_new_) {
        notes.add(fmt::format("{}: longitudes and latitudes were put on the {}", quoted(),
                              to_text(*plane_)));
    }
    for (PickRow& row : rows_) {
        row.time *= time;
        row.origin_time *= time;
        row.error *= options_.relative_errors ? row.time - row.origin_time : time;
    }
}

void PickBuilder::leave_out_bad_rows() {
    const auto is_early = [](const PickRow& row) { return row.origin_time == 0 && row.time < 0; };
    if (!options_.leave_out_bad && !dialect_.leave_out_bad) {
        // A set is not refused for one pick in a hundred that lies before its source's time, which
        // is not known.
        const auto early = std::count_if(rows_.begin(), rows_.end(), is_early);
        if (early == 0 || 100 * static_cast<std::size_t>(early) > rows_.size()) return;
        leave_out("have a negative time", static_cast<std::size_t>(early));
        std::erase_if(rows_, is_early);
        return;
    }
    std::erase_if(rows_, [&](const PickRow& row) {
        if (!std::isfinite(row.time)) leave_out("have no finite time");
        if (row.time < row.origin_time) leave_out("have a negative time");
        return !(row.time >= row.origin_time) || std::isinf(row.time);
    });
    if (!dialect_.has_errors) return;
    for (PickRow& row : rows_) {
        if (row.error > 0 && std::isfinite(row.error)) continue;
        if (!std::isnan(row.error)) ++bad_errors_;
        row.error = missing_error;
    }
}

/// A survey whose points all have one y, or all one x, lies on a line.
void PickBuilder::flatten(Notes& notes) {
    if (!dialect_.has_y) {
        is_2d_ = true;
        return;
    }
    if (!dialect_.flat_if_on_axis || options_.on_line) return;
    bool same_x = true;
    bool same_y = true;
    const Vec3 first = rows_.front().source;
    const auto compare = [&](Vec3 p) {
        same_x = same_x && p.x == first.x;
        same_y = same_y && p.y == first.y;
        return p;
    };
    change_points(compare);
    if (!same_x && !same_y) return;
    is_2d_ = true;
    if (same_y) {
        if (first.y != 0) {
            notes.add(fmt::format("{}: y is {:g} everywhere, so the survey is 2-D (x and z)",
                                  quoted(), first.y));
        }
        change_points([](Vec3 p) { return Vec3{p.x, 0, p.z}; });
        turn_plane({0, first.y}, {1, 0}, notes);
        return;
    }
    notes.add(fmt::format("{}: x is {:g} everywhere, so the survey is 2-D and its y became x",
                          quoted(), first.x));
    change_points([](Vec3 p) { return Vec3{p.y, 0, p.z}; });
    turn_plane({first.x, 0}, {0, 1}, notes);
}

void PickBuilder::turn_plane(PlanePoint from, PlanePoint direction, Notes& notes) {
    if (plane_) plane_ = plane_->along(from, direction);
    drop_projection("positions are distances along a line now", notes);
}

void PickBuilder::drop_projection(std::string_view why, Notes& notes) {
    if (projection_.empty()) return;
    notes.add(fmt::format("{}: its plane '{}' is not kept ({})", quoted(), projection_, why));
    projection_.clear();
}

/// The line through the middle of all points along which they spread most. It starts at the point
/// that is furthest back, towards the first point of the file.
void PickBuilder::put_on_line(Notes& notes) {
    if (!options_.on_line || is_2d_) return;
    Vec3 middle;
    double count = 0;
    const auto each = [&](auto visit) {
        for (const PickRow& row : rows_) {
            visit(row.source);
            visit(row.receiver);
        }
    };
    each([&](Vec3 p) {
        middle = middle + p;
        count += 1;
    });
    middle = middle / count;
    double xx = 0, xy = 0, yy = 0;
    each([&](Vec3 p) {
        const Vec3 d = p - middle;
        xx += d.x * d.x;
        xy += d.x * d.y;
        yy += d.y * d.y;
    });
    const double angle = 0.5 * std::atan2(2 * xy, xx - yy);
    Vec3 along{std::cos(angle), std::sin(angle), 0};
    const Vec3 start = rows_.front().source - middle;
    if (along.x * start.x + along.y * start.y > 0) along = -1 * along;
    const auto distance_along = [&](Vec3 p) {
        return (p.x - middle.x) * along.x + (p.y - middle.y) * along.y;
    };
    double least = distance_along(rows_.front().source);
    double off = 0;
    each([&](Vec3 p) {
        const Vec3 d = p - middle;
        least = std::min(least, distance_along(p));
        off = std::max(off, std::abs(d.x * along.y - d.y * along.x));
    });
    change_points([&](Vec3 p) { return Vec3{distance_along(p) - least, 0, p.z}; });
    is_2d_ = true;
    turn_plane({middle.x + least * along.x, middle.y + least * along.y}, {along.x, along.y}, notes);
    notes.add(fmt::format(
        "{}: positions became distances along a straight line, which are up to {:g} off it{}",
        quoted(), off,
        plane_ ? fmt::format(" (it runs {:.1f} degrees from north to east; longitudes and "
                             "latitudes that are given back lie on it)",
                             plane_->azimuth < 0 ? plane_->azimuth + 360 : plane_->azimuth)
               : ""));
}

void PickBuilder::tell_left_out(Notes& notes) const {
    std::size_t total = 0;
    std::string reasons;
    for (const auto& [reason, count] : left_out_) {
        total += count;
        reasons += (reasons.empty() ? "" : "; ") + count_of(count, reason);
    }
    if (rows_.empty()) {
        throw InputError(total == 0 ? fmt::format("{} has no picks", quoted())
                                    : fmt::format("{} has no pick that can be used (of {}, {})",
                                                  quoted(), total, reasons));
    }
    if (total > 0) {
        notes.add(fmt::format("{}: {} of {} picks were left out: {}", quoted(), total,
                              total + rows_.size(), reasons));
    }
    if (bad_errors_ > 0) {
        notes.add(fmt::format("{}: {} of {} errors are not > 0 and count as missing", quoted(),
                              bad_errors_, rows_.size()));
    }
}

/// Some programs write relative errors, which look like absolute ones.
void PickBuilder::tell_large_errors(Notes& notes) const {
    if (!dialect_.has_errors || options_.relative_errors) return;
    const auto is_large = [](const PickRow& row) {
        const double time = row.time - row.origin_time;
        return row.error > time && time > 0;
    };
    const auto large =
        static_cast<std::size_t>(std::count_if(rows_.begin(), rows_.end(), is_large));
    if (2 * large <= rows_.size()) return;
    notes.add(fmt::format(
        "{}: {} of {} errors are larger than their times (if they are fractions of the times, "
        "read them with `relative_errors`)",
        quoted(), large, rows_.size()));
}

Survey PickBuilder::build(bool with_ids) const {
    SurveyBuilder builder;
    for (const PickRow& row : rows_) {
        builder.add({builder.event(row.source, with_ids ? row.event : "", row.origin_time),
                     builder.station(row.receiver, with_ids ? row.station : ""), row.time,
                     dialect_.has_errors ? row.error : 0.0, row.phase});
    }
    return builder.take(dialect_.has_errors, is_2d_);
}

/// Names that a table of ours could not hold, or that stand for several places, cannot serve as
/// ids.
Survey PickBuilder::build_with_ids(Notes& notes) const {
    const auto holds = [](const std::string& id) {
        return std::all_of(id.begin(), id.end(), [](unsigned char c) {
            return c >= 0x20 && c != 0x7f && c != ',' && c != '#' && c != '"';
        });
    };
    const bool good = std::all_of(rows_.begin(), rows_.end(), [&](const PickRow& row) {
        return holds(row.event) && holds(row.station);
    });
    try {
        if (good) return build(true);
    } catch (const InputError&) {
        // Said below.
    }
    notes.add(fmt::format(
        "{}: names of events and stations are not kept (some stand for several places, or have "
        "commas, '#' or quotes)",
        quoted()));
    return build(false);
}

SurveyFile PickBuilder::finish(Notes& notes) {
    change_units(notes);
    leave_out_bad_rows();
    tell_left_out(notes);
    flatten(notes);
    put_on_line(notes);
    tell_large_errors(notes);

    SurveyFile file;
    file.plane = plane_;
    file.projection = projection_;
    file.units = units_;
    file.points = std::move(points_);
    file.picks = build_with_ids(notes);
    for (const PickRow& row : rows_) {
        if (options_.named_phases) file.phases.push_back(row.name.empty() ? "P" : row.name);
    }
    if (std::any_of(rows_.begin(), rows_.end(),
                    [](const PickRow& row) { return row.polarity != 0; })) {
        for (const PickRow& row : rows_) file.polarities.push_back(row.polarity);
    }
    const auto where = [&](std::size_t n) {
        return rows_[n].line > 0 ? fmt::format("{} line {}: ", quoted(), rows_[n].line)
                                 : fmt::format("{} pick {}: ", quoted(), n + 1);
    };
    settle_times(file.picks, quoted(), where, notes);
    return file;
}

}  // namespace fermat
