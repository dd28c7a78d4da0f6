# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` gives: libraries with sonames, public headers, CMake package, pkg-config files, the command.
# The soname is the ABI's major number (BRINK_ABI_MAJOR in brink/ccd.h), not the project's version.
#
# Components, each a Debian package (cmake/packages.cmake): runtime (libbrink.so.1), ode (libbrink_ode.so.1 and the
# preload), robots (libbrink_robots.so.1), dev (headers, libbrink.a, CMake and pkg-config files), tools (the command and its manual
# page), python.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/brink)
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX}) # may be moved

# The names that an installed package has, for programs that take this tree by add_subdirectory.
add_library(brink::brink ALIAS brink)
add_library(brink::brink_static ALIAS brink_static)
if(TARGET brink_ode)
  add_library(brink::ode ALIAS brink_ode)
endif()
if(TARGET brink_robots_shared)
  add_library(brink::robot ALIAS brink_robots_shared)
endif()

# Of a prefix that the loader does not search: libraries find each other, the command finds them.
set_target_properties(brink PROPERTIES EXPORT_NAME brink INSTALL_RPATH "$ORIGIN")
install(TARGETS brink EXPORT brinkTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY algorithms/include/brink plugin/include/brink DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT brinkTargets NAMESPACE brink:: DESTINATION ${package_dir} COMPONENT dev)
install(TARGETS brink_static EXPORT brinkStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT brinkStaticTargets NAMESPACE brink:: DESTINATION ${package_dir} COMPONENT dev)

# A program that was linked by pkg-config must start: under a prefix that the loader does not search, the flags carry the
# libraries' folder (relative to the .pc file, so a prefix may be moved). Which prefix it is, is known when installing.
function(install_pkgconfig name)
  foreach(rpath "" "-Wl,-rpath,\${libdir} ")
    string(LENGTH "${rpath}" length)
    configure_file(cmake/${name}.pc.in ${brink_BINARY_DIR}/pkgconfig-${length}/${name}.pc @ONLY)
  endforeach()
  install(CODE "
    set(variant ${length})
    if(CMAKE_INSTALL_PREFIX MATCHES \"^/usr(/local)?/?$\")
      set(variant 0)
    endif()
    file(INSTALL \"${brink_BINARY_DIR}/pkgconfig-\${variant}/${name}.pc\"
      DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig\")" COMPONENT dev)
endfunction()
install_pkgconfig(brink)

if(TARGET brink_ode)
  set_target_properties(brink_ode PROPERTIES EXPORT_NAME ode INSTALL_RPATH "$ORIGIN")
  install(TARGETS brink_ode EXPORT brinkOdeTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ode NAMELINK_COMPONENT dev INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ode_glue/include/brink DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
    FILES_MATCHING PATTERN "*.h")
  install(EXPORT brinkOdeTargets NAMESPACE brink:: DESTINATION ${package_dir} COMPONENT dev)
  install_pkgconfig(brink_ode)
endif()
if(TARGET brink_preload)
  set_target_properties(brink_preload PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS brink_preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ode)
endif()
if(TARGET brink_robots_shared)
  set_target_properties(brink_robots_shared PROPERTIES EXPORT_NAME robot INSTALL_RPATH "$ORIGIN")
  install(TARGETS brink_robots_shared EXPORT brinkRobotTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT robots NAMELINK_COMPONENT dev
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY robots/include/brink DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev FILES_MATCHING PATTERN "*.h")
  install(FILES assets/include/brink/assets.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/brink COMPONENT dev)
  install(EXPORT brinkRobotTargets NAMESPACE brink:: DESTINATION ${package_dir} COMPONENT dev)
  install_pkgconfig(brink_robots)
endif()
if(TARGET brink-command)
  file(RELATIVE_PATH libraries_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(brink-command PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries_from_bin}")
  install(TARGETS brink-command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  if(NOT CMAKE_CROSSCOMPILING)
    # The manual is what the command says of itself, so it never drifts.
    add_custom_command(OUTPUT ${brink_BINARY_DIR}/brink.1
      COMMAND ${brink_SOURCE_DIR}/tools/manual.sh $<TARGET_FILE:brink-command> ${brink_BINARY_DIR}/brink.1
      DEPENDS brink-command ${brink_SOURCE_DIR}/tools/manual.sh VERBATIM)
    add_custom_target(brink-manual ALL DEPENDS ${brink_BINARY_DIR}/brink.1)
    install(FILES ${brink_BINARY_DIR}/brink.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  endif()
endif()

configure_package_config_file(cmake/brinkConfig.cmake.in ${brink_BINARY_DIR}/brinkConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${brink_BINARY_DIR}/brinkConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${brink_BINARY_DIR}/brinkConfig.cmake ${brink_BINARY_DIR}/brinkConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT dev)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev FILES_MATCHING PATTERN "*.md")
if(BRINK_WITHOUT_robots)
  set(examples_left_out PATTERN "robot" EXCLUDE PATTERN "planner" EXCLUDE)
endif()
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT dev
  PATTERN "__pycache__" EXCLUDE ${examples_left_out})
if(TARGET brink_robots_shared)
  install(FILES robots/ompl_shelf.cpp DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/robot COMPONENT dev)
endif()

# Root's install into the loader's own folders: programs find the libraries at once. Not for packages (DESTDIR), whose
# installer does it.
install(CODE "
  if(\"\$ENV{DESTDIR}\" STREQUAL \"\" AND CMAKE_INSTALL_PREFIX MATCHES \"^/usr(/local)?/?$\")
    execute_process(COMMAND /sbin/ldconfig RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed)
      message(STATUS \"Run ldconfig as root, so that programs find libbrink.so.1\")
    endif()
  endif()" COMPONENT runtime)
if(PROJECT_IS_TOP_LEVEL)
  include(cmake/packages.cmake)
endif()
