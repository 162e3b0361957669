// Paper 4's own GPU smoother, which `fermat bench paper 4` measures, has the means of the CPU.
#include <gtest/gtest.h>

#include "bench/papers/paper4.hpp"
#include "bench/papers/paper4_letter.hpp"
#include "core/device.hpp"
#include "executions.hpp"

namespace fermat::bench {
namespace {

TEST(GpuPaper4, ItsOwnSmootherHasTheMeansOfTheCpu) {
    if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    for (const SmoothingSubject& subject : {cell_subject(), vertex_subject()}) {
        LetterSmoother letter(subject.fresh.shape());
        for (const SmoothingSize& size : subject.published.sizes) {
            Field<double> expected = subject.fresh.copy();
            Field<double> found = subject.fresh.copy();
            if (subject.cells()) {
                smooth_cells(expected, subject.coverage, size, {}, test::on_cpu());
            } else {
                smooth_vertices(expected.view(), size, {}, {}, test::on_cpu());
            }
            letter.smooth(found, subject.coverage, size);
            for (std::size_t n = 0; n < found.size(); ++n) {
                if (found[n] == 0) continue;  // no rays in its box: the host leaves it alone
                ASSERT_NEAR(found[n], expected[n], 1e-9) << subject.name << " " << n;
            }
        }
        const KernelProfile profile = letter.profile(subject.cells());
        EXPECT_EQ(profile.grid, (std::array{3, 2, 1}));
        EXPECT_EQ(profile.block, (std::array{32, 16, 1}));
    }
}

}  // namespace
}  // namespace fermat::bench
