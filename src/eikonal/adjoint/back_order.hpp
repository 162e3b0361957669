#pragma once

#include "eikonal/adjoint/back_tile.hpp"
#include "eikonal/fim/tile_queue.hpp"

namespace fermat {

/// What is known of a tile of a substitution, as bits of a word.
struct BackMark {
    static constexpr unsigned faces = 63;  ///< through which it hands on (2 * axis + side)
    static constexpr unsigned asks = 64;   ///< J asks something of its nodes
    static constexpr unsigned done = 128;  ///< it is settled, and so are all that hand on to it
    static constexpr int fed = 8;          ///< first bit of the faces through which something came
    static constexpr unsigned grouped = 1U << 14;  ///< it belongs to a group of several

    FERMAT_HD static unsigned fed_through(unsigned marks) { return marks >> fed & faces; }
};

/// The order of tiles in which each is visited once: a tile comes when all are settled that hand on
/// to it. Where tiles hand on to each other (rays turn beside the face between them), they form a
/// group, which one warp settles. No warp waits for more than the tiles it needs.
///
/// Larger circles of tiles remain, and what they hand on to: these are left to the passes of
/// TileQueue. Of 129^3 nodes none remain with v = 2 + 0.5 z or smooth anomalies, a third in blocks.
/// Each tile finds the same values before it whatever the order in which warps take them.
///
/// An order saves visits. But tiles that need a group wait for it, and a wave of few tiles is then
/// slower than in passes, which go on with what they have.
struct BackOrder {
    static constexpr unsigned none = ~0U;
    /// So many tiles of a batch keep a device busy while groups are settled.
    static constexpr unsigned fewest = 100'000;

    unsigned* marks = nullptr;   ///< [shot][tile], BackMark
    float* latest = nullptr;     ///< [shot][tile], T/s0 of its latest node; 0 if none has a time
    unsigned* leader = nullptr;  ///< [shot][tile], the first tile of its group; none: too large
    unsigned* pending =
        nullptr;                ///< [shot][tile], of a leader: the faces for which its group waits
    unsigned* ready = nullptr;  ///< groups without any, by their leaders; `none` where none is yet
    unsigned* counters = nullptr;
    unsigned entries = 0;
    int tiles[3] = {1, 1, 1};
    bool none_in_order = false;  ///< all tiles are left to the passes

    /// Counters lie apart, as all warps look at them.
    static constexpr int counter_size = 64;
    static constexpr int counter_words = 3 * counter_size;
    FERMAT_HD unsigned& taken() const { return counters[0]; }                    ///< of `ready`
    FERMAT_HD unsigned& pushed() const { return counters[counter_size]; }        ///< to `ready`
    FERMAT_HD unsigned& finished() const { return counters[2 * counter_size]; }  ///< of those

    FERMAT_HD unsigned across(unsigned entry, int face) const {
        return TileQueue::across(entry, face, tiles);
    }
    /// The faces through which others hand on to a tile.
    FERMAT_HD unsigned needs(unsigned entry) const {
        const auto run = static_cast<unsigned>(tiles[2]);
        const auto lane = static_cast<unsigned>(tiles[1]);
        const auto outer = static_cast<unsigned>(tiles[0]);
        const unsigned at[3] = {entry / (run * lane) % outer, entry / run % lane, entry % run};
        unsigned faces = 0;
        for (int face = 0; face < 6; ++face) {
            const unsigned edge = face & 1 ? static_cast<unsigned>(tiles[face / 2]) - 1 : 0U;
            if (at[face / 2] == edge) continue;
            faces |= (marks[across(entry, face)] >> (face ^ 1) & 1U) << face;
        }
        return faces;
    }
    /// The faces through which a tile and its neighbour hand on to each other.
    FERMAT_HD unsigned mutual(unsigned entry) const {
        const unsigned own = marks[entry];
        unsigned faces = 0;
        for (int face = 0; face < 6; ++face) {
            if (!(own >> face & 1)) continue;
            faces |= (marks[across(entry, face)] >> (face ^ 1) & 1U) << face;
        }
        return faces;
    }
    /// Returns false if the group of a tile is too large.
    FERMAT_HD bool find_group(unsigned entry, BackGroup& group) const {
        group.tile[0] = entry;
        group.count = 1;
        for (int n = 0; n < group.count; ++n) {
            const unsigned faces = mutual(group.tile[n]);
            for (int face = 0; face < 6; ++face) {
                if (!(faces >> face & 1)) continue;
                const unsigned other = across(group.tile[n], face);
                if (group.holds(other)) continue;
                if (group.count == BackGroup::most) return false;
                group.tile[group.count++] = other;
            }
        }
        return true;
    }

    /// Finds the group of a tile, and for what that waits. The marks of all tiles must be there.
    FERMAT_HD void begin(unsigned entry) const {
        const unsigned faces = needs(entry);
        leader[entry] = entry;
        if (faces == 0 && marks[entry] == 0) {
            marks[entry] = BackMark::done;  // no node of it has a time
            return;
        }
        if (none_in_order) return;
        if ((faces & marks[entry]) == 0) return wait_for(entry, count_of(faces));
        marks[entry] |= BackMark::grouped;  // others look for its faces only
        BackGroup group;
        if (!find_group(entry, group)) {
            leader[entry] = none;
            return;
        }
        unsigned waits = 0;
        for (int n = 0; n < group.count; ++n) {
            const unsigned member = group.tile[n];
            if (member < leader[entry]) leader[entry] = member;
            const unsigned from = needs(member);
            for (int face = 0; face < 6; ++face) {
                if (from >> face & 1 && !group.holds(across(member, face))) ++waits;
            }
        }
        if (leader[entry] == entry) wait_for(entry, waits);
    }
    FERMAT_HD void push(unsigned group) const { ready[atomic_add(pushed(), 1)] = group; }

    /// Tells the tiles across some faces of a tile that something came.
    template <class Block>
    FERMAT_HD void feed(Block block, unsigned entry, unsigned faces) const {
        block.for_each(6, [&](int face) {
            if (!(faces >> face & 1)) return;
            atomic_or(marks[across(entry, face)], 1U << (BackMark::fed + (face ^ 1)));
        });
    }
    /// Marks a tile as done. Those to which it hands on through some faces wait for one less.
    template <class Block>
    FERMAT_HD void release(Block block, unsigned entry, unsigned faces) const {
        block.for_each(6, [&](int face) {
            if (!(faces >> face & 1)) return;
            const unsigned other = across(entry, face);
            const unsigned waits = leader[other];
            if (waits == none || atomic_add(pending[waits], ~0U) != 1) return;
            push(waits);
            publish();
        });
        if (block.leads()) atomic_or(marks[entry], BackMark::done);
    }

  private:
    FERMAT_HD static unsigned count_of(unsigned bits) {
        unsigned count = 0;
        for (; bits != 0; bits &= bits - 1) ++count;
        return count;
    }
    FERMAT_HD void wait_for(unsigned entry, unsigned faces) const {
        pending[entry] = faces;
        if (faces == 0) push(entry);
    }
};

}  // namespace fermat
