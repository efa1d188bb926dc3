// The pages work without this script. With it: the choice of light and dark, copying, ages that go on, live updates.
"use strict";

const root = document.documentElement;
const THEMES = { auto: "Light or dark as the system", light: "Light", dark: "Dark" };

function theme() {
  const kept = localStorage.getItem("theme");
  return kept in THEMES ? kept : "auto";
}

function dress() {
  const now = theme();
  if (now === "auto") delete root.dataset.theme;
  else root.dataset.theme = now;
  const button = document.getElementById("theme");
  if (!button) return;
  button.hidden = false;
  button.textContent = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" }[now];
  button.title = `${THEMES[now]}; press to change`;
}

// Text to the clipboard; browsers give the clipboard itself only to secure origins.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return;
  } catch { /* There is none, or it is not given: the old way. */ }
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

function offerCopies() {
  for (const block of document.querySelectorAll(".cmd:not(:has(.copy))")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    const what = block.dataset.what || "command";
    button.setAttribute("aria-label", `Copy: ${what}`);
    button.addEventListener("click", async () => {
      await copy(block.querySelector("pre").textContent);
      say(`Copied: ${what}`);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }
}

// Tells those who do not see the page.
function say(text) {
  const place = document.getElementById("said");
  if (place) place.textContent = text;
}

// How long ago, or how long since, in the words that the server uses.
function span(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  if (whole < 172800) return `${Math.floor(whole / 3600)} h`;
  return `${Math.floor(whole / 86400)} d`;
}

function age() {
  for (const time of document.querySelectorAll("time[data-age]")) {
    const words = span((Date.now() - Date.parse(time.dateTime)) / 1000);
    const text = time.dataset.age === "since" ? words : `${words} ago`;
    if (time.textContent !== text) time.textContent = text;
  }
}

// Calls `onChange` whenever what is at `url` has changed, while the page is looked at.
function follow(url, onChange) {
  const EVERY_MS = 2000;
  let tag = null;
  let known = null;
  async function look() {
    if (document.visibilityState === "visible") {
      try {
        const headers = tag ? { "If-None-Match": tag } : {};
        const answer = await fetch(url, { headers, credentials: "same-origin" });
        if (answer.ok) {
          tag = answer.headers.get("ETag");
          const text = await answer.text();
          if (known !== null && known !== text) await onChange();
          known = text;
        }
      } catch { /* The daemon is away: asked again. */ }
    }
    setTimeout(look, EVERY_MS);
  }
  look();
}

// Replaces the parts of the page that are marked as live by the server's newest.
async function refresh() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const newer = fresh.getElementById(part.id);
    if (!newer || newer.innerHTML === part.dataset.html) continue;
    if (part.contains(document.activeElement)) continue;
    part.innerHTML = newer.innerHTML;
    part.dataset.html = newer.innerHTML;
  }
  offerCopies();
  age();
}

// A search that was left empty is no part of the address.
function tidy(event) {
  for (const field of event.target.querySelectorAll("input, select")) {
    if (field.name && field.value === "") field.disabled = true;
  }
}

// "/" leads to the page's first search or filter.
function shortcut(event) {
  const typing = event.target.closest("input, select, textarea, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = document.querySelector("[data-search], .filters input, .filters select");
  if (!field) return;
  event.preventDefault();
  field.focus();
}

dress();
document.addEventListener("DOMContentLoaded", () => {
  dress();
  document.getElementById("theme")?.addEventListener("click", () => {
    const order = Object.keys(THEMES);
    localStorage.setItem("theme", order[(order.indexOf(theme()) + 1) % order.length]);
    dress();
  });
  offerCopies();
  age();
  setInterval(age, 1000);
  document.addEventListener("keydown", shortcut);
  document.querySelectorAll("form[method=get]").forEach((form) => form.addEventListener("submit", tidy));
  window.addEventListener("pageshow", () => {
    document.querySelectorAll("form :disabled").forEach((field) => { field.disabled = false; });
  });
  if (document.body.dataset.follow) follow(document.body.dataset.follow, refresh);
});
