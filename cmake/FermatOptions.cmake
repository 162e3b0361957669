# What the user may choose. Every option has a default that works on a bare machine.
option(FERMAT_BUILD_TESTS "Build the C++ tests" ${PROJECT_IS_TOP_LEVEL})
option(FERMAT_NATIVE "Use every instruction of this machine (-march=native)" OFF)
set(FERMAT_MARCH "" CACHE STRING "Instructions without FERMAT_NATIVE, as of -march (x86-64-v3)")
set(FERMAT_LEVELS "" CACHE STRING
    "Python package: the same once more for newer processors, chosen at import (x86-64-v3;x86-64-v4)")
option(FERMAT_WERROR "Treat warnings as errors" OFF)
option(FERMAT_UNITY "Compile sources in groups, in less than half the time" OFF)
option(FERMAT_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
set(FERMAT_CUDA AUTO CACHE STRING "CUDA: ON, OFF or AUTO (when nvcc is found)")
set(FERMAT_OPENGL AUTO CACHE STRING "OpenGL shaders: ON, OFF or AUTO (when the headers are found)")
set(FERMAT_MPI AUTO CACHE STRING "MPI: ON, OFF or AUTO (when found)")
set(FERMAT_PYTHON AUTO CACHE STRING "Python module: ON, OFF or AUTO (when nanobind is found)")

include(GNUInstallDirs)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# In a group, a name of one file's unnamed namespace may stand before another file's local: that is no
# shadow. A member whose type is of an unnamed namespace is right too: the group is its only file.
set(fermat_shadow -Wshadow)
if(FERMAT_UNITY)
  set(fermat_shadow -Wshadow=local -Wno-subobject-linkage)
endif()

# fermat_group(TARGET): with FERMAT_UNITY, the target's files are compiled in groups of ten. Names in
# unnamed namespaces are then unique in a folder, which also shows what was written twice.
function(fermat_group target)
  if(FERMAT_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endif()
endfunction()

add_library(fermat_flags INTERFACE)
target_compile_options(fermat_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic ${fermat_shadow} -Wconversion -Wno-sign-conversion
    # Arithmetic keeps IEEE results; these two only drop errno and trap flags, which nobody reads,
    # and let loops with sqrt and selects be vectorised.
    -fno-math-errno -fno-trapping-math>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${FERMAT_WERROR}>>:-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${FERMAT_WERROR}>>:-Werror=all-warnings>)
if(FERMAT_NATIVE)
  target_compile_options(fermat_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
elseif(FERMAT_MARCH)
  target_compile_options(fermat_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=${FERMAT_MARCH}>)
endif()
# Builds that look for mistakes check what functions expect (core/expect.hpp).
target_compile_definitions(fermat_flags INTERFACE
  $<$<OR:$<BOOL:${FERMAT_SANITIZE}>,$<CONFIG:Debug>>:FERMAT_CHECKED>)
if(FERMAT_SANITIZE)
  target_compile_options(fermat_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined -fno-sanitize-recover=undefined
      -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS>)
  target_link_options(fermat_flags INTERFACE -fsanitize=address,undefined)
endif()
