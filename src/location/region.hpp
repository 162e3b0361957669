#pragma once

#include <array>
#include <optional>

#include "location/options.hpp"
#include "model/model.hpp"
#include "model/topography.hpp"

namespace fermat {

/// Where an event may be, in flat coordinates: in a box, below the ground, and free along some axes
/// only.
struct Region {
    SearchBox box;
    std::array<bool, 3> free{true, true, true};
    const Model& model;                ///< whose air holds no events
    const Surface* surface = nullptr;  ///< above which no event is

    int dimensions() const { return int{free[0]} + int{free[1]} + int{free[2]}; }

    bool allows(Vec3 place) const {
        if (surface != nullptr && place.z < surface_at(*surface, place)) return false;
        if (!model.is_plain()) {
            if (!model.place().holds_flat(place)) return false;
            place = model.place().flat_to_grid(place);
        }
        return !model.has_air() || !in_air(model, model.grid().clamp(place));
    }

    Vec3 clamp(Vec3 place) const {
        for (int axis = 0; axis < 3; ++axis) {
            place[axis] = place[axis] < box.low[axis]    ? box.low[axis]
                          : place[axis] > box.high[axis] ? box.high[axis]
                                                         : place[axis];
        }
        return place;
    }

    /// The middle of a cell, or the first place below it in the cell that is allowed.
    std::optional<Vec3> place_in(Vec3 middle, Vec3 half) const {
        if (allows(middle)) return middle;
        constexpr int steps = 8;
        for (int step = 1; step <= steps && half.z > 0; ++step) {
            const Vec3 lower{middle.x, middle.y, middle.z + half.z * step / steps};
            if (allows(lower)) return lower;
        }
        return std::nullopt;
    }

    /// True if the ground or air holds a place down: a little higher nothing is allowed.
    bool at_ground(Vec3 place, double slack) const {
        if (!free[2]) return false;
        const double least = 1e-4 * (box.high.z - box.low.z);
        place.z -= slack > least ? slack : least;
        return place.z > box.low.z && !allows(place);
    }

    /// True if a place lies on a face of the box along a free axis.
    bool at_face(Vec3 place) const {
        for (int axis = 0; axis < 3; ++axis) {
            const double slack = 1e-6 * (box.high[axis] - box.low[axis]);
            if (free[static_cast<std::size_t>(axis)] &&
                (place[axis] <= box.low[axis] + slack || place[axis] >= box.high[axis] - slack)) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace fermat
