#pragma once

#include "core/notes.hpp"
#include "location/octree.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// The horizontal distance from a point to the farthest corner of a box.
double farthest(const SearchBox& box, Vec3 from);

/// How far from the farthest corner of the search box a station may be: ten times the width of the
/// model. Stations farther away are most often given in another unit, and a table of times out to
/// them would be as long.
double farthest_station(const SearchBox& model);

/// Notes how many events have picks that are much farther apart than the longest time of travel
/// from the search box to their stations: times in another unit, or picks of several events.
void tell_long_records(const Survey& survey, const ArrivalLists& lists, const StationFields& fields,
                       const FirstCells& first, Notes& notes);

}  // namespace fermat
