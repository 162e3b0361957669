#pragma once

#include <string_view>

#include "bench/papers/paper4_published.hpp"
#include "bench/papers/paper_report.hpp"
#include "core/field.hpp"

namespace fermat::bench {

/// The Potrillo model: 414,414 vertices.
inline constexpr Shape potrillo_vertices{207, 77, 26};
inline constexpr Shape potrillo_cells{206, 76, 25};

/// One of paper 4's two smoothers, with values to smooth.
struct SmoothingSubject {
    std::string_view name;
    const PublishedSmoother& published;
    Field<double> fresh;
    Field<double> coverage;  ///< empty: vertices

    bool cells() const { return coverage.size() > 0; }
};
SmoothingSubject cell_subject();
SmoothingSubject vertex_subject();

/// Tables 5 and 11, the paper's headlines, and both smoothers in one piece.
void paper4_smoothers(const PaperBench& bench, PaperReport& report, Monitor& monitor);
/// Where the GPU's time goes and how its kernels fill it: Tables 6 to 10 and 12 to 16.
void paper4_device(const PaperBench& bench, PaperReport& report);

}  // namespace fermat::bench
