/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_PLAYGROUND_WORLD_H
#define BRINK_PLAYGROUND_WORLD_H
/* The playground's two worlds: lane 0 is plain ODE, lane 1 the same ODE with Brink. Every call acts on both lanes with
 * the same numbers; only what the solvers make of them differs. The page draws what the buffers say.
 *
 * A thing is what one throw makes (a ball, a ragdoll of 11 bodies); a part is one body of it. Part p is the same part
 * in both lanes. A thing went through when a part's centre crossed a wall, a plate or the hill's surface within a step:
 * a judge that knows nothing of Brink. Buffers live until the next call of the same function.
 * Units: m, kg, s, rad; z up. One thread. */
#include <stdint.h>

#define PLAY_LANES 2
#define PLAY_PARTS 1600
#define PLAY_THINGS 600
#define PLAY_MARKS 256 /* impacts, swept boxes and pairs of one step */

typedef enum playScene { playWall, playShelves, playHill, playScenes } playScene;
typedef enum playKind { playBall, playBox, playRagdoll, playChain, playTrain, playBlade, playKinds } playKind;
typedef enum playShape { playShapeBall, playShapeBox, playShapeCapsule } playShape;
typedef enum playSetting { playStepLength, playGravity, playWatch } playSetting;
typedef enum playFigure {
  playThrough,    /* things that ever went through */
  playTime,       /* ms of the last step: collide, step, empty */
  playSolves,     /* of the last step; 1 in plain ODE */
  playImpacts,    /* of the last step, as Brink tells them */
  playClamps,     /* since the scene began */
  playLost,       /* s of simulated time lost to clamps since the scene began, mean over bodies */
  playRefused,    /* steps that Brink refused since the scene began */
  playJointError, /* m, worst of the last step, ball and hinge and universal joints */
  playAwake       /* bodies that are not asleep */
} playFigure;

/* Both worlds anew. 0: the scene is not known. */
int playReset(int scene);
/* Makes a thing at place that flies with velocity, turned along it; when something is there it starts further back.
 * Returns its number, -1 when the worlds are full or there is no room. */
int playThrow(int kind, double x, double y, double z, double vx, double vy, double vz);
/* Step length (1/1000 to 1/10 s), gravity along -z (m/s2), what is recorded for overlays (0 nothing, 1 impacts, 2 swept
 * boxes and the pairs that Brink asks about because they meet). 0: refused. */
int playSet(int setting, double value);
double playGet(int setting);
/* One step of both lanes. 0: Brink refused it (playMessage says why). */
int playStep(void);

/* Takes the part that the ray meets first in a lane; both lanes' copies are pulled. Returns its number or -1; the point
 * is playPickPoint. */
int playPick(int lane, double x, double y, double z, double dx, double dy, double dz);
const double *playPickPoint(void); /* [3], m, where it was taken */
void playDrag(double x, double y, double z);
void playRelease(void);

int playPartCount(void);
int playThingCount(void);
const float *playPoses(int lane);    /* [part][8]: place, quaternion (w,x,y,z), 1 when it is in the world */
const float *playPartTable(void);    /* [part][6]: playShape, size[3], thing, kind. Ball: radius; box: extents; capsule:
                                        radius, half of its straight part */
const uint8_t *playPassed(int lane); /* [thing], 1: went through */
double playFigureOf(int lane, int figure);
int playStaticCount(void);
const float *playStatics(void);      /* [static][10]: extents, place, quaternion */
int playHillSide(void);              /* vertices along an edge; 0: no hill in this scene */
const float *playHillVertices(void); /* [side * side][3], rows along x */
int playMarkCount(void);
const float *playMarks(void); /* [mark][7]: place, normal, response (dBrinkResponse) */
int playSweptCount(void);
const float *playSwept(void); /* [box][6]: low, high */
int playPairCount(void);
const float *playPairs(
    void); /* [pair][6]: from a part's centre to the other's, or to the nearest point of what stands */
int playHullCount(void);
const float *playHulls(void); /* [edge][6]: the hill's tree of convex hulls, some way down; none in other scenes */
const char *playMessage(void);

#endif
