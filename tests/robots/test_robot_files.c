/* SPDX-License-Identifier: BSD-3-Clause */
/* Robots from files: URDFs of different conventions, SRDF, what is refused and where, the stand-in robots, scenes,
 * plans as certificates, and the commands `brink robot` and `brink path`. What needs liburdfdom is skipped without it.
 */
#define _GNU_SOURCE
#include "cases.h"
#include "brink/robot_certify.h"
#include "brink/stand_in_robot.h"
#include "plugin_support.h"

#include <sys/wait.h>
#include <unistd.h>

#define NEED_URDF()                                       \
  if (!brinkHasUrdf()) {                                  \
    print_message("skipped: this build reads no URDF\n"); \
    skip();                                               \
  }

static char directory[] = BRINK_BINARY_DIR "/robot-files-XXXXXX";

static int makeDirectory(void **state) {
  (void)state;
  char message[256];
  if (mkdtemp(directory) == NULL) return 1;
  return brinkWriteStandInRobots(directory, message, sizeof message) != brink_ok;
}
static int removeDirectory(void **state) {
  (void)state;
  char command[400];
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  return system(command) != 0;
}

static const char *pathOf(const char *name) {
  static char paths[4][600];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", directory, name);
  return path;
}
static const char *writeText(const char *name, const char *text) {
  const char *path = pathOf(name);
  char folder[600];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  *slash = '\0';
  char command[700];
  snprintf(command, sizeof command, "mkdir -p '%s'", folder);
  assert_int_equal(system(command), 0);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  return path;
}

static brinkUrdf *load(const char *path, uint32_t flags, const char *srdf) {
  char message[600];
  const brinkUrdfOptions options = {.structSize = sizeof options, .flags = flags, .srdfPath = srdf};
  brinkUrdf *urdf = NULL;
  brinkStatus status = brinkLoadUrdf(path, &options, &urdf, message, sizeof message);
  if (status != brink_ok) fail_msg("%s", message);
  return urdf;
}
static bool hasNote(const brinkUrdf *urdf, const char *word) {
  for (size_t i = 0; i < urdf->noteCount; ++i)
    if (strstr(urdf->notes[i], word) != NULL) return true;
  return false;
}

/* Everything there is, in one file. */
static const char *const everyJoint =
    "<robot name='all'>\n"
    "  <link name='root'><collision><geometry><box size='1 2 3'/></geometry></collision></link>\n"
    "  <link name='a'><collision><origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/><geometry><cylinder radius='0.5' "
    "length='2'/></geometry></collision></link>\n"
    "  <link name='b'><collision><geometry><sphere radius='0.25'/></geometry></collision>\n"
    "    <collision><geometry><sphere radius='0.5'/></geometry></collision></link>\n"
    "  <link name='c'/><link name='d'/><link name='e'/><link name='f'/><link name='g'/>\n"
    "  <joint name='turn' type='revolute'><parent link='root'/><child link='a'/><origin xyz='1 0 0'/><axis xyz='0 0 "
    "2'/><limit lower='-1' upper='2' effort='1' velocity='1'/></joint>\n"
    "  <joint name='wheel' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/></joint>\n"
    "  <joint name='slide' type='prismatic'><parent link='a'/><child link='c'/><axis xyz='1 0 0'/><limit lower='0' "
    "upper='0.5' effort='1' velocity='1'/></joint>\n"
    "  <joint name='follow' type='prismatic'><parent link='a'/><child link='d'/><axis xyz='1 0 0'/><limit lower='-9' "
    "upper='9' effort='1' velocity='1'/><mimic joint='slide' multiplier='-2' offset='0.1'/></joint>\n"
    "  <joint name='weld' type='fixed'><parent link='root'/><child link='e'/><origin rpy='0 0 "
    "3.141592653589793'/></joint>\n"
    "  <joint name='plane' type='planar'><parent link='root'/><child link='f'/><axis xyz='0 0 1'/></joint>\n"
    "  <joint name='fly' type='floating'><parent link='root'/><child link='g'/></joint>\n"
    "  <transmission name='t'><type>x</type></transmission>\n"
    "</robot>\n";

CASE(every_joint_type_of_a_urdf_is_read) {
  NEED_URDF();
  brinkUrdf *urdf = load(writeText("all.urdf", everyJoint), 0, NULL);
  assert_int_equal(urdf->linkCount, 8);
  assert_int_equal(urdf->jointCount, 7);
  assert_int_equal(urdf->shapeCount, 4);
  assert_true(hasNote(urdf, "all.urdf:14: <transmission>"));
  brinkWorld *world = newWorld(NULL);
  brinkRobot *robot = NULL;
  char message[300];
  ASSERT_OK(world, brinkMakeRobot(world, urdf, NULL, &robot, message, sizeof message));
  const brinkRobotTable *robots = api()->getExtension(BRINK_ROBOT_NAME);
  brinkRobotInfo info = {.structSize = sizeof info};
  ASSERT_OK(world, robots->info(robot, &info));
  assert_int_equal(info.valueCount, 1 + 1 + 1 + 3 + 7);
  /* turn, wheel, slide, plane x y angle, fly */
  const double q[13] = {PI / 2, 0.3, 0.25, 1, 2, PI, 4, 5, 6, 1, 0, 0, 0};
  brinkPose poses[8];
  assert_int_equal(robots->poses(robot, q, poses), brink_ok);
  assert_true(poseError(poses[1], (brinkPose){{1, 0, 0}, rotation(vec(0, 0, PI / 2))}) < 1e-12);
  assert_true(norm(minus(poses[3].position, vec(1, 0.25, 0))) < 1e-12);            /* c slides along a's x */
  assert_true(norm(minus(poses[4].position, vec(1, -2 * 0.25 + 0.1, 0))) < 1e-12); /* d follows */
  assert_true(poseError(poses[5], (brinkPose){{0, 0, 0}, rotation(vec(0, 0, PI))}) < 1e-12);
  assert_true(poseError(poses[6], (brinkPose){{1, 2, 0}, rotation(vec(0, 0, PI))}) < 1e-12);
  assert_true(poseError(poses[7], at(4, 5, 6)) < 1e-12);
  brinkRobotJointInfo joint = {.structSize = sizeof joint};
  ASSERT_OK(world, robots->joint(robot, 0, &joint));
  assert_true(joint.limited && joint.lower[0] == -1 && joint.upper[0] == 2);
  assert_string_equal(joint.name, "turn");
  brinkFreeUrdf(urdf);
  api()->destroyWorld(world);
}

/* A tetrahedron of 1 mm units, as STL text. */
static const char *const stl =
    "solid t\n"
    "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1000 0\nvertex 1000 0 0\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1000 0 0\nvertex 0 0 2000\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 2000\nvertex 0 1000 0\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 1000 0 0\nvertex 0 1000 0\nvertex 0 0 2000\nendloop\nendfacet\n"
    "endsolid t\n";

static void boundsOf(const brinkMesh *mesh, double lower[3], double upper[3]) {
  for (int i = 0; i < 3; ++i) {
    lower[i] = INFINITY;
    upper[i] = -INFINITY;
    for (size_t k = 0; k < mesh->vertexCount; ++k) {
      lower[i] = fmin(lower[i], mesh->vertices[3 * k + (size_t)i]);
      upper[i] = fmax(upper[i], mesh->vertices[3 * k + (size_t)i]);
    }
  }
}

static const char *meshUrdf(const char *name, const char *file, const char *scale) {
  char text[900];
  snprintf(text, sizeof text,
           "<robot name='m'><link name='l'><collision><geometry><mesh filename='%s'%s%s%s/></geometry></collision>"
           "</link></robot>",
           file, scale != NULL ? " scale='" : "", scale != NULL ? scale : "", scale != NULL ? "'" : "");
  return writeText(name, text);
}

CASE(meshes_are_scaled_and_found_in_their_packages) {
  NEED_URDF();
  writeText("pack/robots/meshes/t.stl", stl);
  double lower[3], upper[3];
  char message[600], given[700];
  const char *packages[1] = {given};
  brinkUrdfOptions options = {.structSize = sizeof options, .packages = packages, .packageCount = 1};
  brinkUrdf *urdf = NULL;
  /* by name */
  snprintf(given, sizeof given, "thing=%s/pack/robots", directory);
  const char *path = meshUrdf("other/named.urdf", "package://thing/meshes/t.stl", "0.001 0.001 -0.001");
  if (brinkLoadUrdf(path, &options, &urdf, message, sizeof message) != brink_ok) fail_msg("%s", message);
  boundsOf(&urdf->meshes[0].mesh, lower, upper);
  ASSERT_NEAR(upper[0], 1.0, 1e-12);
  ASSERT_NEAR(lower[2], -2.0, 1e-12);
  brinkWorld *world = newWorld(NULL);
  brinkRobot *robot;
  if (brinkMakeRobot(world, urdf, NULL, &robot, message, sizeof message) != brink_ok) fail_msg("%s", message);
  api()->destroyWorld(world);
  brinkFreeUrdf(urdf);
  /* by a folder */
  snprintf(given, sizeof given, "%s/pack/robots", directory);
  if (brinkLoadUrdf(path, &options, &urdf, message, sizeof message) != brink_ok) fail_msg("%s", message);
  brinkFreeUrdf(urdf);
  /* above the URDF's own folder, without options; and as a plain path */
  urdf = load(meshUrdf("pack/robots/urdf/near.urdf", "package://robots/meshes/t.stl", NULL), 0, NULL);
  boundsOf(&urdf->meshes[0].mesh, lower, upper);
  ASSERT_NEAR(upper[0], 1000.0, 1e-9);
  brinkFreeUrdf(urdf);
  brinkFreeUrdf(load(meshUrdf("pack/robots/plain.urdf", "meshes/t.stl", NULL), BRINK_URDF_HULLS, NULL));
  snprintf(given, sizeof given, "file://%s/pack/robots/meshes/t.stl", directory);
  brinkFreeUrdf(load(meshUrdf("plain2.urdf", given, NULL), 0, NULL));
  /* nowhere: named with its line; or left out when asked */
  path = meshUrdf("missing.urdf", "package://nobody/none.stl", NULL);
  brinkUrdf *kept = (brinkUrdf *)(uintptr_t)16;
  assert_int_equal(brinkLoadUrdf(path, NULL, &kept, message, sizeof message), brink_errorIo);
  assert_true(kept == (brinkUrdf *)(uintptr_t)16);
  assert_non_null(strstr(message, "missing.urdf:1: link l: mesh package://nobody/none.stl"));
  urdf = load(path, BRINK_URDF_NO_MESHES, NULL);
  assert_int_equal(urdf->shapeCount, 0);
  assert_true(hasNote(urdf, "none.stl"));
  brinkFreeUrdf(urdf);
}

static const char *collada(const char *name, const char *axis, const char *unit) {
  char text[3000];
  snprintf(text, sizeof text,
           "<?xml version='1.0' encoding='utf-8'?>\n"
           "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>\n"
           "<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>"
           "<unit name='u' meter='%s'/><up_axis>%s</up_axis></asset>\n"
           "<library_geometries><geometry id='g' name='g'><mesh>\n"
           "<source id='p'><float_array id='pa' count='12'>0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common>"
           "<accessor source='#pa' count='4' stride='3'><param name='X' type='float'/><param name='Y' type='float'/>"
           "<param name='Z' type='float'/></accessor></technique_common></source>\n"
           "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>\n"
           "<triangles count='4'><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1 0 1 3 0 3 2 1 2 3</p>"
           "</triangles></mesh></geometry></library_geometries>\n"
           "<library_visual_scenes><visual_scene id='s' name='s'><node id='n' name='n'>"
           "<instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>\n"
           "<scene><instance_visual_scene url='#s'/></scene></COLLADA>\n",
           unit, axis);
  return writeText(name, text);
}

CASE(collada_units_count_and_up_axes_when_asked) {
  NEED_URDF();
  double lower[3], upper[3];
  static const struct {
    const char *axis, *unit;
    uint32_t flags;
    double upper[3];
  } rows[] = {{"Z_UP", "1", 0, {1, 2, 3}},
              {"Z_UP", "0.01", 0, {0.01, 0.02, 0.03}},
              {"Y_UP", "1", 0, {1, 2, 3}},                     /* as it stands */
              {"Y_UP", "1", BRINK_URDF_COLLADA_UP, {1, 0, 2}}, /* y becomes z, z becomes -y */
              {"Z_UP", "0.001", BRINK_URDF_COLLADA_UP, {1e-3, 2e-3, 3e-3}}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    collada("c.dae", rows[i].axis, rows[i].unit);
    brinkUrdf *urdf = load(meshUrdf("c.urdf", "c.dae", NULL), rows[i].flags, NULL);
    boundsOf(&urdf->meshes[0].mesh, lower, upper);
    for (int k = 0; k < 3; ++k)
      if (fabs(upper[k] - rows[i].upper[k]) > 1e-6)
        fail_msg("row %zu axis %d: %g, expected %g", i, k, upper[k], rows[i].upper[k]);
    assert_int_equal(urdf->meshes[0].mesh.triangleCount, 4);
    brinkFreeUrdf(urdf);
  }
  char message[300];
  brinkMesh mesh;
  writeText("broken.dae", "<COLLADA><asset>");
  assert_int_not_equal(brinkImportCollada(pathOf("broken.dae"), 0, &mesh, message, sizeof message), brink_ok);
  assert_non_null(strstr(message, "broken.dae"));
}

CASE(a_virtual_joint_moves_the_root_when_asked) {
  NEED_URDF();
  writeText("v.urdf", "<robot name='v'><link name='base'/></robot>");
  const char *srdf = writeText("v.srdf",
                               "<robot name='v'><virtual_joint name='drive' type='planar' parent_frame='odom' "
                               "child_link='base'/></robot>");
  brinkUrdf *urdf = load(pathOf("v.urdf"), 0, srdf);
  assert_true(hasNote(urdf, "v.srdf:1: <virtual_joint> is skipped"));
  assert_int_equal(urdf->jointCount, 0);
  brinkFreeUrdf(urdf);
  urdf = load(pathOf("v.urdf"), BRINK_URDF_VIRTUAL_JOINT, srdf);
  assert_int_equal(urdf->jointCount, 1);
  assert_int_equal(urdf->joints[0].type, brink_robotPlanar);
  assert_string_equal(urdf->links[urdf->joints[0].parent].name, "odom");
  brinkFreeUrdf(urdf);
}

static void refuseUrdf(const char *name, const char *text, brinkStatus expected, const char *word) {
  char message[600] = "";
  brinkUrdf *urdf = (brinkUrdf *)(uintptr_t)16;
  brinkStatus status = brinkLoadUrdf(writeText(name, text), NULL, &urdf, message, sizeof message);
  if (status != expected) fail_msg("%s: status %d (%s), expected %d", name, (int)status, message, (int)expected);
  assert_true(urdf == (brinkUrdf *)(uintptr_t)16);
  if (strstr(message, word) == NULL) fail_msg("%s: '%s' does not say '%s'", name, message, word);
}

CASE(bad_files_are_refused_with_file_line_and_name) {
  NEED_URDF();
  refuseUrdf("b1.urdf", "<robot name='r'>\n<link name='a'>\n</robot>", brink_errorParse, "b1.urdf:");
  refuseUrdf("b2.urdf", "<robot name='r'>\n<link name='a'>\n<colision/></link></robot>", brink_errorParse,
             "b2.urdf:3: unknown element <colision> in <link>");
  refuseUrdf("b3.urdf", "<robot name='r'>\n<link name='a'/><link name='b'/>\n</robot>", brink_errorBadTree,
             "hang on no joint");
  refuseUrdf(
      "b4.urdf",
      "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/>\n<child "
      "link='x'/></joint></robot>",
      brink_errorBadTree, "b4.urdf:3: joint j: its child link x");
  refuseUrdf("b5.urdf",
             "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/><child "
             "link='b'/></joint>\n<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
             brink_errorBadTree, "b5.urdf:3: link b is the child of joints j and k");
  refuseUrdf("b6.urdf",
             "<robot name='r'><link name='o'/><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent "
             "link='a'/><child link='b'/></joint>\n<joint name='k' type='fixed'><parent link='b'/><child "
             "link='a'/></joint></robot>",
             brink_errorBadTree, "circle");
  refuseUrdf("b7.urdf",
             "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='continuous'><parent link='a'/>"
             "<child link='b'/>\n<axis xyz='0 0 0'/></joint></robot>",
             brink_errorBadValue, "b7.urdf:3: joint j: its axis is zero");
  refuseUrdf("b8.urdf",
             "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='revolute'><parent link='a'/>"
             "<child link='b'/><limit lower='2' upper='1' effort='1' velocity='1'/></joint></robot>",
             brink_errorBadValue, "b8.urdf:2: joint j: its limits 2 to 1");
  refuseUrdf("b9.urdf", "<robot name='r'><link name='a'/>\n<link name='a'/></robot>", brink_errorParse,
             "b9.urdf:2: link a is there twice");
  refuseUrdf("b10.urdf",
             "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='continuous'><parent link='a'/>"
             "<child link='b'/><mimic joint='z'/></joint></robot>",
             brink_errorParse, "b10.urdf:2: joint j: it follows joint z");
  refuseUrdf("b11.urdf", "<robot name='r'/>", brink_errorEmpty, "b11.urdf");
  refuseUrdf("b12.urdf", "<sdf/>", brink_errorParse, "b12.urdf: no <robot>");
  refuseUrdf("b13.urdf",
             "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='hinge'><parent link='a'/>"
             "<child link='b'/></joint></robot>",
             brink_errorParse, "b13.urdf:2: joint j: type hinge is not known");
  char message[300];
  brinkUrdf *urdf = NULL;
  assert_int_equal(brinkLoadUrdf(pathOf("nothing.urdf"), NULL, &urdf, message, sizeof message), brink_errorIo);
  assert_non_null(strstr(message, "nothing.urdf: no such file"));
  const char *srdf = writeText("b.srdf", "<robot name='r'>\n<disable_collisions link1='a' link2='q'/></robot>");
  const brinkUrdfOptions options = {.structSize = sizeof options, .srdfPath = srdf};
  const char *fine = writeText("fine.urdf", "<robot name='r'><link name='a'/></robot>");
  assert_int_equal(brinkLoadUrdf(fine, &options, &urdf, message, sizeof message), brink_errorParse);
  assert_non_null(strstr(message, "b.srdf:2: link q is not in"));
}

static void refuseNumber(const char *text, const char *where, const char *what) {
  const bool parse =
      strstr(what, "missing") != NULL || strstr(what, "second") != NULL || strstr(what, "has no") != NULL;
  refuseUrdf("number.urdf", text, parse ? brink_errorParse : brink_errorBadValue, where);
  refuseUrdf("number.urdf", text, parse ? brink_errorParse : brink_errorBadValue, what);
}

/* Numbers that are none, too few, too many or not allowed; what liburdfdom would pass over or leave out. A robot
 * without one of its shapes would be proven free of what it hits, so nothing is left out in silence. */
/* TinyXML goes down into elements by recursion, and ends at a NUL byte. */
CASE(documents_that_nobody_could_walk_are_refused_with_their_line) {
  NEED_URDF();
  enum { DEEP = 200000 };
  char *text = calloc(DEEP, 20), message[600];
  assert_non_null(text);
  brinkUrdf *kept = (brinkUrdf *)(uintptr_t)16;
  for (int srdf = 0; srdf < 2; ++srdf)
    for (int nul = 0; nul < 2; ++nul) {
      char *to = text + sprintf(text, "<robot name='a'>\n");
      for (int i = 0; i < (nul ? 3 : DEEP); ++i) to += sprintf(to, "<gazebo>");
      if (nul) *to++ = '\0';
      for (int i = 0; i < (nul ? 3 : DEEP); ++i) to += sprintf(to, "</gazebo>");
      to += sprintf(to, "<link name='l'/></robot>");
      const char *bad = writeText("deep.xml", ""),
                 *good = writeText("good.urdf", "<robot name='a'><link name='l'/></robot>");
      FILE *file = fopen(bad, "wb");
      assert_non_null(file);
      assert_int_equal(fwrite(text, 1, (size_t)(to - text), file), to - text);
      assert_int_equal(fclose(file), 0);
      const brinkUrdfOptions options = {.structSize = sizeof options, .srdfPath = srdf ? bad : NULL};
      assert_int_equal(brinkLoadUrdf(srdf ? good : bad, &options, &kept, message, sizeof message), brink_errorParse);
      if (strstr(message, nul ? "deep.xml:2: a NUL byte" : "deep.xml:2: more than 256 elements") == NULL)
        fail_msg("'%s'", message);
    }
  free(text);
  assert_int_equal(brinkLoadUrdf(directory, NULL, &kept, message, sizeof message), brink_errorIo);
  assert_non_null(strstr(message, "cannot be read as a file"));
  brinkRobotScenes none = {NULL, 77};
  assert_int_equal(brinkLoadRobotScenes(directory, &none, message, sizeof message), brink_errorIo);
  assert_non_null(strstr(message, ": Is a directory"));
  /* deep, but not too deep; comments and attributes with brackets are no depth */
  brinkFreeUrdf(load(writeText("fine.urdf",
                               "<robot name='a'><!-- <a><b><c> --><gazebo><a t='x > y'><![CDATA[<b><c>]]><b/>"
                               "</a></gazebo><link name='l'/></robot>"),
                     0, NULL));
}

CASE(numbers_of_a_urdf_are_refused_with_line_and_name) {
  NEED_URDF();
  static const char *const joints[][2] = {/* in line 3 */
                                          {"<origin xyz='nan 0 0'/>", "joint j: <origin> xyz \"nan 0 0\": 'nan'"},
                                          {"<origin xyz='0 inf 0'/>", "'inf' is no number"},
                                          {"<origin xyz='1 2'/>", "3 numbers are wanted, it has 2"},
                                          {"<origin xyz='1 2 3 4'/>", "3 numbers are wanted, it has 4"},
                                          {"<origin xyz='1 2 x'/>", "'x' is no number"},
                                          {"<origin rpy='0 0 1e999'/>", "joint j: <origin> rpy"},
                                          {"<origin rpy=''/>", "it has 0"},
                                          {"<axis xyz='0 nan 1'/>", "joint j: <axis> xyz"},
                                          {"<axis xyz='1 0'/>", "3 numbers are wanted, it has 2"},
                                          {"<axis/>", "joint j: <axis> xyz is missing"},
                                          {"<axis xyz='0 0 0'/>", "joint j: its axis is zero"},
                                          {"<limit lower='nan' effort='1' velocity='1'/>", "joint j: <limit> lower"},
                                          {"<limit upper='1 2' effort='1' velocity='1'/>", "it has 2"},
                                          {"<limit upper='1' velocity='1'/>", "<limit> effort is missing"},
                                          {"<mimic joint='i' multiplier='two'/>", "joint j: <mimic> multiplier"},
                                          {"<mimic joint='i' offset='nan'/>", "joint j: <mimic> offset"},
                                          {"<mimic/>", "joint j: <mimic> has no joint"},
                                          {"<axis xyz='1 0 0'/><axis xyz='0 1 0'/>", "a second <axis> in <joint>"}};
  static const char *const shapes[][2] = {/* in line 3 */
                                          {"<sphere radius='nan'/>", "link a: <sphere> radius \"nan\""},
                                          {"<sphere radius='-1'/>", "finite and not negative"},
                                          {"<sphere/>", "link a: <sphere> radius is missing"},
                                          {"<box size='1 1'/>", "link a: <box> size \"1 1\": 3 numbers"},
                                          {"<box size='nan 1 1'/>", "link a: <box> size"},
                                          {"<box size='0 1 1'/>", "finite and above 0"},
                                          {"<cylinder radius='1' length='-2'/>", "link a: <cylinder> length"},
                                          {"<cylinder length='2'/>", "link a: <cylinder> radius is missing"},
                                          {"<mesh/>", "link a: <mesh> has no filename"},
                                          {"<mesh filename='t.stl' scale='nan 1 1'/>", "link a: <mesh> scale"},
                                          {"<mesh filename='t.stl' scale='1 1'/>", "3 numbers are wanted, it has 2"},
                                          {"<mesh filename='t.stl' scale='1 0 1'/>", "finite and not 0"},
                                          {"<sphere radius='1'/><box size='1 1 1'/>", "a second <box> in <geometry>"}};
  char text[900];
  for (size_t i = 0; i < sizeof joints / sizeof *joints; ++i) {
    snprintf(
        text, sizeof text,
        "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><joint name='i' type='continuous'><parent "
        "link='a'/><child link='c'/></joint>\n<joint name='j' type='continuous'><parent link='a'/><child link='b'/>\n"
        "%s</joint></robot>",
        joints[i][0]);
    refuseNumber(text, "number.urdf:3: joint j: ", joints[i][1]);
  }
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'>\n<collision><geometry>\n%s</geometry></collision></link></robot>",
             shapes[i][0]);
    refuseNumber(text, "number.urdf:3: link a: ", shapes[i][1]);
  }
  refuseUrdf("n1.urdf", "<robot name='r'><link name='a'><collision>\n<geometry/></collision></link></robot>",
             brink_errorParse, "n1.urdf:2: link a: <geometry> with nothing in it");
  refuseUrdf("n2.urdf", "<robot name='r'><link name='a'>\n<collision/></link></robot>", brink_errorParse,
             "n2.urdf:2: link a: <collision> without a <geometry>");
  refuseUrdf(
      "n3.urdf",
      "<robot name='r'><link name='a'><collision>\n<origin xyz='nan 0 0'/><geometry><sphere radius='1'/></geometry>"
      "</collision></link></robot>",
      brink_errorBadValue, "n3.urdf:2: link a: <origin> xyz");
  refuseUrdf("n4.urdf", /* a tab between numbers: liburdfdom leaves such a collision out */
             "<robot name='r'>\n<link name='a'><collision><geometry><box "
             "size='1\t1\t1'/></geometry></collision></link></robot>",
             brink_errorParse, "n4.urdf:2: link a: a <collision> of it cannot be read");
  refuseUrdf(
      "n5.urdf",
      "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='prismatic'><parent link='a'/><child "
      "link='b'/></joint></robot>",
      brink_errorParse, "n5.urdf:2: joint j: it has no <limit>");
  refuseUrdf(
      "n6.urdf",
      "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>\n<joint name='j' type='continuous'><parent "
      "link='a'/><child link='b'/><mimic joint='k'/></joint>\n<joint name='k' type='continuous'><parent link='a'/>"
      "<child link='c'/><mimic joint='j'/></joint></robot>",
      brink_errorBadTree, "n6.urdf:2: joint j: the joints it follows follow each other in a circle");
  refuseUrdf("n7.urdf", "", brink_errorParse, "n7.urdf:1: ");
}

CASE(allowed_pairs_are_found_by_sampling) {
  NEED_URDF();
  char message[300];
  brinkUrdf *urdf = load(pathOf("stand_in_arm.urdf"), 0, NULL); /* without its SRDF */
  brinkWorld *world = newWorld(NULL);
  brinkRobot *robot;
  if (brinkMakeRobot(world, urdf, NULL, &robot, message, sizeof message) != brink_ok) fail_msg("%s", message);
  brinkRobotLinkPair *pairs = NULL;
  size_t count = 0, never = 0;
  assert_int_equal(brinkFindAllowedPairs(robot, 200, 1, 0, &pairs, &count, message, sizeof message), brink_ok);
  for (size_t i = 0; i < count; ++i) assert_true(pairs[i].a < pairs[i].b);
  free(pairs);
  assert_int_equal(brinkFindAllowedPairs(robot, 200, 1, 1, &pairs, &never, message, sizeof message), brink_ok);
  assert_true(never > count); /* fingers never touch the foot, say */
  free(pairs);
  brinkFreeUrdf(urdf);
  api()->destroyWorld(world);
}

CASE(scenes_that_do_not_read_are_refused_with_their_line) {
  static const struct {
    const char *text, *word;
  } rows[] = {{"", "no scene"},
              {"# only a comment\n", "no scene"},
              {"boxes 3\n", ":1: 'boxes'"},
              {"scene s\n", ":1: the number"},
              {"scene s -1\n", ":1: -1"},
              {"scene s 1\nbox 1 1 1 0 0 0 1 0 0\n", ":2: a quaternion is missing"},
              {"scene s 1\nbox 1 1 x 0 0 0 1 0 0 0\n", ":2: a size is 'x'"},
              {"scene s 1\nbox 1 1 nan 0 0 0 1 0 0 0\n", "not a number"},
              {"scene s 1\nbox 1 1 1 0 0 0 1 0 0 0 9\n", ":2: '9' stands after"},
              {"scene s 1\ncone 1 1 1 0 0 0 1 0 0 0\n", ":2: 'cone'"},
              {"scene s 2\nbox 1 1 1 0 0 0 1 0 0 0\n", "ends after 1 of 2"},
              {"scene s 1\n0 0 0\nbox 1 1 1 0 0 0 1 0 0 0\n", "3 numbers"},
              {"scene s 1\nmesh 1 1 1 0 0 0 1 0 0 0\n", "file is missing"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char message[400] = "";
    brinkRobotScenes scenes = {NULL, 77};
    const char *path = writeText("bad.txt", rows[i].text);
    assert_int_not_equal(brinkLoadRobotScenes(path, &scenes, message, sizeof message), brink_ok);
    assert_int_equal(scenes.count, 77);
    if (strstr(message, rows[i].word) == NULL || strstr(message, "bad.txt") == NULL)
      fail_msg("row %zu: '%s' does not say '%s'", i, message, rows[i].word);
  }
  /* a NUL byte would hide the rest of its line */
  const char *bad = writeText("bad.txt", "");
  FILE *file = fopen(bad, "wb");
  static const char hidden[] = "scene s 1\nbox 1 1 1 0 0 0.\0005 1 0 0 0\n";
  assert_int_equal(fwrite(hidden, 1, sizeof hidden - 1, file), sizeof hidden - 1);
  fclose(file);
  char said[400] = "";
  brinkRobotScenes none = {NULL, 77};
  assert_int_equal(brinkLoadRobotScenes(bad, &none, said, sizeof said), brink_errorParse);
  if (strstr(said, "bad.txt:2: a NUL byte") == NULL) fail_msg("'%s'", said);

  /* and one with everything, into a world */
  writeText("t.stl", stl);
  const char *path = writeText("good.txt",
                               "scene s 7 # seven\n0 1 2 3\nbox 1 1 1 0 0 0 1 0 0 0\n"
                               "cylinder 2 0.5 0 0 0 0 1 0 0 0\nsphere 1 0 0 0 0 0 1 0 0 0\n"
                               "plane 0 0 1 0 0 -3 1 0 0 0\nmesh .001 .001 .001 0 0 5 1 0 0 0 t.stl\n"
                               "mesh .001 .001 .001 9 0 5 1 0 0 0 t.stl\nmesh .001 .001 .002 0 9 5 1 0 0 0 t.stl\n"
                               "scene bare 0\nscene empty 0\n1 2\nscene last 0\n");
  char message[400] = "";
  brinkRobotScenes scenes;
  if (brinkLoadRobotScenes(path, &scenes, message, sizeof message) != brink_ok) fail_msg("%s", message);
  assert_int_equal(scenes.count, 4);
  assert_int_equal(scenes.scenes[0].endCount, 4);
  assert_string_equal(scenes.scenes[1].name, "bare"); /* no obstacle, no start, no goal: the robot alone */
  assert_int_equal(scenes.scenes[1].endCount, 0);
  assert_int_equal(scenes.scenes[2].endCount, 2);
  assert_string_equal(scenes.scenes[3].name, "last");
  brinkWorld *world = newWorld(NULL);
  brinkColliderId colliders[7];
  brinkShapeId shapes[7];
  if (brinkAddRobotScene(world, &scenes.scenes[0], colliders, shapes, message, sizeof message) != brink_ok)
    fail_msg("%s", message);
  assert_true(shapes[5] == shapes[4] && shapes[6] != shapes[4]); /* one mesh at one scale is cooked once */
  brinkRemoveRobotScene(world, &scenes.scenes[0], colliders, shapes);
  for (int i = 0; i < 7; ++i) assert_int_not_equal(api()->destroyShape(world, shapes[i]), brink_ok); /* all are gone */
  brinkFreeRobotScenes(&scenes);
  api()->destroyWorld(world);
}

/* ---- plans as certificates, and the commands */

static int run(const char *arguments, char *output, size_t capacity) {
  char command[1500];
  snprintf(command, sizeof command, "cd '%s' && '%s' %s 2>&1", directory, BRINK_BINARY_DIR "/bin/brink", arguments);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t used = fread(output, 1, capacity - 1, pipe);
  output[used] = '\0';
  char rest[4096];
  while (fread(rest, 1, sizeof rest, pipe) > 0) continue;
  int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define NEED_COMMAND()                                          \
  if (access(BRINK_BINARY_DIR "/bin/brink", X_OK) != 0) {       \
    print_message("skipped: the brink command is not built\n"); \
    skip();                                                     \
  }

CASE(a_plan_is_certified_and_verified_edge_by_edge) {
  NEED_URDF();
  NEED_COMMAND();
  static char output[1 << 16];
  int exit =
      run("path stand_in_arm.urdf shelf.txt --srdf stand_in_arm.srdf --certify plan -- "
          "0.6 -0.3 0 1.6 0 0.2 0  0 -0.4 0.2 1.7 0.3 0.2 0.5  -0.6 -0.3 0 1.6 0 0.2 0",
          output, sizeof output);
  if (exit != 0 || strstr(output, "edge 2 free") == NULL || strstr(output, "open 0") == NULL)
    fail_msg("status %d: %s", exit, output);
  exit = run("verify plan/*.cert", output, sizeof output);
  if (exit != 0) fail_msg("status %d: %s", exit, output);
  assert_non_null(
      strstr(output, "plan/edge1.cert proven: 79 certificates, ")); /* an edge a file, whose pairs are named */
  assert_non_null(strstr(output, "plan/edge2.cert proven: 79 certificates, "));
  FILE *file = fopen(pathOf("plan/edge2.cert"), "r");
  assert_non_null(file);
  size_t named = 0;
  char line[4096];
  while (fgets(line, sizeof line, file) != NULL) named += strncmp(line, "# edge 2: ", 10) == 0;
  fclose(file);
  assert_int_equal(named, 79);
  /* two arms, 14 joints, each kept from the other */
  exit =
      run("path stand_in_arms.urdf shelf.txt --srdf stand_in_arms.srdf --certify plan14 -- "
          "0.6 -0.3 0 1.6 0 0.2 0 0.6 -0.3 0 1.6 0 0.2 0  0 -0.4 0.2 1.7 0.3 0.2 0.5 0 -0.4 0.2 1.7 0.3 0.2 0.5",
          output, sizeof output);
  if (exit != 0 || strstr(output, "certificates 273: proven 273, open 0") == NULL)
    fail_msg("status %d: %s", exit, output);
  exit = run("verify plan14/*.cert", output, sizeof output);
  if (exit != 0 || strstr(output, "plan14/edge1.cert proven: 273 certificates, ") == NULL)
    fail_msg("status %d: %s", exit, output);
  /* one that hits is told, and not certified */
  exit =
      run("path stand_in_arm.urdf shelf.txt --srdf stand_in_arm.srdf --certify plan2 -- "
          "0 -0.3 0 1.6 0 0.2 0  0 0.9 0 0.2 0 0.2 0",
          output, sizeof output);
  if (exit != 1 || strstr(output, "edge 1 hit") == NULL) fail_msg("status %d: %s", exit, output);
  assert_non_null(strstr(output, " and obstacle "));
  assert_non_null(strstr(output, "no proof from "));
  assert_int_equal(run("verify plan2/edge1.cert", output, sizeof output), 1);
}

/* What a plan's certificates say of one edge, and whether distances found by sampling keep to it. */
typedef struct Plan {
  size_t pairs, proven;
  double bound; /* m: least of those proven */
} Plan;

static int hearPair(void *user, const brinkPlanPair *pair) {
  Plan *plan = user;
  ++plan->pairs;
  plan->proven += pair->answer->state == brink_certified;
  plan->bound = fmin(plan->bound, pair->answer->bound);
  return 1;
}

/* Every type of joint, mimics of two kinds, on a chain and beside each other: a plan is proven just where the edge is
 * free, and what is proven is no more than the distance kept. */
CASE(plans_of_every_joint_type_are_proven_where_their_edges_are_free) {
  NEED_URDF();
#define BALL(name) "<link name='" name "'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>\n"
#define ENDS(parent, child) "<parent link='" parent "'/><child link='" child "'/>"
#define LIMIT "<limit lower='-3' upper='3' effort='1' velocity='1'/>"
  static const char *const text =
      "<robot name='all'><link name='root'/>\n" BALL("a") BALL("b") BALL("c") BALL("d") BALL("e") BALL("f") BALL("g")
      "<joint name='turn' type='revolute'>" ENDS("root", "a") "<origin xyz='0.3 0 0' rpy='0.2 0 0.4'/><axis xyz='0 0.6 0.8'/>"
      LIMIT "</joint>\n"
      "<joint name='wheel' type='continuous'>" ENDS("a", "b") "<origin xyz='0.5 0.1 0'/><axis xyz='0 1 0'/></joint>\n"
      "<joint name='slide' type='prismatic'>" ENDS("b", "c") "<origin xyz='0.4 0 0.1'/><axis xyz='1 0 1'/>" LIMIT "</joint>\n"
      "<joint name='follow' type='revolute'>" ENDS("c", "d") "<origin xyz='0.3 0.2 0'/><axis xyz='0 0 1'/>" LIMIT
      "<mimic joint='turn' multiplier='-2' offset='0.1'/></joint>\n"
      "<joint name='push' type='prismatic'>" ENDS("root", "e") "<origin xyz='0 -0.6 0'/><axis xyz='0 0 1'/>" LIMIT
      "<mimic joint='slide' multiplier='0.5'/></joint>\n"
      "<joint name='plane' type='planar'>" ENDS("e", "f") "<origin xyz='0.4 0 0' rpy='0.3 0 0'/><axis xyz='0 0 1'/></joint>\n"
      "<joint name='fly' type='floating'>" ENDS("root", "g") "</joint></robot>\n";
  static const char *const wall = "scene s 2\nbox 0.2 0.2 3 1.2 0.3 0 1 0 0 0\nsphere 0.3 0 0 -0.8 -0.4 0.2 1 0 0 0\n";
  brinkUrdf *urdf = load(writeText("kinds.urdf", text), 0, NULL);
  char message[400] = "";
  brinkRobotScenes scenes;
  if (brinkLoadRobotScenes(writeText("kinds.txt", wall), &scenes, message, sizeof message) != brink_ok)
    fail_msg("%s", message);
  brinkWorld *world = newWorld(NULL);
  const brinkRobotTable *robots = api()->getExtension(BRINK_ROBOT_NAME);
  brinkRobot *robot = NULL;
  brinkRobotView *view = NULL;
  brinkColliderId colliders[2];
  brinkShapeId shapes[2];
  ASSERT_OK(world, brinkMakeRobot(world, urdf, NULL, &robot, message, sizeof message));
  ASSERT_OK(world, brinkAddRobotScene(world, &scenes.scenes[0], colliders, shapes, message, sizeof message));
  ASSERT_OK(world, robots->createView(robot, &view));
  brinkRobotInfo info = {.structSize = sizeof info};
  ASSERT_OK(world, robots->info(robot, &info));
  assert_int_equal(info.valueCount, 3 + 3 + 7);
  Random random = {31};
  int free = 0, met = 0;
  for (int round = 0; round < 150; ++round) {
    double q[2][13];
    for (int k = 0; k < 13; ++k) { /* ways of a third of the range; quaternions as they come */
      q[0][k] = uniform(&random, -1, 1);
      q[1][k] = q[0][k] + uniform(&random, -0.4, 0.4);
    }
    brinkEdgeAnswer answer = {.structSize = sizeof answer};
    const brinkEdgeQuery query = {.structSize = sizeof query, .flags = BRINK_EDGE_NO_LIMITS};
    brinkRobotClearance clearance = {.structSize = sizeof clearance};
    if (robots->edge(view, q[0], q[1], &query, &answer) != brink_ok) fail_msg("%s", robots->viewError(view));
    if (robots->clearance(view, q[0], q[1], BRINK_EDGE_NO_LIMITS, 1e-6, &clearance) != brink_ok)
      fail_msg("%s", robots->viewError(view));
    Plan plan = {.bound = INFINITY};
    brinkPlanSummary summary;
    if (brinkCertifyPlan(urdf, NULL, &scenes.scenes[0], q[0], 2, 1, NULL, hearPair, &plan, &summary, message,
                         sizeof message) != brink_ok)
      fail_msg("%s", message);
    assert_int_equal(summary.pairs, plan.pairs);
    if (answer.state == brink_free && clearance.lower < 2e-3) continue; /* nearer than the default tolerance */
    if ((plan.proven == plan.pairs) != (answer.state == brink_free))
      fail_msg("round %d: state %u at %g, clearance %g; %zu of %zu proven", round, answer.state, answer.toi,
               clearance.lower, plan.proven, plan.pairs);
    if (answer.state == brink_free && !(plan.bound <= clearance.upper + 1e-9))
      fail_msg("round %d: %g proven, the distance comes down to %g", round, plan.bound, clearance.upper);
    free += answer.state == brink_free;
    met += answer.state != brink_free;
  }
  if (free < 30 || met < 30) fail_msg("%d free, %d met", free, met);
  brinkFreeRobotScenes(&scenes);
  brinkFreeUrdf(urdf);
  api()->destroyWorld(world);
}

CASE(the_commands_tell_robots_and_paths) {
  NEED_URDF();
  NEED_COMMAND();
  static char output[1 << 16];
  assert_int_equal(run("robot info stand_in_arms.urdf --srdf stand_in_arms.srdf", output, sizeof output), 0);
  assert_non_null(strstr(output, "robot stand_in_arms: 21 links, 20 joints, 14 values, 21 shapes, 24 pairs allowed"));
  assert_non_null(strstr(output, "joint bend_b: revolute, elbow_b -> fore_b, value 10, -2.4 to 2.4"));
  assert_int_equal(run("path stand_in_arm.urdf shelf.txt --measure", output, sizeof output), 0);
  assert_non_null(strstr(output, "clearance"));
  static const char *const ways[] = {"path stand_in_arm.urdf shelf.txt --srdf stand_in_arm.srdf",
                                     "path stand_in_arms.urdf shelf.txt --srdf stand_in_arms.srdf --scene two_shelves"};
  for (size_t i = 0; i < 2; ++i) { /* both ends are free, the way between them is not */
    assert_int_equal(run(ways[i], output, sizeof output), 0);
    if (strncmp(output, "edge 1 hit 0.1", 14) != 0) fail_msg("%s: %s", ways[i], output);
  }
  static const char *const goals[] = {"-- -0.6 0.1 0 1.2 0 0.2 0 -0.6 0.1 0 1.2 0 0.2 0",
                                      "-- -0.6 0.1 0 1.2 0 0.2 0 0.5 0.8 0 1.3 0 -0.6 0 "
                                      "-0.6 0.1 0 1.2 0 0.2 0 0.5 0.8 0 1.3 0 -0.6 0"};
  for (size_t i = 0; i < 2; ++i) {
    char line[300];
    snprintf(line, sizeof line, "%s %s", ways[i], goals[i]);
    assert_int_equal(run(line, output, sizeof output), 0);
    if (strncmp(output, "edge 1 free ", 12) != 0) fail_msg("%s: %s", line, output);
  }
  assert_int_equal(run("path stand_in_arm.urdf shelf.txt -- 1 2 3", output, sizeof output), 2);
  assert_non_null(strstr(output, "have 7 values"));
  assert_int_equal(run("path stand_in_arm.urdf shelf.txt --scene none", output, sizeof output), 2);
  assert_int_equal(run("path stand_in_arm.urdf shelf.txt -- 9 0 0 0 0 0 0 0 0 0 0 0 0 0", output, sizeof output), 1);
  assert_non_null(strstr(output, "joint turn is 9"));
  assert_int_equal(run("robot info nothing.urdf", output, sizeof output), 1);
  static const char *const wrong[][2] = {{"robot tell x.urdf", "are known"},
                                         {"robot info", "no URDF file"},
                                         {"robot info stand_in_arm.urdf 1", "'1' is too much"},
                                         {"robot generate", "no folder"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    assert_int_equal(run(wrong[i][0], output, sizeof output), 2);
    assert_non_null(strstr(output, wrong[i][1]));
  }
}

CASE(machines_on_a_construction_site_are_written) {
  NEED_URDF();
  NEED_COMMAND();
  static char output[1 << 16];
  assert_int_equal(run("robot generate .", output, sizeof output), 0);
  assert_int_equal(run("robot info excavator/excavator.urdf --srdf excavator/excavator.srdf", output, sizeof output),
                   0);
  assert_non_null(strstr(output, "6 links, 5 joints, 5 values, 5 shapes"));
  assert_non_null(strstr(output, "link boom: 1 shapes, 4032 triangles"));
  assert_int_equal(run("robot info tower_crane/tower_crane.urdf", output, sizeof output), 0);
  assert_non_null(strstr(output, "7 links, 6 joints, 5 values, 6 shapes"));
  brinkRobotScenes scenes;
  char message[256] = "";
  assert_int_equal(brinkLoadRobotScenes(pathOf("excavator/scenes.txt"), &scenes, message, sizeof message), brink_ok);
  assert_int_equal(scenes.scenes[0].obstacleCount, 31);
  brinkFreeRobotScenes(&scenes);
  assert_int_equal(run("robot generate excavator/excavator.urdf/none", output, sizeof output), 1); /* below a file */
}

/* ---- optional programs */

static int runProgram(const char *command) {
  char whole[1500];
  snprintf(whole, sizeof whole, "cd '%s' && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 %s >out.log 2>&1",
           directory, command);
  int status = system(whole);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

CASE(ranks_and_threads_write_what_one_writes_and_go_on_after_a_loss) {
  NEED_URDF();
  if (access(BRINK_BINARY_DIR "/bin/brink-mpi", X_OK) != 0 || runProgram("mpirun --version") != 0) {
    print_message("skipped: brink-mpi or mpirun is missing\n");
    skip();
  }
#define JOB BRINK_BINARY_DIR "/bin/brink-mpi stand_in_arm.urdf shelf.txt --srdf stand_in_arm.srdf random:5000:3 "
#define TWO "mpirun --oversubscribe -n 2 "
  assert_int_equal(runProgram("mpirun -n 1 " JOB "one.out"), 0);
  assert_int_equal(runProgram(TWO JOB "two.out"), 0);
  assert_int_equal(runProgram("cmp one.out two.out"), 0);
  assert_int_equal(runProgram("mpirun -n 1 " JOB "three.out --threads 3"), 0);
  assert_int_equal(runProgram("cmp one.out three.out"), 0);
  assert_int_not_equal(runProgram(TWO JOB "lost.out --threads 2 --stop-after 2"), 0);
  assert_int_equal(runProgram(TWO JOB "lost.out --threads 3"), 0);
  assert_int_equal(runProgram("cmp one.out lost.out && test ! -e lost.out.done"), 0);
  assert_int_not_equal(runProgram(TWO JOB "lost.out --stop-after 1"), 0);
  assert_int_equal(runProgram("test -s lost.out.done"), 0);
  assert_int_not_equal(runProgram("mpirun -n 1 " JOB "lost.out --no-self"), 0); /* another question */
  assert_int_equal(runProgram("mpirun -n 1 " JOB "lost.out"), 0);
  assert_int_equal(runProgram("cmp one.out lost.out && test ! -e lost.out.done"), 0);
  assert_int_equal(runProgram("grep -q '^free' one.out && grep -q '^hit' one.out"), 0);
  /* edges from a file: the same answers; a word that is no number, and a configuration cut short, are told */
  const char edge[] = "0.6 -0.3 0 1.6 0 0.2 0  0 -0.4 0.2 1.7 0.3 0.2 0.5\n";
#define FILED BRINK_BINARY_DIR "/bin/brink-mpi stand_in_arm.urdf shelf.txt --srdf stand_in_arm.srdf edges.txt filed.out"
  char text[4 * sizeof edge];
  snprintf(text, sizeof text, "%s%s", edge, edge);
  writeText("edges.txt", text);
  assert_int_equal(runProgram("mpirun -n 1 " FILED), 0);
  assert_int_equal(runProgram("test $(grep -c '^free' filed.out) = 2 && rm filed.out"), 0);
  static const char *const bad[][2] = {{"0 nan\n", "number 15, of edge 2, is"},
                                       {"0 1x\n", "number 16, of edge 2, is"},
                                       {"0 1\n", "two configurations an edge"}};
  for (size_t i = 0; i < 3; ++i) {
    snprintf(text, sizeof text, "%s%s", edge, i == 0 ? bad[0][0] + 2 : bad[i][0]);
    writeText("edges.txt", text);
    assert_int_not_equal(runProgram("mpirun -n 1 " FILED), 0);
    snprintf(text, sizeof text, "grep -q '%s' out.log && test ! -e filed.out", bad[i][1]);
    assert_int_equal(runProgram(text), 0);
  }
}

CASE(planned_paths_hold_no_wrong_edge) {
  NEED_URDF();
  if (access(BRINK_BINARY_DIR "/bin/brink-ompl-shelf", X_OK) != 0) {
    print_message("skipped: the OMPL example is not built\n");
    skip();
  }
  assert_int_equal(runProgram(BRINK_BINARY_DIR "/bin/brink-ompl-shelf 4"), 0); /* 1: an edge was wrong */
  assert_int_equal(runProgram(BRINK_BINARY_DIR "/bin/brink-ompl-shelf no"), 1);
}

int main(void) { return cases_Run(makeDirectory, removeDirectory); }
