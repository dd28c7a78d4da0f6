/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans the stand-in arm in a shelf with OMPL's RRTConnect, edges proven by Brink; and the same with OMPL's sampled
 * validator at 1 % and 0.1 % of the extent. Prints planning times and how many edges of the found paths are wrong: the
 * referee is 10,000 configurations an edge.
 *
 *   brink-ompl-shelf [PLANS [PICTURE.svg [SEED]]]   default 50, - for no picture, 1; the picture is of the first proven
 *   plan; another seed draws other starts, goals and samples */
#include <filesystem>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "brink/ompl.hpp"
#include "brink/robot_scene.h"
#include "brink/stand_in_robot.h"
#include "brink/urdf.h"

namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

constexpr int refereeSamples = 10000;
constexpr double planSeconds = 30.0;

struct Setting {
  const brinkPlugin *plugin = nullptr;
  const brinkRobotTable *robots = nullptr;
  brinkWorld *world = nullptr;
  brinkRobot *robot = nullptr;
  brinkRobotView *view = nullptr;
  std::shared_ptr<brink::ompl::Views> views; /* of all planners */
  std::vector<double> lower, upper;
  uint32_t tool = 0;
  std::vector<brinkSceneObstacle> obstacles; /* boxes */
};

[[noreturn]] void stop(const std::string &text) {
  fprintf(stderr, "brink-ompl-shelf: %s\n", text.c_str());
  exit(1);
}

Setting load() {
  Setting s;
  char message[512] = "";
  std::string folder = (std::filesystem::temp_directory_path() / "brink-shelf-XXXXXX").string();
  s.plugin = brinkEntry(BRINK_ABI_MAJOR, nullptr);
  s.robots = static_cast<const brinkRobotTable *>(s.plugin->getExtension(BRINK_ROBOT_NAME));
  if (mkdtemp(folder.data()) == nullptr || brinkWriteStandInRobots(folder.c_str(), message, sizeof message) != brink_ok)
    stop(message);
  const std::string base = folder, srdf = base + "/stand_in_arm.srdf";
  brinkUrdfOptions options{};
  options.structSize = sizeof options;
  options.srdfPath = srdf.c_str();
  brinkUrdf *urdf = nullptr;
  brinkRobotScenes scenes{};
  if (brinkLoadUrdf((base + "/stand_in_arm.urdf").c_str(), &options, &urdf, message, sizeof message) != brink_ok ||
      s.plugin->createWorld(nullptr, nullptr, &s.world) != brink_ok ||
      brinkMakeRobot(s.world, urdf, nullptr, &s.robot, message, sizeof message) != brink_ok ||
      brinkLoadRobotScenes((base + "/shelf.txt").c_str(), &scenes, message, sizeof message) != brink_ok)
    stop(message);
  std::vector<brinkColliderId> colliders(scenes.scenes[0].obstacleCount);
  std::vector<brinkShapeId> shapes(scenes.scenes[0].obstacleCount);
  if (brinkAddRobotScene(s.world, &scenes.scenes[0], colliders.data(), shapes.data(), message, sizeof message) !=
      brink_ok)
    stop(message);
  for (uint32_t i = 0; i < urdf->linkCount; ++i)
    if (std::string(urdf->links[i].name) == BRINK_STAND_IN_TOOL) s.tool = i;
  s.obstacles.assign(scenes.scenes[0].obstacles, scenes.scenes[0].obstacles + scenes.scenes[0].obstacleCount);
  brinkFreeRobotScenes(&scenes);
  for (uint32_t j = 0; j < urdf->jointCount; ++j) {
    brinkRobotJointInfo joint{};
    joint.structSize = sizeof joint;
    s.robots->joint(s.robot, j, &joint);
    if (joint.valueCount != 1) continue;
    s.lower.push_back(joint.lower[0]);
    s.upper.push_back(joint.upper[0]);
  }
  brinkFreeUrdf(urdf);
  for (const char *name :
       {"stand_in_arm.urdf", "stand_in_arm.srdf", "stand_in_arms.urdf", "stand_in_arms.srdf", "shelf.txt"})
    unlink((base + "/" + name).c_str());
  rmdir(folder.c_str());
  if (s.robots->createView(s.robot, &s.view) != brink_ok) stop("no view");
  s.views = std::make_shared<brink::ompl::Views>(s.robots, s.robot);
  return s;
}

bool isFree(const Setting &s, const std::vector<double> &q) {
  brinkEdgeAnswer answer{};
  answer.structSize = sizeof answer;
  const brinkEdgeQuery query = brink::ompl::makeQuery(BRINK_EDGE_ANY | BRINK_EDGE_NO_LIMITS, 0.0);
  if (s.robots->configuration(s.view, q.data(), &query, &answer) != brink_ok) stop(s.robots->viewError(s.view));
  return answer.state == brink_free;
}

/* A free configuration whose fingers are in a compartment: inside the shelf, left or right, at a height. */
std::vector<double> reachInto(const Setting &s, std::mt19937_64 &random, double side, double height) {
  std::vector<double> q(s.lower.size());
  std::vector<brinkPose> poses(64);
  for (;;) {
    for (size_t i = 0; i < q.size(); ++i) q[i] = std::uniform_real_distribution<double>(s.lower[i], s.upper[i])(random);
    s.robots->poses(s.robot, q.data(), poses.data());
    const brinkPose &hand = poses[s.tool];
    const brinkQuat r = hand.rotation;
    const double x = hand.position.x + 0.12 * 2 * (r.x * r.z + r.w * r.y),
                 y = hand.position.y + 0.12 * 2 * (r.y * r.z - r.w * r.x),
                 z = hand.position.z + 0.12 * (1 - 2 * (r.x * r.x + r.y * r.y));
    if (x > 0.7 && x < 0.9 && y * side > 0.0 && y * side < 0.5 && std::fabs(z - height) < 0.15 && isFree(s, q))
      return q;
  }
}

/* Uniform samples from a seed of its own: planners that are compared draw the same configurations. */
class SeededSampler : public ob::RealVectorStateSampler {
 public:
  SeededSampler(const ob::StateSpace *space, unsigned seed) : ob::RealVectorStateSampler(space) {
    rng_.setLocalSeed(seed);
  }
};

double cpuSeconds() { return static_cast<double>(clock()) / CLOCKS_PER_SEC; }

struct Outcome {
  size_t motions = 0;
  std::vector<std::vector<double>> firstPlan;
  std::vector<double> seconds;
  int solved = 0;
  size_t edges = 0, wrong = 0, wrongPaths = 0, checked = 0;
};

void plan(const Setting &s, const std::vector<double> &start, const std::vector<double> &goal, double resolution,
          unsigned seed, Outcome &outcome) {
  auto space = std::make_shared<ob::RealVectorStateSpace>(s.lower.size());
  space->setStateSamplerAllocator(
      [seed](const ob::StateSpace *of) { return std::make_shared<SeededSampler>(of, seed); });
  ob::RealVectorBounds bounds(s.lower.size());
  bounds.low = s.lower;
  bounds.high = s.upper;
  space->setBounds(bounds);
  og::SimpleSetup setup(space);
  auto si = setup.getSpaceInformation();
  si->setStateValidityChecker(std::make_shared<brink::ompl::StateValidityChecker>(si, s.views));
  if (resolution > 0.0)
    si->setStateValidityCheckingResolution(resolution);
  else
    si->setMotionValidator(std::make_shared<brink::ompl::MotionValidator>(si, s.views));
  ob::ScopedState<> from(space), to(space);
  for (size_t i = 0; i < s.lower.size(); ++i) {
    from[i] = start[i];
    to[i] = goal[i];
  }
  setup.setStartAndGoalStates(from, to);
  auto planner = std::make_shared<og::RRTConnect>(si);
  setup.setPlanner(planner);
  setup.setup();
  const double begin = cpuSeconds(); /* of this process: other work on the machine does not count */
  const ob::PlannerStatus status = setup.solve(planSeconds);
  outcome.seconds.push_back(cpuSeconds() - begin);
  outcome.motions += si->getMotionValidator()->getCheckedMotionCount();
  if (status != ob::PlannerStatus::EXACT_SOLUTION) return;
  ++outcome.solved;
  auto &path = setup.getSolutionPath();
  if (outcome.firstPlan.empty())
    for (size_t i = 0; i < path.getStateCount(); ++i)
      outcome.firstPlan.emplace_back(brink::ompl::valuesOf(path.getState(i)),
                                     brink::ompl::valuesOf(path.getState(i)) + s.lower.size());
  size_t wrongBefore = outcome.wrong;
  for (size_t i = 0; i + 1 < path.getStateCount(); ++i) {
    const double *a = brink::ompl::valuesOf(path.getState(i)), *b = brink::ompl::valuesOf(path.getState(i + 1));
    ++outcome.edges;
    std::vector<double> q(s.lower.size());
    bool good = true;
    for (int k = 0; good && k <= refereeSamples; ++k) {
      for (size_t v = 0; v < q.size(); ++v) q[v] = a[v] + (b[v] - a[v]) * k / refereeSamples;
      good = isFree(s, q);
    }
    outcome.wrong += !good;
  }
  outcome.wrongPaths += outcome.wrong > wrongBefore;
}

/* The arm's joints and tool point along the plan, from the side (x, z) and from behind (y, z); boards of the shelf. */
void draw(const Setting &s, const std::vector<std::vector<double>> &plan, const char *name) {
  FILE *out = fopen(name, "w");
  if (out == nullptr) stop(std::string(name) + " cannot be written");
  const double scale = 300.0;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1050\" height=\"520\" font-family=\"sans-serif\">\n"
          "<rect width=\"1050\" height=\"520\" fill=\"#fff\"/>\n");
  for (int view = 0; view < 2; ++view) {
    const double left = view == 0 ? 300 : 820, bottom = 440;
    fprintf(out, "<text x=\"%g\" y=\"490\" font-size=\"16\">%s</text>\n", left - 60,
            view == 0 ? "from the side" : "from behind the arm");
    for (const auto &obstacle : s.obstacles) {
      const double *size = obstacle.size;
      const double across = view == 0 ? obstacle.pose.position.x : -obstacle.pose.position.y;
      const double w = scale * size[view], h = scale * size[2];
      fprintf(out,
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#c9a26b\" fill-opacity=\"0.35\"/>\n",
              left + scale * across - 0.5 * w, bottom - scale * obstacle.pose.position.z - 0.5 * h, w, h);
    }
    const size_t parts = 24;
    for (size_t i = 0; i + 1 < plan.size(); ++i)
      for (size_t k = 0; k <= parts; ++k) {
        std::vector<double> q(s.lower.size());
        s.robots->between(s.robot, plan[i].data(), plan[i + 1].data(), static_cast<double>(k) / parts, 0, q.data());
        std::vector<brinkPose> poses(64);
        s.robots->poses(s.robot, q.data(), poses.data());
        const double along =
            (static_cast<double>(i) + static_cast<double>(k) / parts) / static_cast<double>(plan.size() - 1);
        fprintf(out,
                "<polyline fill=\"none\" stroke=\"rgb(%d,60,%d)\" stroke-opacity=\"%g\" stroke-width=\"3\" points=\"",
                static_cast<int>(220 * along), static_cast<int>(220 * (1 - along)), k % parts == 0 ? 1.0 : 0.3);
        for (uint32_t link = 0; link <= s.tool + 1; ++link) {
          brinkPose pose = poses[link <= s.tool ? link : s.tool];
          if (link > s.tool) { /* the tool point */
            const brinkQuat r = pose.rotation;
            pose.position.x += 0.12 * 2 * (r.x * r.z + r.w * r.y);
            pose.position.y += 0.12 * 2 * (r.y * r.z - r.w * r.x);
            pose.position.z += 0.12 * (1 - 2 * (r.x * r.x + r.y * r.y));
          }
          fprintf(out, "%.1f,%.1f ", left + scale * (view == 0 ? pose.position.x : -pose.position.y),
                  bottom - scale * pose.position.z);
        }
        fprintf(out, "\"/>\n");
      }
  }
  fprintf(out,
          "<text x=\"20\" y=\"24\" font-size=\"18\">RRTConnect, every edge proven by Brink: start blue, goal red, "
          "%zu edges</text>\n</svg>\n",
          plan.size() - 1);
  if (fclose(out) != 0) stop(std::string(name) + " cannot be written");
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0.0 : v[v.size() / 2];
}

double sumOf(const std::vector<double> &v) { return std::accumulate(v.begin(), v.end(), 0.0); }

}  // namespace

int main(int argc, char **argv) {
  const int plans = argc > 1 ? atoi(argv[1]) : 50;
  if (plans < 1) stop("PLANS must be a number above 0");
  if (!brinkHasUrdf()) {
    printf("brink-ompl-shelf: skipped, this build reads no URDF\n");
    return 77;
  }
  ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
  Setting s = load();
  const double resolutions[3] = {0.0, 0.01, 0.001};
  const char *const names[3] = {"proven (Brink)", "sampled at 1 %", "sampled at 0.1 %"};
  Outcome outcomes[3];
  const unsigned seed = argc > 3 ? static_cast<unsigned>(strtoul(argv[3], nullptr, 10)) : 1u;
  if (seed < 1) stop("SEED must be a number above 0");
  std::mt19937_64 random(seed);
  ompl::RNG::setSeed(seed); /* one for the whole run: OMPL refuses to seed again once it has drawn */
  for (int i = 0; i < plans; ++i) {
    const double side = i % 2 == 0 ? 1.0 : -1.0;
    const auto start = reachInto(s, random, side, 0.475), goal = reachInto(s, random, -side, 0.925);
    for (int w = 0; w < 3; ++w) /* in turn, so that all see the same machine */
      plan(s, start, goal, resolutions[(i + w) % 3], static_cast<unsigned>(i) + seed, outcomes[(i + w) % 3]);
  }
  printf("%d plans, RRTConnect, 7 joints, shelf of two compartments; referee: %d configurations an edge\n", plans,
         refereeSamples);
  printf("%-18s %7s %12s %12s %10s %10s %7s %12s %12s\n", "", "solved", "median, ms", "mean, ms", "motions", "us each",
         "edges", "wrong edges", "wrong paths");
  for (int w = 0; w < 3; ++w) {
    const double sum = sumOf(outcomes[w].seconds);
    printf("%-18s %7d %12.2f %12.2f %10zu %10.2f %7zu %12zu %12zu\n", names[w], outcomes[w].solved,
           1e3 * median(outcomes[w].seconds), 1e3 * sum / plans, outcomes[w].motions,
           1e6 * sum / static_cast<double>(std::max<size_t>(outcomes[w].motions, 1)), outcomes[w].edges,
           outcomes[w].wrong, outcomes[w].wrongPaths);
  }
  double ratio[2], whole[2];
  for (int w = 1; w < 3; ++w) {
    ratio[w - 1] = median(outcomes[0].seconds) / median(outcomes[w].seconds);
    whole[w - 1] = sumOf(outcomes[0].seconds) / sumOf(outcomes[w].seconds);
  }
  printf("planning time in all: %.2f of 1 %%, %.2f of 0.1 %%; median: %.2f, %.2f\n", whole[0], whole[1], ratio[0],
         ratio[1]);
  if (argc > 2 && strcmp(argv[2], "-") != 0 && !outcomes[0].firstPlan.empty()) draw(s, outcomes[0].firstPlan, argv[2]);
  s.views.reset();
  s.plugin->destroyWorld(s.world);
  return outcomes[0].wrong > 0 ? 1 : 0;
}
