#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "core/gl_context.hpp"
#include "core/parallel.hpp"
#include "core/version.hpp"

namespace fermat::cli {
namespace {

struct InfoOptions {};

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

void show_info(const InfoOptions&, const Run& run) {
    say("fermat", version);
    say("compiler", build::compiler);
    say("build type", build::type);
    say("native", build::native);
    say("CUDA", build::cuda);
    say("OpenGL", opengl_words());
    say("MPI", build::mpi);
    say("threads", fmt::format("{}", resolve_threads(run.common.threads)));
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

}  // namespace

void add_info_command(Program& program) {
    program.add_command<InfoOptions>(
        program.root(), "info", "Show the version, what is in this build, and the devices",
        "fermat info", [](CLI::App&, InfoOptions&) {}, &show_info);
}

}  // namespace fermat::cli
