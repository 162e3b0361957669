#include "model/mappings/systems.hpp"

namespace fermat {
namespace {

class CartesianMapping final : public Mapping {
  public:
    using Mapping::Mapping;
    Vec3 place(Vec3 q) const override { return q; }
    Mat3 jacobian(Vec3) const override { return Mat3::identity(); }
    void line(const Grid& grid, int i, int j, std::span<MappedPoint> out) const override {
        for (std::size_t k = 0; k < out.size(); ++k) {
            out[k] = {grid.position({i, j, static_cast<int>(k)}), Mat3::identity()};
        }
    }
    Vec3 to_grid(Vec3 user) const override { return user; }
    Vec3 to_user(Vec3 q) const override { return q; }
};

}  // namespace

std::shared_ptr<const Mapping> cartesian_mapping(const Grid&, CoordinateNumbers numbers) {
    return std::make_shared<const CartesianMapping>(std::move(numbers));
}

}  // namespace fermat
