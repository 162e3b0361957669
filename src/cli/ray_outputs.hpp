#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/outputs.hpp"
#include "io/csv.hpp"
#include "io/sparse_io.hpp"
#include "io/vector_coverage.hpp"
#include "io/vtkhdf_image.hpp"
#include "io/vtkhdf_rays.hpp"
#include "rays/rays.hpp"
#include "rays/sensitivity.hpp"

namespace fermat::cli {

/// The flags that select the outputs of rays.
struct RayOutputFlags {
    std::optional<std::filesystem::path> rays;
    std::optional<std::filesystem::path> table;
    std::optional<std::filesystem::path> sensitivity;
    Basis basis = Basis::nodes;
    std::optional<std::filesystem::path> coverage;
    std::optional<std::filesystem::path> vector_coverage;

    std::vector<FlagFile> files() const;
};

/// Writes rays to all outputs as they are traced, so that few are in memory at any time.
class RayOutputs {
  public:
    /// Opens the outputs, so that an output that cannot be written is reported before the work. The
    /// medium must outlive it. `pick_times` has one time per ray, in the order of the rays, or is
    /// empty. The table has a column for the start of bent rays, and one for the phase unless all
    /// rays are of P. Of two phases, the sensitivities of S have columns of their own, behind those
    /// of P.
    RayOutputs(const RayOutputFlags& flags, const Medium& medium, const std::vector<Phase>& phases,
               std::vector<double> pick_times, int threads, Tracer tracer);

    void take(const RaySet& rays);
    void commit();
    /// A summary such as "12 rays: 10 ok, 2 unreachable".
    std::string summary() const;

  private:
    void add_rows(const RaySet& rays);
    void add_vectors(const RaySet& rays);
    void add_sensitivity(const RaySet& rays);

    const Medium& medium_;
    std::vector<Phase> phases_;
    bool tells_phase_;
    std::vector<double> pick_times_;
    int threads_;
    Basis basis_;
    Tracer tracer_;
    std::size_t taken_ = 0;
    std::array<std::size_t, choices<RayStatus>.entries.size()> counts_{};
    std::optional<RayWriter> rays_;
    std::optional<CsvWriter> table_;
    std::optional<SparseWriter> sensitivity_;
    std::optional<ImageWriter> coverage_;
    std::optional<CoverageSum> coverage_sum_;
    std::optional<VectorCoverageWriter> vector_coverage_;
};

}  // namespace fermat::cli
