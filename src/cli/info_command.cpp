#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "core/gl_context.hpp"
#include "core/parallel.hpp"
#include "core/version.hpp"

namespace fermat::cli {
namespace {

struct InfoOptions {
    bool json = false;
};

void say(std::string_view label, std::string_view words) { fmt::print("{:<12}{}\n", label, words); }

/// The renderer, or why there is none.
std::string opengl_words() {
    if (build::opengl == "no") return "no";
    try {
        const GlContext context;
        return fmt::format("{}, OpenGL {}", context.info().renderer, context.info().version);
    } catch (const InputError& error) {
        return fmt::format("none: {}", error.what());
    }
}

/// A line of the text, and a member of the JSON object.
struct Fact {
    std::string_view label;
    std::string_view key;
    std::string words;
};

std::vector<Fact> facts_of_build() {
    return {{"fermat", "version", std::string(version)},
            {"compiler", "compiler", std::string(build::compiler)},
            {"build type", "build_type", std::string(build::type)},
            {"native", "native", std::string(build::native)},
            {"CUDA", "cuda", std::string(build::cuda)},
            {"OpenGL", "opengl", opengl_words()},
            {"MPI", "mpi", std::string(build::mpi)}};
}

void show_json(int threads) {
    fmt::print("{{\n");
    for (const Fact& fact : facts_of_build()) {
        fmt::print("  {}: {},\n", json_text(fact.key), json_text(fact.words));
    }
    fmt::print("  \"threads\": {},\n  \"devices\": [", threads);
    const char* between = "";
    for (const DeviceInfo& device : list_devices()) {
        fmt::print(
            "{}\n    {{\"number\": {}, \"name\": {}, \"memory_bytes\": {}, "
            "\"compute_capability\": \"{}.{}\"}}",
            between, device.number, json_text(device.name), device.memory_bytes,
            device.compute_major, device.compute_minor);
        between = ",";
    }
    fmt::print("]\n}}\n");
}

void show_text(int threads) {
    for (const Fact& fact : facts_of_build()) say(fact.label, fact.words);
    say("threads", fmt::format("{}", threads));
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    const auto devices = list_devices();
    for (const DeviceInfo& device : devices) {
        say(fmt::format("device {}", device.number),
            fmt::format("{}, {:.1f} GiB, compute capability {}.{}", device.name,
                        static_cast<double>(device.memory_bytes) / gib, device.compute_major,
                        device.compute_minor));
    }
    if (devices.empty()) say("devices", "none: computes on the CPU");
}

void show_info(const InfoOptions& options, const Run& run) {
    const int threads = resolve_threads(run.common.threads);
    options.json ? show_json(threads) : show_text(threads);
}

}  // namespace

void add_info_command(Program& program) {
    program.add_command<InfoOptions>(
        program.root(), "info", "Show the version, what is in this build, and the devices",
        "fermat info",
        [](CLI::App& app, InfoOptions& options) {
            app.add_flag("--json", options.json, "as a JSON object, for scripts");
        },
        &show_info);
}

}  // namespace fermat::cli
