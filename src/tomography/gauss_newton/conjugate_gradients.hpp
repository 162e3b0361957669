#pragma once

#include <cmath>
#include <concepts>
#include <vector>

#include "core/monitor.hpp"

namespace fermat {

/// When conjugate gradients have come close enough.
struct SolveLimits {
    double accuracy = 1e-3;  ///< of the preconditioned residual, as a part of that of x = 0
    int most_iterations = 400;
    Monitor* monitor = nullptr;  ///< asked between iterations whether to stop
};

struct CgReport {
    int iterations = 0;
    double accuracy = 0;  ///< reached
};

struct LinearSolution {
    std::vector<double> d;
    bool converged = false;
    int iterations = 0;
};

/// A system M x = b: M is symmetric and positive, `precondition` is near its inverse, and vectors
/// lie wherever they lie. Sums must be made in an order that does not change.
template <class S>
concept CgSystem = requires(S& system, typename S::Vector& v, const typename S::Vector& c) {
    { system.zeros() } -> std::same_as<typename S::Vector>;
    system.apply(c, v);         // v = M c
    system.precondition(c, v);  // v = c divided by about M
    { system.dot(c, c) } -> std::convertible_to<double>;
    system.add(v, 1.0, c);        // v += 1 c
    system.scale_add(v, 1.0, c);  // v = c + 1 v
};

/// Solves M x = r from x by preconditioned conjugate gradients (Hestenes & Stiefel 1952). `r`
/// becomes what is left of it. `from_zero`: x is 0, and no product is spent on it.
template <CgSystem System>
CgReport conjugate_gradients(System& system, typename System::Vector& r, typename System::Vector& x,
                             const SolveLimits& limits, bool from_zero = true) {
    auto z = system.zeros();
    auto p = system.zeros();
    auto mp = system.zeros();
    system.precondition(r, z);
    double rz = system.dot(r, z);
    const double first = rz;
    const double enough = limits.accuracy * limits.accuracy * rz;
    if (!from_zero) {
        system.apply(x, mp);
        system.add(r, -1.0, mp);
        system.precondition(r, z);
        rz = system.dot(r, z);
    }
    system.add(p, 1.0, z);
    CgReport report;
    while (report.iterations < limits.most_iterations && rz > enough) {
        if (limits.monitor != nullptr) limits.monitor->check();
        system.apply(p, mp);
        const double curvature = system.dot(p, mp);
        if (!(curvature > 0)) break;
        const double step = rz / curvature;
        system.add(x, step, p);
        system.add(r, -step, mp);
        system.precondition(r, z);
        const double next = system.dot(r, z);
        system.scale_add(p, next / rz, z);
        rz = next;
        ++report.iterations;
    }
    report.accuracy = first > 0 ? std::sqrt(rz / first) : 0;
    return report;
}

}  // namespace fermat
