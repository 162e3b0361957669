#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/seeds.hpp"
#include "io/text.hpp"

/// Feeds damaged files to every reader. A reader may succeed or throw fermat::Error; anything else
/// (another exception, a crash, 20 seconds without an answer) is a failure. The file at fault stays
/// in the folder that is printed at the start.
namespace fermat::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr unsigned longest_read = 20;

void put(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

struct Tally {
    long accepted = 0;
    long refused = 0;
};

bool try_one(const Target& target, const fs::path& file, const std::string& bytes, Tally& tally) {
    put(file, bytes);
    ::alarm(longest_read);
    try {
        target.read(file);
        ++tally.accepted;
    } catch (const Error& error) {
        ++tally.refused;
        if (std::string_view(error.what()).find('\n') != std::string_view::npos) {
            fmt::print("FAILED {}: a message of several lines: {}\n", target.name, error.what());
            return false;
        }
    } catch (const std::exception& error) {
        fmt::print("FAILED {}: {}: {}\n", target.name, file.string(), error.what());
        return false;
    }
    ::alarm(0);
    return true;
}

bool fuzz_target(const Target& target, const fs::path& folder, double seconds, Random& random) {
    const fs::path file = folder / ("fuzz-" + target.name + target.suffix);
    if (!target.companion.empty()) {
        put(fs::path(file).replace_extension(target.companion_suffix), target.companion);
    }
    Tally tally;
    for (const std::string& seed : target.seeds) {
        if (!try_one(target, file, seed, tally)) return false;
    }
    if (tally.refused > 0 && target.name != "csv") {
        fmt::print("FAILED {}: an undamaged file was refused\n", target.name);
        return false;
    }
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < end) {
        const std::string& seed = target.seeds[random() % target.seeds.size()];
        if (!try_one(target, file, mutate(seed, random), tally)) return false;
    }
    fmt::print("{:8} {:8} read, {:8} refused\n", target.name, tally.accepted, tally.refused);
    std::fflush(stdout);
    return true;
}

int run(double seconds, std::uint64_t seed, const std::string& reader) {
    // A file in memory is read a hundred times faster than from some disks.
    const fs::path memory = "/dev/shm";
    const bool in_memory = !std::getenv("TMPDIR") && ::access(memory.c_str(), W_OK) == 0;
    std::string name =
        ((in_memory ? memory : fs::temp_directory_path()) / "fermat-fuzz-XXXXXX").string();
    if (!::mkdtemp(name.data())) return 1;
    fmt::print("seed {}, files in {}\n", seed, name);
    std::fflush(stdout);
    std::vector<Target> chosen;
    std::vector<Target> all = library_targets(name);
    for (Target& target : format_targets(name)) all.push_back(std::move(target));
    for (Target& target : program_targets(name)) all.push_back(std::move(target));
    for (const Target& target : all) {
        if (reader.empty() ? !target.on_request : target.name == reader) chosen.push_back(target);
    }
    if (chosen.empty()) fmt::print("no reader is named {}\n", reader);
    bool good = !chosen.empty();
    for (const Target& target : chosen) {
        Random random(seed);
        good =
            fuzz_target(target, name, seconds / static_cast<double>(chosen.size()), random) && good;
    }
    if (good) fs::remove_all(name);
    return good ? 0 : 1;
}

}  // namespace
}  // namespace fermat::fuzz

/// HDF5 1.10 leaks memory if the header of an object is damaged; see hdf5.hpp.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

int main(int argc, char** argv) {
    spdlog::set_level(spdlog::level::off);  // what readers of reports tell
    double seconds = 5;
    std::uint64_t seed = 1;
    std::string reader;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string flag = argv[i];
        if (flag == "--seconds") seconds = fermat::parse_number(argv[i + 1]).value_or(seconds);
        if (flag == "--seed") seed = static_cast<std::uint64_t>(std::atoll(argv[i + 1]));
        if (flag == "--reader") reader = argv[i + 1];
    }
    return fermat::fuzz::run(seconds, seed, reader);
}
