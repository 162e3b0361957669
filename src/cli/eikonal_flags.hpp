#pragma once

#include <string_view>

#include "cli/app.hpp"
#include "eikonal/eikonal.hpp"

namespace fermat::cli {

/// Throws InputError if --device asks for a device that `command` does not support.
void require_cpu(const CommonOptions& common, std::string_view command);

/// The device for a command that has a CUDA version. Throws InputError if --device asks for CUDA
/// and there is none.
Device usable_device(const CommonOptions& common);

}  // namespace fermat::cli
