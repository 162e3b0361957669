#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/block.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "core/field.hpp"
#include "interpolate.hpp"

namespace fermat {
namespace {

constexpr int lanes = 257;

/// Two phases. The second reads what other lanes wrote in the first, so it is right only if the
/// barrier works.
template <class Block>
FERMAT_HD void mirror(Block block, FieldView<int> scratch, FieldView<int> out) {
    block.for_each(lanes, [=](int lane) { scratch[lane] = lane * lane; });
    block.for_each(lanes, [=](int lane) { out[lane] = scratch[lanes - 1 - lane]; });
}

__global__ void mirror_kernel(int* scratch, int* out) {
    const Shape shape{lanes, 1, 1};
    mirror(CudaBlock{}, FieldView<int>(scratch, shape), FieldView<int>(out, shape));
}

__global__ void interpolate_kernel(Grid grid, const float* values, Vec3 point, double* out) {
    *out = interpolate(grid, FieldView<const float>(values, grid.shape), point);
}

/// Device memory that lives as long as a test.
template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(std::size_t count) : count_(count) {
        EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), cudaSuccess);
    }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    T* data() const { return data_; }
    void upload(const T* host) {
        EXPECT_EQ(cudaMemcpy(data_, host, count_ * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
    }
    std::vector<T> download() const {
        std::vector<T> host(count_);
        EXPECT_EQ(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
                  cudaSuccess);
        return host;
    }

  private:
    T* data_ = nullptr;
    std::size_t count_;
};

class GpuCore : public testing::Test {
  protected:
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    }
};

TEST(GpuCoreAnywhere, AskingForADeviceBeyondTheLastIsAnInputError) {
    EXPECT_EQ(list_devices().size(), static_cast<std::size_t>(device_count()));
    EXPECT_THROW(device_info(device_count()), InputError);
    EXPECT_THROW(device_info(-1), InputError);
}

TEST_F(GpuCore, EveryDeviceHasANameAndMemory) {
    for (const DeviceInfo& device : list_devices()) {
        EXPECT_FALSE(device.name.empty());
        EXPECT_GT(device.memory_bytes, 0U);
        EXPECT_GE(device.compute_major, 5);
    }
}

TEST_F(GpuCore, ABlockAlgorithmGivesTheSameOnHostAndDevice) {
    Field<int> scratch(Shape{lanes, 1, 1});
    Field<int> expected(scratch.shape());
    mirror(HostBlock(LaneOrder::backward), scratch.view(), expected.view());

    DeviceArray<int> device_scratch(lanes);
    DeviceArray<int> out(lanes);
    mirror_kernel<<<1, 64>>>(device_scratch.data(), out.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const std::vector<int> got = out.download();
    for (int lane = 0; lane < lanes; ++lane) EXPECT_EQ(got[lane], expected[lane]) << lane;
}

TEST_F(GpuCore, InterpolationOnTheDeviceAgreesWithTheHost) {
    const Grid grid{{4, 5, 6}, {-1, 0, 2}, {0.5, 0.25, 1}};
    Field<float> values(grid.shape);
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<float>(n * 37 % 101);
    const Vec3 point{-0.3, 0.61, 4.9};

    DeviceArray<float> device_values(values.size());
    device_values.upload(values.data());
    DeviceArray<double> out(1);
    interpolate_kernel<<<1, 1>>>(grid, device_values.data(), point, out.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    // The two compilers may fuse multiplications and additions in different places.
    EXPECT_NEAR(out.download()[0], interpolate(grid, FieldView<const float>(values), point), 1e-12);
}

}  // namespace
}  // namespace fermat
