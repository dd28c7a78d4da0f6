/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_OMPL_HPP
#define BRINK_OMPL_HPP
/* Brink in OMPL, header-only: a MotionValidator that proves edges instead of sampling them, and a StateValidityChecker.
 * For real vector state spaces whose values are the robot's (brink/robot.h), in its order.
 *
 *   auto views = std::make_shared<brink::ompl::Views>(robots, robot);
 *   si->setStateValidityChecker(std::make_shared<brink::ompl::StateValidityChecker>(si, views));
 *   si->setMotionValidator(std::make_shared<brink::ompl::MotionValidator>(si, views));
 *
 * checkMotion with lastValid gives the proven first contact: its fraction is Brink's toi, the state the configuration
 * there, which is known to be free. Planners may ask from several threads, as long as nobody changes the robot or its
 * world meanwhile. A question that the library refuses throws brink::ompl::Error with its text. */
#include <ompl/base/MotionValidator.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "brink/robot.h"

namespace brink {
namespace ompl {

namespace ob = ::ompl::base;

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/* Views of one robot, one for each thread that asks at a time. The robot must outlive them. */
class Views {
 public:
  Views(const brinkRobotTable *robots, brinkRobot *robot) : robots_(robots), robot_(robot) {}
  Views(const Views &) = delete;
  Views &operator=(const Views &) = delete;
  ~Views() {
    for (brinkRobotView *view : free_) robots_->destroyView(view);
  }

  class Lease { /* a view for the time of a question */
   public:
    explicit Lease(Views &views) : views_(views), view_(views.take()) {}
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    ~Lease() { views_.give(view_); }
    brinkRobotView *get() const { return view_; }

   private:
    Views &views_;
    brinkRobotView *view_;
  };

  const brinkRobotTable *robots() const { return robots_; }
  brinkRobot *robot() const { return robot_; }

 private:
  brinkRobotView *take() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!free_.empty()) {
      brinkRobotView *view = free_.back();
      free_.pop_back();
      return view;
    }
    brinkRobotView *view = nullptr;
    if (robots_->createView(robot_, &view) != brink_ok) throw Error("brink: no view can be made");
    return view;
  }
  void give(brinkRobotView *view) {
    std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(view);
  }

  const brinkRobotTable *robots_;
  brinkRobot *robot_;
  std::mutex mutex_;
  std::vector<brinkRobotView *> free_;
};

inline const double *valuesOf(const ob::State *state) {
  return state->as<ob::RealVectorStateSpace::StateType>()->values;
}

inline brinkEdgeQuery makeQuery(uint32_t flags, double clearance) {
  brinkEdgeQuery query{};
  query.structSize = sizeof query;
  query.flags = flags;
  query.clearance = clearance;
  return query;
}

/* flags: BRINK_EDGE_NO_SELF and the like; clearance: m, kept free all the way. */
class StateValidityChecker : public ob::StateValidityChecker {
 public:
  StateValidityChecker(const ob::SpaceInformationPtr &si, std::shared_ptr<Views> views, uint32_t flags = 0,
                       double clearance = 0.0)
      : ob::StateValidityChecker(si),
        views_(std::move(views)),
        query_(makeQuery(flags | BRINK_EDGE_ANY | BRINK_EDGE_NO_LIMITS, clearance)) {}

  bool isValid(const ob::State *state) const override {
    if (!si_->satisfiesBounds(state)) return false;
    Views::Lease view(*views_);
    brinkEdgeAnswer answer{};
    answer.structSize = sizeof answer;
    if (views_->robots()->configuration(view.get(), valuesOf(state), &query_, &answer) != brink_ok)
      throw Error(views_->robots()->viewError(view.get()));
    return answer.state == brink_free;
  }

 private:
  std::shared_ptr<Views> views_;
  brinkEdgeQuery query_;
};

class MotionValidator : public ob::MotionValidator {
 public:
  MotionValidator(const ob::SpaceInformationPtr &si, std::shared_ptr<Views> views, uint32_t flags = 0,
                  double clearance = 0.0)
      : ob::MotionValidator(si),
        views_(std::move(views)),
        any_(makeQuery(flags | BRINK_EDGE_ANY | BRINK_EDGE_NO_LIMITS, clearance)),
        first_(makeQuery(flags | BRINK_EDGE_NO_LIMITS, clearance)) {}

  bool checkMotion(const ob::State *s1, const ob::State *s2) const override {
    brinkEdgeAnswer answer{};
    return ask(s1, s2, any_, answer);
  }

  bool checkMotion(const ob::State *s1, const ob::State *s2, std::pair<ob::State *, double> &lastValid) const override {
    brinkEdgeAnswer answer{};
    if (ask(s1, s2, first_, answer)) return true;
    lastValid.second = answer.toi;
    if (lastValid.first != nullptr) si_->getStateSpace()->interpolate(s1, s2, answer.toi, lastValid.first);
    return false;
  }

 private:
  bool ask(const ob::State *s1, const ob::State *s2, const brinkEdgeQuery &query, brinkEdgeAnswer &answer) const {
    Views::Lease view(*views_);
    answer.structSize = sizeof answer;
    if (views_->robots()->edge(view.get(), valuesOf(s1), valuesOf(s2), &query, &answer) != brink_ok)
      throw Error(views_->robots()->viewError(view.get()));
    const bool free = answer.state == brink_free && si_->satisfiesBounds(s2);
    if (free)
      ++valid_;
    else
      ++invalid_;
    return free;
  }

  std::shared_ptr<Views> views_;
  brinkEdgeQuery any_, first_;
};

}  // namespace ompl
}  // namespace brink
#endif
