#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/app.hpp"
#include "model/model.hpp"
#include "tomography/invert.hpp"
#include "tomography/synthetic.hpp"

namespace fermat::cli {

/// What an inversion is made of.
struct InversionInputs {
    Model start;
    Picks picks;
    InversionOptions options;
};

/// The folder of a run: its files, and how it goes on where it was stopped.
class RunFolder {
  public:
    explicit RunFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Makes the folder where it is not there. Throws InputError.
    void create() const;
    std::filesystem::path file(const char* name) const { return folder_ / name; }

    /// The state to go on from, if there is one; a new run leaves none of an old one's.
    std::optional<InversionState> state(const InversionInputs& inputs, bool resume) const;

  private:
    std::filesystem::path folder_;
};

/// Runs an inversion on all ranks; rank 0 tells of it, keeps checkpoints and writes the results.
InversionResult run_inversion(const InversionInputs& inputs, const RunFolder& folder, bool resume,
                              const Run& run);

/// Scores a checkerboard and writes it: the board, its picks, and how much of it was found.
void write_recovery(const RunFolder& folder, const Model& start, const Model& board,
                    const InversionResult& found, bool quiet);

}  // namespace fermat::cli
