# SPDX-License-Identifier: BSD-3-Clause
"""The structs and tables of Brink's C headers, for ctypes.

Each class stands for the C struct of its ``c_name``, member by member. ``tests/python/test_layout.py`` compiles a C
program against the headers and compares every size, every offset and every constant: a struct that drifts fails there.
Appended members of newer headers do no harm, since every struct states its size.
"""
from __future__ import annotations

import ctypes as c
from ctypes import POINTER as P

u32, u64, size, f64, text, ptr = c.c_uint32, c.c_uint64, c.c_size_t, c.c_double, c.c_char_p, c.c_void_p
Status = c.c_int  # brinkStatus
World = ptr

ABI_MAJOR = 1
# Checked against the headers as well.
CONSTANTS = {
    "BRINK_ABI_MAJOR": ABI_MAJOR,
    "BRINK_MESH_SOLID": 1, "BRINK_MESH_CONVEX": 2,
    "BRINK_SHAPE_BORROW_BLOB": 1, "BRINK_SHAPE_SOLID_BELOW": 2,
    "BRINK_MOTION_HAS_SPIN": 1, "BRINK_MOTION_ALONE": 2,
    "BRINK_JOINT_COLLIDE_CONNECTED": 1, "BRINK_JOINT_COLLIDE_APART": 2,
    "BRINK_WORLD_ORDER_STATED": 1, "BRINK_COLLIDER_BITS_STATED": 1,
    "BRINK_QUERY_LOOPS": 1, "BRINK_CLEARANCE_SWEPT": 1,
    "BRINK_INVERSE_PROVEN": 1, "BRINK_INVERSE_AT_START": 2, "BRINK_INVERSE_AT_END": 4, "BRINK_INVERSE_NEAR": 8,
    "BRINK_INVERSE_CROSSING": 16, "BRINK_INVERSE_SWAP": 1, "BRINK_INVERSE_SAMPLE_B": 4,
    "brink_sphere": 1, "brink_capsule": 2, "brink_box": 3, "brink_cylinder": 4, "brink_plane": 5, "brink_hull": 6,
    "brink_mesh": 7, "brink_point": 8, "brink_segment": 9, "brink_ray": 10, "brink_heightfield": 11,
    "brink_compound": 12, "brink_support": 13,
    "brink_motionRest": 0, "brink_motionPoses": 1, "brink_motionVelocities": 2, "brink_motionScrew": 3,
    "brink_motionOdeStep": 4, "brink_motionSpline": 5, "brink_motionBezier": 6, "brink_motionUser": 7,
    "brink_modeFirst": 0, "brink_modePairs": 1, "brink_modeBoolean": 2,
    "brink_schemeDefault": 0, "brink_schemePaper": 1, "brink_schemeSweptAxis": 2,
    "brink_watchContact": 0, "brink_watchDepth": 1,
    "brink_free": 0, "brink_hit": 1, "brink_overlap": 2, "brink_unresolved": 3,
    "brink_ok": 0, "brink_errorNullArgument": 1, "brink_errorVersion": 2, "brink_errorBadValue": 3,
    "brink_errorBadRotation": 4, "brink_errorBadTime": 5, "brink_errorBadTree": 6, "brink_errorBadIndex": 7,
    "brink_errorEmpty": 8, "brink_errorNotClosed": 9, "brink_errorRange": 10, "brink_errorStale": 11,
    "brink_errorInUse": 12, "brink_errorBusy": 13, "brink_errorNoMemory": 14, "brink_errorParse": 15,
    "brink_errorTruncated": 16, "brink_errorIo": 17, "brink_errorInternal": 18,
    "brink_clearanceSettled": 0, "brink_clearanceDecided": 1, "brink_clearanceSpent": 2,
    "brink_clearanceNotAsked": 0, "brink_clearanceKept": 1, "brink_clearanceBroken": 2, "brink_clearanceUnproven": 3,
    "brink_certified": 0, "brink_certifiedListed": 1, "brink_certifiedSpent": 2,
    "brink_inversePolynomial": 1, "brink_inverseRotation": 2, "brink_inverseBezier": 3, "brink_inverseKeys": 4,
    "brink_robotFixed": 0, "brink_robotRevolute": 1, "brink_robotContinuous": 2, "brink_robotPrismatic": 3,
    "brink_robotScrew": 4, "brink_robotPlanar": 5, "brink_robotFloating": 6,
    "BRINK_ROBOT_JOINT_LIMITED": 1, "BRINK_ROBOT_TEST_ADJACENT": 1, "BRINK_ROBOT_NONE": 0xFFFFFFFF,
    "BRINK_EDGE_NO_SELF": 1, "BRINK_EDGE_ANY": 2, "BRINK_EDGE_ALL_PAIRS": 4, "BRINK_EDGE_SHORTER": 8,
    "BRINK_EDGE_NO_LIMITS": 16,
    "brink_inverseLinear": 0, "brink_inverseCubic": 1, "brink_inversePolar": 2, "brink_inverseMesh": 1,
}


class Struct(c.Structure):
    """A struct of the ABI; one that begins with structSize states its size when it is made."""

    c_name = ""

    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        if self._fields_[0][0] == "structSize" and "structSize" not in kw and not args:
            self.structSize = c.sizeof(self)


# ---- brink/types.h
class Vec3(Struct):
    c_name = "brinkVec3"
    _fields_ = [("x", f64), ("y", f64), ("z", f64)]


class Quat(Struct):
    c_name = "brinkQuat"
    _fields_ = [("w", f64), ("x", f64), ("y", f64), ("z", f64)]


class Pose(Struct):
    c_name = "brinkPose"
    _fields_ = [("position", Vec3), ("rotation", Quat)]


class Aabb(Struct):
    c_name = "brinkAabb"
    _fields_ = [("lower", Vec3), ("upper", Vec3)]


class MeshView(Struct):
    c_name = "brinkMeshView"
    _fields_ = [("structSize", u32), ("flags", u32), ("vertices", P(f64)), ("vertexCount", size), ("indices", P(u32)),
                ("triangleCount", size)]


# ---- brink/cook.h
class CookOptions(Struct):
    c_name = "brinkCookOptions"
    _fields_ = [("structSize", u32), ("flags", u32), ("progress", ptr), ("user", ptr), ("run", ptr),
                ("runUser", ptr)]


class MeshSummary(Struct):
    c_name = "brinkMeshSummary"
    _fields_ = [("structSize", u32), ("closed", u32), ("manifold", u32), ("convex", u32), ("vertexCount", size),
                ("triangleCount", size), ("degenerateCount", size), ("patchCount", size), ("nodeCount", size),
                ("bounds", Aabb)]


# ---- brink/ccd.h
LogFunction = c.CFUNCTYPE(None, ptr, c.c_int, text)
SupportFunction = c.CFUNCTYPE(None, ptr, P(f64), P(f64))


class Host(Struct):
    c_name = "brinkHost"
    _fields_ = [("structSize", u32), ("abiMajor", u32), ("user", ptr), ("allocate", ptr), ("release", ptr),
                ("log", LogFunction)]


class WorldDef(Struct):
    c_name = "brinkWorldDef"
    _fields_ = [("structSize", u32), ("flags", u32), ("taylorOrder", u32), ("reserved", u32)]


class ShapeChild(Struct):
    c_name = "brinkShapeChild"
    _fields_ = [("shape", u64), ("pose", Pose)]


class ShapeDef(Struct):
    c_name = "brinkShapeDef"
    _fields_ = [("structSize", u32), ("type", u32), ("flags", u32), ("reserved", u32), ("size", Vec3),
                ("normal", Vec3), ("offset", f64), ("margin", f64), ("mesh", MeshView), ("blob", ptr),
                ("blobSize", size), ("heights", P(f64)), ("columns", size), ("rows", size),
                ("children", P(ShapeChild)), ("childCount", size), ("support", SupportFunction), ("supportUser", ptr),
                ("supportRadius", f64), ("supportRounding", f64)]


class BodyDef(Struct):
    c_name = "brinkBodyDef"
    _fields_ = [("structSize", u32), ("flags", u32), ("userData", u64), ("parent", u64), ("pose", Pose)]


class MotionKey(Struct):
    c_name = "brinkMotionKey"
    _fields_ = [("time", f64), ("pose", Pose), ("slope", Vec3)]


class MotionState(Struct):
    c_name = "brinkMotionState"
    _fields_ = [("structSize", u32), ("hasVelocities", u32), ("pose", Pose), ("velocity", Vec3), ("spin", Vec3)]


class MotionBound(Struct):
    c_name = "brinkMotionBound"
    _fields_ = [("structSize", u32), ("reserved", u32), ("speed", f64), ("acceleration", f64), ("turnRate", f64),
                ("turnAcceleration", f64)]


MotionPoseFunction = c.CFUNCTYPE(None, ptr, f64, P(MotionState))
MotionBoundFunction = c.CFUNCTYPE(None, ptr, f64, f64, P(MotionBound))


class MotionPath(Struct):
    c_name = "brinkMotionPath"
    _fields_ = [("structSize", u32), ("flags", u32), ("axisPoint", Vec3), ("axis", Vec3), ("angle", f64),
                ("pitch", f64), ("keys", P(MotionKey)), ("keyCount", size), ("controls", P(f64)), ("weights", P(f64)),
                ("controlCount", size), ("user", ptr), ("poseAt", MotionPoseFunction),
                ("boundOver", MotionBoundFunction)]


class BodyMotion(Struct):
    c_name = "brinkBodyMotion"
    _fields_ = [("structSize", u32), ("kind", u32), ("flags", u32), ("reserved", u32), ("pose0", Pose),
                ("pose1", Pose), ("velocity", Vec3), ("spin", Vec3), ("path", P(MotionPath))]


class JointDef(Struct):
    c_name = "brinkJointDef"
    _fields_ = [("structSize", u32), ("flags", u32), ("bodyA", u64), ("bodyB", u64), ("anchorA", Vec3),
                ("anchorB", Vec3), ("restMargin", f64)]


class ColliderDef(Struct):
    c_name = "brinkColliderDef"
    _fields_ = [("structSize", u32), ("flags", u32), ("body", u64), ("shape", u64), ("pose", Pose),
                ("userData", u64), ("categoryBits", u64), ("collideBits", u64), ("allowance", f64)]


class Query(Struct):
    c_name = "brinkQuery"
    _fields_ = [("structSize", u32), ("mode", u32), ("scheme", u32), ("watch", u32), ("tStart", f64), ("tEnd", f64),
                ("tolerance", f64), ("window", f64), ("maxIterations", u64), ("onlyBody", u64), ("threshold", f64),
                ("flags", u32), ("reserved", u32), ("maxTotal", u64), ("goOn", ptr), ("goOnUser", ptr),
                ("run", ptr), ("runUser", ptr)]


class Feature(Struct):
    c_name = "brinkFeature"
    _fields_ = [("kind", u32), ("vertex", u32 * 3)]


class Contact(Struct):
    c_name = "brinkContact"
    _fields_ = [("state", u32), ("iterations", u32), ("colliderA", u64), ("colliderB", u64), ("toi", f64),
                ("toiUpper", f64), ("distance", f64), ("threshold", f64), ("pointA", Vec3), ("pointB", Vec3),
                ("normal", Vec3), ("normalVelocity", f64), ("featureA", Feature), ("featureB", Feature)]


class Counters(Struct):
    c_name = "brinkCounters"
    _fields_ = [("structSize", u32), ("reserved", u32), ("pairsBefore", u64), ("pairsSpatial", u64),
                ("pairsTemporal", u64), ("distanceQueries", u64), ("advancements", u64), ("nodePairs", u64),
                ("cutJoints", u64), ("unresolved", u64)]


class Report(Struct):
    c_name = "brinkReport"
    _fields_ = [("structSize", u32), ("state", u32), ("toi", f64), ("contacts", P(Contact)), ("contactCount", size),
                ("counters", Counters)]


class ContactPoint(Struct):
    c_name = "brinkContactPoint"
    _fields_ = [("position", Vec3), ("normal", Vec3), ("separation", f64), ("featureKey", u32), ("reserved", u32)]


class ColliderPair(Struct):
    c_name = "brinkColliderPair"
    _fields_ = [("a", u64), ("b", u64)]


def _call(*arguments):
    return c.CFUNCTYPE(Status, World, *arguments)


class Plugin(Struct):
    c_name = "brinkPlugin"
    _fields_ = [
        ("structSize", u32), ("abiMajor", u32), ("abiMinor", u32), ("reserved", u32), ("version", text),
        ("statusText", c.CFUNCTYPE(text, Status)),
        ("getExtension", c.CFUNCTYPE(ptr, text)),
        ("createWorld", c.CFUNCTYPE(Status, P(Host), P(WorldDef), P(World))),
        ("destroyWorld", _call()),
        ("lastError", c.CFUNCTYPE(text, World)),
        ("createShape", _call(P(ShapeDef), P(u64))),
        ("destroyShape", _call(u64)),
        ("createBody", _call(P(BodyDef), P(u64))),
        ("destroyBody", _call(u64)),
        ("setBodyMotion", _call(u64, ptr)),  # ptr: batches hand over rows of an array
        ("createJoint", _call(P(JointDef), P(u64))),
        ("destroyJoint", _call(u64)),
        ("createCollider", _call(P(ColliderDef), P(u64))),
        ("destroyCollider", _call(u64)),
        ("setColliderPose", _call(u64, P(Pose))),
        ("setColliderFilter", _call(u64, u64, u64)),
        ("setPairFilter", _call(ptr, ptr)),
        ("ignorePair", _call(u64, u64, c.c_int)),
        ("firstContact", _call(P(Query), P(Report))),
        ("bodyPose", _call(u64, f64, P(Pose))),
        ("nearPairs", _call(f64, f64, P(P(ColliderPair)), P(size))),
        ("collide", _call(u64, u64, f64, f64, P(ContactPoint), size, P(size))),
        ("collideShapes", _call(u64, P(Pose), u64, P(Pose), f64, P(ContactPoint), size, P(size))),
        ("distance", _call(u64, u64, f64, P(Contact))),
        ("colliderAllowance", _call(u64, P(f64))),
        ("sweptBounds", _call(u64, f64, f64, P(Aabb))),
        ("firstContacts", _call(P(Query), size, P(Report))),
        ("jointResidual", _call(u64, P(f64))),
        ("leaveOutOverlaps", _call(u64, u64, f64, f64, P(size))),
    ]


# ---- brink/clearance.h
class ClearanceQuery(Struct):
    c_name = "brinkClearanceQuery"
    _fields_ = [("structSize", u32), ("flags", u32), ("tStart", f64), ("tEnd", f64), ("tolerance", f64),
                ("required", f64), ("maxIterations", u64)]


class ClearanceAnswer(Struct):
    c_name = "brinkClearanceAnswer"
    _fields_ = [("structSize", u32), ("state", u32), ("verdict", u32), ("collision", u32), ("lower", f64),
                ("upper", f64), ("tolerance", f64), ("timeA", f64), ("timeB", f64), ("pointA", Vec3),
                ("pointB", Vec3), ("normal", Vec3), ("featureA", Feature), ("featureB", Feature), ("iterations", u64)]


class ClearanceTable(Struct):
    c_name = "brinkClearanceTable"
    _fields_ = [("structSize", u32), ("reserved", u32),
                ("measure", _call(u64, u64, P(ClearanceQuery), P(ClearanceAnswer)))]


# ---- brink/tolerance.h
class ToleranceQuery(Struct):
    c_name = "brinkToleranceQuery"
    _fields_ = [("structSize", u32), ("flags", u32), ("tStart", f64), ("tEnd", f64), ("tolerance", f64),
                ("clearance", f64), ("maxTests", u64), ("maxOpen", u64), ("parts", u32), ("reserved", u32),
                ("run", ptr), ("runUser", ptr)]


class OpenInterval(Struct):
    c_name = "brinkOpenInterval"
    _fields_ = [("from", f64), ("to", f64), ("place", Vec3), ("faceA", u64), ("faceB", u64)]


class ToleranceAnswer(Struct):
    c_name = "brinkToleranceAnswer"
    _fields_ = [("structSize", u32), ("state", u32), ("inside", u32), ("depth", u32), ("bound", f64),
                ("tolerance", f64), ("cellCount", size), ("openCells", size), ("open", P(OpenInterval)),
                ("openCount", size), ("certificate", ptr), ("certificateSize", size), ("spans", u64),
                ("pairTests", u64), ("polygonTests", u64), ("featureTests", u64), ("proofCells", u64)]


class ToleranceTable(Struct):
    c_name = "brinkToleranceTable"
    _fields_ = [("structSize", u32), ("reserved", u32), ("certifyBodies", ptr),
                ("certifyColliders", _call(u64, u64, P(ToleranceQuery), P(ToleranceAnswer))), ("rationalMotion", ptr)]


# ---- brink/inverse_path.h
class InverseFactorDef(Struct):
    c_name = "brinkInverseFactorDef"
    _fields_ = [("structSize", u32), ("kind", u32), ("blend", u32), ("reserved", u32), ("matrices", P(f64)),
                ("weights", P(f64)), ("times", P(f64)), ("count", size), ("axis", Vec3), ("angle", f64 * 4)]


class InverseMotionDef(Struct):
    c_name = "brinkInverseMotionDef"
    _fields_ = [("structSize", u32), ("reserved", u32), ("factors", P(InverseFactorDef)), ("factorCount", size)]


class InverseBodyDef(Struct):
    c_name = "brinkInverseBodyDef"
    _fields_ = [("structSize", u32), ("kind", u32), ("mesh", MeshView), ("patches", ptr), ("patchCount", size),
                ("patchError", f64), ("bound", ptr), ("boundUser", ptr), ("boundBox", Aabb), ("splines", ptr),
                ("splineCount", size), ("gradient", ptr)]


class InverseSceneDef(Struct):
    c_name = "brinkInverseSceneDef"
    _fields_ = [("structSize", u32), ("reserved", u32), ("a", InverseBodyDef), ("b", InverseBodyDef),
                ("motionA", InverseMotionDef), ("motionB", InverseMotionDef)]


class InverseQuery(Struct):
    c_name = "brinkInverseQuery"
    _fields_ = [("structSize", u32), ("flags", u32), ("tStart", f64), ("tEnd", f64), ("timeTolerance", f64),
                ("spacing", f64), ("insidePitch", f64), ("run", ptr), ("runUser", ptr), ("nearDistance", f64),
                ("entrySpread", f64)]


class InverseInterval(Struct):
    c_name = "brinkInverseInterval"
    _fields_ = [("startLower", f64), ("startUpper", f64), ("endLower", f64), ("endUpper", f64), ("flags", u32),
                ("openInside", u32), ("startA", u32), ("startB", u32), ("endA", u32), ("endB", u32)]


class InverseIntervals(Struct):
    c_name = "brinkInverseIntervals"
    _fields_ = [("structSize", u32), ("reserved", u32), ("intervals", P(InverseInterval)), ("count", size),
                ("cells", u64), ("openTotal", f64), ("error", f64)]


class InverseSolid(Struct):
    c_name = "brinkInverseSolid"
    _fields_ = [("structSize", u32), ("sampledBody", u32), ("points", P(f64)), ("pointCount", size),
                ("tetrahedra", P(u32)), ("tetrahedronCount", size), ("faces", P(u32)), ("faceCount", size),
                ("volume", f64), ("spacing", f64), ("asked", size), ("error", f64)]


class InversePathVertex(Struct):
    c_name = "brinkInversePathVertex"
    _fields_ = [("t", f64), ("position", Vec3)]


class InversePath(Struct):
    c_name = "brinkInversePath"
    _fields_ = [("sample", Vec3), ("face", u32), ("flags", u32), ("firstVertex", size), ("vertexCount", size)]


class InversePaths(Struct):
    c_name = "brinkInversePaths"
    _fields_ = [("structSize", u32), ("sampledBody", u32), ("paths", P(InversePath)), ("pathCount", size),
                ("vertices", P(InversePathVertex)), ("vertexCount", size), ("deviation", f64), ("spacing", f64),
                ("asked", size), ("error", f64)]


class InverseObjectDef(Struct):
    c_name = "brinkInverseObjectDef"
    _fields_ = [("structSize", u32), ("group", u32), ("body", InverseBodyDef), ("motion", InverseMotionDef)]


class InverseAssemblyDef(Struct):
    c_name = "brinkInverseAssemblyDef"
    _fields_ = [("structSize", u32), ("reserved", u32), ("objects", P(InverseObjectDef)), ("objectCount", size)]


class InverseMeeting(Struct):
    c_name = "brinkInverseMeeting"
    _fields_ = [("a", u32), ("b", u32), ("firstInterval", size), ("intervalCount", size), ("openTotal", f64),
                ("error", f64), ("cells", u64)]


class InverseMeetings(Struct):
    c_name = "brinkInverseMeetings"
    _fields_ = [("structSize", u32), ("reserved", u32), ("meetings", P(InverseMeeting)), ("count", size),
                ("intervals", P(InverseInterval)), ("intervalCount", size), ("pairs", u64), ("asked", u64),
                ("cells", u64)]


class InverseTable(Struct):
    c_name = "brinkInverseTable"
    _fields_ = [("structSize", u32), ("reserved", u32),
                ("contactIntervals", _call(P(InverseSceneDef), P(InverseQuery), P(InverseIntervals))),
                ("pointContacts", ptr), ("interference", ptr), ("sweepMembership", ptr),
                ("interferingSolid", _call(P(InverseSceneDef), P(InverseQuery), P(InverseSolid))),
                ("innerPaths", _call(P(InverseSceneDef), P(InverseQuery), f64, P(InversePaths))),
                ("allContactIntervals", _call(P(InverseAssemblyDef), P(InverseQuery), P(InverseMeetings)))]


# ---- brink/robot.h
class RobotJointDef(Struct):
    c_name = "brinkRobotJointDef"
    _fields_ = [("structSize", u32), ("type", u32), ("flags", u32), ("parent", u32), ("child", u32), ("mimic", u32),
                ("name", text), ("origin", Pose), ("axis", Vec3), ("pitch", f64), ("lower", f64 * 3), ("upper", f64 * 3),
                ("multiplier", f64), ("offset", f64)]


class RobotLinkDef(Struct):
    c_name = "brinkRobotLinkDef"
    _fields_ = [("structSize", u32), ("reserved", u32), ("name", text), ("padding", f64)]


class RobotShape(Struct):
    c_name = "brinkRobotShape"
    _fields_ = [("link", u32), ("reserved", u32), ("shape", u64), ("pose", Pose)]


class RobotLinkPair(Struct):
    c_name = "brinkRobotLinkPair"
    _fields_ = [("a", u32), ("b", u32)]


class RobotDef(Struct):
    c_name = "brinkRobotDef"
    _fields_ = [("structSize", u32), ("flags", u32), ("base", Pose), ("links", P(RobotLinkDef)),
                ("joints", P(RobotJointDef)), ("shapes", P(RobotShape)), ("allowed", P(RobotLinkPair)),
                ("linkCount", size), ("jointCount", size), ("shapeCount", size), ("allowedCount", size),
                ("categoryBits", u64), ("collideBits", u64)]


class RobotInfo(Struct):
    c_name = "brinkRobotInfo"
    _fields_ = [("structSize", u32), ("root", u32), ("linkCount", size), ("jointCount", size), ("shapeCount", size),
                ("objectCount", size), ("valueCount", size)]


class RobotObjectDef(Struct):
    c_name = "brinkRobotObjectDef"
    _fields_ = [("structSize", u32), ("link", u32), ("shape", u64), ("pose", Pose), ("touching", P(u32)),
                ("touchingCount", size)]


class EdgeQuery(Struct):
    c_name = "brinkEdgeQuery"
    _fields_ = [("structSize", u32), ("flags", u32), ("clearance", f64), ("tolerance", f64), ("maxIterations", u64)]


class RobotContact(Struct):
    c_name = "brinkRobotContact"
    _fields_ = [("state", u32), ("linkA", u32), ("linkB", u32), ("objectA", u32), ("objectB", u32), ("reserved", u32),
                ("obstacle", u64), ("toi", f64), ("toiUpper", f64), ("distance", f64), ("pointA", Vec3),
                ("pointB", Vec3), ("normal", Vec3)]


class EdgeAnswer(Struct):
    c_name = "brinkEdgeAnswer"
    _fields_ = [("structSize", u32), ("state", u32), ("segment", u32), ("reserved", u32), ("toi", f64),
                ("toiUpper", f64), ("lastValid", P(f64)), ("first", RobotContact), ("contacts", P(RobotContact)),
                ("contactCount", size), ("pairs", u64), ("distances", u64), ("iterations", u64)]


class EdgeResult(Struct):
    c_name = "brinkEdgeResult"
    _fields_ = [("state", u32), ("linkA", u32), ("linkB", u32), ("reserved", u32), ("obstacle", u64), ("toi", f64),
                ("toiUpper", f64)]


class RobotClearance(Struct):
    c_name = "brinkRobotClearance"
    _fields_ = [("structSize", u32), ("linkA", u32), ("linkB", u32), ("settled", u32), ("obstacle", u64),
                ("lower", f64), ("upper", f64), ("time", f64), ("pointA", Vec3), ("pointB", Vec3)]


class RobotTable(Struct):
    c_name = "brinkRobotTable"
    _fields_ = [
        ("structSize", u32), ("reserved", u32), ("create", _call(P(RobotDef), P(ptr))), ("destroy", _call()),
        ("info", _call(P(RobotInfo))), ("joint", ptr), ("linkName", ptr), ("setAllowed", _call(u32, u32, c.c_int)),
        ("setAllowedObstacle", _call(u32, u64, c.c_int)), ("setPadding", _call(u32, f64)),
        ("attach", _call(P(RobotObjectDef), P(u32))), ("detach", _call(u32, P(f64), P(Pose))),
        ("poses", _call(P(f64), P(Pose))), ("between", _call(P(f64), P(f64), f64, u32, P(f64))),
        ("checkLimits", _call(P(f64))), ("createView", _call(P(ptr))), ("destroyView", _call()),
        ("viewError", c.CFUNCTYPE(text, ptr)), ("edge", _call(P(f64), P(f64), P(EdgeQuery), P(EdgeAnswer))),
        ("configuration", _call(P(f64), P(EdgeQuery), P(EdgeAnswer))),
        ("polyline", _call(P(f64), size, P(EdgeQuery), P(EdgeAnswer))),
        ("spline", _call(P(f64), P(f64), size, P(EdgeQuery), P(EdgeAnswer))),
        ("clearance", _call(P(f64), P(f64), u32, f64, P(RobotClearance))),
        ("edges", _call(P(f64), P(f64), size, P(EdgeQuery), u32, P(EdgeResult))),
        ("createPointCloud", _call(P(f64), size, f64, P(u64))), ("tests", ptr)]


HEADERS = ("brink/ccd.h", "brink/cook.h", "brink/clearance.h", "brink/tolerance.h", "brink/inverse_path.h",
           "brink/robot.h")


def all_structs():
    """All classes that stand for a struct of the headers, in the order of this file."""
    return [v for v in globals().values() if isinstance(v, type) and issubclass(v, Struct) and v.c_name]
