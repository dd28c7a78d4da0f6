// SPDX-License-Identifier: BSD-3-Clause
// Every page that Brink writes as a reader meets it: node pages.mjs OUT PICTURES [NAME|gallery...]. Headless Chromium opens
// the gallery and every page below the folder OUT (pages.sh has them written), in a window of 1280 x 800 and on a phone of
// 390 x 844, takes pictures at three times, clicks every control by real events, and wants a console without a word.
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const [folder, pictures] = [resolve(process.argv[2]), resolve(process.argv[3])], only = process.argv.slice(4);
// { name, path, run: plain ODE and Brink side by side }; card.html is what the gallery is made of. A scene's run.html goes by the scene's name, others by their own.
const pages = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".html") && !["index.html", "card.html"].includes(basename(file))).map((file) => {
  const run = basename(file) === "run.html", path = join(folder, file);
  return { name: run ? basename(dirname(path)) : basename(file, ".html"), path, run };
}).filter(({ name }) => only.length === 0 || only.includes(name));
const scenes = readdirSync(folder).filter((name) => pages.some(({ path }) => relative(folder, path).startsWith(name + "/") && name !== "show"));
let passed = 0, failed = 0;
function told(name, good, text = "") {
  console.log(`${good ? "ok" : "FAILED"}: ${name}${text === "" ? "" : ": " + text}`);
  if (good) ++passed; else ++failed;
}
mkdirSync(pictures, { recursive: true });
const browser = await Browser.open(), ask = (text) => browser.evaluate(text);
const frame = () => ask("Number((document.getElementById('clock')?.textContent ?? '').split('frame ')[1])");
const until = (test) => browser.until(test, 60);
const clean = (name) => {
  told(`${name}: console`, browser.console.length === 0, browser.console.join("; "));
  browser.console.length = 0;
};
const seen = (selector) => ask(`document.querySelector('${selector}').scrollIntoView({ block: "center" })`);

async function visitRun({ name, path }, phone) {
  const label = `${name}, ${phone ? "phone" : "desktop"}`, url = pathToFileURL(path).href;
  const click = async (id) => { await seen("#" + id); await browser.clickOn("#" + id, phone); };
  const shown = (wanted) => until(`Number((document.getElementById('clock')?.textContent ?? '').split('frame ')[1]) ${wanted}`);
  await browser.resize(phone ? 390 : 1280, phone ? 844 : 800, phone);
  await browser.goTo(url);
  if (!await until("!!document.getElementById('clock')?.textContent")) return told(`${label}: opens`, false);
  const count = await ask("run.samples"), impact = await ask("run.runs[1].impacts[0] ?? 0"), step = await ask("run.step");
  told(`${label}: fits the window`, await ask("document.documentElement.scrollWidth <= innerWidth + 1"));
  for (const [k, at] of [0, Math.min(count - 1, impact + Math.round(0.5 / step)), count - 1].entries()) {
    await browser.goTo(url + "?t=" + at * step);
    told(`${label}: held at frame ${at}`, await shown(`=== ${at}`));
    await sleep(400);
    await browser.screenshot(join(pictures, `${name}_${phone ? "phone" : "desktop"}_${k + 1}.png`));
  }
  await browser.goTo(url + "?t=0");
  await shown("=== 0");
  await click("forward"); await click("forward");
  told(`${label}: frame step`, await shown("=== 2"));
  await click("back");
  told(`${label}: frame back`, await shown("=== 1"));
  if (await ask("run.runs[1].impacts.length > 0")) {
    await click("next");
    told(`${label}: next impact`, await shown(`=== ${await ask("(() => { const h = run.runs[1].impacts; for (let i = 0; i < h.length; i += 12) if (h[i] > 1) return h[i]; return h[0]; })()")}`));
  }
  const boxes = await ask("[...document.querySelectorAll('.switches input[type=checkbox]')].filter((b) => b.offsetParent && !b.disabled).map((b) => b.id)");
  for (const id of boxes) {
    const before = await ask(`document.getElementById('${id}').checked`);
    await click(id);
    told(`${label}: ${id}`, (await ask(`document.getElementById('${id}').checked`)) !== before);
    if (!before) continue; // stays on for the picture
    await click(id);
  }
  await seen("#stage");
  await sleep(600);
  await browser.screenshot(join(pictures, `${name}_${phone ? "phone" : "desktop"}_overlays.png`));
  if (!phone && await ask("run.meshes.some((m) => m.hulls)"))
    told(`${label}: hull trees are drawn`, await ask("run.meshes.filter((m) => m.hulls).every((m) => m.hulls.counts[0] >= 1)"));
  const from = await frame();
  await click("play");
  told(`${label}: plays`, await until(`Number((document.getElementById('clock')?.textContent ?? '').split('frame ')[1]) !== ${from}`));
  await click("play");
  clean(label);
}

// A page of another kind: a slider of time, buttons, switches, a view that turns.
async function visitOther({ name, path }, phone) {
  const device = phone ? "phone" : "desktop", label = `${name}, ${device}`;
  await browser.resize(phone ? 390 : 1280, phone ? 844 : 800, phone);
  await browser.goTo(pathToFileURL(path).href);
  if (!await until("document.readyState === 'complete' && !!document.querySelector('canvas') && !!document.querySelector('input[type=range]')"))
    return told(`${label}: opens`, false);
  told(`${label}: fits the window`, await ask("document.documentElement.scrollWidth <= innerWidth + 1"));
  const share = () => ask("(() => { const s = document.querySelector('input[type=range]'); return (s.value - s.min) / (s.max - s.min); })()");
  const pixels = async () => (await browser.call("Page.captureScreenshot", { format: "png" })).data;
  const press = (x, y) => phone ? browser.tap(x, y) : browser.click(x, y);
  const shots = [];
  for (const [k, wanted] of [0.05, 0.5, 0.95].entries()) {
    await seen("input[type=range]");
    const [, y, left, , width] = await browser.middleOf("input[type=range]");
    await press(left + 8 + wanted * (width - 16), y);
    await sleep(300);
    const got = await share();
    told(`${label}: the slider goes to ${wanted}`, Math.abs(got - wanted) < 0.04, got.toFixed(3));
    await seen("canvas");
    await sleep(200);
    shots.push(await pixels());
    await browser.screenshot(join(pictures, `${name}_${device}_${k + 1}.png`));
  }
  told(`${label}: each time has its picture`, new Set(shots).size === 3);
  const [x, y, , top, width, height] = await browser.middleOf("canvas");
  if (phone) {
    const at = (k) => [{ x: x - 60 + 20 * k, y: y + 5 * k }];
    await browser.call("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
    for (let k = 1; k <= 6; ++k) {
      await browser.call("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(k) });
      await sleep(40);
    }
    await sleep(300); // a finger that rests before it is lifted: after a fling Chromium takes the next tap for its end
    await browser.call("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  } else {
    await browser.drag([x - 60, y], [x + 60, y + 30], 6);
  }
  await sleep(400);
  told(`${label}: the view turns`, (await pixels()) !== shots[2], `${Math.round(width)} x ${Math.round(height)} at ${Math.round(top)}`);
  // Buttons and switches, by their place on the page: many have no name.
  const count = await ask(`(window.controls = [...document.querySelectorAll("button, input[type=checkbox]")].filter((b) => b.offsetParent && !b.disabled), controls.length)`);
  for (let k = 0; k < count; ++k) {
    const what = await ask(`controls[${k}].scrollIntoView({ block: "center" }), controls[${k}].textContent || controls[${k}].parentElement.textContent.trim()`);
    const [cx, cy, before] = await ask(`(() => { const b = controls[${k}].getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2, controls[${k}].checked ?? null]; })()`);
    const from = await share();
    await press(cx, cy);
    if (before !== null) {
      told(`${label}: ${what}`, (await ask(`controls[${k}].checked`)) !== before);
      if (before) await press(cx, cy); // stays on for the picture
    } else if (/^play$/i.test(what)) {
      await ask(`void (controls[${k}].scrollIntoView({ block: "center" }))`);
      told(`${label}: plays`, await until(`(() => { const s = document.querySelector('input[type=range]'); return Math.abs((s.value - s.min) / (s.max - s.min) - ${from}) > 1e-4; })()`));
      await press(cx, cy);
    } else {
      told(`${label}: ${what}`, await ask(`document.elementFromPoint(${cx}, ${cy}) === controls[${k}]`));
    }
  }
  await seen("canvas");
  await sleep(200);
  await browser.screenshot(join(pictures, `${name}_${device}_overlays.png`));
  clean(label);
}

try {
  if (only.length === 0 || only.includes("gallery"))
    for (const phone of [false, true]) {
      const name = `gallery, ${phone ? "phone" : "desktop"}`;
      await browser.resize(phone ? 390 : 1280, phone ? 844 : 800, phone);
      await browser.goTo(pathToFileURL(join(folder, "index.html")).href);
      told(`${name}: a card for each scene`, await until(`document.querySelectorAll("main a").length >= ${scenes.length}`));
      told(`${name}: fits the window`, await ask("document.documentElement.scrollWidth <= innerWidth + 1"));
      for (let y = 0; y < 4000; y += 600) { await ask(`scrollTo(0, ${y})`); await sleep(100); } // they load when they come into view
      told(`${name}: every picture is there`, await until("document.images.length > 0 && [...document.images].every((i) => i.complete && i.naturalWidth > 0)"),
        await ask("document.images.length + ' pictures'"));
      await ask("scrollTo(0, 0)");
      await sleep(600);
      await browser.screenshot(join(pictures, `gallery_${phone ? "phone" : "desktop"}.png`));
      clean(name);
    }
  for (const page of pages) {
    const size = statSync(page.path).size;
    told(`${page.name}: ${basename(page.path)} below 5 MB`, size < 5e6, `${size} bytes`);
    for (const phone of [false, true]) await (page.run ? visitRun : visitOther)(page, phone);
  }
} finally {
  await browser.close();
}
console.log(`${pages.length} pages; ${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
