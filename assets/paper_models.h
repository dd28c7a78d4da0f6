/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ASSETS_PAPER_MODELS_H
#define BRINK_ASSETS_PAPER_MODELS_H
/* The machines of the paper's construction site and what stands on it: parts, joints, objects. Private to assets.
 * Frames: x ahead, y left, z up; m. */
#include "brink/assets.h"

/* Parts of the excavator, each in the frame of its joint to its parent. */
typedef enum brinkExcavatorPart {
  brink_excavatorChassis = 0, /* origin on the ground between the tracks */
  brink_excavatorTrackLeft,
  brink_excavatorTrackRight,
  brink_excavatorHouse, /* turns about z */
  brink_excavatorBoom,  /* at angle 0 straight ahead; turns about y */
  brink_excavatorStick,
  brink_excavatorBucket, /* at angle 0 its teeth point ahead of the stick */
  BRINK_EXCAVATOR_PARTS
} brinkExcavatorPart;

/* Parts of the tower crane. */
typedef enum brinkCranePart {
  brink_craneMast = 0, /* origin on the ground */
  brink_craneJib,      /* turns about z on the mast; reaches along x */
  brink_craneTrolley,  /* slides along the jib */
  brink_craneHook,     /* block and slings; slides along z below the trolley */
  brink_craneLoad,     /* hangs below the block; turns about z */
  BRINK_CRANE_PARTS
} brinkCranePart;

/* parent: part or -1; origin: of the joint in the parent's frame at zero angle and travel. */
typedef struct brinkPaperJoint {
  const char *name;
  int parent;
  brinkVec3 origin;
} brinkPaperJoint;
extern const brinkPaperJoint brinkExcavatorJoints[BRINK_EXCAVATOR_PARTS];
extern const brinkPaperJoint brinkCraneJoints[BRINK_CRANE_PARTS];

typedef enum brinkSiteObject {
  brink_siteGround = 0, /* about 96 m square with a pit and mounds; flat at z = 0 where machines work */
  brink_siteBuilding,   /* concrete skeleton, 12 x 9 x 17 m */
  brink_siteScaffold,   /* 14 x 1.3 x 10 m along x */
  brink_sitePipes,      /* a stack of ten pipes along y, 6 m long */
  brink_siteShaft,      /* one pipe upright, 4 m tall, 1.6 m inside radius */
  brink_siteTruck,      /* dump truck, 7 m along x, bed open above */
  brink_siteFence,      /* 16 m along x */
  brink_siteBricks,     /* a pallet */
  brink_siteRebar,      /* a bundle of 40 bars along x, 6 m */
  brink_siteContainer,  /* site office, 6 x 2.4 x 2.6 m, corrugated */
  brink_siteBarrel,     /* a drum, 0.9 m tall */
  BRINK_SITE_OBJECTS
} brinkSiteObject;

/* The site: object kinds at their places. */
typedef struct brinkSitePlace {
  brinkSiteObject kind;
  double x, y, turn; /* m, rad about z */
} brinkSitePlace;
extern const brinkSitePlace brinkSitePlaces[];
extern const int brinkSitePlaceCount;
const char *brinkSiteObjectName(brinkSiteObject kind);
#endif
