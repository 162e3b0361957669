#include "phases/start_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phases/layer_sample.hpp"

namespace fermat {
namespace {

constexpr int chord_samples = 6;

/// Points of a lattice: more where there is one joint, since then no table between joints is kept.
Lattice lattice_over(const LayeredMedium& medium, int joints) {
    const Corners box = medium.place().corners();
    Lattice out;
    out.x0 = std::min(box.low.x, box.high.x);
    out.y0 = std::min(box.low.y, box.high.y);
    const double wide = std::abs(box.high.x - box.low.x);
    const double deep = std::abs(box.high.y - box.low.y);
    if (medium.grid().is_2d()) {
        out.nx = 257;
    } else {
        const double total = joints == 1 ? 2500 : 600;
        const Vec3 cell = medium.place().cell_at_middle();
        const double x = cell.x * (medium.grid().shape.x - 1);
        const double y = cell.y * (medium.grid().shape.y - 1);
        out.nx = std::clamp(static_cast<int>(std::sqrt(total * x / y)), 5, 400);
        out.ny = std::clamp(static_cast<int>(total / out.nx), 5, 400);
        out.dy = deep / (out.ny - 1);
    }
    out.dx = wide / (out.nx - 1);
    return out;
}

/// The joint at which the two ends' tables meet: the middle one of the reflections, or of all.
int pivot_of(const Legs& legs) {
    std::vector<int> reflections;
    for (std::size_t j = 0; j + 1 < legs.size(); ++j) {
        if (legs[j].layer == legs[j + 1].layer) reflections.push_back(static_cast<int>(j));
    }
    if (reflections.empty()) return static_cast<int>(legs.size()) / 2 - 1;
    return reflections[reflections.size() / 2];
}

/// Mean slowness of the nodes in a leg's layer; of all nodes where the layer is thinner than a
/// cell.
double mean_slowness(const LayeredMedium& medium, const Leg& leg) {
    const Model& model = medium.model(leg.layer, leg.wave);
    const Grid& grid = model.grid();
    const int step = std::max(1, std::max(grid.shape.x, grid.shape.y) / 24);
    double sum[2] = {0, 0};
    int count[2] = {0, 0};
    for (int i = 0; i < grid.shape.x; i += step) {
        for (int j = 0; j < grid.shape.y; j += step) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Vec3 user = medium.place().mapping().to_user(grid.position({i, j, k}));
                const bool inside = user.z >= medium.top_of(leg.layer).depth_at(user.x, user.y) &&
                                    user.z <= medium.bottom_of(leg.layer, user.x, user.y);
                for (const int which : {0, inside ? 1 : 0}) {
                    sum[which] += 1.0 / model.velocity()(i, j, k);
                    ++count[which];
                }
            }
        }
    }
    return count[1] > 0 ? sum[1] / count[1] : sum[0] / count[0];
}

/// The step of one table to the next joint: least sums and where they come from.
void step_table(StartLattice::Table& table, const std::vector<float>& between, bool backwards) {
    const std::size_t n = table.time.size();
    std::vector<double> next(n, std::numeric_limits<double>::infinity());
    std::vector<std::int32_t> from(n, 0);
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
            const double t = table.time[a] + between[backwards ? b * n + a : a * n + b];
            if (t < next[b]) {
                next[b] = t;
                from[b] = static_cast<std::int32_t>(a);
            }
        }
    }
    table.time = std::move(next);
    table.before.push_back(std::move(from));
}

}  // namespace

double StartLattice::chord_time(const Leg& leg, Vec3 a, Vec3 b) const {
    const auto number = static_cast<std::size_t>(&leg - legs_.data());
    if (!mean_.empty()) return mean_[number] * distance(a, b);
    const Model& model = medium_.model(leg.layer, leg.wave);
    const float* velocity = model.velocity().data();
    const bool plain = model.is_plain();
    double sum = 0;
    for (int k = 0; k < chord_samples; ++k) {
        const double t = (k + 0.5) / chord_samples;
        const Vec3 p = a + t * (b - a);
        const Vec3 q = plain ? p : medium_.place().mapping().from_place(p);
        sum += 1 / velocity_sample(model.grid(), velocity, q).v;
    }
    return sum / chord_samples * distance(a, b);
}

StartLattice::StartLattice(const LayeredMedium& medium, const Legs& legs)
    : medium_(medium),
      legs_(legs),
      lattice_(lattice_over(medium, static_cast<int>(legs.size()) - 1)) {
    if (joint_count() == 0) return;
    if (!medium.grid().is_2d()) {
        for (const Leg& leg : legs_) mean_.push_back(mean_slowness(medium, leg));
    }
    pivot_ = pivot_of(legs_);
    const Place& place = medium.place();
    const double y_of_plane = medium.grid().origin.y;
    const auto n = static_cast<std::size_t>(lattice_.count());
    for (int j = 0; j < joint_count(); ++j) {
        const Interface& surface = medium.top_of(legs_[static_cast<std::size_t>(j)].to);
        std::vector<Vec3> points;
        for (int i = 0; i < lattice_.nx; ++i) {
            for (int k = 0; k < lattice_.ny; ++k) {
                const double x = lattice_.x(i);
                const double y = medium.grid().is_2d() ? y_of_plane : lattice_.y(k);
                points.push_back(
                    place.mapping().place(place.grid_point({x, y, surface.depth_at(x, y)})));
            }
        }
        places_.push_back(std::move(points));
    }
    for (int j = 1; j < joint_count(); ++j) {
        std::vector<float> times(n * n);
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) {
                times[a * n + b] = static_cast<float>(chord_time(
                    legs_[static_cast<std::size_t>(j)], place_of(j - 1, a), place_of(j, b)));
            }
        }
        between_.push_back(std::move(times));
    }
}

StartLattice::Table StartLattice::from_source(Vec3 place) const {
    Table out;
    if (joint_count() == 0) return out;
    for (const Vec3& p : places_.front()) {
        out.time.push_back(chord_time(legs_.front(), place, p));
    }
    for (int j = 0; j < pivot_; ++j) step_table(out, between_[static_cast<std::size_t>(j)], false);
    return out;
}

StartLattice::Table StartLattice::from_receiver(Vec3 place) const {
    Table out;
    if (joint_count() == 0) return out;
    for (const Vec3& p : places_.back()) out.time.push_back(chord_time(legs_.back(), place, p));
    for (int j = joint_count() - 2; j >= pivot_; --j) {
        step_table(out, between_[static_cast<std::size_t>(j)], true);
    }
    return out;
}

std::vector<PathStart> StartLattice::starts(const Table& source, const Table& receiver,
                                            int most) const {
    if (joint_count() == 0) return {PathStart{}};
    const int nx = lattice_.nx;
    const int ny = lattice_.ny;
    const auto sum = [&](int i, int j) {
        const auto at = static_cast<std::size_t>(i * ny + j);
        return source.time[at] + receiver.time[at];
    };
    struct Found {
        int point;
        double time;
        bool least;
    };
    std::vector<Found> found;
    // Round a point, its neighbours are later or earlier: no change of sign is an extremum, four
    // changes are a saddle. Beyond an edge, neighbours count as later.
    constexpr int ring[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    for (int i = 0; i < nx; ++i) {
        for (int j = 0; j < ny; ++j) {
            const double here = sum(i, j);
            int earlier = 0;
            int changes = 0;
            int last = -1;
            int first = -1;
            bool at_edge = false;
            const int step = ny == 1 ? 4 : 1;
            for (int k = 0; k < 8; k += step) {
                const int a = i + ring[k][0];
                const int b = j + ring[k][1];
                const bool inside = a >= 0 && a < nx && b >= 0 && b < ny;
                at_edge = at_edge || !inside;
                const int sign = inside && sum(a, b) < here ? 1 : 0;
                earlier += sign;
                if (last >= 0 && sign != last) ++changes;
                if (first < 0) first = sign;
                last = sign;
            }
            if (first != last) ++changes;
            const int neighbours = ny == 1 ? 2 : 8;
            const bool least = earlier == 0;
            const bool other = !at_edge && (earlier == neighbours || changes >= 4);
            if (least || other) found.push_back({i * ny + j, here, least});
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return a.least != b.least ? a.least : a.time < b.time;
    });
    std::vector<PathStart> out;
    int counts[2] = {0, 0};
    for (const Found& f : found) {
        if (counts[f.least ? 0 : 1]++ >= most) continue;
        std::vector<int> points(static_cast<std::size_t>(joint_count()));
        points[static_cast<std::size_t>(pivot_)] = f.point;
        for (int j = pivot_ - 1; j >= 0; --j) {
            points[static_cast<std::size_t>(j)] =
                source.before[static_cast<std::size_t>(j)]
                             [static_cast<std::size_t>(points[static_cast<std::size_t>(j + 1)])];
        }
        for (int j = pivot_ + 1; j < joint_count(); ++j) {
            points[static_cast<std::size_t>(j)] =
                receiver.before[static_cast<std::size_t>(joint_count() - 1 - j)]
                               [static_cast<std::size_t>(points[static_cast<std::size_t>(j - 1)])];
        }
        PathStart start{{}, f.time, f.least, pivot_};
        for (const int p : points) {
            start.joints.push_back(lattice_.x(p / ny));
            start.joints.push_back(medium_.grid().is_2d() ? medium_.grid().origin.y
                                                          : lattice_.y(p % ny));
        }
        out.push_back(std::move(start));
    }
    return out;
}

}  // namespace fermat
