/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_FIRST_CONTACT_H
#define BRINK_FIRST_CONTACT_H
/* Scene plus motions -> earliest contacts. Owns the order of the stages: Taylor models of the links, swept boxes,
 * dynamic tree, filters, cheap lower bounds from convex hulls, pairs in order of their bounds, advancement, window,
 * report. The scene (colliders, static boxes, hierarchy) persists between queries; motions are given anew for each.
 * Based on: [CATCH] Sec. 4-7, Algorithm 1. */
#include "advance.h"
#include "bvh.h"
#include "pair_queue.h"

typedef struct brinkScene brinkScene;

typedef struct brinkSceneCollider {
  brinkCollider collider; /* link: may be set anew before each query (brinkScene_Collider) */
  uint64_t key; /* order of reports and ties: the caller's id; colliders that share one are parts of one thing,
                   whose pairs with another thing are reported as one: the earliest */
  uint64_t category, collide; /* bits */
  double allowance;           /* m */
  uint64_t userData;
} brinkSceneCollider;

typedef struct brinkIndexPair { /* colliders */
  uint32_t a, b;
} brinkIndexPair;

typedef void brinkSceneTask(void *data, uint32_t index);

typedef struct brinkSceneQuery {
  const brinkMotionTree *tree;
  uint32_t mode, scheme, watch; /* brinkQueryMode, brinkScheme, brinkWatch of brink/ccd.h (same values) */
  double tStart, tEnd;
  double tolerance, window; /* tolerance 0 = default */
  double threshold;         /* >= 0, m: the event of contact-watching queries is the distance falling to this */
  uint64_t maxIterations;   /* of one pair; 0 = default */
  uint64_t maxTotal;        /* of all pairs; 0 = no bound */
  bool (*goOn)(void *user); /* asked before each pair; false: what is left stays unresolved. NULL: always */
  void *goOnUser;
  /* The host's threads (brinkQuery in brink/ccd.h): runs task(data, i) for all i < count in any order; NULL: none. */
  void (*run)(void *runUser, uint32_t count, brinkSceneTask *task, void *data);
  void *runUser;
  int taylorOrder;
  int32_t onlyLink; /* -2 = all; else only pairs with this link */
  /* filter: return false to leave the pair out; may be NULL. On the asking thread. */
  bool (*filter)(void *user, const brinkSceneCollider *a, const brinkSceneCollider *b);
  void *filterUser;
  /* [linkCount], m, >= 0: each link may be this far from where the tree has it; added to the thresholds of its pairs in
   * contact-watching queries. NULL: none. */
  const double *linkMargin;
  /* Depth-watching queries: by how much may these two, one of which is a mesh, sink into each other in one go, m, and
   * how deep in all (*limit, preset to 0: the same)? 0: not at all, they are kept apart. Where one side has a core
   * (inner_core.h) that is watched; else they are kept apart all the same. NULL: all are. */
  double (*sink)(void *user, const brinkSceneCollider *a, const brinkSceneCollider *b, double *limit);
  void *sinkUser;
  bool within;          /* true: whatever comes within the tolerance of the threshold is an event, not only what goes
                           beyond it; surely found up to the tolerance, and nothing from 1.25 of it on */
  bool allowAdjacent;   /* true: links that are parent and child are tested too; the filter decides */
  bool leaveOutResting; /* pairs whose links both rest in the world are not asked about */
  /* Not NULL: exactly these pairs are asked about, each once; the caller knows that no other one comes to its event and
   * has asked its filters. No boxes are made; links of the pairs are the caller's word. Borrowed. */
  const brinkIndexPair *pairs;
  size_t pairCount;
  uint64_t serial; /* not 0: between two queries with a serial nothing changed but colliders that were added, removed
                      or marked (brinkScene_MarkMoved), and nothing at all when the serials are equal */
} brinkSceneQuery;

typedef struct brinkSceneEvent { /* brinkPairEvent of brink/steps.h */
  uint32_t kind;                 /* brinkEventKind; 0 for pairs that are free */
  double margin, left;           /* m */
} brinkSceneEvent;

typedef struct brinkScenePairResult {
  uint32_t a, b; /* collider indices, key(a) < key(b) */
  double threshold;
  brinkSceneEvent event;
  brinkPairResult result;
} brinkScenePairResult;

typedef struct brinkSceneCounters {
  uint64_t pairsBefore, pairsSpatial, pairsTemporal, distanceQueries, advancements, nodePairs, unresolved;
} brinkSceneCounters;

typedef struct brinkSceneReport {
  brinkPairState state;
  double toi;
  const brinkScenePairResult *pairs; /* scene-owned until the next query; sorted by (toi, keys) */
  size_t pairCount;
  brinkSceneCounters counters;
} brinkSceneReport;

/* The allowance in force for a collider, m: its own, or 0.05 of its shape's smallest extent; INFINITY for planes (a
 * pair's allowance is the smaller of the two). */
double brinkSceneCollider_Allowance(const brinkSceneCollider *collider);

brinkStatus brinkScene_Create(brinkContext *context, brinkScene **out);
void brinkScene_Destroy(brinkScene *scene);
brinkStatus brinkScene_AddCollider(brinkScene *scene, const brinkSceneCollider *def, uint32_t *index);
void brinkScene_RemoveCollider(brinkScene *scene, uint32_t index);
brinkSceneCollider *brinkScene_Collider(brinkScene *scene,
                                        uint32_t index); /* NULL when dead; change bits, link, allowance freely */
brinkStatus brinkScene_SetLocal(brinkScene *scene, uint32_t index, const brinkRigid *local);
/* The same for a collider whose link's frame changes with its motion, so that it is where it was: a question stays
 * open. */
brinkStatus brinkScene_MoveFrame(brinkScene *scene, uint32_t index, const brinkRigid *local);
brinkStatus brinkScene_IgnorePair(brinkScene *scene, uint32_t a, uint32_t b, bool ignore);
/* Pairs of pieces (rest_overlap.h; keys name a's first) of two colliders that no query tests; copied, in place of what
 * was left out of the two before. any false: nothing is left out. any true with keyCount 0: only
 * containment at the start is ignored. All items or none. */
typedef struct brinkSceneLeftOut {
  uint32_t a, b;
  const uint64_t *keys;
  size_t keyCount;
  bool any;
} brinkSceneLeftOut;
brinkStatus brinkScene_LeaveOut(brinkScene *scene, const brinkSceneLeftOut *items, size_t count);

/* Colliders on one link, on links both static (-1), or on links that are parent and child in the tree with the pair not
 * allowed (allowAdjacent is per query: not asked) are never tested. */
brinkStatus brinkFirstContact(brinkScene *scene, const brinkSceneQuery *query, brinkSceneReport *report);

/* One question that lives while motions change (question.c; semantics in brink/steps.h). query: mode first, with a
 * serial; each call gives one that differs in its tree and serial alone. Begin ends the question before it. Colliders
 * that come, go or are put elsewhere end it; so does a failure that is not one of the arguments. */
brinkStatus brinkScene_BeginQuestion(brinkScene *scene, const brinkSceneQuery *query);
/* Pairs of the marked colliders (brinkScene_MarkMoved) are found and asked anew over [from, query->tEnd]. */
brinkStatus brinkScene_NextEvents(brinkScene *scene, const brinkSceneQuery *query, double from,
                                  brinkSceneReport *report);
brinkStatus brinkScene_LeavePair(brinkScene *scene, uint32_t a, uint32_t b);
void brinkScene_EndQuestion(brinkScene *scene);
bool brinkScene_HasQuestion(const brinkScene *scene);

/* Where two colliders that are watched at a core (two solids, or one may sink into the other by query->sink) stand at
 * query->tStart, as depth-watching queries see it. Solids farther apart than a quarter of the allowance: separation and
 * points are those of the surfaces. */
typedef struct brinkSceneSinking {
  double depth;      /* m, by how much they may sink in one go; 0: not a pair that sinks, nothing below is known */
  double limit;      /* m, >= depth: how deep in all */
  double separation; /* m; of the core, less how far it lies inside. -limit is as deep as may be */
  double coreGap;    /* m, of the core alone; 0: the core crosses */
  brinkVec3 pointA, pointB, normal; /* world; of the core, on its side moved out by the inset; not when it crosses */
} brinkSceneSinking;
brinkStatus brinkScene_Sinking(brinkScene *scene, const brinkSceneQuery *query, uint32_t a, uint32_t b,
                               brinkSceneSinking *out);

/* Index pairs whose boxes at time t are within margin; scene-owned until the next call. */
brinkStatus brinkScene_NearPairs(brinkScene *scene, const brinkMotionTree *tree, double t, double margin,
                                 const brinkSceneQuery *filters, const brinkIndexPair **pairs, size_t *count);
/* The same for pairs that involve one of these colliders, over the query's interval: swept boxes within margin. With a
 * serial it looks only at what is near. */
brinkStatus brinkScene_PairsOf(brinkScene *scene, const brinkSceneQuery *query, const uint32_t *slots, size_t slotCount,
                               double margin, const brinkIndexPair **pairs, size_t *count);

/* For queries with a serial: the motion of the collider's link changed, or of one above it. */
void brinkScene_MarkMoved(brinkScene *scene, uint32_t index);
void brinkScene_MarkAllMoved(brinkScene *scene); /* anything may have changed */

#endif
