// The graph around a node: drawn as SVG, laid out by springs, expanded by click or Enter, moved by dragging or arrows.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 28;
const LENGTH = 165, REPULSION = 9000, SPRING = 0.045, CENTRE = 0.005, DAMPING = 0.82;
const STEPS = 260, STEP = 24, ROOM = 16;
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

class Picture {
  constructor(place) {
    this.place = place;
    this.told = place.parentElement.querySelector(".chosen");
    this.nodes = new Map();
    this.edges = new Map();
    this.expanded = new Set();
    this.left = 0;
    this.svg = made("svg", { role: "group", "aria-label": "Graph" });
    this.measure();
    new ResizeObserver(() => this.measure()).observe(place);
    this.lines = this.svg.appendChild(made("g"));
    this.dots = this.svg.appendChild(made("g"));
    place.append(this.svg);
  }

  // One unit is one pixel, so that names are as large on a phone as elsewhere.
  measure() {
    [this.width, this.height] = [this.place.clientWidth || 640, this.place.clientHeight || 460];
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    for (const node of this.nodes.values()) this.put(node, node.x, node.y);
    this.draw();
  }

  // Beside others, a node that nothing is tied to tells nothing.
  async expand(id, beside = false) {
    if (this.expanded.has(id)) return;
    this.expanded.add(id);
    const answer = await fetch(`${this.place.dataset.root}${id}/around`);
    if (!answer.ok) return;
    const found = await answer.json();
    if (beside && !found.edges.length) return;
    const from = this.nodes.get(id);
    for (const node of found.nodes) this.addNode(node, from);
    for (const edge of found.edges) this.addEdge(edge);
    this.settle();
    if (from && from.shape.classList.contains("chosen")) this.tell(from);
  }

  addNode(given, from) {
    if (this.nodes.has(given.id)) return;
    const turn = this.nodes.size * 2.4;
    const near = from || { x: this.width / 2, y: this.height / 2 };
    const reach = this.nodes.size === 0 ? 0 : LENGTH * 0.8;
    const node = { ...given, x: near.x + reach * Math.cos(turn), y: near.y + reach * Math.sin(turn), dx: 0, dy: 0, held: false };
    const start = this.nodes.size === 0;
    node.shape = made("g", { class: `node ${node.kind}${start ? " start" : ""}`, tabindex: "0", role: "button", "aria-label": `${node.name}, ${node.kind}: expand` });
    node.shape.append(made("circle", { r: start ? 13 : 9 }));
    const name = made("text", { y: start ? 28 : 23 });
    name.textContent = node.name.length > 26 ? node.name.slice(0, 25) + "…" : node.name;
    node.shape.append(name);
    this.dots.append(node.shape);
    this.nodes.set(node.id, node);
    this.listen(node);
  }

  addEdge(edge) {
    const from = this.nodes.get(edge.from), to = this.nodes.get(edge.to);
    if (this.edges.has(edge.id) || !from || !to) return;
    const line = made("line", { class: "edge" }), label = made("text", { class: "label" });
    label.textContent = edge.type;
    this.lines.append(line, label);
    this.edges.set(edge.id, { ...edge, ends: [from, to], line, label });
  }

  listen(node) {
    const shape = node.shape;
    let pressed = null, moved = false;
    shape.addEventListener("pointerdown", (event) => {
      pressed = this.spot(event);
      moved = false;
      node.held = true;
      shape.setPointerCapture(event.pointerId);
    });
    shape.addEventListener("pointermove", (event) => {
      if (!pressed) return;
      const here = this.spot(event);
      if (Math.hypot(here.x - pressed.x, here.y - pressed.y) > 4) moved = true;
      if (moved) this.move(node, here.x, here.y);
    });
    shape.addEventListener("pointerup", () => {
      pressed = null;
      node.held = false;
      if (!moved) this.choose(node);
    });
    shape.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (way) this.move(node, node.x + way[0] * STEP, node.y + way[1] * STEP);
      if (event.key === "Enter" || event.key === " ") this.choose(node);
      if (way || event.key === "Enter" || event.key === " ") event.preventDefault();
    });
    shape.addEventListener("focus", () => this.tell(node));
  }

  choose(node) {
    for (const other of this.nodes.values()) other.shape.classList.toggle("chosen", other === node);
    this.tell(node);
    this.expand(node.id);
  }

  tell(node) {
    const ties = [...this.edges.values()].filter((edge) => edge.ends.includes(node)).length;
    const link = document.createElement("a");
    link.href = node.href;
    link.textContent = `Open ${node.name}`;
    this.told.replaceChildren(`${node.name}, ${node.kind}, ${ties} ${ties === 1 ? "relation" : "relations"}. `, link);
  }

  spot(event) {
    const box = this.svg.getScreenCTM();
    return { x: (event.clientX - box.e) / box.a, y: (event.clientY - box.f) / box.d };
  }

  move(node, x, y) {
    this.put(node, x, y);
    this.draw();
  }

  put(node, x, y) {
    [node.x, node.y] = [within(x, this.width), within(y, this.height)];
  }

  settle() {
    this.left = STEPS;
    if (still) while (this.left > 0) this.step();
    else requestAnimationFrame(() => this.animate());
    this.draw();
  }

  animate() {
    this.step();
    this.draw();
    if (this.left > 0) requestAnimationFrame(() => this.animate());
  }

  step() {
    this.left -= 1;
    const nodes = [...this.nodes.values()];
    for (const [place, one] of nodes.entries()) {
      for (const other of nodes.slice(place + 1)) push(one, other);
      one.dx += (this.width / 2 - one.x) * CENTRE;
      one.dy += (this.height / 2 - one.y) * CENTRE;
    }
    for (const edge of this.edges.values()) pull(...edge.ends);
    for (const node of nodes) {
      if (!node.held) this.put(node, node.x + node.dx, node.y + node.dy);
      node.dx *= DAMPING;
      node.dy *= DAMPING;
    }
  }

  draw() {
    for (const node of this.nodes.values()) node.shape.setAttribute("transform", `translate(${node.x.toFixed(1)} ${node.y.toFixed(1)})`);
    for (const { ends: [from, to], line, label } of this.edges.values()) {
      set(line, { x1: from.x, y1: from.y, x2: to.x, y2: to.y });
      set(label, { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 - 3 });
    }
  }
}

function made(name, values = {}) {
  return set(document.createElementNS(SVG, name), values);
}

function set(shape, values) {
  for (const [name, value] of Object.entries(values)) shape.setAttribute(name, value);
  return shape;
}

function within(value, most) {
  return Math.min(Math.max(value, MARGIN), most - MARGIN);
}

function push(one, other) {
  const dx = other.x - one.x || 0.1, dy = other.y - one.y || 0.1;
  const far = Math.max(dx * dx + dy * dy, 100), force = REPULSION / far / Math.sqrt(far);
  one.dx -= dx * force;
  one.dy -= dy * force;
  other.dx += dx * force;
  other.dy += dy * force;
}

function pull(one, other) {
  const dx = other.x - one.x, dy = other.y - one.y, far = Math.hypot(dx, dy) || 1;
  const force = (SPRING * (far - LENGTH)) / far;
  one.dx += dx * force;
  one.dy += dy * force;
  other.dx -= dx * force;
  other.dy -= dy * force;
}

// From one node, as far as the list goes; from several, around each; as long as there is room.
async function begin(place) {
  const picture = new Picture(place), starts = place.dataset.graph.split(" ");
  for (const id of starts) {
    if (picture.nodes.size < ROOM) await picture.expand(id, starts.length > 1);
  }
  if (!picture.nodes.size) place.closest("section").hidden = true;
  for (let far = 1; far < Number(place.dataset.depth) && picture.nodes.size < ROOM; far += 1) {
    await Promise.all([...picture.nodes.keys()].slice(0, ROOM).map((id) => picture.expand(id)));
  }
}

const place = document.querySelector("[data-graph]");
if (place) begin(place);
