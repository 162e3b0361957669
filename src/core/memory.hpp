#pragma once

namespace fermat {

/// Bytes of this machine's memory, or fewer where the system allows this process fewer.
double machine_memory();

}  // namespace fermat
