/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program outside the tree gets: `cmake --install` into a scratch prefix, then small programs built against it
 * with find_package and with pkg-config alone, sonames, exported symbols, a prefix that was moved, and the C of
 * docs/ode.md. Skipped where not everything is built yet. */
#include "cases.h"
#include "hook_support.h"

#define PREFIX "prefix with space"

static bool installed;

static int begin(void **state) {
  if (hook_Begin(state) != 0) return 1;
  if (access(HOOK_PRELOAD, R_OK) != 0 || access(BRINK_BINARY_DIR "/bin/brink", X_OK) != 0 ||
      !hook_Can("cmake --version")) {
    print_message("skipped: the libraries, the command or cmake are not there\n");
    return 0;
  }
  hook_Must("cmake --install '" BRINK_BINARY_DIR "' --prefix \"$PWD/first\"");
  hook_Must("mv first '" PREFIX "'");     /* nothing of it may know where it was */
  hook_Must("ln -s '" PREFIX "' prefix"); /* for tools that know no spaces: pkg-config's variables, LD_PRELOAD */
  installed = true;
  return 0;
}

#define NEED_PREFIX() \
  if (!installed) skip()
#define PATHS "PKG_CONFIG_PATH=\"$PWD/prefix/lib/pkgconfig\" "

static const char programText[] =
    "#include <brink/ccd.h>\n#include <brink/cook.h>\n#include <brink/ode.h>\n#include <stdio.h>\n"
    "static dJointGroupID group;\n"
    "static void near(void *data, dGeomID a, dGeomID b) {\n"
    "  dContact contact = {.surface = {.mode = dContactBounce, .bounce = 0.5}};\n"
    "  if (dCollide(a, b, 1, &contact.geom, sizeof contact) > 0)\n"
    "    dJointAttach(dJointCreateContact(data, group, &contact), dGeomGetBody(a), dGeomGetBody(b));\n"
    "}\n"
    "int main(void) {\n"
    "  const char *reason = NULL;\n"
    "  brinkVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};\n"
    "  uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};\n"
    "  brinkMeshView mesh = {.structSize = sizeof mesh, .vertices = &corners[0].x, .vertexCount = 4, .indices = faces, "
    ".triangleCount = 4};\n"
    "  void *blob = NULL;\n  size_t size = 0;\n  char message[256] = \"\";\n"
    "  if (brinkEntry(BRINK_ABI_MAJOR, &reason) == NULL) return 2;\n"
    "  if (brinkCook(&mesh, NULL, &blob, &size, message, sizeof message) != brink_ok) { puts(message); return 3; }\n"
    "  brinkFreeBlob(blob);\n"
    "  dInitODE2(0);\n"
    "  dWorldID world = dWorldCreate();\n  dSpaceID space = dSimpleSpaceCreate(0);\n  group = dJointGroupCreate(0);\n"
    "  dCreateBox(space, 0.005, 1, 1);\n"
    "  dBodyID body = dBodyCreate(world);\n  dGeomSetBody(dCreateSphere(space, 0.01), body);\n"
    "  dBodySetPosition(body, -12.3, 0, 0);\n  dBodySetLinearVel(body, 300, 0, 0);\n"
    "  dBrinkID brink = dBrinkCreate(world);\n  dBrinkAddSpace(brink, space);\n"
    "  for (int i = 0; i < 10; ++i) {\n    dSpaceCollide(space, world, near);\n"
    "    dBrinkWorldStep(brink, 1.0 / 60, world, near, group);\n    dJointGroupEmpty(group);\n  }\n"
    "  printf(\"end: x %.6f\\n\", dBodyGetPosition(body)[0]);\n"
    "  dBrinkDestroy(brink);\n  dJointGroupDestroy(group);\n  dSpaceDestroy(space);\n  dWorldDestroy(world);\n  "
    "dCloseODE();\n"
    "  return 0;\n}\n";

static void runs(const char *command) {
  hookRun run = hook_Run("%s", command);
  if (run.status != 0) fail_msg("%s: %d: %s%s", command, run.status, run.output, run.errors);
  assert_true(hook_Value(&run, " x ") < -18);
  hook_End(&run);
}

CASE(cmake_finds_the_package_and_builds_a_program) {
  NEED_PREFIX();
  hook_Must("mkdir -p outside");
  writeFile("outside/program.c", programText);
  writeFile("outside/CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.16)\nproject(outside C)\n"
            "find_package(brink 0.1 REQUIRED COMPONENTS ode)\n"
            "add_executable(program program.c)\ntarget_link_libraries(program PRIVATE brink::ode)\n"
            "file(WRITE ${CMAKE_BINARY_DIR}/preload.txt \"${brink_PRELOAD}\")\n"
            "add_executable(bare bare.c)\ntarget_link_libraries(bare PRIVATE brink::brink)\n");
  writeFile("outside/bare.c",
            "#include <brink/ccd.h>\nint main(void) { return brinkEntry(BRINK_ABI_MAJOR, 0) == 0; }\n");
  hook_Must("cmake -G Ninja -S outside -B outside/build -DCMAKE_PREFIX_PATH=\"$PWD/" PREFIX
            "\" -DCMAKE_C_COMPILER='%s' "
            "-DCMAKE_C_FLAGS='%s' && cmake --build outside/build",
            BRINK_C_COMPILER, HOOK_FLAGS);
  runs("outside/build/program");
  hook_Must("outside/build/bare && test -f \"$(cat outside/build/preload.txt)\"");
  /* an ABI it does not have */
  hook_Must(
      "sed -i 's/brink 0.1/brink 9.0/' outside/CMakeLists.txt && ! cmake -G Ninja -S outside -B outside/newer "
      "-DCMAKE_PREFIX_PATH=\"$PWD/" PREFIX "\" 2>/dev/null");
}

/* The archive: a program of one file, and one that has ODE's adapter beside it. No name in it can meet another's. */
CASE(a_static_library_links_and_clashes_with_nothing) {
  NEED_PREFIX();
  if (!hook_Can("nm --version") || !hook_Can("ldd --version")) skip();
  hook_Must("mkdir -p archive");
  writeFile("archive/program.c", programText);
  writeFile("archive/CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.16)\nproject(archive C)\nset(BUILD_SHARED_LIBS OFF)\n"
            "find_package(brink 0.1 REQUIRED COMPONENTS static OPTIONAL_COMPONENTS ode)\n"
            "add_executable(first '" BRINK_SOURCE_DIR
            "/examples/c/first_contact.c')\ntarget_link_libraries(first PRIVATE brink::brink_static m)\n"
            "add_executable(both program.c)\ntarget_link_libraries(both PRIVATE brink::brink_static brink::ode)\n"
            "add_library(module MODULE '" BRINK_SOURCE_DIR
            "/examples/c/first_contact.c')\ntarget_link_libraries(module PRIVATE brink::brink_static m)\n"
            "target_link_options(module PRIVATE -Wl,--no-undefined)\n");
  hook_Must(
      "sed -i \"s/'/\\\"/g\" archive/CMakeLists.txt && cmake -G Ninja -S archive -B archive/build "
      "-DCMAKE_PREFIX_PATH=\"$PWD/" PREFIX
      "\" -DCMAKE_C_COMPILER='%s' -DCMAKE_C_FLAGS='%s' && cmake --build archive/build%s",
      BRINK_C_COMPILER, HOOK_FLAGS, HOOK_SANITIZED ? " --target first both" : "");
  hook_Must("archive/build/first && ! ldd archive/build/first | grep -q libbrink");
  runs("archive/build/both");
  if (HOOK_SANITIZED) return; /* no such thing as a static sanitizer; and it adds names of its own */
  hook_Must(PATHS "sh -c 'eval \"'%s' -static '" BRINK_SOURCE_DIR
                  "/examples/c/first_contact.c' -o alone $(pkg-config --static --cflags --libs brink) && ./alone\"'",
            BRINK_C_COMPILER);
  hook_Must("nm -g --defined-only '" PREFIX "/lib/libbrink.a' | awk 'NF == 3 {print $3}' | sort >archive/names");
  hook_Must(
      "grep -qx brinkEntry archive/names && ! grep -v '^brink' archive/names && ! uniq -d archive/names | grep .");
}

static const char robotText[] =
    "#include <brink/robot_certify.h>\n#include <brink/stand_in_robot.h>\n#include <stdio.h>\n"
    "int main(void) {\n"
    "  char message[512] = \"\";\n  brinkUrdf *arm = NULL;\n  brinkRobot *robot = NULL;\n  brinkRobotView *view = "
    "NULL;\n"
    "  brinkRobotScenes scenes = {0};\n  brinkWorld *world = NULL;\n"
    "  const brinkPlugin *api = brinkEntry(BRINK_ABI_MAJOR, NULL);\n"
    "  const brinkRobotTable *table = api->getExtension(BRINK_ROBOT_NAME);\n"
    "  brinkStatus s = brinkWriteStandInRobots(\".\", message, sizeof message);\n"
    "  if (s == brink_ok) s = brinkLoadUrdf(\"stand_in_arm.urdf\", NULL, &arm, message, sizeof message);\n"
    "  if (s == brink_errorVersion) return puts(message), 77;\n"
    "  if (s == brink_ok) s = brinkLoadRobotScenes(\"shelf.txt\", &scenes, message, sizeof message);\n"
    "  if (s == brink_ok) s = api->createWorld(NULL, NULL, &world);\n"
    "  if (s == brink_ok) s = brinkMakeRobot(world, arm, NULL, &robot, message, sizeof message);\n"
    "  if (s == brink_ok) s = table->createView(robot, &view);\n"
    "  if (s != brink_ok) return puts(message), 1;\n"
    "  brinkEdgeAnswer answer = {.structSize = sizeof answer};\n"
    "  const double *ends = scenes.scenes[0].ends;\n"
    "  s = table->edge(view, ends, ends + scenes.scenes[0].endCount / 2, NULL, &answer);\n"
    "  printf(\"%s, %zu links: %s\\n\", arm->name, arm->linkCount, s == brink_ok ? \"answered\" : "
    "table->viewError(view));\n"
    "  api->destroyWorld(world);\n  brinkFreeRobotScenes(&scenes);\n  brinkFreeUrdf(arm);\n"
    "  return s == brink_ok && answer.state != brink_unresolved ? 0 : 1;\n}\n";

/* A planner outside the tree: a robot from a file, by CMake's component and by pkg-config. */
CASE(robots_from_files_are_installed) {
  NEED_PREFIX();
#ifdef BRINK_WITHOUT_ROBOTS
  hook_Must("! test -e '" PREFIX "/lib/libbrink_robots.so' && ! test -e '" PREFIX "/share/doc/brink/examples/planner'");
  skip();
#endif
  hook_Must("mkdir -p arm");
  writeFile("arm/arm.c", robotText);
  writeFile("arm/CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.16)\nproject(arm C)\n"
            "find_package(brink REQUIRED COMPONENTS robot)\n"
            "add_executable(arm arm.c)\ntarget_link_libraries(arm PRIVATE brink::robot)\n");
  hook_Must("cmake -G Ninja -S arm -B arm/build -DCMAKE_PREFIX_PATH=\"$PWD/" PREFIX
            "\" -DCMAKE_C_COMPILER='%s' -DCMAKE_C_FLAGS='%s' && cmake --build arm/build",
            BRINK_C_COMPILER, HOOK_FLAGS);
  hook_Must(PATHS "sh -c 'eval \"'%s' %s arm/arm.c -o arm/other $(pkg-config --cflags --libs brink_robots)\"'",
            BRINK_C_COMPILER, HOOK_FLAGS);
  static const char *const programs[2] = {"build/arm", "other"};
  for (int i = 0; i < 2; ++i) {
    hookRun run = hook_Run("cd arm && ./%s", programs[i]);
    if (run.status == 77) skip(); /* this build reads no URDF */
    if (run.status != 0 || strstr(run.output, "links: answered\n") == NULL)
      fail_msg("%s: %d: %s%s", programs[i], run.status, run.output, run.errors);
    hook_End(&run);
  }
}

/* The examples are a project of the prefix: they are built against it, and each does what it says. */
CASE(the_installed_examples_build_and_run) {
  NEED_PREFIX();
  hook_Must("cmake -G Ninja -S '" PREFIX "/share/doc/brink/examples' -B examples -DCMAKE_PREFIX_PATH=\"$PWD/" PREFIX
            "\" -DCMAKE_C_COMPILER='%s' -DCMAKE_C_FLAGS='%s' -DCMAKE_CXX_FLAGS='%s' && cmake --build examples",
            BRINK_C_COMPILER, HOOK_FLAGS, HOOK_FLAGS);
  hookRun run = hook_Run("ctest --test-dir examples");
  if (run.status != 0 || strstr(run.output, "example_first_contact") == NULL)
    fail_msg("%d: %s%s", run.status, run.output, run.errors);
  hook_End(&run);
}

/* What is not there is told with a reason. */
CASE(a_component_that_is_not_known_is_told) {
  NEED_PREFIX();
  hook_Must("mkdir -p unknown");
  writeFile(
      "unknown/CMakeLists.txt",
      "cmake_minimum_required(VERSION 3.16)\nproject(unknown C)\nfind_package(brink REQUIRED COMPONENTS robbot)\n");
  hookRun run = hook_Run("cmake -G Ninja -S unknown -B unknown/build -DCMAKE_PREFIX_PATH=\"$PWD/" PREFIX "\"");
  assert_int_not_equal(run.status, 0);
  if (strstr(run.errors, "component robbot: unknown; there are ode, robot, static") == NULL) fail_msg("%s", run.errors);
  hook_End(&run);
}

CASE(a_program_takes_the_tree_as_a_part_of_its_own) {
  NEED_PREFIX();
  hook_Must("mkdir -p whole");
  writeFile("whole/program.c", programText);
  writeFile("whole/CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.25)\nproject(whole C)\n"
            "add_subdirectory(\"" BRINK_SOURCE_DIR
            "\" brink EXCLUDE_FROM_ALL)\n"
            "add_executable(program program.c)\ntarget_link_libraries(program PRIVATE brink::ode)\n");
  hook_Must("cmake -G Ninja -S whole -B whole/build -DCMAKE_C_FLAGS='-ffast-math -Wpedantic -Werror'");
  /* proofs are made by plain IEEE operations, whatever the program's own are */
  hook_Must(
      "ninja -C whole/build -t commands brink >plan && grep -q 'fast-math.* -fno-fast-math .*swept_axis.c' plan && "
      "! grep ' -c ' plan | grep -v ' -fno-fast-math ' && grep -q ' -fno-fast-math .*-shared .*libbrink.so' plan");
  hook_Must("! grep ' -c ' plan | grep -v ' -w '"); /* its warnings are for its own code */
  hook_Must("ninja -C whole/build -t commands program >plan && grep -q libbrink_ode.so plan");
  hook_Must("! ninja -C whole/build -t targets all | grep -q '/test_\\|brink-demo\\|brink-bench'");
  hook_Must("! grep -q '^CMAKE_BUILD_TYPE:STRING=.' whole/build/CMakeCache.txt"); /* the program's own choice */
}

/* A folder that was made before the C++ compiler was installed reads URDF when it is built again. */
CASE(a_compiler_that_comes_later_is_found) {
  NEED_PREFIX();
  if (!hook_Can("c++ --version")) skip();
  hook_Must("cmake -G Ninja -S '" BRINK_SOURCE_DIR
            "' -B later -DCMAKE_CXX_COMPILER=CMAKE_CXX_COMPILER-NOTFOUND -DBRINK_BUILD_TESTS=OFF");
  hook_Must("grep -q '^CMAKE_CXX_COMPILER:[A-Z]*=/' later/CMakeCache.txt");
}

/* A planner knows no ODE and may have no pkg-config: what is left out is told, the rest is there. */
CASE(a_program_without_ode_takes_the_tree) {
  NEED_PREFIX();
  hook_Must("mkdir -p lean");
  writeFile("lean/CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.25)\nproject(lean C)\nset(BUILD_SHARED_LIBS OFF)\n"
            "add_subdirectory(\"" BRINK_SOURCE_DIR "\" brink)\nadd_executable(first \"" BRINK_SOURCE_DIR
            "/examples/c/first_contact.c\")\ntarget_link_libraries(first PRIVATE brink::brink_static m)\n"
            "foreach(name CMAKE_C_FLAGS CMAKE_BUILD_TYPE CMAKE_C_STANDARD CMAKE_RUNTIME_OUTPUT_DIRECTORY)\n"
            "  if(NOT \"${${name}}\" STREQUAL \"\")\n"
            "    message(FATAL_ERROR \"${name} became ${${name}}\")\n  endif()\nendforeach()\n"
            "if(TARGET brink::ode)\n  message(FATAL_ERROR \"without ODE?\")\nendif()\n");
  hook_Must(
      "PKG_CONFIG_LIBDIR=/nowhere cmake -G Ninja -S lean -B lean/build >said && grep -q 'libode-dev' said && "
      "cmake -G Ninja -S lean -B lean/bare -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON && "
      "ninja -C lean/bare -t commands first | grep -q 'libbrink.a'");
}

CASE(pkg_config_alone_builds_a_program) {
  NEED_PREFIX();
  writeFile("program.c", programText);
  hook_Must(PATHS "sh -c 'eval \"'%s' %s program.c -o program $(pkg-config --cflags --libs brink_ode)\"'",
            BRINK_C_COMPILER, HOOK_FLAGS);
  runs("./program"); /* the flags carry the place of the libraries */
  hook_Must(PATHS "sh -c 'test -f \"$(pkg-config --variable=preload brink_ode)\" && pkg-config --modversion brink'");
}

CASE(a_cpp_program_builds_against_every_header) {
  NEED_PREFIX();
  if (!hook_Can("c++ --version")) skip();
  writeFile("main.cpp",
            "#include \"all.h\"\n#include <brink/ode.h>\n#include <cstdio>\nint main() {\n"
            "  const char *reason = nullptr;\n  const brinkPlugin *brink = brinkEntry(BRINK_ABI_MAJOR, &reason);\n"
            "  if (brink == nullptr) return 2;\n  brinkWorld *world = nullptr;\n"
            "  if (brink->createWorld(nullptr, nullptr, &world) != brink_ok) return 3;\n"
            "  std::printf(\"end: x %d\\n\", -20 - (int)brink->destroyWorld(world));\n"
            "  return dBrinkRegister(-1, -1) == 0 ? 0 : 4;\n}\n");
  hook_Must("cd '" PREFIX "/include' && ls brink/*.h | grep -v ode | sed 's/.*/#include <&>/' >../../all.h");
  hook_Must(PATHS
            "sh -c 'eval \"c++ -std=c++17 -Wall -Wextra -Werror %s main.cpp -o all $(pkg-config --cflags --libs "
            "brink_ode)\"'",
            HOOK_FLAGS);
  runs("./all");
}

CASE(python_finds_the_library_of_its_prefix) {
  NEED_PREFIX();
  if (HOOK_SANITIZED || !hook_Can("/usr/bin/python3 -c 'import numpy'")) skip();
  hookRun run = hook_Run(
      "unset BRINK_LIBRARY; PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=\"$PWD/" PREFIX
      "/lib/python3/dist-packages\" /usr/bin/python3 -c 'import brink; print(brink.library_path, "
      "brink.first_contact(brink.Sphere(1), brink.Sphere(1), brink.Velocities(None, (10, 0, 0)), None, ((1, 0, 0, 0), "
      "(5, 0, 0))).state)'");
  if (run.status != 0 || strstr(run.output, PREFIX "/lib/libbrink.so.1 hit\n") == NULL)
    fail_msg("%d: %s%s", run.status, run.output, run.errors);
  hook_End(&run);
}

CASE(the_preload_serves_from_the_prefix) {
  NEED_PREFIX();
  hook_Build("scenes.c", "scenes", "", "-lode");
  runs(PATHS "sh -c 'LD_PRELOAD=$(pkg-config --variable=preload brink_ode) ./scenes bullet'"); /* README.md */
}

CASE(the_command_runs_from_the_prefix) {
  NEED_PREFIX();
  hook_Must("'" PREFIX "/bin/brink' --help");
  hook_Must("grep -q '^.TH BRINK 1' '" PREFIX "/share/man/man1/brink.1'");
  hook_Must("for verb in $('" PREFIX
            "/bin/brink' --help | sed -n '/^Commands:/,/^Each has/p' | awk '/^  [a-z]/ {print $1}'); "
            "do grep -q \"^.SH \\\"brink $verb\\\"\" '" PREFIX "/share/man/man1/brink.1' || exit 1; done");
}

CASE(sonames_tell_the_abi) {
  NEED_PREFIX();
  hook_Must("test -L '" PREFIX "/lib/libbrink.so' && test -L '" PREFIX "/lib/libbrink.so.1'");
  if (!hook_Can("readelf --version")) skip();
  hook_Must("readelf -d '" PREFIX "/lib/libbrink.so' | grep -q 'soname: .libbrink.so.1.$'");
  hook_Must("readelf -d '" PREFIX "/lib/libbrink_ode.so' | grep -q 'soname: .libbrink_ode.so.1.$'");
}

CASE(only_intended_symbols_are_exported) {
  NEED_PREFIX();
  if (!hook_Can("nm --version")) skip();
  if (HOOK_SANITIZED) skip(); /* the sanitizer adds its own */
  hook_Must("nm -D --defined-only '" PREFIX
            "/lib/libbrink.so' | awk '$2 != \"A\" {sub(/@.*/, \"\", $3); print $3}' | sort >exports");
  char *names = hook_ReadFile("exports");
  assert_string_equal(names,
                      "brinkBlobHullEdges\nbrinkBlobMesh\nbrinkCheckBlob\nbrinkCook\nbrinkEntry\nbrinkFreeBlob\n");
  free(names);
  /* brink_ode: exactly what its two headers declare */
  hook_Must("nm -D --defined-only '" PREFIX "/lib/libbrink_ode.so' | awk '{print $3}' | sort >exports");
  hook_Must("cat '" PREFIX "/include/brink/ode.h' '" PREFIX
            "/include/brink/ode_redirect.h' | grep '^BRINK_ODE_API' | "
            "grep -o 'dBrink[A-Za-z0-9]*(' | tr -d '(' | sort >declared && diff declared exports");
  /* brink_robots: what its headers declare, which is what they say at a line's begin */
  hook_Must("nm -D --defined-only '" PREFIX
            "/lib/libbrink_robots.so' | awk '$2 != \"A\" {sub(/@.*/, \"\", $3); print $3}' | sort >exports");
  hook_Must("cd '" PREFIX
            "/include/brink' && cat assets.h urdf.h robot_scene.h robot_certify.h stand_in_robot.h | "
            "grep -E '^[a-z].* [*]?brink[A-Z][A-Za-z]*[(]' | grep -v typedef | grep -oE 'brink[A-Z][A-Za-z]*[(]' | tr "
            "-d '(' | "
            "sort >../../../declared && cd ../../.. && diff declared exports");
  /* the preload: ODE's names that the redirecting header has, and nothing else */
  hook_Must("nm -D --defined-only '" PREFIX "/lib/libbrink_preload.so' | awk '{print $3}' | sort >exports");
  hook_Must("grep -o '^#define d[A-Za-z0-9]*' '" PREFIX
            "/include/brink/ode_redirect.h' | awk '{print $2}' | sort >declared "
            "&& diff declared exports");
}

CASE(no_file_knows_the_tree_it_came_from) {
  NEED_PREFIX();
  /* not the folder's own name: a checkout in /brink is no news */
  hookRun run = hook_Run("grep -rIlE '%s/(algorithms|plugin|ode_glue|tools|cmake)/|%s/' '" PREFIX "'", BRINK_SOURCE_DIR,
                         BRINK_BINARY_DIR);
  if (run.output[0] != '\0') fail_msg("these do: %s", run.output);
  hook_End(&run);
  hook_Must("for library in '" PREFIX "'/lib/*.so '" PREFIX
            "/bin/brink'; do "
            "readelf -d \"$library\" | grep -E 'RPATH|RUNPATH' | grep -v '.ORIGIN' && exit 1; done; true");
}

static void runGuideProgram(const char *program, int number) {
  char name[32];
  snprintf(name, sizeof name, "guide%d.c", number);
  writeFile(name, program);
  hook_Must(PATHS
            "sh -c 'eval \"'%s' -Wall -Wextra -Werror %s guide%d.c -o guide%d $(pkg-config --cflags --libs "
            "brink_ode) -lm\"'",
            BRINK_C_COMPILER, HOOK_FLAGS, number, number);
  hookRun run = hook_Run("./guide%d", number);
  if (run.status != 0 || strstr(run.output, "stopped by the wall") == NULL)
    fail_msg("program %d of the guide: %d: %s%s", number, run.status, run.output, run.errors);
  hook_End(&run);
}

static void runGuideScript(const char *script) {
  if (HOOK_SANITIZED || !hook_Can("/usr/bin/python3 -c 'import ode'")) return;
  writeFile("guide.py", script);
  hookRun plain = hook_Run("/usr/bin/python3 guide.py");
  hookRun with = hook_Run("LD_PRELOAD=\"$PWD/prefix/lib/libbrink_preload.so\" /usr/bin/python3 guide.py");
  assert_string_equal(plain.output, "through\n");
  assert_string_equal(with.output, "stopped by the wall\n");
  hook_End(&plain);
  hook_End(&with);
}

/* docs/ode.md followed to the letter: its C programs (the blocks that have a main), and its Python. */
CASE(the_guides_programs_build_and_run) {
  NEED_PREFIX();
  FILE *guide = fopen(BRINK_SOURCE_DIR "/docs/ode.md", "r");
  assert_non_null(guide);
  static char line[4096], block[1 << 16];
  char language = 0; /* of the block: c, p(ython) or 0 */
  int programs = 0, scripts = 0;
  while (fgets(line, sizeof line, guide) != NULL) {
    if (language == 0) {
      language = strcmp(line, "```c\n") == 0 ? 'c' : strcmp(line, "```python\n") == 0 ? 'p' : 0;
      block[0] = '\0';
    } else if (strcmp(line, "```\n") != 0) {
      assert_true(strlen(block) + strlen(line) < sizeof block);
      strcat(block, line);
    } else {
      if (language == 'c' && strstr(block, "int main(") != NULL) runGuideProgram(block, ++programs);
      if (language == 'p' && ++scripts > 0) runGuideScript(block);
      language = 0;
    }
  }
  fclose(guide);
  assert_int_equal(programs, 2); /* the three lines, and the redirecting header */
  assert_int_equal(scripts, 1);
}

int main(void) { return cases_Run(begin, hook_Finish); }
