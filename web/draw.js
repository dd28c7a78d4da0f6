// SPDX-License-Identifier: BSD-3-Clause
// Draws the two lanes with WebGL 2: instanced balls, boxes and capsules, plates of glass, the hill, lines.
// Knows nothing of ODE or Brink. Frames: z up, m; quaternions (w,x,y,z); matrices column-major, as WebGL has them.
"use strict";

const Vec = {
  add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
  sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  scale: (a, s) => [a[0] * s, a[1] * s, a[2] * s],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  unit: (a) => Vec.scale(a, 1 / (Math.hypot(a[0], a[1], a[2]) || 1)),
};

// Orbits about a target. One camera serves both lanes.
class Camera {
  constructor() { this.look([0.5, 0, 1.4], -2.45, 0.3, 15); }
  look(target, yaw, pitch, distance) { Object.assign(this, { target, yaw, pitch, distance }); }
  turn(dx, dy) {
    this.yaw -= dx;
    this.pitch = Math.min(1.5, Math.max(-0.6, this.pitch + dy));
  }
  zoom(factor) { this.distance = Math.min(60, Math.max(3, this.distance * factor)); }
  get eye() {
    const c = Math.cos(this.pitch);
    return Vec.add(this.target, Vec.scale([c * Math.cos(this.yaw), c * Math.sin(this.yaw), Math.sin(this.pitch)],
      this.distance));
  }
  axes() {
    const ahead = Vec.unit(Vec.sub(this.target, this.eye)), right = Vec.unit(Vec.cross(ahead, [0, 0, 1]));
    return { ahead, right, up: Vec.cross(right, ahead) };
  }
  // A narrow lane sees as much across as a wide one.
  static slope(aspect) { return 0.42 * Math.max(1, 1.15 / aspect); }
  // Unit direction through a point of a lane; x, y in [-1, 1], y up.
  ray(x, y, aspect) {
    const { ahead, right, up } = this.axes(), slope = Camera.slope(aspect);
    return Vec.unit(Vec.add(ahead, Vec.add(Vec.scale(right, x * slope * aspect), Vec.scale(up, y * slope))));
  }
  matrix(aspect) {
    const { ahead, right, up } = this.axes(), eye = this.eye, near = 0.1, far = 200, f = 1 / Camera.slope(aspect);
    const view = [right[0], up[0], -ahead[0], 0, right[1], up[1], -ahead[1], 0, right[2], up[2], -ahead[2], 0,
      -Vec.dot(right, eye), -Vec.dot(up, eye), Vec.dot(ahead, eye), 1];
    const a = (far + near) / (near - far), b = 2 * far * near / (near - far), out = new Float32Array(16);
    for (let c = 0; c < 4; ++c) {
      out[4 * c] = view[4 * c] * f / aspect;
      out[4 * c + 1] = view[4 * c + 1] * f;
      out[4 * c + 2] = view[4 * c + 2] * a + view[4 * c + 3] * b;
      out[4 * c + 3] = -view[4 * c + 2];
    }
    return out;
  }
}

const BODY_VERTEX = `#version 300 es
uniform mat4 uView; uniform int uShape; uniform bool uShadow; uniform vec3 uLight;
layout(location=0) in vec4 aPoint; layout(location=1) in vec3 aNormal;
layout(location=2) in vec3 iPlace; layout(location=3) in vec4 iTurn; layout(location=4) in vec3 iSize;
layout(location=5) in vec4 iColor;
out vec3 vNormal; out vec4 vColor; out vec3 vWorld;
vec3 turn(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.yzw, v); return v + q.x * t + cross(q.yzw, t); }
void main() {
  vec3 local = uShape == 1 ? aPoint.xyz * iSize : aPoint.xyz * iSize.x;
  if (uShape == 2) local.z += aPoint.w * iSize.y;
  vec3 world = iPlace + turn(iTurn, local);
  vNormal = turn(iTurn, aNormal);
  vColor = iColor;
  if (uShadow) {
    if (iPlace.z < 0.0) world.z = -1e4;
    world -= uLight * ((world.z - 0.006) / uLight.z);
    vColor = vec4(0.0, 0.0, 0.0, 0.33);
  }
  vWorld = world;
  gl_Position = uView * vec4(world, 1.0);
}`;
const BODY_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 uLight, uEye; uniform int uStyle;
in vec3 vNormal; in vec4 vColor; in vec3 vWorld; out vec4 color;
void main() {
  if (uStyle == 1) { color = vec4(vColor.rgb * vColor.a, vColor.a); return; }
  vec3 n = uStyle == 3 ? normalize(cross(dFdx(vWorld), dFdy(vWorld))) : normalize(vNormal);
  vec3 base = vColor.rgb;
  if (uStyle == 2 || uStyle == 3) {
    vec2 cell = abs(fract(vWorld.xy * 0.5) - 0.5), width = fwidth(vWorld.xy * 0.5);
    float line = max(smoothstep(0.5 - 1.5 * width.x, 0.5, cell.x), smoothstep(0.5 - 1.5 * width.y, 0.5, cell.y));
    base *= 1.0 - (uStyle == 2 ? 0.22 : 0.10) * line;
  }
  float sun = max(dot(n, uLight), 0.0), sky = 0.5 + 0.5 * n.z;
  vec3 h = normalize(uLight + normalize(uEye - vWorld));
  float shine = uStyle == 0 ? 0.18 * pow(max(dot(n, h), 0.0), 32.0) : 0.0;
  vec3 lit = base * (0.26 + 0.26 * sky + 0.62 * sun) + shine;
  color = vec4(lit * vColor.a, vColor.a);
}`;
const LINE_VERTEX = `#version 300 es
uniform mat4 uView; layout(location=0) in vec3 aPoint; layout(location=1) in vec4 aColor; out vec4 vColor;
void main() { vColor = aColor; gl_Position = uView * vec4(aPoint, 1.0); gl_PointSize = 6.0; }`;
const LINE_FRAGMENT = `#version 300 es
precision mediump float; in vec4 vColor; out vec4 color;
void main() { color = vec4(vColor.rgb * vColor.a, vColor.a); }`;

const INSTANCE = 14; // floats: place 3, quaternion 4, size 3, colour 4
const LINE_END = 7;  // floats: place 3, colour 4
const LIGHT = Vec.unit([-0.45, -0.5, 0.85]);

function ballGeometry(capsule) {
  const rings = 6, around = 12, points = [], indices = [];
  for (let i = 0; i <= rings; ++i) {
    // A capsule's equator stands twice, once at each end of the straight part.
    for (const end of !capsule ? [0] : i * 2 < rings ? [1] : i * 2 > rings ? [-1] : [1, -1]) {
      const a = Math.PI * i / rings;
      for (let j = 0; j <= around; ++j) {
        const b = 2 * Math.PI * j / around, n = [Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a)];
        points.push(...n, end, ...n);
      }
    }
  }
  const rows = points.length / 7 / (around + 1);
  for (let i = 0; i + 1 < rows; ++i)
    for (let j = 0; j < around; ++j) {
      const a = i * (around + 1) + j, b = a + around + 1;
      indices.push(a, b, a + 1, a + 1, b, b + 1);
    }
  return { points, indices };
}

function boxGeometry() {
  const points = [], indices = [];
  for (let axis = 0; axis < 3; ++axis)
    for (const side of [-1, 1]) {
      const first = points.length / 7;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const p = [0, 0, 0], n = [0, 0, 0];
        p[axis] = 0.5 * side; p[(axis + 1) % 3] = 0.5 * u; p[(axis + 2) % 3] = 0.5 * v;
        n[axis] = side;
        points.push(...p, 0, ...n);
      }
      indices.push(...(side > 0 ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2]).map((k) => first + k));
    }
  return { points, indices };
}

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { antialias: !Painter.isSoftware(), alpha: false, stencil: true });
    if (!gl) throw new Error("This page needs WebGL 2, which this browser does not offer.");
    this.gl = gl;
    this.bodies = this.program(BODY_VERTEX, BODY_FRAGMENT);
    this.lines = this.program(LINE_VERTEX, LINE_FRAGMENT);
    this.shapes = [ballGeometry(false), boxGeometry(), ballGeometry(true)].map((g) => this.upload(g));
    this.lineArray = gl.createVertexArray();
    this.lineBuffer = gl.createBuffer();
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    this.attribute(0, 3, 28, 0);
    this.attribute(1, 4, 28, 12);
    gl.bindVertexArray(null);
    this.hill = null;
  }
  // Is the graphics card a program? Then every sample of a pixel counts.
  static isSoftware() {
    const gl = document.createElement("canvas").getContext("webgl2");
    const named = gl && gl.getExtension("WEBGL_debug_renderer_info");
    const name = named ? gl.getParameter(named.UNMASKED_RENDERER_WEBGL) : "";
    if (gl) gl.getExtension("WEBGL_lose_context")?.loseContext();
    return /swiftshader|llvmpipe|software|basic render/i.test(name);
  }
  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram(), uniforms = {};
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i) {
      const name = gl.getActiveUniform(program, i).name;
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }
  attribute(index, size, stride, offset, divisor = 0) {
    const gl = this.gl;
    gl.enableVertexAttribArray(index);
    gl.vertexAttribPointer(index, size, gl.FLOAT, false, stride, offset);
    gl.vertexAttribDivisor(index, divisor);
  }
  upload({ points, indices }) {
    const gl = this.gl, array = gl.createVertexArray(), instances = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.STATIC_DRAW);
    this.attribute(0, 4, 28, 0);
    this.attribute(1, 3, 28, 16);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(indices), gl.STATIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    [[2, 3, 0], [3, 4, 12], [4, 3, 28], [5, 4, 40]].forEach(([i, n, o]) => this.attribute(i, n, 4 * INSTANCE, o, 1));
    gl.bindVertexArray(null);
    return { array, instances, count: indices.length };
  }
  setHill(side, vertices) {
    this.hill = null;
    if (side === 0) return;
    const points = [], indices = [];
    for (let i = 0; i < side * side; ++i) points.push(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2], 0, 0, 0, 1);
    for (let j = 0; j + 1 < side; ++j)
      for (let i = 0; i + 1 < side; ++i) {
        const a = j * side + i, c = a + side;
        indices.push(a, a + 1, c + 1, a, c + 1, c);
      }
    this.hill = this.upload({ points, indices });
    this.hillInstance = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0.42, 0.5, 0.38, 1]);
  }
  resize(scale) {
    const ratio = Math.min(2, window.devicePixelRatio || 1) * scale, box = this.canvas.getBoundingClientRect();
    const width = Math.max(1, Math.round(box.width * ratio)), height = Math.max(1, Math.round(box.height * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
  }
  instanced(shape, data, count) {
    const gl = this.gl;
    gl.bindVertexArray(shape.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, shape.instances);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STREAM_DRAW);
    gl.drawElementsInstanced(gl.TRIANGLES, shape.count, gl.UNSIGNED_SHORT, 0, count);
  }
  // viewport: [x, y, width, height] in pixels of the canvas. lane: { bodies[shape], passedBodies[shape], lines, points },
  // rows as play.js fills them; plates: instances, the first of them the floor, or none.
  draw(viewport, camera, lane, plates) {
    const gl = this.gl, [x, y, width, height] = viewport, aspect = width / height, view = camera.matrix(aspect);
    gl.viewport(x, y, width, height);
    gl.scissor(x, y, width, height);
    gl.enable(gl.SCISSOR_TEST);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clearColor(0.075, 0.095, 0.125, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.disable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const u = this.bodies.uniforms;
    gl.useProgram(this.bodies.program);
    gl.uniformMatrix4fv(u.uView, false, view);
    gl.uniform3fv(u.uLight, LIGHT);
    gl.uniform3fv(u.uEye, camera.eye);
    gl.uniform1i(u.uShadow, 0);
    const each = (style, sets) => {
      gl.uniform1i(u.uStyle, style);
      sets.forEach((set, shape) => {
        if (set.count === 0) return;
        gl.uniform1i(u.uShape, shape);
        this.instanced(this.shapes[shape], set.filled, set.count);
      });
    };
    if (this.hill) {
      gl.uniform1i(u.uStyle, 3);
      gl.uniform1i(u.uShape, 0);
      this.instanced(this.hill, this.hillInstance, 1);
    }
    const floor = plates.subarray(0, INSTANCE), glass = plates.length / INSTANCE - 1;
    if (plates.length > 0) {
      gl.uniform1i(u.uStyle, 2);
      gl.uniform1i(u.uShape, 1);
      this.instanced(this.shapes[1], floor, 1);
    }
    each(0, lane.bodies);
    if (plates.length > 0) { // flat shadows, each pixel once
      gl.enable(gl.BLEND);
      gl.enable(gl.STENCIL_TEST);
      gl.stencilFunc(gl.EQUAL, 0, 255);
      gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
      gl.depthMask(false);
      gl.uniform1i(u.uShadow, 1);
      each(1, lane.bodies);
      gl.uniform1i(u.uShadow, 0);
      gl.disable(gl.STENCIL_TEST);
    }
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.depthFunc(gl.GREATER); // what went through shines through what hides it
    each(1, lane.passedBodies);
    gl.depthFunc(gl.LESS);
    if (glass > 0) {
      gl.uniform1i(u.uStyle, 0);
      gl.uniform1i(u.uShape, 1);
      this.instanced(this.shapes[1], plates.subarray(INSTANCE), glass);
    }
    gl.useProgram(this.lines.program);
    gl.uniformMatrix4fv(this.lines.uniforms.uView, false, view);
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    for (const [rows, mode] of [[lane.lines, gl.LINES], [lane.points, gl.POINTS]]) {
      if (rows.count === 0) continue;
      gl.bufferData(gl.ARRAY_BUFFER, rows.filled, gl.STREAM_DRAW);
      gl.drawArrays(mode, 0, rows.count);
    }
    gl.depthMask(true);
    gl.bindVertexArray(null);
  }
}
