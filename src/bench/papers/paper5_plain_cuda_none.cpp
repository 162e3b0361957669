#include "bench/papers/paper5_plain.hpp"
#include "core/no_cuda.hpp"

namespace fermat::bench {

PlainResult solve_plain_cuda(const PlainProblem&, Monitor&) { refuse_cuda(); }

}  // namespace fermat::bench
