#pragma once

#include <vector>

#include "eikonal/cells/cell_times.hpp"
#include "eikonal/time_field.hpp"
#include "model/model.hpp"
#include "rays/cells/line_times.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// Rays to the source of one field, where velocity jumps between cells. A ray goes down the field
/// and takes the shortest path near the source; then it is polished (polish.hpp). Where it is later
/// than the field, the straight line and the shortest path through faces are polished as well, and
/// the one of least time counts.
class CellRays {
  public:
    /// The model, with jumping cells, and the field must outlive this object.
    CellRays(const Model& model, const TimeFieldView<float>& field);

    struct Ray {
        RayStatus status = RayStatus::ok;  ///< never `late`
        double time = 0;                   ///< without the start time of the source
        double field_time = 0;             ///< likewise; see field_time()
        std::vector<Vec3> points;
    };
    Ray trace(Vec3 receiver) const;

  private:
    Ray descend(Vec3 receiver) const;
    void find_earlier(Ray& ray) const;
    double settle(std::vector<Vec3>& points) const;
    bool take(std::vector<Vec3>&& points, Ray& ray) const;
    double field_time(Ray& ray) const;

    const Model& model_;
    const TimeFieldView<float>& field_;
    LineTimes times_;
    CellTimes<float> between_nodes_;
    const SourcePaths& near_;
};

}  // namespace fermat
