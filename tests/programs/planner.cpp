// SPDX-License-Identifier: BSD-3-Clause
// OMPL's ODE planner, which steps the world inside its own library. A ball, pushed by forces, shall get behind a wall without
// a way around. Knows nothing of Brink. Prints whether the planner found a way.
#include <ompl/base/goals/GoalRegion.h>
#include <ompl/control/planners/rrt/RRT.h>
#include <ompl/extensions/ode/OpenDESimpleSetup.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <cstdio>
#include <limits>

namespace ob = ompl::base;
namespace oc = ompl::control;

struct Arena : oc::OpenDEEnvironment {
  Arena() {
    world_ = dWorldCreate();
    dSpaceID space = dSimpleSpaceCreate(nullptr);
    collisionSpaces_.push_back(space);
    dGeomID wall = dCreateBox(space, 0.005, 1000, 1000), ball = dCreateSphere(space, 0.05);
    dBodyID body = dBodyCreate(world_);
    dMass mass;
    dMassSetSphereTotal(&mass, 1, 0.05);
    dBodySetMass(body, &mass);
    dGeomSetBody(ball, body);
    dGeomSetPosition(wall, 0, 0, 0);
    dBodySetPosition(body, -2, 0, 0);
    stateBodies_.push_back(body);
    stepSize_ = 0.05;
    minControlSteps_ = 1;
    maxControlSteps_ = 10;
  }
  unsigned int getControlDimension() const override { return 3; }
  void getControlBounds(std::vector<double> &lower, std::vector<double> &upper) const override {
    lower.assign(3, -500);
    upper.assign(3, 500);
  }
  void applyControl(const double *force) const override { dBodyAddForce(stateBodies_[0], force[0], force[1], force[2]); }
  bool isValidCollision(dGeomID, dGeomID, const dContact &) const override { return true; } // it may bounce off
  void setupContact(dGeomID, dGeomID, dContact &contact) const override {
    contact.surface.mode = dContactBounce;
    contact.surface.bounce = 0.5;
  }
};

struct Behind : ob::GoalRegion {
  explicit Behind(const ob::SpaceInformationPtr &space) : ob::GoalRegion(space) { setThreshold(0); }
  double distanceGoal(const ob::State *state) const override {
    double x = state->as<oc::OpenDEStateSpace::StateType>()->getBodyPosition(0)[0];
    return x > 0.5 ? 0 : 0.5 - x;
  }
};

int main() {
  ompl::msg::noOutputHandler();
  ompl::RNG::setSeed(7);
  dInitODE2(0);
  {
    oc::OpenDESimpleSetup setup(std::make_shared<Arena>());
    ob::RealVectorBounds volume(3), speed(3);
    volume.setLow(-5);
    volume.setHigh(5);
    speed.setLow(-200);
    speed.setHigh(200);
    setup.setVolumeBounds(volume);
    setup.setLinearVelocityBounds(speed);
    setup.setGoal(std::make_shared<Behind>(setup.getSpaceInformation()));
    setup.setPlanner(std::make_shared<oc::RRT>(setup.getSpaceInformation()));
    bool found = setup.solve(4.0) && setup.haveExactSolutionPath();
    std::printf("%s the wall; %u states\n", found ? "PASSED THROUGH" : "no way through",
                setup.getPlanner()->as<oc::RRT>() ? [&] {
                  ob::PlannerData data(setup.getSpaceInformation());
                  setup.getPlanner()->getPlannerData(data);
                  return data.numVertices();
                }()
                                                   : 0);
  }
  return 0;
}
