#include "eikonal/vidale/grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eikonal/factored_source.hpp"

namespace fermat::vidale {
namespace {

template <class Real, class Visit>
void for_each_row(const TimingGrid<Real>& grid, Shape shape, Visit visit) {
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) visit(grid.offset({i, j, 0}), shape.offset(i, j, 0));
    }
}

}  // namespace

template <class Real>
TimingGrid<Real>::TimingGrid(const Model& model, double source_slowness)
    : shape_(model.grid().shape), rim_y_(model.grid().is_2d() ? 0 : 1) {
    const Shape padded{shape_.x + 2, shape_.y + 2 * rim_y_, shape_.z + 2};
    stride_ = {static_cast<Offset>(padded.y) * padded.z, padded.z, 1};
    const Vec3 h = model.grid().spacing;
    const double unit = smallest_spacing(model.grid());
    const double crossing = unit * source_slowness;
    unit_ = std::isfinite(crossing) ? power_of_two_near(crossing) : 1;
    for (int a = 0; a < 3; ++a) {
        spacing_[static_cast<std::size_t>(a)] = static_cast<Real>(h[a] / unit);
        weight_[static_cast<std::size_t>(a)] = static_cast<Real>(unit * unit / (h[a] * h[a]));
    }

    times_ = Field<Real>(padded, std::numeric_limits<Real>::quiet_NaN());
    slowness_ = Field<Real>(padded, std::numeric_limits<Real>::infinity());
    const FieldView<const float> velocity = model.velocity();
    for_each_row(*this, shape_, [&](Offset to, std::size_t from) {
        for (int k = 0; k < shape_.z; ++k) {
            const float v = velocity[from + static_cast<std::size_t>(k)];
            if (v > 0) slowness_.data()[to + k] = static_cast<Real>(unit / unit_ / v);
        }
    });

    // The mean of eight corners is the mean along z of means along y of means along x. At the end
    // of a row, the mean uses the next row; such values stay in the rim.
    cells_ = slowness_.copy();
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && rim_y_ == 0) continue;
        const auto step = static_cast<std::size_t>(stride(axis));
        for (std::size_t n = 0; n + step < cells_.size(); ++n) {
            cells_[n] = (cells_[n] + cells_[n + step]) / 2;
        }
    }
}

template <class Real>
Field<Real> TimingGrid<Real>::take_times() {
    slowness_ = {};
    cells_ = {};
    Field<Real> times(shape_);
    for_each_row(*this, shape_, [&](Offset from, std::size_t to) {
        for (int k = 0; k < shape_.z; ++k) {
            times.data()[to + static_cast<std::size_t>(k)] =
                static_cast<Real>(times_.data()[from + k] * unit_);
        }
    });
    return times;
}

template class TimingGrid<float>;
template class TimingGrid<double>;

}  // namespace fermat::vidale
