#include "io/layered_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "io/metric_io.hpp"
#include "io/model_formats.hpp"
#include "io/vtkhdf_image.hpp"

namespace fermat {

template <>
inline constexpr auto choices<InterfaceShape> =
    choice_table<InterfaceShape>("shape of an interface", {{"smooth", InterfaceShape::smooth},
                                                           {"linear", InterfaceShape::linear}});

namespace {

namespace fs = std::filesystem;

constexpr std::size_t lattice_numbers = 6;  ///< x0, y0, dx, dy, nx, ny

std::string array_of(int layer, Phase wave) {
    return fmt::format("layer_{}_{}", layer, wave == Phase::P ? "p" : "s");
}
std::string numbers_of(int interface) { return fmt::format("interface_{}", interface); }

bool has_array(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

Interface read_interface(const ImageReader& image, int number) {
    const std::string name = numbers_of(number);
    const std::vector<double> all = image.read_numbers(name);
    const auto is_count = [](double n) { return n >= 1 && n < 1e9 && n == std::floor(n); };
    if (all.size() <= lattice_numbers || !is_count(all[4]) || !is_count(all[5]) ||
        all[4] * all[5] != static_cast<double>(all.size() - lattice_numbers)) {
        throw InputError(
            fmt::format("'{}' has {} numbers (must be x0, y0, dx, dy, nx, ny and nx * ny depths)",
                        name, all.size()));
    }
    const Lattice lattice{
        all[0], all[1], all[2], all[3], static_cast<int>(all[4]), static_cast<int>(all[5])};
    return Interface(image.read_label(name, "id"), lattice,
                     {all.begin() + lattice_numbers, all.end()},
                     parse_choice<InterfaceShape>(image.read_label(name, "shape")));
}

LayeredMedium read_own(const TextFile& file) {
    const ImageReader image(file.path());
    const auto arrays = image.point_arrays();
    if (!has_array(arrays, array_of(0, Phase::P))) {
        throw InputError(
            fmt::format("{} is a model without layers (layers are made by `fermat model layers`, "
                        "with its interfaces)",
                        file.quoted()));
    }
    return named_by_file(file, [&] {
        const auto metric = read_metric(image);
        const auto model_of = [&](int layer, Phase wave) {
            const Model model(image.grid(), image.read_point_array(array_of(layer, wave)));
            return metric ? model.with_metric(metric) : model;
        };
        std::vector<Interface> interfaces;
        std::vector<Layer> layers;
        for (int k = 0; has_array(arrays, array_of(k, Phase::P)); ++k) {
            interfaces.push_back(read_interface(image, k));
            Layer layer{model_of(k, Phase::P)};
            if (has_array(arrays, array_of(k, Phase::S))) layer.s = model_of(k, Phase::S);
            layers.push_back(std::move(layer));
        }
        return LayeredMedium(std::move(interfaces), std::move(layers));
    });
}

/// The medium with other ids.
LayeredMedium with_names(const LayeredMedium& medium, const std::vector<std::string>& names) {
    if (names.size() != medium.interfaces().size()) {
        throw InputError(fmt::format(
            "{} names are given for {} interfaces (must be one each, the surface first)",
            names.size(), medium.interfaces().size()));
    }
    std::vector<Interface> out;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const Interface& one = medium.interfaces()[k];
        out.emplace_back(names[k], one.lattice(), one.depth(), one.shape());
    }
    return medium.with_interfaces(std::move(out));
}

Model velocity_of_s(const Model& model, double factor) {
    Field<float> velocity(model.grid().shape);
    for (std::size_t i = 0; i < velocity.size(); ++i) {
        velocity[i] = static_cast<float>(model.velocity()[i] / factor);
    }
    return model.with_given(std::move(velocity));
}

bool is_layered_name(const fs::path& path) {
    return has_suffix(".h5 .hdf5 .hdf .vtkhdf", suffix_of(path));
}

LayeredMedium read_by_name(const TextFile& file, const LayeredReadOptions& options, Notes& notes) {
    if (is_layered_name(file.path())) {
        if (options.spacing || options.interfaces) {
            throw InputError(fmt::format("{} has its own {} (leave it out)", file.quoted(),
                                         options.spacing ? "spacing" : "interfaces"));
        }
        return read_own(file);
    }
    // vgrids.in is also a name like v.in.
    if (fmtomo_model.is(file)) return read_fmtomo_layers(file, options, notes);
    if (zelt_model.is(file)) return read_zelt_layers(file, options, notes);
    if (smesh_model.is(file)) return read_smesh_layers(file, options, notes);
    throw InputError(fmt::format(
        "{} is no layered medium (must be .h5, rayinvr's v.in, tomo2d's smesh or FMTOMO's "
        "vgrids.in)",
        file.quoted()));
}

}  // namespace

LayeredMedium with_s(const LayeredMedium& medium, double vp_over_vs) {
    if (!(vp_over_vs > 1 && vp_over_vs < 10)) {
        throw InputError(fmt::format("vp_over_vs is {:g} (must be between 1 and 10)", vp_over_vs));
    }
    std::vector<Layer> layers;
    for (const Layer& layer : medium.layers()) {
        layers.push_back({layer.p, layer.s ? *layer.s : velocity_of_s(layer.p, vp_over_vs)});
    }
    return LayeredMedium(medium.interfaces(), std::move(layers));
}

LayeredMedium read_layered(const fs::path& path, Notes& notes, const LayeredReadOptions& options) {
    const TextFile file = path;
    LayeredMedium medium = read_by_name(file, options, notes);
    if (!options.names.empty()) medium = with_names(medium, options.names);
    if (options.vp_over_vs) medium = with_s(medium, *options.vp_over_vs);
    return medium;
}

void write_layered(const fs::path& path, const LayeredMedium& medium, const std::string& run) {
    if (!is_layered_name(path)) {
        throw InputError(
            fmt::format("cannot write '{}' (layered media are written as .h5)", path.string()));
    }
    for (const Interface& one : medium.interfaces()) {
        constexpr std::size_t longest = 63;  // of texts that are read again
        if (one.id().size() <= longest) continue;
        throw InputError(fmt::format("interface '{}' has an id of {} letters (at most {} are kept)",
                                     one.id(), one.id().size(), longest));
    }
    ImageWriter image(path, medium.grid(), run);
    const Model merged = medium.merged(Phase::P);
    image.add_point_array("velocity", merged.velocity());
    image.add_point_array("layer", medium.layer_numbers().view());
    for (int k = 0; k < medium.layer_count(); ++k) {
        for (const Phase wave : medium.phases_of(k)) {
            image.add_point_array(array_of(k, wave), medium.model(k, wave).velocity());
        }
        const Interface& top = medium.top_of(k);
        const Lattice& at = top.lattice();
        std::vector<double> numbers{
            at.x0, at.y0, at.dx, at.dy, static_cast<double>(at.nx), static_cast<double>(at.ny)};
        numbers.insert(numbers.end(), top.depth().begin(), top.depth().end());
        image.add_numbers(numbers_of(k), numbers);
        image.label_numbers(numbers_of(k), "id", top.id());
        image.label_numbers(numbers_of(k), "shape", std::string(name_of(top.shape())));
    }
    write_metric(image, merged);
    image.commit();
}

bool is_layered(const fs::path& path) {
    if (!is_layered_name(path)) return false;
    return has_array(ImageReader(path).point_arrays(), array_of(0, Phase::P));
}

}  // namespace fermat
