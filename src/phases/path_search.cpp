#include "phases/path_search.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>

#include "phases/bounce.hpp"
#include "phases/leg_media.hpp"

namespace fermat {
namespace {

/// Widths of a guard in cells (LayerGuard): a soft one first, since the path must find its way.
constexpr double guard_cells[] = {8, 2, 0.5, 0.25};

}  // namespace

class PathFinder::Search {
  public:
    virtual ~Search() = default;
    virtual BranchRay find(Vec3 source, Vec3 receiver, const PathStart& start) = 0;
    virtual BranchRay find_along(Vec3 source, Vec3 receiver, const PathStart& start) = 0;
};

template <class LayerT, class SurfaceT>
class PathFinder::SearchIn final : public PathFinder::Search {
  public:
    SearchIn(const LayeredMedium& medium, const Legs& legs, std::span<const LayerKind> kinds,
             const PhaseOptions& options)
        : legs_(legs) {
        cell_ = smallest_cell(medium);
        for (std::size_t k = 0; k < legs.size(); ++k) {
            const Leg& leg = legs[k];
            free_.push_back(layer_of<LayerT>(medium, leg, kinds[k], 0));
            guarded_.push_back(layer_of<LayerT>(medium, leg, kinds[k], guard_cells[0] * cell_));
            if (leg.to >= 0) surfaces_.push_back(surface_of<SurfaceT>(medium, leg.to));
            rules_of_legs_.push_back(rules_of(medium, leg));
        }
        rules_ = {rules_of_legs_.data(), medium.grid(),          cell_,
                  options.tolerance,     fewest_segments(kinds), options.most_segments};
        const auto points = legs.size() * static_cast<std::size_t>(options.most_segments) + 1;
        points_.resize(2 * points);
        joints_.resize(4 * legs.size());
        carry_.resize(6 * points);
        space_ = {points_.data(), points_.data() + points, joints_.data(),
                  joints_.data() + 2 * legs.size(), carry_.data()};
        path_.surfaces = surfaces_.data();
        path_.legs = static_cast<int>(legs.size());
        set_plane(medium, path_);
    }

    BranchRay find(Vec3 source, Vec3 receiver, const PathStart& start) override {
        return search(free_, source, receiver, start);
    }
    BranchRay find_along(Vec3 source, Vec3 receiver, const PathStart& start) override {
        BranchRay along = search(guarded_, source, receiver, start);
        if (along.status == BranchStatus::ok) along.status = BranchStatus::along;
        return along;
    }

  private:
    BranchRay search(std::vector<LayerT>& layers, Vec3 source, Vec3 receiver,
                     const PathStart& start) {
        path_.layers = layers.data();
        for (LayerT& layer : guarded_) layer.guard.width = guard_cells[0] * cell_;
        const bool is_guarded = layers.data() == guarded_.data();
        std::copy(start.joints.begin(), start.joints.end(), space_.joint);
        begin_path(path_, space_, source, receiver);
        const FoundPath found = find_path(path_, space_, rules_, {start.held, start.bounce},
                                          is_guarded, Hooks{*this, start.held});
        BranchRay ray;
        ray.legs = legs_;
        ray.status = found.status;
        ray.doubt = found.doubt;
        if (found.segments == 0) return ray;
        ray.time = found.time;
        ray.maxima = found.maxima;
        ray.segments = found.segments;
        ray.places.assign(space_.point, space_.point + path_.legs * found.segments + 1);
        ray.joints.assign(space_.joint, space_.joint + 2 * (path_.legs - 1));
        ray.length = path_length(space_.point, path_.legs * found.segments);
        if (is_guarded) ray.guard = layers.front().guard.width;
        return ray;
    }

    /// What find_path() calls.
    struct Hooks {
        SearchIn& search;
        std::uint64_t bounces;

        PathSearch tighten() const { return search.tighten_guard(); }
        PathSearch release(int n) const {
            return settle_bounces(search.path_, search.space_, n, bounces);
        }
    };

    /// The path again and again, with guards that get narrower.
    PathSearch tighten_guard() {
        PathSearch at;
        for (const double width : guard_cells) {
            for (LayerT& layer : guarded_) layer.guard.width = width * cell_;
            at = settle_path(path_, space_, detail::fair_segments, PathGoal::minimum, 80, 1e-12);
        }
        return at;
    }

    Legs legs_;
    double cell_ = 1;
    std::vector<LayerT> free_;
    std::vector<LayerT> guarded_;
    std::vector<SurfaceT> surfaces_;
    std::vector<Vec3> points_;
    std::vector<double> joints_;
    std::vector<double> carry_;
    PathSpace space_;
    PathMedium<LayerT, SurfaceT> path_;
    std::vector<LegRules> rules_of_legs_;
    PathRules rules_;
};

PathFinder::PathFinder(const LayeredMedium& medium, const Legs& legs,
                       std::span<const LayerKind> kinds, const PhaseOptions& options) {
    const auto make =
        [&]<class LayerT, class SurfaceT>(std::type_identity<SearchIn<LayerT, SurfaceT>>) {
            search_ = std::make_unique<SearchIn<LayerT, SurfaceT>>(medium, legs, kinds, options);
        };
    switch (form_of(medium)) {
        case LayerForm::spherical:
            make(std::type_identity<SearchIn<SphericalLayer, SphericalSurface>>{});
            break;
        case LayerForm::plain:
            make(std::type_identity<SearchIn<PlainLayer, PlainSurface>>{});
            break;
        case LayerForm::mapped:
            make(std::type_identity<SearchIn<MappedLayer, MappedSurface>>{});
            break;
    }
}
PathFinder::~PathFinder() = default;
PathFinder::PathFinder(PathFinder&&) noexcept = default;

BranchRay PathFinder::find(Vec3 source, Vec3 receiver, const PathStart& start) {
    return search_->find(source, receiver, start);
}
BranchRay PathFinder::find_along(Vec3 source, Vec3 receiver, const PathStart& start) {
    return search_->find_along(source, receiver, start);
}

}  // namespace fermat
