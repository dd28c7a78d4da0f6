// SPDX-License-Identifier: BSD-3-Clause
// A headless Chromium that is driven over its debugging pipe (no port, no driver, no package beside chromium itself):
// real mouse and touch events, screenshots, the console.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const ANSWER_SECONDS = 60;

export class Browser {
  static async open(program = process.env.CHROMIUM || "chromium") {
    const browser = new Browser();
    browser.home = mkdtempSync(join(tmpdir(), "brink-web-"));
    browser.child = spawn(program, ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run",
      "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
      "--use-angle=swiftshader", "--enable-unsafe-swiftshader", `--user-data-dir=${browser.home}`, "about:blank"],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.waiting = new Map();
    browser.console = []; // warnings, errors and exceptions of the page
    browser.lastId = 0;
    let rest = "";
    browser.child.stdio[4].setEncoding("utf8");
    browser.child.stdio[4].on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      for (const message of messages) browser.receive(JSON.parse(message));
    });
    browser.child.on("exit", () => { for (const { reject } of browser.waiting.values()) reject(new Error("chromium ended")); });
    const { targetId } = await browser.call("Target.createTarget", { url: "about:blank" }, null);
    browser.session = (await browser.call("Target.attachToTarget", { targetId, flatten: true }, null)).sessionId;
    for (const domain of ["Page", "Runtime", "Log"]) await browser.call(domain + ".enable");
    return browser;
  }
  receive(message) {
    if (message.id !== undefined) {
      const { resolve, reject } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
      return;
    }
    const p = message.params;
    if (message.method === "Runtime.exceptionThrown")
      this.console.push("exception: " + (p.exceptionDetails.exception?.description || p.exceptionDetails.text));
    if (message.method === "Runtime.consoleAPICalled" && /error|warning|assert/.test(p.type))
      this.console.push(p.type + ": " + p.args.map((a) => a.value ?? a.description).join(" "));
    // The software renderer that stands in for a graphics card tells how slow it is: not the page's doing.
    if (message.method === "Log.entryAdded" && /error|warning/.test(p.entry.level) && !/GPU stall|swiftshader/i.test(p.entry.text))
      this.console.push(p.entry.level + ": " + p.entry.text);
  }
  call(method, params = {}, sessionId = this.session) {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer in ${ANSWER_SECONDS} s`)), 1000 * ANSWER_SECONDS);
      const settle = (how) => (value) => { clearTimeout(timer); how(value); };
      this.waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.child.stdio[3].write(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }) + "\0");
    });
  }
  async resize(width, height, phone = false) {
    await this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: phone });
    await this.call("Emulation.setTouchEmulationEnabled", { enabled: phone });
  }
  goTo(url) { return this.call("Page.navigate", { url }); }
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  }
  async until(expression, seconds = 30) {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; await sleep(50))
      if (await this.evaluate(expression)) return true;
    return false;
  }
  mouse(type, x, y, more = {}) {
    return this.call("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseWheel" ? "none" : "left", clickCount: 1,
      buttons: type === "mouseReleased" ? 0 : 1, ...more });
  }
  async click(x, y) {
    await this.mouse("mouseMoved", x, y, { buttons: 0, button: "none" });
    await this.mouse("mousePressed", x, y);
    await this.mouse("mouseReleased", x, y);
  }
  async drag(from, to, steps = 12, pause = 16) {
    await this.mouse("mousePressed", ...from);
    for (let i = 1; i <= steps; ++i) {
      await this.mouse("mouseMoved", from[0] + (to[0] - from[0]) * i / steps, from[1] + (to[1] - from[1]) * i / steps);
      await sleep(pause);
    }
    await this.mouse("mouseReleased", ...to);
  }
  async tap(x, y) {
    await this.call("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
    await this.call("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  }
  async middleOf(selector) {
    const box = await this.evaluate(`(() => { const b = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
      return [b.left + b.width / 2, b.top + b.height / 2, b.left, b.top, b.width, b.height]; })()`);
    return box;
  }
  async clickOn(selector, tap = false) {
    const [x, y] = await this.middleOf(selector);
    await (tap ? this.tap(x, y) : this.click(x, y));
  }
  async screenshot(path) {
    const { data } = await this.call("Page.captureScreenshot", { format: "png" });
    writeFileSync(path, Buffer.from(data, "base64"));
  }
  async close() {
    const ended = new Promise((resolve) => this.child.on("exit", resolve));
    this.call("Browser.close", {}, null).catch(() => {});
    await Promise.race([ended, sleep(5000).then(() => this.child.kill("SIGKILL"))]);
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}
