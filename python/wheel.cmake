# SPDX-License-Identifier: BSD-3-Clause
# Makes the wheel, without network: package and libraries are put together in a scratch folder, then Debian's setuptools
# and wheel are asked.   cmake -DBUILD=... -DSOURCE=... -DOUT=... -DPYTHON=... -P wheel.cmake
set(stage ${OUT}/stage)
file(REMOVE_RECURSE ${stage})
file(MAKE_DIRECTORY ${stage}/brink/lib)
# Installed libraries, not built ones: those find each other wherever they lie.
foreach(component runtime ode)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component ${component} --prefix ${stage}/installed
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GLOB_RECURSE libraries ${stage}/installed/*.so ${stage}/installed/*.so.1)
foreach(library ${libraries})
  get_filename_component(name ${library} NAME)
  file(REAL_PATH ${library} file)
  file(COPY_FILE ${file} ${stage}/brink/lib/${name})
endforeach()
file(REMOVE_RECURSE ${stage}/installed)
file(GLOB sources ${SOURCE}/python/brink/*.py ${SOURCE}/python/brink/py.typed)
file(COPY ${sources} DESTINATION ${stage}/brink)
file(COPY ${SOURCE}/python/pyproject.toml ${SOURCE}/python/setup.py ${SOURCE}/LICENSE DESTINATION ${stage})
execute_process(COMMAND ${PYTHON} -m pip wheel -q --no-index --no-deps --no-build-isolation --wheel-dir ${OUT} ${stage}
  COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${stage})
