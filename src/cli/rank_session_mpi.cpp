#include <mpi.h>

#include <algorithm>
#include <cstdint>

#include "cli/rank_session.hpp"
#include "core/error.hpp"

namespace fermat::cli {
namespace {

constexpr int length_tag = 1;
constexpr int content_tag = 2;
constexpr std::size_t most_bytes = std::size_t{1} << 30;  // MPI counts with int

/// Ranks of MPI_COMM_WORLD. A message is its length, then its bytes in parts that MPI can count.
/// Errors of MPI end the job: its default, and all that can be done about a lost rank.
class MpiRanks : public Ranks {
  public:
    MpiRanks() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        MPI_Comm machine;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
        MPI_Comm_rank(machine, &local_rank_);
        MPI_Comm_free(&machine);
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int local_rank() const override { return local_rank_; }

    void send(int to, std::span<const std::byte> bytes) override {
        const std::uint64_t length = bytes.size();
        MPI_Send(&length, 1, MPI_UINT64_T, to, length_tag, MPI_COMM_WORLD);
        for_each_part(bytes, [&](auto part) {
            MPI_Send(part.data(), static_cast<int>(part.size()), MPI_BYTE, to, content_tag,
                     MPI_COMM_WORLD);
        });
    }

    std::optional<Message> poll() override {
        int there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, length_tag, MPI_COMM_WORLD, &there, &status);
        if (there == 0) return std::nullopt;
        Message message;
        message.from = status.MPI_SOURCE;
        std::uint64_t length = 0;
        MPI_Recv(&length, 1, MPI_UINT64_T, message.from, length_tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        message.bytes.resize(length);
        for_each_part(std::span(message.bytes), [&](auto part) {
            MPI_Recv(part.data(), static_cast<int>(part.size()), MPI_BYTE, message.from,
                     content_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        });
        return message;
    }

    void broadcast(std::span<std::byte> bytes) override {
        for_each_part(bytes, [](auto part) {
            MPI_Bcast(part.data(), static_cast<int>(part.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
        });
    }

  private:
    template <class Byte, class Transfer>
    static void for_each_part(std::span<Byte> bytes, Transfer transfer) {
        for (std::size_t at = 0; at < bytes.size(); at += most_bytes) {
            transfer(bytes.subspan(at, std::min(most_bytes, bytes.size() - at)));
        }
    }

    int rank_ = 0;
    int size_ = 1;
    int local_rank_ = 0;
};

}  // namespace

struct RankSession::Impl {
    MpiRanks ranks;
};

RankSession::RankSession() {
    if (launched_ranks() == 0) return;
    // Only the main thread talks; others compute.
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    impl_ = std::make_unique<Impl>();
}

RankSession::~RankSession() {
    if (impl_) MPI_Finalize();
}

Ranks& RankSession::ranks() {
    if (impl_) return impl_->ranks;
    return serial_ranks();
}

void RankSession::abort(int status) {
    if (impl_) MPI_Abort(MPI_COMM_WORLD, status);
    std::exit(status);
}

}  // namespace fermat::cli
