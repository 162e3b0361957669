#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/model.hpp"
#include "survey/survey.hpp"
#include "tomography/pick_ledger.hpp"

namespace fermat {

/// A shot or a receiver most of whose picks were left out, all late or all early.
struct OutlyingPoint {
    enum class Kind { shot, receiver };
    Kind kind = Kind::shot;
    std::int32_t number = 0;  ///< of the event or station
    std::int64_t left_out = 0;
    std::int64_t picks = 0;  ///< all of its picks that have a ray
    double residual = 0;     ///< median of those left out
};

/// A shot of a line many of whose picks were left out, early on one side and late on the other: as
/// those of a shot that stood elsewhere on the line.
struct DisplacedShot {
    std::int32_t number = 0;  ///< of the event
    std::int64_t left_out = 0;
    std::int64_t picks = 0;  ///< all that have a ray
    double shift = 0;        ///< along x, from where it is said to be to where its picks have it
};

/// What picks that were left out have in common. An outlier is a pick that its like contradict:
/// where most picks of about one distance are left out to one side, they agree with each other, and
/// it is the model that does not explain them. Those of one shot or receiver agree as well where
/// its time, sign or place is wrong; the ground cannot tell, so these stay left out and are named.
struct OutlierGroups {
    std::vector<std::int32_t> clustered;  ///< picks that agree with most others of their distance
    std::vector<OutlyingPoint> points;
    std::vector<DisplacedShot> displaced;  ///< of lines
};

/// `residual` and `use`: one per pick. A group has more than half of its picks left out to one
/// side, and five standard deviations more than chance would deal it of all that are. Groups are
/// shots and receivers of at least 5 picks and, per pick, a sixtieth of all picks, at least 12,
/// whose distances are nearest to its own.
OutlierGroups outlier_groups(const Model& model, const Survey& picks,
                             std::span<const double> residual, std::span<const PickUse> use);

}  // namespace fermat
