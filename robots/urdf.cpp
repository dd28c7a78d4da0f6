/* SPDX-License-Identifier: BSD-3-Clause */
/* URDF through liburdfdom, SRDF through the tinyxml that it is built on, behind the C interface brink/urdf.h. C++ because
 * liburdfdom has no other interface.
 *
 * liburdfdom passes over what it does not know and names no lines, and a collision that it cannot read it leaves out.
 * So the document is walked first: unknown elements and numbers that are none are refused (a misspelt <collision> or a
 * radius of nan would silently take a link's shape away), known ones that say nothing about collision are told, and the
 * lines of joints and links are kept for messages. */
#include <console_bridge/console.h>
#include <sys/stat.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "brink/urdf.h"

namespace {

struct Failure {
  brinkStatus status;
  std::string text;
};

[[noreturn]] void fail(brinkStatus status, const std::string &text) { throw Failure{status, text}; }

std::string at(const std::string &file, const TiXmlNode *node) {
  return file + ":" + std::to_string(node->Row()) + ": ";
}

/* What brinkUrdf points into. */
struct Loaded : brinkUrdf {
  brinkUrdf &view = *this;
  std::string name, path;
  std::vector<std::string> linkNames, jointNames, notes, meshPaths;
  std::vector<brinkRobotLinkDef> links;
  std::vector<brinkRobotJointDef> joints;
  std::vector<brinkUrdfShape> shapes;
  std::vector<brinkUrdfMesh> meshes;
  std::vector<brinkRobotLinkPair> allowed;
  std::vector<const char *> noteTexts;
  std::map<std::string, uint32_t> linkIndex, jointIndex;
  std::map<std::string, int> linkLines, jointLines;
  std::map<std::string, size_t> collisionCounts; /* of links, as the document has them */
  std::string heard;                             /* from liburdfdom */
  std::map<std::string, uint32_t> meshIndex;     /* path and scale */
  ~Loaded() {
    for (auto &mesh : meshes) brinkFreeMesh(&mesh.mesh);
  }
};

/* ---- messages of liburdfdom, which it logs */

class Listener : public console_bridge::OutputHandler {
 public:
  void log(const std::string &text, console_bridge::LogLevel level, const char *, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_WARN) heard += (heard.empty() ? "" : "; ") + text;
  }
  std::string heard;
};

/* ---- the document */

const std::map<std::string, std::vector<std::string>> known = {
    {"robot",
     {"link", "joint", "material", "transmission", "gazebo", "sensor", "ros2_control", "self_collision_checking"}},
    {"link",
     {"inertial", "visual", "collision", "contact", "self_collision_checking", "sensor", "gazebo", "verbose",
      "gravity"}},
    {"joint",
     {"origin", "parent", "child", "axis", "limit", "mimic", "dynamics", "calibration", "safety_controller",
      "safety_limits", "joint_properties", "hardwareInterface", "gazebo"}},
    {"collision", {"origin", "geometry", "material", "contact_coefficients", "verbose", "name"}},
    {"geometry", {"box", "cylinder", "sphere", "mesh"}}};

const std::vector<std::string> toldAtRobot = {"transmission", "gazebo", "sensor", "ros2_control",
                                              "self_collision_checking"};

bool holds(const std::vector<std::string> &list, const std::string &word) {
  for (const auto &item : list)
    if (item == word) return true;
  return false;
}

/* Numbers of an element: how many an attribute has, and which are taken. */
enum class Taken { finite, notNegative, positive, notZero };
struct Numbers {
  const char *element, *attribute;
  int count;
  Taken taken;
  bool needed;
};
const Numbers numbers[] = {{"origin", "xyz", 3, Taken::finite, false},
                           {"origin", "rpy", 3, Taken::finite, false},
                           {"axis", "xyz", 3, Taken::finite, true},
                           {"limit", "lower", 1, Taken::finite, false},
                           {"limit", "upper", 1, Taken::finite, false},
                           {"limit", "effort", 1, Taken::finite, true},
                           {"limit", "velocity", 1, Taken::finite, true},
                           {"mimic", "multiplier", 1, Taken::finite, false},
                           {"mimic", "offset", 1, Taken::finite, false},
                           {"sphere", "radius", 1, Taken::notNegative, true},
                           {"cylinder", "radius", 1, Taken::notNegative, true},
                           {"cylinder", "length", 1, Taken::notNegative, true},
                           {"box", "size", 3, Taken::positive, true},
                           {"mesh", "scale", 3, Taken::notZero, false}};

void checkNumbers(const std::string &where, const TiXmlElement *element) {
  static const char *const wanted[] = {"finite", "finite and not negative", "finite and above 0", "finite and not 0"};
  for (const Numbers &row : numbers) {
    if (element->ValueStr() != row.element) continue;
    const char *text = element->Attribute(row.attribute);
    const std::string what = where + "<" + row.element + "> " + row.attribute;
    if (text == nullptr && row.needed) fail(brink_errorParse, what + " is missing");
    if (text == nullptr) continue;
    std::istringstream words(text);
    int count = 0;
    for (std::string word; words >> word; ++count) {
      std::istringstream in(word);
      in.imbue(std::locale::classic());
      double value = 0.0;
      bool good = (in >> value) && in.eof() && std::isfinite(value);
      if (row.taken == Taken::notNegative) good = good && value >= 0;
      if (row.taken == Taken::positive) good = good && value > 0;
      if (row.taken == Taken::notZero) good = good && value != 0;
      if (!good)
        fail(brink_errorBadValue,
             what + " \"" + text + "\": '" + word + "' is no number that is " + wanted[static_cast<int>(row.taken)]);
    }
    if (count != row.count)
      fail(brink_errorBadValue, what + " \"" + text + "\": " + std::to_string(row.count) +
                                    " numbers are wanted, it has " + std::to_string(count));
  }
  for (bool mesh : {true, false}) {
    const char *attribute = mesh ? "filename" : "joint", *text = element->Attribute(attribute);
    if (element->ValueStr() == (mesh ? "mesh" : "mimic") && (text == nullptr || *text == '\0'))
      fail(brink_errorParse, where + "<" + element->ValueStr() + "> has no " + attribute);
  }
}

/* Of these liburdfdom reads the first alone. */
const std::vector<std::string> once = {"origin", "geometry", "parent", "child", "axis",    "limit",
                                       "mimic",  "box",      "sphere", "mesh",  "cylinder"};

/* owner: "link NAME: " or "joint NAME: ", for messages. */
void checkChildren(const std::string &file, const TiXmlElement *element, const std::string &owner,
                   std::vector<std::string> &notes) {
  auto allowed = known.find(element->ValueStr());
  if (allowed == known.end()) return;
  const bool geometry = element->ValueStr() == "geometry";
  for (const TiXmlElement *child = element->FirstChildElement(); child; child = child->NextSiblingElement()) {
    const std::string &tag = child->ValueStr();
    if (!holds(allowed->second, tag))
      fail(brink_errorParse, at(file, child) + "unknown element <" + tag + "> in <" + element->ValueStr() + ">");
    if (holds(once, tag) && child != (geometry ? element->FirstChildElement() : element->FirstChildElement(tag)))
      fail(brink_errorParse, at(file, child) + owner + "a second <" + tag + "> in <" + element->ValueStr() + ">");
    checkNumbers(at(file, child) + owner, child);
    bool told = element->ValueStr() == "robot" && holds(toldAtRobot, tag);
    if (element->ValueStr() == "link") told = tag == "contact" || tag == "sensor" || tag == "gazebo";
    if (told) notes.push_back(at(file, child) + "<" + tag + "> says nothing about collision: skipped");
    const char *name = child->Attribute("name");
    const bool owns = tag == "link" || tag == "joint";
    checkChildren(file, child, owns ? tag + " " + (name != nullptr ? name : "") + ": " : owner, notes);
  }
  if (geometry && element->FirstChildElement() == nullptr)
    fail(brink_errorParse, at(file, element) + owner + "<geometry> with nothing in it");
  if (element->ValueStr() == "collision" && element->FirstChildElement("geometry") == nullptr)
    fail(brink_errorParse, at(file, element) + owner + "<collision> without a <geometry>");
}

const std::vector<std::string> types = {"fixed", "revolute", "continuous", "prismatic", "planar", "floating"};

void noteLines(const std::string &file, const TiXmlElement *root, Loaded &loaded) {
  for (const TiXmlElement *child = root->FirstChildElement(); child; child = child->NextSiblingElement()) {
    bool link = child->ValueStr() == "link", joint = child->ValueStr() == "joint";
    if (!link && !joint) continue;
    const char *name = child->Attribute("name");
    if (name == nullptr || *name == '\0')
      fail(brink_errorParse, at(file, child) + "<" + child->ValueStr() + "> without a name");
    auto &lines = link ? loaded.linkLines : loaded.jointLines;
    if (lines.count(name) != 0)
      fail(brink_errorParse, at(file, child) + child->ValueStr() + " " + name + " is there twice, first in line " +
                                 std::to_string(lines[name]));
    lines[name] = child->Row();
    for (auto *shape = child->FirstChildElement("collision"); link && shape;
         shape = shape->NextSiblingElement("collision"))
      ++loaded.collisionCounts[name];
  }
  /* trees with the line of what is wrong; liburdfdom names neither */
  std::map<std::string, const TiXmlElement *> hangsOn;
  for (const TiXmlElement *child = root->FirstChildElement("joint"); child;
       child = child->NextSiblingElement("joint")) {
    const std::string name = child->Attribute("name");
    const TiXmlElement *ends[2] = {child->FirstChildElement("parent"), child->FirstChildElement("child")};
    for (int i = 0; i < 2; ++i) {
      const char *what = i == 0 ? "parent" : "child";
      const char *link = ends[i] != nullptr ? ends[i]->Attribute("link") : nullptr;
      if (link == nullptr) fail(brink_errorParse, at(file, child) + "joint " + name + " has no " + what + " link");
      if (loaded.linkLines.count(link) == 0)
        fail(brink_errorBadTree,
             at(file, ends[i]) + "joint " + name + ": its " + what + " link " + link + " is not in the file");
    }
    const std::string under = ends[1]->Attribute("link");
    if (hangsOn.count(under) != 0)
      fail(brink_errorBadTree, at(file, child) + "link " + under + " is the child of joints " +
                                   hangsOn[under]->Attribute("name") + " and " + name +
                                   ": closed loops cannot be asked; cut one of the joints");
    hangsOn[under] = child;
    const char *type = child->Attribute("type");
    if (type == nullptr) fail(brink_errorParse, at(file, child) + "joint " + name + " has no type");
    if (!holds(types, type))
      fail(brink_errorParse, at(file, child) + "joint " + name + ": type " + type + " is not known");
    bool limited = strcmp(type, "revolute") == 0 || strcmp(type, "prismatic") == 0;
    if (limited && child->FirstChildElement("limit") == nullptr)
      fail(brink_errorParse, at(file, child) + "joint " + name + ": it has no <limit>");
    const TiXmlElement *axis = child->FirstChildElement("axis");
    bool turns = strcmp(type, "fixed") != 0 && strcmp(type, "floating") != 0;
    if (turns && axis != nullptr) {
      double x = 0, y = 0, z = 0;
      std::istringstream in(axis->Attribute("xyz"));
      in.imbue(std::locale::classic());
      in >> x >> y >> z;
      if (x == 0 && y == 0 && z == 0)
        fail(brink_errorBadValue, at(file, axis) + "joint " + name + ": its axis is zero, it needs a direction");
    }
  }
  std::string root1;
  for (const auto &link : loaded.linkLines) {
    if (hangsOn.count(link.first) != 0) continue;
    if (!root1.empty())
      fail(brink_errorBadTree, file + ":" + std::to_string(link.second) + ": links " + root1 + " (line " +
                                   std::to_string(loaded.linkLines[root1]) + ") and " + link.first +
                                   " hang on no joint: a robot is one tree with one root");
    root1 = link.first;
  }
  if (loaded.linkLines.empty()) fail(brink_errorEmpty, file + ": no links");
  for (const auto &link : loaded.linkLines) { /* upward from every link: the root, or round in a circle */
    std::string up = link.first;
    for (size_t steps = 0; hangsOn.count(up) != 0; ++steps) {
      if (steps > loaded.linkLines.size())
        fail(brink_errorBadTree, at(file, hangsOn[link.first]) + "link " + link.first + " (child of joint " +
                                     hangsOn[link.first]->Attribute("name") + ") hangs on a circle of joints");
      up = hangsOn[up]->FirstChildElement("parent")->Attribute("link");
    }
  }
}

/* ---- files */

bool isFile(const std::string &path) {
  struct stat state;
  return stat(path.c_str(), &state) == 0 && S_ISREG(state.st_mode);
}

const int deepest = 256; /* elements in each other: a URDF has six; TinyXML goes down by recursion */

/* The whole file, which is XML that can be walked: no NUL byte, which would end it, and no deeper than `deepest`. Where a
 * '>' stands in an attribute, elements are counted that are none: on the safe side. */
std::string readText(const std::string &path) {
  struct stat state;
  if (stat(path.c_str(), &state) != 0)
    fail(brink_errorIo, path + ": " + (errno == ENOENT ? "no such file" : strerror(errno)));
  std::ifstream in(path, std::ios::binary);
  if (!S_ISREG(state.st_mode) || !in) fail(brink_errorIo, path + ": cannot be read as a file");
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto refuse = [&](size_t i, const std::string &what) {
    fail(brink_errorParse, path + ":" + std::to_string(1 + std::count(text.begin(), text.begin() + i, '\n')) + what);
  };
  const size_t none = std::string::npos, nul = text.find('\0');
  if (nul != none) refuse(nul, ": a NUL byte: XML is text");
  int depth = 0;
  for (size_t i = text.find('<'), end; i != none; i = text.find('<', end)) {
    const bool comment = text.compare(i, 4, "<!--") == 0, data = text.compare(i, 9, "<![CDATA[") == 0;
    end = text.find(comment ? "-->" : data ? "]]>" : ">", i);
    if (end == none) break;
    const char second = text[i + 1];
    if (second == '/')
      --depth;
    else if (second != '!' && second != '?' && text[end - 1] != '/' && ++depth > deepest)
      refuse(i, ": more than " + std::to_string(deepest) + " elements in each other");
  }
  return text;
}

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/* package://A/B/C, file:///X or a plain path, to a file that is there; "" = none. */
std::string findMesh(const std::string &name, const std::string &urdfPath, const brinkUrdfOptions &options) {
  const std::string scheme = "package://";
  if (name.compare(0, 7, "file://") == 0) return isFile(name.substr(7)) ? name.substr(7) : "";
  std::string folder = folderOf(urdfPath);
  if (name.compare(0, scheme.size(), scheme) != 0) {
    if (isFile(name)) return name;
    return isFile(folder + "/" + name) ? folder + "/" + name : "";
  }
  std::string rest = name.substr(scheme.size()), package = rest.substr(0, rest.find('/'));
  std::vector<std::string> folders;
  for (size_t i = 0; i < options.packageCount; ++i) {
    std::string given = options.packages[i];
    size_t equal = given.find('=');
    if (equal == std::string::npos) {
      folders.push_back(given);
    } else if (given.substr(0, equal) == package) {
      std::string path = given.substr(equal + 1) + rest.substr(package.size());
      if (isFile(path)) return path;
    }
  }
  for (std::string up = folder;; up += "/..") {
    folders.push_back(up);
    if (folders.size() > options.packageCount + 4) break;
  }
  for (const auto &base : folders)
    for (std::string part = rest;;) {
      if (isFile(base + "/" + part)) return base + "/" + part;
      size_t slash = part.find('/');
      if (slash == std::string::npos) break;
      part = part.substr(slash + 1);
    }
  return "";
}

/* ---- what the model holds */

brinkPose poseOf(const urdf::Pose &pose) {
  return brinkPose{{pose.position.x, pose.position.y, pose.position.z},
                   {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z}};
}

uint32_t meshOf(const urdf::Mesh &mesh, const std::string &where, const brinkUrdfOptions &options, Loaded &loaded) {
  std::string path = findMesh(mesh.filename, loaded.path, options);
  if (path.empty())
    fail(brink_errorIo, where + "mesh " + mesh.filename +
                            " is not found; name the folder that holds it or its folders: --package DIR, "
                            "brinkUrdfOptions.packages");
  std::ostringstream key;
  key << path << ' ' << mesh.scale.x << ' ' << mesh.scale.y << ' ' << mesh.scale.z;
  auto found = loaded.meshIndex.find(key.str());
  if (found != loaded.meshIndex.end()) return found->second;
  if (!(std::isfinite(mesh.scale.x) && std::isfinite(mesh.scale.y) && std::isfinite(mesh.scale.z)) ||
      mesh.scale.x == 0 || mesh.scale.y == 0 || mesh.scale.z == 0)
    fail(brink_errorBadValue, where + "mesh " + mesh.filename + ": its scale is zero or not finite");
  brinkUrdfMesh item{};
  char text[512] = "";
  std::string lower = path;
  for (auto &c : lower) c = static_cast<char>(tolower(c));
  brinkStatus status = endsWith(lower, ".dae")
                           ? brinkImportCollada(path.c_str(), (options.flags & BRINK_URDF_COLLADA_UP) != 0, &item.mesh,
                                                text, sizeof text)
                           : brinkImportMesh(path.c_str(), 0, &item.mesh, text, sizeof text);
  if (status != brink_ok) fail(status, where + text);
  if (*text != '\0') loaded.notes.push_back(where + text);
  const double scale[3] = {mesh.scale.x, mesh.scale.y, mesh.scale.z};
  for (size_t i = 0; i < 3 * item.mesh.vertexCount; ++i) item.mesh.vertices[i] *= scale[i % 3];
  if (scale[0] * scale[1] * scale[2] < 0) /* mirrored: turned right again */
    for (size_t i = 0; i < item.mesh.triangleCount; ++i)
      std::swap(item.mesh.indices[3 * i], item.mesh.indices[3 * i + 1]);
  item.scale = {scale[0], scale[1], scale[2]};
  loaded.meshes.push_back(item);
  loaded.meshPaths.push_back(path);
  uint32_t index = static_cast<uint32_t>(loaded.meshes.size() - 1);
  loaded.meshIndex[key.str()] = index;
  return index;
}

void takeCollision(const urdf::Collision &collision, uint32_t link, const std::string &where,
                   const brinkUrdfOptions &options, Loaded &loaded) {
  brinkUrdfShape shape{};
  shape.link = link;
  shape.pose = poseOf(collision.origin);
  if (!collision.geometry) fail(brink_errorParse, where + "a collision without a geometry");
  switch (collision.geometry->type) {
    case urdf::Geometry::SPHERE: {
      const auto &sphere = static_cast<const urdf::Sphere &>(*collision.geometry);
      shape.kind = brink_urdfSphere;
      shape.size = {sphere.radius, 0, 0};
      break;
    }
    case urdf::Geometry::BOX: {
      const auto &box = static_cast<const urdf::Box &>(*collision.geometry);
      shape.kind = brink_urdfBox;
      shape.size = {box.dim.x, box.dim.y, box.dim.z};
      break;
    }
    case urdf::Geometry::CYLINDER: {
      const auto &cylinder = static_cast<const urdf::Cylinder &>(*collision.geometry);
      shape.kind = brink_urdfCylinder;
      shape.size = {cylinder.radius, 0, cylinder.length};
      break;
    }
    default: {
      const auto &mesh = static_cast<const urdf::Mesh &>(*collision.geometry);
      if ((options.flags & BRINK_URDF_NO_MESHES) != 0) {
        loaded.notes.push_back(where + "mesh " + mesh.filename + " is left out, as asked");
        return;
      }
      shape.kind = brink_urdfMesh;
      shape.mesh = meshOf(mesh, where, options, loaded);
    }
  }
  loaded.shapes.push_back(shape);
}

uint32_t addLink(Loaded &loaded, const std::string &name) {
  loaded.linkIndex[name] = static_cast<uint32_t>(loaded.links.size());
  loaded.linkNames.push_back(name);
  brinkRobotLinkDef def{};
  def.structSize = sizeof def;
  loaded.links.push_back(def);
  return loaded.linkIndex[name];
}

void takeLink(const urdf::Link &link, const brinkUrdfOptions &options, Loaded &loaded) {
  std::string where = loaded.path + ":" + std::to_string(loaded.linkLines[link.name]) + ": link " + link.name + ": ";
  uint32_t index = addLink(loaded, link.name);
  if (link.collision_array.size() != loaded.collisionCounts[link.name])
    fail(brink_errorParse, where + "a <collision> of it cannot be read: " + loaded.heard);
  for (const auto &collision : link.collision_array) takeCollision(*collision, index, where, options, loaded);
  if (link.collision_array.empty() && !link.visual_array.empty())
    loaded.notes.push_back(where + "it is seen but has no collision shape: nothing can touch it");
}

brinkRobotJointDef jointDef() {
  brinkRobotJointDef def{};
  def.structSize = sizeof def;
  def.mimic = BRINK_ROBOT_NONE;
  def.origin.rotation.w = 1.0;
  def.multiplier = 1.0;
  return def;
}

void takeJoint(const urdf::Joint &joint, Loaded &loaded) {
  std::string where =
      loaded.path + ":" + std::to_string(loaded.jointLines[joint.name]) + ": joint " + joint.name + ": ";
  brinkRobotJointDef def = jointDef();
  switch (joint.type) {
    case urdf::Joint::REVOLUTE:
      def.type = brink_robotRevolute;
      break;
    case urdf::Joint::CONTINUOUS:
      def.type = brink_robotContinuous;
      break;
    case urdf::Joint::PRISMATIC:
      def.type = brink_robotPrismatic;
      break;
    case urdf::Joint::FLOATING:
      def.type = brink_robotFloating;
      break;
    case urdf::Joint::PLANAR:
      def.type = brink_robotPlanar;
      break;
    case urdf::Joint::FIXED:
      def.type = brink_robotFixed;
      break;
    default:
      fail(brink_errorParse, where + "its type is not known");
  }
  def.parent = loaded.linkIndex.at(joint.parent_link_name);
  def.child = loaded.linkIndex.at(joint.child_link_name);
  def.origin = poseOf(joint.parent_to_joint_origin_transform);
  def.axis = {joint.axis.x, joint.axis.y, joint.axis.z};
  bool limits = joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::PRISMATIC;
  if (limits) {
    if (!joint.limits) fail(brink_errorParse, where + "it has no <limit>");
    def.flags = BRINK_ROBOT_JOINT_LIMITED;
    def.lower[0] = joint.limits->lower;
    def.upper[0] = joint.limits->upper;
    if (!(def.lower[0] <= def.upper[0])) {
      std::ostringstream text;
      text << where << "its limits " << def.lower[0] << " to " << def.upper[0] << " are not in order";
      fail(brink_errorBadValue, text.str());
    }
  }
  if (joint.mimic && def.type == brink_robotFixed)
    loaded.notes.push_back(where + "a fixed joint follows nothing: its <mimic> is skipped");
  loaded.jointIndex[joint.name] = static_cast<uint32_t>(loaded.joints.size());
  loaded.jointNames.push_back(joint.name);
  loaded.joints.push_back(def);
}

void takeMimics(const urdf::ModelInterface &model, Loaded &loaded) {
  for (const auto &item : model.joints_) {
    const urdf::Joint &joint = *item.second;
    brinkRobotJointDef &def = loaded.joints[loaded.jointIndex[joint.name]];
    if (!joint.mimic || def.type == brink_robotFixed) continue;
    std::string where =
        loaded.path + ":" + std::to_string(loaded.jointLines[joint.name]) + ": joint " + joint.name + ": ";
    auto found = loaded.jointIndex.find(joint.mimic->joint_name);
    if (found == loaded.jointIndex.end())
      fail(brink_errorParse, where + "it follows joint " + joint.mimic->joint_name + ", which is not in the file");
    def.mimic = found->second;
    def.multiplier = joint.mimic->multiplier;
    def.offset = joint.mimic->offset;
  }
  for (size_t i = 0; i < loaded.joints.size(); ++i) { /* along what is followed: an end, or round in a circle */
    uint32_t up = static_cast<uint32_t>(i);
    for (size_t steps = 0; loaded.joints[up].mimic != BRINK_ROBOT_NONE; ++steps, up = loaded.joints[up].mimic)
      if (steps > loaded.joints.size())
        fail(brink_errorBadTree, loaded.path + ":" + std::to_string(loaded.jointLines[loaded.jointNames[i]]) +
                                     ": joint " + loaded.jointNames[i] +
                                     ": the joints it follows follow each other in a circle");
  }
}

/* ---- SRDF */

const char *need(const std::string &file, const TiXmlElement *element, const char *attribute) {
  const char *text = element->Attribute(attribute);
  if (text == nullptr) fail(brink_errorParse, at(file, element) + "<" + element->ValueStr() + "> has no " + attribute);
  return text;
}

uint32_t linkNamed(const std::string &file, const TiXmlElement *element, const char *attribute, const Loaded &loaded) {
  const char *name = need(file, element, attribute);
  auto found = loaded.linkIndex.find(name);
  if (found == loaded.linkIndex.end())
    fail(brink_errorParse, at(file, element) + "link " + name + " is not in " + loaded.path);
  return found->second;
}

void addVirtualJoint(const std::string &file, const TiXmlElement *element, const urdf::ModelInterface &model,
                     Loaded &loaded) {
  uint32_t child = linkNamed(file, element, "child_link", loaded);
  std::string type = need(file, element, "type"), name = need(file, element, "name");
  if (model.getRoot()->name != loaded.linkNames[child])
    fail(brink_errorBadTree, at(file, element) + "virtual joint " + name + ": link " + loaded.linkNames[child] +
                                 " is not the root, " + model.getRoot()->name + " is");
  std::string parent = need(file, element, "parent_frame");
  if (loaded.linkIndex.count(parent) != 0)
    fail(brink_errorBadTree, at(file, element) + "virtual joint " + name + ": frame " + parent + " is a link already");
  brinkRobotJointDef def = jointDef();
  if (type == "fixed")
    def.type = brink_robotFixed;
  else if (type == "planar")
    def.type = brink_robotPlanar;
  else if (type == "floating")
    def.type = brink_robotFloating;
  else
    fail(brink_errorParse, at(file, element) + "virtual joint " + name + ": type " + type + " is not known");
  def.axis = {0, 0, 1};
  def.child = child;
  def.parent = addLink(loaded, parent);
  loaded.jointNames.push_back(name);
  loaded.joints.push_back(def);
}

void readSrdf(const std::string &file, const urdf::ModelInterface &model, const brinkUrdfOptions &options,
              Loaded &loaded) {
  static const std::vector<std::string> silent = {"group",         "group_state",    "end_effector",
                                                  "passive_joint", "joint_property", "chain"};
  TiXmlDocument document;
  document.Parse(readText(file).c_str());
  if (document.Error())
    fail(brink_errorParse, file + ":" + std::to_string(std::max(1, document.ErrorRow())) + ": " + document.ErrorDesc());
  const TiXmlElement *root = document.FirstChildElement("robot");
  if (root == nullptr) fail(brink_errorParse, file + ": no <robot>");
  const char *name = root->Attribute("name");
  if (name == nullptr || loaded.name != name)
    loaded.notes.push_back(at(file, root) + "it is for robot " + (name != nullptr ? name : "(no name)") + ", not " +
                           loaded.name);
  for (const TiXmlElement *child = root->FirstChildElement(); child; child = child->NextSiblingElement()) {
    const std::string &tag = child->ValueStr();
    if (tag == "disable_collisions") {
      loaded.allowed.push_back({linkNamed(file, child, "link1", loaded), linkNamed(file, child, "link2", loaded)});
    } else if (tag == "virtual_joint") {
      if ((options.flags & BRINK_URDF_VIRTUAL_JOINT) != 0)
        addVirtualJoint(file, child, model, loaded);
      else
        loaded.notes.push_back(at(file, child) +
                               "<virtual_joint> is skipped: the root stands still (ask for it by option)");
    } else if (tag == "link_sphere_approximation" || tag == "disable_default_collisions" ||
               tag == "enable_collisions") {
      loaded.notes.push_back(at(file, child) + "<" + tag + "> is skipped");
    } else if (!holds(silent, tag)) {
      fail(brink_errorParse, at(file, child) + "unknown element <" + tag + ">");
    }
  }
}

/* ---- the whole */

void finish(Loaded &loaded) {
  for (size_t i = 0; i < loaded.links.size(); ++i) loaded.links[i].name = loaded.linkNames[i].c_str();
  for (size_t i = 0; i < loaded.joints.size(); ++i) loaded.joints[i].name = loaded.jointNames[i].c_str();
  for (size_t i = 0; i < loaded.meshes.size(); ++i) loaded.meshes[i].path = loaded.meshPaths[i].c_str();
  for (const auto &note : loaded.notes) loaded.noteTexts.push_back(note.c_str());
  brinkUrdf &view = loaded.view;
  view.name = loaded.name.c_str();
  view.path = loaded.path.c_str();
  view.links = loaded.links.data();
  view.linkCount = loaded.links.size();
  view.joints = loaded.joints.data();
  view.jointCount = loaded.joints.size();
  view.shapes = loaded.shapes.data();
  view.shapeCount = loaded.shapes.size();
  view.meshes = loaded.meshes.data();
  view.meshCount = loaded.meshes.size();
  view.allowed = loaded.allowed.data();
  view.allowedCount = loaded.allowed.size();
  view.notes = loaded.noteTexts.data();
  view.noteCount = loaded.noteTexts.size();
}

std::unique_ptr<Loaded> read(const char *path, const brinkUrdfOptions &options) {
  /* liburdfdom reports through one handler of the process, and reads numbers in the process's locale */
  static std::mutex one;
  std::lock_guard<std::mutex> lock(one);
  auto loaded = std::make_unique<Loaded>();
  loaded->path = path;
  const std::string text = readText(path);
  TiXmlDocument document;
  document.Parse(text.c_str());
  if (document.Error())
    fail(brink_errorParse,
         loaded->path + ":" + std::to_string(std::max(1, document.ErrorRow())) + ": " + document.ErrorDesc());
  const TiXmlElement *root = document.FirstChildElement("robot");
  if (root == nullptr) fail(brink_errorParse, loaded->path + ": no <robot>; xacro files must be expanded first");
  checkChildren(loaded->path, root, "", loaded->notes);
  noteLines(loaded->path, root, *loaded);
  Listener listener;
  console_bridge::useOutputHandler(&listener);
  urdf::ModelInterfaceSharedPtr model;
  std::string thrown;
  try {
    model = urdf::parseURDF(text);
  } catch (const std::exception &error) {
    thrown = error.what();
  }
  console_bridge::restorePreviousOutputHandler();
  if (!model) fail(brink_errorParse, loaded->path + ": " + (thrown.empty() ? listener.heard : thrown));
  loaded->heard = listener.heard;
  if (!listener.heard.empty()) loaded->notes.push_back(loaded->path + ": liburdfdom: " + listener.heard);
  loaded->name = model->getName();
  /* in the order of the file: the same numbers for the same text */
  for (const TiXmlElement *child = root->FirstChildElement("link"); child; child = child->NextSiblingElement("link"))
    takeLink(*model->getLink(child->Attribute("name")), options, *loaded);
  for (const TiXmlElement *child = root->FirstChildElement("joint"); child; child = child->NextSiblingElement("joint"))
    takeJoint(*model->getJoint(child->Attribute("name")), *loaded);
  takeMimics(*model, *loaded);
  if (options.srdfPath != nullptr) readSrdf(options.srdfPath, *model, options, *loaded);
  loaded->view.flags = options.flags & BRINK_URDF_HULLS;
  finish(*loaded);
  return loaded;
}

void say(char *message, size_t capacity, const std::string &text) {
  if (message != nullptr && capacity > 0) snprintf(message, capacity, "%s", text.c_str());
}

}  // namespace

extern "C" int brinkHasUrdf(void) { return 1; }

extern "C" brinkStatus brinkLoadUrdf(const char *path, const brinkUrdfOptions *given, brinkUrdf **out, char *message,
                                     size_t messageCapacity) {
  say(message, messageCapacity, "");
  brinkUrdfOptions options{};
  if (path == nullptr || out == nullptr) {
    say(message, messageCapacity, path == nullptr ? "path is NULL" : "out is NULL");
    return brink_errorNullArgument;
  }
  if (given != nullptr && given->structSize != sizeof options) {
    say(message, messageCapacity, "options->structSize is not this build's: set it to sizeof");
    return brink_errorVersion;
  }
  if (given != nullptr) options = *given;
  try {
    auto loaded = read(path, options);
    *out = loaded.release();
    return brink_ok;
  } catch (const Failure &failure) {
    say(message, messageCapacity, failure.text);
    return failure.status;
  } catch (const std::bad_alloc &) {
    say(message, messageCapacity, std::string(path) + ": out of memory");
    return brink_errorNoMemory;
  } catch (const std::exception &error) {
    say(message, messageCapacity, std::string(path) + ": " + error.what());
    return brink_errorParse;
  }
}

extern "C" void brinkFreeUrdf(brinkUrdf *urdf) { delete static_cast<Loaded *>(urdf); }
