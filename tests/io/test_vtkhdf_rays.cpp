#include "io/vtkhdf_rays.hpp"

#include <cmath>

#include "io/hdf5_column.hpp"
#include "io/temp_folder.hpp"
#include "io/vtkhdf_image.hpp"

namespace fermat {
namespace {

using namespace test;
using VtkhdfRays = TempFolder;

bool same(const RaySet& a, const RaySet& b) {
    const auto equal = [](const RayInfo& p, const RayInfo& q) {
        return p.source == q.source && p.receiver == q.receiver && p.time == q.time &&
               p.field_time == q.field_time && p.length == q.length && p.status == q.status;
    };
    return a.first_point == b.first_point && a.points == b.points &&
           std::equal(a.rays.begin(), a.rays.end(), b.rays.begin(), b.rays.end(), equal);
}

/// Rays of 0, 1, 2, ... points; rays in air have none.
RaySet some_rays(int count) {
    RaySet rays;
    for (int r = 0; r < count; ++r) {
        std::vector<Vec3> path;
        for (int i = 0; i < r % 7; ++i) path.push_back({r + 0.1 * i, i / 3.0, -1.0 * i});
        rays.append({r, r + 1, 0.5 * r, 0.25 * r, 3.0 * r,
                     r % 7 ? RayStatus::ok : RayStatus::receiver_in_air},
                    path);
    }
    return rays;
}

TEST_F(VtkhdfRays, RaysReadBackAlsoThoseWithoutPoints) {
    for (const int count : {0, 1, 2, 100}) {
        write_rays(at("r.h5"), some_rays(count));
        EXPECT_TRUE(same(read_rays(at("r.h5")), some_rays(count))) << count;
    }
    EXPECT_EQ(listing(), std::vector<std::string>{"r.h5"});
}

TEST_F(VtkhdfRays, RaysInManyPiecesEqualRaysInOne) {
    const RaySet all = some_rays(20000);
    RayWriter writer(at("r.h5"));
    for (std::size_t first = 0; first < all.size(); first += 3000) {
        RaySet piece;
        for (std::size_t r = first; r < std::min(first + 3000, all.size()); ++r) {
            piece.append(all.rays[r], all.path(r));
        }
        writer.append(piece);
    }
    writer.commit();
    EXPECT_TRUE(same(read_rays(at("r.h5")), all));
}

TEST_F(VtkhdfRays, PointsCarryTheirTimesWhereAModelIsGiven) {
    const Grid grid{{11, 1, 11}, {}, {1, 1, 1}};
    const Model model(grid, Field<float>(grid.shape, 2));
    RaySet rays;
    rays.append({0, 0, 3, 3, 4, RayStatus::ok}, std::vector<Vec3>{{1, 0, 5}, {2, 0, 5}, {5, 0, 5}});
    rays.append({0, 1, INFINITY, INFINITY, 0, RayStatus::unreachable},
                std::vector<Vec3>{{9, 0, 9}});
    const Medium medium(model);
    RayWriter writer(at("r.h5"), &medium);
    writer.append(rays);
    writer.append(rays);
    writer.commit();
    EXPECT_EQ(read_rays(at("r.h5")).size(), 4u);
    const hdf5::Session session;
    const hdf5::Handle file = hdf5::open_file(at("r.h5"));
    const std::vector<double> once{3, 2.5, 1, INFINITY};
    std::vector<double> twice = once;
    twice.insert(twice.end(), once.begin(), once.end());
    EXPECT_EQ(hdf5::read_column<double>(file, "VTKHDF/PointData/time", at("r.h5")), twice);
}

TEST_F(VtkhdfRays, WithoutCommitNothingIsLeft) {
    { RayWriter(at("r.h5")).append(some_rays(10)); }
    EXPECT_TRUE(listing().empty());
}

TEST_F(VtkhdfRays, AFullDiskIsToldAndLeavesTheOldFile) {
    put("r.h5", "old");
    for (const rlim_t bytes : {0ul, 3000ul, 200000ul, 1000000ul}) {
        const std::string text = message_of<ComputeError>([&] {
            const SmallDisk disk(bytes);
            write_rays(at("r.h5"), some_rays(20000));
        });
        EXPECT_TRUE(contains(text, "r.h5"));
        EXPECT_TRUE(contains(text, "File too large"));
        EXPECT_EQ(content(at("r.h5")), "old");
        EXPECT_EQ(listing(), std::vector<std::string>{"r.h5"});
    }
    write_rays(at("r.h5"), some_rays(9));
    EXPECT_TRUE(same(read_rays(at("r.h5")), some_rays(9)));
}

TEST_F(VtkhdfRays, AnImageIsNotRaysAndATruncatedFileIsTold) {
    ImageWriter writer(at("i.h5"), Grid{{2, 1, 2}, {}, {1, 1, 1}});
    writer.commit();
    EXPECT_TRUE(contains(message_of([&] { read_rays(at("i.h5")); }), "'ImageData'"));
    write_rays(at("r.h5"), some_rays(50));
    const std::string whole = content(at("r.h5"));
    for (std::size_t length = 0; length < whole.size(); length += 1 + length / 10) {
        put("t.h5", whole.substr(0, length));
        EXPECT_TRUE(contains(message_of([&] { read_rays(at("t.h5")); }), "t.h5"));
    }
}

}  // namespace
}  // namespace fermat
