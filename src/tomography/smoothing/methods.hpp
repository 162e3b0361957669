#pragma once

#include "core/field.hpp"
#include "core/monitor.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat {

// One pass of the moving box over a field, in place: each element becomes the mean of its clipped
// box. One function a method; the door (smoothing.cpp) makes weighted means of them.
void box_means_basic(FieldView<double> values, const SmoothingSize& size, int threads,
                     Monitor& monitor);
void box_means_cached(FieldView<double> values, const SmoothingSize& size, int threads,
                      Monitor& monitor);
void box_means_table(FieldView<double> values, const SmoothingSize& size, int threads,
                     Monitor& monitor);
void box_means_running(FieldView<double> values, const SmoothingSize& size, int threads,
                       Monitor& monitor);

/// The summed volume table of a field (box.hpp), with room for table_shape() values.
void sum_volume(FieldView<const double> values, double* table, int threads, Monitor& monitor);

}  // namespace fermat
