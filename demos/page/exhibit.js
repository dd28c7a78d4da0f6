// How the view is turned and the time runs, on the pages of single questions. The page has view, slider, yaw, pitch, playing
// and draw(t), t from 0 to 1.
const now = () => slider.value / 1000, play = document.getElementById("play");
function run(on) {
  playing = on;
  play.textContent = on ? "Pause" : "Play";
}
function tick() {
  if (playing) {
    slider.value = (+slider.value + 3) % 1003;
    draw(now());
  }
  requestAnimationFrame(tick);
}
play.onclick = () => run(!playing);
slider.oninput = () => { run(false); draw(now()); };
view.onpointermove = (e) => {
  if (!e.buttons) return;
  yaw -= e.movementX * 0.008;
  pitch = Math.max(-1.4, Math.min(1.4, pitch + e.movementY * 0.008));
  draw(now());
};
run(true);
draw(now());
tick();
