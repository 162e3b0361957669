#include "phases/start_lattice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/mat3.hpp"
#include "phases/layer_sample.hpp"
#include "phases/ring_kind.hpp"

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

/// The joint at which the two ends' tables meet: the middle one of the reflections, or of all. Of
/// two in the middle of the reflections the later one, of two in the middle of all the earlier one.
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

/// ring_kind() of every ring.
const std::array<RingKind, 256> kinds = [] {
    std::array<RingKind, 256> out;
    for (unsigned k = 0; k < 256; ++k) out[k] = ring_kind(k);
    return out;
}();

struct StationaryPoint {
    int point = 0;
    double time = 0;
    bool least = true;
};

/// The stationary points of the sum of two tables. Beyond an edge, neighbours count as later.
std::vector<StationaryPoint> stationary_points(const Lattice& lattice, const std::vector<double>& a,
                                               const std::vector<double>& b) {
    const int nx = lattice.nx;
    const int ny = lattice.ny;
    const int row = ny + 2;
    // The sum with a rim, so that no neighbour is missing.
    thread_local std::vector<double> sum;
    thread_local std::vector<double> earlier;
    sum.assign(static_cast<std::size_t>((nx + 2) * row), std::numeric_limits<double>::infinity());
    earlier.resize(static_cast<std::size_t>(ny));
    for (int i = 0; i < nx; ++i) {
        const double* p = a.data() + i * ny;
        const double* q = b.data() + i * ny;
        double* to = sum.data() + (i + 1) * row + 1;
        for (int j = 0; j < ny; ++j) to[j] = p[j] + q[j];
    }
    const int ring[8] = {row, row + 1, 1, -row + 1, -row, -row - 1, -1, row - 1};
    std::vector<StationaryPoint> out;
    for (int i = 0; i < nx; ++i) {
        const double* here = sum.data() + (i + 1) * row + 1;
        // Bits of neighbours, as numbers that compilers add up side by side.
        double* bits = earlier.data();
        for (int j = 0; j < ny; ++j) bits[j] = 0;
        for (int k = 0; k < 8; ++k) {
            const double* there = here + ring[k];
            const double bit = 1U << k;
            for (int j = 0; j < ny; ++j) bits[j] += there[j] < here[j] ? bit : 0;
        }
        for (int j = 0; j < ny; ++j) {
            const auto round = static_cast<unsigned>(bits[j]);
            const bool at_edge = i == 0 || i == nx - 1 || (ny > 1 && (j == 0 || j == ny - 1));
            // Along a line there are two neighbours, both earlier at a maximum.
            const RingKind kind = ny > 1           ? kinds[round]
                                  : round == 0x11U ? kinds[0xffU]
                                                   : RingKind{round == 0, false};
            if (kind.least || (kind.other && !at_edge)) {
                out.push_back({i * ny + j, here[j], kind.least});
            }
        }
    }
    return out;
}

}  // namespace

std::vector<int> bounces_of(const Legs& legs) {
    const auto turns = [](const Leg& leg) { return leg.turns || leg.dives || leg.rises; };
    // The sections between reflections, and whether a leg of each turns.
    std::vector<int> joints;
    std::vector<bool> turning{false};
    for (std::size_t j = 0; j < legs.size(); ++j) {
        if (turns(legs[j])) turning.back() = true;
        if (j + 1 == legs.size() || legs[j].layer != legs[j + 1].layer) continue;
        joints.push_back(static_cast<int>(j));
        turning.push_back(false);
    }
    std::vector<int> out;
    for (std::size_t k = 0; k < joints.size(); ++k) {
        const bool at_surface = legs[static_cast<std::size_t>(joints[k])].to == 0;
        if (at_surface && turning[k] && turning[k + 1]) out.push_back(joints[k]);
    }
    return out;
}

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
    bounces_ = bounces_of(legs_);
    pivot_ = bounces_.empty() ? pivot_of(legs_) : bounces_.front();
    const int mirrored = joint_count() - 1 - pivot_of(Legs(legs_.rbegin(), legs_.rend()));
    last_pivot_ = bounces_.empty() ? std::max(pivot_, mirrored) : bounces_.back();
    if (bounces_.empty()) pivot_ = std::min(pivot_, mirrored);
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

std::vector<double> StartLattice::times_from(Vec3 place, int joint, const Leg& leg) const {
    const std::vector<Vec3>& points = places_[static_cast<std::size_t>(joint)];
    std::vector<double> out(points.size());
    if (mean_.empty()) {
        for (std::size_t i = 0; i < points.size(); ++i) out[i] = chord_time(leg, place, points[i]);
        return out;
    }
    const double slowness = mean_[static_cast<std::size_t>(&leg - legs_.data())];
    for (std::size_t i = 0; i < points.size(); ++i) out[i] = slowness * distance(place, points[i]);
    return out;
}

StartLattice::Table StartLattice::from_source(Vec3 place) const {
    Table out;
    if (joint_count() == 0) return out;
    out.time = times_from(place, 0, legs_.front());
    const int end = bounces_.empty() ? last_pivot_ : pivot_;
    for (int j = 0; j < end; ++j) {
        if (j == pivot_) out.nearer = out.time;
        step_table(out, between_[static_cast<std::size_t>(j)], false);
    }
    return out;
}

StartLattice::Table StartLattice::from_receiver(Vec3 place) const {
    Table out;
    if (joint_count() == 0) return out;
    out.time = times_from(place, joint_count() - 1, legs_.back());
    const int end = bounces_.empty() ? pivot_ : last_pivot_;
    for (int j = joint_count() - 2; j >= end; --j) {
        if (j + 1 == last_pivot_) out.nearer = out.time;
        step_table(out, between_[static_cast<std::size_t>(j)], true);
    }
    return out;
}

void StartLattice::trace_back(const Table& source, int pivot, std::vector<int>& points) const {
    for (int j = pivot - 1; j >= 0; --j) {
        const auto k = static_cast<std::size_t>(j);
        points[k] = source.before[k][static_cast<std::size_t>(points[k + 1])];
    }
}

void StartLattice::trace_on(const Table& receiver, int pivot, std::vector<int>& points) const {
    for (int j = pivot + 1; j < joint_count(); ++j) {
        const auto k = static_cast<std::size_t>(j);
        points[k] = receiver.before[static_cast<std::size_t>(joint_count() - 1 - j)]
                                   [static_cast<std::size_t>(points[k - 1])];
    }
}

void StartLattice::trace_between(int first, int last, std::vector<int>& points) const {
    Table table;
    table.time.assign(static_cast<std::size_t>(lattice_.count()),
                      std::numeric_limits<double>::infinity());
    table.time[static_cast<std::size_t>(points[static_cast<std::size_t>(first)])] = 0;
    for (int j = first; j < last; ++j)
        step_table(table, between_[static_cast<std::size_t>(j)], false);
    for (int j = last - 1; j > first; --j) {
        const auto k = static_cast<std::size_t>(j);
        points[k] = table.before[static_cast<std::size_t>(j - first)]
                                [static_cast<std::size_t>(points[k + 1])];
    }
}

PathStart StartLattice::start_at(const std::vector<int>& points, double time) const {
    PathStart start{{}, time, true, 0, false};
    for (const int p : points) {
        start.joints.push_back(lattice_.x(p / lattice_.ny));
        start.joints.push_back(medium_.grid().is_2d() ? medium_.grid().origin.y
                                                      : lattice_.y(p % lattice_.ny));
    }
    return start;
}

int StartLattice::nearest_point(double x, double y) const {
    const auto nearest = [](double value, double first, double step, int n) {
        return n == 1 ? 0
                      : std::clamp(static_cast<int>(std::lround((value - first) / step)), 0, n - 1);
    };
    return nearest(x, lattice_.x0, lattice_.dx, lattice_.nx) * lattice_.ny +
           nearest(y, lattice_.y0, lattice_.dy, lattice_.ny);
}

std::vector<PathStart> StartLattice::bounce_starts(const Table& source, const Table& receiver,
                                                   Vec3 from, Vec3 to) const {
    const Mapping& mapping = medium_.place().mapping();
    const bool round = mapping.numbers().system == Coordinates::spherical;
    // A point of the way from source to receiver: on a sphere, of the great circle.
    const auto on_the_way = [&](double part) {
        Vec3 p = from + part * (to - from);
        if (round) {
            const double angle = std::atan2(norm(crossed(from, to)), dot(from, to));
            if (angle > 1e-6) {
                p = std::sin((1 - part) * angle) / norm(from) * from +
                    std::sin(part * angle) / norm(to) * to;
                p = norm(from) / norm(p) * p;
            }
        }
        return mapping.to_user(mapping.from_place(p));
    };
    // Where one of several waves is slower, or the source deep, parts differ.
    constexpr double shifts[] = {0, -0.2, 0.2, -0.4, 0.4, -0.6, 0.6, -0.8, 0.8};
    std::vector<PathStart> out;
    const auto count = static_cast<int>(bounces_.size());
    for (const double shift : shifts) {
        std::vector<int> points(static_cast<std::size_t>(joint_count()));
        std::vector<Vec3> at;
        for (int k = 0; k < count; ++k) {
            const double part = (k + 1.0) / (count + 1);
            at.push_back(on_the_way(part + shift * std::min(part, 1 - part)));
            points[static_cast<std::size_t>(bounces_[static_cast<std::size_t>(k)])] =
                nearest_point(at.back().x, at.back().y);
        }
        trace_back(source, pivot_, points);
        trace_on(receiver, last_pivot_, points);
        for (int k = 0; k + 1 < count; ++k) {
            trace_between(bounces_[static_cast<std::size_t>(k)],
                          bounces_[static_cast<std::size_t>(k + 1)], points);
        }
        PathStart start = start_at(points, 0);
        start.least = false;
        start.bounce = true;
        for (int k = 0; k < count; ++k) {
            const auto joint = static_cast<std::size_t>(bounces_[static_cast<std::size_t>(k)]);
            start.joints[2 * joint] = at[static_cast<std::size_t>(k)].x;
            if (!medium_.grid().is_2d())
                start.joints[2 * joint + 1] = at[static_cast<std::size_t>(k)].y;
            start.held |= std::uint64_t{1} << joint;
        }
        out.push_back(std::move(start));
    }
    return out;
}

std::vector<PathStart> StartLattice::starts(const Table& source, const Table& receiver,
                                            int most) const {
    if (joint_count() == 0) return {PathStart{}};
    struct Candidate {
        StationaryPoint at;
        int pivot;
    };
    std::vector<Candidate> found;
    const bool two = pivot_ != last_pivot_;
    const auto look = [&](int pivot, const std::vector<double>& a, const std::vector<double>& b) {
        for (const StationaryPoint& at : stationary_points(lattice_, a, b)) {
            found.push_back({at, pivot});
        }
    };
    look(pivot_, two ? source.nearer : source.time, receiver.time);
    if (two) look(last_pivot_, source.time, receiver.nearer);
    std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
        return a.at.least != b.at.least ? a.at.least : a.at.time < b.at.time;
    });
    // What both pivots tell is one start.
    std::vector<std::vector<int>> taken;
    const auto is_taken = [&](const std::vector<int>& points) {
        return std::any_of(taken.begin(), taken.end(), [&](const std::vector<int>& other) {
            return std::equal(points.begin(), points.end(), other.begin(), [&](int a, int b) {
                return std::abs(a / lattice_.ny - b / lattice_.ny) <= 1 &&
                       std::abs(a % lattice_.ny - b % lattice_.ny) <= 1;
            });
        });
    };
    std::vector<PathStart> out;
    int counts[2] = {0, 0};
    for (const auto& [at, pivot] : found) {
        int& count = counts[at.least ? 0 : 1];
        if (count >= most) continue;
        std::vector<int> points(static_cast<std::size_t>(joint_count()));
        points[static_cast<std::size_t>(pivot)] = at.point;
        trace_back(source, pivot, points);
        trace_on(receiver, pivot, points);
        if (two && at.least && is_taken(points)) continue;
        ++count;
        out.push_back(start_at(points, at.time));
        out.back().least = at.least;
        if (!at.least) out.back().held = std::uint64_t{1} << pivot;
        if (two && at.least) taken.push_back(std::move(points));
    }
    return out;
}

}  // namespace fermat
