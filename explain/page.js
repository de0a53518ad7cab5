"use strict";
// The page shows one node at a time: #12 in the address is node number 12, so
// that going back works. Texts become text nodes, never markup.
const graph = JSON.parse(document.getElementById("graph").textContent);
const nodes = graph.nodes;
const needs = nodes.map(() => []);
const neededBy = nodes.map(() => []);
for (const e of graph.edges) {
  needs[e.from].push({ node: e.to, kind: e.kind });
  neededBy[e.to].push({ node: e.from, kind: e.kind });
}
const inCycle = new Set();
for (const c of graph.cycles) {
  for (let i = 1; i < c.length; i++) inCycle.add(c[i - 1] + ">" + c[i]);
}
const label = (n) => (n.stub ? n.file + ":" : "") + (n.named || n.path || "(document)");
const place = (n) => (n.at ? `${n.at.file}:${n.at.line}:${n.at.col}` : "");
const wrong = (n) => n.cycle || n.state === "failed" || n.state === "waiting";
const haystack = nodes.map((n) => [label(n), n.path, place(n), n.text || "", n.state].join("\n").toLowerCase());

function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {})) if (v) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

function link(i) {
  return element("a", { href: "#" + i }, label(nodes[i]));
}

function classes(i) {
  const n = nodes[i];
  return [wrong(n) ? "wrong" : "", n.stub ? "stub" : ""].join(" ").trim();
}

const maxListed = 300;

function showList() {
  const words = document.getElementById("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (let i = 0; i < nodes.length; i++) {
    if (words.every((w) => haystack[i].includes(w))) found.push(i);
  }
  const list = document.getElementById("list");
  list.replaceChildren(...found.slice(0, maxListed).map((i) => {
    const li = element("li", { class: (classes(i) + (i === current() ? " here" : "")).trim() }, link(i));
    li.dataset.node = i;
    return li;
  }));
  const more = found.length > maxListed ? `, the first ${maxListed} are listed` : "";
  document.getElementById("count").textContent = `${found.length} of ${nodes.length} nodes${more}`;
  return found;
}

function showCycles() {
  if (!graph.cycles.length) return;
  const box = document.getElementById("cycles");
  box.hidden = false;
  box.append(element("h3", { class: "wrong" }, graph.cycles.length === 1 ? "a cycle" : graph.cycles.length + " cycles"));
  for (const c of graph.cycles) {
    const p = element("p", { class: "cycle wrong" });
    c.forEach((i, at) => p.append(at ? " \u2192 " : "", link(i)));
    box.append(p);
  }
}

function current() {
  const i = Number(location.hash.slice(1));
  return location.hash.length > 1 && nodes[i] ? i : -1;
}

function rows(pairs) {
  const dl = element("dl");
  for (const [name, text, code] of pairs) {
    if (text) dl.append(element("dt", {}, name), element("dd", {}, code ? element("code", {}, text) : text));
  }
  return dl;
}

function edges(id, title, list) {
  const ul = element("ul", { id });
  for (const e of list) {
    const kind = e.kind === "reads" ? "" : ` ${e.kind}`;
    ul.append(element("li", { class: classes(e.node) }, link(e.node), element("span", { class: "kind" }, kind)));
  }
  if (!list.length) ul.append(element("li", {}, "nothing"));
  return element("div", {}, element("h3", {}, `${title} (${list.length})`), ul);
}

function show() {
  const detail = document.getElementById("detail");
  const i = current();
  showList();
  if (i < 0) {
    detail.replaceChildren(element("p", {}, nodes.length ? "Choose a node from the list." : "The merge has no expressions."));
    return;
  }
  const n = nodes[i];
  document.title = label(n) + " - spiff graph";
  detail.replaceChildren(
    element("h2", { class: wrong(n) ? "wrong" : "" }, label(n)),
    rows([["path", n.path], ["place", place(n)], ["file", n.file], ["kind", n.kind], ["expression", n.text, true],
      ["state", n.state + (n.cycle ? ", in a cycle" : "")], ["error", n.error], ["value", n.value, true]]),
    element("div", { class: "columns" }, edges("needs", "needs", needs[i]), edges("needed-by", "is needed by", neededBy[i])),
    neighbourhood(i));
}

const svgNS = "http://www.w3.org/2000/svg";
function svg(tag, attributes, ...children) {
  const e = document.createElementNS(svgNS, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

const maxNear = 12;
const box = { width: 250, height: 26, gap: 10, column: 330 };

// neighbourhood draws what needs a node, the node, and what it needs, from the
// left to the right.
function neighbourhood(i) {
  const left = neededBy[i].slice(0, maxNear), right = needs[i].slice(0, maxNear);
  const step = box.height + box.gap;
  const height = Math.max(left.length, right.length, 1) * step + box.gap;
  const picture = svg("svg", { viewBox: `0 0 ${2 * box.column + box.width + 20} ${height}`, role: "img" });
  const middle = { x: 10 + box.column, y: (height - box.height) / 2 };
  const draw = (list, x, from) => list.forEach((e, at) => {
    const y = (height - list.length * step + box.gap) / 2 + at * step;
    const [a, b] = from ? [{ x, y }, middle] : [middle, { x, y }];
    const key = from ? e.node + ">" + i : i + ">" + e.node;
    const x1 = a.x + box.width, y1 = a.y + box.height / 2, x2 = b.x, y2 = b.y + box.height / 2, bend = (x1 + x2) / 2;
    picture.append(svg("path", { d: `M${x1} ${y1} C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`,
      class: (inCycle.has(key) ? "wrong" : "") + (e.kind === "reads" ? "" : " other") }));
    picture.append(node(e.node, x, y, ""));
  });
  draw(left, 10, true);
  draw(right, 10 + 2 * box.column, false);
  picture.append(node(i, middle.x, middle.y, "centre"));
  return picture;
}

function node(i, x, y, kind) {
  const text = label(nodes[i]);
  const short = text.length > 36 ? "\u2026" + text.slice(-35) : text;
  return svg("a", { href: "#" + i, class: (kind + " " + classes(i)).trim() },
    svg("title", {}, text),
    svg("rect", { x, y, width: box.width, height: box.height, rx: 5 }),
    svg("text", { x: x + 8, y: y + 17 }, short));
}

document.getElementById("search").addEventListener("input", showList);
document.getElementById("search").addEventListener("keydown", (e) => {
  if (e.key !== "Enter") return;
  const found = showList();
  if (found.length) location.hash = "#" + found[0];
});
window.addEventListener("hashchange", show);
showCycles();
show();
