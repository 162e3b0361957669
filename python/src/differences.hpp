#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "location/difference_weights.hpp"

namespace fermat::python {

/// Differences of arrays: first, second, station, phase, kind, time and weight.
std::vector<TimeDifference> differences_from(const nanobind::dict& given);
/// Such arrays, and what was noted as `notes`.
nanobind::dict columns_of(const std::vector<TimeDifference>& differences, const Notes& notes);
/// Residual and weight of each difference, and RMS of the kinds before and after.
void put_fits(DifferenceFits&& fits, nanobind::dict& out);

}  // namespace fermat::python
