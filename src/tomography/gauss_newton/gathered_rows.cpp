#include "tomography/gauss_newton/gathered_rows.hpp"

#include <utility>

#include "core/bytes.hpp"
#include "core/expect.hpp"

namespace fermat {
namespace {

Bytes packed(const std::vector<RowLot>& lots) {
    ByteWriter out;
    out.add(lots.size());
    for (const RowLot& lot : lots) {
        out.add(lot.picks);
        out.add(lot.rows.start);
        out.add(lot.rows.column);
        out.add(lot.rows.value);
    }
    return out.take();
}

void unpack(const Bytes& bytes, std::vector<RowLot>& lots) {
    ByteReader in(bytes);
    const auto count = in.take<std::size_t>();
    for (std::size_t n = 0; n < count; ++n) {
        RowLot lot;
        lot.picks = in.take_vector<std::int32_t>();
        lot.rows.start = in.take_vector<std::int64_t>();
        lot.rows.column = in.take_vector<std::int32_t>();
        lot.rows.value = in.take_vector<float>();
        lots.push_back(std::move(lot));
    }
}

void append(const UnknownRows& from, std::size_t row, UnknownRows& to) {
    FERMAT_EXPECT(row + 1 < from.start.size());
    const auto begin = static_cast<std::ptrdiff_t>(from.start[row]);
    const auto end = static_cast<std::ptrdiff_t>(from.start[row + 1]);
    to.column.insert(to.column.end(), from.column.begin() + begin, from.column.begin() + end);
    to.value.insert(to.value.end(), from.value.begin() + begin, from.value.begin() + end);
}

}  // namespace

UnknownRows gathered_rows(std::vector<RowLot>&& lots, std::size_t picks, Ranks& ranks) {
    if (ranks.size() > 1) {
        const std::vector<Bytes> all = gather(ranks, packed(lots));
        for (std::size_t rank = 1; rank < all.size(); ++rank) unpack(all[rank], lots);
    }
    struct Place {
        const UnknownRows* rows = nullptr;
        std::size_t row = 0;
    };
    std::vector<Place> places(picks);
    for (const RowLot& lot : lots) {
        for (std::size_t r = 0; r < lot.picks.size(); ++r) {
            places[static_cast<std::size_t>(lot.picks[r])] = {&lot.rows, r};
        }
    }
    UnknownRows out;
    for (const Place& place : places) {
        if (place.rows != nullptr) append(*place.rows, place.row, out);
        out.start.push_back(static_cast<std::int64_t>(out.column.size()));
    }
    lots.clear();
    if (ranks.size() > 1) {
        share(ranks, out.start);
        share(ranks, out.column);
        share(ranks, out.value);
    }
    return out;
}

UnknownRows weighted(const UnknownRows& rows, std::span<const double> weights) {
    UnknownRows out;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        if (weights[r] > 0) append(rows, r, out);
        for (auto e = static_cast<std::size_t>(out.start.back()); e < out.value.size(); ++e) {
            out.value[e] = static_cast<float>(weights[r] * static_cast<double>(out.value[e]));
        }
        out.start.push_back(static_cast<std::int64_t>(out.column.size()));
    }
    return out;
}

UnknownRows transposed(const UnknownRows& rows, std::size_t columns) {
    UnknownRows out;
    out.start.assign(columns + 1, 0);
    out.column.resize(rows.entries());
    out.value.resize(rows.entries());
    for (const std::int32_t column : rows.column) ++out.start[static_cast<std::size_t>(column) + 1];
    for (std::size_t c = 0; c < columns; ++c) out.start[c + 1] += out.start[c];
    std::vector<std::int64_t> next(out.start.begin(), out.start.end() - 1);
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        for (auto e = rows.start[r]; e < rows.start[r + 1]; ++e) {
            const auto entry = static_cast<std::size_t>(e);
            const auto to =
                static_cast<std::size_t>(next[static_cast<std::size_t>(rows.column[entry])]++);
            out.column[to] = static_cast<std::int32_t>(r);
            out.value[to] = rows.value[entry];
        }
    }
    return out;
}

}  // namespace fermat
