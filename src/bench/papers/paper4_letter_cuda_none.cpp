#include "bench/papers/paper4_letter.hpp"
#include "core/no_cuda.hpp"

namespace fermat::bench {

class LetterSmoother::Memory {};

LetterSmoother::LetterSmoother(Shape) { refuse_cuda(); }
LetterSmoother::~LetterSmoother() = default;

LetterSplit LetterSmoother::smooth(FieldView<double>, FieldView<const double>,
                                   const SmoothingSize&) {
    refuse_cuda();
}

KernelProfile LetterSmoother::profile(bool) const { refuse_cuda(); }

}  // namespace fermat::bench
