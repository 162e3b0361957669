#include <fmt/format.h>

#include <cstdlib>

#include "cli/rank_session.hpp"
#include "core/error.hpp"

namespace fermat::cli {

struct RankSession::Impl {};

RankSession::RankSession() = default;
RankSession::~RankSession() = default;

Ranks& RankSession::ranks() {
    if (launched_ranks() > 1) {
        throw InputError(
            fmt::format("{} ranks were started (MPI is not in this build: configure with "
                        "-DFERMAT_MPI=ON, or start one process)",
                        launched_ranks()));
    }
    return serial_ranks();
}

void RankSession::abort(int status) { std::exit(status); }

}  // namespace fermat::cli
