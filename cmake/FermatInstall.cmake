# `cmake --install` gives the library, its headers, the program, its manual page and packages
# for find_package(fermat) and pkg-config. The component `python` is the Python package alone (see python/).
include(CMakePackageConfigHelpers)

set(fermat_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fermat)

install(TARGETS fermat EXPORT fermat_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT fermat
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT fermat)
if(TARGET fermat_program)
  install(TARGETS fermat_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT fermat)
  # The manual page is made from the program's own help, where this machine can run it.
  if(NOT CMAKE_CROSSCOMPILING)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/fermat.1
                       COMMAND fermat_program help --man > ${PROJECT_BINARY_DIR}/fermat.1
                       DEPENDS fermat_program VERBATIM)
    add_custom_target(fermat_man ALL DEPENDS ${PROJECT_BINARY_DIR}/fermat.1)
    install(FILES ${PROJECT_BINARY_DIR}/fermat.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
            COMPONENT fermat OPTIONAL)
  endif()
endif()
# The public headers are <fermat/fermat.hpp> and what it names; those beneath them come along
# (scripts/check_public.py holds the list). They keep their folders under include/fermat, so that
# "core/grid.hpp" means the same file to the library and to those who use it.
set(header_list ${PROJECT_SOURCE_DIR}/include/fermat/headers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header_list})
file(STRINGS ${header_list} public_headers)
list(TRANSFORM public_headers REPLACE "^[a-z]+ " "")
list(REMOVE_ITEM public_headers core/version.hpp)
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

# pkg-config, for those who do not use CMake. The library is static: its own libraries follow it.
set(fermat_pc_libs)
foreach(library ${HDF5_C_LIBRARIES})
  if(IS_ABSOLUTE ${library} OR library MATCHES "^-")
    list(APPEND fermat_pc_libs ${library})
  else()
    list(APPEND fermat_pc_libs -l${library})
  endif()
endforeach()
list(APPEND fermat_pc_libs -lfmt -lz -pthread)
foreach(library ${CMAKE_DL_LIBS})
  list(APPEND fermat_pc_libs -l${library})
endforeach()
if(FERMAT_HAS_CUDA)
  list(APPEND fermat_pc_libs -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt)
endif()
list(REMOVE_DUPLICATES fermat_pc_libs)
list(JOIN fermat_pc_libs " " fermat_pc_libs)
file(RELATIVE_PATH fermat_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/fermat.pc.in ${PROJECT_BINARY_DIR}/fermat.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fermat.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT fermat)
