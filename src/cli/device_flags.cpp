#include "cli/device_flags.hpp"

#include <algorithm>

#include "cli/flags.hpp"
#include "core/error.hpp"

namespace fermat::cli {

void add_device_flags(CLI::App& app, std::vector<int>& devices, const std::string& what) {
    add_value(
        app, "--devices", "N,N", devices,
        "CUDA devices that share " + what + ", with --device cuda (default: the first)",
        [](std::string_view flag, std::string_view text) {
            std::vector<int> numbers;
            for (std::size_t begin = 0; begin <= text.size();) {
                const std::size_t end = std::min(text.find(',', begin), text.size());
                numbers.push_back(parse_whole(flag, text.substr(begin, end - begin), 0, 1023));
                begin = end + 1;
            }
            return numbers;
        });
}

std::unique_ptr<DevicesScope> named_devices(const std::vector<int>& devices,
                                            const CommonOptions& common) {
    if (devices.empty()) return nullptr;
    if (common.device != Device::cuda) {
        throw InputError("--devices names CUDA devices (give --device cuda too)");
    }
    return std::make_unique<DevicesScope>(devices);
}

}  // namespace fermat::cli
