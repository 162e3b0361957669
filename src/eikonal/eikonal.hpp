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

/// The method that solves the eikonal equation.
enum class Solver {
    fim,     ///< fast iterative method on blocks, vectorised: the default
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
    /// Nodes with later times are infinite, and most of them are not computed. The table of options
    /// below leaves it out, because only functions that return times on nodes take it. Functions
    /// that need complete fields refuse it.
    double until = std::numeric_limits<double>::infinity();
};
inline bool is_order(const int& order) { return order == 1 || order == 2; }
template <>
inline constexpr auto options_of<EikonalOptions> = std::tuple{
    Option{"solver", &EikonalOptions::solver, "method of the traveltimes"},
    Option{"order", &EikonalOptions::order, "of the differences", Rule<int>{&is_order, "1 or 2"}}};

void validate(const EikonalOptions& options);

/// Whether a solve with these options runs on the CUDA device, which computes in single precision
/// only. Throws InputError if `device` demands CUDA and the options rule it out.
bool on_cuda(const EikonalOptions& options, Device device, Precision precision = Precision::single);
/// Whether times of this model are solved on the CUDA device. A model whose velocity jumps, between
/// cells or on rows of nodes, is always solved on the CPU.
bool on_cuda(const EikonalOptions& options, Device device, const Model& model,
             Precision precision = Precision::single);

/// First arrivals of one point source at every node.
template <class Real = float>
BasicTimeField<Real> solve(const Model& model, const PointSource& source,
                           const EikonalOptions& options = {}, const Execution& execution = {});

/// First arrivals of several point sources in one field, each with its own start time. Every node
/// gets the earliest arrival, or infinity if none arrives.
template <class Real = float>
Field<Real> first_arrivals(const Model& model, std::span<const PointSource> sources,
                           const EikonalOptions& options = {}, const Execution& execution = {});

/// Solves one field per source, in parallel over sources, and calls consume(number of the source,
/// field). The calls come in any order and from any thread, one at a time per thread. Memory holds
/// one field per thread, whatever the number of sources.
void for_each_field(const Model& model, std::span<const PointSource> sources,
                    const EikonalOptions& options, const Execution& execution,
                    const std::function<void(std::size_t, TimeField&&)>& consume);

/// Times of all sources at all receivers, row-major [source][receiver]; infinite where no wave
/// arrives. Solves from the receivers if they are fewer than the sources (reciprocity).
std::vector<double> receiver_times(const Model& model, std::span<const PointSource> sources,
                                   std::span<const Vec3> receivers, const EikonalOptions& options,
                                   const Execution& execution = {});

}  // namespace fermat
