"use strict";
// page.js - drives two worlds of playground/worlds.h, draws them, and leads through tours.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const SHAPE = { wheel: 0, queue: 1, tree: 2, set: 3 };

// ---- The designs, in WebAssembly. --------------------------------------------------------------

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
// The designs ask the system for nothing; what the C library imports is answered with "no such thing".
const wasi = new Proxy({}, { get: () => () => 52 });
let code, view;

async function load() {
  const module = await WebAssembly.compile(bytesOf(data.wasm));
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] = imports[from] || {};
    imports[from][name] = wasi[name];
  }
  code = (await WebAssembly.instantiate(module, imports)).exports;
  if (code._initialize) code._initialize();
}

// The memory grows, and then old views of it are empty.
function memory() {
  if (!view || view.buffer !== code.memory.buffer) view = new DataView(code.memory.buffer);
  return view;
}

function textAt(pointer) {
  if (!pointer) return null;
  const bytes = new Uint8Array(code.memory.buffer);
  let end = pointer;
  while (bytes[end]) end++;
  return new TextDecoder().decode(bytes.subarray(pointer, end));
}

let scratch = 0;
function textIn(text) {
  scratch = scratch || code.malloc(256);
  const bytes = new TextEncoder().encode(text.slice(0, 250) + "\0");
  new Uint8Array(code.memory.buffer).set(bytes, scratch);
  return scratch;
}

let loadPlace = 0;
function loadIn(load) {
  loadPlace = loadPlace || code.malloc(24);
  [load.timers, load.mean, load.delay, load.cancel, load.seed, load.empty].forEach((value, i) =>
    memory().setUint32(loadPlace + 4 * i, value, true));
  return loadPlace;
}

function openWorld(world, design, load, settings) {
  code.world_forget_settings();
  for (const [name, values] of Object.entries(settings))
    for (const value of values) code.world_add_setting(textIn(name), value);
  return code.world_open(world, design, loadIn(load)) ? textAt(code.world_error()) : null;
}

const LEVELS = 16, BINS = 360, SAMPLES = 256;

// As struct world_picture lies in memory: 32-bit words, doubles on multiples of eight.
function look(world) {
  const at = code.world_look(world), words = memory();
  const word = (i) => words.getUint32(at + 4 * i, true);
  const units = 4 + 2 * LEVELS, pointers = units + 2 * LEVELS, counts = pointers + LEVELS, after = counts + LEVELS * BINS;
  const picture = { shape: word(0), arity: word(1), root: word(2), levels: [], running: word(after), samples: [] };
  for (let level = 0; level < word(3); level++) {
    const bins = word(4 + LEVELS + level);
    picture.levels.push({ size: word(4 + level), bins, unit: words.getFloat64(at + 4 * (units + 2 * level), true),
      pointer: word(pointers + level), counts: new Uint32Array(code.memory.buffer, at + 4 * (counts + level * BINS), bins) });
  }
  const first = at + 4 * (after + 2);
  for (let i = 0; i < Math.min(word(after + 1), SAMPLES); i++) {
    const place = first + 24 * i;
    picture.samples.push({ id: words.getUint32(place, true), level: words.getUint32(place + 4, true),
      slot: words.getUint32(place + 8, true), rounds: words.getUint32(place + 12, true), due: words.getFloat64(place + 16, true) });
  }
  return picture;
}

// ---- What is chosen. ---------------------------------------------------------------------------

const designs = [], counters = [];
const chosen = [{ design: "hashed", settings: {} }, { design: "hier", settings: {} }];
// Sliders of powers of two; settings that teach something when they change.
const SLIDERS = { slots: [2, 4096], range: [64, 65536], timeout: [64, 65536] };
const LEVEL_CHOICES = ["", "16,16,16", "64,64,64", "256,256", "60,60,24", "3600,24,10"];
const TIMERS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000];
const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000];

let running = false, tour = null, quiz = null, owed = 0, last = 0, frames = [], grown = 0, dirty = true;

const timersOf = () => TIMERS[Math.min(byId("timers").value * 1, TIMERS.length - 1)];
const loadOf = () => ({ timers: timersOf(), mean: 2 ** byId("mean").value, delay: byId("delay").value * 1,
  cancel: byId("cancel").value * 10, seed: 1, empty: 0 });

// A worked example begins with its first step, whatever was done by hand meanwhile.
function beginAgain() {
  if (quiz) leaveQuiz();
  const load = tour ? tour.load : loadOf();
  if (tour) Object.assign(tour, { at: 0, names: [], ids: {} });
  chosen.forEach((choice, world) => {
    choice.error = openWorld(world, designs.findIndex((d) => d.name === choice.design), load, choice.settings);
  });
  owed = 0;
  growth.begin();
  if (tour) showExample();
  dirty = true;
}

function leaveTour() {
  tour = null;
  byId("tour").value = "";
  byId("guide").hidden = true;
}

// ---- Drawing. ----------------------------------------------------------------------------------

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let colours = {};
function readColours() {
  for (const name of ["ink", "soft", "ground", "panel", "line", "first", "second", "mark"]) colours[name] = css("--" + name);
  dirty = true;
}

// Canvases are as sharp as the screen; drawing is in the units of the page.
function prepare(canvas, ratio) {
  const wide = Math.max(canvas.clientWidth, 200), scale = window.devicePixelRatio || 1, high = wide * ratio;
  if (canvas.width !== Math.round(wide * scale)) {
    canvas.width = Math.round(wide * scale);
    canvas.height = Math.round(high * scale);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, wide, high);
  return { pen, wide, high };
}

function shade(pen, share, colour) {
  pen.globalAlpha = share > 0 ? 0.18 + 0.82 * share : 0.05;
  pen.fillStyle = share > 0 ? colour : colours.soft;
}

// What was drawn where, for clicks: rings, and boxes or nodes with their place and timer.
let spots = [];

// The place that the answer says at present.
function isChosen(level, slot) {
  const at = quiz && quiz.form !== "number" && quiz.form !== "which" && quiz.place();
  return at && at.slot === slot && (quiz.form === "place" || at.level === level);
}

function drawRing(pen, x, y, radius, width, level, colour, named, index) {
  spots.push({ x, y, radius, width, size: level.size, level: index });
  let most = 1;
  for (const count of level.counts) if (count > most) most = count;
  const turn = 2 * Math.PI / level.bins, gap = level.bins <= 128 ? Math.min(0.02, turn * 0.1) : 0;
  for (let bin = 0; bin < level.bins; bin++) {
    const from = bin * turn - Math.PI / 2;
    pen.beginPath();
    pen.arc(x, y, radius, from + gap, from + turn - gap);
    pen.arc(x, y, radius - width, from + turn - gap, from + gap, true);
    pen.closePath();
    shade(pen, level.counts[bin] / most * (named.length ? 0.4 : 1), colour); // names stand on it
    pen.fill();
    pen.globalAlpha = 1;
    if (!isChosen(index, Math.floor(bin * level.size / level.bins))) continue;
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 3;
    pen.stroke();
  }
  pen.globalAlpha = 1;
  const angle = (level.pointer + 0.5) / level.size * 2 * Math.PI - Math.PI / 2;
  pen.strokeStyle = colours.mark;
  pen.lineWidth = 3;
  pen.beginPath();
  pen.moveTo(x + Math.cos(angle) * (radius - width - 2), y + Math.sin(angle) * (radius - width - 2));
  pen.lineTo(x + Math.cos(angle) * (radius + 3), y + Math.sin(angle) * (radius + 3));
  pen.stroke();
  const at = (slot, out, text) => {
    const turn = (slot + 0.5) / level.size * 2 * Math.PI - Math.PI / 2;
    pen.fillText(text, x + Math.cos(turn) * out, y + Math.sin(turn) * out + 4);
  };
  pen.textAlign = "center";
  pen.fillStyle = colours.ink;
  const texts = new Map();
  for (const sample of named) {
    const rounds = sample.rounds > 0 && sample.rounds < 100000 ? " r" + sample.rounds : "";
    texts.set(sample.slot, [...(texts.get(sample.slot) || []), nameOf(sample.id) + rounds]);
  }
  texts.forEach((names, slot) => at(slot, radius - width / 2, (quiz ? slot + ": " : "") + names.join(" ")));
  // Who has to say a slot has to see its number.
  for (let i = 0; quiz && i < 8; i++) {
    const slot = Math.floor(i * level.size / 8);
    if (!texts.has(slot)) at(slot, radius - width + 9, slot);
  }
}

const nameOf = (id) => quiz ? LETTERS[id] : tour && tour.names && tour.names[id] ? tour.names[id] : String(id);

function drawWheel(pen, wide, high, picture, colour) {
  // Levels to which nothing came, and that are above all others, are left out.
  let used = picture.levels.length;
  // All of a few levels are drawn where one has to be chosen.
  while (used > (quiz ? Math.min(3, picture.levels.length) : 1) && !picture.levels[used - 1].counts.some((count) => count > 0)) used--;
  const outer = Math.min(wide, high) / 2 - 14, width = Math.min(70, (outer - 24) / used - 6);
  const few = picture.running <= 24;
  for (let i = 0; i < used; i++) {
    const named = few ? picture.samples.filter((sample) => sample.level === i) : [];
    drawRing(pen, wide / 2, high / 2, outer - i * (width + 6), width, picture.levels[i], colour, named, i);
  }
  const told = picture.levels.slice(0, used).map((level) => `${count(level.size)} slots of ${level.unit > 1 ? count(level.unit) + " ticks" : "a tick"}`);
  return used > 1 ? "from outside: " + told.join(", ") : told[0];
}

function drawBoxes(pen, wide, high, picture, colour, now, ordered) {
  const samples = ordered ? [...picture.samples].sort((a, b) => a.slot - b.slot) : picture.samples;
  const columns = samples.length <= 24 ? 6 : 16, side = wide / columns, tall = Math.min(side * 0.6, (high - 8) / Math.ceil(SAMPLES / 16));
  const most = Math.max(1, ...samples.map((sample) => sample.due - now));
  samples.forEach((sample, i) => {
    const x = (i % columns) * side, y = 4 + Math.floor(i / columns) * (samples.length <= 24 ? side * 0.6 : tall);
    spots.push({ x: x + side / 2, y: y + side * 0.3, slot: i, id: sample.id });
    shade(pen, 1 - (sample.due - now) / most * 0.95, colour);
    pen.fillRect(x + 1, y + 1, side - 2, (samples.length <= 24 ? side * 0.6 : tall) - 2);
    pen.globalAlpha = 1;
    if (samples.length > 24) return;
    pen.fillStyle = colours.ink;
    pen.textAlign = "center";
    pen.fillText(`${nameOf(sample.id)} @${sample.due}`, x + side / 2, y + side * 0.33);
  });
  // Where the next one could go, and the place that was chosen.
  if (quiz && ordered) {
    for (let i = 0; i <= samples.length; i++) {
      const x = (i % 6) * side, y = 4 + Math.floor(i / 6) * side * 0.6;
      if (i === samples.length) spots.push({ x: x + side / 2, y: y + side * 0.3, slot: i, id: null });
      pen.strokeStyle = isChosen(0, i) ? colours.ink : colours.line;
      pen.lineWidth = isChosen(0, i) ? 3 : 1;
      pen.strokeRect(x + 1, y + 1, side - 2, side * 0.6 - 2);
    }
  }
  if (!samples.length) return "no timer";
  return `${ordered ? "in order of deadlines: the first " : ""}${samples.length} of ${count(picture.running)} timers; dark is soon`;
}

function drawTree(pen, wide, high, picture, colour, now) {
  const nodes = new Map(picture.samples.map((sample) => [sample.slot, sample])), depths = picture.arity > 2 ? 3 : 5;
  let end = picture.root, row = 1;
  for (let depth = 0; depth <= depths; depth++, row *= picture.arity) end += row;
  const drawn = picture.samples.filter((sample) => sample.slot < end), most = Math.max(1, ...drawn.map((sample) => sample.due - now));
  const gaps = drawn.length < Math.min(end - picture.root, picture.running), radius = Math.max(4, Math.min(16, wide / 40));
  const walk = (index, depth, left, right, parent) => {
    const sample = nodes.get(index), x = (left + right) / 2, y = 24 + depth * (high - 48) / depths;
    if (depth <= depths) spots.push({ x, y, slot: index, id: sample ? sample.id : null });
    if (quiz && depth <= depths) {
      pen.beginPath();
      pen.arc(x, y, isChosen(0, index) ? 10 : 2, 0, 2 * Math.PI);
      pen.strokeStyle = isChosen(0, index) ? colours.ink : colours.line;
      pen.stroke();
    }
    if (!sample || depth > depths) return;
    if (parent) {
      pen.strokeStyle = colours.line;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(parent.x, parent.y);
      pen.lineTo(x, y);
      pen.stroke();
    }
    const first = (index - picture.root) * picture.arity + picture.root + 1, share = (right - left) / picture.arity;
    for (let child = 0; child < picture.arity; child++)
      walk(first + child, depth + 1, left + child * share, left + (child + 1) * share, { x, y });
    const size = Math.min(radius, wide / picture.arity ** depth / 2 - 1);
    pen.beginPath();
    pen.arc(x, y, size, 0, 2 * Math.PI);
    pen.fillStyle = colours.ground;
    pen.fill();
    shade(pen, 1 - (sample.due - now) / most * 0.95, colour);
    pen.fill();
    pen.globalAlpha = 1;
    if (picture.running > 31) return;
    pen.fillStyle = colours.ink;
    pen.textAlign = "center";
    pen.fillText(nameOf(sample.id), x, y + 4);
  };
  walk(picture.root, 0, 0, wide, null);
  const sorted = drawn.some((sample) => sample.due < (nodes.get(picture.root) || sample).due);
  if (!drawn.length) return "no timer";
  return `a tree of ${count(picture.running)} timers: the top ${depths + 1} rows; the earliest is ${sorted ? "on the left" : "on top"}, dark is soon${gaps ? `; gaps are ${sorted ? "free places" : "cancelled timers"}` : ""}`;
}

function drawWorld(world) {
  const article = document.querySelector(`[data-world="${world}"]`), canvas = article.querySelector("canvas");
  if (world === 0) spots = [];
  const { pen, wide, high } = prepare(canvas, 0.7), picture = look(world), now = code.world_now(world);
  const colour = world ? colours.second : colours.first;
  pen.font = "12px ui-monospace, 'DejaVu Sans Mono', monospace";
  const legend = chosen[world].error ? ""
    : picture.shape === SHAPE.wheel ? drawWheel(pen, wide, high, picture, colour)
      : picture.shape === SHAPE.tree ? drawTree(pen, wide, high, picture, colour, now)
        : drawBoxes(pen, wide, high, picture, colour, now, picture.shape === SHAPE.queue);
  const key = article.querySelector(".legend");
  if (key.textContent !== legend) key.textContent = legend;
  const said = chosen[world].error || `tick ${count(now)}, ${count(picture.running)} timers, ${count(code.world_bytes(world))} bytes`;
  const line = article.querySelector(".now");
  if (line.textContent !== said) line.textContent = said;
  line.classList.toggle("error", Boolean(chosen[world].error));
  canvas.setAttribute("aria-label", `${chosen[world].design}: ${said}`);
}

// ---- Figures. ----------------------------------------------------------------------------------

// Seven characters at most, so that two columns of them fit a phone however long the clock has run.
const count = (value) => value >= 1e15 ? value.toExponential(2) : value >= 1e9 ? `${(value / 1e9).toPrecision(4)}G`
  : value >= 1e6 ? `${(value / 1e6).toPrecision(4)}M` : Math.round(value).toLocaleString("en");
const short = (value) => value === 0 ? "0" : value < 10 ? value.toFixed(2) : value < 1000 ? value.toFixed(1) : count(value);

function drawCounts() {
  const names = chosen.map((choice) => choice.design);
  byId("counts").tHead.innerHTML = `<tr><th scope="col"></th>${names.map((name) => `<th scope="col">${name}</th><th scope="col">per op</th>`).join("")}</tr>`;
  const rows = counters.map((name, i) => {
    const cells = [0, 1].map((world) => {
      const value = code.world_work(world, i), operations = code.world_operations(world);
      return { value, per: operations ? value / operations : 0 };
    });
    return cells.some((cell) => cell.value > 0)
      ? `<tr><th scope="row">${name.replace("_", " ")}</th>${cells.map((cell) => `<td>${count(cell.value)}</td><td>${short(cell.per)}</td>`).join("")}</tr>` : "";
  });
  const plain = (name, of) => `<tr><th scope="row">${name}</th>${[0, 1].map((world) => `<td>${count(of(world))}</td><td></td>`).join("")}</tr>`;
  byId("counts").tBodies[0].innerHTML = plain("operations", code.world_operations) + plain("fired", code.world_fired) + rows.join("");
  const digests = [0, 1].map((world) => [1, 0].map((half) => (code.world_digest(world, half) >>> 0).toString(16).padStart(8, "0")).join(""));
  const refused = [0, 1].filter((world) => code.world_refused(world) > 0).map((world) => names[world]);
  const empty = [0, 1].filter((world) => designs.find((d) => d.name === names[world]).keepsNothing).map((world) => names[world]);
  const closed = [0, 1].filter((world) => chosen[world].error).map((world) => names[world]);
  const late = [0, 1].filter((world) => !designs.find((d) => d.name === names[world]).exact).map((world) => names[world]);
  const line = byId("digest"), same = digests[0] === digests[1], synchronous = code.world_now(0) === code.world_now(1);
  line.className = closed.length || empty.length ? "" : same ? "good" : refused.length || late.length || !synchronous ? "" : "bad";
  const said = closed.length ? `${closed.join(" and ")} could not be opened, so there is nothing to compare.`
    : empty.length ? `${empty.join(" and ")} keeps no timer and fires none, so there is nothing to compare.`
    : refused.length ? `${refused.join(" and ")} refused starts beyond its reach, so the two no longer do the same.`
    : same ? `Both fired the same timers on the same ticks (digest ${digests[0]}).`
      : late.length ? `${late.join(" and ")} may fire late, by design: the answers differ.`
        : synchronous ? `The answers differ: ${digests.join(" and ")}. One of the two is wrong.` : "The two are at different ticks.";
  if (line.textContent !== said) line.textContent = said;
}

// No size is asked for after one whose operations took more work than this: some 20 ms, on any machine the same size.
const GROWTH_WORK = 2e6;
const growth = {
  points: [[], []], size: 0, done: [true, true],
  begin() { this.points = [[], []]; this.size = 16; this.done = [false, false]; },
  // One size of one design per frame; a design that takes long is not asked for more.
  more() {
    const world = [0, 1].find((i) => !this.done[i] && this.points[i].length <= Math.min(...[0, 1].filter((k) => !this.done[k]).map((k) => this.points[k].length)));
    if (world === undefined) return;
    const timers = 16 * 2 ** this.points[world].length;
    code.world_forget_settings();
    for (const [name, values] of Object.entries(chosen[world].settings))
      for (const value of values) code.world_add_setting(textIn(name), value);
    // About one timer fires at each tick, however many there are: else the empty ticks of few timers would be most of the work.
    const load = { ...loadOf(), timers, mean: timers };
    const cost = code.world_growth(designs.findIndex((d) => d.name === chosen[world].design), timers, Math.min(timers, 2048), loadIn(load));
    if (cost >= 0) this.points[world].push({ timers, cost: Math.max(cost, 0.01) });
    if (cost < 0 || cost * timers > GROWTH_WORK || timers >= 65536) this.done[world] = true;
    this.draw();
  },
  draw() {
    const { pen, wide, high } = prepare(byId("growth"), 0.56), all = this.points.flat();
    const most = Math.max(10, ...all.map((p) => p.cost)), least = Math.min(1, ...all.map((p) => p.cost)), right = Math.max(1024, ...all.map((p) => p.timers));
    const left = 52, bottom = high - 34, x = (n) => left + Math.log(n / 16) / Math.log(right / 16) * (wide - left - 84);
    const y = (cost) => bottom - Math.log(cost / least) / Math.log(most / least) * (bottom - 14);
    pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    pen.strokeStyle = colours.line;
    pen.fillStyle = colours.soft;
    pen.lineWidth = 1;
    for (let n = 16; n <= right; n *= 4) { pen.textAlign = "center"; pen.fillText(count(n), x(n), bottom + 16); }
    pen.fillText("timers", (wide - 84 + left) / 2, high - 4);
    pen.save(); pen.rotate(-Math.PI / 2); pen.fillText("work per operation", -bottom / 2, 12); pen.restore();
    for (let power = Math.ceil(Math.log10(least)); 10 ** power <= most; power++) {
      pen.textAlign = "right";
      pen.fillText((10 ** power).toLocaleString("en"), left - 6, y(10 ** power) + 4);
      pen.beginPath(); pen.moveTo(left, y(10 ** power)); pen.lineTo(wide - 84, y(10 ** power)); pen.stroke();
    }
    // Two names at one place make room for each other.
    const ends = this.points.map((points) => points[points.length - 1]);
    const lifts = ends.map((end) => end ? y(end.cost) + 4 : 0);
    if (ends[0] && ends[1] && Math.abs(x(ends[0].timers) - x(ends[1].timers)) < 80 && Math.abs(lifts[0] - lifts[1]) < 14) {
      const up = lifts[0] <= lifts[1] ? 0 : 1, middle = (lifts[0] + lifts[1]) / 2;
      lifts[up] = middle - 7;
      lifts[1 - up] = middle + 7;
    }
    this.points.forEach((points, world) => {
      pen.strokeStyle = pen.fillStyle = world ? colours.second : colours.first;
      pen.lineWidth = 2.5;
      pen.setLineDash(world ? [7, 4] : []);
      pen.beginPath();
      points.forEach((p) => pen.lineTo(x(p.timers), y(p.cost)));
      pen.stroke();
      pen.setLineDash([]);
      points.forEach((p) => { pen.beginPath(); pen.arc(x(p.timers), y(p.cost), 3.5, 0, 7); pen.fill(); });
      pen.textAlign = "left";
      if (ends[world]) pen.fillText(chosen[world].design, x(ends[world].timers) + 8, lifts[world]);
    });
    const text = "Work is comparisons, visits, moves and link writes per operation, where about one timer fires at each tick.";
    if (byId("growth-text").textContent !== text) byId("growth-text").textContent = text;
  },
};

// ---- Tours. ------------------------------------------------------------------------------------

const UNITS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12, d: 8.64e13 };
const ticksOf = (word, tick) => {
  const parts = /^(\d+(?:\.\d+)?)([a-z]*)$/.exec(word);
  return parts[2] ? Math.ceil(parts[1] * UNITS[parts[2]] / tick) : Number(parts[1]);
};

function settingsOf(text) {
  return Object.fromEntries(text.split(" ").filter(Boolean).map((pair) => [pair.split("=")[0], pair.split("=")[1].split(",").map(Number)]));
}

function startExample(example) {
  tour = { example, at: 0, names: [], ids: {}, load: { timers: 64, mean: 4096, delay: 0, cancel: 0, seed: 1, empty: 1 } };
  if (example.design) {
    chosen[0] = { design: example.design, settings: settingsOf(example.settings) };
    chosen[1] = { design: example.design === "list" ? "heap" : "list", settings: {} };
  }
  setRunning(false);
  drawChoices();
  beginAgain();
}

function doStatement(statement) {
  const [verb, first, second] = statement.split(" "), tick = tour.example.tick_ns;
  const id = (name) => {
    if (!(name in tour.ids)) { tour.ids[name] = tour.names.length; tour.names.push(name); }
    return tour.ids[name];
  };
  for (const world of [0, 1]) {
    if (verb === "add" || verb === "restart") code.world_start(world, id(first), ticksOf(second, tick));
    else if (verb === "stop") code.world_stop(world, id(first));
    else if (verb === "tick") code.world_run(world, ticksOf(first || "1", tick));
    else if (verb === "jump") code.world_jump(world, ticksOf(first, tick));
    else if (verb === "next") for (let i = 0; i < (first || 1) * 1; i++) { const next = code.world_next(world); if (next >= 0) code.world_jump(world, next - code.world_now(world)); }
  }
  dirty = true;
}

const escaped = (text) => text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);

// What the lessons mark up: `code`, *emphasis* and **strong**.
const marked = (text) => escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>").replace(/\*\*([^*]+)\*\*/g, "<b>$1</b>")
  .replace(/\*([^*\s][^*]*)\*/g, "<em>$1</em>");
const listed = (items) => `<ol>${items.map((item) => `<li>${marked(item)}</li>`).join("")}</ol>`;

function showExample() {
  const { example, at } = tour, left = example.steps.slice(at);
  byId("guide").innerHTML = `<h2>${escaped(example.name)}: ${escaped(example.question)}</h2>
    ${example.steps.length ? `<p>Done: ${example.steps.slice(0, at).map((s) => `<code>${escaped(s)}</code>`).join(" ") || "nothing yet"}. ${left.length ? `Next: <code>${escaped(left[0])}</code>` : "That was all."}</p>
    <button id="next-step" ${left.length ? "" : "disabled"}>Next step</button>` : "<p>This one is a sum: nothing turns.</p>"}
    <details><summary>The answer</summary><ul>${example.answers.map((a) => `<li>${escaped(a.what)}: ${escaped(String(a.found))}</li>`).join("")}</ul><p>${escaped(example.note)}</p></details>`;
  const button = byId("next-step");
  if (button) button.onclick = () => { doStatement(example.steps[tour.at++]); showExample(); const again = byId("next-step"); if (again && !again.disabled) again.focus(); };
}

// Which designs a step of the lessons is about, and a load that shows it.
const LESSON_DESIGNS = [[/^1\./, "list", "heap"], [/^2\./, "heap", "list"], [/^3\./, "hashed", "heap"], [/^4\./, "round", "hashed"], [/^5\./, "hier", "round"],
  [/^6\./, "hier-preheat", "hier"], [/^7\./, "hier-queue", "hier"], [/scan/, "scan", "heap"], [/ring/i, "ring", "hashed"], [/Rest/, "hashed", "round"]];

function startLesson(lesson) {
  const match = LESSON_DESIGNS.find(([title]) => title.test(lesson.title));
  tour = null;
  if (match) { chosen[0] = { design: match[1], settings: {} }; chosen[1] = { design: match[2], settings: {} }; }
  byId("guide").innerHTML = `<h2>${escaped(lesson.title)}</h2><p>${marked(lesson.text)}</p>${lesson.quoted ? `<pre tabindex="0">${escaped(lesson.quoted)}</pre>` : ""}${listed(lesson.questions)}
    <details><summary>Answers</summary>${listed(lesson.answers)}</details>`;
  drawChoices();
  beginAgain();
  setRunning(true);
}

// ---- Questions: quiz.c asks and judges, the page shows. -----------------------------------------

const LETTERS = [..."abcdefgh"], FORMS = ["place", "number", "which", "levelled"], PLACES = ["Slot", "Place", "Index", "Place"];
const quizText = { before: 0, question: 1, why: 2, right: 3, receipt: 4 };
const quizSays = (what) => textAt(code.world_quiz_text(quizText[what]));

function startQuiz() {
  const seed = byId("seed");
  if (tour) leaveTour();
  setRunning(false);
  if (code.world_quiz_open(designs.findIndex((d) => d.name === chosen[0].design), textIn(seed.value.trim()))) {
    seed.setCustomValidity(textAt(code.world_error()).replace(/^seed/, "your name or number"));
    seed.reportValidity();
    beginAgain();
    return;
  }
  chosen[0].error = null;
  quiz = { number: 0, form: "", seed: seed.value.trim(), place: () => ({ level: Number(byId("quiz-level")?.value), slot: Number(byId("quiz-slot").value || NaN) }) };
  document.body.classList.add("quizzing");
  // Where the world stands is in the table; read aloud is only what an answer brings.
  for (const line of document.querySelectorAll(".now")) line.setAttribute("aria-live", "off");
  byId("quiz").hidden = false;
  byId("guide").hidden = byId("quiz-end").hidden = true;
  byId("quiz-form").hidden = false;
  nextQuestion();
}

function leaveQuiz() {
  quiz = null;
  document.body.classList.remove("quizzing");
  byId("quiz").hidden = true;
}

const numberField = (id, label) => `<label>${label} <input id="${id}" type="number" min="0" max="999999999999999" step="1" required></label>`;

function nextQuestion() {
  const asked = code.world_quiz_ask();
  byId("quiz-said").textContent = "";
  byId("quiz-next").hidden = true;
  dirty = true;
  if (!asked) return endQuiz();
  quiz.number++;
  quiz.form = FORMS[code.world_quiz_form()];
  const picture = look(0), slot = numberField("quiz-slot", PLACES[picture.shape]);
  const timers = picture.samples.map((sample) => LETTERS[sample.id]).sort();
  byId("quiz-before").textContent = quizSays("before");
  byId("quiz-question").textContent = `${quiz.number} of 10. ${quizSays("question")}`;
  byId("quiz-fields").innerHTML = quiz.form === "place" ? slot
    : quiz.form === "levelled" ? numberField("quiz-level", "Level") + slot
      : quiz.form === "number" ? numberField("quiz-number", "Number")
        : timers.map((name) => `<label><input type="checkbox" value="${name}"> ${name}</label>`).join("");
  byId("quiz-answer").disabled = false;
  byId("quiz-fields").querySelector("input").focus();
}

function answerOf() {
  if (quiz.form === "number") return byId("quiz-number").value;
  if (quiz.form === "which") return [...byId("quiz-fields").querySelectorAll(":checked")].map((box) => box.value).join("");
  return (quiz.form === "levelled" ? byId("quiz-level").value + ":" : "") + byId("quiz-slot").value;
}

const told = (answer) => quiz.form === "which" ? [...answer].join(", ") || "none" : quiz.form === "levelled" ? `level ${answer.replace(":", ", slot ")}` : answer;

// It moves, from a tick at a time to ever more; then it is said why.
function moveQuiz(asked, said, ticks) {
  if (quiz !== asked) return;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let more = true;
  for (let i = 0; more && (still || i < ticks); i++) more = code.world_quiz_move() !== 0;
  dirty = true;
  if (more) { setTimeout(moveQuiz, 70, asked, said, ticks * 1.2); return; }
  byId("quiz-said").innerHTML = said;
  const next = byId("quiz-next");
  next.textContent = quiz.number < 10 ? `Question ${quiz.number + 1} of 10` : "The score and the receipt";
  next.hidden = false;
  next.focus();
}

function answerQuiz() {
  const answer = answerOf(), right = code.world_quiz_answer(textIn(answer));
  if (right < 0) { byId("quiz-said").textContent = "That is no answer: expected a whole number."; return; }
  byId("quiz-answer").disabled = true;
  for (const input of byId("quiz-fields").querySelectorAll("input")) input.disabled = true;
  moveQuiz(quiz, `<p class="${right ? "good" : "bad"}">${right ? "Right." : `Wrong. You said ${told(answer)}; right is ${told(quizSays("right"))}.`}</p><p>${escaped(quizSays("why"))}</p>`, 1);
}

function endQuiz() {
  const receipt = quizSays("receipt");
  byId("quiz-form").hidden = true;
  byId("quiz-said").textContent = `${code.world_quiz_score()} of 10 are right. Your teacher checks the receipt: twbench lab receipt FILE.`;
  byId("quiz-receipt").value = receipt;
  byId("quiz-save").href = "data:application/json;charset=utf-8," + encodeURIComponent(receipt);
  byId("quiz-save").download = `${chosen[0].design}-${quiz.seed.replace(/[^\p{L}\p{N}]+/gu, "-")}.json`;
  byId("quiz-end").hidden = false;
  byId("quiz-save").focus();
}

// What the drawing shows, in words.  Where one wheel holds all, slot and rounds say when a timer is due.
function drawQuizTimers() {
  const picture = look(0), wheel = picture.shape === SHAPE.wheel, one = wheel && picture.levels.length === 1;
  const columns = [["timer", (t) => LETTERS[t.id]], ["due", (t) => t.due, one], ["level", (t) => t.level, !wheel || one],
    [PLACES[picture.shape].toLowerCase(), (t) => t.slot, picture.shape === SHAPE.set], ["rounds", (t) => t.rounds, !one]].filter((column) => !column[2]);
  const pointers = picture.levels.slice(0, 3).map((level, i) => one ? `slot ${level.pointer}` : `level ${i} slot ${level.pointer}`).join(", ");
  const table = byId("quiz-timers"), cells = (tag, list) => list.map((text) => `<${tag}${tag === "th" ? ' scope="col"' : ""}>${text}</${tag}>`).join("");
  table.caption.textContent = `What runs at tick ${code.world_now(0)}${wheel ? `; the pointer is at ${pointers}` : ""}`;
  table.tHead.innerHTML = `<tr>${cells("th", columns.map((column) => column[0]))}</tr>`;
  table.tBodies[0].innerHTML = picture.samples.sort((a, b) => a.id - b.id).map((timer) => `<tr>${cells("td", columns.map((column) => column[1](timer)))}</tr>`).join("");
}

// A click chooses the slot, or ticks the timers that are there.
function chooseAt(x, y) {
  const away = (spot) => Math.hypot(x - spot.x, y - spot.y);
  let spot = spots.find((s) => s.radius && away(s) <= s.radius && away(s) >= s.radius - s.width);
  if (spot) {
    const turn = (Math.atan2(y - spot.y, x - spot.x) / (2 * Math.PI) + 1.25) % 1;
    spot = { level: spot.level, slot: Math.floor(turn * spot.size) };
  } else spot = spots.filter((s) => !s.radius && away(s) < 40).sort((a, b) => away(a) - away(b))[0];
  if (!spot || quiz.form === "number" || byId("quiz-answer").disabled) return;
  if (quiz.form === "which") {
    for (const sample of look(0).samples.filter((s) => "level" in spot ? s.level === spot.level && s.slot === spot.slot : s.id === spot.id)) {
      const box = byId("quiz-fields").querySelector(`[value="${LETTERS[sample.id]}"]`);
      box.checked = !box.checked;
    }
    return;
  }
  if (quiz.form === "levelled") byId("quiz-level").value = spot.level;
  byId("quiz-slot").value = spot.slot;
  dirty = true;
}

function listenQuiz() {
  const canvas = document.querySelector('[data-world="0"] canvas');
  byId("ask").onclick = startQuiz;
  byId("seed").onkeydown = (event) => { if (event.key === "Enter") { event.preventDefault(); startQuiz(); } };
  byId("seed").oninput = () => byId("seed").setCustomValidity("");
  byId("quiz-form").onsubmit = (event) => { event.preventDefault(); answerQuiz(); };
  byId("quiz-fields").oninput = () => { dirty = true; };
  byId("quiz-next").onclick = nextQuestion;
  byId("quiz-leave").onclick = () => { beginAgain(); byId("ask").focus(); };
  canvas.onclick = (event) => { if (quiz) chooseAt(event.offsetX, event.offsetY); };
}

// ---- Controls. ---------------------------------------------------------------------------------

function setRunning(on) {
  running = on;
  byId("play").setAttribute("aria-pressed", String(on));
  byId("play").lastChild.textContent = on ? " Pause" : " Run";
  // A screen reader hears the figures when the worlds stand still, not at every frame.
  for (const line of document.querySelectorAll("[role=status]")) line.setAttribute("aria-live", on ? "off" : "polite");
  last = performance.now();
}

function showValues() {
  byId("timers-value").textContent = count(timersOf());
  byId("mean-value").textContent = count(2 ** byId("mean").value) + " ticks";
  byId("cancel-value").textContent = byId("cancel").value + " %";
  byId("speed-value").textContent = count(SPEEDS[byId("speed").value]);
}

function drawSettings(article, world) {
  const choice = chosen[world], design = designs.find((d) => d.name === choice.design), box = article.querySelector(".settings");
  box.textContent = "";
  article.querySelector(".summary").textContent = design.summary;
  for (const name of design.parameters) {
    const label = document.createElement("label");
    if (SLIDERS[name]) {
      const [low, high] = SLIDERS[name].map(Math.log2), value = choice.settings[name] ? choice.settings[name][0] : 0;
      label.htmlFor = `${name}-${world}`;
      label.innerHTML = `${name} <output>${value || "automatic"}</output><input id="${name}-${world}" type="range" min="${low - 1}" max="${high}" step="1" value="${value ? Math.log2(value) : low - 1}">`;
      label.querySelector("input").oninput = (event) => {
        const given = event.target.value * 1;
        if (given < low) delete choice.settings[name]; else choice.settings[name] = [2 ** given];
        label.querySelector("output").textContent = given < low ? "automatic" : count(2 ** given);
        beginAgain();
      };
    } else if (name === "levels") {
      const given = (choice.settings.levels || []).join(","), choices = LEVEL_CHOICES.includes(given) ? LEVEL_CHOICES : [given, ...LEVEL_CHOICES];
      label.innerHTML = `levels <select>${choices.map((c) => `<option value="${c}" ${c === given ? "selected" : ""}>${c || "automatic"}</option>`).join("")}</select>`;
      label.querySelector("select").onchange = (event) => {
        if (event.target.value) choice.settings.levels = event.target.value.split(",").map(Number); else delete choice.settings.levels;
        beginAgain();
      };
    } else continue;
    box.append(label);
  }
}

function drawChoices() {
  chosen.forEach((choice, world) => {
    const article = document.querySelector(`[data-world="${world}"]`);
    article.querySelector(".design").value = choice.design;
    drawSettings(article, world);
  });
}

function buildPage() {
  for (const article of document.querySelectorAll(".world")) {
    article.append(byId("world").content.cloneNode(true));
    const select = article.querySelector(".design"), world = article.dataset.world * 1;
    for (const design of designs) select.add(new Option(design.name, design.name));
    select.onchange = () => { chosen[world] = { design: select.value, settings: {} }; drawSettings(article, world); beginAgain(); };
  }
  byId("timers").max = TIMERS.length - 1;
  const lessons = document.createElement("optgroup"), examples = document.createElement("optgroup");
  lessons.label = "Lessons";
  examples.label = "Worked examples";
  data.lessons.forEach((lesson, i) => lessons.append(new Option(lesson.title, "lesson " + i)));
  data.examples.forEach((example, i) => examples.append(new Option(`${example.name}: ${example.question}`, "example " + i)));
  byId("tour").append(lessons, examples);
}

function listen() {
  byId("play").onclick = () => setRunning(!running);
  byId("step").onclick = () => { setRunning(false); runTicks(1); };
  byId("reset").onclick = beginAgain;
  for (const id of ["timers", "mean", "cancel", "delay"]) byId(id).oninput = () => { showValues(); if (tour) leaveTour(); beginAgain(); };
  byId("speed").oninput = showValues;
  byId("tour").onchange = (event) => {
    const [kind, index] = event.target.value.split(" ");
    byId("guide").hidden = !kind;
    if (kind === "lesson") startLesson(data.lessons[index]);
    else if (kind === "example") startExample(data.examples[index]);
    else { tour = null; beginAgain(); setRunning(true); }
  };
  document.addEventListener("keydown", (event) => {
    const slider = event.target.matches("input"), typing = event.target.matches("select"), button = event.target.matches("button, summary");
    if (quiz || event.target.id === "seed" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && !typing && !button) { event.preventDefault(); if (!event.repeat) setRunning(!running); }
    else if (event.key === "ArrowRight" && !typing && !slider) byId("step").click();
    else if (event.key === "r" && !typing) beginAgain();
    else if ((event.key === "+" || event.key === "-") && !typing) {
      byId("speed").value = byId("speed").value * 1 + (event.key === "+" ? 1 : -1);
      showValues();
    }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readColours);
  addEventListener("resize", () => { dirty = true; growth.draw(); });
}

// ---- Time. -------------------------------------------------------------------------------------

function runTicks(ticks) {
  code.world_run(0, ticks);
  code.world_run(1, ticks);
  dirty = true;
}

// Both worlds go on by what is owed for the time that passed, for at most so long a part of a frame.
function frame(now) {
  const passed = Math.min(now - last, 100);
  frames.push(now);
  while (frames[0] < now - 1000) frames.shift();
  last = now;
  if (running) {
    owed = Math.min(owed + passed * SPEEDS[byId("speed").value] / 1000, SPEEDS[byId("speed").value]);
    const until = performance.now() + 7;
    // From one tick on, so that a slow machine does not owe the frame 64 of them.
    for (let some = 1; owed >= 1 && performance.now() < until; some = Math.min(2 * some, 64)) {
      const ticks = Math.min(some, Math.floor(owed));
      runTicks(ticks);
      owed -= ticks;
    }
  }
  if (dirty) {
    drawWorld(0);
    if (quiz) drawQuizTimers();
    else { drawWorld(1); drawCounts(); }
    dirty = false;
  } else if (!quiz) growth.more();
  if (running && now - grown > 130) {
    grown = now;
    growth.more();
  }
  requestAnimationFrame(frame);
}

async function main() {
  await load();
  for (let i = 0; i < code.design_count(); i++) {
    const parameters = [];
    for (let k = 0; code.design_parameter(i, k); k++) parameters.push(textAt(code.design_parameter(i, k)));
    designs.push({ name: textAt(code.design_name(i)), summary: textAt(code.design_summary(i)), exact: code.design_is_exact(i) === 1, keepsNothing: code.design_keeps_nothing(i) === 1, parameters });
  }
  for (let i = 0; code.counter_name(i); i++) counters.push(textAt(code.counter_name(i)));
  readColours();
  buildPage();
  showValues();
  drawChoices();
  listen();
  listenQuiz();
  beginAgain();
  setRunning(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  // For tests: what can be asked of the page.
  window.playground = { frames: () => frames.length, designs: () => designs.map((d) => d.name), code, openWorld, chosen };
  requestAnimationFrame(frame);
}

main();
