#include <nanobind/stl/string.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "bindings.hpp"
#include "core/parallel.hpp"
#include "interpreter_exit.hpp"
#include "monitor.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

void bind_monitor(nb::module_& module) {
    module.def(
        "_wait",
        [](std::int64_t steps, double seconds_per_step, int threads, nb::object progress) {
            const std::chrono::duration<double> nap(seconds_per_step);
            PythonMonitor(std::move(progress)).run([&](const Execution& execution) {
                execution.monitor.begin("waiting", steps);
                parallel_for(steps, resolve_threads(threads), [&](std::int64_t) {
                    execution.monitor.check();
                    std::this_thread::sleep_for(nap);
                    execution.monitor.advance();
                });
                execution.monitor.end();
            });
        },
        "steps"_a, "seconds_per_step"_a, nb::kw_only(), "threads"_a = 1, "progress"_a = nb::none(),
        "Waits like a long computation, to test progress callbacks and Ctrl-C on this machine.");
    module.def("_running_elsewhere", &running_elsewhere,
               "Number of computations that other threads are doing.");
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&stop_daemons));
}

}  // namespace fermat::python
