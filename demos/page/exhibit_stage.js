// What the pages of single questions draw with: a view that turns, and filled triangles with a depth for each pixel.
const view = document.getElementById("view"), plot = document.getElementById("plot"), slider = document.getElementById("time");
let yaw, pitch, playing = true;
const sub = (a, b) => a.map((x, i) => x - b[i]), dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / (Math.hypot(...a) || 1));
// A point of the world as [x, y] of the canvas and its depth, seen from `far` metres from the centre.
function looking(centre, far, size) {
  const cy = Math.cos(yaw), sy = Math.sin(yaw), cp = Math.cos(pitch), sp = Math.sin(pitch);
  return (p) => {
    const [x, y, z] = sub(p, centre), f = -(x * cy + y * sy), d = far + f * cp - z * sp;
    return [500 + size * (y * cy - x * sy) / d, 260 - size * (z * cp + f * sp) / d, d];
  };
}
// faces: [three points, colour]. open: both sides are seen.
function paint(faces, look, open, light) {
  const W = 1000, H = 520, g = view.getContext("2d"), image = g.createImageData(W, H), deep = new Float32Array(W * H), out = new Uint32Array(image.data.buffer);
  const edge = (p, q, x, y) => (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
  out.fill(0xfff4f1ee);
  for (const [points, color] of faces) {
    const [a, b, c] = points.map(look), whole = edge(a, b, c[0], c[1]);
    if (whole === 0 || (!open && whole > 0)) continue;
    const lit = dot(unit(cross(sub(points[1], points[0]), sub(points[2], points[0]))), light), shade = .62 + .38 * (open ? Math.abs(lit) : lit);
    const [red, green, blue] = color.map((x) => Math.round(x * shade)), ink = 0xff000000 | blue << 16 | green << 8 | red;
    const x0 = Math.max(0, Math.ceil(Math.min(a[0], b[0], c[0]))), x1 = Math.min(W - 1, Math.floor(Math.max(a[0], b[0], c[0])));
    const y0 = Math.max(0, Math.ceil(Math.min(a[1], b[1], c[1]))), y1 = Math.min(H - 1, Math.floor(Math.max(a[1], b[1], c[1])));
    for (let y = y0; y <= y1; y++) for (let x = x0; x <= x1; x++) {
      const u = edge(b, c, x, y) / whole, v = edge(c, a, x, y) / whole, w = 1 - u - v;
      if (u < 0 || v < 0 || w < 0) continue;
      const near = u / a[2] + v / b[2] + w / c[2], pixel = y * W + x;
      if (near > deep[pixel]) { deep[pixel] = near; out[pixel] = ink; }
    }
  }
  g.putImageData(image, 0, 0);
  return g;
}
