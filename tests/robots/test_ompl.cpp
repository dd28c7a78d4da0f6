// SPDX-License-Identifier: BSD-3-Clause
/* brink/ompl.hpp: its validators say what the robot's table says, lastValid is the proven first contact, bounds count,
 * and several threads may ask at once. A program of its own: cmocka's macros are C's. */
#include <ompl/base/ScopedState.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

#include "brink/ompl.hpp"

namespace ob = ompl::base;

#define CHECK(good, ...)                                            \
  do {                                                              \
    if (!(good)) {                                                  \
      fprintf(stderr, "test_ompl, line %d: %s: ", __LINE__, #good); \
      fprintf(stderr, __VA_ARGS__);                                 \
      fputc('\n', stderr);                                          \
      exit(1);                                                      \
    }                                                               \
  } while (0)

namespace {

/* Two boxes of length 1 in a plane, the second on the first, and posts around them. */
struct Arm {
  const brinkPlugin *plugin = brinkEntry(BRINK_ABI_MAJOR, nullptr);
  const brinkRobotTable *robots = static_cast<const brinkRobotTable *>(plugin->getExtension(BRINK_ROBOT_NAME));
  brinkWorld *world = nullptr;
  brinkRobot *robot = nullptr;
  brinkRobotView *view = nullptr;

  brinkShapeId box(double x, double y, double z) const {
    brinkShapeDef def{};
    def.structSize = sizeof def;
    def.type = brink_box;
    def.size = {x, y, z};
    brinkShapeId shape = 0;
    CHECK(plugin->createShape(world, &def, &shape) == brink_ok, "%s", plugin->lastError(world));
    return shape;
  }

  Arm() {
    CHECK(robots != nullptr, "no robots in this build");
    CHECK(plugin->createWorld(nullptr, nullptr, &world) == brink_ok, "no world");
    brinkRobotLinkDef links[3]{};
    brinkRobotJointDef joints[2]{};
    brinkRobotShape shapes[2]{};
    const brinkShapeId arm = box(0.45, 0.05, 0.05);
    for (auto &link : links) link.structSize = sizeof link;
    for (uint32_t j = 0; j < 2; ++j) {
      joints[j].structSize = sizeof joints[j];
      joints[j].type = brink_robotRevolute;
      joints[j].flags = BRINK_ROBOT_JOINT_LIMITED;
      joints[j].parent = j;
      joints[j].child = j + 1;
      joints[j].mimic = BRINK_ROBOT_NONE;
      joints[j].origin = {{j == 0 ? 0.0 : 1.0, 0, 0}, {1, 0, 0, 0}};
      joints[j].axis = {0, 0, 1};
      joints[j].multiplier = 1;
      joints[j].lower[0] = -3;
      joints[j].upper[0] = 3;
      shapes[j].link = j + 1;
      shapes[j].shape = arm;
      shapes[j].pose = {{0.5, 0, 0}, {1, 0, 0, 0}};
    }
    brinkRobotDef def{};
    def.structSize = sizeof def;
    def.base.rotation.w = 1;
    def.links = links;
    def.linkCount = 3;
    def.joints = joints;
    def.jointCount = 2;
    def.shapes = shapes;
    def.shapeCount = 2;
    CHECK(robots->create(world, &def, &robot) == brink_ok, "%s", plugin->lastError(world));
    CHECK(robots->createView(robot, &view) == brink_ok, "no view");
    const brinkShapeId post = box(0.002, 0.002, 1); /* thinner than a sampled step */
    for (double angle : {-2.0, -0.7, 0.9, 2.2}) {
      brinkColliderDef collider{};
      collider.structSize = sizeof collider;
      collider.shape = post;
      collider.pose = {{1.5 * std::cos(angle), 1.5 * std::sin(angle), 0}, {1, 0, 0, 0}};
      collider.categoryBits = collider.collideBits = 1;
      brinkColliderId id = 0;
      CHECK(plugin->createCollider(world, &collider, &id) == brink_ok, "%s", plugin->lastError(world));
    }
  }
  ~Arm() { plugin->destroyWorld(world); }

  brinkEdgeAnswer ask(const double *q0, const double *q1) const {
    brinkEdgeAnswer answer{};
    answer.structSize = sizeof answer;
    const brinkEdgeQuery query = brink::ompl::makeQuery(BRINK_EDGE_NO_LIMITS, 0.0);
    CHECK(robots->edge(view, q0, q1, &query, &answer) == brink_ok, "%s", robots->viewError(view));
    return answer;
  }
};

}  // namespace

int main() {
  Arm arm;
  auto space = std::make_shared<ob::RealVectorStateSpace>(2);
  ob::RealVectorBounds bounds(2);
  bounds.setLow(-2.5);
  bounds.setHigh(2.5);
  space->setBounds(bounds);
  auto si = std::make_shared<ob::SpaceInformation>(space);
  auto views = std::make_shared<brink::ompl::Views>(arm.robots, arm.robot);
  auto checker = std::make_shared<brink::ompl::StateValidityChecker>(si, views);
  auto validator = std::make_shared<brink::ompl::MotionValidator>(si, views);
  si->setStateValidityChecker(checker);
  si->setMotionValidator(validator);
  si->setup();
  ob::ScopedState<> from(space), to(space), last(space);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> draw(-2.5, 2.5);
  int free = 0, hit = 0, left = 0;
  for (int i = 0; i < 3000; ++i) {
    double q0[2], q1[2];
    const bool outside = i % 5 == 0; /* ends beyond the bounds of the planner, within the robot's limits */
    for (int k = 0; k < 2; ++k) {
      from[k] = q0[k] = draw(random);
      to[k] = q1[k] = outside && k == 0 ? 2.9 : draw(random);
    }
    const brinkEdgeAnswer told = arm.ask(q0, q1);
    CHECK(checker->isValid(from.get()) == (told.state != brink_overlap), "edge %d: its start", i);
    if (told.state == brink_overlap) continue; /* planners ask from valid states */
    const bool wanted = told.state == brink_free && !outside;
    std::pair<ob::State *, double> valid(last.get(), -1.0);
    CHECK(si->checkMotion(from.get(), to.get()) == wanted, "edge %d: yes or no", i);
    CHECK(si->checkMotion(from.get(), to.get(), valid) == wanted, "edge %d: with lastValid", i);
    if (wanted) {
      CHECK(valid.second == -1.0, "edge %d: free, and lastValid is set", i);
      ++free;
      continue;
    }
    const double leaves = outside ? (2.5 - q0[0]) / (2.9 - q0[0]) : 2.0;
    const double toi = told.state == brink_free ? 2.0 : told.toi;
    const double end = std::min(toi, leaves);
    CHECK(valid.second <= end + 1e-12 && valid.second >= end - 1e-5,
          "edge %d: lastValid %.17g, toi %.17g, out at %.17g", i, valid.second, toi, leaves);
    CHECK(si->satisfiesBounds(last.get()), "edge %d: the last valid state is out of bounds", i);
    CHECK(checker->isValid(last.get()),
          "edge %d: the last valid state is not valid: state %u toi %.17g upper %.17g at %.17g", i, told.state,
          told.toi, told.toiUpper, valid.second);
    for (int s = 0; s < 50; ++s) { /* nothing before it */
      ob::ScopedState<> between(space);
      space->interpolate(from.get(), last.get(), s / 50.0, between.get());
      CHECK(checker->isValid(between.get()), "edge %d: in contact before lastValid", i);
    }
    ++(toi < leaves ? hit : left);
    valid.first = nullptr; /* the fraction alone */
    CHECK(!si->checkMotion(from.get(), to.get(), valid), "edge %d: without a state", i);
  }
  CHECK(free > 200 && hit > 400 && left > 50, "%d free, %d hit, %d leave the bounds", free, hit, left);
  CHECK(validator->getValidMotionCount() == 2u * static_cast<unsigned>(free) &&
            validator->getInvalidMotionCount() == 3u * static_cast<unsigned>(hit + left),
        "%u valid, %u invalid motions counted", validator->getValidMotionCount(), validator->getInvalidMotionCount());

  /* a clearance is kept all the way, and no state outside of the bounds is valid */
  brink::ompl::StateValidityChecker wide(si, views, 0, 0.3);
  int kept = 0;
  for (int i = 0; i < 500; ++i) {
    for (int k = 0; k < 2; ++k) from[k] = draw(random);
    if (!wide.isValid(from.get())) continue;
    CHECK(checker->isValid(from.get()), "valid with a clearance alone");
    ++kept;
  }
  CHECK(kept > 20, "%d states with a clearance", kept);
  from[0] = 2.9;
  from[1] = 0;
  CHECK(!checker->isValid(from.get()), "a state out of bounds is valid");

  /* threads, each with a view of its own */
  std::atomic<int> wrong{0};
  auto work = [&](unsigned seed) {
    std::mt19937_64 own(seed);
    ob::State *a = space->allocState(), *b = space->allocState();
    Arm other; /* a world of its own tells what is right */
    for (int i = 0; i < 400; ++i) {
      double q[2][2];
      for (int k = 0; k < 2; ++k) {
        a->as<ob::RealVectorStateSpace::StateType>()->values[k] = q[0][k] = draw(own);
        b->as<ob::RealVectorStateSpace::StateType>()->values[k] = q[1][k] = draw(own);
      }
      wrong += validator->checkMotion(a, b) != (other.ask(q[0], q[1]).state == brink_free);
    }
    space->freeState(a);
    space->freeState(b);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(work, i + 1);
  for (auto &thread : threads) thread.join();
  CHECK(wrong == 0, "%d answers differ between threads", wrong.load());

  /* what the library refuses is thrown with its text */
  from[0] = NAN;
  to[0] = to[1] = 0;
  bool thrown = false;
  try {
    validator->checkMotion(from.get(), to.get());
  } catch (const brink::ompl::Error &error) {
    thrown = strstr(error.what(), "q0[0]") != nullptr;
  }
  CHECK(thrown, "nan is not refused by name");
  views.reset();
  printf("%d edges free, %d hit, %d leave the bounds\n", free, hit, left);
  return 0;
}
