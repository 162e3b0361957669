#include "phases/path_search.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>

#include "phases/mapped_layer.hpp"
#include "phases/spherical_layer.hpp"
#include "phases/two_point.hpp"

namespace fermat {
namespace {

/// Straight legs first: a joint that moves far must take its legs along. Estimates of the time
/// begin with the segments at which legs are fairly round.
constexpr int first_segments = 1;
constexpr int fair_segments = 8;
/// How far outside its layer, in cells, a path may be: chords cut corners.
constexpr double slack_cells = 0.05;
/// Widths of a guard in cells (LayerGuard): a soft one first, since the path must find its way.
constexpr double guard_cells[] = {8, 2, 0.5, 0.25};

}  // namespace

class PathFinder::Search {
  public:
    virtual ~Search() = default;
    virtual BranchRay find(Vec3 source, Vec3 receiver, const PathStart& start) = 0;
};

template <class LayerT, class SurfaceT>
class PathFinder::SearchIn final : public PathFinder::Search {
  public:
    SearchIn(const LayeredMedium& medium, const Legs& legs, const PhaseOptions& options,
             bool follows_interfaces)
        : medium_(medium), legs_(legs), options_(options), follows_interfaces_(follows_interfaces) {
        const Vec3 cell = medium.place().cell_at_middle();
        cell_ =
            medium.grid().is_2d() ? std::min(cell.x, cell.z) : std::min({cell.x, cell.y, cell.z});
        for (const Leg& leg : legs) {
            free_.push_back(layer_of(leg, 0));
            guarded_.push_back(layer_of(leg, guard_cells[0] * cell_));
            if (leg.to >= 0) surfaces_.push_back(surface_of(leg.to));
        }
        const auto points = legs.size() * static_cast<std::size_t>(options.most_segments) + 1;
        points_.resize(2 * points);
        joints_.resize(4 * legs.size());
        carry_.resize(6 * points);
        space_ = {points_.data(), points_.data() + points, joints_.data(),
                  joints_.data() + 2 * legs.size(), carry_.data()};
        path_.surfaces = surfaces_.data();
        path_.legs = static_cast<int>(legs.size());
        path_.flat = medium.grid().is_2d();
        if (path_.flat) {
            const Vec3 at = medium.grid().origin;
            const Mat3 frame = medium.place().mapping().frame(at);
            path_.across = {frame(0, 1), frame(1, 1), frame(2, 1)};
        }
    }

    BranchRay find(Vec3 source, Vec3 receiver, const PathStart& start) override {
        BranchRay ray = search(free_, source, receiver, start);
        const bool blocked =
            ray.status == BranchStatus::crosses || ray.status == BranchStatus::unsettled;
        if (!blocked || !start.least || !follows_interfaces_) return ray;
        BranchRay along = search(guarded_, source, receiver, start);
        if (along.status == BranchStatus::ok) along.status = BranchStatus::along;
        return along.status == BranchStatus::along ? along : ray;
    }

  private:
    LayerT layer_of(const Leg& leg, double guard) const {
        const Model& model = medium_.model(leg.layer, leg.wave);
        LayerT out;
        if constexpr (std::is_same_v<LayerT, PlainLayer>) {
            out.grid = model.grid();
        } else if constexpr (std::is_same_v<LayerT, SphericalLayer>) {
            const Grid& grid = model.grid();
            out.grid = grid;
            out.radius = model.coordinates().radius;
            out.middle = grid.coordinate(1, 0.5 * (grid.shape.y - 1));
        } else {
            out.place = &medium_.place();
            out.step = 0.25 * cell_;
        }
        out.velocity = model.velocity().data();
        out.guard.width = guard;
        out.guard.top = medium_.top_of(leg.layer).view();
        if (leg.layer + 1 < medium_.layer_count()) {
            out.guard.bottom = medium_.top_of(leg.layer + 1).view();
        }
        return out;
    }

    SurfaceT surface_of(int interface) const {
        SurfaceT out;
        out.view = medium_.top_of(interface).view();
        if constexpr (std::is_same_v<SurfaceT, SphericalSurface>) {
            out.radius = medium_.place().mapping().numbers().radius;
        }
        if constexpr (std::is_same_v<SurfaceT, MappedSurface>) {
            out.place = &medium_.place();
            const Lattice columns = columns_of(medium_.place());
            out.step_x = 1e-3 * columns.dx;
            out.step_y = 1e-3 * columns.dy;
        }
        return out;
    }

    /// Straight legs between the joints of a start.
    void begin(Vec3 source, Vec3 receiver, const PathStart& start) {
        std::copy(start.joints.begin(), start.joints.end(), space_.joint);
        Vec3 from = source;
        for (int leg = 0; leg < path_.legs; ++leg) {
            const bool is_last = leg + 1 == path_.legs;
            const Vec3 to = is_last ? receiver
                                    : surfaces_[static_cast<std::size_t>(leg)]
                                          .at(space_.joint[2 * leg], space_.joint[2 * leg + 1])
                                          .place;
            for (int i = 0; i < first_segments; ++i) {
                const double t = static_cast<double>(i) / first_segments;
                space_.point[leg * first_segments + i] = from + t * (to - from);
            }
            from = to;
        }
        space_.point[path_.legs * first_segments] = receiver;
    }

    BranchRay search(std::vector<LayerT>& layers, Vec3 source, Vec3 receiver,
                     const PathStart& start) {
        path_.layers = layers.data();
        for (LayerT& layer : guarded_) layer.guard.width = guard_cells[0] * cell_;
        BranchRay ray;
        ray.legs = legs_;
        begin(source, receiver, start);
        const bool is_guarded = layers.data() == guarded_.data();
        int n = first_segments;
        // Along the joint of a maximum or saddle the path is not to go down: first all else
        // settles.
        path_.held = start.least ? -1 : start.pivot;
        PathSearch at = settle_path(path_, space_, n, PathGoal::minimum, 80);
        while (n < fair_segments) {
            double_segments(space_, path_.legs, n);
            n *= 2;
            at = settle_path(path_, space_, n, PathGoal::minimum, 80);
        }
        path_.held = -1;
        if (!start.least) at = settle_path(path_, space_, n, PathGoal::stationary, 80);
        if (is_guarded) at = tighten_guard();
        double before = at.time;
        double estimate = at.time;
        ray.status = has_collapsed(n) ? BranchStatus::absent : BranchStatus::unsettled;
        if (ray.status == BranchStatus::absent) return ray;
        ray.doubt = estimate;
        const int most = is_guarded ? std::min(options_.most_segments, 64) : options_.most_segments;
        while (2 * n <= most) {
            double_segments(space_, path_.legs, n);
            n *= 2;
            at = settle_path(path_, space_, n,
                             at.negative == 0 ? PathGoal::minimum : PathGoal::stationary, 30);
            if (!std::isfinite(at.time)) return ray;
            const double next = (4 * at.time - before) / 3;
            ray.doubt = std::fabs(next - estimate);
            estimate = next;
            before = at.time;
            if (at.settled && n > 2 * fair_segments && ray.doubt < options_.tolerance * estimate)
                break;
        }
        if (!at.settled) return ray;
        ray.time = estimate;
        ray.maxima = at.negative;
        ray.segments = n;
        ray.places.assign(space_.point, space_.point + path_.legs * n + 1);
        ray.joints.assign(space_.joint, space_.joint + 2 * (path_.legs - 1));
        for (std::size_t i = 1; i < ray.places.size(); ++i) {
            ray.length += distance(ray.places[i - 1], ray.places[i]);
        }
        ray.status = judged(ray, is_guarded);
        if (is_guarded) ray.guard = layers.front().guard.width;
        return ray;
    }

    /// The path again and again, with guards that get narrower.
    PathSearch tighten_guard() {
        PathSearch at;
        for (const double width : guard_cells) {
            for (LayerT& layer : guarded_) layer.guard.width = width * cell_;
            at = settle_path(path_, space_, fair_segments, PathGoal::minimum, 80);
        }
        return at;
    }

    /// Whether a leg that must turn has no length: before the critical distance, a head wave
    /// shrinks to a reflection.
    bool has_collapsed(int n) const {
        for (int leg = 0; leg < path_.legs; ++leg) {
            const Vec3* p = space_.point + leg * n;
            const bool turns = legs_[static_cast<std::size_t>(leg)].turns;
            if (turns && distance(p[0], p[n]) < 0.01 * cell_) return true;
        }
        return false;
    }

    /// Whether the points of a settled path lie in their layers and in the model.
    BranchStatus judged(const BranchRay& ray, bool is_guarded) const {
        const Mapping& mapping = medium_.place().mapping();
        const Grid& grid = medium_.grid();
        const double slack = (is_guarded ? 4 : 1) * slack_cells * cell_;
        bool crosses = false;
        for (int leg = 0; leg < path_.legs; ++leg) {
            const Leg& of = legs_[static_cast<std::size_t>(leg)];
            for (int i = 0; i <= ray.segments; ++i) {
                const auto k = static_cast<std::size_t>(leg * ray.segments + i);
                const Vec3 q = mapping.from_place(ray.places[k]);
                if (!grid.contains(q)) return BranchStatus::outside;
                if (i == 0 || i == ray.segments) continue;
                const Vec3 user = mapping.to_user(q);
                if (of.dives && i == 1 &&
                    user.z < mapping.to_user(mapping.from_place(ray.places[k - 1])).z) {
                    return BranchStatus::absent;
                }
                crosses = crosses ||
                          user.z < medium_.top_of(of.layer).depth_at(user.x, user.y) - slack ||
                          user.z > medium_.bottom_of(of.layer, user.x, user.y) + slack;
            }
        }
        return crosses ? BranchStatus::crosses : BranchStatus::ok;
    }

    const LayeredMedium& medium_;
    Legs legs_;
    PhaseOptions options_;
    bool follows_interfaces_;
    double cell_ = 1;
    std::vector<LayerT> free_;
    std::vector<LayerT> guarded_;
    std::vector<SurfaceT> surfaces_;
    std::vector<Vec3> points_;
    std::vector<double> joints_;
    std::vector<double> carry_;
    PathSpace space_;
    PathMedium<LayerT, SurfaceT> path_;
};

PathFinder::PathFinder(const LayeredMedium& medium, const Legs& legs, const PhaseOptions& options,
                       bool follows_interfaces) {
    const auto make = [&]<class LayerT, class SurfaceT>(
                          std::type_identity<SearchIn<LayerT, SurfaceT>>) {
        search_ =
            std::make_unique<SearchIn<LayerT, SurfaceT>>(medium, legs, options, follows_interfaces);
    };
    const CoordinateNumbers& numbers = medium.place().mapping().numbers();
    if (numbers.system == Coordinates::spherical && !numbers.geodetic) {
        make(std::type_identity<SearchIn<SphericalLayer, SphericalSurface>>{});
    } else if (medium.layers().front().p.is_plain()) {
        make(std::type_identity<SearchIn<PlainLayer, PlainSurface>>{});
    } else {
        make(std::type_identity<SearchIn<MappedLayer, MappedSurface>>{});
    }
}
PathFinder::~PathFinder() = default;
PathFinder::PathFinder(PathFinder&&) noexcept = default;

BranchRay PathFinder::find(Vec3 source, Vec3 receiver, const PathStart& start) {
    return search_->find(source, receiver, start);
}

}  // namespace fermat
