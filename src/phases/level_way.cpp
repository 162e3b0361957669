#include "phases/level_way.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/mat3.hpp"
#include "model/by_depth.hpp"
#include "phases/leg_media.hpp"
#include "phases/start_lattice.hpp"

namespace fermat {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// Parameters between two rows. Distances have slopes without bound at either row, so that samples
/// are denser there.
constexpr int samples_per_row = 4;
/// Of a ray's leg.
constexpr int segments_of_rays = 64;
/// Angle over which a ray is drawn as a straight line before it is divided into segments.
constexpr double drawn_angle = 0.002;

/// The angle at which a ray meets the depth where u is u.
double angle_of(double p, double u) { return std::atan2(std::sqrt((u - p) * (u + p)), p); }

double level_y(double depth, double radius) {
    return radius > 0 ? -std::log1p(-depth / radius) : depth;
}
/// The radius of the surface of a sphere, 0 in a plane.
double radius_of(const LayeredMedium& medium) {
    if (form_of(medium) != LayerForm::spherical) return 0;
    return medium.place().mapping().numbers().radius;
}

/// On a sphere a law of powers stands for velocities that are linear between rows, in slabs as thin
/// as keeps them within 1e-7.
std::vector<LevelSlab> slabs_of(const LayeredMedium& medium, int layer, Phase wave, double radius,
                                std::vector<double>* u_of_rows = nullptr) {
    constexpr double fine = 1e-3;  // change of the velocity in a slab
    const Model& model = medium.model(layer, wave);
    const Grid& grid = model.grid();
    const int last = grid.shape.z - 1;
    const auto velocity_at = [&](double z) {
        const double row = std::clamp((z - grid.coordinate(2, 0)) / grid.spacing.z, 0.0,
                                      static_cast<double>(last));
        const int at = std::min(static_cast<int>(row), last - 1);
        const double part = row - at;
        const FieldView<const float> v = model.velocity();
        return (1 - part) * v(0, 0, at) + part * v(0, 0, at + 1);
    };
    const auto u_at = [&](double z) { return (radius > 0 ? radius - z : 1) / velocity_at(z); };
    const double top = medium.top_of(layer).depth().front();
    double bottom =
        std::min(medium.bottom_of(layer, grid.origin.x, grid.origin.y), grid.coordinate(2, last));
    if (radius > 0) bottom = std::min(bottom, 0.999 * radius);  // u is 0 at the centre
    const double rounding = 1e-9 * grid.spacing.z;
    std::vector<double> depths{top};
    for (int row = 0; row <= last; ++row) {
        const double z = grid.coordinate(2, row);
        if (z > top + rounding && z < bottom - rounding) depths.push_back(z);
    }
    depths.push_back(bottom);
    std::vector<LevelSlab> out;
    for (std::size_t i = 0; i + 1 < depths.size(); ++i) {
        const double z0 = depths[i];
        const double z1 = depths[i + 1];
        if (!(z1 > z0)) continue;
        if (u_of_rows != nullptr) u_of_rows->insert(u_of_rows->end(), {u_at(z0), u_at(z1)});
        const double change = std::fabs(velocity_at(z1) / velocity_at(z0) - 1);
        const int parts = radius > 0 ? std::clamp(static_cast<int>(change / fine) + 1, 1, 64) : 1;
        for (int part = 0; part < parts; ++part) {
            const double from = z0 + (z1 - z0) * part / parts;
            const double to = z0 + (z1 - z0) * (part + 1) / parts;
            LevelSlab slab{level_y(from, radius), level_y(to, radius), u_at(from), u_at(to), 0,
                           !(radius > 0)};
            const double thick = slab.y1 - slab.y0;
            slab.b = (slab.plane ? 1 / slab.u1 - 1 / slab.u0 : std::log(slab.u0 / slab.u1)) / thick;
            out.push_back(slab);
        }
    }
    return out;
}

/// What a ray passes of one slab on its way down: from `from` to `until`, or to where it turns.
struct Piece {
    const LevelSlab& slab;
    double from, until;
    double u;       ///< mean of both ends
    bool straight;  ///< u hardly changes: closed forms of a slab divide by its change
    bool turns;
    double a0, a1;  ///< angles at the ends; not of straight pieces

    double distance(double p) const {
        return straight ? p * (until - from) / std::sqrt((u - p) * (u + p))
                        : slab.distance(p, a0, a1);
    }
    double time(double p) const {
        return straight ? u * u * (until - from) / std::sqrt((u - p) * (u + p))
                        : slab.time(p, a0, a1);
    }
};

/// Goes down through slabs from y to `end`, piece by piece; whether the ray turned before.
template <class Visit>
bool go_down(const std::vector<LevelSlab>& slabs, double p, double y, double end, Visit&& visit) {
    for (const LevelSlab& slab : slabs) {
        const double from = std::max(slab.y0, y);
        const double until = std::min(slab.y1, end);
        if (!(until > from)) continue;
        const double u0 = slab.u(from);
        const double u1 = slab.u(until);
        if (u0 <= p) return true;
        const bool turns = u1 <= p;
        const bool straight = !turns && std::fabs(u1 - u0) < 1e-8 * u0;
        visit(Piece{slab, from, until, 0.5 * (u0 + u1), straight, turns,
                    straight ? 0 : angle_of(p, u0), straight || turns ? 0 : angle_of(p, u1)});
        if (turns) return true;
    }
    return false;
}

/// The place of the largest (sign 1) or least (-1) value of a function by golden sections.
template <class Function>
double extreme(Function&& f, double low, double high, double sign) {
    const double ratio = 0.5 * (std::sqrt(5.0) - 1);
    double a = high - ratio * (high - low);
    double b = low + ratio * (high - low);
    double fa = sign * f(a);
    double fb = sign * f(b);
    for (int step = 0; step < 60; ++step) {
        if (fa > fb) {
            high = b;
            b = a;
            fb = fa;
            a = high - ratio * (high - low);
            fa = sign * f(a);
        } else {
            low = a;
            a = b;
            fa = fb;
            b = low + ratio * (high - low);
            fb = sign * f(b);
        }
    }
    return fa > fb ? a : b;
}

}  // namespace

bool is_level(const LayeredMedium& medium) {
    if (form_of(medium) == LayerForm::mapped) return false;
    for (const Interface& one : medium.interfaces()) {
        const std::vector<double>& depth = one.depth();
        if (std::any_of(depth.begin(), depth.end(), [&](double z) { return z != depth.front(); })) {
            return false;
        }
    }
    return std::all_of(medium.layers().begin(), medium.layers().end(), [](const Layer& layer) {
        return depends_on_depth(layer.p) && (!layer.s || depends_on_depth(*layer.s));
    });
}

bool knows_all_rays(const LayeredMedium& medium, const Branch& branch) {
    if (!is_level(medium)) return false;
    const auto dives = [&](Phase wave) {
        for (int layer = 0; layer < medium.layer_count(); ++layer) {
            const auto slabs = slabs_of(medium, layer, wave, radius_of(medium));
            if (!slabs.empty() && !(slabs.front().b > 0)) return false;
        }
        return true;
    };
    return dives(branch.last) &&
           std::all_of(branch.steps.begin(), branch.steps.end(),
                       [&](const BranchStep& step) { return dives(step.wave); });
}

double LevelSlab::u(double y) const {
    return plane ? 1 / (1 / u0 + b * (y - y0)) : u0 * std::exp(-b * (y - y0));
}
double LevelSlab::y_at(double from, double p, double a) const {
    const double ratio = std::cos(a) / p;  // 1 / u
    return from + (plane ? ratio - 1 / u(from) : std::log(u(from) * ratio)) / b;
}
double LevelSlab::distance(double p, double a0, double a1) const {
    return plane ? (std::sin(a0) - std::sin(a1)) / (p * b) : (a0 - a1) / b;
}
double LevelSlab::time(double p, double a0, double a1) const {
    return plane ? (std::atanh(std::sin(a0)) - std::atanh(std::sin(a1))) / b
                 : p * (std::tan(a0) - std::tan(a1)) / b;
}

double LevelWay::y_of(double depth) const { return level_y(depth, radius_); }
double LevelWay::depth_of(double y) const { return radius_ > 0 ? -radius_ * std::expm1(-y) : y; }

LevelWay::LevelWay(const LayeredMedium& medium, const Legs& legs, bool first_turns)
    : medium_(&medium), legs_(legs), bounces_(bounces_of(legs)), radius_(radius_of(medium)) {
    for (std::size_t k = 0; k < legs.size(); ++k) {
        const Leg& leg = legs[k];
        LegWay way;
        way.from = k == 0 ? -1 : legs[k - 1].to;
        way.to = leg.to;
        const bool from_top = way.from == leg.layer;
        way.turns = leg.turns || leg.dives || (leg.rises && from_top) || (first_turns && k == 0);
        // A last wave that leaves the top of its layer and need not turn may go straight down.
        if (!way.turns && leg.to < 0 && from_top) complete_ = false;
        // Where a spare leg shrinks to nothing, another way is meant.
        if (leg.spare) usable_ = false;
        way.slabs = slabs_of(medium, leg.layer, leg.wave, radius_, &way.rows);
        if (way.slabs.empty()) usable_ = false;
        if (way.turns && !way.slabs.empty() && !(way.slabs.front().b > 0)) complete_ = false;
        ways_.push_back(std::move(way));
    }
}

std::vector<LevelWay::Span> LevelWay::spans(double source_depth, double receiver_depth) const {
    std::vector<Span> out;
    const auto depth_at = [&](int interface, double end) {
        return y_of(interface < 0 ? end : medium_->top_of(interface).depth().front());
    };
    for (const LegWay& leg : ways_) {
        out.push_back({&leg, depth_at(leg.from, source_depth), depth_at(leg.to, receiver_depth)});
    }
    return out;
}

LevelWay::Sum LevelWay::sum(const Span& span, double p) const {
    const auto descend = [&](double y, double end, Sum& to) {
        return go_down(span.leg->slabs, p, y, end, [&](const Piece& piece) {
            to.distance += piece.distance(p);
            to.time += piece.time(p);
        });
    };
    const double high = std::min(span.from, span.to);
    const double low = std::max(span.from, span.to);
    Sum out;
    if (descend(high, low, out)) return {infinite, infinite};
    if (!span.leg->turns) return out;
    Sum below;
    if (!descend(low, infinite, below)) return {infinite, infinite};
    return {out.distance + 2 * below.distance, out.time + 2 * below.time};
}

double LevelWay::distance(const std::vector<Span>& spans, double p) const {
    double out = 0;
    for (const Span& span : spans) out += sum(span, p).distance;
    return out;
}

std::vector<LevelWay::Sample> LevelWay::samples(double source_depth, double receiver_depth) const {
    if (!usable_) return {};
    const std::vector<Span> all = spans(source_depth, receiver_depth);
    double low = 0;
    double high = infinite;
    std::vector<double> rows;
    for (const Span& span : all) {
        const double top = std::min(span.from, span.to);
        const double start = std::max(span.from, span.to);
        double least = infinite;  // below the start, where a turning leg turns
        rows.insert(rows.end(), span.leg->rows.begin(), span.leg->rows.end());
        for (const LevelSlab& slab : span.leg->slabs) {
            const auto lower = [&](double from, double to, double& value) {
                const double a = std::max(slab.y0, from);
                const double b = std::min(slab.y1, to);
                if (a > b) return;
                value = std::min({value, slab.u(a), slab.u(b)});
            };
            lower(top, start, high);
            lower(start, infinite, least);
        }
        if (span.leg->turns) low = std::max(low, least);
    }
    if (!(high > low) || !std::isfinite(high)) return {};
    high *= 1 - 1e-13;  // rays that end in a depth where u is p do not turn there
    rows.insert(rows.end(), {low, high});
    std::sort(rows.begin(), rows.end());
    std::vector<Sample> out;
    double before = low;
    out.push_back({low, distance(all, low)});
    for (const double row : rows) {
        if (row <= before * (1 + 1e-12) || row > high) continue;
        for (int i = 1; i <= samples_per_row; ++i) {
            const double part = 0.5 - 0.5 * std::cos(std::acos(-1.0) * i / samples_per_row);
            const double p = before + part * (row - before);
            out.push_back({p, distance(all, p)});
        }
        before = row;
    }
    return out;
}

double LevelWay::solve(const std::vector<Span>& spans, double low, double high,
                       double wanted) const {
    const bool grows = distance(spans, low) < wanted;
    for (int step = 0; step < 100; ++step) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        ((distance(spans, middle) < wanted) == grows ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

void LevelWay::draw(const Span& span, double p, std::vector<std::array<double, 2>>& line) const {
    // From the upper end down to the lower one or, where the leg turns, to its turning point.
    const auto down = [&](double y, double end) {
        std::vector<std::array<double, 2>> out{{0, y}};
        go_down(span.leg->slabs, p, y, end, [&](const Piece& piece) {
            const double begin = out.back()[0];
            if (piece.straight) {
                out.push_back({begin + piece.distance(p), piece.until});
                return;
            }
            const double turned = piece.a1 - piece.a0;
            const int steps = 1 + static_cast<int>(std::fabs(turned) / drawn_angle);
            for (int i = 1; i <= steps; ++i) {
                const double a = piece.a0 + turned * i / steps;
                out.push_back(
                    {begin + piece.slab.distance(p, piece.a0, a),
                     i == steps && !piece.turns ? piece.until : piece.slab.y_at(piece.from, p, a)});
            }
        });
        return out;
    };
    const auto append = [&](const std::vector<std::array<double, 2>>& part, bool backwards) {
        const double begin = line.back()[0];
        const std::size_t n = part.size();
        for (std::size_t i = 1; i < n; ++i) {
            const auto& at = part[backwards ? n - 1 - i : i];
            line.push_back({begin + (backwards ? part.back()[0] - at[0] : at[0]), at[1]});
        }
    };
    if (span.leg->turns) {
        append(down(span.from, infinite), false);
        append(down(span.to, infinite), true);
    } else if (span.to >= span.from) {
        append(down(span.from, span.to), false);
    } else {
        append(down(span.to, span.from), true);
    }
}

int LevelWay::maxima(const std::vector<Span>& spans, double p) const {
    // How the parameter of each section between bounces changes with its distance. A section whose
    // parameter grows has passed a caustic, and along the bounces the second derivatives of the
    // time are a tridiagonal matrix of these numbers.
    std::vector<double> slopes;
    std::size_t first = 0;
    for (std::size_t k = 0; k <= bounces_.size(); ++k) {
        const std::size_t last =
            k < bounces_.size() ? static_cast<std::size_t>(bounces_[k]) + 1 : spans.size();
        const std::vector<Span> section(spans.begin() + static_cast<std::ptrdiff_t>(first),
                                        spans.begin() + static_cast<std::ptrdiff_t>(last));
        const double step = 1e-7 * p;
        const double change = distance(section, p + step) - distance(section, p - step);
        slopes.push_back(std::isfinite(change) && change != 0 ? 2 * step / change : -infinite);
        first = last;
    }
    int out = 0;
    for (const double slope : slopes) out += slope > 0 ? 1 : 0;
    double pivot = 0;
    for (std::size_t k = 0; k + 1 < slopes.size(); ++k) {
        const double carried = k == 0 ? 0 : slopes[k] * slopes[k] / pivot;
        pivot = slopes[k] + slopes[k + 1] - carried;
        out += pivot < 0 ? 1 : 0;
    }
    return out;
}

BranchRay LevelWay::ray(const std::vector<Span>& spans, double p, Vec3 source,
                        Vec3 receiver) const {
    const Place& place = medium_->place();
    const Mapping& mapping = place.mapping();
    const Vec3 from = mapping.place(place.grid_point(source));
    const Vec3 to = mapping.place(place.grid_point(receiver));
    Vec3 along = to - from;
    Vec3 up{0, 0, -1};
    if (radius_ > 0) {
        up = from / norm(from);
        along = to - dot(to, up) * up;
    } else {
        along.z = 0;
    }
    along = along / norm(along);
    const auto place_of = [&](std::array<double, 2> at) {
        const double depth = depth_of(at[1]);
        if (radius_ > 0) {
            return (radius_ - depth) * (std::cos(at[0]) * up + std::sin(at[0]) * along);
        }
        const Vec3 q = from + at[0] * along;
        return Vec3{q.x, q.y, depth};
    };
    BranchRay out;
    out.status = BranchStatus::ok;
    out.legs = legs_;
    out.segments = segments_of_rays;
    out.maxima = maxima(spans, p);
    out.places.push_back(from);
    double begin = 0;
    for (const Span& span : spans) {
        out.time += sum(span, p).time;
        std::vector<std::array<double, 2>> line{{begin, span.from}};
        draw(span, p, line);
        begin = line.back()[0];
        std::vector<Vec3> points;
        std::vector<double> passed;
        for (const auto& at : line) {
            const Vec3 point = place_of(at);
            passed.push_back(
                points.empty() ? 0 : passed.back() + fermat::distance(points.back(), point));
            points.push_back(point);
        }
        std::size_t k = 0;
        for (int i = 1; i <= out.segments; ++i) {
            const double wanted = passed.back() * i / out.segments;
            while (k + 2 < passed.size() && passed[k + 1] < wanted) ++k;
            if (i == out.segments || passed.size() == 1) {
                out.places.push_back(points.back());
                continue;
            }
            const double part = (wanted - passed[k]) / (passed[k + 1] - passed[k]);
            out.places.push_back((1 - part) * points[k] + part * points[k + 1]);
        }
        if (&span == &spans.back()) break;
        const Vec3 joint = mapping.to_user(mapping.from_place(out.places.back()));
        out.joints.insert(out.joints.end(), {joint.x, joint.y});
    }
    out.places.back() = to;
    out.length = path_length(out.places.data(), static_cast<int>(out.places.size()) - 1);
    for (const Vec3& at : out.places) {
        if (!place.grid().contains(mapping.from_place(at))) {
            out.status = BranchStatus::outside;
            break;
        }
    }
    return out;
}

std::vector<BranchRay> LevelWay::rays(Vec3 source, Vec3 receiver,
                                      const std::vector<Sample>& samples) const {
    if (!usable_ || samples.size() < 2) return {};
    double wanted = 0;
    if (radius_ > 0) {
        const Place& place = medium_->place();
        const Vec3 a = place.mapping().place(place.grid_point(source));
        const Vec3 b = place.mapping().place(place.grid_point(receiver));
        wanted = std::atan2(norm(crossed(a, b)), dot(a, b));
    } else {
        wanted = std::hypot(receiver.x - source.x, receiver.y - source.y);
    }
    if (!(wanted > 0)) return {};
    const std::vector<Span> all = spans(source.z, receiver.z);
    const auto at = [&](double p) { return distance(all, p); };
    std::vector<double> found;
    const auto look = [&](double low, double high) {
        const double p = solve(all, low, high, wanted);
        // Distances jump where a wave no longer turns above slower rocks.
        if (std::fabs(at(p) - wanted) < 1e-5 * wanted) found.push_back(p);
    };
    for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
        const double here = samples[i].distance;
        const double next = samples[i + 1].distance;
        if (!std::isfinite(here) || !std::isfinite(next)) continue;
        if ((here < wanted) != (next < wanted)) look(samples[i].p, samples[i + 1].p);
        if (i == 0 || !std::isfinite(samples[i - 1].distance)) continue;
        // Two rays may lie between samples, where the distance is largest or least.
        const double before = samples[i - 1].distance;
        const bool top = here > before && here > next && here < wanted;
        const bool bottom = here < before && here < next && here >= wanted;
        if (!top && !bottom) continue;
        const double low = samples[i - 1].p;
        const double high = samples[i + 1].p;
        const double p = extreme(at, low, high, top ? 1 : -1);
        if ((at(p) < wanted) == top) continue;
        look(low, p);
        look(p, high);
    }
    std::vector<BranchRay> out;
    for (const double p : found) out.push_back(ray(all, p, source, receiver));
    return out;
}

}  // namespace fermat
