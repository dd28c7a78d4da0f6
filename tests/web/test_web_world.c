/* SPDX-License-Identifier: BSD-3-Clause */
/* The playground's worlds keep what the page says of them; compiled natively, so that it is tested where there is no
 * emscripten. */
#include <math.h>
#include <stdio.h>
#include "cases.h"
#include "world.h"

static void run(int steps) {
  for (int i = 0; i < steps; ++i) assert_true(playStep());
}

static int through(int lane) { return (int)playFigureOf(lane, playThrough); }

/* Twelve things of each kind from the side that the page throws from; 60 m/s, 1/60 s. */
CASE(what_is_thrown_goes_through_in_plain_ode_and_not_with_brink) {
  for (int scene = 0; scene < playScenes; ++scene) {
    int plain = 0;
    for (int kind = 0; kind < playKinds; ++kind) {
      assert_true(playReset(scene));
      assert_true(playSet(playStepLength, 1.0 / 60));
      for (int i = 0; i < 12; ++i) {
        double y = 0.55 * (i % 6) - 1.4;
        if (scene == playWall)
          assert_true(playThrow(kind, -7.1 + 0.13 * i, y, 2 + 0.1 * (i / 6), 60, 0, 0) >= 0);
        else
          assert_true(playThrow(kind, -5.1 + 0.13 * i, y, 9, 35, 0, -45) >= 0);
        run(12);
      }
      run(60);
      printf("scene %d kind %d: through %d / %d\n", scene, kind, through(0), through(1));
      plain += through(0);
      assert_int_equal(through(1), 0);
      assert_int_equal((int)playFigureOf(1, playRefused), 0);
    }
    assert_true(plain > 0);
  }
}

/* What the overlays show: pairs of which one end is a part that moves fast, and the hill's hulls around the hill. */
CASE(overlays_tell_what_may_touch_and_the_hills_hulls) {
  int most = 0;
  assert_true(playReset(playWall));
  assert_int_equal(playHullCount(), 0);
  assert_true(playSet(playWatch, 2));
  assert_true(playThrow(playBall, -7, 0, 2, 60, 0, 0) >= 0);
  for (int i = 0; i < 12; ++i) {
    run(1);
    for (int p = 0; p < playPairCount(); ++p) {
      const float *row = playPairs() + 6 * p;
      for (int k = 0; k < 6; ++k) assert_true(isfinite(row[k]));
    }
    if (playPairCount() > most) most = playPairCount();
  }
  assert_true(most > 0); /* the wall, when the ball comes */
  assert_true(playSet(playWatch, 1));
  run(1);
  assert_int_equal(playPairCount(), 0);
  assert_true(playReset(playHill));
  assert_true(playHullCount() > 100);
  float low = INFINITY, high = -INFINITY;
  for (int i = 0; i < 2 * playHullCount(); ++i)
    low = fminf(low, playHulls()[3 * i + 2]), high = fmaxf(high, playHulls()[3 * i + 2]);
  assert_true(high > 3 && high < 4.5f && low > -6);
}

CASE(both_lanes_hold_the_same_until_something_is_fast) {
  assert_true(playReset(playWall));
  run(120);
  int count = playPartCount();
  assert_int_equal(count, 6);
  for (int i = 0; i < 8 * count; ++i) {
    float plain = playPoses(0)[i];
    assert_true(plain == playPoses(1)[i]);
  }
  assert_int_equal(through(0), 0);
}

CASE(what_flies_over_the_wall_is_not_counted) {
  assert_true(playReset(playWall));
  assert_true(playThrow(playBall, -7, 0, 6, 20, 0, 4) >= 0);
  run(60);
  assert_true(playPoses(0)[8 * 6] > 2.5f);
  assert_int_equal(through(0), 0);
  assert_int_equal(through(1), 0);
}

/* The ray runs along x at a box on the floor before the wall; the hand goes far behind the wall. */
CASE(the_hand_pulls_no_body_through_the_wall) {
  assert_true(playReset(playWall));
  int thing = playThrow(playBox, 0, -3, 0.6, 0, 0, 0);
  assert_int_equal(thing, 6);
  run(60);
  int part = playPick(1, -5, -3, 0.3, 1, 0, 0);
  assert_int_equal(part, 6);
  playDrag(8, -3, 1);
  run(240);
  assert_true(playPoses(1)[8 * 6] > 1.5f && playPoses(1)[8 * 6] < 2.0f);
  assert_int_equal(through(1), 0);
  playRelease();
  run(60);
  assert_int_equal(playPick(0, -5, 0, 3, 0, 0, 1), -1); /* the sky */
}

CASE(bad_input_is_refused_and_nothing_changes) {
  assert_true(playReset(playHill));
  assert_int_equal(playHillSide() > 0, 1);
  assert_int_equal(playReset(-1), 0);
  assert_int_equal(playReset(playScenes), 0);
  assert_int_equal(playThrow(-1, 0, 0, 9, 0, 0, 0), -1);
  assert_int_equal(playThrow(playKinds, 0, 0, 9, 0, 0, 0), -1);
  assert_int_equal(playThrow(playBall, NAN, 0, 9, 0, 0, 0), -1);
  assert_int_equal(playThrow(playBall, 0, 0, 9, INFINITY, 0, 0), -1);
  assert_int_equal(playSet(playStepLength, 0), 0);
  assert_int_equal(playSet(playStepLength, NAN), 0);
  assert_int_equal(playSet(playGravity, 1e9), 0);
  assert_int_equal(playSet(playWatch, 3), 0);
  assert_int_equal(playSet(99, 1), 0);
  assert_int_equal(playPick(2, 0, 0, 9, 0, 0, -1), -1);
  assert_int_equal(playPick(0, 0, 0, 9, 0, 0, 0), -1);
  assert_true(isnan(playFigureOf(0, 99)));
  assert_int_equal(playPartCount(), 0);
  run(2);
}

CASE(a_full_world_takes_no_more) {
  assert_true(playReset(playShelves));
  int made = 0;
  while (playThrow(playRagdoll, 3 * (made % 12), 3 * (made / 12 % 12), 20 + 4 * (made / 144), 0, 0, 0) >= 0) ++made;
  assert_true(made > 100 && playPartCount() <= PLAY_PARTS);
  assert_true(playReset(playWall));
  assert_int_equal(playThingCount(), 6);
}

CASE(overlays_tell_impacts_and_swept_boxes) {
  int most = 0, marks = 0;
  assert_true(playReset(playWall));
  assert_true(playSet(playWatch, 2));
  assert_true(playThrow(playBall, -7, 0, 2, 60, 0, 0) >= 0);
  for (int i = 0; i < 20; ++i) {
    run(1);
    if (playSweptCount() > most) most = playSweptCount();
    for (int k = 0; k < playMarkCount(); ++k) {
      const float *mark = playMarks() + 7 * k;
      double x = (double)mark[3], y = (double)mark[4], z = (double)mark[5], length = sqrt(x * x + y * y + z * z);
      assert_true(fabs(length - 1) < 1e-5);
      ++marks;
    }
    for (int k = 0; k < playSweptCount(); ++k) assert_true(playSwept()[6 * k] < playSwept()[6 * k + 3]);
  }
  assert_true(most > 0 && marks > 0);
  assert_true(playSet(playWatch, 0));
  run(1);
  assert_int_equal(playSweptCount() + playMarkCount(), 0);
}

int main(void) { return cases_Run(NULL, NULL); }
