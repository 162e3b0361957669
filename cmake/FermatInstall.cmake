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
# Headers keep their folders under include/fermat, so that "core/grid.hpp" means the same file to
# the library and to those who use it.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fermat
        COMPONENT fermat FILES_MATCHING PATTERN "*.hpp" PATTERN cli EXCLUDE)
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
