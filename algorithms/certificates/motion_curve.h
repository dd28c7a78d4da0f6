/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_MOTION_CURVE_H
#define BRINK_MOTION_CURVE_H
/* A body's motion written down: a chain of stages from the root to the body, x_world = stage_1(t) ... stage_n(t) x,
 * each a curve of affine displacements in its parent's frame. All that a certificate states, and all motions of the
 * library but a host's own.
 *
 *   turn    T = point + t velocity + E(t spin) arm,  R = E(t spin) rotation      constant velocities (arm 0), screws
 *   ode     T = point + t velocity,  R = E(2 atan(t |u|) u/|u|) rotation, u = spin   what an engine executes in a step
 *   spline  T cubic Hermite between keys, R = E(s turn_i) rotation_i, s = (t - t_i)/(t_i+1 - t_i)
 *   bezier  (T, R) = sum W_i B_i (T_i, R_i) / sum W_i B_i, W_i > 0: any affine displacements
 * `rotation` may be any matrix. Values, first and second derivatives over an interval of time come as intervals (jets),
 * rounded outward: with them every bound of the certificate is one formula for all motions. Based on:
 * theory D1.1, D3, D4.6; interval jets: textbook. Units: m, rad, per step; t in [0,1]. */
#include "interval_arithmetic.h"
#include "motion_tree.h"
#include "object_metric.h"

#define BRINK_CURVE_MAX_DEGREE 8

typedef enum brinkStageKind {
  brink_stageTurn = 1,
  brink_stageOde = 2,
  brink_stageSpline = 3,
  brink_stageBezier = 4
} brinkStageKind;

typedef struct brinkStageKey {
  double time;
  brinkVec3 position, slope;
  brinkMat3 rotation;
  brinkVec3 turn; /* rotation vector from this key to the next; not read of the last */
} brinkStageKey;

typedef struct brinkMotionStage {
  uint32_t kind;
  int32_t count; /* spline: keys; bezier: control points */
  brinkVec3 point, velocity, spin, arm;
  brinkMat3 rotation;
  const brinkStageKey *keys; /* borrowed */
  const double *controls;    /* borrowed: [count][13]: W, W R row-major, W T */
} brinkMotionStage;

typedef struct brinkMotionCurve {
  const brinkMotionStage *stages; /* root first; borrowed */
  size_t count;                   /* 0: at rest in the world */
  struct brinkKeptChains *kept;   /* NULL, or chains that were asked about before; borrowed, one thread at a time */
} brinkMotionCurve;

/* Pairs of links ask about the same chains again and again: what the first stages of a chain make of a time is kept,
 * under all that it follows from, bit by bit. So answers do not depend on it. */
brinkStatus brinkKeptChains_Make(brinkContext *context, struct brinkKeptChains **out);
void brinkKeptChains_Destroy(brinkContext *context, struct brinkKeptChains *kept);

/* Value, first and second derivative somewhere in an interval of time. */
typedef struct brinkJet {
  brinkInterval v, d, dd;
} brinkJet;

typedef struct brinkJetMap {
  brinkJet m[3][4]; /* R | T */
} brinkJetMap;

brinkDisplacement brinkMotionCurve_At(const brinkMotionCurve *curve, double t);
/* Over [t0,t1] within [0,1], no key of a spline inside. t0 = t1: values and derivatives at that time. */
void brinkMotionCurve_Jets(const brinkMotionCurve *curve, double t0, double t1, brinkJetMap *out);
/* Values alone at one time: much cheaper. d and dd are not set. */
void brinkMotionCurve_Values(const brinkMotionCurve *curve, double t, brinkJetMap *out);
/* The same at t1, of the piece that holds [t0,t1]: at a key of a spline, of the piece before it. */
void brinkMotionCurve_EndValues(const brinkMotionCurve *curve, double t0, double t1, brinkJetMap *out);
/* The first key of a spline in (t, tEnd); tEnd when there is none. */
double brinkMotionCurve_NextKey(const brinkMotionCurve *curve, double t, double tEnd);
/* Curve of one Bezier stage, else NULL: what de Casteljau's covering needs. */
const brinkMotionStage *brinkMotionCurve_Bezier(const brinkMotionCurve *curve);

/* ---- Bezier curves in homogeneous form */
/* Control points of the part [t0,t1]: part[count][13]; error: bound of each number's rounding, relative to the largest
 * of its kind (weights, rotation, translation). */
void brinkBezier_Part(const brinkMotionStage *stage, double t0, double t1, double part[][13]);
#define BRINK_BEZIER_PART_ERROR (64.0 * BRINK_CURVE_MAX_DEGREE * DBL_EPSILON)

/* Rational motion from a Bezier curve of quaternions: R(t) = matrix of q(t) / |q(t)|^2, degree 2 (quatCount - 1), and a
 * translation by Bezier points of that degree with the same weights. controls: [2 quatCount - 1][13] as above. false:
 * |q|^2 has a coefficient that is not positive (turn less between the control quaternions). */
bool brinkMakeRationalMotion(const brinkQuat *quats, int32_t quatCount, const brinkVec3 *places, double *controls);

/* ---- from a tree of links */
/* Stages of `link` below `ancestor`, root first; room for the depth plus one each. keys: room for all keys of the
 * splines met. NULL arrays: only counts. false: a host's own motion (nothing that could be written down). */
bool brinkMotionTree_Stages(const brinkMotionTree *tree, int32_t link, int32_t ancestor, brinkMotionStage *stages,
                            size_t *stageCount, brinkStageKey *keys, size_t *keyCount);
/* The inverse of rigid stages (orthogonal matrices up to rounding): x_body = out_1(t) ... out_n(t) x_world. out: room
 * for 3 count stages; keys: twice all keys of the splines; controls: 26 numbers for each control point of Bezier
 * stages. Returns n. What is pointed to: keys, controls. */
size_t brinkInvertStages(const brinkMotionStage *stages, size_t count, brinkMotionStage *out, brinkStageKey *keys,
                         double *controls);
/* A displacement that does not move, as a stage. */
brinkMotionStage brinkMakeRestStage(const brinkDisplacement *place);

#endif
