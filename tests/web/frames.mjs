// SPDX-License-Identifier: BSD-3-Clause
// What does a frame of the playground cost without a graphics card? node frames.mjs PLAYGROUND_JS WEB_FOLDER [SECONDS [OVERLAYS]]
// The page's own scripts and WebAssembly run in node with a document and a canvas that do nothing: physics of both lanes,
// the judge, and all that is prepared for drawing (instances, overlays, trails) are what the browser does; only WebGL's
// work is left out. 20 ragdolls are thrown at the wall; each frame asks for 1/60 s. Told: CPU time of a frame (user and
// system, of the whole process), which other programs on the machine do not lengthen as they do the clock.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import vm from "node:vm";

const [script, web] = [resolve(process.argv[2]), resolve(process.argv[3])], seconds = Number(process.argv[4] || 10);
const overlays = (process.argv[5] || "witness,trails").split(","); // those that are on when the page opens
const nothing = () => nothing;
const gl = new Proxy({}, { get: (_, name) => /^[A-Z_0-9]+$/.test(String(name)) ? 1 : name === "getProgramParameter" ? () => 0
  : name === "getShaderParameter" ? () => 1 : name === "getExtension" ? () => null : () => ({}) });
const box = { left: 0, top: 0, width: 1280, height: 640 };
function element(id) {
  const values = { speed: 60, length: 2, gravity: 9.8 };
  return { id, value: values[id] ?? 0, checked: overlays.includes(id), width: 1280, height: 640, dataset: {},
    classList: { toggle() {} }, style: {}, textContent: "", addEventListener() {}, setAttribute() {},
    getBoundingClientRect: () => box, getContext: () => glReady };
}
// linkProgram's answer must be true, the number of uniforms 0.
const glReady = new Proxy(gl, { get: (target, name) => name === "getProgramParameter"
  ? (_, what) => what === "LINK" : name === "LINK_STATUS" ? "LINK" : target[name] });
const elements = {}, $ = (id) => elements[id] || (elements[id] = element(id));
let next = null;
const window = { addEventListener() {}, devicePixelRatio: 1 };
const context = vm.createContext({ window, performance, console, setTimeout, clearTimeout, TextDecoder,
  document: { getElementById: $, createElement: () => element("made"), querySelectorAll: () => [], documentElement: { dataset: {} } },
  requestAnimationFrame: (f) => { next = f; }, Float32Array, Uint8Array, loadPlayground: createRequire(import.meta.url)(script) });
for (const name of ["draw.js", "play.js"]) vm.runInContext(readFileSync(join(web, name), "utf8"), context);
while (!window.playground) await new Promise((done) => setTimeout(done, 10));
const page = window.playground;
page.touched = true;
page.reset(0);

function run(frames) {
  const times = [];
  for (let i = 0, clock = 0; i < frames; ++i, clock += 1000 / 60) {
    const before = process.cpuUsage(), f = next;
    page.last = undefined, page.owed = page.engine._playGet(0) * 1.0001; // one step a frame, however late it comes
    f(clock);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return times;
}
const at = (times, share) => [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(share * times.length))];
const says = (times) => `mean ${(times.reduce((a, b) => a + b, 0) / times.length).toFixed(2)} ms, median ${at(times, 0.5).toFixed(2)}, 95 % ${at(times, 0.95).toFixed(2)}, worst ${at(times, 1).toFixed(1)}`;
run(120); // compiled by now
page.crowd();
const times = run(Math.round(60 * seconds));
const bodies = page.partCount, awake = page.figure(1, "awake"), through = [0, 1].map((lane) => page.figure(lane, "through"));
console.log(`20 ragdolls, ${bodies} bodies in each lane, overlays ${overlays.join(", ")}; CPU of a frame: ${says(times)}`);
console.log(`first 2 s: ${says(times.slice(0, 120))}; lanes ${page.lanes.map((l) => l.ms.toFixed(1)).join(" and ")} ms by the clock; awake ${awake}; through ${through.join(" / ")}`);
const good = at(times, 0.95) < 16.6 && through[1] === 0;
console.log(`${good ? "ok" : "FAILED"}: 95 frames of 100 leave room for 60 a second`);
process.exit(good ? 0 : 1);
