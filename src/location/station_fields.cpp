#include "location/station_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "location/flat.hpp"
#include "location/layered.hpp"
#include "location/proportion.hpp"
#include "model/by_depth.hpp"
#include "times/times.hpp"

namespace fermat {
namespace {

/// Corners of a box may lie above a ground.
void require_corner(const SearchBox& whole, const Place& place, Vec3 corner, const char* what) {
    for (int axis = 0; axis < 3; ++axis) {
        const double slack = 1e-6 * (whole.high[axis] - whole.low[axis]);
        if (corner[axis] >= whole.low[axis] - slack && corner[axis] <= whole.high[axis] + slack) {
            continue;
        }
        const auto shown = [&](Vec3 flat) {
            return to_string(place.grid(), place.mapping().flat_to_user(flat));
        };
        throw InputError(fmt::format(
            "the {} corner of the search box at {} is outside the model (must lie between {} and "
            "{})",
            what, shown(corner), shown(whole.low), shown(whole.high)));
    }
}

SearchBox box_of(const Place& place, const std::optional<SearchBox>& wanted) {
    const Grid& grid = place.grid();
    const SearchBox whole = flat_box(place);
    if (!wanted) return whole;
    SearchBox box = *wanted;
    if (grid.is_2d()) box.low.y = box.high.y = grid.origin.y;
    require_corner(whole, place, box.low, "low");
    require_corner(whole, place, box.high, "high");
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && grid.is_2d()) continue;
        if (!(box.low[axis] < box.high[axis])) {
            throw InputError(
                fmt::format("the search box goes from {:g} to {:g} along {} (the "
                            "first must be smaller)",
                            box.low[axis], box.high[axis], "xyz"[axis]));
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        box.low[axis] = std::clamp(box.low[axis], whole.low[axis], whole.high[axis]);
        box.high[axis] = std::clamp(box.high[axis], whole.low[axis], whole.high[axis]);
    }
    return box;
}

/// The part of a field whose cells cover a box.
TimeField cropped(const TimeField& field, const SearchBox& box) {
    const Grid& grid = field.grid;
    const Index3 low = locate(grid, box.low).cell;
    const Index3 high = locate(grid, box.high).cell;
    Shape shape{high.x - low.x + 2, grid.is_2d() ? 1 : high.y - low.y + 2, high.z - low.z + 2};
    TimeField part{{shape, grid.position(low), grid.spacing},
                   field.factor,
                   field.start_time,
                   Field<float>(shape)};
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            const float* const line =
                field.tau.data() + grid.shape.offset(low.x + i, low.y + j, low.z);
            std::copy(line, line + shape.z, part.tau.data() + shape.offset(i, j, 0));
        }
    }
    return part;
}

/// Says how many picks of stations that are lost(station) are not used, and why.
template <class Lost>
void note_unusable(const Survey& survey, Lost is_lost, const std::string& why, Notes& notes,
                   const char* question = "") {
    std::vector<char> lost(survey.stations.size(), 0);
    std::size_t picks = 0;
    for (const Arrival& arrival : survey.arrivals) {
        if (!is_lost(arrival)) continue;
        ++picks;
        lost[static_cast<std::size_t>(arrival.station)] = 1;
    }
    if (picks == 0) return;
    std::string names;
    std::size_t count = 0;
    for (std::size_t n = 0; n < lost.size(); ++n) {
        if (!lost[n]) continue;
        if (++count <= 5) names += (count == 1 ? "" : ", ") + name_of(survey, survey.stations[n]);
    }
    if (count > 5) names += fmt::format(" and {} more", count - 5);
    notes.add(fmt::format("{} of {} picks are not used: {} station{} {} ({}{})", picks,
                          survey.arrivals.size(), count, count == 1 ? " lies" : "s lie", why, names,
                          question));
}

}  // namespace

std::optional<double> constant_ratio(const Medium& medium) {
    if (medium.phases().size() < 2) return std::nullopt;
    const auto p = medium.first().given();
    const auto s = medium.of(Phase::S).given();
    double sum = 0;
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    std::size_t count = 0;
    for (std::size_t n = 0; n < p.size(); ++n) {
        if (p[n] == 0) continue;
        const double ratio = static_cast<double>(p[n]) / static_cast<double>(s[n]);
        sum += ratio;
        least = std::min(least, ratio);
        most = std::max(most, ratio);
        ++count;
    }
    // Each velocity is rounded to 24 bits.
    constexpr double rounding = 3e-7;
    if (count == 0 || most - least > rounding * most) return std::nullopt;
    return sum / static_cast<double>(count);
}

StationFields::StationFields(const Medium& medium, const Survey& survey,
                             const LocateOptions& options, const Execution& execution, Notes& notes)
    : place_(medium.place()), plain_(medium.first().is_plain()), box_(box_of(place_, options.box)) {
    validate(survey);
    require_phases(medium, survey);
    const Grid& grid = medium.grid();
    const std::optional<double> ratio = constant_ratio(medium);
    const auto model_of = [&](Phase phase) -> const Model& {
        return ratio ? medium.first() : medium.of(phase);
    };
    ratio_ = ratio.value_or(1);
    const auto phases = medium.phases();
    radial_ = plain_ && !grid.is_2d() &&
              std::all_of(phases.begin(), phases.end(),
                          [&](const Phase phase) { return depends_on_depth(model_of(phase)); });
    cropped_ = plain_ && !radial_ && options.box.has_value();
    const auto beyond_reach = [&](const Arrival& arrival) {
        return options.reach &&
               farthest(box_, survey.station_of(arrival).position) > *options.reach;
    };
    const double limit = farthest_station(flat_box(place_));
    const auto too_far = [&](const Arrival& arrival) {
        return farthest(box_, survey.station_of(arrival).position) > limit;
    };
    double distance = 0;
    for (const Arrival& arrival : survey.arrivals) {
        if (beyond_reach(arrival) || too_far(arrival)) continue;
        distance = std::max(distance, farthest(box_, survey.station_of(arrival).position));
    }
    numbers_.assign(survey.stations.size(), {-1, -1});
    for (const Phase phase : phases_of(survey)) {
        const auto p = static_cast<std::size_t>(phase);
        if (radial_) {
            radial_models_.push_back(
                std::make_unique<const Model>(radial_model(model_of(phase), distance)));
        }
        const Model& model = radial_ ? *radial_models_.back() : model_of(phase);
        const bool shared = ratio && p > 0;
        std::vector<Vec3> places;
        for (const Arrival& arrival : survey.arrivals) {
            if (arrival.phase != phase || beyond_reach(arrival) || too_far(arrival)) continue;
            auto& numbers = numbers_[static_cast<std::size_t>(arrival.station)];
            if (numbers[p] >= 0) continue;
            if (shared && numbers[0] >= 0) {
                numbers[p] = numbers[0];
                continue;
            }
            Vec3 place = survey.station_of(arrival).position;
            if (grid.is_2d()) place.y = grid.origin.y;
            const Vec3 source = radial_ ? Vec3{0, 0, place.z} : place;
            const Vec3 node = place_.flat_to_grid(source);
            if (!is_finite(place) || !model.grid().contains(node) ||
                in_air(model, model.grid().clamp(node))) {
                continue;
            }
            numbers[p] = static_cast<int>(places_.size() + places.size());
            places.push_back(place);
        }
        add(model, places, options.eikonal, execution, notes);
    }
    if (options.reach) {
        note_unusable(survey, beyond_reach, fmt::format("beyond `reach={}`", *options.reach),
                      notes);
    }
    const auto is_far = [&](const Arrival& arrival) {
        return too_far(arrival) && !beyond_reach(arrival);
    };
    note_unusable(survey, is_far,
                  fmt::format("more than {:.3g} from the far side of the search box, ten times the "
                              "model's width",
                              limit),
                  notes, ": are stations and model in one unit of length?");
    note_unusable(
        survey,
        [&](const Arrival& arrival) {
            return of(arrival) < 0 && !beyond_reach(arrival) && !too_far(arrival);
        },
        "outside the model or in air", notes);
}

void StationFields::add(const Model& model, std::span<const Vec3> stations,
                        const EikonalOptions& options, const Execution& execution, Notes& notes) {
    if (stations.empty()) return;
    const std::size_t before = places_.size();
    std::vector<PointSource> sources;
    for (const Vec3 place : stations) {
        const Vec3 source = radial_ ? Vec3{0, 0, place.z} : place;
        sources.push_back(
            {plain_ ? model.grid().clamp(source) : place_.mapping().flat_to_user(source), 0});
        places_.push_back(place);
    }
    if (plain_) fields_.resize(places_.size());
    if (!plain_) metric_fields_.resize(places_.size());
    const TimeSolver solver(model, options, execution);
    solver.for_each_field(sources, execution, [&](std::size_t n, ArrivalField&& solved) {
        if (MetricField* const field = solved.metric()) {
            // These would take more memory than the field, and are not read here.
            field->near_source = {};
            field->layers = {};
            metric_fields_[before + n] = std::make_unique<const MetricField>(std::move(*field));
            return;
        }
        TimeField& field = *solved.eikonal();
        fields_[before + n] = cropped_ ? cropped(field, box_) : std::move(field);
    });
    solver.tell(notes);
    for (std::size_t n = before; n < fields_.size(); ++n) {
        views_.push_back(fields_[n].view());
        // The cells of a cropped field are not those of its model.
        if (!cropped_) views_.back().cells = model.jumping_cells();
    }
}

void StationFields::metric_times(std::span<const int> fields, Vec3 point, double* out) const {
    const Grid& grid = metric_fields_.front()->grid();
    const Vec3 q = grid.clamp(place_.flat_to_grid(point));
    const Vec3 place = place_.mapping().place(q);
    for (std::size_t n = 0; n < fields.size(); ++n) {
        const MetricField& field = *metric_fields_[static_cast<std::size_t>(fields[n])];
        out[n] = field.factor.at(place).time * tau_at(field.tau_view(), q);
    }
}

Vec3 StationFields::in_lengths(Vec3 place, Vec3 gradient) const {
    const Vec3 lengths = place_.mapping().flat_lengths(place);
    return {gradient.x / lengths.x, gradient.y / lengths.y, gradient.z / lengths.z};
}

void StationFields::times(std::span<const int> fields, Vec3 point, double* out) const {
    if (fields.empty()) return;
    if (!plain_) return metric_times(fields, point, out);
    if (radial_) {
        for (std::size_t n = 0; n < fields.size(); ++n) {
            const auto field = static_cast<std::size_t>(fields[n]);
            const Vec3 from = point - places_[field];
            out[n] =
                time_at(views_[field], {std::sqrt(from.x * from.x + from.y * from.y), 0, point.z});
        }
        return;
    }
    // All fields have one grid: the corners and weights of the point are those of each.
    std::array<std::size_t, 8> offset{};
    std::array<double, 8> weight{};
    std::size_t corners = 0;
    if (fields.empty()) return;
    const Grid& grid = views_.front().grid;
    for_each_corner(grid, point, [&](Index3 node, double w) {
        offset[corners] = grid.shape.offset(node);
        weight[corners] = w;
        ++corners;
    });
    for (std::size_t n = 0; n < fields.size(); ++n) {
        const TimeFieldView<float>& field = views_[static_cast<std::size_t>(fields[n])];
        const float* const tau = field.tau.data();
        double sum = 0;
        for (std::size_t c = 0; c < corners; ++c) {
            sum += weight[c] * static_cast<double>(tau[offset[c]]);
        }
        // Beside unreached nodes the weights are others.
        out[n] = std::isfinite(sum) ? field.start_time + field.factor.value(point) * sum
                                    : time_at(field, point);
    }
}

TimePoint StationFields::time_point(int number, Vec3 point) const {
    const auto n = static_cast<std::size_t>(number);
    if (!plain_) {
        const MetricField& solved = *metric_fields_[n];
        TimePoint at = fermat::time_point(solved, solved.grid().clamp(place_.flat_to_grid(point)));
        Vec3 inside = point;
        if (place_.grid().is_2d()) inside.y = place_.grid().origin.y;
        at.gradient = transposed(place_.mapping().flat_slope(inside)) * at.gradient;
        return at;
    }
    const TimeFieldView<float>& field = views_[n];
    if (!radial_) {
        return field.grid.is_2d() ? fermat::time_point<2>(field, point)
                                  : fermat::time_point<3>(field, point);
    }
    const Vec3 from = point - places_[n];
    const double distance = std::sqrt(from.x * from.x + from.y * from.y);
    TimePoint at = fermat::time_point<2>(field, Vec3{distance, 0, point.z});
    const double outward = distance > 0 ? at.gradient.x / distance : 0;
    at.gradient = {outward * from.x, outward * from.y, at.gradient.z};
    return at;
}

}  // namespace fermat
