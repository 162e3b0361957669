#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/outputs.hpp"
#include "io/folder_lock.hpp"

namespace fermat::cli {

/// What a run is, as far as its folder must know.
struct RunPlan {
    std::string identity;    ///< run_fingerprint's; every file of the run carries it
    bool board = false;      ///< a checkerboard: it writes board.h5, picks.csv and recovery.csv too
    bool overwrite = false;  ///< an earlier run is removed instead of kept aside
    std::string settings;    ///< the flags, as TOML
    std::vector<FlagFile> inputs;
};

/// The folder of a run. It is made and locked by open(); then start() or go_on() makes it the
/// run's.
class RunFolder {
  public:
    explicit RunFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::filesystem::path file(const char* name) const { return folder_ / name; }
    /// The files that a run writes, or all that any run writes, as files of a flag.
    std::vector<FlagFile> files(const std::string& flag, bool board = true) const;

    /// Throws InputError where the run would write over one of its inputs. Its own settings.toml is
    /// no such input: the run writes the same flags again.
    void check_inputs(std::span<const FlagFile> inputs, bool board) const;

    /// Makes the folder where it is not there and locks it as long as this object lives. Changes
    /// nothing else. Throws InputError, also where another inversion has it.
    void open();

    /// For a run from its beginning: nothing of an earlier run stays in the folder. What carries
    /// another identity, and every model and checkpoint, is kept aside in `earlier-1`, `earlier-2`,
    /// ... Gives a line that says so, or nothing. Inputs stay where they are.
    std::string start(const RunPlan& plan);
    /// For a run that goes on: the folder is its own already.
    void go_on(const RunPlan& plan);
    /// At the run's end: what was kept of an earlier one with the same identity has the same bits,
    /// and goes.
    void finish();

  private:
    std::vector<const char*> earlier_files(const RunPlan& plan) const;
    void write_settings(const RunPlan& plan) const;

    std::filesystem::path folder_;
    std::unique_ptr<FolderLock> lock_;
    std::filesystem::path same_run_;  ///< where an earlier run of this identity lies
};

/// Throws InputError where the files of a folder carry different identities, or only some of them
/// any. `marks` has the names of files and what they carry.
void check_one_run(const std::filesystem::path& folder,
                   const std::vector<std::pair<std::string, std::string>>& marks);

}  // namespace fermat::cli
