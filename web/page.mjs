// SPDX-License-Identifier: BSD-3-Clause
// Writes the playground as one HTML file: node page.mjs WEB_DIRECTORY ENGINE_JS OUT. Each /*{FILE}*/ of page.html is
// replaced by that file; playground.js is the engine, with its WebAssembly inside.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [directory, engine, out] = process.argv.slice(2);
const file = (name) => readFileSync(name === "playground.js" ? engine : join(directory, name), "utf8");
const page = file("page.html").replace(/\/\*\{([a-z.]+)\}\*\//g, (_, name) => {
  const text = file(name);
  if (/<\/(script|style)/i.test(text)) throw new Error(`${name} would end its own element`);
  return text;
});
writeFileSync(out, page);
