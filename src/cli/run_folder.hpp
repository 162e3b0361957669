#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/outputs.hpp"
#include "io/folder_lock.hpp"

namespace fermat::cli {

/// What the folder must know of a run.
struct RunPlan {
    std::string identity;  ///< from run_fingerprint; every file of the run carries it
    /// Files of this run under names that people use for files of their own too.
    std::vector<std::string> writes;
    bool overwrite = false;  ///< removes an earlier run instead of keeping it aside
    std::string settings;    ///< the flags, as TOML
    std::vector<FlagFile> inputs;
};

/// The folder of a run. open() creates and locks it; then start() or go_on() prepares it for the
/// run.
class RunFolder {
  public:
    explicit RunFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::filesystem::path file(const char* name) const { return folder_ / name; }
    /// The files that a run writes, as files of a flag; with `board`, including those of a
    /// checkerboard.
    std::vector<FlagFile> files(const std::string& flag, bool board = true) const;

    /// Throws InputError if the run would overwrite one of its inputs. Its own settings.toml is
    /// allowed as an input: the run writes the same flags again.
    void check_inputs(std::span<const FlagFile> inputs, bool board) const;

    /// Creates the folder if it does not exist, and locks it for the lifetime of this object.
    /// Changes nothing else. Throws InputError, also if another inversion has the lock.
    void open();

    /// Prepares the folder for a new run. Files with another identity, and every model and
    /// checkpoint, are moved to `earlier-1`, `earlier-2`, ... With `overwrite` files that carry a
    /// run's identity are removed instead; others are never removed. Returns a line that says so,
    /// or an empty text. Inputs are not moved.
    std::string start(const RunPlan& plan);
    /// Prepares the folder for a run that continues; the folder belongs to it already.
    void go_on(const RunPlan& plan);
    /// Called when the run has ended. Links images for viewers; removes files kept aside from an
    /// earlier run of the same identity, which have the same bits.
    void finish();
    /// Links model.vtkhdf to model.h5, and so on for every image of a run that is there: PyVista
    /// and ParaView know such files by that suffix. Links to files that are gone are removed; files
    /// of users under such names stay.
    void link_views() const;

  private:
    /// What lies where the run will write.
    struct Found {
        std::vector<const char*> of_runs;    ///< carry the identity of a run
        std::vector<const char*> of_others;  ///< only have the name of a run's file
    };
    Found find_files(const RunPlan& plan) const;
    /// Moves files into a new folder, and returns it.
    std::filesystem::path set_aside(const std::vector<const char*>& names) const;
    void write_settings(const RunPlan& plan) const;

    std::filesystem::path folder_;
    std::unique_ptr<FolderLock> lock_;
    std::filesystem::path same_run_;  ///< folder of an earlier run of this identity
};

/// Throws InputError if the files of a folder carry different identities, or if only some carry
/// one. `marks` has the names of files and their identities.
void check_one_run(const std::filesystem::path& folder,
                   const std::vector<std::pair<std::string, std::string>>& marks);

}  // namespace fermat::cli
