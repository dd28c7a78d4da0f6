// SPDX-License-Identifier: BSD-3-Clause
// Plays two runs of a scene side by side under one camera. `run` and its binary block come from run_page.c.
// A plain script: ES modules do not load from file://. ?t=SECONDS holds a time still.
(function () {
  'use strict';
  const element = id => document.getElementById(id);
  const fault = text => { element('fault').textContent = text; element('fault').style.display = 'block'; };
  const bytes = (text => {
    const s = atob(text), b = new Uint8Array(s.length);
    for (let i = 0; i < s.length; i++) b[i] = s.charCodeAt(i);
    return b.buffer;
  })(run.block);
  const floats = (at, count) => new Float32Array(bytes, at, count);
  const words = (at, count) => new Uint16Array(bytes.slice(at, at + 2 * count));
  const TERRAIN = 1, GROUND = 2, BODY_LIMIT = 200;
  const last = run.samples - 1, end = last * run.step;

  element('plainHeadline').textContent = run.plainText;
  element('brinkHeadline').textContent = run.brinkText;
  if (run.parts) document.body.classList.add('counted');
  if (!run.good) document.body.classList.add('broken');

  // ---- what was recorded
  run.runs.forEach(data => {
    const figures = data.figures;
    for (const name in figures) figures[name] = floats(figures[name], run.samples);
    data.masks = new Uint32Array(bytes, data.masks, 4 * run.samples);
    data.impacts = floats(data.impacts[0], 12 * data.impacts[1]);
    if (data.cut) data.cut.edge = new Uint16Array(bytes, data.cut.at, 2 * data.cut.points * run.samples);
    data.tracks = data.tracks.map(t => ({
      frames: words(t[0], t[1]), poses: words(t[0] + 2 * t[1], 7 * t[1]), low: t.slice(2, 5), step: t.slice(5, 8)}));
  });
  const hasPart = (masks, at, part) => part >= 0 && part < 64 && (masks[at + (part >> 5)] >>> (part & 31)) & 1;
  function countParts(masks, at) {
    let count = 0;
    for (let part = 0; part < 64; part++) if (hasPart(masks, at, part)) count++;
    return count;
  }
  // Pose of a track at a time in samples: 7 numbers into out.
  function poseAt(track, time, out) {
    const f = track.frames, p = track.poses;
    let low = 0, high = f.length - 1;
    while (low < high) { const middle = (low + high + 1) >> 1; if (f[middle] <= time) low = middle; else high = middle - 1; }
    const next = Math.min(low + 1, f.length - 1);
    const part = next > low ? Math.max(0, Math.min(1, (time - f[low]) / (f[next] - f[low]))) : 0;
    const mix = k => p[7 * low + k] + part * (p[7 * next + k] - p[7 * low + k]);
    for (let k = 0; k < 3; k++) out[k] = track.low[k] + track.step[k] * mix(k);
    let norm = 0;
    for (let k = 3; k < 7; k++) { out[k] = mix(k) / 32767.5 - 1; norm += out[k] * out[k]; }
    for (let k = 3; k < 7; k++) out[k] /= Math.sqrt(norm);
    return out;
  }

  // ---- drawing
  const canvas = element('view');
  let renderer;
  try { renderer = new THREE.WebGLRenderer({canvas, antialias: true}); }
  catch (e) { fault('This page draws with WebGL, which this browser does not offer: ' + e.message); return; }
  renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
  renderer.gammaOutput = true;
  renderer.gammaFactor = 2.2;
  renderer.shadowMap.enabled = true;
  renderer.setScissorTest(true);
  const camera = new THREE.PerspectiveCamera(40, 1, run.size * 0.002, run.size * 60);
  const controls = new THREE.OrbitControls(camera, canvas);
  const upright = p => new THREE.Vector3(p[0], p[2], -p[1]);
  controls.target.copy(upright(run.target));
  camera.position.copy(upright(run.eye));
  controls.update();
  const startOffset = camera.position.clone().sub(controls.target);

  const smooth = (from, to, x) => { const t = Math.max(0, Math.min(1, (x - from) / (to - from))); return t * t * (3 - 2 * t); };
  function terrainColor(slope, height, out) {
    const steep = smooth(0.90, 0.72, slope), cold = smooth(0.55, 0.75, height) * smooth(0.55, 0.8, slope);
    const grass = [0.44, 0.55, 0.34], rock = [0.55, 0.51, 0.47], snow = [0.95, 0.96, 0.98];
    for (let k = 0; k < 3; k++) {
      const c = grass[k] + steep * (rock[k] - grass[k]);
      out[k] = Math.pow(c + cold * (snow[k] - c), 2.2);
    }
  }
  const geometries = run.meshes.map(m => {
    const packed = new Uint16Array(bytes, m.at, 3 * m.vertices), position = new Float32Array(3 * m.vertices);
    for (let i = 0; i < position.length; i++) position[i] = m.low[i % 3] + m.step[i % 3] * packed[i];
    const corners = m.wide ? new Uint32Array(bytes, m.corners, 3 * m.triangles)
      : new Uint16Array(bytes, m.corners, 3 * m.triangles);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
    geometry.setIndex(new THREE.BufferAttribute(corners, 1));
    geometry.computeVertexNormals();
    geometry.computeBoundingBox();
    if (m.hulls) geometry.userData = {hulls: hullLines(m.hulls)};
    return geometry;
  });
  // Edges of the hulls at each depth of a mesh's tree.
  function hullLines(hulls) {
    let at = hulls.at;
    return hulls.counts.map(count => {
      const packed = new Uint16Array(bytes, at, 6 * count), position = new Float32Array(6 * count);
      for (let i = 0; i < position.length; i++) position[i] = hulls.low[i % 3] + hulls.step[i % 3] * packed[i];
      at += 12 * count;
      return new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(position, 3));
    });
  }
  function colorTerrain(geometry) {
    const position = geometry.attributes.position, normal = geometry.attributes.normal, box = geometry.boundingBox;
    const colors = new Float32Array(3 * position.count), one = [0, 0, 0];
    for (let i = 0; i < position.count; i++) {
      terrainColor(Math.abs(normal.getZ(i)), (position.getZ(i) - box.min.z) / (box.max.z - box.min.z || 1), one);
      colors.set(one, 3 * i);
    }
    geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
  }
  // Terrain before the cut is left out: each vertex knows how far behind the cut it is.
  function cutMaterial(material, cut) {
    const edge = {value: new Float32Array(cut.points)};
    material.onBeforeCompile = shader => {
      shader.uniforms.cutEdge = edge;
      shader.vertexShader = 'uniform float cutEdge[' + cut.points + '];\nvarying float behindCut;\n' +
        shader.vertexShader.replace('#include <begin_vertex>', '#include <begin_vertex>\n' +
          'float place = clamp((position.x - ' + cut.first.toFixed(4) + ') / ' + cut.spacing.toFixed(4) + ', 0.0, ' +
          (cut.points - 1.001).toFixed(4) + ');\nint cell = int(floor(place));\n' +
          'behindCut = position.y - mix(cutEdge[cell], cutEdge[cell + 1], fract(place));\n');
      shader.fragmentShader = 'varying float behindCut;\n' +
        shader.fragmentShader.replace('void main() {', 'void main() {\nif (behindCut < 0.0) discard;\n');
    };
    return edge.value;
  }
  function stripes() {
    const picture = document.createElement('canvas');
    picture.width = 1; picture.height = 4;
    const pen = picture.getContext('2d');
    ['#80664a', '#8c6e4f', '#785c42', '#86694a'].forEach((color, i) => { pen.fillStyle = color; pen.fillRect(0, i, 1, 1); });
    const texture = new THREE.CanvasTexture(picture);
    texture.magFilter = texture.minFilter = THREE.NearestFilter;
    texture.generateMipmaps = false;
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.encoding = THREE.GammaEncoding;
    return texture;
  }
  function makeCurtain(cut) {
    const count = cut.points, geometry = new THREE.BufferGeometry(), corners = [];
    for (let i = 0; i + 1 < count; i++)
      for (let row = 0; row < 2; row++) {
        const a = 3 * i + row, b = a + 3;
        corners.push(a, b, b + 1, a, b + 1, a + 1);
      }
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(9 * count), 3));
    geometry.setAttribute('uv', new THREE.BufferAttribute(new Float32Array(6 * count), 2));
    const colors = new Float32Array(9 * count);
    for (let i = 0; i < colors.length; i++) colors[i] = i % 9 < 3 ? 0.25 : 1;
    geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
    geometry.setIndex(corners);
    const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({map: stripes(), vertexColors: THREE.VertexColors,
      side: THREE.DoubleSide}));
    mesh.frustumCulled = false;
    return mesh;
  }
  function showCut(view, frame) {
    const cut = view.data.cut;
    if (!cut || view.cutFrame === frame) return;
    view.cutFrame = frame;
    const position = view.curtain.geometry.attributes.position, uv = view.curtain.geometry.attributes.uv;
    for (let i = 0; i < cut.points; i++) {
      const at = 2 * (frame * cut.points + i), x = cut.first + i * cut.spacing, y = cut.low[0] + cut.step[0] * cut.edge[at];
      const top = cut.low[1] + cut.step[1] * cut.edge[at + 1];
      const levels = [cut.base, cut.bedrock, Math.max(cut.bedrock, top)];
      view.edge[i] = y;
      levels.forEach((z, row) => {
        position.setXYZ(3 * i + row, x, y, z);
        uv.setXY(3 * i + row, x / 40, (z - cut.bedrock) / 24);
      });
    }
    position.needsUpdate = uv.needsUpdate = true;
  }
  function lines(color, capacity) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6 * capacity), 3));
    const object = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({color, transparent: true, depthTest: false,
      opacity: 0.9}));
    object.frustumCulled = false; object.renderOrder = 4; object.visible = false;
    object.begin = () => { object.used = 0; };
    object.add3 = (a, b, c, d, e, f) => {
      if (object.used < capacity) { geometry.attributes.position.array.set([a, b, c, d, e, f], 6 * object.used++); }
    };
    object.finish = () => { geometry.setDrawRange(0, 2 * object.used); geometry.attributes.position.needsUpdate = true; };
    return object;
  }
  // What a note says, as dark letters on white that face the eye.
  function noteSprite(text) {
    const picture = document.createElement('canvas'), pen = picture.getContext('2d'), font = '44px sans-serif';
    pen.font = font; picture.width = Math.ceil(pen.measureText(text).width) + 24; picture.height = 60;
    pen.fillStyle = '#fff'; pen.fillRect(0, 0, picture.width, picture.height);
    pen.font = font; pen.fillStyle = '#18202a'; pen.fillText(text, 12, 45);
    const sprite = new THREE.Sprite(new THREE.SpriteMaterial({map: new THREE.CanvasTexture(picture), depthTest: false}));
    sprite.material.map.minFilter = THREE.LinearFilter;
    sprite.scale.set(run.size * 0.03 * picture.width / picture.height, run.size * 0.03, 1);
    sprite.renderOrder = 5;
    return sprite;
  }
  const hullMaterial = new THREE.LineBasicMaterial({color: 0xc2187e, transparent: true, depthTest: false, opacity: 0.45});
  function makeView(data, label) {
    const scene = new THREE.Scene(), root = new THREE.Group();
    scene.background = new THREE.Color(0xc3d3e4);
    scene.fog = new THREE.Fog(0xc3d3e4, run.size * 3, run.size * 22);
    scene.add(new THREE.HemisphereLight(0xe6f0ff, 0x8a8378, 0.75));
    const sun = new THREE.DirectionalLight(0xfff4e2, 0.85);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    const reach = run.size * 0.9, box = sun.shadow.camera;
    box.left = box.bottom = -reach; box.right = box.top = reach; box.near = 0.1; box.far = run.size * 6;
    sun.shadow.bias = -0.0008;
    sun.target.position.copy(controls.target);
    sun.position.copy(controls.target).add(new THREE.Vector3(-0.45, 1.1, 0.6).multiplyScalar(run.size * 2.2));
    scene.add(sun, sun.target, root);
    root.rotation.x = -Math.PI / 2; // recorded z up, drawn y up
    const view = {scene, root, data, label, nodes: [], bodies: [], markers: [], pose: new Float64Array(7), other: new Float64Array(7)};
    run.visuals.forEach((v, i) => {
      const [mesh, style, part, moving, r, g, b] = v, geometry = geometries[mesh], terrain = style & TERRAIN;
      if (terrain && !geometry.attributes.color) colorTerrain(geometry);
      const material = new THREE.MeshStandardMaterial({roughness: 0.85, metalness: 0, side: THREE.DoubleSide,
        flatShading: true, vertexColors: terrain ? THREE.VertexColors : THREE.NoColors});
      if (!terrain) material.color.setRGB(Math.pow(r, 2.2), Math.pow(g, 2.2), Math.pow(b, 2.2));
      const node = new THREE.Mesh(geometry, material);
      node.castShadow = !terrain && !(style & GROUND);
      node.receiveShadow = true;
      if (terrain && data.cut) view.edge = cutMaterial(material, data.cut);
      if (part >= 0) {
        const ghost = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({color: 0xd41410, transparent: true,
          opacity: 0.82, depthTest: false}));
        ghost.renderOrder = 2; ghost.visible = false; node.add(ghost); node.userData.ghost = ghost;
      }
      if (moving && geometry.userData && geometry.userData.hulls) {
        const hull = new THREE.LineSegments(geometry.userData.hulls[0], hullMaterial);
        hull.renderOrder = 4; hull.visible = false; node.add(hull); node.userData.hull = hull;
        hull.depths = geometry.userData.hulls;
      }
      root.add(node);
      view.nodes.push({node, part, track: data.tracks[i], moving});
      if (moving) view.bodies.push({node, part, track: data.tracks[i], box: geometry.boundingBox});
    });
    if (data.cut) { view.curtain = makeCurtain(data.cut); root.add(view.curtain); }
    const dot = new THREE.SphereBufferGeometry(run.size * 0.006, 12, 8);
    for (let i = 0; i < 48; i++) {
      const marker = new THREE.Mesh(dot, new THREE.MeshBasicMaterial({color: 0xffc400, depthTest: false, transparent: true}));
      marker.visible = false; marker.renderOrder = 3; root.add(marker); view.markers.push(marker);
    }
    view.notes = data.notes.map(([from, x, y, z, text]) => {
      const sprite = noteSprite(text);
      sprite.position.set(x, y, z - 0.6 * sprite.scale.y);
      sprite.userData.from = from; root.add(sprite);
      return sprite;
    });
    view.normals = lines(0xff8a00, 144);
    view.boxes = lines(0x7a3ff2, 12 * BODY_LIMIT);
    view.pairs = lines(0x00a3a3, 4000);
    view.trails = lines(0x3d7bd9, 60 * BODY_LIMIT);
    root.add(view.normals, view.boxes, view.pairs, view.trails);
    return view;
  }
  let views;
  try { views = [makeView(run.runs[0], element('plainLabel')), makeView(run.runs[1], element('brinkLabel'))]; }
  catch (e) { fault('The recorded run does not read: ' + e.message); throw e; }

  // ---- overlays
  const switches = {};
  ['Impacts', 'Normals', 'Ghosts', 'Boxes', 'Pairs', 'Hulls', 'Trails'].forEach(name => { switches[name] = element('show' + name); });
  if (views[0].bodies.length > BODY_LIMIT)
    ['Boxes', 'Pairs', 'Trails'].forEach(name => {
      switches[name].disabled = true; switches[name].parentNode.title = 'too many bodies in this scene';
      switches[name].parentNode.style.opacity = 0.5;
    });
  if (!run.meshes.some(m => m.hulls)) switches.Hulls.parentNode.style.display = 'none';
  element('depth').oninput = () => { switches.Hulls.checked = true; stale = true; };
  if (!run.parts) switches.Ghosts.parentNode.style.display = 'none';
  const corner = new THREE.Vector3(), turn = new THREE.Quaternion();
  function growBox(box, pose, out) {
    turn.set(pose[4], pose[5], pose[6], pose[3]);
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z);
      corner.applyQuaternion(turn);
      for (let k = 0; k < 3; k++) {
        const c = corner.getComponent(k) + pose[k];
        if (c < out[k]) out[k] = c;
        if (c > out[3 + k]) out[3 + k] = c;
      }
    }
  }
  // Box around a body at the start, the middle and the end of a frame.
  function sweptBoxes(view, frame) {
    return view.bodies.map(body => {
      const out = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
      for (let i = 0; i < 3; i++) growBox(body.box, poseAt(body.track, Math.min(last, frame + i / 2), view.other), out);
      return out;
    });
  }
  function drawBox(target, b) {
    for (let axis = 0; axis < 3; axis++) {
      const u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (let i = 0; i < 4; i++) {
        const p = [0, 0, 0], q = [0, 0, 0];
        p[axis] = b[axis]; q[axis] = b[3 + axis];
        p[u] = q[u] = b[i & 1 ? 3 + u : u];
        p[v] = q[v] = b[i & 2 ? 3 + v : v];
        target.add3(...p, ...q);
      }
    }
  }
  function showLines(view, frame) {
    const few = view.bodies.length <= BODY_LIMIT, wantBoxes = few && switches.Boxes.checked, wantPairs = few && switches.Pairs.checked;
    view.boxes.visible = wantBoxes; view.pairs.visible = wantPairs; view.trails.visible = few && switches.Trails.checked;
    if (wantBoxes || wantPairs) {
      const boxes = sweptBoxes(view, Math.min(frame, last - 1));
      view.boxes.begin(); view.pairs.begin();
      if (wantBoxes) boxes.forEach(b => drawBox(view.boxes, b));
      if (wantPairs)
        for (let i = 0; i < boxes.length; i++)
          for (let j = 0; j < i; j++) {
            const a = boxes[i], b = boxes[j];
            if (a[0] > b[3] || b[0] > a[3] || a[1] > b[4] || b[1] > a[4] || a[2] > b[5] || b[2] > a[5]) continue;
            const p = view.bodies[i].node.position, q = view.bodies[j].node.position;
            view.pairs.add3(p.x, p.y, p.z, q.x, q.y, q.z);
          }
      view.boxes.finish(); view.pairs.finish();
    }
    if (!view.trails.visible) return;
    const span = Math.min(60, Math.round(1 / run.step)), pose = view.other;
    view.trails.begin();
    view.bodies.forEach(body => {
      let before = null;
      for (let s = Math.max(0, frame - span); s <= frame; s += Math.max(1, span / 30 | 0)) {
        const p = poseAt(body.track, s, pose).slice(0, 3);
        if (before) view.trails.add3(before[0], before[1], before[2], p[0], p[1], p[2]);
        before = p;
      }
    });
    view.trails.finish();
  }
  function showImpacts(view, frame) {
    const hits = view.data.impacts;
    let used = 0;
    view.normals.begin();
    for (let i = 0; i < hits.length && used < view.markers.length; i += 12) {
      const age = frame - hits[i];
      if (age < 0) break;
      if (age > 18) continue;
      const marker = view.markers[used++], length = run.size * 0.05;
      marker.position.set(hits[i + 3], hits[i + 4], hits[i + 5]);
      marker.visible = switches.Impacts.checked;
      marker.material.opacity = 1 - age / 19;
      marker.scale.setScalar(1 + age / 9);
      const n = [hits[i + 6] * length, hits[i + 7] * length, hits[i + 8] * length];
      view.normals.add3(hits[i + 3], hits[i + 4], hits[i + 5], hits[i + 3] + n[0], hits[i + 4] + n[1], hits[i + 5] + n[2]);
    }
    for (; used < view.markers.length; used++) view.markers[used].visible = false;
    view.normals.visible = switches.Normals.checked;
    view.normals.finish();
  }
  function show(view, frame, exact) {
    const masks = view.data.masks, at = 4 * frame, depth = Math.max(0, Math.round(Number(element('depth').value)) || 0);
    view.nodes.forEach((item, i) => {
      const hull = item.node.userData.hull;
      if (hull) {
        hull.visible = switches.Hulls.checked;
        hull.geometry = hull.depths[Math.min(depth, hull.depths.length - 1)];
      }
      if (item.moving || !item.placed) {
        const p = poseAt(item.track, exact, view.pose);
        item.node.position.set(p[0], p[1], p[2]);
        item.node.quaternion.set(p[4], p[5], p[6], p[3]);
        item.placed = true;
      }
      if (item.node.userData.ghost) item.node.userData.ghost.visible = switches.Ghosts.checked && !!hasPart(masks, at, item.part);
    });
    const count = view.data.figures.through[frame], ever = countParts(masks, at + 2);
    view.label.className = 'label ' + (count || (run.parts && ever) ? 'bad' : 'good');
    const text = run.parts ? 'now ' + count + ' ' + run.throughText + ', ever ' + ever + ' of ' + run.parts
      : count + ' ' + run.throughText;
    if (view.text !== text) view.label.lastElementChild.textContent = view.text = text;
    view.notes.forEach(sprite => { sprite.visible = frame >= sprite.userData.from; });
    showCut(view, frame);
    showImpacts(view, frame);
    showLines(view, frame);
  }

  // ---- time: impacts, marks, slow motion
  const wanted = parseFloat(new URLSearchParams(location.search).get('t'));
  let time = isFinite(wanted) ? Math.max(0, Math.min(end, wanted)) : 0, playing = !isFinite(wanted);
  const frameAt = t => Math.max(0, Math.min(last, Math.round(t / run.step)));
  const struck = [], clusters = [], hits = run.runs[1].impacts;
  for (let i = 0; i < hits.length; i += 12) if (struck[struck.length - 1] !== hits[i]) struck.push(hits[i]);
  struck.forEach((frame, i) => { if (i === 0 || (frame - struck[i - 1]) * run.step > 0.15) clusters.push(frame); });
  const isSlow = t => clusters.some(frame => t > frame * run.step - 0.1 && t < frame * run.step + 0.15);
  const seek = t => { playing = false; time = Math.max(0, Math.min(end, t)); };
  element('play').onclick = () => { playing = !playing; if (playing && time >= end) time = 0; };
  element('scrub').oninput = e => seek(e.target.value / 1000 * end);
  element('back').onclick = () => seek((frameAt(time) - 1) * run.step);
  element('forward').onclick = () => seek((frameAt(time) + 1) * run.step);
  element('next').onclick = () => {
    const now = frameAt(time), next = struck.find(frame => frame > now);
    seek((next === undefined ? struck[0] || 0 : next) * run.step);
  };
  element('marks').onclick = e => seek(e.offsetX / element('marks').clientWidth * end);
  window.addEventListener('keydown', e => {
    if (/INPUT|SELECT|BUTTON/.test(e.target.tagName) && e.code === 'Space') return;
    const action = {Space: 'play', ArrowLeft: 'back', ArrowRight: 'forward', KeyN: 'next'}[e.code];
    if (action) { e.preventDefault(); element(action).onclick(); }
  });
  const hideHint = () => element('hint').classList.add('gone');
  canvas.addEventListener('pointerdown', hideHint);
  setTimeout(hideHint, 8000);
  function drawMarks() {
    const strip = element('marks'), width = strip.clientWidth, ratio = window.devicePixelRatio || 1;
    if (strip.drawn === width || !width) return;
    strip.drawn = width; strip.width = width * ratio; strip.height = 16 * ratio;
    const pen = strip.getContext('2d');
    pen.scale(ratio, ratio);
    pen.fillStyle = '#eef1f4'; pen.fillRect(0, 3, width, 10);
    const mark = (frame, color, top, height) => { pen.fillStyle = color; pen.fillRect(frame / last * (width - 2), top, 2, height); };
    struck.forEach(frame => mark(frame, '#f0b400', 3, 10));
    const through = run.runs[0].masks;
    for (let f = 1; run.parts && f <= last; f++) if (countParts(through, 4 * f + 2) > countParts(through, 4 * f - 2)) mark(f, '#c01818', 0, 16);
  }
  element('marks').title = 'Yellow: impacts with Brink. Red: something gets through in plain ODE. Click to go there.';

  // ---- graphs
  const plain = run.runs[0].figures, brink = run.runs[1].figures, red = '#c01818', green = '#12732f';
  const graphs = [
    {name: 'energy', unit: 'J', curves: [[plain.energy, red, 'plain'], [brink.energy, green, 'Brink']]},
    {name: 'joint error', unit: 'm', curves: [[plain.joint, red, 'plain'], [brink.joint, green, 'Brink']]},
    {name: 'pairs', unit: '', log: true, curves: [[brink.pairsBefore, '#9aa7b5', 'all'], [brink.pairsSpatial, '#3d7bd9', 'near'],
      [brink.pairsTemporal, green, 'left']]},
    {name: 'frame', unit: 'ms', log: true, curves: [[plain.frameMs, red, 'plain'], [brink.frameMs, green, 'Brink']]},
    {name: 'depth', unit: 'm', curves: [[plain.depth, red, 'plain'], [brink.depth, green, 'Brink']]}];
  if (!run.parts) {
    graphs[4].name = 'moved';
    graphs[4].log = true;
    graphs.push({name: 'distance of the two runs', unit: 'm', log: true, curves: [[brink.apart, '#3d7bd9', '']]});
  }
  const shorten = v => !isFinite(v) ? '-' : v === 0 ? '0' : Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? v.toExponential(1)
    : String(+v.toPrecision(3));
  graphs.forEach(graph => {
    graph.curves = graph.curves.filter(curve => curve[0].some(v => v !== 0));
    if (!graph.curves.length) return;
    const box = document.createElement('div'), head = document.createElement('p'), name = document.createElement('span');
    box.className = 'graph';
    name.textContent = graph.name + (graph.unit ? ', ' + graph.unit : '') + (graph.log ? ' (log)' : '');
    graph.value = document.createElement('span');
    graph.canvas = document.createElement('canvas');
    head.append(name, graph.value);
    box.append(head, graph.canvas);
    element('graphs').append(box);
    graph.canvas.onclick = e => seek(e.offsetX / graph.canvas.clientWidth * end);
    const scale = v => graph.log ? Math.log10(Math.max(v, graph.floor)) : v;
    const all = graph.curves.map(curve => Array.from(curve[0]).slice(1)).reduce((a, b) => a.concat(b), []).filter(isFinite);
    const positive = all.filter(v => v > 0);
    graph.floor = positive.length ? positive.reduce((a, b) => Math.min(a, b)) : 1;
    if (graph.name === 'pairs') graph.floor = 0.5;
    graph.low = graph.log ? scale(graph.floor) : Math.min(0, all.reduce((a, b) => Math.min(a, b), 0));
    graph.high = scale(all.reduce((a, b) => Math.max(a, b), 0));
    if (!(graph.high > graph.low)) graph.high = graph.low + 1;
    graph.scale = scale;
  });
  function drawGraph(graph, frame) {
    if (!graph.canvas) return;
    const width = graph.canvas.clientWidth, height = 62, ratio = window.devicePixelRatio || 1;
    if (!width) return;
    const pen = graph.canvas.getContext('2d'), y = v => height - 4 - (graph.scale(v) - graph.low) / (graph.high - graph.low) * (height - 8);
    if (graph.width !== width) { // the curves alone, once for each width
      graph.width = width; graph.frame = -1;
      graph.picture = graph.picture || document.createElement('canvas');
      graph.picture.width = graph.canvas.width = width * ratio;
      graph.picture.height = graph.canvas.height = height * ratio;
      const draw = graph.picture.getContext('2d');
      draw.scale(ratio, ratio);
      graph.curves.forEach(([values, color]) => {
        draw.beginPath(); draw.strokeStyle = color; draw.lineWidth = 1.3;
        for (let i = 1; i <= last; i++) {
          const x = i / last * width;
          if (i === 1) draw.moveTo(x, y(values[i])); else draw.lineTo(x, y(values[i]));
        }
        draw.stroke();
      });
    }
    if (graph.frame === frame) return;
    graph.frame = frame;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.drawImage(graph.picture, 0, 0, width, height);
    pen.fillStyle = 'rgba(24,32,42,.55)';
    pen.fillRect(frame / last * width, 0, 1.5, height);
    graph.value.innerHTML = graph.curves.map(([values, color, name]) => '<i class="key" style="background:' + color + '"></i>' +
      name + ' ' + shorten(values[frame])).join('');
  }

  // ---- the loop
  let before = null, stale = true, shownBefore = -1;
  Object.values(switches).forEach(box => { box.onchange = () => { stale = true; }; });
  controls.addEventListener('change', () => { stale = true; });
  window.addEventListener('resize', () => { stale = true; });
  function fit() {
    const width = canvas.clientWidth, height = canvas.clientHeight, stacked = width < 640 && height > width * 0.9;
    if (renderer.shownWidth === width && renderer.shownHeight === height) return {width, height, stacked};
    renderer.shownWidth = width; renderer.shownHeight = height;
    renderer.setSize(width, height, false);
    element('stage').classList.toggle('stacked', stacked);
    // A narrow picture is seen from farther away, so that its sides stay in it.
    const aspect = stacked ? width / (height / 2) : width / 2 / height;
    camera.position.copy(startOffset).multiplyScalar(Math.max(1, 1.3 / aspect)).add(controls.target);
    controls.update();
    stale = true;
    return {width, height, stacked};
  }
  function draw(now) {
    requestAnimationFrame(draw);
    const passed = before === null ? 0 : Math.min(0.1, (now - before) / 1000);
    before = now;
    if (playing) {
      const slow = element('slow').checked && isSlow(time) ? 0.2 : 1;
      time += passed * slow * parseFloat(element('speed').value);
      if (time > end + 1.5) time = 0;
    }
    controls.update();
    const shown = Math.min(time, end), frame = frameAt(shown), size = fit();
    element('play').textContent = playing ? 'Pause' : 'Play';
    drawMarks();
    graphs.forEach(graph => drawGraph(graph, frame));
    if (!stale && shown === shownBefore) return;
    stale = false; shownBefore = shown;
    const half = size.stacked ? [size.width, Math.floor(size.height / 2)] : [Math.floor(size.width / 2), size.height];
    camera.aspect = half[0] / half[1];
    camera.updateProjectionMatrix();
    views.forEach((view, side) => {
      show(view, frame, shown / run.step);
      const left = size.stacked ? 0 : side * (half[0] + 1), bottom = size.stacked ? (1 - side) * (half[1] + 1) : 0;
      renderer.setViewport(left, bottom, half[0] - 1, half[1]);
      renderer.setScissor(left, bottom, half[0] - 1, half[1]);
      renderer.render(view.scene, camera);
    });
    element('scrub').value = String(1000 * shown / (end || 1));
    element('clock').textContent = shown.toFixed(2) + ' s of ' + end.toFixed(2) + ' s \u00b7 frame ' + frame;
  }
  requestAnimationFrame(draw);
})();
