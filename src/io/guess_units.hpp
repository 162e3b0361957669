#pragma once

#include <optional>
#include <string>

#include "io/local_plane.hpp"
#include "io/units.hpp"
#include "model/model.hpp"

namespace fermat {

/// Names for axes and reports, and where they come from. Numbers are never changed by them.
struct NamedUnits {
    UnitNames units{};
    /// Why those that nobody told were chosen; empty if all were told. Names options.
    std::string reason{};
};

/// The units that are known and, for the others, those in which a model's velocities are of rock or
/// soil, or of radar waves: km and s, else m and s where the median is over 50, else m and ns where
/// none is over 0.3. Spheres are in km.
NamedUnits guess_units(const UnitNames& known, const Model& model);

/// The units of bare velocities, by the rule for models; 0 is air.
NamedUnits guess_units(const UnitNames& known, FieldView<const float> velocities);

/// What a file tells of its units, by names or by the metres in a unit of its plane.
UnitNames known_units(UnitNames told, const std::optional<LocalPlane>& plane);

}  // namespace fermat
