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
  button.textContent = { auto: "◐ Theme: auto", light: "☀ Theme: light", dark: "☾ Theme: dark" }[now];
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
  for (const block of document.querySelectorAll(".cmd:not(.said, :has(.copy))")) {
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

// Announces to those who do not see the page.
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

// Follows a stream of events while the page is looked at: `onNews` is called after each of them, but not more often
// than once in a while, and says whether there is more to come. Without a stream, or where it is refused, it is called
// at an interval instead.
function follow(url, every, onNews) {
  const REST_MS = 2000;
  const REFUSED_S = 15;
  let source = null;
  let last = "";
  let waiting = 0;
  let rest = REST_MS;
  let asked = 0;
  let over = false;
  const shown = () => !over && document.visibilityState === "visible";
  const end = () => {
    source?.close();
    clearTimeout(asked);
  };
  const news = () => {
    if (!shown()) return;
    waiting ||= setTimeout(async () => {
      const begun = performance.now();
      let failed = false;
      try {
        over = !await onNews();
        if (over) end();
        if (over || !url || source?.readyState === EventSource.OPEN) announce("");
      } catch {
        failed = true;
        announce("This page could not be updated: trying again.");
      }
      // A server that takes long has much to do, but a page that stands still says nothing of it.
      const pause = failed ? 2 * rest : 10 * (performance.now() - begun);
      rest = Math.min(Math.max(REST_MS, pause), 1000 * REFUSED_S);
      waiting = 0;
      if (failed) news();
    }, rest);
  };
  const again = (seconds) => {
    clearTimeout(asked);
    asked = setTimeout(() => {
      news();
      if (url) open();
      again(seconds);
    }, 1000 * seconds);
  };
  const open = () => {
    if (source && source.readyState !== EventSource.CLOSED) return;
    const from = new URL(url, location.href);
    if (last) from.searchParams.set("after", last);
    source = new EventSource(from);
    for (const kind of ["state", "match", "entry", "fact", "end", "close"]) {
      source.addEventListener(kind, (event) => {
        last = event.lastEventId || last;
        news();
        if (kind === "end") end();
        // The daemon says before it ends a stream: this is no failure.
        if (kind === "close") {
          source.close();
          clearTimeout(asked);
          asked = setTimeout(begin, REST_MS);
        }
      });
    }
    source.addEventListener("open", () => {
      announce("");
      clearTimeout(asked);
      if (every) again(every);
    });
    source.addEventListener("error", () => {
      // A browser connects again by itself, unless it was refused.
      const refused = source.readyState === EventSource.CLOSED;
      announce(refused ? `No live updates: looked at every ${REFUSED_S} s.` : "Live updates were cut off: connecting again.");
      if (refused) again(REFUSED_S);
    });
  };
  const begin = () => {
    if (url) open();
    if (every) again(every);
  };
  // A page in the background holds no connection: a browser has few of them for one host.
  document.addEventListener("visibilitychange", () => {
    if (!shown()) return end();
    news();
    begin();
  });
  begin();
}

// Says quietly how live the page is, next to its times.
function announce(text) {
  const place = document.getElementById("live");
  if (!place || place.dataset.text === text) return;
  place.dataset.text = text;
  place.textContent = text;
  if (!text) return;
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = "Reload";
  place.append(" ", link);
}

// Makes an element like another one and keeps what has not changed: what is focused, typed, scrolled or unfolded
// stays so. Children with an id or a key are known again by it.
const keyOf = (one) => one.id || one.dataset?.key || "";
function become(old, fresh) {
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  let at = old.firstChild;
  for (const next of [...fresh.childNodes]) {
    const known = keyOf(next) && [...old.children].find((one) => keyOf(one) === keyOf(next));
    // What stood before it is gone.
    while (known && at && at !== known && known.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_PRECEDING) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
    if (!at || at.nodeName !== next.nodeName || keyOf(at) !== keyOf(next)) {
      old.insertBefore(next, at);
      continue;
    }
    if (at.nodeType === Node.ELEMENT_NODE) become(at, next);
    else if (at.data !== next.data) at.data = next.data;
    at = at.nextSibling;
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

const replayed = (page) => page.getElementById("replay")?.dataset.src;

// Whether the match on this page was shown to its end, and its reader is busy with nothing else here.
const SHOWN_MS = 20_000;
function isAtRest() {
  const play = document.querySelector("#replay [aria-label='Play or pause']");
  const slider = document.querySelector("#replay input[type=range]");
  if (play?.textContent === "Pause" || slider?.value !== slider?.max) return false;
  return performance.now() > SHOWN_MS && document.activeElement === document.body;
}

// Whether the match on this page has ended, by a newer page that lists it among others, or else by its replay.
function isOver(fresh) {
  const listed = fresh.querySelector(`[data-key="${replayed(document).split("/").at(-2)}"]`);
  return listed ? !listed.querySelector(".live") : document.getElementById("replay").dataset.runs === "false";
}

// Brings the parts of the page that are marked as live up to date; whether there is still something to follow.
async function refresh() {
  document.getElementById("replay")?.dispatchEvent(new Event("replay-more"));
  const answer = await fetch(location.href, {
    headers: { Accept: "text/html", "X-Refresh": "1" }, cache: "no-store", credentials: "same-origin",
  });
  if (!answer.ok) throw new Error(answer.statusText);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const other = replayed(fresh) !== replayed(document);
  // A page without a match shows its first one at once; one that shows a match waits until its reader is done.
  if (other && (!replayed(document) || (fresh.querySelector("#stage .live") && isAtRest()))) return location.reload();
  if (other && isOver(fresh)) document.querySelector("#stage-head .live")?.remove();
  for (const part of document.querySelectorAll("[data-live]")) {
    const newer = fresh.getElementById(part.id);
    // What is said of another match belongs to another board.
    if (newer && !(other && part.closest("#stage"))) become(part, newer);
  }
  offerCopies();
  age();
  const { follow: url, every } = fresh.body.dataset;
  return Boolean(url || every);
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
  const field = document.querySelector("[data-search], .filters input:not([type=hidden]), .filters select");
  if (!field) return;
  event.preventDefault();
  field.focus();
}

// On a phone the parts of a long guide are folded, so that their headings are its contents.
function fold() {
  const parts = document.querySelectorAll(".part");
  if (!parts.length || !matchMedia("(max-width: 46rem)").matches) return;
  for (const part of parts) part.open = false;
}

// What an address leads to is open.
function unfold() {
  let name = "";
  try {
    name = decodeURIComponent(location.hash.slice(1));
  } catch {
    return;
  }
  const place = document.getElementById(name);
  const shut = () => place?.closest("details:not([open])");
  if (!shut()) return;
  while (shut()) shut().open = true;
  place.scrollIntoView();
}

// In a list a whole row leads where its first link does; what is marked there, or is a link itself, does not.
function lead(event) {
  const link = event.target.closest(".rows tbody tr")?.querySelector("a[href]");
  if (!link || event.button !== 0 || event.target.closest("a, button") || String(getSelection())) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) window.open(link.href);
  else location.assign(link.href);
}

dress();
document.addEventListener("DOMContentLoaded", () => {
  dress();
  document.getElementById("theme")?.addEventListener("click", () => {
    const order = Object.keys(THEMES);
    localStorage.setItem("theme", order[(order.indexOf(theme()) + 1) % order.length]);
    dress();
  });
  // On a phone the navigation is a strip, and on one narrower than 360 px a match's tabs are, too: their current place is
  // brought into sight, and nothing else moves.
  for (const here of document.querySelectorAll("nav [aria-current=page]")) {
    const strip = here.closest(".top nav, nav > .tabs");
    if (strip) strip.scrollLeft = here.offsetLeft - strip.offsetLeft - (strip.clientWidth - here.offsetWidth) / 2;
  }
  offerCopies();
  age();
  setInterval(age, 1000);
  document.addEventListener("keydown", shortcut);
  document.addEventListener("click", lead);
  fold();
  unfold();
  window.addEventListener("hashchange", unfold);
  document.querySelectorAll("form[method=get]").forEach((form) => form.addEventListener("submit", tidy));
  window.addEventListener("pageshow", () => {
    document.querySelectorAll("form :disabled").forEach((field) => { field.disabled = false; });
  });
  const { follow: url, every } = document.body.dataset;
  if (url || every) follow(url, Number(every || 0), refresh);
});
