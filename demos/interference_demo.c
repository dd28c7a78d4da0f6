/* SPDX-License-Identifier: BSD-3-Clause */
/* A cylinder turns by 80 degrees about two axes, grows and shrinks, and passes two posts. One picture: four moments,
 * the faces that meet the other body coloured by when they first do; below, the motion's proven contact intervals and
 * how many faces are in contact. One page (no libraries, opens from a file): the same, to drag through. The paper's
 * three other examples get a picture each: two cubes, two parts of rational patches (answered as patches, drawn as
 * triangles), an open surface against a solid. Units: m; step time in [0,1]; world z up. */
#include "interference_demo.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brink/interference_assets.h"
#include "brink/inverse_path.h"
#include "render.h"
#include "exhibit.h"

#define STILLS 4
#define BINS 10 /* colours of the picture; the last one: does not interfere */
#define LIFT 1.2
#define MOST_INTERVALS 8
#define PLOT 808
#define SPACING 0.06 /* m, of sample points */

typedef struct subsetTimes {
  double *faces;                               /* [triangleCount][2] */
  size_t meeting, points, asked, inside[PLOT]; /* sample points inside the other body at each time of the plot */
  double spacing;
} subsetTimes;

typedef struct exhibit {
  const brinkPlugin *api;
  const brinkInverseTable *table;
  brinkWorld *world;
  brinkMotionExample example; /* meshes of patches: their triangles, once answered */
  brinkInversePatch *patches[2];
  brinkInverseFactorDef keys;
  brinkInverseSceneDef scene;
  brinkInverseInterval intervals[MOST_INTERVALS];
  size_t intervalCount;
  double open;
  subsetTimes subset[2];
} exhibit;

/* ---- asking */

static bool makeBody(exhibit *self, int body, brinkInverseBodyDef *out) {
  const brinkMotionExample *e = &self->example;
  *out = (brinkInverseBodyDef){.structSize = sizeof *out, .kind = brink_inverseMesh};
  if (e->patchCount[body] == 0) {
    out->mesh = brinkViewMesh(&e->mesh[body], e->flags[body]);
    return true;
  }
  brinkInversePatch *patches = malloc(e->patchCount[body] * sizeof *patches);
  if (!patches) return false;
  for (size_t i = 0; i < e->patchCount[body]; i++) patches[i] = (brinkInversePatch){4, 4, e->patches[body] + 64 * i};
  self->patches[body] = patches;
  out->kind = brink_inversePatches;
  out->mesh = (brinkMeshView){.structSize = sizeof out->mesh, .flags = e->flags[body]};
  out->patches = patches;
  out->patchCount = e->patchCount[body];
  out->patchError = e->patchError;
  return true;
}

static bool makeScene(exhibit *self) {
  const brinkMotionExample *e = &self->example;
  self->keys = (brinkInverseFactorDef){.structSize = sizeof self->keys,
                                       .kind = brink_inverseKeys,
                                       .blend = brink_inversePolar,
                                       .matrices = e->keys,
                                       .times = e->times,
                                       .count = e->keyCount};
  self->scene.structSize = sizeof self->scene;
  self->scene.motionA.structSize = sizeof self->scene.motionA;
  self->scene.motionB =
      (brinkInverseMotionDef){.structSize = sizeof self->scene.motionB, .factors = &self->keys, .factorCount = 1};
  return makeBody(self, 0, &self->scene.a) && makeBody(self, 1, &self->scene.b);
}

/* What patches are drawn as: the triangles that the answer is told on. */
static bool keepTriangles(brinkMesh *mesh, const brinkInverseSubset *answer) {
  if (mesh->triangleCount > 0) return true;
  mesh->vertices = malloc(3 * answer->vertexCount * sizeof(double));
  mesh->indices = malloc(3 * answer->triangleCount * sizeof(uint32_t));
  if (!mesh->vertices || !mesh->indices) return false;
  memcpy(mesh->vertices, answer->vertices, 3 * answer->vertexCount * sizeof(double));
  memcpy(mesh->indices, answer->triangles, 3 * answer->triangleCount * sizeof(uint32_t));
  mesh->vertexCount = answer->vertexCount;
  mesh->triangleCount = answer->triangleCount;
  return true;
}

/* Of patches the subset of their triangulation, which is what is drawn; the intervals are those of the patches. */
static brinkStatus askSubset(exhibit *self, int body) {
  brinkInverseSubset answer = {.structSize = sizeof answer};
  const brinkInverseQuery query = {
      .structSize = sizeof query,
      .flags = (body == 0 ? BRINK_INVERSE_SWAP : BRINK_INVERSE_SAMPLE_B) | BRINK_INVERSE_TRIANGLES,
      .tEnd = 1.0,
      .timeTolerance = 1e-8,
      .spacing = SPACING};
  brinkStatus status = self->table->interference(self->world, &self->scene, &query, &answer);
  if (status != brink_ok) return status;
  subsetTimes *times = &self->subset[body];
  if (!keepTriangles(&self->example.mesh[body], &answer)) return brink_errorNoMemory;
  size_t count = self->example.mesh[body].triangleCount;
  times->faces = malloc(2 * count * sizeof(double));
  if (!times->faces) return brink_errorNoMemory;
  for (size_t i = 0; i < count; i++) {
    times->faces[2 * i] = 2.0;
    times->faces[2 * i + 1] = -1.0;
  }
  for (size_t i = 0; i < answer.faceCount; i++) {
    times->faces[2 * answer.faces[i].triangle] = answer.faces[i].entryUpper;
    times->faces[2 * answer.faces[i].triangle + 1] = answer.faces[i].exitLower;
  }
  for (size_t i = 0; i < answer.intervalCount; i++)
    for (size_t k = 0; k < PLOT; k++) {
      double t = ((double)k + 0.5) / PLOT;
      times->inside[k] += answer.intervals[i].startUpper <= t && t <= answer.intervals[i].endLower ? 1u : 0u;
    }
  times->meeting = answer.faceCount;
  times->points = answer.pointCount;
  times->asked = answer.asked;
  times->spacing = answer.spacing;
  return brink_ok;
}

static brinkStatus askAll(exhibit *self) {
  brinkInverseIntervals answer = {.structSize = sizeof answer};
  const brinkInverseQuery query = {.structSize = sizeof query, .tEnd = 1.0};
  brinkStatus status = self->table->contactIntervals(self->world, &self->scene, &query, &answer);
  if (status != brink_ok) return status;
  self->intervalCount = answer.count < MOST_INTERVALS ? answer.count : MOST_INTERVALS;
  memcpy(self->intervals, answer.intervals, self->intervalCount * sizeof self->intervals[0]);
  self->open = answer.openTotal;
  for (int body = 0; body < 2 && status == brink_ok; body++) status = askSubset(self, body);
  return status;
}

/* ---- the picture */

static const uint8_t white[3] = {252, 252, 252}, ink[3] = {30, 36, 44}, grey[3] = {150, 158, 168},
                     green[3] = {168, 214, 170}, red[3] = {214, 96, 80};

static void placeBody(const exhibit *self, int body, size_t key, double *out) {
  const brinkMesh *mesh = &self->example.mesh[body];
  const double *m = self->example.keys + 16 * key;
  for (size_t i = 0; i < mesh->vertexCount; i++)
    for (int r = 0; r < 3; r++) {
      const double *x = mesh->vertices + 3 * i;
      out[3 * i + r] = body == 0 ? x[r] : m[4 * r] * x[0] + m[4 * r + 1] * x[1] + m[4 * r + 2] * x[2] + m[4 * r + 3];
    }
}

/* The faces of one colour as a mesh of its own over shared vertices. indices: [3 triangleCount]. */
static void pickFaces(const exhibit *self, int body, int bin, double *vertices, uint32_t *indices, brinkMesh *out) {
  const brinkMesh *mesh = &self->example.mesh[body];
  *out = (brinkMesh){.vertices = vertices, .vertexCount = mesh->vertexCount, .indices = indices};
  for (size_t i = 0; i < mesh->triangleCount; i++) {
    double entry = self->subset[body].faces[2 * i];
    int mine = entry > 1.0 ? BINS - 1 : (int)fmin(BINS - 2, floor(entry * (BINS - 1)));
    if (mine != bin) continue;
    memcpy(indices + 3 * out->triangleCount, mesh->indices + 3 * i, 3 * sizeof(uint32_t));
    out->triangleCount += 1;
  }
}

static size_t addItems(const exhibit *self, int body, double *vertices, uint32_t *indices, brinkMesh *meshes,
                       renderItem *items) {
  size_t count = 0;
  for (int bin = 0; bin < BINS; bin++) {
    pickFaces(self, body, bin, vertices, indices, &meshes[count]);
    if (meshes[count].triangleCount == 0) continue;
    indices += 3 * meshes[count].triangleCount;
    unsigned char color[3];
    brinkEntryColor(bin == BINS - 1 ? 2.0 : (bin + 0.5) / (BINS - 1), color);
    items[count] =
        (renderItem){.mesh = &meshes[count], .position = {0, 0, LIFT}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int k = 0; k < 3; k++) items[count].color[k] = (float)color[k] / 255.0f;
    count++;
  }
  return count;
}

static bool drawStill(exhibit *self, renderer *painter, size_t key, renderImage *image) {
  brinkMesh meshes[2 * BINS];
  renderItem items[2 * BINS];
  double *vertices[2] = {NULL, NULL};
  uint32_t *indices[2] = {NULL, NULL};
  size_t count = 0;
  bool good = true;
  for (int body = 0; body < 2; body++) {
    const brinkMesh *mesh = &self->example.mesh[body];
    vertices[body] = malloc(3 * mesh->vertexCount * sizeof(double));
    indices[body] = malloc(3 * mesh->triangleCount * sizeof(uint32_t));
    good = good && vertices[body] && indices[body];
    if (!good) continue;
    placeBody(self, body, key, vertices[body]);
    count += addItems(self, body, vertices[body], indices[body], meshes + count, items + count);
  }
  const renderCamera camera = {.eye = {-1.0, -4.2, LIFT + 1.7}, .target = {0, 0, LIFT + 0.1}, .fieldOfView = 0.55};
  good = good && renderer_Draw(painter, &camera, items, count, image);
  for (int body = 0; body < 2; body++) {
    free(vertices[body]);
    free(indices[body]);
  }
  if (!good) return false;
  char text[64];
  double t = self->example.times[key];
  bool touching = false;
  for (size_t i = 0; i < self->intervalCount; i++)
    touching = touching || (t >= self->intervals[i].startUpper && t <= self->intervals[i].endLower);
  snprintf(text, sizeof text, "t = %.3f: %s", t, touching ? "in contact" : "free");
  renderImage_Rectangle(image, 6, 6, renderTextWidth(2, text) + 12, 24, white, 0.8);
  renderImage_Text(image, 12, 11, 2, touching ? red : ink, text);
  return true;
}

static void drawPlot(const exhibit *self, renderImage *image, int left, int top, int width, int height) {
  renderImage_Rectangle(image, left, top, width, height, white, 1.0);
  renderImage_Rectangle(image, left, top, width, 34, green, 1.0);
  for (size_t i = 0; i < self->intervalCount; i++) {
    const brinkInverseInterval *one = &self->intervals[i];
    int x0 = left + (int)(width * one->startLower), x1 = left + (int)(width * one->endUpper);
    renderImage_Rectangle(image, x0, top, x1 - x0 + 1, 34, red, 1.0);
    char text[96];
    snprintf(text, sizeof text, "%.9f to %.9f", one->startUpper, one->endLower);
    renderImage_Text(image, x0 + 8, top + 10, 2, ink, text);
  }
  for (int x = 0; x < width; x++) {
    double t = (x + 0.5) / width;
    unsigned char color[3];
    brinkEntryColor(t, color);
    const subsetTimes *times = &self->subset[1];
    int high =
        (int)(2.0 * (height - 60) * (double)times->inside[(size_t)x * PLOT / (size_t)width] / (double)times->asked);
    renderImage_Rectangle(image, left + x, top + height - 16 - high, 1, high, ink, 0.75);
    renderImage_Rectangle(image, left + x, top + height - 14, 1, 14, color, 1.0);
  }
}

static bool drawPicture(exhibit *self, const char *path, const char *title, const char *verdict, char *message,
                        size_t capacity) {
  enum { width = 1640, height = 830, stillWidth = 400, stillHeight = 330 };
  renderImage image = {0}, one = {0};
  renderer *painter = renderer_Create(stillWidth, stillHeight);
  bool good = painter && renderImage_Make(&image, width, height, white) &&
              renderImage_Make(&one, stillWidth, stillHeight, grey);
  if (!good) snprintf(message, capacity, "no memory for pictures");
  size_t last = self->example.keyCount - 1;
  const size_t keys[STILLS] = {last / 6, last * 7 / 24, last / 2, last * 17 / 24};
  for (int i = 0; good && i < STILLS; i++) {
    good = drawStill(self, painter, keys[i], &one);
    if (!good) snprintf(message, capacity, "a still could not be drawn");
    if (good) renderImage_Paste(&image, 10 + i * (stillWidth + 6), 84, &one);
  }
  if (good) {
    renderImage_Text(&image, 12, 16, 3, ink, title);
    renderImage_Text(&image, 12, 54, 2, ink, verdict);
    renderImage_Text(&image, 12, 430, 2, ink,
                     "Faces that meet the other body are coloured by when they first do (scale at the bottom); grey "
                     "ones never do, proven.");
    renderImage_Text(&image, 12, 456, 2, ink,
                     "Bar: free (green) and in contact (red), proven for every t. Below: how much of the moving "
                     "body's surface is inside the other.");
    drawPlot(self, &image, 12, 486, width - 24, 300);
    renderImage_Text(&image, 12, 796, 2, ink, "t = 0");
    renderImage_Text(&image, width - 80, 796, 2, ink, "t = 1");
    good = renderImage_WritePng(&image, path, message, capacity);
  }
  renderImage_Free(&one);
  renderImage_Free(&image);
  renderer_Destroy(painter);
  return good;
}

/* ---- the page */

static const char pageHead[] = EXHIBIT_PAGE_HEAD(DEMO_INTERFERENCE_TITLE, "input{width:100%}");

static const char pageBody[] =
    "<canvas id=\"view\" width=\"1000\" height=\"520\"></canvas>\n"
    "<input id=\"time\" type=\"range\" min=\"0\" max=\"1000\" value=\"0\">\n<canvas id=\"plot\" width=\"1000\" "
    "height=\"60\"></canvas>\n"
    "<p>Drag the view to turn it. Faces take colour once they have met the other body: violet early, yellow late; red "
    "while "
    "between their first and last touch. Bar: green is proven free, red is proven contact. Between the motion's keys "
    "the picture goes "
    "straight; the answers do not.</p>\n<script>\n" EXHIBIT_PAGE_PARTS
    "let yaw=-1.9,pitch=.4,playing=true;\n"
    "const ramp=[[68,1,84],[65,68,135],[42,120,142],[34,168,132],[122,209,81],[253,231,37]];\n"
    "const hue=t=>{const i=Math.min(4,Math.floor(5*t)),s=5*t-i;return ramp[i].map((x,k)=>x+s*(ramp[i+1][k]-x));};\n"
    "const at=t=>{const n=show.keys.length-1,i=Math.min(n-1,Math.floor(t*n)),s=t*n-i;return "
    "show.keys[i].map((x,k)=>x+s*(show.keys[i+1][k]-x));};\n"
    "const move=(m,p)=>[0,1,2].map(r=>m[4*r]*p[0]+m[4*r+1]*p[1]+m[4*r+2]*p[2]+m[4*r+3]);\n"
    "function draw(t){const "
    "g=view.getContext('2d'),cy=Math.cos(yaw),sy=Math.sin(yaw),cp=Math.cos(pitch),sp=Math.sin(pitch),m=at(t);\n"
    "const look=p=>{const x=p[0],y=p[1],z=p[2];const r=-x*sy+y*cy,f=-(x*cy+y*sy),u=z*cp+f*sp,d=4.8+f*cp-z*sp;"
    "return [500+900*r/d,260-900*u/d,d];};\n"
    "const W=1000,H=520,image=g.createImageData(W,H),deep=new Float32Array(W*H),out=new "
    "Uint32Array(image.data.buffer);\n"
    "out.fill(0xfff4f1ee);show.bodies.forEach((b,n)=>{const "
    "v=n?b.vertices.map(p=>move(m,p)):b.vertices;b.triangles.forEach((f,k)=>{"
    "const "
    "[a,c,e]=f.map(i=>v[i]),u=c.map((x,i)=>x-a[i]),w=e.map((x,i)=>x-a[i]),o=[u[1]*w[2]-u[2]*w[1],u[2]*w[0]-u[0]*w[2],"
    "u[0]*w[1]-u[1]*w[0]],l=Math.hypot(...o)||1,s=.62+.38*Math.abs(o[0]*-.3+o[1]*-.5+o[2]*.8)/"
    "l,q=[a,c,e].map(look),h=b.times[k];\n"
    "const "
    "base=h&&t>=h[0]?(t<=h[1]?[225,70,50]:hue(h[0])):n?[205,180,140]:[170,178,188],k3=base.map(x=>Math.round(x*s)),"
    "ink=0xff000000|k3[2]<<16|k3[1]<<8|k3[0];\n"
    "const "
    "z=(p,q,x,y)=>(q[0]-p[0])*(y-p[1])-(q[1]-p[1])*(x-p[0]),A=q[0],B=q[1],C=q[2],S=z(A,B,C[0],C[1]);if(S===0)return;"
    "const x0=Math.max(0,Math.ceil(Math.min(A[0],B[0],C[0]))),x1=Math.min(W-1,Math.floor(Math.max(A[0],B[0],C[0]))),"
    "y0=Math.max(0,Math.ceil(Math.min(A[1],B[1],C[1]))),y1=Math.min(H-1,Math.floor(Math.max(A[1],B[1],C[1])));\n"
    "for(let y=y0;y<=y1;y++)for(let x=x0;x<=x1;x++){const "
    "i=z(B,C,x,y)/S,j=z(C,A,x,y)/S,o2=1-i-j;if(i<0||j<0||o2<0)continue;"
    "const d=i/A[2]+j/B[2]+o2/C[2],at=y*W+x;if(d>deep[at]){deep[at]=d;out[at]=ink;}}});});g.putImageData(image,0,0);\n"
    "const h=plot.getContext('2d');h.fillStyle='#a8d6aa';h.fillRect(0,0,1000,60);h.fillStyle='#d66050';"
    "for(const [a,b] of "
    "show.intervals)h.fillRect(1000*a,0,1000*(b-a),60);h.fillStyle='#111';h.fillRect(1000*t-1,0,2,60);}\n"
    "const now=()=>slider.value/1000;\n" EXHIBIT_PAGE_END;

static void writeBody(FILE *file, const exhibit *self, int body) {
  const brinkMesh *mesh = &self->example.mesh[body];
  fprintf(file, "{vertices:[");
  for (size_t i = 0; i < mesh->vertexCount; i++)
    fprintf(file, "[%.7g,%.7g,%.7g],", mesh->vertices[3 * i], mesh->vertices[3 * i + 1], mesh->vertices[3 * i + 2]);
  fprintf(file, "],triangles:[");
  for (size_t i = 0; i < mesh->triangleCount; i++)
    fprintf(file, "[%u,%u,%u],", mesh->indices[3 * i], mesh->indices[3 * i + 1], mesh->indices[3 * i + 2]);
  fprintf(file, "],times:[");
  for (size_t i = 0; i < mesh->triangleCount; i++) {
    const double *t = self->subset[body].faces + 2 * i;
    if (t[0] <= 1.0)
      fprintf(file, "[%.9g,%.9g],", t[0], t[1]);
    else
      fprintf(file, "0,");
  }
  fprintf(file, "]},\n");
}

static bool writePage(const exhibit *self, const char *path, const char *verdict, char *message, size_t capacity) {
  FILE *file = fopen(path, "w");
  if (!file) {
    snprintf(message, capacity, "cannot write %s: %s", path, strerror(errno));
    return false;
  }
  fprintf(file, "%s<p>%s</p>\n<script>const show={intervals:[", pageHead, verdict);
  for (size_t i = 0; i < self->intervalCount; i++)
    fprintf(file, "[%.17g,%.17g],", self->intervals[i].startUpper, self->intervals[i].endLower);
  fprintf(file, "],keys:[");
  for (size_t i = 0; i < self->example.keyCount; i++) {
    fprintf(file, "[");
    for (int k = 0; k < 12; k++) fprintf(file, "%.9g,", self->example.keys[16 * i + (size_t)k]);
    fprintf(file, "],");
  }
  fprintf(file, "],bodies:[\n");
  for (int body = 0; body < 2; body++) writeBody(file, self, body);
  fprintf(file, "]};</script>\n%s", pageBody);
  if (fclose(file) == 0) return true;
  snprintf(message, capacity, "%s could not be written whole; is the disk full?", path);
  return false;
}

/* ---- the run */

static bool judge(const exhibit *self, size_t expected, char *out, size_t capacity) {
  bool good = self->intervalCount == expected && self->subset[0].meeting > 0 && self->subset[1].meeting > 0;
  for (size_t i = 0; i < self->intervalCount; i++)
    good = good && (self->intervals[i].flags & BRINK_INVERSE_PROVEN) != 0u &&
           self->intervals[i].startUpper - self->intervals[i].startLower <= 1e-9 &&
           self->intervals[i].endUpper - self->intervals[i].endLower <= 1e-9;
  snprintf(
      out, capacity,
      "%s: %zu contact interval%s and no other%s, ends within 1e-9; %zu of %zu faces of the moving body, %zu of %zu "
      "of the other meet.",
      good ? "Proven" : "NOT PROVEN", self->intervalCount, self->intervalCount == 1 ? "" : "s",
      self->intervalCount == 1 ? "" : "s", self->subset[1].meeting, self->example.mesh[1].triangleCount,
      self->subset[0].meeting, self->example.mesh[0].triangleCount);
  return good;
}

typedef struct showing {
  const char *example, *picture, *title;
  size_t intervals; /* that its motion has */
  bool page;
} showing;

static const showing showings[BRINK_MOTION_EXAMPLES] = {
    {"cylinder", "interference", DEMO_INTERFERENCE_TITLE, 2, true},
    {"cubes", "cubes", "Two cubes, one on a curve, turning about two axes", 1, false},
    {"parts", "parts", "Two parts of 850 and 240 rational patches", 1, false},
    {"scans", "scans", "An open surface of 2,900 triangles against a solid of 2,700", 1, false}};

static int runExhibit(exhibit *self, const showing *what, const char *folder) {
  char path[1200], message[1600] = "", verdict[512];
  if (!makeScene(self)) {
    fprintf(stderr, "brink-demo: no memory\n");
    return 2;
  }
  if (askAll(self) != brink_ok) {
    fprintf(stderr, "brink-demo: %s: %s\n", what->example, self->api->lastError(self->world));
    return 2;
  }
  bool good = judge(self, what->intervals, verdict, sizeof verdict);
  snprintf(path, sizeof path, "%s/%s.png", folder, what->picture);
  bool written = drawPicture(self, path, what->title, verdict, message, sizeof message);
  snprintf(path, sizeof path, "%s/%s.html", folder, what->picture);
  written = written && (!what->page || writePage(self, path, verdict, message, sizeof message));
  if (!written) fprintf(stderr, "brink-demo: %s\n", message);
  printf("%s\n  %s\n", what->title, verdict);
  for (int body = 0; body < 2; body++)
    printf("  %-18s %zu of %zu sample points meet (every boundary point within %.3g m of one)\n",
           body == 0 ? "resting body:" : "moving body:", self->subset[body].points, self->subset[body].asked,
           self->subset[body].spacing);
  return !written ? 2 : good ? 0 : 1;
}

static int showExample(const exhibit *host, const showing *what, const char *folder) {
  exhibit *self = calloc(1, sizeof *self);
  char message[512] = "no memory";
  int result = 2;
  if (self) self->api = host->api, self->table = host->table, self->world = host->world;
  if (self && brinkMakeMotionExample(what->example, &self->example, message, sizeof message) == brink_ok)
    result = runExhibit(self, what, folder);
  else
    fprintf(stderr, "brink-demo: %s\n", message);
  for (int body = 0; self && body < 2; body++) {
    free(self->subset[body].faces);
    free(self->patches[body]);
  }
  if (self) brinkFreeMotionExample(&self->example);
  free(self);
  return result;
}

/* demoShow */
static int show(void *user, const brinkPlugin *api, const void *table, brinkWorld *world, const char *folder) {
  (void)user;
  const exhibit host = {.api = api, .table = table, .world = world};
  int worst = 0;
  for (int i = 0; i < BRINK_MOTION_EXAMPLES; i++) {
    int result = showExample(&host, &showings[i], folder);
    worst = result > worst ? result : worst;
  }
  printf("  files: %s/\n", folder);
  return worst;
}

const demoExhibitDef demoInterference = {"interference", DEMO_INTERFERENCE_TITLE, BRINK_INVERSE_PATH_NAME, show, 0};
