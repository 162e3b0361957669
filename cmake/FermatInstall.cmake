# `cmake --install` gives the library, its headers, the program and a package for
# find_package(fermat). The component `python` is the Python package alone (see python/).
include(CMakePackageConfigHelpers)

set(fermat_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fermat)

install(TARGETS fermat EXPORT fermat_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT fermat
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT fermat)
if(TARGET fermat_program)
  install(TARGETS fermat_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT fermat)
endif()
# The public headers are <fermat/fermat.hpp> and what it includes. They keep their folders under
# include/fermat, so that "core/grid.hpp" means the same file to the library and to those who use it.
set(to_read ${PROJECT_SOURCE_DIR}/include/fermat/fermat.hpp)
set(public_headers)
while(to_read)
  list(POP_FRONT to_read header)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(STRINGS ${header} lines REGEX "^#include \"")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" name "${line}")
    if(NOT name IN_LIST public_headers AND EXISTS ${PROJECT_SOURCE_DIR}/src/${name})
      list(APPEND public_headers ${name})
      list(APPEND to_read ${PROJECT_SOURCE_DIR}/src/${name})
    endif()
  endforeach()
endwhile()
install(FILES ${PROJECT_SOURCE_DIR}/include/fermat/fermat.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fermat COMPONENT fermat)
foreach(header ${public_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/src/${header}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fermat/${folder} COMPONENT fermat)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/src/core/version.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fermat/core COMPONENT fermat)

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/fermatConfig.cmake.in ${PROJECT_BINARY_DIR}/fermatConfig.cmake
  INSTALL_DESTINATION ${fermat_package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/fermatConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT fermat_targets NAMESPACE fermat:: FILE fermatTargets.cmake
        DESTINATION ${fermat_package_dir} COMPONENT fermat)
install(FILES ${PROJECT_BINARY_DIR}/fermatConfig.cmake
              ${PROJECT_BINARY_DIR}/fermatConfigVersion.cmake
        DESTINATION ${fermat_package_dir} COMPONENT fermat)
