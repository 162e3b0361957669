#include "eikonal/adjoint/cell_slowness.hpp"

#include <cmath>
#include <limits>

namespace fermat {
namespace {

class Cells {
  public:
    Cells(const Model& model, FieldView<const double> exact)
        : velocity_(model.cells()->velocity), exact_(exact) {}

    FieldView<const float> given() const { return velocity_; }
    double velocity(Index3 cell) const {
        return exact_.data() == nullptr ? double{velocity_(cell)} : 1 / exact_(cell);
    }

    /// Calls visit(octant, its velocity at the node) for the octants round a node that are not air,
    /// and returns their number.
    template <int Dim, class Visit>
    int for_each_octant(Index3 node, Visit visit) const {
        int count = 0;
        for (unsigned octant = 0; octant < 8; ++octant) {
            if (Dim == 2 && (octant & 2U)) continue;
            double seen = 0;
            for_each_cell_seen<Dim>(velocity_, node, octant, [&](Index3 cell, double weight) {
                seen += weight * velocity(cell);
            });
            if (!(seen > 0)) continue;
            ++count;
            visit(octant, seen);
        }
        return count;
    }

  private:
    FieldView<const float> velocity_;
    FieldView<const double> exact_;
};

template <class Visit>
void for_each_node(Shape shape, Visit visit) {
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) visit(Index3{i, j, k});
        }
    }
}

template <int Dim>
Field<double> node_slowness(const Model& model, FieldView<const double> exact) {
    const Cells cells(model, exact);
    Field<double> slowness(model.grid().shape);
    for_each_node(model.grid().shape, [&](Index3 node) {
        double sum = 0;
        const int count =
            cells.for_each_octant<Dim>(node, [&](unsigned, double seen) { sum += 1 / seen; });
        slowness(node) = count > 0 ? sum / count : std::numeric_limits<double>::infinity();
    });
    return slowness;
}

template <int Dim>
Field<double> by_cells(const Model& model, FieldView<const double> exact,
                       FieldView<const double> by_nodes) {
    const Cells cells(model, exact);
    Field<double> by(model.grid().cell_shape(), 0.0);
    for_each_node(model.grid().shape, [&](Index3 node) {
        if (by_nodes(node) == 0) return;
        const int count = cells.for_each_octant<Dim>(node, [](unsigned, double) {});
        cells.for_each_octant<Dim>(node, [&](unsigned octant, double seen) {
            const double by_velocity = -by_nodes(node) / (count * seen * seen);
            for_each_cell_seen<Dim>(cells.given(), node, octant, [&](Index3 cell, double weight) {
                const double v = cells.velocity(cell);
                by(cell) -= by_velocity * weight * v * v;
            });
        });
    });
    return by;
}

}  // namespace

Field<double> node_slowness(const Model& model, FieldView<const double> exact) {
    return model.grid().is_2d() ? node_slowness<2>(model, exact) : node_slowness<3>(model, exact);
}

Field<double> by_cells(const Model& model, FieldView<const double> exact,
                       FieldView<const double> by_nodes) {
    return model.grid().is_2d() ? by_cells<2>(model, exact, by_nodes)
                                : by_cells<3>(model, exact, by_nodes);
}

}  // namespace fermat
