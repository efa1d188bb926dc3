// What a page must hold for everybody who reads it: names, headings, tables, contrast, focus, width. Returns what is
// wrong, each a sentence.
const wrong = [];
const report = (element, what) => wrong.push(`${what}: ${element.outerHTML.slice(0, 120)}`);
const visible = (element) => {
  const box = element.getBoundingClientRect();
  return box.width > 1 && box.height > 1 && getComputedStyle(element).visibility === "visible";
};
const all = (selector) => [...document.querySelectorAll(selector)];

if (!document.documentElement.lang) wrong.push("the page has no language");
if (!document.title.trim()) wrong.push("the page has no title");
for (const [selector, count] of [["h1", 1], ["main", 1], ["header", 1], ["footer", 1]]) {
  if (all(selector).length !== count) wrong.push(`${all(selector).length} of ${selector}, not ${count}`);
}
let level = 0;
for (const heading of all("h1, h2, h3, h4")) {
  const own = Number(heading.tagName[1]);
  if (own > level + 1) report(heading, `a heading skips from ${level} to ${own}`);
  level = own;
}
const ids = all("[id]").map((element) => element.id);
for (const id of new Set(ids)) if (ids.filter((one) => one === id).length > 1) wrong.push(`the id ${id} twice`);

// Names
const nameOf = (element) => {
  const labelled = (element.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean);
  const words = labelled.map((id) => document.getElementById(id)?.textContent || "").join(" ");
  const labels = [...(element.labels || [])].map((label) => label.textContent).join(" ");
  return (element.getAttribute("aria-label") || words || labels || element.textContent || "").trim();
};
const FOCUSABLE = "a[href], button, input:not([type=hidden]), select, summary, [tabindex]";
for (const element of all(`${FOCUSABLE}, svg[role=img], [role=region], nav, section`)) {
  if (visible(element) && !nameOf(element)) report(element, "no name");
}
for (const image of all("img")) if (!image.hasAttribute("alt")) report(image, "no alternative text");
for (const svg of all("svg")) {
  if (!["img", "group"].includes(svg.getAttribute("role")) && svg.getAttribute("aria-hidden") !== "true" && !svg.closest("[role=img]")) report(svg, "a picture that says nothing");
}
for (const table of all("table")) {
  if (!table.querySelector("thead th[scope=col]")) report(table, "a table without headings");
  for (const heading of table.querySelectorAll("th")) if (!heading.scope) report(heading, "a heading of nothing");
}
for (const link of all("[href^='#']")) {
  const id = link.getAttribute("href").slice(1);
  if (id && !document.getElementById(id)) report(link, "a link to a place that is not there");
}

// Contrast
const canvas = document.createElement("canvas");
canvas.width = canvas.height = 1;
const brush = canvas.getContext("2d", { willReadFrequently: true });
const parsed = new Map();
const colour = (text) => {
  if (!parsed.has(text)) {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = text;
    brush.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
    parsed.set(text, [r, g, b, a / 255]);
  }
  return parsed.get(text);
};
const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);
const behind = (element) => {
  const layers = [];
  for (let at = element; at; at = at.parentElement) {
    const own = colour(getComputedStyle(at).backgroundColor);
    if (own[3] > 0) layers.push(own);
    if (own[3] === 1) break;
  }
  return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
};
const light = ([r, g, b]) => {
  const linear = [r, g, b].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const seen = new Set();
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || seen.has(element) || !visible(element)) continue;
  seen.add(element);
  if (element.closest("script, option, title, .skip, [disabled]")) continue;
  // Pictures of matches have text on shapes; the contrast of their closed list of classes has a test of its own.
  if (element.closest("#replay svg, svg.board")) continue;
  const style = getComputedStyle(element);
  const back = behind(element.closest("svg")?.parentElement || element);
  const front = over(colour(element.closest("svg") ? style.fill : style.color), back);
  const [high, low] = [light(front), light(back)].sort((one, other) => other - one);
  const ratio = (high + 0.05) / (low + 0.05);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  if (ratio < (large ? 3 : 4.5)) report(element, `contrast ${ratio.toFixed(2)}`);
}

// Focus: each place where the keyboard stops shows that it is there.
const before = document.activeElement;
for (const element of all(FOCUSABLE)) {
  if (!visible(element) || element.disabled || element.closest("details:not([open]) > :not(summary)")) continue;
  element.focus({ focusVisible: true, preventScroll: true });
  if (document.activeElement !== element) { report(element, "cannot be focused"); continue; }
  const style = getComputedStyle(element);
  if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) report(element, "its focus is not seen");
}
before?.focus?.({ preventScroll: true });
document.activeElement?.blur?.();

for (const tabs of all("nav > .tabs")) if (tabs.scrollWidth > tabs.clientWidth) report(tabs, "tabs that are cut off");
if (innerWidth < 500) {
  const boxes = all("nav > .tabs a").map((one) => one.getBoundingClientRect());
  if (boxes.some((box) => box.height < 40 || box.top !== boxes[0].top)) wrong.push("tabs are not in one row for fingers");
}
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
if (wide > 0) {
  const beyond = [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth && !one.closest("nav, table"))
    .map((one) => `${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 40)}`);
  wrong.push(`the page is ${wide} px wider than its window: ${beyond.slice(0, 6).join("; ")}`);
}
return wrong;
