#pragma once

namespace fermat {

/// Bytes per second that the memory of the CUDA device in use can move at most, from its clock and
/// the width of its bus; 0 where the driver does not tell.
double device_bandwidth();

}  // namespace fermat
