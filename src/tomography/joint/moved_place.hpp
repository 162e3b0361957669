#pragma once

#include "model/place.hpp"

namespace fermat {

/// Where a point of users is after a shift in flat coordinates (mapping.hpp), in which events move:
/// never outside the model.
inline Vec3 moved_place(const Place& place, Vec3 user, Vec3 shift) {
    const Mapping& mapping = place.mapping();
    return mapping.flat_to_user(place.nearest_flat(mapping.flat_from_user(user) + shift));
}

}  // namespace fermat
