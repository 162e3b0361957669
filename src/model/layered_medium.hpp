#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/interface.hpp"
#include "model/medium.hpp"
#include "model/model.hpp"
#include "model/phase.hpp"

namespace fermat {

/// A layer's velocities. They are given on all nodes of the grid: outside the layer they continue
/// those inside, so that nothing is smeared across an interface.
struct Layer {
    Model p;
    std::optional<Model> s{};
};

/// Layers between interfaces: layer k lies below interface k and above interface k + 1; the last
/// one reaches down to the bottom of the grid. Interface 0 is the surface. Interfaces may touch,
/// where a layer pinches out, and never cross. Copies share the velocities.
class LayeredMedium {
  public:
    /// Throws InputError where numbers of layers and interfaces differ, models lie on different
    /// grids, are anisotropic, have air or cells, and where interfaces cross or have equal ids.
    LayeredMedium(std::vector<Interface> interfaces, std::vector<Layer> layers);

    const Place& place() const { return layers_.front().p.place(); }
    const Grid& grid() const { return place().grid(); }
    const std::vector<Interface>& interfaces() const { return interfaces_; }
    const std::vector<Layer>& layers() const { return layers_; }
    int layer_count() const { return static_cast<int>(layers_.size()); }
    const Interface& top_of(int layer) const {
        return interfaces_[static_cast<std::size_t>(layer)];
    }
    /// Whether all layers have velocities of S.
    bool has_s() const;
    /// The waves that a layer has velocities of, P first.
    std::span<const Phase> phases_of(int layer) const;
    /// Throws InputError for S in a layer that has P only.
    const Model& model(int layer, Phase wave) const;

    /// The number of an interface. Throws InputError that lists the ids there are.
    int interface_of(std::string_view id) const;
    /// The layer that holds a point of a user; on an interface, the layer below it. Throws
    /// InputError that names `what` where the point lies above the surface or outside the grid.
    int layer_of(Vec3 user, const std::string& what) const;
    /// Depth of the bottom of a layer at a point: of the next interface, or infinite.
    double bottom_of(int layer, double x, double y) const;

    /// The number of the layer in which each node lies.
    Field<float> layer_numbers() const;
    /// One velocity per node, that of the layer in which the node lies: for first arrivals and
    /// pictures.
    Model merged(Phase wave) const;
    /// merged() of P, and of S where all layers have it.
    Medium merged() const;

    LayeredMedium with_interfaces(std::vector<Interface> interfaces) const {
        return LayeredMedium(std::move(interfaces), layers_);
    }

  private:
    std::vector<Interface> interfaces_;
    std::vector<Layer> layers_;
};

}  // namespace fermat
