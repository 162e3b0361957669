#pragma once

#include "io/text_file.hpp"

namespace fermat {

/// Throws InputError if a file that is given as picks holds waveforms: SEG-2, SEG-Y, miniSEED or
/// SAC, known by its content. What is no file is left to the reader.
void refuse_waveforms(const TextFile& file);

}  // namespace fermat
