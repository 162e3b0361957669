# What the user may choose. Every option has a default that works on a bare machine.
option(FERMAT_BUILD_TESTS "Build the C++ tests" ${PROJECT_IS_TOP_LEVEL})
option(FERMAT_NATIVE "Use every instruction of this machine (-march=native)" OFF)
set(FERMAT_MARCH "" CACHE STRING "Instructions without FERMAT_NATIVE, as of -march (x86-64-v3)")
set(FERMAT_LEVELS "" CACHE STRING
    "Python package: the same once more for newer processors, chosen at import (x86-64-v3;x86-64-v4)")
option(FERMAT_WERROR "Treat warnings as errors" OFF)
set(FERMAT_UNITY OFF CACHE STRING "Compile sources in groups, in half the time: OFF, PROGRAMS or ON")
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

# fermat_group(TARGET [FOLDER...]): with FERMAT_UNITY, the target's files are compiled in groups of
# twenty, in each of which are files of one folder. Names in unnamed namespaces are then unique in a
# folder, which also shows what was written twice. Files for CUDA are compiled one by one. The groups
# are not CMake's own, whose files name sources by absolute paths: a compiler's cache would not know
# them in another clone.
function(fermat_group target)
  if(NOT FERMAT_UNITY OR
     (FERMAT_UNITY STREQUAL "PROGRAMS" AND NOT target MATCHES "^(test_|fermat_program$)"))
    return()
  endif()
  set_target_properties(${target} PROPERTIES FERMAT_GROUPED ON)
  get_target_property(sources ${target} SOURCES)
  set(folders ${ARGN})
  if(NOT folders)
    set(folders all)
  endif()
  set(groups "")
  foreach(folder ${folders})
    set(number 0)
    set(lines "")
    foreach(file ${sources})
      cmake_path(ABSOLUTE_PATH file NORMALIZE OUTPUT_VARIABLE path)
      # Include paths start at src/ and tests/; what is made during the build stands alone.
      if(NOT path MATCHES "^${PROJECT_SOURCE_DIR}/(src|tests)/(.*[.]cpp)$")
        continue()
      endif()
      set(name ${CMAKE_MATCH_2})
      if(ARGN AND NOT name MATCHES "^${folder}/")
        continue()
      endif()
      list(REMOVE_ITEM sources ${file})
      string(APPEND lines "#include \"${name}\"\n")
      math(EXPR number "${number} + 1")
      math(EXPR full "${number} % 20")
      if(full EQUAL 0)
        list(APPEND groups "${lines}")
        set(lines "")
      endif()
    endforeach()
    if(lines)
      list(APPEND groups "${lines}")
    endif()
  endforeach()
  set(number 0)
  foreach(lines ${groups})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/groups/${target}_${number}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${lines}" @ONLY)
    list(APPEND sources ${file})
    math(EXPR number "${number} + 1")
  endforeach()
  set_property(TARGET ${target} PROPERTY SOURCES ${sources})
endfunction()

# In a group, a name of one file's unnamed namespace may stand before another file's local: that is no
# shadow. A member whose type is of an unnamed namespace is right too: the group is its only file.
set(grouped $<BOOL:$<TARGET_PROPERTY:FERMAT_GROUPED>>)
add_library(fermat_flags INTERFACE)
target_compile_options(fermat_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic>
  $<$<COMPILE_LANGUAGE:CXX>:$<IF:${grouped},-Wshadow=local,-Wshadow>>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,${grouped}>:-Wno-subobject-linkage>
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion -Wno-sign-conversion
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
