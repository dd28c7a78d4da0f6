/* SPDX-License-Identifier: BSD-3-Clause */
/* libbrink_preload.so in programs that know nothing of Brink: what flew through a wall does not, what is slow keeps
 * every bit, and where it cannot serve it says so once and changes nothing. The programs are tests/programs. */
#include "cases.h"
#include "hook_support.h"

#define PLAIN "./scenes"
#define WITH "LD_PRELOAD='" HOOK_PRELOAD "' "

static int begin(void **state) {
  if (hook_Begin(state) != 0) return 1;
  hook_Build("scenes.c", "scenes", "", "-lode");
  hook_Build("stand.c", "stand", "", "-lode");
  hook_Build("many_calls.c", "many_calls", "", "-lode");
  return 0;
}

static bool isThere(void) {
  if (access(HOOK_PRELOAD, R_OK) == 0) return true;
  print_message("skipped: libbrink_preload.so is not built\n");
  return false;
}
#define NEED_PRELOAD() \
  if (!isThere()) skip()

CASE(what_flew_through_a_wall_bounces_off) {
  NEED_PRELOAD();
  for (int quick = 0; quick < 2; ++quick) {
    const char *solver = quick ? "quick" : "";
    hookRun plain = hook_Run(PLAIN " bullet %s", solver), with = hook_Run(WITH PLAIN " bullet %s", solver);
    assert_int_equal(plain.status, 0);
    if (with.status != 0) fail_msg("died with %d: %s", with.status, with.errors);
    assert_true(hook_Value(&plain, " x ") > 0);
    /* 12.2875 m at 300 m/s, the rest of ten frames back at 150 m/s: no time is lost. */
    double expected = -0.0125 - 150 * (10.0 / 60 - 12.2875 / 300);
    if (!(hook_Value(&with, " x ") < expected * 0.99 && hook_Value(&with, " x ") > expected * 1.01) ||
        !(hook_Value(&with, " v ") < -148.5 && hook_Value(&with, " v ") > -151.5))
      fail_msg("%s: %s", solver, strstr(with.output, "end:"));
    assert_string_equal(with.errors, ""); /* nobody asked for a log */
    hook_End(&plain);
    hook_End(&with);
  }
}

CASE(nothing_passes_in_spaces_of_any_arrangement) {
  NEED_PRELOAD();
  static const char *const scenes[] = {"car", "loose", "rebound", "worlds", "destroy", "nest"};
  static const char *const settings[] = {"", "BRINK_CALLBACK=replay ", "BRINK_MODE=clamp ", "BRINK_SUBSTEPS=0 ",
                                         "BRINK_MODE=speculative "};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
    for (size_t k = 0; k < 2 * sizeof settings / sizeof *settings; ++k) {
      const char *setting = settings[k / 2], *solver = k % 2 ? "quick" : "";
      hookRun plain = hook_Run(PLAIN " %s %s", scenes[i], solver);
      hookRun with = hook_Run("%s" WITH PLAIN " %s %s", setting, scenes[i], solver);
      if (with.status != 0) fail_msg("%s%s %s died with %d: %s", setting, scenes[i], solver, with.status, with.errors);
      assert_true(hook_Value(&plain, " x ") > 1);
      bool through =
          hook_Value(&with, " x ") > 0.15 || (strcmp(scenes[i], "worlds") == 0 && hook_Value(&with, " second x ") > 0);
      if (through) fail_msg("%s%s %s: %s", setting, scenes[i], solver, strstr(with.output, "end:"));
      hook_End(&plain);
      hook_End(&with);
    }
  }
}

/* Row 5: state after state, every bit of every body. */
CASE(slow_programs_keep_every_bit) {
  NEED_PRELOAD();
  static const char *const settings[] = {"", "BRINK_CALLBACK=replay ", "BRINK_MODE=clamp ", "BRINK_MODE=off "};
  for (int quick = 0; quick < 2; ++quick) {
    hookRun plain = hook_Run(PLAIN " slow %s 300", quick ? "quick" : "");
    assert_int_equal(plain.status, 0);
    assert_string_equal(plain.errors, "");
    for (size_t k = 0; k < sizeof settings / sizeof *settings; ++k) {
      hookRun with = hook_Run("%s" WITH PLAIN " slow %s 300", settings[k], quick ? "quick" : "");
      if (strcmp(plain.output, with.output) != 0) {
        size_t at = 0, line = 0;
        for (; plain.output[at] == with.output[at]; ++at) line += plain.output[at] == '\n';
        fail_msg("%s%s: other bits from frame %zu on", settings[k], quick ? "quick" : "", line);
      }
      hook_End(&with);
    }
    hook_End(&plain);
  }
}

static int numberBefore(const char *text, const char *word) {
  const char *at = strstr(text, word);
  if (at == NULL) fail_msg("no '%s' in %s", word, text);
  while (at > text && at[-1] != ',' && at[-1] != ':') --at;
  return atoi(at);
}

/* ODE's contacts of meshes need surfaces that cross; once a mesh was struck, they come from Brink and it comes to rest.
 */
CASE(meshes_come_to_rest_where_they_struck) {
  NEED_PRELOAD();
  for (int k = 0; k < 4; ++k) {
    const char *solver = k % 2 ? "quick" : "";
    hookRun plain = hook_Run(PLAIN " mesh %s 120", solver);
    hookRun with =
        hook_Run("BRINK_CALLBACK=%s BRINK_LOG=stderr " WITH PLAIN " mesh %s 120", k / 2 ? "replay" : "capture", solver);
    if (with.status != 0) fail_msg("died with %d: %s", with.status, with.errors);
    double x = hook_Value(&with, " x "), v = hook_Value(&with, " v ");
    int clamps = numberBefore(with.errors, " clamps");
    assert_true(hook_Value(&plain, " x ") > 1);
    if (x > -0.1 || x < -0.11 || v > 0.05 || v < -0.05 || clamps > 4)
      fail_msg("%s: x %g v %g, %d clamps", solver, x, v, clamps);
    assert_non_null(strstr(with.errors, "a trimesh was struck"));
    hook_End(&plain);
    hook_End(&with);
  }
}

/* Registered contacts keep meshes a hair apart, where no space sees them: at rest they are the program's own contacts
 * all the same, neither asked about ahead nor pushed away, and after dCloseODE too. ODE's own let the bars lie on the
 * mesh. */
CASE(stands_rest_on_a_flat_mesh_before_and_after_ode_was_closed) {
  NEED_PRELOAD();
  static const char *const settings[] = {"BRINK_CALLBACK=capture BRINK_REGISTER=meshes",
                                         "BRINK_CALLBACK=replay BRINK_REGISTER=meshes", "BRINK_CALLBACK=capture"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
    hookRun with = hook_Run("%s BRINK_LOG=stderr " WITH "./stand 600", settings[i]);
    if (with.status != 0) fail_msg("%s died with %d: %s", settings[i], with.status, with.errors);
    const char *end = with.output, *total = with.errors;
    for (int part = 0; part < 2; ++part, ++end, ++total) {
      double height = 0, speed = 0;
      int impacts = 0;
      end = strstr(end, "end:");
      total = strstr(total, "world ends: 600 steps,");
      assert_non_null(end);
      assert_non_null(total);
      assert_int_equal(sscanf(end, "end: height %lf speed %lf", &height, &speed), 2);
      assert_int_equal(sscanf(total, "world ends: 600 steps, %d impacts", &impacts), 1);
      double least = i < 2 ? 0.0005 : -1e-4, most = i < 2 ? 0.001 : 1e-4;
      if (height < least || height > most || speed > 0.02 || impacts > (i < 2 ? 120 : 0)) /* was: 4 impacts a step */
        fail_msg("%s, part %d: height %g, speed %g, %d impacts", settings[i], part, height, speed, impacts);
    }
    hook_End(&with);
  }
}

/* Looks at calls, guesses and bodies, not time: eight times the calls, little more than eight times the looks. */
CASE(many_calls_in_a_frame_cost_no_square) {
  NEED_PRELOAD();
  static const char *const kinds[] = {"", "loose"};
  for (int k = 0; k < 2; ++k) {
    double looks[2];
    for (int i = 0; i < 2; ++i) {
      int count = i == 0 ? 250 : 2000;
      hookRun plain = hook_Run("./many_calls %d %s", count, kinds[k]);
      hookRun with = hook_Run("BRINK_LOG=stderr " WITH "./many_calls %d %s", count, kinds[k]);
      if (with.status != 0) fail_msg("died with %d: %s", with.status, with.errors);
      assert_int_equal((int)hook_Value(&plain, " through "), count / 10);
      assert_int_equal((int)hook_Value(&with, " through "), 0);
      looks[i] = numberBefore(with.errors, " looks between them");
      hook_End(&plain);
      hook_End(&with);
    }
    if (looks[0] < 250 || looks[1] > 12 * looks[0]) fail_msg("%s: %g and %g looks", kinds[k], looks[0], looks[1]);
  }
}

/* Sensors let pass, in every mode; clamping, and a callback whose silence is not understood yet, cost a frame at their
 * border. */
CASE(sensors_let_pass_in_every_mode) {
  NEED_PRELOAD();
  static const char *const modes[] = {"report", "clamp", "advance", "speculative"};
  for (int i = 0; i < 8; ++i) {
    hookRun with = hook_Run("BRINK_MODE=%s BRINK_CALLBACK=%s " WITH PLAIN " sensor 20", modes[i / 2],
                            i % 2 ? "replay" : "capture");
    double x = hook_Value(&with, " x "), seen = hook_Value(&with, " sensor ");
    bool clamps = strcmp(modes[i / 2], "clamp") == 0, reports = strcmp(modes[i / 2], "report") == 0;
    if (with.status != 0 || x > 87.9 + 1e-6 || x < (clamps || i % 2 ? 82.9 : 87.9 - 1e-6) || (seen < 1 && !reports))
      fail_msg("%s %d: %s%s", modes[i / 2], i % 2, strstr(with.output, "end:"), with.errors);
    hook_End(&with);
  }
}

CASE(reports_change_nothing) {
  NEED_PRELOAD();
  hookRun plain = hook_Run(PLAIN " bullet"),
          with = hook_Run("BRINK_MODE=report BRINK_LOG=stderr " WITH PLAIN " bullet");
  assert_string_equal(plain.output, with.output);
  assert_non_null(strstr(with.errors, "brink: step 3: impact at 0.4575"));
  assert_non_null(strstr(with.errors, "of the step, reported"));
  hook_End(&plain);
  hook_End(&with);
}

CASE(off_leaves_even_the_fast_alone) {
  NEED_PRELOAD();
  hookRun plain = hook_Run(PLAIN " bullet"), with = hook_Run("BRINK_MODE=off " WITH PLAIN " bullet");
  assert_string_equal(plain.output, with.output);
  assert_string_equal(with.errors, "");
  hook_End(&plain);
  hook_End(&with);
}

static int linesOf(const char *text) {
  int lines = 0;
  for (; *text != '\0'; ++text) lines += *text == '\n';
  return lines;
}

CASE(log_tells_impacts_and_totals) {
  NEED_PRELOAD();
  hook_Must("BRINK_LOG=impacts.log " WITH PLAIN " bullet");
  char *text = hook_ReadFile("impacts.log");
  assert_non_null(strstr(text, "brink: mode advance, callback capture"));
  assert_non_null(strstr(text, "brink: step 3: impact at 0.4575"));
  assert_non_null(strstr(text, "brink: world ends: 10 steps, 1 impacts, 0 clamps, 0 s lost"));
  assert_int_equal(linesOf(text), 3);
  free(text);
  hookRun run = hook_Run("BRINK_LOG=stderr BRINK_CALLBACK=replay " WITH PLAIN " bullet");
  assert_non_null(strstr(run.errors, "callback replay"));
  hook_End(&run);
}

/* Levels and names of other programs' logs are no files. */
CASE(log_takes_levels_and_names_for_stderr) {
  NEED_PRELOAD();
  static const char *const words[] = {"1", "2", "3", "on", "info", "debug", "", "0", "off", "error", "warning"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    hookRun run = hook_Run("BRINK_LOG=%s " WITH PLAIN " bullet", words[i]);
    assert_int_equal(run.status, 0);
    assert_int_equal(linesOf(run.errors), i < 6 ? 3 : 0);
    hook_Must("test ! -e '%s'", words[i][0] != '\0' ? words[i] : "none");
    hook_End(&run);
  }
}

/* A program that makes its contacts by dCollide alone is left to ODE; that is said, once. */
CASE(a_program_that_never_collides_a_space_is_told_once) {
  NEED_PRELOAD();
  for (int quick = 0; quick < 2; ++quick) {
    for (int frames = 99; frames <= 300; frames += 201) {
      hookRun plain = hook_Run(PLAIN " alone %d %s", frames, quick ? "quick" : "");
      hookRun with = hook_Run(WITH PLAIN " alone %d %s", frames, quick ? "quick" : "");
      assert_string_equal(plain.output, with.output);
      assert_int_equal(linesOf(with.errors), frames > 99);
      if (frames > 99)
        assert_non_null(strstr(with.errors, "this program never calls dSpaceCollide: its steps are plain ODE's"));
      hook_End(&plain);
      hook_End(&with);
    }
  }
}

CASE(clamped_steps_leave_a_record_where_asked) {
  NEED_PRELOAD();
  hook_Must("mkdir -p records && BRINK_RECORD=records BRINK_MODE=clamp " WITH PLAIN " bullet");
  hook_Must("test -s records/step_000003.record");
  hookRun run = hook_Run("BRINK_RECORD=no/such/folder BRINK_MODE=clamp " WITH PLAIN " bullet");
  assert_int_equal(run.status, 0);
  assert_true(hook_Value(&run, " x ") < 0);
  hook_End(&run);
}

CASE(words_it_does_not_know_are_told_once) {
  NEED_PRELOAD();
  hookRun run = hook_Run("BRINK_MODE=bogus " WITH PLAIN " bullet");
  assert_int_equal(run.status, 0);
  assert_int_equal(linesOf(run.errors), 1);
  assert_non_null(
      strstr(run.errors, "BRINK_MODE=bogus is none of off, report, speculative, advance, clamp; 'advance'"));
  assert_true(hook_Value(&run, " x ") < 0);
  hook_End(&run);
}

CASE(single_precision_is_left_alone_with_one_line) {
  NEED_PRELOAD();
  hook_Build("single_ode.c", "libodesingle.so", "-shared -fPIC", "");
  hook_Build("single_program.c", "single", "", "-L. -lodesingle -Wl,-rpath,'$ORIGIN'");
  hookRun plain = hook_Run("./single"), with = hook_Run(WITH "./single");
  if (with.status != 0) fail_msg("died with %d: %s", with.status, with.errors);
  assert_non_null(strstr(plain.output, "step 0x10 0.0166666675\n"));
  assert_string_equal(plain.output, with.output);
  assert_int_equal(linesOf(with.errors), 1);
  assert_non_null(strstr(with.errors, "brink: stands aside: this program's libode is single precision"));
  hook_End(&plain);
  hook_End(&with);
}

CASE(static_ode_is_left_alone_with_one_line) {
  NEED_PRELOAD();
  const char *build = "'" BRINK_C_COMPILER "' " HOOK_FLAGS " -o fixed '" BRINK_SOURCE_DIR
                      "/tests/programs/scenes.c' -l:libode.a -lccd -lstdc++ -lpthread -lm";
  if (!hook_Can(build)) {
    print_message("skipped: there is no libode.a to link\n");
    skip();
  }
  hookRun plain = hook_Run("./fixed bullet"), with = hook_Run(WITH "./fixed bullet");
  assert_string_equal(plain.output, with.output);
  assert_int_equal(linesOf(with.errors), 1);
  assert_non_null(strstr(with.errors, "brink: stands aside: ODE is linked into this program"));
  hook_Must("strip fixed");
  hook_End(&with);
  with = hook_Run(WITH "./fixed bullet"); /* without its names */
  assert_non_null(strstr(with.errors, "brink: stands aside: ODE is linked into this program"));
  hook_End(&plain);
  hook_End(&with);
}

CASE(processes_without_ode_are_left_in_silence) {
  NEED_PRELOAD();
  if (HOOK_SANITIZED) skip(); /* a shell without the sanitizer's runtime cannot load a sanitized library */
  hookRun run = hook_Run(WITH "sh -c 'cat err.txt; echo done'");
  assert_int_equal(run.status, 0);
  assert_string_equal(run.output, "done\n");
  assert_string_equal(run.errors, "");
  hook_End(&run);
}

CASE(worlds_of_several_threads_do_not_meet) {
  NEED_PRELOAD();
  hook_Build("threads.c", "threads", "", "-lode -lpthread");
  hookRun alone = hook_Run(WITH "./threads 1");
  assert_non_null(strstr(alone.output, "7 -136.8"));
  for (int i = 0; i < 6; ++i) {
    hookRun run = hook_Run("BRINK_CALLBACK=%s " WITH "./threads %d", i % 2 ? "replay" : "capture", 2 + i);
    if (run.status != 0) fail_msg("%d threads: %d: %s", 2 + i, run.status, run.errors);
    assert_string_equal(alone.output, run.output);
    assert_string_equal(run.errors, "");
    hook_End(&run);
  }
  hook_End(&alone);
}

CASE(python_scripts_run_unchanged) {
  NEED_PRELOAD();
  if (HOOK_SANITIZED || !hook_Can("/usr/bin/python3 -c 'import ode'")) {
    print_message("skipped: needs Debian's python3-pyode and a build without sanitizers\n");
    skip();
  }
  static const char *const spaces[] = {"simple", "hash"};
  for (int i = 0; i < 2; ++i) {
    hookRun plain = hook_Run("/usr/bin/python3 '%s/tests/programs/bullet.py' %s", BRINK_SOURCE_DIR, spaces[i]);
    hookRun with = hook_Run("PYTHONMALLOC=debug " WITH "/usr/bin/python3 '%s/tests/programs/bullet.py' %s",
                            BRINK_SOURCE_DIR, spaces[i]);
    assert_non_null(strstr(plain.output, "PASSED THROUGH"));
    assert_string_equal(with.output, "stopped: x = -7.5550 m, speed = -60.0000 m/s\n"); /* 300 times 0.2 */
    assert_string_equal(with.errors, "");
    hook_End(&plain);
    hook_End(&with);
  }
}

int main(void) { return cases_Run(begin, hook_Finish); }
