// What the pages do better with a script: search as you type, keys, and selecting all.
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

// --- what is being written ---------------------------------------------------------------------------------------
const form = document.querySelector(".text-form");
let isUnsaved = false;
form?.addEventListener("input", () => { isUnsaved = true; });
form?.addEventListener("submit", () => { isUnsaved = false; });
form?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
addEventListener("beforeunload", (event) => { if (isUnsaved) event.preventDefault(); });

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
