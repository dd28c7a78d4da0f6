/* SPDX-License-Identifier: BSD-3-Clause */
/* When do things first touch in this step, and where is everything meanwhile? The way of one step: forest, motions of
 * the links, colliders into the scene, then the question goes down to first_contact, and the answer comes back as
 * handles.
 *
 * Cached until a motion or the topology changes: the poses of all links at the last time asked about, the Taylor models
 * over the last interval. Nothing is allocated once the arrays have grown. Units: m, rad, step time in [0,1]. */
#include "swept_bounds.h"
#include "world.h"

/* Accuracy asked of distances, relative to the smaller shape. */
#define DISTANCE_TOLERANCE 1e-9
/* A host may offer any capacity; no manifold has more points than this. */
#define MAX_CONTACT_POINTS 256

/* ---- bringing everything up to date */

brinkRigid brinkWorld_ColliderLocal(const brinkWorld *world, const brinkWorldCollider *collider) {
  brinkRigid local = brinkRigid_FromPose(collider->pose);
  if (collider->body != BRINK_NONE) local.p = brinkSub(local.p, brinkWorld_Body(world, collider->body)->anchor);
  return local;
}

brinkCollider brinkWorld_ColliderPart(const brinkWorld *world, const brinkWorldCollider *collider, uint32_t index) {
  const brinkWorldShape *shape = brinkWorld_Shape(world, collider->shape);
  const brinkShapePart part = brinkWorldShape_Part(world, shape, index);
  const brinkRigid local = brinkWorld_ColliderLocal(world, collider);
  return (brinkCollider){.shape = part.shape,
                         .local = shape->parts != NULL ? brinkCompose(&local, &part.place) : local,
                         .link = collider->body == BRINK_NONE ? -1 : brinkWorld_Body(world, collider->body)->link};
}

static brinkStatus putPartIntoScene(brinkWorld *world, uint32_t index, uint32_t part) {
  brinkWorldCollider *collider = brinkWorld_Collider(world, index);
  const brinkCollider side = brinkWorld_ColliderPart(world, collider, part);
  uint32_t *at = brinkWorldCollider_Scene(collider, part);
  if (*at == BRINK_NONE) {
    const brinkSceneCollider def = {.collider = side,
                                    .key = brinkWorld_ColliderKey(collider, index),
                                    .category = collider->category,
                                    .collide = collider->collide,
                                    .allowance = collider->allowance,
                                    .userData = collider->userData};
    uint32_t scene = BRINK_NONE;
    brinkStatus status = brinkScene_AddCollider(world->scene, &def, &scene);
    if (status == brink_ok) *at = scene;
    return status;
  }
  brinkScene_Collider(world->scene, *at)->collider.link = side.link;
  return brinkScene_SetLocal(world->scene, *at, &side.local);
}

static brinkStatus putIntoScene(brinkWorld *world, uint32_t index) {
  brinkWorldCollider *collider = brinkWorld_Collider(world, index);
  brinkStatus status = brink_ok;
  for (uint32_t part = 0; status == brink_ok && part < collider->partCount; ++part)
    status = putPartIntoScene(world, index, part);
  if (status == brink_ok) collider->moved = false;
  return status;
}

static brinkStatus ignoreParts(brinkWorld *world, brinkWorldCollider *a, brinkWorldCollider *b, bool ignore) {
  brinkStatus status = brink_ok;
  for (uint32_t i = 0; i < a->partCount; ++i)
    for (uint32_t k = 0; status == brink_ok && k < b->partCount; ++k)
      status =
          brinkScene_IgnorePair(world->scene, *brinkWorldCollider_Scene(a, i), *brinkWorldCollider_Scene(b, k), ignore);
  return status == brink_ok && !ignore ? brinkWorld_LeaveNothingOut(world, a, b) : status;
}

static brinkStatus applyIgnores(brinkWorld *world) {
  size_t done = 0;
  brinkStatus status = brink_ok;
  for (; done < world->pendingCount; ++done) {
    const brinkPendingIgnore *pending = &world->pending[done];
    brinkWorldCollider *a = brinkWorld_Find(world, &world->colliders, pending->a);
    brinkWorldCollider *b = brinkWorld_Find(world, &world->colliders, pending->b);
    if (a == NULL || b == NULL) continue;  // destroyed meanwhile
    status = ignoreParts(world, a, b, pending->ignore);
    if (status != brink_ok) break;
  }
  world->pendingCount -= done;
  memmove(world->pending, world->pending + done, world->pendingCount * sizeof *world->pending);
  return status;
}

static brinkStatus synchroniseColliders(brinkWorld *world) {
  for (uint32_t i = 0; i < world->colliders.count; ++i) {
    const brinkWorldCollider *collider = brinkWorld_Collider(world, i);
    if (!collider->slot.live || !collider->moved) continue;
    brinkStatus status = putIntoScene(world, i);
    if (status != brink_ok) return status;
  }
  return world->pendingCount > 0 ? applyIgnores(world) : brink_ok;
}

brinkStatus brinkWorld_Synchronise(brinkWorld *world) {
  brinkStatus status = brink_ok;
  if (world->topologyDirty) {
    world->taylorValid = false;
    world->motionsDirty = world->allMotionsDirty = true;  // link indices may have changed
    status = brinkWorld_BuildForest(world);
    if (status != brink_ok) return status;
    world->topologyDirty = false;
  }
  if (world->motionsDirty) {
    world->taylorValid = false;
    ++world->serial;
    status = brinkWorld_UpdateMotions(world);
    if (status != brink_ok) return status;
    world->motionsDirty = false;
  }
  if (world->collidersDirty) {
    ++world->serial;
    status = synchroniseColliders(world);
    if (status != brink_ok) return status;
    world->collidersDirty = false;
  }
  if (world->restDirty) {
    status = brinkWorld_FindRests(world);
    if (status != brink_ok) return status;
    world->restDirty = false;
  }
  return status;
}

brinkStatus brinkWorld_SynchroniseFor(brinkWorld *world, const brinkQuery *query) {
  world->lends = query->run != NULL ? query : NULL;
  const brinkStatus status = brinkWorld_Synchronise(world);
  world->lends = NULL;
  return status;
}

static brinkMotionTree motionTree(const brinkWorld *world) {
  return (brinkMotionTree){.links = world->links, .linkCount = (int32_t)world->linkCount};
}

static bool isKnownAt(const brinkWorld *world, int32_t link, double t) {
  const brinkLinkPose *known = &world->poses[link];
  return known->serial == world->serial + 1u && known->t == t;
}

/* World frame of a link at t; the identity for -1. Links of a chain go through the table, each once for all that hang
 * on it; links that nobody asks for cost nothing. */
static brinkStatus linkPose(brinkWorld *world, int32_t link, double t, brinkRigid *out) {
  if (link < 0) {
    *out = brinkIdentityRigid();
    return brink_ok;
  }
  if (world->links[link].parent < 0) {
    *out = brinkLinkMotion_At(&world->links[link], t);
    return brink_ok;
  }
  if (world->posesCapacity < world->linkCount) {
    void *block = world->poses;
    brinkStatus status =
        brinkReserve(&world->context, &block, &world->posesCapacity, world->linkCount, sizeof *world->poses);
    world->poses = block;
    if (status != brink_ok) return status;
    memset(world->poses, 0, world->posesCapacity * sizeof *world->poses);
  }
  int32_t child = -1;
  for (int32_t at = link; at >= 0 && !isKnownAt(world, at, t); at = world->links[at].parent) {
    world->poses[at].child = child;
    child = at;
  }
  for (; child >= 0; child = world->poses[child].child) {
    brinkLinkPose *known = &world->poses[child];
    const int32_t parent = world->links[child].parent;
    known->pose = brinkLinkMotion_At(&world->links[child], t);
    if (parent >= 0) known->pose = brinkCompose(&world->poses[parent].pose, &known->pose);
    known->t = t;
    known->serial = world->serial + 1u;
  }
  *out = world->poses[link].pose;
  return brink_ok;
}

/* ---- filters */

/* A joint between the two bodies that keeps them from colliding, a joint that lets them collide. */
static void joinedBodies(const brinkWorld *world, uint32_t bodyA, uint32_t bodyB, bool *apart, bool *together) {
  for (uint32_t end = brinkWorld_Body(world, bodyA)->firstJoint; end != BRINK_NONE;) {
    const brinkWorldJoint *joint = brinkWorld_Joint(world, end / 2);
    if (joint->body[1 - end % 2] == bodyB) {
      bool collide = (joint->flags & BRINK_JOINT_COLLIDES) != 0;
      *apart = *apart || !collide;
      *together = *together || collide;
    }
    end = joint->nextEnd[end % 2];
  }
}

/* Joined bodies, and parent and child of the tree, are left out unless every joint between them lets them collide. */
static bool bodiesMayCollide(const brinkWorld *world, uint32_t bodyA, uint32_t bodyB) {
  if (bodyA == BRINK_NONE || bodyB == BRINK_NONE) return true;
  bool apart = false, together = false;
  joinedBodies(world, bodyA, bodyB, &apart, &together);
  if (apart) return false;
  if (together) return true;
  return brinkWorld_Body(world, bodyA)->treeParent != bodyB && brinkWorld_Body(world, bodyB)->treeParent != bodyA;
}

static bool scenePairFilter(void *user, const brinkSceneCollider *a, const brinkSceneCollider *b) {
  brinkWorld *world = user;
  uint32_t indexA = brinkWorld_KeyIndex(a->key), indexB = brinkWorld_KeyIndex(b->key);
  if (!bodiesMayCollide(world, brinkWorld_Collider(world, indexA)->body, brinkWorld_Collider(world, indexB)->body))
    return false;
  if (world->filter == NULL) return true;
  brinkColliderId handleA = brinkWorld_Handle(world, &world->colliders, indexA);
  brinkColliderId handleB = brinkWorld_Handle(world, &world->colliders, indexB);
  bool swap = handleB < handleA;
  brinkFloatState mine;
  brinkFloat_Leave(world->hostFloat);
  int keep = swap ? world->filter(world->filterUser, handleB, handleA, b->userData, a->userData)
                  : world->filter(world->filterUser, handleA, handleB, a->userData, b->userData);
  brinkFloat_Enter(&mine);
  return keep != 0;
}

static double sceneSink(void *user, const brinkSceneCollider *a, const brinkSceneCollider *b, double *limit) {
  brinkWorld *world = user;
  brinkColliderId handleA = brinkWorld_Handle(world, &world->colliders, brinkWorld_KeyIndex(a->key));
  brinkColliderId handleB = brinkWorld_Handle(world, &world->colliders, brinkWorld_KeyIndex(b->key));
  bool swap = handleB < handleA;
  brinkFloatState mine;
  brinkFloat_Leave(world->hostFloat);
  double depth = swap ? world->sink(world->sinkUser, handleB, handleA, b->userData, a->userData, limit)
                      : world->sink(world->sinkUser, handleA, handleB, a->userData, b->userData, limit);
  brinkFloat_Enter(&mine);
  return depth > 0.0 ? depth : 0.0;
}

brinkSceneQuery brinkWorld_SceneQuery(brinkWorld *world, const brinkMotionTree *tree) {
  return (brinkSceneQuery){.tree = tree,
                           .serial = world->serial,
                           .leaveOutResting = world->leaveOutResting,
                           .tEnd = 1.0,
                           .taylorOrder = world->taylorOrder,
                           .onlyLink = -2,
                           .filter = scenePairFilter,
                           .filterUser = world,
                           .sink = world->sink != NULL ? sceneSink : NULL,
                           .sinkUser = world,
                           .allowAdjacent = world->collideConnected > 0};
}

/* ---- first contact */

static double diameterOf(const brinkShape *shape) { return 2.0 * brinkLength(shape->obb.half); }

/* A tolerance beyond the size of everything there is asks nothing. */
static brinkStatus checkTolerance(brinkWorld *world, double tolerance) {
  brinkStatus status = brinkCheckLength(&world->context, tolerance, "query->tolerance");
  if (status != brink_ok || tolerance <= world->largestShape) return status;
  double largest = 0.0;
  for (uint32_t i = 0; i < world->shapes.count; ++i) {
    const brinkWorldShape *item = brinkWorld_Shape(world, i);
    if (!item->slot.live || item->users == 0 || item->shape == NULL) continue;  // compounds: by their parts
    double diameter = item->shape->type == brink_plane ? 0.0 : diameterOf(item->shape);
    largest = BRINK_MAX(largest, diameter);
  }
  world->largestShape = largest;
  if (largest > 0.0 && tolerance > largest)
    return brinkFail(&world->context, brink_errorRange, "query->tolerance is %g m, more than the largest shape (%g m)",
                     tolerance, largest);
  return brink_ok;
}

brinkStatus brinkWorld_CheckQuery(brinkWorld *world, const brinkQuery *given, brinkQuery *query,
                                  const brinkWorldBody **onlyBody) {
  brinkContext *context = &world->context;
  brinkStatus status =
      given->structSize == offsetof(brinkQuery, flags) || given->structSize == offsetof(brinkQuery, run)
          ? brink_ok
          : brinkCheckGrownSize(context, given->structSize, offsetof(brinkQuery, threshold), sizeof *query, "query");
  if (status == brink_ok && given->structSize >= offsetof(brinkQuery, run))
    status = brinkCheckFlags(context, given->flags, BRINK_QUERY_LOOPS, "query->flags");
  if (status != brink_ok) return status;
  memset(query, 0, sizeof *query);
  memcpy(query, given, given->structSize);
  if (query->mode > brink_modeBoolean)
    return brinkFail(context, brink_errorBadValue, "query->mode is %u: not a brinkQueryMode", query->mode);
  if (query->scheme > brink_schemeSweptAxis)
    return brinkFail(context, brink_errorBadValue, "query->scheme is %u: not a brinkScheme", query->scheme);
  if (query->watch > brink_watchDepth)
    return brinkFail(context, brink_errorBadValue, "query->watch is %u: not a brinkWatch", query->watch);
  status = brinkCheckTime(context, query->tStart, "query->tStart");
  if (status == brink_ok) status = brinkCheckTime(context, query->tEnd, "query->tEnd");
  if (status == brink_ok && query->tEnd < query->tStart)
    status =
        brinkFail(context, brink_errorBadTime, "query->tEnd %g is before query->tStart %g", query->tEnd, query->tStart);
  if (status == brink_ok) status = checkTolerance(world, query->tolerance);
  if (status == brink_ok) status = brinkCheckLength(context, query->window, "query->window");
  if (status == brink_ok) status = brinkCheckLength(context, query->threshold, "query->threshold");
  if (status == brink_ok && query->threshold != 0.0 && query->watch == brink_watchDepth)
    status = brinkFail(context, brink_errorBadValue,
                       "query->threshold is %g m: depth-watching queries set their own, give 0", query->threshold);
  if (status == brink_ok && (query->flags & BRINK_QUERY_LOOPS) != 0 && query->watch == brink_watchDepth)
    status = brinkFail(context, brink_errorBadValue,
                       "query->flags: BRINK_QUERY_LOOPS is for contact-watching queries, not for depths");
  *onlyBody = NULL;
  if (status == brink_ok && query->onlyBody != 0) {
    void *item;
    status = brinkWorld_Get(world, &world->bodies, query->onlyBody, "query->onlyBody", &item);
    *onlyBody = item;
  }
  return status;
}

static brinkFeature makeFeature(uint32_t kind, const uint32_t vertex[3]) {
  return (brinkFeature){.kind = kind, .vertex = {vertex[0], vertex[1], vertex[2]}};
}

static brinkColliderId handleOfScene(const brinkWorld *world, uint32_t sceneIndex) {
  uint32_t index = brinkWorld_KeyIndex(brinkScene_Collider(world->scene, sceneIndex)->key);
  return brinkWorld_Handle(world, &world->colliders, index);
}

static void fillContact(brinkContact *out, const brinkPairResult *result, double threshold) {
  bool bracketed = result->state == brink_hit || result->state == brink_overlap;
  out->state = (uint32_t)result->state;
  out->iterations = result->iterations > UINT32_MAX ? UINT32_MAX : (uint32_t)result->iterations;
  out->toi = result->state == brink_free ? BRINK_NO_TIME : result->toi;
  out->toiUpper = bracketed ? result->toiUpper : BRINK_NO_TIME;
  out->distance = result->distance;
  out->threshold = threshold;
  out->pointA = result->pointA;
  out->pointB = result->pointB;
  out->normal = result->normal;
  out->normalVelocity = result->normalVelocity;
  out->featureA = makeFeature(result->kindA, result->featureA);
  out->featureB = makeFeature(result->kindB, result->featureB);
}

static bool hostGoesOn(void *user) {
  const brinkHostGoOn *host = user;
  brinkFloatState mine;
  brinkFloat_Leave(host->world->hostFloat);
  int more = host->goOn(host->user);
  brinkFloat_Enter(&mine);
  return more != 0;
}

static void hostRuns(void *user, uint32_t count, brinkSceneTask *task, void *data) {
  const brinkHostGoOn *host = user;
  brinkFloatState mine;
  brinkFloat_Leave(host->world->hostFloat);
  host->run(host->runUser, count, task, data);
  brinkFloat_Enter(&mine);
}

brinkSceneQuery brinkWorld_AskedQuery(brinkWorld *world, const brinkMotionTree *tree, const brinkQuery *query,
                                      brinkHostGoOn *goOn) {
  brinkSceneQuery asked = brinkWorld_SceneQuery(world, tree);
  asked.mode = query->mode;
  asked.scheme = query->scheme;
  asked.watch = query->watch;
  asked.tStart = query->tStart;
  asked.tEnd = query->tEnd;
  asked.tolerance = query->tolerance;
  asked.window = query->window;
  asked.threshold = query->threshold;
  asked.maxIterations = query->maxIterations;
  asked.maxTotal = query->maxTotal;
  *goOn = (brinkHostGoOn){world, query->goOn, query->goOnUser, query->run, query->runUser};
  asked.goOnUser = asked.runUser = goOn;
  if (query->goOn != NULL) asked.goOn = hostGoesOn;
  if (query->run != NULL) asked.run = hostRuns;
  return asked;
}

brinkStatus brinkWorld_CheckPaths(brinkWorld *world) {
  const bool failed = world->pathFailed;
  world->pathFailed = false;
  return failed ? brinkFail(&world->context, brink_errorBadValue,
                            "a host's motion (poseAt) gave a pose that is not finite")
                : brink_ok;
}

brinkStatus brinkWorld_TellReport(brinkWorld *world, const brinkSceneReport *found, size_t offset,
                                  brinkReport *report) {
  void *block = world->contacts;
  brinkStatus status = brinkReserve(&world->context, &block, &world->contactsCapacity, offset + found->pairCount,
                                    sizeof *world->contacts);
  world->contacts = block;
  if (status != brink_ok) return status;
  for (size_t i = 0; i < found->pairCount; ++i) {
    const brinkScenePairResult *pair = &found->pairs[i];
    brinkContact *contact = &world->contacts[offset + i];
    fillContact(contact, &pair->result, pair->threshold);
    contact->colliderA = handleOfScene(world, pair->a);
    contact->colliderB = handleOfScene(world, pair->b);
  }
  *report = (brinkReport){.structSize = sizeof *report,
                          .state = (uint32_t)found->state,
                          .toi = found->state == brink_free ? BRINK_NO_TIME : found->toi,
                          .contactCount = found->pairCount,
                          .counters = {.structSize = sizeof report->counters,
                                       .pairsBefore = found->counters.pairsBefore,
                                       .pairsSpatial = found->counters.pairsSpatial,
                                       .pairsTemporal = found->counters.pairsTemporal,
                                       .distanceQueries = found->counters.distanceQueries,
                                       .advancements = found->counters.advancements,
                                       .nodePairs = found->counters.nodePairs,
                                       .cutJoints = world->cutJoints,
                                       .unresolved = found->counters.unresolved}};
  return brink_ok;
}

static bool hasParts(const brinkWorld *world, uint32_t sceneIndex) {
  const uint64_t key = brinkScene_Collider(world->scene, sceneIndex)->key;
  return brinkWorld_Collider(world, brinkWorld_KeyIndex(key))->partCount > 1;
}

/* Parts whose boxes keep off were not asked: all that is known of them is that they come to no event. */
static void boundParts(const brinkWorld *world, const brinkQuery *query, const brinkSceneReport *found, size_t offset) {
  const double least = query->watch == brink_watchContact ? query->threshold : 0.0;
  for (size_t i = 0; i < found->pairCount; ++i) {
    brinkContact *contact = &world->contacts[offset + i];
    if (contact->state == brink_free && (hasParts(world, found->pairs[i].a) || hasParts(world, found->pairs[i].b)))
      contact->distance = BRINK_MIN(contact->distance, least);
  }
}

/* Asks a checked query of a synchronised world; see brinkWorld_TellReport. */
static brinkStatus ask(brinkWorld *world, const brinkQuery *query, const brinkWorldBody *onlyBody, size_t offset,
                       brinkReport *report) {
  const brinkMotionTree tree = motionTree(world);
  brinkHostGoOn goOn;
  brinkSceneQuery sceneQuery = brinkWorld_AskedQuery(world, &tree, query, &goOn);
  if ((query->flags & BRINK_QUERY_LOOPS) != 0 && world->cutJoints > 0) {
    brinkStatus measured = brinkWorld_MeasureLoops(world);
    if (measured != brink_ok) return measured;
    sceneQuery.linkMargin = world->linkMargin;
  }
  if (onlyBody != NULL) sceneQuery.onlyLink = onlyBody->link;
  brinkSceneReport found;
  memset(&found, 0, sizeof found);
  brinkStatus status = brinkFirstContact(world->scene, &sceneQuery, &found);
  if (status == brink_ok) status = brinkWorld_CheckPaths(world);
  world->pathFailed = false;
  if (status == brink_ok) status = brinkWorld_TellReport(world, &found, offset, report);
  if (status == brink_ok) boundParts(world, query, &found, offset);
  return status;
}

static brinkStatus firstContact(brinkWorld *world, const brinkQuery *query, brinkReport *report) {
  brinkContext *context = &world->context;
  if (query == NULL) return brinkFail(context, brink_errorNullArgument, "query is NULL");
  if (report == NULL) return brinkFail(context, brink_errorNullArgument, "report is NULL");
  brinkStatus status = brinkCheckSize(context, report->structSize, sizeof *report, "report");
  const brinkWorldBody *onlyBody = NULL;
  brinkQuery own;
  if (status == brink_ok) status = brinkWorld_CheckQuery(world, query, &own, &onlyBody);
  if (status == brink_ok) status = brinkWorld_SynchroniseFor(world, &own);
  if (status == brink_ok) status = ask(world, &own, onlyBody, 0, report);
  if (status == brink_ok) report->contacts = world->contacts;
  return status;
}

static brinkStatus checkBatch(brinkWorld *world, const brinkQuery *queries, size_t count, const brinkReport *reports) {
  brinkContext *context = &world->context;
  if (queries == NULL) return brinkFail(context, brink_errorNullArgument, "queries is NULL");
  if (reports == NULL) return brinkFail(context, brink_errorNullArgument, "reports is NULL");
  const uint32_t size = queries->structSize;
  for (size_t i = 0; i < count; ++i) {
    const brinkQuery *query = (const void *)((const unsigned char *)queries + i * size);
    const brinkWorldBody *onlyBody;
    brinkQuery own;
    brinkStatus status = brinkCheckSize(context, reports[i].structSize, sizeof *reports, "reports[]");
    if (status == brink_ok) status = brinkCheckSize(context, query->structSize, size, "queries[]");
    if (status == brink_ok) status = brinkWorld_CheckQuery(world, query, &own, &onlyBody);
    if (status == brink_ok) continue;
    char message[BRINK_MESSAGE_CAPACITY];
    memcpy(message, context->message, sizeof message);
    return brinkFail(context, status, "question %zu: %.200s", i, message);
  }
  return brink_ok;
}

static brinkStatus firstContacts(brinkWorld *world, const brinkQuery *queries, size_t count, brinkReport *reports) {
  if (count == 0) return brink_ok;
  brinkQuery own; /* the first one's threads serve what all need */
  const brinkWorldBody *onlyBody;
  brinkStatus status = checkBatch(world, queries, count, reports);
  if (status == brink_ok) status = brinkWorld_CheckQuery(world, queries, &own, &onlyBody);
  if (status == brink_ok) status = brinkWorld_SynchroniseFor(world, &own);
  if (status != brink_ok) return status;
  void *block = world->reports;
  status = brinkReserve(&world->context, &block, &world->reportsCapacity, count, sizeof *world->reports);
  world->reports = block;
  size_t contactCount = 0;
  for (size_t i = 0; status == brink_ok && i < count; ++i) {
    const brinkQuery *query = (const void *)((const unsigned char *)queries + i * queries->structSize);
    status = brinkWorld_CheckQuery(world, query, &own, &onlyBody);
    if (status == brink_ok) status = ask(world, &own, onlyBody, contactCount, &world->reports[i]);
    if (status == brink_ok) contactCount += world->reports[i].contactCount;
  }
  if (status != brink_ok) return status;
  contactCount = 0;
  for (size_t i = 0; i < count; ++i) {
    reports[i] = world->reports[i];
    reports[i].contacts = world->contacts != NULL ? world->contacts + contactCount : NULL;
    contactCount += reports[i].contactCount;
  }
  return brink_ok;
}

/* ---- where things are */

static brinkStatus bodyPose(brinkWorld *world, brinkBodyId handle, double t, brinkPose *pose) {
  if (pose == NULL) return brinkFail(&world->context, brink_errorNullArgument, "pose is NULL");
  void *item;
  brinkStatus status = brinkWorld_Get(world, &world->bodies, handle, "body", &item);
  if (status == brink_ok) status = brinkCheckTime(&world->context, t, "t");
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  const brinkWorldBody *body = item;
  brinkRigid frame;
  if (status == brink_ok) status = linkPose(world, body->link, t, &frame);
  if (status != brink_ok) return status;
  frame.p = brinkSub(frame.p, brinkMulMV(&frame.r, body->anchor));
  *pose = brinkPose_FromRigid(&frame);
  return brink_ok;
}

static brinkStatus nearPairs(brinkWorld *world, double t, double margin, const brinkColliderPair **pairs,
                             size_t *pairCount) {
  brinkContext *context = &world->context;
  if (pairs == NULL) return brinkFail(context, brink_errorNullArgument, "pairs is NULL");
  if (pairCount == NULL) return brinkFail(context, brink_errorNullArgument, "pairCount is NULL");
  brinkStatus status = brinkCheckTime(context, t, "t");
  if (status == brink_ok) status = brinkCheckLength(context, margin, "margin");
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  if (status != brink_ok) return status;
  const brinkMotionTree tree = motionTree(world);
  brinkSceneQuery filters = brinkWorld_SceneQuery(world, &tree);
  filters.leaveOutResting = false;
  const brinkIndexPair *found = NULL;
  size_t count = 0;
  status = brinkScene_NearPairs(world->scene, &tree, t, margin, &filters, &found, &count);
  return status == brink_ok ? brinkWorld_TellPairs(world, found, count, pairs, pairCount) : status;
}

brinkStatus brinkWorld_TellPairs(brinkWorld *world, const brinkIndexPair *found, size_t count,
                                 const brinkColliderPair **pairs, size_t *pairCount) {
  void *block = world->pairs;
  brinkStatus status = brinkReserve(&world->context, &block, &world->pairsCapacity, count, sizeof *world->pairs);
  world->pairs = block;
  if (status != brink_ok) return status;
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    brinkColliderId a = handleOfScene(world, found[i].a), b = handleOfScene(world, found[i].b);
    brinkColliderPair pair = {BRINK_MIN(a, b), BRINK_MAX(a, b)};
    // Pairs of parts of the same two colliders follow each other.
    if (kept > 0 && world->pairs[kept - 1].a == pair.a && world->pairs[kept - 1].b == pair.b) continue;
    world->pairs[kept++] = pair;
  }
  *pairs = world->pairs;
  *pairCount = kept;
  return brink_ok;
}

/* ---- one pair at one time */

static brinkStatus getPair(brinkWorld *world, brinkColliderId a, brinkColliderId b, brinkWorldCollider **colliderA,
                           brinkWorldCollider **colliderB) {
  void *itemA, *itemB;
  brinkStatus status = brinkWorld_Get(world, &world->colliders, a, "a", &itemA);
  if (status == brink_ok) status = brinkWorld_Get(world, &world->colliders, b, "b", &itemB);
  if (status != brink_ok) return status;
  if (a == b)
    return brinkFail(&world->context, brink_errorBadValue, "a and b are the same collider 0x%llx",
                     (unsigned long long)a);
  *colliderA = itemA;
  *colliderB = itemB;
  return brink_ok;
}

static brinkStatus checkPointBuffer(brinkWorld *world, double margin, const brinkContactPoint *points, size_t capacity,
                                    const size_t *count) {
  brinkContext *context = &world->context;
  if (points == NULL) return brinkFail(context, brink_errorNullArgument, "points is NULL");
  if (count == NULL) return brinkFail(context, brink_errorNullArgument, "count is NULL");
  if (capacity == 0) return brinkFail(context, brink_errorBadValue, "capacity is 0: room for one point at least");
  return brinkCheckLength(context, margin, "margin");
}

/* Appends the points of every pair of parts to the best found so far, world->points[room]. */
static brinkStatus gatherContactPoints(brinkWorld *world, const brinkWorldShape *a, const brinkRigid *placeA,
                                       const brinkWorldShape *b, const brinkRigid *placeB, double margin, size_t room,
                                       size_t *found) {
  *found = 0;
  for (uint32_t i = 0; i < brinkWorldShape_PartCount(a); ++i) {
    const brinkShapePart partA = brinkWorldShape_Part(world, a, i);
    const brinkRigid poseA = a->parts != NULL ? brinkCompose(placeA, &partA.place) : *placeA;
    for (uint32_t k = 0; k < brinkWorldShape_PartCount(b); ++k) {
      const brinkShapePart partB = brinkWorldShape_Part(world, b, k);
      const brinkRigid poseB = b->parts != NULL ? brinkCompose(placeB, &partB.place) : *placeB;
      brinkManifoldPoint *next = world->points + *found;
      size_t added = 0;
      brinkStatus status = brinkMakeManifold(&world->context, world->manifold, partA.shape, &poseA, partB.shape, &poseB,
                                             margin, next, room, &added);
      if (status != brink_ok) return status;
      for (size_t p = 0; p < added; ++p) next[p].featureKey ^= i * 0x9e3779b9u ^ k * 0x85ebca6bu;  // parts differ
      *found += added;
      if (*found > added) *found = brinkReduceManifold(world->points, *found, room);
    }
  }
  return brink_ok;
}

static void tellPoints(const brinkWorld *world, size_t count, brinkContactPoint *points) {
  for (size_t i = 0; i < count; ++i) {
    const brinkManifoldPoint *point = &world->points[i];
    points[i] = (brinkContactPoint){point->position, point->normal, point->separation, point->featureKey, 0};
  }
}

static brinkStatus makeContactPoints(brinkWorld *world, const brinkWorldShape *a, const brinkRigid *placeA,
                                     const brinkWorldShape *b, const brinkRigid *placeB, double margin,
                                     brinkContactPoint *points, size_t capacity, size_t *count) {
  size_t room = BRINK_MIN(capacity, (size_t)MAX_CONTACT_POINTS), found = 0;
  void *block = world->points;
  world->lastPoints.shapes[0] = 0;
  brinkStatus status = brinkReserve(&world->context, &block, &world->pointsCapacity, 2 * room, sizeof *world->points);
  world->points = block;
  if (status == brink_ok) status = gatherContactPoints(world, a, placeA, b, placeB, margin, room, &found);
  if (status != brink_ok) return status;
  tellPoints(world, found, points);
  *count = found;
  return brink_ok;
}

brinkStatus brinkWorld_PlaceAt(brinkWorld *world, const brinkWorldCollider *collider, double t, brinkRigid *place) {
  int32_t link = collider->body == BRINK_NONE ? -1 : brinkWorld_Body(world, collider->body)->link;
  brinkRigid frame;
  brinkStatus status = linkPose(world, link, t, &frame);
  if (status != brink_ok) return status;
  brinkRigid local = brinkWorld_ColliderLocal(world, collider);
  *place = link < 0 ? local : brinkCompose(&frame, &local);
  return brink_ok;
}

static brinkStatus collide(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, double margin,
                           brinkContactPoint *points, size_t capacity, size_t *count) {
  brinkWorldCollider *colliderA = NULL, *colliderB = NULL;
  brinkStatus status = checkPointBuffer(world, margin, points, capacity, count);
  if (status == brink_ok) status = getPair(world, a, b, &colliderA, &colliderB);
  if (status == brink_ok) status = brinkCheckTime(&world->context, t, "t");
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  brinkRigid placeA, placeB;
  if (status == brink_ok) status = brinkWorld_PlaceAt(world, colliderA, t, &placeA);
  if (status == brink_ok) status = brinkWorld_PlaceAt(world, colliderB, t, &placeB);
  if (status != brink_ok) return status;
  return makeContactPoints(world, brinkWorld_Shape(world, colliderA->shape), &placeA,
                           brinkWorld_Shape(world, colliderB->shape), &placeB, margin, points, capacity, count);
}

static brinkStatus collideShapes(brinkWorld *world, brinkShapeId a, const brinkPose *poseA, brinkShapeId b,
                                 const brinkPose *poseB, double margin, brinkContactPoint *points, size_t capacity,
                                 size_t *count) {
  brinkContext *context = &world->context;
  if (poseA == NULL) return brinkFail(context, brink_errorNullArgument, "poseA is NULL");
  if (poseB == NULL) return brinkFail(context, brink_errorNullArgument, "poseB is NULL");
  brinkStatus status = checkPointBuffer(world, margin, points, capacity, count);
  void *itemA, *itemB;
  if (status == brink_ok) status = brinkWorld_Get(world, &world->shapes, a, "a", &itemA);
  if (status == brink_ok) status = brinkWorld_Get(world, &world->shapes, b, "b", &itemB);
  brinkPose checkedA, checkedB;
  if (status == brink_ok) status = brinkCheckPose(context, poseA, "poseA", &checkedA);
  if (status == brink_ok) status = brinkCheckPose(context, poseB, "poseB", &checkedB);
  if (status != brink_ok) return status;
  /* Engines look whether there is a contact, and ask again for the points: the same question twice. */
  const brinkPose poses[2] = {checkedA, checkedB};
  const size_t room = BRINK_MIN(capacity, (size_t)MAX_CONTACT_POINTS);
  if (world->lastPoints.shapes[0] == a && world->lastPoints.shapes[1] == b && world->lastPoints.margin == margin &&
      world->lastPoints.room == room && memcmp(world->lastPoints.poses, poses, sizeof poses) == 0) {
    *count = world->lastPoints.count;
    tellPoints(world, *count, points);
    return brink_ok;
  }
  const brinkRigid placeA = brinkRigid_FromPose(checkedA), placeB = brinkRigid_FromPose(checkedB);
  status = makeContactPoints(world, itemA, &placeA, itemB, &placeB, margin, points, capacity, count);
  if (status != brink_ok) return status;
  world->lastPoints.shapes[0] = a;
  world->lastPoints.shapes[1] = b;
  memcpy(world->lastPoints.poses, poses, sizeof poses);
  world->lastPoints.margin = margin;
  world->lastPoints.room = room;
  world->lastPoints.count = *count;
  return brink_ok;
}

/* result->distance is `enough` when it is no less. */
static brinkStatus distanceOfParts(brinkWorld *world, const brinkCollider *a, const brinkCollider *b, double t,
                                   double enough, brinkPairResult *result) {
  const brinkMotionTree tree = motionTree(world);
  double sizeA = a->shape->type == brink_plane ? DBL_MAX : diameterOf(a->shape);
  double sizeB = b->shape->type == brink_plane ? DBL_MAX : diameterOf(b->shape);
  double tolerance = DISTANCE_TOLERANCE * BRINK_MIN(sizeA, sizeB);
  if (!(tolerance > 0.0) || !(sizeA + sizeB < HUGE_VAL)) tolerance = DISTANCE_TOLERANCE;  // nothing gives a scale
  brinkAdvanceWork work = {0, 0, 0};
  memset(result, 0, sizeof *result);
  const brinkAdvanceInput input = {.tree = &tree, .a = *a, .b = *b, .tStart = t, .tEnd = t, .hullsServe = true};
  return brinkPairDistanceAtStart(&world->context, world->advance, &input, tolerance, enough, result, &work);
}

static brinkStatus distance(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, double enough,
                            brinkContact *out) {
  if (out == NULL) return brinkFail(&world->context, brink_errorNullArgument, "out is NULL");
  brinkWorldCollider *colliderA = NULL, *colliderB = NULL;
  brinkStatus status = getPair(world, a, b, &colliderA, &colliderB);
  if (status == brink_ok) status = brinkCheckTime(&world->context, t, "t");
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  if (status != brink_ok) return status;
  brinkPairResult result = {.distance = enough};
  bool found = false;
  for (uint32_t i = 0; i < colliderA->partCount; ++i)
    for (uint32_t k = 0; k < colliderB->partCount; ++k) {
      const brinkCollider sideA = brinkWorld_ColliderPart(world, colliderA, i);
      const brinkCollider sideB = brinkWorld_ColliderPart(world, colliderB, k);
      brinkPairResult next;
      status = distanceOfParts(world, &sideA, &sideB, t, result.distance, &next);  // parts further away are cheap
      if (status != brink_ok) return status;
      if (found && !(next.distance < result.distance)) continue;
      result = next;
      found = true;
    }
  result.toi = result.toiUpper = t;
  memset(out, 0, sizeof *out);
  fillContact(out, &result, 0.0);
  out->toi = out->toiUpper = t;
  out->colliderA = a;
  out->colliderB = b;
  return brink_ok;
}

static brinkStatus colliderAllowance(brinkWorld *world, brinkColliderId handle, double *out) {
  if (out == NULL) return brinkFail(&world->context, brink_errorNullArgument, "out is NULL");
  void *item;
  brinkStatus status = brinkWorld_Get(world, &world->colliders, handle, "collider", &item);
  if (status != brink_ok) return status;
  const brinkWorldCollider *collider = item;
  const brinkWorldShape *shape = brinkWorld_Shape(world, collider->shape);
  double least = HUGE_VAL;
  for (uint32_t i = 0; i < collider->partCount; ++i) {
    const brinkSceneCollider asked = {.collider.shape = brinkWorldShape_Part(world, shape, i).shape,
                                      .allowance = collider->allowance};
    least = BRINK_MIN(least, brinkSceneCollider_Allowance(&asked));
  }
  *out = least;
  return brink_ok;
}

/* ---- swept bounds */

static brinkStatus taylorModels(brinkWorld *world, double t0, double t1) {
  if (world->taylorValid && world->taylorStart == t0 && world->taylorEnd == t1) return brink_ok;
  void *block = world->taylor;
  brinkStatus status =
      brinkReserve(&world->context, &block, &world->taylorCapacity, world->linkCount, sizeof *world->taylor);
  world->taylor = block;
  if (status != brink_ok) return status;
  const brinkMotionTree tree = motionTree(world);
  brinkMotionTree_Taylor(&tree, t0, t1, world->taylorOrder, world->taylor);
  world->taylorStart = t0;
  world->taylorEnd = t1;
  world->taylorValid = true;
  return brink_ok;
}

static brinkStatus sweptBoundsOfPart(brinkWorld *world, const brinkCollider *side, double t0, double t1,
                                     brinkAabb *out) {
  if (side->shape->type == brink_plane) {
    *out = (brinkAabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    return brink_ok;
  }
  const brinkObb *shapeBox = &side->shape->obb;
  const brinkObb box = {brinkApply(&side->local, shapeBox->center), brinkMulMM(&side->local.r, &shapeBox->axes),
                        shapeBox->half};
  // Two rounded products stand between the shape's own box and this one; each errs by less than 8 eps of these sizes.
  double slack =
      32.0 * DBL_EPSILON * (brinkLength(side->local.p) + brinkLength(shapeBox->center) + brinkLength(shapeBox->half));
  if (side->link < 0) {
    const brinkRigid still = brinkIdentityRigid();
    const brinkTaylorRigid motion = brinkTaylorRigid_Constant(&still);
    *out = brinkMakeSweptBox(&motion, &box, slack, world->taylorOrder);
    return brink_ok;
  }
  brinkStatus status = taylorModels(world, t0, t1);
  if (status == brink_ok) *out = brinkMakeSweptBox(&world->taylor[side->link], &box, slack, world->taylorOrder);
  return status;
}

static brinkStatus sweptBounds(brinkWorld *world, brinkColliderId handle, double t0, double t1, brinkAabb *out) {
  brinkContext *context = &world->context;
  if (out == NULL) return brinkFail(context, brink_errorNullArgument, "out is NULL");
  void *item;
  brinkStatus status = brinkWorld_Get(world, &world->colliders, handle, "collider", &item);
  if (status == brink_ok) status = brinkCheckTime(context, t0, "t0");
  if (status == brink_ok) status = brinkCheckTime(context, t1, "t1");
  if (status == brink_ok && t1 < t0) status = brinkFail(context, brink_errorBadTime, "t1 %g is before t0 %g", t1, t0);
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  if (status != brink_ok) return status;
  const brinkWorldCollider *collider = item;
  brinkAabb all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (uint32_t i = 0; status == brink_ok && i < collider->partCount; ++i) {
    const brinkCollider side = brinkWorld_ColliderPart(world, collider, i);
    brinkAabb box;
    status = sweptBoundsOfPart(world, &side, t0, t1, &box);
    if (status == brink_ok) all = (brinkAabb){brinkMinV3(all.lower, box.lower), brinkMaxV3(all.upper, box.upper)};
  }
  if (status == brink_ok) *out = all;
  return status;
}

/* ---- entry points */

brinkStatus brinkWorld_FirstContact(brinkWorld *world, const brinkQuery *query, brinkReport *report) {
  BRINK_GUARDED(world, firstContact(world, query, report));
}
brinkStatus brinkWorld_FirstContacts(brinkWorld *world, const brinkQuery *queries, size_t count, brinkReport *reports) {
  BRINK_GUARDED(world, firstContacts(world, queries, count, reports));
}
brinkStatus brinkWorld_BodyPose(brinkWorld *world, brinkBodyId body, double t, brinkPose *pose) {
  BRINK_GUARDED(world, bodyPose(world, body, t, pose));
}
brinkStatus brinkWorld_NearPairs(brinkWorld *world, double t, double margin, const brinkColliderPair **pairs,
                                 size_t *pairCount) {
  BRINK_GUARDED(world, nearPairs(world, t, margin, pairs, pairCount));
}
brinkStatus brinkWorld_Collide(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, double margin,
                               brinkContactPoint *points, size_t capacity, size_t *count) {
  BRINK_GUARDED(world, collide(world, a, b, t, margin, points, capacity, count));
}
brinkStatus brinkWorld_CollideShapes(brinkWorld *world, brinkShapeId a, const brinkPose *poseA, brinkShapeId b,
                                     const brinkPose *poseB, double margin, brinkContactPoint *points, size_t capacity,
                                     size_t *count) {
  BRINK_GUARDED(world, collideShapes(world, a, poseA, b, poseB, margin, points, capacity, count));
}
brinkStatus brinkWorld_Distance(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, brinkContact *out) {
  BRINK_GUARDED(world, distance(world, a, b, t, HUGE_VAL, out));
}
brinkStatus brinkWorld_DistanceBelow(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, double enough,
                                     brinkContact *out) {
  BRINK_GUARDED(world, distance(world, a, b, t, isnan(enough) ? HUGE_VAL : enough, out));
}
brinkStatus brinkWorld_ColliderAllowance(brinkWorld *world, brinkColliderId collider, double *out) {
  BRINK_GUARDED(world, colliderAllowance(world, collider, out));
}
brinkStatus brinkWorld_SweptBounds(brinkWorld *world, brinkColliderId collider, double t0, double t1, brinkAabb *out) {
  BRINK_GUARDED(world, sweptBounds(world, collider, t0, t1, out));
}
