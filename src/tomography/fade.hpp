#pragma once

#include "core/field.hpp"
#include "model/model.hpp"

namespace fermat {

/// How plainly a picture shows each node, from 0 (blank) to 1: what the data say nothing of fades
/// away. Air is 0. One of these two serves the report and Python alike.

/// Where rays pass: the share of nodes near by that touch a crossed cell, so that the gaps between
/// neighbouring rays close and the edge of the fan is soft. The box, three passes of it, is a
/// twelfth of the crossed part's mean side; a node is plain from a share of 0.6 on. `coverage`
/// counts rays in the model's cells. Throws InputError for any other shape.
Field<float> fade_of_coverage(const Model& model, FieldView<const float> coverage);

/// Where the model is resolved: the mean resolution near by, over the same kind of box (of fine
/// unknowns the diagonal of the resolution matrix is threads along rays), is plain from a fifth of
/// its 90th percentile on: the diagonal depends on the unknowns' spacing, and only its size beside
/// its own best says where the data speak. `resolution` has the model's nodes, or its cells; values
/// that are no number count as 0. Throws InputError for any other shape.
Field<float> fade_of_resolution(const Model& model, FieldView<const float> resolution);

/// Values of a grid's cells at its nodes: the mean of the cells round each.
Field<float> at_nodes(const Grid& grid, FieldView<const float> cells);

}  // namespace fermat
