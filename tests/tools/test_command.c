/* SPDX-License-Identifier: BSD-3-Clause */
/* Does the `brink` command keep its promises to scripts? Formats, exit statuses, file:line of malformed input with no
 * earlier case lost, times in [0,T] that are never later than the closed form, CSV columns, independence of the
 * locale and of the number of threads. Runs the built program; skipped when it was not built. */
#define _GNU_SOURCE
#include "cases.h"
#include "command_support.h"

#include <math.h>

#ifdef BRINK_WITHOUT_DEFORMING
#define NEED_DEFORMING() skip()
#define HAS_DEFORMING 0
#else
#define NEED_DEFORMING()
#define HAS_DEFORMING 1
#endif

/* Two unit cubes, 3 m between them, closing at `speed` m/s along x over T seconds. */
static const char cube[] =
    "verts 8\n-.5 -.5 -.5  -.5 -.5 .5  -.5 .5 -.5  -.5 .5 .5  .5 -.5 -.5  .5 -.5 .5  .5 .5 -.5  .5 .5 .5\n"
    "simps 12\n3 0 1 3 3 0 3 2 3 4 6 7 3 4 7 5 3 0 4 5 3 0 5 1 3 2 3 7 3 2 7 6 3 0 2 6 3 0 6 4 3 1 5 7 3 1 7 3\n";

static void cubesCase(char *out, size_t capacity, const char *name, const char *flags, double speed, double T) {
  snprintf(out, capacity,
           "ccd 1\nname %s # a comment\nclass cubes\nT %.17g\neps 2 1e-3 1e-6\nbody %s\nchain 1\n0 0 0  2 0 0 0  %.17g "
           "0 0  0 0 0\n%s"
           "body %s\nchain 1\n4 0 0  1 0 0 0  0 0 0  0 0 0\n%send\n",
           name, T, flags, speed, cube, flags, cube);
}

CASE(answers_are_lines_of_seven_words) {
  NEED_PROGRAM();
  char text[8192], one[2048];
  static const char *const flags[] = {"convex solid", "solid", "none"};
  text[0] = '\0';
  for (int i = 0; i < 3; ++i) {
    char name[16];
    snprintf(name, sizeof name, "hit_%d", i);
    cubesCase(one, sizeof one, name, flags[i], 1.0, 7.0); /* touches at t = 3 s */
    strcat(text, one);
  }
  cubesCase(one, sizeof one, "miss", "convex", 1.0, 2.5); /* ends 0.5 m apart */
  strcat(text, one);
  writeFile("cubes.ccd", text);
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(run(k == 0 ? "check cubes.ccd" : "check cubes.ccd --eps-index 1"), 0);
    double eps = k == 0 ? 1e-3 : 1e-6;
    char *line = strtok(output, "\n");
    for (int i = 0; i < 4; ++i, line = strtok(NULL, "\n")) {
      assert_non_null(line);
      char name[64], verdict[64], toiText[64], upperText[64];
      double distance, microseconds;
      unsigned long long iterations;
      assert_int_equal(sscanf(line, "%63s %63s %63s %63s %lf %llu %lf", name, verdict, toiText, upperText, &distance,
                              &iterations, &microseconds),
                       7);
      if (i == 3) {
        assert_string_equal(name, "miss");
        assert_string_equal(verdict, "free");
        assert_string_equal(toiText, "-");
        assert_string_equal(upperText, "-");
        assert_true(distance <= 0.5 && distance >= 0.0);
        continue;
      }
      assert_string_equal(verdict, "hit");
      double toi = strtod(toiText, NULL), upper = strtod(upperText, NULL);
      if (!(toi <= 3.0 && toi >= 3.0 - eps * 1.0001 && upper >= toi && upper <= 7.0))
        fail_msg("%s: toi %.17g, upper %.17g, expected just below 3", line, toi, upper);
    }
    assert_null(line);
  }
}

/* check and show, of a build without the wing deforming; the whole build answers. */
CASE(linear_bodies_are_refused_with_a_reason_where_their_wing_is_left_out) {
  NEED_PROGRAM();
  writeFile("lone.ccd",
            "ccd 1 name lone body linear verts 1 0 0 9 0 0 8 simps 1 1 0 body linear verts 1 0 0 0 0 0 1 simps 1 1 0 "
            "end\n");
  const int refused = HAS_DEFORMING ? 0 : 1;
  const char *words = refused ? "brink: lone: this build leaves out what answers it" : "";
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(run(i == 0 ? "check lone.ccd" : "show lone.ccd"), refused);
    assert_non_null(strstr(errors, words));
  }
}

CASE(linear_bodies_are_answered_against_each_other_and_against_chains) {
  NEED_PROGRAM();
  NEED_DEFORMING();
  writeFile(
      "linear.ccd",
      "ccd 1 name lin class affine T 2 eps 1 1e-3\nbody linear\nverts 1\n0 0 0 1 0 0\nsimps 1\n1 0\n"
      "body linear\nverts 3\n.5 -1 -1 .5 -1 -1  .5 1 -1 .5 1 -1  .5 0 1 .5 0 1\nsimps 1\n3 0 1 2\nend\n"
      "ccd 1 name chained class affine T 2 eps 1 1e-3\nbody\nchain 1\n0 0 0 1 0 0 0 .5 0 0 0 0 0\nverts 1\n0 0 0\n"
      "simps 1\n1 0\nbody linear\nverts 2\n.5 -1 0 .5 -1 0  .5 1 0 .5 1 0\nsimps 1\n2 0 1\nend\n");
  assert_int_equal(run("check linear.ccd"), 0);
  const char *line = output, *names[2] = {"lin hit ", "chained hit "};
  for (int i = 0; i < 2; ++i) {
    double toi, upper;
    assert_true(strncmp(line, names[i], strlen(names[i])) == 0);
    assert_int_equal(sscanf(line + strlen(names[i]), "%lf %lf", &toi, &upper), 2);
    assert_true(toi <= 1.0 && toi >= 1.0 - 2e-3 && upper >= toi); /* half way, T = 2 */
    line = strchr(line, '\n') + 1;
  }
}

CASE(public_queries_are_read_exactly_or_refused) {
  NEED_PROGRAM();
  NEED_DEFORMING();
  /* a vertex falls from z = 1 to -1 through a triangle at rest; then the same rows as two edges */
  const char *rows =
      "1,4,1,4,1,1,1\n0,1,0,1,0,1,1\n1,1,0,1,0,1,1\n0,1,1,1,0,1,1\n"
      "1,4,1,4,-1,1,1\n0,1,0,1,0,1,1\n1,1,0,1,0,1,1\n0,1,1,1,0,1,1\n";
  writeFile("queries.csv", rows);
  assert_int_equal(run("check --queries vf --eps 1e-6 queries.csv"), 0);
  double toi;
  assert_int_equal(sscanf(output, "queries.csv:0 hit %lf", &toi), 1);
  assert_true(toi <= 0.5 && toi > 0.499999);
  assert_int_equal(run("check --queries ee --eps 1e-6 queries.csv"), 0);
  assert_true(strncmp(output, "queries.csv:0 free - - 0.2", 26) == 0);
  static const char *const bad[] = {"1,3,1,4,1,1,1\n", "9007199254740993,1,0,1,0,1,1\n",
                                    "1,4,1,4,1,1\n",   "1,4,x,4,1,1,1\n",
                                    "1,4,1,4,1,1,2\n", "1,0,1,4,1,1,1\n"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s", rows, bad[i]);
    writeFile("bad.csv", text);
    assert_int_equal(run("check --queries vf bad.csv"), 2);
    assert_true(strncmp(output, "bad.csv:0 hit", 13) == 0); /* the query before it is not lost */
    assert_non_null(strstr(errors, "bad.csv:9:"));
  }
  assert_int_equal(run("check --queries both queries.csv") != 0, 1);
}

CASE(a_full_disk_is_told_whatever_is_printed) {
  NEED_PROGRAM();
  static const char *const asked[] = {"--help", "--version", "check --help", "replay --help", "generate --count 1"};
  for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
    char line[100];
    snprintf(line, sizeof line, "%s >/dev/full", asked[i]);
    assert_int_equal(run(line), 1);
    assert_non_null(strstr(errors, "standard output could not be written"));
  }
}

CASE(malformed_cases_name_their_line_and_lose_nothing) {
  NEED_PROGRAM();
  char good[2048], text[8192];
  cubesCase(good, sizeof good, "first", "convex", 1.0, 7.0);
  size_t goodLines = 0;
  for (const char *c = good; *c; ++c) goodLines += *c == '\n';
  static const struct {
    const char *text;
    unsigned line;
    const char *what;
  } bad[] = {
      {"nonsense\n", 1, "ccd 1"},
      {"ccd 2\n", 1, "version"},
      {"ccd 1\nname x\nbogus 1\n", 3, "keyword"},
      {"ccd 1\nname x\nT -1\n", 3, "T"},
      {"ccd 1\nname x\nT nan\n", 3, "finite"},
      {"ccd 1\nname x\nT 1e999\n", 3, "finite"},
      {"ccd 1\nname x\nT 1,5\n", 3, "number"},
      {"ccd 1\nname x\nT 0x1p1\n", 3, "decimal"},
      {"ccd 1\nname x\nT 1\nT 2\n", 4, "second 'T'"},
      {"ccd 1\nname x\nname y\n", 3, "second 'name'"},
      {"ccd 1\nname x\neps 1 1\nT 1\neps 1 2\n", 5, "second 'eps'"},
      {"ccd 1\nname x\neps 1 0\n", 3, "eps"},
      {"ccd 1\nname x\neps 999999999 1\n", 3, "fit"},
      {"ccd 1\nname x\nbody convex\nchain 1\n0 0 0  0 0 0 0  0 0 0 0 0 0\n", 5, "quaternion"},
      {"ccd 1\nname x\nbody convex\nchain 1\n0 0 0  1 0 0 0  0 0\n0 0 0 zero\n", 6, "number"},
      {"ccd 1\nname x\nbody convex\nchain 2000000000\n", 4, "fit"},
      {"ccd 1\nname x\nbody convex sharp\n", 3, "flag"},
      {"ccd 1\nname x\nbody linear\nchain 1\n", 4, "chain"},
      {"ccd 1\nname x\nbody solid\nchain 0\nverts 0\n", 5, "between"},
      {"ccd 1\nname x\nbody solid\nchain 0\nverts 1\n0 0 0\nsimps 1\n3 0 0 1\n", 8, "between"},
      {"ccd 1\nname x\nbody solid\nchain 0\nverts 1\n0 0 0\nsimps 1\n4 0 0 0 0\n", 8, "between"},
      {"ccd 1\nname x\nbody solid\nchain 0\nverts 1\n0 0 0\nsimps 0\n", 7, "simplices"},
      {"ccd 1\nname x\nend\n", 3, "bodies"},
      {"ccd 1\nname x\n", 3, "end"},
      {"ccd 1\nname\n", 3, "name"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    snprintf(text, sizeof text, "%s%s", good, bad[i].text);
    writeFile("bad.ccd", text);
    int status = run("check bad.ccd");
    if (status != 2) fail_msg("case %zu: exit status %d: %s", i, status, errors);
    if (strncmp(output, "first hit ", 10) != 0) fail_msg("case %zu: the good case before it is lost: %s", i, output);
    char place[64];
    snprintf(place, sizeof place, "bad.ccd:%u:", (unsigned)goodLines + bad[i].line);
    if (strstr(errors, place) == NULL || strstr(errors, bad[i].what) == NULL)
      fail_msg("case %zu: expected %s ... %s, got: %s", i, place, bad[i].what, errors);
  }
  assert_int_equal(run("check no-such-file.ccd"), 1);
  assert_non_null(strstr(errors, "no-such-file.ccd"));
  assert_int_equal(run("check bad.ccd --eps -1"), 2);
  assert_int_equal(run("check"), 2);
  assert_int_equal(run("chekc bad.ccd"), 2);
  runSays("--help", 0, "Examples");
}

CASE(a_case_that_the_library_refuses_is_said_and_the_rest_answered) {
  NEED_PROGRAM();
  char text[8192], one[2048];
  cubesCase(text, sizeof text, "huge", "convex", 1e200, 1.0);
  cubesCase(one, sizeof one, "fine", "convex", 1.0, 7.0);
  strcat(text, one);
  writeFile("huge.ccd", text);
  assert_int_equal(run("check huge.ccd"), 1);
  assert_true(strncmp(output, "fine hit ", 9) == 0); /* the answer alone: a refusal is none */
  assert_non_null(strstr(errors, "huge"));
}

/* What a case is called comes from a file of somebody's: it chooses neither the folder nor another case's proof. */
CASE(certificates_have_files_of_their_own_inside_their_folder) {
  NEED_PROGRAM();
  NEED_VERB("certify");
  NEED_VERB("verify");
  static const char *const names[] = {"p", "p", "../evil", ".._evil", "p-2", "p", "-o", ".hidden", "a\\b:c*"};
  static const char *const files[] = {"p", "p-2", "_._evil", "_._evil-2", "p-2-2", "p-3", "_o", "_hidden", "a_b_c_"};
  char text[16384] = "", one[2048], command[128];
  for (int i = 0; i < 9; ++i) {
    snprintf(one, sizeof one,
             "ccd 1 name %s body none chain 1 -5 %d 0 1 0 0 0 10 0 0 0 0 0 verts 1 0 0 0 simps 1 1 0\n"
             "body none chain 0 verts 1 0 0 0 simps 1 1 0 end\n",
             names[i], i + 1);
    strcat(text, one);
    snprintf(command, sizeof command, "one-%d.ccd", i);
    writeFile(command, one);
  }
  writeFile("names.ccd", text);
  assert_int_equal(run("certify names.ccd -o named"), 0);
  assert_null(strstr(errors, "p: written to named/p.cert"));
  assert_non_null(strstr(errors, "p: written to named/p-2.cert\n"));
  assert_non_null(strstr(errors, "../evil: written to named/_._evil.cert\n"));
  for (int i = 0; i < 9; ++i) { /* each proof is its own case's */
    snprintf(command, sizeof command, "verify named/%s.cert --for one-%d.ccd", files[i], i);
    if (run(command) != 0) fail_msg("%s: %s%s", command, output, errors);
  }
  assert_int_equal(run("verify named/evil.cert"), 1);
  assert_int_equal(run("verify evil.cert"), 1);
  /* again into the same folder, from two files: what this run wrote is kept apart, what was there before is replaced */
  assert_int_equal(run("certify names.ccd names.ccd -o named"), 0);
  assert_non_null(strstr(errors, "p: written to named/p-6.cert\n"));
  /* problems: one file that the user named holds one proof */
  assert_int_equal(run("certify named/p.cert -o one.cert"), 0);
  assert_int_equal(run("certify named/p.cert named/p-2.cert -o one.cert"), 1);
  assert_non_null(strstr(errors, "one.cert: written already"));
  assert_int_equal(run("verify one.cert --for named/p.cert"), 0);
}

CASE(a_certificate_goes_into_a_pipe_and_none_is_read_of_a_folder) {
  NEED_PROGRAM();
  NEED_VERB("certify");
  NEED_VERB("verify");
  writeFile("one.ccd",
            "ccd 1 name one body none chain 1 -5 1 0 1 0 0 0 10 0 0 0 0 0 verts 1 0 0 0 simps 1 1 0\n"
            "body none chain 0 verts 1 0 0 0 simps 1 1 0 end\n");
  assert_int_equal(run("certify one.ccd -o ones"), 0);
  assert_int_equal(
      runShell("mkfifo pipe && { timeout 10 cat pipe >read.cert & } && brink certify ones/one.cert -o pipe "
               "&& wait && test -p pipe && brink verify read.cert"),
      0);
  assert_int_equal(run("verify ones"), 1);
  assert_non_null(strstr(errors, "ones: Is a directory"));
}

CASE(certify_never_answers_for_the_first_of_several) {
  NEED_PROGRAM();
  NEED_VERB("certify");
  static const char problem[] =
      "brink-problem 1 statement time 0 1 clearance 0\n"
      "body A open radius 0 stages 0 vertices 1 fixed 0 0 0 faces 1 1 0\n"
      "body B open radius 0 stages 0 vertices 1 fixed 1 0 0 faces 1 1 0 end statement\n";
  char text[1024];
  writeFile("problem", problem);
  assert_int_equal(run("certify problem -o first.cert"), 0);
  snprintf(text, sizeof text, "%s%s", problem, problem);
  writeFile("problems", text);
  assert_int_equal(run("certify problems"), 2);
  assert_non_null(strstr(errors, "problems:4: 'brink-problem' behind the problem"));
  assert_int_equal(runShell("cat first.cert first.cert >plan.cert && brink verify plan.cert"), 0);
  assert_int_equal(run("certify first.cert"), 0);
  assert_int_equal(run("certify plan.cert"), 2);
  assert_non_null(strstr(errors, "more than one certificate"));
}

CASE(quaternions_of_any_length_but_none_are_rotations) {
  NEED_PROGRAM();
  NEED_VERB("certify");
  static const char *const lengths[] = {"1", "1e200", "1e-200"};
  for (int i = 0; i < 3; ++i) { /* a triangle 8 m above another that is turned by a quarter about x */
    char text[1024], *size = NULL;
    snprintf(text, sizeof text,
             "ccd 1 name q body linear verts 3 0 0 9 0 0 8 1 0 9 1 0 8 0 1 9 0 1 8 simps 1 3 0 1 2\n"
             "body none chain 1 0 0 0 %s %s 0 0 0 0 0 0 0 0 verts 3 0 0 0 1 0 0 0 1 0 simps 1 3 0 1 2 end\n",
             lengths[i], lengths[i]);
    writeFile("quaternion.ccd", text);
    assert_int_equal(run("certify quaternion.ccd"), 0);
    assert_true(strncmp(output, "q proven ", 9) == 0);
    double apart = strtod(output + 9, &size);
    assert_true(apart > 6.9 && apart <= 7.0);
  }
}

CASE(converted_line_ends_are_named) {
  NEED_PROGRAM();
  NEED_VERB("certify");
  NEED_VERB("verify");
  writeFile("apart.ccd",
            "ccd 1 name apart\r\nbody none chain 1 -5 1 0 1 0 0 0 10 0 0 0 0 0 verts 1 0 0 0\r\nsimps 1 1 0\r\n"
            "body none chain 0 verts 1 0 0 0 simps 1 1 0 end\r\n");
  assert_int_equal(run("certify apart.ccd -o ends"), 0); /* cases may have any line ends */
  assert_int_equal(run("verify ends/apart.cert"), 0);
  static char text[1 << 16], converted[1 << 17];
  readFile("ends/apart.cert", text, sizeof text);
  size_t length = 0;
  for (const char *c = text; *c != '\0'; ++c) {
    if (*c == '\n') converted[length++] = '\r';
    converted[length++] = *c;
  }
  converted[length] = '\0';
  writeFile("converted.cert", converted);
  assert_int_equal(run("verify converted.cert"), 2);
  assert_non_null(strstr(errors, "converted.cert:1: its lines end in CR LF"));
  assert_int_equal(run("certify converted.cert -o again.cert"), 0); /* its statement is a problem all the same */
  assert_int_equal(run("verify again.cert --for ends/apart.cert"), 0);
}

CASE(the_locale_does_not_matter) {
  NEED_PROGRAM();
  static char plain[sizeof output];
  char text[2048];
  cubesCase(text, sizeof text, "cubes", "convex", 1.25, 7.0);
  writeFile("locale.ccd", text);
  assert_int_equal(run("check locale.ccd"), 0);
  memcpy(plain, output, sizeof plain);
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  assert_int_equal(run("check locale.ccd --eps 1e-3"), 0);
  unsetenv("LC_ALL");
  *strrchr(plain, ' ') = '\0'; /* without the time */
  *strrchr(output, ' ') = '\0';
  assert_string_equal(plain, output);
}

static const char cubeObj[] =
    "v -.5 -.5 -.5\nv .5 -.5 -.5\nv .5 .5 -.5\nv -.5 .5 -.5\nv -.5 -.5 .5\nv .5 -.5 .5\nv .5 .5 .5\nv -.5 .5 .5\n"
    "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/* Is there a CSV row of these two objects (fields 5 and 6)? */
static bool hasRowOf(const char *csv, const char *objectA, const char *objectB) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, "%s,%s,", objectA, objectB);
  for (const char *line = csv; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *field = line;
    for (int skipped = 0; skipped < 4; ++skipped) {
      field += strcspn(field, ",\n");
      if (*field == ',') ++field;
    }
    if (strncmp(field, wanted, strlen(wanted)) == 0) return true;
  }
  return false;
}

CASE(replays_write_rows_and_a_summary) {
  NEED_PROGRAM();
  writeFile("cube.obj", cubeObj);
  /* A pair of cubes in a row, jointed as parent and child, runs into a wall: the first touches it half way in frame
   * 1. */
  writeFile("row.scene",
            "object cube.obj moving 0 0 -1  0 0 0 1 0 0 0\nobject cube.obj moving 0 1 0  -1.5 0 0 1 0 0 0\n"
            "object cube.obj fixed -1 0 -1  5 0 0 2 0 0 0 # a quaternion of any length\nobject cube.obj fixed -1 1 -1  "
            "0 9 0 1 0 0 0\n");
  writeFile(
      "row.motion",
      "# frame object p0 q0 p1 q1\n0 0  0 0 0 1 0 0 0  2 0 0 1 0 0 0\n0 1  -1.5 0 0 1 0 0 0  .5 0 0 1 0 0 0 0 0 0\n"
      "1 0  2 0 0 1 0 0 0  6 0 0 1 0 0 0\n1 1  .5 0 0 1 0 0 0  4.5 0 0 1 0 0 0\n"
      "5 0  20 0 0 1 0 0 0  20 0 0 1 0 0 0\n5 1  10 0 0 1 0 0 0  10 3 0 1 0 0 0  0 0 6.3\n");
  static const char *const models[] = {"chain", "body"};
  for (int m = 0; m < 2; ++m) {
    char arguments[256], csv[8192], again[8192];
    snprintf(arguments, sizeof arguments, "replay row.scene row.motion --motion %s --eps 1e-4 --csv first.csv",
             models[m]);
    if (run(arguments) != 0) fail_msg("%s: %s", arguments, errors);
    assert_non_null(strstr(output, "frames 3 "));
    assert_non_null(strstr(output, "T_a"));
    assert_non_null(strstr(output, "after temporal"));
    readFile("first.csv", csv, sizeof csv);
    const char header[] =
        "frame,state,toi,toiUpper,objectA,objectB,px,py,pz,nx,ny,nz,iterations,microseconds\n0,free,,,,,,,,,,,";
    if (strncmp(csv, header, strlen(header)) != 0) fail_msg("csv: %s", csv);
    const char *row = strstr(csv, "\n1,hit,");
    if (row == NULL) fail_msg("no hit in frame 1: %s", csv);
    double toi, upper, p[3], n[3];
    int a, b;
    assert_int_equal(sscanf(row, "\n1,hit,%lf,%lf,%d,%d,%lf,%lf,%lf,%lf,%lf,%lf,", &toi, &upper, &a, &b, &p[0], &p[1],
                            &p[2], &n[0], &n[1], &n[2]),
                     10);
    assert_int_equal(a, 0);
    assert_int_equal(b, 2);
    if (!(toi <= 0.5 && toi > 0.5 - 1e-4)) fail_msg("toi %.17g, expected just below 0.5", toi);
    assert_true(fabs(p[0] - 4.5) < 1e-3 && fabs(n[0] - 1.0) < 1e-6);
    snprintf(arguments, sizeof arguments,
             "replay row.scene row.motion --motion %s --eps 1e-4 --csv again.csv --threads 2", models[m]);
    assert_int_equal(run(arguments), 0);
    readFile("again.csv", again, sizeof again);
    char *x = csv, *y = again; /* equal but for the times */
    for (; *x != '\0' && *y != '\0'; x = strchr(x, '\n') + 1, y = strchr(y, '\n') + 1) {
      size_t length = (size_t)(strchr(x, '\n') - x);
      while (x[length] != ',') --length;
      if (strncmp(x, y, length) != 0) fail_msg("2 threads differ: %s", y);
    }
    assert_true(*x == *y);
    snprintf(arguments, sizeof arguments, "replay row.scene row.motion --motion %s --pairs --csv -", models[m]);
    assert_int_equal(run(arguments), 0);
    assert_non_null(strstr(output, "\n1,hit,"));
    assert_false(hasRowOf(output, "0", "1")); /* parent and child are not tested */
    snprintf(arguments, sizeof arguments, "replay row.scene row.motion --motion %s --pairs --adjacent --csv -",
             models[m]);
    assert_int_equal(run(arguments), 0);
    snprintf(arguments, sizeof arguments, "replay row.scene row.motion --motion %s --bool", models[m]);
    assert_int_equal(run(arguments), 0);
    assert_non_null(strstr(output, "hit 1"));
  }
}

CASE(neighbours_that_overlap_at_rest_are_replayed_without_it) {
  NEED_PROGRAM();
  writeFile("cube.obj", cubeObj);
  writeFile("joined.scene",
            "object cube.obj moving 0 0 -1  0 0 0 1 0 0 0\nobject cube.obj moving 0 1 0  0 0 0 1 0 0 0\n");
  writeFile("joined.motion", "0 0  0 0 0 1 0 0 0  0 0 0 1 0 0 0\n0 1  .9 .01 0 1 0 0 0  .9 .01 0 1 0 0 0\n");
  runSays("replay joined.scene joined.motion --motion body --adjacent --csv -", 0, "\n0,overlap,");
  runSays("replay joined.scene joined.motion --motion body --rest-margin 0 --csv -", 0, "\n0,free,");
  runSays("replay joined.scene joined.motion --motion chain --rest-margin 0.01 --csv -", 0, "\n0,free,");
  assert_int_equal(run("replay joined.scene joined.motion --rest-margin -1"), 2);
}

CASE(malformed_replays_name_their_line) {
  NEED_PROGRAM();
  writeFile("cube.obj", cubeObj);
  const char scene[] = "object cube.obj moving 0 0 -1  0 0 0 1 0 0 0\nobject cube.obj fixed -1 0 -1  5 0 0 1 0 0 0\n";
  const char motion[] = "0 0  0 0 0 1 0 0 0  0 0 0 1 0 0 0\n";
  static const struct {
    const char *scene, *motion, *place;
  } bad[] = {
      {"object\n", NULL, "s:2:"},
      {"object cube.obj flying 0 0 -1 0 0 0 1 0 0 0\n", NULL, "s:1:"},
      {"object cube.obj moving 0 0 -1 0 0 0 0 0 0 0\n", NULL, "s:1:"},
      {"object cube.obj moving 0 0 1 0 0 0 1 0 0 0\n", NULL, "s:"},
      /* no such parent */
      {"object cube.obj moving 0 0 1 0 0 0 1 0 0 0\nobject cube.obj moving 0 1 0 0 0 0 1 0 0 0\n", NULL, "s:"},
      /* a cycle */
      {"object cube.obj moving 0 0 0 0 0 0 1 0 0 0\n", NULL, "s:"},
      /* its own parent */
      {"object cube.obj moving 0 0 -1 0 0 0 1 0 0 0\nignore 0 1\n", NULL, "s:2:"},
      {"# nothing\n", NULL, "s:"},
      {NULL, "0 0 1 2 3\n", "m:2:"},
      {NULL, "0 2  0 0 0 1 0 0 0  0 0 0 1 0 0 0\n", "m:1:"},
      {NULL, "0 1  0 0 0 1 0 0 0  0 0 0 1 0 0 0\n", "m:1:"}, /* fixed */
      {NULL, "0 0  0 0 0 1 0 0 0  0 0 0 0 0 0 0\n", "m:1:"},
      {NULL, "0 0  0 0 0 1 0 0 0  0 0 0 1 0 0 0 7\n", "m:2:"},
      {NULL, "1 0  0 0 0 1 0 0 0  0 0 0 1 0 0 0\n0 0  0 0 0 1 0 0 0  0 0 0 1 0 0 0\n", "m:2:"},
      {NULL, "", "m:"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    writeFile("s", bad[i].scene != NULL ? bad[i].scene : scene);
    writeFile("m", bad[i].motion != NULL ? bad[i].motion : motion);
    int status = run("replay s m");
    if (status != 2 || strstr(errors, bad[i].place) == NULL)
      fail_msg("case %zu: exit status %d: %s", i, status, errors);
  }
  writeFile("s", "object missing.obj moving 0 0 -1  0 0 0 1 0 0 0\n");
  writeFile("m", motion);
  assert_int_equal(run("replay s m"), 1);
  assert_non_null(strstr(errors, "missing.obj"));
  assert_int_equal(run("replay s m --threads 0"), 2);
  assert_int_equal(run("replay s"), 2);
}

CASE(cooked_meshes_are_described_and_damage_is_noticed) {
  NEED_PROGRAM();
  writeFile("solid.obj", cubeObj);
  runSays("cook solid.obj --solid -o solid.cooked", 0, "triangles 12");
  runSays("cook solid.obj --solid -o solid.cooked", 0, "already cooked");
  runSays("info solid.cooked", 0, "closed yes");
  runSays("info solid.obj", 0, "vertices 8");
  char path[256];
  snprintf(path, sizeof path, "%s/solid.cooked", directory);
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, -20, SEEK_END);
  fputc(0x5a, file);
  fputc(0xa5, file);
  fclose(file);
  assert_int_equal(run("info solid.cooked"), 2);
  assert_int_equal(run("cook solid.obj --solid -o solid.cooked"), 0); /* made anew */
  assert_null(strstr(output, "already cooked"));
  assert_int_equal(run("info solid.cooked"), 0);
  writeFile("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  assert_int_equal(run("cook --solid open.obj"), 2);
  assert_int_equal(run("info no-such-file"), 1);
  assert_int_equal(run("cook no-such-file.obj"), 1);
}

CASE(clearances_are_lines_of_six_words) {
  NEED_PROGRAM();
  NEED_VERB("clearance");
  char text[8192], one[2048], name[64], verdict[64];
  double lower, upper, t, microseconds;
  text[0] = '\0';
  cubesCase(one, sizeof one, "miss", "convex", 1.0, 2.5); /* ends 0.5 m apart */
  strcat(text, one);
  cubesCase(one, sizeof one, "miss_mesh", "solid", 1.0, 2.0); /* ends 1 m apart */
  strcat(text, one);
  cubesCase(one, sizeof one, "hit", "none", 1.0, 7.0);
  strcat(text, one);
  writeFile("clear.ccd", text);
  for (int k = 0; k < 2; ++k) {
    static const char *const words[2][3] = {{"settled", "settled", "collision"}, {"broken", "kept", "collision"}};
    assert_int_equal(run(k == 0 ? "clearance clear.ccd" : "clearance clear.ccd --required 0.75"), 0);
    char *line = strtok(output, "\n");
    for (int i = 0; i < 3; ++i, line = strtok(NULL, "\n")) {
      assert_non_null(line);
      assert_int_equal(sscanf(line, "%63s %lf %lf %lf %63s %lf", name, &lower, &upper, &t, verdict, &microseconds), 6);
      assert_string_equal(verdict, words[k][i]);
      double truth = i == 0 ? 0.5 : i == 1 ? 1.0 : 0.0;
      assert_true(lower <= truth && upper >= truth);
      if (k == 0 && i < 2) assert_true(upper - lower < 1e-6 && t == (i == 0 ? 2.5 : 2.0));
    }
  }
  assert_int_equal(run("clearance"), 2);
  assert_int_equal(run("clearance clear.ccd --required -1"), 2);
  const int refused = run("clearance clear.ccd --swept"); /* a build without the option names it */
  if (refused != 0) assert_non_null(strstr(errors, "BRINK_SWEPT_HULL"));
}

/* The numbers behind a key of a page's data, nested lists read flat; null reads as -1. */
static size_t pageNumbers(const char *page, const char *key, double *out, size_t capacity) {
  const char *at = strstr(page, key);
  assert_non_null(at);
  at += strlen(key);
  size_t count = 0;
  for (int depth = 0; *at != '\0';) {
    if (*at == '[' || *at == ']') depth += *at == '[' ? 1 : -1;
    if (depth == 0) break;
    bool null = strncmp(at, "null", 4) == 0;
    char *end;
    double value = null ? -1.0 : strtod(at, &end);
    if (null || end != at) {
      assert_true(count < capacity);
      out[count++] = value;
      at = null ? at + 4 : end;
    } else {
      ++at;
    }
  }
  return count;
}

static size_t showPage(const char *arguments, char *page, size_t capacity) {
  assert_int_equal(runShell("'%s' show %s -o page.html", PROGRAM, arguments), 0);
  readFile("page.html", page, capacity);
  assert_non_null(strstr(page, "</html>"));
  for (const char *at = page; (at = strstr(at, "://")) != NULL; ++at) fail_msg("the page asks a network: %.60s", at);
  return strlen(page);
}

/* Two cubes of edge 1 come nearer along x: the gap is known at every time. */
CASE(a_shown_case_has_bounds_that_hold_at_every_time) {
  NEED_PROGRAM();
  enum { MOST = 4096, LARGEST = 5000000 };
  static char page[LARGEST];
  static double rows[MOST];
  char text[2048];
  cubesCase(text, sizeof text, "near", "solid", 1.0, 2.5);
  writeFile("near.ccd", text);
  assert_in_range(showPage("near.ccd", page, sizeof page), 1, LARGEST - 2);
  size_t count = pageNumbers(page, "\"distances\":", rows, MOST);
  assert_int_equal(count, 129 * 11);
  for (size_t i = 0; i < 129; ++i) assert_true(fabs(rows[11 * i + 1] - (3.0 - 2.5 * rows[11 * i])) < 1e-9);
  if (hasVerb("clearance")) {
    count = pageNumbers(page, "\"parts\":", rows, MOST);
    assert_int_equal(count, 64 * 5);
    for (size_t i = 0; i < 64; ++i) {
      double truth = 3.0 - 2.5 * rows[5 * i + 1]; /* the smallest gap of a part is at its end */
      assert_true(rows[5 * i + 2] <= truth && truth <= rows[5 * i + 3] + 1e-12);
      assert_true(rows[5 * i + 3] - rows[5 * i + 2] < 1e-5);
    }
  }
  pageNumbers(page, "\"boxes\":", rows, MOST); /* the first body's: the whole motion first, then eight parts of it */
  for (size_t i = 6; i < 54; ++i)
    assert_true(i % 6 < 3 ? rows[i] >= rows[i % 6] - 1e-6 : rows[i] <= rows[i % 6] + 1e-6);
  cubesCase(text, sizeof text, "hit", "none", 1.0, 7.0);
  writeFile("hit.ccd", text);
  showPage("hit.ccd", page, sizeof page);
  count = pageNumbers(page, "\"bracket\":", rows, MOST);
  assert_true(count >= 6 && count % 3 == 0);
  for (size_t i = 0; i < count; i += 3) {
    assert_true(rows[i + 1] <= 3.0 / 7.0 && (i == 0 || rows[i + 1] >= rows[i - 2]));
    if (rows[i + 2] >= 0.0) assert_true(rows[i + 2] > 3.0 / 7.0 - 1e-5 && rows[i + 2] < 3.0 / 7.0 + 1e-5);
  }
  assert_true(rows[count - 1] > 0.0);
  assert_non_null(strstr(page, "proven to the last bit of that time")); /* where it would be "within 0 s" */
}

CASE(the_page_of_a_large_case_stays_below_five_megabytes) {
  NEED_PROGRAM();
  enum { SIDE = 220, LARGEST = 5000000 };
  static char page[LARGEST];
  char path[512];
  snprintf(path, sizeof path, "%s/large.ccd", directory);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "ccd 1 name large body none chain 1 0 0 9 1 0 0 0 0 0 -1 0 0 0 verts 1 0 0 0 simps 1 1 0\n");
  fprintf(file, "body none chain 1 0 0 0 1 0 0 0 0 0 1 0 0 0 verts %d\n", SIDE * SIDE);
  for (int i = 0; i < SIDE * SIDE; ++i) fprintf(file, "%d %d 0\n", i / SIDE, i % SIDE);
  fprintf(file, "simps %d\n", 2 * (SIDE - 1) * (SIDE - 1));
  for (int i = 0; i + 1 < SIDE; ++i)
    for (int j = 0; j + 1 < SIDE; ++j) {
      int a = SIDE * i + j, b = a + SIDE;
      fprintf(file, "3 %d %d %d 3 %d %d %d\n", a, b, b + 1, a, b + 1, a + 1);
    }
  fprintf(file, "end\n");
  assert_int_equal(fclose(file), 0);
  assert_in_range(showPage("large.ccd", page, sizeof page), 500000,
                  LARGEST - 2);                                             /* whole: the reader cuts longer ones */
  assert_null(strstr(strstr(page, "\"triangles\":95922"), "\"every\":1,")); /* a part of the triangles is drawn */
}

CASE(show_picks_a_case_and_tells_what_is_wrong) {
  NEED_PROGRAM();
  char text[8192], one[2048];
  static char page[1 << 20];
  cubesCase(text, sizeof text, "first", "convex", 1.0, 2.5);
  cubesCase(one, sizeof one, "second", "solid", 1.0, 7.0);
  strcat(text, one);
  writeFile("two.ccd", text);
  showPage("two.ccd --case second --json", page, sizeof page);
  assert_non_null(strstr(output, "\"state\":\"hit\""));
  assert_non_null(strstr(page, "\"name\":\"second\""));
  assert_int_equal(run("show two.ccd"), 0);
  assert_string_equal(output, "first free two.ccd.html\n");
  assert_int_equal(run("show two.ccd --case secund"), 2);
  assert_non_null(strstr(errors, "did you mean 'second'?"));
  assert_int_equal(run("show two.ccd --cas3 second"), 2);
  assert_non_null(strstr(errors, "did you mean '--case'?"));
  assert_int_equal(run("show two.ccd two.ccd"), 2);
  assert_int_equal(run("show"), 2);
  assert_int_equal(run("show no-such-file.ccd"), 1);
  assert_int_equal(run("show two.ccd -o no-such-folder/page.html"), 1);
  writeFile("broken.ccd", "ccd 1\nname x\nbody round\n");
  assert_int_equal(run("show broken.ccd"), 2);
  assert_non_null(strstr(errors, "broken.ccd:3:"));
  writeFile("empty.ccd", "# nothing\n");
  assert_int_equal(run("show empty.ccd"), 2);
}

CASE(interference_lists_every_contact_interval) {
  NEED_PROGRAM();
  NEED_VERB("interference");
  char text[8192], one[2048], name[64], word[64];
  double open, microseconds, from, to, until, end;
  unsigned long count, cells;
  text[0] = '\0';
  cubesCase(one, sizeof one, "through", "solid", 1.0, 7.0); /* touches at 3 s, is through at 5 s */
  strcat(text, one);
  cubesCase(one, sizeof one, "miss", "convex solid", 1.0, 2.5);
  strcat(text, one);
  writeFile("all.ccd", text);
  assert_int_equal(run("interference all.ccd --threads 2"), 0);
  char *second = strchr(output, '\n');
  assert_non_null(second);
  assert_int_equal(sscanf(output, "%63s %lu %lf %lu %lf %lf:%lf %lf:%lf %63s", name, &count, &open, &cells,
                          &microseconds, &from, &to, &until, &end, word),
                   10);
  assert_true(count == 1 && from <= 3 && to >= 3 && until <= 5 && end >= 5 && to - from < 1e-8 && end - until < 1e-8);
  assert_string_equal(word, "proven");
  assert_int_equal(sscanf(second + 1, "%63s %lu", name, &count), 2);
  assert_string_equal(name, "miss");
  assert_int_equal(count, 0);
  /* a square of splines, an open surface, falls on the cube's top: 5 m down at 1 m/s */
  static const char sheet[] =
      "ccd 1\nname sheet\nT 10\nbody solid\nchain 0\nverts 8\n-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1\n-1 -1 1 1 -1 1 -1 1 1 1 "
      "1 "
      "1\nsimps 12\n3 0 2 3 3 0 3 1 3 4 5 7 3 4 7 6 3 0 1 5 3 0 5 4\n3 2 6 7 3 2 7 3 3 0 4 6 3 0 6 2 3 1 3 7 3 1 7 5\n"
      "body none\nchain 1\n0.1 0 6 1 0 0 0 0 0 -1 0 0 0\nsplines 1\n1 2 1 2\n%s 1 1\n0 0 1 1\n"
      "-.5 -.5 0 1 -.5 .5 0 1 .5 -.5 0 1 .5 .5 0 1\nend\n";
  snprintf(text, sizeof text, sheet, "0 0");
  writeFile("sheet.ccd", text);
  assert_int_equal(run("interference sheet.ccd"), 0);
  assert_int_equal(
      sscanf(output, "%63s %lu %lf %lu %lf %lf:%lf", name, &count, &open, &cells, &microseconds, &from, &to), 7);
  assert_true(count == 1 && from <= 5 && to >= 5 && to - from < 1e-8);
  assert_int_equal(run("check sheet.ccd"), 1);
  snprintf(text, sizeof text, sheet, "0 2");
  writeFile("sheet.ccd", text);
  assert_int_equal(run("interference sheet.ccd"), 1); /* knots that descend */
  runSays("interference --example cylinder --spacing 0.1 --time-tolerance 1e-6 -o subsets", 0, "2 contact intervals");
  assert_non_null(strstr(output, "wrote subsets/cylinder-a.glb"));
  runSays("interference --example cylinder --spacing 0.1 --solids --paths -o subsets", 0, "    as a solid: 0.");
  assert_non_null(strstr(output, " paths within body A, of "));
  assert_non_null(strstr(output, "wrote subsets/cylinder-a-solid.obj"));
  assert_non_null(strstr(output, "wrote subsets/cylinder-b-paths.obj"));
  assert_int_equal(run("info subsets/cylinder-b-solid.obj"), 0); /* a closed surface, as any reader of OBJ takes it */
  assert_non_null(strstr(output, "closed"));
  assert_int_equal(run("interference --example teapot"), 2);
  assert_int_equal(run("interference"), 2);
  assert_int_equal(run("interference all.ccd --threads 0"), 2);
  assert_int_equal(run("interference --example cubes -o all.ccd/none"), 1);
}

int main(void) { return cases_Run(makeDirectory, removeDirectory); }
