#pragma once

#include <span>
#include <vector>

#include "core/notes.hpp"
#include "eikonal/adjoint/adjoint.hpp"

namespace fermat {

/// Derivatives of J by what the times of a front (front.hpp) depend on: the wave that starts from
/// given times of nodes, whatever they are.
struct FrontGradient {
    Field<double> slowness;       ///< of nodes, or of cells in a model of cells
    Field<double> times;          ///< by the given time of every node of the front, 0 elsewhere
    std::vector<Vec3> receivers;  ///< by position
    std::int64_t unsettled = 0;   ///< as AdjointGradient has it
};

/// Solves the front in double precision and its adjoint, from dJ/dT at nodes and receivers. Nodes
/// of the front that the wave reaches before their given time count as any other. Throws InputError
/// as solve_front and AdjointSurvey do.
FrontGradient front_adjoint(const Model& model, FieldView<const double> front,
                            std::vector<Vec3> receivers, const TimeDerivatives& by,
                            const EikonalOptions& options, const Execution& execution,
                            Notes& notes);

}  // namespace fermat
