/* SPDX-License-Identifier: BSD-3-Clause */
/* Replays in the two text formats of `brink replay`, 17 significant digits, in any locale: see replay_writer.h. */
#include "replay_writer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "message.h"

enum { maxPath = 1024 };

static void fail(brinkReplayWriter *writer, brinkStatus status) {
  if (writer->status == brink_ok) writer->status = status;
}

static bool makePath(brinkReplayWriter *writer, char path[maxPath], const char *folder, const char *name,
                     const char *suffix) {
  const int length = snprintf(path, maxPath, "%s%s/%s%s", writer->directory, folder, name, suffix);
  if (length > 0 && length < maxPath) return true;
  brinkSay(writer->message, writer->messageCapacity, "%s: the path of the folder is too long", writer->directory);
  fail(writer, brink_errorRange);
  return false;
}

static void makeFolder(brinkReplayWriter *writer, const char *path) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST) return;
  brinkSay(writer->message, writer->messageCapacity, "%s: cannot make the folder: %s", path, strerror(errno));
  fail(writer, brink_errorIo);
}

static void openText(brinkReplayWriter *writer, brinkReplacement *replacement, const char *suffix) {
  char path[maxPath];
  if (writer->status != brink_ok || !makePath(writer, path, "", writer->name, suffix)) return;
  fail(writer, brinkReplacement_Begin(replacement, path, writer->message, writer->messageCapacity));
}

void brinkReplayWriter_Begin(brinkReplayWriter *writer, const char *directory, const char *name, char *message,
                             size_t messageCapacity) {
  *writer =
      (brinkReplayWriter){.directory = directory, .name = name, .message = message, .messageCapacity = messageCapacity};
  makeFolder(writer, directory);
  char path[maxPath];
  if (writer->status == brink_ok && makePath(writer, path, "", "meshes", "")) makeFolder(writer, path);
  openText(writer, &writer->scene, ".scene");
  openText(writer, &writer->motion, ".motion");
  if (writer->status != brink_ok) return;
  fprintf(writer->scene.file, "# object FILE fixed|moving MODEL LINK PARENT  px py pz qw qx qy qz\n");
  fprintf(writer->motion.file, "# frame object  p0 q0  p1 q1\n");
}

void brinkReplayWriter_Mesh(brinkReplayWriter *writer, const char *meshName, brinkMesh *mesh) {
  char path[maxPath];
  if (writer->status == brink_ok && makePath(writer, path, "/meshes", meshName, ".obj"))
    fail(writer, brinkWriteObj(path, mesh, writer->message, writer->messageCapacity));
  brinkFreeMesh(mesh);
}

static void printPose(FILE *file, brinkPose pose) {
  fprintf(file, " %.17g %.17g %.17g %.17g %.17g %.17g %.17g", pose.position.x, pose.position.y, pose.position.z,
          pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z);
}

static int addObject(brinkReplayWriter *writer, const char *meshName, const char *kind, int model, int link,
                     int parentLink, brinkPose pose) {
  if (writer->status != brink_ok) return 0;
  const brinkPlainLocale locale = brinkPlainLocale_Begin();
  fprintf(writer->scene.file, "object meshes/%s.obj %s %d %d %d ", meshName, kind, model, link, parentLink);
  printPose(writer->scene.file, pose);
  fputc('\n', writer->scene.file);
  brinkPlainLocale_End(locale);
  return writer->objectCount++;
}

int brinkReplayWriter_Moving(brinkReplayWriter *writer, const char *meshName, int model, int link, int parentLink) {
  return addObject(writer, meshName, "moving", model, link, parentLink, (brinkPose){{0, 0, 0}, {1, 0, 0, 0}});
}

int brinkReplayWriter_Fixed(brinkReplayWriter *writer, const char *meshName, brinkPose pose) {
  return addObject(writer, meshName, "fixed", -1, 0, -1, pose);
}

void brinkReplayWriter_Move(brinkReplayWriter *writer, int frame, int object, brinkPose start, brinkPose end) {
  if (writer->status != brink_ok) return;
  const brinkPlainLocale locale = brinkPlainLocale_Begin();
  fprintf(writer->motion.file, "%d %d ", frame, object);
  printPose(writer->motion.file, start);
  fputc(' ', writer->motion.file);
  printPose(writer->motion.file, end);
  fputc('\n', writer->motion.file);
  brinkPlainLocale_End(locale);
}

static void closeText(brinkReplayWriter *writer, brinkReplacement *replacement, const char *suffix) {
  char path[maxPath];
  if (replacement->file == NULL) return;
  const bool named = makePath(writer, path, "", writer->name, suffix);
  fail(writer, brinkReplacement_End(replacement, named ? path : "", named && writer->status == brink_ok,
                                    writer->message, writer->messageCapacity));
}

brinkStatus brinkReplayWriter_End(brinkReplayWriter *writer) {
  closeText(writer, &writer->scene, ".scene");
  closeText(writer, &writer->motion, ".motion");
  return writer->status;
}
