/* SPDX-License-Identifier: BSD-3-Clause */
/* The `brink` command for people and for programs: the same answers as words, as a table on a terminal (a real
 * pseudo-terminal is opened here), as CSV and as JSON; the same exit statuses; mistyped words are met with the one that
 * was meant; long work tells its progress; an empty input is an error. */
#define _GNU_SOURCE
#include "cases.h"
#include "command_support.h"

#include <fcntl.h>

/* The same with standard output (which = 1) or standard error (2) on a terminal, which is then in `output`. */
static int runOnTerminal(int which, const char *command) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) skip();
  char name[256];
  snprintf(name, sizeof name, "%s", ptsname(terminal));
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    int other = open(name, O_RDWR | O_NOCTTY), nothing = open("/dev/null", O_RDWR);
    dup2(nothing, 0);
    dup2(which == 1 ? other : nothing, 1);
    dup2(which == 2 ? other : nothing, 2);
    if (chdir(directory) != 0) _exit(126);
    char whole[4096];
    snprintf(whole, sizeof whole, "PATH='%s/bin':\"$PATH\"; %s", BRINK_BINARY_DIR, command);
    execl("/bin/sh", "sh", "-c", whole, (char *)NULL);
    _exit(127);
  }
  int hold = open(name, O_RDWR | O_NOCTTY), status; /* so that no end is seen between the child's writes */
  size_t size = 0;
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  for (bool ended = false;;) {
    ssize_t got = read(terminal, output + size, sizeof output - 1 - size);
    if (got > 0) {
      size += (size_t)got;
      continue;
    }
    if (ended) break;
    ended = waitpid(child, &status, WNOHANG) == child;
    usleep(2000);
  }
  output[size] = '\0';
  close(hold);
  close(terminal);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static size_t count(const char *text, const char *what) {
  size_t found = 0;
  for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what)) ++found;
  return found;
}

static void must(const char *what) {
  if (strstr(output, what) == NULL) fail_msg("no '%s' in:\n%s%s", what, output, errors);
}

CASE(a_terminal_gets_a_header_units_and_a_summary_a_pipe_gets_the_words_of_old) {
  NEED_PROGRAM();
  NEED_VERB("clearance");
  NEED_VERB("interference");
  NEED_VERB("certify");
  NEED_VERB("verify");
  assert_int_equal(runShell("brink generate --seed 3 --count 15 >some.ccd; brink check some.ccd"), 0);
  assert_int_equal(count(output, "\n"), 15); /* no header, no summary */
  assert_null(strstr(output, "name "));
  assert_int_equal(runOnTerminal(1, "brink check some.ccd"), 0);
  must("toi, s");
  must("distance, m");
  must("15 cases: ");
  assert_int_equal(count(output, "\n"), 18);
  static const struct {
    const char *command, *header, *summary;
  } rows[] = {{"brink clearance some.ccd", "lower, m", "15 cases: "},
              {"brink interference bullet.ccd", "start_lower, s", "1 row: 1 proven"},
              {"brink certify apart.ccd -o certificates", "bound, m", "1 question: 1 proven"},
              {"brink verify certificates/apart.cert", "apart, m", "1 certificate: 1 proven"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    assert_int_equal(runOnTerminal(1, rows[i].command), 0);
    must(rows[i].header);
    must(rows[i].summary);
  }
}

/* Of a case's tolerances the first one counts where no other is asked for: the help says so, and the header. */
CASE(the_tolerance_in_force_stands_above_the_table) {
  NEED_PROGRAM();
  static const struct {
    const char *command, *header;
  } rows[] = {
      {"brink check some.ccd", "eps: each case's own, number 0; 1e-6 of the smaller body where a case has none"},
      {"brink check some.ccd --eps-index 1", "eps: each case's own, number 1"},
      {"brink check some.ccd some.ccd --eps 1e-4 --eps-index 1", "eps: 0.0001 m"}};
  assert_int_equal(runShell("brink generate --seed 3 --count 15 >some.ccd"), 0);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    assert_int_equal(runOnTerminal(1, rows[i].command), 0);
    must(rows[i].header);
    assert_int_equal(count(output, "eps:"), 1);
  }
  assert_int_equal(runShell("brink check --help | tr -s ' \\n' ' '"), 0);
  must("Tolerance of all cases, m [each case's own, see --eps-index]");
  must("A case without any: 1e-6 of the smaller body");
}

/* Is this one JSON object a line? Strings, numbers, null, objects and arrays; enough to catch a comma or a brace. */
static const char *skipJson(const char *at) {
  if (*at == '"') {
    for (++at; *at != '"'; ++at) {
      if (*at == '\0' || *at == '\n') return NULL;
      if (*at == '\\') ++at;
    }
    return at + 1;
  }
  if (*at == '{' || *at == '[') {
    const char close = *at == '{' ? '}' : ']';
    const bool names = *at == '{';
    if (*++at == close) return at + 1;
    for (;; ++at) {
      if (names) {
        if (*at != '"' || (at = skipJson(at)) == NULL || *at != ':') return NULL;
        ++at;
      }
      if ((at = skipJson(at)) == NULL) return NULL;
      if (*at == close) return at + 1;
      if (*at != ',') return NULL;
    }
  }
  if (strncmp(at, "null", 4) == 0) return at + 4;
  char *end;
  strtod(at, &end);
  return end == at ? NULL : end;
}

static void mustBeJsonLines(size_t lines) {
  size_t found = 0;
  for (const char *at = output; *at != '\0'; ++found) {
    const char *end = *at == '{' ? skipJson(at) : NULL;
    if (end == NULL || *end != '\n') fail_msg("line %zu is no JSON object: %s", found, output);
    at = end + 1;
  }
  if (found != lines) fail_msg("%zu lines, %zu expected:\n%s%s", found, lines, output, errors);
}

static void mustBeCsv(size_t rows) {
  size_t lines = 0, fields = 0;
  for (const char *at = output; *at != '\0'; ++lines) {
    size_t here = 1;
    bool quoted = false;
    for (; *at != '\n'; ++at) {
      assert_true(*at != '\0');
      quoted ^= *at == '"';
      here += *at == ',' && !quoted;
    }
    ++at;
    if (lines == 0) fields = here;
    if (here != fields) fail_msg("line %zu has %zu fields, the header %zu:\n%s", lines, here, fields, output);
  }
  if (lines != rows + 1) fail_msg("%zu lines, %zu expected:\n%s%s", lines, rows + 1, output, errors);
}

CASE(every_answer_is_there_as_csv_and_as_json) {
  NEED_PROGRAM();
  NEED_VERB("clearance");
  NEED_VERB("interference");
  NEED_VERB("certify");
  NEED_VERB("verify");
  static const struct {
    const char *command;
    size_t rows;
    int status;
  } all[] = {{"check some.ccd", 15, 0},
             {"check some.ccd --eps-index 1", 15, 0},
             {"clearance some.ccd", 15, 0},
             {"clearance some.ccd --required 0.1", 15, 0},
             {"interference bullet.ccd apart.ccd", 2, 0},
             {"certify bullet.ccd apart.ccd", 2, 1},
             {"verify certificates/apart.cert", 1, 0},
             {"verify certificates/apart.cert row.scene", 2, 2},
             {"info crate.obj", 1, 0},
             {"cook crate.obj -o crate.brink", 1, 0},
             {"info crate.brink", 1, 0},
             {"check refused.ccd", 1, 1}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    int words = runShell("brink %s", all[i].command);
    if (words != all[i].status) fail_msg("brink %s: %d: %s", all[i].command, words, errors);
    assert_int_equal(runShell("brink %s --json", all[i].command), words);
    mustBeJsonLines(all[i].rows);
    assert_int_equal(runShell("brink %s --csv", all[i].command), words);
    mustBeCsv(all[i].rows);
  }
  assert_int_equal(runShell("brink replay row.scene row.motion --quiet --json"), 0);
  mustBeJsonLines(2);
  assert_int_equal(runShell("brink replay row.scene row.motion --quiet --json --pairs"), 0);
  assert_true(count(output, "\"state\":\"hit\"") == 1 && count(output, "\n") > 1);
  mustBeJsonLines(count(output, "\n"));
  assert_int_equal(runShell("brink certify bullet.ccd --json"), 1);
  must("\"open\":[{\"from\":");
  must("\"place\":[");
}

CASE(the_numbers_are_those_of_the_words) {
  NEED_PROGRAM();
  assert_int_equal(runShell("brink check bullet.ccd"), 0);
  char toi[64], upper[64], distance[64], wanted[256];
  assert_int_equal(sscanf(output, "bullet hit %63s %63s %63s", toi, upper, distance), 3);
  assert_int_equal(runShell("brink check bullet.ccd --json"), 0);
  snprintf(wanted, sizeof wanted, "\"toi\":%s,\"toi_upper\":%s,\"distance\":%s,", toi, upper, distance);
  must(wanted);
  assert_int_equal(runShell("brink check bullet.ccd --csv"), 0);
  snprintf(wanted, sizeof wanted, "bullet,hit,%s,%s,%s,", toi, upper, distance);
  must(wanted);
  /* what is free has no time, in no form */
  assert_int_equal(runShell("brink check apart.ccd --json"), 0);
  must("\"toi\":null,\"toi_upper\":null");
  assert_int_equal(runShell("brink check apart.ccd --csv"), 0);
  must("apart,free,,,");
}

CASE(names_that_need_quotes_get_them) {
  NEED_PROGRAM();
  assert_int_equal(runShell("sed 's/^name .*/name a\\\\,\"b/' apart.ccd >quoted.ccd; brink check quoted.ccd --csv"), 0);
  must("\n\"a\\,\"\"b\",free");
  assert_int_equal(runShell("brink check quoted.ccd --json"), 0);
  must("\"name\":\"a\\\\,\\\"b\"");
  mustBeJsonLines(1);
}

CASE(mistyped_words_are_met_with_the_one_that_was_meant) {
  NEED_PROGRAM();
  NEED_VERB("clearance");
  NEED_VERB("interference");
  NEED_VERB("certify");
  NEED_VERB("verify");
  static const char *const typos[][2] = {{"chekc x", "did you mean 'check'?"},
                                         {"verfy x", "did you mean 'verify'?"},
                                         {"interfrence x", "did you mean 'interference'?"},
                                         {"check --jsn x", "did you mean '--json'?"},
                                         {"check --eps-indx 1 x", "did you mean '--eps-index'?"},
                                         {"clearance --requried=1 x", "did you mean '--required'?"},
                                         {"replay --moton body a b", "did you mean '--motion'?"},
                                         {"verify --fro x y", "did you mean '--for'?"},
                                         {"cook --soild x", "did you mean '--solid'?"},
                                         {"generate --sed 1", "did you mean '--seed'?"},
                                         {"info --jason x", "did you mean '--json'?"},
                                         {"certify --tolerence 1 x", "did you mean '--tolerance'?"}};
  for (size_t i = 0; i < sizeof typos / sizeof typos[0]; ++i) {
    assert_int_equal(runShell("brink %s", typos[i][0]), 2);
    assert_string_equal(output, "");
    if (strstr(errors, typos[i][1]) == NULL) fail_msg("brink %s: %s", typos[i][0], errors);
  }
  assert_int_equal(runShell("brink check --zzzzzzzz x"), 2); /* nothing is near */
  assert_null(strstr(errors, "did you mean"));
  assert_int_equal(runShell("brink zzzzzzzz"), 2);
  assert_null(strstr(errors, "did you mean"));
  assert_int_equal(runShell("brink check --max 1000 --eps-i 0 apart.ccd"), 0); /* cut short, as ever */
  assert_int_equal(runShell("brink check --json --csv apart.ccd"), 2);
  /* what looks like an option may be another's value */
  assert_int_equal(runShell("brink cook crate.obj --output --odd && test -f ./--odd"), 0);
  assert_int_equal(runShell("brink cook crate.obj -o --odder && test -f ./--odder"), 0);
  assert_int_equal(runShell("brink check -- --apart.ccd"), 1); /* no such file */
  assert_non_null(strstr(errors, "--apart.ccd: No such file"));
}

/* 1: a file that cannot be read or written. 2: usage, or what is malformed. */
CASE(every_command_has_the_same_exit_statuses) {
  NEED_PROGRAM();
  static const struct {
    const char *verb, *arguments;
    int status;
  } calls[] = {{"check", "none.ccd", 1},
               {"check", "apart.ccd --eps x", 2},
               {"check", "--queries vf none.csv", 1},
               {"clearance", "none.ccd", 1},
               {"clearance", "apart.ccd --required x", 2},
               {"interference", "none.ccd", 1},
               {"interference", "apart.ccd --threads x", 2},
               {"interference", "--example=foo", 2},
               {"replay", "none.scene none.motion", 1},
               {"replay", "object.scene none.motion", 1},
               {"replay", "none.record", 1},
               {"replay", "object.scene none.motion --threads x", 2},
               {"cook", "none.obj", 1},
               {"cook", "none.obj --nothing", 2},
               {"info", "none.brink", 1},
               {"info", "none.brink --nothing", 2},
               {"show", "none.ccd", 1},
               {"show", "apart.ccd -o none/page.html", 1},
               {"show", "apart.ccd --eps x", 2},
               {"generate", "--count x", 2},
               {"certify", "none.ccd", 1},
               {"certify", "apart.ccd -o none/folder", 1},
               {"certify", "apart.ccd --tolerance x", 2},
               {"verify", "none.cert", 1},
               {"verify", "apart.ccd --for none.problem", 1},
               {"verify", "apart.ccd", 2},
               {"robot", "info none.urdf", 1},
               {"robot", "info none.urdf --find-allowed x", 2},
               {"path", "none.urdf none.scene", 1},
               {"path", "none.urdf none.scene --clearance x", 2}};
  writeFile("object.scene", "object none.obj moving 0 0 -1  0 0 0 1 0 0 0\n");
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    if (!hasVerb(calls[i].verb)) continue;
    const int status = runShell("brink %s %s", calls[i].verb, calls[i].arguments);
    if (status != calls[i].status || errors[0] == '\0')
      fail_msg("brink %s %s: %d, not %d: %s", calls[i].verb, calls[i].arguments, status, calls[i].status, errors);
  }
}

CASE(everything_tells_its_version) {
  NEED_PROGRAM();
  static const char *const verbs[] = {"",         "check",   "clearance", "interference", "replay", "cook",
                                      "generate", "certify", "verify",    "info",         "show",   "path"};
  char first[64];
  for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; ++i) {
    if (!hasVerb(verbs[i])) continue;
    assert_int_equal(runShell("brink %s --version", verbs[i]), 0);
    if (i == 0) snprintf(first, sizeof first, "%.60s", output);
    assert_string_equal(output, first);
  }
  assert_int_equal(strncmp(first, "brink ", 6), 0);
  static const char *const programs[] = {"brink-demo", "brink-bench", "brink-mpi", "brink-acceptance"};
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; ++i) {
    if (runShell("test -x " BRINK_BINARY_DIR "/bin/%s", programs[i]) != 0) continue;
    assert_int_equal(runShell("%s --version", programs[i]), 0);
    assert_non_null(strstr(output, strchr(first, ' ')));
  }
}

CASE(a_mistyped_scene_of_a_demo_is_named) {
  if (runShell("test -x " BRINK_BINARY_DIR "/bin/brink-demo") != 0) skip();
  assert_int_equal(runShell("brink-demo ragdol"), 2);
  assert_non_null(strstr(errors, "no scene \"ragdol\": did you mean \"ragdoll\"?"));
  assert_int_equal(runShell("brink-demo --no-rendr modes"), 2);
  assert_non_null(strstr(errors, "did you mean '--no-render'?"));
  assert_int_equal(runShell("brink-demo soak_net --verify"), 2);
  assert_non_null(strstr(errors, "want a scene that ODE steps"));
}

CASE(an_empty_input_is_an_error) {
  NEED_PROGRAM();
  NEED_VERB("clearance");
  NEED_VERB("interference");
  NEED_VERB("certify");
  NEED_VERB("verify");
  writeFile("empty.ccd", "# nothing\n");
  static const char *const commands[] = {"check empty.ccd",
                                         "check /dev/null",
                                         "clearance empty.ccd",
                                         "interference empty.ccd",
                                         "certify empty.ccd",
                                         "verify empty.ccd",
                                         "replay empty.ccd row.motion",
                                         "replay row.scene empty.ccd",
                                         "check --queries vf /dev/null",
                                         "generate --count 0 | brink check -"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
    if (runShell("brink %s", commands[i]) != 2) fail_msg("brink %s: no error", commands[i]);
    assert_string_equal(strstr(commands[i], "verify") != NULL ? "" : output, "");
    assert_true(errors[0] != '\0');
    runShell("brink %s%s", commands[i], strstr(commands[i], "replay") != NULL ? "" : " --json");
    assert_true(output[0] == '\0' || output[0] == '{' || output[0] == 'e');
  }
}

CASE(long_work_tells_its_progress_on_a_terminal_and_only_there) {
  NEED_PROGRAM();
  NEED_VERB("clearance");
  assert_int_equal(runShell("brink generate --class deep --count 3000 >long.ccd"), 0);
  assert_int_equal(runOnTerminal(2, "brink clearance long.ccd"), 0);
  must("case ");
  must(" %");
  must(" left");
  assert_int_equal(runShell("brink clearance long.ccd"), 0);
  assert_string_equal(errors, "");
}

static int begin(void **state) {
  (void)state;
  if (mkdtemp(directory) == NULL) return 1;
  /* docs/formats.md has the files; these are shorter */
  static const char wall[] = "body none\nchain 0\nverts 3\n0 -1 -1  0 1 -1  0 0 2\nsimps 1\n3 0 1 2\nend\n";
  static const char tip[] =
      "verts 4\n.01 0 0 -.01 -.01 -.01 -.01 .01 -.01 -.01 0 .01\nsimps 4\n3 1 3 2 3 0 1 2 3 0 2 3 3 0 3 1\n";
  char text[2048];
  for (int i = 0; i < 2; ++i) {
    snprintf(text, sizeof text, "ccd 1\nname %s\nbody convex\nchain 1\n-5 %d 0 1 0 0 0 10 0 0 0 0 0\n%s%s",
             i == 0 ? "bullet" : "apart", 3 * i, tip, wall);
    writeFile(i == 0 ? "bullet.ccd" : "apart.ccd", text);
  }
  snprintf(text, sizeof text,
           "ccd 1\nname huge\nbody convex\nchain 1\n-5 0 0 1 0 0 0 1e200 0 0 0 0 0\n%s%s"
           "ccd 1\nname fine\nbody convex\nchain 1\n-5 0 0 1 0 0 0 10 0 0 0 0 0\n%s%s",
           tip, wall, tip, wall);
  writeFile("refused.ccd", text);
  writeFile(
      "crate.obj",
      "v -.5 -.5 -.5\nv .5 -.5 -.5\nv .5 .5 -.5\nv -.5 .5 -.5\nv -.5 -.5 .5\nv .5 -.5 .5\nv .5 .5 .5\nv -.5 .5 .5\n"
      "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  writeFile("row.scene",
            "object crate.obj moving 0 0 -1 0 0 0 1 0 0 0\nobject crate.obj fixed -1 0 -1 5 0 0 1 0 0 0\n");
  writeFile("row.motion", "0 0 0 0 0 1 0 0 0 2 0 0 1 0 0 0\n1 0 2 0 0 1 0 0 0 6 0 0 1 0 0 0\n");
  return 0;
}

int main(void) { return cases_Run(begin, removeDirectory); }
