yaw = -2.36; pitch = .35;
const turn = (w, p) => {
  const a = Math.hypot(...w);
  if (a === 0) return p;
  const k = w.map((x) => x / a), c = Math.cos(a), s = Math.sin(a), across = cross(k, p);
  return p.map((x, i) => x * c + across[i] * s + k[i] * dot(k, p) * (1 - c));
};
const place = (b, t, p) => turn(b.spin.map((x) => x * t), turn(b.start, p)).map((x, i) => x + b.position[i] + t * b.velocity[i]);
function draw(t) {
  const look = looking([-.3, 0, 0], 4.2, 900), faces = [];
  for (const b of cell.bodies) {
    const v = b.vertices.map((p) => place(b, t, p));
    for (const f of b.triangles) faces.push([f.map((i) => v[i]), b.color]);
  }
  const g = paint(faces, look, false, [-.3, -.5, .8]);
  const i = Math.min(cell.pieces.length - 1, Math.floor(t * cell.pieces.length)), p = cell.pieces[i], a = look(p[3]), b = look(p[4]);
  g.strokeStyle = "#d01818";
  g.lineWidth = 5;
  g.beginPath();
  g.moveTo(a[0], a[1]);
  g.lineTo(b[0], b[1]);
  g.stroke();
  g.lineWidth = 1;
  document.getElementById("said").textContent = `t = ${t.toFixed(3)} s. In this eightieth: proven at least ${(1e3 * p[0]).toFixed(4)} mm, met ${(1e3 * p[1]).toFixed(4)} mm at ${p[2].toFixed(4)} s.`;
  const h = plot.getContext("2d"), n = cell.pieces.length, y = (d) => 300 - 300 * Math.min(d, .4) / .4;
  h.clearRect(0, 0, 1000, 300);
  cell.pieces.forEach((e, k) => {
    h.fillStyle = "#a8d6aa";
    h.fillRect(1000 * k / n, y(e[0]), 1000 / n + .5, 300);
    h.fillStyle = "#285aa0";
    h.fillRect(1000 * k / n, y(e[1]) - 1, 1000 / n + .5, 3);
  });
  h.fillStyle = "#667";
  h.fillRect(0, y(cell.required), 1000, 2);
  h.fillStyle = "#d01818";
  h.fillRect(1000 * t - 1, 0, 2, 300);
}
