# SPDX-License-Identifier: BSD-3-Clause
# Debian packages of what is installed: `cpack -G DEB` in the build folder (needs dpkg-dev). libbrink1, libbrink-ode1,
# libbrink-robots1,
# libbrink-dev, brink-tools, python3-brink.
set(CPACK_PACKAGE_NAME brink)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Brink developers <brink@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Continuous collision detection with rotation, meshes and jointed chains")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${brink_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_ALL runtime dev)
foreach(component ode:brink_ode robots:brink_robots_shared tools:brink-command)
  string(REPLACE ":" ";" component ${component})
  list(GET component 0 name)
  list(GET component 1 target)
  if(TARGET ${target})
    list(APPEND CPACK_COMPONENTS_ALL ${name})
  endif()
endforeach()
list(APPEND CPACK_COMPONENTS_ALL python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${brink_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
file(WRITE ${brink_BINARY_DIR}/packages-control/triggers "activate-noawait ldconfig\n")
set(same "(= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libbrink1)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "Continuous collision detection: the library
When do moving things first touch? Proven answers for meshes, convex shapes and
jointed chains, behind a C ABI.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${brink_BINARY_DIR}/packages-control/triggers)

set(CPACK_DEBIAN_ODE_PACKAGE_NAME libbrink-ode1)
set(CPACK_DEBIAN_ODE_DESCRIPTION "Continuous collision detection for the Open Dynamics Engine
The adapter for ODE programs, and libbrink_preload.so for programs that were
never built for it.")
set(CPACK_DEBIAN_ODE_PACKAGE_DEPENDS "libbrink1 ${same}")
set(CPACK_DEBIAN_ODE_PACKAGE_CONTROL_EXTRA ${brink_BINARY_DIR}/packages-control/triggers)

set(CPACK_DEBIAN_ROBOTS_PACKAGE_NAME libbrink-robots1)
set(CPACK_DEBIAN_ROBOTS_DESCRIPTION "Continuous collision detection: robots from files
Reads URDF, SRDF, meshes and scenes; writes plans of robots as certificates.")
set(CPACK_DEBIAN_ROBOTS_PACKAGE_DEPENDS "libbrink1 ${same}")
set(CPACK_DEBIAN_ROBOTS_PACKAGE_CONTROL_EXTRA ${brink_BINARY_DIR}/packages-control/triggers)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libbrink-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_DESCRIPTION "Continuous collision detection: headers
Headers, the static library, CMake package, pkg-config files and documentation.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libbrink1 ${same}")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libode-dev, libqhull-dev, pkg-config, cmake")
if(TARGET brink_ode)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libbrink-ode1 ${same}")
endif()
if(TARGET brink_robots_shared)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libbrink-robots1 ${same}")
endif()

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME brink-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "Continuous collision detection: the brink command
Answers case files, replays recorded motions, proves clearances and checks such
proofs.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libbrink1 ${same}")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-brink)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "Continuous collision detection from Python
Questions, worlds, batches and proofs with numpy arrays; and one line that makes
programs of ODE's Python bindings continuous.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), python3-numpy, libbrink1 (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "libbrink-ode1, python3-pyode, python3-matplotlib")
# Debian wants the licence in every package.
foreach(component runtime:libbrink1 ode:libbrink-ode1 robots:libbrink-robots1 dev:libbrink-dev tools:brink-tools python:python3-brink)
  string(REPLACE ":" ";" component ${component})
  list(GET component 0 name)
  list(GET component 1 package)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package} RENAME copyright COMPONENT ${name}
    EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
