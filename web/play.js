// SPDX-License-Identifier: BSD-3-Clause
// The page: input, time, counters, overlays. What happens in the worlds is world.c's; how it looks is draw.js's.
"use strict";

const KIND = { ball: 0, box: 1, ragdoll: 2, chain: 3, train: 4, blade: 5 };
const FIGURE = { through: 0, time: 1, solves: 2, impacts: 3, clamps: 4, lost: 5, refused: 6, jointError: 7, awake: 8 };
const SETTING = { step: 0, gravity: 1, watch: 2 };
const COLORS = [[0.98, 0.76, 0.22], [0.42, 0.66, 0.95], [0.88, 0.62, 0.46], [0.60, 0.82, 0.62], [0.80, 0.48, 0.86],
  [0.84, 0.88, 0.92]];
const PASSED = [1.0, 0.22, 0.18], PUSHED = [1, 0.5, 0.1], TOUCHED = [0.3, 1, 0.6], SWEPT = [0.35, 0.75, 1];
const ASKED = [1, 0.85, 0.3], HULLS = [1, 0.35, 0.75];
const NORMAL_LENGTH = 0.35; // m, to either side of a witness point
const STEP_LENGTHS = [1 / 240, 1 / 120, 1 / 60, 1 / 40, 1 / 30, 1 / 20];
const VIEWS = [[[1.2, 0, 1.3], -2.5, 0.27, 12], [[0, 0, 2.6], -2.1, 0.2, 14], [[0, 0, 0.9], -2.2, 0.42, 16]];
const MOST_STEPS = 4;      // a frame
const STEP_BUDGET = 12;    // ms a frame; what is not done in it is dropped: the worlds run slower, the page stays quick
const SLOW = 0.05;
const CLICK_PIXELS = 7;
const SHOW_THROWS = 8;     // thrown by the page itself until somebody touches it
const TRAIL_POSES = 30;    // of one body of each thing
const MARK_LIFE = 1.2;     // s
const GONE_BELOW = -25;    // m; no trails down there

const $ = (id) => document.getElementById(id);
const PART_FLOATS = 8, TABLE_FLOATS = 6;

// Rows of numbers that grow and never shrink: a frame makes no garbage of them.
class Rows {
  constructor(width) {
    this.width = width;
    this.data = new Float32Array(64 * width);
    this.count = 0;
  }
  // Where the next row goes.
  next() {
    const at = this.count++ * this.width;
    if (at + this.width > this.data.length) {
      const larger = new Float32Array(2 * this.data.length);
      larger.set(this.data);
      this.data = larger;
    }
    return at;
  }
  get filled() { return this.data.subarray(0, this.count * this.width); }
}

class Lane {
  constructor(index) {
    this.index = index;
    this.before = new Float32Array(0);
    this.now = new Float32Array(0);
    this.passed = new Uint8Array(0);
    this.trails = [];
    this.ms = 0;
    this.bodies = [0, 1, 2].map(() => new Rows(INSTANCE));     // of each shape
    this.passedBodies = [0, 1, 2].map(() => new Rows(INSTANCE));
    this.lines = new Rows(LINE_END); // two rows a line
    this.points = new Rows(LINE_END);
  }
}

class Playground {
  constructor(engine) {
    this.engine = engine;
    this.painter = new Painter($("view"));
    this.camera = new Camera();
    this.lanes = [new Lane(0), new Lane(1)];
    this.kind = KIND.ball;
    this.scene = 0;
    this.paused = false;
    this.slow = false;
    this.speed = 60;
    this.owed = 0;
    this.time = 0;
    this.touched = false;
    this.shown = 0;
    this.nextShow = 0.7;
    this.marks = [];
    this.swept = this.pairs = this.hulls = new Float32Array(0);
    this.pointers = new Map();
    this.gesture = null;
    this.frames = [];
    this.scale = Painter.isSoftware() ? 0.7 : 1; // of the pixels
    this.throws = 0;
    this.reset(0);
    this.listen();
    requestAnimationFrame((now) => this.frame(now));
  }

  // ---- the engine's buffers, copied: memory may grow and move

  floats(pointer, count) { return new Float32Array(this.engine.HEAPF32.buffer, pointer, count).slice(); }
  text(pointer) {
    const bytes = new Uint8Array(this.engine.HEAPF32.buffer);
    let end = pointer;
    while (bytes[end] !== 0) ++end;
    return new TextDecoder().decode(bytes.subarray(pointer, end));
  }
  figure(lane, name) { return this.engine._playFigureOf(lane, FIGURE[name]); }
  get partCount() { return this.engine._playPartCount(); }

  reset(scene) {
    const e = this.engine;
    if (!e._playReset(scene)) this.note("The scene cannot be built: " + this.text(e._playMessage()));
    if (scene !== this.scene || this.throws === 0) this.camera.look(...VIEWS[scene]);
    this.scene = scene;
    this.owed = 0;
    this.throws = 0;
    this.marks = [];
    this.swept = this.pairs = new Float32Array(0);
    this.hulls = this.floats(e._playHulls(), 6 * e._playHullCount());
    const statics = this.floats(e._playStatics(), 10 * e._playStaticCount());
    this.plates = new Float32Array(statics.length / 10 * INSTANCE);
    for (let i = 0; i * 10 < statics.length; ++i) {
      const row = statics.subarray(10 * i, 10 * i + 10);
      this.plates.set([...row.subarray(3, 10), ...row.subarray(0, 3), ...(i === 0 ? [0.40, 0.44, 0.50, 1]
        : [0.45, 0.72, 1.0, 0.30])], i * INSTANCE);
    }
    const side = e._playHillSide();
    this.painter.setHill(side, this.floats(e._playHillVertices(), 3 * side * side));
    for (const lane of this.lanes) lane.trails = [];
    this.table = new Float32Array(0);
    this.read();
    this.read(); // twice: nothing moves before the first step
  }

  read() {
    const e = this.engine, count = this.partCount;
    if (this.table.length !== TABLE_FLOATS * count) this.table = this.floats(e._playPartTable(), TABLE_FLOATS * count);
    for (const lane of this.lanes) {
      lane.before = lane.now;
      lane.now = this.floats(e._playPoses(lane.index), PART_FLOATS * count);
      if (lane.before.length !== lane.now.length) { // what is new has no pose before
        const grown = lane.now.slice();
        grown.set(lane.before.subarray(0, Math.min(lane.before.length, grown.length)));
        lane.before = grown;
      }
      lane.passed = new Uint8Array(e.HEAPF32.buffer, e._playPassed(lane.index), e._playThingCount()).slice();
    }
  }

  // ---- time

  step() {
    const e = this.engine;
    if (!e._playStep()) this.note("Brink refused a step: " + this.text(e._playMessage()));
    this.time += e._playGet(SETTING.step);
    this.read();
    for (const lane of this.lanes) lane.ms += 0.1 * (this.figure(lane.index, "time") - lane.ms);
    const marks = this.floats(e._playMarks(), 7 * e._playMarkCount());
    for (let i = 0; i < marks.length && this.marks.length < 400; i += 7)
      this.marks.push({ row: marks.subarray(i, i + 7), born: this.time });
    this.marks = this.marks.filter((mark) => this.time - mark.born < MARK_LIFE);
    this.swept = this.floats(e._playSwept(), 6 * e._playSweptCount());
    this.pairs = this.floats(e._playPairs(), 6 * e._playPairCount());
    if ($("trails").checked) this.keepTrails();
  }

  // One body of each thing leaves a trail: its first.
  keepTrails() {
    for (const lane of this.lanes)
      for (let i = 0, thing = -1; i < this.partCount; ++i) {
        if (this.table[TABLE_FLOATS * i + 4] === thing) continue;
        thing = this.table[TABLE_FLOATS * i + 4];
        const p = lane.now.subarray(PART_FLOATS * i, PART_FLOATS * i + PART_FLOATS);
        const trail = lane.trails[thing] || (lane.trails[thing] = { color: COLORS[this.table[TABLE_FLOATS * i + 5]], at: [] });
        const at = trail.at, last = at[at.length - 1];
        if (p[7] === 0 || p[2] < GONE_BELOW) { at.length = 0; continue; }
        if (last && Math.hypot(p[0] - last[0], p[1] - last[1], p[2] - last[2]) < 0.06) {
          if (at.length > 1) at.shift();
          continue;
        }
        at.push([p[0], p[1], p[2]]);
        if (at.length > TRAIL_POSES) at.shift();
      }
  }

  frame(now) {
    requestAnimationFrame((next) => this.frame(next));
    const began = performance.now(), passed = this.last === undefined ? 0 : now - this.last;
    this.last = now;
    if (!this.paused) {
      const length = this.engine._playGet(SETTING.step);
      this.owed += Math.min(passed, 100) / 1000 * (this.slow ? SLOW : 1);
      let steps = 0;
      while (this.owed >= length && steps < MOST_STEPS && performance.now() - began < STEP_BUDGET) {
        this.step();
        this.owed -= length;
        ++steps;
      }
      this.owed = Math.min(this.owed, length);
      this.show();
    }
    this.paint();
    const work = performance.now() - began;
    this.frames.push({ passed, work });
    if (this.frames.length > 120) this.frames.shift();
    if (this.frames.length >= 40) this.adapt();
    if ((this.ticks = (this.ticks || 0) + 1) % 12 === 0) this.tell();
  }

  // Fewer pixels where frames come late though the page itself is quick: the screen is what takes the time.
  adapt() {
    const mean = (name) => this.frames.reduce((sum, f) => sum + f[name], 0) / this.frames.length;
    if (mean("passed") > 20 && mean("work") < 12 && this.scale > 0.55) {
      this.scale *= 0.75;
      this.frames = [];
    }
  }

  // Until somebody touches the page it throws by itself: the difference is seen before anything is read.
  show() {
    if (this.touched || this.shown >= SHOW_THROWS || this.time < this.nextShow) return;
    const y = ((this.shown * 5) % 7 - 3) * 0.8;
    this.engine._playThrow(this.shown % 4 === 1 ? KIND.ragdoll : KIND.ball, -8, y, 2.0, this.speed, 0, 0);
    this.read();
    this.shown += 1;
    this.throws += 1;
    this.nextShow = this.time + 0.8;
  }

  // ---- picture

  viewports() {
    const box = $("view").getBoundingClientRect(), stacked = box.height > 0.9 * box.width;
    $("stage").classList.toggle("stacked", stacked);
    return { box, stacked, aspect: stacked ? box.width / (box.height / 2) : box.width / 2 / box.height };
  }

  fill(lane, alpha) {
    for (const rows of [...lane.bodies, ...lane.passedBodies]) rows.count = 0;
    const { now, before } = lane, table = this.table;
    for (let t = 0, p = 0; t < table.length; t += TABLE_FLOATS, p += PART_FLOATS) {
      if (now[p + 7] === 0) continue;
      const shape = table[t], passed = lane.passed[table[t + 4]], color = passed ? PASSED : COLORS[table[t + 5]];
      const rows = lane.bodies[shape], o = rows.next(), d = rows.data;
      for (let k = 0; k < 3; ++k) d[o + k] = before[p + k] + alpha * (now[p + k] - before[p + k]);
      let dot = 0, norm = 0;
      for (let k = 3; k < 7; ++k) dot += before[p + k] * now[p + k];
      const kept = (dot < 0 ? -1 : 1) * (1 - alpha);
      for (let k = 3; k < 7; ++k) {
        const q = kept * before[p + k] + alpha * now[p + k];
        d[o + k] = q;
        norm += q * q;
      }
      norm = 1 / Math.sqrt(norm || 1);
      for (let k = 3; k < 7; ++k) d[o + k] *= norm;
      for (let k = 0; k < 3; ++k) {
        d[o + 7 + k] = table[t + 1 + k];
        d[o + 10 + k] = color[k];
      }
      d[o + 13] = 1;
      if (!passed) continue;
      const again = lane.passedBodies[shape], at = again.next();
      again.data.set(d.subarray(o, o + INSTANCE), at);
      again.data[at + 13] = 0.5;
    }
  }

  overlays(lane) {
    const { lines, points } = lane;
    lines.count = points.count = 0;
    const end = (rows, x, y, z, color, alpha) => {
      const o = rows.next(), d = rows.data;
      d[o] = x, d[o + 1] = y, d[o + 2] = z;
      d[o + 3] = color[0], d[o + 4] = color[1], d[o + 5] = color[2], d[o + 6] = alpha;
    };
    if ($("trails").checked)
      lane.trails.forEach(({ color, at }, thing) => {
        const shade = lane.passed[thing] ? PASSED : color;
        for (let k = 1; k < at.length; ++k) {
          const a = at[k - 1], b = at[k];
          end(lines, a[0], a[1], a[2], shade, 0.5 * (k - 1) / at.length);
          end(lines, b[0], b[1], b[2], shade, 0.5 * k / at.length);
        }
      });
    if (lane.index === 1 && $("witness").checked)
      for (const { row, born } of this.marks) {
        const fade = 1 - (this.time - born) / MARK_LIFE, color = row[6] === 1 ? PUSHED : TOUCHED;
        for (const way of [-NORMAL_LENGTH, NORMAL_LENGTH])
          end(lines, row[0] + way * row[3], row[1] + way * row[4], row[2] + way * row[5], color, fade);
        end(points, row[0], row[1], row[2], color, fade);
      }
    if (lane.index === 1 && $("swept").checked)
      for (let i = 0, s = this.swept; i < s.length; i += 6)
        for (let k = 0; k < 8; ++k)
          for (const bit of [1, 2, 4]) {
            if (k & bit) continue;
            for (const c of [k, k | bit])
              end(lines, s[i + (c & 1 ? 3 : 0)], s[i + (c & 2 ? 4 : 1)], s[i + (c & 4 ? 5 : 2)], SWEPT, 0.75);
          }
    const straight = (rows, color, alpha) => {
      for (let i = 0; i < rows.length; i += 3) end(lines, rows[i], rows[i + 1], rows[i + 2], color, alpha);
    };
    if (lane.index === 1 && $("pairs").checked) straight(this.pairs, ASKED, 0.8);
    if ($("hulls").checked) straight(this.hulls, HULLS, 0.35);
  }

  paint() {
    this.painter.resize(this.scale);
    const { stacked } = this.viewports(), { width, height } = $("view");
    const alpha = Math.min(1, this.owed / this.engine._playGet(SETTING.step));
    for (const lane of this.lanes) {
      this.fill(lane, this.paused ? 1 : alpha);
      const gap = 1, half = [(width >> 1) - gap, (height >> 1) - gap], second = lane.index === 1;
      const viewport = stacked ? [0, second ? 0 : half[1] + 2 * gap, width, half[1]]
        : [second ? half[0] + 2 * gap : 0, 0, half[0], height];
      this.overlays(lane);
      this.painter.draw(viewport, this.camera, lane, this.plates);
    }
  }

  tell() {
    const things = this.engine._playThingCount();
    for (const { index, ms } of this.lanes) {
      $("through" + index).value = this.figure(index, "through");
      $("figures" + index).textContent = `of ${things} things · ${ms.toFixed(1)} ms a step` + (index === 0 ? ""
        : `\n${this.figure(1, "impacts")} impacts · ${this.figure(1, "solves")} solves · ${this.figure(1, "clamps")} clamps`);
    }
    const frames = this.frames.filter((f) => f.passed > 0);
    const mean = frames.reduce((sum, f) => sum + f.passed, 0) / Math.max(1, frames.length);
    $("rate").textContent = `${this.partCount} bodies a lane · ${(1000 / (mean || 16.7)).toFixed(0)} frames/s`;
  }

  note(text) {
    $("note").textContent = text;
    clearTimeout(this.noteTimer);
    this.noteTimer = setTimeout(() => { $("note").textContent = ""; }, 4000);
  }

  // ---- what people do

  throwAlong(direction, spread = [0, 0]) {
    const { eye } = this.camera, { right, up } = this.camera.axes();
    const from = Vec.add(Vec.add(eye, Vec.scale(direction, 2.5)), Vec.add(Vec.scale(right, spread[0]), Vec.scale(up, spread[1])));
    const v = Vec.scale(direction, this.speed);
    const thing = this.engine._playThrow(this.kind, ...from, ...v);
    if (thing < 0) return this.note("No room for more: press reset.");
    this.throws += 1;
    this.read();
  }

  volley() {
    const direction = Vec.unit(Vec.sub(this.camera.target, this.camera.eye)), wide = [0.9, 0.9, 1.3, 1.2, 1.6, 2.4][this.kind];
    for (let i = -2; i <= 2; ++i) this.throwAlong(direction, [i * wide, 0.25 * Math.abs(i)]);
  }

  crowd() {
    for (let i = 0; i < 20; ++i) {
      const x = -7 + 2.0 * (i % 4), y = -4.4 + 2.2 * Math.floor(i / 4);
      if (this.engine._playThrow(KIND.ragdoll, x, y, 4 + 0.5 * (i % 3), 0.3 * this.speed, 0, -1) < 0)
        return this.note("No room for more: press reset.");
      this.throws += 1;
    }
    this.read();
  }

  // Where in which lane is the pointer? x, y in [-1, 1], y up.
  locate(event) {
    const { box, stacked, aspect } = this.viewports();
    const px = event.clientX - box.left, py = event.clientY - box.top;
    const w = stacked ? box.width : box.width / 2, h = stacked ? box.height / 2 : box.height;
    const lane = stacked ? (py > h ? 1 : 0) : px > w ? 1 : 0;
    const x = 2 * (px - (stacked ? 0 : lane * w)) / w - 1, y = 1 - 2 * (py - (stacked ? lane * h : 0)) / h;
    return { lane, ray: this.camera.ray(x, y, aspect) };
  }

  down(event) {
    event.preventDefault();
    $("view").setPointerCapture(event.pointerId);
    this.touched = true;
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (this.pointers.size === 2) { // a pinch, whatever the first finger had begun
      if (this.gesture && this.gesture.part >= 0) this.engine._playRelease();
      this.gesture = { kind: "pinch" };
      return;
    }
    if (this.pointers.size > 2) return;
    const { lane, ray } = this.locate(event), eye = this.camera.eye;
    const part = this.engine._playPick(lane, ...eye, ...ray);
    this.gesture = { kind: "press", part, start: [event.clientX, event.clientY], lane };
    if (part >= 0) {
      const p = this.engine._playPickPoint() >> 3, point = [0, 1, 2].map((k) => this.engine.HEAPF64[p + k]);
      this.gesture.depth = Vec.dot(Vec.sub(point, eye), this.camera.axes().ahead);
    }
  }

  move(event) {
    const from = this.pointers.get(event.pointerId), g = this.gesture;
    if (!from || !g) return;
    const to = [event.clientX, event.clientY], dx = to[0] - from[0], dy = to[1] - from[1];
    if (g.kind === "pinch") {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
      this.camera.zoom(apart(from) / Math.max(1, apart(to)));
      this.camera.turn(0.003 * dx, 0.003 * dy);
    } else {
      if (g.kind === "press" && Math.hypot(to[0] - g.start[0], to[1] - g.start[1]) > CLICK_PIXELS)
        g.kind = g.part >= 0 ? "pull" : "orbit";
      if (g.kind === "orbit") this.camera.turn(0.006 * dx, 0.006 * dy);
      if (g.kind === "pull") {
        const { ray } = this.locate(event), { ahead } = this.camera.axes();
        const target = Vec.add(this.camera.eye, Vec.scale(ray, g.depth / Math.max(0.1, Vec.dot(ray, ahead))));
        this.engine._playDrag(...target);
      }
    }
    this.pointers.set(event.pointerId, to);
  }

  up(event, thrown) {
    if (!this.pointers.delete(event.pointerId) || !this.gesture) return;
    const g = this.gesture;
    if (g.part >= 0) this.engine._playRelease();
    if (g.kind === "press" && thrown) this.throwAlong(this.locate(event).ray);
    this.gesture = this.pointers.size === 0 ? null : { kind: "rest" };
  }

  press(id, on) { $(id).setAttribute("aria-pressed", on); }
  choose(selector, chosen) {
    for (const button of document.querySelectorAll(selector)) button.setAttribute("aria-pressed", button === chosen);
  }
  pause(on) { this.press("pause", this.paused = on); }

  listen() {
    const view = $("view");
    view.addEventListener("pointerdown", (e) => this.down(e));
    view.addEventListener("pointermove", (e) => this.move(e));
    view.addEventListener("pointerup", (e) => this.up(e, true));
    view.addEventListener("pointercancel", (e) => this.up(e, false));
    view.addEventListener("contextmenu", (e) => e.preventDefault());
    view.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.camera.zoom(Math.exp(0.0012 * e.deltaY));
    }, { passive: false });
    view.addEventListener("webglcontextlost", () => this.note("The graphics were lost: please reload the page."));
    document.querySelectorAll("[data-kind]").forEach((b) => b.addEventListener("click", () => {
      this.kind = Number(b.dataset.kind);
      this.choose("[data-kind]", b);
    }));
    document.querySelectorAll("[data-scene]").forEach((b) => b.addEventListener("click", () => {
      this.touched = true;
      this.reset(Number(b.dataset.scene));
      this.choose("[data-scene]", b);
    }));
    const act = (id, what) => $(id).addEventListener("click", () => { this.touched = true; what(); });
    act("volley", () => this.volley());
    act("crowd", () => this.crowd());
    act("reset", () => this.reset(this.scene));
    act("pause", () => this.pause(!this.paused));
    act("step", () => { this.pause(true); this.step(); });
    act("slow", () => this.press("slow", this.slow = !this.slow));
    const slider = (id, apply) => {
      const set = () => { $(id + "Text").value = apply(Number($(id).value)); };
      $(id).addEventListener("input", set);
      set();
    };
    slider("speed", (v) => `${this.speed = v} m/s`);
    slider("length", (v) => {
      this.engine._playSet(SETTING.step, STEP_LENGTHS[v]);
      return `1/${Math.round(1 / STEP_LENGTHS[v])} s`;
    });
    slider("gravity", (v) => {
      this.engine._playSet(SETTING.gravity, v);
      return `${v.toFixed(1)} m/s²`;
    });
    const watch = () => this.engine._playSet(SETTING.watch, $("swept").checked || $("pairs").checked ? 2 : $("witness").checked ? 1 : 0);
    for (const id of ["swept", "pairs", "witness"]) $(id).addEventListener("change", watch);
    $("trails").addEventListener("change", () => { for (const lane of this.lanes) lane.trails = []; });
    watch();
    window.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.altKey || e.metaKey || /^(INPUT|BUTTON)$/.test(e.target.tagName)) return;
      const key = { " ": "pause", ".": "step", r: "reset", s: "slow", v: "volley" }[e.key];
      if (key) { e.preventDefault(); $(key).click(); }
      if (/^[1-6]$/.test(e.key)) document.querySelector(`[data-kind="${e.key - 1}"]`).click();
    });
  }
}

// For tests: what the page knows, read only.
window.playground = null;
loadPlayground().then((engine) => {
  const page = window.playground = new Playground(engine);
  document.documentElement.dataset.ready = "1";
  return page;
}).catch((error) => {
  $("note").textContent = error.message || String(error);
  throw error;
});
