#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "points.hpp"
#include "survey/survey.hpp"

namespace fermat::python {

using Indices = nanobind::ndarray<const std::int32_t, nanobind::ndim<1>, nanobind::c_contig,
                                  nanobind::device::cpu>;

/// Throws InputError if a column has another number of values than its table has rows.
void require_rows(std::size_t values, std::size_t rows, const char* name);

/// The values of a column that has one per row; the only way from a column to its values, so that
/// none is read past its end. The array must live as long.
template <class Array>
auto column_of(const Array& values, std::size_t rows, const char* name) {
    require_rows(values.shape(0), rows, name);
    return values.data();
}

/// Arrivals of columns, one per time; `error` may be empty: then errors are not known.
std::vector<Arrival> arrivals_from(const Indices& event, const Indices& station,
                                   const Indices& phase, const Numbers& time, const Numbers& error);

/// A survey of the columns of fermat.Picks: events and stations (places), event, station, phase,
/// time, error. Points given as (x, z) get y = `flat_y`. Events have origin times if `given` has
/// them. Throws InputError where columns differ in length or name a point that is not there.
Survey survey_from(const nanobind::dict& given, double flat_y);

/// Events with origin times, and stations, of the same columns.
Survey points_of_survey(const nanobind::dict& given, double flat_y);

/// Sets ids and origin times of a survey from the labels of fermat.Picks: phases of the picks as
/// numbers, ids of the sources and of the receivers, and origin times of the sources.
void add_labels(Survey& survey, const nanobind::tuple& labels);

}  // namespace fermat::python
