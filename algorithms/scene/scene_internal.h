/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SCENE_INTERNAL_H
#define BRINK_SCENE_INTERNAL_H
/* What the files of the scene share: scene_colliders.c (what there is), scene_boxes.c (where they may be),
 * scene_pairs.c (which come near), pair_event.c (when does one pair meet), first_contact.c (the query), lanes.c (on
 * several threads). For no others.
 */
#include "brink/cook.h"
#include "first_contact.h"
#include "swept_axis.h"

/* Values of brinkQueryMode, brinkScheme and brinkWatch in brink/ccd.h, which algorithms may not include. */
enum { BRINK_SCENE_FIRST = 0, BRINK_SCENE_PAIRS = 1, BRINK_SCENE_BOOLEAN = 2 };
enum {
  BRINK_SCENE_PAPER = 1,
  BRINK_SCENE_SWEPT_AXIS = 2
}; /* 0, the default: swept axes where they serve, else the paper's */
enum { BRINK_SCENE_WATCH_CONTACT = 0, BRINK_SCENE_WATCH_DEPTH = 1 };
enum { /* brinkEventKind in brink/steps.h */
       BRINK_SCENE_TOUCH = 1,
       BRINK_SCENE_DEEPEN = 2,
       BRINK_SCENE_CORE = 3,
       BRINK_SCENE_CROSSED = 4,
       BRINK_SCENE_UNDECIDED = 5
};

#define BRINK_DEFAULT_TOLERANCE 1e-6 /* of the smaller shape's size */
#define BRINK_DEFAULT_ALLOWANCE 0.05 /* of the smallest extent */
#define BRINK_ALL_LINKS (-2)
#define BRINK_CHORD_PARTS 8
#define BRINK_MODEL_LEVELS 3 /* Taylor models over up to 2^3 parts of the time */
#define BRINK_NOT_ACTIVE UINT32_MAX
#define BRINK_NO_PAIR UINT32_MAX
#define BRINK_BOX_LEVELS 10 /* 8^10 boxes */
#define BRINK_TASKS 64      /* items are dealt out to so many, whatever the number of threads; fewer are not worth it */

/* An oriented box at both ends of an interval; all of the shape lies within `round` of it. For any fixed n, the largest
 * n.x over the shape lies during it below the line from end to end, plus slack. */
typedef struct brinkSceneCourse {
  double tStart, tEnd;
  brinkVec3 center[2];
  brinkVec3 axes[2][3]; /* scaled by the half extents */
  double round, slack;  /* m */
  bool exact;           /* box and rounding are the shape itself */
} brinkSceneCourse;

/* The box around the core of a rounded shape, in its link. */
typedef struct brinkSceneCore {
  brinkObb obb;
  double round, size, reach; /* m: of the rounding; half the box and that; from the link's origin */
  bool unturned;             /* the axes are the link's */
  bool exact;                /* see brinkSceneCourse */
} brinkSceneCore;

typedef struct brinkSceneSlot {
  brinkSceneCollider collider;
  brinkSceneCore core;
  bool alive;
  int32_t staticProxy, movingProxy; /* -1 = not in that tree */
  brinkAabb box;                    /* of the current query; moving colliders and static ones alike */
  double margin;                    /* m: how near another collider may come before the pair matters */
  bool resting;                     /* its link rests in the world during the query */
  bool courseKnown;                 /* scene->courses: of the motion that the box is of */
  bool wanted;                      /* of brinkScene_PairsOf */
  uint32_t activeAt;                /* place in scene->active, or BRINK_NOT_ACTIVE */
  bool isChanged;                   /* in scene->question.changed */
  uint32_t firstPair; /* of the question: 2 * pair + side, or BRINK_NO_PAIR; only of what hangs on a link */
  bool restKnown;     /* box and place in the tree are right while its link rests at this pose */
  brinkVec3 restPosition;
  brinkMat3 restRotation;
  int32_t restLink;
} brinkSceneSlot;

typedef struct brinkSceneCandidate {
  uint32_t a, b; /* slots, by key */
  uint32_t pair; /* of the question */
} brinkSceneCandidate;

/* A pair of the question. On a change of motion it dies where it stands, and is free once the queue has let it go. */
typedef struct brinkScenePair {
  brinkSceneCandidate candidate;
  double from;                   /* it is asked over [from, tEnd] */
  uint32_t next[2], previous[2]; /* lists of the slots: 2 * pair + side, or BRINK_NO_PAIR */
  uint32_t answer;               /* in question.answers once its event is known, else BRINK_NO_PAIR */
  bool dead;
  bool unasked; /* the answer only says that it was not asked */
} brinkScenePair;

typedef struct brinkSceneQuestion {
  bool open, intact; /* intact: all boxes hold over [from, tEnd] */
  double from, tEnd;
  brinkScenePair *pairs;
  brinkScenePairResult *answers;
  uint32_t *freePairs, *freeAnswers, *changed, *popped; /* changed: slots */
  uint64_t *left; /* hash table of brinkScene_PairKey, 0 = empty; [leftRoom], a power of two */
  size_t pairCount, pairCapacity, freePairCount, freePairCapacity, answerCount, answerCapacity, freeAnswerCount,
      freeAnswerCapacity, changedCount, changedCapacity, poppedCapacity, leftCount, leftRoom;
  brinkPairQueue queue; /* bound of the toi, or the toi itself */
  brinkAdvanceWork work;
  brinkSceneCounters counters;
} brinkSceneQuestion;

typedef struct brinkSceneLeftOutPair {
  uint64_t pair;  /* as in `ignored` */
  uint64_t *keys; /* of the smaller index first; owned */
  size_t count;
} brinkSceneLeftOutPair;

/* Boxes of four slots that follow each other, a lane each. */
typedef struct brinkSceneListedBoxes {
  double lower[3][4], upper[3][4];
  uint32_t listed, fixed; /* bits: lanes that hold a box; of those, what hangs on no link */
} brinkSceneListedBoxes;

/* Boxes of moving colliders, with their margins, along a curve through space, in single precision, outward: [count] of
 * those, then room for some that were woken since, in no order. Every eight that follow each other make a group with a
 * box of its own, every eight groups one of the next level, until eight or fewer are left. Made anew for each query:
 * that costs less than keeping a tree of boxes that all move. */
typedef struct brinkSceneSortedBoxes {
  uint64_t *keys; /* place on the curve, then the slot; the second half is room to sort */
  float *loose;   /* [6 k ..]: bounds before they are sorted */
  float *bounds;  /* lower x y z, upper x y z, each [room]; then the same of the groups, level by level */
  size_t keyCapacity, looseCapacity, boundCapacity, count, changed, room;
  size_t levelStart[BRINK_BOX_LEVELS], levelRoom[BRINK_BOX_LEVELS], levelCount[BRINK_BOX_LEVELS];
  int levels;       /* level 0: the boxes */
  double groupSize; /* m, of the boxes of level 1 when they were sorted */
  bool valid; /* holds the boxes of all slots that are active, or of all that move; sortedAt of all others is none */
} brinkSceneSortedBoxes;

typedef struct brinkSceneBound {
  double toi, threshold; /* brinkScene_LowerBound */
} brinkSceneBound;

/* A pair that is asked before it is known whether its answer is needed. */
typedef struct brinkSceneAhead {
  uint32_t index; /* of the candidate */
  double bound;
  brinkAdvanceWork work;
  bool entered; /* see pairsTemporal */
} brinkSceneAhead;

typedef struct brinkSceneLane brinkSceneLane;

struct brinkScene {
  /* What every question touches, side by side: memory is cold when it comes. */
  brinkContext *context;
  const brinkSceneQuery *asked; /* during a call that has one: who lends threads */
  brinkSceneSlot *slots;
  size_t slotCount;
  uint64_t placedSerial; /* boxes but those of the moved slots are of this serial and interval; 0: of none */
  bool isLane;
  bool few;             /* few pairs: boxes are compared one by one */
  bool alone;           /* one pair at most: asked as it is, without boxes */
  bool hasMovingPlanes; /* then nothing is kept from query to query */
  bool keysFall;        /* somewhere from slot to slot */
  bool counted;         /* countedPairs is right for these */
  bool countedAdjacent;
  int32_t countedOnly;
  uint64_t countedPairs;
  uint32_t *linkCounts;
  brinkSceneCandidate *candidates;
  brinkScenePairResult *results, *reported;
  uint32_t *order;
  size_t candidateCount, ignoredCount, leftOutCount;
  size_t candidateCapacity, resultCapacity, reportedCapacity, orderCapacity, linkCountCapacity;
  brinkAdvanceScratch *scratch;
  brinkSweptAxisScratch *sweptScratch;
  brinkSceneQuestion question;
  brinkAdvanceWork work;  /* of brinkScene_Each's items */
  brinkSceneBound *lower; /* [candidate] */
  brinkSceneAhead *ahead;
  brinkPairQueue queue;
  size_t lowerCapacity, aheadCapacity;
  brinkSceneLane *lanes; /* [BRINK_TASKS], made when first needed */
  uint32_t *freeSlots;
  uint64_t *ignored;              /* sorted; smaller index << 32 | larger */
  brinkSceneLeftOutPair *leftOut; /* sorted by pair */
  brinkTaylorRigid *motions;
  brinkRigid *poses, *endPoses, *partPoses;
  brinkLinkBound *bounds;
  brinkIndexPair *near;
  size_t slotCapacity, freeCount, freeCapacity, ignoredCapacity, leftOutCapacity;
  size_t motionCapacity, poseCapacity, endPoseCapacity, partPoseCapacity, boundCapacity, nearCapacity;
  brinkBvh *fixedTree, *movingTree; /* moving: what hangs on a link and rests */
  brinkSceneListedBoxes *boxes;     /* of the current query, when it does without movingTree */
  size_t boxCount, boxCapacity;     /* boxCount: slots */
  brinkSceneSortedBoxes sorted;
  uint32_t *sortedAt;        /* [slot] place in sorted, or BRINK_NOT_ACTIVE */
  bool *isListed;            /* [slot] in moved */
  brinkSceneCourse *courses; /* [slot] */
  size_t sortedAtCapacity, isListedCapacity, courseCapacity;
  double placedStart, placedEnd;
  uint32_t *moved;  /* slots whose lone link has another motion since then */
  uint32_t *active; /* slots that move or hang on something, as of placedSerial */
  uint32_t *planes; /* slots, as of placedSerial */
  double *coreRoom; /* vertices of a core */
  size_t movedCount, movedCapacity, activeCount, activeCapacity, planeCount, planeCapacity, coreRoomCapacity;
  brinkLinkMotion *subLinks; /* moved links that hang on others, with all above them: a forest of their own */
  int32_t *subOf;            /* [link] its place there + 1, else 0 */
  uint64_t *subList;         /* the links, ascending */
  size_t subLinkCapacity, subOfCapacity, subListCapacity;
};

typedef struct brinkSceneSweep { /* how boxes are made; tree NULL: of the poses alone, at one time */
  const brinkMotionTree *tree;
  double tStart, tEnd;
  int order;
  bool always;         /* Taylor models for every collider */
  bool together;       /* all slots: the forest as it stands, as if it were one tree */
  uint32_t modelsMade; /* bit k: scene->motions over 2^k parts of the time are those of the query */
  uint32_t partsMade;  /* bit k: scene->partPoses after k parts are */
  size_t first;        /* link of the scene's poses and bounds, which the tree's begin at */
} brinkSceneSweep;

static inline brinkSceneSweep brinkSceneQuery_Sweep(const brinkSceneQuery *query) {
  return (brinkSceneSweep){
      .tree = query->tree, .tStart = query->tStart, .tEnd = query->tEnd, .order = query->taylorOrder};
}

/* BRINK_SCENE_RESERVE(scene, array, arrayCapacity, needed) for a member array of any type */
#define BRINK_SCENE_RESERVE(scene, member, capacity, needed)                                                 \
  brinkScene_ReserveBlock((scene)->context, (void **)(void *)&(scene)->member, &(scene)->capacity, (needed), \
                          sizeof *(scene)->member)

static inline brinkStatus brinkScene_ReserveBlock(brinkContext *context, void **member, size_t *capacity, size_t needed,
                                                  size_t size) {
  void *block;
  memcpy(&block, member, sizeof block);
  brinkStatus status = brinkReserve(context, &block, capacity, needed, size);
  memcpy(member, &block, sizeof block);
  return status;
}

/* ---- scene_colliders.c */
bool brinkScene_IsIgnored(const brinkScene *scene, uint32_t a, uint32_t b);
brinkLeftOut brinkScene_LeftOut(const brinkScene *scene, uint32_t a, uint32_t b);
void brinkScene_LeaveTrees(brinkScene *scene, brinkSceneSlot *slot);

/* The slot's box is not that of its motion over [placedStart, placedEnd]. */
void brinkScene_MarkBox(brinkScene *scene, uint32_t index);

/* ---- scene_boxes.c */
void brinkSceneSlot_MakeCore(brinkSceneSlot *slot); /* of another shape or place */
brinkStatus brinkScene_ReserveLinks(brinkScene *scene, size_t links);
/* Puts every collider where the query needs it. */
brinkStatus brinkScene_PlaceColliders(brinkScene *scene, brinkSceneSweep *sweep);
/* Swept boxes of all colliders over the query's interval; those that are there already are kept. */
brinkStatus brinkScene_SweepColliders(brinkScene *scene, const brinkSceneQuery *query, brinkSceneSweep *sweep);
/* The same for these slots alone, whatever was kept. */
brinkStatus brinkScene_SweepSlots(brinkScene *scene, brinkSceneSweep *sweep, const uint32_t *slots, size_t count);
brinkStatus brinkScene_ListSlots(brinkScene *scene);
/* Separations at which a pair comes to no event, m. */
typedef struct brinkSceneRoom {
  double above;  /* whatever it starts at */
  double deeper; /* by so much less than at the start, where it touches or overlaps; > 0: solids */
  double least;  /* but never less than this */
} brinkSceneRoom;
brinkSceneRoom brinkScene_FreeRoom(const brinkScene *scene, const brinkSceneQuery *query,
                                   const brinkSceneCandidate *candidate, const brinkAdvanceInput *input);
/* Do the oriented boxes of the two (or a plane's half-space) prove, along one direction for all of [tStart, tEnd], that
 * the pair keeps its room? Costs a tenth of a distance of two boxes; false: not known. */
bool brinkScene_StayApart(brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *candidate,
                          const brinkAdvanceInput *input);
/* At tStart, or tEnd: is one of the two, no mesh, farther off an open mesh that stands still? false: not known. */
bool brinkScene_IsOffMesh(brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *pair, bool atEnd,
                          double distance);
/* The same of a mesh that stands still, by its triangles: does all of the course stay further off them than `distance`
 * along one direction for each? Negative: the shape may sink so far into the surface. scene_meshes.c. */
bool brinkScene_StaysOffMesh(const brinkSceneCourse *course, const brinkCollider *mesh, double distance);
/* In depth-watching queries: is one of the two a mesh that bounds no convex body, whose hull may hold the other while
 * they are far apart? Or are both convex, and a distance of hulls costs what asking does? Swept axes settle those. */
bool brinkScene_HullsSayLittle(const brinkSceneQuery *query, const brinkAdvanceInput *input);
/* Smallest n.x over the box minus the half-space's offset, rounded down: > 0 = apart. */
double brinkSceneCollider_PlaneGap(const brinkSceneCollider *plane, const brinkAabb *box);

/* ---- scene_pairs.c */
brinkStatus brinkScene_CheckLinks(brinkScene *scene, const brinkMotionTree *tree);
/* How many pairs the links allow, without looking at pairs. */
uint64_t brinkScene_CountPairs(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query);
/* scene->candidates: all allowed pairs whose boxes come within their margins, sorted by key. */
brinkStatus brinkScene_GatherPairs(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                                   bool wantedOnly);
/* The same for pairs that involve one of these slots; scene->active and planes are right. */
brinkStatus brinkScene_GatherAround(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                                    const uint32_t *slots, size_t count);
/* The slot's box is another now: in scene->sorted, too, while that is valid. */
void brinkScene_ChangeSorted(brinkScene *scene, uint32_t slot);
/* Few colliders: boxes of all that is no plane, side by side. ListBox: of one that is in the list. */
brinkStatus brinkScene_ListBoxes(brinkScene *scene);
void brinkScene_ListBox(brinkScene *scene, uint32_t slot);
void brinkScene_SortCandidates(brinkScene *scene);
/* The same for the pairs that the query names. */
brinkStatus brinkScene_TakePairs(brinkScene *scene, const brinkSceneQuery *query);

/* ---- pair_event.c */
/* The largest threshold that the pair's event may have: a lower bound made with it holds for every other. */
void brinkScene_MakeInput(const brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *candidate,
                          brinkAdvanceInput *input);
/* *threshold, *event: for the report. */
brinkStatus brinkScene_AdvancePair(brinkScene *scene, const brinkSceneQuery *query,
                                   const brinkSceneCandidate *candidate, brinkAdvanceInput *input,
                                   brinkPairResult *result, double *threshold, brinkSceneEvent *event,
                                   brinkAdvanceWork *work);

/* ---- lanes.c */
/* On a lane of the scene, or the scene itself; it may change nothing there but its own item's place, the scratch, the
 * core's room and the work. */
typedef brinkStatus brinkSceneItem(brinkScene *scene, const void *data, size_t index);
/* All items below count, in any order; by the host's threads when they are many. The first failure ends it. */
brinkStatus brinkScene_Each(brinkScene *scene, size_t count, brinkSceneItem *item, const void *data);
/* The same for items that find pairs, which are kept in the items' order. */
brinkStatus brinkScene_GatherEach(brinkScene *scene, size_t count, brinkSceneItem *item, const void *data);
void brinkScene_FreeLanes(brinkScene *scene);
/* Does the question that is asked lend threads? */
static inline bool brinkScene_HasThreads(const brinkScene *scene) {
  return scene->asked != NULL && scene->asked->run != NULL;
}

/* ---- first_contact.c */
brinkStatus brinkScene_CheckQuery(brinkScene *scene, const brinkSceneQuery *query);
/* How near another may come to the slot's box before the pair matters. */
void brinkScene_SetMargin(brinkSceneSlot *slot, const brinkSceneQuery *query, double largest);
void brinkScene_SetMargins(brinkScene *scene, const brinkSceneQuery *query);
/* scene->lower of all candidates: a lower bound of the pair's toi; HUGE_VAL: it stays apart until query->tEnd. */
brinkStatus brinkScene_BoundPairs(brinkScene *scene, const brinkSceneQuery *query, brinkAdvanceWork *work);
/* Asks one pair that is apart until bound. *entered: was the full advancement (see pairsTemporal)? */
brinkStatus brinkScene_AskPair(brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *candidate,
                               double bound, double stopAfter, uint64_t spent, brinkScenePairResult *out,
                               brinkAdvanceWork *work, bool *entered);
/* Room for the answers of all candidates, none of which is answered. */
brinkStatus brinkScene_PrepareResults(brinkScene *scene);
/* Selects from scene->results what the mode asks for, sorts it, and sums up the whole. */
void brinkScene_MakeReport(brinkScene *scene, const brinkSceneQuery *query, double first, brinkSceneReport *report);

/* ---- question.c */
void brinkScene_FreeQuestion(brinkScene *scene);
/* The motion of the slot's link changed. */
void brinkQuestion_MarkMoved(brinkScene *scene, uint32_t slot);

/* ---- what they ask of colliders and slots */

static inline bool brinkSceneCollider_IsPlane(const brinkSceneCollider *collider) {
  return collider->collider.shape->piece.kind == brink_pieceHalfSpace;
}

static inline bool brinkSceneCollider_IsMesh(const brinkSceneCollider *collider) {
  const brinkShape *shape = collider->collider.shape;
  return shape->tree != NULL && (shape->flags & BRINK_MESH_CONVEX) == 0u;
}

static inline double brinkSceneCollider_Size(const brinkSceneCollider *collider) {
  const brinkPiece *piece = &collider->collider.shape->piece;
  return brinkSceneCollider_IsPlane(collider) ? HUGE_VAL : piece->boundRadius + piece->radius;
}

/* Of a pair: points alone have no size, their pairs get an absolute one. */
static inline double brinkScene_Tolerance(const brinkSceneQuery *query, double sizeA, double sizeB) {
  if (query->tolerance > 0.0) return query->tolerance;
  double smaller = BRINK_MIN(sizeA, sizeB);
  if (!(smaller > 0.0)) smaller = BRINK_MIN(BRINK_MAX(sizeA, sizeB), 1.0); /* of what has a size, up to 1 m */
  if (!(smaller > 0.0) || !isfinite(smaller)) smaller = 1.0;
  return BRINK_MAX(BRINK_DEFAULT_TOLERANCE * smaller, DBL_MIN); /* a length, however small the shapes */
}

static inline double brinkScene_PairAllowance(const brinkSceneCollider *a, const brinkSceneCollider *b) {
  double allowance = BRINK_MIN(brinkSceneCollider_Allowance(a), brinkSceneCollider_Allowance(b));
  if (allowance > 0.0 && isfinite(allowance)) return allowance;
  double smaller = BRINK_MIN(brinkSceneCollider_Size(a), brinkSceneCollider_Size(b)),
         larger = BRINK_MAX(brinkSceneCollider_Size(a), brinkSceneCollider_Size(b));
  if (smaller > 0.0 && isfinite(smaller)) return BRINK_DEFAULT_ALLOWANCE * smaller;
  return larger > 0.0 && isfinite(larger) ? BRINK_DEFAULT_ALLOWANCE * larger : BRINK_DEFAULT_TOLERANCE;
}

static inline brinkSceneSlot *brinkScene_SlotAt(brinkScene *scene, uint32_t index) {
  return index < scene->slotCount && scene->slots[index].alive ? &scene->slots[index] : NULL;
}

static inline uint64_t brinkScene_PairKey(uint32_t a, uint32_t b) {
  return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static inline brinkAabb brinkInflate(brinkAabb box, double margin) {
  brinkVec3 m = {margin, margin, margin};
  return (brinkAabb){brinkSub(box.lower, m), brinkAdd(box.upper, m)};
}

static inline bool brinkSceneSlot_IsMoving(const brinkSceneSlot *slot) {
  return slot->collider.collider.link >= 0 && !brinkSceneCollider_IsPlane(&slot->collider);
}

/* Are active and planes, and the boxes of all slots but the moved ones, those of the query's serial or of one before?
 */
static inline bool brinkScene_HasLists(const brinkScene *scene, const brinkSceneQuery *query) {
  return query != NULL && query->serial != 0u && scene->placedSerial != 0u && query->scheme != BRINK_SCENE_PAPER;
}

static inline double brinkSceneQuery_LinkMargin(const brinkSceneQuery *query, const brinkSceneCollider *collider) {
  int32_t link = collider->collider.link;
  return query->linkMargin != NULL && link >= 0 ? query->linkMargin[link] : 0.0;
}

#endif
