#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "io/depth_grid.hpp"
#include "io/numbers.hpp"

namespace fermat {
namespace {

/// Bytes per value of a type of NetCDF: byte, char, short, int, float, double.
constexpr std::array<std::size_t, 7> netcdf_sizes = {0, 1, 1, 2, 4, 4, 8};
constexpr std::uint32_t netcdf_char = 2;

/// Big-endian numbers of the header, one after the other.
class NetcdfBytes {
  public:
    NetcdfBytes(const TextFile& file, bool wide) : file_(file), text_(file.text()), wide_(wide) {}

    void skip(std::size_t bytes) {
        if (bytes > text_.size() - at_) fail("its header ends early (it is truncated)");
        at_ += bytes;
    }
    std::uint32_t number() {
        const std::size_t from = at_;
        skip(4);
        return load_bits<std::uint32_t>(bytes() + from, !big_endian_machine);
    }
    std::uint64_t offset() {
        if (!wide_) return number();
        const std::size_t from = at_;
        skip(8);
        return load_bits<std::uint64_t>(bytes() + from, !big_endian_machine);
    }
    std::string name() {
        const std::size_t length = number();
        const std::size_t from = at_;
        skip(padded(length));
        return text_.substr(from, length);
    }
    /// The number of entries of a list, which starts with a tag or two zeros.
    std::uint32_t list(std::uint32_t tag) {
        const std::uint32_t found = number();
        const std::uint32_t count = number();
        if (found != tag && (found != 0 || count != 0)) fail("its header is damaged");
        if (count > text_.size()) fail("its header is damaged");
        return count;
    }
    std::size_t size_of(std::uint32_t type) const {
        if (type == 0 || type >= netcdf_sizes.size()) {
            fail(fmt::format("it has values of type {} (must be numbers of the classic format)",
                             type));
        }
        return netcdf_sizes[type];
    }
    /// The value at a place of the file.
    double value(std::size_t from, std::uint32_t type) const {
        const std::byte* const p = bytes() + from;
        switch (type) {
            case 1:
                return static_cast<double>(static_cast<signed char>(text_[from]));
            case 3: {
                const auto high = std::to_integer<unsigned>(p[0]);
                const auto low = std::to_integer<unsigned>(p[1]);
                return static_cast<std::int16_t>(static_cast<std::uint16_t>(high << 8U | low));
            }
            case 4:
                return static_cast<std::int32_t>(load_bits<std::uint32_t>(p, !big_endian_machine));
            default:
                return load_float(p, type == 5 ? 4 : 8, !big_endian_machine);
        }
    }
    std::size_t at() const { return at_; }
    std::size_t size() const { return text_.size(); }
    const std::string& text() const { return text_; }
    static std::size_t padded(std::size_t length) { return (length + 3) / 4 * 4; }

    [[noreturn]] void fail(const std::string& problem) const {
        throw InputError(fmt::format("cannot read {} as NetCDF: {}", file_.quoted(), problem));
    }

  private:
    const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(text_.data()); }

    TextFile file_;
    const std::string& text_;
    bool wide_;
    std::size_t at_ = 4;
};

/// What attributes say of a variable.
struct ClassicAttributes {
    NetcdfScale scale{};
    std::string units{};
    std::string positive{};
};

ClassicAttributes read_attributes(NetcdfBytes& in) {
    ClassicAttributes out;
    const std::uint32_t count = in.list(0x0C);
    for (std::uint32_t n = 0; n < count; ++n) {
        const std::string name = in.name();
        const std::uint32_t type = in.number();
        const std::size_t length = in.number();
        const std::size_t bytes = length * in.size_of(type);
        const std::size_t from = in.at();
        in.skip(NetcdfBytes::padded(bytes));
        if (type == netcdf_char) {
            const std::string text = in.text().substr(from, length);
            if (name == "units") out.units = text;
            if (name == "positive") out.positive = text;
        } else if (length > 0) {
            const double value = in.value(from, type);
            if (name == "scale_factor") out.scale.factor = value;
            if (name == "add_offset") out.scale.offset = value;
            if (name == "_FillValue" || name == "missing_value") out.scale.missing.push_back(value);
        }
    }
    return out;
}

}  // namespace

double NetcdfScale::operator()(double stored) const {
    const bool none =
        std::any_of(missing.begin(), missing.end(), [&](double gap) { return stored == gap; });
    return none ? std::numeric_limits<double>::quiet_NaN() : stored * factor + offset;
}

std::vector<NetcdfVariable> read_classic_netcdf(const TextFile& file) {
    const char version = file.text()[3];
    if (version != 1 && version != 2) {
        throw InputError(fmt::format(
            "cannot read {} as NetCDF: it is of version {} (must be classic, 64-bit offset or "
            "NetCDF-4)",
            file.quoted(), static_cast<int>(version)));
    }
    NetcdfBytes in(file, version == 2);
    in.number();  // of records
    struct Dimension {
        std::string name;
        std::size_t size;
    };
    std::vector<Dimension> dims;
    const std::uint32_t dim_count = in.list(0x0A);
    for (std::uint32_t n = 0; n < dim_count; ++n) {
        std::string name = in.name();
        dims.push_back({std::move(name), in.number()});
    }
    read_attributes(in);  // of the file
    std::vector<NetcdfVariable> out;
    const std::uint32_t count = in.list(0x0B);
    for (std::uint32_t n = 0; n < count; ++n) {
        NetcdfVariable one;
        one.name = in.name();
        const std::uint32_t rank = in.number();
        std::size_t values = 1;
        for (std::uint32_t k = 0; k < rank; ++k) {
            const std::uint32_t id = in.number();
            if (id >= dims.size()) in.fail("its header is damaged");
            one.dims.push_back(dims[id].name);
            one.sizes.push_back(dims[id].size);
            values = values > in.size() ? values : values * dims[id].size;
        }
        const ClassicAttributes said = read_attributes(in);
        one.units = said.units;
        one.positive = said.positive;
        const std::uint32_t type = in.number();
        const std::size_t bytes = in.size_of(type);
        in.number();  // bytes of the variable
        const std::uint64_t begin = in.offset();
        // Of others the values are not needed: text, and those along records.
        if (type == netcdf_char || rank == 0 || rank > 2 || values == 0) continue;
        if (values > in.size() || begin > in.size() || values * bytes > in.size() - begin) {
            in.fail(fmt::format("variable {} lies beyond its end (it is truncated)",
                                in_quotes(one.name)));
        }
        one.values.resize(values);
        for (std::size_t i = 0; i < values; ++i) {
            one.values[i] = said.scale(in.value(static_cast<std::size_t>(begin) + i * bytes, type));
        }
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace fermat
