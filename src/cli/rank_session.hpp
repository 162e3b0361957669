#pragma once

#include <memory>

#include "core/ranks.hpp"

namespace fermat::cli {

/// The processes that `mpirun` (or `srun`) started together; otherwise a single process. MPI is
/// initialised only if a launcher has set its environment, so that the same program runs without
/// one.
class RankSession {
  public:
    RankSession();
    ~RankSession();
    RankSession(const RankSession&) = delete;
    RankSession& operator=(const RankSession&) = delete;

    /// Throws InputError if several ranks were started and this build has no MPI.
    Ranks& ranks();
    /// Ends every rank, for errors that the other ranks do not know of.
    void abort(int status);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Number of ranks that the launcher started; 0 if there is no launcher.
int launched_ranks();

}  // namespace fermat::cli
