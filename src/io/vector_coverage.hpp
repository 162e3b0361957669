#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "io/atomic_file.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// Writes rays as the XML vector coverage file of seismic tomography programs (paper 4, Figure 5):
/// for each ray the shotpoint, the receiver, the pick time, and the trajectory as vertices from the
/// receiver to the shotpoint.
///
///     <vector_coverage>
///       <ray source="0" receiver="3">
///         <shotpoint x="1" y="0" z="0"/>
///         <receiver x="9" y="0" z="0"/>
///         <pick_time>1.25</pick_time>
///         <trajectory vertices="2">
///           <vertex x="9" y="0" z="0"/>
///           <vertex x="1" y="0" z="0"/>
///         </trajectory>
///       </ray>
///     </vector_coverage>
///
/// The figure shows the content of the file; the element names are ours. Rays that did not arrive
/// have no trajectory and are left out. Rays stream to the file. The root element of a run's file
/// has the attribute fermat_run: see run_mark.
class VectorCoverageWriter {
  public:
    explicit VectorCoverageWriter(const std::filesystem::path& path, const std::string& run = "");

    /// `pick_times` has one time per ray.
    void append(const RaySet& rays, std::span<const double> pick_times);
    /// Ends the file and renames it. Without commit() nothing is left behind.
    void commit();

  private:
    OutputFile file_;
};

/// Rays of a vector coverage file, in its order, and the pick time of each. Their lengths are
/// those of the trajectories; times along rays are not in such a file and not a number:
/// integrate_rays computes them in a model.
struct VectorCoverage {
    RaySet rays;
    std::vector<double> pick_times;
};

/// Reads what VectorCoverageWriter writes. Elements of other names, and trajectories that do not
/// lead from the receiver to the shotpoint, are noted. Throws InputError that names the file and
/// the ray.
VectorCoverage read_vector_coverage(const std::filesystem::path& path, Notes& notes);

}  // namespace fermat
