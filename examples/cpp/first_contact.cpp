// SPDX-License-Identifier: BSD-3-Clause
// A first program in C++17: does a bar that flies and turns touch a plate on its way, and when? The first way meets the
// plate in mid-step; the second passes above it, and `free` is a proof of that. Outside the tree:
//   c++ -std=c++17 first_contact.cpp $(pkg-config --cflags --libs brink) -o first_contact
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "brink/ccd.h"

namespace {

// Every struct begins with its size, so that it can grow; the rest may be zero.
template <class T>
T sized() {
  T made{};
  made.structSize = sizeof made;
  return made;
}

class World {
 public:
  World() {
    const char *reason = nullptr;
    brink_ = brinkEntry(BRINK_ABI_MAJOR, &reason);  // the table of all calls
    if (brink_ == nullptr) throw std::runtime_error(reason);
    brinkWorld *made = nullptr;
    const brinkStatus status = brink_->createWorld(nullptr, nullptr, &made);
    if (status != brink_ok) throw std::runtime_error(brink_->statusText(status));
    world_ = {made, brink_->destroyWorld};
  }

  // Whole lengths in metres; a box is stated by its half lengths.
  brinkShapeId box(double x, double y, double z) {
    auto def = sized<brinkShapeDef>();
    def.type = brink_box;
    def.size = {x / 2, y / 2, z / 2};
    brinkShapeId made = 0;
    must(brink_->createShape(get(), &def, &made));
    return made;
  }

  brinkBodyId body(const brinkPose &pose) {
    auto def = sized<brinkBodyDef>();
    def.pose = pose;
    brinkBodyId made = 0;
    must(brink_->createBody(get(), &def, &made));
    return made;
  }

  // A collider puts a shape on a body; body 0 is the world itself, which never moves.
  void place(brinkBodyId body, brinkShapeId shape) {
    auto def = sized<brinkColliderDef>();
    def.body = body;
    def.shape = shape;
    def.pose.rotation.w = 1;
    def.categoryBits = def.collideBits = 1;  // what it is, and what it meets: all meet all
    brinkColliderId made = 0;
    must(brink_->createCollider(get(), &def, &made));
  }

  // One step of a body: from `start`, so many metres and radians. Time runs from 0 to 1 in it.
  brinkReport firstContact(brinkBodyId body, const brinkPose &start, brinkVec3 metres, brinkVec3 radians) {
    auto motion = sized<brinkBodyMotion>();
    motion.kind = brink_motionVelocities;
    motion.pose0 = start;
    motion.velocity = metres;
    motion.spin = radians;
    must(brink_->setBodyMotion(get(), body, &motion));
    auto query = sized<brinkQuery>();
    query.tEnd = 1;
    auto report = sized<brinkReport>();
    must(brink_->firstContact(get(), &query, &report));
    return report;  // its contacts are the world's until the next question
  }

 private:
  brinkWorld *get() { return world_.get(); }

  // Every call says whether it went well; lastError says what was wrong, where, and what to do.
  void must(brinkStatus status) {
    if (status != brink_ok) throw std::runtime_error(brink_->lastError(get()));
  }

  const brinkPlugin *brink_ = nullptr;
  std::unique_ptr<brinkWorld, brinkStatus (*)(brinkWorld *)> world_{nullptr, nullptr};
};

void tell(const brinkReport &report) {
  if (report.state == brink_free) {  // nothing touches at any time of the step, not only at some samples
    std::printf("free: proven for the whole step\n");
  } else if (report.state == brink_unresolved) {  // a budget was spent: take toi as a contact
    std::printf("not decided; nothing touches before t = %.6f\n", report.toi);
  } else {                                     // hit, or overlap: they touch at the start
    const brinkContact &c = *report.contacts;  // A: the plate, made first
    std::printf("hit: nothing touches before t = %.9f, they touch by t = %.9f\n", c.toi, c.toiUpper);
    std::printf("     point of the plate (%.3f, %.3f, %.3f), normal to the bar (%.3f, %.3f, %.3f)\n", c.pointA.x,
                c.pointA.y, c.pointA.z, c.normal.x, c.normal.y, c.normal.z);
  }
}

}  // namespace

int main() {
  try {
    const brinkPose before{{-3, 0, 0}, {1, 0, 0, 0}}, above{{-3, 0, 1.2}, {1, 0, 0, 0}};  // place; quaternion w x y z
    World world;
    const brinkBodyId bar = world.body(before);
    world.place(0, world.box(0.01, 2, 2));
    world.place(bar, world.box(1, 0.05, 0.05));
    const brinkReport first = world.firstContact(bar, before, {6, 0, 0}, {0, 0, 20});
    tell(first);
    const brinkReport second = world.firstContact(bar, above, {6, 0, 0}, {0, 0, 20});
    tell(second);
    return first.state == brink_hit && second.state == brink_free ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "first_contact: %s\n", error.what());
    return 1;
  }
}
