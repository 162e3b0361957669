#pragma once

#include <memory>

#include "core/ranks.hpp"

namespace fermat::cli {

/// The processes that `mpirun` (or `srun`) started together; one process on its own otherwise. MPI
/// is begun only where a launcher has set its environment, so that the same program runs without.
class RankSession {
  public:
    RankSession();
    ~RankSession();
    RankSession(const RankSession&) = delete;
    RankSession& operator=(const RankSession&) = delete;

    /// Throws InputError where several ranks were started and this build has no MPI.
    Ranks& ranks();
    /// Ends every rank, for errors that the others cannot know of.
    void abort(int status);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Ranks that the launcher says it started; 0 where there is no launcher.
int launched_ranks();

}  // namespace fermat::cli
