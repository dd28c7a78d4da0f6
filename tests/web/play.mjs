// SPDX-License-Identifier: BSD-3-Clause
// The playground as a stranger uses it: node play.mjs PAGE.html PICTURES. Headless Chromium, real mouse, touch and key
// events; what the page then says and what its worlds hold is compared. Screenshots go to the folder PICTURES. With
// BRINK_WEB_TIMES=1 in the environment slow frames are a failure: for a machine that does nothing else.
import { mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const page = resolve(process.argv[2]), pictures = resolve(process.argv[3] || ".");
let passed = 0, failed = 0;
function told(name, good, text = "") {
  console.log(`${good ? "ok" : "FAILED"}: ${name}${text === "" ? "" : ": " + text}`);
  if (good) ++passed; else ++failed;
  return good;
}

mkdirSync(pictures, { recursive: true });
const size = statSync(page).size;
told("one file of at most 3 MB", size <= 3e6, `${size} bytes`);
const browser = await Browser.open();
const ask = (text) => browser.evaluate(text);
const figure = (lane, name) => ask(`playground.figure(${lane}, "${name}")`);
const through = async () => [await figure(0, "through"), await figure(1, "through")];
// Waits until the worlds have gone on by so many seconds of their own time.
async function simulate(seconds) {
  const end = (await ask("playground.time")) + seconds;
  return browser.until(`playground.time >= ${end}`, 60);
}
const shoot = (name) => browser.screenshot(join(pictures, name + ".png"));
// Where a part is on the screen, in a lane.
const screen = (part, lane) => ask(`(() => {
  const p = playground, v = p.viewports(), m = p.camera.matrix(v.aspect), at = p.lanes[${lane}].now.subarray(8 * ${part}, 8 * ${part} + 3);
  const clip = [0, 1, 3].map((r) => m[r] * at[0] + m[4 + r] * at[1] + m[8 + r] * at[2] + m[12 + r]);
  const w = v.stacked ? v.box.width : v.box.width / 2, h = v.stacked ? v.box.height / 2 : v.box.height;
  return [v.box.left + (v.stacked ? 0 : ${lane} * w) + (1 + clip[0] / clip[2]) / 2 * w,
    v.box.top + (v.stacked ? ${lane} * h : 0) + (1 - clip[1] / clip[2]) / 2 * h]; })()`);
const place = (part, lane) => ask(`[...playground.lanes[${lane}].now.subarray(8 * ${part}, 8 * ${part} + 3)]`);
async function slide(id, share) { // drags the knob to a share of the way
  const [, y, left, , width] = await browser.middleOf("#" + id);
  const now = await ask(`(() => { const s = document.getElementById("${id}"); return (s.value - s.min) / (s.max - s.min); })()`);
  const at = (s) => left + 8 + s * (width - 16);
  await browser.drag([at(now), y], [at(share), y], 6);
  return ask(`Number(document.getElementById("${id}").value)`);
}
// Frames of the last seconds: what passed between two, and how long the page worked on one, ms.
async function frames(seconds) {
  await ask("void (playground.frames = [])");
  await sleep(1000 * seconds);
  const list = await ask("playground.frames.map((f) => [f.passed, f.work])");
  const at = (k, share) => list.map((f) => f[k]).sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(share * list.length))];
  return { rate: 1000 * list.length / list.reduce((sum, f) => sum + f[0], 0), work: at(1, 0.5), work95: at(1, 0.95), interval: at(0, 0.5) };
}
const says = (f) => `${f.rate.toFixed(0)} frames/s; a frame's own work: median ${f.work.toFixed(1)} ms, 95 % ${f.work95.toFixed(1)} ms`;

try {
  // ---- untouched: the page shows the difference by itself
  await browser.resize(1280, 800);
  await browser.goTo(pathToFileURL(page).href);
  if (!told("opens from a file", await browser.until("document.documentElement?.dataset.ready === '1'", 90))) throw new Error("no page");
  await sleep(1500);
  await shoot("desktop_1");
  const seen = await browser.until("playground.figure(0, 'through') > 0", 30);
  told("untouched, plain ODE lets something through", seen && (await through())[1] === 0, (await through()).join(" / "));
  await sleep(2500);
  await shoot("desktop_2");
  const [view] = [await browser.middleOf("#view")], laneX = [view[2] + view[4] * 0.25, view[2] + view[4] * 0.75], high = view[3] + view[5] * 0.42;

  // ---- pause, step, slow motion
  await browser.clickOn("#pause");
  const still = await ask("playground.time");
  await sleep(300);
  told("pause stops both worlds", (await ask("playground.time")) === still);
  await browser.clickOn("#step");
  const stepped = (await ask("playground.time")) - still;
  told("step goes on by one step", Math.abs(stepped - 1 / 60) < 1e-9, `${stepped.toFixed(5)} s`);
  await browser.clickOn("#pause");
  await browser.clickOn("#slow");
  const slowFrom = await ask("[playground.time, performance.now()]");
  await sleep(1500);
  const slowTo = await ask("[playground.time, performance.now()]"), slow = 1000 * (slowTo[0] - slowFrom[0]) / (slowTo[1] - slowFrom[1]);
  told("slow motion is slow", slow > 0 && slow < 0.1, `${slow.toFixed(3)} of real time`);
  await browser.clickOn("#slow");

  // ---- sliders
  await browser.clickOn("#reset");
  const speed = await slide("speed", 0.45);
  told("speed slider", speed > 75 && speed < 115 && (await ask("playground.speed")) === speed, `${speed} m/s`);
  await slide("length", 0.8);
  const length = await ask("playground.engine._playGet(0)");
  told("step slider", Math.abs(length - 1 / 30) < 1e-9, `${length.toFixed(5)} s`);
  await slide("length", 0.4);
  await slide("gravity", 0.8);
  const gravity = await ask("playground.engine._playGet(1)");
  told("gravity slider", gravity > 20 && gravity < 27, `${gravity} m/s2`);
  await slide("gravity", 0.327);

  // ---- every kind is thrown by a click, in either lane
  const counts = [1, 1, 11, 10, 6, 1];
  for (let kind = 0; kind < 6; ++kind) {
    await browser.clickOn("#reset");
    await browser.clickOn(`[data-kind="${kind}"]`);
    const before = await ask("playground.partCount");
    for (let i = 0; i < 4; ++i) {
      await browser.click(laneX[i % 2] + 25 * i - 40, high + 12 * i);
      await sleep(250);
    }
    const made = (await ask("playground.partCount")) - before;
    const name = await ask(`document.querySelector('[data-kind="${kind}"]').textContent`);
    told(`clicks throw: ${name}`, made === 4 * counts[kind], `${made} bodies of 4`);
    if (kind === 2) await shoot("desktop_3");
  }

  // ---- pulling: a box before the wall is dragged to the other side of it
  await browser.clickOn("#reset");
  await slide("speed", 0.01);
  await browser.clickOn('[data-kind="1"]');
  await browser.click(laneX[0] - 30, high + 150);
  const box = (await ask("playground.partCount")) - 1;
  await browser.until(`Math.abs(playground.lanes[1].now[8 * ${box} + 2] - playground.lanes[1].before[8 * ${box} + 2]) < 1e-4 && playground.lanes[1].now[8 * ${box} + 2] < 0.4`, 15);
  await ask("void playground.camera.look([0, 0, 1.3], -1.57, 0.25, 11)"); // along the wall
  await sleep(300);
  const rest = await place(box, 1), from = await screen(box, 1), behind = (await screen(5, 1)).map((x, k) => x + [20, -40][k]);
  await browser.mouse("mousePressed", ...from);
  const held = await ask("playground.gesture.part");
  for (let i = 1; i <= 30; ++i) {
    await browser.mouse("mouseMoved", from[0] + (behind[0] - from[0]) * i / 30, from[1] + (behind[1] - from[1]) * i / 30);
    await sleep(60);
  }
  await simulate(1.5);
  await shoot("desktop_pull");
  const pulled = [await place(box, 0), await place(box, 1)], moved = Math.hypot(...pulled[1].map((x, k) => x - rest[k]));
  await browser.mouse("mouseReleased", ...behind);
  told("a drag on a body pulls it", held === box && moved > 0.5, `part ${held}, ${moved.toFixed(2)} m`);
  told("Brink's wall holds against the hand", rest[0] < 1 && pulled[1][0] > 1.5 && pulled[1][0] < 2,
    `x = ${pulled[0][0].toFixed(2)} in plain ODE, ${pulled[1][0].toFixed(2)} with Brink; the wall stands at 2`);
  told("nothing went through with Brink meanwhile", (await through())[1] === 0);

  // ---- the camera
  await browser.clickOn("#reset");
  await ask("void playground.camera.look([1.2, 0, 1.3], -2.5, 0.27, 12)");
  const yaw = await ask("playground.camera.yaw"), parts = await ask("playground.partCount");
  await browser.drag([laneX[0] + 60, view[3] + 150], [laneX[0] - 60, view[3] + 170]);
  told("a drag on nothing turns the view and throws nothing", Math.abs((await ask("playground.camera.yaw")) - yaw) > 0.3 && (await ask("playground.partCount")) === parts);
  const distance = await ask("playground.camera.distance");
  await browser.mouse("mouseWheel", laneX[0], high, { deltaX: 0, deltaY: -300 });
  await sleep(200);
  told("the wheel zooms", (await ask("playground.camera.distance")) < 0.9 * distance);

  // ---- overlays
  await browser.clickOn("#swept");
  await browser.clickOn("#pairs");
  await slide("speed", 0.28);
  await browser.clickOn('[data-scene="0"]');
  await ask("void playground.camera.look([1.2, 0, 1.3], -2.5, 0.27, 12)");
  await browser.clickOn('[data-kind="0"]');
  await ask("void (window.most = [0, 0, 0, 0], window.watch = setInterval(() => { const p = playground; most[0] = Math.max(most[0], p.swept.length / 6); most[1] = Math.max(most[1], p.marks.length); most[3] = Math.max(most[3], p.pairs.length / 6); most[2] = Math.max(most[2], ...p.lanes[1].trails.map((t) => t ? t.at.length : 0)); }, 5))");
  for (let i = 0; i < 5; ++i) { await browser.clickOn("#volley"); await simulate(0.4); }
  await shoot("desktop_overlays");
  const most = await ask("(clearInterval(watch), most)");
  told("overlays: swept boxes, witness points, trails, pairs", most.every((n) => n > 0), most.join(", "));
  for (const id of ["swept", "pairs", "witness", "trails"]) await browser.clickOn("#" + id);
  await simulate(1.5);
  told("overlays can be switched off", await ask("playground.engine._playGet(2) === 0 && playground.swept.length === 0 && playground.pairs.length === 0 && playground.marks.length === 0 && playground.lanes[1].trails.length === 0"));
  await browser.clickOn("#trails");
  await browser.clickOn("#witness");

  // ---- every scene: something goes through in plain ODE, nothing with Brink
  for (const scene of [0, 1, 2]) {
    await browser.clickOn(`[data-scene="${scene}"]`);
    const name = await ask(`document.querySelector('[data-scene="${scene}"]').textContent`);
    for (const kind of [0, 2, 3, 4, 5]) {
      await browser.clickOn(`[data-kind="${kind}"]`);
      await browser.clickOn("#volley");
      await simulate(0.8);
    }
    await simulate(1);
    await sleep(400); // the counters are written a few times a second
    if (scene === 2) {
      await browser.clickOn("#hulls");
      told("the mountain's hull tree is shown", await ask("playground.hulls.length / 6 > 100 && (playground.overlays(playground.lanes[0]), playground.lanes[0].lines.count >= 2 * playground.hulls.length / 6)"));
      await sleep(400);
      await shoot("hulls");
      await browser.clickOn("#hulls");
    }
    await shoot("scene_" + name);
    const [plain, brink] = await through();
    const shown = await ask("[0, 1].map((i) => Number(document.getElementById('through' + i).value))");
    told(`scene ${name}: through plain / Brink`, plain > 0 && brink === 0 && shown[0] === plain && shown[1] === brink,
      `${plain} / ${brink} of ${await ask("playground.engine._playThingCount()")} things; ${await figure(1, "clamps")} clamps, ${(await figure(1, "lost")).toFixed(4)} s lost, ${await figure(1, "refused")} refused`);
  }

  // ---- 20 ragdolls
  await browser.clickOn('[data-scene="0"]');
  await browser.clickOn("#crowd");
  await sleep(500);
  const drawn = await frames(4);
  await shoot("ragdolls");
  // A headless browser draws by software on the cores that the worlds need; a graphics card would not. So the same once
  // more with nothing drawn: this is the page's own share, engine of both lanes included.
  await browser.clickOn("#reset");
  await ask("void (window.paintLane = Painter.prototype.draw, Painter.prototype.draw = () => {})");
  await browser.clickOn("#crowd");
  await sleep(500);
  const bare = await frames(4), awake = await figure(1, "awake"), ms = await ask("playground.lanes.map((lane) => lane.ms)");
  await ask("void (Painter.prototype.draw = paintLane)");
  const [crowdPlain, crowdBrink] = await through();
  told("20 ragdolls: a frame's work leaves room for 60 a second", (bare.work < 16.7 || !process.env.BRINK_WEB_TIMES) && awake > 100 && crowdBrink === 0,
    `${says(bare)} (nothing drawn); drawn by software ${says(drawn)}; a step ${ms[0].toFixed(1)} ms plain, ${ms[1].toFixed(1)} ms Brink; through ${crowdPlain} / ${crowdBrink}`);

  // ---- keys
  await browser.clickOn("#view");
  await browser.clickOn("#reset");
  await ask("void document.activeElement.blur()");
  for (const [type, key] of [["keyDown", "3"], ["keyUp", "3"], ["keyDown", "v"], ["keyUp", "v"]])
    await browser.call("Input.dispatchKeyEvent", { type, key, text: type === "keyDown" ? key : undefined });
  told("keys choose and throw", (await ask("playground.kind")) === 2 && (await ask("playground.partCount")) === 6 + 55);

  // ---- a phone
  await browser.resize(390, 844, true);
  await browser.goTo(pathToFileURL(page).href);
  await browser.until("document.documentElement?.dataset.ready === '1'", 90);
  await sleep(1500);
  await shoot("phone_1");
  const fits = await ask(`document.documentElement.scrollWidth <= 390 && document.documentElement.scrollHeight <= 844 &&
    [...document.querySelectorAll("button, input, canvas, #hints")].every((e) => { const b = e.getBoundingClientRect();
      return b.width > 0 && b.left >= 0 && b.right <= 390.5 && b.top >= 0 && b.bottom <= 844.5; })`);
  told("phone, 390 px: everything on the screen", fits);
  const phone = await browser.middleOf("#view");
  const things = await ask("playground.engine._playThingCount()");
  for (let i = 0; i < 6; ++i) { await browser.tap(phone[0] + 12 * i - 30, phone[3] + phone[5] * (i % 2 ? 0.28 : 0.78)); await sleep(300); }
  told("phone: taps throw", (await ask("playground.engine._playThingCount()")) === things + 6);
  await sleep(1200);
  await shoot("phone_2");
  const near = await ask("playground.camera.distance"), [cx, cy] = [phone[0], phone[3] + phone[5] * 0.3];
  await browser.call("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: cx - 30, y: cy, id: 0 }, { x: cx + 30, y: cy, id: 1 }] });
  for (let i = 1; i <= 6; ++i)
    await browser.call("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: cx - 30 - 10 * i, y: cy, id: 0 }, { x: cx + 30 + 10 * i, y: cy, id: 1 }] });
  await browser.call("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  told("phone: a pinch zooms and throws nothing", (await ask("playground.camera.distance")) < 0.8 * near && (await ask("playground.engine._playThingCount()")) === things + 6);
  await browser.clickOn("#pause", true);
  told("phone: buttons answer taps", await ask("playground.paused"));
  await browser.clickOn("#pause", true);
  await browser.clickOn('[data-kind="2"]', true);
  await browser.clickOn("#volley", true);
  await simulate(1.2);
  await shoot("phone_3");
  const last = await through();
  told("phone: through plain / Brink", last[0] > 0 && last[1] === 0, last.join(" / "));
  told("nothing was fetched", (await ask("performance.getEntriesByType('resource').length")) === 0);
  told("the console is clean", browser.console.length === 0, browser.console.join("; "));
} catch (error) {
  told("the test ran to its end", false, error.stack + "\n" + browser.console.join("\n"));
} finally {
  await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
