# Wheels run on any x86-64 and use what the processor has: the whole package is built once more per
# level of FERMAT_LEVELS, and fermat/_level.py chooses at import. A level is a build of its own, not
# functions of several versions in one library: the width of a register is part of the types
# (eikonal/lanes.hpp), and two widths in one program would break the one-definition rule.
include(ExternalProject)

foreach(level ${FERMAT_LEVELS})
  if(FERMAT_NATIVE OR FERMAT_MARCH)
    message(FATAL_ERROR "FERMAT_LEVELS is '${FERMAT_LEVELS}' (needs FERMAT_NATIVE=OFF and no "
                        "FERMAT_MARCH: the package itself is the portable one)")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/levels/${level})
  ExternalProject_Add(fermat_level_${level}
    SOURCE_DIR ${PROJECT_SOURCE_DIR}
    BINARY_DIR ${folder}
    CMAKE_ARGS
      -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
      -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
      -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
      -DPython_EXECUTABLE=${Python_EXECUTABLE}
      -Dnanobind_DIR=${nanobind_DIR}
      # As installed: nothing but the loader's own folders is searched.
      -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON
      -DFERMAT_MARCH=${level}
      -DFERMAT_PYTHON=ON
      -DFERMAT_BUILD_TESTS=OFF
      -DFERMAT_WERROR=${FERMAT_WERROR}
      -DFERMAT_UNITY=${FERMAT_UNITY}
      -DFERMAT_MPI=${FERMAT_MPI}
      -DFERMAT_OPENGL=${FERMAT_OPENGL}
      -DFERMAT_CUDA=${FERMAT_CUDA}
    BUILD_COMMAND ${CMAKE_COMMAND} --build . --target _core fermat_program
    INSTALL_COMMAND ""
    BUILD_ALWAYS ON
    USES_TERMINAL_BUILD ON)
  add_dependencies(fermat_package fermat_level_${level})
  install(DIRECTORY ${folder}/python/ DESTINATION fermat/levels/${level}
          COMPONENT python EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "_core.*.so"
          PATTERN CMakeFiles EXCLUDE)
  install(PROGRAMS ${folder}/fermat DESTINATION fermat/levels/${level}
          COMPONENT python EXCLUDE_FROM_ALL)
endforeach()
