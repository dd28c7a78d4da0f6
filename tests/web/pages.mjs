// SPDX-License-Identifier: BSD-3-Clause
// The demos' pages as a reader meets them: node pages.mjs OUT PICTURES [SCENE|gallery...]. Headless Chromium opens the gallery and
// every run.html below the folder OUT (written by `brink-demo all`), in a window of 1280 x 800 and on a phone of 390 x
// 844, takes pictures at three times, clicks every control by real events, and wants a console without a word.
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const [folder, pictures] = [resolve(process.argv[2]), resolve(process.argv[3])], only = process.argv.slice(4);
const scenes = readdirSync(folder).filter((name) => existsSync(join(folder, name, "run.html")) && (only.length === 0 || only.includes(name)));
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

async function visit(name, phone) {
  const label = `${name}, ${phone ? "phone" : "desktop"}`, url = pathToFileURL(join(folder, name, "run.html")).href;
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
  for (const name of scenes) {
    const size = statSync(join(folder, name, "run.html")).size;
    told(`${name}: run.html below 5 MB`, size < 5e6, `${size} bytes`);
    for (const phone of [false, true]) await visit(name, phone);
  }
} finally {
  await browser.close();
}
console.log(`${scenes.length} pages; ${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
