#include "tomography/joint/event_blocks.hpp"

#include <algorithm>
#include <cmath>

#include "core/expect.hpp"
#include "core/parallel.hpp"

namespace fermat {
namespace {

constexpr std::size_t time_place = 3;

using Matrix = std::array<EventVector, event_unknowns>;

/// The lower triangle L of L L^T = a. A pivot that rounding made no number above 0 becomes 1, with
/// nothing below it: that unknown then does not move much.
Matrix cholesky(const Matrix& a) {
    Matrix l{};
    for (std::size_t j = 0; j < event_unknowns; ++j) {
        double pivot = a[j][j];
        for (std::size_t k = 0; k < j; ++k) pivot -= l[j][k] * l[j][k];
        const bool good = pivot > 1e-14 * a[j][j];
        l[j][j] = good ? std::sqrt(pivot) : std::sqrt(std::max(a[j][j], 1e-300));
        for (std::size_t i = j + 1; i < event_unknowns; ++i) {
            double sum = a[i][j];
            for (std::size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
            l[i][j] = good ? sum / l[j][j] : 0;
        }
    }
    return l;
}

EventVector solve(const Matrix& l, EventVector b) {
    for (std::size_t i = 0; i < event_unknowns; ++i) {
        for (std::size_t k = 0; k < i; ++k) b[i] -= l[i][k] * b[k];
        b[i] /= l[i][i];
    }
    for (std::size_t i = event_unknowns; i-- > 0;) {
        for (std::size_t k = i + 1; k < event_unknowns; ++k) b[i] -= l[k][i] * b[k];
        b[i] /= l[i][i];
    }
    return b;
}

/// Puts one unknown's value into the equations of the others.
void hold(Matrix& a, EventVector& b, std::size_t at, double value) {
    for (std::size_t i = 0; i < event_unknowns; ++i) {
        if (i == at) continue;
        b[i] -= a[i][at] * value;
        a[i][at] = a[at][i] = 0;
    }
    a[at][at] = 1;
    b[at] = value;
}

}  // namespace

EventBlocks::EventBlocks(const Survey& picks, const Place& place, const JointOptions& options)
    : place_(place),
      relocate_(options.relocate),
      least_picks_(static_cast<std::size_t>(options.least_picks)),
      lists_(by_event(picks)),
      rows_(picks.arrivals.size()),
      blocks_(picks.events.size()) {
    const Mapping& mapping = place.mapping();
    const Vec3 prior = mapping.flat_axes(options.prior);
    for (std::size_t i = 0; i < 3; ++i) {
        const double deviation = prior[static_cast<int>(i)];
        if (deviation > 0) belief_[i] = 1 / (deviation * deviation);
    }
    for (const Event& event : picks.events) {
        given_.push_back(mapping.flat_from_user(event.position));
        known_.push_back(event.known);
    }
}

EventBlocks::Mask EventBlocks::freedom(std::size_t event, std::size_t heard) const {
    FERMAT_EXPECT(event < known_.size());
    const auto [place, time] = known_[event];
    Mask free{};
    free[time_place] = relocate_ != Relocate::none && !time && heard >= 2;
    if (relocate_ != Relocate::all || place || heard < least_picks_) return free;
    free[0] = free[2] = true;
    free[1] = !place_.grid().is_2d();
    return free;
}

std::size_t EventBlocks::free_unknowns(std::span<const double> weights) const {
    std::size_t count = 0;
    for (std::size_t e = 0; any() && e < lists_.size(); ++e) {
        const auto heard = std::count_if(lists_[e].begin(), lists_[e].end(), [&](std::int32_t n) {
            return weights[static_cast<std::size_t>(n)] > 0;
        });
        const Mask free = freedom(e, static_cast<std::size_t>(heard));
        for (std::size_t i = 0; i < event_unknowns; ++i) count += free[i] && belief_[i] == 0;
    }
    return count;
}

void EventBlocks::renew(std::span<const Vec3> slopes, std::span<const double> weights,
                        std::span<const double> shift, double damping) {
    for (std::size_t e = 0; any() && e < lists_.size(); ++e) {
        std::size_t heard = 0;
        for (const std::int32_t n : lists_[e]) heard += weights[static_cast<std::size_t>(n)] > 0;
        Block& block = blocks_[e];
        block.free = freedom(e, heard);
        block.normal = {};
        for (const std::int32_t number : lists_[e]) {
            const auto n = static_cast<std::size_t>(number);
            const Vec3 slope = slopes[n];
            EventVector& row = rows_[n];
            row = {};
            if (weights[n] == 0) continue;
            const EventVector whole{slope.x, slope.y, slope.z, 1};
            for (std::size_t i = 0; i < event_unknowns; ++i) {
                if (block.free[i]) row[i] = weights[n] * whole[i];
            }
            for (std::size_t i = 0; i < event_unknowns; ++i) {
                for (std::size_t j = 0; j < event_unknowns; ++j) {
                    block.normal[i][j] += row[i] * row[j];
                }
            }
        }
        for (std::size_t i = 0; i < event_unknowns; ++i) {
            if (!(block.normal[i][i] > 0)) block.free[i] = false;
            block.added[i] = block.free[i] ? damping * block.normal[i][i] + belief_[i] : 1;
            block.normal[i][i] =
                block.free[i] ? (1 + damping) * block.normal[i][i] + belief_[i] : 1;
            block.pull[i] = block.free[i] ? belief_[i] * shift[event_unknowns * e + i] : 0;
        }
        block.factor = cholesky(block.normal);
    }
}

EventVector EventBlocks::products(std::size_t event, std::span<const double> y) const {
    FERMAT_EXPECT(event < lists_.size());
    EventVector sums{};
    for (const std::int32_t number : lists_[event]) {
        const auto n = static_cast<std::size_t>(number);
        for (std::size_t i = 0; i < event_unknowns; ++i) sums[i] += rows_[n][i] * y[n];
    }
    return sums;
}

double EventBlocks::prior_of(std::span<const double> shift) const {
    double sum = 0;
    for (std::size_t n = 0; n < shift.size(); ++n) {
        sum += belief_[n % event_unknowns] * shift[n] * shift[n];
    }
    return sum;
}

void EventBlocks::project_residual(std::span<double> r, int threads) const {
    project(r, threads);
    for (std::size_t e = 0; any() && e < lists_.size(); ++e) {
        const EventVector s = solve(blocks_[e].factor, blocks_[e].pull);
        for (const std::int32_t number : lists_[e]) {
            const auto n = static_cast<std::size_t>(number);
            for (std::size_t i = 0; i < event_unknowns; ++i) r[n] += rows_[n][i] * s[i];
        }
    }
}

void EventBlocks::project(std::span<double> y, int threads) const {
    if (!any()) return;
    parallel_ranges(static_cast<std::int64_t>(lists_.size()), y.size() < 20000 ? 1 : threads,
                    [&](std::int64_t begin, std::int64_t end) {
                        for (auto e = static_cast<std::size_t>(begin);
                             e < static_cast<std::size_t>(end); ++e) {
                            const EventVector s = solve(blocks_[e].factor, products(e, y));
                            for (const std::int32_t number : lists_[e]) {
                                const auto n = static_cast<std::size_t>(number);
                                for (std::size_t i = 0; i < event_unknowns; ++i) {
                                    y[n] -= rows_[n][i] * s[i];
                                }
                            }
                        }
                    });
}

EventVector EventBlocks::solved(std::size_t event, const EventVector& right) const {
    FERMAT_EXPECT(event < blocks_.size());
    return solve(blocks_[event].factor, right);
}

EventVector EventBlocks::bounded_step(const Block& block, EventVector right, Vec3 from,
                                      bool& bounded) const {
    Matrix normal = block.normal;
    EventVector s = solve(block.factor, right);
    for (int held = 0; held < 3; ++held) {
        const Vec3 to = from + Vec3{s[0], s[1], s[2]};
        const Vec3 end = place_.nearest_flat(to);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<int>(axis);
            if (!block.free[axis] || to[a] == end[a]) continue;
            bounded = true;
            hold(normal, right, axis, end[a] - from[a]);
        }
        s = solve(cholesky(normal), right);
    }
    return s;
}

void EventBlocks::take_one(const Model& model, std::size_t e, const EventVector& right,
                           std::span<double> shift, std::vector<bool>& bounded) const {
    // Rays to a place much farther away say nothing of it.
    const Corners box = place_.flat_corners();
    const Vec3 size = box.high - box.low;
    const double longest = std::max({size.x, size.y, size.z}) / 8;
    const auto own = shift.subspan(event_unknowns * e, event_unknowns);
    const Vec3 from = place_.nearest_flat(given_[e] + Vec3{own[0], own[1], own[2]});
    bool stopped = false;
    const EventVector s = bounded_step(blocks_[e], right, from, stopped);
    Vec3 way{s[0], s[1], s[2]};
    const double far = norm(way);
    if (far > longest) way = (longest / far) * way;
    constexpr int most_halves = 20;
    for (int half = 0; model.has_air() && half < most_halves; ++half) {
        const Vec3 end = place_.flat_to_grid(place_.nearest_flat(from + way));
        if (!in_air(model, place_.grid().clamp(end))) break;
        stopped = true;
        way = half + 1 < most_halves ? 0.5 * way : Vec3{};
    }
    if (blocks_[e].free[0]) {
        const Vec3 moved = place_.nearest_flat(from + way) - given_[e];
        for (int axis = 0; axis < 3; ++axis) own[static_cast<std::size_t>(axis)] = moved[axis];
    }
    own[time_place] += s[time_place];
    bounded[e] = stopped;
}

void EventBlocks::step(const Model& model, std::span<const double> left, std::span<double> shift,
                       std::vector<bool>& bounded) const {
    bounded.assign(lists_.size(), false);
    for (std::size_t e = 0; any() && e < lists_.size(); ++e) {
        EventVector right = products(e, left);
        for (std::size_t i = 0; i < event_unknowns; ++i) right[i] -= blocks_[e].pull[i];
        take_one(model, e, right, shift, bounded);
    }
}

void EventBlocks::take(const Model& model, std::span<const double> steps, std::span<double> shift,
                       std::vector<bool>& bounded) const {
    bounded.assign(lists_.size(), false);
    for (std::size_t e = 0; any() && e < lists_.size(); ++e) {
        EventVector right{};
        for (std::size_t i = 0; i < event_unknowns; ++i) {
            for (std::size_t j = 0; j < event_unknowns; ++j) {
                right[i] += blocks_[e].normal[i][j] * steps[event_unknowns * e + j];
            }
        }
        take_one(model, e, right, shift, bounded);
    }
}

void EventBlocks::add_times(std::span<const double> s, std::span<double> y, int threads) const {
    parallel_ranges(static_cast<std::int64_t>(lists_.size()), y.size() < 20000 ? 1 : threads,
                    [&](std::int64_t begin, std::int64_t end) {
                        for (auto e = static_cast<std::size_t>(begin);
                             e < static_cast<std::size_t>(end); ++e) {
                            for (const std::int32_t number : lists_[e]) {
                                const auto n = static_cast<std::size_t>(number);
                                for (std::size_t i = 0; i < event_unknowns; ++i) {
                                    y[n] += rows_[n][i] * s[event_unknowns * e + i];
                                }
                            }
                        }
                    });
}

void EventBlocks::transposed_times(std::span<const double> y, std::span<double> out,
                                   int threads) const {
    parallel_ranges(static_cast<std::int64_t>(lists_.size()), y.size() < 20000 ? 1 : threads,
                    [&](std::int64_t begin, std::int64_t end) {
                        for (auto e = static_cast<std::size_t>(begin);
                             e < static_cast<std::size_t>(end); ++e) {
                            const EventVector sums = products(e, y);
                            std::copy(sums.begin(), sums.end(), &out[event_unknowns * e]);
                        }
                    });
}

void EventBlocks::add_damping(std::span<const double> s, std::span<double> out) const {
    for (std::size_t n = 0; n < s.size(); ++n) {
        out[n] += blocks_[n / event_unknowns].added[n % event_unknowns] * s[n];
    }
}

void EventBlocks::add_pull(std::span<double> out) const {
    for (std::size_t n = 0; n < out.size(); ++n) {
        out[n] -= blocks_[n / event_unknowns].pull[n % event_unknowns];
    }
}

void EventBlocks::add_belief_noise(std::span<const double> noise, std::span<double> out) const {
    for (std::size_t n = 0; n < out.size(); ++n) {
        const std::size_t i = n % event_unknowns;
        if (blocks_[n / event_unknowns].free[i]) out[n] += std::sqrt(belief_[i]) * noise[n];
    }
}

void EventBlocks::precondition(std::span<const double> in, std::span<double> out) const {
    for (std::size_t e = 0; e < lists_.size(); ++e) {
        EventVector right{};
        std::copy_n(&in[event_unknowns * e], event_unknowns, right.begin());
        const EventVector s = solve(blocks_[e].factor, right);
        std::copy(s.begin(), s.end(), &out[event_unknowns * e]);
    }
}

EventVector EventBlocks::deviations(std::size_t event) const {
    FERMAT_EXPECT(event < blocks_.size());
    const Block& block = blocks_[event];
    EventVector out{};
    for (std::size_t i = 0; i < event_unknowns; ++i) {
        if (!block.free[i]) continue;
        EventVector unit{};
        unit[i] = 1;
        out[i] = std::sqrt(solve(block.factor, unit)[i]);
    }
    return out;
}

EventUse EventBlocks::use_of(std::size_t event) const {
    FERMAT_EXPECT(event < blocks_.size());
    if (relocate_ == Relocate::all && known_[event].place) return EventUse::known;
    if (relocate_ == Relocate::times && known_[event].time) return EventUse::known;
    const Mask& free = blocks_[event].free;
    const bool moves = relocate_ == Relocate::all ? free[0] || free[2] : free[time_place];
    return moves ? EventUse::moved : EventUse::few_picks;
}

}  // namespace fermat
