#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/app.hpp"
#include "cli/run_folder.hpp"
#include "tomography/invert.hpp"

namespace fermat::cli {

/// Iterations of a run, as ranges of numbers from 0, the start model, on.
class IterationChoice {
  public:
    void add(int first, int last) { ranges_.emplace_back(first, last); }
    bool empty() const { return ranges_.empty(); }
    bool has(int iteration) const;
    /// Whether a number above `last` was named; "all" names none.
    bool names_beyond(int last) const;

    static constexpr int no_end = std::numeric_limits<int>::max();

  private:
    std::vector<std::pair<int, int>> ranges_;  ///< [first, last]
};

/// Reads "all", or numbers and ranges with commas between: "0,5,10-12".
IterationChoice parse_iterations(std::string_view flag, std::string_view text);

/// Writes the modules' files of some iterations (paper 4) into the folder `iterations` of a run:
///
///     0005-model.h5         the model of iteration 5
///     0005-perturbation.h5  of method hole: sums over rays, coverage, and both after smoothing
///     0005-coverage.h5      of method gauss-newton: rays and ray length in each cell
///     0005-rays.xml         the rays in this model (VectorCoverageWriter); not of method adjoint
///
/// Rays are traced once more to be written. On rank 0.
class IterationKeeper {
  public:
    /// All arguments must outlive it.
    IterationKeeper(const Survey& picks, const InversionOptions& options, const RunFolder& folder,
                    const std::string& identity, const Run& run);

    void listen(InversionListener& listener, const IterationChoice& choice);
    /// One line: what was kept, and what was asked for and did not come to be.
    std::string summary(const IterationChoice& choice, int last) const;

  private:
    void write(const KeptIteration& kept);
    void write_perturbation(const KeptIteration& kept) const;
    void write_rays(const KeptIteration& kept) const;
    std::filesystem::path file(int iteration, std::string_view name) const;

    const Survey& picks_;
    const InversionOptions& options_;
    const RunFolder& folder_;
    const std::string& identity_;
    const Run& run_;
    int written_ = 0;
};

}  // namespace fermat::cli
