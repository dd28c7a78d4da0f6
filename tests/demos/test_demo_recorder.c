/* SPDX-License-Identifier: BSD-3-Clause */
/* Do other programs read what the recorder writes? The GLB's structure by the glTF 2.0 rules, and through assimp; the
 * page as text: both runs in it, no script that ends another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include <math.h>
#include <sys/stat.h>

#include "file_bytes.h"
#include "recorder.h"

#define FOLDER BRINK_BINARY_DIR "/test_demo_recorder"
#define STEP 0.1
#define FRAMES 12

static double cubeVertices[24];
static uint32_t cubeIndices[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                   2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
static brinkMesh cube = {cubeVertices, 8, cubeIndices, 12, 0};

static int setUp(void **state) {
  (void)state;
  for (int i = 0; i < 24; i++) cubeVertices[i] = (i / 3) >> (i % 3) & 1 ? 0.5 : -0.5;
  mkdir(FOLDER, 0777);
  mkdir(FOLDER "/three", 0777);
  mkdir(FOLDER "/three/examples", 0777);
  mkdir(FOLDER "/three/examples/js", 0777);
  mkdir(FOLDER "/three/examples/js/controls", 0777);
  return 0;
}

/* Two bodies that spin, one terrain; part 0 is through in frames 5..7. */
static recording *record(double speed) {
  static const double eye[3] = {0, -10, 3}, target[3] = {0, 0, 0};
  dInitODE2(0);
  dWorldID world = dWorldCreate();
  dBodyID bodies[2] = {dBodyCreate(world), dBodyCreate(world)};
  dBodySetAngularVel(bodies[0], 0, 0, 7.0);
  dBodySetLinearVel(bodies[1], speed, 0, 0);
  demoVisual visuals[3] = {{.body = bodies[0], .mesh = &cube, .color = {1, 0, 0}, .part = 0},
                           {.body = bodies[1], .mesh = &cube, .color = {1, 0, 0}, .part = 1, .offset = {0, 0, 2}},
                           {.mesh = &cube, .style = RENDER_TERRAIN, .part = -1}};
  recording *run = recording_Create(visuals, 3, STEP);
  assert_non_null(run);
  assert_true(recording_Sample(run, visuals, NULL, eye, target));
  for (int i = 0; i < FRAMES; i++) {
    dBrinkEvent event = {.position = {1, 2, 3}};
    demoFrame frame = {.frame = i, .through = i >= 5 && i <= 7, .throughMask = i >= 5 && i <= 7 ? 1 : 0};
    if (i == 4) frame.brink.events = &event, frame.brink.eventCount = 1;
    dWorldStep(world, STEP);
    assert_true(recording_Sample(run, visuals, &frame, eye, target));
  }
  dWorldDestroy(world);
  dCloseODE();
  return run;
}

static void writeText(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static uint32_t wordAt(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int countOf(const char *text, const char *what) {
  int count = 0;
  for (const char *found = strstr(text, what); found; found = strstr(found + 1, what)) count++;
  return count;
}

typedef struct viewRange {
  size_t offset, length;
} viewRange;

static int readViews(const char *json, viewRange *views, int capacity) {
  int count = 0;
  const char *place = strstr(json, "\"bufferViews\":[");
  assert_non_null(place);
  const char *end = strchr(place, ']');
  while ((place = strstr(place, "{\"buffer\":0,")) != NULL && place < end) {
    assert_true(count < capacity);
    assert_int_equal(sscanf(place, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", &views[count].offset,
                            &views[count].length),
                     2);
    count++;
    place++;
  }
  return count;
}

static size_t componentCount(const char *type) {
  return strncmp(type, "SCALAR", 6) == 0 ? 1
         : strncmp(type, "VEC3", 4) == 0 ? 3
         : strncmp(type, "VEC4", 4) == 0 ? 4
                                         : 0;
}

CASE(glb_chunks_views_and_accessors_fit_together) {
  char message[200] = "";
  recording *run = record(3.0);
  assert_true(recording_WriteGlb(run, FOLDER "/run.glb", message, sizeof message));
  recording_Destroy(run);
  size_t size;
  unsigned char *glb = readBytes(FOLDER "/run.glb", &size);
  assert_memory_equal(glb, "glTF", 4);
  assert_int_equal(wordAt(glb + 4), 2);
  assert_int_equal(wordAt(glb + 8), size);
  size_t jsonSize = wordAt(glb + 12), binarySize = wordAt(glb + 20 + jsonSize);
  assert_memory_equal(glb + 16, "JSON", 4);
  assert_int_equal(jsonSize % 4, 0);
  assert_int_equal(binarySize % 4, 0);
  assert_memory_equal(glb + 24 + jsonSize, "BIN\0", 4);
  assert_int_equal(28 + jsonSize + binarySize, size);
  char *json = malloc(jsonSize + 1);
  memcpy(json, glb + 20, jsonSize);
  json[jsonSize] = 0;
  const unsigned char *binary = glb + 28 + jsonSize;

  size_t stated;
  const char *buffers = strstr(json, "\"buffers\":[{\"byteLength\":");
  assert_non_null(buffers);
  assert_int_equal(sscanf(buffers, "\"buffers\":[{\"byteLength\":%zu", &stated), 1);
  assert_int_equal(stated, binarySize);

  viewRange views[64];
  int viewCount = readViews(json, views, 64), accessors = 0, floats = 0;
  for (int i = 0; i < viewCount; i++)
    assert_true(views[i].offset % 4 == 0 && views[i].offset + views[i].length <= binarySize);
  const char *place = strstr(json, "\"accessors\":[");
  assert_non_null(place);
  while ((place = strstr(place, "{\"bufferView\":")) != NULL) {
    int view, component;
    size_t count;
    char type[16];
    assert_int_equal(sscanf(place, "{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%15[A-Z0-9]",
                            &view, &component, &count, type),
                     4);
    size_t width = component == 5121 ? 1 : 4;
    assert_true(view >= 0 && view < viewCount && componentCount(type) > 0);
    assert_int_equal(count * componentCount(type) * width, views[view].length);
    if (component == 5125) /* indices stay inside the mesh */
      for (size_t k = 0; k < count; k++) assert_true(wordAt(binary + views[view].offset + 4 * k) < 8);
    for (size_t k = 0; component == 5126 && k < count * componentCount(type); k++, floats++) {
      float value;
      memcpy(&value, binary + views[view].offset + 4 * k, 4);
      assert_true(isfinite(value));
    }
    accessors++;
    place++;
  }
  /* one mesh: positions, indices, colours; the time; two tracks for each of two moving bodies */
  assert_int_equal(accessors, 3 + 1 + 4);
  assert_int_equal(countOf(json, "\"path\":\"rotation\""), 2);
  assert_int_equal(countOf(json, "\"path\":\"translation\""), 2);
  assert_int_equal(countOf(json, "\"metallicFactor\":0,"), 2); /* two looks */
  free(json);
  free(glb);
}

CASE(assimp_reads_every_triangle_back) {
  char message[400] = "";
  recording *run = record(3.0);
  assert_true(recording_WriteGlb(run, FOLDER "/back.glb", message, sizeof message));
  recording_Destroy(run);
  brinkMesh mesh;
  if (brinkImportMesh(FOLDER "/back.glb", 0, &mesh, message, sizeof message) != brink_ok) fail_msg("%s", message);
  assert_int_equal(mesh.triangleCount, 3 * 12);
  brinkFreeMesh(&mesh);
}

CASE(quaternions_in_a_track_never_jump_to_their_negative) {
  recording *run = record(0.0);
  renderItem items[3];
  double before[9];
  for (int s = 0; s < recording_Frames(run); s++) {
    recording_Items(run, s, items);
    if (s > 0) {
      double trace = 0.0; /* of the turn from the last sample: 1 + 2 cos(0.7) */
      for (int k = 0; k < 9; k++) trace += before[k] * items[0].rotation[k];
      assert_true(fabs(trace - (1.0 + 2.0 * cos(2.0 * atan(0.35)))) < 1e-6);
    }
    memcpy(before, items[0].rotation, sizeof before);
  }
  recording_Destroy(run);
}

CASE(an_offset_mesh_is_recorded_where_it_is) {
  recording *run = record(3.0);
  renderItem items[3];
  recording_Items(run, FRAMES, items);
  assert_true(fabs(items[1].position[0] - 3.0 * STEP * FRAMES) < 1e-9 && fabs(items[1].position[2] - 2.0) < 1e-9);
  recording_Items(run, 6, items);
  assert_true(items[0].style & RENDER_XRAY);
  assert_false(items[1].style & RENDER_XRAY);
  assert_int_equal(recording_FirstImpact(run), 5); /* frame 4 is sample 5 */
  double points[4][3];
  assert_int_equal(recording_Impacts(run, 0, FRAMES, points, 4), 1);
  assert_true(points[0][1] == 2.0);
  recording_Destroy(run);
}

static recordingPage pageWith(const char *threeDir) {
  return (recordingPage){.title = "A <title> & more",
                         .verdict = "verdict \"quoted\" </script>",
                         .throughText = "cars </script> \"x\"",
                         .plainText = "1 of 2 cars",
                         .brinkText = "0 of 2",
                         .partCount = 2,
                         .threeDir = threeDir};
}

CASE(the_page_holds_both_runs_and_no_script_ends_early) {
  char message[400] = "";
  writeText(FOLDER "/three/three.min.js", "var a = '</script>'; var b = \"</SCRIPT >\"; var c = 1 </b/.x;\n");
  writeText(FOLDER "/three/examples/js/controls/OrbitControls.js", "var controls = 1;\n");
  recording *plain = record(1.0), *brink = record(2.0);
  recordingPage page = pageWith(FOLDER "/three");
  assert_int_equal(recording_WriteHtml(plain, brink, &page, FOLDER "/run.html", message, sizeof message), 1);
  recording_Destroy(plain);
  recording_Destroy(brink);
  size_t size;
  char *html = (char *)readBytes(FOLDER "/run.html", &size);
  assert_int_equal(countOf(html, "\"tracks\":["), 2);
  assert_int_equal(countOf(html, "\"impacts\":["), 2);
  assert_non_null(strstr(html, "A &lt;title&gt; &amp; more"));
  assert_non_null(strstr(html, "verdict &quot;quoted&quot; &lt;/script&gt;"));
  assert_non_null(strstr(html, "'<\\/script>'"));
  assert_non_null(strstr(html, "\"<\\/SCRIPT >\""));
  assert_non_null(strstr(html, "1 </b/.x"));
  assert_int_equal(countOf(html, "<script>"), 4);
  assert_int_equal(countOf(html, "</script>"), 4);
  assert_null(strstr(html, "{{"));   /* every place of the template is filled */
  assert_null(strstr(html, "src=")); /* nothing is fetched */
  assert_null(strstr(html, "http"));
  free(html);
}

static int base64Value(char c) {
  return c >= 'A' && c <= 'Z'   ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+'             ? 62
                                : 63;
}

static unsigned char *decodeBlock(const char *html) {
  const char *text = strstr(html, "run.block = \"");
  assert_non_null(text);
  text += strlen("run.block = \"");
  size_t length = strcspn(text, "\"");
  unsigned char *bytes = calloc(length, 1);
  assert_non_null(bytes);
  for (size_t i = 0; i + 3 < length; i += 4) {
    uint32_t group = 0;
    for (size_t k = 0; k < 4; k++) group = group << 6 | (text[i + k] == '=' ? 0u : (uint32_t)base64Value(text[i + k]));
    bytes[i / 4 * 3] = (unsigned char)(group >> 16), bytes[i / 4 * 3 + 1] = (unsigned char)(group >> 8),
                  bytes[i / 4 * 3 + 2] = (unsigned char)group;
  }
  return bytes;
}

static unsigned shortAt(const unsigned char *bytes) { return (unsigned)bytes[0] | (unsigned)bytes[1] << 8; }

/* What run.js does: the keyframes of a page's track, and between them straight lines. */
CASE(a_packed_track_is_where_the_body_was) {
  char message[400] = "";
  writeText(FOLDER "/three/three.min.js", "\n");
  writeText(FOLDER "/three/examples/js/controls/OrbitControls.js", "\n");
  recording *run = record(3.0);
  recordingPage page = pageWith(FOLDER "/three");
  assert_int_equal(recording_WriteHtml(run, run, &page, FOLDER "/track.html", message, sizeof message), 1);
  size_t size;
  char *html = (char *)readBytes(FOLDER "/track.html", &size);
  unsigned char *block = decodeBlock(html);
  const char *tracks = strstr(html, "\"tracks\":[");
  for (int visual = 0; visual < 2; visual++) {
    size_t at;
    int count;
    double low[3], step[3];
    tracks = strchr(tracks + (visual ? 1 : 10), '[');
    assert_int_equal(sscanf(tracks, "[%zu,%d,%lf,%lf,%lf,%lf,%lf,%lf]", &at, &count, &low[0], &low[1], &low[2],
                            &step[0], &step[1], &step[2]),
                     8);
    if (visual == 0) assert_int_equal(count, FRAMES + 1); /* it spins: every sample stays */
    if (visual == 1) assert_int_equal(count, 2);          /* it flies straight */
    for (int s = 0; s <= FRAMES; s++) {
      renderItem items[3];
      recording_Items(run, s, items);
      int key = 0;
      while (key + 1 < count - 1 && (int)shortAt(block + at + 2 * (size_t)(key + 1)) <= s) key++;
      const unsigned char *poses = block + at + 2 * (size_t)count + 14 * (size_t)key;
      double first = shortAt(block + at + 2 * (size_t)key), last = shortAt(block + at + 2 * (size_t)(key + 1));
      for (int k = 0; k < 3; k++) {
        double a = shortAt(poses + 2 * k), b = shortAt(poses + 14 + 2 * k);
        double there = low[k] + step[k] * (a + (s - first) / (last - first) * (b - a));
        assert_true(fabs(there - items[visual].position[k]) < 3e-4); /* the view is 10 m wide */
      }
    }
  }
  free(block);
  free(html);
  recording_Destroy(run);
}

/* Was 47 MB: two whole GLB files. */
CASE(a_page_of_a_thousand_bodies_is_small) {
  static const double eye[3] = {16, -22, 12}, target[3] = {0, 0, 0};
  enum { bodies = 1000, samples = 600 };
  static demoVisual visuals[bodies];
  char message[400] = "";
  dInitODE2(0);
  dWorldID world = dWorldCreate();
  for (int i = 0; i < bodies; i++) {
    visuals[i] = (demoVisual){.body = dBodyCreate(world), .mesh = &cube, .part = -1};
    dBodySetPosition(visuals[i].body, i % 40, i / 40, 0.5);
  }
  recording *run = recording_Create(visuals, bodies, STEP);
  assert_non_null(run);
  for (int s = 0; s < samples; s++) {
    for (int i = 0; i < bodies; i++) dBodySetPosition(visuals[i].body, i % 40, i / 40, 0.5 + 1e-6 * (s * (i + 7) % 5));
    assert_true(recording_Sample(run, visuals, NULL, eye, target));
  }
  writeText(FOLDER "/three/three.min.js", "\n");
  writeText(FOLDER "/three/examples/js/controls/OrbitControls.js", "\n");
  recordingPage page = pageWith(FOLDER "/three");
  assert_int_equal(recording_WriteHtml(run, run, &page, FOLDER "/pile.html", message, sizeof message), 1);
  recording_Destroy(run);
  dWorldDestroy(world);
  dCloseODE();
  size_t size;
  free(readBytes(FOLDER "/pile.html", &size));
  print_message("a thousand bodies, 600 samples, two runs: %zu bytes\n", size);
  assert_true(size < 1500000); /* three.js and the meshes come on top: less than 5 MB in all */
}

CASE(a_part_that_was_through_stays_counted) {
  recording *run = record(1.0);
  assert_int_equal(recording_Ever(run, 5), 0);
  assert_int_equal(recording_Ever(run, 6), 1);
  assert_int_equal(recording_Through(run, FRAMES), 0);
  assert_int_equal(recording_Ever(run, FRAMES), 1);
  recording_Destroy(run);
}

/* A note stands at its visual from the frame in which it was set, and in the page's data. */
CASE(a_note_is_told_from_its_frame_on) {
  static const double eye[3] = {0, -10, 3}, target[3] = {0, 0, 0};
  demoVisual visual = {.mesh = &cube, .part = -1};
  recording *run = recording_Create(&visual, 1, STEP);
  const demoFrame frame = {.frame = 0};
  recordedNote notes[2];
  assert_true(recording_Sample(run, &visual, NULL, eye, target));
  visual.note = "a sensor";
  assert_true(recording_Sample(run, &visual, &frame, eye, target));
  assert_int_equal(recording_Notes(run, 0, notes, 2), 0);
  assert_int_equal(recording_Notes(run, 1, notes, 2), 1);
  assert_string_equal(notes[0].text, "a sensor");
  assert_int_equal(notes[0].from, 1);
  assert_true(notes[0].place[0] == 0.0 && notes[0].place[2] == -0.5); /* at the cube's lower face */
  writeText(FOLDER "/three/three.min.js", "var three = 1;\n");
  writeText(FOLDER "/three/examples/js/controls/OrbitControls.js", "\n");
  char message[200] = "";
  recordingPage page = pageWith(FOLDER "/three");
  assert_int_equal(recording_WriteHtml(run, run, &page, FOLDER "/note.html", message, sizeof message), 1);
  size_t size;
  char *html = (char *)readBytes(FOLDER "/note.html", &size);
  assert_int_equal(countOf(html, "\"notes\":[[1,0,0,-0.5,\"a sensor\"]]"), 2);
  free(html);
  recording_Destroy(run);
}

CASE(the_distance_of_two_runs_is_that_of_their_farthest_bodies) {
  recording *slow = record(1.0), *fast = record(3.0);
  assert_true(recording_Difference(slow, fast, 0) == 0.0);
  assert_true(fabs(recording_Difference(slow, fast, FRAMES) - 2.0 * STEP * FRAMES) < 1e-9);
  assert_true(fabs(recording_Moved(slow, FRAMES) - 1.0 * STEP * FRAMES) < 1e-9);
  recording_Destroy(slow);
  recording_Destroy(fast);
}

CASE(a_page_without_three_is_left_out_and_says_which_package) {
  char message[400] = "";
  recording *run = record(1.0);
  recordingPage page = pageWith(FOLDER "/nowhere");
  remove(FOLDER "/none.html");
  assert_int_equal(recording_WriteHtml(run, run, &page, FOLDER "/none.html", message, sizeof message), 0);
  assert_non_null(strstr(message, "libjs-three"));
  assert_null(fopen(FOLDER "/none.html", "rb"));
  recording_Destroy(run);
}

int main(void) { return cases_Run(setUp, NULL); }
