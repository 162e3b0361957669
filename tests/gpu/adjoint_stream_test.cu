// The adjoint of a model on the device, on a stream of the caller: what the host's model gives,
// with times and derivatives that never leave the device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
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

/// Times at receivers of a medium on the device, and dJ/dv of their sum.
struct Heard {
    std::vector<float> times;
    std::vector<float> by_velocity;
};
Heard heard_on_device(const Survey& s, std::span<const float> values, CudaModel::Given given) {
    const Shape shape = s.model.grid().shape;
    CudaArray<float> medium(values.size());
    medium.upload(values);
    const CudaModel model(s.model.grid(), {medium.data(), shape}, given);
    CudaAdjoint device(model, s.sources, s.receivers, 2);
    device.solve(0, s.sources.size());
    CudaArray<float> times(s.sources.size() * s.receivers.size());
    device.receiver_times(times.data());
    CudaArray<float> by(times.size());
    const std::vector<float> ones(times.size(), 1);
    by.upload(ones);
    device.ask_receivers(by.data());
    device.substitute();
    CudaArray<float> gradient(values.size());
    device.gradient({gradient.data(), shape}, CudaAdjoint::By::velocity);
    return {fetched(times), fetched(gradient)};
}

Survey survey_below_air() {
    Survey s = flat_survey();
    Field<float> velocity(s.model.grid().shape);
    for (int i = 0; i < 97; ++i) {
        for (int k = 0; k < 65; ++k) {
            const int ground = 6 + i / 10;
            velocity(i, 0, k) = k < ground ? 0.0F : 2 + 0.03F * static_cast<float>(k);
        }
    }
    s.model = Model(s.model.grid(), std::move(velocity));
    // The survey of a full model has one at the top, which is in air here.
    for (PointSource& source : s.sources) source.position.z = std::max(source.position.z, 4.1);
    // Between nodes of air and of rock, and on the last of rock.
    s.receivers.clear();
    for (int n = 0; n < 20; ++n) {
        const double x = 1.03 + 0.45 * n;
        s.receivers.push_back({x, 0, 2 + 0.12 * (6 + static_cast<int>((x - 1) / 1.0) - 0.3)});
    }
    return s;
}

TEST(GpuAdjointStream, ReceiversBesideAirHearWhatTheHostHears) {
    if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    const Survey s = survey_below_air();
    const AdjointSurvey survey(s.model, {}, s.sources, s.receivers, {});
    std::vector<double> times;
    TimeObjective objective;
    objective.receivers = [&](std::size_t, std::span<const double> heard, std::span<double> by) {
        times.insert(times.end(), heard.begin(), heard.end());
        std::fill(by.begin(), by.end(), 1.0);
    };
    adjoint(survey, objective, test::on_gpu());
    const std::span<const float> velocity(s.model.velocity().data(), s.model.velocity().size());
    const Heard heard = heard_on_device(s, velocity, CudaModel::Given::velocity);
    ASSERT_EQ(heard.times.size(), times.size());
    for (std::size_t n = 0; n < times.size(); ++n) {
        if (std::isfinite(times[n])) EXPECT_NEAR(heard.times[n], times[n], 1e-5) << n;
        EXPECT_EQ(std::isfinite(heard.times[n]), std::isfinite(times[n])) << n;
    }
}

TEST(GpuAdjointStream, SlownessIsInvertedAndCheckedOnTheDevice) {
    if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    const Survey s = survey_below_air();
    const std::span<const float> velocity(s.model.velocity().data(), s.model.velocity().size());
    std::vector<float> slowness;
    std::vector<float> again;
    for (const float v : velocity) slowness.push_back(1 / v);
    for (const float value : slowness) again.push_back(1 / value);
    const Heard by_slowness = heard_on_device(s, slowness, CudaModel::Given::slowness);
    const Heard by_velocity = heard_on_device(s, again, CudaModel::Given::velocity);
    EXPECT_EQ(by_slowness.times, by_velocity.times);
    EXPECT_EQ(by_slowness.by_velocity, by_velocity.by_velocity);
    slowness[70] = -1;
    slowness[71] = NAN;
    try {
        heard_on_device(s, slowness, CudaModel::Given::slowness);
        FAIL() << "a slowness of -1 is taken";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "slowness at (1, 5) is -1 (must be > 0, or inf for air)");
    }
    again[130] = INFINITY;
    EXPECT_THROW(heard_on_device(s, again, CudaModel::Given::velocity), InputError);
}

TEST(GpuAdjointStream, GivesWhatTheModelOfTheHostGives) {
    if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    compare(flat_survey());
    compare(full_survey());
}

}  // namespace
}  // namespace fermat
