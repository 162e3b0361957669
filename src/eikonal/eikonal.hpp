#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/choice.hpp"
#include "core/execution.hpp"
#include "core/option.hpp"
#include "eikonal/time_field.hpp"
#include "model/model.hpp"

namespace fermat {

/// How a time field is made.
enum class Solver {
    fim,     ///< fast iterative, block-wise and vectorised: the default
    fmm,     ///< fast marching: reference
    fsm,     ///< fast sweeping: reference
    vidale,  ///< expanding box of Vidale (1990) with Hole & Zelt's (1995) operators
};
template <>
inline constexpr auto choices<Solver> = choice_table<Solver>(
    "solver",
    {{"fim", Solver::fim}, {"fmm", Solver::fmm}, {"fsm", Solver::fsm}, {"vidale", Solver::vidale}});

enum class Precision { single, full };
template <>
inline constexpr auto choices<Precision> = choice_table<Precision>("precision",
                                                                   {{"single", Precision::single},
                                                                    {"double", Precision::full}});

struct EikonalOptions {
    Solver solver = Solver::fim;
    int order = 2;  ///< of the differences
    /// Nodes with later times are infinite, and most of them are not computed. Not in the table of
    /// options below: it is of fields on nodes alone, and what reads whole fields refuses it.
    double until = std::numeric_limits<double>::infinity();
};
inline bool is_order(const int& order) { return order == 1 || order == 2; }
template <>
inline constexpr auto options_of<EikonalOptions> = std::tuple{
    Option{"solver", &EikonalOptions::solver, "method of the traveltimes"},
    Option{"order", &EikonalOptions::order, "of the differences", Rule<int>{&is_order, "1 or 2"}}};

void validate(const EikonalOptions& options);

/// Whether solves of these options run on the CUDA device, which has single precision alone. Throws
/// InputError where `device` asks for it and cannot have it.
bool on_cuda(const EikonalOptions& options, Device device, Precision precision = Precision::single);
/// Whether solves of this model do: one whose velocity jumps between cells is the CPU's.
bool on_cuda(const EikonalOptions& options, Device device, const Model& model,
             Precision precision = Precision::single);

/// First arrivals of one point source at every node.
template <class Real = float>
BasicTimeField<Real> solve(const Model& model, const PointSource& source,
                           const EikonalOptions& options = {}, const Execution& execution = {});

/// First arrivals of several point sources in one field, each with its own start time: the earliest
/// of them at every node. Infinite where none arrives.
template <class Real = float>
Field<Real> first_arrivals(const Model& model, std::span<const PointSource> sources,
                           const EikonalOptions& options = {}, const Execution& execution = {});

/// Solves every source by itself, parallel over sources, and hands each field to `consume` with
/// its source's number: in any order, from any thread, one call at a time per thread. Memory is one
/// field a thread, whatever the number of sources.
void for_each_field(const Model& model, std::span<const PointSource> sources,
                    const EikonalOptions& options, const Execution& execution,
                    const std::function<void(std::size_t, TimeField&&)>& consume);

/// Times of all sources at all receivers, row-major [source][receiver]; infinite where no wave
/// arrives. Solves from whichever side has fewer points (reciprocity).
std::vector<double> receiver_times(const Model& model, std::span<const PointSource> sources,
                                   std::span<const Vec3> receivers, const EikonalOptions& options,
                                   const Execution& execution = {});

}  // namespace fermat
