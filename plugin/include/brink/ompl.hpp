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
 * checkMotion with lastValid gives the proven first contact: its fraction is Brink's toi, before which nothing touches;
 * or where the motion leaves the bounds of the space, if that comes first. At the toi itself the robot is within the
 * tolerance (a millionth of a shape's size) of something, which the StateValidityChecker calls contact. So the fraction
 * is less by what it takes for the state there to be valid. Planners may ask from several threads, as long as nobody
 * changes the robot or its world meanwhile. A question that the library refuses throws brink::ompl::Error with its text.
 */
#include <ompl/base/MotionValidator.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>

#include <algorithm>
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
    const double leaves = withinBounds(s1, s2);
    lastValid.second = validBefore(s1, s2, answer.state == brink_free ? leaves : std::min(answer.toi, leaves));
    if (lastValid.first != nullptr) si_->getStateSpace()->interpolate(s1, s2, lastValid.second, lastValid.first);
    return false;
  }

 private:
  /* The fraction up to which the straight motion from s1, within bounds, stays there. */
  double withinBounds(const ob::State *s1, const ob::State *s2) const {
    const auto *space = si_->getStateSpace()->as<ob::RealVectorStateSpace>();
    const ob::RealVectorBounds &bounds = space->getBounds();
    const double *a = valuesOf(s1), *b = valuesOf(s2);
    double most = 1.0;
    for (unsigned i = 0; i < space->getDimension(); ++i) {
      if (b[i] > bounds.high[i]) most = std::min(most, (bounds.high[i] - a[i]) / (b[i] - a[i]));
      if (b[i] < bounds.low[i]) most = std::min(most, (bounds.low[i] - a[i]) / (b[i] - a[i]));
    }
    return std::max(most, 0.0);
  }

  /* The fraction, or a little less: where nothing is within the tolerance. s1 is valid. */
  double validBefore(const ob::State *s1, const ob::State *s2, double fraction) const {
    const double *a = valuesOf(s1), *b = valuesOf(s2);
    std::vector<double> q(si_->getStateDimension());
    Views::Lease view(*views_);
    for (double back = 0.0; fraction > back; back = back > 0.0 ? 4.0 * back : firstStepBack) {
      brinkEdgeAnswer answer{};
      answer.structSize = sizeof answer;
      for (size_t i = 0; i < q.size(); ++i) q[i] = a[i] + (b[i] - a[i]) * (fraction - back);
      if (views_->robots()->configuration(view.get(), q.data(), &any_, &answer) != brink_ok)
        throw Error(views_->robots()->viewError(view.get()));
      if (answer.state == brink_free) return fraction - back;
    }
    return 0.0;
  }

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

  static constexpr double firstStepBack = 1e-7; /* of the motion */
  std::shared_ptr<Views> views_;
  brinkEdgeQuery any_, first_;
};

}  // namespace ompl
}  // namespace brink
#endif
