#include "bench/papers/scenes.hpp"

#include "io/csv.hpp"
#include "io/model_io.hpp"

namespace fermat::bench {

void write_scene(const std::filesystem::path& folder, const std::string& name, const Model& model,
                 Vec3 source, const std::vector<Vec3>& receivers) {
    write_model(folder / (name + ".h5"), model);
    CsvWriter points(folder / (name + ".csv"), {"role", "x", "y", "z"});
    points.add_row({std::string_view("source"), source.x, source.y, source.z});
    for (const Vec3 p : receivers) {
        points.add_row({std::string_view("receiver"), p.x, p.y, p.z});
    }
    points.commit();
}

}  // namespace fermat::bench
