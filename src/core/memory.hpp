#pragma once

namespace fermat {

/// Bytes of this machine's memory, or fewer where the system or the variable FERMAT_MEMORY ("4G")
/// allows this process fewer. Throws InputError if that is no number of bytes.
double machine_memory();

}  // namespace fermat
