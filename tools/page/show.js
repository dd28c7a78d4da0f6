// SPDX-License-Identifier: BSD-3-Clause
// Draws one query: `query` and its block of floats and indices come from show.c. A plain script, since ES modules do
// not load from files. ?t=SECONDS holds a time still; ?show=parts,hulls switches more on. Frames: z up, m.
(function () {
  'use strict';
  const element = id => document.getElementById(id);
  const bytes = Uint8Array.from(atob(query.block), c => c.charCodeAt(0)).buffer;
  const floats = (at, count) => new Float32Array(bytes, at, count), T = query.duration;
  const COLORS = [[0.18, 0.44, 0.71], [0.85, 0.50, 0.14]], PROVEN = '#12732f', REALISED = '#c01818', GAP = '#555f6b';
  const short = x => x === null || x === undefined ? '-' : Number(x.toPrecision(6)).toString();
  const coarse = x => Number(x.toPrecision(2)).toString();
  const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = a => { const l = Math.hypot(a[0], a[1], a[2]) || 1; return [a[0] / l, a[1] / l, a[2] / l]; };

  // ---- the answer in words
  const contactTime = query.toi === null ? null : query.toi;
  const words = {
    free: 'never touches: proven for the whole motion' + (query.distance > 0 ? ', at least ' + short(query.distance) +
      ' m apart' : ''),
    hit: 'first contact at ' + short(query.toi * T) + ' s, ' + (query.toiUpper > query.toi ? 'proven to within ' +
      coarse((query.toiUpper - query.toi) * T) + ' s' : 'proven to the last bit of that time') + '; ' + coarse(query.distance) + ' m apart then',
    overlap: 'touches or overlaps at the start',
    unresolved: 'budget spent: proven free until ' + short(query.toi * T) + ' s'};
  element('verdict').innerHTML = '<b class="' + query.state + '">' + query.state + '</b>: ' + words[query.state];
  const note = text => { const p = document.createElement('p'); p.textContent = text; element('notes').append(p); };
  query.bodies.forEach((b, i) => {
    note('Body ' + 'AB'[i] + (i ? ' (orange): ' : ' (blue): ') + b.kind + ', ' + b.vertices + ' vertices, ' + b.triangles +
      ' simplices' + (b.every > 1 ? '; one triangle of ' + b.every + ' is drawn' : '') +
      (b.linear ? '; it has no tree of hulls, its boxes hold the places of its vertices' : '; ' + b.hulls.length +
      ' depths of hulls'));
  });
  if (query.culled) note('The swept boxes do not meet, so no iteration was needed.');
  if (!query.distances.length)
    note('No gap over time: the library tells neither distance nor clearance of linear bodies.');
  else if (!query.parts.length && T > 0) note('No clearance: this build has none, or it took too long.');
  else if (query.parts.length < 64 && T > 0) note('Clearance took too long: it is shown for a part of the motion.');

  // ---- places in time
  function mixPose(poses, t) {
    const at = Math.min(Math.max(t, 0), 1) * (poses.length - 1), i = Math.min(Math.floor(at), poses.length - 2), f = at - i;
    const a = poses[i], b = poses[i + 1], turn = dot(a.slice(4), b.slice(4)) + a[3] * b[3] < 0 ? -1 : 1, out = [];
    for (let k = 0; k < 7; k++) out[k] = a[k] + f * ((k < 3 ? 1 : turn) * b[k] - a[k]);
    const length = Math.hypot(...out.slice(3));
    for (let k = 3; k < 7; k++) out[k] /= length;
    return out;
  }
  const REST = [0, 0, 0, 1, 0, 0, 0];
  const bodies = query.bodies.map(b => {
    const width = b.linear ? 6 : 3, source = floats(b.points, width * b.pointCount);
    const corners = new Uint32Array(bytes, b.corners, 3 * b.triangleCount), faces = [], edges = [], dots = [];
    for (let i = 0; i < corners.length; i += 3) {
      const [p, q, r] = [corners[i], corners[i + 1], corners[i + 2]];
      if (p === q && q === r) dots.push(p);
      else if (p === q || q === r || p === r) edges.push(p, p === q ? r : q);
      else faces.push(p, q, r);
    }
    if (!corners.length) for (let i = 0; i < b.pointCount; i++) dots.push(i);
    const at = t => {
      if (!b.linear) return source;
      const out = new Float32Array(3 * b.pointCount);
      for (let i = 0; i < b.pointCount; i++)
        for (let k = 0; k < 3; k++) out[3 * i + k] = (1 - t) * source[6 * i + k] + t * source[6 * i + 3 + k];
      return out;
    };
    return {data: b, at, faces, edges, dots, pose: t => b.linear ? REST : mixPose(b.poses, t)};
  });

  // ---- drawing
  const canvas = element('view'), gl = canvas.getContext('webgl2', {antialias: true, preserveDrawingBuffer: true});
  if (!gl) {
    element('fault').textContent = 'This page draws with WebGL 2, which this browser does not offer.';
    element('fault').style.display = 'block';
  }
  const low = [0, 1, 2].map(k => Math.min(...query.bodies.flatMap(b => b.boxes.slice(1).map(box => box[k]))));
  const high = [0, 1, 2].map(k => Math.max(...query.bodies.flatMap(b => b.boxes.slice(1).map(box => box[k + 3]))));
  const size = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
  const camera = {target: add(low, high).map(x => x / 2), yaw: -1.1, pitch: 0.4, distance: 1.35 * size};
  const VERTEX = `#version 300 es
    uniform mat4 view; uniform vec4 turn; uniform vec3 place; uniform vec3 middle; layout(location=0) in vec3 point; out vec3 world;
    void main() {
      vec3 t = 2.0 * cross(turn.yzw, point);
      world = point + turn.x * t + cross(turn.yzw, t) + place - middle;
      gl_Position = view * vec4(world, 1.0); gl_PointSize = 7.0;
    }`;
  const FRAGMENT = `#version 300 es
    precision highp float; uniform vec4 color; uniform bool lit; in vec3 world; out vec4 result;
    void main() {
      float light = 1.0;
      if (lit) {
        vec3 n = normalize(cross(dFdx(world), dFdy(world)));
        light = 0.55 + 0.45 * abs(dot(n, normalize(vec3(0.4, -0.5, 0.8))));
      }
      result = vec4(color.rgb * light * color.a, color.a);
    }`;
  let program, buffer, indexBuffer;
  const uniform = {};
  function start() {
    program = gl.createProgram();
    [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]].forEach(([kind, text]) => {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    });
    gl.linkProgram(program);
    gl.useProgram(program);
    ['view', 'turn', 'place', 'middle', 'color', 'lit'].forEach(n => { uniform[n] = gl.getUniformLocation(program, n); });
    buffer = gl.createBuffer();
    indexBuffer = gl.createBuffer();
    gl.enableVertexAttribArray(0);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }
  function axes() {
    const c = Math.cos(camera.pitch);
    const back = [c * Math.cos(camera.yaw), c * Math.sin(camera.yaw), Math.sin(camera.pitch)];
    const right = unit(cross([0, 0, 1], back));
    return {back, right, up: cross(back, right)};
  }
  function viewMatrix(aspect) { // of points relative to the target
    const {back, right, up} = axes(), far = camera.distance + 2 * size, near = Math.max(camera.distance - 2 * size, 1e-3 * camera.distance);
    const f = 2.2 * Math.min(1, aspect), d = camera.distance, a = (far + near) / (near - far), b = 2 * far * near / (near - far);
    const out = new Float32Array(16);
    for (let k = 0; k < 3; k++) {
      out[4 * k] = right[k] * f / aspect; out[4 * k + 1] = up[k] * f;
      out[4 * k + 2] = back[k] * a; out[4 * k + 3] = -back[k];
    }
    out[14] = b - d * a; out[15] = d;
    return out;
  }
  function draw(kind, points, pose, color, indices, lit) {
    if (!points.length || (indices && !indices.length)) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.STREAM_DRAW);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.uniform4fv(uniform.turn, pose.slice(3));
    gl.uniform3fv(uniform.place, pose.slice(0, 3));
    gl.uniform4fv(uniform.color, color);
    gl.uniform1i(uniform.lit, lit ? 1 : 0);
    if (!indices) { gl.drawArrays(kind, 0, points.length / 3); return; }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indexBuffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(indices), gl.STREAM_DRAW);
    gl.drawElements(kind, indices.length, gl.UNSIGNED_INT, 0);
  }
  function drawBody(body, t, color) {
    const points = body.at(t), pose = body.pose(t);
    draw(gl.TRIANGLES, points, pose, color, body.faces, true);
    draw(gl.LINES, points, pose, color, body.edges);
    draw(gl.POINTS, points, pose, color, body.dots);
    if (!body.faces.length && body.data.hulls.length) drawHulls(body, t, 0, color);
  }
  function drawHulls(body, t, depth, color) {
    if (!body.data.hulls.length) return;
    const [at, count] = body.data.hulls[Math.min(depth, body.data.hulls.length - 1)];
    draw(gl.LINES, floats(at, 6 * count), body.pose(t), color);
  }
  function drawBox(b, color) {
    const corner = i => [b[i & 1 ? 3 : 0], b[i & 2 ? 4 : 1], b[i & 4 ? 5 : 2]], out = [];
    for (let i = 0; i < 8; i++) for (let k = 1; k < 8; k *= 2) if (!(i & k)) out.push(...corner(i), ...corner(i | k));
    draw(gl.LINES, new Float32Array(out), REST, color);
  }
  function drawWitness([a, b, normal], color) {
    draw(gl.POINTS, new Float32Array([...a, ...b]), REST, color);
    const tip = add(a, normal, 0.1 * size), side = unit(cross(normal, Math.abs(normal[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
    const left = add(add(tip, normal, -0.025 * size), side, 0.012 * size);
    const right = add(add(tip, normal, -0.025 * size), side, -0.012 * size);
    draw(gl.LINES, new Float32Array([...a, ...b, ...a, ...tip, ...tip, ...left, ...tip, ...right]), REST, color);
  }
  const ghost = (color, a) => [...color, a];
  const on = id => element(id).checked;
  function paint() {
    const ratio = Math.min(2, devicePixelRatio), width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    if (gl && width && height) {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0.93, 0.945, 0.957, 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.uniformMatrix4fv(uniform.view, false, viewMatrix(width / height));
      gl.uniform3fv(uniform.middle, camera.target);
      gl.enable(gl.DEPTH_TEST);
      bodies.forEach((body, i) => drawBody(body, time, ghost(COLORS[i], 1)));
      gl.depthMask(false);
      if (on('showEnds')) bodies.forEach((body, i) => [0, contactTime, 1].forEach(t => {
        if (t !== null && Math.abs(t - time) > 1e-9) drawBody(body, t, ghost(COLORS[i], t === contactTime ? 0.45 : 0.22));
      }));
      bodies.forEach((body, i) => {
        if (on('showBoxes')) drawBox(body.data.boxes[0], ghost(COLORS[i], 0.9));
        if (on('showParts')) body.data.boxes.slice(1).forEach(b => drawBox(b, ghost(COLORS[i], 0.45)));
      });
      gl.disable(gl.DEPTH_TEST);
      if (on('showHulls')) bodies.forEach((body, i) => drawHulls(body, time, +element('depth').value, [0.76, 0.09, 0.5, 0.7]));
      if (on('showWitness')) {
        if (query.witness) drawWitness(query.witness, [0.75, 0.1, 0.1, 1]);
        const sample = query.distances[Math.round(time * (query.distances.length - 1))];
        if (sample && sample[1] > 0) drawWitness(sample.slice(2), [0.1, 0.35, 0.2, 1]);
      }
      gl.depthMask(true);
    }
    element('clock').textContent = 't = ' + (time * T).toFixed(4) + ' s of ' + short(T) + ' s';
    element('scrub').value = time;
    graphs();
  }

  // ---- graphs
  function graph(id, series, log, unitX, mark) {
    const picture = element(id), pen = picture.getContext('2d'), ratio = Math.min(2, devicePixelRatio);
    const w = picture.clientWidth, h = picture.clientHeight, shown = series.filter(s => s.points.length);
    picture.width = w * ratio; picture.height = h * ratio;
    pen.scale(ratio, ratio);
    pen.font = '11px sans-serif';
    pen.fillStyle = GAP;
    element(id + 'Key').innerHTML = shown.map(s => '<span><i class="key" style="background:' + s.color + '"></i>' + s.name +
      '</span>').join('');
    if (!shown.length) { pen.fillText('nothing to show', 8, 20); return; }
    const all = shown.flatMap(s => s.points).filter(p => p[1] !== null), map = x => log ? Math.log(x) : x;
    let [x0, x1] = [Math.min(...all.map(p => map(p[0]))), Math.max(...all.map(p => map(p[0])))];
    let [y0, y1] = [Math.min(0, ...all.map(p => p[1])), Math.max(...all.map(p => p[1]))];
    if (x1 === x0) x1 = x0 + 1;
    if (y1 === y0) y1 = y0 + 1;
    const left = 46, bottom = 16, X = x => left + (w - left - 6) * (map(x) - x0) / (x1 - x0);
    const Y = y => 6 + (h - bottom - 12) * (1 - (y - y0) / (y1 - y0));
    pen.strokeStyle = '#dcdfe3';
    [y0, 0, y1].forEach(y => { pen.beginPath(); pen.moveTo(left, Y(y)); pen.lineTo(w - 6, Y(y)); pen.stroke(); });
    pen.textAlign = 'right';
    [...new Set([y0, y1])].forEach(y => pen.fillText(Number(y.toPrecision(3)), left - 4, Y(y) + 4));
    pen.fillText(short(log ? Math.round(Math.exp(x1)) : x1) + ' ' + unitX, w - 6, h - 3);
    pen.textAlign = 'left';
    pen.fillText(short(log ? Math.round(Math.exp(x0)) : x0), left, h - 3);
    shown.forEach(s => {
      pen.strokeStyle = pen.fillStyle = s.color;
      pen.lineWidth = s.dots ? 1 : 1.6;
      pen.beginPath();
      let down = false;
      s.points.forEach(([x, y]) => {
        if (y === null) { down = false; return; }
        if (s.dots || s.points.length === 1) pen.fillRect(X(x) - 1.5, Y(y) - 1.5, 3, 3);
        else pen[down ? 'lineTo' : 'moveTo'](X(x), Y(y));
        down = true;
      });
      if (!s.dots) pen.stroke();
    });
    if (mark !== undefined) { pen.fillStyle = '#18202a'; pen.fillRect(X(mark), 4, 1, h - bottom - 8); }
  }
  // Lower bounds hold for a whole part of the motion: a level line over it.
  const steps = query.parts.flatMap(p => [[p[0] * T, p[2]], [p[1] * T, p[2]]]);
  function graphs() {
    graph('gap', [{name: 'distance, m', color: GAP, points: query.distances.map(d => [d[0] * T, d[1]])},
      {name: 'proven lower', color: PROVEN, points: steps},
      {name: 'realised', color: REALISED, dots: true, points: query.parts.map(p => [p[4] * T, p[3]])}], false, 's', time * T);
    graph('bracket', [{name: 'proven free until, s', color: PROVEN, points: query.bracket.map(b => [b[0], b[1] * T])},
      {name: 'contact known, s', color: REALISED, dots: true, points: query.bracket.map(b => [b[0], b[2] === null ? null : b[2] * T])}],
      true, 'iterations');
    graph('clearance', [{name: 'proven, m', color: PROVEN, points: query.clearance.map(b => [b[0], b[1]])},
      {name: 'realised, m', color: REALISED, points: query.clearance.map(b => [b[0], b[2]])}], true, 'distance queries');
  }

  // ---- input
  const wanted = new URLSearchParams(location.search);
  let time = wanted.has('t') ? Math.min(1, wanted.get('t') / (T || 1)) : contactTime !== null ? contactTime : 0, playing = null;
  (wanted.get('show') || '').split(',').forEach(name => {
    const box = element('show' + name.charAt(0).toUpperCase() + name.slice(1));
    if (box) box.checked = true;
  });
  if (wanted.has('depth')) element('depth').value = wanted.get('depth');
  const go = t => { time = t; paint(); };
  element('scrub').oninput = () => go(+element('scrub').value);
  element('toStart').onclick = () => go(0);
  element('toEnd').onclick = () => go(1);
  element('toContact').onclick = () => go(contactTime);
  element('toContact').disabled = contactTime === null;
  document.querySelectorAll('.switches input').forEach(box => { box.onchange = paint; });
  element('play').onclick = () => {
    if (playing !== null) { cancelAnimationFrame(playing); playing = null; element('play').textContent = 'play'; return; }
    element('play').textContent = 'pause';
    let last = performance.now();
    if (time >= 1) time = 0;
    const frame = now => {
      go(Math.min(1, time + (now - last) / 4000));
      last = now;
      if (time < 1) playing = requestAnimationFrame(frame);
      else { playing = null; element('play').textContent = 'play'; }
    };
    playing = requestAnimationFrame(frame);
  };
  const fingers = new Map(); // where each is held
  const apart = () => { const [a, b] = [...fingers.values()]; return Math.max(1, Math.hypot(a[0] - b[0], a[1] - b[1])); };
  const zoom = factor => { camera.distance = Math.min(20 * size, Math.max(1e-3 * size, camera.distance * factor)); };
  canvas.onpointerdown = e => { fingers.set(e.pointerId, [e.clientX, e.clientY]); canvas.setPointerCapture(e.pointerId); };
  canvas.onpointerup = canvas.onpointercancel = e => fingers.delete(e.pointerId);
  canvas.onpointermove = e => {
    const was = fingers.get(e.pointerId);
    if (!was) return;
    const dx = e.clientX - was[0], dy = e.clientY - was[1], {right, up} = axes(), s = camera.distance / canvas.clientHeight;
    const wide = fingers.size === 2 ? apart() : 0;
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
    if (fingers.size === 2) zoom(wide / apart());
    else if (e.shiftKey) camera.target = add(add(camera.target, right, -dx * s), up, dy * s);
    else { camera.yaw -= dx * 0.008; camera.pitch = Math.min(1.5, Math.max(-1.5, camera.pitch + dy * 0.008)); }
    paint();
  };
  canvas.addEventListener('wheel', e => {
    e.preventDefault();
    zoom(Math.exp(e.deltaY * 0.001));
    paint();
  }, {passive: false});
  window.onresize = paint;
  if (gl) start();
  paint();
})();
