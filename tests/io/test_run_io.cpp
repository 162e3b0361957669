// Files of a run are read back as they were written, and a damaged checkpoint is refused.
#include "io/run_io.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "expect_error.hpp"
#include "io/checkpoint.hpp"
#include "temp_folder.hpp"

/// libhdf5 1.10 leaks memory when it gives up on a damaged file.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

namespace fermat {
namespace {

using test::expect_error;

/// All that a method keeps, in one list.
std::vector<double> numbers_of(const MethodState& state) {
    std::vector<double> all;
    for_each_number(
        state, [&](const char*, const auto& value) { all.push_back(static_cast<double>(value)); });
    for_each_array(state, [&](const char*, const auto& values) {
        all.push_back(static_cast<double>(values.size()));
        all.insert(all.end(), values.begin(), values.end());
    });
    return all;
}

class RunFiles : public test::TempFolder {
  protected:
    const Grid grid_{{5, 1, 4}, {}, {1, 1, 1}};

    InversionState state() const {
        InversionState s;
        s.velocity = Field<float>(grid_.shape, 2.5F);
        s.velocity[3] = 0;
        IterationReport report;
        report.misfit = {0.25, 1.5, 100, 3, 2};
        report.cell = {8, 1, 6};
        report.vertex = {9, 1, 7};
        s.history = {report, report};
        s.history[1].iteration = 1;
        s.history[1].stage = 1;
        s.next = report;
        s.next.iteration = 2;
        s.next.max_update = 0.125;
        s.method.hole.stage = 1;
        s.method.hole.stage_iterations = 1;
        s.method.cooling = {250, CoolingPhase::relaxing, 1.5, 0.9, 2};
        s.method.damping = 16;
        s.method.hearing = {HearingPhase::closed, 3, {0, -1, 0.5}, {2}};
        s.method.events = {{0, 1}, {0.5, 0.25}, {0.125, 0.25}};
        s.method.gradients = {7, {1, 2, 3, 4}};
        s.initial_residual = {0.5, -0.25, std::nan("")};
        return s;
    }
};

TEST_F(RunFiles, ScheduleWithAndWithoutYAndPasses) {
    const auto flat = read_schedule(
        put("a.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n6,16,8,17,9\n3,4,2,5,3\n"),
        notes);
    ASSERT_EQ(flat.size(), 2U);
    EXPECT_EQ(flat[0], (Stage{6, {16, 1, 8}, {17, 1, 9}, 1, 1}));
    const auto full = read_schedule(
        put("b.csv",
            "iterations,cell_x,cell_y,cell_z,vertex_x,vertex_y,vertex_z,cell_passes,vertex_passes\n"
            "6,96,24,24,97,25,25,2,0\n"),
        notes);
    EXPECT_EQ(full[0], (Stage{6, {96, 24, 24}, {97, 25, 25}, 2, 0}));
}

TEST_F(RunFiles, ScheduleErrorsNameFileAndLine) {
    const auto refused = [&](const std::string& text, auto... parts) {
        const auto file = put("bad.csv", text);
        expect_error<InputError>([&] { read_schedule(file, notes); }, "bad.csv", parts...);
    };
    const std::string header = "iterations,cell_x,cell_z,vertex_x,vertex_z\n";
    refused(header, "no rows");
    refused(header + "0,2,2,3,3\n", "line 2", "iterations", "0");
    refused(header + "2,-2,2,3,3\n", "line 2", "cell_x", "-2");
    refused(header + "2,2.5,2,3,3\n", "line 2", "cell_x", "2.5");
    refused(header + "2,99999999999,2,3,3\n", "line 2", "cell_x");
    refused("iterations,cell_x,cell_z,vertex_x\n2,2,2,3\n", "vertex_z");
}

TEST_F(RunFiles, HistoryHasTheDesignsColumnsFirst) {
    write_history(at("history.csv"), state().history);
    const std::string text = content(at("history.csv"));
    EXPECT_EQ(text.rfind("iteration,rms,picks,max_update,cell_size,vertex_size,seconds,chi2", 0),
              0U);
    EXPECT_NE(text.find("\n1,0.25,100,0,8x1x6,9x1x7,0,1.5,3,2,1"), std::string::npos) << text;
}

TEST_F(RunFiles, CheckpointComesBackAsItWas) {
    const InversionState before = state();
    write_checkpoint(at("c.h5"), grid_, before, "name");
    const InversionState after = read_checkpoint(at("c.h5"), grid_, "name");
    EXPECT_TRUE(std::equal(before.velocity.begin(), before.velocity.end(), after.velocity.begin()));
    ASSERT_EQ(after.history.size(), 2U);
    EXPECT_EQ(after.history[1].stage, 1);
    EXPECT_EQ(after.history[0].misfit.used, 100);
    EXPECT_EQ(after.history[0].misfit.chi2, 1.5);
    EXPECT_EQ(after.next.iteration, 2);
    EXPECT_EQ(after.next.max_update, 0.125);
    EXPECT_EQ(after.next.vertex, before.next.vertex);
    EXPECT_EQ(after.method.hole.stage, 1);
    EXPECT_EQ(after.method.hole.stage_iterations, 1);
    EXPECT_EQ(after.method.hole.limits.low, -std::numeric_limits<double>::infinity());
    EXPECT_EQ(numbers_of(after.method), numbers_of(before.method));
    EXPECT_EQ(std::memcmp(after.initial_residual.data(), before.initial_residual.data(), 24), 0);
}

TEST_F(RunFiles, CheckpointTellsOthersOfItsModel) {
    write_checkpoint(at("c.h5"), grid_, state(), "name");
    const RunSnapshot seen = read_snapshot(at("c.h5"));
    EXPECT_EQ(seen.model.grid(), grid_);
    EXPECT_EQ(seen.model.velocity()[0], 2.5F);
    EXPECT_EQ(seen.iteration, 2);
    EXPECT_EQ(seen.run, "name");
}

TEST_F(RunFiles, CheckpointTellsOthersWhereItsModelLies) {
    CoordinateNumbers numbers;
    numbers.system = Coordinates::spherical;
    numbers.radius = 6000;
    numbers.jumps.assign(static_cast<std::size_t>(grid_.shape.z), 1);
    numbers.jumps[1] = 1.25;
    write_checkpoint(at("c.h5"), Place(grid_, make_mapping(grid_, numbers)), state(), "name");
    EXPECT_EQ(read_snapshot(at("c.h5")).model.coordinates(), numbers);
    EXPECT_EQ(read_checkpoint(at("c.h5"), grid_, "name").history.size(), 2U);
}

TEST_F(RunFiles, CheckpointOfAnotherRunIsRefused) {
    write_checkpoint(at("c.h5"), grid_, state(), "name");
    expect_error<InputError>([&] { read_checkpoint(at("c.h5"), grid_, "other"); }, "c.h5",
                             "another run", "`resume`");
    expect_error<InputError>([&] { read_checkpoint(at("none.h5"), grid_, "name"); }, "none.h5");
}

TEST_F(RunFiles, AnyDamageToACheckpointIsSeenOrHarmless) {
    write_checkpoint(at("c.h5"), grid_, state(), "name");
    const std::string good = content(at("c.h5"));
    std::mt19937 random(5);
    for (int n = 0; n < 150; ++n) {
        std::string bad = good;
        bad[random() % bad.size()] ^= static_cast<char>(1 << random() % 8);
        if (n % 10 == 0) bad.resize(random() % bad.size());
        const auto file = put("bad.h5", bad);
        try {
            const InversionState read = read_checkpoint(file, grid_, "name");
            EXPECT_EQ(read.velocity[0], 2.5F);
            EXPECT_EQ(read.method.hole.stage, 1);
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace fermat
