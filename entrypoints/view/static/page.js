// What the pages do better with a script: search as you type, keys, selecting all, and a map of many points.
"use strict";

const box = document.getElementById("q");
const live = document.getElementById("live");

// --- search as you type -------------------------------------------------------------------------------------------
function complain(text) {
  const line = document.createElement("p");
  line.className = "complaint";
  line.setAttribute("role", "alert");
  line.textContent = text;
  document.getElementById("results").replaceChildren(line);
}
let asked = 0;
async function search() {
  const mine = ++asked;
  const address = new URL(box.form.action);
  if (box.value) address.searchParams.set("q", box.value);
  const answer = await fetch(address, { redirect: "error" }).catch(() => null);
  const text = await answer?.text().catch(() => "");
  if (mine !== asked) return;
  if (!text) return complain("hardwon view has ended: run it again, and open the address that it prints.");
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = page.getElementById("live");
  if (!fresh) return complain(page.querySelector("[role=alert]").textContent);
  for (const facet of fresh.querySelectorAll("details")) {
    facet.open ||= !!live.querySelector(`details[open][data-word="${facet.dataset.word}"]`);
  }
  live.replaceChildren(...fresh.childNodes);
  document.getElementById("told").textContent = live.querySelector("h1").textContent;
  offerAll();
  history.replaceState(null, "", address);
  here = -1;
}
if (box && live) {
  let waiting;
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
}

// --- selecting all ------------------------------------------------------------------------------------------------
function offerAll() {
  const all = document.getElementById("all");
  if (!all) return;
  all.closest("label").hidden = false;
  all.addEventListener("change", () => {
    for (const tick of live.querySelectorAll("input[name=id]")) tick.checked = all.checked;
  });
}
offerAll();
live?.addEventListener("change", () => {
  const chosen = live.querySelectorAll("input[name=id]:checked").length;
  const text = document.getElementById("how-many");
  if (text) text.textContent = `${chosen} selected:`;
});

// --- keys ---------------------------------------------------------------------------------------------------------
let here = -1;
function move(step) {
  const rows = [...document.querySelectorAll(".row")];
  if (!rows.length) return;
  rows[here]?.classList.remove("here");
  here = Math.min(Math.max(here + step, 0), rows.length - 1);
  rows[here].classList.add("here");
  rows[here].querySelector(".name")?.focus();
}
function row() {
  return document.querySelectorAll(".row")[here];
}
const keys = {
  "/": () => box.focus(),
  j: () => move(1),
  k: () => move(-1),
  x: () => row()?.querySelector("input[type=checkbox]")?.click(),
  e: () => { const name = row()?.querySelector("a.name[href*='/entry/']"); if (name) location.href = `${name.pathname}/edit`; },
  f: () => {
    const tick = row()?.querySelector("input[name=id]");
    if (!tick) return;
    tick.checked = true;
    document.querySelector("#chosen button[value=forget]")?.click();
  },
  "?": () => document.getElementById("keys").showModal(),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.target.matches("input:not([type=checkbox]), textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const named = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (named) named.click();
  else if (keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
});

// --- the map ------------------------------------------------------------------------------------------------------
const pointed = document.getElementById("pointed");
function name(text) {
  pointed.textContent = text;
}
for (const link of document.querySelectorAll("svg.map a")) {
  const tell = () => name(`${link.dataset.name} (${link.dataset.group})`);
  link.addEventListener("mouseenter", tell);
  link.addEventListener("focus", tell);
}

const canvas = document.getElementById("map");
async function drawMap() {
  const answer = await fetch(canvas.dataset.points).catch(() => null);
  if (!answer || !answer.ok) return name("The points could not be loaded: reload the page.");
  const points = (await answer.json()).items;
  const pen = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const tones = [0, 1, 2, 3, 4, 5, 6, 7].map((tone) => style.getPropertyValue(`--t${tone}`).trim());
  const ring = style.getPropertyValue("--text").trim();
  const CELL = 16;
  const cells = new Map();
  const key = (x, y) => `${Math.floor(x / CELL)},${Math.floor(y / CELL)}`;
  for (const point of points) {
    pen.fillStyle = tones[point.tone];
    pen.beginPath();
    pen.arc(point.x, point.y, 3, 0, 7);
    pen.fill();
    if (point.near) {
      pen.strokeStyle = ring;
      pen.stroke();
    }
    const cell = key(point.x, point.y);
    if (!cells.has(cell)) cells.set(cell, []);
    cells.get(cell).push(point);
  }
  function at(event) {
    const frame = canvas.getBoundingClientRect();
    const x = ((event.clientX - frame.left) / frame.width) * canvas.width;
    const y = ((event.clientY - frame.top) / frame.height) * canvas.height;
    let best = null, least = 12 * 12;
    for (const dx of [-CELL, 0, CELL]) for (const dy of [-CELL, 0, CELL]) {
      for (const point of cells.get(key(x + dx, y + dy)) || []) {
        const far = (point.x - x) ** 2 + (point.y - y) ** 2;
        if (far < least) [best, least] = [point, far];
      }
    }
    return best;
  }
  canvas.addEventListener("mousemove", (event) => {
    const point = at(event);
    canvas.classList.toggle("on", !!point);
    name(point ? `${point.name} (${point.group})` : "");
  });
  canvas.addEventListener("click", (event) => {
    const point = at(event);
    if (point) location.href = canvas.dataset.entry + point.id;
  });
  canvas.dataset.ready = points.length;
}
if (canvas) drawMap();
