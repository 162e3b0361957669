#pragma once

#include <filesystem>
#include <span>

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
/// have no trajectory and are left out. Rays stream to the file.
class VectorCoverageWriter {
  public:
    explicit VectorCoverageWriter(const std::filesystem::path& path);

    /// `pick_times` has one time per ray.
    void append(const RaySet& rays, std::span<const double> pick_times);
    /// Ends the file and renames it. Without commit() nothing is left behind.
    void commit();

  private:
    OutputFile file_;
};

}  // namespace fermat
