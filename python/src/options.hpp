#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "core/option.hpp"
#include "eikonal/eikonal.hpp"
#include "graph/options.hpp"
#include "keywords.hpp"
#include "rays/bending/starts.hpp"

namespace fermat::python {

namespace nb = nanobind;

/// Keywords of a call by the names of the options that they set. The Python package gives numbers
/// per axis as x, y, z, and leaves out keywords that the user did not set.
class Keywords {
  public:
    explicit Keywords(const nb::dict& given) : given_(given) {}

    bool has(std::string_view name) const { return given_.contains(key(name)); }
    template <class T>
    T take(std::string_view name) const {
        return keyword_as<T>(nb::object(given_[key(name)]), name);
    }
    /// Returns `otherwise` if the keyword is not given.
    std::string text(std::string_view name, const char* otherwise) const {
        return has(name) ? take<std::string>(name) : otherwise;
    }
    int whole(std::string_view name, int otherwise) const {
        return has(name) ? take<int>(name) : otherwise;
    }

    /// Sets every described option of a struct that has a keyword.
    template <class Options>
    void fill(Options& options) const {
        for_each_option(options, [&](const auto& option, auto& value) {
            if (has(option.name)) set(option.name, value);
        });
    }

  private:
    static nb::str key(std::string_view name) { return nb::str(name.data(), name.size()); }

    template <class Value>
    void set(std::string_view name, Value& value) const {
        if constexpr (std::is_enum_v<Value>) {
            value = parse_choice<Value>(take<std::string>(name));
        } else if constexpr (std::is_same_v<Value, StartSet>) {
            value = parse_starts(take<std::string>(name));
        } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
            value = take<double>(name);
        } else if constexpr (std::is_same_v<Value, Vec3> || std::is_same_v<Value, Index3>) {
            const auto axes = take<nb::tuple>(name);
            for (int axis = 0; axis < 3; ++axis) {
                value[axis] = keyword_as<std::remove_reference_t<decltype(value[axis])>>(
                    nb::object(axes[axis]), name);
            }
        } else {
            value = take<Value>(name);
        }
    }

    const nb::dict& given_;
};

/// Throws if `device` demands CUDA, for work that has no CUDA version.
inline void require_cpu(const std::string& device, const char* what) {
    on_cuda(parse_choice<Device>(device), std::string(what) + " computes on the CPU");
}

inline bool is_graph_solver(const std::string& name) {
    for (const auto& [entry, value] : choices<GraphSolver>.entries) {
        if (entry == name) return true;
    }
    return false;
}

/// `solver` may be a solver of the eikonal equation if only the tracer needs the graph. The graph
/// itself checks the options against its grid.
inline GraphOptions graph_options(const std::string& solver, const Keywords& given,
                                  const std::string& device) {
    GraphOptions options;
    given.fill(options);
    if (is_graph_solver(solver)) options.solver = parse_choice<GraphSolver>(solver);
    on_cuda(options, parse_choice<Device>(device));
    return options;
}

inline EikonalOptions eikonal_options(const std::string& solver, int order,
                                      const std::string& device) {
    const EikonalOptions options{parse_choice<Solver>(solver), order};
    const auto wanted = parse_choice<Device>(device);
    if (wanted != Device::opengl) on_cuda(options, wanted);  // the solver says what shaders can do
    validate(options);
    return options;
}

}  // namespace fermat::python
