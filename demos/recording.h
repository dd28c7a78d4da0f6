/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_RECORDING_H
#define BRINK_RECORDING_H
/* What a recording holds, for the files that write it out: recorder.c (GLB), run_page.c (HTML). Others use recorder.h.
 */
#include "recorder.h"

#define MESH_LIMIT 256      /* distinct meshes of a scene */
#define IMPACTS_PER_FRAME 8 /* kept for pictures */
#define RECORDED_CUT 128    /* points of a cut */
#define NOTE_LIMIT 64       /* notes of a scene */

typedef struct recordedVisual {
  int mesh, style, part;
  float color[3];
  bool moving;
  const char *note; /* NULL: none; shown from the sample noteFrom on */
  int noteFrom;
} recordedVisual;

typedef struct recordedPose {
  double position[3], rotation[4]; /* m; w,x,y,z */
} recordedPose;

typedef struct recordedImpact {
  double position[3], normal[3], toi, distance; /* m; of the step */
  int a, b;                                     /* visuals, -1 = not drawn */
} recordedImpact;

typedef struct recordedSample {
  double eye[3], target[3];
  recordedImpact impacts[IMPACTS_PER_FRAME];
  double cut[RECORDED_CUT][3]; /* m, upper edge; see demoSceneDef.cutaway */
  size_t cutCount;
  int impactCount, through;
  uint64_t throughMask, everMask; /* now, and at any time so far */
  /* as in demoFrame; pairs: before the culls, after the spatial and after the temporal one; ms: the whole frame, and
   * Brink's part of it */
  double depth, energy, jointError, pairs[3], frameMs, brinkMs;
} recordedSample;

struct recording {
  double step;
  double cutBase, cutBedrock; /* m */
  renderCut cutNow;           /* of the last recording_Cut */
  brinkMesh *meshes;          /* owned copies */
  const brinkMesh *sources[MESH_LIMIT];
  int meshCount;
  recordedVisual *visuals;
  size_t visualCount;
  recordedPose *poses;     /* [sampleCount][visualCount] */
  recordedSample *samples; /* [sampleCount] */
  int sampleCount, sampleCapacity;
};

#endif
