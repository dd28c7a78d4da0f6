# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` gives: libraries with sonames, public headers, CMake package, pkg-config files, the command.
# The soname is the ABI's major number (BRINK_ABI_MAJOR in brink/ccd.h), not the project's version.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/brink)
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX}) # may be moved

# The names that an installed package has, for programs that take this tree by add_subdirectory.
add_library(brink::brink ALIAS brink)
if(TARGET brink_ode)
  add_library(brink::ode ALIAS brink_ode)
endif()

# Of a prefix that the loader does not search: libraries find each other, the command finds them.
set_target_properties(brink PROPERTIES EXPORT_NAME brink INSTALL_RPATH "$ORIGIN")
install(TARGETS brink EXPORT brinkTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY algorithms/include/brink plugin/include/brink DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT brinkTargets NAMESPACE brink:: DESTINATION ${package_dir})
configure_file(cmake/brink.pc.in ${CMAKE_BINARY_DIR}/brink.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/brink.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET brink_ode)
  set_target_properties(brink_ode PROPERTIES EXPORT_NAME ode INSTALL_RPATH "$ORIGIN")
  install(TARGETS brink_ode EXPORT brinkOdeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ode_glue/include/brink DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
  install(EXPORT brinkOdeTargets NAMESPACE brink:: DESTINATION ${package_dir})
  configure_file(cmake/brink_ode.pc.in ${CMAKE_BINARY_DIR}/brink_ode.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/brink_ode.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
if(TARGET brink_preload)
  set_target_properties(brink_preload PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS brink_preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET brink-command)
  file(RELATIVE_PATH libraries_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(brink-command PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries_from_bin}")
  install(TARGETS brink-command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

configure_package_config_file(cmake/brinkConfig.cmake.in ${CMAKE_BINARY_DIR}/brinkConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/brinkConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/brinkConfig.cmake ${CMAKE_BINARY_DIR}/brinkConfigVersion.cmake
  DESTINATION ${package_dir})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
