/* SPDX-License-Identifier: BSD-3-Clause */
/* FCL 0.7 as a peer: conservative advancement of two triangle meshes over trees of rectangle swept spheres.
 *
 * FCL's public continuousCollide is not asked: with conservative advancement on meshes it prunes with a motion bound
 * that only its RSS volumes have, and its loop stops at a time step, not at a distance. So its oriented RSS nodes are
 * walked by this loop, which stops at the distance. InterpMotion gets its reference point by hand: the constructor from
 * two transforms leaves it uninitialised. */
#include <fcl/fcl.h>
#include <fcl/math/motion/interp_motion.h>
#include <fcl/narrowphase/detail/gjk_solver_libccd.h>
#include <fcl/narrowphase/detail/traversal/distance/mesh_conservative_advancement_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/traversal_recurse.h>

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>

#include <limits>
#include <memory>
#include <vector>

#include "peer_fcl.h"

using Motion = fcl::InterpMotion<double>;
using Model = fcl::BVHModel<fcl::RSSd>;
using Node = fcl::detail::MeshConservativeAdvancementTraversalNodeRSSd;

struct peerFclModel {
  Model model;
};

extern "C" peerFclModel *peerFcl_MakeModel(const double *vertices, size_t vertexCount, const uint32_t *indices,
                                           size_t triangleCount) {
  try {
    std::vector<fcl::Vector3d> points(vertexCount);
    std::vector<fcl::Triangle> triangles(triangleCount);
    for (size_t i = 0; i < vertexCount; ++i)
      points[i] = fcl::Vector3d(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]);
    for (size_t i = 0; i < triangleCount; ++i) triangles[i].set(indices[3 * i], indices[3 * i + 1], indices[3 * i + 2]);
    auto *made = new peerFclModel;
    made->model.beginModel(static_cast<int>(triangleCount), static_cast<int>(vertexCount));
    made->model.addSubModel(points, triangles);
    made->model.endModel();
    return made;
  } catch (...) {
    return nullptr;
  }
}

extern "C" void peerFcl_FreeModel(peerFclModel *model) { delete model; }

static Motion makeMotion(const brinkPose motion[2]) {
  fcl::Matrix3d turns[2];
  fcl::Vector3d places[2];
  for (int i = 0; i < 2; ++i) {
    const brinkQuat &q = motion[i].rotation;
    turns[i] = fcl::Quaterniond(q.w, q.x, q.y, q.z).normalized().toRotationMatrix();
    places[i] = fcl::Vector3d(motion[i].position.x, motion[i].position.y, motion[i].position.z);
  }
  const fcl::Vector3d reference = fcl::Vector3d::Zero();
  return Motion(turns[0], places[0], turns[1], places[1], reference);
}

/* Velocity and spin as they are: from two poses no turn above pi could be told. */
struct Spin : Motion {
  Spin(const peerFclSpin &spin, const brinkPose standing[2]) : Motion(makeMotion(standing)) {
    const fcl::Vector3d turn(spin.spin.x, spin.spin.y, spin.spin.z);
    linear_vel = fcl::Vector3d(spin.velocity.x, spin.velocity.y, spin.velocity.z);
    angular_vel = turn.norm();
    angular_axis = angular_vel > 0 ? fcl::Vector3d(turn / angular_vel) : fcl::Vector3d::UnitX();
  }
};

static int advance(const peerFclModel *a, const Motion &moveA, const peerFclModel *b, const Motion &moveB,
                   double tolerance, double stopAfter, double *toi, long *steps) {
  try {
    fcl::Transform3d placeA, placeB;
    moveA.getCurrentTransform(placeA);
    moveB.getCurrentTransform(placeB);
    Node node;
    if (!fcl::detail::initialize(node, a->model, placeA, b->model, placeB)) return -1;
    node.motion1 = &moveA;
    node.motion2 = &moveB;
    for (;;) {
      moveA.getCurrentTransform(placeA);
      moveB.getCurrentTransform(placeB);
      const fcl::Transform3d relative = placeA.inverse(Eigen::Isometry) * placeB;
      node.R = relative.linear();
      node.T = relative.translation();
      node.delta_t = 1;
      node.min_distance = std::numeric_limits<double>::max();
      node.stack.clear();
      fcl::detail::distanceRecurse(&node, 0, 0, nullptr);
      ++*steps;
      if (node.min_distance <= tolerance) {
        *toi = node.toc;
        return 1;
      }
      node.toc += node.delta_t;
      if (node.toc > stopAfter || node.toc > 1) return 0;
      moveA.integrate(node.toc);
      moveB.integrate(node.toc);
    }
  } catch (...) {
    return -1;
  }
}

extern "C" int peerFcl_FirstContact(const peerFclModel *a, const brinkPose motionA[2], const peerFclModel *b,
                                    const brinkPose motionB[2], double tolerance, double stopAfter, double *toi,
                                    long *steps) {
  return advance(a, makeMotion(motionA), b, makeMotion(motionB), tolerance, stopAfter, toi, steps);
}

extern "C" int peerFcl_FirstContactOfSpins(const peerFclModel *a, const peerFclSpin *spinA, const peerFclModel *b,
                                           const peerFclSpin *spinB, double tolerance, double *toi, long *steps) {
  const brinkPose standingA[2] = {spinA->start, spinA->start}, standingB[2] = {spinB->start, spinB->start};
  return advance(a, Spin(*spinA, standingA), b, Spin(*spinB, standingB), tolerance, 1, toi, steps);
}

/* ---- placements */

namespace {
using Tree = fcl::BVHModel<fcl::OBBRSSd>;
constexpr uint32_t kindSphere = 1, kindBox = 3, kindCylinder = 4; /* brinkShapeType */

fcl::Transform3d placeOf(const brinkPose &pose) {
  fcl::Transform3d place = fcl::Transform3d::Identity();
  place.linear() = fcl::Quaterniond(pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z)
                       .normalized()
                       .toRotationMatrix();
  place.translation() = fcl::Vector3d(pose.position.x, pose.position.y, pose.position.z);
  return place;
}

struct Found {
  fcl::CollisionRequestd request;
  bool touch = false;
};
bool meet(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *user) {
  auto *found = static_cast<Found *>(user);
  fcl::CollisionResultd result;
  fcl::collide(a, b, found->request, result);
  found->touch = found->touch || result.isCollision();
  return found->touch; /* true: no more */
}
}  // namespace

struct peerFclHull {
  fcl::Convexd shape;
  fcl::Transform3d place;
  fcl::RSSd volume; /* for bounds of its motion */
};

extern "C" peerFclHull *peerFcl_MakeHull(const double *vertices, size_t vertexCount, const uint32_t *indices,
                                         size_t triangleCount) {
  try {
    auto points = std::make_shared<std::vector<fcl::Vector3d>>();
    auto faces = std::make_shared<std::vector<int>>(); /* each: how many corners, and which */
    for (size_t i = 0; i < vertexCount; ++i)
      points->emplace_back(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]);
    for (size_t i = 0; i < 3 * triangleCount; ++i) {
      if (i % 3 == 0) faces->push_back(3);
      faces->push_back(static_cast<int>(indices[i]));
    }
    auto *made = new peerFclHull{fcl::Convexd(points, static_cast<int>(triangleCount), faces),
                                 fcl::Transform3d::Identity(), fcl::RSSd()};
    fcl::computeBV(made->shape, fcl::Transform3d::Identity(), made->volume);
    return made;
  } catch (...) {
    return nullptr;
  }
}

extern "C" void peerFcl_FreeHull(peerFclHull *hull) { delete hull; }
extern "C" void peerFcl_PlaceHull(peerFclHull *hull, const brinkPose *pose) { hull->place = placeOf(*pose); }

extern "C" double peerFcl_Distance(const peerFclHull *a, const peerFclHull *b) {
  try {
    const fcl::detail::GJKSolver_libccdd solver;
    double distance = -1;
    fcl::Vector3d onA, onB; /* asked for, as Brink tells them too */
    return solver.shapeDistance(a->shape, a->place, b->shape, b->place, &distance, &onA, &onB) ? distance : -1;
  } catch (...) {
    return -1;
  }
}

/* The loop of FCL's ShapeConservativeAdvancementTraversalNode, which stops at a time step: here at a distance. */
extern "C" int peerFcl_FirstContactOfHulls(const peerFclHull *a, const peerFclSpin *spinA, const peerFclHull *b,
                                           const peerFclSpin *spinB, double tolerance, double *toi, long *steps) {
  try {
    const brinkPose standingA[2] = {spinA->start, spinA->start}, standingB[2] = {spinB->start, spinB->start};
    const Spin moveA(*spinA, standingA), moveB(*spinB, standingB);
    const fcl::detail::GJKSolver_libccdd solver;
    fcl::Transform3d placeA, placeB;
    for (double time = 0;;) {
      moveA.getCurrentTransform(placeA);
      moveB.getCurrentTransform(placeB);
      double distance = -1;
      fcl::Vector3d onA, onB;
      ++*steps;
      if (!solver.shapeDistance(a->shape, placeA, b->shape, placeB, &distance, &onA, &onB) || distance <= tolerance) {
        *toi = time;
        return 1;
      }
      const fcl::Vector3d n = (onB - onA).normalized();
      const double bound = moveA.computeMotionBound(fcl::TBVMotionBoundVisitor<fcl::RSSd>(a->volume, n)) +
                           moveB.computeMotionBound(fcl::TBVMotionBoundVisitor<fcl::RSSd>(b->volume, -n));
      time += bound <= distance ? 1 : distance / bound;
      if (time > 1) return 0;
      moveA.integrate(time);
      moveB.integrate(time);
    }
  } catch (...) {
    return -1;
  }
}

struct peerFclScene {
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> movers, obstacles;
  fcl::DynamicAABBTreeCollisionManagerd manager;
  bool ready = false;
};

extern "C" peerFclScene *peerFcl_MakeScene(void) { return new peerFclScene; }
extern "C" void peerFcl_FreeScene(peerFclScene *scene) { delete scene; }

static std::shared_ptr<Tree> treeOf(const double *vertices, size_t vertexCount, const uint32_t *indices,
                                    size_t triangleCount) {
  std::vector<fcl::Vector3d> points(vertexCount);
  std::vector<fcl::Triangle> triangles(triangleCount);
  for (size_t i = 0; i < vertexCount; ++i)
    points[i] = fcl::Vector3d(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]);
  for (size_t i = 0; i < triangleCount; ++i) triangles[i].set(indices[3 * i], indices[3 * i + 1], indices[3 * i + 2]);
  auto tree = std::make_shared<Tree>();
  tree->beginModel(static_cast<int>(triangleCount), static_cast<int>(vertexCount));
  tree->addSubModel(points, triangles);
  tree->endModel();
  return tree;
}

extern "C" int peerFcl_AddMover(peerFclScene *scene, const double *vertices, size_t vertexCount,
                                const uint32_t *indices, size_t triangleCount) {
  try {
    scene->movers.emplace_back(new fcl::CollisionObjectd(treeOf(vertices, vertexCount, indices, triangleCount)));
    return 1;
  } catch (...) {
    return 0;
  }
}

extern "C" int peerFcl_AddObstacleMesh(peerFclScene *scene, const double *vertices, size_t vertexCount,
                                       const uint32_t *indices, size_t triangleCount, const brinkPose *pose) {
  try {
    scene->obstacles.emplace_back(
        new fcl::CollisionObjectd(treeOf(vertices, vertexCount, indices, triangleCount), placeOf(*pose)));
    scene->manager.registerObject(scene->obstacles.back().get());
    return 1;
  } catch (...) {
    return 0;
  }
}

extern "C" int peerFcl_AddObstacle(peerFclScene *scene, uint32_t kind, const double size[3], const brinkPose *pose) {
  std::shared_ptr<fcl::CollisionGeometryd> shape;
  if (kind == kindBox) shape = std::make_shared<fcl::Boxd>(size[0], size[1], size[2]);
  if (kind == kindCylinder) shape = std::make_shared<fcl::Cylinderd>(size[1], size[0]);
  if (kind == kindSphere) shape = std::make_shared<fcl::Sphered>(size[0]);
  if (!shape) return 0;
  scene->obstacles.emplace_back(new fcl::CollisionObjectd(shape, placeOf(*pose)));
  scene->manager.registerObject(scene->obstacles.back().get());
  return 1;
}

extern "C" int peerFcl_Collides(peerFclScene *scene, const brinkPose *poses) {
  if (!scene->ready) scene->manager.setup();
  scene->ready = true;
  Found found;
  for (size_t i = 0; i < scene->movers.size() && !found.touch; ++i) {
    scene->movers[i]->setTransform(placeOf(poses[i]));
    scene->movers[i]->computeAABB();
    scene->manager.collide(scene->movers[i].get(), &found, meet);
  }
  return found.touch;
}
