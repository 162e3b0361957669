// What a build without CUDA has in place of the papers' own kernels.

#include "core/no_cuda.hpp"
#include "bench/papers/paper4_letter.hpp"
#include "bench/papers/paper5_plain.hpp"

namespace fermat::bench {

class LetterSmoother::Memory {};

LetterSmoother::LetterSmoother(Shape) { refuse_cuda(); }
LetterSmoother::~LetterSmoother() = default;

LetterSplit LetterSmoother::smooth(FieldView<double>, FieldView<const double>,
                                   const SmoothingSize&) {
    refuse_cuda();
}

KernelProfile LetterSmoother::profile(bool) const { refuse_cuda(); }

PlainResult solve_plain_cuda(const PlainProblem&, Monitor&) { refuse_cuda(); }

}  // namespace fermat::bench
