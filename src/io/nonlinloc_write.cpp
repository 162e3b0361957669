#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/nonlinloc.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// A model's values as NonLinLoc has them, one per node. The last along each axis of cells belong
/// to no cell and repeat those before them.
class NodeValues {
  public:
    explicit NodeValues(const Model& model) : given_(model.given()), last_(given_.shape()) {}
    float operator()(Index3 at) const {
        return given_({std::min(at.x, last_.x - 1), std::min(at.y, last_.y - 1),
                       std::min(at.z, last_.z - 1)});
    }

  private:
    FieldView<const float> given_;
    Shape last_;
};

}  // namespace

void write_nonlinloc(const fs::path& path, const Model& model) {
    const Grid& grid = model.grid();
    const Shape n = grid.shape;
    const Vec3 h = grid.spacing;
    const bool flat = grid.is_2d();
    const bool cubic = h.x == h.z && (flat || h.y == h.x);
    const NodeValues values(model);

    OutputFile buffer(fs::path(path).replace_extension(".buf"));
    std::vector<float> row(static_cast<std::size_t>(n.z));
    for (int x = 0; x < n.x; ++x) {
        for (int y = 0; y < n.y; ++y) {
            for (int z = 0; z < n.z; ++z) {
                const float v = values({x, y, z});
                if (!(v > 0)) {
                    throw InputError(fmt::format(
                        "cannot write '{}' (the model has air, which a grid of NonLinLoc cannot "
                        "have: give it the velocity of the ground below)",
                        path.string()));
                }
                row[static_cast<std::size_t>(z)] =
                    cubic ? static_cast<float>(h.x / static_cast<double>(v)) : v;
            }
            buffer.write({reinterpret_cast<const char*>(row.data()), row.size() * sizeof(float)});
        }
    }
    const Vec3 o = grid.origin;
    const std::string counts =
        flat ? fmt::format("1 {} {}", n.x, n.z) : fmt::format("{} {} {}", n.x, n.y, n.z);
    const std::string places =
        flat ? fmt::format("{} {} {}  {} {} {}", o.y, o.x, o.z, h.x, h.x, h.z)
             : fmt::format("{} {} {}  {} {} {}", o.x, o.y, o.z, h.x, h.y, h.z);
    OutputFile header(path);
    header.write(fmt::format("{}  {}  {} FLOAT\nTRANSFORM  NONE\n", counts, places,
                             cubic ? "SLOW_LEN" : "VELOCITY"));
    buffer.commit();
    header.commit();
}

}  // namespace fermat
