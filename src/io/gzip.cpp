#include "io/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "core/error.hpp"

namespace fermat {
namespace {

constexpr int gzip_window = 15 + 16;  // zlib: the largest window, and a header of gzip
constexpr std::size_t piece = std::size_t{1} << 18;

/// A stream of zlib that ends with its scope.
class Inflater {
  public:
    Inflater() {
        if (inflateInit2(&stream_, gzip_window) != Z_OK) throw std::bad_alloc();
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    z_stream& operator*() { return stream_; }

  private:
    z_stream stream_{};
};

class Deflater {
  public:
    Deflater() {
        constexpr int memory = 8;  // zlib's default
        if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory,
                         Z_DEFAULT_STRATEGY) != Z_OK) {
            throw std::bad_alloc();
        }
    }
    ~Deflater() { deflateEnd(&stream_); }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;
    z_stream& operator*() { return stream_; }

  private:
    z_stream stream_{};
};

/// Hands the next bytes to a stream, as many as it can count, and says how many these are.
std::size_t feed(z_stream& stream, std::string_view bytes) {
    const std::size_t given = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    // zlib's pointer is to bytes that it could change, and it does not.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(given);
    return given;
}

}  // namespace

std::string pack_gzip(std::string_view content) {
    Deflater deflater;
    z_stream& stream = *deflater;
    std::string packed;
    for (int state = Z_OK; state != Z_STREAM_END;) {
        const std::size_t given = feed(stream, content);
        const std::size_t before = packed.size();
        packed.resize(before + piece);
        stream.next_out = reinterpret_cast<Bytef*>(packed.data() + before);
        stream.avail_out = static_cast<uInt>(piece);
        state = deflate(&stream, given == content.size() ? Z_FINISH : Z_NO_FLUSH);
        packed.resize(packed.size() - stream.avail_out);
        content.remove_prefix(given - stream.avail_in);
    }
    return packed;
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b\x08"); }

std::string unpack_gzip(std::string_view packed, const std::filesystem::path& path,
                        std::size_t most) {
    Inflater inflater;
    z_stream& stream = *inflater;
    std::string text;
    for (int state = Z_OK;;) {
        // Zeros after the last part fill the blocks of a tape.
        const bool over = packed.empty() || packed.front() == '\0';
        if (state == Z_STREAM_END && over) return text;
        if (state == Z_STREAM_END) inflateReset(&stream);
        const std::size_t given = feed(stream, packed);
        const std::size_t before = text.size();
        text.resize(before + piece);
        stream.next_out = reinterpret_cast<Bytef*>(text.data() + before);
        stream.avail_out = static_cast<uInt>(piece);
        state = inflate(&stream, Z_NO_FLUSH);
        text.resize(text.size() - stream.avail_out);
        packed.remove_prefix(given - stream.avail_in);
        if (state == Z_BUF_ERROR) {  // nothing went in and nothing came out
            throw InputError(fmt::format("'{}' ends before what it packs does (it is truncated)",
                                         path.string()));
        }
        if (state != Z_OK && state != Z_STREAM_END) {
            throw InputError(fmt::format("'{}' cannot be unpacked: {} (must be a file of gzip)",
                                         path.string(),
                                         stream.msg != nullptr ? stream.msg : "it is damaged"));
        }
        if (text.size() > most) {
            throw InputError(
                fmt::format("'{}' unpacks to more than {} bytes (at most that many "
                            "are read)",
                            path.string(), most));
        }
    }
}

}  // namespace fermat
