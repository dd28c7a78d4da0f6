# SPDX-License-Identifier: BSD-3-Clause
# Writes OUTPUT, a C file that holds each of FILES as `page_NAME_EXTENSION`, with its size: pages are edited as .html,
# .css and .js, and the program carries them along.
set(text "/* Made by embed.cmake. */\n#include \"page_files.h\"\n")
foreach(path ${FILES})
  get_filename_component(name "${path}" NAME)
  file(READ "${path}" bytes HEX)
  string(LENGTH "${bytes}" length)
  math(EXPR size "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(MAKE_C_IDENTIFIER "${name}" identifier)
  string(APPEND text "const pageFile page_${identifier} = {(const char[]){${bytes}0}, ${size}};\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
