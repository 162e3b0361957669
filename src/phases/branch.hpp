#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/notes.hpp"
#include "model/layered_medium.hpp"
#include "model/phase.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// What a wave does at an interface that its branch names.
enum class AtInterface { reflect, transmit };
template <>
inline constexpr auto choices<AtInterface> = choice_table<AtInterface>(
    "step", {{"reflect", AtInterface::reflect}, {"transmit", AtInterface::transmit}});

/// A part of a branch: a wave goes to an interface, through all that lie between, and is reflected
/// there or goes on.
struct BranchStep {
    Phase wave = Phase::P;
    int interface = 0;  ///< number in the medium
    AtInterface then = AtInterface::reflect;
    bool upwards = false;    ///< straight up from the source, as p and s of depth phases
    bool downwards = false;  ///< down from the source, then turning, as the first part of PgPg

    friend bool operator==(const BranchStep&, const BranchStep&) = default;
};

/// How a phase travels in a medium: steps from interface to interface, and the wave that reaches
/// the receiver. Pg, PmP and Pn are branches; so is P, which turns in whichever layer is fastest.
struct Branch {
    std::string name;
    std::vector<BranchStep> steps;
    Phase last = Phase::P;  ///< the wave at the receiver
    /// The parts before a reflection from above or the receiver may turn in a deeper layer than
    /// they start in: P, PP, pP.
    bool dives = false;

    friend bool operator==(const Branch&, const Branch&) = default;
};

/// One leg of a path: a wave in a layer, up to an interface (-1: the receiver).
struct Leg {
    Phase wave = Phase::P;
    int layer = 0;
    int to = -1;
    /// Whether the leg begins and ends on one interface, so that it must turn.
    bool turns = false;
    /// Whether the leg must leave the source downwards: the first P of PP, unlike p of pP.
    bool dives = false;
    /// Whether the leg comes from a bounce below the surface and must reach the receiver from
    /// below: the last P of PP and pP.
    bool rises = false;
    /// Whether the leg joins an end that lies on an interface with that interface, and another way
    /// does without it: where it shrinks to nothing, that one is meant.
    bool spare = false;

    friend bool operator==(const Leg&, const Leg&) = default;
};
using Legs = std::vector<Leg>;

/// The branch that a name stands for in a medium:
///
/// | name | way |
/// |---|---|
/// | `P`, `S` | turning wherever it is fastest |
/// | `Pg`, `Sg` | turning above the interface `moho` |
/// | `Pn`, `Sn` | below the interface `moho`, along it or diving |
/// | `PmP`, `SmS`, `PmS`, `SmP` | reflected at `moho` |
/// | `P2P`, `S1P` ... | reflected at the interface of that number; the surface is 0 |
/// | `PcP`, `ScS`, `PcS` ... | reflected at `cmb`, the top of the core |
/// | `PwP`, `PwPPmP` | reflected at `seafloor`; with a multiple in the water before PmP |
/// | `P410P`, `P<moho>P` | reflected at the interface of that id |
/// | `Ps`, `Sp` | converted at `moho` below the station; `P<id>s` at another |
/// | `PpPs`, `PpSs`, `PsPs` ... | multiples of receiver functions: through `moho`, up to the
/// surface, back from `moho` | | `pP`, `sP`, `pS`, `sS` | up to the surface, reflected, then
/// turning | | `PP`, `SS` | reflected at the surface from below | | `PmPPmP`, `PgPg`, `PmPPg`,
/// `PnPn` | multiples: back from the surface between their parts | | `P2`, `S2`, `P<basement>` |
/// turning in the layer below that interface (head wave or diving) | | `2.1`, `2.2`, `2.3` |
/// rayinvr's codes (branch_of_rayinvr) | | `0`, `1` | tomo2d's codes: as P, and reflected at
/// `reflector` or the lowest interface |
///
/// or a description: waves and interfaces in turn with `reflect` or `transmit` after each
/// interface, as in "P moho reflect S". "NAME=WAY" gives a way a name of the user's. Throws
/// InputError for other names, with what is wrong.
Branch branch_of(const LayeredMedium& medium, std::string_view name);

/// The branch of a rayinvr code: L.1 turns in layer L (counted from 1), L.2 is reflected at its
/// bottom, L.3 travels along it.
Branch branch_of_rayinvr(const LayeredMedium& medium, double code);

/// The legs of a branch from a layer to another; several lists where it may turn in one of several
/// layers. Empty where the branch cannot leave the source's layer so (as Pn from below the Moho).
std::vector<Legs> legs_of(const Branch& branch, const LayeredMedium& medium, int source_layer,
                          int receiver_layer);

/// Throws InputError where the medium has no velocity of a wave of the branch.
void require_waves(const Branch& branch, const LayeredMedium& medium);

/// Notes what is not to be trusted of a branch: a bounce below the surface between two waves that
/// turn (PP, PgPg) is a maximum of the time along the path, and where such waves may turn in
/// several layers the search may miss it.
void note_doubts(const Branch& branch, const LayeredMedium& medium, Notes& notes);

/// Notes how many pairs a branch has no way for, since their ends lie in layers that it does not
/// join: PmP from below the Moho, or from where the layer above it has no thickness. Throws
/// InputError for points outside the medium.
void note_missing_ways(const Branch& branch, const LayeredMedium& medium,
                       std::span<const Vec3> sources, std::span<const Vec3> receivers,
                       std::span<const RayPair> pairs, Notes& notes);

/// "P in layer 0 to 'moho', P in layer 0 to the receiver", for messages and pictures.
std::string describe(const Legs& legs, const LayeredMedium& medium);

}  // namespace fermat
