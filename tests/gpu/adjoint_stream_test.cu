// The adjoint of a model on the device, on a stream of the caller: what the host's model gives,
// with times and derivatives that never leave the device.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/device.hpp"
#include "core/memory_cuda.hpp"
#include "eikonal/adjoint/adjoint_cuda.hpp"
#include "executions.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

template <class T>
std::vector<T> fetched(const CudaArray<T>& array) {
    std::vector<T> values(array.size());
    array.download(values);
    return values;
}

struct Survey {
    Model model;
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
};

Survey flat_survey() {
    return {gradient_model({{97, 1, 65}, {1, 0, 2}, {0.1, 1, 0.12}}, 2, 0.3),
            {{{3.03, 0, 4.1}, 0.5}, {{9.5, 0, 2}, 0}, {{5, 0, 9.1}, 1}},
            {{4.4, 0, 2.2}, {7.77, 0, 5.5}, {1, 0, 2}, {10.6, 0, 9.6}}};
}

Survey full_survey() {
    return {gradient_model({{41, 33, 37}, {}, {0.1, 0.12, 0.09}}, 2, 0.3),
            {{{2.03, 1.2, 1.1}, 0.5}, {{0, 0, 0}, 0}},
            {{3.3, 2.2, 3.1}, {1.77, 0.5, 0.5}, {4, 3.84, 3.24}}};
}

void compare(const Survey& s) {
    const AdjointSurvey survey(s.model, {}, s.sources, s.receivers, {});
    TimeObjective objective;
    std::vector<std::vector<double>> times;
    objective.receivers = [&](std::size_t, std::span<const double> heard, std::span<double> by) {
        times.emplace_back(heard.begin(), heard.end());
        for (std::size_t r = 0; r < heard.size(); ++r) by[r] = 1 + static_cast<double>(r);
    };
    const AdjointGradient host = adjoint(survey, objective, test::on_gpu());

    cudaStream_t own = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), "making a stream");
    {
        const StreamScope scope(device_in_use(), reinterpret_cast<StreamHandle>(own));
        EXPECT_EQ(cuda_stream(), own);
        const std::size_t nodes = s.model.grid().node_count();
        CudaArray<float> velocity(nodes);
        velocity.upload(std::span(s.model.velocity().data(), nodes));
        const CudaModel model(s.model.grid(), {velocity.data(), s.model.grid().shape});
        CudaAdjoint device(model, s.sources, s.receivers, 2);
        ASSERT_GE(device.batch(), s.sources.size());
        device.solve(0, s.sources.size());
        const std::size_t receivers = s.receivers.size();
        CudaArray<float> heard(s.sources.size() * receivers);
        device.receiver_times(heard.data());
        const std::vector<float> found = fetched(heard);
        std::vector<float> by;
        for (std::size_t n = 0; n < found.size(); ++n) {
            EXPECT_NEAR(found[n], times[n / receivers][n % receivers], 1e-5) << n;
            by.push_back(1 + static_cast<float>(n % receivers));
        }
        CudaArray<float> asked(by.size());
        asked.upload(by);
        CudaArray<float> slowness(nodes);
        // Twice from the same fields, as PyTorch does with retain_graph.
        for (int turn = 0; turn < 2; ++turn) {
            device.clear();
            device.ask_receivers(asked.data());
            device.substitute();
            const AdjointGradient all = device.gradient({slowness.data(), s.model.grid().shape});
            device.release();
            const std::vector<float> values = fetched(slowness);
            double off = 0;
            double size = 0;
            for (std::size_t n = 0; n < nodes; ++n) {
                off += std::pow(values[n] - host.slowness[n], 2);
                size += std::pow(host.slowness[n], 2);
            }
            EXPECT_LE(std::sqrt(off / size), 1e-5);
            for (std::size_t n = 0; n < s.sources.size(); ++n) {
                EXPECT_LE(norm(all.sources[n] - host.sources[n]), 1e-4 * norm(host.sources[n]));
                EXPECT_DOUBLE_EQ(all.start_times[n], host.start_times[n]);
            }
            for (std::size_t r = 0; r < receivers; ++r) {
                EXPECT_LE(norm(all.receivers[r] - host.receivers[r]), 1e-4);
            }
        }
        CudaArray<float> field(nodes);
        device.write_times(1, {field.data(), s.model.grid().shape});
        const Field<float> expected =
            to_times(solve<float>(s.model, s.sources[1], {}, test::on_gpu()));
        const std::vector<float> on_nodes = fetched(field);
        for (std::size_t n = 0; n < nodes; ++n) ASSERT_NEAR(on_nodes[n], expected[n], 1e-5);
    }
    EXPECT_EQ(stream_in_use(), 0U);
    cudaStreamDestroy(own);
}

TEST(GpuAdjointStream, GivesWhatTheModelOfTheHostGives) {
    if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    compare(flat_survey());
    compare(full_survey());
}

}  // namespace
}  // namespace fermat
