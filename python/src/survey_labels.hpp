#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <vector>

#include "points.hpp"
#include "survey/survey.hpp"

namespace fermat::python {

/// Sets phases, ids and origin times of a survey from the labels of fermat.Picks: phases of the
/// picks as numbers, ids of the sources and of the receivers, and origin times of the sources.
inline void add_labels(Survey& survey, const nanobind::tuple& labels) {
    using Indices = nanobind::ndarray<const std::int32_t, nanobind::ndim<1>, nanobind::c_contig,
                                      nanobind::device::cpu>;
    const auto phase = nanobind::cast<Indices>(labels[0]);
    const auto events = nanobind::cast<std::vector<std::string>>(labels[1]);
    const auto stations = nanobind::cast<std::vector<std::string>>(labels[2]);
    const auto origin = nanobind::cast<Numbers>(labels[3]);
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        survey.arrivals[n].phase = static_cast<Phase>(phase.data()[n]);
    }
    for (std::size_t n = 0; n < survey.events.size(); ++n) {
        survey.events[n].id = events[n];
        survey.events[n].origin_time = origin.data()[n];
    }
    for (std::size_t n = 0; n < survey.stations.size(); ++n) survey.stations[n].id = stations[n];
}

}  // namespace fermat::python
