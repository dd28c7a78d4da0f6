/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SCENE_H
#define BRINK_SCENE_H
/* One table of scenes for demos, tests, benchmark and soak. A scene is an ODE world with its bodies, geoms, joints and
 * what to draw. It is created twice from the same start: plain ODE, and ODE with Brink. Deterministic: no time, no
 * addresses, own seeds. */
#include <ode/ode.h>
#include <stdbool.h>
#include <stdint.h>

#include "brink/assets.h"
#include "brink/ode.h"

typedef struct demoVisual {
  dBodyID body;          /* NULL = static */
  dGeomID geom;          /* pose source when body is NULL */
  double offset[3];      /* mesh origin in the body's frame */
  const brinkMesh *mesh; /* scene-owned, body frame; triangles drawn flat-shaded */
  float color[3];
  int style;        /* RENDER_* of render.h */
  int part;         /* bit in demoFrame.throughMask; -1 = scenery */
  const char *note; /* static text, shown below it from the frame in which it is set; NULL: none */
} demoVisual;

typedef struct demoParams {
  bool withBrink;
  uint64_t seed;
  double speed;         /* m/s, scenes that throw something; 0 = the scene's default */
  double step;          /* s; 0 = 1/60 */
  int scheme;           /* brinkScheme */
  const char *assetDir; /* where model files and cooked blobs live; created when missing */
  bool quiet;
  const char *queryDir; /* not NULL: what Brink is asked is written there for `brink replay` (query_log.h) */
  bool reuseModels;     /* model files in assetDir are from this program: do not write them again */
} demoParams;

typedef struct demoScene demoScene;

/* What a frame left, for frames.csv, tests and the verdict. */
typedef struct demoFrame {
  int frame;
  dBrinkStepInfo brink; /* zeros without Brink */
  double toiUpper;      /* of the first event, brink.firstToi; or BRINK_NO_TIME */
  double milliseconds;  /* whole frame */
  double step;          /* s */
  double energy;        /* J, kinetic + potential over the scene's zero level */
  double startEnergy;   /* J, before the first frame */
  double jointError;    /* m, worst anchor mismatch */
  double worstDepth;    /* m, deepest part below or through a surface, by the scene's independent check */
  int through;          /* parts that are on the wrong side, by the same check */
  uint64_t throughMask; /* which: bit = demoVisual.part */
  int lost;             /* parts wholly on the wrong side */
  int odeMessages;      /* complaints that ODE made in this frame */
  int failed;           /* 1: the Brink step was refused and plain ODE stepped instead */
  double own[4];        /* figures that the scene's own file explains; 0 where it has none */
} demoFrame;

typedef struct demoSceneDef {
  const char *name;  /* "falling_train" */
  const char *title; /* one line for people */
  int frames;        /* of the full run */
  demoScene *(*create)(const demoParams *params, char *message, size_t messageCapacity);
  void (*step)(demoScene *scene, demoFrame *out);
  void (*destroy)(demoScene *scene);
  size_t (*visuals)(demoScene *scene, const demoVisual **out); /* scene-owned */
  /* Camera: eye and target for stills, at a frame. */
  void (*camera)(demoScene *scene, int frame, double eye[3], double target[3]);
  uint64_t (*hash)(demoScene *scene);  /* over all body poses and velocities, bit for bit */
  dBrinkID (*brink)(demoScene *scene); /* NULL in plain runs */
  /* One sentence from the two runs: what a person should see. True when the scene keeps its promise with Brink. */
  bool (*verdict)(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, char *out,
                  size_t capacity);
  const char *throughText; /* what `through` counts: "cars below the surface" */
  double defaultSpeed;     /* m/s, used when demoParams.speed is 0 */
  int partCount;           /* bits of throughMask in use */
  const char *everText;    /* of the headline, after "N of partCount": "cars went into the mountain"; NULL: a scene at
                              rest, whose headline is how little the two runs differ */
  /* May be NULL. A run's half of the headline by its last frame, where "N of partCount everText" does not say it. */
  void (*headline)(const demoFrame *last, char *out, size_t capacity);
  /* May be NULL. Where scenery of style RENDER_TERRAIN is cut open now, to show what is inside: points (x, y, z) of the
   * cut's upper edge with growing x, m; all terrain with a smaller y is left out. levels: the cut's lower edge, and
   * the height of bedrock. Returns how many points, 0 = whole. */
  size_t (*cutaway)(demoScene *scene, double (*points)[3], size_t capacity, double levels[2]);
} demoSceneDef;

/* A row of the table is one of the three. */
typedef struct demoRow {
  const demoSceneDef *scene;            /* two runs in ODE */
  const struct demoExhibitDef *exhibit; /* a question without an engine: exhibit.h */
  const struct soakDef *soak;           /* jointed bodies, thrown from many seeds: soak.h */
} demoRow;

/* All that this build has, in the order of `brink-demo --list`; ends with a row of nothing. */
extern const demoRow demoTable[];
const char *demoRow_Name(const demoRow *row); /* one word, also of files; NULL: the table's end */
const char *demoRow_Title(const demoRow *row);
const demoRow *demoFindRow(const char *name); /* NULL: there is none */
const demoSceneDef *demoFindScene(const char *name);

#endif
