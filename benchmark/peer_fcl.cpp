/* SPDX-License-Identifier: BSD-3-Clause */
/* FCL 0.7 as a peer: conservative advancement of two triangle meshes over trees of rectangle swept spheres.
 *
 * FCL's public continuousCollide is not asked: with conservative advancement on meshes it prunes with a motion bound
 * that only its RSS volumes have, and its loop stops at a time step, not at a distance. So its oriented RSS nodes are
 * walked by this loop, which stops at the distance. InterpMotion gets its reference point by hand: the constructor from
 * two transforms leaves it uninitialised. */
#include <fcl/fcl.h>
#include <fcl/math/motion/interp_motion.h>
#include <fcl/narrowphase/detail/traversal/distance/mesh_conservative_advancement_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/traversal_recurse.h>

#include <limits>

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

extern "C" int peerFcl_FirstContact(const peerFclModel *a, const brinkPose motionA[2], const peerFclModel *b,
                                    const brinkPose motionB[2], double tolerance, double stopAfter, double *toi,
                                    long *steps) {
  try {
    const Motion moveA = makeMotion(motionA), moveB = makeMotion(motionB);
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
