#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <vector>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/layered_io.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

constexpr double earth_radius = 6371;  // km, FMTOMO's
constexpr double radians_per_degree = std::numbers::pi / 180;

/// Coefficients of the cubic B-spline through values at equal steps, with one more at each end: at
/// a node the spline is a sixth of both neighbours' coefficients and two thirds of its own
/// (SplineGrid). Its second derivative vanishes at both ends.
std::vector<double> spline_coefficients(const std::vector<double>& values) {
    const std::size_t n = values.size();
    std::vector<double> c = values;
    // Inner rows c[i - 1] + 4 c[i] + c[i + 1] = 6 values[i], by elimination.
    std::vector<double> upper(n, 0.0);
    for (std::size_t i = 1; i + 1 < n; ++i) {
        const double pivot = 4 - upper[i - 1];
        upper[i] = 1 / pivot;
        c[i] = (6 * values[i] - c[i - 1]) / pivot;
    }
    for (std::size_t i = n - 1; i-- > 1;) c[i] -= upper[i] * c[i + 1];
    c.insert(c.begin(), 2 * c[0] - c[1]);
    c.push_back(2 * c[n] - c[n - 1]);
    return c;
}

/// Values on a grid [a][b][c], the last fastest, and spline coefficients along one axis after
/// another.
struct SplineBlock {
    std::array<std::size_t, 3> size{};
    std::vector<double> values{};

    void fit_axis(std::size_t axis) {
        std::array<std::size_t, 3> grown = size;
        grown[axis] += 2;
        std::vector<double> out(grown[0] * grown[1] * grown[2]);
        const auto offset = [](const std::array<std::size_t, 3>& of,
                               const std::array<std::size_t, 3>& at) {
            return (at[0] * of[1] + at[1]) * of[2] + at[2];
        };
        const std::size_t first = axis == 0 ? 1 : 0;
        const std::size_t second = axis == 2 ? 1 : 2;
        std::vector<double> line(size[axis]);
        for (std::size_t a = 0; a < size[first]; ++a) {
            for (std::size_t b = 0; b < size[second]; ++b) {
                std::array<std::size_t, 3> at{};
                at[first] = a;
                at[second] = b;
                for (std::size_t k = 0; k < size[axis]; ++k) {
                    at[axis] = k;
                    line[k] = values[offset(size, at)];
                }
                const std::vector<double> fitted = spline_coefficients(line);
                for (std::size_t k = 0; k < grown[axis]; ++k) {
                    at[axis] = k;
                    out[offset(grown, at)] = fitted[k];
                }
            }
        }
        size = grown;
        values = std::move(out);
    }
};

void add_values(std::string& text, const SplineBlock& block) {
    for (const double value : block.values) {
        fmt::format_to(std::back_inserter(text), "{:.7f}\n", value);
    }
}

/// Radii from below, latitudes, longitudes, as FMTOMO orders them.
void add_velocity(std::string& text, const Model& model) {
    const Grid& grid = model.grid();
    const Shape shape = grid.shape;
    SplineBlock block;
    block.size = {static_cast<std::size_t>(shape.z), static_cast<std::size_t>(shape.x),
                  static_cast<std::size_t>(shape.y)};
    for (int k = shape.z - 1; k >= 0; --k) {
        for (int i = 0; i < shape.x; ++i) {
            for (int j = 0; j < shape.y; ++j) block.values.push_back(model.velocity()(i, j, k));
        }
    }
    for (const std::size_t axis : {0, 1, 2}) block.fit_axis(axis);
    const double lowest = earth_radius - grid.coordinate(2, shape.z - 1);
    fmt::format_to(std::back_inserter(text), "{} {} {}\n{:.12g} {:.15g} {:.15g}\n", block.size[0],
                   block.size[1], block.size[2], grid.spacing.z,
                   grid.spacing.x * radians_per_degree, grid.spacing.y * radians_per_degree);
    fmt::format_to(std::back_inserter(text), "{:.12g} {:.15g} {:.15g}\n", lowest - grid.spacing.z,
                   grid.coordinate(0, -1) * radians_per_degree,
                   grid.coordinate(1, -1) * radians_per_degree);
    add_values(text, block);
}

void require_sphere(const std::string& quoted, const LayeredMedium& medium) {
    const CoordinateNumbers& numbers = medium.place().mapping().numbers();
    const Shape shape = medium.grid().shape;
    if (numbers.system != Coordinates::spherical || numbers.geodetic) {
        throw InputError(fmt::format(
            "cannot write {} (a medium of FMTOMO has geocentric latitude, longitude and depth, and "
            "this one has {})",
            quoted, numbers.geodetic ? "geodetic latitudes" : "x and z"));
    }
    if (std::fabs(numbers.radius - earth_radius) > 1e-6) {
        throw InputError(
            fmt::format("cannot write {} (FMTOMO's sphere has a radius of {:g} km, "
                        "and the medium's {:g})",
                        quoted, earth_radius, numbers.radius));
    }
    if (shape.x < 2 || shape.y < 2 || shape.z < 2) {
        throw InputError(
            fmt::format("cannot write {} (splines need two nodes along each axis, and "
                        "there are {})",
                        quoted, to_string(shape)));
    }
}

}  // namespace

void write_fmtomo_layers(const fs::path& path, const fs::path& interfaces,
                         const LayeredMedium& medium, Notes& notes) {
    const std::string quoted = fmt::format("'{}'", path.string());
    require_sphere(quoted, medium);
    const Grid& grid = medium.grid();
    const bool s = medium.has_s();
    std::string grids = fmt::format("{} {}\n", medium.layer_count(), s ? 2 : 1);
    for (const Layer& layer : medium.layers()) add_velocity(grids, layer.p);
    std::size_t lost_s = 0;
    for (const Layer& layer : medium.layers()) {
        if (s) {
            add_velocity(grids, *layer.s);
        } else {
            lost_s += layer.s.has_value();
        }
    }
    const Lattice at = columns_of(medium.place());
    std::string faces =
        fmt::format("{}\n{} {}\n{:.15g} {:.15g}\n{:.15g} {:.15g}\n", medium.layer_count() + 1,
                    at.nx + 2, at.ny + 2, at.dx * radians_per_degree, at.dy * radians_per_degree,
                    (at.x0 - at.dx) * radians_per_degree, (at.y0 - at.dy) * radians_per_degree);
    const double bottom = grid.coordinate(2, grid.shape.z - 1);
    std::size_t finer = 0;
    for (int n = 0; n <= medium.layer_count(); ++n) {
        SplineBlock block;
        block.size = {1, static_cast<std::size_t>(at.nx), static_cast<std::size_t>(at.ny)};
        const Interface* const top = n < medium.layer_count() ? &medium.top_of(n) : nullptr;
        finer += top != nullptr && top->lattice().count() > 1 && top->lattice() != at;
        for (int i = 0; i < at.nx; ++i) {
            for (int j = 0; j < at.ny; ++j) {
                block.values.push_back(earth_radius -
                                       (top != nullptr ? top->depth_at(at.x(i), at.y(j)) : bottom));
            }
        }
        for (const std::size_t axis : {1, 2}) block.fit_axis(axis);
        add_values(faces, block);
    }
    OutputFile grid_file(path);
    grid_file.write(grids);
    OutputFile face_file(interfaces);
    face_file.write(faces);
    grid_file.commit();
    face_file.commit();
    if (finer > 0) {
        notes.add(fmt::format("'{}': {} interfaces were sampled at the {} columns of the grid",
                              interfaces.string(), finer, at.count()));
    }
    if (lost_s > 0) {
        notes.add(fmt::format(
            "{}: velocities of S of {} layers are left out (FMTOMO needs those of all or none)",
            quoted, lost_s));
    }
}

}  // namespace fermat
