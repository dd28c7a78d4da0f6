yaw = -1.9; pitch = .4;
const ramp = [[68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37]];
const mix = (a, b, s) => a.map((x, k) => x + s * (b[k] - x));
const hue = (t) => {
  const i = Math.min(4, Math.floor(5 * t));
  return mix(ramp[i], ramp[i + 1], 5 * t - i);
};
const at = (t) => {
  const n = show.keys.length - 1, i = Math.min(n - 1, Math.floor(t * n));
  return mix(show.keys[i], show.keys[i + 1], t * n - i);
};
const move = (m, p) => [0, 1, 2].map((r) => m[4 * r] * p[0] + m[4 * r + 1] * p[1] + m[4 * r + 2] * p[2] + m[4 * r + 3]);
function draw(t) {
  const m = at(t), faces = [];
  show.bodies.forEach((b, n) => {
    const v = n ? b.vertices.map((p) => move(m, p)) : b.vertices;
    b.triangles.forEach((f, k) => {
      const met = b.times[k], still = n ? [205, 180, 140] : [170, 178, 188];
      faces.push([f.map((i) => v[i]), met && t >= met[0] ? (t <= met[1] ? [225, 70, 50] : hue(met[0])) : still]);
    });
  });
  paint(faces, looking([0, 0, 0], 4.8, 900), true, [-.3, -.5, .8]);
  const h = plot.getContext("2d");
  h.fillStyle = "#a8d6aa";
  h.fillRect(0, 0, 1000, 60);
  h.fillStyle = "#d66050";
  for (const [a, b] of show.intervals) h.fillRect(1000 * a, 0, 1000 * (b - a), 60);
  h.fillStyle = "#111";
  h.fillRect(1000 * t - 1, 0, 2, 60);
}
