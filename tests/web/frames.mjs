// SPDX-License-Identifier: BSD-3-Clause
// What does a frame of the playground cost without a graphics card? node frames.mjs PLAYGROUND_JS WEB_FOLDER [SECONDS [OVERLAYS]]
// The page's own scripts and WebAssembly run in node with a document and a canvas that do nothing: physics of both lanes,
// the judge, and all that is prepared for drawing (instances, overlays, trails) are what the browser does; only WebGL's
// work is left out. 20 ragdolls are thrown at the wall; each frame asks for 1/60 s.
// Told: CPU time of a frame on the main thread, which other programs on the machine do not lengthen as they do the clock.
// That thread alone decides when a frame is done. Beside it the CPU time of the whole process: V8's own threads compile
// WebAssembly again, faster, while it runs. With everything compiled before (node --no-liftoff
// --no-wasm-lazy-compilation frames.mjs ...) the two agree within the garbage collector's share.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import vm from "node:vm";

const [script, web] = [resolve(process.argv[2]), resolve(process.argv[3])], seconds = Number(process.argv[4] || 10);
const FRAME = 16.6; // ms, at 60 a second
const overlays = (process.argv[5] || "witness,trails").split(","); // those that are on when the page opens
const sources = ["draw.js", "play.js"].map((name) => readFileSync(join(web, name), "utf8"));
const gl = {}; // what draw.js calls does nothing, and costs nothing
for (const [, name] of sources[0].matchAll(/\bgl\.(\w+)/g)) gl[name] = /^[A-Z_0-9]+$/.test(name) ? name : () => ({});
gl.getExtension = () => null;
gl.getShaderParameter = () => true;
gl.getProgramParameter = (_, what) => what === "LINK_STATUS" ? true : 0; // it has no uniforms
const box = { left: 0, top: 0, width: 1280, height: 640 };
function element(id) {
  const values = { speed: 60, length: 2, gravity: 9.8 };
  return { id, value: values[id] ?? 0, checked: overlays.includes(id), width: 1280, height: 640, dataset: {},
    classList: { toggle() {} }, style: {}, textContent: "", addEventListener() {}, setAttribute() {},
    getBoundingClientRect: () => box, getContext: () => gl };
}
const elements = {}, $ = (id) => elements[id] || (elements[id] = element(id));
let next = null;
const window = { addEventListener() {}, devicePixelRatio: 1 };
const context = vm.createContext({ window, performance, console, setTimeout, clearTimeout, TextDecoder,
  document: { getElementById: $, createElement: () => element("made"), querySelectorAll: () => [], documentElement: { dataset: {} } },
  requestAnimationFrame: (f) => { next = f; }, Float32Array, Uint8Array, loadPlayground: createRequire(import.meta.url)(script) });
for (const source of sources) vm.runInContext(source, context);
while (!window.playground) await new Promise((done) => setTimeout(done, 10));
const page = window.playground;
page.touched = true;
page.reset(0);

const everything = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
// ms that this thread was on a processor: Linux tells it in ns, up to date when getrusage was asked just before. Elsewhere
// that of the whole process stands in.
const ofThread = existsSync("/proc/self/schedstat")
  ? () => (process.cpuUsage(), Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1e6) : everything;
function run(frames) {
  const thread = [], whole = [];
  for (let i = 0, clock = 0; i < frames; ++i, clock += 1000 / 60) {
    const began = [ofThread(), everything()], f = next;
    page.last = undefined, page.owed = page.engine._playGet(0) * 1.0001; // one step a frame, however late it comes
    f(clock);
    thread.push(ofThread() - began[0]);
    whole.push(everything() - began[1]);
  }
  return { thread, whole };
}
const at = (times, share) => [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(share * times.length))];
const says = (times) => `mean ${(times.reduce((a, b) => a + b, 0) / times.length).toFixed(2)} ms, median ${at(times, 0.5).toFixed(2)}, 95 % ${at(times, 0.95).toFixed(2)}, worst ${at(times, 1).toFixed(1)}`;
run(120); // compiled by now, but for what only a crowd uses
page.crowd();
const { thread, whole } = run(Math.round(60 * seconds)), strikes = thread.slice(0, 120);
const bodies = page.partCount, awake = page.figure(1, "awake"), through = [0, 1].map((lane) => page.figure(lane, "through"));
console.log(`20 ragdolls, ${bodies} bodies in each lane, overlays ${overlays.join(", ")}; CPU of a frame, main thread: ${says(thread)}`);
console.log(`first 2 s, all of them striking: ${says(strikes)}`);
console.log(`whole process, compiling threads too: ${says(whole)}; first 2 s: ${says(whole.slice(0, 120))}`);
console.log(`lanes ${page.lanes.map((l) => l.ms.toFixed(1)).join(" and ")} ms by the clock; awake ${awake}; through ${through.join(" / ")}`);
const good = [thread, strikes].every((times) => at(times, 0.95) < FRAME) && through[0] > 0 && through[1] === 0;
console.log(`${good ? "ok" : "FAILED"}: 95 frames of 100 below ${FRAME} ms, of all and of the first 2 s; plain ODE lets some through, Brink none`);
process.exit(good ? 0 : 1);
