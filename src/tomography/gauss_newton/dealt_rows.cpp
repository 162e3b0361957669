#include "tomography/gauss_newton/dealt_rows.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <utility>

#include "tomography/gauss_newton/ordered_fold.hpp"
#include "tomography/gauss_newton/row_store_cuda.hpp"

namespace fermat {
namespace {

/// What rank 0 must know of a rank's rows.
struct Summary {
    std::vector<std::int32_t> picks;
    std::vector<double> squares;  ///< sum of the squares of each row, with its weight
    double largest = 0;
    double largest_weighted = 0;

    Bytes pack() const {
        ByteWriter out;
        out.add(picks);
        out.add(squares);
        out.add(largest);
        out.add(largest_weighted);
        return out.take();
    }
    static Summary unpack(const Bytes& bytes) {
        ByteReader in(bytes);
        Summary summary;
        summary.picks = in.take_vector<std::int32_t>();
        summary.squares = in.take_vector<double>();
        summary.largest = in.take<double>();
        summary.largest_weighted = in.take<double>();
        return summary;
    }
};

Summary summary_of(const HostRows& rows) {
    Summary summary;
    summary.picks = rows.picks();
    std::size_t place = 0;
    for (const RowLot& lot : rows.lots()) {
        for (std::size_t r = 0; r < lot.picks.size(); ++r, ++place) {
            const double weight = rows.weights()[place];
            double squares = 0;
            double largest = 0;
            for (auto e = lot.rows.start[r]; e < lot.rows.start[r + 1]; ++e) {
                const double a = lot.rows.value[static_cast<std::size_t>(e)];
                squares += a * a;
                largest = std::max(largest, std::abs(a));
            }
            summary.squares.push_back(weight * weight * squares);
            if (weight == 0) continue;
            summary.largest = std::max(summary.largest, largest);
            summary.largest_weighted = std::max(summary.largest_weighted, weight * largest);
        }
    }
    return summary;
}

std::vector<RowLot> one_lot(UnknownRows&& rows) {
    RowLot lot;
    lot.picks.resize(rows.rows());
    std::iota(lot.picks.begin(), lot.picks.end(), 0);
    lot.rows = std::move(rows);
    std::vector<RowLot> lots;
    lots.push_back(std::move(lot));
    return lots;
}

}  // namespace

DealtRows::DealtRows(std::vector<RowLot>&& lots, std::span<const double> weights,
                     std::size_t columns, Ranks& ranks, RowPlace place)
    : ranks_(ranks),
      place_(place),
      picks_(weights.size()),
      columns_(columns),
      weights_(weights.begin(), weights.end()) {
    used_ = static_cast<std::size_t>(
        std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; }));
    Bytes mine;
    together(ranks, [&] {
        auto rows = std::make_unique<HostRows>(std::move(lots), weights, columns);
        own_picks_ = rows->picks();
        if (!ranks.is_root()) received_.resize(std::max(columns, weights.size()));
        mine = summary_of(*rows).pack();
        if (place == RowPlace::cuda) {
            own_ = make_cuda_rows(std::move(*rows), columns);
        } else {
            own_ = std::move(rows);
        }
    });
    const std::vector<Bytes> all = gather(ranks, mine);
    std::vector<double> squares(picks_, 0.0);
    for (const Bytes& bytes : all) {
        Summary summary = Summary::unpack(bytes);
        for (std::size_t r = 0; r < summary.picks.size(); ++r) {
            squares[static_cast<std::size_t>(summary.picks[r])] = summary.squares[r];
        }
        largest_ = std::max(largest_, summary.largest);
        largest_weighted_ = std::max(largest_weighted_, summary.largest_weighted);
        picks_of_rank_.push_back(std::move(summary.picks));
    }
    trace_ = std::accumulate(squares.begin(), squares.end(), 0.0);
    // So that no rank's next message comes while another's summary is still waited for.
    trace_ = broadcast_value(ranks, trace_);
}

DealtRows::~DealtRows() = default;

double DealtRows::largest_weighted(std::span<const double> y) const {
    double largest = 0;
    for (std::size_t n = 0; n < y.size(); ++n) {
        largest = Greater()(largest, std::abs(weights_[n] * y[n]));
    }
    return largest;
}

void DealtRows::sums_of_own(const Order& order, std::span<const double> y,
                            std::span<std::int64_t> sums, int threads) const {
    if (order.ask == Ask::squares) return own_->squares(order.scale, sums, threads);
    std::vector<double> of_rows;
    of_rows.reserve(own_picks_.size());
    for (const std::int32_t pick : own_picks_) {
        of_rows.push_back(y[static_cast<std::size_t>(pick)]);
    }
    own_->transposed(of_rows, order.scale, sums, threads);
}

Bytes DealtRows::answer(const Order& order, std::span<const double> given, int threads) const {
    ByteWriter out;
    if (order.ask == Ask::times) {
        std::vector<double> products(own_->rows());
        own_->times(given, products, threads);
        out.add(products);
    } else {
        std::vector<std::int64_t> sums(columns_);
        sums_of_own(order, given, sums, threads);
        out.add(sums);
    }
    return out.take();
}

/// What the other ranks answer, while rank 0 makes its own part.
std::vector<Bytes> DealtRows::ask(const Order& order, std::span<const double> given,
                                  const std::function<void()>& own_part) const {
    if (ranks_.size() == 1) {
        own_part();
        return {};
    }
    broadcast_value(ranks_, order);
    std::vector<double> sent(given.begin(), given.end());
    ranks_.broadcast(std::as_writable_bytes(std::span(sent)));
    std::exception_ptr error;
    try {
        own_part();
    } catch (...) {
        error = std::current_exception();  // the others' answers come nevertheless
    }
    std::vector<Bytes> answers = gather(ranks_, Bytes(1));
    if (error) std::rethrow_exception(error);
    answers.erase(answers.begin());
    for (Bytes& answer : answers) {
        const bool failed = ByteReader(answer).take<bool>();
        answer.erase(answer.begin());
        if (failed) throw_packed_error(answer);
    }
    return answers;
}

void DealtRows::serve(int threads) {
    for (;;) {
        const Order order = broadcast_value(ranks_, Order{});
        if (order.ask == Ask::leave) return;
        const std::size_t size = order.ask == Ask::times        ? columns_
                                 : order.ask == Ask::transposed ? picks_
                                                                : 0;
        const auto given = std::span(received_).first(size);
        ranks_.broadcast(std::as_writable_bytes(given));
        ByteWriter out;
        Bytes content;
        try {
            content = answer(order, given, threads);
            out.add(false);
        } catch (...) {
            content = pack_error(std::current_exception());
            out.add(true);
        }
        Bytes message = out.take();
        message.insert(message.end(), content.begin(), content.end());
        ranks_.send(0, message);
    }
}

void DealtRows::while_served(int threads, const std::function<void()>& work) {
    together(ranks_, [&] {
        if (!ranks_.is_root()) return serve(threads);
        std::exception_ptr error;
        try {
            work();
        } catch (...) {
            error = std::current_exception();
        }
        if (ranks_.size() > 1) broadcast_value(ranks_, Order{Ask::leave, {}});
        if (error) std::rethrow_exception(error);
    });
}

void DealtRows::times(std::span<const double> x, std::span<double> out, int threads) const {
    std::fill(out.begin(), out.end(), 0.0);
    std::vector<double> products(own_->rows());
    const auto put = [&](std::span<const std::int32_t> picks, std::span<const double> values) {
        for (std::size_t r = 0; r < picks.size(); ++r) {
            out[static_cast<std::size_t>(picks[r])] = values[r];
        }
    };
    const auto answers = ask({Ask::times, {}}, x, [&] { own_->times(x, products, threads); });
    put(own_picks_, products);
    for (std::size_t n = 0; n < answers.size(); ++n) {
        put(picks_of_rank_[n + 1], ByteReader(answers[n]).take_vector<double>());
    }
}

void DealtRows::add_sums(const Order& order, std::span<const double> given, std::span<double> out,
                         int threads) const {
    std::vector<std::int64_t> sums(columns_);
    const auto answers = ask(order, given, [&] { sums_of_own(order, given, sums, threads); });
    for (const Bytes& answer : answers) {
        const auto part = ByteReader(answer).take_vector<std::int64_t>();
        for (std::size_t c = 0; c < columns_; ++c) sums[c] += part[c];
    }
    for (std::size_t c = 0; c < columns_; ++c) out[c] = order.scale.value(sums[c]);
}

void DealtRows::transposed_times(std::span<const double> y, std::span<double> out,
                                 int threads) const {
    const double largest = largest_weighted(y);
    if (!std::isfinite(largest)) {
        std::fill(out.begin(), out.end(), std::nan(""));
        return;
    }
    add_sums({Ask::transposed, scale_of(largest)}, y, out, threads);
}

void DealtRows::column_squares(std::span<double> out, int threads) const {
    const FixedScale scale(largest_weighted_ * largest_weighted_, static_cast<std::int64_t>(used_));
    add_sums({Ask::squares, scale}, {}, out, threads);
}

WeightedRows::WeightedRows(UnknownRows&& rows, std::span<const double> weights,
                           std::size_t unknowns)
    : DealtRows(one_lot(std::move(rows)), weights, unknowns, serial_ranks()) {}

}  // namespace fermat
