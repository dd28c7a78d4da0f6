// SPDX-License-Identifier: BSD-3-Clause
// Do queries give the native build's bits in WebAssembly? node bits.mjs NATIVE WASM_JS SAMPLES [MUSL]
// Linear motions (public queries where they are there, generated ones always) need no function of the C library: every
// bit must be equal. Turning bodies go through its sin and cos, whose last bits differ between C libraries: there the
// states must be equal, the times as far as the tolerance decides them (1e-6 m at the speed of approach), and the share
// of equal lines is told. MUSL is a native build with WebAssembly's C library: its bits must be equal there too.
// SAMPLES: folder of public queries, may be missing.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [native, wasm, samples, musl] = process.argv.slice(2);
let passed = 0, failed = 0;

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error || stderr}`);
  return stdout.trimEnd().split("\n");
}
const both = (args, twin = native) => [run(twin, args), run(process.execPath, [wasm, ...args])];

function told(name, good, text) {
  console.log(`${good ? "ok" : "FAILED"}: ${name}: ${text}`);
  if (good) ++passed; else ++failed;
}

function sameBits(name, args, twin) {
  const [a, b] = both(args, twin), different = a.findIndex((line, i) => line !== b[i]);
  const states = [0, 0, 0, 0];
  for (const line of a) ++states[Number(line.split(" ")[1])];
  told(name, a.length === b.length && different < 0, different < 0 ? `${a.length} answers, all bits equal (${states.join("/")} free/hit/overlap/unresolved)`
    : `native\n${a[different]}\nWebAssembly\n${b[different]}`);
  return a.length;
}

// A hexadecimal double as %a prints it.
function value(text) {
  const m = /^(-?)0x([0-9a-f]+)(?:\.([0-9a-f]*))?p([+-]\d+)$/.exec(text);
  if (!m) return Number(text);
  const digits = m[3] || "";
  return (m[1] ? -1 : 1) * Number("0x" + m[2] + digits) * 2 ** (Number(m[4]) - 4 * digits.length);
}

if (existsSync(samples)) {
  const files = { vf: [], ee: [] };
  for (const entry of readdirSync(samples, { recursive: true }).sort())
    if (entry.endsWith(".csv")) files[entry.includes("vertex-face") ? "vf" : "ee"].push(join(samples, entry));
  let count = 0;
  for (const kind of ["vf", "ee"]) if (files[kind].length > 0) count += sameBits("public queries, " + kind, [kind, ...files[kind]]);
  console.log(`public queries: ${count} in all`);
} else {
  console.log("public queries: not there, left out");
}
sameBits("generated queries on lines", ["lines", "14", "5000"]);
const [a, b] = both(["turns", "15", "1000"]);
const same = a.filter((line, i) => line === b[i]).length;
const wrong = a.findIndex((line, i) => {
  const one = line.split(" "), two = (b[i] || "").split(" "), speed = one.length > 15 ? Math.abs(value(one[15])) : 1;
  return one[1] !== two[1] || !(Math.abs(value(one[2]) - value(two[2])) <= 2e-6 / Math.max(speed, 1e-3));
});
told("turning bodies", a.length === b.length && wrong < 0, wrong < 0
  ? `${a.length} answers with equal states and times, ${same} of them equal to the last bit` : `native ${a[wrong]}, WebAssembly ${b[wrong]}`);
// Witness points of a hit are as far apart as the answer says.
const apart = b.findIndex((line) => {
  const n = line.split(" ").map(value);
  return n.length > 15 && n[1] === 1 && !(Math.abs(Math.hypot(n[6] - n[9], n[7] - n[10], n[8] - n[11]) - n[5]) <= 1e-9);
});
told("witness points in WebAssembly", apart < 0, apart < 0 ? "as far apart as the distance" : b[apart]);
if (musl && existsSync(musl)) sameBits("turning bodies, native with WebAssembly's C library", ["turns", "16", "2000"], musl);
else console.log("turning bodies, native with WebAssembly's C library: left out, no musl-gcc (Debian package musl-tools)");
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
