#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/app.hpp"
#include "core/device_team.hpp"

namespace fermat::cli {

/// Adds --devices: the CUDA devices that share the sources, or something else, of a command.
void add_device_flags(CLI::App& app, std::vector<int>& devices,
                      const std::string& what = "the sources");

/// Lets the devices of --devices share the sources while it lives; null where none are named.
/// Throws InputError unless --device is cuda.
std::unique_ptr<DevicesScope> named_devices(const std::vector<int>& devices,
                                            const CommonOptions& common);

}  // namespace fermat::cli
